//! Projections on random schemas, messages and paths: what is decoded is what a full decode gives without the other
//! fields, what is passed through is the input, what is lazy is what would have been decoded, and nothing else
//! happens whatever the bytes are.

use crate::common::bridge::{descriptor, read};
use crate::common::choices::{Choices, choices};
use crate::common::payload::{WILD, mutate, noise, payload};
use crate::common::projections::{Want, all_fields, paths};
use crate::common::reference::Msg;
use crate::common::rounds;
use crate::common::schema::Schema;
use crate::common::schema_gen::{ALL, schema};
use proptest::prelude::*;
use tablepb::partial::Projection;
use tablepb::table::Kind;
use tablepb::{
    DecodeOptions, Decoder, DynamicMessage, EncodeOptions, FieldDescriptor, MapKey, MessageDescriptor,
    MessageMut, Value, ValueRef,
};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const LOOSE: EncodeOptions = EncodeOptions::new().allow_partial(true);

struct Case {
    schema: Schema,
    descriptor: MessageDescriptor,
    paths: Vec<String>,
    want: Want,
    projection: Projection,
}

impl Case {
    fn new(choices: &mut Choices) -> Self {
        let schema = schema(choices, ALL);
        let descriptor = descriptor(&schema, &schema.pool(), 0);
        let paths = paths(&descriptor, choices, 4);
        let want = Want::new(&descriptor, &paths);
        let projection = Projection::new(&descriptor, &paths).unwrap();
        Self { schema, descriptor, paths, want, projection }
    }

    fn full(&self, input: &[u8]) -> DynamicMessage {
        PARTIAL.decode_dynamic(&self.descriptor, input).unwrap()
    }
}

fn encoded(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    LOOSE.encode(message, &mut bytes).unwrap();
    assert_eq!(message.encoded_len(), bytes.len());
    bytes
}

/// A decode that drops what is not selected.
fn dropping(case: &Case, input: &[u8], full: &Msg) {
    let expected = case.want.apply(&case.schema, 0, full);
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL).with_projection(&case.projection);
    let view = decoder.decode(input).unwrap();
    assert_eq!(read(view), expected, "{:?} of {input:02x?}", case.paths);
    for field in all_fields(&case.descriptor) {
        let selected = case.want.all || case.want.fields.contains_key(&field.number());
        assert_eq!(view.is_selected(&field), selected);
        assert_eq!(view.get_field(&field) == Ok(ValueRef::Unselected), !selected);
        assert!(selected || !view.has_field(&field));
    }
    let owned = PARTIAL.decode_selected(&case.projection, input).unwrap();
    assert_eq!((owned.as_view(), &view.to_owned(), &owned.clone()), (view, &owned, &owned));
    let mut whole = owned.clone();
    whole.materialize().unwrap();
    assert_eq!(read(whole.as_view()), expected);
}

/// A decode that keeps what is not selected.
fn passing(case: &Case, input: &[u8], full: &DynamicMessage) {
    let expected = case.want.apply(&case.schema, 0, &read(full.as_view())).without_unknown();
    let projection = case.projection.clone().pass_through();
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL).with_projection(&projection);
    let view = decoder.decode(input).unwrap();
    assert_eq!(read(view).without_unknown(), expected, "{:?} of {input:02x?}", case.paths);
    let owned = PARTIAL.decode_selected(&projection, input).unwrap();
    for message in [view.to_owned(), owned.clone(), owned] {
        if !case.want.all {
            assert_eq!(encoded(&message), input, "{:?}", case.paths);
        }
        assert_eq!(message.as_view(), view);
        assert!(message.capacity() <= (1 << 20) + 32 * input.len());
        let mut whole = message.clone();
        whole.materialize().unwrap();
        assert_eq!(&whole, full);
        let mut merged = message;
        PARTIAL.merge(&mut merged, input).unwrap();
        let mut expected = full.clone();
        PARTIAL.merge(&mut expected, input).unwrap();
        assert_eq!(merged, expected);
    }
}

