//! Where decoded messages live: one slab of 4-byte words, addressed by offset.
//!
//! Messages, lists and map indices are runs of words in a [`Slab`] that refer to each other by word offset, never
//! by pointer: a slab can be moved, cloned by copying memory, and shared between threads. Strings, bytes and
//! unknown fields are (offset, length) into one byte store, the decoder's input or the message's own bytes.
//!
//! Offset [`NIL`] is an empty message of any type: its header words read as zero. Reading an offset outside of
//! the slab gives zero as well, so no access here can panic; writing outside is ignored.
//!
//! `program/layout.rs` says what a body looks like; `list.rs`, `wide.rs`, `unknown.rs`, `verbatim.rs` and `map.rs`
//! say it for lists, bodies of wide types, unknown fields, messages that are bytes, and maps. `view.rs` reads.

mod backward;
mod list;
mod map;
mod map_write;
mod required;
mod span;
mod text;
mod unknown;
mod verbatim;
mod view;
mod walk;
mod wide;
mod words;

pub(crate) use backward::SetFieldsRev;
pub(crate) use list::List;
pub(crate) use map::{MapContext, RawKey};
pub(crate) use map_write::MapScratch;
pub(crate) use required::find_missing;
pub(crate) use span::{bytes_at, span_len};
pub(crate) use text::{Text, text_at};
pub(crate) use unknown::{UnknownSpan, UnknownSpans};
pub(crate) use verbatim::Nesting;
pub(crate) use view::{RawList, RawView, SetFields};
pub(crate) use walk::{Walk, WalkStep};
pub(crate) use words::{Slab, Words};

/// The offset of the empty message.
pub(crate) const NIL: u32 = 0;

/// The slab may not grow as far as the message needs; the memory budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl From<Full> for crate::error::DecodeErrorKind {
    #[cold]
    fn from(_: Full) -> Self {
        Self::BudgetExceeded
    }
}
