//! The bounded write cursor of the encoders.
//!
//! An encoder writes into the spare room of a buffer through a [`Cursor`]. The cursor never calls the buffer, whose length is
//! set once, at the end ([`Buffer`](crate::wire::Buffer)): writing a varint takes a half to a ninth of the time of appending it to
//! the buffer.
//!
//! The cursor never writes beyond its window. It drops an item that does not fit and everything after it, and
//! [`finish`](Cursor::finish) returns an error.

use super::spare::{Spare, SpareItem, SparePair, SpareRoom, Written};
use crate::wire::Tag;
use crate::wire::kernels::Bits;
use crate::wire::tag::TagWord;
use crate::wire::varint::{CONTINUATION, long_varint, short_varint, varint_len};
use core::mem::MaybeUninit;

mod by_ref;

/// Strings up to this length are copied as one block of this size: no branch on the length.
pub(crate) const SHORT: usize = 32;

/// More was written to a [`Cursor`] than its window holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorOverflow;

/// Writes forward into a window of memory, bounded.
///
/// Every `put` checks for room once. Short items are stored as whole words, so bytes after the written ones may change.
/// Items within the last eight bytes of the window take a slower path.
pub struct Cursor<'b> {
    spare: Spare<'b>,
    /// Not zero after an item that did not fit. A whole word, because a byte would be copied together with its padding, and such
    /// copies wait for the store of the byte (2x in messages of messages).
    overflow: usize,
}

