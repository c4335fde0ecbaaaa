//! Unknown fields: a list of spans of the byte store, in wire order.
//!
//! Word 1 of a body is the offset of a block:
//!
//! ```text
//! | capacity | words in use | flags | offset | length | ..               whole fields, tags included
//!                                   | offset | length | 1 << 31 | tag | 0 |   one value, whose tag is not in the store
//! ```
//!
//! Neighbours in the store are one item. The second form is for elements of a packed run that a closed enum does not list.
//!
//! The same block holds messages that are bytes (`verbatim.rs`); its flags say so.

use super::ByteSpan;
use super::{Full, Slab, Words};

const TAGGED: u32 = 1 << 31;
/// Words before the items.
pub(super) const BLOCK_HEADER: u32 = 3;
/// Flag: the last item is a value with its tag.
const LAST_TAGGED: u32 = 1;

/// One item of the unknown fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownSpan {
    /// First byte in the store.
    pub(crate) offset: u32,
    /// Length in bytes.
    pub(crate) len: u32,
    /// The tag to write before the bytes, if they do not contain it.
    pub(crate) tag: Option<u32>,
}

/// Walks the unknown fields of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownSpans<'a> {
    words: Words<'a>,
    at: u32,
    end: u32,
}

impl Iterator for UnknownSpans<'_> {
    type Item = UnknownSpan;

    fn next(&mut self) -> Option<UnknownSpan> {
        if self.at >= self.end {
            return None;
        }
        let (offset, len) = (self.words.get(self.at), self.words.get(self.at + 1));
        self.at += 2;
        if len & TAGGED == 0 {
            return Some(UnknownSpan { offset, len, tag: None });
        }
        let tag = self.words.get(self.at);
        self.at += 2;
        Some(UnknownSpan { offset, len: len & !TAGGED, tag: Some(tag) })
    }
}

impl<'a> Words<'a> {
    /// The spans of the message at `base`: its unknown fields, or all of it if it is verbatim.
    pub(crate) fn spans(self, base: u32) -> UnknownSpans<'a> {
        let block = self.get(base + 1);
        let used = if block == 0 { 0 } else { self.get(block + 1) };
        UnknownSpans { words: self, at: block + BLOCK_HEADER, end: block + BLOCK_HEADER + used }
    }
}

impl Slab {
    /// Adds whole fields to the unknown fields of the message at `base`.
    #[inline(never)]
    pub(crate) fn add_unknown(&mut self, base: u32, offset: u32, len: u32) -> Result<(), Full> {
        if len == 0 {
            return Ok(());
        }
        let block = self.get(base + 1);
        if block != 0 {
            let used = self.get(block + 1);
            let last = block + BLOCK_HEADER + used - 2;
            let untagged = self.get(block + 2) & LAST_TAGGED == 0;
            let (last_offset, last_len) = (self.get(last), self.get(last + 1));
            if untagged && used >= 2 && last_offset + last_len == offset {
                self.set(last + 1, last_len + len);
                return Ok(());
            }
        }
        let at = self.unknown_grow(base, 2, false)?;
        self.set64(at, ByteSpan::new(offset.into(), len.into()).word());
        Ok(())
    }

    /// Adds one value whose tag is not in the store.
    pub(crate) fn add_unknown_value(
        &mut self,
        base: u32,
        tag: u32,
        offset: u32,
        len: u32,
    ) -> Result<(), Full> {
        let at = self.unknown_grow(base, 4, true)?;
        self.set64(at, ByteSpan::new(offset.into(), (len | TAGGED).into()).word());
        self.set64(at + 2, tag as u64);
        Ok(())
    }

    /// Appends `more` words to the block, and returns the offset of the first. A message without a block gets one.
    pub(super) fn unknown_grow(&mut self, base: u32, more: u32, tagged: bool) -> Result<u32, Full> {
        let block = self.get(base + 1);
        let (capacity, used, flags) =
            if block == 0 { (0, 0, 0) } else { (self.get(block), self.get(block + 1), self.get(block + 2)) };
        let flags = flags & !LAST_TAGGED | u32::from(tagged);
        // What exceeds a slab is refused when it is allocated.
        let most = u32::MAX - BLOCK_HEADER;
        let need = used.saturating_add(more);
        let new = if need <= capacity { capacity } else { capacity.saturating_mul(2).max(need).min(most) };
        let mut to = block;
        if block == 0 || new > capacity {
            if block != 0 && (block + BLOCK_HEADER + capacity) as usize == self.top() {
                self.alloc(new - capacity)?;
            } else {
                to = self.alloc(BLOCK_HEADER + new)?;
                self.copy_words(block + BLOCK_HEADER, used as usize, to + BLOCK_HEADER);
                self.set(base + 1, to);
            }
        }
        self.set64(to, new as u64 | (need as u64) << 32);
        self.set(to + 2, flags);
        self.note_unknown();
        Ok(to + BLOCK_HEADER + used)
    }

    /// The block of unknown fields of the message at `base`, 0 if there is none. Callers keep it to undo what they add.
    pub(crate) fn unknown_block(&self, base: u32) -> u32 {
        self.get(base + 1)
    }

    /// Restores a block from [`unknown_block`](Self::unknown_block). Nothing may have been added to it since.
    pub(crate) fn set_unknown_block(&mut self, base: u32, block: u32) {
        self.set(base + 1, block);
    }

    /// Drops the unknown fields of the message at `base`.
    pub(crate) fn clear_unknown(&mut self, base: u32) {
        self.set(base + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn neighbours_become_one_span_and_order_is_kept() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 20);
        let base = slab.alloc(2).unwrap();
        slab.set64(base, 0);
        slab.add_unknown(base, 10, 5).unwrap();
        slab.add_unknown(base, 15, 5).unwrap();
        slab.add_unknown_value(base, 8, 40, 2).unwrap();
        slab.add_unknown(base, 42, 1).unwrap();
        slab.add_unknown(base, 60, 1).unwrap();
        slab.add_unknown(base, 70, 0).unwrap();
        slab.add_unknown_value(base, 16, 80, 1).unwrap();
        let spans: Vec<_> = slab.words().spans(base).map(|s| (s.offset, s.len, s.tag)).collect();
        assert_eq!(
            spans,
            [(10, 10, None), (40, 2, Some(8)), (42, 1, None), (60, 1, None), (80, 1, Some(16))]
        );
    }

    #[test]
    fn a_block_that_cannot_double_is_an_error() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 20);
        let base = slab.alloc(2).unwrap();
        slab.set64(base, 0);
        slab.add_unknown(base, 10, 5).unwrap();
        let after = slab.alloc(1).unwrap();
        let block = slab.get(base + 1);
        for words in [1_u32 << 30, 1 << 31, u32::MAX - 1000] {
            // As if it were so large: such a block takes 4 GiB and more.
            slab.set64(block, u64::from(words) << 32 | u64::from(words));
            assert_eq!(slab.unknown_grow(base, 2, false), Err(Full::Limit));
            assert_eq!(slab.alloc(0), Ok(after + 1));
        }
    }
}
