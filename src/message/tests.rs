//! What the messages of this room promise on their own; `tests/` holds them against other implementations.

use super::*;
use crate::error::DecodeErrorKind;
use crate::options::DecodeOptions;
use crate::schema::{DescriptorPool, FieldDescriptor, MessageDescriptor};
use crate::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use alloc::format;
use alloc::string::ToString;
use alloc::{vec, vec::Vec};
use std::sync::LazyLock;

static COLOR: EnumTable = EnumTable::new("t.Color", &[("NONE", 0), ("RED", 1)]);
static POINT: MessageTable = MessageTable::new(
    "t.Point",
    &[FieldTable::new("x", 1, Kind::Float), FieldTable::new("y", 2, Kind::Float)],
);
static NODE: MessageTable = MessageTable::new(
    "t.Node",
    &[
        FieldTable::new("name", 1, Kind::String),
        FieldTable::new("id", 2, Kind::Uint64).optional(),
        FieldTable::new("color", 3, Kind::Enum(|| &COLOR)),
        FieldTable::new("at", 4, Kind::Message(|| &POINT)),
        FieldTable::new("children", 5, Kind::Message(|| &NODE)).repeated(),
        FieldTable::map("attributes", 6, Kind::String, Kind::Message(|| &NODE)),
        FieldTable::new("number", 7, Kind::Sint32).oneof("value"),
        FieldTable::new("text", 8, Kind::String).oneof("value"),
        FieldTable::new("samples", 9, Kind::Double).repeated(),
        FieldTable::new("tags", 10, Kind::String).repeated(),
    ],
);

/// Of one pool, which takes Miri seconds to make.
fn node() -> MessageDescriptor {
    static NODE: LazyLock<MessageDescriptor> = LazyLock::new(other_node);
    NODE.clone()
}

/// Of a pool of its own.
fn other_node() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&NODE]).unwrap().get_message_by_name("t.Node").unwrap()
}

fn field(message: &MessageDescriptor, name: &str) -> FieldDescriptor {
    message.get_field_by_name(name).unwrap()
}

#[test]
fn unset_fields_read_as_their_defaults() {
    let node = node();
    let empty = DynamicMessage::new(&node);
    let get = |name: &str| empty.get_field(&field(&node, name));
    assert_eq!(get("name").as_str(), Some(""));
    assert_eq!(get("id").as_u64(), Some(0));
    assert_eq!(get("color").as_enum_number(), Some(0));
    assert_eq!(get("at").as_message().unwrap().descriptor().full_name(), "t.Point");
    assert!(get("children").as_list().unwrap().is_empty());
    assert_eq!(get("attributes").as_map().unwrap().get("a"), None);
    assert_eq!(empty.fields().count(), 0);
    assert_eq!((empty.encoded_len(), empty.capacity()), (0, 0));
}

#[test]
fn a_field_of_another_message_reads_as_unset_and_cannot_be_written() {
    let (node, other) = (node(), other_node());
    let mut message = DynamicMessage::new(&node);
    let point = node.parent_pool().get_message_by_name("t.Point").unwrap();
    for foreign in other.fields().chain(point.fields()) {
        assert!(!message.has_field(&foreign));
        assert_eq!(message.get(&foreign), None);
        let _ = message.get_field(&foreign);
        let error = message.set_field(&foreign, 1.5f32).unwrap_err();
        assert_eq!(error.kind(), SetFieldErrorKind::NoSuchField);
        assert_eq!(error.into_value(), Some(Value::F32(1.5)));
        message.clear_field(&foreign);
    }
    let point = DynamicMessage::new(&point);
    for foreign in node.fields() {
        // Positions beyond the fields of the message too.
        let _ = point.get_field(&foreign);
    }
}

#[test]
fn errors_of_setters_say_what_was_expected_and_change_nothing() {
    let node = node();
    let mut message = DynamicMessage::new(&node);
    message.set_field(&field(&node, "name"), "a").unwrap();
    let before = message.clone();
    let error = message.set_field(&field(&node, "name"), 5i32).unwrap_err();
    assert_eq!(error.to_string(), "the value is of the wrong type: t.Node.name expects string, not I32");
    let error = message.set_field(&field(&node, "attributes"), "b").unwrap_err();
    assert!(error.to_string().contains("expects map<string, message t.Node>, not String"), "{error}");
    assert!(message.push(&field(&node, "name"), "b").is_err());
    assert!(message.insert(&field(&node, "attributes"), 1i32, "b").is_err());
    assert!(message.message_mut(&field(&node, "children")).is_err());
    assert_eq!(message, before);
}

