//! The checks of the fuzz targets; see `agree`.

pub mod agree;
pub mod common;
/// Apart from `agree`, because not all that uses that has the feature `serde`.
#[path = "agree/serde.rs"]
pub mod serde;
