//! Bugs of messages that were there once, each by the name of what it broke: map keys, copies, edits of what a projection
//! passed through.

use crate::common::bridge::descriptor;
use crate::common::bridge::read;
use crate::common::schema::{Card, Kind, Schema, Syntax};
use crate::common::wire::Wire;
use tablepb::partial::Projection;
use tablepb::record::RecordPlan;
use tablepb::text;
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DynamicMessage, EncodeErrorKind, EncodeOptions, MapKey,
    MapKeyRef, MessageDescriptor, Prepared, Value, ValueRef,
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
        let key =
            |i: u8| if i.is_multiple_of(3) { format!("k{i}").into_bytes() } else { vec![0xff, i, 0xfe] };
        let input = Wire((0..n).flat_map(|i| entry(&key(i), i.into()).0).collect());
        let message = DynamicMessage::decode(&unchecked, &input.0).unwrap();
        let field = unchecked.get_field(1).unwrap();
        let value = message.get_field(&field).unwrap();
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
            EncodeOptions::new().deterministic(true).encode(message, &mut bytes).unwrap();
            bytes
        };
        assert_eq!(sorted(&set), sorted(&message));
        // A merge replaces the values of the keys that are there.
        let mut merged = message.clone();
        merged.merge(&input.0).unwrap();
        merged.merge(&entry(&key(1), 77).0).unwrap();
        let map = merged.get_field(&field).unwrap().as_map().unwrap();
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

/// `enum = 1`, packed, of a closed enum with 0 and 1; `int32 = 2`; `int32 = 3`, packed; `map<int32, int32> = 4`;
/// `map<int32, enum> = 5`.
fn closed() -> MessageDescriptor {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let message = schema.message(file, "Message");
    let closed = schema.enumeration(file, "Closed", true, &[0, 1]);
    schema.add(message, 1, Kind::Enum(closed), Card::Repeated).packed = true;
    schema.add(message, 2, Kind::Int32, Card::Optional);
    schema.add(message, 3, Kind::Int32, Card::Repeated).packed = true;
    schema.add_map(message, 4, Kind::Int32, Kind::Int32);
    schema.add_map(message, 5, Kind::Int32, Kind::Enum(closed));
    descriptor(&schema, &schema.pool(), message)
}

/// Passes everything but field 2 through.
fn passing(descriptor: &MessageDescriptor, input: &[u8]) -> DynamicMessage {
    let name = descriptor.get_field(2).unwrap().name().to_owned();
    Projection::new(descriptor, [name]).unwrap().pass_through().decode(input).unwrap()
}

/// The unknown fields of a message and of what it writes.
fn unknown(message: &DynamicMessage) -> Vec<u8> {
    let written = DynamicMessage::decode(message.descriptor(), &message.encode_to_vec().unwrap()).unwrap();
    read(written.as_view()).unknown
}

/// They came behind all unknown fields when a setter decoded the run they were in.
#[test]
fn numbers_that_a_closed_enum_does_not_list_keep_their_place_when_a_passed_through_run_is_changed() {
    let descriptor = closed();
    let numbers = descriptor.get_field(1).unwrap();
    let input = Wire::new().int(9, 1).bytes(1, [1, 7, 0, 8]).int(9, 2).bytes(1, [9, 1]).int(9, 3).0;
    let edits: [&dyn Fn(&mut DynamicMessage); 5] = [
        &|m| m.push(&numbers, Value::EnumNumber(1)).unwrap(),
        &|m| m.as_mut().set_element(&numbers, 1, Value::EnumNumber(1)).unwrap(),
        &|m| m.set_field(&numbers, Value::List(vec![Value::EnumNumber(0)])).unwrap(),
        &|m| m.clear_field(&numbers).unwrap(),
        &|m| m.set_field("f2", 5).unwrap(),
    ];
    for (i, edit) in edits.into_iter().enumerate() {
        let mut full = DynamicMessage::decode(&descriptor, &input).unwrap();
        let mut part = passing(&descriptor, &input);
        edit(&mut full);
        edit(&mut part);
        assert_eq!(unknown(&full), b"\x48\x01\x08\x07\x08\x08\x48\x02\x08\x09\x48\x03");
        assert_eq!(unknown(&part), unknown(&full), "edit {i}");
        part.materialize().unwrap();
        assert_eq!(part, DynamicMessage::decode(&descriptor, &full.encode_to_vec().unwrap()).unwrap());
    }
}

