//! Random types in the `.proto` language whose rows steps read, and rows of them: dense numbers, few required fields, lists in either form,
//! times, wrappers, messages without fields, extensions, groups, oneofs; fields in the order of encoders or in any other.

use crate::library::choices::Choices;
use crate::library::payload::mutate;
use crate::library::wire::{BYTES, Wire};
use tablepb::schema::FieldKind;
use tablepb::{FieldDescriptor, MessageDescriptor};
use tablepb_schema::SourceBuilder;

const KNOWN: &str = "syntax = 'proto3'; package google.protobuf;
    message Timestamp { int64 seconds = 1; int32 nanos = 2; }
    message Duration { int64 seconds = 1; int32 nanos = 2; }
    message Int32Value { int32 value = 1; } message BoolValue { bool value = 1; } message DoubleValue { double value = 1; }
    enum Open { NONE = 0; SOME = 1; ANOTHER_NAME_OF_MORE_THAN_TWELVE_BYTES = 200; }
    message StringValue { string value = 1; } message BytesValue { bytes value = 1; } message UInt64Value { uint64 value = 1; }";
const KNOWN_TYPES: [&str; 8] = [
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "google.protobuf.Int32Value",
    "google.protobuf.BoolValue",
    "google.protobuf.DoubleValue",
    "google.protobuf.StringValue",
    "google.protobuf.BytesValue",
    "google.protobuf.UInt64Value",
];
const SCALARS: [&str; 15] = [
    "int32", "string", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "fixed32", "fixed64",
    "sfixed32", "sfixed64", "float", "double", "bytes",
];

#[derive(Clone, Copy, PartialEq)]
enum Syntax {
    Proto2,
    Proto3,
    Edition,
}

/// The source of the types that is being written.
struct Source {
    syntax: Syntax,
    messages: usize,
    /// One of its fields is required.
    requires: bool,
    /// What an enum is unless its file is of `proto3`.
    features: &'static str,
}

/// A random message type.
pub fn descriptor(choices: &mut Choices) -> MessageDescriptor {
    let syntax = *choices.pick(&[Syntax::Proto3, Syntax::Proto2, Syntax::Edition]);
    // Steps leave groups and strings that need not be UTF-8 to the visitor, so such files are few.
    let features = choices.pick(&[
        "",
        "",
        "",
        "",
        "option features.repeated_field_encoding = EXPANDED;",
        "option features.field_presence = IMPLICIT;",
        "option features.utf8_validation = NONE;",
        "option features.message_encoding = DELIMITED;",
    ]);
    let requires = syntax == Syntax::Proto2 && choices.once_in(12);
    let mut source = Source { syntax, messages: 1 + choices.below(4), requires, features };
    let text = source.text(choices);
    let pool = SourceBuilder::new().source("known.proto", KNOWN).source("s.proto", &text).build();
    let pool = pool.unwrap_or_else(|error| panic!("{error}\n{text}"));
    pool.message("s.M0").expect("the first message")
}

impl Source {
    fn text(&mut self, choices: &mut Choices) -> String {
        let head = match self.syntax {
            Syntax::Proto2 => "syntax = 'proto2';",
            Syntax::Proto3 => "syntax = 'proto3';",
            Syntax::Edition => "edition = '2023';",
        };
        let features = if self.syntax == Syntax::Edition { self.features } else { "" };
        let mut text = format!("{head} package s; import 'known.proto'; {features} message Empty {{}}");
        text += "enum Color { ZERO = 0; ONE = 1; A_NAME_OF_MORE_THAN_TWELVE_BYTES = 200; }";
        for message in 0..self.messages {
            text += &self.message(message, choices);
        }
        text
    }

