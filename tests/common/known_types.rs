//! A message type with every well-known type in every place: singular, repeated, map value, oneof, extension, item of a MessageSet,
//! inside of itself and of `Any`; and random payloads of it, half of whose messages are empty.

use super::choices::Choices;
use super::wire::Wire;
use std::fmt::Write;
use tablepb::{DescriptorPool, MessageDescriptor, wkt};

/// Full names; the last one is that of the type itself.
const TYPES: [&str; 18] = [
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
    "google.protobuf.Struct",
    "google.protobuf.Value",
    "google.protobuf.ListValue",
    "google.protobuf.Any",
    "google.protobuf.Empty",
    "google.protobuf.DoubleValue",
    "google.protobuf.FloatValue",
    "google.protobuf.Int64Value",
    "google.protobuf.UInt64Value",
    "google.protobuf.Int32Value",
    "google.protobuf.UInt32Value",
    "google.protobuf.BoolValue",
    "google.protobuf.StringValue",
    "google.protobuf.BytesValue",
    "k.All",
];

/// A field's number is that of its place and the index of its type.
const SINGULAR: u32 = 100;
const REPEATED: u32 = 200;
const MAP: u32 = 300;
const ONEOF: u32 = 400;
const EXTENSION: u32 = 500;
const ITEM: u32 = 600;
const SET: u32 = 1;

fn schema(files: impl Iterator<Item = String>) -> String {
    let mut text = String::from("file { name: 'k.proto' package: 'k' ");
    files.for_each(|file| write!(text, "dependency: '{file}' ").unwrap());
    text += "message_type { name: 'Set' options { message_set_wire_format: true } extension_range { start: 4 end: 2147483647 } } ";
    text +=
        "message_type { name: 'All' oneof_decl { name: 'choice' } extension_range { start: 500 end: 518 } ";
    text += "field { name: 'set' number: 1 type: TYPE_MESSAGE type_name: '.k.Set' label: LABEL_OPTIONAL } ";
    let mut extensions = String::new();
    for (i, name) in TYPES.iter().enumerate() {
        let field = |out: &mut String, what: &str, number: u32, label: &str, of: &str, more: &str| {
            let number = number + i as u32;
            write!(
                out,
                "{what} {{ name: 'f{number}' number: {number} type: TYPE_MESSAGE type_name: '.{of}' "
            )
            .unwrap();
            write!(out, "label: LABEL_{label} {more} }} ").unwrap();
        };
        let entry = format!("k.All.F{}Entry", MAP as usize + i);
        field(&mut text, "field", SINGULAR, "OPTIONAL", name, "");
        field(&mut text, "field", REPEATED, "REPEATED", name, "");
        field(&mut text, "field", MAP, "REPEATED", &entry, "");
        field(&mut text, "field", ONEOF, "OPTIONAL", name, "oneof_index: 0");
        field(&mut extensions, "extension", EXTENSION, "OPTIONAL", name, "extendee: '.k.All'");
        field(&mut extensions, "extension", ITEM, "OPTIONAL", name, "extendee: '.k.Set'");
        write!(
            text,
            "nested_type {{ name: 'F{}Entry' options {{ map_entry: true }} \
             field {{ name: 'key' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }} \
             field {{ name: 'value' number: 2 type: TYPE_MESSAGE type_name: '.{name}' label: LABEL_OPTIONAL }} }} ",
            MAP as usize + i
        )
        .unwrap();
    }
    text + "} " + &extensions + "}"
}

/// The message type.
pub fn all() -> MessageDescriptor {
    let known = DescriptorPool::from_tables(wkt::TABLES).unwrap();
    let own = DescriptorPool::descriptor_proto();
    let set = own.message("google.protobuf.FileDescriptorSet").unwrap();
    let text = schema(known.files().map(|file| file.name().to_owned()));
    let set = tablepb::text::message_from_str(&set, &text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let pool = known.add_file_descriptor_set(&set.encode_to_vec().unwrap()).unwrap();
    pool.message("k.All").unwrap()
}

/// A random message.
pub fn payload(choices: &mut Choices) -> Vec<u8> {
    let depth = 1 + choices.below(3);
    message(choices, depth).0
}

fn message(choices: &mut Choices, depth: usize) -> Wire {
    let mut wire = Wire::new();
    for _ in 0..1 + choices.below(8) {
        let i = choices.below(TYPES.len());
        let (number, value) = (i as u32, known(choices, i, depth));
        wire = match choices.below(7) {
            0 => wire.message(SINGULAR + number, value),
            // Two occurrences, which merge.
            1 => wire.message(SINGULAR + number, value).message(SINGULAR + number, known(choices, i, depth)),
            2 => wire.message(REPEATED + number, value).message(REPEATED + number, known(choices, i, depth)),
            3 => {
                let key = choices.below(3) as u64;
                // A value, two of them, or none.
                let entry = Wire::new().int(1, key);
                let entry = match choices.below(4) {
                    0 => entry,
                    1 => entry.message(2, value).message(2, known(choices, i, depth)),
                    _ => entry.message(2, value),
                };
                wire.message(MAP + number, entry)
            }
            4 => wire.message(ONEOF + number, value),
            5 => wire.message(EXTENSION + number, value),
            _ => {
                let item = Wire::new().int(2, u64::from(ITEM + number)).message(3, value);
                wire.message(SET, Wire::new().group(1, item))
            }
        };
    }
    wire
}

/// A message of the type with this index.
fn known(choices: &mut Choices, i: usize, depth: usize) -> Wire {
    let empty = Wire::new();
    if depth == 0 || choices.once_in(2) {
        return empty;
    }
    let number = choices.below(1000) as u64;
    match i {
        0 | 1 => empty.int(1, number).int(2, number * 1_000_000),
        2 => (0..choices.below(3)).fold(empty, |wire, _| wire.bytes(1, "foo_bar.baz")),
        3 => (0..choices.below(3)).fold(empty, |wire, _| {
            let key = choices.below(3).to_string();
            wire.message(1, Wire::new().bytes(1, key).message(2, known(choices, 4, depth - 1)))
        }),
        4 => match choices.below(7) {
            0 => empty.int(1, 0),
            1 => empty.fixed64(2, 1.5f64.to_bits()),
            2 => empty.bytes(3, "text"),
            3 => empty.int(4, 1),
            4 => empty.message(5, known(choices, 3, depth - 1)),
            5 => empty.message(6, known(choices, 5, depth - 1)),
            _ => empty,
        },
        5 => (0..choices.below(3)).fold(empty, |wire, _| wire.message(1, known(choices, 4, depth - 1))),
        6 => {
            let of = choices.below(TYPES.len());
            let url = format!("type.googleapis.com/{}", TYPES[of]);
            empty.bytes(1, url).bytes(2, known(choices, of, depth - 1).0)
        }
        7 => empty,
        8 => empty.fixed64(1, 0.5f64.to_bits()),
        9 => empty.fixed32(1, 0.5f32.to_bits()),
        15 | 16 => empty.bytes(1, "text"),
        17 => message(choices, depth - 1),
        _ => empty.int(1, number % 2),
    }
}