/// Those of runs that were not selected stayed.
#[test]
fn clearing_unknown_fields_drops_the_numbers_that_closed_enums_do_not_list() {
    let descriptor = closed();
    let runs = |w: Wire| w.bytes(1, [1, 7, 0, 8]).bytes(1, [9, 9]).bytes(1, [1]).bytes(3, [1, 2]);
    let input = runs(Wire::new().int(9, 1)).int(1, 5).int(1, 1).int(9, 2).0;
    let mut full = DynamicMessage::decode(&descriptor, &input).unwrap();
    let mut part = passing(&descriptor, &input);
    full.as_mut().clear_unknown_fields().unwrap();
    part.as_mut().clear_unknown_fields().unwrap();
    assert_eq!((unknown(&full), unknown(&part)), (vec![], vec![]));
    assert_eq!(part.encode_to_vec().unwrap(), b"\x0a\x02\x01\x00\x0a\x01\x01\x1a\x02\x01\x02\x08\x01");
    part.as_mut().clear_unknown_fields().unwrap();
    part.materialize().unwrap();
    assert_eq!(part, full);
    // A run that nobody has looked into and that ends in the middle of a number stays what it is.
    let broken = Wire::new().int(9, 1).bytes(1, [7, 1, 0x80]).0;
    let mut part = passing(&descriptor, &broken);
    part.as_mut().clear_unknown_fields().unwrap();
    assert_eq!(part.encode_to_vec().unwrap(), b"\x0a\x02\x01\x80");
    assert!(part.push(&descriptor.get_field(1).unwrap(), Value::EnumNumber(0)).is_err());
    assert_eq!(part.encode_to_vec().unwrap(), b"\x0a\x02\x01\x80");
    part.clear_field(&descriptor.get_field(1).unwrap()).unwrap();
    assert_eq!(part.encode_to_vec().unwrap(), b"");
    // Long runs, with a length of more than one byte.
    let mut run = vec![1; 300];
    run[150] = 5;
    let mut part = passing(&descriptor, &Wire::new().bytes(1, &run).0);
    part.as_mut().clear_unknown_fields().unwrap();
    run.remove(150);
    assert_eq!(part.encode_to_vec().unwrap(), Wire::new().bytes(1, &run).0);
}

/// The message was taken apart before it was clear that nothing changes: its fields were in another order then.
#[test]
fn setters_that_change_nothing_leave_passed_through_bytes_as_they_were() {
    let descriptor = closed();
    let field = |number| descriptor.get_field(number).unwrap();
    // Each field but 2, which is selected, is there or is not.
    let whole = Wire::new().bytes(4, [8, 1, 16, 1]).int(9, 1).bytes(3, [1, 2]).int(2, 3).bytes(1, [1, 7]).0;
    let bare = Wire::new().int(9, 1).int(2, 3).int(8, 1).0;
    for input in [&whole, &bare] {
        let mut message = passing(&descriptor, input);
        let before = message.clone();
        let check = |message: &DynamicMessage| {
            assert_eq!((message, &message.encode_to_vec().unwrap()), (&before, input));
            let mut whole = message.clone();
            whole.materialize().unwrap();
            assert_eq!(whole, DynamicMessage::decode(&descriptor, input).unwrap());
        };
        assert!(!message.remove(&field(4), 5).unwrap());
        check(&message);
        assert!(message.remove(&field(4), i64::MAX).is_err() && message.push(&field(3), "x").is_err());
        check(&message);
        assert!(message.as_mut().remove_element(&field(3), 2).is_err());
        check(&message);
        assert!(message.as_mut().set_element(&field(3), 2, 1).is_err());
        check(&message);
        assert!(message.as_mut().set_element(&field(1), 7, Value::EnumNumber(0)).is_err());
        check(&message);
        assert!(message.set_field(&field(1), Value::EnumNumber(0)).is_err());
        check(&message);
    }
    let mut message = passing(&descriptor, &bare);
    for number in [1, 3, 4] {
        message.clear_field(&field(number)).unwrap();
        message.as_mut().clear_field(&field(number)).unwrap();
    }
    assert_eq!(message.encode_to_vec().unwrap(), bare);
    let known = Wire::new().bytes(3, [1, 2]).int(2, 3).bytes(1, [1, 0]).0;
    let mut message = passing(&descriptor, &known);
    message.as_mut().clear_unknown_fields().unwrap();
    message.as_mut().clear_unknown_fields().unwrap();
    assert_eq!(message.encode_to_vec().unwrap(), known);
}

