//! Messages to bytes: the nested lengths once, then one forward pass through a bounded cursor.
//!
//! [`output`] is the frame of every encode, of slab messages and of typed structs alike; [`sizes`] keeps the
//! nested lengths in the buffer's spare capacity. `raw.rs` sizes and writes messages in the slab, `value.rs`
//! their fields.
//!
//! Invariant: the buffer keeps its length unless the whole message was written.

mod options;
pub(crate) mod output;
mod raw;
pub(crate) mod sizes;
mod value;

pub use options::EncodeOptions;
pub(crate) use raw::{RawEncoder, encode_raw};
