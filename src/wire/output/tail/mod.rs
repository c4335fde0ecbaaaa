//! The fence of the streaming writer: bytes in the spare capacity of a buffer that are not yet part of its content.
//!
//! A [`Tail`] appends item by item, without knowing the final length, and grows the buffer when it must:
//!
//! ```text
//! put(bytes):
//!     if room < len(bytes): grow              // cold
//!     store all of bytes, advance by those that count
//! grow:
//!     make the tail content, so that the buffer moves it
//!     reserve; truncate to the old content    // also if the buffer panics
//! commit:
//!     make the tail content
//! ```
//!
//! The buffer keeps its length until [`commit`](RawTail::commit): a tail that is dropped or leaked changes nothing.
//!
//! Invariant of [`RawTail`]: `start <= at <= end` are in the spare capacity of `buf`, which no other code can reach
//! while it is borrowed, and all bytes from `start` to `at` have been written; or the three are equal and dangling,
//! and nothing is written.
//!
//! [`SafeTail`] is the twin with the same methods and the same answers, on a `Vec`; it is what `cfg(tablepb_safe)`
//! builds use. Only `record` uses tails.

#![allow(unsafe_code)]

#[cfg(not(tablepb_safe))]
pub(crate) use RawTail as Tail;
#[cfg(tablepb_safe)]
pub(crate) use SafeTail as Tail;

use super::buffer::sealed::RawBuffer;
use core::ptr;
#[cfg(any(test, not(tablepb_safe)))]
use core::{mem::MaybeUninit, slice};

/// The longest tail: a message of 2^31-1 bytes with the longest prefix.
const LIMIT: usize = crate::wire::MAX_LEN + 5;

/// Zeros that a tail can start with.
const HEAD: usize = 8;

/// Bytes in the spare capacity of a buffer, as three pointers.
#[cfg(any(test, not(tablepb_safe)))]
pub(crate) struct RawTail<'b> {
    buf: &'b mut dyn RawBuffer,
    start: *mut u8,
    at: *mut u8,
    end: *mut u8,
    /// Nothing more is accepted: the user closed the tail, or the buffer could not grow.
    closed: bool,
}

// SAFETY: the pointers are into memory that the buffer owns and `self` borrows exclusively, and a `RawBuffer` is
// `Send` and `Sync`; `&RawTail` gives shared access to bytes only.
#[cfg(any(test, not(tablepb_safe)))]
unsafe impl Send for RawTail<'_> {}

// SAFETY: as for `Send`.
#[cfg(any(test, not(tablepb_safe)))]
unsafe impl Sync for RawTail<'_> {}

/// Truncates a buffer to its old content when dropped, also if reserving panics.
#[cfg(any(test, not(tablepb_safe)))]
struct Restore<'a> {
    buf: &'a mut dyn RawBuffer,
    len: usize,
}

#[cfg(any(test, not(tablepb_safe)))]
impl Drop for Restore<'_> {
    fn drop(&mut self) {
        self.buf.truncate_to(self.len);
    }
}

#[cfg(any(test, not(tablepb_safe)))]
impl<'b> RawTail<'b> {
    /// Starts at the end of the buffer's content with `head` zeros, at most eight.
    ///
    /// Writes the zeros first and makes the tail in its final place: a tail that is made, written to and then moved costs as
    /// much as five fields.
    #[inline(always)]
    pub(crate) fn new<B: RawBuffer>(buf: &'b mut B, head: usize) -> Self {
        if buf.spare().len() < HEAD {
            // Without memory the tail has no head and starts closed.
            let _ = buf.reserve_bytes(HEAD);
        }
        let spare = buf.spare();
        let (head, closed) = match spare.first_chunk_mut::<HEAD>() {
            Some(first) => {
                *first = [MaybeUninit::new(0); HEAD];
                (head.min(HEAD), false)
            }
            None => (0, true),
        };
        let range = spare.as_mut_ptr_range();
        let (start, end) = (range.start.cast::<u8>(), range.end.cast());
        // SAFETY: the `HEAD` bytes from `start` on are in the spare capacity and written, or `head` is 0.
        let at = unsafe { start.add(head) };
        Self { buf, start, at, end: if closed { start } else { end }, closed }
    }

    /// Whether it was [closed](Self::close), by itself if there was no memory.
    #[cold]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The address of the buffer, which no other tail has.
    #[inline(always)]
    pub(crate) fn buffer(&self) -> usize {
        ptr::from_ref(&*self.buf).addr()
    }

