//! Memory that is refused. The allocator of this binary fails where a test wants it to; an operation that aborts ends
//! the process, and with it all tests of the binary, so nothing else is here.

#[path = "../common/mod.rs"]
mod common;
mod failing_allocations;
mod out_of_memory;
mod partial_edits;
mod scarce_messages;
mod typed_memory;
#[path = "../../fuzz/agree/valid.rs"]
#[allow(dead_code, reason = "the tests use a part of it")]
mod valid;

#[global_allocator]
static HEAP: common::scarce::Scarce = common::scarce::Scarce;
