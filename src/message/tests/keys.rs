//! Fields by descriptor, name and number, and fields of other messages.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a call that cannot return an error does about a field of another message.
fn foreign<T>(call: impl FnOnce() -> T) -> Option<T> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(std::boxed::Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(call));
    std::panic::set_hook(hook);
    assert_eq!(result.is_err(), cfg!(debug_assertions));
    result.ok()
}

#[test]
fn fields_of_an_equal_message_of_another_pool_are_resolved() {
    let (node, other) = (node(), other_node());
    let mut message = DynamicMessage::new(&node);
    let other_field = |name: &str| field(&other, name);
    message.set_field(&other_field("name"), "a").unwrap();
    message.push(&other_field("samples"), 1.5).unwrap();
    message.insert(&other_field("attributes"), "k", DynamicMessage::new(&other)).unwrap();
    message.message_mut(&other_field("at")).unwrap().set_field("x", 1.0).unwrap();
    message.set_field(&other_field("text"), "t").unwrap();
    for f in other.fields() {
        let own = node.get_field(f.number()).unwrap();
        assert_eq!(message.get_field(&f), message.get_field(&own), "{}", f.name());
        assert_eq!(message.get(&f), message.get(&own));
        assert_eq!(message.has_field(&f), message.has_field(&own));
        assert_eq!(message.get_field(&f).unwrap(), message.get_field(&own).unwrap());
        assert!(message.as_view().is_selected(&f));
    }
    let oneof = other.oneofs().next().unwrap();
    assert_eq!(message.as_view().get_oneof(&oneof).unwrap().1.as_str(), Some("t"));
    message.clear_field(&other_field("text")).unwrap();
    assert!(message.as_view().get_oneof(&oneof).is_none());
    assert_eq!(message.take_field(&other_field("name")).unwrap(), Some(Value::from("a")));
    assert!(!message.has_field("name"));
}

#[test]
fn other_fields_are_errors_or_panic_or_read_as_unset() {
    // The same names with another number, and another message.
    static RENUMBERED: MessageTable =
        MessageTable::new("t.Node", &[FieldTable::new("name", 2, Kind::String)]);
    let renumbered = DescriptorPool::from_tables(&[&RENUMBERED]).unwrap();
    let renumbered = renumbered.find_message("t.Node").unwrap();
    let node = node();
    let point = node.parent_pool().find_message("t.Point").unwrap();
    let mut message = DynamicMessage::new(&node);
    message.set_field("name", "a").unwrap();
    let before = message.clone();
    for f in point.fields().chain(renumbered.fields()) {
        assert!(!foreign(|| message.has_field(&f)).unwrap_or(false));
        assert!(!foreign(|| message.get(&f).is_some()).unwrap_or(false));
        assert!(!foreign(|| message.as_view().is_selected(&f)).unwrap_or(false));
        assert_eq!(message.get_field(&f).unwrap_err().kind(), SetFieldErrorKind::ForeignField);
        assert_eq!(message.clear_field(&f).unwrap_err().kind(), SetFieldErrorKind::ForeignField);
        let text = format!("the field is of another message: {}, and the message is a t.Node", f.full_name());
        let errors = [
            message.get_field(&f).map(drop).unwrap_err(),
            message.set_field(&f, 1.5f32).unwrap_err(),
            message.push(&f, 1.5f32).unwrap_err(),
            message.extend(&f, [1.5f32]).unwrap_err(),
            message.as_mut().set_element(&f, 0, 1.5f32).unwrap_err(),
            message.as_mut().remove_element(&f, 0).unwrap_err(),
            message.as_mut().swap_elements(&f, 0, 0).unwrap_err(),
            message.as_mut().truncate(&f, 0).unwrap_err(),
            message.as_mut().retain(&f, |_| true).unwrap_err(),
            message.insert(&f, 1, 1.5f32).unwrap_err(),
            message.remove(&f, 1).unwrap_err(),
            message.as_mut().retain_entries(&f, |_, _| true).unwrap_err(),
            message.clear_field(&f).unwrap_err(),
            message.take_field(&f).unwrap_err(),
            message.message_mut(&f).map(drop).unwrap_err(),
            message.push_message(&f).map(drop).unwrap_err(),
            message.element_mut(&f, 0).map(drop).unwrap_err(),
            message.entry_mut(&f, 1).map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!((error.kind(), error.to_string()), (SetFieldErrorKind::ForeignField, text.clone()));
        }
        assert_eq!(message.set_field(&f, 1.5f32).unwrap_err().into_value(), Some(Value::F32(1.5)));
        assert_eq!(message, before);
    }
    // Positions beyond the fields of the message too.
    let point = DynamicMessage::new(&point);
    for f in node.fields() {
        assert_eq!(point.get_field(&f).unwrap_err().kind(), SetFieldErrorKind::ForeignField);
    }
    let oneof = node.oneofs().next().unwrap();
    foreign(|| assert!(point.as_view().get_oneof(&oneof).is_none()));
}

