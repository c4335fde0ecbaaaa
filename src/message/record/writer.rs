//! [`RecordWriter`]: singular fields, and the start and end of a record.
//!
//! The hot path is [`RecordWriter::set`] with a plain handle: a singular field in no oneof, whose values need no check.
//!
//! ```text
//! set(handle, value):
//!     if handle.node != accepts or handle has a flag in SLOW:
//!         return set_slow(handle, value)        one cold call: foreign, repeated, packed, oneof, closed enum, bit > 255
//!     if skip has handle.bit:                   disabled, or written before
//!         return
//!     if value is zero and handle has IMPLICIT:
//!         return
//!     add handle.bit to skip
//!     write tag and value                       two words after one check for room of 16 bytes
//! ```
//!
//! What each step of this design brought, in ns for all of a record of some 25 fields, sFlow and NetFlow 9
//! (`benches/records.rs`, AMD EPYC, Zen 5): 178 and 114 at first; 123 and 66 with two-word handles and one check for
//! all slow properties; 95 and 60 since neither `record` nor `finish` copies the writer; 87 and 54 since the tail is
//! built in its final place, because a load that spans several recent stores waits for them.

use super::RecordPlan;
use super::definition::PlanNode;
use super::field::{Field, Flags, Handle, NodeId, SkipSet};
use super::kind::{SettableKind, WireValue};
use super::repeated::PackedRun;
use crate::schema::pool::FieldRef;
use crate::schema::table::Kind;
use crate::wire::error::{EncodeError, EncodeErrorKind, copy_of};
use crate::wire::output::tail::Tail;
use crate::wire::{Buffer, MAX_LEN, long_varint, short_varint};
use core::fmt;

/// Appends the fields of one record to a buffer; made by [`RecordPlan::record`].
///
/// Fields are written in the order of the calls. A singular field is written at most once: the first value wins, and
/// of a oneof the first member. A repeated field takes any number of values. Calls for disabled fields do nothing and
/// cost a branch. Memory is allocated only for the buffer to grow, for message types with more than 256 fields and
/// oneofs, and for errors.
///
/// The first error fails the record: later calls do nothing, and [`finish`](Self::finish) returns the error. The
/// buffer keeps its length until `finish` succeeds, so a record that fails, is dropped or is leaked leaves nothing in
/// it.
///
/// A value of the wrong type for a handle does not compile:
///
/// ```compile_fail,E0308
/// # use tablepb::record::{Field, RecordPlan, kind};
/// fn write(plan: &RecordPlan, bytes: Field<kind::Uint64>, buf: &mut Vec<u8>) {
///     plan.record(buf).set(bytes, "1518");
/// }
/// ```
///
/// Neither does setting a message field to a value:
///
/// ```compile_fail,E0277
/// # use tablepb::record::{Field, RecordPlan, kind};
/// fn write(plan: &RecordPlan, nested: Field<kind::Submessage>, buf: &mut Vec<u8>) {
///     plan.record(buf).set(nested, 1);
/// }
/// ```
pub struct RecordWriter<'b> {
    /// The node whose handles are accepted: that of `node`, or [`NodeId::NONE`] after an error.
    pub(super) accepts: NodeId,
    pub(super) skip: SkipSet,
    pub(super) out: Tail<'b>,
    pub(super) plan: &'b RecordPlan,
    /// The type of the innermost open message.
    pub(super) node: &'b PlanNode,
    /// How many messages, map entries and packed runs are open.
    pub(super) depth: u32,
    /// Bytes reserved for the length prefix of the record.
    width: usize,
    pub(super) run: PackedRun,
    pub(super) error: Option<EncodeError>,
}

impl RecordPlan {
    /// Starts a record at the end of the buffer, whose content does not change before [`RecordWriter::finish`].
    #[inline(always)]
    pub fn record<'b, B: Buffer>(&'b self, buf: &'b mut B) -> RecordWriter<'b> {
        let root = self.root();
        let width = root.width();
        let out = Tail::new(buf, width);
        RecordWriter {
            accepts: root.id,
            skip: SkipSet::new(&root.disabled),
            out,
            plan: self,
            node: root,
            depth: 0,
            width,
            run: PackedRun::NONE,
            error: None,
        }
    }
}

