//! Random payloads for random schemas: valid ones as no encoder writes them (any order, fields repeated, packed and
//! unpacked mixed, overlong varints, split sub-messages, unknown fields, unlisted enum numbers, odd map entries),
//! and their broken neighbours.

use super::choices::Choices;
use super::schema::{Card, Field, Kind, Schema};
use super::wire::{BYTES, Wire};

/// How wild a payload is.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Levels of sub-messages.
    pub depth: u32,
    /// Fields that the schema lacks.
    pub unknown: bool,
    /// Known fields with another wire type.
    pub wrong_types: bool,
    /// Numbers that closed enums do not list.
    pub unlisted: bool,
    /// Strings that are not UTF-8 where that is allowed.
    pub raw_strings: bool,
}

pub const WILD: Style =
    Style { depth: 4, unknown: true, wrong_types: true, unlisted: true, raw_strings: true };
pub const TAME: Style =
    Style { depth: 4, unknown: true, wrong_types: false, unlisted: false, raw_strings: false };

/// A valid payload of this message type.
pub fn payload(schema: &Schema, message: usize, choices: &mut Choices, style: Style) -> Vec<u8> {
    let this = &schema.messages[message];
    let mut out = Wire::new();
    let most = if style.depth > 2 { 12 } else { 5 };
    for _ in 0..choices.below(most + 1) {
        out = if style.unknown && choices.once_in(8) {
            unknown(schema, message, choices, out, 3)
        } else if this.fields.is_empty() {
            out
        } else if this.message_set {
            item(schema, message, choices, style, out)
        } else {
            let field = choices.pick(&this.fields);
            one(schema, field, choices, style, out)
        };
    }
    out.0
}

/// One occurrence of a field.
fn one(schema: &Schema, field: &Field, choices: &mut Choices, style: Style, out: Wire) -> Wire {
    if style.wrong_types && choices.once_in(16) {
        return wrong(field, choices, out);
    }
    match field.kind {
        Kind::Message(_) if style.depth == 0 => out,
        Kind::Message(sub) if field.card == Card::Map => {
            let entry = entry(schema, sub, choices, style);
            out.bytes(field.number, entry)
        }
        Kind::Message(sub) => {
            let inner = payload(schema, sub, choices, Style { depth: style.depth - 1, ..style });
            if field.delimited {
                out.group(field.number, Wire(inner))
            } else {
                tag(field.number, BYTES, choices, out).overlong_len(inner.len(), choices).raw(&inner)
            }
        }
        kind if field.card == Card::Repeated && kind.is_packable() && (field.packed ^ choices.once_in(3)) => {
            let values =
                (0..choices.below(7)).fold(Wire::new(), |run, _| bare(schema, field, choices, style, run));
            out.bytes(field.number, values.0)
        }
        kind => {
            let out = tag(field.number, kind.wire_type(), choices, out);
            bare(schema, field, choices, style, out)
        }
    }
}

fn entry(schema: &Schema, entry: usize, choices: &mut Choices, style: Style) -> Vec<u8> {
    let [key, value] = schema.messages[entry].fields.as_slice() else { unreachable!() };
    let inner = Style { wrong_types: style.wrong_types && choices.once_in(8), ..style };
    let parts: &[&Field] = match choices.below(12) {
        0..7 => &[key, value],
        7 => &[value, key],
        8 => &[key],
        9 => &[value],
        10 => &[],
        _ => &[key, value, value, key],
    };
    let mut out = Wire::new();
    for part in parts {
        // Few keys, so that some come twice.
        out = match part.kind {
            Kind::String if part.number == 1 => out.bytes(1, choices.pick(&["", "a", "b", "cc", "é"])),
            kind if part.number == 1 && kind.wire_type() == 0 => out.int(1, choices.below(20) as u64),
            _ => one(schema, part, choices, inner, out),
        };
        if style.unknown && choices.once_in(16) {
            out = out.int(3 + choices.below(5) as u32, choices.bits());
        }
    }
    out.0
}

/// A MessageSet item, as it should be or not.
fn item(schema: &Schema, message: usize, choices: &mut Choices, style: Style, out: Wire) -> Wire {
    let field = choices.pick(&schema.messages[message].fields);
    let Kind::Message(sub) = field.kind else { unreachable!() };
    if style.depth == 0 {
        return out;
    }
    let inner = payload(schema, sub, choices, Style { depth: style.depth - 1, ..style });
    let number: u64 = if style.unknown && choices.once_in(6) { 3 } else { field.number.into() };
    let (id, body) = (Wire::new().int(2, number), Wire::new().bytes(3, &inner));
    let parts = match choices.below(if style.unknown { 8 } else { 1 }) {
        0..4 => id.raw(&body.0),
        4 => body.raw(&id.0),
        5 => id.raw(&body.0).raw(&body.0).int(2, 4).int(9, 1),
        6 => body,
        _ => id,
    };
    out.group(1, parts)
}

