//! Formats beside the wire: ProtoJSON, the text format, serde, and the numbers that they share.

#[cfg(feature = "json")]
pub mod json;
#[cfg_attr(not(feature = "json"), allow(dead_code, unused_imports, reason = "the rest is for JSON"))]
pub(crate) mod numbers;
#[cfg(feature = "reflect")]
#[cfg_attr(not(feature = "json"), allow(dead_code, reason = "the rest is for JSON"))]
pub(crate) mod print;
#[cfg(feature = "serde")]
pub(crate) mod serde;
#[cfg(feature = "reflect")]
pub mod text;
