//! The parts of `tests/common` that the checks need, which are those that need no test framework.
#![allow(dead_code, reason = "the tests use the rest")]

#[path = "../tests/common/bridge.rs"]
pub mod bridge;
#[path = "../tests/common/choices.rs"]
pub mod choices;
#[path = "../tests/common/family.rs"]
pub mod family;
#[path = "../tests/common/format_case.rs"]
pub mod format_case;
#[path = "../tests/common/heap.rs"]
pub mod heap;
#[path = "../tests/common/payload.rs"]
pub mod payload;
#[path = "../tests/common/projections.rs"]
pub mod projections;
#[path = "../tests/common/reference.rs"]
pub mod reference;
#[path = "../tests/common/samples.rs"]
pub mod samples;
#[path = "../tests/common/scarce.rs"]
pub mod scarce;
#[path = "../tests/common/schema.rs"]
pub mod schema;
#[path = "../tests/common/schema_gen.rs"]
pub mod schema_gen;
#[path = "../tests/common/text_schema.rs"]
pub mod text_schema;
#[path = "../tests/common/wire.rs"]
pub mod wire;