    fn message(&mut self, message: usize, choices: &mut Choices) -> String {
        let mut text = format!("message M{message} {{");
        let mut number = 0;
        for _ in 0..1 + choices.below(9) {
            // Members of oneofs are no groups here.
            if choices.below(10) > 0 {
                number = next(number, choices);
                text += &self.field(number, choices);
                continue;
            }
            text += &format!("oneof o{number} {{");
            for _ in 0..2 + choices.below(3) {
                number = next(number, choices);
                text += &format!("{} f{number} = {number};", self.kind(choices));
            }
            text += "}";
        }
        if self.syntax == Syntax::Proto3 {
            return text + "}";
        }
        text += "extensions 100 to 120; }";
        for number in 100..120 {
            if choices.once_in(12) {
                let label = match (choices.below(2), self.syntax) {
                    (0, _) => "repeated",
                    (_, Syntax::Proto2) => "optional",
                    _ => "",
                };
                let kind = self.kind(choices);
                text += &format!("extend M{message} {{ {label} {kind} e{message}_{number} = {number}; }}");
            }
        }
        text
    }

    /// The type of a field. Steps do not read strings that need not be UTF-8, which are in every file of `proto2`, so they are few there.
    fn kind(&self, choices: &mut Choices) -> String {
        match choices.below(16) {
            0..9 if self.syntax == Syntax::Proto2 && !choices.once_in(12) => {
                let kinds = SCALARS.map(|kind| if kind == "string" { "bytes" } else { kind });
                (*choices.pick(&kinds)).to_owned()
            }
            0..9 => (*choices.pick(&SCALARS)).to_owned(),
            // Closed in a file of `proto2`: steps leave them to the visitor.
            9 if self.syntax != Syntax::Proto2 || choices.once_in(8) => "Color".to_owned(),
            9 => "google.protobuf.Open".to_owned(),
            10 => "Empty".to_owned(),
            11..14 => (*choices.pick(&KNOWN_TYPES)).to_owned(),
            _ => format!("M{}", choices.below(self.messages)),
        }
    }

    fn field(&mut self, number: u32, choices: &mut Choices) -> String {
        let mut kind = self.kind(choices);
        let is_scalar = SCALARS.contains(&kind.as_str());
        let label = match (choices.below(6), self.syntax) {
            (0..2, _) => {
                let packable = is_scalar && kind != "string" && kind != "bytes";
                let other = match self.syntax {
                    Syntax::Proto2 => "[packed = true]",
                    Syntax::Proto3 => "[packed = false]",
                    Syntax::Edition => "[features.repeated_field_encoding = EXPANDED]",
                };
                let other = if packable && choices.once_in(3) { other } else { "" };
                return format!("repeated {kind} f{number} = {number} {other};");
            }
            (2, _) => {
                let key = *choices.pick(&["string", "int32", "bool", "sint64", "fixed32"]);
                if kind == "Color" && self.syntax != Syntax::Proto3 {
                    kind = "bytes".to_owned();
                }
                return format!("map<{key}, {kind}> f{number} = {number};");
            }
            (_, Syntax::Proto2) if std::mem::take(&mut self.requires) => "required",
            (3, Syntax::Proto2) if choices.once_in(8) => {
                return format!(
                    "optional group G{number} = {number} {{ optional sint32 a = 1; repeated string b = 2; }}"
                );
            }
            (_, Syntax::Proto2) => "optional",
            (3, Syntax::Proto3) => "optional",
            _ => "",
        };
        let default = match (kind.as_str(), self.syntax) {
            ("string", Syntax::Proto2) => "[default = 'a default of more than twelve bytes']",
            ("sint64", Syntax::Proto2) => "[default = -7]",
            _ => "",
        };
        format!("{label} {kind} f{number} = {number} {default};")
    }
}

/// The number of the next field: most follow each other.
fn next(number: u32, choices: &mut Choices) -> u32 {
    let next = number + if choices.once_in(8) { 1 + choices.below(12) as u32 } else { 1 };
    if (100..=120).contains(&next) {
        121
    } else if choices.once_in(40) {
        next + 3_000
    } else {
        next
    }
}

