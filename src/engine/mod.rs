//! The loops: bytes to a slab and back, and bytes to a sink.
//!
//! They know programs and words, but no descriptors and no values. Speed and most of the unsafe code live here and in `wire`.

#[cfg(feature = "reflect")]
pub(crate) mod decode;
#[cfg(feature = "reflect")]
pub(crate) mod encode;
#[cfg(feature = "reflect")]
pub(crate) mod slab;
#[cfg(feature = "reflect")]
pub mod visit;
