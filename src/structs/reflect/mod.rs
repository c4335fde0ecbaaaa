//! The schema of a struct at run time, and the formats that need it.

#[cfg(feature = "reflect")]
pub(super) mod by_schema;
#[cfg(feature = "reflect")]
mod from_message;
#[cfg(feature = "reflect")]
pub(super) mod schema;
#[cfg(not(feature = "reflect"))]
#[path = "no_schema.rs"]
pub(super) mod schema;
#[cfg(feature = "serde")]
pub(super) mod through_serde;
#[cfg(feature = "reflect")]
pub(super) mod transcode;
