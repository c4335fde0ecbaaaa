//! Random edits of a dynamic message and the same ones of a plain model: after each they hold the same.

use super::case::Case;
use super::{rebuilt, valid};
use crate::common::bridge::{build, canonical, field as field_of, read, to_key, to_value};
use crate::common::choices::Choices;
use crate::common::payload::{Style, WILD, mutate, payload};
use crate::common::reference::{Key, Msg, Reference, Val};
use crate::common::schema::{Card, Field, Kind};
use std::hash::{DefaultHasher, Hash, Hasher};
use tablepb::{DynamicMessage, MessageMut, SetFieldErrorKind, Value};

/// Strings are text: the model keeps keys that are not, and setters take none.
const STYLE: Style = Style { raw_strings: false, ..WILD };

pub fn check(input: &[u8]) {
    run(&mut Choices::fuzzed(input));
}

/// Gives how many edits were made.
pub fn run(choices: &mut Choices) -> usize {
    let case = Case::new(choices);
    let mut model = Msg::default();
    let mut message = DynamicMessage::new(&case.descriptor);
    let steps = 1 + choices.below(24);
    for _ in 0..steps {
        step(&case, &mut message, &mut model, choices);
        assert_eq!(read(message.as_view()), canonical(&model));
        if message.encoded_len() > 1 << 13 {
            message.clear();
            model = Msg::default();
        }
    }
    valid::message(&message, 1 << 14);
    rebuilt::check(&message);
    hashes(&message);
    steps
}

/// Equal messages have equal hashes.
fn hashes(message: &DynamicMessage) {
    let hash = |message: &DynamicMessage| {
        let mut hasher = DefaultHasher::new();
        message.hash(&mut hasher);
        hasher.finish()
    };
    let bytes = valid::encoded(message);
    let again = valid::ROOMY.decode_dynamic(message.descriptor(), &bytes).expect("it was encoded");
    assert!(again == *message);
    assert_eq!(hash(&again), hash(message));
}

fn step(case: &Case, message: &mut DynamicMessage, model: &mut Msg, choices: &mut Choices) {
    match choices.below(17) {
        16 => taken(message, model),
        0 => {
            message.clear();
            *model = Msg::default();
        }
        1 => {
            message.as_mut().clear_unknown_fields().unwrap();
            model.unknown.clear();
        }
        2 => *message = message.clone(),
        3 => *message = message.as_view().to_owned(),
        4 => {
            let bytes = valid::encoded(message);
            *message = valid::ROOMY.decode_dynamic(&case.descriptor, &bytes).expect("it was encoded");
        }
        5 => message.shrink_to(choices.below(4096)),
        6 | 7 => {
            let input = payload(&case.schema, case.message, choices, STYLE);
            valid::PARTIAL.merge(message, &input).expect("a valid payload");
            Reference::new(&case.schema).merge(case.message, model, &input).expect("a valid payload");
        }
        8 => {
            // A merge that fails has merged what came before the fault, or a part of it.
            let mut input = payload(&case.schema, case.message, choices, STYLE);
            mutate(&mut input, choices);
            let mut copy = message.clone();
            if valid::PARTIAL.merge(&mut copy, &input).is_err() {
                valid::message(&copy, 1 << 14);
            }
        }
        _ => edit(case, &mut message.as_mut(), model, case.message, choices, 4),
    }
}

/// Takes all fields out, and sets them again by their numbers.
fn taken(message: &mut DynamicMessage, model: &Msg) {
    let fields = message.take_fields().expect("there is memory");
    assert_eq!(fields.len(), canonical(model).fields.len());
    assert!(message.fields().next().is_none());
    let unknown = message.take_unknown_fields().expect("there is memory");
    assert_eq!(message.encoded_len(), 0);
    for (field, value) in fields {
        match value {
            Value::List(elements) => message.extend(field.number(), elements),
            value => message.set_field(field.number(), value),
        }
        .expect("it was there");
    }
    valid::PARTIAL.merge(message, &unknown).expect("they were there");
}

/// Unsets the other members of the oneof.
fn clear_siblings(case: &Case, model: &mut Msg, message: usize, field: &Field) {
    if field.oneof.is_some() {
        let siblings = &case.schema.messages[message].fields;
        siblings
            .iter()
            .filter(|other| other.oneof == field.oneof && other.number != field.number)
            .for_each(|other| _ = model.fields.remove(&other.number));
    }
}

