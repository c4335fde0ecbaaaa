//! `tablepb diff`: what differs between two messages, or two streams of them, by path.

use crate::failure::Failure;
use crate::messages::Parser;
use crate::source::Payloads;
use crate::{format, names, schema, source, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::io::Write;
use std::path::PathBuf;
use tablepb::compare::Comparison;
use tablepb::schema::FieldKind;
use tablepb::{DynamicMessage, FieldDescriptor, MessageDescriptor, MessageView};

const PAGE: &str = "\
Prints a line for each difference: `- path: value` is in the first file alone, `+ path: value` in the
second alone, `~ path: value -> value` in both; values are in text format. Ends with 1 if there is one.
What is not set differs from what is set, if the field tells them apart. Elements of lists are compared
by their places, or with --key by the value of a field, in whatever order; entries of maps by their keys.

Examples:
  tablepb diff --proto user.proto --type app.User old.bin new.bin
  tablepb diff --proto user.proto --type app.User --from json --ignore created --key address.lines=text a.json b.json";

pub fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).value_name(name).help(help).required(true).value_parser(value_parser!(PathBuf))
    };
    let several = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
    schema::arguments(Command::new("diff"))
        .about("Compares two messages, or two streams of them, by path")
        .after_help(PAGE)
        .arg(file("OLD", "The first file; - for standard input"))
        .arg(file("NEW", "The second file"))
        .arg(format::argument("from", "binary", "The format of both, as for decode"))
        .arg(several("ignore").value_name("PATH").help("Leave out this field, and what is in it"))
        .arg(
            several("key")
                .value_name("LIST=FIELD")
                .help("Elements of this list are the same if this field is"),
        )
        .arg(target::argument())
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::required(matches)?;
    let from = format::value(matches, "from");
    let comparison = comparison(matches, &schema)?;
    let open = |name: &str| {
        let file = matches.get_one::<PathBuf>(name).map(PathBuf::as_path);
        source::open(file, from, !matches.get_flag("no-decompress"))
    };
    let (mut old, mut new) = (open("OLD")?, open("NEW")?);
    let mut parsers = [Parser::new(&schema, from), Parser::new(&schema, from)];
    let mut target = target::from_arguments(matches)?;
    let colours = target::has_colours(target::is_terminal(matches));
    let (mut number, mut count) = (0u64, 0u64);
    let mut all = || -> Result<(), Failure> {
        loop {
            let [first, second] = &mut parsers;
            let pair = (message(&mut old, first, &schema)?, message(&mut new, second, &schema)?);
            number += 1;
            let Some(lines) = lines(&comparison, &pair)? else { return Ok(()) };
            let stream = number > 1 || from.is_stream();
            let place = if stream { format!("message {number}: ") } else { String::new() };
            for (sign, line) in &lines {
                let (on, off) = if colours { (colour(*sign), "\x1b[0m") } else { ("", "") };
                writeln!(target, "{on}{sign} {place}{line}{off}")?;
            }
            count += lines.len() as u64;
        }
    };
    let result = all();
    target.finish(result)?;
    match count {
        0 => Ok(()),
        1 => Err(Failure::report("1 difference")),
        count => Err(Failure::report(format!("{count} differences"))),
    }
}

/// What `--ignore` and `--key` say.
fn comparison(matches: &ArgMatches, schema: &MessageDescriptor) -> Result<Comparison, Failure> {
    let texts = |name| matches.get_many::<String>(name).into_iter().flatten();
    let mut comparison = Comparison::new();
    for path in texts("ignore") {
        check(schema, path)?;
        comparison = comparison.ignore(path);
    }
    for text in texts("key") {
        let (list, field) = text.split_once('=').unwrap_or((text, ""));
        let element = check(schema, list)?;
        let FieldKind::Message(element) = element.kind() else {
            return Err(Failure::Usage(format!("--key {text}: {list} is no list of messages")));
        };
        element.field(field).map_err(|error| Failure::Usage(format!("--key {text}: {error}")))?;
        comparison = comparison.by_key(list, [field]);
    }
    Ok(comparison)
}

/// The differences of two messages, each with its sign; `None` after the last of both.
fn lines(
    comparison: &Comparison,
    pair: &(Option<DynamicMessage>, Option<DynamicMessage>),
) -> Result<Option<Vec<(char, String)>>, Failure> {
    let (old, new) = match pair {
        (None, None) => return Ok(None),
        (Some(old), None) => return Ok(Some(vec![('-', json(old.as_view()))])),
        (None, Some(new)) => return Ok(Some(vec![('+', json(new.as_view()))])),
        (Some(old), Some(new)) => (old, new),
    };
    let found = comparison.differences(old, new).map_err(|error| Failure::report(error.to_string()))?;
    let line = |difference: &tablepb::compare::Difference| {
        let path = difference.path();
        match (difference.before(), difference.after()) {
            (Some(before), Some(after)) => ('~', format!("{path}: {before} -> {after}")),
            (Some(before), None) => ('-', format!("{path}: {before}")),
            (_, after) => ('+', format!("{path}: {}", after.unwrap_or_default())),
        }
    };
    Ok(Some(found.iter().map(line).collect()))
}

fn colour(sign: char) -> &'static str {
    match sign {
        '-' => "\x1b[31m",
        '+' => "\x1b[32m",
        _ => "\x1b[33m",
    }
}

/// The field of a path without indices.
fn check(schema: &MessageDescriptor, path: &str) -> Result<FieldDescriptor, Failure> {
    let found = tablepb::partial::ValuePath::new(schema, path);
    found.map(|path| path.field().clone()).map_err(|error| names::path_fault(schema, &error))
}

fn message(
    payloads: &mut Payloads,
    parser: &mut Parser,
    schema: &MessageDescriptor,
) -> Result<Option<DynamicMessage>, Failure> {
    let Some(payload) = payloads.next()? else { return Ok(None) };
    let payload = parser.parse(&payload)?;
    let decoded = DynamicMessage::decode(schema, payload.bytes);
    decoded.map(Some).map_err(|error| Failure::decode(&payload, &error))
}

fn json(view: MessageView<'_, '_>) -> String {
    tablepb::json::to_string(&view).unwrap_or_else(|error| format!("({error})"))
}
