//! `tablepb guess`: a schema for payloads that have none.

mod shape;
mod write;

use crate::failure::Failure;
use crate::messages;
use crate::{format, source, target};
use clap::{Arg, ArgMatches, Command};
use shape::Shapes;
use std::io::Write;
use tablepb::wire::Reader;

const PAGE: &str = "\
Reads all messages, and writes a .proto source that compiles and decodes each of them. A field is
  - a string if all its values are text without control characters,
  - a message if all read as messages, and bytes otherwise;
  - an integer by the size of its values: int64 if some are negative in 64 bits, uint64 if not;
  - a float or double if fixed bytes look like one, fixed32 or fixed64 if not;
  - repeated if a message has it more than once.
Wire types leave the rest open: zigzag integers, bools, enums, packed numbers and maps look like
what is listed here. Names are numbers. A guess has at most 10 000 fields.

Examples:
  tablepb guess payload.bin > guess.proto
  tablepb guess --from delimited --name Event events.bin.gz -o guess.proto
  tablepb decode --proto guess.proto --type Message payload.bin";

pub fn command() -> Command {
    Command::new("guess")
        .about("Infers a schema from payloads, as .proto source")
        .after_help(PAGE)
        .arg(source::file_argument("The messages; - or nothing for standard input"))
        .arg(format::argument("from", "binary", "The format of the input: binary, delimited, hex or base64"))
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("What to call the message type")
                .default_value("Message"),
        )
        .arg(target::argument())
        .arg(messages::skip_argument())
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let from = format::value(matches, "from");
    if !from.is_wire() {
        return Err(Failure::Usage("JSON and text have names, and what is guessed has none".into()));
    }
    let name = matches.get_one::<String>("name").map_or("Message", String::as_str);
    if !is_name(name) {
        return Err(Failure::Usage(format!("{name:?} is no name for a message type")));
    }
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let (mut shapes, mut scratch) = (Shapes::new(), Vec::new());
    let result = messages::each(payloads, matches.get_flag("skip-bad"), |payload| {
        let payload = source::undo(payload, from, &mut scratch)?;
        let mut reader = Reader::new(payload.bytes);
        reader.skip_message().map_err(|error| Failure::decode(&payload, &error))?;
        shapes.add(payload.bytes);
        Ok(())
    });
    let result = match result {
        Ok(()) | Err(Failure::Skipped { .. }) => {
            let written = target.write_all(write::source(&shapes, name).as_bytes());
            written.map_err(Failure::from).and(result)
        }
        result => result,
    };
    target.finish(result)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
