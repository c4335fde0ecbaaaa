//! The tests of the whole library, in one binary: what they share is compiled once.
//!
//! Binaries of their own have what needs a process of its own: `failing`, whose allocator refuses memory (an abort
//! takes the process with it), and `linear`, whose allocator keeps what is freed and which measures time. The tests of
//! the tool are in `crates/cli/tests`.
//!
//! Tests that are ignored say why: `long` ones take more than a few seconds without optimisation, `needs` ones want
//! what a clone does not have. `.ci/run` runs both.

#[path = "../../fuzz/agree/mod.rs"]
mod agree;
mod agreement;
#[path = "../common/mod.rs"]
mod common;
mod conformance;
mod copies;
mod corpus;
mod depth;
mod doc_names;
mod failures;
mod flows;
mod hostile;
mod hostile_paths;
mod json;
mod json_enum_names;
mod json_fast;
mod json_random;
mod kept_bytes;
mod memory;
mod memory_maps;
mod message_sets;
mod otlp;
mod partial_lazy;
mod partial_prepared;
mod partial_raw;
mod programs;
mod projection;
mod projection_rules;
mod prost_derive;
mod prost_reflect;
mod random_schemas;
mod raw_fields;
mod records;
mod regressions;
mod regressions_message;
mod regressions_typed;
mod schema_memory;
mod sweeps;
mod tables;
mod text;
mod text_hostile;
mod text_print;
mod text_prost;
mod to_proto;
mod transcode;
mod typed_custom;
mod typed_custom_merges;
mod typed_depth;
mod typed_dynamic;
mod typed_errors;
mod typed_hostile;
mod typed_json;
mod typed_json_agrees;
mod typed_kinds;
mod typed_merges;
mod typed_mistakes;
mod typed_order;
mod typed_prost;
mod typed_semantics;
mod typed_text_format;
mod unsafe_inventory;
mod value_path;
mod visit;
mod visit_content;
mod wire_skip;
mod wkt;

#[global_allocator]
static HEAP: common::heap::Counting = common::heap::Counting;
