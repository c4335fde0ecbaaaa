//! Projections, lazy fields and what passes through: what they decode, keep and become by edits is what a full decode
//! and the same edits give.

use super::case::Case;
use super::valid::{self, PARTIAL, ROOMY};
use crate::common::choices::Choices;
use crate::common::projections::{all_fields, paths};
use tablepb::partial::Projection;
use tablepb::table::Kind;
use tablepb::{
    DecodeErrorKind, DynamicMessage, FieldDescriptor, MapKey, MapKeyRef, MessageMut, SetFieldError,
    SetFieldErrorKind, Value,
};

pub fn check(input: &[u8]) {
    run(&mut Choices::fuzzed(input));
}

pub fn run(choices: &mut Choices) {
    let case = Case::new(choices);
    let paths = paths(&case.descriptor, choices, 4);
    let some = Projection::new(&case.descriptor, &paths).expect("paths to fields");
    let lazy = Projection::all(&case.descriptor).lazy(["*"]).expect("all message fields");
    let both = some.clone().lazy(["*"]).expect("all message fields").pass_through();
    let input = case.any_payload(choices);
    let full = PARTIAL.decode_dynamic(&case.descriptor, &input);
    if full.is_ok() {
        dropping(&some, &input, choices);
    }
    for projection in [some.pass_through(), lazy, both] {
        match (&full, PARTIAL.decode_selected(&projection, &input)) {
            (Ok(full), Ok(mut part)) => {
                let mut full = full.clone();
                alike(&part, &full);
                values_go_into(&part, &full);
                without_unknown(&part, &full);
                changes(&mut part, &mut full, choices);
                without_unknown(&part, &full);
                fails(&case, &mut part, choices);
            }
            // A projection looks at less: not at what a later entry or member of a oneof takes the place of.
            (Err(_), Ok(mut part)) => {
                invalid_parts(&mut part);
                if part.materialize().is_ok() {
                    valid::message(&part, input.len());
                }
            }
            (Ok(_), Err(error)) => assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded),
            (Err(_), Err(_)) => {}
        }
    }
}

/// A message without the fields that are not selected is edited like any message of what is left.
fn dropping(projection: &Projection, input: &[u8], choices: &mut Choices) {
    let Ok(mut part) = PARTIAL.decode_selected(projection, input) else { return };
    let mut full = part.clone();
    full.materialize().expect("what is left is valid");
    changes(&mut part, &mut full, choices);
}

fn changes(part: &mut DynamicMessage, full: &mut DynamicMessage, choices: &mut Choices) {
    for _ in 0..choices.below(6) {
        match choices.below(3) {
            0 => reshape(&mut part.as_mut(), &mut full.as_mut(), choices),
            _ => change(&mut part.as_mut(), &mut full.as_mut(), choices, 3),
        }
        alike(part, full);
    }
}

/// What is selected, and all of it once it is decoded.
fn alike(part: &DynamicMessage, full: &DynamicMessage) {
    valid::values(part.as_view(), 1 << 16);
    let bytes = valid::encoded(part);
    let decoded = ROOMY.decode_dynamic(part.descriptor(), &bytes).expect("it was encoded");
    assert!(same(&decoded, full), "{decoded:?} by its bytes, not {full:?}");
    let mut whole = part.clone();
    whole.materialize().expect("what was kept is valid");
    assert!(same(&whole, full), "{whole:?} when it is whole, not {full:?}");
}

/// Messages of a projected message, and those that are bytes, are values for others.
fn values_go_into(part: &DynamicMessage, full: &DynamicMessage) {
    for (field, value) in part.fields() {
        let (field, owned) = (field.to_owned(), value.to_owned());
        // Printing stops nowhere.
        let _ = format!("{value:?} {owned:?} {part:?} {part:#?}");
        let one = value.as_message().is_some() || value.as_raw().is_some();
        if one || value.as_list().is_some() || value.as_map().is_some() {
            let mut other = full.clone();
            other.set_field(&field, owned).expect("a value of its kind");
            other.materialize().expect("it was decoded");
            assert!(same(&other, full), "{} in {full:?} is another in {other:?}", field.full_name());
        }
    }
}

