//! The fence around strings: a string is read without a check only if its bytes have been checked.
//!
//! The store holds at most 2^31-1 bytes, so the top bit of a length is free. In the span of a string it is a mark: these
//! bytes are UTF-8. A reader believes the mark only while the slab is *trusted*; otherwise it checks the bytes again. This
//! rests on three points:
//!
//! - Marked spans are made in three places, all here: [`Text::check`] checks the bytes first, [`Text::copy`] copies the bytes of a
//!   marked span itself, and [`Text::append`] copies the bytes of a `str`. A byte store is only appended to while its slab refers to
//!   it.
//! - A slot for strings holds nothing else: numbers, bytes and messages have slots of their own, also in oneofs
//!   (`program/layout.rs`), and the slots of strings are zeroed when a body is made. So neither an old word nor a stale
//!   hasbit turns a number or a bytes value into a marked string.
//! - After an operation fails (no memory, no budget, bad input) the slab is not trusted until it is cleared or copied.
//!   Whatever the failure left half done costs one check per string, never more.

#![allow(unsafe_code)]

use super::ByteSpan;
use super::Words;
use crate::wire::utf8;
use alloc::vec::Vec;

/// The marked span of bytes that were found to be UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text(u64);

impl Text {
    /// The empty string.
    pub(crate) const EMPTY: Self = Self(ByteSpan::MARK);

    /// The string of `len` bytes at `start`, if it is inside the store and UTF-8.
    #[inline(always)]
    pub(crate) fn check(store: &[u8], start: usize, len: usize) -> Option<Self> {
        Self::check_moved(store, start, len, 0)
    }

    /// As [`check`](Self::check), in a copy of part of the store; `shift` is the offset of the copy in the store.
    #[inline(always)]
    pub(crate) fn check_moved(bytes: &[u8], start: usize, len: usize, shift: usize) -> Option<Self> {
        // The `?` is a branch. With an empty slice instead, compilers select the bytes one by one.
        utf8::from_prefix(bytes.get(start..)?, len)?;
        Some(Self(ByteSpan::new((start + shift) as u64, len as u64).word() | ByteSpan::MARK))
    }

    /// Appends the bytes of a span to `to`, which has room for them, and returns their span there: marked, if they are known or
    /// found to be UTF-8.
    #[inline]
    pub(crate) fn copy(words: Words<'_>, store: &[u8], pair: u64, to: &mut Vec<u8>) -> u64 {
        let bytes = ByteSpan::from_word(pair).bytes(store).unwrap_or(&[]);
        let start = to.len();
        to.extend_from_slice(bytes);
        let span = ByteSpan::new(start as u64, bytes.len() as u64).word();
        if words.trusts(pair) {
            // The same bytes were checked before.
            return span | ByteSpan::MARK;
        }
        Self::check(to, start, bytes.len()).map_or(span, Self::pair)
    }

    /// Bytes that [`append`](Self::append) may write at least, if it keeps fewer.
    #[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for JSON"))]
    pub(crate) const WINDOW: usize = 32;

    /// Appends the first `len` bytes of `rest` to `to`, which has room for them and for [`WINDOW`](Self::WINDOW) bytes. `None` if they
    /// are not a string of their own; then nothing is appended.
    #[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for JSON"))]
    #[inline(always)]
    pub(crate) fn append(to: &mut Vec<u8>, rest: &str, len: usize) -> Option<Self> {
        let (text, start) = (rest.get(..len)?, to.len());
        match rest.as_bytes().first_chunk::<{ Self::WINDOW }>() {
            // Copies as many bytes whatever the length, and drops those after it: calling `memcpy` takes longer.
            Some(window) if len <= Self::WINDOW => {
                to.extend_from_slice(window);
                to.truncate(start + len);
            }
            _ => to.extend_from_slice(text.as_bytes()),
        }
        Some(Self(ByteSpan::new(start as u64, len as u64).word() | ByteSpan::MARK))
    }

    /// The words of a slot: the offset in the low half, length and mark in the high half.
    #[inline(always)]
    pub(crate) fn pair(self) -> u64 {
        self.0
    }
}

/// The string of a span in a slab, if its bytes are inside the store. Empty if they are not UTF-8, which cannot happen to a
/// field with UTF-8 validation.
///
/// A trusted mark saves the check, which costs as much as decoding the string did.
#[inline(always)]
pub(crate) fn text_at<'i>(words: Words<'_>, store: &'i [u8], pair: u64) -> Option<&'i str> {
    let bytes = ByteSpan::from_word(pair).bytes(store)?;
    if words.trusts(pair) { Some(marked_str(bytes)) } else { recheck(bytes) }
}

/// Checks a string without a trusted mark. Out of line, so that getters stay small.
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
    // SAFETY: the only caller, `text_at`, has seen a marked span in a trusted slab. By the three points above, `Text::check`
    // has found these bytes to be UTF-8, and they have not changed since.
    unsafe { core::str::from_utf8_unchecked(bytes) }
}

