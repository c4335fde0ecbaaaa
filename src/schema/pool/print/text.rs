//! Prints option values in text format, <https://protobuf.dev/reference/protobuf/textformat-spec/>.
//!
//! Options are encoded, and a message may be in several pieces that are to be merged. So a payload is a list of slices
//! of the encoded bytes, without a copy. Nesting uses an explicit stack; messages deeper than 100 levels are left out.

use super::ProtoPrinter;
use crate::schema::pool::model::PoolData;
use crate::schema::pool::model::names::{escape_bytes, escape_str};
use crate::schema::pool::{FieldDescriptor, MessageDescriptor, read};
use crate::schema::program::sort_indices;
use crate::schema::table::Kind;
use crate::wire::read::message_set;
use crate::wire::{Reader, Tag, WireType, unzigzag32, unzigzag64};
use alloc::{collections::BTreeMap, format, string::String, vec, vec::Vec};

const MAX_DEPTH: usize = 100;

/// One value of one field.
pub(super) struct OptionItem<'b> {
    pub(super) field: FieldDescriptor,
    pub(super) value: OptionValue<'b>,
}

/// A value: finished text, or a message with its pieces.
pub(super) enum OptionValue<'b> {
    Text(String),
    Message(MessageDescriptor, Vec<&'b [u8]>),
}

/// An undecoded value.
#[derive(Clone, Copy)]
enum RawOption<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

/// The known fields of a payload, in number order. Stops at malformed bytes.
pub(super) fn items<'b>(message: &MessageDescriptor, payload: &[&'b [u8]]) -> Vec<OptionItem<'b>> {
    const ITEM: u32 = message_set::ITEM as u32 >> 3;
    let mut values: Vec<(u32, WireType, RawOption<'b>)> = Vec::new();
    for piece in payload {
        let mut reader = Reader::new(piece);
        while let Ok(Some(tag)) = reader.next_tag() {
            let Some(raw) = read(&mut reader, tag) else { break };
            match (message.is_message_set(), tag.number(), raw) {
                (true, ITEM, RawOption::Bytes(item)) => {
                    if let Some((number, raw)) = message_set_item(item) {
                        values.push((number, WireType::LengthDelimited, raw));
                    }
                }
                _ => values.push((tag.number(), tag.wire_type(), raw)),
            }
        }
    }
    let mut items = Vec::new();
    // By number; the values of one field keep their order.
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    let number = |i: u32| values.get(i as usize).map_or(0, |&(number, ..)| number);
    sort_indices(&mut order, &mut |a, b| number(a).cmp(&number(b)).then(a.cmp(&b)));
    for same in order.chunk_by(|&a, &b| number(a) == number(b)) {
        if let Some(field) = same.first().and_then(|&first| message.field_by_number(number(first))) {
            let of_field = same.iter().filter_map(|&i| values.get(i as usize));
            let of_field = of_field.map(|&(_, wire_type, raw)| (wire_type, raw)).collect();
            add_items(&field.to_owned(), of_field, &mut items);
        }
    }
    items
}

fn read<'b>(reader: &mut Reader<'b>, tag: Tag) -> Option<RawOption<'b>> {
    Some(match tag.wire_type() {
        WireType::Varint => RawOption::Number(reader.read_varint().ok()?),
        WireType::Fixed32 => RawOption::Number(reader.read_fixed32().ok()?.into()),
        WireType::Fixed64 => RawOption::Number(reader.read_fixed64().ok()?),
        WireType::LengthDelimited => RawOption::Bytes(reader.read_length_delimited().ok()?),
        WireType::StartGroup => RawOption::Bytes(reader.read_group(tag).ok()?.rest()),
        WireType::EndGroup => return None,
    })
}

/// Number and payload of a MessageSet item.
fn message_set_item(item: &[u8]) -> Option<(u32, RawOption<'_>)> {
    const TYPE_ID: u32 = message_set::TYPE_ID as u32 >> 3;
    const MESSAGE: u32 = message_set::MESSAGE as u32 >> 3;
    let (mut number, mut payload) = (None, RawOption::Bytes(&[]));
    let mut reader = Reader::new(item);
    while let Ok(Some(tag)) = reader.next_tag() {
        match (tag.number(), read(&mut reader, tag)?) {
            (TYPE_ID, RawOption::Number(id)) => number = u32::try_from(id).ok(),
            (MESSAGE, bytes @ RawOption::Bytes(_)) => payload = bytes,
            _ => {}
        }
    }
    Some((number?, payload))
}

