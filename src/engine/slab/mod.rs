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
//! words/       the slab itself: access, hasbits, growth      span.rs, text.rs  spans, and the fence around strings
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
mod span;
mod text;
mod unknown;
mod verbatim;
mod view;
mod walk;
mod wide;
mod words;

pub(crate) use crate::wire::Full;
pub(crate) use list::List;
pub(crate) use map::{MapContext, RawKey};
#[cfg(tablepb_poison)]
pub(crate) use poison::check_strings;
pub(crate) use span::ByteSpan;
pub(crate) use text::{Text, text_at};
pub(crate) use unknown::{UnknownSpan, UnknownSpans};
pub(crate) use verbatim::Nesting;
pub(crate) use view::{BodyRef, RawList, RawView, SetFields};
pub(crate) use walk::{Walk, WalkStep, find_missing};
pub(crate) use words::{BodyWords, Slab, Words};

/// The offset of the empty message.
pub(crate) const NIL: u32 = 0;
