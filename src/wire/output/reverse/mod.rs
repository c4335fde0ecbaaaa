//! The write cursor that goes backwards: it fills a window of memory from its end.
//!
//! Protobuf puts the length of a nested message in front of the message. An encoder that writes forwards must visit each
//! message twice, first to size it; one that writes backwards knows the length when it gets there:
//!
//! ```text
//! write(message):
//!     for field in message, last field first:
//!         end = bytes written so far
//!         write(value of field)           // a nested message recurses
//!         if length-delimited: write(bytes written so far - end)
//!         write(tag of field)
//! ```
//!
//! [`finish`](ReverseCursor::finish) moves what was written to the start of the window, once. That makes encoding 1.5 to
//! 2.8 times as fast as two passes.
//!
//! An item of up to eight bytes is stored as one eight-byte word whose *last* bytes count. The bytes before them are
//! garbage that the next item overwrites, so no store depends on the length of an item.

mod fence;
#[cfg(test)]
mod tests;

use super::cursor::{Cursor, CursorOverflow};
use super::spare::Written;
use crate::wire::kernels::{AnyBits, Bits};
use crate::wire::tag_word::TagWord;
use crate::wire::varint::{CONTINUATION, long_varint, varint_len};
use core::mem::MaybeUninit;
use fence::Spare;

/// Strings up to this length are copied as one block of this size: no branch on the length.
const SHORT: usize = 32;

/// Writes backwards into a window of memory, bounded.
///
/// An item that does not fit and all after it are dropped, and [`finish`](Self::finish) says so.
///
/// Out-of-line methods take and return the cursor by value, here and in the encoder: its address never escapes, so it stays
/// in registers. By reference, flat messages are encoded at half the speed (409 MB/s instead of 790).
pub(crate) struct ReverseCursor<'b> {
    spare: Spare<'b>,
    overflow: bool,
}

