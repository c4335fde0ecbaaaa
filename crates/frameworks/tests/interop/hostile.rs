//! What deserializers may hand over that is no message: depth, types, keys, and the odd forms that are allowed.

use crate::common::heap::measure;
use crate::common::wire::Wire;
use crate::formats::Format;
use ciborium::Value as Cbor;
use serde::Serialize;
use serde_json::{Value as Json, json};
use tablepb::json;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb::wkt::TABLES;
use tablepb::{DescriptorPool, DynamicMessage, Enumeration, MessageDescriptor, wkt};

static COLOR: EnumTable = EnumTable::new("t.Color", &[("RED", 0), ("GREEN", 1)]);
static SUB: MessageTable = MessageTable::new("t.Sub", &[FieldTable::new("a", 1, Kind::Int32)]);
static NODE: MessageTable = MessageTable::new(
    "t.Node",
    &[
        FieldTable::new("child", 1, Kind::Message(|| &NODE)),
        FieldTable::new("number", 2, Kind::Int32),
        FieldTable::new("big", 3, Kind::Uint64),
        FieldTable::new("text", 4, Kind::String),
        FieldTable::new("data", 5, Kind::Bytes),
        FieldTable::new("flag", 6, Kind::Bool),
        FieldTable::new("color", 7, Kind::Enum(|| &COLOR)),
        FieldTable::new("ratio", 8, Kind::Double),
        FieldTable::new("small", 9, Kind::Float),
        FieldTable::new("list", 10, Kind::Int32).repeated(),
        FieldTable::new("nodes", 11, Kind::Message(|| &NODE)).repeated(),
        FieldTable::map("by_key", 12, Kind::Int32, Kind::Message(|| &SUB)),
        FieldTable::map("flags", 13, Kind::Bool, Kind::String),
        FieldTable::new("one", 14, Kind::Int32).oneof("choice"),
        FieldTable::new("two", 15, Kind::String).oneof("choice"),
        FieldTable::new("colors", 16, Kind::Enum(|| &COLOR)).repeated(),
        FieldTable::new("signed", 17, Kind::Sint64),
    ],
);

/// A pool with these and the well-known types, and a message that has some of those.
fn pool() -> DescriptorPool {
    let tables = [TABLES, &[&NODE, &COLOR_USER]].concat();
    let pool = DescriptorPool::from_tables(&tables).unwrap();
    let field = |name: &str, number, type_name: &str| {
        Wire::new().bytes(1, name).int(3, number).int(4, 1).int(5, 11).bytes(6, type_name)
    };
    let message = Wire::new()
        .bytes(1, "Known")
        .message(2, field("any", 1, ".google.protobuf.Any"))
        .message(2, field("value", 2, ".google.protobuf.Value"))
        .message(2, field("time", 3, ".google.protobuf.Timestamp"))
        .message(2, field("mask", 4, ".google.protobuf.FieldMask"))
        .message(2, field("wrapped", 5, ".google.protobuf.UInt64Value"));
    let mut file = Wire::new().bytes(1, "known.proto").bytes(2, "t").bytes(12, "proto3");
    for name in ["any", "struct", "timestamp", "field_mask", "wrappers"] {
        file = file.bytes(3, format!("google/protobuf/{name}.proto"));
    }
    // A body of many words.
    let numbers = (1..=44u64).fold(Wire::new().bytes(1, "Fat"), |fat, number| {
        let field = Wire::new().bytes(1, format!("f{number}")).int(3, number).int(4, 1).int(5, 6);
        fat.message(2, field)
    });
    let fats = Wire::new().bytes(1, "fats").int(3, 1).int(4, 3).int(5, 11).bytes(6, ".t.Fat");
    let fats = Wire::new().bytes(1, "Fats").message(2, fats);
    let file = file.message(4, message).message(4, numbers).message(4, fats);
    pool.add_file_descriptor_set(&Wire::new().message(1, file).0).unwrap()
}

static COLOR_USER: MessageTable =
    MessageTable::new("t.Pixel", &[FieldTable::new("color", 1, Kind::Enum(|| &COLOR))]);

fn of(name: &str) -> MessageDescriptor {
    pool().message(name).unwrap()
}

fn parse(descriptor: &MessageDescriptor, json: Json) -> Result<DynamicMessage, String> {
    DynamicMessage::deserialize(descriptor.clone(), json).map_err(|e| e.to_string())
}