/// Without unknown fields both are alike, in lists of numbers that a closed enum does not list too.
fn without_unknown(part: &DynamicMessage, full: &DynamicMessage) {
    let (mut part, mut full) = (part.clone(), full.clone());
    part.as_mut().clear_unknown_fields().unwrap();
    full.as_mut().clear_unknown_fields().unwrap();
    alike(&part, &full);
}

/// A message whose bytes are not valid says so when a part of it is to be changed, and stays as it is.
fn invalid_parts(part: &mut DynamicMessage) {
    let before = valid::encoded(part);
    for field in all_fields(part.descriptor()) {
        if !matches!(field.kind(), Kind::Message(_))
            || field.is_list()
            || field.is_map()
            || !part.has_field(&field)
        {
            continue;
        }
        let mut changed = part.clone();
        match changed.message_mut(&field) {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), SetFieldErrorKind::InvalidMessage, "{error}");
                let cause = error.decode_error().expect("what is wrong with it").to_string();
                assert!(error.to_string().ends_with(&cause), "{error}");
                assert_eq!(valid::encoded(&changed), before);
            }
        }
    }
}

/// Equal but for the order of unknown fields, which setters change where bytes were kept.
fn same(a: &DynamicMessage, b: &DynamicMessage) -> bool {
    let sorted = |message: &DynamicMessage| {
        let mut fields: Vec<_> =
            message.unknown_fields().map(|f| (f.tag().get(), f.value().to_vec())).collect();
        fields.sort();
        fields
    };
    let known = |message: &DynamicMessage| {
        let mut message = message.clone();
        message.as_mut().clear_unknown_fields().unwrap();
        message
    };
    a == b || (sorted(a) == sorted(b) && known(a) == known(b)) || {
        // Inside of messages too: the same length, and the same when printed without the order.
        let letters = |message: &DynamicMessage| {
            let mut text = format!("{message:?}").into_bytes();
            text.sort_unstable();
            text
        };
        a.encoded_len() == b.encoded_len() && letters(a) == letters(b)
    }
}

/// Merges that fail leave a projected message valid too.
fn fails(case: &Case, part: &mut DynamicMessage, choices: &mut Choices) {
    for _ in 0..4 {
        let input = case.any_payload(choices);
        let options = PARTIAL.budget(choices.below(part.capacity() + 4 * input.len() + 64));
        let mut merged = part.clone();
        let _ = options.merge(&mut merged, &input);
        valid::values(merged.as_view(), 1 << 16);
        valid::encoded(&merged);
    }
}

/// A random change, made to both.
fn change(part: &mut MessageMut<'_>, full: &mut MessageMut<'_>, choices: &mut Choices, depth: u32) {
    let fields = all_fields(&full.descriptor());
    if fields.is_empty() {
        return;
    }
    let field = choices.pick(&fields).clone();
    if choices.once_in(6) {
        part.clear_field(&field).unwrap();
        full.clear_field(&field).unwrap();
        return;
    }
    let message = matches!(field.kind(), Kind::Message(_));
    match choices.below(4) {
        0 | 1 if message && !field.is_list() && !field.is_map() && depth > 0 => {
            let mut inner = part.message_mut(&field).expect("a message field");
            change(&mut inner, &mut full.message_mut(&field).expect("a message field"), choices, depth - 1);
        }
        0 | 1 if field.is_list() && message && depth > 0 => {
            let index = choices.below(3);
            match (part.element_mut(&field, index), full.element_mut(&field, index)) {
                (Ok(mut part), Ok(mut full)) => change(&mut part, &mut full, choices, depth - 1),
                (part, full) => assert_eq!(part.map(drop).unwrap_err(), full.map(drop).unwrap_err()),
            }
        }
        0..3 if field.is_map() => {
            let Kind::Message(entry) = field.kind() else { unreachable!() };
            let key = key(&entry.map_entry_key_field().expect("an entry"), choices);
            if choices.below(3) == 0 {
                assert_eq!(part.remove(&field, key.clone()), full.remove(&field, key));
                return;
            }
            let value = value(&entry.map_entry_value_field().expect("an entry"), choices);
            part.insert(&field, key.clone(), value.clone()).expect("an entry of its kinds");
            full.insert(&field, key, value).expect("an entry of its kinds");
        }
        0..3 if field.is_list() => {
            let value = value(&field, choices);
            part.push(&field, value.clone()).expect("a value of its kind");
            full.push(&field, value).expect("a value of its kind");
        }
        _ => {
            let value = match () {
                () if field.is_map() => Value::Map(Default::default()),
                () if field.is_list() => Value::List(vec![value(&field, choices)]),
                () => value(&field, choices),
            };
            part.set_field(&field, value.clone()).expect("a value of its kind");
            full.set_field(&field, value).expect("a value of its kind");
        }
    }
}

