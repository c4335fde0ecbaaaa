//! Structs of `message!` in text format.

use std::collections::BTreeMap;
use tablepb::EncodeErrorKind;
use tablepb::ParseErrorKind;
use tablepb::text;

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
struct Strict {
    id: Option<i32>,
}

tablepb::message! {
    Strict as "t.Strict" syntax "proto2" { id: required int32 = 1 }
}

const TEXT: &str = r#"node_name:"root",data:"\000\377",counts:[{key:"a",value:1},{key:"b",value:2}],children:[{node_name:"x",Text:""},{}],color:GREEN,maybe:0.1"#;

#[test]
fn structs_go_both_ways() {
    let node = tablepb::text::from_str::<Node>(TEXT).unwrap();
    assert_eq!(node.counts["b"], 2);
    assert_eq!(node.children[0].choice, Some(Choice::Text(String::new())));
    assert_eq!((node.maybe, node.color, node.data.as_slice()), (Some(0.1), Color::Green, &b"\0\xff"[..]));
    assert_eq!(tablepb::text::to_string(&node).unwrap(), TEXT);
    let pretty = text::Printer::new().pretty(true).skip_default_fields(false);
    let mut buffer = b"kept ".to_vec();
    pretty.append(&mut buffer, &Node::default()).unwrap();
    let all = "kept node_name: \"\"\ndata: \"\"\ncounts: []\nchildren: []\ncolor: RED";
    assert_eq!(String::from_utf8(buffer).unwrap(), all);
    assert_eq!(tablepb::text::from_str::<Node>(&pretty.to_string(&node).unwrap()).unwrap(), node);
}

#[test]
fn a_merge_is_whole_or_nothing() {
    let mut node = tablepb::text::from_str::<Node>(TEXT).unwrap();
    node.local = 7;
    tablepb::text::merge_from_str(
        &mut node,
        "node_name: 'new' counts { key: 'b' value: 5 } counts { key: 'c' } children {} color: 0 Number: 3",
    )
    .unwrap();
    assert_eq!((node.node_name.as_str(), node.color, node.local), ("new", Color::Red, 7));
    assert_eq!(node.counts.values().copied().collect::<Vec<_>>(), [1, 5, 0]);
    assert_eq!((node.children.len(), &node.choice), (3, &Some(Choice::Number(3))));
    let before = tablepb::text::to_string(&node).unwrap();
    let error = tablepb::text::merge_from_str(&mut node, "node_name: 'lost' node_name: 'x'").unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::DuplicateField);
    assert_eq!(tablepb::text::to_string(&node).unwrap(), before);
}

#[test]
fn errors_name_the_struct() {
    let error = tablepb::text::from_str::<Node>("children { color: BLUE }").unwrap_err();
    assert_eq!(error.message_name(), Some("t.Node"));
    assert_eq!(error.path().to_string(), "children[0].color");
    let kind = |text: &str, options: &text::Parser| options.from_str::<Strict>(text).map_err(|e| e.kind());
    assert_eq!(kind("", &text::Parser::new()), Err(ParseErrorKind::MissingRequired));
    assert_eq!(kind("", &text::Parser::new().allow_partial(true)), Ok(Strict { id: None }));
    assert_eq!(kind("id: 0", &text::Parser::new()), Ok(Strict { id: Some(0) }));
    assert_eq!(kind("id: 5", &text::Parser::new().budget(100)), Err(ParseErrorKind::BudgetExceeded));
    assert_eq!(
        kind("id: 5 x {}", &text::Parser::new().deny_unknown_fields(false)),
        Ok(Strict { id: Some(5) })
    );
    assert_eq!(tablepb::text::to_string(&Strict::default()).unwrap(), "");
    let deep = (0..101).fold(Node::default(), |child, _| Node { children: vec![child], ..Node::default() });
    let error = text::Printer::new().append(&mut Vec::new(), &deep).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Light {
    #[default]
    Off = 0,
    On = 1,
}

tablepb::enumeration! {
    Light as "example.Light" { Off as "OFF" | "DARK" = 0, On as "ON" | "BRIGHT" | "LIT" = 1 }
}

#[derive(Debug, Default, PartialEq)]
struct Lamp {
    lights: Vec<Light>,
}

tablepb::message! { Lamp as "example.Lamp" { lights: repeated enum Light = 1 } }

/// All names of a number are read, and the first is written, as in C++.
#[test]
fn aliases_of_enum_values_are_read() {
    let lamp = Lamp { lights: vec![Light::On, Light::On, Light::On, Light::Off] };
    let source = "lights: [ON, BRIGHT, LIT, DARK]";
    assert_eq!(tablepb::text::from_str::<Lamp>(source).unwrap(), lamp);
    assert_eq!(tablepb::text::to_string(&lamp).unwrap(), "lights:[ON,ON,ON,OFF]");
    let json = r#"{"lights":["ON","BRIGHT","LIT","DARK"]}"#;
    assert_eq!(tablepb::json::from_str::<Lamp>(json).unwrap(), lamp);
    assert_eq!(tablepb::json::to_string(&lamp).unwrap(), r#"{"lights":["ON","ON","ON","OFF"]}"#);
    let pool = tablepb::DescriptorPool::from_tables(&[<Lamp as tablepb::Message>::TABLE]).unwrap();
    let light = pool.enumeration("example.Light").unwrap();
    assert!(light.allows_alias());
    assert_eq!(light.value("LIT").unwrap().number(), 1);
}
