//! A schema that is made to hurt, one of its messages, and payloads for it.

use crate::common::bridge::descriptor;
use crate::common::choices::Choices;
use crate::common::payload::{self, WILD, payload};
use crate::common::schema::{Card, Kind, SCALARS, Schema, Syntax};
use crate::common::schema_gen::{ALL, schema};
use crate::common::wire::Wire;
use tablepb::{DescriptorPool, MessageDescriptor};

pub struct Case {
    pub schema: Schema,
    pub pool: DescriptorPool,
    pub descriptor: MessageDescriptor,
    pub message: usize,
}

impl Case {
    /// A random schema with what has hidden faults before in most of its messages.
    pub fn new(choices: &mut Choices) -> Self {
        let mut schema = schema(choices, ALL);
        spice(&mut schema, choices);
        let pool = schema.pool();
        let message = choices.below(schema.messages.len());
        let message = if schema.messages[message].entry_of.is_some() { 0 } else { message };
        Self { descriptor: descriptor(&schema, &pool, message), pool, schema, message }
    }

    pub fn payload(&self, choices: &mut Choices) -> Vec<u8> {
        let mut input = payload(&self.schema, self.message, choices, WILD);
        if choices.below(3) == 0 {
            for field in &self.schema.messages[self.message].fields {
                match field.kind {
                    Kind::Message(entry) if field.card == Card::Map => {
                        input.extend(self.entries(field.number, entry, choices));
                    }
                    Kind::Message(inner) if !field.delimited && self.is_fixed(inner, 2) => {
                        for _ in 0..choices.below(6) {
                            input.extend(Wire::new().message(field.number, self.whole(inner, choices)).0);
                        }
                    }
                    _ => {}
                }
            }
        }
        input
    }

    /// Whether a message has nothing but singular numbers of fixed size, and messages of such.
    fn is_fixed(&self, message: usize, levels: u32) -> bool {
        let fields = &self.schema.messages[message].fields;
        levels > 0
            && (1..9).contains(&fields.len())
            && fields.iter().all(|field| match field.kind {
                _ if field.is_list() || field.oneof.is_some() => false,
                Kind::Message(inner) => !field.delimited && self.is_fixed(inner, levels - 1),
                kind => matches!(kind.wire_type(), 1 | 5),
            })
    }

    /// Such a message, mostly with all of its fields in order, as programs write it: decoders have short ways for that.
    fn whole(&self, message: usize, choices: &mut Choices) -> Wire {
        let mut wire = Wire::new();
        for field in &self.schema.messages[message].fields {
            let value = if choices.once_in(6) { 0 } else { choices.next() };
            wire = match (field.kind, field.kind.wire_type()) {
                _ if choices.once_in(16) => wire,
                (Kind::Message(inner), _) => wire.message(field.number, self.whole(inner, choices)),
                (_, 1) => wire.fixed64(field.number, u64::from(value) << 16),
                _ => wire.fixed32(field.number, value),
            };
        }
        wire
    }

    /// More entries than a map keeps without an index, some of them with the same key.
    fn entries(&self, number: u32, entry: usize, choices: &mut Choices) -> Vec<u8> {
        let Some(key) = self.schema.messages[entry].field(1) else { return Vec::new() };
        let mut wire = Wire::new();
        for _ in 0..choices.below(80) {
            let value = choices.below(256) as u64;
            let entry = match key.kind.wire_type() {
                0 => Wire::new().int(1, value),
                1 => Wire::new().fixed64(1, value),
                5 => Wire::new().fixed32(1, value as u32),
                _ => Wire::new().bytes(1, value.to_string()),
            };
            wire = wire.message(number, entry);
        }
        wire.0
    }

    /// A payload, sometimes of many fields, sometimes with a fault.
    pub fn any_payload(&self, choices: &mut Choices) -> Vec<u8> {
        let mut input = self.payload(choices);
        for _ in 0..choices.below(4) * choices.below(3) {
            input.extend(self.payload(choices));
        }
        match choices.below(8) {
            6 => payload::mutate(&mut input, choices),
            7 => input.truncate(choices.below(input.len() + 1)),
            _ => {}
        }
        input
    }

    /// A piece of a payload many times over: lists, maps or unknown fields of thousands.
    pub fn large_payload(&self, choices: &mut Choices, most: usize) -> Vec<u8> {
        let piece = self.payload(choices);
        let times = choices.below(most) / piece.len().max(1);
        let mut input = match self.number_list(choices) {
            Some(number) if choices.below(2) == 0 => {
                Wire::new().bytes(number, vec![1; choices.below(most) & !7]).0
            }
            _ => piece.repeat(times),
        };
        input.extend(self.payload(choices));
        input
    }

