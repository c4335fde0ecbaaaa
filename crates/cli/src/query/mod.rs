//! `tablepb query`: some fields of the messages that meet conditions, as NDJSON or CSV; counted, sorted, a row for each element.

pub mod cell;
mod condition;
mod csv;
mod flat;
mod place;
mod rows;

use crate::columns::{self, Columns};
use crate::failure::Failure;
use crate::messages::{self, Parser, Printer, Recognized};
use crate::{format, names, schema, source, target};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use condition::Condition;
use format::Format;
use place::{Elements, Row};
use rows::{Form, Rows, Wanted};
use tablepb::partial::Projection;
use tablepb::{Decoder, DynamicMessage, MessageDescriptor};

const PAGE: &str = "\
A path is field names with dots between them, an extension in brackets: address.city, [app.note].
After the name of a map, .key stands for its keys and .value, or nothing, for its values.

NDJSON holds the selected part of each message in its own shape. CSV has a column for each path
and a row for each message; a message becomes a column for each of its fields, as address.city, and
without --select all do. A list, and a path through a list or a map, gives an array in JSON; a field
with presence that is not set gives an empty cell.

A condition is a path, one of = != < <= > >= and a value: a number, true or false, the name or
number of an enum value, a time or duration as JSON has it, text, or base64 for bytes; `~` and a
regular expression; `in (a, b)`; `is set`, `is not set`. They go together by and, or, not and
parentheses; a value that has these words or symbols, or spaces around it, stands in quotes. A
field that is not set has its default; a time that is not set meets nothing. Of several values at a
path one has to meet the condition; for !=, all of them.

--unnest makes a row of each element of a list, and paths in the list are those of the element. A
row has a value for each path, in NDJSON by the names of the paths. It has that form with
--group-by, --order-by, --distinct, --to csv and --to table, too, and where --select has count(), count(PATH),
sum(PATH), min, max or avg: they are of all rows, or of each group.

--to arrow, arrow-stream and parquet, in builds with the feature `arrow`, have columns for the selected
fields of each message, with their types.

