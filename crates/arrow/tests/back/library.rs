//! The random schemas and payloads of the library's own tests.
#![allow(dead_code, reason = "the tests of the library use the rest")]

#[path = "../../../../tests/common/choices.rs"]
pub mod choices;
#[path = "../../../../tests/common/payload.rs"]
pub mod payload;
#[path = "../../../../tests/common/schema.rs"]
pub mod schema;
#[path = "../../../../tests/common/schema_gen.rs"]
pub mod schema_gen;
#[path = "../../../../tests/common/wire.rs"]
pub mod wire;
