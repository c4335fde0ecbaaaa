//! Slab to bytes.
//!
//! A message is written in one pass. `forward/` writes it from its first byte on and guesses the width of each length
//! prefix. What that cannot write well (many wrong guesses, MessageSets; sub-messages that are deep inside) is
//! sized first, with all its sub-messages, and written then (`write.rs`).
//!
//! `raw.rs` has the entry points and chooses. Sizing and writing with sizes are one traversal (`traverse.rs`) with two kinds of
//! visitors: `size.rs` counts, `write.rs` writes. `list.rs` writes lists and counts their bytes.
//!
//! Invariant: the buffer keeps its length unless the whole message was written.

mod forward;
mod list;
mod raw;
mod size;
mod traverse;
mod write;

#[cfg(test)]
pub(crate) use raw::encode_raw;
pub(crate) use raw::{RawEncoder, raw_len, try_encode_raw};
