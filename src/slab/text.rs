//! The fence around strings: a string is read without a check only if its bytes have been checked.
//!
//! The store holds at most 2^31-1 bytes, so the top bit of a length is free. In a string's (offset, length) it is a mark:
//! these bytes are UTF-8. A reader believes the mark only while the slab is *trusted*, and checks the bytes again
//! otherwise. What that rests on:
//!
//! - A marked pair is made in two places, both here: [`Text::check`] looks at the bytes first, and [`Text::copy`] copies the
//!   bytes of a marked pair itself. A byte store is only appended to while its slab refers to it.
//! - A slot that holds strings holds nothing else: number, bytes and messages have slots of their own, in oneofs as well
//!   (`program/layout.rs`), and the slots of strings are zero when a body is made. So neither an old word nor a stale
//!   presence bit makes a number or a bytes value a marked string.
//! - After any operation that failed (no memory, no budget, bad input) the slab is not trusted until it is cleared or copied.
//!   What a failure leaves half done therefore costs a check per string, and never more.

#![allow(unsafe_code)]

use super::Words;
use super::span::{MARK, bytes_at};
use crate::wire::utf8;
use alloc::vec::Vec;

/// The (offset, length) of bytes that were found to be UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text(u64);

impl Text {
    /// The empty string.
    pub(crate) const EMPTY: Self = Self((MARK as u64) << 32);

    /// The string of `len` bytes at `start`, if all of it is there and is UTF-8.
    #[inline(always)]
    pub(crate) fn check(store: &[u8], start: usize, len: usize) -> Option<Self> {
        Self::check_moved(store, start, len, 0)
    }

    /// The same, of a copy of a part of the store: `shift` is where the copy begins in the store. For `PaddedStore`, which keeps both.
    #[inline(always)]
    pub(crate) fn check_moved(bytes: &[u8], start: usize, len: usize, shift: usize) -> Option<Self> {
        // With a branch and not an empty slice instead, whose bytes compilers choose one by one.
        utf8::from_prefix(bytes.get(start..)?, len)?;
        Some(Self((start + shift) as u64 | (len as u64) << 32 | Self::EMPTY.0))
    }

    /// Copies the string or bytes of a pair to the end of `to`, which has room for them, and gives their pair there: marked, if
    /// they are known to be UTF-8 or are.
    #[inline]
    pub(crate) fn copy(words: Words<'_>, store: &[u8], pair: u64, to: &mut Vec<u8>) -> u64 {
        let bytes = bytes_at(store, pair).unwrap_or(&[]);
        let start = to.len();
        to.extend_from_slice(bytes);
        let span = start as u64 | (bytes.len() as u64) << 32;
        if words.trusts(pair) {
            // These bytes were checked, and are the same here.
            return span | Self::EMPTY.0;
        }
        Self::check(to, start, bytes.len()).map_or(span, Self::pair)
    }

    /// What a slot holds: the offset in the low half, length and mark in the other.
    #[inline(always)]
    pub(crate) fn pair(self) -> u64 {
        self.0
    }
}

/// The string of a pair in a slab, if its bytes are all there; empty if they are not UTF-8, which no field with UTF-8
/// validation has.
///
/// Checking all strings again costs as much as decoding them did.
#[inline(always)]
pub(crate) fn text_at<'i>(words: Words<'_>, store: &'i [u8], pair: u64) -> Option<&'i str> {
    let bytes = bytes_at(store, pair)?;
    if words.trusts(pair) { Some(marked_str(bytes)) } else { recheck(bytes) }
}

/// Out of line, as are all rare things that readers meet.
#[cold]
#[inline(never)]
fn recheck(bytes: &[u8]) -> Option<&str> {
    let text = utf8::from_utf8(bytes);
    debug_assert!(text.is_some(), "a string was not validated: {}", bytes.escape_ascii());
    Some(text.unwrap_or(""))
}

#[cfg(not(any(debug_assertions, tablepb_safe)))]
#[inline(always)]
fn marked_str(bytes: &[u8]) -> &str {
    // SAFETY: the only caller has seen a marked pair in a slab that is trusted. By the three points above
    // `Text::check` made the pair, from bytes that have not changed since.
    unsafe { core::str::from_utf8_unchecked(bytes) }
}

/// The safe twin.
#[cfg(any(debug_assertions, tablepb_safe))]
fn marked_str(bytes: &[u8]) -> &str {
    recheck(bytes).unwrap_or("")
}