fn cbor(descriptor: &MessageDescriptor, value: &Cbor) -> Result<DynamicMessage, String> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    Format::Cbor.parse(descriptor, &bytes, &json::Parser::new())
}

#[test]
fn depth_is_bounded() {
    let node = of("t.Node");
    let nested = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({ "child": inner }));
    for value in [nested(101), json!({ "nodes": [nested(100)] })] {
        parse(&node, value).unwrap();
    }
    for (value, path) in
        [(nested(102), "child.child"), (json!({ "nodes": [{}, nested(101)] }), "nodes[1].child")]
    {
        let error = parse(&node, value.clone()).unwrap_err();
        assert!(
            error.contains("nested deeper than the limit, in t.Node: ") && error.contains(path),
            "{error}"
        );
        let direct = tablepb::json::message_from_slice(&node, value.to_string().as_bytes()).unwrap_err();
        assert!(error.ends_with(&format!("t.Node: {}", direct.path())), "{error}\n{direct}");
    }
    let shallow = json::Parser::new().max_depth(2);
    let made = |value| shallow.deserialize(&node.clone(), value).is_ok();
    assert_eq!((made(nested(3)), made(nested(4))), (true, false));
    // Printing is bounded as well, content of an Any included.
    let any = of("google.protobuf.Any");
    let mut bytes = Vec::new();
    for _ in 0..102 {
        bytes = Wire::new().bytes(1, "x/google.protobuf.Any").bytes(2, &bytes).0;
    }
    let deep = DynamicMessage::decode(&any, &bytes).unwrap();
    let error = serde_json::to_value(&deep).unwrap_err().to_string();
    assert!(error.contains("nested deeper"), "{error}");
    // Values: a list is two levels.
    let value = of("google.protobuf.Value");
    let lists = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let objects = |levels| (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }));
    for levels in [25, 33, 34, 49, 50, 51, 99] {
        for deep in [lists(levels), objects(levels)] {
            let direct = tablepb::json::message_from_slice(&value, deep.to_string().as_bytes());
            assert_eq!(parse(&value, deep).is_ok(), direct.is_ok(), "{levels}");
        }
    }
}

/// Binary formats have negative keys, and whole numbers for floats.
#[test]
fn negative_integers_are_keys_and_floats() {
    let mut schema = crate::common::schema::Schema::default();
    let file = schema.file(crate::common::schema::Syntax::Proto3);
    let root = schema.message(file, "M");
    use crate::common::schema::{Card, Kind};
    schema.add_map(root, 1, Kind::Int64, Kind::Double);
    schema.add_map(root, 2, Kind::Uint32, Kind::Float);
    schema.add(root, 3, Kind::Float, Card::Implicit);
    let message = crate::common::bridge::descriptor(&schema, &schema.pool(), root);
    let map = |name: &str, key: i64, value: i64| {
        Cbor::Map(vec![(name.into(), Cbor::Map(vec![(key.into(), value.into())]))])
    };
    assert_eq!(cbor(&message, &map("f1", -7, -3)).unwrap().to_string(), "f1:[{key:-7,value:-3}]");
    assert_eq!(cbor(&message, &map("f1", 7, 3)).unwrap().to_string(), "f1:[{key:7,value:3}]");
    assert_eq!(cbor(&message, &map("f2", 7, -3)).unwrap().to_string(), "f2:[{key:7,value:-3}]");
    assert!(cbor(&message, &map("f2", -7, 3)).is_err());
    let float = Cbor::Map(vec![("f3".into(), (-5).into())]);
    assert_eq!(cbor(&message, &float).unwrap().to_string(), "f3:-5");
    let null = Cbor::Map(vec![("f3".into(), Cbor::Null)]);
    assert_eq!(cbor(&message, &null).unwrap().to_string(), "");
}

