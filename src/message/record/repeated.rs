//! Repeated fields, packed and unpacked.
//!
//! Packed values are written in one of two ways. A list ([`RecordWriter::extend`]) is one run, whose length prefix
//! gets the width that the iterator's lower bound suggests. Single values ([`RecordWriter::set`]) grow a run by
//! rewriting its one-byte length prefix:
//!
//! ```text
//! push_packed(handle, value):
//!     if run is of this field, ends at the cursor, and stays below 128 bytes:
//!         length prefix += size of value; write value
//!     else:
//!         write tag, length prefix (one byte) and value; run = these
//! ```

use super::RecordWriter;
use super::field::{Field, Flags, Handle};
use super::kind::{SettableKind, WireValue};
use crate::wire::{long_varint, short_varint, varint_len};

impl RecordWriter<'_> {
    /// Appends values to a repeated field, packed ones as one run; writes nothing if there are no values.
    ///
    /// For a singular field, writes the first value that [`set`](Self::set) would write. Fails the record as
    /// [`set`](Self::set) does.
    ///
    /// ```
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static PATH: MessageTable =
    ///     MessageTable::new("pkg.Path", &[FieldTable::new("as", 1, Kind::Uint32).repeated()]);
    /// let pool = DescriptorPool::from_tables(&[&PATH])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Path")?);
    /// let hops = plan.uint32("as")?;
    /// let mut buf = Vec::new();
    /// let mut record = plan.record(&mut buf);
    /// record.extend(hops, [64500, 7]);
    /// assert_eq!(record.finish()?, b"\x06\x0a\x04\xf4\xf7\x03\x07");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend<'v, K: SettableKind>(
        &mut self,
        field: Field<K>,
        values: impl IntoIterator<Item = K::Value<'v>>,
    ) {
        if !self.admits(field.handle) {
            return;
        }
        let mut values = values.into_iter();
        if K::KIND.is_packable() && field.handle.prefix.has(Flags::PACKED) {
            if let Some(first) = values.next() {
                self.put_run::<K>(field.handle, first, values);
            }
            return;
        }
        for value in values {
            self.set(field, value);
            if self.error.is_some() {
                return;
            }
        }
    }

    fn put_run<'v, K: SettableKind>(
        &mut self,
        handle: Handle,
        first: K::Value<'v>,
        rest: impl Iterator<Item = K::Value<'v>>,
    ) {
        let min_len = match K::to_wire(first) {
            WireValue::Fixed64(_) => 8,
            WireValue::Fixed32(_) => 4,
            _ => 1,
        };
        let guess = rest.size_hint().0.saturating_add(1).saturating_mul(min_len);
        let width = varint_len(guess as u64).min(5);
        if !self.out.put_pair(handle.prefix.bytes(), handle.prefix.len(), [0; 8], width) {
            return self.fail_no_room();
        }
        let start = self.out.len() - width;
        // If the iterator panics, the run stays open and `finish` finds it.
        self.depth += 1;
        for value in core::iter::once(first).chain(rest) {
            let value = K::to_wire(value);
            if !(self.check_enum::<K>(handle, value) && self.put_untagged(value)) {
                break;
            }
        }
        self.depth -= 1;
        if self.error.is_none() {
            self.close_length(start, width);
        }
    }

    /// Appends one value to a packed field: to the last run, or as a run of its own.
    pub(super) fn push_packed(&mut self, handle: Handle, value: WireValue<'_>) {
        let (size, end) = (value.size(), self.out.len());
        if self.run.bit == handle.bit() && self.run.end == end {
            let len = end - self.run.prefix - 1 + size;
            if let (true, Some(place)) = (len < 0x80, self.out.as_mut_slice().get_mut(self.run.prefix)) {
                *place = len as u8;
                self.put_untagged(value);
                self.run.end = self.out.len();
                return;
            }
        }
        let prefix = end + handle.prefix.len();
        if !self.out.put_pair(handle.prefix.bytes(), handle.prefix.len(), [size as u8; 8], 1) {
            return self.fail_no_room();
        }
        self.put_untagged(value);
        self.run = PackedRun { bit: handle.bit(), prefix, end: self.out.len() };
    }

    /// Writes a number without a tag; false if that failed.
    #[inline(always)]
    fn put_untagged(&mut self, value: WireValue<'_>) -> bool {
        let written = match value {
            WireValue::Varint(value) if value < 1 << 56 => {
                let (word, len) = short_varint(value);
                self.out.put(word, len)
            }
            WireValue::Varint(value) => {
                let (first, last, len) = long_varint(value);
                self.out.put(first, 8) && self.out.put(last, len)
            }
            WireValue::Fixed32(value) => self.out.put(value.to_le_bytes(), 4),
            WireValue::Fixed64(value) => self.out.put(value.to_le_bytes(), 8),
            // Strings and bytes are never packed.
            WireValue::Bytes(_) => true,
        };
        if !written {
            self.fail_no_room();
        }
        written
    }
}

// `PackedRun`: the packed run that the next value may join.

/// The packed run at the end of what has been written, if it was started by single values and is shorter than 128
/// bytes, so that its length prefix is one byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedRun {
    /// The bit of the field.
    pub(super) bit: u32,
    /// The offset of the length prefix.
    pub(super) prefix: usize,
    /// The offset of the end: the run is the last thing written as long as the writer is there.
    pub(super) end: usize,
}

impl PackedRun {
    /// No run: a record never reaches this offset. Not 0: a record without a length prefix starts there.
    pub(super) const NONE: Self = Self { bit: 0, prefix: 0, end: usize::MAX };
}
