//! Structs of `message!` as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use tablepb::Message;
use tablepb::json::{DeserializeErrorKind, DeserializeOptions, SerializeErrorKind, SerializeOptions};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red = 0,
    Green = 1,
}

tablepb::enumeration! {
    Color as "t.Color" { Red as "RED" = 0, Green as "GREEN" = 1 }
}

#[derive(Debug, PartialEq)]
enum Choice {
    Number(i32),
    Text(String),
}

#[derive(Debug, Default, PartialEq)]
struct Node {
    node_name: String,
    data: Vec<u8>,
    counts: BTreeMap<String, u64>,
    children: Vec<Node>,
    color: Color,
    maybe: Option<f32>,
    choice: Option<Choice>,
    /// Not listed.
    local: u32,
}

tablepb::message! {
    Node as "t.Node" {
        node_name: string = 1,
        data: bytes = 2,
        counts: map<string, uint64> = 3,
        children: repeated message Node = 4,
        color: enum Color = 5,
        maybe: optional float = 6,
        choice: oneof Choice { Number: int32 = 7, Text: string = 8 },
        local: skip,
    }
}

#[derive(Debug, Default, PartialEq)]
struct Borrowed<'a> {
    text: Cow<'a, str>,
    raw: &'a [u8],
}

tablepb::message! {
    Borrowed<'a> as "t.Borrowed" { text: string = 1, raw: bytes = 2 }
}

#[derive(Debug, Default, PartialEq)]
struct Strict {
    id: Option<i32>,
}

tablepb::message! {
    Strict as "t.Strict" syntax "proto2" { id: required int32 = 1 }
}

const JSON: &str = r#"{"nodeName":"root","data":"AAE=","counts":{"a":"1","b":"2"},"children":[{"nodeName":"x","Text":""},{}],"color":"GREEN","maybe":0.1}"#;

#[test]
fn structs_go_both_ways() {
    let node = Node::from_json(JSON.as_bytes()).unwrap();
    assert_eq!(node.counts["b"], 2);
    assert_eq!(node.children[0].choice, Some(Choice::Text(String::new())));
    assert_eq!(node.maybe, Some(0.1));
    assert_eq!(node.to_json_string().unwrap(), JSON);
    let mut buffer = b"kept".to_vec();
    let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
    Node::default().to_json_with(&mut buffer, &options).unwrap();
    let all = r#"kept{"node_name":"","data":"","counts":{},"children":[],"color":"RED"}"#;
    assert_eq!(String::from_utf8(buffer).unwrap(), all);
    let borrowed = Borrowed { text: "a".into(), raw: b"\xff" };
    assert_eq!(borrowed.to_json_string().unwrap(), r#"{"text":"a","raw":"/w=="}"#);
}

#[test]
fn a_merge_is_whole_or_nothing() {
    let mut node = Node::from_json(JSON.as_bytes()).unwrap();
    node.local = 7;
    node.merge_json(br#"{"nodeName":"new","counts":{"b":5,"c":6},"children":[{}],"color":0,"Number":3}"#)
        .unwrap();
    assert_eq!((node.node_name.as_str(), node.color, node.local), ("new", Color::Red, 7));
    assert_eq!(node.counts.values().copied().collect::<Vec<_>>(), [1, 5, 6]);
    assert_eq!((node.children.len(), &node.choice), (3, &Some(Choice::Number(3))));
    let before = node.to_json_string().unwrap();
    let error = node.merge_json(br#"{"nodeName":"lost","counts":{"x":1,"x":2}}"#).unwrap_err();
    assert_eq!(error.kind(), DeserializeErrorKind::DuplicateKey);
    assert_eq!(error.path().to_string(), "counts");
    assert_eq!(node.to_json_string().unwrap(), before);
}

#[test]
fn errors_name_the_struct() {
    let error = Node::from_json(br#"{"children":[{"color":"BLUE"}]}"#).unwrap_err();
    assert_eq!(error.message_name(), Some("t.Node"));
    assert_eq!(error.path().to_string(), "children[0].color");
    let lenient = DeserializeOptions::new().deny_unknown_fields(false);
    assert!(Node::from_json_with(br#"{"children":[{"color":"BLUE"}],"x":[]}"#, &lenient).is_ok());
    let kind = |json: &str, options: &DeserializeOptions| {
        Strict::from_json_with(json.as_bytes(), options).map_err(|e| e.kind())
    };
    assert_eq!(kind("{}", &DeserializeOptions::new()), Err(DeserializeErrorKind::MissingRequired));
    assert_eq!(kind("{}", &DeserializeOptions::new().allow_partial(true)), Ok(Strict { id: None }));
    assert_eq!(kind(r#"{"id":0}"#, &DeserializeOptions::new()), Ok(Strict { id: Some(0) }));
    assert_eq!(Strict::default().to_json_string().unwrap(), "{}");
    // A struct without strings, lists and boxes takes no memory.
    let budget = DeserializeOptions::new().budget(100);
    assert_eq!(kind(r#"{"id":5}"#, &budget), Ok(Strict { id: Some(5) }));
    let error = Node::from_json_with(br#"{"children":[{}]}"#, &budget).unwrap_err();
    assert_eq!(error.kind(), DeserializeErrorKind::BudgetExceeded);
    let deep = (0..101).fold(Node::default(), |child, _| Node { children: vec![child], ..Node::default() });
    assert_eq!(deep.to_json_string().unwrap_err().kind(), SerializeErrorKind::DepthExceeded);
}
