//! `tablepb stats`: which fields take the bytes of a stream.

use crate::failure::Failure;
use crate::inspect::is_message;
use crate::messages::{self, Parser};
use crate::source::Payload;
use crate::{format, schema, source, target};
use clap::{ArgMatches, Command};
use std::io::Write;
use tablepb::table::Kind;
use tablepb::wire::{Reader, Tag, WireType};
use tablepb::{DecodeError, MessageDescriptor};

const PAGE: &str = "\
Each line is a field path: how often it occurs, how many bytes it takes with its tags, its lengths
and all that is in it, and its share of the input. The largest come first. Elements of a list are
counted one by one, packed ones together.

Without a schema a path has field numbers, and what reads as a message is taken for one.

Examples:
  tablepb stats --proto user.proto --type app.User users.bin
  tablepb stats --from binary payload.bin";

/// Paths that are told apart; those of schemas that go round in circles, or of hostile bytes, are without end.
const PATHS: usize = 10_000;
/// Levels that are looked into, as many as messages can have.
const DEPTH: usize = 100;

pub fn command() -> Command {
    schema::arguments(Command::new("stats"))
        .about("Shows which fields take the bytes of a stream")
        .after_help(PAGE)
        .arg(source::file_argument("The messages; - or nothing for standard input"))
        .arg(format::argument("from", "delimited", "The format of the input, as for decode"))
        .arg(target::argument())
        .arg(messages::skip_argument())
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::message(matches)?;
    let from = format::value(matches, "from");
    let mut parser = match (&schema, from.is_wire()) {
        (Some(schema), _) => Some(Parser::new(schema, from)),
        (None, true) => None,
        (None, false) => return Err(schema::missing()),
    };
    let payloads = source::from_arguments(matches, from)?;
    let mut target = target::from_arguments(matches)?;
    let mut stats = Stats::new(schema.as_ref());
    let mut scratch = Vec::new();
    let result = messages::each(payloads, matches.get_flag("skip-bad"), |payload| {
        let payload = match &mut parser {
            Some(parser) => parser.parse(payload)?,
            None => source::undo(payload, from, &mut scratch)?,
        };
        stats.add(&payload)
    });
    let result = match result {
        Ok(()) | Err(Failure::Skipped { .. }) => stats.print(&mut target).and(result),
        result => result,
    };
    target.finish(result)
}

/// Counts of a tree of paths.
struct Stats {
    nodes: Vec<Node>,
    messages: u64,
    bytes: u64,
    longest: usize,
}

struct Node {
    name: String,
    parent: usize,
    /// The message type, if the schema has one for what is here.
    schema: Option<MessageDescriptor>,
    /// Field numbers and nodes, in the order of the numbers.
    children: Vec<(u32, usize)>,
    count: u64,
    bytes: u64,
}

/// A message that is being read.
struct Level<'i> {
    reader: Reader<'i>,
    node: usize,
}

impl Stats {
    fn new(schema: Option<&MessageDescriptor>) -> Self {
        let root = Node::new(String::new(), 0, schema.cloned());
        Self { nodes: vec![root], messages: 0, bytes: 0, longest: 0 }
    }

    /// Counts the fields of a message, after all of it has been found to be well formed.
    fn add(&mut self, payload: &Payload<'_>) -> Result<(), Failure> {
        let fail = |error: DecodeError| Failure::decode(payload, &error);
        Reader::new(payload.bytes).skip_message().map_err(fail)?;
        self.messages += 1;
        self.bytes += payload.bytes.len() as u64;
        self.longest = self.longest.max(payload.bytes.len());
        let mut stack = vec![Level { reader: Reader::new(payload.bytes), node: 0 }];
        loop {
            let levels = stack.len();
            let Some(here) = stack.last_mut() else { break };
            let before = here.reader.remaining();
            let Some(tag) = here.reader.next_tag().map_err(fail)? else {
                stack.pop();
                continue;
            };
            let node = self.child(here.node, tag);
            let child = if levels <= DEPTH { self.inside(node, tag, &here.reader) } else { None };
            here.reader.skip_field(tag).map_err(fail)?;
            if node != here.node {
                self.nodes[node].count += 1;
                self.nodes[node].bytes += (before - here.reader.remaining()) as u64;
            }
            stack.extend(child.map(|reader| Level { reader, node }));
        }
        Ok(())
    }

