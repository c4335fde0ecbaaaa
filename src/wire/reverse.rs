//! The write cursor that goes backwards, and its fence: a window of memory filled from its end.
//!
//! Protobuf puts the length of a nested message in front of it. Written backwards the length is known when its
//! turn comes, so that a message is visited once instead of twice; what has been written is moved to the start of
//! the window at the end. Items of up to eight bytes are stored as one word whose *last* bytes count; the bytes
//! before them are written over by what comes next.
//!
//! Invariant of [`RawReverse`]: `start <= at <= end` are in one exclusively borrowed allocation, and all bytes from
//! `at` to `end` have been written. [`SafeReverse`] is the twin with the same methods and the same answers, which
//! `cfg(tablepb_safe)` builds use.

#![allow(unsafe_code)]

#[cfg(not(tablepb_safe))]
use RawReverse as Spare;
#[cfg(tablepb_safe)]
use SafeReverse as Spare;

#[cfg(any(test, not(tablepb_safe)))]
use super::spare::RawWritten;
#[cfg(any(test, tablepb_safe))]
use super::spare::SafeWritten;
use super::{
    cursor::{Cursor, CursorOverflow},
    kernels::{AnyBits, Bits},
    spare::Written,
    varint::{CONTINUATION, long_varint, short_varint, varint_len},
};
use core::mem::MaybeUninit;
#[cfg(any(test, not(tablepb_safe)))]
use core::{marker::PhantomData, ptr, slice};

/// Parts of a store up to this length are copied as one window.
const SHORT: usize = 32;

/// At most seven bytes at the end of a word, little endian, and their number in its lowest byte: a tag as it is
/// put in front of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TagWord(u64);

impl TagWord {
    /// A tag given as a number.
    pub(crate) fn new(tag: u32) -> Self {
        let (bytes, len) = short_varint(tag.into());
        Self(u64::from_le_bytes(bytes) << (64 - 8 * len) | len as u64)
    }

    /// Number of bytes.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        usize::from(self.0 as u8)
    }

    /// The tag, and one more byte behind it.
    #[inline(always)]
    pub(crate) fn and(self, byte: u8) -> Self {
        Self((self.0 >> 8 & !0xff) | u64::from(byte) << 56 | (self.len() as u64 + 1))
    }

    /// The tag of the next wire type: the end of a group for its start.
    #[inline(always)]
    pub(crate) fn next_wire_type(self) -> Self {
        Self(self.0 + (1 << ((64 - 8 * self.len()) & 63)))
    }
}

