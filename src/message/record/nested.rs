//! Messages inside a record: nested messages, map entries and prepared messages.
//!
//! A nested message is written in place, between two calls that save and restore the state of its parent:
//!
//! ```text
//! message(handle, write):
//!     if handle is foreign, or skip has its bit: return
//!     mark_written(handle)
//!     enter:  write the tag; reserve the width that the last message of the type took
//!             save skip, node, offset, depth, address of the buffer
//!             skip = disabled fields of the child; node = child; depth += 1
//!     write(self)                                the caller's function
//!     leave:  check that depth and buffer are those of `enter`
//!             check required fields; restore the parent
//!             write the length prefix; remember its width
//! ```
//!
//! The caller's function has `&mut` access to the writer and may misuse it: panic, or exchange it for another writer.
//! The message it was called for then has no end. `leave` and `finish` detect this, and every record involved fails
//! with `Interrupted`. A panic leaves `depth` above zero. An exchanged writer has another buffer, because a buffer is
//! borrowed by one writer at a time, or, if it comes back later, another depth.

use super::RecordWriter;
use super::definition::PlanNode;
use super::field::{Field, Flags, Handle, SkipSet};
use super::kind::WireValue;
use super::kind::{self, KeyKind, SettableKind};
use super::repeated::PackedRun;
use super::writer::in_field;
use crate::message::Prepared;
use crate::wire::error::EncodeErrorKind;
use crate::wire::{DEFAULT_DEPTH, WireType};
use core::mem::replace;

/// The deepest message that decoders accept by default; a map entry is a message too.
const MAX_DEPTH: u32 = DEFAULT_DEPTH;

/// The state of a message while one that is nested in it is written.
struct SavedParent<'b> {
    skip: SkipSet,
    node: &'b PlanNode,
    /// The offset of the nested message's length prefix, and the bytes reserved for it.
    start: usize,
    width: usize,
    /// The depth inside the nested message.
    inner_depth: u32,
    depth: u32,
    /// The address of the buffer: no two writers have the same.
    buffer: usize,
}

/// The tag of the key (1) or value (2) of a map entry: one byte.
#[inline(always)]
const fn entry_tag(number: u8, wire_type: WireType) -> [u8; 8] {
    [number << 3 | wire_type as u8, 0, 0, 0, 0, 0, 0, 0]
}

const VALUE_MESSAGE: [u8; 8] = entry_tag(2, WireType::LengthDelimited);

