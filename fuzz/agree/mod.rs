//! What the fuzz targets check, as functions of bytes: each panics if something is wrong. `cargo test` runs them on
//! seeds and on random bytes, the targets in `fuzz_targets/` under a fuzzer.
//!
//! The schemas, payloads and the plain codec are those of the tests.
#![allow(dead_code, reason = "each binary uses a part of this")]

#[path = "../../tests/common/bridge.rs"]
pub mod bridge;
#[path = "../../tests/common/choices.rs"]
pub mod choices;
#[path = "../../tests/common/payload.rs"]
pub mod payload;
#[path = "../../tests/common/projections.rs"]
pub mod projections;
#[path = "../../tests/common/reference.rs"]
pub mod reference;
#[path = "../../tests/common/schema.rs"]
pub mod schema;
#[path = "../../tests/common/schema_gen.rs"]
pub mod schema_gen;
#[path = "../../tests/common/wire.rs"]
pub mod wire;

pub mod any_schema;
pub mod budgets;
pub mod case;
pub mod dynamic_prost;
pub mod full_store;
pub mod reuse;
pub mod valid;
pub mod wire_skip;
