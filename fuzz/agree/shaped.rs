//! Numbers shaped like the spans of strings: the words of a decoded string are (offset, length) and a mark, and here numbers and bytes are
//! just such words, of places that hold no UTF-8. They are in the members of oneofs, in lists and messages before and after strings, in
//! decoders and messages that are reused, and after failures.

use super::case::Case;
use super::valid::{self, PARTIAL, ROOMY};
use crate::common::choices::Choices;
use crate::common::schema::{Card, Field, Kind};
use crate::common::wire::Wire;
use tablepb::table::Kind as OwnKind;
use tablepb::{Decoder, DynamicMessage, FieldDescriptor, Value};

/// No schema here has this field.
const FILLER: u32 = 0x1fff_fff0;
/// How many values there are in all messages inside of one field. Lists in lists in lists would take megabytes without a bound.
const INSIDE: u32 = 48;

pub fn check(input: &[u8]) -> usize {
    run(&mut Choices::fuzzed(input))
}

/// Gives how many inputs were decoded.
pub fn run(choices: &mut Choices) -> usize {
    let case = Case::new(choices);
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    let mut message = DynamicMessage::new(&case.descriptor);
    let (mut decoded, mut given) = (0, 0);
    for _ in 0..5 {
        // The first bytes of the store are no text.
        let mut input = Wire::new().bytes(FILLER, [0xff; 40]).0;
        for _ in 0..1 + choices.below(4) {
            input.extend(whole(&case, choices).0);
        }
        if choices.below(3) == 0 {
            input.truncate(choices.below(input.len() + 1));
        }
        let new = PARTIAL.decode_dynamic(&case.descriptor, &input);
        match (decoder.decode(&input), &new) {
            (Ok(used), Ok(new)) => {
                valid::values(used, input.len());
                assert!(
                    used == new.as_view(),
                    "a decoder that is reused decodes {used:?}, a new one {new:?}"
                );
                decoded += 1;
            }
            (used, new) => assert_eq!(used.map(drop).is_ok(), new.is_ok()),
        }
        given += input.len() + 64;
        let budget = choices.below(message.capacity() + 4 * input.len() + 64);
        let options = if choices.below(2) == 0 { PARTIAL } else { PARTIAL.budget(budget) };
        let merged = options.merge(&mut message, &input);
        valid::message(&message, given);
        if merged.is_err() && choices.below(2) == 0 {
            // Copies of what failed are trusted again.
            message = message.as_view().to_owned();
        }
        for _ in 0..choices.below(6) {
            set(&mut message, choices);
            valid::values(message.as_view(), given);
        }
        if message.encoded_len() > 1 << 13 || choices.once_in(4) {
            message.clear();
            given = 0;
        }
    }
    let bytes = valid::encoded(&message);
    let again = ROOMY.decode_dynamic(&case.descriptor, &bytes).expect("it was encoded");
    assert!(again == message, "{message:?} encodes as {again:?}");
    decoded
}

/// A word that is a marked string in the first bytes of the store.
fn word(choices: &mut Choices) -> u64 {
    let (offset, len) = (choices.below(24) as u64, 1 + choices.below(16) as u64);
    1 << 63 | len << 32 | offset
}

/// One half of such a word.
fn half(choices: &mut Choices) -> u32 {
    let word = word(choices);
    if choices.below(2) == 0 { word as u32 } else { (word >> 32) as u32 }
}

/// A message with most of its fields, each with as many values inside of it as another.
fn whole(case: &Case, choices: &mut Choices) -> Wire {
    let fields = &case.schema.messages[case.message].fields;
    fields
        .iter()
        .fold(Wire::new(), |wire, field| field_values(case, field, wire, choices, 3, &mut { INSIDE }))
}

/// A message inside of others, as long as there is room.
fn inner(case: &Case, message: usize, choices: &mut Choices, levels: u32, room: &mut u32) -> Wire {
    let fields = &case.schema.messages[message].fields;
    fields.iter().fold(Wire::new(), |wire, field| field_values(case, field, wire, choices, levels, room))
}

/// Mostly values of a field.
fn field_values(
    case: &Case,
    field: &Field,
    mut wire: Wire,
    choices: &mut Choices,
    levels: u32,
    room: &mut u32,
) -> Wire {
    if choices.below(3) == 0 {
        return wire;
    }
    let times = if field.card == Card::Repeated { 1 + choices.below(5) } else { 1 };
    for _ in 0..times {
        let Some(left) = room.checked_sub(1) else { break };
        *room = left;
        wire = value(case, field, wire, choices, levels, room);
    }
    wire
}

fn value(case: &Case, field: &Field, wire: Wire, choices: &mut Choices, levels: u32, room: &mut u32) -> Wire {
    let number = field.number;
    match field.kind {
        Kind::Message(_) if levels == 0 => wire,
        Kind::Message(message) => {
            let inner = inner(case, message, choices, levels - 1, room);
            if field.delimited { wire.group(number, inner) } else { wire.message(number, inner) }
        }
        Kind::String => wire.bytes(number, choices.text(9)),
        Kind::Bytes => wire.bytes(number, word(choices).to_le_bytes()),
        Kind::Enum(list) => {
            let number = *choices.pick(&case.schema.enums[list].numbers);
            wire.int(field.number, i64::from(number) as u64)
        }
        kind => match kind.wire_type() {
            1 => wire.fixed64(number, word(choices)),
            5 => wire.fixed32(number, half(choices)),
            _ if kind.is_32_bit() => wire.int(number, half(choices).into()),
            _ => wire.int(number, word(choices)),
        },
    }
}

/// Sets a field, which unsets the other members of its oneof.
fn set(message: &mut DynamicMessage, choices: &mut Choices) {
    let fields: Vec<FieldDescriptor> =
        message.descriptor().fields().filter(|field| !field.is_map()).collect();
    if fields.is_empty() {
        return;
    }
    let field = choices.pick(&fields);
    let value = match field.kind() {
        OwnKind::String => Value::String(choices.text(5)),
        OwnKind::Bytes => Value::Bytes(vec![0xff; choices.below(12)]),
        OwnKind::Fixed64 | OwnKind::Uint64 => Value::U64(word(choices)),
        OwnKind::Int64 | OwnKind::Sint64 | OwnKind::Sfixed64 => Value::I64(word(choices) as i64),
        OwnKind::Fixed32 | OwnKind::Uint32 => Value::U32(half(choices)),
        OwnKind::Int32 | OwnKind::Sint32 | OwnKind::Sfixed32 => Value::I32(half(choices) as i32),
        OwnKind::Double => Value::F64(f64::from_bits(word(choices))),
        _ => return message.clear_field(field).expect("a field of the message"),
    };
    if field.is_list() {
        message.push(field, value).expect("a value of its kind");
    } else {
        message.set_field(field, value).expect("a value of its kind");
    }
}
