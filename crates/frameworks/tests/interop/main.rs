//! Optional features beside the crates that they are for: serde's formats, prost-reflect, jiff, chrono, serde_json.

/// The checks of fuzz targets that need serde.
#[path = "../../../../fuzz/agree"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod agree {
    pub mod json;
    pub mod serde;
    pub mod valid;
}
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod conformance;
mod conversions;
mod formats;
mod heapless;
mod hostile;
mod levels;
mod random;
mod rows;
mod structs;

#[global_allocator]
static HEAP: common::heap::Counting = common::heap::Counting;
