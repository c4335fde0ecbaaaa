//! `tablepb query`: some fields of the messages that meet conditions, as NDJSON or CSV.

mod cell;
mod condition;
mod csv;

use crate::failure::Failure;
use crate::messages::{self, Parser, Printer, Recognized};
use crate::{format, schema, source, target};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use condition::Conditions;
use csv::Table;
use format::Format;
use tablepb::partial::Projection;
use tablepb::{Decoder, MessageDescriptor};

const PAGE: &str = "\
A path is field names with dots between them, an extension in brackets: address.city, [app.note].
After the name of a map, .key stands for its keys and .value, or nothing, for its values.

NDJSON holds the selected part of each message in its own shape. CSV has a column for each path
and a row for each message. A list, and a path through a list or a map, gives an array in JSON; a
field with presence that is not set gives an empty cell.

A condition is a path, one of = != < <= > >= and a value: a number, true or false, the name or
number of an enum value, text, or base64 for bytes. In conditions a field that is not set has its
default. Of several values at a path one has to meet the condition; for !=, all of them.

Examples:
  tablepb query --proto user.proto --type app.User --from delimited --select name,address.city users.bin
  tablepb query --proto user.proto --type app.User --from ndjson --to csv --select id,tags \\
      --where level=LEVEL_HIGH --where 'id>=100' users.ndjson";

pub fn command() -> Command {
    let several = |arg: Arg| arg.action(ArgAction::Append);
    schema::arguments(Command::new("query"))
        .about("Picks fields of messages that meet conditions, as NDJSON or CSV")
        .after_help(PAGE)
        .arg(source::file_argument("The messages; - or nothing for standard input"))
        .arg(
            several(Arg::new("select").short('s').long("select").value_name("PATH").value_delimiter(','))
                .help("Fields to show, commas between them; without it, all"),
        )
        .arg(
            several(Arg::new("where").short('w').long("where").value_name("CONDITION"))
                .help("Only messages that meet this; if it is given more than once, all of them"),
        )
        .arg(format::argument("from", "delimited", "The format of the input, as for decode"))
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FORMAT")
                .help("ndjson or csv")
                .default_value("ndjson")
                .hide_default_value(false)
                .hide_possible_values(true)
                .value_parser(PossibleValuesParser::new(["ndjson", "csv"])),
        )
        .arg(target::argument())
        .arg(messages::skip_argument())
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::required(matches)?;
    let texts = |name| matches.get_many::<String>(name).into_iter().flatten().map(String::as_str);
    let selected: Vec<&str> = texts("select").map(str::trim).collect();
    let mut conditions = Conditions::new(&schema, texts("where"))?;
    let from = format::value(matches, "from");
    let csv = matches.get_one::<String>("to").is_some_and(|to| to == "csv");
    let (mut decoder, mut whole) = (decoder(&schema, &selected)?, Decoder::new(&schema));
    let mut table = if csv { Some(Table::new(&schema, &selected)?) } else { None };
    let mut printer = Printer::new(Format::Ndjson);
    let (mut parser, mut recognized) = (Parser::new(&schema, from), Recognized::default());
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let result = table.as_ref().map_or(Ok(()), |table| table.head(&mut target)).and_then(|()| {
        messages::each(payloads, matches.get_flag("skip-bad"), |payload| {
            let payload = parser.parse(payload)?;
            if !recognized.found {
                recognized.look(&payload, messages::decode(&mut whole, &payload)?);
            }
            if !conditions.hold(&payload)? {
                return Ok(());
            }
            let view = messages::decode(&mut decoder, &payload)?;
            match &mut table {
                Some(table) => table.row(&payload, view, &mut target),
                None => printer.print(&payload, view, &mut target),
            }
        })
    });
    target.finish(recognized.finish(schema.full_name(), result))
}

/// A decoder of the selected fields, or of all if none are.
fn decoder(schema: &MessageDescriptor, paths: &[&str]) -> Result<Decoder, Failure> {
    if paths.is_empty() {
        return Ok(Decoder::new(schema));
    }
    let paths = paths.iter().map(|path| cell::selected(schema, path));
    let projection = Projection::new(schema, paths.collect::<Vec<_>>())
        .map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Decoder::new(schema).with_projection(&projection))
}
