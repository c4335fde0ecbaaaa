//! Message fields that are bytes: written as they are, equal to decoded ones once they are decoded.

use crate::common::bridge::{descriptor, read};
use crate::common::choices::{Choices, choices};
use crate::common::payload::{WILD, payload};
use crate::common::schema_gen::{ALL, schema};
use proptest::prelude::*;
use tablepb::partial::Projection;
use tablepb::table::{Cardinality, FieldTable, Kind, MessageTable};
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, EncodeOptions, MapKey, Prepared,
    SetFieldErrorKind, Value, ValueRef,
};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const SORTED: EncodeOptions = EncodeOptions::new().allow_partial(true).deterministic(true);

static HOST: MessageTable = MessageTable::new(
    "raw.Host",
    &[FieldTable::new("name", 1, Kind::String), FieldTable::new("parent", 2, Kind::Message(|| &HOST))],
);
static POINT: MessageTable = MessageTable::new(
    "raw.Point",
    &[FieldTable::new("x", 1, Kind::Fixed32), FieldTable::new("y", 2, Kind::Fixed32)],
);
static LOG: MessageTable = MessageTable::new(
    "raw.Log",
    &[
        FieldTable::new("host", 1, Kind::Message(|| &HOST)),
        FieldTable::new("hosts", 2, Kind::Message(|| &HOST)).repeated(),
        FieldTable::map("by_name", 3, Kind::String, Kind::Message(|| &HOST)),
        FieldTable::new("point", 4, Kind::Message(|| &POINT)),
        FieldTable::new("points", 5, Kind::Message(|| &POINT)).repeated(),
        FieldTable::new("text", 6, Kind::String),
    ],
);

fn pool() -> DescriptorPool {
    DescriptorPool::from_tables(&[&LOG]).unwrap()
}

fn prepared(pool: &DescriptorPool, name: &str, bytes: &[u8]) -> Prepared {
    let descriptor = pool.message(name).unwrap();
    Prepared::new(&DynamicMessage::decode(&descriptor, bytes).unwrap()).unwrap()
}

fn sorted(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    SORTED.encode(message, &mut bytes).unwrap();
    assert_eq!(message.encoded_len(), bytes.len());
    bytes
}

/// The message as bytes.
fn bytes_of(message: &DynamicMessage) -> Value {
    match Prepared::new(message) {
        Ok(_) => {
            let sorted = PARTIAL.decode_dynamic(message.descriptor(), &sorted(message));
            Value::Prepared(Prepared::new(&sorted.unwrap()).unwrap())
        }
        Err(_) => Value::Message(message.clone()),
    }
}

/// The same value with all messages as bytes.
fn as_bytes(value: Value) -> Value {
    match value {
        Value::Message(message) => bytes_of(&message),
        Value::List(list) => Value::List(list.into_iter().map(as_bytes).collect()),
        Value::Map(map) => Value::Map(map.into_iter().map(|(k, v)| (k, as_bytes(v))).collect()),
        value => value,
    }
}