/// A row: mostly as encoders write it, and sometimes in another order, or not valid.
pub fn row(descriptor: &MessageDescriptor, choices: &mut Choices) -> Vec<u8> {
    // In every message fields come again, and more than one member of each oneof.
    let again = choices.once_in(16);
    let mut row = message(descriptor, choices, (3, again));
    if choices.once_in(16) {
        mutate(&mut row, choices);
    }
    row
}

fn message(descriptor: &MessageDescriptor, choices: &mut Choices, (depth, again): (u32, bool)) -> Vec<u8> {
    let extensions = descriptor.extensions().map(|extension| extension.as_field());
    let mut fields: Vec<_> = descriptor.fields().chain(extensions).collect();
    fields.sort_by_key(FieldDescriptor::number);
    let (mut parts, mut oneofs) = (Vec::new(), Vec::new());
    for field in &fields {
        let repeated = field.is_list() || field.is_map();
        let oneof = field.containing_oneof().map(|oneof| oneof.full_name().to_owned());
        if !again && oneof.as_ref().is_some_and(|oneof| oneofs.contains(oneof)) {
            continue;
        }
        let most = if repeated { 4 } else { 2 + usize::from(again) };
        let times = if field.is_required() { 1 } else { choices.below(most) };
        if times > 0 {
            oneofs.extend(oneof);
        }
        (0..times).for_each(|_| parts.push(one(field, choices, (depth, again))));
        if choices.once_in(24) {
            parts.push(Wire::new().int(fields.len() as u32 + 40, choices.bits()).0);
        }
    }
    if choices.once_in(6) {
        // Fisher and Yates.
        (1..parts.len()).rev().for_each(|at| parts.swap(at, choices.below(at + 1)));
    }
    parts.concat()
}

/// One occurrence of a field.
fn one(field: &FieldDescriptor, choices: &mut Choices, (depth, again): (u32, bool)) -> Vec<u8> {
    let number = field.number();
    let inner = (depth.saturating_sub(1), again);
    let wire = match field.kind() {
        FieldKind::Message(_) if depth == 0 => Wire::new(),
        FieldKind::Message(of) if field.is_group() => {
            Wire::new().group(number, Wire(message(&of, choices, inner)))
        }
        FieldKind::Message(of) => Wire::new().bytes(number, message(&of, choices, inner)),
        FieldKind::String | FieldKind::Bytes => value(field, choices, Wire::new().tag(number, BYTES)),
        _ if field.is_list() && (field.is_packed() ^ choices.once_in(5)) => {
            let run = (0..choices.below(5)).fold(Wire::new(), |run, _| value(field, choices, run));
            Wire::new().bytes(number, run.0)
        }
        kind => value(field, choices, Wire::new().tag(number, wire_type(&kind))),
    };
    wire.0
}

fn wire_type(kind: &FieldKind) -> u32 {
    match kind {
        FieldKind::Fixed64 | FieldKind::Sfixed64 | FieldKind::Double => 1,
        FieldKind::Fixed32 | FieldKind::Sfixed32 | FieldKind::Float => 5,
        _ => 0,
    }
}

/// A value without its tag.
fn value(field: &FieldDescriptor, choices: &mut Choices, out: Wire) -> Wire {
    // Small numbers, so that most times fit.
    let bits = if choices.once_in(12) { choices.bits() } else { choices.below(300) as u64 };
    match field.kind() {
        FieldKind::String | FieldKind::Bytes => {
            let bytes = match field.kind() {
                FieldKind::Bytes => choices.bytes(20),
                _ => choices.text(20).into_bytes(),
            };
            out.varint(bytes.len() as u64).raw(&bytes)
        }
        FieldKind::Enum(_) => out.varint(*choices.pick(&[0, 1, 200, bits])),
        kind => match wire_type(&kind) {
            1 => out.raw(&bits.to_le_bytes()),
            5 => out.raw(&(bits as u32).to_le_bytes()),
            _ => out.varint(bits),
        },
    }
}
