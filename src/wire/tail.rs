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
//! Invariant of [`RawTail`]: `start <= at <= end` are in the spare capacity of `buf`, which nobody else can reach
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
use core::mem::MaybeUninit;
use core::{ptr, slice};

/// The longest tail: a message of 2^31-1 bytes with the longest prefix.
const LIMIT: usize = super::MAX_LEN + 5;

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
mod tests {
    use super::super::buffer::sealed::OutOfMemory;
    use super::*;
    use alloc::{vec, vec::Vec};

    /// A long walk of items; gives what was answered at each step and what was committed.
    macro_rules! run {
        ($tail:expr, $steps:expr) => {{
            let mut tail = $tail;
            let buffer = tail.buffer();
            let mut seen = Vec::new();
            for &(what, keep) in $steps {
                let word = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8_u8];
                let done = match what {
                    0 => tail.put([keep as u8], 1),
                    1 => tail.put(word, keep),
                    2 => tail.put_pair(word, keep, [keep as u8; 8], 8),
                    3 => tail.put_slice(&[keep as u8; 90][..keep * 2]),
                    4 => {
                        tail.truncate(tail.len() - keep.min(tail.len()) / 4);
                        true
                    }
                    5 => {
                        let middle = tail.len() / 2;
                        tail.as_mut_slice().get_mut(middle).is_none_or(|byte| {
                            *byte ^= keep as u8;
                            true
                        })
                    }
                    _ => {
                        tail.close();
                        false
                    }
                };
                seen.push((done, tail.len()));
                assert_eq!(tail.buffer(), buffer);
            }
            (seen, tail.is_closed(), tail.commit().map(<[u8]>::to_vec))
        }};
    }

    #[test]
    fn the_safe_twin_agrees() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for round in (0..2_000_usize).step_by(if cfg!(miri) { 257 } else { 1 }) {
            let steps: Vec<(u64, usize)> = (0..60)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 33) % if round % 5 == 0 { 7 } else { 6 }, (state >> 40) as usize % 41)
                })
                .map(|(what, keep)| (what, if what == 6 && keep > 3 { 0 } else { keep }))
                .map(|(what, keep)| if what == 6 && keep == 0 { (0, 1) } else { (what, keep) })
                .collect();
            let content = &b"content"[..round % 8];
            let start = || {
                let mut buf = Vec::with_capacity(round % 64 + content.len());
                buf.extend_from_slice(content);
                buf
            };
            let (mut raw_buf, mut safe_buf) = (start(), start());
            let raw = run!(RawTail::new(&mut raw_buf, round % 10), &steps);
            let safe = run!(SafeTail::new(&mut safe_buf, round % 10), &steps);
            assert_eq!(raw, safe, "{steps:?}");
            assert_eq!(raw_buf, safe_buf);
            assert_eq!(raw_buf, [content, &raw.2.unwrap_or_default()].concat());
            #[cfg(feature = "bytes")]
            {
                let mut shared = bytes::BytesMut::from(&[b"...", content].concat()[..]);
                drop(shared.split_to(3));
                assert_eq!(run!(RawTail::new(&mut shared, round % 10), &steps), safe);
                assert_eq!(shared, raw_buf);
            }
        }
    }

    #[test]
    fn what_is_not_committed_leaves_no_trace() {
        let mut buf = b"ab".to_vec();
        let mut tail = RawTail::new(&mut buf, 0);
        assert!(tail.put_slice(&[1; 1000]));
        assert_eq!(tail.len(), 1000);
        assert_eq!(buf, b"ab");
        let mut tail = RawTail::new(&mut buf, 0);
        assert!(tail.put([7], 1));
        tail.close();
        assert!(!tail.put([8], 1) && tail.commit().is_none());
        assert_eq!(buf, b"ab");
    }

    /// A buffer without memory: it says so, or panics.
    #[derive(Default)]
    struct Stingy(Vec<u8>, bool);

    impl RawBuffer for Stingy {
        fn as_bytes(&self) -> &[u8] {
            &self.0
        }
        fn as_bytes_mut(&mut self) -> &mut [u8] {
            &mut self.0
        }
        fn reserve_bytes(&mut self, _: usize) -> Result<(), OutOfMemory> {
            assert!(!self.1, "no memory for you");
            Err(OutOfMemory)
        }
        fn truncate_to(&mut self, len: usize) {
            self.0.truncate(len);
        }
        fn extend(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }
        fn spare(&mut self) -> &mut [core::mem::MaybeUninit<u8>] {
            self.0.spare_capacity_mut()
        }
        unsafe fn grow(&mut self, len: usize) {
            // SAFETY: the caller's duties are those of `set_len`.
            unsafe { self.0.set_len(self.0.len() + len) };
        }
    }

    /// With two bytes of content and so many of room.
    fn stingy(room: usize, panics: bool) -> Stingy {
        let mut memory = vec![0; 2 + room];
        memory.truncate(2);
        Stingy(memory, panics)
    }

    #[test]
    fn a_buffer_that_panics_is_left_alone() {
        let mut buf = stingy(18, true);
        let mut tail = RawTail::new(&mut buf, 0);
        assert!(tail.put_slice(b"0123456789"));
        let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| tail.put([0; 32], 32)));
        assert!(caught.is_err());
        assert_eq!((tail.len(), tail.as_mut_slice().len(), tail.put([1], 1)), (0, 0, false));
        assert!(tail.commit().is_none());
        assert_eq!(buf.0, [0, 0]);
    }

    #[test]
    fn a_buffer_that_cannot_grow_closes_the_tail() {
        for room in 0..40 {
            let mut buf = stingy(room, false);
            let mut tail = RawTail::new(&mut buf, 3);
            assert_eq!((tail.is_closed(), tail.len()), (room < HEAD, if room < HEAD { 0 } else { 3 }));
            let mut len = tail.len();
            while tail.put([7], 1) {
                len += 1;
            }
            assert_eq!((tail.len(), len), (len, if room < HEAD { 0 } else { room }));
            assert!(tail.is_closed() && tail.as_mut_slice().iter().skip(3).all(|&byte| byte == 7));
            assert!(!tail.put([1; 8], 0) && !tail.put_slice(b"x") && !tail.put_pair([0; 8], 0, [0; 8], 0));
            tail.truncate(4);
            assert!(!tail.put([1], 1), "a byte is missing somewhere");
            assert!(tail.commit().is_none());
            assert_eq!(buf.0, [0, 0]);
        }
    }
}