/// Writes backwards into a window of memory, bounded.
///
/// An item that does not fit and all after it are dropped, and [`finish`](Self::finish) says so.
///
/// What is rare takes the cursor by value and gives it back, here and in the encoder: a cursor whose address nobody
/// has stays in registers.
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

    /// Leaves a cursor without room behind.
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

    /// A tag and, behind it, at most eight bytes at the end of a word.
    #[inline(always)]
    pub(crate) fn put_tagged_word(&mut self, tag: TagWord, word: u64, len: usize) {
        if !self.spare.put_two(tag.0.to_le_bytes(), tag.len(), word.to_le_bytes(), len) {
            *self = self.take().put_first(word, len).put_first(tag.0, tag.len());
        }
    }

    /// A tag and, behind it, a varint.
    #[inline(always)]
    pub(crate) fn put_tagged_varint(&mut self, tag: TagWord, value: u64) {
        self.put_varint(value);
        self.put_tag(tag);
    }

    /// A tag and, behind it, a varint of 9 or 10 bytes; kept out of the loops.
    #[inline(always)]
    pub(crate) fn put_tagged_long(&mut self, tag: TagWord, value: u64) {
        *self = self.take().put_long(value);
        self.put_tag(tag);
    }

    /// The last `len` bytes of a word.
    #[inline(always)]
    fn put_word(&mut self, word: u64, len: usize) {
        if !self.spare.put(word.to_le_bytes(), len) {
            *self = self.take().put_first(word, len);
        }
    }

    /// A tag.
    #[inline(always)]
    pub(crate) fn put_tag(&mut self, tag: TagWord) {
        self.put_word(tag.0, tag.len());
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

    /// A tag of one byte and four bytes, little endian.
    #[inline(always)]
    pub(crate) fn put_tagged_fixed32(&mut self, tag: u8, value: u32) {
        self.put_word(u64::from(value) << 32 | u64::from(tag) << 24, 5);
    }

    /// Several of these.
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
    /// Where there is room, a fixed number of bytes is copied for short parts whatever `len` is, so that no branch
    /// depends on it.
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

    /// `len` bytes that are written forward; fails if `write` writes fewer or more.
    #[inline(always)]
    pub(crate) fn put_forward(&mut self, len: usize, write: impl FnOnce(&mut Cursor<'_>)) {
        if !self.spare.put_forward(len, write) {
            self.fail();
        }
    }

    /// What cannot be written after all, because it does not fit or is not as it must be.
    #[inline(always)]
    pub(crate) fn fail(&mut self) {
        self.overflow = true;
        self.spare.close();
    }

    /// A varint of 9 or 10 bytes; kept out of the loops that write varints. Cold, so that these do not give up
    /// registers for it.
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

/// Memory to be filled, as three pointers.
#[cfg(any(test, not(tablepb_safe)))]
struct RawReverse<'b> {
    start: *mut u8,
    at: *mut u8,
    end: *mut u8,
    life: PhantomData<&'b mut [MaybeUninit<u8>]>,
}

#[cfg(any(test, not(tablepb_safe)))]
impl<'b> RawReverse<'b> {
    #[inline(always)]
    fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        let range = memory.as_mut_ptr_range();
        let (start, end) = (range.start.cast(), range.end.cast());
        Self { start, at: end, end, life: PhantomData }
    }

    #[inline(always)]
    fn over(memory: &'b mut [u8]) -> Self {
        let range = memory.as_mut_ptr_range();
        Self { start: range.start, at: range.end, end: range.end, life: PhantomData }
    }

    #[inline(always)]
    fn written(&self) -> usize {
        self.end.addr() - self.at.addr()
    }

    #[inline(always)]
    fn room(&self) -> usize {
        self.at.addr() - self.start.addr()
    }

    /// Writes `bytes` if there is room for all of them, and keeps the last `keep` (at most all).
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
        if self.room() < N {
            return false;
        }
        // SAFETY: there are at least N bytes from `start` to `at`, in an allocation exclusively borrowed for `'b`;
        // `[u8; N]` has alignment 1. All N bytes before the old `at` are written, at least those from the new `at`
        // on, so the new `at` keeps the invariant.
        unsafe {
            self.at.sub(N).cast::<[u8; N]>().write(bytes);
            self.at = self.at.sub(keep.min(N));
        }
        true
    }

    /// Writes the last `keep` bytes (at most all) of `last`, and in front of them those of `first` (at most seven), if
    /// there is room for both.
    #[inline(always)]
    fn put_two(&mut self, first: [u8; 8], keep_first: usize, last: [u8; 8], keep: usize) -> bool {
        if self.room() < 16 {
            return false;
        }
        // SAFETY: as in `put`, twice: the second word ends at most eight bytes further in front.
        unsafe {
            self.at.sub(8).cast::<[u8; 8]>().write(last);
            self.at = self.at.sub(keep.min(8));
            self.at.sub(8).cast::<[u8; 8]>().write(first);
            self.at = self.at.sub(keep_first & 7);
        }
        true
    }

    /// Writes the last five bytes of each item, if there is room for eight of the first.
    #[inline(always)]
    fn put_fives<const N: usize>(&mut self, items: [[u8; 8]; N]) -> bool {
        if self.room() < 5 * N + 3 {
            return false;
        }
        // SAFETY: as in `put`: item i of N ends 5 * (N - 1 - i) bytes before `at`, and the first begins 5 * N + 3
        // bytes before it.
        unsafe {
            for (i, item) in items.into_iter().rev().enumerate() {
                self.at.sub(5 * i + 8).cast::<[u8; 8]>().write(item);
            }
            self.at = self.at.sub(5 * N);
        }
        true
    }

    /// Writes `bytes` if there is room.
    #[inline(always)]
    fn put_slice(&mut self, bytes: &[u8]) -> bool {
        if self.room() < bytes.len() {
            return false;
        }
        // SAFETY: as in `put`; `bytes` cannot overlap memory that is exclusively borrowed.
        unsafe {
            self.at = self.at.sub(bytes.len());
            ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len());
        }
        true
    }

    /// Writes words, little endian, if there is room.
    #[inline(always)]
    fn put_words(&mut self, words: &[u32]) -> bool {
        let len = size_of_val(words);
        if self.room() < len {
            return false;
        }
        // SAFETY: as in `put_slice`: `len` bytes are read from `words`, or written four at a time.
        unsafe {
            self.at = self.at.sub(len);
            if cfg!(target_endian = "little") {
                ptr::copy_nonoverlapping(words.as_ptr().cast(), self.at, len);
            } else {
                for (i, word) in words.iter().enumerate() {
                    self.at.add(4 * i).cast::<[u8; 4]>().write(word.to_le_bytes());
                }
            }
        }
        true
    }

    /// Lets `write` fill `len` bytes from their start, if there is room.
    #[inline(always)]
    fn put_forward(&mut self, len: usize, write: impl FnOnce(&mut Cursor<'_>)) -> bool {
        if self.room() < len {
            return false;
        }
        // SAFETY: the `len` bytes before `at` are in the allocation, exclusively borrowed, and nothing else refers
        // to them while `window` lives.
        let window = unsafe { slice::from_raw_parts_mut(self.at.sub(len).cast::<MaybeUninit<u8>>(), len) };
        let mut cursor = Cursor::new(window);
        write(&mut cursor);
        let full = cursor.finish().is_ok_and(|written| written.as_slice().len() == len);
        if full {
            // SAFETY: as above; `Written` is the proof that all of them have been written.
            self.at = unsafe { self.at.sub(len) };
        }
        full
    }

    /// Gives up the room that is left; what was written is not to be used.
    fn close(&mut self) {
        self.start = self.at;
    }

    #[inline(always)]
    fn finish(self) -> RawWritten<'b> {
        let len = self.written();
        if self.start != self.at {
            // SAFETY: both ranges are within the allocation; `copy` allows them to overlap.
            unsafe { ptr::copy(self.at, self.start, len) };
        }
        // SAFETY: the `len` bytes at `start` are initialised: they are those from `at` on, or have been copied
        // from there. They are borrowed exclusively for `'b`, and `self`, the only way to write to them, is gone.
        RawWritten::new(unsafe { slice::from_raw_parts(self.start, len) })
    }
}