impl<'b> RecordWriter<'b> {
    /// The plan of the record.
    #[must_use]
    pub fn plan(&self) -> &'b RecordPlan {
        self.plan
    }

    /// Writes a singular field, unless it has been written, or appends a value to a repeated field.
    ///
    /// A zero or empty value of a field without presence is not written; the field does not count as written then and
    /// takes a later value. A value of a packed field joins the run of the value before, if nothing was written in
    /// between and the run stays below 128 bytes.
    ///
    /// Fails the record with `ForeignField` if the handle belongs to another plan or to another message than the one
    /// being written, with `UnknownEnumNumber` if a closed enum has no value with this number, with `TooLarge` if the
    /// record exceeds 2^31-1 bytes, and with `OutOfMemory` if the buffer cannot grow.
    // Inlined as a whole: a record with most of its fields disabled takes 52 ns instead of 62.
    #[inline(always)]
    pub fn set<'v, K: SettableKind>(&mut self, field: Field<K>, value: K::Value<'v>) {
        let (handle, value) = (field.handle, K::to_wire(value));
        if !handle.is_plain(self.accepts) {
            self.set_slow::<K>(handle, value);
        } else if !self.skip.has_inline(handle.bit()) {
            self.put_plain(handle, value);
        }
    }

    /// Like [`set`](Self::set), but writes zero and empty values of fields without presence too; the field then counts
    /// as written.
    #[inline]
    pub fn force_set<'v, K: SettableKind>(&mut self, field: Field<K>, value: K::Value<'v>) {
        if self.admits(field.handle) {
            self.put::<K>(field.handle, K::to_wire(value));
        }
    }

    /// Whether a value of the field would be written: the field is enabled and, if singular, has not been written.
    ///
    /// Lets a parser skip the work of making a value that is not written. False for a handle of another plan or of
    /// another message than the one being written, and after an error.
    #[inline]
    #[must_use]
    pub fn wants<K>(&self, field: Field<K>) -> bool {
        field.handle.node() == self.accepts && !self.is_skipped(field.handle)
    }

    /// Ends the record: writes its length prefix and makes it part of the buffer.
    ///
    /// Returns the record as it now stands at the end of the buffer, length prefix included;
    /// [`stream::read_frame`](crate::stream::read_frame) reads it back. If the length takes another number of bytes
    /// than that of the last record of the plan, the record is moved once.
    ///
    /// # Errors
    /// The first error of the record, with the path of the field. `MissingRequired` if a required field that is enabled
    /// has not been written, here or in a nested message. `Interrupted` if a function or an iterator given to the writer
    /// panicked, or exchanged the writer for another one. The buffer then has the content that it had.
    #[inline(always)]
    pub fn finish(mut self) -> Result<&'b [u8], EncodeError> {
        // Always inlined: otherwise the writer is copied to be passed.
        self.end();
        self.commit()
    }

    /// Ends the record and makes it part of the buffer without a length prefix: for the value of a Kafka record, the body of a
    /// gRPC message, or a file with one message.
    ///
    /// Returns the message as it now stands at the end of the buffer; it is empty if no field was written. If the last record of
    /// the plan had a length prefix, the message is moved once.
    ///
    /// ```
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static PORT: MessageTable = MessageTable::new("pkg.Port", &[FieldTable::new("id", 1, Kind::Uint32)]);
    /// let pool = DescriptorPool::from_tables(&[&PORT])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Port")?);
    /// let id = plan.uint32("id")?;
    /// let mut buf = Vec::new();
    /// tablepb::stream::confluent::append_header(7, &[0], &mut buf)?;
    /// let mut record = plan.record(&mut buf);
    /// record.set(id, 443);
    /// assert_eq!(record.finish_unframed()?, b"\x08\xbb\x03");
    /// assert_eq!(buf, b"\0\0\0\0\x07\0\x08\xbb\x03");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    #[inline(always)]
    pub fn finish_unframed(mut self) -> Result<&'b [u8], EncodeError> {
        if self.check_end() {
            self.drop_length(self.width);
            self.plan.root().set_width(0);
        }
        self.commit()
    }

    /// Makes the record part of the buffer, unless it failed.
    #[inline(always)]
    fn commit(self) -> Result<&'b [u8], EncodeError> {
        match self.error {
            None => self.out.commit().ok_or_else(|| EncodeError::new(EncodeErrorKind::OutOfMemory)),
            Some(error) => Err(error.in_message_copied(self.plan.descriptor().full_name())),
        }
    }

    /// Writes the length prefix of the record, or fails.
    #[inline]
    fn end(&mut self) {
        if self.check_end() {
            let width = self.close_length(0, self.width);
            self.plan.root().set_width(width);
        }
    }

    /// Whether the record is whole and may end; else it fails.
    #[inline]
    fn check_end(&mut self) -> bool {
        self.check_required();
        if self.depth != 0 {
            self.interrupt();
        }
        self.error.is_none()
    }

    /// A message or a run is still open: the code that writes it panicked, or exchanged the writer for another one.
    /// This explains whichever error was found first, and replaces it.
    #[cold]
    #[inline(never)]
    fn interrupt(&mut self) {
        self.error = None;
        self.fail(EncodeErrorKind::Interrupted, None);
    }

    /// Whether to write the field; fails on a foreign handle.
    #[inline(always)]
    pub(super) fn admits(&mut self, handle: Handle) -> bool {
        if handle.node() != self.accepts {
            self.fail(EncodeErrorKind::ForeignField, None);
            return false;
        }
        !self.is_skipped(handle)
    }

    /// Whether the field is disabled or has been written, or another member of its oneof has.
    #[inline(always)]
    fn is_skipped(&self, handle: Handle) -> bool {
        let (skip, disabled) = (&self.skip, &self.node.disabled);
        skip.has(handle.bit(), disabled)
            || handle.prefix.has(Flags::ONEOF)
                && self.node.oneof_bit(handle.bit()).is_some_and(|bit| skip.has(bit, disabled))
    }

    /// Adds a singular field, and its oneof if it is in one, to the skip set.
    #[inline(always)]
    pub(super) fn mark_written(&mut self, handle: Handle) {
        if handle.prefix.has(Flags::REPEATED) {
            return;
        }
        self.skip_bit(handle.bit());
        if handle.prefix.has(Flags::ONEOF)
            && let Some(bit) = self.node.oneof_bit(handle.bit())
        {
            self.skip_bit(bit);
        }
    }

    #[inline(always)]
    fn skip_bit(&mut self, bit: u32) {
        if !self.skip.insert(bit, &self.node.disabled) {
            self.fail(EncodeErrorKind::OutOfMemory, None);
        }
    }

    /// Writes a plain field that has not been written.
    #[inline(always)]
    fn put_plain(&mut self, handle: Handle, value: WireValue<'_>) {
        // Moving the cursor by zero bytes, in place of this branch, takes 91 ns per record instead of 83.
        if value.is_zero() && handle.prefix.has(Flags::IMPLICIT) {
            return;
        }
        self.skip.insert_inline(handle.bit());
        self.put_tagged(handle.prefix.bytes(), handle.prefix.len(), value);
    }

    /// [`set`](Self::set) for a field that is not plain.
    #[cold]
    #[inline(never)]
    fn set_slow<K: SettableKind>(&mut self, handle: Handle, value: WireValue<'_>) {
        if self.admits(handle) && !(handle.prefix.has(Flags::IMPLICIT) && value.is_zero()) {
            self.put::<K>(handle, value);
        }
    }

    /// Writes a field that was admitted.
    #[inline]
    fn put<K: SettableKind>(&mut self, handle: Handle, value: WireValue<'_>) {
        if !self.check_enum::<K>(handle, value) {
            return;
        }
        if K::KIND.is_packable() && handle.prefix.has(Flags::PACKED) {
            return self.push_packed(handle, value);
        }
        self.mark_written(handle);
        self.put_tagged(handle.prefix.bytes(), handle.prefix.len(), value);
    }

    /// Whether a value may be written to a field: fails if it is a number that the closed enum of the field lacks.
    #[inline(always)]
    pub(super) fn check_enum<K: SettableKind>(&mut self, handle: Handle, value: WireValue<'_>) -> bool {
        let is_closed = matches!(K::KIND, Kind::Enum(())) && handle.prefix.has(Flags::CLOSED);
        !is_closed || self.check_number(handle, value)
    }

    #[cold]
    #[inline(never)]
    fn check_number(&mut self, handle: Handle, value: WireValue<'_>) -> bool {
        let WireValue::Varint(number) = value else { return false };
        let known = self.node.enum_has(handle.bit(), number as i32);
        if !known {
            self.fail(EncodeErrorKind::UnknownEnumNumber, Some(handle.bit()));
        }
        known
    }

    /// Writes a tag and a value.
    #[inline(always)]
    pub(super) fn put_tagged(&mut self, tag: [u8; 8], tag_len: usize, value: WireValue<'_>) {
        let (word, len) = match value {
            // Varints of up to eight bytes without a branch on their length: one for single bytes made a record
            // take 96 ns instead of 83.
            WireValue::Varint(value) if value < 1 << 56 => short_varint(value),
            WireValue::Varint(value) => return self.put_long(tag, tag_len, value),
            WireValue::Fixed32(value) => (u64::from(value).to_le_bytes(), 4),
            WireValue::Fixed64(value) => (value.to_le_bytes(), 8),
            WireValue::Bytes(bytes) => return self.put_bytes(tag, tag_len, bytes),
        };
        if !self.out.put_pair(tag, tag_len, word, len) {
            self.fail_no_room();
        }
    }

    #[inline(always)]
    fn put_bytes(&mut self, tag: [u8; 8], tag_len: usize, bytes: &[u8]) {
        let (word, len) = short_varint(bytes.len() as u64);
        let fits = bytes.len() <= MAX_LEN;
        if !(fits && self.out.put_pair(tag, tag_len, word, len) && self.out.put_slice(bytes)) {
            self.fail_no_room();
        }
    }

    /// A varint of nine or ten bytes: a negative number, mostly.
    #[inline(never)]
    fn put_long(&mut self, tag: [u8; 8], tag_len: usize, value: u64) {
        let (first, last, len) = long_varint(value);
        if !(self.out.put_pair(tag, tag_len, first, 8) && self.out.put(last, len)) {
            self.fail_no_room();
        }
    }

    /// Fails if a required field of the innermost message has not been written.
    #[inline]
    pub(super) fn check_required(&mut self) {
        if let Some(required) = &self.node.required
            && let Some(missing) = required.first_missing(&self.skip, &self.node.disabled)
        {
            self.fail(EncodeErrorKind::MissingRequired, Some(missing));
        }
    }

    /// The tail refused bytes, or a length is above the limit.
    #[cold]
    #[inline(never)]
    pub(super) fn fail_no_room(&mut self) {
        // A tail closes by itself where the buffer cannot grow. The writer closes it after an error, which stays.
        let closed = self.out.is_closed();
        self.fail(if closed { EncodeErrorKind::OutOfMemory } else { EncodeErrorKind::TooLarge }, None);
    }

    /// Keeps the first error, and stops writing.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, kind: EncodeErrorKind, field: Option<u32>) {
        if self.error.is_some() {
            return;
        }
        let mut error = EncodeError::new(kind);
        if let Some(field) = field.and_then(|bit| self.node.field(bit)) {
            error = in_field(error, field);
        }
        self.error = Some(error);
        self.accepts = NodeId::NONE;
        self.out.close();
    }
}

/// An error from inside a field.
pub(super) fn in_field(error: EncodeError, field: FieldRef<'_>) -> EncodeError {
    error.in_field(field.number(), copy_of(field.name()), None)
}

impl fmt::Debug for RecordWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordWriter({}, {} bytes)", self.plan.descriptor().full_name(), self.out.len())
    }
}