impl<'b> RecordWriter<'b> {
    /// Writes a nested message, unless the field is singular and has been written.
    ///
    /// `write` appends its fields: it is called with this writer, which during the call accepts the handles of the
    /// nested message type, those with dotted names, and no others. It is not called if the message is not written:
    /// if the field is disabled, or singular and written already. A message without fields is written too.
    ///
    /// Fails the record as [`set`](Self::set) does, with `DepthExceeded` if messages are nested more than 100 deep, a
    /// map entry being a message too, and with `Interrupted` if `write` panics or exchanges the writer for another one.
    ///
    /// ```
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static NAT: MessageTable = MessageTable::new("pkg.Nat", &[FieldTable::new("port", 1, Kind::Uint32)]);
    /// static FLOW: MessageTable =
    ///     MessageTable::new("pkg.Flow", &[FieldTable::new("nat", 1, Kind::Message(|| &NAT))]);
    /// let pool = DescriptorPool::from_tables(&[&FLOW])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Flow")?);
    /// let (nat, port) = (plan.message("nat")?, plan.uint32("nat.port")?);
    /// let mut buf = Vec::new();
    /// let mut record = plan.record(&mut buf);
    /// record.message(nat, |record| record.set(port, 443));
    /// assert_eq!(record.finish()?, b"\x05\x0a\x03\x08\xbb\x03");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn message(&mut self, field: Field<kind::Submessage>, write: impl FnOnce(&mut Self)) {
        let handle = field.handle;
        if self.admits(handle) {
            self.mark_written(handle);
            if let Some(parent) = self.enter(handle, handle.prefix.bytes(), handle.prefix.len(), 1) {
                write(self);
                self.leave(handle, parent);
            }
        }
    }

    /// Writes a message that was encoded before, unless the field is singular and has been written.
    ///
    /// Its bytes are copied, including fields that the plan disables in that message type.
    ///
    /// Fails the record as [`set`](Self::set) does, with `WrongMessage` if the full name of the field's message type is
    /// another one, with `DepthExceeded` if messages in it would be nested more than 100 deep, and with
    /// `MissingRequired` if it was decoded without one of its required fields.
    ///
    /// ```
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage, Prepared};
    ///
    /// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
    /// static LOG: MessageTable =
    ///     MessageTable::new("pkg.Log", &[FieldTable::new("host", 1, Kind::Message(|| &HOST))]);
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// let host = pool.message("pkg.Host")?;
    /// let web1 = Prepared::new(&DynamicMessage::decode(&host, b"\x0a\x04web1")?)?;
    ///
    /// let plan = RecordPlan::new(&pool.message("pkg.Log")?);
    /// let host = plan.message("host")?;
    /// let mut buf = Vec::new();
    /// let mut record = plan.record(&mut buf);
    /// record.prepared(host, &web1);
    /// assert_eq!(record.finish()?, b"\x08\x0a\x06\x0a\x04web1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn prepared<T>(&mut self, field: Field<kind::Submessage>, prepared: &Prepared<T>) {
        if self.admits(field.handle) {
            self.splice(field.handle, prepared);
        }
    }

    /// Appends an entry to a map. Readers keep the last entry of those with the same key.
    ///
    /// The entry has key and value even if they are zero or empty. Fails the record as [`set`](Self::set) does, and with
    /// `DepthExceeded` in a message that is nested 100 deep. [`RecordPlan::map`](super::RecordPlan::map) has an example.
    #[inline]
    pub fn insert<'k, 'v, K: KeyKind, V: SettableKind>(
        &mut self,
        field: Field<kind::MapOf<K, V>>,
        key: K::Value<'k>,
        value: V::Value<'v>,
    ) {
        let handle = field.handle;
        if !self.admits(handle) {
            return;
        }
        if self.depth >= MAX_DEPTH {
            return self.fail(EncodeErrorKind::DepthExceeded, Some(handle.bit()));
        }
        let (key, value) = (K::to_wire(key), V::to_wire(value));
        if !self.check_enum::<V>(handle, value) {
            return;
        }
        self.put_length(handle, 2 + key.size() + value.size());
        self.put_tagged(entry_tag(1, key.wire_type()), 1, key);
        self.put_tagged(entry_tag(2, value.wire_type()), 1, value);
    }

    /// Appends an entry to a map from keys to messages. `write` appends the fields of the message, as it does for
    /// [`message`](Self::message), and the record fails as it does there.
    ///
    /// ```
    /// use tablepb::record::kind;
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static PORT: MessageTable = MessageTable::new("pkg.Port", &[FieldTable::new("up", 1, Kind::Bool)]);
    /// static HOST: MessageTable = MessageTable::new(
    ///     "pkg.Host",
    ///     &[FieldTable::map("ports", 1, Kind::Uint32, Kind::Message(|| &PORT))],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&HOST])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Host")?);
    /// let ports = plan.map::<kind::Uint32, kind::Submessage>("ports")?;
    /// let up = plan.bool("ports.value.up")?;
    /// let mut buf = Vec::new();
    /// let mut record = plan.record(&mut buf);
    /// record.insert_message(ports, 7, |record| record.set(up, true));
    /// assert_eq!(record.finish()?, b"\x08\x0a\x06\x08\x07\x12\x02\x08\x01");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn insert_message<K: KeyKind>(
        &mut self,
        field: Field<kind::MapOf<K, kind::Submessage>>,
        key: K::Value<'_>,
        write: impl FnOnce(&mut Self),
    ) {
        let handle = field.handle;
        if !self.admits(handle) {
            return;
        }
        let Some((start, width)) = self.open_entry(handle, K::to_wire(key)) else { return };
        if let Some(parent) = self.enter(handle, VALUE_MESSAGE, 1, 2) {
            write(self);
            self.leave(handle, parent);
        }
        // After an error this may write anything, which is never committed.
        self.close_length(start, width);
    }

    /// Starts a map entry with its key. Returns the offset of its length prefix, and the bytes reserved for it.
    fn open_entry(&mut self, handle: Handle, key: WireValue<'_>) -> Option<(usize, usize)> {
        // The entry is a few bytes longer than the message in it, so their lengths mostly have the same width.
        let width = self.child(handle)?.width();
        if !self.out.put_pair(handle.prefix.bytes(), handle.prefix.len(), [0; 8], width) {
            self.fail_no_room();
            return None;
        }
        let start = self.out.len() - width;
        self.put_tagged(entry_tag(1, key.wire_type()), 1, key);
        Some((start, width))
    }

    /// The node of the messages in a field.
    #[inline(always)]
    fn child(&self, handle: Handle) -> Option<&'b PlanNode> {
        self.plan.nodes.get(self.node.child(handle.bit())? as usize)
    }

    /// Starts a nested message: writes its tag and reserves room for its length. `levels` is 1, or 2 for the value of a
    /// map, whose entry is a message as well.
    fn enter(
        &mut self,
        handle: Handle,
        tag: [u8; 8],
        tag_len: usize,
        levels: u32,
    ) -> Option<SavedParent<'b>> {
        let child = self.child(handle)?;
        let (depth, inner_depth) = (self.depth, self.depth + levels);
        if inner_depth > MAX_DEPTH {
            self.fail(EncodeErrorKind::DepthExceeded, Some(handle.bit()));
            return None;
        }
        let width = if handle.prefix.has(Flags::GROUP) { 0 } else { child.width() };
        if !self.out.put_pair(tag, tag_len, [0; 8], width) {
            self.fail_no_room();
            return None;
        }
        self.depth = inner_depth;
        self.accepts = child.id;
        self.run = PackedRun::NONE;
        Some(SavedParent {
            skip: replace(&mut self.skip, SkipSet::new(&child.disabled)),
            node: replace(&mut self.node, child),
            start: self.out.len() - width,
            width,
            inner_depth,
            depth,
            buffer: self.out.buffer(),
        })
    }

    /// Ends a nested message.
    fn leave(&mut self, handle: Handle, parent: SavedParent<'b>) {
        if (self.depth != parent.inner_depth) | (self.out.buffer() != parent.buffer) {
            // This is another writer, or this writer in the place of another one that was exchanged for it: the
            // message that ends here is not the innermost one, and never will be.
            return self.fail(EncodeErrorKind::Interrupted, None);
        }
        self.check_required();
        let child = self.node;
        self.depth = parent.depth;
        self.node = parent.node;
        self.skip = parent.skip;
        self.run = PackedRun::NONE;
        if self.error.is_some() {
            return self.name_parent(handle);
        }
        self.accepts = self.node.id;
        if handle.prefix.has(Flags::GROUP) {
            if !self.out.put(handle.prefix.end_bytes(), handle.prefix.len()) {
                self.fail_no_room();
            }
        } else {
            let width = self.close_length(parent.start, parent.width);
            child.set_width(width);
        }
    }

    /// Adds the field of a nested message to the path of an error from inside it.
    #[cold]
    #[inline(never)]
    fn name_parent(&mut self, handle: Handle) {
        let field = self.node.field(handle.bit());
        self.error = self.error.take().map(|error| match field {
            Some(field) => in_field(error, field),
            None => error,
        });
    }

    fn splice<T>(&mut self, handle: Handle, prepared: &Prepared<T>) {
        let bytes = prepared.as_bytes();
        if self.child(handle).is_none_or(|child| child.message.full_name() != prepared.full_name()) {
            return self.fail(EncodeErrorKind::WrongMessage, Some(handle.bit()));
        }
        if self.depth + prepared.depth() >= MAX_DEPTH {
            return self.fail(EncodeErrorKind::DepthExceeded, Some(handle.bit()));
        }
        if !prepared.is_complete() {
            return self.fail(EncodeErrorKind::MissingRequired, Some(handle.bit()));
        }
        self.mark_written(handle);
        if handle.prefix.has(Flags::GROUP) {
            let len = handle.prefix.len();
            let written = self.out.put(handle.prefix.bytes(), len)
                && self.out.put_slice(bytes)
                && self.out.put(handle.prefix.end_bytes(), len);
            if !written {
                self.fail_no_room();
            }
        } else {
            self.put_tagged(handle.prefix.bytes(), handle.prefix.len(), WireValue::Bytes(bytes));
        }
    }
}
