//! [`Params`]: fields that a path and a query name, as one document of JSON.

use std::collections::BTreeMap;
use tablepb::prost_reflect_names::MessageNames;
use tablepb::table::Kind;
use tablepb::{FieldDescriptor, MessageDescriptor, json, wkt};
use tonic::Status;

/// No path has more fields: parsers bound the depth of messages by the same.
const MAX_DEPTH: usize = 100;

/// The fields of a message, by their numbers.
#[derive(Default)]
pub(super) struct Params(BTreeMap<u32, Param>);

enum Param {
    Message(String, Params),
    /// Values with commas between them.
    Values(String, Vec<u8>, Many),
}

#[derive(Clone, Copy, PartialEq)]
enum Many {
    One,
    List,
}

/// The fields of a path: `book.author.name`, each by its name or its name in JSON. All but the last are messages.
pub(super) fn resolve(message: &MessageDescriptor, path: &str) -> Result<Vec<FieldDescriptor>, String> {
    let mut message = message.clone();
    let mut fields = Vec::new();
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        // Without a search for the nearest name, which a client could make a server do.
        let field = message.get_field_by_name(name).or_else(|| message.get_field_by_json_name(name));
        let field = field.ok_or_else(|| format!("{} has no field {name:?}", message.full_name()))?;
        if names.peek().is_some() {
            message = match field.kind() {
                Kind::Message(inner) if !field.is_list() && !field.is_map() => inner,
                _ => return Err(format!("{} is no message", field.full_name())),
            };
        }
        fields.push(field);
        if fields.len() > MAX_DEPTH {
            return Err(format!("a path has at most {MAX_DEPTH} fields"));
        }
    }
    Ok(fields)
}

/// Whether a text can be the value of a field, or of an element of it.
pub(super) fn is_scalar(field: &FieldDescriptor) -> bool {
    match field.kind() {
        Kind::Message(message) => !field.is_map() && scalar_kind(&message).is_some(),
        _ => true,
    }
}

/// How the messages are written that are one value in JSON.
fn scalar_kind(message: &MessageDescriptor) -> Option<Kind<MessageDescriptor, tablepb::EnumDescriptor>> {
    match message.full_name().strip_prefix("google.protobuf.")? {
        "BoolValue" | "DoubleValue" | "FloatValue" | "Int32Value" | "Int64Value" | "UInt32Value"
        | "UInt64Value" | "StringValue" | "BytesValue" => Some(message.get_field(1)?.kind()),
        "Duration" | "FieldMask" | "Timestamp" | "Value" => Some(Kind::String),
        _ => None,
    }
}

impl Params {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a value: another element of a list, or the one value of another field.
    pub fn add(&mut self, path: &[FieldDescriptor], text: &str) -> Result<(), Status> {
        let Some((field, parents)) = path.split_last() else { return Ok(()) };
        let mut at = self;
        for parent in parents {
            let new = || Param::Message(parent.json_name().to_owned(), Self::default());
            at = match at.0.entry(parent.number()).or_insert_with(new) {
                Param::Message(_, inner) => inner,
                Param::Values(..) => return Err(twice(parent)),
            };
        }
        let many = if field.is_list() { Many::List } else { Many::One };
        let new = || Param::Values(field.json_name().to_owned(), Vec::new(), many);
        let Param::Values(_, values, _) = at.0.entry(field.number()).or_insert_with(new) else {
            return Err(twice(field));
        };
        if !values.is_empty() {
            if many == Many::One {
                return Err(twice(field));
            }
            values.push(b',');
        }
        write_value(values, field, text)
    }

    /// The document.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// At most [`MAX_DEPTH`] levels.
    fn write(&self, out: &mut Vec<u8>) {
        for (at, param) in self.0.values().enumerate() {
            out.push(if at == 0 { b'{' } else { b',' });
            let (Param::Message(name, _) | Param::Values(name, ..)) = param;
            write_string(out, name);
            out.push(b':');
            match param {
                Param::Message(_, inner) => inner.write(out),
                Param::Values(_, values, Many::One) => out.extend(values),
                Param::Values(_, values, Many::List) => {
                    out.push(b'[');
                    out.extend(values);
                    out.push(b']');
                }
            }
        }
        out.extend(if self.is_empty() { &b"{}"[..] } else { b"}" });
    }
}

fn twice(field: &FieldDescriptor) -> Status {
    Status::invalid_argument(format!("{} has two values", field.full_name()))
}

/// A string of JSON.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) {
    // A string, whose mapping to JSON is itself, has no way to fail.
    let _ = json::append(out, &wkt::StringValue { value: text.to_owned() });
}

/// A value as JSON has it. Numbers may stand in strings, and the parser checks them.
fn write_value(out: &mut Vec<u8>, field: &FieldDescriptor, text: &str) -> Result<(), Status> {
    let kind = match field.kind() {
        Kind::Message(message) => scalar_kind(&message).filter(|_| !field.is_map()).ok_or_else(|| {
            Status::invalid_argument(format!("{} is a message: name its fields", field.full_name()))
        })?,
        kind => kind,
    };
    let bare = match kind {
        Kind::Bool => match text {
            "true" | "false" => true,
            _ => {
                let text = format!("{}: {text:?} is neither true nor false", field.full_name());
                return Err(Status::invalid_argument(text));
            }
        },
        // By number, or by name.
        Kind::Enum(_) => text.parse::<i32>().is_ok_and(|number| number.to_string() == text),
        _ => false,
    };
    if bare {
        out.extend(text.as_bytes());
    } else {
        write_string(out, text);
    }
    Ok(())
}
