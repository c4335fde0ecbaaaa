//! Formats beside the wire: ProtoJSON, the text format, serde, and the numbers that they share.

pub(crate) mod any_message;
#[cfg(feature = "reflect")]
mod calls;
#[cfg(feature = "reflect")]
pub mod compare;
#[cfg(feature = "reflect")]
mod error;
#[cfg(feature = "json")]
pub mod json;
#[cfg_attr(not(feature = "json"), allow(dead_code, unused_imports, reason = "the rest is for JSON"))]
pub(crate) mod numbers;
#[cfg(feature = "reflect")]
pub(crate) mod parsing;
#[cfg(feature = "reflect")]
#[cfg_attr(not(feature = "json"), allow(dead_code, reason = "the rest is for JSON"))]
pub(crate) mod print;
#[cfg(feature = "reflect")]
pub mod prost_reflect_names;
#[cfg(feature = "serde")]
pub(crate) mod serde;
#[cfg(feature = "reflect")]
pub mod text;

pub use any_message::{AnyMessage, MergeBytes};
#[cfg(feature = "reflect")]
pub use any_message::{MergeText, ParseText};
#[cfg(feature = "reflect")]
pub use error::{ParseError, ParseErrorKind};