/// A value without its tag.
fn bare(schema: &Schema, field: &Field, choices: &mut Choices, style: Style, out: Wire) -> Wire {
    let bits = choices.bits();
    match field.kind {
        Kind::String => {
            let unchecked = !field.utf8 && style.raw_strings;
            let bytes =
                if unchecked && choices.once_in(4) { choices.bytes(6) } else { choices.text(6).into_bytes() };
            out.overlong_len(bytes.len(), choices).raw(&bytes)
        }
        Kind::Bytes => {
            let bytes = choices.bytes(8);
            out.overlong_len(bytes.len(), choices).raw(&bytes)
        }
        Kind::Enum(e) => {
            let list = &schema.enums[e];
            let any = choices.once_in(4) && (!list.closed || style.unlisted);
            let value = if any { bits } else { *choices.pick(&list.numbers) as i64 as u64 };
            any_varint(value, choices, out)
        }
        kind => match kind.wire_type() {
            0 => any_varint(bits, choices, out),
            1 => out.raw(&bits.to_le_bytes()),
            _ => out.raw(&(bits as u32).to_le_bytes()),
        },
    }
}

fn any_varint(value: u64, choices: &mut Choices, out: Wire) -> Wire {
    let len = if choices.once_in(8) { 1 + choices.below(10) } else { 1 };
    out.overlong(value, len)
}

/// A tag, sometimes longer than it need be.
fn tag(number: u32, wire_type: u32, choices: &mut Choices, out: Wire) -> Wire {
    let len = if choices.once_in(16) { 1 + choices.below(5) } else { 1 };
    out.overlong((number as u64) << 3 | wire_type as u64, len)
}

/// A known field with another wire type.
fn wrong(field: &Field, choices: &mut Choices, out: Wire) -> Wire {
    let number = field.number;
    match choices.below(5) {
        0 => out.int(number, choices.bits()),
        1 => out.fixed32(number, choices.next()),
        2 => out.fixed64(number, choices.bits()),
        // Length-delimited is right, and another thing, for messages and for lists.
        3 if !field.kind.is_packable() || field.card != Card::Repeated => {
            out.group(number, Wire::new().int(1, 1))
        }
        _ => out.group(number, Wire::new()),
    }
}

fn unknown(schema: &Schema, message: usize, choices: &mut Choices, out: Wire, depth: u32) -> Wire {
    let number = [1, 2, 15, 16, 2047, 536_870_911, 1000, 5][choices.below(8)];
    if schema.messages[message].field(number).is_some() {
        return out;
    }
    match choices.below(if depth > 0 { 6 } else { 4 }) {
        0 => any_varint(choices.bits(), choices, out.tag(number, 0)),
        1 => out.fixed32(number, choices.next()),
        2 => out.fixed64(number, choices.bits()),
        3 => out.bytes(number, choices.bytes(9)),
        _ if schema.messages[message].message_set && number == 1 => out,
        _ => {
            let inner = (0..choices.below(4))
                .fold(Wire::new(), |inner, _| unknown(schema, message, choices, inner, depth - 1));
            out.group(number, inner)
        }
    }
}

/// Changes a payload into one that is probably not valid.
pub fn mutate(bytes: &mut Vec<u8>, choices: &mut Choices) {
    for _ in 0..1 + choices.below(3) {
        let at = choices.below(bytes.len().max(1));
        match choices.below(7) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << choices.below(8);
                }
            }
            2 => bytes.insert(at.min(bytes.len()), choices.next() as u8),
            3 => {
                if at < bytes.len() {
                    bytes.remove(at);
                }
            }
            4 => {
                const BAD: [&[u8]; 9] = [
                    &[0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
                    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
                    &[0xff, 0xff, 0xff, 0xff, 0x0f],
                    &[0x00],
                    &[0x0e],
                    &[0x0c],
                    &[0x0b],
                    &[0xc3, 0x28],
                    &[0x0a, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00],
                ];
                let bad = *choices.pick(&BAD);
                let at = at.min(bytes.len());
                bytes.splice(at..at, bad.iter().copied());
            }
            5 => {
                let len = choices.below(bytes.len() - at.min(bytes.len()) + 1).min(16);
                let piece = bytes[at.min(bytes.len())..][..len].to_vec();
                bytes.extend(piece);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = choices.next() as u8;
                }
            }
        }
    }
}

/// Bytes that look a little like a message.
pub fn noise(choices: &mut Choices, most: usize) -> Vec<u8> {
    let len = choices.below(most + 1);
    let alphabet: [u8; 16] =
        [0x08, 0x0a, 0x12, 0x1a, 0x22, 0x2a, 0x0b, 0x0c, 0x0d, 0x13, 0x00, 0x01, 0x02, 0x80, 0x10, 0xff];
    (0..len)
        .map(|_| if choices.once_in(5) { choices.next() as u8 } else { *choices.pick(&alphabet) })
        .collect()
}

trait OverlongLength {
    fn overlong_len(self, len: usize, choices: &mut Choices) -> Self;
}

impl OverlongLength for Wire {
    /// A length, sometimes of more bytes than it needs, at most five.
    fn overlong_len(self, len: usize, choices: &mut Choices) -> Self {
        let least = if choices.once_in(16) { 1 + choices.below(5) } else { 1 };
        self.overlong(len as u64, least)
    }
}
