//! Repeated fields, packed and not.

use super::RecordWriter;
use super::field::{Field, Flags, Slot};
use super::kind::Scalar;
use super::raw::Raw;
use crate::table::Kind;
use crate::wire::{long_varint, short_varint, varint_len};

/// A packed run of less than 128 bytes at the end of what is written, which an element can join.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The field.
    bit: u32,
    /// Where its length is, one byte.
    length: usize,
    /// Where it ends.
    end: usize,
}

impl Run {
    /// Nothing ends at 0, where the length of the record is.
    pub(super) const NONE: Self = Self { bit: 0, length: 0, end: 0 };
}

impl RecordWriter<'_> {
    /// Appends values to a repeated field: behind one tag if it is packed, nothing if there are none. Of a singular
    /// field, writes the first value that [`set`](Self::set) would write.
    ///
    /// Keeps the errors of [`set`](Self::set).
    ///
    /// ```
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, RecordPlan};
    ///
    /// static PATH: MessageTable =
    ///     MessageTable::new("pkg.Path", &[FieldTable::new("as", 1, Kind::Uint32).repeated()]);
    /// let pool = DescriptorPool::from_tables(&[&PATH])?;
    /// let plan = RecordPlan::new(&pool.get_message_by_name("pkg.Path").unwrap());
    /// let hops = plan.uint32("as")?;
    /// let mut buf = Vec::new();
    /// let mut rec = plan.record(&mut buf);
    /// rec.extend(hops, [64500, 7]);
    /// assert_eq!(rec.finish()?, b"\x06\x0a\x04\xf4\xf7\x03\x07");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend<'v, K: Scalar>(&mut self, field: Field<K>, values: impl IntoIterator<Item = K::Value<'v>>) {
        if !self.admits(field.slot) {
            return;
        }
        let mut values = values.into_iter();
        if K::KIND.is_packable() && field.slot.prefix.has(Flags::PACKED) {
            if let Some(first) = values.next() {
                self.put_run::<K>(field.slot, first, values);
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

    fn put_run<'v, K: Scalar>(
        &mut self,
        slot: Slot,
        first: K::Value<'v>,
        rest: impl Iterator<Item = K::Value<'v>>,
    ) {
        let least = match K::raw(first) {
            Raw::Fixed64(_) => 8,
            Raw::Fixed32(_) => 4,
            _ => 1,
        };
        let guess = rest.size_hint().0.saturating_add(1).saturating_mul(least);
        let width = varint_len(guess as u64).min(5);
        if !self.out.put_pair(slot.prefix.bytes(), slot.prefix.len(), [0; 8], width) {
            return self.too_large();
        }
        let start = self.out.len() - width;
        // Should the iterator panic, the record is never finished.
        self.depth += 1;
        for value in core::iter::once(first).chain(rest) {
            let raw = K::raw(value);
            let closed = matches!(K::KIND, Kind::Enum(())) && slot.prefix.has(Flags::CLOSED);
            if closed && !self.lists(slot, raw) || !self.put_untagged(raw) {
                break;
            }
        }
        self.depth -= 1;
        if self.error.is_none() {
            self.close_length(start, width);
        }
    }

    /// Appends an element to a packed field: to the run before it, or as a run of its own.
    pub(super) fn push_packed(&mut self, slot: Slot, raw: Raw<'_>) {
        let (size, end) = (raw.size(), self.out.len());
        if self.run.bit == slot.bit() && self.run.end == end {
            let len = end - self.run.length - 1 + size;
            if let (true, Some(place)) = (len < 0x80, self.out.as_mut_slice().get_mut(self.run.length)) {
                *place = len as u8;
                self.put_untagged(raw);
                self.run.end = self.out.len();
                return;
            }
        }
        let length = end + slot.prefix.len();
        if !self.out.put_pair(slot.prefix.bytes(), slot.prefix.len(), [size as u8; 8], 1) {
            return self.too_large();
        }
        self.put_untagged(raw);
        self.run = Run { bit: slot.bit(), length, end: self.out.len() };
    }

    /// Writes a number without a tag; false if it is too much.
    #[inline(always)]
    fn put_untagged(&mut self, raw: Raw<'_>) -> bool {
        let written = match raw {
            Raw::Varint(value) if value < 1 << 56 => {
                let (word, len) = short_varint(value);
                self.out.put(word, len)
            }
            Raw::Varint(value) => {
                let (first, last, len) = long_varint(value);
                self.out.put(first, 8) && self.out.put(last, len)
            }
            Raw::Fixed32(value) => self.out.put(value.to_le_bytes(), 4),
            Raw::Fixed64(value) => self.out.put(value.to_le_bytes(), 8),
            Raw::Bytes(_) => true,
        };
        if !written {
            self.too_large();
        }
        written
    }
}