fn edit(
    case: &Case,
    target: &mut MessageMut<'_>,
    model: &mut Msg,
    message: usize,
    choices: &mut Choices,
    depth: u32,
) {
    let fields = &case.schema.messages[message].fields;
    if fields.is_empty() {
        return;
    }
    let own = choices.pick(fields).clone();
    let field = field_of(&target.descriptor(), own.number);
    match choices.below(16) {
        0 => {
            target.clear_field(&field).unwrap();
            model.fields.remove(&own.number);
            return;
        }
        1 => {
            let taken = target.take_field(own.number).expect("there is memory");
            let value = model.fields.remove(&own.number);
            assert_eq!(taken.is_some(), value.is_some());
            return;
        }
        _ => {}
    }
    let foreign =
        DynamicMessage::new(&tablepb::DescriptorPool::descriptor_proto().all_messages().next().unwrap());
    if choices.once_in(16) {
        let error = target.set_field(&field, Value::Message(foreign)).expect_err("no field of this pool");
        assert!(error.into_value().is_some(), "the value is lost");
        return;
    }
    match own.card {
        Card::Map => map(case, target, model, &own, choices, depth),
        Card::Repeated => list(case, target, model, &own, choices, depth),
        _ => match own.kind {
            Kind::Message(sub) if depth > 0 && choices.below(3) > 0 => {
                let mut inner = target.message_mut(&field).expect("a message field");
                clear_siblings(case, model, message, &own);
                let entry = model.fields.entry(own.number).or_insert(Val::Msg(Msg::default()));
                let Val::Msg(model) = entry else { unreachable!() };
                edit(case, &mut inner, model, sub, choices, depth - 1);
            }
            _ => {
                let value = one(case, &own, choices);
                if unlisted(case, target, &own, choices) {
                    return;
                }
                target
                    .set_field(&field, to_value(&case.schema, &case.pool, &own, &value))
                    .expect("a value of its kind");
                clear_siblings(case, model, message, &own);
                let zero = value == Val::Num(0) || value == Val::Bytes(Vec::new());
                if own.card == Card::Implicit && zero {
                    model.fields.remove(&own.number);
                } else {
                    model.fields.insert(own.number, value);
                }
            }
        },
    }
}

/// Tries a number that the closed enum lacks, which changes nothing.
fn unlisted(case: &Case, target: &mut MessageMut<'_>, own: &Field, choices: &mut Choices) -> bool {
    let Kind::Enum(list) = own.kind else { return false };
    if !case.schema.enums[list].closed || !choices.once_in(3) {
        return false;
    }
    let field = field_of(&target.descriptor(), own.number);
    let before = read(target.as_view());
    let error = target.set_field(&field, Value::EnumNumber(0x0777_7777)).expect_err("not listed");
    assert_eq!(error.kind(), SetFieldErrorKind::InvalidEnumNumber);
    assert_eq!(read(target.as_view()), before);
    true
}

