//! Setters and copies that fail because a message's store is full: they change nothing.
//!
//! A store is full at 2^31-1 bytes. Here it is shared bytes of that size, most of them zeros that are not touched, so
//! that it takes neither time nor memory.

use super::case::Case;
use super::valid::{self, ROOMY};
use crate::common::choices::Choices;
use crate::common::payload::payload;
use crate::common::wire::Wire;
use bytes::{Bytes, BytesMut};
use std::cell::RefCell;
use tablepb::table::Kind;
use tablepb::{
    DecodeOptions, DynamicMessage, FieldDescriptor, MapKey, MessageDescriptor, MessageMut, SetFieldError,
    SetFieldErrorKind, Value,
};

const FULL: usize = i32::MAX as usize;
/// No schema here has this field.
const FILLER: u32 = 0x1fff_fff0;

/// Calls that failed, and those that did not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    pub failed: usize,
    pub done: usize,
}

pub fn check(input: &[u8]) -> Tried {
    run(&mut Choices::fuzzed(input))
}

pub fn run(choices: &mut Choices) -> Tried {
    let mut tried = Tried::default();
    let case = Case::new(choices);
    let start = case.payload(choices);
    full(&case.descriptor, &start, |message| {
        for _ in 0..20 {
            let mut target = message.as_mut();
            step(&case, &mut target, 0, choices, &mut tried);
            // A copy of a message with a store of its own is one of all the zeros; optimised runs make them.
            match cfg!(debug_assertions) {
                true => valid::read_again(message, 1 << 16),
                false => valid::message(message, 1 << 16),
            }
            assert!(message.merge(b"\x08\x01").is_err(), "a full store takes no more bytes");
        }
        // What holds no bytes can still be set, and all of it removed.
        message.clear();
        assert_eq!(message.encoded_len(), 0);
        ROOMY.merge(message, &start).expect("it was decoded before");
        assert!(*message == ROOMY.decode_dynamic(&case.descriptor, &start).expect("as before"));
    });
    tried
}

thread_local! {
    /// The zeros, and how many of the first bytes are something else.
    static ZEROS: RefCell<(BytesMut, usize)> = RefCell::new((BytesMut::zeroed(FULL), 0));
}

/// A message with these contents in a store without room.
fn full(descriptor: &MessageDescriptor, contents: &[u8], work: impl FnOnce(&mut DynamicMessage)) {
    let (mut bytes, dirty) = ZEROS.take_or_make();
    bytes[..dirty].fill(0);
    let mut head = Wire(contents.to_vec()).tag(FILLER, 2);
    let rest = FULL - head.0.len() - 5;
    head = head.overlong(rest as u64, 5);
    bytes[..head.0.len()].copy_from_slice(&head.0);
    let bytes = bytes.freeze();
    if let Ok(mut message) = shared(descriptor, &bytes) {
        message.as_mut().clear_unknown_fields().unwrap();
        work(&mut message);
    }
    let bytes = bytes.try_into_mut().unwrap_or_else(|_| BytesMut::zeroed(FULL));
    ZEROS.with(|zeros| *zeros.borrow_mut() = (bytes, head.0.len()));
}

