//! The source of what was found.

use super::shape::{Field, Shapes};
use std::fmt::Write;
use tablepb::wire::WireType;

/// The numbers that protobuf keeps for itself.
const RESERVED: std::ops::RangeInclusive<u32> = 19_000..=19_999;

/// A file with one message type, in which the others are nested.
pub fn source(shapes: &Shapes, name: &str) -> String {
    let groups = shapes
        .types
        .iter()
        .flat_map(|fields| fields.values())
        .any(|field| field.wire == WireType::StartGroup);
    // Only editions have groups along with the rest.
    let head = if groups { "edition = \"2023\";\n" } else { "syntax = \"proto3\";\n" };
    let mut text = format!("{head}\nmessage {name} {{\n");
    let mut stack = vec![shapes.types[0].iter()];
    while let Some(fields) = stack.last_mut() {
        let Some((&number, field)) = fields.next() else {
            stack.pop();
            let _ = writeln!(text, "{:1$}}}", "", 2 * stack.len());
            continue;
        };
        let level = 2 * stack.len();
        if RESERVED.contains(&number) {
            let _ = writeln!(text, "{:level$}// {number} is a number that no field can have.", "");
            continue;
        }
        let label = if field.repeated { "repeated " } else { "" };
        let message = field.message();
        let kind = message.map_or_else(|| scalar(field).to_owned(), |_| format!("Field{number}"));
        let group = if field.wire == WireType::StartGroup && message.is_some() {
            " [features.message_encoding = DELIMITED]"
        } else {
            ""
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:level$}{label}{kind} field_{number} = {number}{group};", "");
        if let Some(message) = message {
            let _ = writeln!(text, "{:level$}message Field{number} {{", "");
            stack.push(shapes.types[message].iter());
        }
    }
    text
}

fn scalar(field: &Field) -> &'static str {
    match field.wire {
        WireType::Varint if field.negative => "int64",
        WireType::Varint => "uint64",
        WireType::Fixed32 if field.float => "float",
        WireType::Fixed32 => "fixed32",
        WireType::Fixed64 if field.float => "double",
        WireType::Fixed64 => "fixed64",
        _ if field.text => "string",
        _ => "bytes",
    }
}