fn raw_fields_are_the_message(choices: &mut Choices) {
    let schema = schema(choices, ALL);
    let pool = schema.pool();
    let input = payload(&schema, 0, choices, WILD);
    let descriptor = descriptor(&schema, &pool, 0);
    let full = PARTIAL.decode_dynamic(&descriptor, &input).unwrap();
    // As encoded, so that maps are in order in what becomes bytes.
    let full = PARTIAL.decode_dynamic(&descriptor, &sorted(&full)).unwrap();

    let mut raw = full.clone();
    for (field, value) in full.fields() {
        if matches!(field.kind(), tablepb::schema::FieldKind::Message(_)) {
            raw.set_field(&field.to_owned(), as_bytes(value.to_owned())).unwrap();
        }
    }
    assert_eq!(sorted(&raw), sorted(&full), "{raw:?}");
    assert_eq!(read(raw.as_view()), read(full.as_view()));
    assert_eq!(raw.clone(), raw);
    assert_eq!(raw.as_view().to_owned(), raw);

    // Whatever a setter can reach is decoded by it.
    let mut opened = raw.clone();
    for (field, value) in full.fields() {
        let handle = field.to_owned();
        match value {
            ValueRef::Message(_) => drop(opened.message_mut(&handle).unwrap()),
            ValueRef::List(list) => {
                for (i, _) in list.iter().enumerate().filter(|(_, v)| v.as_message().is_some()) {
                    opened.element_mut(&handle, i).unwrap();
                }
            }
            ValueRef::Map(map) => {
                for (key, _) in map.iter().filter(|(_, v)| v.as_message().is_some()) {
                    opened.entry_mut(&handle, key.to_owned()).unwrap();
                }
            }
            _ => {}
        }
    }
    assert_eq!(opened, full);

    let mut merged = raw.clone();
    PARTIAL.merge(&mut merged, &input).unwrap();
    let mut expected = full.clone();
    PARTIAL.merge(&mut expected, &input).unwrap();
    assert_eq!(merged, expected);
    raw.materialize().unwrap();
    assert_eq!(raw, full);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn messages_set_as_bytes_are_the_same_messages(mut choices in choices(600)) {
        raw_fields_are_the_message(&mut choices);
    }
}

#[test]
fn messages_set_as_bytes_are_the_same_messages_with_longer_payloads() {
    for seed in 0..300 {
        raw_fields_are_the_message(&mut Choices::seeded(seed));
    }
}

#[test]
fn every_message_field_takes_bytes() {
    let pool = pool();
    let log = pool.message("raw.Log").unwrap();
    let field = |name: &str| log.field(name).unwrap();
    let (host, point) =
        (prepared(&pool, "raw.Host", b"\x0a\x01a"), prepared(&pool, "raw.Point", b"\x0d\x01\0\0\0"));
    let mut message = DynamicMessage::new(&log);
    message.set_field(&field("host"), &host).unwrap();
    message.push(&field("hosts"), &host).unwrap();
    message.push(&field("hosts"), &host).unwrap();
    message.as_mut().set_element(&field("hosts"), 1, prepared(&pool, "raw.Host", b"")).unwrap();
    message.insert(&field("by_name"), "k", &host).unwrap();
    message.set_field(&field("point"), &point).unwrap();
    message.push(&field("points"), &point).unwrap();
    let bytes = message.encode_to_vec().unwrap();
    assert_eq!(
        bytes,
        b"\x0a\x03\x0a\x01a\x12\x03\x0a\x01a\x12\x00\x1a\x08\x0a\x01k\x12\x03\x0a\x01a\
          \x22\x05\x0d\x01\0\0\0\x2a\x05\x0d\x01\0\0\0"
    );
    for name in ["host", "point"] {
        assert!(matches!(message.get_field(&field(name)), Ok(ValueRef::Raw(_))), "{name}");
        assert!(message.has_field(&field(name)));
    }
    let host = message.get_field(&field("host")).unwrap().as_raw().unwrap();
    assert_eq!((host.as_bytes(), host.depth_left() > 100), (Some(&b"\x0a\x01a"[..]), true));
    assert!(format!("{message:?}").contains("host{name:\"a\"}"), "{message:?}");
    assert_eq!(field("hosts").cardinality(), Cardinality::Repeated);

    message.message_mut(&field("point")).unwrap().set_field("y", 7u32).unwrap();
    let point = message.get_field(&field("point")).unwrap().as_message().unwrap();
    assert_eq!(point.get_field("x").unwrap().as_u32(), Some(1));
}