/// The safe twin: collects the bytes backwards in a `Vec`, and copies them to its slice, if it has one, at the end.
#[cfg(any(test, tablepb_safe))]
struct SafeReverse<'b> {
    bytes: alloc::vec::Vec<u8>,
    limit: usize,
    target: &'b mut [u8],
}

#[cfg(any(test, tablepb_safe))]
impl<'b> SafeReverse<'b> {
    fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        Self { bytes: alloc::vec::Vec::new(), limit: memory.len(), target: &mut [] }
    }

    fn over(memory: &'b mut [u8]) -> Self {
        Self { bytes: alloc::vec::Vec::new(), limit: memory.len(), target: memory }
    }

    fn written(&self) -> usize {
        self.bytes.len()
    }

    fn room(&self) -> usize {
        self.limit - self.bytes.len()
    }

    fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
        self.room() >= N && self.put_slice(&bytes[N - keep.min(N)..])
    }

    fn put_two(&mut self, first: [u8; 8], keep_first: usize, last: [u8; 8], keep: usize) -> bool {
        self.room() >= 16 && self.put(last, keep) && self.put_slice(&first[8 - (keep_first & 7)..])
    }

    fn put_fives<const N: usize>(&mut self, items: [[u8; 8]; N]) -> bool {
        self.room() >= 5 * N + 3 && items.into_iter().rev().all(|item| self.put_slice(&item[3..]))
    }

    fn put_slice(&mut self, bytes: &[u8]) -> bool {
        let fits = self.room() >= bytes.len();
        if fits {
            self.bytes.extend(bytes.iter().rev());
        }
        fits
    }

    fn put_words(&mut self, words: &[u32]) -> bool {
        let bytes: alloc::vec::Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put_slice(&bytes)
    }

    fn put_forward(&mut self, len: usize, write: impl FnOnce(&mut Cursor<'_>)) -> bool {
        if self.room() < len {
            return false;
        }
        let mut window = alloc::vec![0; len];
        let mut cursor = Cursor::over(&mut window);
        write(&mut cursor);
        let full = cursor.finish().is_ok_and(|written| written.as_slice().len() == len);
        full && self.put_slice(&window)
    }

    fn close(&mut self) {
        self.limit = self.bytes.len();
    }

    fn finish(mut self) -> SafeWritten<'b> {
        self.bytes.reverse();
        let len = self.bytes.len();
        if let Some(target) = self.target.get_mut(..len) {
            target.copy_from_slice(&self.bytes);
        }
        SafeWritten::new(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::varint::tests::{edges, reference};
    use alloc::{vec, vec::Vec};

    /// Steps of every kind; the answer and the state after each must agree.
    macro_rules! run {
        ($spare:expr, $steps:expr) => {{
            let mut spare = $spare;
            let mut seen = Vec::new();
            for &(what, keep) in $steps {
                let word = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8_u8];
                let done = match what {
                    0 => spare.put([keep as u8], 1),
                    1 => spare.put([1, 2, 3, 4], keep),
                    2 => spare.put(word, keep),
                    3 => spare.put([7; 32], keep),
                    4 => spare.put_two([9; 8], keep & 7, word, keep),
                    5 => spare.put_fives([word, [6; 8], word]),
                    6 => spare.put_words(&[0x0102_0304, 0x0506_0708][..keep & 1]),
                    7 => spare.put_slice(&word[..keep.min(8)]),
                    8 => spare.put_slice(&[9; 40][..keep.min(40)]),
                    // The cursor of a safe build writes elsewhere, which only the safe twin knows of.
                    9 if cfg!(tablepb_safe) => spare.put_slice(&[5; 41][..keep]),
                    9 => spare.put_forward(keep, |cursor| cursor.put_slice(&[5; 45][..keep + keep % 3 / 2])),
                    _ => {
                        spare.close();
                        true
                    }
                };
                seen.push((done, spare.written(), spare.room()));
            }
            (seen, spare.finish().as_slice().to_vec())
        }};
    }

    #[test]
    fn the_safe_twin_agrees() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for round in (0..20_000).step_by(if cfg!(miri) { 1_009 } else { 1 }) {
            let room = round % 120;
            let steps: Vec<(u64, usize)> = (0..12)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 33) % if round % 3 == 0 { 11 } else { 10 }, (state >> 40) as usize % 41)
                })
                .collect();
            let mut memory = vec![MaybeUninit::uninit(); room];
            let raw = run!(RawReverse::new(&mut memory), &steps);
            let safe = run!(SafeReverse::new(&mut memory), &steps);
            assert_eq!(raw, safe, "room {room}, {steps:?}");

            let (mut raw_slice, mut safe_slice) = (vec![0; room], vec![0; room]);
            let raw = run!(RawReverse::over(&mut raw_slice), &steps);
            let safe = run!(SafeReverse::over(&mut safe_slice), &steps);
            assert_eq!(raw, safe, "room {room}, {steps:?}");
            // What was closed is not finished but dropped, and stays where it is.
            if steps.iter().all(|&(what, _)| what < 10) {
                let len = raw.1.len();
                assert_eq!((&raw_slice[..len], &safe_slice[..len]), (&raw.1[..], &raw.1[..]));
            }
        }
    }

    #[test]
    fn nothing_outside_of_the_window_changes() {
        for room in 0..40 {
            for start in [0, 5] {
                let mut memory = [0xee; 80];
                let mut spare = RawReverse::over(&mut memory[start..start + room]);
                while spare.put_fives([[1; 8]; 2]) {}
                while spare.put_two([2; 8], 1, [3; 8], 2) {}
                while spare.put([1; 8], 3) {}
                while spare.put_words(&[4]) {}
                while spare.put([3], 1) {}
                assert!(!spare.put_slice(&[4]) && spare.put_slice(&[]));
                assert_eq!((spare.written(), spare.room()), (room, 0));
                spare.finish();
                let outside = memory[..start].iter().chain(&memory[start + room..]);
                assert!(outside.copied().all(|byte| byte == 0xee));
            }
        }
    }

    /// How an item is put, given a number, and its bytes.
    type Item = (fn(&mut ReverseCursor<'_>, u64), u64, Vec<u8>);

    fn items() -> Vec<Item> {
        fn tag() -> TagWord {
            TagWord::new(16 << 3)
        }
        let mut items: Vec<Item> = vec![
            (|out, value| out.put_byte(value as u8), 7, vec![7]),
            (|out, value| out.put_fixed32(value as u32), 0x0403_0201, vec![1, 2, 3, 4]),
            (|out, value| out.put_fixed64(value), 0x0807_0605_0403_0201, (1..9).collect()),
            (|out, _| out.put_slice(b"slice"), 0, b"slice".to_vec()),
            (|out, _| out.put_suffix(&[5; 40], 3), 0, vec![5; 3]),
            (|out, _| out.put_suffix(&[5; 40], 33), 0, vec![5; 33]),
            (|out, _| out.put_suffix(&[5; 4], 3), 0, vec![5; 3]),
            (|out, _| out.put_words(&[0x0403_0201, 5]), 0, vec![1, 2, 3, 4, 5, 0, 0, 0]),
            (|out, _| out.put_tag(tag().and(3)), 0, vec![0x80, 1, 3]),
            (|out, _| out.put_tag(tag().next_wire_type()), 0, vec![0x81, 1]),
            (|out, _| out.put_tagged_word(tag(), 0x0807 << 48, 2), 0, vec![0x80, 1, 7, 8]),
            (|out, _| out.put_tagged_fixed32(13, 4), 0, vec![13, 4, 0, 0, 0]),
            (|out, _| out.put_tagged_fixed32s([(13, 4), (21, 5)]), 0, vec![13, 4, 0, 0, 0, 21, 5, 0, 0, 0]),
        ];
        for value in edges() {
            let varint = reference(value);
            let tagged = [&[0x80, 1], &varint[..]].concat();
            items.push((|out, value| out.put_tagged_varint(tag(), value), value, tagged.clone()));
            if varint.len() > 8 {
                items.push((|out, value| out.put_tagged_long(tag(), value), value, tagged));
            }
            items.push((|out, value| out.put_varint(value), value, varint));
        }
        items
    }

    #[test]
    fn items_fit_exactly_or_overflow() {
        let (some, rooms) = if cfg!(miri) { (41, 7) } else { (1, 1) };
        for (put, value, bytes) in items().into_iter().step_by(some) {
            for room in (0..bytes.len() + 40).step_by(rooms) {
                let mut memory = vec![MaybeUninit::uninit(); room];
                let mut out = ReverseCursor::new(&mut memory);
                put(&mut out, value);
                let written = out.written();
                match out.finish() {
                    Ok(proof) => assert_eq!((proof.as_slice(), written), (&bytes[..], bytes.len())),
                    Err(CursorOverflow) => assert!(room < bytes.len(), "{bytes:02x?} in {room}"),
                }
            }
        }
    }

    #[test]
    fn items_precede_each_other() {
        let mut expected = Vec::new();
        let mut memory = vec![0; 1 << 14];
        let mut out = ReverseCursor::over(&mut memory);
        for (put, value, bytes) in items().into_iter().step_by(if cfg!(miri) { 13 } else { 1 }) {
            put(&mut out, value);
            expected.splice(0..0, bytes);
        }
        let written = out.finish().map(|proof| proof.as_slice().to_vec());
        assert_eq!(written, Ok(expected));
    }

    #[test]
    fn tags_have_one_to_five_bytes() {
        for shift in 3..32 {
            for tag in [1u32 << shift, (1 << shift) + 5, u32::MAX >> (31 - shift)] {
                let mut memory = [0; 8];
                let mut out = ReverseCursor::over(&mut memory);
                out.put_tag(TagWord::new(tag));
                assert_eq!(out.finish().unwrap().as_slice(), reference(tag.into()));
            }
        }
    }
}
