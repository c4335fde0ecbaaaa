//! What the messages of this room promise on their own; `tests/` holds them against other implementations.

use super::*;
use crate::schema::{DescriptorPool, FieldDescriptor, MessageDescriptor};
use crate::table::{EnumTable, FieldTable, Kind, MessageTable};
use crate::{DecodeErrorKind, DecodeOptions};
use alloc::format;
use alloc::string::ToString;

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

fn node() -> MessageDescriptor {
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
    let (node, other) = (node(), self::node());
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
    for i in 0..100_000u32 {
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
