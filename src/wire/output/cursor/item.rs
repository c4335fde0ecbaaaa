//! One item of a cursor: a tag and what follows it, after one check for room.

use crate::wire::kernels::Bits;
use crate::wire::output::spare::{SpareItem, SparePair};
use crate::wire::tag_word::TagWord;
use crate::wire::varint::CONTINUATION;

/// Room for a tag and at most 32 bytes.
pub(crate) struct Item<'s, 'b>(pub(super) SpareItem<'s, 'b>);

impl Item<'_, '_> {
    /// A tag, then a varint; `value` is below 2^56.
    #[inline(always)]
    pub(crate) fn put_varint(self, bits: impl Bits, tag: TagWord, value: u64) {
        let (word, len) = first_varint(bits, value);
        self.put_word(tag, word, len);
    }

    /// A tag, then the lowest `len` bytes of a word, at most all.
    #[inline(always)]
    pub(crate) fn put_word(self, tag: TagWord, word: u64, len: usize) {
        self.0.put(tag.at_start(), tag.len(), &word.to_le_bytes(), len);
    }

    /// A tag, the length of a string of at most 32 bytes, and the string, as two blocks that overlap: the last strings of a store have no 32
    /// bytes to copy blindly, and a call of `memcpy` takes twice the time.
    #[inline(always)]
    pub(crate) fn put_short(self, tag: TagWord, bytes: &[u8]) {
        let (tag, item) = ((tag.at_start(), tag.len()), self.0);
        if let (Some(first), Some(last)) = (bytes.first_chunk::<16>(), bytes.last_chunk::<16>()) {
            item.put_ends(tag, bytes.len(), first, last);
        } else if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            item.put_ends(tag, bytes.len(), first, last);
        } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            item.put_ends(tag, bytes.len(), first, last);
        } else if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
            item.put_ends(tag, bytes.len(), first, last);
        } else {
            let byte = bytes.first_chunk::<1>().unwrap_or(&[0]);
            item.put_ends(tag, bytes.len(), byte, byte);
        }
    }

    /// A tag of one byte and a length, then one-byte tags, each with four bytes, little endian.
    #[inline(always)]
    pub(crate) fn put_tagged_fixed32s<const N: usize>(self, tag: u8, len: u8, items: [(u8, u32); N]) {
        let items = items.map(|(tag, value)| (u64::from(tag) | u64::from(value) << 8).to_le_bytes());
        self.0.put_fives([tag, len], items);
    }
}

/// Room for a tag and at most eight bytes.
pub(crate) struct NumberItem<'s, 'b>(pub(super) SparePair<'s, 'b>);

impl NumberItem<'_, '_> {
    /// A tag, then a varint; `value` is below 2^56. Nothing, without a branch, if not `on`.
    #[inline(always)]
    pub(crate) fn put_varint_if(self, bits: impl Bits, tag: TagWord, value: u64, on: bool) {
        let (word, len) = first_varint(bits, value);
        self.put_word_if(tag, word, len, on);
    }

    /// A tag, then the lowest `len` bytes of a word, at most all. Nothing, without a branch, if not `on`.
    #[inline(always)]
    pub(crate) fn put_word_if(self, tag: TagWord, word: u64, len: usize, on: bool) {
        self.0.put_if((tag.at_start(), tag.len()), word.to_le_bytes(), len, on);
    }
}

/// A varint of at most eight bytes at the start of a word, and its length; `value` is below 2^56.
#[inline(always)]
fn first_varint(bits: impl Bits, value: u64) -> (u64, usize) {
    let groups = bits.spread(value);
    // Eight times the number of bytes after the last one.
    let after = (groups | 1).leading_zeros() & 0x38;
    // All continuation bits below the last byte.
    (groups | (CONTINUATION >> 8) >> after, 8 - (after >> 3) as usize)
}