trait TakeOrMake {
    fn take_or_make(&'static self) -> (BytesMut, usize);
}

impl TakeOrMake for std::thread::LocalKey<RefCell<(BytesMut, usize)>> {
    fn take_or_make(&'static self) -> (BytesMut, usize) {
        let taken = self.with(|zeros| std::mem::take(&mut *zeros.borrow_mut()));
        if taken.0.is_empty() { (BytesMut::zeroed(FULL), 0) } else { taken }
    }
}

fn shared(descriptor: &MessageDescriptor, bytes: &Bytes) -> Result<DynamicMessage, ()> {
    // Cases that lack required fields are left out. So are those whose last field goes on into the zeros: two billion
    // numbers that a closed enum does not list take 40 GB of the default budget.
    let options = DecodeOptions::new().budget(1 << 26);
    options.decode_dynamic_shared(descriptor, bytes).map_err(drop)
}

/// One call somewhere in the message.
fn step(case: &Case, target: &mut MessageMut<'_>, depth: u32, choices: &mut Choices, tried: &mut Tried) {
    let fields: Vec<FieldDescriptor> = target.descriptor().fields().collect();
    if fields.is_empty() {
        return;
    }
    let field = choices.pick(&fields).clone();
    if depth < 3 && choices.below(3) == 0 && matches!(field.kind(), Kind::Message(_)) && !field.is_map() {
        let child = match field.is_list() {
            true => target.push_message(&field),
            false => target.message_mut(&field),
        };
        step(case, &mut child.expect("a message takes no bytes"), depth + 1, choices, tried);
        return;
    }
    let before = target.as_view().to_owned();
    let way = choices.below(4);
    let result = match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            let key = key(&entry.map_entry_key_field().expect("an entry"), choices);
            let value = value(case, &entry.map_entry_value_field().expect("an entry"), choices);
            if way == 0 {
                target.set_field(&field, Value::Map([(key, value)].into()))
            } else {
                target.insert(&field, key, value)
            }
        }
        _ if field.is_list() => {
            let len =
                target.as_view().get(&field).and_then(|list| list.as_list()).map_or(0, |list| list.len());
            match way {
                0 => {
                    let values = (0..choices.below(20)).map(|_| value(case, &field, choices));
                    target.set_field(&field, Value::List(values.collect()))
                }
                1 => target.set_element(&field, choices.below(len + 1), value(case, &field, choices)),
                2 => {
                    let values = (0..choices.below(6)).map(|_| value(case, &field, choices));
                    target.extend(&field, values)
                }
                _ => target.push(&field, value(case, &field, choices)),
            }
        }
        _ => target.set_field(&field, value(case, &field, choices)),
    };
    match result {
        Ok(()) => tried.done += 1,
        Err(error) => {
            tried.failed += 1;
            unchanged(target, &before, &field, &error);
        }
    }
}

/// The error's promise.
fn unchanged(
    target: &MessageMut<'_>,
    before: &DynamicMessage,
    field: &FieldDescriptor,
    error: &SetFieldError,
) {
    let kinds = [SetFieldErrorKind::TooLarge, SetFieldErrorKind::OutOfRange];
    assert!(kinds.contains(&error.kind()), "{error}");
    valid::values(target.as_view(), 1 << 16);
    let now = target.as_view().to_owned();
    assert!(now == *before, "{}: {error}, and the message is {now:?}, not {before:?}", field.full_name());
}

fn key(field: &FieldDescriptor, choices: &mut Choices) -> MapKey {
    let small = choices.below(12) as u32;
    match field.kind() {
        Kind::Bool => MapKey::Bool(small & 1 == 1),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => MapKey::I32(small as i32 - 3),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => MapKey::I64(i64::from(small) - 3),
        Kind::Uint32 | Kind::Fixed32 => MapKey::U32(small),
        Kind::Uint64 | Kind::Fixed64 => MapKey::U64(small.into()),
        _ => MapKey::String("k".repeat(small as usize / 2)),
    }
}

/// A value for a field or for one of its elements.
fn value(case: &Case, field: &FieldDescriptor, choices: &mut Choices) -> Value {
    match field.kind() {
        Kind::Bool => Value::Bool(choices.below(2) == 1),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(choices.bits() as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(choices.bits() as i64),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(choices.bits() as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(choices.bits()),
        Kind::Float => Value::F32(choices.below(100) as f32),
        Kind::Double => Value::F64(choices.below(100) as f64),
        Kind::String => Value::String(choices.text(3)),
        Kind::Bytes => Value::Bytes(choices.bytes(3)),
        Kind::Enum(list) => Value::EnumNumber(list.default_value().number()),
        Kind::Message(message) => {
            let name = message.full_name();
            let index = (0..case.schema.messages.len()).find(|&m| case.schema.full_name(m) == name);
            let bytes =
                payload(&case.schema, index.expect("of the schema"), choices, crate::common::payload::TAME);
            Value::Message(ROOMY.decode_dynamic(&message, &bytes).expect("a valid payload"))
        }
    }
}
