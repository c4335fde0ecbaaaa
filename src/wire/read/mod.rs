//! Reading the wire without a schema.

#[cfg(feature = "reflect")]
pub(crate) mod message_set;
pub(super) mod packed;
pub(crate) mod raw;
pub(super) mod reader;
