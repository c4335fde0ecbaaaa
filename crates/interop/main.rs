//! Optional features beside the crates that they are for: serde's formats, prost-reflect, jiff, chrono, serde_json.

#[path = "../../tests/common/mod.rs"]
mod common;
mod conformance;
mod conversions;
mod formats;
mod hostile;
mod random;

#[global_allocator]
static HEAP: common::heap::Counting = common::heap::Counting;