/// The safe twin.
#[cfg(any(debug_assertions, tablepb_safe))]
fn marked_str(bytes: &[u8]) -> &str {
    let text = utf8::from_utf8(bytes);
    debug_assert!(text.is_some(), "a marked string is not UTF-8: {}", bytes.escape_ascii());
    text.unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::decode::{Job, Scratch, merge};
    use crate::engine::slab::{BodyRef, Slab};
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::options::DecodeOptions;
    use alloc::vec;

    /// The third point above, for a merge cut at each byte, without memory for each word, or with a fault in each string.
    #[test]
    fn no_mark_is_believed_after_a_merge_that_failed() {
        let field = |number, kind, presence| FieldSpec::new(number, kind, presence);
        let fields = vec![
            field(1, Kind::String, Presence::Explicit),
            field(2, Kind::Message(0), Presence::Explicit),
            field(3, Kind::String, Presence::Repeated),
        ];
        let set = ProgramSet::new(&[MessageSpec { fields, ..Default::default() }], &[]).unwrap();
        let input = *b"\x0a\x01a\x12\x08\x0a\x01b\x1a\x03cde\x1a\x01f\x1a\x01g\x0a\x02\xc3\xa9";
        let check = |input: &[u8], limit: usize| {
            let mut slab = Slab::new();
            slab.set_limit(1 << 16);
            let base = slab.alloc_body(set.program(0)).unwrap();
            slab.set_limit(limit);
            let (mut scratch, options) = (Scratch::new(), DecodeOptions::new());
            let job = Job::whole(&set, input, &mut slab, &mut scratch, &options);
            let merged = merge(job, BodyRef { program: 0, base }).is_ok();
            assert_eq!(slab.words().trusts(ByteSpan::MARK), merged, "{input:02x?} {limit}");
            merged
        };
        let cuts = (0..=input.len()).filter(|&cut| check(&input[..cut], 1 << 16)).count();
        let limits = (0..2_000).step_by(if cfg!(miri) { 97 } else { 5 });
        let tried = limits.len();
        let limits = limits.filter(|words| check(&input, 4 * words)).count();
        let texts = [2, 7, 10, 15, 18, 21].map(|at| {
            let mut other = input;
            other[at] = 0xff;
            check(&other, 1 << 16)
        });
        assert!(cuts > 3 && cuts < input.len() && limits > 0 && limits < tried, "{cuts} {limits}");
        assert_eq!(texts, [false; 6]);
    }

    /// Whatever the length: short strings, long ones and the words of long ones are compared in different ways.
    #[test]
    fn the_last_byte_of_a_string_of_any_length_is_checked() {
        for len in (1..300).step_by(if cfg!(miri) { 37 } else { 1 }) {
            for after in [0, 1, 40] {
                let mut bytes = vec![b'a'; 3 + len + after];
                let check = |bytes: &[u8]| Text::check_moved(bytes, 3, len, 1000).map(Text::pair);
                let span = ByteSpan::new(1003, len as u64).word() | ByteSpan::MARK;
                assert_eq!(check(&bytes), Some(span));
                bytes[2 + len] = 0xc3;
                assert_eq!(check(&bytes), None, "{len} and {after} after it");
                bytes[2 + len] = b'a';
                if let Some(next) = bytes.get_mut(3 + len) {
                    *next = 0xff;
                    assert_eq!(check(&bytes), Some(span));
                }
                assert_eq!(check(&bytes[..2 + len]), None);
            }
        }
    }

    #[test]
    fn a_copy_believes_a_mark_only_where_the_slab_is_trusted() {
        let store = b"ab\xff";
        let copy = |slab: &Slab, len, mark| {
            let mut to = b"before".to_vec();
            let pair = Text::copy(slab.words(), store, ByteSpan::new(1, len).word() | mark, &mut to);
            let span = ByteSpan::from_word(pair);
            assert_eq!(span.bytes(&to), Some(&store[1..][..len as usize]));
            pair & ByteSpan::MARK
        };
        let mut slab = Slab::new();
        for trusted in [true, false] {
            assert_eq!(slab.words().trusts(ByteSpan::MARK), trusted);
            // Nothing is wrong with these bytes, so the copy is marked whatever the source is.
            assert_eq!([0, ByteSpan::MARK].map(|mark| copy(&slab, 1, mark)), [ByteSpan::MARK; 2]);
            assert_eq!(copy(&slab, 2, 0), 0);
            if trusted {
                slab.set_limit(1 << 10);
                slab.alloc(1).unwrap();
                slab.distrust();
            }
        }
        assert_eq!(copy(&slab, 2, ByteSpan::MARK), 0, "bytes that are not UTF-8 are marked");
    }

    /// The mark is what a failure left; the bytes are not UTF-8. Builds with debug assertions say that no such string should be.
    #[test]
    fn a_string_of_a_slab_that_is_not_trusted_is_checked_when_it_is_read() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 10);
        slab.alloc(1).unwrap();
        let read = |slab: &Slab, store: &'static [u8]| {
            let read = || text_at(slab.words(), store, ByteSpan::new(0, 2).word() | ByteSpan::MARK);
            std::panic::catch_unwind(core::panic::AssertUnwindSafe(read))
        };
        assert_eq!(read(&slab, b"ab").unwrap(), Some("ab"));
        slab.distrust();
        assert_eq!(read(&slab, b"ab").unwrap(), Some("ab"));
        match read(&slab, b"a\xff") {
            Ok(text) => {
                assert!(!cfg!(debug_assertions) && text.is_some_and(str::is_empty))
            }
            Err(panic) => {
                let message = panic.downcast_ref::<alloc::string::String>().unwrap();
                assert!(
                    message.starts_with("a string was not validated"),
                    "the mark was believed: {message}"
                );
            }
        }
    }
}
