//! The testee of the official conformance suite, by structs: `--via structs` beside the ways of `examples/conformance_testee`.
//!
//! ```text
//! conformance_test_runner --enforce_recommended tablepb-conformance --descriptors test_messages.binpb
//! ```

mod structs;
#[allow(dead_code, reason = "the other ways are those of the example")]
#[path = "../../../examples/conformance_testee/testee.rs"]
mod testee;

/// The suite's messages.
#[allow(missing_docs, clippy::enum_variant_names, reason = "names of the suite")]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

use std::io;
use testee::{Testee, Via};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [flag, file] = &arguments[..] else {
        return Err("usage: tablepb-conformance --descriptors FILE".into());
    };
    if flag != "--descriptors" {
        return Err("usage: tablepb-conformance --descriptors FILE".into());
    }
    Testee::new(&std::fs::read(file)?, Via::Structs(structs::answer))?
        .serve(io::stdin().lock(), io::stdout().lock())
}
