//! [`Field`]: the typed handle of a field, and what it holds: [`Handle`], [`FieldId`], [`Prefix`].

use super::kind::HandleKind;
use crate::wire::{Tag, WireType};
use core::fmt;
use core::marker::PhantomData;

/// The handle of a field of a [`RecordPlan`](super::RecordPlan): everything that a writer needs to write it.
///
/// 16 bytes, `Copy`, `Send + Sync`. A handle belongs to the plan that resolved it and to clones of that plan, whichever
/// fields these enable; writers of other plans reject it with `ForeignField`. `K` is the kind of the field, one of the
/// types in [`kind`](super::kind), so that setting a value of the wrong type does not compile.
///
/// ```
/// use tablepb::record::{Field, kind};
/// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, RecordPlan, RecordWriter};
///
/// /// Handles are resolved once and kept.
/// struct Columns {
///     host: Field<kind::Str>,
///     bytes: Field<kind::Uint64>,
/// }
///
/// fn write(columns: &Columns, record: &mut RecordWriter<'_>) {
///     record.set(columns.host, "web1");
///     record.set(columns.bytes, 1518);
/// }
///
/// static FLOW: MessageTable = MessageTable::new(
///     "pkg.Flow",
///     &[FieldTable::new("host", 1, Kind::String), FieldTable::new("bytes", 2, Kind::Uint64)],
/// );
/// let pool = DescriptorPool::from_tables(&[&FLOW])?;
/// let plan = RecordPlan::new(&pool.get_message_by_name("pkg.Flow").unwrap());
/// let columns = Columns { host: plan.string("host")?, bytes: plan.uint64("bytes")? };
/// let mut buf = Vec::new();
/// let mut record = plan.record(&mut buf);
/// write(&columns, &mut record);
/// assert_eq!(record.finish()?, b"\x09\x0a\x04web1\x10\xee\x0b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Field<K> {
    pub(super) handle: Handle,
    kind: PhantomData<fn() -> K>,
}

/// A handle without its kind: two words, which are passed in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) prefix: Prefix,
    id: FieldId,
}

impl Handle {
    pub(super) fn new(prefix: Prefix, node: NodeId, bit: u32) -> Self {
        Self { prefix, id: FieldId((node.0 as u64) << 32 | bit as u64) }
    }

    /// The index of the field in its message, which is its bit in field sets.
    #[inline(always)]
    pub(super) fn bit(self) -> u32 {
        self.id.0 as u32
    }

    #[inline(always)]
    pub(super) fn node(self) -> NodeId {
        NodeId((self.id.0 >> 32) as u32)
    }

    /// Whether the field is one of `node` and its value can be written by the fast path: it is singular, in no oneof,
    /// its values need no check, and its bit is inline.
    #[inline(always)]
    pub(super) fn is_plain(self, node: NodeId) -> bool {
        // Two comparisons joined without a branch. One comparison for both, with the flags in the id, is less code
        // and slower: 105 instead of 83 ns per sFlow record, because it changes what is inlined.
        (self.node() == node) & !self.prefix.has(Flags::SLOW)
    }
}

/// A field of a node:
///
/// ```text
/// bit    0..32                      32..64
///        index in the message       NodeId
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FieldId(u64);

/// Identifies a message type of a plan, and of clones of the plan, in the whole process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(pub(super) u32);

impl NodeId {
    /// The id of no node: no handle has it.
    pub(super) const NONE: Self = Self(0);
}

/// A tag in its wire form, its length, and the properties of the field that a writer checks:
///
/// ```text
/// bit    0..40                 48..56   61..64
///        tag, as on the wire   flags    length of the tag, 1 to 5
/// ```
///
/// With the length in the top three bits, a shift yields it and the compiler knows that it is less than eight.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix(u64);

/// Properties of a field, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(pub(super) u8);

impl Flags {
    /// The field has no presence: zero and empty values are not written.
    pub(super) const IMPLICIT: u8 = 1;
    /// The field is repeated, or a map.
    pub(super) const REPEATED: u8 = 2;
    /// The values are packed.
    pub(super) const PACKED: u8 = 4;
    /// The messages are groups.
    pub(super) const GROUP: u8 = 8;
    /// The field is a member of a oneof.
    pub(super) const ONEOF: u8 = 16;
    /// The values are numbers of a closed enum.
    pub(super) const CLOSED: u8 = 32;
    /// The bit of the field is not among the inline bits of a set.
    pub(super) const HEAP_BIT: u8 = 64;
    /// Any property that the fast path does not handle.
    pub(super) const SLOW: u8 = !Self::IMPLICIT;
}

impl Prefix {
    /// `number` is the number of a field in a pool, and so in range.
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

    /// The end tag of a group. `EndGroup` is `StartGroup + 1`, and the wire type is in the lowest bits.
    pub(super) fn end_bytes(self) -> [u8; 8] {
        (self.0 + 1).to_le_bytes()
    }

    /// Bytes of the tag.
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

impl<K: HandleKind> Field<K> {
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle, kind: PhantomData }
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
        self.handle == other.handle
    }
}

impl<K> Eq for Field<K> {}

impl<K> fmt::Debug for Field<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.handle.prefix;
        let tag = prefix.bytes().iter().take(prefix.len()).rev().fold(0, |n, &b| n << 7 | (b & 0x7f) as u32);
        write!(f, "Field(#{})", tag >> 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_16_bytes() {
        assert_eq!(size_of::<Field<crate::message::record::kind::Bytes>>(), 16);
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