impl<'b> Cursor<'b> {
    /// A cursor at the start of memory that need not be initialised.
    #[inline(always)]
    pub fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        Self { spare: Spare::new(memory), overflow: 0 }
    }

    /// A cursor at the start of a slice.
    #[inline(always)]
    pub fn over(memory: &'b mut [u8]) -> Self {
        Self { spare: Spare::over(memory), overflow: 0 }
    }

    /// A cursor at the start of the room of another one.
    #[inline(always)]
    pub(crate) fn of(room: CursorRoom<'b>) -> Self {
        Self { spare: Spare::of(room.0), overflow: 0 }
    }

    /// What was written into a room.
    #[inline(always)]
    pub(crate) fn filled(self) -> Filled<'b> {
        if self.overflow != 0 { None } else { Some(self.spare.finish()) }
    }

    /// Lets `write` fill the room, keeps what it has written, and returns its length; `None`, and the cursor is full, if it did not fit.
    /// `write` calls a function that is not inlined, with all its arguments in registers.
    #[inline(always)]
    pub(crate) fn fill(&mut self, write: impl for<'w> FnOnce(CursorRoom<'w>) -> Filled<'w>) -> Option<usize> {
        let len = self.spare.fill(|room| write(CursorRoom(room)));
        if len.is_none() {
            self.fail();
        }
        len
    }

    /// How many bytes have been written.
    #[inline(always)]
    pub fn written(&self) -> usize {
        self.spare.written()
    }

    /// How many bytes can still be written.
    #[inline(always)]
    pub fn room(&self) -> usize {
        self.spare.room()
    }

    /// Ends writing: proof of what was written, for [`Buffer`](crate::wire::Buffer).
    ///
    /// # Errors
    ///
    /// If anything did not fit.
    #[inline(always)]
    pub fn finish(self) -> Result<Written<'b>, CursorOverflow> {
        if self.overflow != 0 { Err(CursorOverflow) } else { Ok(self.spare.finish()) }
    }

    /// Whether there is room for `len` bytes; if not, the cursor is full, and they need not be written.
    #[inline(always)]
    pub(crate) fn takes(&mut self, len: u64) -> bool {
        let fits = len <= self.room() as u64;
        if !fits {
            self.fail();
        }
        fits
    }

    /// One byte.
    #[inline(always)]
    pub fn put_byte(&mut self, byte: u8) {
        if !self.spare.put([byte], 1) {
            self.fail();
        }
    }

    /// Takes the cursor and leaves one without room.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Self {
        core::mem::replace(self, Self { spare: Spare::over(&mut []), overflow: 0 })
    }

    /// Whether something did not fit.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.overflow != 0
    }

    /// A varint of 1 to 10 bytes.
    #[inline(always)]
    pub fn put_varint(&mut self, value: u64) {
        if value < 0x80 {
            self.put_byte(value as u8);
        } else if value < 1 << 56 {
            let (bytes, len) = short_varint(value);
            self.put_word(bytes, len);
        } else {
            // Negative numbers of `int32` and `int64` are that long.
            let (first, last, len) = long_varint(value);
            self.put_word(first, 8);
            if !self.spare.put(last, len) {
                *self = self.take().put_last(&last, len);
            }
        }
    }

    /// A tag.
    #[inline(always)]
    pub fn put_tag(&mut self, tag: Tag) {
        self.put_varint(tag.get().into());
    }

    /// The first `len` of eight bytes, at most all: a tag that was encoded beforehand.
    #[inline(always)]
    pub fn put_word(&mut self, bytes: [u8; 8], len: usize) {
        if !self.spare.put(bytes, len) {
            *self = self.take().put_last(&bytes, len);
        }
    }

    /// An encoded tag.
    #[inline(always)]
    pub(crate) fn put_tag_word(&mut self, tag: TagWord) {
        self.put_word(tag.at_start(), tag.len() & 7);
    }

    /// A tag, a length of at most N, and as many bytes of the block; false, and nothing is put, if there is no room for eight bytes and the block.
    ///
    /// A short string is copied as a whole block, so that no branch depends on its length.
    #[inline(always)]
    pub(crate) fn put_string<const N: usize>(&mut self, tag: TagWord, block: &[u8; N], len: usize) -> bool {
        self.spare.put_string((tag.at_start(), tag.len()), len as u8, block, len)
    }

    /// Room for an item of a tag and at most 32 bytes, if there is.
    #[inline(always)]
    pub(crate) fn item(&mut self) -> Option<Item<'_, 'b>> {
        Some(Item(self.spare.item()?))
    }

    /// Room for a tag and at most eight bytes, if there is.
    #[inline(always)]
    pub(crate) fn number_item(&mut self) -> Option<NumberItem<'_, 'b>> {
        Some(NumberItem(self.spare.pair()?))
    }

    /// Writes the length of the last `len` bytes, which is below 128, to the byte before them, which was kept free for it.
    #[inline(always)]
    pub(crate) fn close_short_length(&mut self, len: usize) {
        if !self.spare.set_before(len, len as u8) {
            self.fail();
        }
    }

    /// Writes the length of the last `len` bytes to the `room` bytes before them, which were kept free for it. Moves them if the length
    /// takes fewer or more bytes.
    #[inline(always)]
    pub(crate) fn close_any_length(&mut self, len: usize, room: usize) {
        let Some(from) = self.written().checked_sub(len) else { return self.fail() };
        let needed = varint_len(len as u64);
        if needed != room && (from < room || !self.spare.shift(from, from - room + needed)) {
            return self.fail();
        }
        let (mut value, mut after) = (len as u64, len + needed);
        while after > len {
            after -= 1;
            let more = if value < 0x80 { 0 } else { 0x80 };
            self.spare.set_before(after, value as u8 & 0x7f | more);
            value >>= 7;
        }
    }

    /// The first `len` of some bytes, if there is room for all of them; false, and nothing is put, if there is not.
    #[inline(always)]
    pub(in crate::wire) fn put_first<const N: usize>(&mut self, bytes: [u8; N], len: usize) -> bool {
        self.spare.put(bytes, len)
    }

    /// Words, little endian.
    #[inline(always)]
    pub(crate) fn put_words(&mut self, words: &[u32]) {
        if !self.spare.put_words(words) {
            self.fail();
        }
    }

    /// Four bytes, little endian.
    #[inline(always)]
    pub fn put_fixed32(&mut self, value: u32) {
        if !self.spare.put(value.to_le_bytes(), 4) {
            self.fail();
        }
    }

    /// Eight bytes, little endian.
    #[inline(always)]
    pub fn put_fixed64(&mut self, value: u64) {
        if !self.spare.put(value.to_le_bytes(), 8) {
            self.fail();
        }
    }

    /// Bytes as they are.
    #[inline(always)]
    pub fn put_slice(&mut self, bytes: &[u8]) {
        if !self.spare.put_slice(bytes) {
            self.fail();
        }
    }

    /// The first `len` bytes of `rest`; all of `rest` if it is shorter.
    ///
    /// Faster than [`put_slice`](Self::put_slice) for short parts of a longer store: where there is room, a fixed
    /// number of bytes is copied whatever `len` is, so that no branch depends on it.
    #[inline(always)]
    pub fn put_prefix(&mut self, rest: &[u8], len: usize) {
        match rest.first_chunk::<SHORT>() {
            Some(&window) if len <= SHORT && self.spare.put(window, len) => {}
            _ => self.put_slice(rest.get(..len).unwrap_or(rest)),
        }
    }

    // What is rare is out of line and takes and returns the cursor by value: its address never escapes, so it stays in
    // registers.

    /// An item that ends within the last bytes of the window.
    #[cold]
    #[inline(never)]
    fn put_last(mut self, bytes: &[u8], len: usize) -> Self {
        self.put_slice(bytes.get(..len).unwrap_or(bytes));
        self
    }

    /// At most 64 bytes, as two blocks that overlap: less than half the time of a call of `memcpy`. These are strings above 32 bytes
    /// and the last ones of a store, which have no 32 bytes to copy.
    #[inline(always)]
    pub(in crate::wire) fn put_short(&mut self, bytes: &[u8]) {
        if let (Some(&first), Some(&last)) = (bytes.first_chunk::<32>(), bytes.last_chunk()) {
            self.put_overlapping(first, last, bytes.len());
        } else if let (Some(&first), Some(&last)) = (bytes.first_chunk::<16>(), bytes.last_chunk()) {
            self.put_overlapping(first, last, bytes.len());
        } else if let (Some(&first), Some(&last)) = (bytes.first_chunk::<8>(), bytes.last_chunk()) {
            self.put_overlapping(first, last, bytes.len());
        } else if let (Some(&first), Some(&last)) = (bytes.first_chunk::<4>(), bytes.last_chunk()) {
            self.put_overlapping(first, last, bytes.len());
        } else if let (Some(&first), Some(&middle), Some(&last)) =
            (bytes.first(), bytes.get(bytes.len() / 2), bytes.last())
        {
            self.put_word([first, middle, last, 0, 0, 0, 0, 0], bytes.len());
        }
    }

    /// `len` bytes that begin with `first` and end with `last`; `len` is N to 2 * N.
    #[inline(always)]
    fn put_overlapping<const N: usize>(&mut self, first: [u8; N], last: [u8; N], len: usize) {
        if self.room() < len {
            return self.fail();
        }
        self.spare.put(first, len - N);
        self.spare.put(last, N);
    }

    #[cold]
    #[inline(never)]
    fn failed(mut self) -> Self {
        self.overflow = 1;
        self.spare.close();
        self
    }

    /// From here on nothing is put, not even items that would fit.
    #[inline(always)]
    pub(crate) fn fail(&mut self) {
        *self = self.take().failed();
    }
}

