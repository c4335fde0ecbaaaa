//! Any schema, any payload: every way of decoding agrees, and what was decoded is stable.
//!
//! Shared by the fuzz target `any_schema` and by `tests/suite/peers/agreement.rs`. The input is one byte of choices, two bytes
//! of length, a schema of that length, and a payload. The schema is a descriptor set as it stands, or decisions
//! from which a valid one is made.

#[path = "make_schema.rs"]
pub mod make_schema;

use super::rebuilt;
use tablepb::partial::Projection;
use tablepb::table::Kind;
use tablepb::{
    DecodeError, DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, EncodeOptions,
    MessageDescriptor,
};

/// How far an input got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The schema was refused, or has no messages.
    NoSchema,
    /// Some payload was refused.
    Refused,
    /// The payload is a message of every type that was tried.
    Decoded,
}

/// Message types tried per schema.
const TYPES: usize = 3;

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);

/// Panics if anything disagrees.
pub fn check(input: &[u8]) -> Reached {
    let Some((&[choice, low, high], rest)) = input.split_first_chunk::<3>() else { return Reached::NoSchema };
    let at = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (schema, payload) = rest.split_at(at);
    let made;
    let set = if choice & 1 == 0 {
        schema
    } else {
        made = make_schema::descriptor_set(schema);
        &made
    };
    let Ok(pool) = DescriptorPool::decode(set) else { return Reached::NoSchema };
    printed(&pool);
    let messages: Vec<_> = pool.all_messages().collect();
    let first = usize::from(choice >> 1);
    let mut reached = if messages.is_empty() { Reached::NoSchema } else { Reached::Decoded };
    for at in 0..messages.len().min(TYPES) {
        if !payload_of(&messages[(first + at) % messages.len()], payload) {
            reached = Reached::Refused;
        }
    }
    reached
}

/// Printing a schema ends; a descriptor that was read is there to be read again.
fn printed(pool: &DescriptorPool) {
    for file in pool.files() {
        let _ = file.to_proto();
        assert_eq!(pool.file(file.name()).ok().as_ref(), Some(&file));
    }
    for message in pool.all_messages() {
        assert_eq!(pool.message(message.full_name()).ok().as_ref(), Some(&message));
    }
}

/// One payload of one type; false if it is refused.
fn payload_of(schema: &MessageDescriptor, payload: &[u8]) -> bool {
    let place = |e: &DecodeError| (e.kind(), e.offset(), e.path().to_string());
    let mut decoder = Decoder::new(schema).with_options(PARTIAL);
    let owned = PARTIAL.decode_dynamic(schema, payload);
    let view = match (decoder.decode(payload), &owned) {
        (Ok(view), Ok(_)) => view,
        (Err(a), Err(b)) => {
            assert_eq!(place(&a), place(b), "{schema:?} {payload:02x?}");
            merged_in_part(schema, payload);
            projected(schema, None, payload);
            return false;
        }
        (a, b) => panic!("{schema:?} {payload:02x?}: view {a:?}, owned {b:?}"),
    };
    let owned = owned.expect("it was decoded");
    assert!(view == owned.as_view(), "{schema:?} {payload:02x?}");
    // Equal to a copy, and to itself in one piece with nothing.
    assert_eq!(view.to_owned(), owned);
    let _ = format!("{view:?}");
    stable(schema, &owned, payload);
    twice(schema, &owned, payload);
    rebuilt::check(&owned);
    projected(schema, Some(&owned), payload);

    let strict = DynamicMessage::decode(schema, payload);
    assert_eq!(strict.is_ok(), owned.is_initialized(), "{schema:?} {payload:02x?}");
    true
}