    /// How many bytes have been written.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.at.addr() - self.start.addr()
    }

    #[inline(always)]
    fn room(&self) -> usize {
        self.end.addr() - self.at.addr()
    }

    /// Writes the first `keep` (at most all) of `bytes`; false if the tail is closed or would be too long.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
        if self.room() < N && !self.grow(N) {
            return false;
        }
        // SAFETY: `at` is in the buffer's spare capacity with at least N bytes up to `end`, which `grow` has made
        // sure of if it was not so; `[u8; N]` has alignment 1. All bytes up to `at + N` are written, so the new
        // `at` keeps the invariant.
        unsafe {
            self.at.cast::<[u8; N]>().write(bytes);
            self.at = self.at.add(keep.min(N));
        }
        true
    }

    /// Writes the first `keep` of one word and the first `keep_second` of another, with one check for room.
    #[inline(always)]
    pub(crate) fn put_pair(
        &mut self,
        first: [u8; 8],
        keep: usize,
        second: [u8; 8],
        keep_second: usize,
    ) -> bool {
        if self.room() < 16 && !self.grow(16) {
            return false;
        }
        // SAFETY: as in `put`, for 16 bytes: the second word starts at most 8 bytes after `at`, and all bytes up to
        // its end are written.
        unsafe {
            self.at.cast::<[u8; 8]>().write(first);
            self.at = self.at.add(keep.min(8));
            self.at.cast::<[u8; 8]>().write(second);
            self.at = self.at.add(keep_second.min(8));
        }
        true
    }

    /// Writes `bytes`; false if the tail is closed or would be too long.
    #[inline(always)]
    pub(crate) fn put_slice(&mut self, bytes: &[u8]) -> bool {
        if self.room() < bytes.len() && !self.grow(bytes.len()) {
            return false;
        }
        // SAFETY: as in `put`; `bytes` cannot overlap the spare capacity, which is exclusively borrowed.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len());
            self.at = self.at.add(bytes.len());
        }
        true
    }

    /// What has been written.
    #[inline(always)]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `start` to `at` is initialised, exclusively borrowed memory; dangling pointers give an empty slice.
        unsafe { slice::from_raw_parts_mut(self.start, self.len()) }
    }

    /// Keeps the first `len` bytes.
    #[inline(always)]
    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.len() {
            // SAFETY: `start + len` is before `at`.
            self.at = unsafe { self.start.add(len) };
            if self.closed {
                self.end = self.at;
            }
        }
    }

    /// Refuses everything from now on, [`commit`](Self::commit) included.
    #[cold]
    pub(crate) fn close(&mut self) {
        self.closed = true;
        self.end = self.at;
    }

    /// Makes what has been written part of the buffer and returns it; `None` if the tail is closed.
    #[inline]
    pub(crate) fn commit(self) -> Option<&'b [u8]> {
        let len = self.len();
        let buf = self.buf;
        if self.closed {
            return None;
        }
        // SAFETY: the spare capacity starts at `start`, and `len` bytes from there on are written.
        Some(unsafe { buf.grow_by(len) })
    }

    /// Makes room for `more` bytes, at least.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> bool {
        let len = self.len();
        if self.closed || more > LIMIT - len.min(LIMIT) {
            return false;
        }
        // If the buffer panics, no pointer into it must be left.
        let nowhere = ptr::NonNull::dangling().as_ptr();
        (self.start, self.at, self.end, self.closed) = (nowhere, nowhere, nowhere, true);
        let content = self.buf.as_bytes().len();
        // SAFETY: the spare capacity starts with `len` bytes that are written. They are content for as long as the
        // buffer may move them.
        unsafe { self.buf.grow(len) };
        let moved = Restore { buf: &mut *self.buf, len: content };
        let grown = moved.buf.reserve_bytes(more).is_ok();
        drop(moved);
        let range = self.buf.spare().as_mut_ptr_range();
        self.start = range.start.cast();
        self.end = range.end.cast();
        // SAFETY: a buffer keeps its memory when it is truncated, so these are the `len` bytes that were content a
        // moment ago, followed by the room that was reserved if there was memory for it.
        self.at = unsafe { self.start.add(len) };
        self.closed = !grown;
        if !grown {
            self.end = self.at;
        }
        grown
    }
}

/// The safe twin: collects in a `Vec`, and appends that to the buffer at the end.
#[cfg(any(test, tablepb_safe))]
pub(crate) struct SafeTail<'b> {
    buf: &'b mut dyn RawBuffer,
    bytes: alloc::vec::Vec<u8>,
    closed: bool,
}

#[cfg(any(test, tablepb_safe))]
impl<'b> SafeTail<'b> {
    pub(crate) fn new<B: RawBuffer>(buf: &'b mut B, head: usize) -> Self {
        let mut bytes = alloc::vec::Vec::new();
        let closed = bytes.try_reserve(HEAD).is_err();
        bytes.resize(if closed { 0 } else { head.min(HEAD) }, 0);
        Self { buf, bytes, closed }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn buffer(&self) -> usize {
        ptr::from_ref(&*self.buf).addr()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
        !self.closed && self.put_slice(&bytes[..keep.min(N)])
    }

    pub(crate) fn put_pair(
        &mut self,
        first: [u8; 8],
        keep: usize,
        second: [u8; 8],
        keep_second: usize,
    ) -> bool {
        self.put(first, keep) && self.put(second, keep_second)
    }

    pub(crate) fn put_slice(&mut self, bytes: &[u8]) -> bool {
        let room = if self.closed { 0 } else { LIMIT - self.bytes.len().min(LIMIT) };
        if bytes.len() > room {
            return false;
        }
        if self.bytes.try_reserve(bytes.len()).is_err() {
            self.closed = true;
            return false;
        }
        self.bytes.extend_from_slice(bytes);
        true
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    pub(crate) fn commit(self) -> Option<&'b [u8]> {
        let buf = self.buf;
        if self.closed || buf.reserve_bytes(self.bytes.len()).is_err() {
            return None;
        }
        buf.extend(&self.bytes);
        let content: &'b [u8] = buf.as_bytes();
        content.get(content.len() - self.bytes.len()..)
    }
}

#[cfg(test)]
mod tests;
