//! Memory that is refused. The allocator of this binary fails where a test wants it to; an operation that aborts ends
//! the process, and with it all tests of the binary, so nothing else is here.

#[path = "../common/mod.rs"]
mod common;
mod failing_allocations;
mod out_of_memory;
mod partial_edits;
mod scarce_messages;
mod typed_memory;

/// The checks of the fuzz targets that need an allocator which fails or counts.
#[path = "../../fuzz/agree"]
#[allow(dead_code, reason = "the tests use a part of it")]
mod agree {
    pub mod case;
    pub mod hostile_keys;
    pub mod panics;
    pub mod shaped;
    pub mod strangers;
    pub mod unchecked;
    pub mod valid;
}
mod attacks;

#[global_allocator]
static HEAP: common::scarce::Scarce = common::scarce::Scarce;