#[test]
fn keys_without_a_field_are_unset_to_getters_and_errors_to_setters() {
    let node = node();
    let mut message = DynamicMessage::new(&node);
    assert!(!message.has_field("nme") && !message.has_field(99) && message.get("nme").is_none());
    assert!(!message.as_view().is_selected(99) && message.get_field(99).is_err());
    assert_eq!(message.clear_field("nme").unwrap_err().kind(), SetFieldErrorKind::NoSuchField);
    assert_eq!(message.clear_field(99).unwrap_err().kind(), SetFieldErrorKind::NoSuchField);
    let error = message.set_field(99, 1).unwrap_err();
    assert_eq!(error.to_string(), "no such field: 99 in t.Node");
    let error = message.push("nme", 1).unwrap_err();
    assert_eq!(error.to_string(), "no such field: nme in t.Node; did you mean name?");
    assert_eq!((error.kind(), error.field()), (SetFieldErrorKind::NoSuchField, "nme"));
    assert_eq!(error.into_value(), Some(Value::I32(1)));
    assert_eq!(message.encoded_len(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "loading descriptor.proto takes minutes there")]
fn extensions_are_fields() {
    let pool = DescriptorPool::descriptor_proto();
    // file { name: "o.proto" dependency: descriptor.proto, extension { name: "o" extendee: FieldOptions number: 50000 int32 } }
    let proto = b"\x0a\x07o.proto\x1a\x20google/protobuf/descriptor.proto\x3a\x2a\x0a\x01o\x12\x1d.google.protobuf.FieldOptions\
        \x18\xd0\x86\x03\x20\x01\x28\x05";
    let file = [&[0x0a, proto.len() as u8][..], proto].concat();
    let pool = pool.add_file_descriptor_set(&file).unwrap();
    let extension = pool.find_extension("o").unwrap();
    let options = pool.find_message("google.protobuf.FieldOptions").unwrap();
    let mut message = DynamicMessage::new(&options);
    assert!(!message.has_field(&extension));
    assert_eq!(message.get_field(&extension).unwrap().as_i32(), Some(0));
    message.set_field(&extension, 5).unwrap();
    assert_eq!(message.get_field(&extension).unwrap().as_i32(), Some(5));
    assert_eq!(message.get_field("[o]").ok().and_then(|v| v.as_i32()), Some(5));
    assert_eq!(message.get(50000).and_then(|v| v.as_i32()), Some(5));
    message.set_field("[o]", 6u64).unwrap();
    message.set_field("deprecated", true).unwrap();
    assert!(
        message.set_field("[google.protobuf.FieldOptions]", 1).is_err()
            && message.set_field("[p]", 1).is_err()
    );
    let set: Vec<_> =
        message.as_view().extensions().map(|(field, value)| (field.number(), value.as_i32())).collect();
    assert_eq!(set, [(50000, Some(6))]);
    let taken = message.as_mut().take_extensions().unwrap();
    assert_eq!((taken.len(), &taken[0].1), (1, &Value::I32(6)));
    assert!(message.has_field("deprecated") && !message.has_field(&extension));
}