/// All message fields that some paths lead to stay bytes until they are read.
fn lazy(case: &Case, input: &[u8], full: &DynamicMessage, choices: &mut Choices) {
    let mut lazy = paths(&case.descriptor, choices, 3);
    if choices.once_in(3) {
        lazy.push("*".into());
    }
    lazy.retain(|path| Projection::all(&case.descriptor).lazy([path]).is_ok());
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL).with_lazy(&lazy).unwrap();
    let view = decoder.decode(input).unwrap();
    assert_eq!(read(view), read(full.as_view()), "{lazy:?} of {input:02x?}");
    let mut owned = view.to_owned();
    assert_eq!(PARTIAL.decode_dynamic(&case.descriptor, &encoded(&owned)).unwrap(), *full);
    owned.materialize().unwrap();
    assert_eq!(owned, *full);
}

/// A random change, made to a projected message and to a full one.
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
        0 if message && !field.is_list() && !field.is_map() && depth > 0 => {
            let mut inner = part.message_mut(&field).unwrap();
            change(&mut inner, &mut full.message_mut(&field).unwrap(), choices, depth - 1);
        }
        0 | 1 if field.is_list() && message && depth > 0 => {
            let index = choices.below(3);
            match (part.element_mut(&field, index), full.element_mut(&field, index)) {
                (Ok(mut part), Ok(mut full)) => change(&mut part, &mut full, choices, depth - 1),
                (part, full) => assert_eq!(part.unwrap_err(), full.unwrap_err()),
            }
        }
        0 | 1 if field.is_map() => {
            let Kind::Message(entry) = field.kind() else { unreachable!() };
            let key = key(&entry.map_entry_key_field().unwrap(), choices);
            if choices.below(2) == 0 {
                assert_eq!(part.remove(&field, key.clone()).unwrap(), full.remove(&field, key).unwrap());
                return;
            }
            let value = scalar(&entry.map_entry_value_field().unwrap(), choices);
            part.insert(&field, key.clone(), value.clone()).unwrap();
            full.insert(&field, key, value).unwrap();
        }
        0..3 if field.is_list() => {
            let value = scalar(&field, choices);
            part.push(&field, value.clone()).unwrap();
            full.push(&field, value).unwrap();
        }
        _ => {
            let value = match () {
                () if field.is_map() => Value::Map(Default::default()),
                () if field.is_list() => Value::List(vec![scalar(&field, choices)]),
                () => scalar(&field, choices),
            };
            part.set_field(&field, value.clone()).unwrap();
            full.set_field(&field, value).unwrap();
        }
    }
}

