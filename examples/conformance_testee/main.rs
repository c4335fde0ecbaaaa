//! The testee of the official protobuf conformance suite.
//!
//! Reads `ConformanceRequest`s from standard input and writes `ConformanceResponse`s to standard output, each
//! after its length in four bytes, little endian. Binary, JSON and text format in and out.
//!
//! ```text
//! conformance_test_runner --enforce_recommended \
//!     target/release/examples/conformance_testee --descriptors test_messages.binpb --via dynamic
//! ```
//!
//! `--descriptors FILE` names the descriptor set of the suite's test messages and of conformance.proto;
//! `--via decoder` goes by way of a borrowed view, `--via dynamic` (the default) of a `DynamicMessage`. The package
//! `contrib/conformance` is the same by way of structs, which it compiles.

mod testee;

use std::error::Error;
use std::io;
use std::process::ExitCode;
use testee::{Testee, Via};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("conformance_testee: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut descriptors = None;
    let mut via = Via::Dynamic;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--descriptors", Some(file)) => descriptors = Some(file),
            ("--via", Some(path)) if path == "decoder" => via = Via::Decoder,
            ("--via", Some(path)) if path == "dynamic" => via = Via::Dynamic,
            _ => return Err("usage: conformance_testee --descriptors FILE [--via decoder|dynamic]".into()),
        }
    }
    let file = descriptors.ok_or("--descriptors FILE is missing")?;
    let descriptors = std::fs::read(&file).map_err(|error| format!("{file}: {error}"))?;
    let testee = Testee::new(&descriptors, via)?;
    testee.serve(io::stdin().lock(), io::stdout().lock())
}
