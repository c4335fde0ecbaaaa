//! The fence of the write cursor: a window of memory that may be uninitialised, filled from its start.
//!
//! Invariant of [`RawSpare`]: `start <= at <= end` are in one exclusively borrowed allocation, and all bytes from
//! `start` to `at` have been written. [`Written`] carries that proof to [`Buffer`](crate::wire::Buffer).
//!
//! [`SafeSpare`] is the twin with the same methods and the same answers, on a `Vec`; it is what `cfg(tablepb_safe)`
//! builds use.

#![allow(unsafe_code)]

#[cfg(tablepb_safe)]
pub(in crate::wire) use twin::{
    SafeItem as SpareItem, SafePair as SparePair, SafeRoom as SpareRoom, SafeSpare as Spare,
};
#[cfg(not(tablepb_safe))]
pub(in crate::wire) use {
    RawItem as SpareItem, RawPair as SparePair, RawRoom as SpareRoom, RawSpare as Spare,
};

#[cfg(any(test, not(tablepb_safe)))]
use core::{marker::PhantomData, mem::MaybeUninit, ptr, slice};

/// Memory to fill, as three pointers.
#[cfg(any(test, not(tablepb_safe)))]
pub(in crate::wire) struct RawSpare<'b> {
    start: *mut u8,
    at: *mut u8,
    end: *mut u8,
    life: PhantomData<&'b mut [MaybeUninit<u8>]>,
}

