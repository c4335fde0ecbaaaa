//! Slab to bytes.
//!
//! Messages are written **backwards**, from the last byte to the first, in one pass: when a length prefix is due, its
//! content is already in place, so no size is computed or stored. This is 1.5 to 2.8 times as fast as two forward passes.
//!
//! `raw.rs` has the entry points. One traversal (`traverse.rs`, with its stack in `parents.rs`) drives two visitors:
//! `write.rs` writes, and `size.rs` only counts. `list.rs` has what both do with lists. Messages of strings and
//! numbers alone have no nested lengths and are written forwards (`forward.rs`).
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