fn list(
    case: &Case,
    target: &mut MessageMut<'_>,
    model: &mut Msg,
    own: &Field,
    choices: &mut Choices,
    depth: u32,
) {
    let field = field_of(&target.descriptor(), own.number);
    let entry = model.fields.entry(own.number).or_insert(Val::List(Vec::new()));
    let Val::List(list) = entry else { unreachable!() };
    let index = choices.below(list.len() + 1);
    let value = |choices: &mut Choices| {
        let value = one(case, own, choices);
        (to_value_of_element(case, own, &value), value)
    };
    match (choices.below(10), own.kind) {
        (6, _) => {
            // All of them, or none because one is wrong.
            let (mut given, values): (Vec<_>, Vec<_>) = (0..choices.below(9)).map(|_| value(choices)).unzip();
            let wrong = choices.once_in(4);
            if wrong {
                given.insert(choices.below(given.len() + 1), Value::List(vec![]));
            }
            let done = target.extend(own.number, given);
            assert_eq!(done.is_err(), wrong);
            if !wrong {
                list.extend(values);
            }
        }
        (7, _) => {
            let other = choices.below(list.len() + 1);
            let done = target.swap_elements(&field, index, other);
            assert_eq!(done.is_ok(), index.max(other) < list.len());
            if done.is_ok() {
                list.swap(index, other);
            }
        }
        (8, _) => {
            let len = choices.below(list.len() + 3);
            target.truncate(&field, len).expect("a list");
            list.truncate(len);
        }
        (9, _) => {
            let kept: Vec<bool> = list.iter().map(|_| choices.below(3) > 0).collect();
            let mut ask = kept.iter();
            target.retain(&field, |_| *ask.next().expect("one for each")).expect("a list");
            let mut keep = kept.iter();
            list.retain(|_| *keep.next().expect("one for each"));
        }
        (0, _) => {
            let done = target.remove_element(&field, index);
            assert_eq!(done.is_ok(), index < list.len());
            if done.is_ok() {
                list.remove(index);
            }
        }
        (1, _) => {
            let (given, value) = value(choices);
            let done = target.set_element(&field, index, given);
            assert_eq!(done.is_ok(), index < list.len());
            if done.is_ok() {
                list[index] = value;
            }
        }
        (2, _) => {
            let values: Vec<_> = (0..choices.below(12)).map(|_| value(choices)).collect();
            let (given, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
            target.set_field(&field, Value::List(given)).expect("values of its kind");
            *list = values;
        }
        (3 | 4, Kind::Message(sub)) if depth > 0 => {
            let mut inner = if index == list.len() {
                list.push(Val::Msg(Msg::default()));
                target.push_message(&field).expect("a list of messages")
            } else {
                target.element_mut(&field, index).expect("an element")
            };
            let Val::Msg(model) = &mut list[index] else { unreachable!() };
            edit(case, &mut inner, model, sub, choices, depth - 1);
        }
        _ => {
            for _ in 0..1 + choices.below(10) {
                let (given, value) = value(choices);
                target.push(&field, given).expect("a value of its kind");
                list.push(value);
            }
        }
    }
    if list.is_empty() {
        model.fields.remove(&own.number);
    }
}

fn map(
    case: &Case,
    target: &mut MessageMut<'_>,
    model: &mut Msg,
    own: &Field,
    choices: &mut Choices,
    depth: u32,
) {
    let field = field_of(&target.descriptor(), own.number);
    let Kind::Message(entry) = own.kind else { unreachable!() };
    let [key_field, value_field] = case.schema.messages[entry].fields.as_slice() else { unreachable!() };
    let slot = model.fields.entry(own.number).or_insert(Val::Map(Default::default()));
    let Val::Map(map) = slot else { unreachable!() };
    let key = key(key_field, choices);
    let given = to_key(key_field.kind, &key);
    match (choices.below(6), value_field.kind) {
        (5, _) => {
            // In the order of the message, which the model does not have: by keys.
            let dropped: Vec<_> =
                map.keys().filter(|_| choices.below(3) == 0).map(|key| to_key(key_field.kind, key)).collect();
            let keep = |key: tablepb::MapKeyRef<'_>, _: tablepb::ValueRef<'_, '_>| {
                !dropped.iter().any(|dropped| dropped.as_ref() == key)
            };
            target.retain_entries(&field, keep).expect("a map");
            map.retain(|key, _| !dropped.contains(&to_key(key_field.kind, key)));
        }
        (0, _) => {
            let done = target.remove(&field, given).expect("a map with such keys");
            assert_eq!(done, map.remove(&key).is_some());
        }
        (1 | 2, Kind::Message(sub)) if depth > 0 => {
            let mut inner = target.entry_mut(&field, given).expect("a map with such keys");
            let Val::Msg(model) = map.entry(key).or_insert(Val::Msg(Msg::default())) else { unreachable!() };
            edit(case, &mut inner, model, sub, choices, depth - 1);
        }
        (3, _) => {
            map.clear();
            for _ in 0..choices.below(14) {
                map.insert(self::key(key_field, choices), one(case, value_field, choices));
            }
            let whole = map.iter().map(|(key, value)| {
                (to_key(key_field.kind, key), to_value_of_element(case, value_field, value))
            });
            target.set_field(&field, Value::Map(whole.collect())).expect("entries of its kinds");
        }
        _ => {
            let value = one(case, value_field, choices);
            target
                .insert(&field, given, to_value_of_element(case, value_field, &value))
                .expect("of its kinds");
            map.insert(key, value);
        }
    }
    if map.is_empty() {
        model.fields.remove(&own.number);
    }
}

fn to_value_of_element(case: &Case, own: &Field, value: &Val) -> Value {
    to_value(&case.schema, &case.pool, own, value)
}

fn key(field: &Field, choices: &mut Choices) -> Key {
    let small = choices.below(24);
    match field.kind {
        Kind::String => Key::Text(["", "a", "é", "kk"][small & 3].repeat(small / 8).into_bytes()),
        Kind::Bool => Key::Int(small as i128 & 1),
        kind if kind.is_signed() => Key::Int(small as i128 - 5),
        _ => Key::Int(small as i128),
    }
}

/// One value: a number, bytes, or a message without unknown fields.
fn one(case: &Case, field: &Field, choices: &mut Choices) -> Val {
    match field.kind {
        Kind::Message(sub) => {
            let input =
                payload(&case.schema, sub, choices, Style { unlisted: false, unknown: false, ..STYLE });
            let value =
                Reference::new(&case.schema).decode(sub, &input).expect("a valid payload").without_unknown();
            // Built by setters, which is one more way to the same.
            assert_eq!(read(build(&case.schema, &case.pool, sub, &value).as_view()), value);
            Val::Msg(value)
        }
        Kind::String => Val::Bytes(choices.text(9).into_bytes()),
        Kind::Bytes => Val::Bytes(choices.bytes(40)),
        Kind::Enum(list) => {
            let number = *choices.pick(&case.schema.enums[list].numbers);
            Val::Num(number as u32 as u64)
        }
        Kind::Bool => Val::Num(choices.below(2) as u64),
        kind if kind.is_32_bit() => Val::Num(u64::from(choices.bits() as u32)),
        _ => Val::Num(choices.bits()),
    }
}
