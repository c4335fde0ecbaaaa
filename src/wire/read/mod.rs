//! Reading the wire without a schema.

#[cfg(feature = "reflect")]
pub(crate) mod message_set;
pub(crate) mod raw;
pub(super) mod reader;