/// A value that is not in the input is no level of it, as in C++; an encoder would write it, one level too deep for every decoder.
#[test]
fn an_entry_without_its_message_is_read_at_the_last_level_and_not_written_below_it() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let node = schema.message(file, "Node");
    schema.add_map(node, 1, Kind::Int32, Kind::Message(node));
    schema.add(node, 2, Kind::Message(node), Card::Optional);
    let node = descriptor(&schema, &schema.pool(), node);
    let keeping = Projection::new(&node, ["f2"]).unwrap().pass_through();
    let entry = Wire::new().int(1, 5);
    for (entry, valued) in
        [(Wire::new(), false), (entry.clone(), false), (entry.message(2, Wire::new()), true)]
    {
        for levels in [0, 97, 98, 99, 100] {
            let entries = Wire::new().message(1, Wire::new().int(1, 7)).message(1, entry.clone());
            let input = (0..levels).fold(entries, |inner, _| Wire::new().message(2, inner)).0;
            let result = DynamicMessage::decode(&node, &input);
            if levels == 99 && !valued {
                let error = result.unwrap().encode_to_vec().unwrap_err();
                assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
                continue;
            }
            if levels > 98 {
                assert_eq!(result.unwrap_err().kind(), DecodeErrorKind::DepthExceeded, "{levels}");
                let mut merged = DynamicMessage::new(&node);
                assert!(merged.merge(&input).is_err());
                // At 99 the first entry was read, without a value.
                match merged.encode_to_vec() {
                    Ok(bytes) => assert_eq!((levels, bytes.len()), (100, merged.encoded_len())),
                    Err(error) => assert_eq!((levels, error.kind()), (99, EncodeErrorKind::DepthExceeded)),
                }
                continue;
            }
            let message = result.unwrap();
            let bytes = message.encode_to_vec().unwrap();
            assert_eq!(DynamicMessage::decode(&node, &bytes).unwrap(), message);
            let mut lazy = Decoder::new(&node).with_lazy(["*"]).unwrap();
            assert!(lazy.decode(&input).unwrap().encode_to_vec().is_ok());
            assert_eq!(keeping.decode(&input).unwrap().encode_to_vec().unwrap(), input);
        }
    }
}

/// It gave no bytes and dropped the unknown fields, which such a message keeps among its other bytes.
#[test]
fn unknown_fields_of_a_passed_through_message_are_not_taken_and_not_lost() {
    let descriptor = closed();
    let input = Wire::new().int(9, 1).bytes(1, [1, 7]).int(2, 5).0;
    let mut message = passing(&descriptor, &input);
    assert_eq!(message.take_unknown_fields().unwrap_err().kind(), tablepb::SetFieldErrorKind::Unselected);
    assert_eq!(message.encode_to_vec().unwrap(), input);
    let mut whole = DynamicMessage::decode(&descriptor, &input).unwrap();
    let taken = whole.take_unknown_fields().unwrap();
    assert_eq!(taken, Wire::new().int(9, 1).int(1, 7).0);
    assert_eq!(whole.unknown_fields().count(), 0);
}

/// The values of maps were printed without indentation.
#[test]
fn messages_in_maps_are_indented_as_those_in_lists() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let node = schema.message(file, "Node");
    schema.add_map(node, 1, Kind::Int32, Kind::Message(node));
    schema.add(node, 2, Kind::Int32, Card::Optional);
    let node = descriptor(&schema, &schema.pool(), node);
    let input = Wire::new().message(1, Wire::new().int(1, 7).message(2, Wire::new().int(2, 5))).0;
    let message = DynamicMessage::decode(&node, &input).unwrap();
    let (_, map) = message.fields().next().unwrap();
    assert_eq!(format!("{map}"), "[{key:7,value:{f2:5}}]");
    assert_eq!(format!("{map:#}"), "[{key:7,value:{f2: 5}}]");
}

