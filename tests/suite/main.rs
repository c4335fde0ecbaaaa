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
#[path = "../common/mod.rs"]
mod common;
mod flows;
mod hostile;
mod house;
mod json;
mod messages;
mod otlp;
mod partial;
mod peers;
mod records;
mod regressions;
mod schema;
mod structs;
mod text;

#[global_allocator]
static HEAP: common::heap::Counting = common::heap::Counting;
