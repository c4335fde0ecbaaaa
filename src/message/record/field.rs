//! [`Field`]: the typed handle of a field, and what it holds: [`Handle`], [`FieldId`], [`Prefix`].

use super::RecordWriter;
use super::kind::HandleKind;
use crate::wire::{MAX_LEN, Tag, WireType, short_varint, varint_len};
use alloc::{vec, vec::Vec};
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
/// use tablepb::record::{RecordPlan, RecordWriter};
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
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
/// let plan = RecordPlan::new(&pool.message("pkg.Flow")?);
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

// Sets of bits, one per field and oneof of a message: `FieldSet` in a plan, `SkipSet` in a writer.
//
// A plan says with a `FieldSet` which fields of a message are disabled. Each message that is written starts from a
// `SkipSet`, a copy of it, and adds the singular fields that it has written: one bit then answers both "is the
// field enabled?" and "is this the first value?". The copy is 32 bytes, made for every message; bits from 256 on are
// copied only when one of them is added, because few messages have any.

/// Words held inline.
const INLINE_WORDS: usize = 4;

/// Bits below this one are held inline, the others on the heap.
pub(super) const INLINE_BITS: u32 = 64 * INLINE_WORDS as u32;

/// A set of bits of a fixed size; the first 256 need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldSet {
    inline: [u64; INLINE_WORDS],
    heap: Vec<u64>,
}

impl FieldSet {
    /// An empty set for bits below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { inline: [0; INLINE_WORDS], heap: vec![0; count.div_ceil(64).saturating_sub(INLINE_WORDS)] }
    }

    /// Whether the set holds `bit`; true for bits beyond its size, which belong to no field and are never written.
    pub(super) fn has(&self, bit: u32) -> bool {
        has(&self.inline, &self.heap, bit)
    }

    /// Adds `bit`.
    pub(super) fn insert(&mut self, bit: u32) {
        insert(&mut self.inline, &mut self.heap, bit);
    }

    /// Removes `bit`.
    pub(super) fn remove(&mut self, bit: u32) {
        if let Some(word) = word_mut(&mut self.inline, &mut self.heap, bit) {
            *word &= !(1 << (bit & 63));
        }
    }

    /// The first bit of this set that is not in `skip`, which started from `disabled`.
    pub(super) fn first_missing(&self, skip: &SkipSet, disabled: &Self) -> Option<u32> {
        let heap = if skip.heap.is_empty() { &disabled.heap } else { &skip.heap };
        let words = self.inline.iter().chain(&self.heap).zip(skip.inline.iter().chain(heap));
        let mut missing = words.enumerate().filter(|(_, (own, other))| *own & !*other != 0);
        missing.next().map(|(at, (own, other))| at as u32 * 64 + (own & !other).trailing_zeros())
    }
}

/// The fields of one message that are not to be written any more: disabled ones and singular ones already written.
///
/// Methods that may look beyond the inline bits take `disabled`, the set that this one started from.
pub(super) struct SkipSet {
    inline: [u64; INLINE_WORDS],
    /// Empty until one of these bits is added: until then `disabled` answers for them.
    heap: Vec<u64>,
}

impl SkipSet {
    /// The set at the start of a message.
    #[inline(always)]
    pub(super) fn new(disabled: &FieldSet) -> Self {
        Self { inline: disabled.inline, heap: Vec::new() }
    }

    /// Whether the set holds `bit`, which is below [`INLINE_BITS`].
    #[inline(always)]
    pub(super) fn has_inline(&self, bit: u32) -> bool {
        // The remainder lets the compiler drop the bounds check.
        self.inline[(bit >> 6) as usize % INLINE_WORDS] >> (bit & 63) & 1 != 0
    }

    /// Adds `bit`, which is below [`INLINE_BITS`].
    #[inline(always)]
    pub(super) fn insert_inline(&mut self, bit: u32) {
        self.inline[(bit >> 6) as usize % INLINE_WORDS] |= 1 << (bit & 63);
    }

    /// Whether the set holds `bit`.
    #[inline(always)]
    pub(super) fn has(&self, bit: u32, disabled: &FieldSet) -> bool {
        if bit < INLINE_BITS { self.has_inline(bit) } else { self.has_on_heap(bit, disabled) }
    }

    #[cold]
    #[inline(never)]
    fn has_on_heap(&self, bit: u32, disabled: &FieldSet) -> bool {
        if self.heap.is_empty() { disabled.has(bit) } else { has(&self.inline, &self.heap, bit) }
    }

    /// Adds `bit`; false if there is no memory for it.
    #[inline(always)]
    pub(super) fn insert(&mut self, bit: u32, disabled: &FieldSet) -> bool {
        if bit >= INLINE_BITS {
            return self.insert_on_heap(bit, disabled);
        }
        self.insert_inline(bit);
        true
    }

    #[cold]
    #[inline(never)]
    fn insert_on_heap(&mut self, bit: u32, disabled: &FieldSet) -> bool {
        if self.heap.is_empty() {
            if self.heap.try_reserve_exact(disabled.heap.len()).is_err() {
                return false;
            }
            self.heap.extend_from_slice(&disabled.heap);
        }
        insert(&mut self.inline, &mut self.heap, bit);
        true
    }
}