/// A list of which all numbers became unknown fields, and one for which there was no memory, have no elements: they are not set.
#[test]
fn text_format_leaves_out_lists_without_elements() {
    let descriptor = closed();
    let options = [
        text::Printer::new(),
        text::Printer::new().print_message_fields_in_index_order(true),
        text::Printer::new().pretty(true),
    ];
    let check = |message: &DynamicMessage| {
        for options in &options {
            let set: Vec<_> = message.fields().map(|(field, _)| field.name().to_owned()).collect();
            let text = options.to_string(message).unwrap();
            let again = tablepb::text::message_from_str(&descriptor, &text).expect("text");
            assert_eq!(again.fields().map(|(field, _)| field.name().to_owned()).collect::<Vec<_>>(), set);
            assert!(!text.contains("[]"), "{text}");
        }
    };
    for field in descriptor.fields() {
        let tag = |wire_type: u8| (field.number() as u8) << 3 | wire_type;
        let unlisted = [vec![tag(0), 77], vec![tag(2), 1, 77], vec![tag(2), 4, 8, 1, 16, 77]];
        for input in unlisted {
            if let Ok(message) = DynamicMessage::decode(&descriptor, &input) {
                check(&message);
            }
        }
        for budget in 0..1200 {
            let mut message = DynamicMessage::new(&descriptor);
            for input in [vec![tag(0), 1], vec![tag(2), 1, 1], vec![tag(2), 4, 8, 1, 16, 1]] {
                let _ = DecodeOptions::new().budget(budget).merge(&mut message, &input);
                check(&message);
            }
        }
    }
}

/// What a projection had kept as bytes counted as one level, so messages were written that no decoder accepts.
#[test]
fn messages_that_are_kept_as_bytes_count_with_all_their_levels() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let node = schema.message(file, "Node");
    schema.add(node, 1, Kind::Int32, Card::Optional);
    schema.add(node, 2, Kind::Message(node), Card::Optional);
    schema.add_map(node, 3, Kind::Int32, Kind::Message(node));
    let node = descriptor(&schema, &schema.pool(), node);
    let nested =
        |levels: u32| (0..levels).fold(Wire::new().int(1, 1), |inner, _| Wire::new().message(2, inner)).0;
    let keeping = [
        Projection::new(&node, ["f1"]).unwrap().pass_through(),
        Projection::all(&node).lazy(["f2"]).unwrap(),
        Projection::all(&node),
    ];
    for projection in &keeping {
        for levels in [0, 1, 2, 7, 98, 99, 100] {
            let inner = projection.decode(&nested(levels)).unwrap();
            let prepared = Prepared::new(&inner).unwrap();
            assert_eq!((prepared.depth(), prepared.as_bytes()), (levels, &nested(levels)[..]));
            let mut all = Vec::new();
            for value in [Value::Prepared(prepared.clone()), Value::Message(inner)] {
                let mut in_field = DynamicMessage::new(&node);
                in_field.set_field(2, value.clone()).unwrap();
                let mut in_map = DynamicMessage::new(&node);
                in_map.insert(3, 7, value).unwrap();
                all.extend([(1, in_field), (2, in_map)]);
            }
            for (above, outer) in all {
                match outer.encode_to_vec() {
                    Ok(bytes) => assert!(
                        levels + above <= 100 && DynamicMessage::decode(&node, &bytes).is_ok(),
                        "{levels} {above}"
                    ),
                    Err(error) => {
                        assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded, "{error}");
                        assert!(levels + above > 100, "{levels} {above}");
                    }
                }
            }
            let plan = RecordPlan::new(&node);
            let child = plan.message("f2").unwrap();
            let mut buffer = Vec::new();
            let mut record = plan.record(&mut buffer);
            record.prepared(child, &prepared);
            assert_eq!(record.finish().is_ok(), levels < 100, "{levels}");
        }
    }
}

/// Each message without anything in it took a body when it came as text, so messages that had been decoded were printed and then refused.
#[test]
fn many_empty_messages_come_back_from_text() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let large = schema.message(file, "Large");
    schema.add(large, 1, Kind::Message(large), Card::Repeated);
    schema.add_map(large, 2, Kind::Int32, Kind::Message(large));
    schema.add(large, 3, Kind::Message(large), Card::Optional);
    for number in 4..44 {
        schema.add(large, number, Kind::Int64, Card::Optional);
    }
    let large = descriptor(&schema, &schema.pool(), large);
    let list = Wire::repeat(Wire::new().message(1, Wire::new()), 30_000);
    let input = (0..100).fold(list, |w, key| w.message(2, Wire::new().int(1, key))).message(3, Wire::new());
    let message = DynamicMessage::decode(&large, &input.0).unwrap();
    for options in [text::Printer::new(), text::Printer::new().pretty(true)] {
        let text = options.to_string(&message).unwrap();
        assert_eq!(tablepb::text::message_from_str(&large, &text).unwrap(), message);
    }
    let json = tablepb::json::to_string(&message).unwrap();
    assert_eq!(tablepb::json::message_from_slice(&large, json.as_bytes()).unwrap(), message);
    let several = tablepb::text::message_from_str(&large, "f3 {} f1 {} f1 < > f1 { f4: 1 }").unwrap();
    assert_eq!(several.encode_to_vec().unwrap(), [0x0a, 0, 0x0a, 0, 0x0a, 2, 0x20, 1, 0x1a, 0]);
}

