//! Messages to bytes: the nested lengths once, then one forward pass through a bounded cursor.
//!
//! [`output`] is the frame of every encode, of slab messages and of typed structs alike; [`sizes`] keeps the
//! nested lengths in the buffer's spare capacity. `raw.rs` encodes messages in the slab: one traversal
//! (`traverse.rs`) drives both passes (`size.rs`, `write.rs`), `value.rs` has what they know of single fields.
//!
//! Invariant: the buffer keeps its length unless the whole message was written.

mod options;
pub(crate) mod output;
mod raw;
mod size;
pub(crate) mod sizes;
mod traverse;
mod value;
mod write;

pub use options::EncodeOptions;
pub(crate) use raw::{RawEncoder, encode_raw};