    /// The number of a repeated field of varints.
    fn number_list(&self, choices: &mut Choices) -> Option<u32> {
        let fields = &self.schema.messages[self.message].fields;
        let lists: Vec<u32> = fields
            .iter()
            .filter(|field| field.card == Card::Repeated && field.kind.is_packable())
            .map(|field| field.number)
            .collect();
        if lists.is_empty() { None } else { Some(*choices.pick(&lists)) }
    }
}

/// Adds maps to closed enums, oneofs of bytes, strings and messages, lists of strings, and messages of all sizes.
fn spice(schema: &mut Schema, choices: &mut Choices) {
    for message in 0..schema.messages.len() {
        let this = &schema.messages[message];
        if this.entry_of.is_some() || this.message_set || this.fields.len() > 40 || choices.below(4) == 0 {
            continue;
        }
        let file = this.file;
        let mut number = this.fields.iter().map(|f| f.number).filter(|n| *n < 900).max().unwrap_or(0);
        let mut free = |schema: &Schema, step: u32| {
            number += step;
            let this = &schema.messages[message];
            while this.extensions.is_some_and(|(first, last)| (first..=last).contains(&number))
                || this.field(number).is_some()
            {
                number += 1;
            }
            number
        };
        let step = 1 + choices.below(8) as u32;
        if schema.files[file].syntax != Syntax::Proto3 {
            let closed = schema.enums.iter().position(|e| e.closed && e.file == file && e.numbers[0] == 0);
            let closed = closed
                .unwrap_or_else(|| schema.enumeration(file, &format!("Closed{message}"), true, &[0, 1, 5]));
            let number = free(schema, step);
            schema.add_map(
                message,
                number,
                *choices.pick(&[Kind::Uint64, Kind::String, Kind::Int32]),
                Kind::Enum(closed),
            );
            let number = free(schema, step);
            schema.add(message, number, Kind::Enum(closed), Card::Repeated);
        }
        let oneof = schema.messages[message].oneofs;
        schema.messages[message].oneofs += 1;
        let target = targets(schema, message, choices);
        for kind in [Kind::Bytes, Kind::String, Kind::Fixed64, Kind::Message(target)] {
            let number = free(schema, 1);
            schema.add(message, number, kind, Card::Optional).oneof = Some(oneof);
        }
        for _ in 0..choices.below(4) {
            let number = free(schema, step);
            let target = targets(schema, message, choices);
            let kind = *choices.pick(&[Kind::String, Kind::Message(target), Kind::Fixed64, Kind::Bool]);
            schema.add(message, number, kind, Card::Repeated);
        }
        for _ in 0..choices.below(3) {
            let number = free(schema, step);
            let target = targets(schema, message, choices);
            schema.add_map(
                message,
                number,
                Kind::String,
                *choices.pick(&[Kind::Message(target), Kind::Bytes]),
            );
        }
        for _ in 0..choices.below(2) * choices.below(30) {
            let number = free(schema, 1);
            schema.add(message, number, *choices.pick(&SCALARS), Card::Optional);
        }
        let (shape, parts) = shapes(schema, file, message);
        for (kind, card) in [(shape, Card::Optional), (shape, Card::Repeated), (parts, Card::Repeated)] {
            let number = free(schema, 1);
            schema.add(message, number, Kind::Message(kind), card);
        }
    }
}

/// A message of numbers of fixed size, and one of two or three such messages.
fn shapes(schema: &mut Schema, file: usize, of: usize) -> (usize, usize) {
    const KINDS: [&[Kind]; 5] = [
        &[Kind::Float; 2],
        &[Kind::Float; 3],
        &[Kind::Fixed32; 4],
        &[Kind::Fixed64, Kind::Sfixed32],
        &[Kind::Fixed32],
    ];
    let card = if schema.files[file].implicit { Card::Implicit } else { Card::Optional };
    let shape = schema.message(file, &format!("Fixed{of}"));
    for (number, kind) in (1..).zip(KINDS[of % KINDS.len()]) {
        schema.add(shape, number, *kind, card);
    }
    let parts = schema.message(file, &format!("Parts{of}"));
    for number in 1..=2 + of as u32 % 2 {
        schema.add(parts, number, Kind::Message(shape), Card::Optional);
    }
    (shape, parts)
}

/// A message that this one may have a field of.
fn targets(schema: &Schema, message: usize, choices: &mut Choices) -> usize {
    let file = schema.messages[message].file;
    let fits: Vec<usize> = (0..schema.messages.len())
        .filter(|&other| schema.messages[other].entry_of.is_none() && schema.messages[other].file == file)
        .collect();
    *choices.pick(&fits)
}
