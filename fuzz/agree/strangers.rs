//! Two pools with the same names, and other types: handles of one are given to messages of the other. What is read is of the
//! message's own type, what is written fits it, and nothing else changes.

use super::case::Case;
use super::valid::{self, PARTIAL};
use crate::common::bridge::descriptor;
use crate::common::choices::Choices;
use crate::common::payload::{TAME, payload};
use crate::common::schema::{Card, Kind, SCALARS, Schema};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tablepb::{Decoder, DynamicMessage, FieldDescriptor, Prepared, Value};

/// Calls that were accepted, refused, and not to be had: getters panic if they have no such field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    pub accepted: usize,
    pub refused: usize,
}

pub fn check(input: &[u8]) -> Tried {
    run(&mut Choices::fuzzed(input))
}

pub fn run(choices: &mut Choices) -> Tried {
    let mut tried = Tried::default();
    let case = Case::new(choices);
    let other = exchanged(&case.schema, choices);
    let Ok(other_pool) = tablepb::DescriptorPool::decode(&other.descriptor_set()) else { return tried };
    let stranger = descriptor(&other, &other_pool, case.message);
    let bytes = case.payload(choices);
    let Ok(mut message) = PARTIAL.decode_dynamic(&case.descriptor, &bytes) else {
        return tried;
    };
    let other_bytes = payload(&other, case.message, choices, TAME);
    let Ok(from) = PARTIAL.decode_dynamic(&stranger, &other_bytes) else { return tried };
    let _ = message == from;
    for theirs in stranger.fields() {
        reads(&message, &theirs);
    }
    for _ in 0..12 {
        let fields: Vec<FieldDescriptor> = stranger.fields().collect();
        if fields.is_empty() {
            break;
        }
        writes(&mut message, choices.pick(&fields), &from, choices, &mut tried);
        valid::message(&message, 4 * (bytes.len() + other_bytes.len()) + 4096);
    }
    // A decoder of the one reads no raw message of the other, and what one of them has prepared is the other's own.
    let mut decoder = Decoder::new(&stranger).with_options(PARTIAL);
    if let Ok(view) = decoder.decode(&other_bytes) {
        valid::values(view, other_bytes.len());
    }
    // Of what is prepared only the name is compared: it is written as it is, and may not be of the type that it names here.
    if let Ok(prepared) = Prepared::new(&from) {
        for field in message.descriptor().clone().fields() {
            let before = message.clone();
            if message.set_field(&field, prepared.clone()).is_err() {
                assert!(message == before || format!("{message:?}") == format!("{before:?}"));
            }
            valid::values(message.as_view(), 8 * (bytes.len() + other_bytes.len()) + 4096);
            let mut encoded = Vec::new();
            valid::ANY.encode(&message, &mut encoded).expect("whatever a message holds can be encoded");
            assert_eq!(encoded.len(), message.encoded_len());
        }
    }
    tried
}

/// The same messages, fields and numbers, but for the types of some.
fn exchanged(schema: &Schema, choices: &mut Choices) -> Schema {
    let mut other = schema.clone();
    for message in 0..other.messages.len() {
        let entry = other.messages[message].entry_of.is_some();
        let file = other.messages[message].file;
        let targets: Vec<usize> = (0..other.messages.len())
            .filter(|&to| {
                other.messages[to].entry_of.is_none()
                    && !other.messages[to].message_set
                    && other.messages[to].file == file
            })
            .collect();
        for at in 0..other.messages[message].fields.len() {
            let field = &mut other.messages[message].fields[at];
            if entry && at == 0 || field.card == Card::Map || field.extension || choices.below(3) > 0 {
                continue;
            }
            let message_kind = !targets.is_empty() && field.card != Card::Implicit && choices.below(4) == 0;
            field.kind =
                if message_kind { Kind::Message(*choices.pick(&targets)) } else { *choices.pick(&SCALARS) };
            field.packed &= field.kind.is_packable();
            field.delimited &= matches!(field.kind, Kind::Message(_)) && !entry;
            if !entry
                && field.oneof.is_none()
                && matches!(field.card, Card::Optional | Card::Repeated)
                && choices.once_in(4)
            {
                field.card = if field.card == Card::Repeated { Card::Optional } else { Card::Repeated };
                field.packed &= field.card == Card::Repeated;
            }
        }
    }
    other
}

/// What their handle reads is what ours does.
fn reads(message: &DynamicMessage, theirs: &FieldDescriptor) {
    let Some(ours) = message.descriptor().get_field(theirs.number()) else { return };
    let show = |read: &dyn Fn() -> String| catch_unwind(AssertUnwindSafe(read)).ok();
    let by_theirs = show(&|| format!("{:?} {:?}", message.get(theirs), message.get_field(theirs)));
    let by_ours = format!("{:?} {:?}", message.get(&ours), message.get_field(&ours));
    assert_eq!(by_theirs.as_ref(), Some(&by_ours), "{}", ours.full_name());
    assert_eq!(message.has_field(theirs), message.has_field(&ours));
    if let Some(oneof) = theirs.containing_oneof() {
        let member = catch_unwind(AssertUnwindSafe(|| {
            message.as_view().get_oneof(&oneof).map(|(field, _)| field.number())
        }));
        if let Ok(Some(number)) = member {
            assert!(message.has_field(number));
        }
    }
}

fn writes(
    message: &mut DynamicMessage,
    theirs: &FieldDescriptor,
    from: &DynamicMessage,
    choices: &mut Choices,
    tried: &mut Tried,
) {
    let before = message.clone();
    let value = || from.get_field(theirs).expect("its own field").to_owned();
    let message_value = || Value::Message(from.clone());
    let result = match choices.below(8) {
        0 => message.set_field(theirs, message_value()),
        1 => message.push(theirs, message_value()),
        2 => message.push_message(theirs).map(drop),
        3 => message.message_mut(theirs).map(drop),
        4 => message.clear_field(theirs),
        5 => message.insert(theirs, 1, message_value()),
        6 => message.element_mut(theirs, 0).map(drop),
        _ => message.set_field(theirs, value()),
    };
    match result {
        Ok(()) => tried.accepted += 1,
        Err(_) => {
            tried.refused += 1;
            assert!(
                *message == before || format!("{message:?}") == format!("{before:?}"),
                "{}",
                theirs.full_name()
            );
        }
    }
    for other in message.descriptor().fields() {
        let same_oneof = other.containing_oneof().is_some();
        if other.number() != theirs.number() && !same_oneof {
            assert_eq!(format!("{:?}", message.get(&other)), format!("{:?}", before.get(&other)));
        }
    }
}
