//! What the fuzz targets check, as functions of bytes: each panics if something is wrong. `cargo test` runs them on
//! seeds and on random bytes, the targets in `fuzz_targets/` under a fuzzer.
//!
//! The schemas, payloads and the plain codec are those of the tests, `crate::common`.
#![allow(dead_code, reason = "each binary uses a part of this")]

pub mod any_schema;
pub mod budgets;
pub mod case;
pub mod descriptor_sets;
pub mod differential;
pub mod dynamic_prost;
pub mod edits;
pub mod full_store;
pub mod hostile_keys;
pub mod json;
pub mod long_run;
pub mod packed;
pub mod panics;
pub mod projected;
pub mod raw_fields;
pub mod rebuilt;
pub mod records;
pub mod reuse;
pub mod shaped;
pub mod strangers;
pub mod streams;
pub mod text;
pub mod typed;
pub mod unchecked;
pub mod valid;
pub mod visited;
pub mod wire_skip;