    /// The node of a field; that of its message where there are too many.
    fn child(&mut self, node: usize, tag: Tag) -> usize {
        let children = &self.nodes[node].children;
        if let Ok(place) = children.binary_search_by_key(&tag.number(), |child| child.0) {
            return children[place].1;
        }
        if self.nodes.len() >= PATHS {
            return node;
        }
        let schema = &self.nodes[node].schema;
        let field = schema.as_ref().and_then(|schema| {
            let extension = || schema.get_extension(tag.number()).map(|extension| extension.as_field());
            schema.get_field(tag.number()).or_else(extension)
        });
        let (name, message) = match field {
            Some(field) => {
                let name = if field.is_extension() {
                    format!("[{}]", field.full_name())
                } else {
                    field.name().to_owned()
                };
                let Kind::Message(message) = field.kind() else { return self.push(node, tag, name, None) };
                (name, Some(message))
            }
            None => (tag.number().to_string(), None),
        };
        self.push(node, tag, name, message)
    }

    fn push(&mut self, parent: usize, tag: Tag, name: String, schema: Option<MessageDescriptor>) -> usize {
        let child = self.nodes.len();
        self.nodes.push(Node::new(name, parent, schema));
        let children = &mut self.nodes[parent].children;
        let place = children.partition_point(|child| child.0 < tag.number());
        children.insert(place, (tag.number(), child));
        child
    }

    /// The message in a field, of which only the tag has been read.
    fn inside<'i>(&self, node: usize, tag: Tag, reader: &Reader<'i>) -> Option<Reader<'i>> {
        let guess = self.nodes[0].schema.is_none();
        let known = self.nodes[node].schema.is_some();
        let mut reader = reader.clone();
        match tag.wire_type() {
            WireType::StartGroup => reader.read_group(tag).ok(),
            WireType::LengthDelimited if known || guess => {
                let bytes = reader.clone().read_length_delimited().ok()?;
                let child = reader.read_message().ok()?;
                let message =
                    if known { child.clone().skip_message().is_ok() } else { is_message(bytes, &child) };
                message.then_some(child)
            }
            _ => None,
        }
    }

    fn path(&self, mut node: usize) -> String {
        let mut names = Vec::new();
        while node != 0 {
            names.push(self.nodes[node].name.as_str());
            node = self.nodes[node].parent;
        }
        names.reverse();
        names.join(".")
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out, "messages  {}", self.messages)?;
        let mean = self.bytes.checked_div(self.messages).unwrap_or(0);
        writeln!(out, "bytes     {}, {mean} in the mean, {} at most\n", self.bytes, self.longest)?;
        writeln!(out, "{:>12} {:>14} {:>7}  field", "count", "bytes", "share")?;
        let mut order: Vec<usize> = (1..self.nodes.len()).collect();
        order.sort_by_key(|&node| std::cmp::Reverse(self.nodes[node].bytes));
        for node in order {
            let Node { count, bytes, .. } = self.nodes[node];
            let share = 100.0 * bytes as f64 / self.bytes.max(1) as f64;
            writeln!(out, "{count:>12} {bytes:>14} {share:>6.1}%  {}", self.path(node))?;
        }
        if self.nodes.len() >= PATHS {
            writeln!(
                out,
                "\nThere are more than {PATHS} paths; fields of the others count for their messages."
            )?;
        }
        Ok(())
    }
}

impl Node {
    fn new(name: String, parent: usize, schema: Option<MessageDescriptor>) -> Self {
        Self { name, parent, schema, children: Vec::new(), count: 0, bytes: 0 }
    }
}
