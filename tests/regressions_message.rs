//! Bugs of messages that were there once, each by the name of what it broke: map keys, copies, edits of what a projection
//! passed through.

mod common;

use common::bridge::descriptor;
use common::schema::{Kind, Schema, Syntax};
use common::wire::Wire;
use tablepb::{
    Decoder, DynamicMessage, EncodeOptions, MapKey, MapKeyRef, MessageDescriptor, Value, ValueRef,
};

/// A proto2 message with `map<string, int32> = 1` and the same in a proto3 file as `= 1` of message 2.
fn counts() -> (MessageDescriptor, MessageDescriptor) {
    let mut schema = Schema::default();
    let proto2 = schema.file(Syntax::Proto2);
    let proto3 = schema.file(Syntax::Proto3);
    let unchecked = schema.message(proto2, "Unchecked");
    schema.add_map(unchecked, 1, Kind::String, Kind::Int32);
    let checked = schema.message(proto3, "Checked");
    schema.add_map(checked, 1, Kind::String, Kind::Int32);
    let pool = schema.pool();
    (descriptor(&schema, &pool, unchecked), descriptor(&schema, &pool, checked))
}

fn entry(key: &[u8], value: u64) -> Wire {
    Wire::new().bytes(1, Wire::new().bytes(1, key).int(2, value).0)
}

/// Such keys read as U+FFFD: none was found, maps were not equal to themselves, and copies had one entry for all of them.
#[test]
fn map_keys_that_are_not_utf8_are_given_as_bytes_and_nothing_of_them_is_lost() {
    let (unchecked, _) = counts();
    // Few entries, and so many that there is an index.
    for n in [3u8, 40] {
        let key = |i: u8| if i % 3 == 0 { format!("k{i}").into_bytes() } else { vec![0xff, i, 0xfe] };
        let input = Wire((0..n).flat_map(|i| entry(&key(i), i.into()).0).collect());
        let message = DynamicMessage::decode(&unchecked, &input.0).unwrap();
        let field = unchecked.get_field(1).unwrap();
        let value = message.get_field(&field);
        let map = value.as_map().unwrap();
        assert_eq!((map, value, map.len()), (map, value, n.into()));
        for (i, (found, value)) in (0..n).zip(map) {
            let key = key(i);
            assert_eq!(value, ValueRef::I32(i.into()));
            assert_eq!(map.get(found), Some(value));
            assert_eq!(map.get(&key[..]), Some(value));
            assert_eq!(found.as_bytes(), Some(&key[..]));
            assert_eq!(found.to_owned().as_ref(), found);
            match i % 3 {
                0 => assert_eq!(found, MapKeyRef::String(&format!("k{i}"))),
                _ => assert_eq!(found, MapKeyRef::Bytes(&key)),
            }
        }
        assert!(!map.contains_key("\u{fffd}") && !map.contains_key(&b"\xff"[..]));
        let owned = value.to_owned();
        assert_eq!(owned.as_map().unwrap().len(), usize::from(n));
        let mut set = DynamicMessage::new(&unchecked);
        set.set_field(&field, owned).unwrap();
        assert_eq!((&set, &message), (&message, &message.as_view().to_owned()));
        assert_eq!(set.encode_to_vec().unwrap().len(), input.0.len());
        assert!(format!("{map:?}").contains("Bytes([255, 1, 254]): 1"), "{map:?}");
        let sorted = |message: &DynamicMessage| {
            let mut bytes = Vec::new();
            message.encode_with(&mut bytes, EncodeOptions::new().deterministic(true)).unwrap();
            bytes
        };
        assert_eq!(sorted(&set), sorted(&message));
        // A merge replaces the values of the keys that are there.
        let mut merged = message.clone();
        merged.merge(&input.0).unwrap();
        merged.merge(&entry(&key(1), 77).0).unwrap();
        let map = merged.get_field(&field).as_map().unwrap();
        assert_eq!((map.len(), map.get(&key(1)[..])), (usize::from(n), Some(ValueRef::I32(77))));
    }
}

#[test]
fn setters_take_keys_that_are_not_utf8_where_the_field_does() {
    let (unchecked, checked) = counts();
    let field = unchecked.get_field(1).unwrap();
    let mut message = DynamicMessage::new(&unchecked);
    message.insert(&field, &b"\xff"[..], 1).unwrap();
    message.insert(&field, &b"a"[..], 2).unwrap();
    message.insert(&field, "a", 3).unwrap();
    assert_eq!(message.encode_to_vec().unwrap(), [entry(b"\xff", 1).0, entry(b"a", 3).0].concat());
    assert!(message.remove(&field, MapKey::Bytes(b"\xff".into())).unwrap());
    assert!(message.remove(&field, b"a".to_vec()).unwrap());
    assert_eq!((message.encoded_len(), message.has_field(&field)), (0, false));

    let field = checked.get_field(1).unwrap();
    let mut message = DynamicMessage::new(&checked);
    assert!(
        message.insert(&field, &b"\xff"[..], 1).is_err() && message.insert(&field, &b"a"[..], 1).is_err()
    );
    let map = Value::Map([(MapKey::Bytes(b"\xff".into()), Value::I32(1))].into());
    assert_eq!(message.set_field(&field, map.clone()).unwrap_err().into_value(), Some(map));
    assert_eq!(message.encoded_len(), 0);
    assert!(Decoder::new(&checked).decode(&entry(b"\xff", 1).0).is_err());
}
