//! Structs of `message!` in text format.

use std::collections::BTreeMap;
use tablepb::text::{FormatOptions, ParseErrorKind, ParseOptions};
use tablepb::{EncodeErrorKind, Message};

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
    let node = Node::parse_text_format(TEXT).unwrap();
    assert_eq!(node.counts["b"], 2);
    assert_eq!(node.children[0].choice, Some(Choice::Text(String::new())));
    assert_eq!((node.maybe, node.color, node.data.as_slice()), (Some(0.1), Color::Green, &b"\0\xff"[..]));
    assert_eq!(node.to_text_format(), TEXT);
    let pretty = FormatOptions::new().pretty(true).skip_default_fields(false);
    let mut buffer = b"kept ".to_vec();
    Node::default().append_text_format(&mut buffer, &pretty).unwrap();
    let all = "kept node_name: \"\"\ndata: \"\"\ncounts: []\nchildren: []\ncolor: RED";
    assert_eq!(String::from_utf8(buffer).unwrap(), all);
    assert_eq!(Node::parse_text_format(&node.to_text_format_with_options(&pretty)).unwrap(), node);
}

#[test]
fn a_merge_is_whole_or_nothing() {
    let mut node = Node::parse_text_format(TEXT).unwrap();
    node.local = 7;
    node.merge_text_format(
        "node_name: 'new' counts { key: 'b' value: 5 } counts { key: 'c' } children {} color: 0 Number: 3",
    )
    .unwrap();
    assert_eq!((node.node_name.as_str(), node.color, node.local), ("new", Color::Red, 7));
    assert_eq!(node.counts.values().copied().collect::<Vec<_>>(), [1, 5, 0]);
    assert_eq!((node.children.len(), &node.choice), (3, &Some(Choice::Number(3))));
    let before = node.to_text_format();
    let error = node.merge_text_format("node_name: 'lost' node_name: 'x'").unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::DuplicateField);
    assert_eq!(node.to_text_format(), before);
}

#[test]
fn errors_name_the_struct() {
    let error = Node::parse_text_format("children { color: BLUE }").unwrap_err();
    assert_eq!(error.message_name(), Some("t.Node"));
    assert_eq!(error.path().to_string(), "children[0].color");
    let kind = |text: &str, options: &ParseOptions| {
        Strict::parse_text_format_with(text, options).map_err(|e| e.kind())
    };
    assert_eq!(kind("", &ParseOptions::new()), Err(ParseErrorKind::MissingRequired));
    assert_eq!(kind("", &ParseOptions::new().allow_partial(true)), Ok(Strict { id: None }));
    assert_eq!(kind("id: 0", &ParseOptions::new()), Ok(Strict { id: Some(0) }));
    assert_eq!(kind("id: 5", &ParseOptions::new().budget(100)), Err(ParseErrorKind::BudgetExceeded));
    assert_eq!(
        kind("id: 5 x {}", &ParseOptions::new().deny_unknown_fields(false)),
        Ok(Strict { id: Some(5) })
    );
    assert_eq!(Strict::default().to_text_format(), "");
    let deep = (0..101).fold(Node::default(), |child, _| Node { children: vec![child], ..Node::default() });
    let error = deep.append_text_format(&mut Vec::new(), &FormatOptions::new()).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
}
