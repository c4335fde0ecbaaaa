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
        payload(&self.schema, self.message, choices, WILD)
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
    }
}

/// A message that this one may have a field of.
fn targets(schema: &Schema, message: usize, choices: &mut Choices) -> usize {
    let file = schema.messages[message].file;
    let fits: Vec<usize> = (0..schema.messages.len())
        .filter(|&other| schema.messages[other].entry_of.is_none() && schema.messages[other].file == file)
        .collect();
    *choices.pick(&fits)
}
