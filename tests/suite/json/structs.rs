//! Structs of `message!` as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use tablepb::EncodeErrorKind;
use tablepb::ParseErrorKind;
use tablepb::json;

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
    let node = tablepb::json::from_slice::<Node>(JSON.as_bytes()).unwrap();
    assert_eq!(node.counts["b"], 2);
    assert_eq!(node.children[0].choice, Some(Choice::Text(String::new())));
    assert_eq!(node.maybe, Some(0.1));
    assert_eq!(tablepb::json::to_string(&node).unwrap(), JSON);
    let mut buffer = b"kept".to_vec();
    let options = json::Printer::new().use_proto_field_name(true).skip_default_fields(false);
    options.append(&mut buffer, &Node::default()).unwrap();
    let all = r#"kept{"node_name":"","data":"","counts":{},"children":[],"color":"RED"}"#;
    assert_eq!(String::from_utf8(buffer).unwrap(), all);
    let borrowed = Borrowed { text: "a".into(), raw: b"\xff" };
    assert_eq!(tablepb::json::to_string(&borrowed).unwrap(), r#"{"text":"a","raw":"/w=="}"#);
}

#[test]
fn a_merge_is_whole_or_nothing() {
    let mut node = tablepb::json::from_slice::<Node>(JSON.as_bytes()).unwrap();
    node.local = 7;
    tablepb::json::merge_from_slice(
        &mut node,
        br#"{"nodeName":"new","counts":{"b":5,"c":6},"children":[{}],"color":0,"Number":3}"#,
    )
    .unwrap();
    assert_eq!((node.node_name.as_str(), node.color, node.local), ("new", Color::Red, 7));
    assert_eq!(node.counts.values().copied().collect::<Vec<_>>(), [1, 5, 6]);
    assert_eq!((node.children.len(), &node.choice), (3, &Some(Choice::Number(3))));
    let before = tablepb::json::to_string(&node).unwrap();
    let error = tablepb::json::merge_from_slice(&mut node, br#"{"nodeName":"lost","counts":{"x":1,"x":2}}"#)
        .unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::DuplicateKey);
    assert_eq!(error.path().to_string(), "counts");
    assert_eq!(tablepb::json::to_string(&node).unwrap(), before);
}

#[test]
fn errors_name_the_struct() {
    let error = tablepb::json::from_slice::<Node>(br#"{"children":[{"color":"BLUE"}]}"#).unwrap_err();
    assert_eq!(error.message_name(), Some("t.Node"));
    assert_eq!(error.path().to_string(), "children[0].color");
    let lenient = json::Parser::new().deny_unknown_fields(false);
    assert!(lenient.from_slice::<Node>(br#"{"children":[{"color":"BLUE"}],"x":[]}"#).is_ok());
    let kind = |json: &str, options: &json::Parser| {
        options.from_slice::<Strict>(json.as_bytes()).map_err(|e| e.kind())
    };
    assert_eq!(kind("{}", &json::Parser::new()), Err(ParseErrorKind::MissingRequired));
    assert_eq!(kind("{}", &json::Parser::new().allow_partial(true)), Ok(Strict { id: None }));
    assert_eq!(kind(r#"{"id":0}"#, &json::Parser::new()), Ok(Strict { id: Some(0) }));
    assert_eq!(tablepb::json::to_string(&Strict::default()).unwrap(), "{}");
    // A struct without strings, lists and boxes takes no memory.
    let budget = json::Parser::new().budget(size_of::<Node>() - 1);
    assert_eq!(kind(r#"{"id":5}"#, &budget), Ok(Strict { id: Some(5) }));
    let error = budget.from_slice::<Node>(br#"{"children":[{}]}"#).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::BudgetExceeded);
    let deep = (0..101).fold(Node::default(), |child, _| Node { children: vec![child], ..Node::default() });
    assert_eq!(tablepb::json::to_string(&deep).unwrap_err().kind(), EncodeErrorKind::DepthExceeded);
}
