//! The checks of the fuzz targets; see `agree`.

pub mod agree;
pub mod common;
#[path = "agree/proto_sources.rs"]
pub mod proto_sources;
/// Apart from `agree`, because not all that uses that has the feature `serde` and the crate `tablepb-schema`.
#[path = "agree/serde.rs"]
pub mod serde;

/// Fails where a check wants it to, and counts.
#[global_allocator]
static HEAP: common::scarce::Scarce = common::scarce::Scarce;
