//! From record batches back to messages: random schemas and values.

mod columns;
mod evolve;
mod failures;
mod fields;
#[path = "../../../../tests/common/heap.rs"]
#[allow(dead_code, reason = "the tests of the library use the rest")]
mod heap;
mod library;
#[path = "../common/oracle.rs"]
mod oracle;
mod reader;
mod round_trip;
#[path = "../../../../tests/common/scarce.rs"]
#[allow(dead_code, reason = "the tests of the library use the rest")]
mod scarce;
mod steps;
mod typed_rows;
mod well_known;
mod wide;

#[global_allocator]
static ALLOCATOR: scarce::Scarce = scarce::Scarce;
