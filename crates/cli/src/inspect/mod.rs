//! `tablepb inspect`: a payload as a tree with a descriptor set, as the bare structure of the wire without.

mod raw;
mod summary;
mod tree;

use crate::failure::Failure;
use crate::names;
use crate::output::Output;
use crate::source::{self, Payload};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
pub use summary::Summary;
use tablepb::{Decoder, DynamicMessage, MessageDescriptor};

/// What to inspect, and how.
pub struct Arguments {
    pub descriptors: Option<PathBuf>,
    pub type_name: Option<String>,
    pub delimited: bool,
    pub full: bool,
    /// Standard input, if there is none.
    pub file: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, stdout: &mut impl Write) -> Result<(), Failure> {
    let mut output = Output::new(stdout, arguments.full);
    let mut summary = Summary::new();
    let schema = match (&arguments.descriptors, &arguments.type_name) {
        (Some(descriptors), Some(name)) => Some(names::load(descriptors, name)?),
        (Some(descriptors), None) => return Err(names::missing(descriptors)),
        _ => None,
    };
    let mut decoder = schema.as_ref().map(Decoder::new);
    let mut payloads = source::open(arguments.file.as_deref(), arguments.delimited)?;
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
pub fn with_schema(
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
pub fn without_schema(
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
