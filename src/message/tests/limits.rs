//! Where a budget, a level or the slab ends: messages stay small, whole and usable.

use super::*;

/// Every way to leave words or bytes in slab and store that no field refers to: displaced oneof members, removed elements, dropped
/// unknown fields, values that a merge replaced.
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
                message.as_mut().clear_unknown_fields().unwrap();
            }
            3 => message.as_mut().set_element(&tags, 1, text.as_str()).unwrap(),
            _ => {
                message.push_message(&children).unwrap().set_field(&name, text.as_str()).unwrap();
                message.as_mut().remove_element(&children, 0).unwrap();
            }
        }
    }
    assert!(message.capacity() < 1 << 16, "{} bytes", message.capacity());
    let list = message.get_field(&tags).unwrap().as_list().unwrap();
    assert_eq!(list.get(0).and_then(|v| v.as_str()), Some("kept"));
    assert_eq!(list.get(1).and_then(|v| v.as_str()), Some(text.as_str()));
    assert_eq!(message.get_field(&name).unwrap().as_str(), Some(text.as_str()));
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
    DescriptorPool::from_tables(&[table]).unwrap().find_message("t.Wide").unwrap()
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
        message.clear_field(&fields[20]).unwrap();
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

/// As in C++, a value that is not in the input is no level of it. It is one for an encoder, which writes it.
#[test]
fn an_entry_without_its_message_is_one_level_and_is_written_as_two() {
    let node = node();
    // A child with an attribute that has a key and no value.
    let input = [0x2a, 5, 0x32, 3, 0x0a, 1, b'k'];
    let options = |depth| DecodeOptions::new().max_depth(depth);
    assert!(options(1).decode_dynamic(&node, &input).is_err());
    let message = options(2).decode_dynamic(&node, &input).unwrap();
    let children = message.get_field(&field(&node, "children")).unwrap();
    let child = children.as_list().unwrap().get(0).unwrap().as_message().unwrap();
    let attributes = child.get_field(&field(&node, "attributes")).unwrap();
    let value = attributes.as_map().unwrap().get("k").unwrap().as_message().unwrap();
    assert_eq!(value.fields().count(), 0);
    let encoded = |depth| {
        let options = crate::wire::options::EncodeOptions::new().max_depth(depth);
        options.encode(&message, &mut Vec::new())
    };
    assert_eq!(encoded(2).unwrap_err().kind(), crate::wire::error::EncodeErrorKind::DepthExceeded);
    assert!(encoded(3).is_ok());
    // With its value it is as deep for both.
    let whole = message.encode_to_vec().unwrap();
    assert!(options(2).decode_dynamic(&node, &whole).is_err());
    assert_eq!(options(3).decode_dynamic(&node, &whole).unwrap(), message);
}

