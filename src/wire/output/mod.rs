//! Where encoders write: buffers and cursors over their spare capacity.

pub(crate) mod buffer;
#[cfg(feature = "bytes")]
pub(crate) mod chunk;
pub(crate) mod cursor;
pub(super) mod spare;
#[cfg(feature = "reflect")]
pub(crate) mod tail;
