//! What the messages of this room promise on their own; `tests/` holds them against other implementations.

mod conversions;
mod edits;
mod keys;
mod limits;
mod lists;

use super::*;
use crate::schema::pool::{DescriptorPool, FieldDescriptor, MessageDescriptor};
use crate::schema::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use crate::wire::error::DecodeErrorKind;
use crate::wire::options::DecodeOptions;
use crate::wire::testing::Wire;
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
    DescriptorPool::from_tables(&[&NODE]).unwrap().find_message("t.Node").unwrap()
}

fn field(message: &MessageDescriptor, name: &str) -> FieldDescriptor {
    message.field(name).unwrap()
}

#[test]
fn unset_fields_read_as_their_defaults() {
    let node = node();
    let empty = DynamicMessage::new(&node);
    let get = |name: &str| empty.get_field(&field(&node, name));
    assert_eq!(get("name").unwrap().as_str(), Some(""));
    assert_eq!(get("id").unwrap().as_u64(), Some(0));
    assert_eq!(get("color").unwrap().as_enum_number(), Some(0));
    assert_eq!(get("at").unwrap().as_message().unwrap().descriptor().full_name(), "t.Point");
    assert!(get("children").unwrap().as_list().unwrap().is_empty());
    assert_eq!(get("attributes").unwrap().as_map().unwrap().get("a"), None);
    assert_eq!(empty.fields().count(), 0);
    assert_eq!((empty.encoded_len(), empty.capacity()), (0, 0));
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
    let x = at.descriptor().field("x").unwrap();
    at.set_field(&x, 1.5f32).unwrap();
    message.entry_mut(&field(&node, "attributes"), "k").unwrap().set_field(&number, 7i32).unwrap();
    let copy = DynamicMessage::decode(&node, &message.encode_to_vec().unwrap()).unwrap();
    assert_eq!(copy, message);
    assert_eq!(
        format!("{message:?}"),
        "t.Node{children:[{at{x:1.5}}],attributes:[{key:\"k\",value{number:7}}],text:\"t\"}"
    );
}

#[test]
fn overwriting_a_field_does_not_grow_the_message_for_ever() {
    let node = node();
    let (name, tags) = (field(&node, "name"), field(&node, "tags"));
    let mut message = DynamicMessage::new(&node);
    message.push(&tags, "kept").unwrap();
    for i in 0..if cfg!(miri) { 40 } else { 100_000u32 } {
        message.set_field(&name, format!("{i:0100}")).unwrap();
    }
    assert!(message.capacity() < 1 << 16, "{} bytes", message.capacity());
    assert_eq!(
        message.get_field(&tags).unwrap().as_list().unwrap().get(0).and_then(|v| v.as_str()),
        Some("kept")
    );
}

#[test]
fn a_failed_merge_leaves_what_was_read() {
    let node = node();
    let mut message = DynamicMessage::decode(&node, b"\x0a\x01a").unwrap();
    let error = message.merge(b"\x10\x05\x2a\x04\x0a\x02\xc3\x28").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, 6));
    assert_eq!(error.to_string(), "a string is not valid UTF-8 at byte 6, in t.Node: children[0].name");
    assert_eq!(message.get_field("id").ok().and_then(|v| v.as_u64()), Some(5));
    assert_eq!(message.get_field("name").ok().and_then(|v| v.as_str()), Some("a"));
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
    let none = DecodeOptions::new().discard_unknown(true).decode_dynamic(&node, input).unwrap();
    assert_eq!(none.unknown_fields().count(), 0);
    message.as_mut().clear_unknown_fields().unwrap();
    assert_eq!(message, none);
}

#[cfg(feature = "bytes")]
#[test]
fn shared_input_is_copied_when_it_has_to_be() {
    let node = node();
    let input = bytes::Bytes::from_static(b"\x0a\x01a");
    let mut message = DynamicMessage::decode_shared(&node, &input).unwrap();
    let name = message.get_field("name").ok().and_then(|v| v.as_str()).unwrap();
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

#[test]
fn a_message_that_this_pool_refuses_changes_nothing() {
    let (node, other) = (node(), other_node());
    // The same name with bytes where this pool has a string.
    static BYTES: MessageTable = MessageTable::new("t.Node", &[FieldTable::new("name", 1, Kind::Bytes)]);
    let foreign = DescriptorPool::from_tables(&[&BYTES]).unwrap().find_message("t.Node").unwrap();
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
    let deep = DescriptorPool::from_tables(&[&DEEP]).unwrap().find_message("t.Deep").unwrap();
    let point: &[u8] = b"\x0d\x00\x00\x80\x3f\x15\x00\x00\x80\x3f";
    // The list of points takes the same path as the point; Miri has time for one of them.
    for tag in [0x12, 0x1a].into_iter().take(if cfg!(miri) { 1 } else { 2 }) {
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
            let message = options.decode_dynamic(&deep, &bytes).unwrap();
            let encoded = message.encode_to_vec();
            assert_eq!(encoded.is_ok(), levels < 100, "{levels} levels around a point");
            assert_eq!(DynamicMessage::decode(&deep, &bytes).is_ok(), levels < 100);
        }
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
fn what_is_passed_by_value_stays_small() {
    assert_eq!(size_of::<crate::schema::pool::FieldDescriptor>(), 40);
    assert_eq!(size_of::<crate::schema::pool::FieldRef<'_>>(), 16);
    assert_eq!(size_of::<MessageView<'_, '_>>(), 64);
    assert_eq!(size_of::<crate::message::ListRef<'_, '_>>(), 72);
    assert_eq!(size_of::<crate::message::MapRef<'_, '_>>(), 72);
    assert_eq!(size_of::<ValueRef<'_, '_>>(), 80);
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
    let blob = pool.find_message("t.Blob").unwrap();
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
            let result = message.encode_length_delimited(&mut delimited);
            match &expected {
                Ok(bytes) => assert_eq!(delimited, Wire::new().bytes(1, bytes).done()[1..]),
                Err(error) => assert_eq!((result.as_ref(), &delimited[..]), (Err(error), &[][..])),
            }
        }
    }
}
