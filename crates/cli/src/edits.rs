//! `tablepb set` and `tablepb unset`: some fields of messages changed, all other bytes kept.

use crate::failure::Failure;
use crate::messages::{self, Parser, Printer};
use crate::{format, names, schema, source, target};
use clap::{Arg, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use tablepb::partial::{PathError, Projection, ValuePath};
use tablepb::schema::FieldKind;
use tablepb::{Decoder, DynamicMessage, FieldDescriptor, MessageDescriptor, Value, json};

const PATHS: &str = "\
A path names a field, \"address.city\", an element of a list, \"address.lines[0].text\", or the value of a
map entry, scores[\"x\"]. Of the message only the fields at the start of the paths are decoded; all
else, unknown fields too, stays as it is. The output has the format of the input.";

const SET_EXAMPLES: &str = "\
A VALUE is a number, true or false, the text of a string, an enum value by name or number, bytes in
base64, and JSON for messages, lists and maps. Messages on the way are made.

Examples:
  tablepb set --proto user.proto --type app.User user.bin name=Bob 'scores[\"x\"]=5' > new.bin
  tablepb set --proto user.proto --type app.User --from delimited users.bin 'address={\"city\":\"Bern\"}' -o new.bin";

const UNSET_EXAMPLES: &str = "\
Elements of lists and entries of maps are removed.

Examples:
  tablepb unset --proto user.proto --type app.User user.bin address.city tags > new.bin";

pub fn set_command() -> Command {
    command(
        "set",
        "Sets fields of messages, and keeps all other bytes",
        ("PATH=VALUE", "What to set"),
        SET_EXAMPLES,
    )
}

pub fn unset_command() -> Command {
    command(
        "unset",
        "Unsets fields of messages, and keeps all other bytes",
        ("PATH", "What to unset"),
        UNSET_EXAMPLES,
    )
}

fn command(
    name: &'static str,
    about: &'static str,
    (value, help): (&'static str, &'static str),
    examples: &str,
) -> Command {
    schema::arguments(Command::new(name))
        .about(about)
        .after_help(format!("{PATHS}\n\n{examples}"))
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .help("The messages; - for standard input")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(Arg::new("edits").value_name(value).help(help).required(true).num_args(1..))
        .arg(format::argument("from", "binary", "The format of the input and of the output"))
        .arg(target::argument())
        .arg(messages::skip_argument())
        .arg(source::decompress_argument())
}

pub fn set(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::required(matches)?;
    let mut edits = Vec::new();
    for text in texts(matches) {
        // Of a key in quotes, an equals sign belongs to the path.
        let split = text.char_indices().scan(false, |quoted, (at, c)| {
            *quoted ^= c == '"';
            Some((at, c == '=' && !*quoted))
        });
        let Some((at, _)) = { split }.find(|found| found.1) else {
            return Err(Failure::Usage(format!("{text}: PATH=VALUE expected")));
        };
        let (path, value) = (&text[..at], &text[at + 1..]);
        let field = field_at(&schema, path)?;
        let value = value_of(&field, path.ends_with(']'), value);
        let value = value.map_err(|error| Failure::Usage(format!("{path}: {error}")))?;
        edits.push((path.to_owned(), Some(value)));
    }
    run(matches, &schema, &edits)
}

pub fn unset(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::required(matches)?;
    let mut edits = Vec::new();
    for path in texts(matches) {
        field_at(&schema, path)?;
        edits.push((path.clone(), None));
    }
    run(matches, &schema, &edits)
}

fn texts(matches: &ArgMatches) -> impl Iterator<Item = &String> {
    matches.get_many::<String>("edits").into_iter().flatten()
}

fn run(
    matches: &ArgMatches,
    schema: &MessageDescriptor,
    edits: &[(String, Option<Value>)],
) -> Result<(), Failure> {
    let from = format::value(matches, "from");
    // What is selected whole is decoded; so an element of it can be changed.
    let first = |path: &str| path.find(['.', '[']).map_or(path.len(), |end| end.max(1));
    let selected = edits.iter().map(|(path, _)| match path.strip_prefix('[') {
        Some(extension) => &path[..extension.find(']').map_or(path.len(), |end| end + 2)],
        None => &path[..first(path)],
    });
    let projection = Projection::new(schema, selected).map_err(|error| Failure::Usage(error.to_string()))?;
    let projection = projection.pass_through();
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let (mut parser, mut printer) = (Parser::new(schema, from), Printer::new(from));
    let mut decoder = Decoder::new(schema);
    let result = messages::each(payloads, matches.get_flag("skip-bad"), |payload| {
        let payload = parser.parse(payload)?;
        let decoded = projection.decode(payload.bytes);
        let mut message = decoded.map_err(|error| Failure::decode(&payload, &error))?;
        for (path, value) in edits {
            edit(&mut message, path, value.as_ref())
                .map_err(|error| Failure::message(&payload, format_args!("{error}")))?;
        }
        let bytes = message.encode_to_vec().map_err(|error| Failure::encode(&payload, &error))?;
        let edited = source::Payload { bytes: &bytes, ..payload };
        let view = messages::decode(&mut decoder, &edited)?;
        printer.print(&edited, view, &mut target)
    });
    target.finish(result)
}

fn edit(message: &mut DynamicMessage, path: &str, value: Option<&Value>) -> Result<(), PathError> {
    match value {
        Some(value) => message.set_path(path, value.clone()),
        None => message.clear_path(path),
    }
}

/// The field at the end of a path, which may have elements.
fn field_at(schema: &MessageDescriptor, path: &str) -> Result<FieldDescriptor, Failure> {
    let (mut plain, mut rest) = (String::new(), path);
    while let Some(open) = rest.find('[') {
        let (before, inner) = rest.split_at(open);
        plain += before;
        let quoted = inner.starts_with("[\"");
        let close = if quoted { inner.find("\"]").map(|at| at + 1) } else { inner.find(']') };
        let Some(close) = close else { break };
        if plain.is_empty() || plain.ends_with('.') {
            // An extension.
            plain += &inner[..=close];
        }
        rest = &inner[close + 1..];
    }
    plain += rest;
    let found = ValuePath::new(schema, &plain);
    found.map(|path| path.field().clone()).map_err(|error| names::path_fault(schema, &error))
}

/// A value for a field, or for one element of it.
fn value_of(field: &FieldDescriptor, element: bool, text: &str) -> Result<Value, String> {
    let number = |error: &dyn std::fmt::Display| format!("{text:?}: {error}");
    let whole = !element && (field.is_list() || field.is_map());
    if whole {
        let message = format!("{{\"{}\":{text}}}", field.json_name());
        let parent = json::message_from_str(field.parent_message(), &message);
        let mut parent = parent.map_err(|error| error.to_string())?;
        let taken = parent.take_field(field).map_err(|error| error.to_string())?;
        return Ok(taken.unwrap_or_else(|| Value::default_value_for_field(field)));
    }
    Ok(match field.kind() {
        FieldKind::Bool => Value::Bool(text.parse().map_err(|error| number(&error))?),
        FieldKind::Float | FieldKind::Double => Value::F64(text.parse().map_err(|error| number(&error))?),
        FieldKind::Uint32 | FieldKind::Uint64 | FieldKind::Fixed32 | FieldKind::Fixed64 => {
            Value::U64(text.parse().map_err(|error| number(&error))?)
        }
        FieldKind::String => Value::from(text),
        FieldKind::Bytes => {
            let mut bytes = Vec::new();
            format::from_base64(text.as_bytes(), &mut bytes).map_err(|_| format!("{text:?}: no base64"))?;
            Value::from(bytes)
        }
        FieldKind::Enum(_) => match text.parse::<i32>() {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(text),
        },
        FieldKind::Message(message) => {
            Value::from(json::message_from_str(&message, text).map_err(|error| error.to_string())?)
        }
        _ => Value::I64(text.parse().map_err(|error| number(&error))?),
    })
}
