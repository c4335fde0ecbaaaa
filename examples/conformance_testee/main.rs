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
//! `--via decoder` goes by way of a borrowed view, `--via dynamic` (the default) of a `DynamicMessage`.

mod testee;

use std::error::Error;
use std::io::{self, Read, Write};
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
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = read_frame(&mut input)? {
        let response = testee.answer(&request)?;
        output.write_all(&u32::try_from(response.len())?.to_le_bytes())?;
        output.write_all(&response)?;
        output.flush()?;
    }
    Ok(())
}

/// One request, or `None` at the end of the input.
fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut prefix = [0; 4];
    match input.read_exact(&mut prefix) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let len = u32::from_le_bytes(prefix).into();
    let mut request = Vec::new();
    input.take(len).read_to_end(&mut request)?;
    if (request.len() as u64) < len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(request))
}