#[test]
fn oneofs_hold_one_member_and_messages_nest() {
    let node = node();
    let (number, text) = (field(&node, "number"), field(&node, "text"));
    let mut message = DynamicMessage::new(&node);
    message.set_field(&number, -5i32).unwrap();
    message.set_field(&text, "t").unwrap();
    assert!(!message.has_field(&number));
    let oneof = node.oneofs().find(|o| o.name() == "value").unwrap();
    let (member, value) = message.as_view().get_oneof(&oneof).unwrap();
    assert_eq!((member.name(), value.as_str()), ("text", Some("t")));

    let mut child = message.push_message(&field(&node, "children")).unwrap();
    let mut at = child.message_mut(&field(&node, "at")).unwrap();
    let x = at.descriptor().get_field_by_name("x").unwrap();
    at.set_field(&x, 1.5f32).unwrap();
    message.entry_mut(&field(&node, "attributes"), "k").unwrap().set_field(&number, 7i32).unwrap();
    let copy = DynamicMessage::decode(&node, &message.encode_to_vec().unwrap()).unwrap();
    assert_eq!(copy, message);
    assert_eq!(
        format!("{message:?}"),
        "t.Node { children { at { x: 1.5 } }, attributes { key: \"k\", value { number: 7 } }, text: \"t\" }"
    );
}

#[test]
fn overwriting_a_field_does_not_grow_the_message_for_ever() {
    let node = node();
    let (name, tags) = (field(&node, "name"), field(&node, "tags"));
    let mut message = DynamicMessage::new(&node);
    message.push(&tags, "kept").unwrap();
    for i in 0..if cfg!(miri) { 100 } else { 100_000u32 } {
        message.set_field(&name, format!("{i:0100}")).unwrap();
    }
    assert!(message.capacity() < 1 << 16, "{} bytes", message.capacity());
    assert_eq!(message.get_field(&tags).as_list().unwrap().get(0).and_then(|v| v.as_str()), Some("kept"));
}

#[test]
fn a_failed_merge_leaves_what_was_read() {
    let node = node();
    let mut message = DynamicMessage::decode(&node, b"\x0a\x01a").unwrap();
    let error = message.merge(b"\x10\x05\x2a\x04\x0a\x02\xc3\x28").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, 6));
    assert_eq!(error.to_string(), "a string is not valid UTF-8 at byte 6, in t.Node: children[0].name");
    assert_eq!(message.get_field_by_name("id").and_then(|v| v.as_u64()), Some(5));
    assert_eq!(message.get_field_by_name("name").and_then(|v| v.as_str()), Some("a"));
    assert!(DynamicMessage::decode(&node, &message.encode_to_vec().unwrap()).is_ok());
}

#[test]
fn unknown_fields_are_kept_in_order_and_can_be_dropped() {
    let node = node();
    let input = b"\xa0\x06\x01\x0a\x01a\xaa\x06\x02hi\xa0\x06\x02";
    let mut message = DynamicMessage::decode(&node, input).unwrap();
    let unknown: alloc::vec::Vec<_> =
        message.unknown_fields().map(|f| (f.number(), f.value().to_vec())).collect();
    assert_eq!(unknown, [(100, alloc::vec![1]), (101, b"\x02hi".to_vec()), (100, alloc::vec![2])]);
    assert_eq!(message.encode_to_vec().unwrap(), b"\x0a\x01a\xa0\x06\x01\xaa\x06\x02hi\xa0\x06\x02");
    let none = DynamicMessage::decode_with(&node, input, DecodeOptions::new().discard_unknown(true)).unwrap();
    assert_eq!(none.unknown_fields().count(), 0);
    message.clear_unknown_fields();
    assert_eq!(message, none);
}

#[cfg(feature = "bytes")]
#[test]
fn shared_input_is_copied_when_it_has_to_be() {
    let node = node();
    let input = bytes::Bytes::from_static(b"\x0a\x01a");
    let mut message = DynamicMessage::decode_shared(&node, &input).unwrap();
    let name = message.get_field_by_name("name").and_then(|v| v.as_str()).unwrap();
    assert_eq!(name.as_ptr(), input.as_ptr().wrapping_add(2));
    message.set_field(&field(&node, "text"), "b").unwrap();
    assert_eq!(message.encode_to_vec().unwrap(), b"\x0a\x01a\x42\x01b");
    assert_eq!(&input[..], b"\x0a\x01a");
}

