//! Types: tables (`const` data), pools (checked at run time, with descriptors) and programs (lowered for the loops).

#[cfg(feature = "reflect")]
pub(crate) mod pool;
#[cfg(feature = "reflect")]
pub(crate) mod program;
pub(crate) mod table;
