//! Values by path: what a path is, and what holds after a call that fails.

use std::sync::OnceLock;
use tablepb::partial::{PathErrorKind, Projection};
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb::{DescriptorPool, DynamicMessage, MessageDescriptor, Value, text};

static COLOR: EnumTable = EnumTable::new("pkg.Color", &[("RED", 0), ("GREEN", 1)]);
static NODE: MessageTable = MessageTable::new(
    "pkg.Node",
    &[
        FieldTable::new("name", 1, Kind::String),
        FieldTable::new("nodes", 2, Kind::Message(|| &NODE)).repeated(),
        FieldTable::map("labels", 3, Kind::String, Kind::Int32),
        FieldTable::new("next", 4, Kind::Message(|| &NODE)),
        FieldTable::map("by_id", 5, Kind::Int64, Kind::Message(|| &NODE)),
        FieldTable::map("by_flag", 6, Kind::Bool, Kind::String),
        FieldTable::new("color", 7, Kind::Enum(|| &COLOR)),
        FieldTable::new("numbers", 8, Kind::Int32).repeated(),
    ],
);

fn node() -> MessageDescriptor {
    static POOL: OnceLock<DescriptorPool> = OnceLock::new();
    POOL.get_or_init(|| DescriptorPool::from_tables(&[&NODE]).unwrap()).message("pkg.Node").unwrap()
}

fn message(source: &str) -> DynamicMessage {
    text::message_from_str(&node(), source).unwrap()
}

