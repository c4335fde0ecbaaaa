//! Changing several elements, entries and fields at once, and taking values out.

use super::*;
use alloc::string::String;
use std::collections::HashSet;

fn strings(message: &DynamicMessage, name: &str) -> Vec<String> {
    let list = message.get_field(name).unwrap().as_list().unwrap();
    list.iter().map(|v| v.as_str().unwrap().into()).collect()
}

#[test]
fn lists_are_extended_as_a_whole_or_not_at_all() {
    let mut message = DynamicMessage::new(&node());
    message.extend("tags", core::iter::empty::<&str>()).unwrap();
    assert!(!message.has_field("tags") && message == DynamicMessage::new(&node()));
    let error = message.extend("tags", [Value::from("a"), Value::from(1)]).unwrap_err();
    assert_eq!((error.kind(), error.into_value()), (SetFieldErrorKind::InvalidType, Some(Value::I32(1))));
    assert!(!message.has_field("tags"));
    message.extend("tags", ["a", "b"]).unwrap();
    message.extend("tags", vec!["c"]).unwrap();
    assert!(message.extend("tags", [Value::from("d"), Value::Bool(true)]).is_err());
    assert_eq!(strings(&message, "tags"), ["a", "b", "c"]);
    message.extend("samples", (0..40).map(|n| n as f32)).unwrap();
    assert_eq!(message.get_field("samples").unwrap().as_list().unwrap().len(), 40);
    let child = crate::text::message_from_str(&node(), "name: 'x'").unwrap();
    message.extend("children", [&child, &child]).unwrap();
    message.element_mut("children", 1).unwrap().set_field("name", "y").unwrap();
    assert_eq!(message.extend("name", ["a"]).unwrap_err().kind(), SetFieldErrorKind::InvalidShape);
    let text = message.get_field("children").unwrap().to_string();
    assert_eq!(text, r#"[{name:"x"},{name:"y"}]"#);
}

#[test]
fn elements_are_swapped_truncated_and_retained() {
    let mut message = DynamicMessage::new(&node());
    message.set_field("tags", ["a", "b", "c", "d"]).unwrap();
    message.as_mut().swap_elements("tags", 0, 3).unwrap();
    message.as_mut().swap_elements("tags", 1, 1).unwrap();
    assert_eq!(
        message.as_mut().swap_elements("tags", 0, 4).unwrap_err().kind(),
        SetFieldErrorKind::OutOfRange
    );
    assert_eq!(
        message.as_mut().swap_elements("samples", 0, 0).unwrap_err().kind(),
        SetFieldErrorKind::OutOfRange
    );
    assert_eq!(strings(&message, "tags"), ["d", "b", "c", "a"]);
    message.as_mut().retain("tags", |tag| tag.as_str() != Some("b")).unwrap();
    message.as_mut().truncate("tags", 9).unwrap();
    assert_eq!(strings(&message, "tags"), ["d", "c", "a"]);
    message.as_mut().truncate("tags", 1).unwrap();
    assert_eq!(strings(&message, "tags"), ["d"]);
    message.as_mut().retain("tags", |_| false).unwrap();
    assert!(!message.has_field("tags"));
    message.as_mut().retain("tags", |_| unreachable!()).unwrap();
    for name in ["x", "y", "z"] {
        message.push_message("children").unwrap().set_field("name", name).unwrap();
    }
    message.as_mut().swap_elements("children", 0, 2).unwrap();
    message
        .as_mut()
        .retain("children", |child| child.as_message().unwrap().get("name").unwrap().as_str() != Some("y"))
        .unwrap();
    assert_eq!(crate::text::to_string(&message).unwrap(), r#"children:[{name:"z"},{name:"x"}]"#);
    message.as_mut().truncate("children", 0).unwrap();
    assert_eq!(message, DynamicMessage::new(&node()));
    for error in [
        message.as_mut().truncate("attributes", 0).unwrap_err(),
        message.as_mut().retain("attributes", |_| true).unwrap_err(),
        message.as_mut().retain_entries("tags", |_, _| true).unwrap_err(),
        message.as_mut().swap_elements("name", 0, 0).unwrap_err(),
    ] {
        assert_eq!(error.kind(), SetFieldErrorKind::InvalidShape);
    }
}

#[test]
fn entries_are_retained_in_maps_of_any_size() {
    static COUNTS: MessageTable =
        MessageTable::new("t.Counts", &[FieldTable::map("counts", 1, Kind::Int32, Kind::Int32)]);
    let pool = DescriptorPool::from_tables(&[&COUNTS]).unwrap();
    let counts = pool.find_message("t.Counts").unwrap();
    let (sizes, steps): (&[i32], &[i32]) = match cfg!(miri) {
        true => (&[0, 9, 12], &[1, 3]),
        false => (&[0, 1, 8, 9, 50, 300], &[1, 2, 3, 7, 1000]),
    };
    for &size in sizes {
        for &every in steps {
            let mut message = DynamicMessage::new(&counts);
            // Inserted one by one, so that the index has several runs and a tail.
            (0..size).for_each(|n| message.insert("counts", (n * 37) % 1009, n).unwrap());
            message
                .as_mut()
                .retain_entries("counts", |_, value| value.as_i32().unwrap() % every != 0)
                .unwrap();
            let kept: Vec<i32> = (0..size).filter(|n| n % every != 0).collect();
            assert_eq!(message.has_field("counts"), !kept.is_empty());
            let map = message.get_field("counts").unwrap().as_map().unwrap();
            assert_eq!(map.iter().map(|(_, v)| v.as_i32().unwrap()).collect::<Vec<_>>(), kept);
            for n in 0..size {
                let found = map.get((n * 37) % 1009).and_then(|v| v.as_i32());
                assert_eq!(found, (n % every != 0).then_some(n));
            }
            // Later inserts and removals find their keys.
            (0..size).for_each(|n| message.insert("counts", (n * 37) % 1009, -n).unwrap());
            assert_eq!(message.get_field("counts").unwrap().as_map().unwrap().len(), size as usize);
            (0..size).for_each(|n| assert!(message.remove("counts", (n * 37) % 1009).unwrap()));
            assert!(!message.has_field("counts"));
        }
    }
}

#[test]
fn values_are_taken_out() {
    let text = r#"name: "a" id: 7 children { name: "x" } text: "t" samples: [1, 2]"#;
    let mut message = crate::text::message_from_str(&node(), text).unwrap();
    let whole = message.clone();
    assert_eq!(message.take_field(2).unwrap(), Some(Value::U64(7)));
    assert_eq!(message.take_field("number").unwrap(), None);
    assert!(message.has_field("text"), "taking an unset member of a oneof left the other one");
    assert_eq!(message.take_field("samples").unwrap(), Some(Value::from([1.0, 2.0])));
    assert_eq!(message.take_field("samples").unwrap(), None);
    message.merge(b"\xf8\x07\x05\xf2\x07\x01a").unwrap();
    let taken = message.take_fields().unwrap();
    assert_eq!(taken.iter().map(|(f, _)| f.name()).collect::<Vec<_>>(), ["name", "children", "text"]);
    assert_eq!(message.encode_to_vec().unwrap(), b"\xf8\x07\x05\xf2\x07\x01a");
    assert_eq!(message.take_unknown_fields().unwrap(), b"\xf8\x07\x05\xf2\x07\x01a");
    assert_eq!((message.take_unknown_fields().unwrap().len(), message.encoded_len()), (0, 0));
    for (f, value) in taken {
        message.set_field(&f, value).unwrap();
    }
    message.set_field("id", 7).unwrap();
    message.set_field("samples", [1, 2]).unwrap();
    assert_eq!(message, whole);
    assert!(message.as_mut().take_extensions().unwrap().is_empty());
}

#[test]
fn set_fields_are_changed_one_by_one() {
    let text = r#"name: "a" at { x: 1 } tags: ["p", "q"]"#;
    let mut message = crate::text::message_from_str(&node(), text).unwrap();
    let (mut seen, mut fields) = (Vec::new(), message.fields_mut());
    while let Some(mut field) = fields.next_field() {
        seen.push(field.descriptor().number());
        match field.descriptor().name() {
            "name" => assert_eq!(field.take().unwrap(), Some("a".into())),
            "at" => field.message_mut().unwrap().set_field("y", 2).unwrap(),
            // What is set on the way and comes later comes too.
            "tags" => field.set(["r"]).unwrap(),
            _ => unreachable!(),
        }
        let own = field.descriptor().to_owned();
        if own.name() == "at" {
            field.parent_mut().push("tags", "s").unwrap();
            assert!(field.set(1).is_err());
        }
        if own.name() == "tags" {
            assert_eq!(field.value().to_string(), r#"["r"]"#);
            field.clear().unwrap();
            assert_eq!(field.value(), ValueRef::Unselected);
        }
    }
    assert_eq!((seen, crate::text::to_string(&message).unwrap().as_str()), (vec![1, 4, 10], "at{x:1,y:2}"));
}

#[test]
fn equal_messages_have_equal_hashes() {
    let mut hashes = HashSet::new();
    let parse = |text: &str| crate::text::message_from_str(&node(), text).unwrap();
    let a = parse(
        r#"attributes { key: "a" value { id: 1 } } attributes { key: "b" value {} } samples: [nan, -0.0]"#,
    );
    let b = parse(
        r#"samples: [nan, -0.0] attributes { key: "b" value {} } attributes { key: "a" value { id: 1 } }"#,
    );
    assert_eq!(a, b);
    assert!(hashes.insert(a.clone()) && !hashes.insert(b));
    assert!(hashes.insert(parse("samples: [nan, 0.0]")) && hashes.insert(parse("id: 0")));
    assert!(hashes.insert(DynamicMessage::new(&node())) && hashes.contains(&a));
    assert!(hashes.insert(DynamicMessage::new(&other_node())), "of another pool");
}

#[test]
fn values_are_displayed_as_text_format() {
    let text = r#"name: "a\"\n" color: RED samples: [1.5, inf] attributes { key: "k" value { id: 1 } }"#;
    let message = crate::text::message_from_str(&node(), text).unwrap();
    for (name, shown) in [
        ("name", r#""a\"\n""#),
        ("color", "1"),
        ("samples", "[1.5,inf]"),
        ("attributes", r#"[{key:"k",value:{id:1}}]"#),
        ("at", "{}"),
        ("tags", "[]"),
    ] {
        let value = message.get_field(name).unwrap();
        assert_eq!((value.to_string().as_str(), value.to_owned().to_string().as_str()), (shown, shown));
    }
    assert_eq!(Value::from(b"\x01a").to_string(), r#""\001a""#);
    assert_eq!(Value::F32(f32::NEG_INFINITY).to_string(), "-inf");
    let decoder = Decoder::new(&node());
    assert_eq!(format!("{decoder:?}"), "Decoder(t.Node, 0 bytes)");
}

#[test]
fn values_know_their_defaults_and_whether_they_fit() {
    let node = node();
    for f in node.fields() {
        let default = f.default_value();
        assert!(default.is_default_for_field(&f) && default.is_valid_for_field(&f), "{}", f.name());
        assert_eq!(default, DynamicMessage::new(&node).get_field(&f).unwrap().to_owned());
        assert!(!Value::List(vec![Value::List(vec![])]).is_valid_for_field(&f));
    }
    assert!(Value::from([1]).is_valid_for_field(&field(&node, "samples")));
    assert_eq!(Value::U32(3).into_map_key(), Some(MapKey::U32(3)));
    assert_eq!((Value::F32(3.0).into_map_key(), Value::from(MapKey::from("a"))), (None, "a".into()));
    let mut value = Value::from("a");
    value.as_string_mut().unwrap().push('b');
    assert!(value.as_list_mut().is_none() && value.as_u32_mut().is_none());
    assert_eq!(value.as_str(), Some("ab"));
}
