//! The fence of the reverse cursor: memory filled from its end.
//!
//! Invariant of [`RawReverse`]: `start <= at <= end` are in one exclusively borrowed allocation, and all bytes from
//! `at` to `end` have been written. [`SafeReverse`] is the twin with the same methods and the same answers, which
//! `cfg(tablepb_safe)` builds use.

#![allow(unsafe_code)]

#[cfg(not(tablepb_safe))]
pub(super) use RawReverse as Spare;
#[cfg(tablepb_safe)]
pub(super) use SafeReverse as Spare;

use crate::wire::output::cursor::Cursor;
#[cfg(any(test, not(tablepb_safe)))]
use crate::wire::output::spare::RawWritten;
#[cfg(any(test, tablepb_safe))]
use crate::wire::output::spare::SafeWritten;
use core::mem::MaybeUninit;
#[cfg(any(test, not(tablepb_safe)))]
use core::{marker::PhantomData, ptr, slice};

/// Memory to fill, as three pointers.
#[cfg(any(test, not(tablepb_safe)))]
pub(super) struct RawReverse<'b> {
    start: *mut u8,
    at: *mut u8,
    end: *mut u8,
    life: PhantomData<&'b mut [MaybeUninit<u8>]>,
}

#[cfg(any(test, not(tablepb_safe)))]
impl<'b> RawReverse<'b> {
    #[inline(always)]
    pub(super) fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        let range = memory.as_mut_ptr_range();
        let (start, end) = (range.start.cast(), range.end.cast());
        Self { start, at: end, end, life: PhantomData }
    }

    #[inline(always)]
    pub(super) fn over(memory: &'b mut [u8]) -> Self {
        let range = memory.as_mut_ptr_range();
        Self { start: range.start, at: range.end, end: range.end, life: PhantomData }
    }

    #[inline(always)]
    pub(super) fn written(&self) -> usize {
        self.end.addr() - self.at.addr()
    }

    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        self.at.addr() - self.start.addr()
    }

    /// Writes `bytes` if there is room for all of them, and keeps the last `keep` (at most all).
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
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

    /// Writes the last `keep` bytes (at most all) of `last`, and before them the last `keep_first` (at most seven) of `first`,
    /// if there is room for both words.
    #[inline(always)]
    pub(super) fn put_two(&mut self, first: [u8; 8], keep_first: usize, last: [u8; 8], keep: usize) -> bool {
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
    pub(super) fn put_fives<const N: usize>(&mut self, items: [[u8; 8]; N]) -> bool {
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
    pub(super) fn put_slice(&mut self, bytes: &[u8]) -> bool {
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
    pub(super) fn put_words(&mut self, words: &[u32]) -> bool {
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
    pub(super) fn put_forward(&mut self, len: usize, write: impl FnOnce(&mut Cursor<'_>)) -> bool {
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

    /// Discards the remaining room. The bytes written so far must not be used.
    pub(super) fn close(&mut self) {
        self.start = self.at;
    }

    #[inline(always)]
    pub(super) fn finish(self) -> RawWritten<'b> {
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
pub(super) struct SafeReverse<'b> {
    bytes: alloc::vec::Vec<u8>,
    limit: usize,
    target: &'b mut [u8],
}

#[cfg(any(test, tablepb_safe))]
impl<'b> SafeReverse<'b> {
    pub(super) fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        Self { bytes: alloc::vec::Vec::new(), limit: memory.len(), target: &mut [] }
    }

    pub(super) fn over(memory: &'b mut [u8]) -> Self {
        Self { bytes: alloc::vec::Vec::new(), limit: memory.len(), target: memory }
    }

    pub(super) fn written(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn room(&self) -> usize {
        self.limit - self.bytes.len()
    }

    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
        self.room() >= N && self.put_slice(&bytes[N - keep.min(N)..])
    }

    pub(super) fn put_two(&mut self, first: [u8; 8], keep_first: usize, last: [u8; 8], keep: usize) -> bool {
        self.room() >= 16 && self.put(last, keep) && self.put_slice(&first[8 - (keep_first & 7)..])
    }

    pub(super) fn put_fives<const N: usize>(&mut self, items: [[u8; 8]; N]) -> bool {
        self.room() >= 5 * N + 3 && items.into_iter().rev().all(|item| self.put_slice(&item[3..]))
    }

    pub(super) fn put_slice(&mut self, bytes: &[u8]) -> bool {
        let fits = self.room() >= bytes.len();
        if fits {
            self.bytes.extend(bytes.iter().rev());
        }
        fits
    }

    pub(super) fn put_words(&mut self, words: &[u32]) -> bool {
        let bytes: alloc::vec::Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put_slice(&bytes)
    }

    pub(super) fn put_forward(&mut self, len: usize, write: impl FnOnce(&mut Cursor<'_>)) -> bool {
        if self.room() < len {
            return false;
        }
        let mut window = alloc::vec![0; len];
        let mut cursor = Cursor::over(&mut window);
        write(&mut cursor);
        let full = cursor.finish().is_ok_and(|written| written.as_slice().len() == len);
        full && self.put_slice(&window)
    }

    pub(super) fn close(&mut self) {
        self.limit = self.bytes.len();
    }

    pub(super) fn finish(mut self) -> SafeWritten<'b> {
        self.bytes.reverse();
        let len = self.bytes.len();
        if let Some(target) = self.target.get_mut(..len) {
            target.copy_from_slice(&self.bytes);
        }
        SafeWritten::new(self.bytes)
    }
}
