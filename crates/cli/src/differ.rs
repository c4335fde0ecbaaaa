//! `tablepb diff`: what differs between two messages, or two streams of them, by path.

use crate::failure::Failure;
use crate::messages::Parser;
use crate::query::cell;
use crate::source::Payloads;
use crate::{format, schema, source, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::PathBuf;
use tablepb::prost_reflect_names::MessageNames;
use tablepb::schema::FieldKind;
use tablepb::{DynamicMessage, FieldDescriptor, MapKeyRef, MessageDescriptor, MessageView, ValueRef};

const PAGE: &str = "\
Prints a line for each difference: `- path: value` is in the first file alone, `+ path: value` in the
second alone, `~ path: value -> value` in both. Ends with 1 if there is one. What is not set differs
from what is set, if the field tells them apart. Elements of lists are compared by their places, or
with --key by the value of a field, in whatever order; entries of maps by their keys.

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
    let texts = |name| matches.get_many::<String>(name).into_iter().flatten();
    let mut ignored = Vec::new();
    for path in texts("ignore") {
        check(&schema, path)?;
        ignored.push(path.clone());
    }
    let mut keys = HashMap::new();
    for text in texts("key") {
        let (list, field) = text.split_once('=').unwrap_or((text, ""));
        let element = check(&schema, list)?;
        let FieldKind::Message(element) = element.kind() else {
            return Err(Failure::Usage(format!("--key {text}: {list} is no list of messages")));
        };
        let field = element.field(field).map_err(|error| Failure::Usage(format!("--key {text}: {error}")))?;
        keys.insert(list.to_owned(), field);
    }
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
            let mut found = Comparer { ignored: &ignored, keys: &keys, lines: Vec::new() };
            match &pair {
                (None, None) => return Ok(()),
                (Some(old), Some(new)) => found.messages(old.as_view(), new.as_view(), "", ""),
                (Some(old), None) => found.add(b'-', "", &json(old.as_view())),
                (None, Some(new)) => found.add(b'+', "", &json(new.as_view())),
            }
            for (sign, line) in &found.lines {
                let (on, off) = match sign {
                    _ if !colours => ("", ""),
                    b'-' => ("\x1b[31m", "\x1b[0m"),
                    b'+' => ("\x1b[32m", "\x1b[0m"),
                    _ => ("\x1b[33m", "\x1b[0m"),
                };
                let place = if number > 1 || from.is_stream() {
                    format!("message {number}: ")
                } else {
                    String::new()
                };
                writeln!(target, "{on}{} {place}{line}{off}", *sign as char)?;
            }
            count += found.lines.len() as u64;
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

/// The field of a path without indices.
fn check(schema: &MessageDescriptor, path: &str) -> Result<FieldDescriptor, Failure> {
    let found = tablepb::partial::ValuePath::new(schema, path);
    found.map(|path| path.field().clone()).map_err(|error| Failure::Usage(error.to_string()))
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

struct Comparer<'c> {
    ignored: &'c [String],
    /// The field of elements that says which are the same, by the path of the list.
    keys: &'c HashMap<String, FieldDescriptor>,
    lines: Vec<(u8, String)>,
}

impl Comparer<'_> {
    fn add(&mut self, sign: u8, path: &str, text: &str) {
        let colon = if path.is_empty() { "" } else { ": " };
        self.lines.push((sign, format!("{path}{colon}{text}")));
    }

    /// Compares two messages at a path, with indices and without. Messages are at most as deep as decoders allow.
    fn messages(&mut self, old: MessageView<'_, '_>, new: MessageView<'_, '_>, path: &str, plain: &str) {
        let fields = |view: MessageView<'_, '_>| -> BTreeMap<u32, FieldDescriptor> {
            view.fields().map(|(field, _)| (field.number(), field.to_owned())).collect()
        };
        let mut all = fields(old);
        all.extend(fields(new));
        for field in all.values() {
            let name = if field.is_extension() {
                format!("[{}]", field.full_name())
            } else {
                field.name().to_owned()
            };
            let join = |path: &str| if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let (path, plain) = (join(path), join(plain));
            if self.ignored.contains(&plain) {
                continue;
            }
            match (old.has_field(field), new.has_field(field)) {
                (false, false) => {}
                (true, true) => {
                    if let (Ok(old), Ok(new)) = (old.get_field(field), new.get_field(field)) {
                        self.values(field, old, new, &path, &plain);
                    }
                }
                (has, _) => {
                    let (sign, view) = if has { (b'-', old) } else { (b'+', new) };
                    // Without presence the other side has the default.
                    let other = if has { new } else { old };
                    if let (Ok(value), Ok(default)) = (view.get_field(field), other.get_field(field)) {
                        self.one_side(field, sign, value, default, &path, &plain);
                    }
                }
            }
        }
        let unknown = |view: MessageView<'_, '_>| {
            view.unknown_fields().map(|field| (field.tag(), field.value().to_vec())).collect::<Vec<_>>()
        };
        if unknown(old) != unknown(new) {
            self.add(b'~', path, "unknown fields differ");
        }
    }

    fn one_side(
        &mut self,
        field: &FieldDescriptor,
        sign: u8,
        value: ValueRef<'_, '_>,
        default: ValueRef<'_, '_>,
        path: &str,
        plain: &str,
    ) {
        let several = field.is_list() || field.is_map();
        if several || !field.supports_presence() {
            let (old, new) = if sign == b'-' { (value, default) } else { (default, value) };
            return self.values(field, old, new, path, plain);
        }
        self.add(sign, path, &text(field, value));
    }

    fn values(
        &mut self,
        field: &FieldDescriptor,
        old: ValueRef<'_, '_>,
        new: ValueRef<'_, '_>,
        path: &str,
        plain: &str,
    ) {
        match (old, new) {
            (ValueRef::List(old), ValueRef::List(new)) => {
                let key = self.keys.get(plain);
                let name = |(at, value)| match key {
                    Some(key) => (format!("[{}={}]", key.name(), key_text(key, value)), value),
                    None => (format!("[{at}]"), value),
                };
                let old: Vec<_> = old.iter().enumerate().map(name).collect();
                let new: Vec<_> = new.iter().enumerate().map(name).collect();
                self.named(field, &old, &new, path, plain);
            }
            (ValueRef::Map(old), ValueRef::Map(new)) => {
                let old: Vec<_> = old.iter().map(|(key, value)| (map_key(key), value)).collect();
                let new: Vec<_> = new.iter().map(|(key, value)| (map_key(key), value)).collect();
                self.named(field, &old, &new, path, plain);
            }
            (ValueRef::Message(old), ValueRef::Message(new)) => self.messages(old, new, path, plain),
            (old, new) => {
                let (old, new) = (text(field, old), text(field, new));
                if old != new {
                    self.add(b'~', path, &format!("{old} -> {new}"));
                }
            }
        }
    }

    /// Elements that have names; of several of one name the first with the first.
    fn named(
        &mut self,
        field: &FieldDescriptor,
        old: &[(String, ValueRef<'_, '_>)],
        new: &[(String, ValueRef<'_, '_>)],
        path: &str,
        plain: &str,
    ) {
        let mut partners: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (name, _)) in new.iter().enumerate().rev() {
            partners.entry(name).or_default().push(at);
        }
        let mut taken = vec![false; new.len()];
        for (name, value) in old {
            let path = format!("{path}{name}");
            match partners.get_mut(&**name).and_then(Vec::pop) {
                Some(at) => {
                    taken[at] = true;
                    self.values(field, *value, new[at].1, &path, plain);
                }
                None => self.add(b'-', &path, &text(field, *value)),
            }
        }
        for ((name, value), taken) in new.iter().zip(taken) {
            if !taken {
                self.add(b'+', &format!("{path}{name}"), &text(field, *value));
            }
        }
    }
}