fn key(field: &FieldDescriptor, choices: &mut Choices) -> MapKey {
    match scalar(field, choices) {
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
fn scalar(field: &FieldDescriptor, choices: &mut Choices) -> Value {
    let n = choices.below(3);
    match field.kind() {
        Kind::Bool => Value::Bool(n != 0),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(n as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(n as i64),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(n as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(n as u64),
        Kind::Float => Value::F32(n as f32),
        Kind::Double => Value::F64(n as f64),
        Kind::String => Value::String("ab"[..n].into()),
        Kind::Bytes => Value::Bytes(b"ab"[..n].into()),
        Kind::Enum(e) => Value::EnumNumber(e.values().next().unwrap().number()),
        Kind::Message(message) => Value::Message(DynamicMessage::new(&message)),
    }
}

/// Changes made to a message of which parts were decoded are those made to all of it.
fn editing(case: &Case, input: &[u8], full: &DynamicMessage, choices: &mut Choices) {
    let projection = case.projection.clone().pass_through();
    let mut part = PARTIAL.decode_selected(&projection, input).unwrap();
    let mut full = full.clone();
    for _ in 0..1 + choices.below(4) {
        change(&mut part.as_mut(), &mut full.as_mut(), choices, 3);
        let again = case.full(&encoded(&part));
        let expected = case.full(&encoded(&full));
        assert_eq!(read(again.as_view()), read(expected.as_view()), "{:?}", case.paths);
    }
    let copy = part.as_view().to_owned();
    assert_eq!((encoded(&copy), &copy), (encoded(&part), &part));
    let mut whole = part.clone();
    whole.materialize().unwrap();
    assert_eq!(whole, case.full(&encoded(&part)));
}

fn all(choices: &mut Choices) {
    let case = Case::new(choices);
    let input = payload(&case.schema, 0, choices, WILD);
    let full = case.full(&input);
    dropping(&case, &input, &read(full.as_view()));
    passing(&case, &input, &full);
    lazy(&case, &input, &full, choices);
    editing(&case, &input, &full, choices);
}

/// Bytes that are probably not valid: nothing panics, and what a full decode accepts a projection does as well.
fn broken(choices: &mut Choices) {
    let case = Case::new(choices);
    let mut input = match choices.once_in(3) {
        true => noise(choices, 60),
        false => payload(&case.schema, 0, choices, WILD),
    };
    mutate(&mut input, choices);
    if let Ok(full) = PARTIAL.decode_dynamic(&case.descriptor, &input) {
        dropping(&case, &input, &read(full.as_view()));
        passing(&case, &input, &full);
        lazy(&case, &input, &full, choices);
        editing(&case, &input, &full, choices);
        return;
    }
    let lazy = Projection::all(&case.descriptor).lazy(["*"]);
    let passing = case.projection.clone().pass_through();
    for projection in [Some(&case.projection), Some(&passing), lazy.as_ref().ok()].into_iter().flatten() {
        let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL).with_projection(projection);
        let view = match (decoder.decode(&input), PARTIAL.decode_selected(projection, &input)) {
            (Ok(view), Ok(owned)) => {
                assert_eq!(owned.as_view(), view);
                view
            }
            (Err(view), Err(owned)) => {
                assert_eq!(view, owned);
                assert!(view.offset() <= input.len());
                continue;
            }
            (view, owned) => panic!("{view:?} and {owned:?}"),
        };
        let mut owned = view.to_owned();
        if std::ptr::eq(projection, &passing) && !case.want.all {
            assert_eq!(encoded(&owned), input);
        }
        raws(view, input.len());
        let mut full = DynamicMessage::new(&case.descriptor);
        let mut changed = owned.clone();
        for _ in 0..3 {
            change_one(&mut changed.as_mut(), choices);
        }
        drop(encoded(&changed));
        if owned.materialize().is_err() {
            assert_eq!(owned, view.to_owned());
        } else {
            PARTIAL.merge(&mut full, &encoded(&owned)).unwrap();
        }
    }
}

/// As `change`, where a field may turn out not to be valid.
fn change_one(message: &mut MessageMut<'_>, choices: &mut Choices) {
    let fields = all_fields(&message.descriptor());
    if fields.is_empty() {
        return;
    }
    let field = choices.pick(&fields).clone();
    let roll = choices.below(4);
    let value = scalar(&field, choices);
    let mut attempt = || match roll {
        0 => message.message_mut(&field).map(drop),
        1 => message.element_mut(&field, 0).map(drop),
        2 if field.is_list() => message.push(&field, value.clone()),
        _ => {
            message.clear_field(&field).unwrap();
            Ok(())
        }
    };
    if let Err(error) = attempt() {
        assert_eq!(attempt().unwrap_err(), error, "the message is as before");
        assert!(error.decode_error().is_none_or(|cause| cause.offset() < 1 << 20));
    }
}

/// Decodes everything that is raw, whatever comes of it.
fn raws(view: tablepb::MessageView<'_, '_>, len: usize) {
    let raw = |value: ValueRef<'_, '_>| {
        if let ValueRef::Raw(raw) = value {
            let mut decoder = Decoder::new(&raw.descriptor());
            match raw.decode(&mut decoder) {
                Ok(view) => assert_eq!(view.to_owned(), view.to_owned()),
                Err(error) => assert!(error.offset() <= len),
            }
        }
    };
    for (_, value) in view.fields() {
        match value {
            ValueRef::List(list) => list.iter().for_each(raw),
            ValueRef::Map(map) => map.iter().for_each(|(_, value)| raw(value)),
            value => raw(value),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: rounds(400), ..ProptestConfig::default() })]

    #[test]
    fn parts_are_parts_of_the_whole(mut choices in choices(700)) {
        all(&mut choices);
    }

    #[test]
    fn broken_bytes_break_nothing(mut choices in choices(700)) {
        broken(&mut choices);
    }
}

#[test]
fn parts_are_parts_of_the_whole_with_longer_payloads() {
    for seed in (0..u64::from(rounds(600))).chain([20_698]) {
        all(&mut Choices::seeded(seed));
    }
}

#[test]
fn broken_bytes_break_nothing_with_longer_payloads() {
    for seed in 0..u64::from(rounds(600)) {
        broken(&mut Choices::seeded(seed));
    }
}
