//! What setters make of values.

use super::SetFieldErrorKind::{InvalidEnumName, InvalidEnumNumber, InvalidType, Lossy};
use super::*;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
#[cfg(feature = "std")]
use std::collections::HashMap;

static CLOSED: EnumTable = EnumTable::new("t.Closed", &[("ONE", 1), ("TWO", 2)]).closed();
static ALL: MessageTable = MessageTable::new(
    "t.All",
    &[
        FieldTable::new("i32", 1, Kind::Int32),
        FieldTable::new("s64", 2, Kind::Sfixed64),
        FieldTable::new("u32", 3, Kind::Fixed32),
        FieldTable::new("u64", 4, Kind::Uint64),
        FieldTable::new("f32", 5, Kind::Float),
        FieldTable::new("f64", 6, Kind::Double),
        FieldTable::new("bool", 7, Kind::Bool),
        FieldTable::new("text", 8, Kind::String),
        FieldTable::new("bytes", 9, Kind::Bytes),
        FieldTable::new("color", 10, Kind::Enum(|| &COLOR)),
        FieldTable::new("closed", 11, Kind::Enum(|| &CLOSED)).optional(),
        FieldTable::new("longs", 12, Kind::Int64).repeated(),
        FieldTable::map("by_id", 13, Kind::Uint64, Kind::Double),
        FieldTable::map("by_name", 14, Kind::String, Kind::Enum(|| &COLOR)),
        FieldTable::new("all", 15, Kind::Message(|| &ALL)),
        FieldTable::map("by_int", 16, Kind::Sint32, Kind::Message(|| &ALL)),
    ],
);

fn all() -> DynamicMessage {
    let pool = DescriptorPool::from_tables(&[&ALL]).unwrap();
    DynamicMessage::new(&pool.find_message("t.All").unwrap())
}

#[test]
fn a_field_takes_what_it_holds_without_loss() {
    let mut message = all();
    let mut is = |name: &str, value: Value, expected: Value| {
        message.set_field(name, value.clone()).unwrap_or_else(|error| panic!("{value:?}: {error}"));
        let read = message.get_field(name).unwrap().to_owned();
        assert_eq!(read, expected, "{name} of {value:?}");
    };
    is("i32", 5u64.into(), Value::I32(5));
    is("i32", i64::from(i32::MIN).into(), Value::I32(i32::MIN));
    is("s64", (-3i8).into(), Value::I64(-3));
    is("s64", u32::MAX.into(), Value::I64(u32::MAX.into()));
    is("u32", 7i64.into(), Value::U32(7));
    is("u64", 9.into(), Value::U64(9));
    is("u64", usize::MAX.into(), Value::U64(usize::MAX as u64));
    is("f32", 3.into(), Value::F32(3.0));
    is("f32", 0.5f64.into(), Value::F32(0.5));
    is("f32", f64::INFINITY.into(), Value::F32(f32::INFINITY));
    is("f32", u64::MAX.wrapping_add(1).into(), Value::F32(0.0));
    is("f64", 0.1f32.into(), Value::F64(0.1f32.into()));
    is("f64", (1i64 << 60).into(), Value::F64((1u64 << 60) as f64));
    is("bytes", "hi".into(), Value::Bytes(b"hi".to_vec()));
    is("bytes", (&[1, 2, 255][..]).into(), Value::Bytes(vec![1, 2, 255]));
    is("bytes", vec![7u64, 0].into(), Value::Bytes(vec![7, 0]));
    is("text", Cow::Borrowed("a").into(), Value::from("a"));
    is("text", Box::<str>::from("b").into(), Value::from("b"));
    is("text", (&String::from("c")).into(), Value::from("c"));
    is("color", "RED".into(), Value::EnumNumber(1));
    is("color", 77.into(), Value::EnumNumber(77));
    is("closed", 2u64.into(), Value::EnumNumber(2));
    is("closed", "ONE".into(), Value::EnumNumber(1));
    let longs = Value::List(vec![Value::I64(1), Value::I64(2)]);
    is("longs", vec![1, 2].into(), longs.clone());
    is("longs", [1u32, 2].into(), longs.clone());
    is("longs", (&[1i16, 2][..]).into(), longs.clone());
    is("longs", (1..3u64).collect(), longs.clone());
    is("longs", vec![Value::I32(1), Value::I64(2)].into(), longs);
    let by_id = Value::Map([(MapKey::U64(1), Value::F64(2.0))].into());
    is("by_id", vec![(1, 2)].into(), by_id.clone());
    is("by_id", [(1u64, 2.0f32)].into(), by_id.clone());
    #[cfg(feature = "std")]
    is("by_id", HashMap::from([(1i64, 2.0)]).into(), by_id.clone());
    is("by_id", BTreeMap::from([(1u32, 2u8 as u32)]).into(), by_id.clone());
    // Keys of several types that are one: the last one counts.
    is("by_id", [(MapKey::I32(1), Value::I32(9)), (MapKey::U64(1), Value::F64(2.0))].into(), by_id);
    is("by_name", [("a", "RED")].into(), Value::Map([(MapKey::from("a"), Value::EnumNumber(1))].into()));
    message.set_field("f32", f64::NAN).unwrap();
    assert!(message.get_field("f32").unwrap().as_f32().unwrap().is_nan());
}