#[test]
fn a_path_names_fields_elements_and_keys() {
    let message = message(
        r#"name: "a" nodes { name: "b" } nodes { next { name: "c" } } labels { key: "x.y" value: 1 }
           labels { key: "q\"]\\" value: 2 } by_id { key: -7 value { name: "d" } } by_flag { key: true value: "e" } numbers: [5, 6]"#,
    );
    let shown = |path: &str| message.get_path(path).unwrap().to_string();
    for (path, expected) in [
        ("name", "\"a\""),
        ("nodes[0].name", "\"b\""),
        ("nodes[1].next.name", "\"c\""),
        ("labels[\"x.y\"]", "1"),
        (r#"labels["q\"]\\"]"#, "2"),
        ("by_id[-7].name", "\"d\""),
        ("by_flag[true]", "\"e\""),
        ("numbers[1]", "6"),
        ("numbers", "[5,6]"),
        // What is not set has its default value, on the way too.
        ("next.next.color", "0"),
        ("nodes[0].labels", "[]"),
    ] {
        assert_eq!(shown(path), expected, "{path}");
    }
}

#[test]
fn a_fault_names_the_segment() {
    let before = message(r#"nodes { name: "b" } labels { key: "x" value: 1 }"#);
    for (path, kind, segment) in [
        ("", PathErrorKind::NoSuchField, ""),
        ("nmae", PathErrorKind::NoSuchField, "nmae"),
        ("next.nmae.x", PathErrorKind::NoSuchField, "nmae"),
        ("name.x", PathErrorKind::NotAMessage, "name"),
        ("nodes.name", PathErrorKind::NotAMessage, "nodes"),
        ("labels.value", PathErrorKind::NotAMessage, "labels"),
        ("nodes[1].name", PathErrorKind::OutOfRange, "nodes[1]"),
        ("nodes[x]", PathErrorKind::WrongKind, "x"),
        ("nodes[-1]", PathErrorKind::WrongKind, "-1"),
        ("name[0]", PathErrorKind::WrongKind, "0"),
        ("labels[x]", PathErrorKind::WrongKind, "x"),
        ("labels[\"x\\n\"]", PathErrorKind::WrongKind, "\"x\\n\""),
        ("by_id[9223372036854775808].name", PathErrorKind::WrongKind, "9223372036854775808"),
        ("by_flag[1]", PathErrorKind::WrongKind, "1"),
        ("labels[\"x", PathErrorKind::Malformed, "[\"x"),
        ("nodes[0", PathErrorKind::Malformed, "[0"),
        ("nodes[0]name", PathErrorKind::Malformed, "name"),
        ("next..name", PathErrorKind::NoSuchField, ""),
        ("next.", PathErrorKind::NoSuchField, ""),
        ("[pkg.none]", PathErrorKind::NoSuchField, "[pkg.none]"),
        ("[pkg.none", PathErrorKind::NoSuchField, "[pkg.none"),
    ] {
        let error = before.get_path(path).unwrap_err();
        assert_eq!((error.kind(), error.segment(), error.path()), (kind, segment, path), "{error}");
        let mut message = before.clone();
        assert_eq!(message.set_path(path, 1).unwrap_err().kind(), kind, "{path}");
        assert_eq!(message.clear_path(path).unwrap_err().kind(), kind, "{path}");
        assert_eq!(message, before, "{path}");
    }
    let error = before.get_path("labels[\"y\"]").unwrap_err();
    assert_eq!((error.kind(), error.segment()), (PathErrorKind::NoSuchKey, "labels[\"y\"]"));
}

#[test]
fn setting_makes_what_is_on_the_way() {
    let mut message = message("nodes {}");
    message.set_path("next.next.color", "GREEN").unwrap();
    message.set_path("by_id[5].next.labels[\"k\"]", 9).unwrap();
    message.set_path("by_id[5].name", "same entry").unwrap();
    message.set_path("nodes[0].numbers", [1, 2]).unwrap();
    message.set_path("nodes[0].numbers[1]", 3).unwrap();
    let expected = r#"nodes { numbers: [1, 3] } next { next { color: GREEN } }
        by_id { key: 5 value { name: "same entry" next { labels { key: "k" value: 9 } } } }"#;
    assert_eq!(message, self::message(expected));
}

#[test]
fn a_value_that_is_refused_changes_nothing() {
    let before = message("by_id { key: 1 value {} }");
    for (path, value) in [
        ("next.next.color", Value::from("BLUE")),
        ("by_id[2].name", Value::from(7)),
        ("by_id[1].next.next.numbers", Value::from("x")),
        ("by_id[1].next.labels[\"k\"]", Value::from(1u64 << 40)),
        ("next.nodes[0].name", Value::from("x")),
    ] {
        let mut message = before.clone();
        let error = message.set_path(path, value).unwrap_err();
        assert!(error.path() == path && message == before, "{error}: {message}");
    }
    let error = before.clone().set_path("next.name", 7).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the field does not take the value: name in pkg.Node, in the path next.name \
         (the value is of the wrong type: pkg.Node.name expects string, not I32)"
    );
}

#[test]
fn clearing_leaves_what_is_on_the_way() {
    let source =
        r#"nodes { name: "a" } nodes { name: "b" } next { next { name: "c" } } labels { key: "k" value: 1 }"#;
    let cleared = |path: &str| {
        let mut message = message(source);
        message.clear_path(path).unwrap();
        message
    };
    for (path, expected) in [
        ("nodes[0]", r#"nodes { name: "b" } next { next { name: "c" } } labels { key: "k" value: 1 }"#),
        ("nodes", r#"next { next { name: "c" } } labels { key: "k" value: 1 }"#),
        ("next.next", r#"nodes { name: "a" } nodes { name: "b" } next {} labels { key: "k" value: 1 }"#),
        ("labels[\"k\"]", r#"nodes { name: "a" } nodes { name: "b" } next { next { name: "c" } }"#),
        // What is not there stays so.
        ("next.next.next.name", source),
        ("labels[\"none\"]", source),
        ("by_id[3].name", source),
        ("nodes[1].next.name", source),
    ] {
        assert_eq!(cleared(path), message(expected), "{path}");
    }
}

/// A part that passes through is decoded where a path goes into it, and stays otherwise.
#[test]
fn parts_that_are_not_decoded() {
    let bytes =
        message(r#"name: "a" next { name: "b" color: GREEN } nodes { name: "c" }"#).encode_to_vec().unwrap();
    let passing = Projection::new(&node(), ["name"]).unwrap().pass_through();
    let mut message = passing.decode(&bytes).unwrap();
    assert_eq!(message.get_path("next.name").unwrap_err().kind(), PathErrorKind::Unselected);
    assert_eq!(message.set_path("nodes[0].name", "x").unwrap_err().kind(), PathErrorKind::Unselected);
    message.set_path("next.name", "d").unwrap();
    let all = DynamicMessage::decode(&node(), &message.encode_to_vec().unwrap()).unwrap();
    assert_eq!(all, self::message(r#"name: "a" next { name: "d" color: GREEN } nodes { name: "c" }"#));
}
