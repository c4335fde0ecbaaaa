//! `tablepb inspect`: a payload as a tree with a descriptor set, as the bare structure of the wire without.

mod raw;
mod summary;
mod tree;

use crate::failure::Failure;
use crate::format::{self, Format};
use crate::messages::Parser;
use crate::output::Output;
use crate::source::{self, Payload};
use crate::{schema, wire_text};
use clap::{Arg, ArgAction, ArgMatches, Command};
pub use raw::is_message;
use std::io::{self, BufWriter, Write};
use std::time::Instant;
pub use summary::Summary;
use tablepb::{Decoder, DynamicMessage, MessageDescriptor};

pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    schema::arguments(Command::new("inspect"))
        .about("Prints a payload as a tree, with sizes and unknown fields")
        .after_help(
            "Without --proto or --descriptors the bare structure of the wire is shown.\n\n\
             Examples:\n  \
             tablepb inspect payload.bin\n  \
             tablepb inspect --proto user.proto --type app.User payload.bin\n  \
             tablepb inspect --descriptors set.binpb --type app.User --from delimited stream.bin\n  \
             tablepb inspect --to wire-text payload.bin > payload.txt   # to edit it\n  \
             tablepb encode --from wire-text payload.txt > payload.bin",
        )
        .arg(source::file_argument("The payload; - or nothing for standard input"))
        .arg(format::argument("from", "binary", "The format of the input, as for decode"))
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FORM")
                .help("tree, or wire-text: the language of protoscope, which `encode` reads")
                .default_value("tree")
                .value_parser(["tree", "wire-text"])
                .hide_possible_values(true),
        )
        // As it was called before there were other framings.
        .arg(flag("delimited", "As --from delimited").hide(true))
        .arg(flag("full", "Do not abbreviate long lists, strings and bytes"))
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let result = show(matches, &mut stdout);
    // What was decoded before a fault comes first. An error of writing it is no news then.
    let flushed = stdout.flush();
    result.and(Ok(flushed?))
}

fn show(matches: &ArgMatches, stdout: &mut impl Write) -> Result<(), Failure> {
    let mut output = Output::new(stdout, matches.get_flag("full"));
    let mut summary = Summary::new();
    let schema = schema::message(matches)?;
    let mut decoder = schema.as_ref().map(Decoder::new);
    let delimited = matches.get_flag("delimited");
    let from = if delimited { Format::Delimited } else { format::value(matches, "from") };
    let mut parser = match (&schema, from.is_wire()) {
        (Some(schema), _) => Some(Parser::new(schema, from)),
        (None, true) => None,
        (None, false) => return Err(schema::missing()),
    };
    let as_text = matches.get_one::<String>("to").is_some_and(|to| to == "wire-text");
    let mut scratch = Vec::new();
    let mut payloads = source::from_arguments(matches, from)?;
    while let Some(payload) = payloads.next()? {
        let payload = match &mut parser {
            Some(parser) => parser.parse(&payload)?,
            None => source::undo(&payload, from, &mut scratch)?,
        };
        if as_text {
            print_text(&payload, schema.as_ref(), &mut output)?;
            continue;
        }
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
    if as_text { Ok(()) } else { summary.print(&mut output) }
}

/// Writes a message in the language of protoscope; of a stream each in braces, which makes a stream of them with lengths as varints.
fn print_text(
    payload: &Payload<'_>,
    schema: Option<&MessageDescriptor>,
    output: &mut Output<'_>,
) -> Result<(), Failure> {
    let text = wire_text::disassemble(payload.bytes, schema);
    let Some(number) = payload.number else { return Ok(output.lines(0, &text)?) };
    output.line(0, format_args!("{{  # message {number} at byte {}", payload.offset))?;
    output.lines(1, &text)?;
    Ok(output.line(0, format_args!("}}"))?)
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
