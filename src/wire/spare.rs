//! The fence of the write cursor: a window of memory that may be uninitialised, filled from its start.
//!
//! Invariant of [`RawSpare`]: `start <= at <= end` are in one exclusively borrowed allocation, and all bytes from
//! `start` to `at` have been written. [`Written`] carries that proof to [`Buffer`](super::Buffer).
//!
//! [`SafeSpare`] is the twin with the same methods and the same answers, on a `Vec`; it is what `cfg(tablepb_safe)`
//! builds use.

#![allow(unsafe_code)]

#[cfg(not(tablepb_safe))]
pub(super) use RawSpare as Spare;
#[cfg(tablepb_safe)]
pub(super) use SafeSpare as Spare;

use core::{marker::PhantomData, mem::MaybeUninit, ptr, slice};

/// Memory to be filled, as three pointers.
#[cfg(any(test, not(tablepb_safe)))]
pub(super) struct RawSpare<'b> {
    start: *mut u8,
    at: *mut u8,
    end: *mut u8,
    life: PhantomData<&'b mut [MaybeUninit<u8>]>,
}

#[cfg(any(test, not(tablepb_safe)))]
impl<'b> RawSpare<'b> {
    #[inline(always)]
    pub(super) fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        let range = memory.as_mut_ptr_range();
        let (start, end) = (range.start.cast(), range.end.cast());
        Self { start, at: start, end, life: PhantomData }
    }

    #[inline(always)]
    pub(super) fn over(memory: &'b mut [u8]) -> Self {
        let range = memory.as_mut_ptr_range();
        Self { start: range.start, at: range.start, end: range.end, life: PhantomData }
    }

    /// How many bytes have been written.
    #[inline(always)]
    pub(super) fn written(&self) -> usize {
        self.at.addr() - self.start.addr()
    }

    /// How many bytes can still be written.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        self.end.addr() - self.at.addr()
    }

    /// Writes `bytes` if there is room for all of them, and keeps the first `keep` (at most all).
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
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

    /// Writes `bytes` if there is room.
    #[inline(always)]
    pub(super) fn put_slice(&mut self, bytes: &[u8]) -> bool {
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

    /// Gives up the room that is left.
    pub(super) fn close(&mut self) {
        self.end = self.at;
    }

    #[inline(always)]
    pub(super) fn finish(self) -> RawWritten<'b> {
        // SAFETY: `start` to `at` is one initialised range of the allocation, borrowed exclusively for `'b`, and
        // `self`, the only way to write to it, is gone.
        RawWritten(unsafe { slice::from_raw_parts(self.start, self.written()) })
    }
}

/// Proof that the bytes at the start of a window have been written, while the window is borrowed.
#[cfg(any(test, not(tablepb_safe)))]
pub struct RawWritten<'b>(&'b [u8]);

#[cfg(any(test, not(tablepb_safe)))]
impl RawWritten<'_> {
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u8] {
        self.0
    }
}

#[cfg(not(tablepb_safe))]
pub use RawWritten as Written;
#[cfg(tablepb_safe)]
pub use SafeWritten as Written;

/// The safe twin: fills a `Vec` of limited length, and copies it to its slice, if it has one, at the end.
#[cfg(any(test, tablepb_safe))]
pub(super) struct SafeSpare<'b> {
    bytes: alloc::vec::Vec<u8>,
    limit: usize,
    target: &'b mut [u8],
}

#[cfg(any(test, tablepb_safe))]
impl<'b> SafeSpare<'b> {
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
        self.room() >= N && self.put_slice(&bytes[..keep.min(N)])
    }

    pub(super) fn put_slice(&mut self, bytes: &[u8]) -> bool {
        let fits = self.room() >= bytes.len();
        if fits {
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }

    pub(super) fn close(&mut self) {
        self.limit = self.bytes.len();
    }

    pub(super) fn finish(self) -> SafeWritten<'b> {
        let len = self.bytes.len();
        if let Some(target) = self.target.get_mut(..len) {
            target.copy_from_slice(&self.bytes);
        }
        SafeWritten(self.bytes, PhantomData)
    }
}

/// What the safe twin has written.
#[cfg(any(test, tablepb_safe))]
pub struct SafeWritten<'b>(alloc::vec::Vec<u8>, PhantomData<&'b [u8]>);

#[cfg(any(test, tablepb_safe))]
impl SafeWritten<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    #[cfg(tablepb_safe)]
    pub(super) fn into_vec(self) -> alloc::vec::Vec<u8> {
        self.0
    }
}