fn has(inline: &[u64; INLINE_WORDS], heap: &[u64], bit: u32) -> bool {
    let at = (bit >> 6) as usize;
    let word = if at < INLINE_WORDS { inline.get(at) } else { heap.get(at - INLINE_WORDS) };
    word.is_none_or(|word| word >> (bit & 63) & 1 != 0)
}

fn insert(inline: &mut [u64; INLINE_WORDS], heap: &mut [u64], bit: u32) {
    if let Some(word) = word_mut(inline, heap, bit) {
        *word |= 1 << (bit & 63);
    }
}

fn word_mut<'a>(inline: &'a mut [u64; INLINE_WORDS], heap: &'a mut [u64], bit: u32) -> Option<&'a mut u64> {
    let at = (bit >> 6) as usize;
    if at < INLINE_WORDS { inline.get_mut(at) } else { heap.get_mut(at - INLINE_WORDS) }
}

// Length prefixes, of records and of what is nested in them.
//
// The bytes of a record go to the spare capacity of the buffer. The length of a message is known only at its end, and
// its varint takes one to five bytes. So the writer guesses the width of a length prefix: that of the last message of
// the type. A wrong guess moves the message once.
//
// ```text
// content of the buffer | spare capacity
// ..                    | length prefix       | fields ..        | cursor
//                         start, `width` bytes  len = cursor - start - width
//
// close_length(start, width):
//     need = bytes of len as a varint
//     if need != width: move the fields by the difference
//     write len at start
// ```

impl RecordWriter<'_> {
    /// Writes a tag and a length prefix.
    #[inline(always)]
    pub(super) fn put_length(&mut self, handle: Handle, len: usize) {
        let (word, width) = short_varint(len as u64);
        let fits = len <= MAX_LEN;
        if !(fits && self.out.put_pair(handle.prefix.bytes(), handle.prefix.len(), word, width)) {
            self.fail_no_room();
        }
    }

    /// Writes the length prefix of everything after it: `start` is its offset, `width` the bytes reserved for it.
    /// Returns the bytes it takes.
    #[inline]
    pub(super) fn close_length(&mut self, start: usize, width: usize) -> usize {
        let len = self.out.len().saturating_sub(start + width);
        let need = varint_len(len as u64);
        if need != width {
            self.move_body(start, width, need);
        }
        if len > MAX_LEN {
            self.fail_no_room();
        }
        let (bytes, _) = short_varint(len as u64);
        // One and two bytes by hand: copying a variable number of bytes is a call of `memcpy`.
        match self.out.as_mut_slice().get_mut(start..start + need).unwrap_or_default() {
            [first] => *first = bytes[0],
            [first, second] => [*first, *second] = [bytes[0], bytes[1]],
            more => more.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte),
        }
        need
    }

    /// Takes the room for the length prefix of the record away, `width` bytes.
    #[inline]
    pub(super) fn drop_length(&mut self, width: usize) {
        if width != 0 {
            self.move_body(0, width, 0);
        }
        if self.out.len() > MAX_LEN {
            self.fail_no_room();
        }
    }

    /// Moves everything after a length prefix, so that it has `need` bytes instead of `width`.
    #[cold]
    #[inline(never)]
    fn move_body(&mut self, start: usize, width: usize, need: usize) {
        let (from, to) = (start + width, start + need);
        let end = self.out.len();
        if from > end || need > width && !self.out.put_slice([0; 10].get(width..need).unwrap_or_default()) {
            return self.fail_no_room();
        }
        self.out.as_mut_slice().copy_within(from..end, to);
        self.out.truncate(end + need - width);
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

#[cfg(test)]
mod field_set_tests {
    use super::*;

    #[test]
    fn bits_on_the_heap_behave_like_inline_ones() {
        let mut bits = FieldSet::new(700);
        for bit in [0, 63, 64, 255, 256, 699] {
            assert!(!bits.has(bit));
            bits.insert(bit);
            assert!(bits.has(bit));
        }
        bits.remove(699);
        assert!(!bits.has(699) && bits.has(256));
        assert!(bits.has(5_000), "bits out of range are never written");
        assert!(FieldSet::new(256).heap.is_empty());
    }

    #[test]
    fn a_skip_set_starts_from_the_disabled_fields_and_leaves_them_alone() {
        let mut required = FieldSet::new(700);
        [0, 63, 64, 255, 256, 699].into_iter().for_each(|bit| required.insert(bit));
        let mut disabled = required.clone();
        disabled.remove(256);
        disabled.remove(699);

        let mut skip = SkipSet::new(&disabled);
        assert!(!skip.has(256, &disabled) && skip.has(64, &disabled) && skip.has(5_000, &disabled));
        assert_eq!(required.first_missing(&skip, &disabled), Some(256));
        assert!(skip.insert(256, &disabled) && skip.has(256, &disabled));
        assert_eq!(required.first_missing(&skip, &disabled), Some(699));
        assert!(skip.insert(699, &disabled) && skip.has(699, &disabled));
        assert_eq!(required.first_missing(&skip, &disabled), None);
        assert!(!disabled.has(256) && !disabled.has(699));

        assert!(!skip.has(100, &disabled) && !skip.has_inline(100));
        skip.insert_inline(100);
        assert!(skip.has_inline(100) && skip.has(100, &disabled) && !skip.has(101, &disabled));
        assert!(skip.insert(101, &disabled) && skip.has_inline(101));
    }
}