#[cfg(test)]
mod tests;

// `CursorRoom`: what a function gets that writes a part of a message and is not inlined.

/// The room of a [`Cursor`](super::Cursor), for a function that is not inlined: it is passed, and [`Filled`] is returned, in registers. A cursor
/// that is passed and returned is copied as blocks right after its parts were stored, and such loads wait for the stores.
pub(crate) struct CursorRoom<'w>(pub(super) SpareRoom<'w>);

/// What was written into a [`CursorRoom`]; `None` if something did not fit.
pub(crate) type Filled<'w> = Option<Written<'w>>;

// Items that are written by functions that are not inlined: long ones.

impl Cursor<'_> {
    /// A tag, then a varint of 9 or 10 bytes.
    #[inline(always)]
    pub(crate) fn put_tagged_long(&mut self, tag: TagWord, value: u64) {
        self.fill(|room| tagged_long(room, tag, value));
    }

    /// A tag, the length of a string, and the string: the `len` bytes of `store` from `offset` on. Fails if the store has fewer.
    #[inline(always)]
    pub(crate) fn put_tagged_part(&mut self, tag: TagWord, store: &[u8], offset: usize, len: usize) {
        let bytes = store.get(offset..offset.wrapping_add(len));
        self.fill(|room| part(room, tag, bytes));
    }
}

/// A tag, then a varint of 9 or 10 bytes.
#[inline(never)]
fn tagged_long(room: CursorRoom<'_>, tag: TagWord, value: u64) -> Filled<'_> {
    let mut out = Cursor::of(room);
    out.put_tag_word(tag);
    out.put_varint(value);
    out.filled()
}

/// A tag, the length of a string, and the string, if there is one.
#[inline(never)]
fn part<'w>(room: CursorRoom<'w>, tag: TagWord, bytes: Option<&[u8]>) -> Filled<'w> {
    let (bytes, mut out) = (bytes?, Cursor::of(room));
    if bytes.len() < 0x80 {
        out.put_tag_word(tag.and(bytes.len() as u8));
    } else {
        out.put_tag_word(tag);
        out.put_varint(bytes.len() as u64);
    }
    if bytes.len() > 64 {
        out.put_slice(bytes);
    } else {
        out.put_short(bytes);
    }
    out.filled()
}

// One item of a cursor: a tag and what follows it, after one check for room.

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