fn add_items<'b>(
    field: &FieldDescriptor,
    values: Vec<(WireType, RawOption<'b>)>,
    items: &mut Vec<OptionItem<'b>>,
) {
    let repeated = field.is_list() || field.is_map();
    if let Kind::Message(message) = field.kind() {
        let pieces = values.into_iter().filter_map(|(_, raw)| match raw {
            RawOption::Bytes(piece) => Some(piece),
            RawOption::Number(_) => None,
        });
        let mut push = |pieces| {
            items.push(OptionItem {
                field: field.clone(),
                value: OptionValue::Message(message.clone(), pieces),
            });
        };
        if repeated {
            pieces.for_each(|piece| push(vec![piece]));
        } else {
            push(pieces.collect());
        }
        return;
    }
    let mut texts = Vec::new();
    for (wire_type, raw) in values {
        match raw {
            RawOption::Bytes(run) if field.kind().is_packable() => packed(field, run, &mut texts),
            _ if u32::from(field.kind().wire_type()) == wire_type as u32 => texts.extend(scalar(field, raw)),
            _ => {}
        }
    }
    let skipped = if repeated { 0 } else { texts.len().saturating_sub(1) };
    let texts = texts.into_iter().skip(skipped);
    items.extend(texts.map(|text| OptionItem { field: field.clone(), value: OptionValue::Text(text) }));
}

fn packed(field: &FieldDescriptor, run: &[u8], texts: &mut Vec<String>) {
    let mut reader = Reader::new(run);
    while !reader.is_empty() {
        let number = match field.kind().wire_type() {
            0 => reader.read_varint(),
            1 => reader.read_fixed64(),
            _ => reader.read_fixed32().map(u64::from),
        };
        let Ok(number) = number else { return };
        texts.extend(scalar(field, RawOption::Number(number)));
    }
}

fn scalar(field: &FieldDescriptor, raw: RawOption<'_>) -> Option<String> {
    Some(match (field.kind(), raw) {
        (Kind::String, RawOption::Bytes(bytes)) => match core::str::from_utf8(bytes) {
            Ok(text) => format!("\"{}\"", escape_str(text)),
            Err(_) => format!("\"{}\"", escape_bytes(bytes)),
        },
        (Kind::Bytes, RawOption::Bytes(bytes)) => format!("\"{}\"", escape_bytes(bytes)),
        (Kind::Bool, RawOption::Number(n)) => format!("{}", n != 0),
        (Kind::Int32 | Kind::Sfixed32, RawOption::Number(n)) => format!("{}", n as i32),
        (Kind::Int64 | Kind::Sfixed64, RawOption::Number(n)) => format!("{}", n as i64),
        (Kind::Uint32 | Kind::Fixed32, RawOption::Number(n)) => format!("{}", n as u32),
        (Kind::Uint64 | Kind::Fixed64, RawOption::Number(n)) => format!("{n}"),
        (Kind::Sint32, RawOption::Number(n)) => format!("{}", unzigzag32(n as u32)),
        (Kind::Sint64, RawOption::Number(n)) => format!("{}", unzigzag64(n)),
        (Kind::Float, RawOption::Number(n)) => float(f32::from_bits(n as u32)),
        (Kind::Double, RawOption::Number(n)) => double(f64::from_bits(n)),
        // .proto source sets an option to the name of a value, so a number without a name cannot be printed.
        (Kind::Enum(enumeration), RawOption::Number(n)) => enumeration.value_name(n as i32)?.into(),
        _ => return None,
    })
}

/// A `float` that reads back as it is.
pub(super) fn float(value: f32) -> String {
    if value.is_finite() { format!("{value:?}") } else { not_finite(value.into()) }
}

/// A `double` that reads back as it is.
pub(super) fn double(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { not_finite(value) }
}

fn not_finite(value: f64) -> String {
    String::from(if value.is_nan() {
        "nan"
    } else if value < 0.0 {
        "-inf"
    } else {
        "inf"
    })
}

/// The value of an option, as printed after `=`.
pub(super) fn option_value(value: OptionValue<'_>) -> String {
    let (message, payload) = match value {
        OptionValue::Text(text) => return text,
        OptionValue::Message(message, payload) => (message, payload),
    };
    let mut out = String::from("{");
    let mut stack = vec![items(&message, &payload).into_iter()];
    while let Some(top) = stack.last_mut() {
        let Some(item) = top.next() else {
            stack.pop();
            out.push_str(" }");
            continue;
        };
        out.push(' ');
        out.push_str(&key(&item.field));
        match item.value {
            OptionValue::Text(text) => {
                out.push_str(": ");
                out.push_str(&text);
            }
            OptionValue::Message(message, payload) => {
                out.push_str(" {");
                let inner = if stack.len() < MAX_DEPTH { items(&message, &payload) } else { vec![] };
                stack.push(inner.into_iter());
            }
        }
    }
    out
}

/// The name of a field in text format: a group goes by the name of its type, an extension by its full name.
fn key(field: &FieldDescriptor) -> String {
    if field.is_extension() {
        return format!("[{}]", field.full_name());
    }
    match field.kind() {
        Kind::Message(group)
            if field.is_group()
                && group.name().eq_ignore_ascii_case(field.name())
                && group.parent_message().as_ref() == Some(field.parent_message()) =>
        {
            group.name().into()
        }
        _ => field.name().into(),
    }
}