#[test]
fn wrong_types_are_refused_with_the_path() {
    let node = of("t.Node");
    for (value, fault) in [
        (json!({ "number": "x" }), "not a number that the field can hold, in t.Node: number"),
        (json!({ "number": 1.5 }), "not a number that the field can hold, in t.Node: number"),
        (json!({ "number": 1e10 }), "a number is out of range, in t.Node: number"),
        (json!({ "number": 2147483648u64 }), "a number is out of range, in t.Node: number"),
        (json!({ "number": true }), "does not take a value of this type, in t.Node: number"),
        (json!({ "number": {} }), "expected a 32-bit integer for t.Node: number"),
        (json!({ "number": [] }), "expected a 32-bit integer for t.Node: number"),
        (json!({ "big": -1 }), "a number is out of range, in t.Node: big"),
        (json!({ "text": 1 }), "expected a string for t.Node: text"),
        (json!({ "data": 1 }), "expected bytes in base64 for t.Node: data"),
        (json!({ "data": "*" }), "a string is not base64, in t.Node: data"),
        (json!({ "flag": "true" }), "does not take a value of this type, in t.Node: flag"),
        (json!({ "flag": 1 }), "does not take a value of this type, in t.Node: flag"),
        (json!({ "color": "BLUE" }), "the enum has no such value, in t.Node: color"),
        (json!({ "small": 1e300 }), "a number is out of range, in t.Node: small"),
        (json!({ "ratio": "" }), "not a number that the field can hold, in t.Node: ratio"),
        (json!({ "list": 1 }), "expected a list for t.Node: list"),
        (json!({ "list": [1, null] }), "does not take a value of this type, in t.Node: list[1]"),
        (json!({ "list": [1, 2, "x"] }), "not a number that the field can hold, in t.Node: list[2]"),
        (json!({ "nodes": [{}, { "list": [[]] }] }), "for t.Node: nodes[1].list[0]"),
        (json!({ "nodes": [null] }), "expected an object for t.Node: nodes[0]"),
        (json!({ "byKey": [] }), "expected a map for t.Node: by_key"),
        (json!({ "byKey": { "x": {} } }), "not a number that the field can hold, in t.Node: by_key"),
        (json!({ "byKey": { "1": null } }), "for t.Node: by_key"),
        (json!({ "byKey": { "1": { "a": "x" } } }), "in t.Node: by_key.a"),
        (json!({ "flags": { "1": "" } }), "does not take a value of this type, in t.Node: flags"),
        (json!({ "child": { "nope": 1 } }), "the message has no such field \"nope\", in t.Node: child"),
        (json!({ "one": 1, "two": "" }), "two members of one oneof are set, in t.Node: two"),
        (json!([]), "expected an object for t.Node"),
        (json!(null), "expected an object for t.Node"),
    ] {
        let error = parse(&node, value.clone()).unwrap_err();
        assert!(error.contains(fault), "{value}: {error}");
        assert!(tablepb::json::message_from_slice(&node, value.to_string().as_bytes()).is_err());
        // The type is used again.
        parse(&node, json!({ "number": 1, "list": [1] })).unwrap();
    }
}