#[test]
fn what_would_be_lost_is_refused() {
    let mut message = all();
    message.set_field("longs", [1]).unwrap();
    message.insert("by_id", 1, 1).unwrap();
    let before = message.clone();
    let big = (1i64 << 53) + 1;
    for (name, value, kind, found) in [
        ("i32", Value::from(1i64 << 31), Lossy, "I64 2147483648"),
        ("u32", (-1).into(), Lossy, "I32 -1"),
        ("u64", (-1i64).into(), Lossy, "I64 -1"),
        ("s64", u64::MAX.into(), Lossy, "U64 18446744073709551615"),
        ("f32", 0.1f64.into(), Lossy, "F64 0.1"),
        ("f32", f64::MAX.into(), Lossy, "F64"),
        ("f32", ((1 << 24) + 1).into(), Lossy, "I32 16777217"),
        ("f64", big.into(), Lossy, "I64 9007199254740993"),
        ("f64", u64::MAX.into(), Lossy, "U64 18446744073709551615"),
        ("i32", 1.0.into(), InvalidType, "F64"),
        ("bool", 1.into(), InvalidType, "I32"),
        ("i32", true.into(), InvalidType, "Bool"),
        ("i32", Value::EnumNumber(1), InvalidType, "EnumNumber"),
        ("i32", "1".into(), InvalidType, "String"),
        ("text", 1.into(), InvalidType, "I32"),
        ("text", b"a".into(), InvalidType, "Bytes"),
        ("bytes", vec![1, 256].into(), Lossy, "List"),
        ("bytes", vec!["a"].into(), InvalidType, "List"),
        ("text", vec![1, 2].into(), InvalidType, "List"),
        ("color", "PINK".into(), InvalidEnumName, "String \"PINK\""),
        ("color", 0.0.into(), InvalidType, "F64"),
        ("color", (1u64 << 40).into(), Lossy, "U64 1099511627776"),
        ("closed", 3.into(), InvalidEnumNumber, "I32 3"),
        ("longs", Value::List(vec![1.into(), "x".into()]), InvalidType, "String as element 1"),
        ("longs", [u64::MAX].into(), Lossy, "U64 18446744073709551615 as element 0"),
        ("by_id", [(1, Value::from("x"))].into(), InvalidType, "String as the value of key 1"),
        ("by_id", [("a", 1)].into(), InvalidType, "String as a key"),
        ("by_id", [(-1, 1)].into(), Lossy, "I32 -1 as a key"),
        ("all", DynamicMessage::new(&node()).into(), InvalidType, "message t.Node"),
        ("all", [1].into(), InvalidType, "List"),
    ] {
        let error = message.set_field(name, value.clone()).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), kind, "{text}");
        assert!(text.contains(" expects ") && text.contains(&format!(", not {found}")), "{text}");
        assert_eq!(error.into_value(), Some(value));
        assert_eq!(message, before);
    }
    let text = message.insert("by_int", 1, DynamicMessage::new(&node())).unwrap_err().to_string();
    let expected =
        "t.All.by_int expects map<sint32, message t.All>, not message t.Node as the value of key 1";
    assert!(text.ends_with(expected), "{text}");
    let errors = [
        message.remove("by_int", u64::MAX).unwrap_err(),
        message.entry_mut("by_int", 1i64 << 40).map(drop).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind(), Lossy);
        assert!(error.to_string().contains(" as a key"), "{error}");
    }
    assert_eq!(message, before);
}

#[test]
fn keys_of_maps_are_found_by_any_integer_type() {
    let mut message = all();
    message.insert("by_id", 5, 1).unwrap();
    message.insert("by_id", 5u64, 2).unwrap();
    message.entry_mut("by_int", -7i64).unwrap().set_field("i32", 1).unwrap();
    assert_eq!(
        crate::text::to_string(&message).unwrap(),
        "by_id:[{key:5,value:2}],by_int:[{key:-7,value{i32:1}}]"
    );
    let map = message.get_field("by_id").unwrap().as_map().unwrap();
    assert_eq!(map.get(5).and_then(|v| v.as_f64()), Some(2.0));
    assert!(map.get(-5).is_none() && !map.contains_key("5") && map.contains_key(5u32));
    assert!(message.remove("by_int", -7).unwrap());
    assert!(message.remove("by_id", -1i64).is_err());
    assert!(message.remove("by_id", 5i64).unwrap());
    assert_eq!(message.encoded_len(), 0);
}

/// A list of points, with no string in any of them.
static TRACK: MessageTable =
    MessageTable::new("t.Track", &[FieldTable::new("points", 1, Kind::Message(|| &POINT)).repeated()]);

#[test]
fn a_message_copies_its_input_only_if_a_string_or_an_unknown_field_refers_to_it() {
    let pool = DescriptorPool::from_tables(&[&TRACK]).unwrap();
    let track = pool.find_message("t.Track").unwrap();
    let points = [&[0x0a, 5, 0x0d, 0, 0, 0x80, 0x3f][..]; 3].concat();
    // A field of number 3 in a point, and one in the track.
    let (below, outside) = ([&points[..], &[0x0a, 2, 0x18, 1]].concat(), [&points[..], &[0x18, 1]].concat());
    for (input, copied) in [(&points, false), (&below, true), (&outside, true)] {
        let message = DynamicMessage::decode(&track, input).unwrap();
        assert_eq!(message.as_view().raw().store.len(), if copied { input.len() } else { 0 }, "{input:02x?}");
        assert_eq!(&message.encode_to_vec().unwrap(), input);
        let mut merged = message.clone();
        merged.merge(input).unwrap();
        let both = Decoder::new(&track).decode(&[&input[..], input].concat()).unwrap().to_owned();
        assert_eq!(merged, both);
        assert_eq!(merged.encode_to_vec().unwrap(), both.encode_to_vec().unwrap());
    }
    // What was decoded before a message was cleared does not count.
    let mut message = DynamicMessage::decode(&track, &below).unwrap();
    message.clear();
    message.merge(&points).unwrap();
    assert_eq!(message.encode_to_vec().unwrap(), points);
}