/// Encoding gives a message that decodes to the same and encodes to the same bytes.
fn stable(schema: &MessageDescriptor, message: &DynamicMessage, payload: &[u8]) {
    for deterministic in [false, true] {
        let options = EncodeOptions::new().allow_partial(true).deterministic(deterministic);
        let mut bytes = Vec::new();
        options.encode(message, &mut bytes).expect("a message that was decoded");
        assert_eq!(message.encoded_len(), bytes.len(), "{schema:?} {payload:02x?}");
        let again = match PARTIAL.decode_dynamic(schema, &bytes) {
            Ok(again) => again,
            // A smaller input has a smaller budget.
            Err(error) if error.kind() == DecodeErrorKind::BudgetExceeded => return,
            Err(error) => panic!("{schema:?} {payload:02x?} encodes as {bytes:02x?}: {error}"),
        };
        assert!(again == *message, "{schema:?} {payload:02x?} encodes as {bytes:02x?}");
        let mut back = Vec::new();
        options.encode(&again, &mut back).expect("a message that was decoded");
        assert!(back == bytes, "{schema:?} {payload:02x?}: {bytes:02x?}, then {back:02x?}");
    }
}

/// Merging twice is decoding the payload twice over.
fn twice(schema: &MessageDescriptor, message: &DynamicMessage, payload: &[u8]) {
    let mut merged = message.clone();
    if merged.merge(payload).is_err() {
        return;
    }
    if let Ok(joined) = PARTIAL.decode_dynamic(schema, &[payload, payload].concat()) {
        assert!(merged == joined, "{schema:?} {payload:02x?} merged with itself");
    }
}

/// Field paths that the payload picks: every other field, and one level further down in some.
fn paths(schema: &MessageDescriptor, payload: &[u8]) -> Vec<String> {
    let bit = |at: usize| payload.get(at % payload.len().max(1)).map_or(0, |byte| byte >> (at % 7)) & 1 == 1;
    let mut paths = Vec::new();
    for (at, field) in schema.fields().enumerate().filter(|(at, _)| bit(*at)) {
        match field.kind() {
            Kind::Message(inner) if bit(at + 3) && !field.is_map() && !inner.is_message_set() => {
                let parts = inner.fields().enumerate().filter(|(i, _)| bit(at + i));
                paths.extend(parts.map(|(_, part)| format!("{}.{}", field.name(), part.name())));
            }
            _ => paths.push(field.name().to_owned()),
        }
    }
    paths
}

/// A projection decodes what a full decode does, and gives its bytes back; nothing panics, whatever the bytes are.
fn projected(schema: &MessageDescriptor, full: Option<&DynamicMessage>, payload: &[u8]) {
    if schema.is_message_set() || schema.is_map_entry() {
        return;
    }
    let paths = paths(schema, payload);
    let some = Projection::new(schema, &paths).expect("paths to fields");
    let lazy = Projection::all(schema).lazy(["*"]).expect("all message fields");
    for (keeps, projection) in [(false, some.clone()), (true, some.pass_through()), (true, lazy)] {
        let mut decoder = Decoder::new(schema).with_options(PARTIAL).with_projection(&projection);
        let view = match (decoder.decode(payload), PARTIAL.decode_selected(&projection, payload)) {
            (Ok(view), Ok(owned)) => {
                assert!(view == owned.as_view(), "{paths:?} of {payload:02x?}");
                view
            }
            // The copy of the input counts against the budget of a message of its own.
            (_, Err(error)) if error.kind() == DecodeErrorKind::BudgetExceeded => continue,
            (Err(view), Err(_)) => {
                assert!(full.is_none(), "{paths:?} of {payload:02x?}: {view}");
                continue;
            }
            (view, owned) => panic!("{paths:?} of {payload:02x?}: view {view:?}, owned {owned:?}"),
        };
        let mut owned = view.to_owned();
        let materialized = owned.materialize();
        match full {
            None => {}
            Some(full) if keeps => {
                assert!(
                    materialized.is_ok() && owned == *full,
                    "{paths:?} of {payload:02x?}: {materialized:?}"
                );
            }
            Some(_) => assert!(materialized.is_ok(), "{paths:?} of {payload:02x?}: {materialized:?}"),
        }
    }
}

/// After a merge that fails the message is valid: it encodes, and decodes again to the same.
fn merged_in_part(schema: &MessageDescriptor, payload: &[u8]) {
    let mut part = DynamicMessage::new(schema);
    if part.merge(payload).is_err() {
        stable(schema, &part, payload);
    }
}
