//! Messages to bytes.
//!
//! `raw.rs` encodes messages in the slab, backwards in one pass: one traversal (`traverse.rs`, its stack in
//! `parents.rs`) drives the visitor that writes (`write.rs`) or, where only the size is wanted, the one that sizes
//! (`size.rs`); `list.rs` has what both do with lists. Messages of large strings and numbers alone go forwards (`forward.rs`).
//!
//! Invariant: the buffer keeps its length unless the whole message was written.

mod forward;
mod list;
mod parents;
mod raw;
mod size;
mod traverse;
mod write;

#[cfg(test)]
pub(crate) use raw::encode_raw;
pub(crate) use raw::{RawEncoder, try_encode_raw};