#[test]
fn views_outlive_the_order_of_their_owners() {
    let node = node();
    let input = b"\x0a\x04text".to_vec();
    let mut decoder = Decoder::new(&node);
    let text: &str = {
        let view = decoder.decode(&input).unwrap();
        view.get(&field(&node, "name")).and_then(|v| v.as_str()).unwrap()
    };
    // The string is of the input, not of the decoder.
    drop(decoder);
    assert_eq!(text, "text");
}

/// Every way to leave something behind: displaced oneof members, elements, unknown fields, merged-over values.
#[test]
fn no_operation_grows_a_message_for_ever() {
    let node = node();
    let text = "x".repeat(1000);
    let name = field(&node, "name");
    let (number, tags, children) = (field(&node, "number"), field(&node, "tags"), field(&node, "children"));
    let mut encoded = alloc::vec![0x0a, 0xe8, 0x07];
    encoded.extend_from_slice(text.as_bytes());
    let mut unknown = alloc::vec![0xa2, 0x06, 0xe8, 0x07];
    unknown.extend_from_slice(text.as_bytes());
    let mut message = DynamicMessage::new(&node);
    message.push(&tags, "kept").unwrap();
    message.push(&tags, "changed").unwrap();
    for i in 0..if cfg!(miri) { 50 } else { 5_000 } {
        match i % 5 {
            0 => {
                message.set_field(&field(&node, "text"), text.as_str()).unwrap();
                message.set_field(&number, 5i32).unwrap();
            }
            1 => message.merge(&encoded).unwrap(),
            2 => {
                message.merge(&unknown).unwrap();
                message.clear_unknown_fields();
            }
            3 => message.as_mut().set_element(&tags, 1, text.as_str()).unwrap(),
            _ => {
                message.push_message(&children).unwrap().set_field(&name, text.as_str()).unwrap();
                message.as_mut().remove_element(&children, 0).unwrap();
            }
        }
    }
    assert!(message.capacity() < 1 << 16, "{} bytes", message.capacity());
    let list = message.get_field(&tags).as_list().unwrap();
    assert_eq!(list.get(0).and_then(|v| v.as_str()), Some("kept"));
    assert_eq!(list.get(1).and_then(|v| v.as_str()), Some(text.as_str()));
    assert_eq!(message.get_field(&name).as_str(), Some(text.as_str()));
}

/// Fields of the wide message, which has oneofs of five fields each.
const WIDE: u32 = if cfg!(miri) { 100 } else { 500 };

fn wide() -> MessageDescriptor {
    let leak =
        |text: alloc::string::String| -> &'static str { alloc::boxed::Box::leak(text.into_boxed_str()) };
    let field =
        |n: u32| FieldTable::new(leak(format!("f{n}")), n, Kind::Int32).oneof(leak(format!("o{}", n / 5)));
    let fields: alloc::vec::Vec<FieldTable> = (1..=WIDE).map(field).collect();
    let table = MessageTable::new("t.Wide", alloc::boxed::Box::leak(fields.into_boxed_slice()));
    let table: &'static MessageTable = alloc::boxed::Box::leak(alloc::boxed::Box::new(table));
    DescriptorPool::from_tables(&[table]).unwrap().get_message_by_name("t.Wide").unwrap()
}

#[test]
fn wide_messages_are_small_and_stay_so() {
    let wide = wide();
    let fields: alloc::vec::Vec<_> = wide.fields().collect();
    let mut message = DynamicMessage::new(&wide);
    let (middle, last) = (WIDE as usize / 2, WIDE as usize - 1);
    for (n, i) in [(0i32, 3), (1, middle), (2, last)] {
        message.set_field(&fields[i], n + 1).unwrap();
    }
    let three = message.encode_to_vec().unwrap();
    assert_eq!(DynamicMessage::decode(&wide, &three).unwrap(), message);
    for i in 0..if cfg!(miri) { 50 } else { 100_000 } {
        // Members 5 to 9 of one oneof in turn, and one field set and unset.
        message.set_field(&fields[4 + i % 5], i as i32).unwrap();
        message.set_field(&fields[20], 1i32).unwrap();
        message.clear_field(&fields[20]);
    }
    assert!(message.capacity() < 1 << 14, "{} bytes", message.capacity());
    let set: alloc::vec::Vec<u32> = message.fields().map(|(f, _)| f.number()).collect();
    assert_eq!(set, [4, 9, WIDE / 2 + 1, WIDE]);
}

