//! Prints what is in a protobuf payload: as a tree with a descriptor set, as the bare structure of the wire without.
//!
//! ```text
//! cargo run --release --example inspect                                  # on built-in data
//! cargo run --release --example inspect -- payload.bin                   # without a schema
//! cargo run --release --example inspect -- --descriptors set.binpb --type pkg.Message payload.bin
//! ```
//!
//! A descriptor set is what `protoc --include_imports --descriptor_set_out=set.binpb file.proto` writes.

mod arguments;
mod failure;
mod names;
mod output;
mod raw;
mod sample;
mod source;
mod summary;
mod text;
mod tree;

use arguments::{Arguments, Command};
use failure::Failure;
use output::Output;
use source::Payload;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;
use summary::Summary;
use tablepb::{Decoder, DynamicMessage, MessageDescriptor};

fn main() -> ExitCode {
    let mut stdout = BufWriter::new(io::stdout().lock());
    let result = run(&mut stdout).and_then(|()| Ok(stdout.flush()?));
    match result {
        // Whoever reads the output has seen enough.
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            // What was decoded before the fault comes first; neither stream has a reader that must not go away.
            let _ = stdout.flush();
            let _ = write!(io::stderr(), "inspect: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(stdout: &mut impl Write) -> Result<(), Failure> {
    let arguments = match Arguments::parse(std::env::args_os().skip(1))? {
        Command::Help => return Ok(stdout.write_all(arguments::USAGE.as_bytes())?),
        Command::Sample => return sample::run(stdout),
        Command::Inspect(arguments) => arguments,
    };
    let mut output = Output::new(stdout, arguments.full);
    let mut summary = Summary::new();
    let schema = match (&arguments.descriptors, &arguments.type_name) {
        (Some(descriptors), Some(name)) => Some(names::load(descriptors, name)?),
        _ => None,
    };
    let mut decoder = schema.as_ref().map(Decoder::new);
    let mut payloads = source::open(&arguments.file, arguments.delimited)?;
    while let Some(payload) = payloads.next()? {
        if let Some(number) = payload.number {
            output.line(0, format_args!("message {number} at byte {}", payload.offset))?;
        }
        match (&mut decoder, &schema) {
            (Some(decoder), Some(schema)) => {
                with_schema(decoder, schema, &payload, &mut output, &mut summary)?
            }
            _ => without_schema(&payload, &mut output, &mut summary)?,
        }
    }
    summary.print(&mut output)
}

/// Decodes the payload, prints its tree, and writes it again to see whether that gives the same bytes.
fn with_schema(
    decoder: &mut Decoder,
    schema: &MessageDescriptor,
    payload: &Payload<'_>,
    output: &mut Output<'_>,
    summary: &mut Summary,
) -> Result<(), Failure> {
    let start = Instant::now();
    let view = match decoder.decode(payload.bytes) {
        Ok(view) => view,
        Err(error) => {
            // A merge keeps what was read before the fault.
            let mut part = DynamicMessage::new(schema);
            let _ = part.merge(payload.bytes);
            tree::print(part.as_view(), payload.bytes.len(), output)?;
            output.line(1, format_args!("… up to the fault"))?;
            return Err(Failure::decode(payload, &error));
        }
    };
    summary.decoded(payload.bytes.len(), start.elapsed());
    summary.add(tree::print(view, payload.bytes.len(), output)?);
    let start = Instant::now();
    let again = view.encode_to_vec().map_err(|error| Failure::encode(payload, &error))?;
    summary.encoded(&again, payload.bytes, start.elapsed());
    Ok(())
}

/// Checks that the payload is well formed and prints its fields.
fn without_schema(
    payload: &Payload<'_>,
    output: &mut Output<'_>,
    summary: &mut Summary,
) -> Result<(), Failure> {
    let start = Instant::now();
    let checked = tablepb::wire::Reader::new(payload.bytes).skip_message();
    summary.decoded(payload.bytes.len(), start.elapsed());
    summary.add(raw::print(payload.bytes, 0, output)?);
    checked.map_err(|error| Failure::decode(payload, &error))
}
