//! `tablepb conf`: messages in the framing of Confluent's schema registry for Kafka.

use crate::failure::Failure;
use crate::format::Format;
use crate::messages::{self, Parser, Printer, Recognized};
use crate::schema::Schema;
use crate::source::Payload;
use crate::{format, names, schema, source, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::collections::HashMap;
use std::io::Write;
use tablepb::schema::FileDescriptor;
use tablepb::stream::confluent;
use tablepb::{Decoder, MessageDescriptor};

/// The byte that every record begins with.
const MAGIC: u8 = 0;

const PAGE: &str = "\
A record is a zero byte, the id of a schema in the registry, indexes that say which message type of
the schema it has, and the message. The type is found by these indexes in the last of the named
files; --type is for --wrap, which takes messages and makes records of them.

Examples:
  tablepb conf --proto user.proto --from base64-lines values.txt
  tablepb conf --ids --from base64-lines values.txt
  tablepb conf --proto user.proto --type app.User --wrap 7 --from ndjson --to delimited users.ndjson";

pub fn command() -> Command {
    schema::arguments(Command::new("conf"))
        .about("Takes messages out of Confluent's framing for Kafka, or puts them in")
        .after_help(PAGE)
        .arg(source::file_argument("The records; - or nothing for standard input"))
        .arg(format::argument("from", "delimited", "The format of the input, as for decode"))
        .arg(format::argument("to", "ndjson", "The format of the output, as for decode"))
        .arg(
            Arg::new("ids")
                .long("ids")
                .help("Show the schema id and the indexes of each record instead, which takes no schema")
                .action(ArgAction::SetTrue)
                .conflicts_with("wrap"),
        )
        .arg(
            Arg::new("wrap")
                .long("wrap")
                .value_name("ID")
                .help("Make records with this schema id out of messages")
                .value_parser(value_parser!(u32)),
        )
        .arg(target::argument())
        .arg(messages::skip_argument())
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let from = format::value(matches, "from");
    let skip_bad = matches.get_flag("skip-bad");
    if let Some(&id) = matches.get_one::<u32>("wrap") {
        return wrap(matches, id, from, skip_bad);
    }
    if !from.is_wire() {
        return Err(Failure::Usage(
            "records are bytes: --from is binary, delimited, or one of hex and base64".into(),
        ));
    }
    if matches.get_flag("ids") {
        return ids(matches, from, skip_bad);
    }
    let schema = schema::load(matches)?.ok_or_else(schema::missing)?;
    let mut types = Types::new(&schema)?;
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let to = format::value(matches, "to");
    let (mut printer, mut recognized) = (Printer::new(to), Recognized::default());
    let mut scratch = Vec::new();
    let result = messages::each(payloads, skip_bad, |payload| {
        let whole = source::undo(payload, from, &mut scratch)?;
        let record = read(&whole)?;
        let decoder = types.decoder(&whole, &record)?;
        let header = whole.bytes.len() - record.payload.len();
        let payload = Payload { bytes: record.payload, offset: whole.offset + header as u64, ..whole };
        let view = messages::decode(decoder, &payload)?;
        if !to.is_wire() {
            recognized.look(&payload, view);
        }
        printer.print(&payload, view, &mut target)
    });
    target.finish(recognized.finish(types.file.name(), result))
}

fn read<'p>(payload: &Payload<'p>) -> Result<confluent::Record<'p>, Failure> {
    confluent::read_record(payload.bytes).map_err(|error| match payload.bytes.first() {
        Some(&byte) if byte != MAGIC => Failure::message(
            payload,
            format_args!(
                "no record in Confluent's framing (InvalidFrame): it begins with the byte {byte:#04x}, not with {MAGIC:#04x}, \
                 the id of a schema and indexes; `tablepb decode` takes messages without that framing"
            ),
        ),
        _ => Failure::decode(payload, &error),
    })
}

/// The decoders of the types that records have named.
struct Types {
    file: FileDescriptor,
    decoders: HashMap<Vec<usize>, Decoder>,
}

impl Types {
    fn new(schema: &Schema) -> Result<Self, Failure> {
        let file = schema.named().last().ok_or_else(schema::missing)?;
        Ok(Self { file, decoders: HashMap::new() })
    }

    fn decoder(
        &mut self,
        payload: &Payload<'_>,
        record: &confluent::Record<'_>,
    ) -> Result<&mut Decoder, Failure> {
        let indexes: Vec<usize> = record.indexes.iter().collect();
        let Some(message) = self.file.message_at(indexes.iter().copied()) else {
            let name = self.file.name();
            return Err(Failure::message(payload, format_args!("{name} has no message type at {indexes:?}")));
        };
        Ok(self.decoders.entry(indexes).or_insert_with(|| Decoder::new(&message)))
    }
}

/// Prints the header of each record.
fn ids(matches: &ArgMatches, from: Format, skip_bad: bool) -> Result<(), Failure> {
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let mut scratch = Vec::new();
    let result = messages::each(payloads, skip_bad, |payload| {
        let payload = source::undo(payload, from, &mut scratch)?;
        let record = read(&payload)?;
        let indexes: Vec<usize> = record.indexes.iter().collect();
        let (id, bytes) = (record.schema_id, record.payload.len());
        writeln!(target, "{{\"schemaId\":{id},\"indexes\":{indexes:?},\"bytes\":{bytes}}}")?;
        Ok(())
    });
    target.finish(result)
}

/// Makes records out of messages.
fn wrap(matches: &ArgMatches, id: u32, from: Format, skip_bad: bool) -> Result<(), Failure> {
    let to = format::value(matches, "to");
    if !to.is_wire() {
        return Err(Failure::Usage(
            "records are bytes: --to is binary, delimited, or one of hex and base64".into(),
        ));
    }
    let schema = schema::load(matches)?.ok_or_else(schema::missing)?;
    let name = matches.get_one::<String>("type").map(String::as_str);
    let message = names::find(&schema.pool, &schema.place, name)?;
    let mut header = Vec::new();
    confluent::append_header(id, &indexes(&message), &mut header)
        .map_err(|error| Failure::report(error.to_string()))?;
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let (mut parser, mut printer) = (Parser::new(&message, from), Printer::new(to));
    let mut decoder = Decoder::new(&message);
    let mut record = Vec::new();
    let result = messages::each(payloads, skip_bad, |payload| {
        let payload = parser.parse(payload)?;
        let view = messages::decode(&mut decoder, &payload)?;
        record.clear();
        record.extend_from_slice(&header);
        record.extend_from_slice(payload.bytes);
        printer.print(&Payload { bytes: &record, ..payload }, view, &mut target)
    });
    target.finish(result)
}

/// Where a message type is in its file.
fn indexes(message: &MessageDescriptor) -> Vec<usize> {
    let (mut indexes, mut here) = (Vec::new(), message.clone());
    loop {
        let parent = here.parent_message();
        let position = match &parent {
            Some(parent) => parent.child_messages().position(|child| child == here),
            None => here.parent_file().messages().position(|top| top == here),
        };
        indexes.extend(position);
        let Some(parent) = parent else { break };
        here = parent;
    }
    indexes.reverse();
    indexes
}
