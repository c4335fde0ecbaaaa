//! Random projections, and what they leave of a message of the reference.

use super::choices::Choices;
use super::reference::{Msg, Val};
use super::schema::{Kind, Schema};
use super::wire::Wire;
use std::collections::BTreeMap;
use tablepb::schema::FieldKind;
use tablepb::wire::Reader;
use tablepb::{FieldDescriptor, MessageDescriptor};

/// What is wanted of a message: everything, or some fields by number.
#[derive(Clone, Debug, Default)]
pub struct Want {
    pub all: bool,
    pub fields: BTreeMap<u32, Want>,
}

/// Paths to message fields and others, at most `most` of them.
pub fn paths(descriptor: &MessageDescriptor, choices: &mut Choices, most: usize) -> Vec<String> {
    (0..choices.below(most + 1)).filter_map(|_| path(descriptor, choices)).collect()
}

fn path(descriptor: &MessageDescriptor, choices: &mut Choices) -> Option<String> {
    let (mut path, mut message) = (String::new(), descriptor.clone());
    for depth in 0.. {
        let fields = all_fields(&message);
        if message.is_message_set() || fields.is_empty() {
            break;
        }
        if choices.once_in(8) {
            path += ".*";
            break;
        }
        let field = choices.pick(&fields);
        path += &format!(".{}", segment(field));
        let mut value = field.clone();
        if field.is_map() && choices.below(2) == 0 {
            let FieldKind::Message(entry) = field.kind() else { unreachable!() };
            value = entry.map_entry_value_field().unwrap();
            path += ".value";
        }
        match value.kind() {
            FieldKind::Message(next) if !value.is_map() && depth < 5 && choices.below(3) > 0 => {
                message = next
            }
            _ => break,
        }
    }
    path.strip_prefix('.').map(str::to_owned)
}

/// Fields and extensions.
pub fn all_fields(message: &MessageDescriptor) -> Vec<FieldDescriptor> {
    message.fields().chain(message.extensions().map(|extension| extension.as_field())).collect()
}

/// The name of a field in a path.
pub fn segment(field: &FieldDescriptor) -> String {
    if field.is_extension() { format!("[{}]", field.full_name()) } else { field.name().to_owned() }
}

impl Want {
    /// Understands paths once more, in a plain way.
    pub fn new(descriptor: &MessageDescriptor, paths: &[String]) -> Self {
        let mut root = Self::default();
        for path in paths {
            let (mut want, mut message) = (&mut root, Some(descriptor.clone()));
            let mut rest = Some(path.as_str());
            while let Some(path) = rest {
                let end = if path.starts_with('[') {
                    path.find(']').unwrap() + 1
                } else {
                    path.find('.').unwrap_or(path.len())
                };
                let name = &path[..end];
                rest = path.get(end + 1..);
                if name == "*" {
                    break;
                }
                let of = message.clone().unwrap();
                let field = all_fields(&of).into_iter().find(|f| segment(f) == name).unwrap();
                want = want.fields.entry(field.number()).or_default();
                message = match field.kind() {
                    FieldKind::Message(next) => Some(next),
                    _ => None,
                };
            }
            want.all = true;
        }
        root
    }

    /// What is left of a message. Of the unknown fields, those that belong to a closed enum that is wanted.
    pub fn apply(&self, schema: &Schema, message: usize, msg: &Msg) -> Msg {
        if self.all {
            return msg.clone();
        }
        let this = &schema.messages[message];
        let mut left = Msg::default();
        for (number, value) in &msg.fields {
            let Some(want) = self.fields.get(number) else { continue };
            let Kind::Message(sub) = this.field(*number).unwrap().kind else {
                left.fields.insert(*number, value.clone());
                continue;
            };
            let one = |want: &Want, sub, value: &Val| match value {
                Val::Msg(inner) => Val::Msg(want.apply(schema, sub, inner)),
                value => value.clone(),
            };
            let value = match value {
                Val::List(list) => Val::List(list.iter().map(|value| one(want, sub, value)).collect()),
                Val::Map(map) => {
                    // What is wanted of an entry: all of it, or the value.
                    let all = Want { all: true, ..Want::default() };
                    let want = if want.all { &all } else { want.fields.get(&2).unwrap_or(&all) };
                    let Kind::Message(value) = schema.messages[sub].fields[1].kind else {
                        left.fields.insert(*number, Val::Map(map.clone()));
                        continue;
                    };
                    Val::Map(map.iter().map(|(k, v)| (k.clone(), one(want, value, v))).collect())
                }
                value => one(want, sub, value),
            };
            left.fields.insert(*number, value);
        }
        let mut unknown = Reader::new(&msg.unknown);
        while let Some(tag) = unknown.next_tag().unwrap() {
            let start = unknown.position();
            unknown.skip_field(tag).unwrap();
            if self.fields.contains_key(&tag.number())
                && unlisted(schema, message, tag.number(), tag.get() & 7)
            {
                let field = Wire::new().varint(tag.get().into()).raw(&msg.unknown[start..unknown.position()]);
                left.unknown.extend(field.0);
            }
        }
        left
    }
}

/// Whether an unknown field of this number and wire type is there for the number of its closed enum.
fn unlisted(schema: &Schema, message: usize, number: u32, wire_type: u32) -> bool {
    let Some(field) = schema.messages[message].field(number) else { return false };
    match field.kind {
        Kind::Enum(e) => schema.enums[e].closed && wire_type == 0,
        Kind::Message(entry) if schema.messages[entry].entry_of.is_some() => {
            let value = schema.messages[entry].fields[1].kind;
            matches!(value, Kind::Enum(e) if schema.enums[e].closed) && wire_type == 2
        }
        _ => false,
    }
}
