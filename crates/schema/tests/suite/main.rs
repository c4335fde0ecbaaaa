//! The tests of the whole crate, in one binary. `failing` and `linear` are binaries of their own, for they have other allocators.
//!
//! Tests that are ignored say why, as in the suite of the library.

mod breaking;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod descriptor_proto;
mod faults;
mod format;
mod options;
mod programs;
mod reading;
mod rules;
mod schema_diff;
mod source_info;
mod sources;
mod to_rust;
mod warnings;

#[global_allocator]
static HEAP: common::heap::Counting = common::heap::Counting;