#[cfg(any(test, not(tablepb_safe)))]
impl<'b> RawSpare<'b> {
    #[inline(always)]
    pub(in crate::wire) fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        let range = memory.as_mut_ptr_range();
        let (start, end) = (range.start.cast(), range.end.cast());
        Self { start, at: start, end, life: PhantomData }
    }

    #[inline(always)]
    pub(in crate::wire) fn over(memory: &'b mut [u8]) -> Self {
        let range = memory.as_mut_ptr_range();
        Self { start: range.start, at: range.start, end: range.end, life: PhantomData }
    }

    /// The room of another spare.
    #[inline(always)]
    pub(in crate::wire) fn of(room: RawRoom<'b>) -> Self {
        Self { start: room.at, at: room.at, end: room.end, life: PhantomData }
    }

    /// Lets `write` fill the room, keeps what it has written, and returns its length; `None`, and nothing is kept, if it gives `None`.
    #[inline(always)]
    pub(in crate::wire) fn fill(
        &mut self,
        write: impl for<'w> FnOnce(RawRoom<'w>) -> Option<RawWritten<'w>>,
    ) -> Option<usize> {
        let written = write(RawRoom { at: self.at, end: self.end, life: PhantomData });
        let (start, len) = written.map_or((ptr::null(), 0), |bytes| (bytes.0.as_ptr(), bytes.0.len()));
        // No room begins at zero, so the first comparison is true for `None`.
        if start.addr() != self.at.addr() || len > self.room() {
            return None;
        }
        // SAFETY: the bytes are initialised memory, a slice that was alive until here. They begin at `at` and end at `end` or before, so
        // all bytes up to the new `at` are written.
        unsafe { self.at = self.at.add(len) };
        Some(len)
    }

    /// How many bytes have been written.
    #[inline(always)]
    pub(in crate::wire) fn written(&self) -> usize {
        self.at.addr() - self.start.addr()
    }

    /// How many bytes can still be written.
    #[inline(always)]
    pub(in crate::wire) fn room(&self) -> usize {
        self.end.addr() - self.at.addr()
    }

    /// Writes `bytes` if there is room for all of them, and keeps the first `keep` (at most all).
    #[inline(always)]
    pub(in crate::wire) fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
        if self.room() < N {
            return false;
        }
        // SAFETY: `at` is in the allocation with at least N bytes up to `end`, exclusively borrowed for `'b`;
        // `[u8; N]` has alignment 1. All bytes up to `at + N` are written, so the new `at` keeps the invariant.
        unsafe {
            self.at.cast::<[u8; N]>().write(bytes);
            self.at = self.at.add(keep.min(N));
        }
        true
    }

    /// Proof of room for an item: eight bytes, and [`ITEM`] more.
    #[inline(always)]
    pub(in crate::wire) fn item(&mut self) -> Option<RawItem<'_, 'b>> {
        if self.room() < 8 + ITEM { None } else { Some(RawItem(self)) }
    }

    /// Proof of room for two times eight bytes.
    #[inline(always)]
    pub(in crate::wire) fn pair(&mut self) -> Option<RawPair<'_, 'b>> {
        if self.room() < 16 { None } else { Some(RawPair(self)) }
    }

    /// Writes the first `keep` (at most seven) of `first`, a byte, and after it the first `keep_last` (at most all) of `last`; false, and
    /// nothing is written, if there is no room for eight bytes and N.
    #[inline(always)]
    pub(in crate::wire) fn put_string<const N: usize>(
        &mut self,
        (first, keep): ([u8; 8], usize),
        byte: u8,
        last: &[u8; N],
        keep_last: usize,
    ) -> bool {
        if self.room() < 8 + N {
            return false;
        }
        let keep = keep & 7;
        // SAFETY: there is room for 8 + N bytes from `at` on. The byte is at most the eighth, and N bytes follow it. `last` cannot overlap
        // memory that is exclusively borrowed. All bytes up to the new `at` are written.
        unsafe {
            self.at.cast::<[u8; 8]>().write(first);
            self.at.add(keep).write(byte);
            ptr::copy_nonoverlapping(last.as_ptr(), self.at.add(keep + 1), N);
            self.at = self.at.add(keep + 1 + keep_last.min(N));
        }
        true
    }

    /// Overwrites the byte before the last `after` ones; false if so many and one more have not been written.
    #[inline(always)]
    pub(in crate::wire) fn set_before(&mut self, after: usize, byte: u8) -> bool {
        if after >= self.written() {
            return false;
        }
        // SAFETY: the byte is between `start` and `at`, in the allocation that is exclusively borrowed.
        unsafe { self.at.sub(after + 1).write(byte) };
        true
    }

    /// Moves the bytes written from `from` on so that they begin at `to`, which is at most eight bytes later. Bytes between have
    /// been written, or are zero. False, and nothing moves, if `from` is not written or the moved bytes do not fit.
    #[inline(always)]
    pub(in crate::wire) fn shift(&mut self, from: usize, to: usize) -> bool {
        if from > self.written() || to > from + 8 || to > from && self.room() < to - from {
            return false;
        }
        // SAFETY: just checked; the rest is the invariant.
        unsafe { self.at = Self::shifted(self.start, self.at, from, to) };
        true
    }

    /// Out of line, and of pointers only: with a reference to the spare, it would be in memory and not in registers.
    ///
    /// # Safety
    /// `start` to `at` have been written, in an allocation that is exclusively borrowed. `from` is inside, and `to` at most eight bytes
    /// larger. If it is larger, there is room for so many bytes after `at`.
    #[inline(never)]
    unsafe fn shifted(start: *mut u8, at: *mut u8, from: usize, to: usize) -> *mut u8 {
        let len = at.addr() - start.addr() - from;
        // SAFETY: `from..from + len` has been written. `to + len` is at most the old `at` if `to <= from`, else at most
        // `to - from` more, for which there is room. Source and target may overlap, so `copy`. If `to` is larger, the bytes
        // from `from` to `to` are zeroed: all bytes up to the new `at` are written.
        unsafe {
            ptr::copy(start.add(from), start.add(to), len);
            if to > from {
                ptr::write_bytes(start.add(from), 0, to - from);
            }
            start.add(to + len)
        }
    }

    /// Writes `bytes` if there is room.
    #[inline(always)]
    pub(in crate::wire) fn put_slice(&mut self, bytes: &[u8]) -> bool {
        if self.room() < bytes.len() {
            return false;
        }
        // SAFETY: as in `put`; `bytes` cannot overlap memory that is exclusively borrowed.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len());
            self.at = self.at.add(bytes.len());
        }
        true
    }

    /// Writes words, little endian, if there is room.
    #[inline(always)]
    pub(in crate::wire) fn put_words(&mut self, words: &[u32]) -> bool {
        let len = size_of_val(words);
        if self.room() < len {
            return false;
        }
        // SAFETY: as in `put_slice`: `len` bytes are read from `words`, or written four at a time.
        unsafe {
            if cfg!(target_endian = "little") {
                ptr::copy_nonoverlapping(words.as_ptr().cast(), self.at, len);
            } else {
                for (i, word) in words.iter().enumerate() {
                    self.at.add(4 * i).cast::<[u8; 4]>().write(word.to_le_bytes());
                }
            }
            self.at = self.at.add(len);
        }
        true
    }

    /// Gives up the room that is left.
    pub(in crate::wire) fn close(&mut self) {
        self.end = self.at;
    }

    #[inline(always)]
    pub(in crate::wire) fn finish(self) -> RawWritten<'b> {
        // SAFETY: `start` to `at` is one initialised range of the allocation, borrowed exclusively for `'b`, and
        // `self`, the only way to write to it, is gone.
        RawWritten(unsafe { slice::from_raw_parts(self.start, self.written()) })
    }
}

/// The room of a spare, for another function to fill. Two words, which are passed in registers.
#[cfg(any(test, not(tablepb_safe)))]
pub(in crate::wire) struct RawRoom<'w> {
    at: *mut u8,
    end: *mut u8,
    life: PhantomData<&'w mut [MaybeUninit<u8>]>,
}

/// Most bytes of the second part of an item.
pub(in crate::wire) const ITEM: usize = 32;

/// Room for eight bytes and [`ITEM`] more: checked before there is anything to write, so that the case without room has nothing
/// to keep.
#[cfg(any(test, not(tablepb_safe)))]
pub(in crate::wire) struct RawItem<'s, 'b>(&'s mut RawSpare<'b>);

