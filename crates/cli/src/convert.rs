//! `tablepb decode` and `tablepb encode`: from any format to any other. They differ in what they take by default.

use crate::columns::Columns;
use crate::failure::Failure;
use crate::format::Format;
use crate::messages::{self, Parser, Printer, Recognized};
use crate::{columns, format, schema, source, target};
use clap::{ArgMatches, Command};
use tablepb::{Decoder, MessageDescriptor};

const DECODE_EXAMPLES: &str = "\
Examples:
  tablepb decode --proto user.proto user.bin
  tablepb decode --proto user.proto --type app.User --from delimited --to ndjson users.bin.gz
  echo 0a03416461 | tablepb decode --proto user.proto --from hex --to text";

const ENCODE_EXAMPLES: &str = "\
Examples:
  tablepb encode --proto user.proto -o user.bin user.json
  tablepb encode --proto user.proto --from ndjson --to delimited users.ndjson > users.bin
  echo 'name: \"Ada\"' | tablepb encode --proto user.proto --from text --to base64
  echo '1: {\"Ada\"} 2: 7' | tablepb encode --from wire-text --to hex   # no schema, any bytes";

pub fn decode_command() -> Command {
    let about = "Shows messages as JSON, text or in another format";
    command("decode", about, ["binary", "json"], DECODE_EXAMPLES)
}

pub fn encode_command() -> Command {
    let about = "Makes messages out of JSON, text or another format";
    command("encode", about, ["json", "binary"], ENCODE_EXAMPLES)
}

fn command(
    name: &'static str,
    about: &'static str,
    [from, to]: [&'static str; 2],
    examples: &str,
) -> Command {
    schema::arguments(Command::new(name))
        .about(about)
        .after_help(format!("{}\n{}\n\n{examples}", format::HELP, columns::HELP))
        .arg(source::file_argument("The messages; - or nothing for standard input"))
        .arg(format::argument("from", from, "The format of the input"))
        .arg(format::output_argument(to))
        .arg(target::argument())
        .arg(messages::skip_argument())
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (from, to) = (format::value(matches, "from"), format::value(matches, "to"));
    if from == Format::WireText && to.is_wire() {
        return assemble(matches, to);
    }
    let schema = schema::required(matches)?;
    if let Some(form) = columns::form(matches) {
        return as_columns(matches, &schema, from, form);
    }
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let (mut parser, mut printer) = (Parser::new(&schema, from), Printer::new(to));
    let (mut decoder, mut recognized) = (Decoder::new(&schema), Recognized::default());
    let result = messages::each(payloads, matches.get_flag("skip-bad"), |payload| {
        let payload = parser.parse(payload)?;
        let view = messages::decode(&mut decoder, &payload)?;
        // On the wire nothing is lost.
        if !to.is_wire() {
            recognized.look(&payload, view);
        }
        printer.print(&payload, view, &mut target)
    });
    target.finish(recognized.finish(schema.full_name(), result))
}

/// A row for each message.
fn as_columns(
    matches: &ArgMatches,
    schema: &MessageDescriptor,
    from: Format,
    form: columns::Form,
) -> Result<(), Failure> {
    let mut columns = Columns::new(schema, &[], form)?;
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let mut parser = Parser::new(schema, from);
    let (mut decoder, mut recognized) = (Decoder::new(schema), Recognized::default());
    let result = messages::each(payloads, matches.get_flag("skip-bad"), |payload| {
        let payload = parser.parse(payload)?;
        if !recognized.found {
            recognized.look(&payload, messages::decode(&mut decoder, &payload)?);
        }
        columns.add(&payload, &mut target)
    });
    let result =
        messages::then(recognized.finish(schema.full_name(), result), || columns.finish(&mut target));
    target.finish(result)
}

/// Bytes as they are written down, whether they are a message or not.
fn assemble(matches: &ArgMatches, to: Format) -> Result<(), Failure> {
    let schema = schema::message(matches)?;
    let payloads = source::from_arguments(matches, Format::WireText)?;
    let mut target = target::from_arguments(matches)?;
    let (mut printer, mut scratch) = (Printer::new(to), Vec::new());
    let result = messages::each(payloads, matches.get_flag("skip-bad"), |payload| {
        let payload = source::undo(payload, Format::WireText, &mut scratch)?;
        printer.print_wire(&payload, schema.as_ref(), &mut target)
    });
    target.finish(result)
}
