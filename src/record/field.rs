//! [`Field`]: a handle of a field, resolved once.

use super::kind::FieldKind;
use crate::wire::{Tag, WireType};
use core::fmt;
use core::marker::PhantomData;

/// A handle of a field of a [`RecordPlan`](super::RecordPlan): what is needed to write it, in 16 bytes.
///
/// `Copy`, `Send + Sync`. Belongs to the plan that it was asked of and to clones of that plan, whichever fields these
/// have enabled; a writer of any other plan answers it with an error. `K` is the kind of the field, a type of
/// [`kind`](super::kind), so that a value of the wrong type does not compile.
pub struct Field<K> {
    pub(super) slot: Slot,
    kind: PhantomData<fn() -> K>,
}

/// What a handle holds: two words, which are passed in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) prefix: Prefix,
    place: Place,
}

impl Slot {
    pub(super) fn new(prefix: Prefix, owner: Owner, bit: u32) -> Self {
        Self { prefix, place: Place((owner.0 as u64) << 32 | bit as u64) }
    }

    /// Index of the field in its message: the bit that says not to write it (any more).
    #[inline(always)]
    pub(super) fn bit(self) -> u32 {
        self.place.0 as u32
    }

    #[inline(always)]
    pub(super) fn owner(self) -> Owner {
        Owner((self.place.0 >> 32) as u32)
    }

    /// Whether this is a field of the message that is being written, and nothing else is to be looked at but its bit
    /// and its value.
    #[inline(always)]
    pub(super) fn is_plain(self, owner: Owner) -> bool {
        (self.owner() == owner) & !self.prefix.has(Flags::RARE)
    }
}

/// The owner in the upper half, the bit in the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(u64);

/// A message type in a plan, never the same for two plans that live in one process; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner(pub(super) u32);

impl Owner {
    /// That no handle has.
    pub(super) const NONE: Self = Self(0);
}

/// The bytes of a tag, their number, and the properties of the field that a writer looks at:
///
/// ```text
/// bit    0..40                 48..56   61..64
///        tag, as on the wire   flags    length of the tag, 1 to 5
/// ```
///
/// The length is where it is so that the compiler sees that it is less than eight.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix(u64);

/// Properties of a field, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(pub(super) u8);

impl Flags {
    /// Zero and empty values are not written.
    pub(super) const IMPLICIT: u8 = 1;
    /// Holds any number of values.
    pub(super) const REPEATED: u8 = 2;
    /// Several values stand behind one tag.
    pub(super) const PACKED: u8 = 4;
    /// Stands between group tags.
    pub(super) const GROUP: u8 = 8;
    /// Is in a oneof with other fields.
    pub(super) const ONEOF: u8 = 16;
    /// Takes only numbers that an enum lists.
    pub(super) const CLOSED: u8 = 32;
    /// Has a bit beyond those that are at hand.
    pub(super) const FAR: u8 = 64;
    /// What needs a second look when a value is written.
    pub(super) const RARE: u8 = !Self::IMPLICIT;
}

impl Prefix {
    /// `number` is that of a field in a pool, so in range.
    pub(super) fn new(number: u32, wire_type: WireType, flags: Flags) -> Self {
        let tag = Tag::try_new(number, wire_type).map_or(0, Tag::get);
        let (bytes, len) = crate::wire::short_varint(tag.into());
        Self(u64::from_le_bytes(bytes) | (flags.0 as u64) << 48 | (len as u64) << 61)
    }

    /// The tag, followed by bytes that do not matter.
    #[inline(always)]
    pub(super) fn bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    /// The tag that ends a group: its wire type is one more.
    pub(super) fn end_bytes(self) -> [u8; 8] {
        (self.0 + 1).to_le_bytes()
    }

    /// The bytes of the tag.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        (self.0 >> 61) as usize
    }

    #[inline(always)]
    pub(super) fn has(self, flag: u8) -> bool {
        (self.0 >> 48) as u8 & flag != 0
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prefix({:#018x})", self.0)
    }
}

impl<K: FieldKind> Field<K> {
    pub(super) fn new(slot: Slot) -> Self {
        Self { slot, kind: PhantomData }
    }
}

impl<K> Clone for Field<K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Field<K> {}

impl<K> PartialEq for Field<K> {
    fn eq(&self, other: &Self) -> bool {
        self.slot == other.slot
    }
}

impl<K> Eq for Field<K> {}

impl<K> fmt::Debug for Field<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.slot.prefix.bytes();
        let number =
            bytes.iter().take(self.slot.prefix.len()).rev().fold(0, |n, &b| n << 7 | (b & 0x7f) as u32);
        write!(f, "Field(#{})", number >> 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_16_bytes() {
        assert_eq!(size_of::<Field<crate::record::kind::Bytes>>(), 16);
    }

    #[test]
    fn prefixes_hold_tags_of_every_length() {
        for (number, len) in
            [(1, 1), (15, 1), (16, 2), (2047, 2), (2048, 3), (1 << 18, 4), (Tag::MAX_NUMBER, 5)]
        {
            let prefix = Prefix::new(number, WireType::StartGroup, Flags(Flags::GROUP));
            let mut expected = alloc::vec::Vec::new();
            crate::wire::Writer::new(&mut expected).write_tag(Tag::new(number, WireType::StartGroup));
            assert_eq!((&prefix.bytes()[..len], prefix.len()), (&expected[..], len));
            expected.clear();
            crate::wire::Writer::new(&mut expected).write_tag(Tag::new(number, WireType::EndGroup));
            assert_eq!(prefix.end_bytes()[..len], expected);
            assert!(prefix.has(Flags::GROUP) && !prefix.has(Flags::PACKED | Flags::IMPLICIT));
        }
    }
}