#[test]
fn oneofs_of_wide_messages_are_no_fields() {
    let wide = wide();
    let mut message = DynamicMessage::new(&wide);
    for (n, field) in wide.fields().step_by(5).take(if cfg!(miri) { 4 } else { 100 }).enumerate() {
        message.set_field(&field, n as i32 + 1).unwrap();
        let decoded = DynamicMessage::decode(&wide, &message.encode_to_vec().unwrap()).unwrap();
        let set = decoded.fields().map(|(field, value)| (field.number(), value.as_i32()));
        assert!(set.eq((0..=n).map(|n| (5 * n as u32 + 1, Some(n as i32 + 1)))));
    }
}

#[test]
fn a_message_that_this_pool_refuses_changes_nothing() {
    let (node, other) = (node(), other_node());
    // The same name with bytes where this pool has a string.
    static BYTES: MessageTable = MessageTable::new("t.Node", &[FieldTable::new("name", 1, Kind::Bytes)]);
    let foreign = DescriptorPool::from_tables(&[&BYTES]).unwrap().get_message_by_name("t.Node").unwrap();
    let bad = DynamicMessage::decode(&foreign, b"\x0a\x01\xff").unwrap();
    let good = DynamicMessage::decode(&foreign, b"\x0a\x01a").unwrap();
    let (children, attributes) = (field(&node, "children"), field(&node, "attributes"));
    let mut message = DynamicMessage::new(&node);
    message.push(&children, good.clone()).unwrap();
    message.insert(&attributes, "k", good).unwrap();
    assert_eq!(message.encode_to_vec().unwrap(), b"\x2a\x03\x0a\x01a\x32\x08\x0a\x01k\x12\x03\x0a\x01a");
    let before = message.clone();
    for error in [
        message.push(&children, bad.clone()).unwrap_err(),
        message.insert(&attributes, "k", bad.clone()).unwrap_err(),
        message.set_field(&children, alloc::vec![Value::from(bad.clone())]).unwrap_err(),
    ] {
        assert_eq!(error.kind(), SetFieldErrorKind::InvalidMessage);
    }
    assert_eq!(message, before);
    // Of another pool of the same tables.
    message.push(&children, DynamicMessage::new(&other)).unwrap();
}