/// Such a list was left by operations that failed, and the encoder had no level for its elements.
#[test]
fn an_empty_list_that_is_set_needs_no_level() {
    let node = node();
    let mut message = DynamicMessage::new(&node);
    message.set_field(&field(&node, "name"), "n").unwrap();
    let mut parts = message.as_mut();
    for name in ["children", "attributes"] {
        let field = parts.resolve(super::super::edit::field_key::Key::Name(name)).unwrap();
        let (program, base) = (parts.program(), parts.body.base);
        parts.writer().open_list(program, base, field.position).unwrap();
    }
    for deterministic in [false, true] {
        let options = crate::wire::options::EncodeOptions::new().max_depth(0).deterministic(deterministic);
        let mut out = Vec::new();
        options.encode(&message, &mut out).unwrap();
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
        let merged = DecodeOptions::new().budget(budget).merge(&mut message, &input);
        let map = message.get_field(&attributes).unwrap().as_map().unwrap();
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
    parts.body.base = crate::engine::slab::NIL;
    let kind = |error: SetFieldError| error.kind();
    assert_eq!(parts.set_field(&name, "n").map_err(kind), Err(SetFieldErrorKind::TooLarge));
    assert_eq!(parts.push_message(&children).map(drop).map_err(kind), Err(SetFieldErrorKind::TooLarge));
    let program = parts.program();
    assert!(parts.slab.mark_set(program, crate::engine::slab::NIL, 0).is_err());
    assert_eq!(parts.as_view().fields().count(), 0);
    assert_eq!(message.fields().count(), 0);
}

#[test]
fn empty_messages_are_elements_as_others_are() {
    let node = node();
    let (children, attributes) = (field(&node, "children"), field(&node, "attributes"));
    let input = [0x2a, 0, 0x2a, 2, 0x10, 7, 0x2a, 0, 0x32, 5, 0x0a, 1, b'k', 0x12, 0, 0x22, 0];
    let message = DynamicMessage::decode(&node, &input).unwrap();
    let list = message.get_field(&children).unwrap().as_list().unwrap();
    let counts = |list: ListRef<'_, '_>| -> Vec<usize> {
        list.iter().map(|child| child.as_message().unwrap().fields().count()).collect()
    };
    assert_eq!(counts(list), [0, 1, 0]);
    assert!(list.get(2).is_some() && list.iter().next_back().is_some() && list.get(3).is_none());
    let map = message.get_field(&attributes).unwrap().as_map().unwrap();
    assert_eq!(map.get("k").unwrap().as_message().unwrap().fields().count(), 0);
    assert!(message.has_field(&field(&node, "at")) && message.fields().count() == 3);
}

/// A slab that is full but for so many words.
fn leave_room(slab: &mut crate::engine::slab::Slab, words: usize) {
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
        ("push", |m| m.push(&m.descriptor().field("samples").unwrap(), 1.5)),
        ("push a string", |m| m.push(&m.descriptor().field("tags").unwrap(), "t")),
        ("push_message", |m| m.push_message(&m.descriptor().field("children").unwrap()).map(drop)),
        ("push a message", |m| {
            let child = DynamicMessage::decode(&m.descriptor(), b"\x10\x07\x2a\x02\x10\x08").unwrap();
            m.push(&m.descriptor().field("children").unwrap(), child)
        }),
        ("push bytes", |m| {
            let child = Prepared::decode(&m.descriptor(), b"\x10\x07\x2a\x02\x10\x08").unwrap();
            m.push(&m.descriptor().field("children").unwrap(), child)
        }),
        ("insert", |m| {
            let child = DynamicMessage::decode(&m.descriptor(), b"\x10\x07\x2a\x02\x10\x08").unwrap();
            m.insert(&m.descriptor().field("attributes").unwrap(), "key", child)
        }),
        ("entry_mut", |m| m.entry_mut(&m.descriptor().field("attributes").unwrap(), "key").map(drop)),
        ("message_mut", |m| m.message_mut(&m.descriptor().field("at").unwrap()).map(drop)),
        ("set_field to a list", |m| m.set_field("samples", vec![Value::F64(0.5); 3])),
        ("set_field of a oneof", |m| m.set_field("text", "text")),
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
        for words in (0..40).step_by(if cfg!(miri) { 19 } else { 1 }) {
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
    start.set_field("f6", 1i32).unwrap();
    // A member of the same oneof, and one of another group of fields.
    check("f7", &start, &|m| m.set_field("f7", 7i32));
    check("f400", &start, &|m| m.set_field("f400", 7i32));
    assert!(failures > if cfg!(miri) { 5 } else { 30 }, "{failures}");
}

#[test]
fn a_message_of_numbers_keeps_its_input_only_for_unknown_fields() {
    static NUMBERS: MessageTable = MessageTable::new(
        "t.Numbers",
        &[FieldTable::new("one", 1, Kind::Fixed64), FieldTable::new("all", 2, Kind::Uint32).repeated()],
    );
    let pool = DescriptorPool::from_tables(&[&NUMBERS]).unwrap();
    let numbers = pool.find_message("t.Numbers").unwrap();
    let mut known = alloc::vec![0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0x12, 100];
    known.extend([7; 100]);
    let whole = DynamicMessage::decode(&numbers, &known).unwrap();
    assert_eq!(whole.encode_to_vec().unwrap(), known);
    // The same with unknown fields before and after.
    let unknown: &[u8] = b"\x1a\x02hi";
    for input in [[unknown, &known, unknown].concat(), unknown.to_vec()] {
        let mut message = DynamicMessage::decode(&numbers, &input).unwrap();
        let fields: alloc::vec::Vec<_> = message.unknown_fields().map(|field| field.number()).collect();
        assert_eq!(fields.len(), input.len() / known.len() + 1);
        if input.len() > known.len() {
            assert!(message.capacity() >= whole.capacity() + input.len(), "{}", whole.capacity());
        }
        message.merge(unknown).unwrap();
        let again = DynamicMessage::decode(&numbers, &message.encode_to_vec().unwrap()).unwrap();
        assert_eq!(again, message);
        message.clear();
        message.merge(&known).unwrap();
        assert_eq!(message, whole);
    }
    // A merge into a message without a store, and one that fails.
    let mut merged = whole.clone();
    merged.merge(unknown).unwrap();
    assert!(merged.merge(b"\x1a\x05hi").is_err());
    assert_eq!(merged.encode_to_vec().unwrap(), [&known, unknown].concat());
    assert!(DynamicMessage::decode(&numbers, b"\x1a\x02hi\x09").is_err());
}