#[cfg(any(test, not(tablepb_safe)))]
impl RawItem<'_, '_> {
    /// Writes the first `keep_first` (at most seven) of `first`, and after them the first `keep` (at most all) of `last`.
    #[inline(always)]
    pub(in crate::wire) fn put<const N: usize>(
        self,
        first: [u8; 8],
        keep_first: usize,
        last: &[u8; N],
        keep: usize,
    ) {
        const { assert!(N <= ITEM) };
        let spare = self.0;
        // SAFETY: `RawSpare::item` found room for 8 + ITEM bytes from `at` on, and nothing was written since, because this value
        // borrows the spare. The second part begins at most seven bytes further, and its N bytes are at most ITEM. `last`
        // cannot overlap memory that is exclusively borrowed. All bytes up to the new `at` are written.
        unsafe {
            spare.at.cast::<[u8; 8]>().write(first);
            spare.at = spare.at.add(keep_first & 7);
            ptr::copy_nonoverlapping(last.as_ptr(), spare.at, N);
            spare.at = spare.at.add(keep.min(N));
        }
    }

    /// Writes the first `keep` (at most seven) of `tag`, `len` as a byte, and `len` bytes that begin with `first` and end with `last`; `len` is
    /// N to 2 * N. If it is less, N bytes are written, and `len` of them kept.
    #[inline(always)]
    pub(in crate::wire) fn put_ends<const N: usize>(
        self,
        (tag, keep): ([u8; 8], usize),
        len: usize,
        first: &[u8; N],
        last: &[u8; N],
    ) {
        const { assert!(2 * N <= ITEM) };
        let (spare, keep) = (self.0, keep & 7);
        // SAFETY: `RawSpare::item` found room for 8 + ITEM bytes from `at` on, and nothing was written since, because this value
        // borrows the spare. The byte is at most the eighth; the two blocks end at most 2 * N, so ITEM, bytes after it. They cannot
        // overlap memory that is exclusively borrowed. With `len` from N to 2 * N they leave no gap, and with less the first one
        // covers it, so all bytes up to the new `at` are written.
        unsafe {
            let len = len.min(2 * N);
            spare.at.cast::<[u8; 8]>().write(tag);
            let at = spare.at.add(keep);
            at.write(len as u8);
            at.add(1).cast::<[u8; N]>().write(*first);
            at.add(1 + len.saturating_sub(N)).cast::<[u8; N]>().write(*last);
            spare.at = at.add(1 + len);
        }
    }

    /// Writes two bytes, and after them the first five bytes of each item; at most five items.
    #[inline(always)]
    pub(in crate::wire) fn put_fives<const N: usize>(self, first: [u8; 2], items: [[u8; 8]; N]) {
        const { assert!(5 * N + 3 <= ITEM) };
        let spare = self.0;
        // SAFETY: as in `put`: item i begins 2 + 5 * i bytes after `at` and has eight bytes, so the last one ends at most ITEM + 2
        // bytes after it. All bytes up to the new `at` are written.
        unsafe {
            spare.at.cast::<[u8; 2]>().write(first);
            for (i, item) in items.into_iter().enumerate() {
                spare.at.add(2 + 5 * i).cast::<[u8; 8]>().write(item);
            }
            spare.at = spare.at.add(2 + 5 * N);
        }
    }
}

/// Room for two times eight bytes, checked before there is anything to write.
#[cfg(any(test, not(tablepb_safe)))]
pub(in crate::wire) struct RawPair<'s, 'b>(&'s mut RawSpare<'b>);

#[cfg(any(test, not(tablepb_safe)))]
impl RawPair<'_, '_> {
    /// Writes the first `keep_first` (at most seven) of `first`, and after them the first `keep` (at most all) of `last`; keeps nothing, without
    /// a branch, if not `on`.
    #[inline(always)]
    pub(in crate::wire) fn put_if(
        self,
        (first, keep_first): ([u8; 8], usize),
        last: [u8; 8],
        keep: usize,
        on: bool,
    ) {
        let (spare, keep_first) = (self.0, keep_first & 7);
        // All ones or zero.
        let mask = usize::from(on).wrapping_neg();
        // SAFETY: `RawSpare::pair` found room for 16 bytes from `at` on, and nothing was written since, because this value borrows the
        // spare. The second part begins at most seven bytes further. All bytes up to the new `at`, the old one if not `on`, are written.
        unsafe {
            spare.at.cast::<[u8; 8]>().write(first);
            spare.at.add(keep_first).cast::<[u8; 8]>().write(last);
            spare.at = spare.at.add((keep_first + keep.min(8)) & mask);
        }
    }
}

/// Proof that the bytes at the start of a window have been written, while the window is borrowed.
#[cfg(any(test, not(tablepb_safe)))]
pub struct RawWritten<'b>(&'b [u8]);

#[cfg(any(test, not(tablepb_safe)))]
impl<'b> RawWritten<'b> {
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u8] {
        self.0
    }
}

#[cfg(not(tablepb_safe))]
pub use RawWritten as Written;
#[cfg(tablepb_safe)]
pub use twin::SafeWritten as Written;

#[cfg(test)]
mod tests;
#[cfg(any(test, tablepb_safe))]
mod twin;