/// A random change of a whole field, made to both.
fn reshape(part: &mut MessageMut<'_>, full: &mut MessageMut<'_>, choices: &mut Choices) {
    let fields = all_fields(&full.descriptor());
    if fields.is_empty() {
        return;
    }
    let field = choices.pick(&fields).clone();
    let (a, b) = (choices.below(4), choices.below(4));
    let n = choices.below(4);
    let done = |part: Result<(), SetFieldError>, full: Result<(), SetFieldError>| assert_eq!(part, full);
    match choices.below(7) {
        0 if field.is_map() => {
            let drops = |key: MapKeyRef<'_>| format!("{key:?}").len() % 4 == n;
            done(
                part.retain_entries(&field, |k, _| !drops(k)),
                full.retain_entries(&field, |k, _| !drops(k)),
            );
        }
        1 if field.is_list() => done(part.truncate(&field, n), full.truncate(&field, n)),
        2 if field.is_list() => done(part.swap_elements(&field, a, b), full.swap_elements(&field, a, b)),
        3 if field.is_list() => done(part.remove_element(&field, n), full.remove_element(&field, n)),
        4 if field.is_list() => {
            let new = value(&field, choices);
            done(part.set_element(&field, n, new.clone()), full.set_element(&field, n, new));
        }
        5 if field.is_list() => {
            let mut new: Vec<_> = (0..n).map(|_| value(&field, choices)).collect();
            if choices.once_in(3) {
                new.push(Value::List(Vec::new()));
            }
            done(part.extend(&field, new.clone()), full.extend(&field, new));
        }
        _ => {
            // A message of a projection is bytes when it is set again.
            let taken = [part.take_field(&field), full.take_field(&field)].map(|taken| taken.expect("valid"));
            let [Some(of_part), Some(of_full)] = taken else { return assert!(taken == [None, None]) };
            done(part.set_field(&field, of_part), full.set_field(&field, of_full));
        }
    }
}

fn key(field: &FieldDescriptor, choices: &mut Choices) -> MapKey {
    match value(field, choices) {
        Value::Bool(v) => v.into(),
        Value::I32(v) => v.into(),
        Value::I64(v) => v.into(),
        Value::U32(v) => v.into(),
        Value::U64(v) => v.into(),
        Value::String(v) => v.into(),
        value => panic!("{value:?}"),
    }
}

/// A value of the kind of the field; an empty message for messages.
fn value(field: &FieldDescriptor, choices: &mut Choices) -> Value {
    let n = choices.below(3);
    match field.kind() {
        Kind::Bool => Value::Bool(n != 0),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(n as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(n as i64),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(n as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(n as u64),
        Kind::Float => Value::F32(n as f32),
        Kind::Double => Value::F64(n as f64),
        Kind::String => Value::String("é".repeat(n)),
        Kind::Bytes => Value::Bytes(vec![0xff; n]),
        Kind::Enum(list) => Value::EnumNumber(list.default_value().number()),
        Kind::Message(message) => Value::Message(DynamicMessage::new(&message)),
    }
}