#[test]
fn keys_come_once() {
    let node = of("t.Node");
    let duplicates = json::Parser::new().allow_duplicate_keys(true);
    for (text, path) in [
        (r#"{"number":1,"number":2}"#, "number"),
        (r#"{"by_key":{"1":{"a":1},"1":{"a":2}}}"#, "by_key"),
        (r#"{"child":{"by_key":{"1":{"a":9}},"byKey":{"1":{"a":2}}}}"#, "child.by_key"),
        (r#"{"list":[7],"list":[1,2]}"#, "list"),
    ] {
        let error = Format::Json.parse(&node, text.as_bytes(), &json::Parser::new()).unwrap_err();
        assert!(error.contains(&format!("a key occurs twice, in t.Node: {path}")), "{error}");
        let last = Format::Json.parse(&node, text.as_bytes(), &duplicates).unwrap();
        let direct = duplicates.message_from_slice(&node, text.as_bytes()).unwrap();
        assert_eq!(last, direct, "{text}");
    }
}

#[test]
fn nulls_are_what_they_are_in_json() {
    let (node, known) = (of("t.Node"), of("t.Known"));
    let all = json!({ "child": null, "number": null, "list": null, "byKey": null, "one": null, "two": "x" });
    assert_eq!(tablepb::json::to_string(&parse(&node, all).unwrap()).unwrap(), r#"{"two":"x"}"#);
    let value = json!({ "any": null, "value": null, "time": null, "wrapped": null });
    assert_eq!(tablepb::json::to_string(&parse(&known, value).unwrap()).unwrap(), r#"{"value":null}"#);
    let ignored = json::Parser::new().deny_unknown_fields(false);
    let text = r#"{"colors":["RED","NOPE",1],"color":"NOPE","more":[{"x":null}]}"#;
    let made = Format::Json.parse(&node, text.as_bytes(), &ignored).unwrap();
    assert_eq!(tablepb::json::to_string(&made).unwrap(), r#"{"colors":["RED","GREEN"]}"#);
}

/// Formats that tell nothing from a unit.
#[test]
fn none_is_null_wherever_it_stands() {
    use serde_value::Value as Memory;
    let text = |text: &str| Memory::String(text.into());
    let none = || Memory::Option(None);
    let object = |name: &str, value| Memory::Map([(text(name), value)].into());
    let parse = |message: &MessageDescriptor, value| {
        DynamicMessage::deserialize(message.clone(), value)
            .map_err(|error: serde_value::DeserializerError| error.to_string())
    };
    let (node, known, value) = (of("t.Node"), of("t.Known"), of("google.protobuf.Value"));
    for empty in [Memory::Unit, none()] {
        let printed = |message: &MessageDescriptor, value| {
            tablepb::json::to_string(&parse(message, value).unwrap()).unwrap()
        };
        // A `null_value` that is set, which prints as one that is not.
        assert_eq!(parse(&value, empty.clone()).unwrap().encode_to_vec().unwrap(), [8, 0]);
        assert_eq!(printed(&value, Memory::Seq(vec![empty.clone(), empty.clone()])), "[null,null]");
        assert_eq!(printed(&known, object("value", empty.clone())), r#"{"value":null}"#);
        assert_eq!(printed(&node, object("number", empty.clone())), "{}");
        for name in ["list", "colors", "nodes"] {
            let error = parse(&node, object(name, Memory::Seq(vec![empty.clone()]))).unwrap_err();
            assert!(error.contains(&format!("t.Node: {name}[0]")), "{error}");
        }
    }
}

#[test]
fn the_error_of_a_well_known_type_says_what_it_is_as_text() {
    for (name, what) in
        [("Timestamp", "a timestamp"), ("Duration", "a duration"), ("FieldMask", "a field mask")]
    {
        let error = parse(&of(&format!("google.protobuf.{name}")), json!(1)).unwrap_err();
        assert!(error.contains(&format!("expected {what}")), "{error}");
    }
}

#[test]
fn the_type_of_an_any_may_come_last() {
    let known = of("t.Known");
    let node = r#""text":"x","child":{"list":[1,2],"byKey":{"7":{"a":1}},"data":"AAE=","ratio":"NaN"}"#;
    let url = r#""@type":"example.org/t.Node""#;
    let first = format!(r#"{{"any":{{{url},{node}}}}}"#);
    let expected = tablepb::json::message_from_slice(&known, first.as_bytes()).unwrap();
    let time = r#""@type":"a/google.protobuf.Timestamp""#;
    let inner = format!(r#""value":{{"text":"y",{url}}},"@type":"b/google.protobuf.Any""#);
    for (text, expected) in [
        (first.clone(), Some(&expected)),
        (format!(r#"{{"any":{{{node},{url}}}}}"#), Some(&expected)),
        (format!(r#"{{"any":{{"text":"x",{url},{}}}}}"#, node.split_once(',').unwrap().1), Some(&expected)),
        (format!(r#"{{"any":{{"value":"1970-01-01T00:00:01Z",{time}}}}}"#), None),
        (format!(r#"{{"any":{{{inner}}}}}"#), None),
        (r#"{"any":{}}"#.into(), None),
    ] {
        let made = Format::Json.parse(&known, text.as_bytes(), &json::Parser::new());
        let made = made.unwrap_or_else(|e| panic!("{e}: {text}"));
        let direct = tablepb::json::message_from_slice(&known, text.as_bytes()).unwrap();
        assert_eq!(made, direct, "{text}");
        assert!(expected.is_none_or(|expected| *expected == made), "{text}");
        for format in crate::formats::ALL {
            let bytes = format.print(&made, &json::Printer::new());
            assert_eq!(format.parse(&known, &bytes, &json::Parser::new()), Ok(made.clone()), "{format:?}");
        }
    }
    for (text, fault) in [
        (r#"{"any":{"text":"x"}}"#.to_string(), "in t.Known: any"),
        (
            format!(r#"{{"any":{{"number":"x",{url}}}}}"#),
            "not a number that the field can hold, in t.Known: any.number",
        ),
        (
            format!(r#"{{"any":{{"number":1,"number":2,{url}}}}}"#),
            "a key occurs twice, in t.Known: any.number",
        ),
        (format!(r#"{{"any":{{{url},{url}}}}}"#), "a key occurs twice, in t.Known: any"),
        (format!(r#"{{"any":{{{time}}}}}"#), "\"@type\" or \"value\""),
        (format!(r#"{{"any":{{{time},"value":"","value":""}}}}"#), "in t.Known: any"),
        (r#"{"any":{"@type":"x/t.Nope"}}"#.into(), "does not have the type"),
        (r#"{"any":{"@type":"t.Node"}}"#.into(), "\"@type\" or \"value\""),
        (r#"{"any":{"@type":7}}"#.into(), "expected a string for t.Known: any"),
        (format!(r#"{{"any":{{"x":{}{},{url}}}}}"#, "[".repeat(110), "]".repeat(110)), "nested deeper"),
    ] {
        let error = Format::Json.parse(&known, text.as_bytes(), &json::Parser::new()).unwrap_err();
        assert!(error.contains(fault), "{text}: {error}");
        assert!(tablepb::json::message_from_slice(&known, text.as_bytes()).is_err(), "{text}");
        Format::Json.parse(&known, first.as_bytes(), &json::Parser::new()).unwrap();
    }
}

#[test]
fn binary_formats_have_bytes_and_numbers_of_their_own() {
    let node = of("t.Node");
    let text = |text: &str| Cbor::Text(text.into());
    let map = |members: Vec<(&str, Cbor)>| {
        Cbor::Map(members.into_iter().map(|(key, value)| (text(key), value)).collect())
    };
    let made = cbor(
        &node,
        &map(vec![
            ("data", Cbor::Bytes(vec![0, 255])),
            ("number", Cbor::Float(7.0)),
            ("big", Cbor::Integer(u64::MAX.into())),
            ("signed", Cbor::Integer(i64::MIN.into())),
            ("ratio", Cbor::Float(f64::NAN)),
            ("small", Cbor::Integer(3.into())),
            ("byKey", Cbor::Map(vec![(Cbor::Integer(5.into()), map(vec![("a", Cbor::Integer(1.into()))]))])),
            ("flags", Cbor::Map(vec![(Cbor::Bool(true), text("y"))])),
        ]),
    )
    .unwrap();
    assert_eq!(
        tablepb::json::to_string(&made).unwrap(),
        r#"{"number":7,"big":"18446744073709551615","data":"AP8=","ratio":"NaN","small":3,"byKey":{"5":{"a":1}},"flags":{"true":"y"},"signed":"-9223372036854775808"}"#
    );
    for (value, fault) in [
        (map(vec![("text", Cbor::Bytes(vec![65]))]), "text"),
        (map(vec![("number", Cbor::Float(0.5))]), "not a number that the field can hold, in t.Node: number"),
        (
            map(vec![("number", Cbor::Float(f64::NAN))]),
            "not a number that the field can hold, in t.Node: number",
        ),
        (map(vec![("big", Cbor::Float(1e20))]), "out of range, in t.Node: big"),
        (map(vec![("flags", Cbor::Map(vec![(Cbor::Integer(1.into()), text("y"))]))]), "in t.Node: flags"),
        (Cbor::Map(vec![(Cbor::Integer(1.into()), text("y"))]), "expected string"),
    ] {
        let error = cbor(&node, &value).unwrap_err();
        assert!(error.contains(fault), "{error}");
    }
    let value = of("google.protobuf.Value");
    assert!(cbor(&value, &Cbor::Float(f64::INFINITY)).unwrap_err().contains("out of range"));
    assert_eq!(tablepb::json::to_string(&cbor(&value, &Cbor::Null).unwrap()).unwrap(), "null");
    // YAML has strings without quotes.
    let yaml = "text: 12\nnumber: 12\nlist: [1, 2]\nchild:\n  data: AAE=\n";
    let made = Format::Yaml.parse(&node, yaml.as_bytes(), &json::Parser::new()).unwrap();
    let json = r#"{"child":{"data":"AAE="},"number":12,"text":"12","list":[1,2]}"#;
    assert_eq!(tablepb::json::to_string(&made).unwrap(), json);
}

#[test]
fn memory_follows_what_is_read() {
    let node = of("t.Node");
    // Small elements, empty messages and long strings stay within the budget that they add to.
    let long = "x".repeat(1 << 20);
    let numbers: Vec<u32> = (0..300_000).collect();
    let empty = vec![json!({}); 200_000];
    for value in [
        json!({ "list": numbers }),
        json!({ "nodes": empty }),
        json!({ "text": long, "nodes": [{ "text": long }] }),
    ] {
        let direct = tablepb::json::message_from_slice(&node, value.to_string().as_bytes()).unwrap();
        assert_eq!(parse(&node, value.clone()).as_ref(), Ok(&direct));
        let bytes = Format::Cbor.print(&direct, &json::Printer::new());
        let (made, used) = measure(|| Format::Cbor.parse(&node, &bytes, &json::Parser::new()));
        assert_eq!(made.as_ref(), Ok(&direct));
        // ciborium holds a copy of a string while it hands it over.
        let budget = (1 << 20) + 33 * value.to_string().len();
        assert!(used.peak < budget, "{} of {budget}", used.peak);
        let small = json::Parser::new().budget(1 << 16);
        let error = Format::Cbor.parse(&node, &bytes, &small).unwrap_err();
        assert!(error.contains("more memory than the budget"), "{error}");
    }
}

#[test]
fn the_content_of_an_any_adds_to_the_budget_of_the_message_around_it() {
    let known = of("t.Known");
    // The content is made in a builder of its own and then copied.
    for len in [1 << 10, 600 << 10, 4 << 20] {
        let text = json!({ "any": { "@type": "a/t.Node", "text": "x".repeat(len) } });
        let direct = tablepb::json::message_from_slice(&known, text.to_string().as_bytes()).unwrap();
        // `assert!`, because `assert_eq!` would print all of it.
        assert!(parse(&known, text) == Ok(direct), "{len}");
    }
}

#[test]
fn a_null_value_of_any_number_is_null() {
    static NULLS: MessageTable = MessageTable::new(
        "t.Nulls",
        &[FieldTable::new("nulls", 1, Kind::Enum(|| wkt::NullValue::TABLE)).repeated()],
    );
    let nulls = DescriptorPool::from_tables(&[&NULLS]).unwrap().message("t.Nulls").unwrap();
    let message = DynamicMessage::decode(&nulls, &[8, 0, 8, 27]).unwrap();
    assert_eq!(serde_json::to_value(&message).unwrap(), json!({ "nulls": [null, null] }));
    assert_eq!(tablepb::json::to_string(&message).unwrap(), r#"{"nulls":[null,null]}"#);
}

/// Each level of `Any` that keeps its content counted it again.
#[test]
fn what_waits_for_a_type_counts_once_more_and_not_once_per_level() {
    let any = of("google.protobuf.Any");
    let late = |levels: usize, elements: usize| {
        let fats = vec![r#"{"f1":1}"#; elements].join(",");
        let content = format!(r#"{{"fats":[{fats}],"@type":"a/t.Fats"}}"#);
        (0..levels)
            .fold(content, |inner, _| format!(r#"{{"value":{inner},"@type":"a/google.protobuf.Any"}}"#))
    };
    let made = |text: &str| {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        DynamicMessage::deserialize(any.clone(), &mut deserializer).map_err(|error| error.to_string())
    };
    // Each element takes far more memory than it adds to the budget.
    for levels in [0, 1, 40] {
        let error = made(&late(levels, 100_000)).err().unwrap_or_else(|| panic!("{levels} levels"));
        assert!(error.contains("more memory than the budget"), "{levels}: {error}");
    }
    // What is small comes through at any level.
    for levels in [0, 1, 40] {
        let text = late(levels, 1_000);
        let direct = tablepb::json::message_from_slice(&any, text.as_bytes()).unwrap();
        // `assert!`, because `assert_eq!` would print all of it.
        assert!(made(&text) == Ok(direct), "{levels}");
    }
}

#[test]
fn what_cannot_be_printed_is_an_error_with_its_path() {
    let known = of("t.Known");
    for (bytes, fault) in [
        (
            Wire::new().message(3, Wire::new().int(2, 1_000_000_000)),
            "a time or duration is out of range, in t.Known: time",
        ),
        (Wire::new().message(4, Wire::new().bytes(1, "aB")), "has no form in JSON, in t.Known: mask"),
        (
            Wire::new().message(2, Wire::new().fixed64(2, f64::NAN.to_bits())),
            "is not a finite number, in t.Known: value",
        ),
        (
            Wire::new().message(1, Wire::new().bytes(1, "x/t.Nope")),
            "does not have the type of a google.protobuf.Any, in t.Known: any",
        ),
        (
            Wire::new().message(1, Wire::new().bytes(1, "x/t.Node").bytes(2, [8])),
            "bytes of a nested message are not valid, in t.Known: any",
        ),
    ] {
        let message = DynamicMessage::decode(&known, &bytes.0).unwrap();
        let error = message.serialize(serde_json::value::Serializer).unwrap_err().to_string();
        assert!(error.contains(fault), "{error}");
        assert!(tablepb::json::to_string(&message).is_err());
    }
}
