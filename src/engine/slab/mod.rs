//! Where decoded messages live: one slab of 4-byte words, addressed by offset.
//!
//! Messages, lists and map indices are runs of words in a [`Slab`]. They refer to each other by word offset, never by
//! pointer: a slab can be moved, cloned by copying memory, and shared between threads. Strings, bytes and unknown fields are
//! spans of one byte store, which is the decoder's input or the message's own bytes.
//!
//! Offset [`NIL`] is the empty message of every type: its header words read as zero. Reading outside the slab gives zero too,
//! and writing outside is ignored, so no access here can panic.
//!
//! ```text
//! words/       the slab itself: access, hasbits, growth      text.rs            the fence around strings
//! list.rs      lists        map.rs, map_*.rs      maps       wide.rs           bodies of wide types
//! unknown.rs   unknown fields                                verbatim.rs       messages that are bytes
//! body_ref.rs  where a message is                            view.rs           reading by entry and slot, set fields
//! walk.rs      all sub-messages without recursion            required.rs       the check for required fields
//! open.rs      sub-messages and lists, made if unset         poison.rs         a debug mode for what is not cleared
//! ```
//!
//! `program/layout.rs` draws a body.

mod list;
mod map;
#[cfg(tablepb_poison)]
mod poison;
mod text;
mod unknown;
mod verbatim;
mod view;
mod walk;
mod wide;
mod words;

pub(crate) use crate::wire::Full;
pub(crate) use list::List;
pub(crate) use map::settle::SeenKeys;
pub(crate) use map::{MapContext, RawKey};
#[cfg(tablepb_poison)]
pub(crate) use poison::check_strings;
pub(crate) use text::{Text, text_at};
pub(crate) use unknown::{UnknownSpan, UnknownSpans};
pub(crate) use verbatim::Nesting;
pub(crate) use view::{BodyRef, RawList, RawView, SetFields};
pub(crate) use walk::{Walk, WalkStep, find_missing};
pub(crate) use words::{BodyWords, Slab, Words};

/// The offset of the empty message.
pub(crate) const NIL: u32 = 0;

/// (offset, length) in the byte store, in the two words of a slot:
///
/// ```text
/// bit  0              32             63
///      | offset       | length       | mark: this is UTF-8 (`text.rs`) |
/// ```
///
/// Both are below 2^31, because a store has at most 2^31-1 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct ByteSpan(u64);

impl ByteSpan {
    /// The mark of a checked string.
    pub(super) const MARK: u64 = 1 << 63;
    const LEN: u64 = (1 << 31) - 1;

    /// An unmarked span.
    #[inline(always)]
    pub(crate) const fn new(offset: u64, len: u64) -> Self {
        Self(offset | len << 32)
    }

    /// The span in the two words of a slot, marked or not.
    #[inline(always)]
    pub(crate) const fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// The two words of a slot, low word first.
    #[inline(always)]
    pub(crate) const fn word(self) -> u64 {
        self.0
    }

    /// Offset of the first byte.
    #[inline(always)]
    pub(crate) const fn offset(self) -> usize {
        self.0 as u32 as usize
    }

    /// Length in bytes, without the mark.
    #[inline(always)]
    pub(crate) const fn len(self) -> u64 {
        self.0 >> 32 & Self::LEN
    }

    /// The bytes, if they are all inside the store.
    #[inline(always)]
    pub(crate) fn bytes(self, store: &[u8]) -> Option<&[u8]> {
        store.get(self.offset()..self.offset().wrapping_add(self.len() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_changes_neither_offset_nor_length() {
        for (offset, len) in [(0, 0), (7, 3), (0x7fff_ffff, 0x7fff_ffff)] {
            let span = ByteSpan::new(offset, len);
            let marked = ByteSpan::from_word(span.word() | ByteSpan::MARK);
            for span in [span, marked] {
                assert_eq!((span.offset() as u64, span.len()), (offset, len));
            }
        }
        assert_eq!(ByteSpan::new(1, 2).bytes(b"abc"), Some(&b"bc"[..]));
        assert_eq!(ByteSpan::new(2, 2).bytes(b"abc"), None);
    }
}