/// The field of an element that tells it from others; empty if it cannot be read.
fn key_text(key: &FieldDescriptor, element: ValueRef<'_, '_>) -> String {
    let value = element.as_message().and_then(|view| view.get_field(key).ok().map(|value| text(key, value)));
    value.unwrap_or_default()
}

fn map_key(key: MapKeyRef<'_>) -> String {
    match key {
        MapKeyRef::String(text) => {
            let mut out = Vec::new();
            cell::json_string(text, &mut out);
            format!("[{}]", String::from_utf8_lossy(&out))
        }
        // A string of proto2 that is not UTF-8.
        MapKeyRef::Bytes(key) => format!("[\"{}\"]", key.escape_ascii()),
        MapKeyRef::Bool(key) => format!("[{key}]"),
        MapKeyRef::I32(key) => format!("[{key}]"),
        MapKeyRef::I64(key) => format!("[{key}]"),
        MapKeyRef::U32(key) => format!("[{key}]"),
        MapKeyRef::U64(key) => format!("[{key}]"),
    }
}

/// A value as JSON has it.
fn text(field: &FieldDescriptor, value: ValueRef<'_, '_>) -> String {
    let kind = match field.kind() {
        FieldKind::Message(entry) if field.is_map() => {
            entry.get_field_by_name("value").map_or(FieldKind::Bytes, |value| value.kind())
        }
        kind => kind,
    };
    let mut out = Vec::new();
    cell::append(&kind, value, false, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