#[test]
fn bytes_of_another_type_are_refused() {
    let pool = pool();
    let log = pool.message("raw.Log").unwrap();
    let mut message = DynamicMessage::new(&log);
    let point = prepared(&pool, "raw.Point", b"");
    let error = message.set_field("host", &point).unwrap_err();
    assert_eq!(error.kind(), SetFieldErrorKind::InvalidType);
    assert_eq!(error.into_value(), Some(Value::Prepared(point.clone())));
    let error = message.set_field("text", &point).unwrap_err();
    assert_eq!(error.kind(), SetFieldErrorKind::InvalidType);

    message.set_field("point", &point).unwrap();
    let mut hosts = Decoder::new(&pool.message("raw.Host").unwrap());
    let raw = message.get_field("point").unwrap().as_raw().unwrap();
    assert_eq!(raw.decode(&mut hosts).unwrap_err().kind(), DecodeErrorKind::WrongMessage);
}

#[test]
fn many_bytes_set_again_and_again_are_compacted() {
    let pool = pool();
    let log = pool.message("raw.Log").unwrap();
    let host = prepared(&pool, "raw.Host", &[&b"\x0a\x64"[..], &[b'x'; 100]].concat());
    let mut message = DynamicMessage::new(&log);
    for _ in 0..2000 {
        message.set_field("host", &host).unwrap();
    }
    assert!(message.capacity() < 20_000, "{}", message.capacity());
    assert_eq!(message.encode_to_vec().unwrap().len(), 104);
    message.insert(&log.field("by_name").unwrap(), MapKey::from("k"), &host).unwrap();
    assert_eq!(message.encode_to_vec().unwrap().len(), 104 + 109);
}

/// Naming them all gave maps of scalars a selection of nothing: such a map read as one entry, without key and value.
#[test]
fn all_messages_of_a_message_can_be_lazy_without_its_maps_of_scalars() {
    static COUNTS: MessageTable = MessageTable::new(
        "raw.Counts",
        &[FieldTable::map("counts", 1, Kind::Uint32, Kind::Int32), FieldTable::new("id", 2, Kind::Int32)],
    );
    let pool = DescriptorPool::from_tables(&[&COUNTS]).unwrap();
    let counts = pool.message("raw.Counts").unwrap();
    let input = b"\x0a\x04\x08\x07\x10\x08\x10\x03";
    let lazy = Projection::new(&counts, ["id"]).unwrap().lazy(["*"]).unwrap();
    let decoded = lazy.decode(input).unwrap();
    assert_eq!(decoded.encode_to_vec().unwrap(), b"\x10\x03");
    assert!(!decoded.as_view().is_selected("counts"));
    assert_eq!(lazy.pass_through().decode(input).unwrap().encode_to_vec().unwrap(), input);
    let all = Projection::all(&counts).lazy(["*"]).unwrap().decode(input).unwrap();
    assert_eq!(all, DynamicMessage::decode(&counts, input).unwrap());
}

/// What was set was decoded by the projection when it was changed, which dropped the fields that it does not select.
#[test]
fn bytes_set_into_a_projected_message_are_whole_when_they_are_changed() {
    let pool = pool();
    let log = pool.message("raw.Log").unwrap();
    let host = prepared(&pool, "raw.Host", b"\x0a\x03web\x12\x03\x0a\x01p\x78\x01");
    let some = Projection::new(&log, ["host.name", "hosts.name", "by_name.value.name"]).unwrap();
    for projection in [some.clone(), some.pass_through()] {
        let mut message = projection.decode(b"\x0a\x02\x12\x00").unwrap();
        message.set_field("host", &host).unwrap();
        message.push("hosts", &host).unwrap();
        message.insert("by_name", "a", &host).unwrap();
        message.message_mut("host").unwrap().set_field("name", "new").unwrap();
        message.element_mut("hosts", 0).unwrap().set_field("name", "new").unwrap();
        message.entry_mut("by_name", "a").unwrap().set_field("name", "new").unwrap();
        let changed = b"\x0a\x03new\x12\x03\x0a\x01p\x78\x01";
        let entry = [&b"\x1a\x11\x0a\x01a\x12\x0c"[..], changed].concat();
        let expected = [&b"\x0a\x0c"[..], changed, b"\x12\x0c", changed, &entry].concat();
        assert_eq!(message.encode_to_vec().unwrap(), expected);
    }
}