// Comments, from the `SourceCodeInfo` of a file.
//
// What is printed gives the same comments when it is compiled: those before a definition stand right before it, those after it on its
// line or, if they have more lines, on the lines after it, and detached ones between empty lines.

/// `FileDescriptorProto.source_code_info`, and `SourceCodeInfo.location`.
const SOURCE_CODE_INFO: u32 = 9;
const LOCATION: u32 = 1;

/// The comments of a location.
#[derive(Clone, Default)]
struct Notes<'a> {
    leading: &'a str,
    trailing: &'a str,
    detached: Vec<&'a str>,
}

/// The comments of a file, by the path of the definition.
#[derive(Default)]
pub(super) struct Comments<'a> {
    own: BTreeMap<Vec<i32>, Notes<'a>>,
    /// Of statements that declare several things, `extend`, `extensions` and `reserved`, by the path of the first one.
    lists: BTreeMap<Vec<i32>, Notes<'a>>,
}

impl<'a> Comments<'a> {
    /// `None` if the file has none.
    pub(super) fn read(data: &'a PoolData, file: u32) -> Option<Self> {
        let proto = data.bytes(data.files.get(file as usize)?.proto);
        let mut this = Self::default();
        // The statement before this location, if it may declare several things.
        let mut list: Option<Vec<i32>> = None;
        for info in read::children(proto, SOURCE_CODE_INFO) {
            for location in read::children(info, LOCATION) {
                let mut path = Vec::new();
                // A pool has checked them.
                let _ = read::ints(location, 1, &mut |number| {
                    path.push(number);
                    Ok(())
                });
                if let Some((_, statement)) = path.split_last()
                    && let Some(list) = list.take().filter(|list| list == statement)
                {
                    // Also without comments, so that no statement gets those of another.
                    let notes = this.own.remove(&list).unwrap_or_default();
                    this.lists.insert(path.clone(), notes);
                }
                let texts = |number| {
                    read::children(location, number).filter_map(|text| core::str::from_utf8(text).ok())
                };
                let notes = Notes {
                    leading: texts(3).last().unwrap_or(""),
                    trailing: texts(4).last().unwrap_or(""),
                    detached: texts(6).collect(),
                };
                // A field number without an index: a statement, or one value.
                list = (path.len() % 2 == 1).then(|| path.clone());
                if !(notes.leading.is_empty() && notes.trailing.is_empty() && notes.detached.is_empty()) {
                    this.own.insert(path, notes);
                }
            }
        }
        (!this.own.is_empty() || !this.lists.is_empty()).then_some(this)
    }
}

impl<'a> ProtoPrinter<'a> {
    /// The comments of what is declared under the definition that is printed.
    fn notes(&self, step: &[i32], list: bool) -> Option<&Notes<'a>> {
        let comments = self.comments.as_ref()?;
        let path = [&self.path[..], step].concat();
        if list { comments.lists.get(&path) } else { comments.own.get(&path) }
    }

    pub(super) fn prints_comments(&self) -> bool {
        self.comments.is_some()
    }

    /// Whether a statement with comments begins with this.
    pub(super) fn begins_list(&self, step: &[i32]) -> bool {
        self.notes(step, true).is_some()
    }

    /// Prints the comments before a definition, after any empty line.
    pub(super) fn before(&mut self, step: &[i32], list: bool) {
        let Some(notes) = self.notes(step, list).cloned() else { return };
        for detached in &notes.detached {
            self.empty_line();
            self.comment(detached);
            self.empty_line();
        }
        self.comment(notes.leading);
    }

    /// Prints the comment after a definition, or after the brace that opens it.
    pub(super) fn after(&mut self, step: &[i32], list: bool) {
        let Some(trailing) = self.notes(step, list).map(|notes| notes.trailing) else { return };
        let mut lines = lines(trailing);
        match (lines.next(), lines.next()) {
            (None, _) => {}
            (Some(line), None) => {
                self.out.truncate(self.out.trim_end_matches('\n').len());
                self.out.push_str(" //");
                self.text(line);
            }
            _ => {
                self.comment(trailing);
                self.empty_line();
            }
        }
    }

    /// An empty line, unless there is one.
    fn empty_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn comment(&mut self, text: &str) {
        for line in lines(text) {
            for _ in 0..self.indent {
                self.out.push_str("  ");
            }
            self.out.push_str("//");
            self.text(line);
        }
    }

    /// A line of a comment. A comment ends at NUL, which only sets that no compiler has made have.
    fn text(&mut self, line: &str) {
        self.out.extend(line.chars().map(|c| if c == '\0' { ' ' } else { c }));
        self.out.push('\n');
    }
}

/// The lines of a comment. A newline ends the last one, unless it was a block comment.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.strip_suffix('\n').unwrap_or(text);
    whole.split('\n').take(if text.is_empty() { 0 } else { usize::MAX })
}
