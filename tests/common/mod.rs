//! What the tests of the run-time path share: random schemas and payloads, and a naive codec to compare with.
//!
//! `choices` is where randomness comes from; `wire` builds bytes; `schema` describes message types and writes
//! descriptor sets, `schema_gen` and `payload` make random ones; `reference` decodes and encodes slowly and
//! plainly, and `disagreements` says where others differ; `projections` makes random field paths; `data` finds files; `heap` counts
//! memory, `scarce` has none and `attempts` tries all that can fail; `proportion` and `doubling` measure how time grows; `family` is a set of structs; `protoc` compiles
//! .proto sources; `example` builds programs; `format_case` and `text_schema` are for JSON and text format, `known_types`
//! for the well-known types; `bridge` goes between its messages and those of tablepb.
#![allow(dead_code, reason = "each test uses a part of this")]

/// How many rounds of a run are made: all of them in release builds, as in `.ci/full`, the first quarter without
/// optimisation.
pub const fn rounds(all: u32) -> u32 {
    if cfg!(debug_assertions) { all / 4 } else { all }
}

pub mod attempts;
pub mod bridge;
pub mod choices;
pub mod data;
pub mod disagreements;
pub mod doubling;
pub mod example;
pub mod family;
pub mod format_case;
pub mod heap;
pub mod keeping;
pub mod known_types;
pub mod payload;
pub mod projections;
pub mod proportion;
pub mod protoc;
pub mod reference;
pub mod samples;
pub mod scarce;
pub mod schema;
pub mod schema_gen;
pub mod text_schema;
pub mod wire;