#[test]
fn the_depth_limit_holds_for_messages_of_fixed_shape() {
    static DEEP: MessageTable = MessageTable::new(
        "t.Deep",
        &[
            FieldTable::new("next", 1, Kind::Message(|| &DEEP)),
            FieldTable::new("at", 2, Kind::Message(|| &POINT)),
            FieldTable::new("all", 3, Kind::Message(|| &POINT)).repeated(),
        ],
    );
    let deep = DescriptorPool::from_tables(&[&DEEP]).unwrap().get_message_by_name("t.Deep").unwrap();
    let point: &[u8] = b"\x0d\x00\x00\x80\x3f\x15\x00\x00\x80\x3f";
    for tag in [0x12, 0x1a] {
        for levels in [99usize, 100] {
            let mut bytes = alloc::vec![tag, point.len() as u8];
            bytes.extend_from_slice(point);
            for _ in 0..levels {
                let mut outer = alloc::vec![0x0a];
                crate::stream::encode_length_delimiter(bytes.len(), &mut outer).unwrap();
                outer.extend_from_slice(&bytes);
                bytes = outer;
            }
            let options = DecodeOptions::new().max_depth(200);
            let message = DynamicMessage::decode_with(&deep, &bytes, options).unwrap();
            let encoded = message.encode_to_vec();
            assert_eq!(encoded.is_ok(), levels < 100, "{levels} levels around a point");
            assert_eq!(DynamicMessage::decode(&deep, &bytes).is_ok(), levels < 100);
        }
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
fn what_is_passed_by_value_stays_small() {
    assert_eq!(size_of::<crate::schema::FieldDescriptor>(), 40);
    assert_eq!(size_of::<crate::schema::FieldRef<'_>>(), 16);
    assert_eq!(size_of::<MessageView<'_, '_>>(), 64);
    assert_eq!(size_of::<crate::message::ListRef<'_, '_>>(), 72);
    assert_eq!(size_of::<crate::message::MapRef<'_, '_>>(), 72);
    assert_eq!(size_of::<ValueRef<'_, '_>>(), 80);
}

#[test]
fn lists_are_walked_from_both_ends() {
    static POINT: MessageTable = MessageTable::new("t.Point", &[FieldTable::new("x", 1, Kind::Int32)]);
    static LISTS: MessageTable = MessageTable::new(
        "t.Lists",
        &[
            FieldTable::new("short", 1, Kind::Int32).repeated(),
            FieldTable::new("long", 2, Kind::Sint64).repeated(),
            FieldTable::new("text", 3, Kind::String).repeated(),
            FieldTable::new("point", 4, Kind::Message(|| &POINT)).repeated(),
            FieldTable::new("list", 5, Kind::Message(|| &LISTS)).repeated(),
        ],
    );
    let pool = DescriptorPool::from_tables(&[&LISTS]).unwrap();
    let (lists, point) = (pool.get_message_by_name("t.Lists").unwrap(), pool.get_message_by_name("t.Point"));
    let mut message = DynamicMessage::new(&lists);
    for i in 0..7i32 {
        let mut inner = DynamicMessage::new(point.as_ref().unwrap());
        inner.set_field_by_name("x", i).unwrap();
        let mut outer = DynamicMessage::new(&lists);
        outer.push(&lists.get_field(1).unwrap(), i).unwrap();
        let values: [Value; 5] =
            [i.into(), Value::I64(-i as i64), format!("{i}").into(), inner.into(), outer.into()];
        for (field, value) in lists.fields().zip(values) {
            message.push(&field, value).unwrap();
        }
    }
    for field in lists.fields() {
        let list = message.get_field(&field).as_list().unwrap();
        let all: alloc::vec::Vec<_> = (0..list.len()).map(|i| list.get(i).unwrap()).collect();
        assert_eq!(all.len(), 7);
        assert!(list.iter().eq(all.iter().copied()) && list.iter().rev().eq(all.iter().rev().copied()));
        assert_eq!((list.iter().last(), list.iter().count()), (all.last().copied(), 7));
        for n in 0..9 {
            let mut elements = list.iter();
            assert_eq!((elements.nth(n), elements.len()), (all.get(n).copied(), 6usize.saturating_sub(n)));
            let (mut elements, mut expected) = (list.iter(), all.iter().copied());
            for i in 0..9 {
                let front = (i + n) % 2 == 0;
                assert_eq!(elements.len(), expected.len());
                assert_eq!(
                    if front { elements.next() } else { elements.next_back() },
                    if front { expected.next() } else { expected.next_back() }
                );
            }
        }
    }
}

#[test]
fn numbers_are_the_values_of_a_list() {
    static ON: EnumTable = EnumTable::new("t.On", &[("OFF", 0), ("ON", 1)]);
    static LISTS: MessageTable = MessageTable::new(
        "t.Lists",
        &[
            FieldTable::new("bool", 1, Kind::Bool).repeated(),
            FieldTable::new("sint32", 2, Kind::Sint32).repeated(),
            FieldTable::new("fixed32", 3, Kind::Fixed32).repeated(),
            FieldTable::new("float", 4, Kind::Float).repeated(),
            FieldTable::new("enum", 5, Kind::Enum(|| &ON)).repeated(),
            FieldTable::new("int64", 6, Kind::Int64).repeated(),
            FieldTable::new("uint64", 7, Kind::Uint64).repeated(),
            FieldTable::new("double", 8, Kind::Double).repeated(),
            FieldTable::new("string", 9, Kind::String).repeated(),
        ],
    );
    fn same<T: Number + PartialEq + core::fmt::Debug>(
        list: ListRef<'_, '_>,
        as_number: fn(ValueRef<'_, '_>) -> Option<T>,
    ) {
        let values: Vec<T> = list.iter().filter_map(as_number).collect();
        assert_eq!(values.len(), 5);
        let numbers = || list.numbers::<T>().unwrap();
        assert_eq!((numbers().len(), numbers().count()), (5, 5));
        assert_eq!(numbers().fold(Vec::new(), |all, number| [all, vec![number]].concat()), values);
        let mut stepped = Vec::new();
        for number in numbers() {
            stepped.push(number);
        }
        assert_eq!(stepped, values);
        assert!(numbers().rev().eq(values.iter().rev().copied()));
        assert!(list.iter().rev().filter_map(as_number).eq(numbers().rev()));
        for n in 0..7 {
            assert_eq!(numbers().nth(n), values.get(n).copied());
            assert_eq!(list.iter().nth(n).and_then(as_number), values.get(n).copied());
        }
        let mut rest = numbers();
        assert_eq!((rest.nth(1), rest.len(), rest.nth(9), rest.next()), (Some(values[1]), 3, None, None));
    }
    let pool = DescriptorPool::from_tables(&[&LISTS]).unwrap();
    let lists = pool.get_message_by_name("t.Lists").unwrap();
    let mut message = DynamicMessage::new(&lists);
    for i in [0, -1, i64::MAX, 7, i64::MIN] {
        for (field, value) in lists.fields().zip([
            Value::Bool(i == 7),
            Value::I32(i as i32),
            Value::U32(i as u32),
            Value::F32(i as f32),
            Value::EnumNumber(i as i32),
            Value::I64(i),
            Value::U64(i as u64),
            Value::F64(i as f64),
            Value::String(i.to_string()),
        ]) {
            message.push(&field, value).unwrap();
        }
    }
    let list = |name: &str| message.get_field_by_name(name).and_then(|v| v.as_list()).unwrap();
    same(list("bool"), |v| v.as_bool());
    same(list("sint32"), |v| v.as_i32());
    same(list("fixed32"), |v| v.as_u32());
    same(list("float"), |v| v.as_f32());
    same(list("enum"), |v| v.as_enum_number());
    same(list("int64"), |v| v.as_i64());
    same(list("uint64"), |v| v.as_u64());
    same(list("double"), |v| v.as_f64());
    let numbers = |name: &str| {
        let list = list(name);
        [
            list.numbers::<bool>().is_some(),
            list.numbers::<i32>().is_some(),
            list.numbers::<u32>().is_some(),
            list.numbers::<f32>().is_some(),
            list.numbers::<i64>().is_some(),
            list.numbers::<u64>().is_some(),
            list.numbers::<f64>().is_some(),
        ]
    };
    assert_eq!(numbers("enum"), [false, true, false, false, false, false, false]);
    assert_eq!(numbers("uint64"), [false, false, false, false, false, true, false]);
    assert_eq!(numbers("string"), [false; 7]);
}

static BLOB: MessageTable = MessageTable::new(
    "t.Blob",
    &[
        FieldTable::new("name", 1, Kind::String).required(),
        FieldTable::new("int32", 2, Kind::Int32),
        FieldTable::new("sint64", 3, Kind::Sint64),
        FieldTable::new("fixed32", 4, Kind::Fixed32),
        FieldTable::new("data", 5, Kind::Bytes),
        FieldTable::new("double", 6, Kind::Double),
        FieldTable::new("bool", 7, Kind::Bool),
        FieldTable::new("color", 2000, Kind::Enum(|| &COLOR)),
        FieldTable::new("samples", 2001, Kind::Double).repeated(),
    ],
)
.syntax(Syntax::Proto2);

/// Messages of large strings are appended in another way than they become a `Vec` of just their size.
#[test]
fn large_strings_are_appended_as_they_are_encoded_alone() {
    let pool = DescriptorPool::from_tables(&[&BLOB]).unwrap();
    let blob = pool.get_message_by_name("t.Blob").unwrap();
    let values: [(u32, Value); 9] = [
        (1, "name".into()),
        (2, (-70_i32).into()),
        (3, i64::MIN.into()),
        (4, 0x0102_0304_u32.into()),
        (5, vec![7_u8; 9000].into()),
        (6, (-0.5).into()),
        (7, true.into()),
        (2000, Value::EnumNumber(1)),
        (2001, Value::List(vec![1.0.into(), 2.0.into()])),
    ];
    for subset in (0..1_u32 << values.len()).step_by(if cfg!(miri) { 85 } else { 1 }) {
        let mut message = DynamicMessage::new(&blob);
        for (i, (number, value)) in values.iter().enumerate() {
            if subset >> i & 1 != 0 {
                message.set_field(&blob.get_field(*number).unwrap(), value.clone()).unwrap();
            }
        }
        if subset % 5 == 0 {
            // An unknown field.
            message.merge(&[0x7a, 1, 9]).unwrap();
        }
        let expected = message.encode_to_vec();
        for room in [0, 100, 9_010, 20_000] {
            let mut buffer = Vec::with_capacity(3 + room);
            buffer.extend(b"abc");
            let result = message.encode(&mut buffer);
            match &expected {
                Ok(bytes) => assert_eq!((result, &buffer[3..]), (Ok(()), &bytes[..])),
                Err(error) => assert_eq!((result.as_ref(), &buffer[..]), (Err(error), &b"abc"[..])),
            }
            let mut delimited = Vec::with_capacity(room);
            if message.encode_length_delimited(&mut delimited).is_ok() {
                assert!(delimited.ends_with(&expected.clone().unwrap()));
            }
        }
    }
}

/// Such an error named the message around the map and not the map.
#[test]
fn an_entry_that_cannot_be_ended_is_found_in_its_map() {
    let node = node();
    // A child with an attribute that has a key and no value, for which there is no level left.
    let input = [0x2a, 5, 0x32, 3, 0x0a, 1, b'k'];
    let options = DecodeOptions::new().max_depth(2);
    let error = DynamicMessage::decode_with(&node, &input, options).unwrap_err();
    let numbers: Vec<u32> = error.path().steps().iter().map(|step| step.number()).collect();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::DepthExceeded, 7));
    assert_eq!(numbers, [5, 6], "{error}");
    let mut merged = DynamicMessage::new(&node);
    assert!(merged.merge_with(&input, options).is_err());
    let (children, attributes) = (field(&node, "children"), field(&node, "attributes"));
    let child = merged.get_field(&children).as_list().unwrap().get(0).unwrap();
    assert!(child.as_message().unwrap().get_field(&attributes).as_map().unwrap().is_empty());
    assert_eq!(merged.encode_to_vec().unwrap().len(), merged.encoded_len());
}

/// Such a list was left by operations that failed, and the encoder had no level for its elements.
#[test]
fn an_empty_list_that_is_set_needs_no_level() {
    let node = node();
    let mut message = DynamicMessage::new(&node);
    message.set_field(&field(&node, "name"), "n").unwrap();
    let mut parts = message.as_mut();
    for name in ["children", "attributes"] {
        let field = parts.resolve(&field(&node, name)).unwrap();
        let (program, base) = (parts.program(), parts.base);
        parts.writer().open_list(program, base, field.position).unwrap();
    }
    for deterministic in [false, true] {
        let options = crate::options::EncodeOptions::new().max_depth(0).deterministic(deterministic);
        let mut out = Vec::new();
        message.encode_with(&mut out, options).unwrap();
        assert_eq!(out, b"\x0a\x01n");
    }
}

#[test]
fn a_map_has_whole_entries_wherever_its_budget_ends() {
    let node = node();
    let attributes = field(&node, "attributes");
    let input: Vec<u8> =
        (0..20u8).flat_map(|i| [0x32, 10, 0x0a, 2, b'k', b'a' + i, 0x12, 4, 0x0a, 2, b'n', b'n']).collect();
    let mut seen = [0; 21];
    for budget in (0..if cfg!(miri) { 40 } else { 8000 }).step_by(4) {
        let mut message = DynamicMessage::new(&node);
        let merged = message.merge_with(&input, DecodeOptions::new().budget(budget));
        let map = message.get_field(&attributes).as_map().unwrap();
        for (key, value) in map {
            let key = key.as_str().unwrap();
            assert!(key.len() == 2 && map.get(key) == Some(value), "{budget} {key:?} {value:?}");
        }
        seen[map.len()] += 1;
        assert!(merged.is_err() || map.len() == 20, "{budget}");
    }
    assert!(cfg!(miri) || seen.iter().filter(|&&count| count > 0).count() > 3, "{seen:?}");
}

#[test]
fn a_message_without_a_body_takes_nothing() {
    let node = node();
    let mut message = DynamicMessage::new(&node);
    let (name, children) = (field(&node, "name"), field(&node, "children"));
    let mut parts = message.as_mut();
    parts.base = crate::slab::NIL;
    let kind = |error: SetFieldError| error.kind();
    assert_eq!(parts.set_field(&name, "n").map_err(kind), Err(SetFieldErrorKind::TooLarge));
    assert_eq!(parts.push_message(&children).map(drop).map_err(kind), Err(SetFieldErrorKind::TooLarge));
    let program = parts.program();
    assert!(parts.slab.mark_set(program, crate::slab::NIL, 0).is_err());
    assert_eq!(parts.as_view().fields().count(), 0);
    assert_eq!(message.fields().count(), 0);
}

#[test]
fn empty_messages_are_elements_as_others_are() {
    let node = node();
    let (children, attributes) = (field(&node, "children"), field(&node, "attributes"));
    let input = [0x2a, 0, 0x2a, 2, 0x10, 7, 0x2a, 0, 0x32, 5, 0x0a, 1, b'k', 0x12, 0, 0x22, 0];
    let message = DynamicMessage::decode(&node, &input).unwrap();
    let list = message.get_field(&children).as_list().unwrap();
    let counts = |list: ListRef<'_, '_>| -> Vec<usize> {
        list.iter().map(|child| child.as_message().unwrap().fields().count()).collect()
    };
    assert_eq!(counts(list), [0, 1, 0]);
    assert!(list.get(2).is_some() && list.iter().next_back().is_some() && list.get(3).is_none());
    let map = message.get_field(&attributes).as_map().unwrap();
    assert_eq!(map.get("k").unwrap().as_message().unwrap().fields().count(), 0);
    assert!(message.has_field(&field(&node, "at")) && message.fields().count() == 3);
}

/// A slab that is full but for so many words.
fn leave_room(slab: &mut crate::slab::Slab, words: usize) {
    slab.set_limit(0);
    let (mut full, mut room) = (slab.clone(), 0);
    while full.alloc(1).is_ok() {
        room += 1;
    }
    for _ in words..room {
        slab.alloc(1).unwrap();
    }
}

#[test]
fn a_setter_without_room_leaves_the_presence_bits_as_they_were() {
    type Setter = fn(&mut MessageMut<'_>) -> Result<(), SetFieldError>;
    let setters: [(&str, Setter); 10] = [
        ("push", |m| m.push(&m.descriptor().get_field_by_name("samples").unwrap(), 1.5)),
        ("push a string", |m| m.push(&m.descriptor().get_field_by_name("tags").unwrap(), "t")),
        ("push_message", |m| {
            m.push_message(&m.descriptor().get_field_by_name("children").unwrap()).map(drop)
        }),
        ("push a message", |m| {
            let child = DynamicMessage::decode(&m.descriptor(), b"\x10\x07\x2a\x02\x10\x08").unwrap();
            m.push(&m.descriptor().get_field_by_name("children").unwrap(), child)
        }),
        ("push bytes", |m| {
            let child = Prepared::decode(&m.descriptor(), b"\x10\x07\x2a\x02\x10\x08").unwrap();
            m.push(&m.descriptor().get_field_by_name("children").unwrap(), child)
        }),
        ("insert", |m| {
            let child = DynamicMessage::decode(&m.descriptor(), b"\x10\x07\x2a\x02\x10\x08").unwrap();
            m.insert(&m.descriptor().get_field_by_name("attributes").unwrap(), "key", child)
        }),
        ("entry_mut", |m| {
            m.entry_mut(&m.descriptor().get_field_by_name("attributes").unwrap(), "key").map(drop)
        }),
        ("message_mut", |m| m.message_mut(&m.descriptor().get_field_by_name("at").unwrap()).map(drop)),
        ("set_field to a list", |m| m.set_field_by_name("samples", vec![Value::F64(0.5); 3])),
        ("set_field of a oneof", |m| m.set_field_by_name("text", "text")),
    ];
    let (node, wide) = (node(), wide());
    let set = |m: &MessageMut<'_>| {
        let (view, mut fields, mut positions) = (m.raw(), m.raw().set_fields(), vec![]);
        while let Some((position, ..)) = fields.next(view) {
            positions.push(position);
        }
        positions
    };
    let mut failures = 0;
    let mut check = |name: &str,
                     start: &DynamicMessage,
                     setter: &dyn Fn(&mut MessageMut<'_>) -> Result<(), SetFieldError>| {
        for words in 0..40 {
            let mut message = start.clone();
            let mut parts = message.as_mut();
            leave_room(parts.slab, words);
            let (before, shown) = (set(&parts), format!("{:?}", parts.as_view()));
            if setter(&mut parts).is_ok() {
                continue;
            }
            failures += 1;
            assert_eq!(set(&parts), before, "{name} with {words} words");
            assert_eq!(format!("{:?}", parts.as_view()), shown, "{name} with {words} words");
            parts.slab.set_limit(usize::MAX);
            setter(&mut parts).unwrap();
            let mut other = start.clone();
            setter(&mut other.as_mut()).unwrap();
            assert_eq!(message, other, "{name} with {words} words");
        }
    };
    for (name, setter) in setters {
        // The first words of the slab, and a member of the oneof that is set.
        for input in [&b"\x10\x07"[..], b"\x10\x07\x38\x02"] {
            check(name, &DynamicMessage::decode(&node, input).unwrap(), &setter);
        }
    }
    let mut start = DynamicMessage::new(&wide);
    start.set_field_by_name("f6", 1i32).unwrap();
    // A member of the same oneof, and one of another group of fields.
    check("f7", &start, &|m| m.set_field_by_name("f7", 7i32));
    check("f400", &start, &|m| m.set_field_by_name("f400", 7i32));
    assert!(failures > 30, "{failures}");
}