Examples:
  tablepb query --proto user.proto --type app.User --from delimited --select name,address.city users.bin
  tablepb query --proto user.proto --type app.User --from ndjson --to csv --select id,tags \\
      --where 'level = LEVEL_HIGH and (id >= 100 or name ~ ^A)' users.ndjson
  tablepb query --proto user.proto --type app.User --group-by level \\
      --select 'level,count(),avg(ratio)' --order-by 'count() desc' --limit 10 users.bin";

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
        .arg(
            Arg::new("unnest")
                .long("unnest")
                .value_name("PATH")
                .help("A row for each element of this list, beside what is around it"),
        )
        .arg(
            several(Arg::new("group-by").long("group-by").value_name("PATH").value_delimiter(','))
                .help("A row for each group of equal values of these"),
        )
        .arg(
            several(Arg::new("order-by").long("order-by").value_name("COLUMN").value_delimiter(','))
                .help("Sort by these of --select; with \" desc\" the greatest first"),
        )
        .arg(Arg::new("distinct").long("distinct").help("Each row once").action(ArgAction::SetTrue))
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("COUNT")
                .help("No more rows than this")
                .value_parser(value_parser!(u64)),
        )
        .arg(format::argument("from", "delimited", "The format of the input, as for decode"))
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FORMAT")
                .help("ndjson, csv or table; without it ndjson, and for rows on a terminal table")
                .hide_possible_values(true)
                .value_parser(PossibleValuesParser::new(
                    ["ndjson", "csv", "table"]
                        .into_iter()
                        .chain(columns::NAMES.iter().map(|(name, _)| *name)),
                )),
        )
        .arg(target::argument())
        .arg(messages::skip_argument())
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::required(matches)?;
    let texts = |name| {
        let values = matches.get_many::<String>(name).into_iter().flatten();
        values.map(|value| value.trim()).collect::<Vec<_>>()
    };
    let (group_by, order_by) = (texts("group-by"), texts("order-by"));
    let flat = matches!(matches.get_one::<String>("to").map(String::as_str), Some("csv" | "table"));
    let select = if flat && group_by.is_empty() {
        flat::columns(&schema, &texts("select"))
    } else {
        texts("select").into_iter().map(String::from).collect()
    };
    let select: Vec<&str> = select.iter().map(String::as_str).collect();
    let unnest = matches.get_one::<String>("unnest").map(|name| Elements::new(&schema, name));
    let unnest = unnest.transpose()?;
    let conditions = matches.get_many::<String>("where").into_iter().flatten().map(String::as_str);
    let (condition, tested) = Condition::new(&schema, unnest.as_ref(), conditions)?;
    let to = matches.get_one::<String>("to").map(String::as_str);
    let limit = matches.get_one::<u64>("limit").copied();
    let distinct = matches.get_flag("distinct");
    let aggregates = select.iter().any(|name| name.ends_with(')'));
    let is_table = matches!(to, Some("csv" | "table"))
        || unnest.is_some()
        || distinct
        || aggregates
        || !group_by.is_empty()
        || !order_by.is_empty();
    let wanted = Wanted {
        select: &select,
        group_by: &group_by,
        order_by: &order_by,
        distinct,
        limit,
        form: match to {
            Some("csv") => Form::Csv,
            Some("table") => Form::Table,
            None if target::is_terminal(matches) => Form::Table,
            _ => Form::Ndjson,
        },
    };
    let mut rows = if is_table { Some(Rows::new(&schema, unnest.as_ref(), &wanted)?) } else { None };
    let mut shown = if is_table { Vec::new() } else { select.clone() };
    let mut tested: Vec<&str> = tested.iter().map(String::as_str).collect();
    if is_table {
        shown.extend(select.iter().chain(&group_by).filter_map(|name| Rows::path(name)));
    }
    if let Some(list) = matches.get_one::<String>("unnest") {
        // Conditions are on rows, which have the element.
        shown.push(list);
        shown.append(&mut tested);
    }
    // Messages that do not meet conditions are decoded no further.
    let mut tests = if tested.is_empty() { None } else { Some(decoder(&schema, &tested)?) };
    let (mut decoder, mut whole) = (decoder(&schema, &shown)?, Decoder::new(&schema));
    let mut printer = Printer::new(Format::Ndjson);
    let mut columns = match columns::form(matches) {
        Some(_) if is_table => {
            let text = "--to: columns are those of messages; rows, which --unnest, --group-by and others make, go to csv";
            return Err(Failure::Usage(text.into()));
        }
        form => form.map(|form| Columns::new(&schema, &select, form)).transpose()?,
    };
    let mut printed = 0;
    let from = format::value(matches, "from");
    let (mut parser, mut recognized) = (Parser::new(&schema, from), Recognized::default());
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let result = rows.as_ref().map_or(Ok(()), |rows| rows.head(&mut target)).and_then(|()| {
        messages::each_while(payloads, matches.get_flag("skip-bad"), |payload| {
            // JSON and text are messages already.
            let parsed = parser.message(payload)?;
            let parsed = parsed.as_ref().map(DynamicMessage::as_view);
            let payload =
                match parsed {
                    // Only what is shown is printed.
                    Some(view)
                        if tests.is_none() || condition.holds(Row { message: view, element: None }) =>
                    {
                        if rows.is_some() { *payload } else { parser.encode(payload, view)? }
                    }
                    Some(_) => return Ok(true),
                    None => parser.parse(payload)?,
                };
            if parsed.is_none() {
                if !recognized.found {
                    recognized.look(&payload, messages::decode(&mut whole, &payload)?);
                }
                if let Some(decoder) = &mut tests
                    && !condition.holds(Row { message: messages::decode(decoder, &payload)?, element: None })
                {
                    return Ok(true);
                }
            }
            let Some(rows) = &mut rows else {
                if limit.is_none_or(|limit| printed < limit) {
                    printed += 1;
                    match &mut columns {
                        Some(columns) => columns.add(&payload, &mut target)?,
                        None => {
                            printer.print(&payload, messages::decode(&mut decoder, &payload)?, &mut target)?
                        }
                    }
                }
                return Ok(limit.is_none_or(|limit| printed < limit));
            };
            let message = match parsed {
                Some(view) => view,
                None => messages::decode(&mut decoder, &payload)?,
            };
            let Some(elements) = &unnest else {
                rows.add(&payload, Row { message, element: None }, &mut target)?;
                return Ok(!rows.is_full());
            };
            for element in message.values(&elements.path) {
                let row = Row { message, element: Some(element) };
                if condition.holds(row) {
                    rows.add(&payload, row, &mut target)?;
                }
            }
            Ok(!rows.is_full())
        })
    });
    let result = result.and_then(|()| rows.as_mut().map_or(Ok(()), |rows| rows.finish(&mut target)));
    let result = recognized.finish(schema.full_name(), result);
    let result = match columns {
        Some(columns) => messages::then(result, || columns.finish(&mut target)),
        None => result,
    };
    target.finish(result)
}

/// A decoder of the selected fields, or of all if none are.
fn decoder(schema: &MessageDescriptor, paths: &[&str]) -> Result<Decoder, Failure> {
    if paths.is_empty() {
        return Ok(Decoder::new(schema));
    }
    let paths = paths.iter().map(|path| cell::selected(schema, path));
    let projection = Projection::new(schema, paths.collect::<Vec<_>>())
        .map_err(|error| names::path_fault(schema, &error))?;
    Ok(Decoder::new(schema).with_projection(&projection))
}