/// Elements after the first went to another list, or over the header of the message, where the message had more fields than fit in one word of
/// hasbits: their list was looked for where a dense message has it.
#[test]
fn lists_of_small_messages_keep_their_elements_in_wide_messages_too() {
    for fields in [3, 63, 64, 65, 130, 400] {
        let mut schema = Schema::default();
        let file = schema.file(Syntax::Proto3);
        let (root, leaf, tree, fixed) = (
            schema.message(file, "Root"),
            schema.message(file, "Leaf"),
            schema.message(file, "Tree"),
            schema.message(file, "Fixed"),
        );
        schema.add(leaf, 15, Kind::Sint32, Card::Implicit);
        schema.add(tree, 1, Kind::String, Card::Implicit);
        schema.add(tree, 2, Kind::Message(leaf), Card::Implicit);
        schema.add(tree, 3, Kind::Message(leaf), Card::Repeated);
        schema.add(fixed, 1, Kind::Double, Card::Implicit);
        schema.add(fixed, 2, Kind::Double, Card::Implicit);
        // Lists first, in the middle, last, and of every kind of element.
        let kinds = [leaf, tree, fixed];
        for number in 1..=fields {
            let middle = number == fields / 2;
            match number <= 3 || middle || number > fields - 3 {
                true => schema.add(root, number, Kind::Message(kinds[number as usize % 3]), Card::Repeated),
                false => schema.add(root, number, Kind::Int32, Card::Optional),
            };
        }
        let pool = schema.pool();
        let descriptor = descriptor(&schema, &pool, root);
        let element = |number: u32, at: u32| match number % 3 {
            0 => Wire::new().int(15, u64::from(at) + 1),
            1 => {
                let small = Wire::new().int(15, 2);
                Wire::new().bytes(1, b"text").bytes(2, &small.0).bytes(3, &small.0).bytes(3, small.0)
            }
            _ => Wire(vec![0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x11, 1, 2, 3, 4, 5, 6, 7, at as u8]),
        };
        for count in [1, 2, 3, 9, 40] {
            let mut wire = Wire::new();
            for number in 1..=fields {
                let field = descriptor.get_field(number).unwrap();
                match field.is_list() {
                    true => {
                        for at in 0..count {
                            wire = wire.bytes(number, element(number, at).0);
                        }
                    }
                    false if number % 2 == 0 => wire = wire.int(number, 7),
                    false => {}
                }
            }
            let message = DynamicMessage::decode(&descriptor, &wire.0).unwrap();
            assert_eq!(message.encode_to_vec().unwrap(), wire.0, "{fields} fields, {count} elements");
            let mut decoder = Decoder::new(&descriptor);
            let view = decoder.decode(&wire.0).unwrap();
            assert_eq!(view.encode_to_vec().unwrap(), wire.0, "{fields} fields, {count} elements");
            // Merged into itself: each list twice as long.
            let mut twice = message.clone();
            twice.merge(&wire.0).unwrap();
            let list = descriptor.get_field(1).unwrap();
            assert_eq!(twice.get(&list).unwrap().as_list().unwrap().len(), 2 * count as usize);
            assert_eq!(
                twice.encode_to_vec().unwrap().len(),
                2 * wire.0.len() - singular(&wire.0, &descriptor)
            );
        }
    }
}

/// The bytes of the fields that are no lists.
fn singular(bytes: &[u8], descriptor: &MessageDescriptor) -> usize {
    let (mut reader, mut len) = (tablepb::wire::Reader::new(bytes), 0);
    let mut start = 0;
    while let Some(tag) = reader.next_tag().unwrap() {
        reader.skip_field(tag).unwrap();
        if !descriptor.get_field(tag.number()).unwrap().is_list() {
            len += reader.position() - start;
        }
        start = reader.position();
    }
    len
}
