//! The checks of the fuzz targets; see `agree`.

pub mod agree;
pub mod common;
/// Apart from `agree`, because not all that uses that has the features `serde` and `proto`.
#[path = "agree/serde.rs"]
pub mod serde;
#[path = "agree/proto_sources.rs"]
pub mod proto_sources;
