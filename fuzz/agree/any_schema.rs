//! Any schema, any payload: every way of decoding agrees, and what was decoded is stable.
//!
//! Shared by the fuzz target `any_schema` and by `tests/agreement.rs`. The input is one byte of choices, two bytes
//! of length, a schema of that length, and a payload. The schema is a descriptor set as it stands, or decisions
//! from which a valid one is made.

#[path = "make_schema.rs"]
pub mod make_schema;

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
        assert_eq!(pool.get_file_by_name(file.name()).as_ref(), Some(&file));
    }
    for message in pool.all_messages() {
        assert_eq!(pool.get_message_by_name(message.full_name()).as_ref(), Some(&message));
    }
}

/// One payload of one type; false if it is refused.
fn payload_of(schema: &MessageDescriptor, payload: &[u8]) -> bool {
    let place = |e: &DecodeError| (e.kind(), e.offset(), e.path().to_string());
    let mut decoder = Decoder::new(schema).with_options(PARTIAL);
    let owned = DynamicMessage::decode_with(schema, payload, PARTIAL);
    let view = match (decoder.decode(payload), &owned) {
        (Ok(view), Ok(_)) => view,
        (Err(a), Err(b)) => {
            assert_eq!(place(&a), place(b), "{schema:?} {payload:02x?}");
            merged_in_part(schema, payload);
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

    let strict = DynamicMessage::decode(schema, payload);
    assert_eq!(strict.is_ok(), owned.is_initialized(), "{schema:?} {payload:02x?}");
    true
}

/// Encoding gives a message that decodes to the same and encodes to the same bytes.
fn stable(schema: &MessageDescriptor, message: &DynamicMessage, payload: &[u8]) {
    for deterministic in [false, true] {
        let options = EncodeOptions::new().allow_partial(true).deterministic(deterministic);
        let mut bytes = Vec::new();
        message.encode_with(&mut bytes, options).expect("a message that was decoded");
        assert_eq!(message.encoded_len(), bytes.len(), "{schema:?} {payload:02x?}");
        let again = match DynamicMessage::decode_with(schema, &bytes, PARTIAL) {
            Ok(again) => again,
            // A smaller input has a smaller budget.
            Err(error) if error.kind() == DecodeErrorKind::BudgetExceeded => return,
            Err(error) => panic!("{schema:?} {payload:02x?} encodes as {bytes:02x?}: {error}"),
        };
        assert!(again == *message, "{schema:?} {payload:02x?} encodes as {bytes:02x?}");
        let mut back = Vec::new();
        again.encode_with(&mut back, options).expect("a message that was decoded");
        assert!(back == bytes, "{schema:?} {payload:02x?}: {bytes:02x?}, then {back:02x?}");
    }
}

/// Merging twice is decoding the payload twice over.
fn twice(schema: &MessageDescriptor, message: &DynamicMessage, payload: &[u8]) {
    let mut merged = message.clone();
    if merged.merge(payload).is_err() {
        return;
    }
    if let Ok(joined) = DynamicMessage::decode_with(schema, &[payload, payload].concat(), PARTIAL) {
        assert!(merged == joined, "{schema:?} {payload:02x?} merged with itself");
    }
}

/// After a merge that fails the message is valid: it encodes, and decodes again to the same.
fn merged_in_part(schema: &MessageDescriptor, payload: &[u8]) {
    let mut part = DynamicMessage::new(schema);
    if part.merge(payload).is_err() {
        stable(schema, &part, payload);
    }
}