impl<'b> ReverseCursor<'b> {
    /// A cursor at the end of memory that need not be initialised.
    #[inline(always)]
    pub(crate) fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        Self { spare: Spare::new(memory), overflow: false }
    }

    /// A cursor at the end of a slice.
    #[inline(always)]
    pub(crate) fn over(memory: &'b mut [u8]) -> Self {
        Self { spare: Spare::over(memory), overflow: false }
    }

    /// Takes the cursor and leaves one without room.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Self {
        core::mem::replace(self, Self::new(&mut []))
    }

    /// How many bytes have been written.
    #[inline(always)]
    pub(crate) fn written(&self) -> usize {
        self.spare.written()
    }

    /// Ends writing: what was written is now at the start of the window.
    ///
    /// # Errors
    /// If anything did not fit.
    #[inline(always)]
    pub(crate) fn finish(self) -> Result<Written<'b>, CursorOverflow> {
        if self.overflow { Err(CursorOverflow) } else { Ok(self.spare.finish()) }
    }

    /// A tag, then at most eight bytes at the end of a word.
    #[inline(always)]
    pub(crate) fn put_tagged_word(&mut self, tag: TagWord, word: u64, len: usize) {
        let first = tag.at_end();
        if !self.spare.put_two(first.to_le_bytes(), tag.len(), word.to_le_bytes(), len) {
            *self = self.take().put_first(word, len).put_first(first, tag.len());
        }
    }

    /// A tag, then a varint.
    #[inline(always)]
    pub(crate) fn put_tagged_varint(&mut self, tag: TagWord, value: u64) {
        self.put_varint(value);
        self.put_tag_word(tag);
    }

    /// A tag, then a varint of 9 or 10 bytes; out of line, because it is rare.
    #[inline(always)]
    pub(crate) fn put_tagged_long(&mut self, tag: TagWord, value: u64) {
        *self = self.take().put_long(value);
        self.put_tag_word(tag);
    }

    /// The last `len` bytes of a word.
    #[inline(always)]
    fn put_word(&mut self, word: u64, len: usize) {
        if !self.spare.put(word.to_le_bytes(), len) {
            *self = self.take().put_first(word, len);
        }
    }

    /// An encoded tag.
    #[inline(always)]
    pub(crate) fn put_tag_word(&mut self, tag: TagWord) {
        self.put_word(tag.at_end(), tag.len());
    }

    /// One byte.
    #[inline(always)]
    pub(crate) fn put_byte(&mut self, byte: u8) {
        if !self.spare.put([byte], 1) {
            self.fail();
        }
    }

    /// A varint of 1 to 10 bytes; one byte is the fast path.
    #[inline(always)]
    pub(crate) fn put_varint(&mut self, value: u64) {
        if value < 0x80 {
            self.put_byte(value as u8);
        } else if value < 1 << 56 {
            let (word, len) = last_varint(AnyBits, value);
            self.put_word(word, len);
        } else {
            *self = self.take().put_long(value);
        }
    }

    /// Four bytes, little endian.
    #[inline(always)]
    pub(crate) fn put_fixed32(&mut self, value: u32) {
        if !self.spare.put(value.to_le_bytes(), 4) {
            self.fail();
        }
    }

    /// Eight bytes, little endian.
    #[inline(always)]
    pub(crate) fn put_fixed64(&mut self, value: u64) {
        if !self.spare.put(value.to_le_bytes(), 8) {
            self.fail();
        }
    }

    /// A tag of one byte, then four bytes, little endian.
    #[inline(always)]
    pub(crate) fn put_tagged_fixed32(&mut self, tag: u8, value: u32) {
        self.put_word(u64::from(value) << 32 | u64::from(tag) << 24, 5);
    }

    /// Several of these, with one check for room.
    #[inline(always)]
    pub(crate) fn put_tagged_fixed32s<const N: usize>(&mut self, items: [(u8, u32); N]) {
        let items = items.map(|(tag, value)| u64::from(value) << 32 | u64::from(tag) << 24);
        if !self.spare.put_fives(items.map(u64::to_le_bytes)) {
            for item in items.into_iter().rev() {
                self.put_word(item, 5);
            }
        }
    }

    /// Bytes as they are.
    #[inline(always)]
    pub(crate) fn put_slice(&mut self, bytes: &[u8]) {
        if !self.spare.put_slice(bytes) {
            self.fail();
        }
    }

    /// The last `len` bytes of `store`; fails if it has fewer.
    ///
    /// A short string is copied as one block of 32 bytes, whatever `len` is, so that no branch depends on it.
    #[inline(always)]
    pub(crate) fn put_suffix(&mut self, store: &[u8], len: usize) {
        match store.last_chunk::<SHORT>() {
            Some(&window) if len <= SHORT && self.spare.put(window, len) => {}
            _ => match store.len().checked_sub(len).and_then(|at| store.get(at..)) {
                Some(bytes) => self.put_slice(bytes),
                None => self.fail(),
            },
        }
    }

    /// Words, little endian.
    #[inline(always)]
    pub(crate) fn put_words(&mut self, words: &[u32]) {
        if !self.spare.put_words(words) {
            self.fail();
        }
    }

    /// `len` bytes that `write` writes forwards; fails if it writes fewer or more.
    #[inline(always)]
    pub(crate) fn put_forward(&mut self, len: usize, write: impl FnOnce(&mut Cursor<'_>)) {
        if !self.spare.put_forward(len, write) {
            self.fail();
        }
    }

    /// Gives up: an item does not fit, or is not what it must be.
    #[inline(always)]
    pub(crate) fn fail(&mut self) {
        self.overflow = true;
        self.spare.close();
    }

    /// A varint of 9 or 10 bytes. Cold, so that the loops that write varints do not give up registers for it.
    #[cold]
    #[inline(never)]
    fn put_long(mut self, value: u64) -> Self {
        let (first, [ninth, tenth], len) = long_varint(value);
        if len == 2 {
            self.put_byte(tenth);
        }
        self.put_byte(ninth);
        self.put_word(u64::from_le_bytes(first), 8);
        self
    }

    /// An item that begins within the first eight bytes.
    #[cold]
    #[inline(never)]
    fn put_first(mut self, word: u64, len: usize) -> Self {
        let bytes = word.to_le_bytes();
        self.put_slice(bytes.get(8 - len.min(8)..).unwrap_or(&bytes));
        self
    }
}

/// A varint of at most eight bytes at the end of a word, and its length; `value` is below 2^56.
#[inline(always)]
pub(crate) fn last_varint(bits: impl Bits, value: u64) -> (u64, usize) {
    let len = varint_len(value);
    // The last byte has no continuation bit.
    let bytes = bits.spread(value) << ((64 - 8 * len) & 63);
    (bytes | (CONTINUATION >> 8) & (u64::MAX << ((64 - 8 * len) & 63)), len)
}
