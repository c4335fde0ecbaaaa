//! What nests in every way that has a form of its own in JSON or text, about a hundred levels deep: what is printed can be read, and what cannot be read is not
//! printed, in JSON, through serde and in the text format.

use crate::common::choices::Choices;
use crate::common::rounds;
use crate::common::wire::Wire;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use tablepb::partial::Projection;
use tablepb::{
    DecodeOptions, Decoder, DescriptorPool, DynamicMessage, EncodeErrorKind, Message, MessageDescriptor,
    ParseErrorKind, json, text, wkt,
};

#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    child: Option<Box<Node>>,
    many: Vec<Node>,
    by_key: BTreeMap<String, Node>,
    group: Option<Box<Node>>,
    any: Option<wkt::Any>,
    value: Option<wkt::Value>,
}

tablepb::message! {
    #[serde]
    Node as "t.Node" syntax "proto2" {
        child: message Node = 1,
        many: repeated message Node = 2,
        by_key: map<string, message Node> = 3,
        group: group Node = 4,
        any: message wkt::Any = 5,
        value: message wkt::Value = 6,
    }
}

fn node() -> MessageDescriptor {
    static DESCRIPTOR: OnceLock<MessageDescriptor> = OnceLock::new();
    let make = || DescriptorPool::from_tables(&[Node::TABLE]).unwrap().message("t.Node").unwrap();
    DESCRIPTOR.get_or_init(make).clone()
}

/// The same in three forms, and in how many levels.
struct Forms {
    wire: Wire,
    json: String,
    text: String,
    levels: usize,
    /// Without what is bytes on the wire.
    of_wire: usize,
}

/// An `Any`, as an encoder writes it: without a value that is empty.
fn any(url: &str, content: Wire) -> Wire {
    let of = Wire::new().bytes(1, url);
    if content.0.is_empty() { of } else { of.message(2, content) }
}

/// Values in values.
fn value(choices: &mut Choices, times: usize) -> Forms {
    let mut of = Forms {
        wire: Wire::new().int(1, 0),
        json: "null".into(),
        text: "null_value:NULL_VALUE".into(),
        levels: 0,
        of_wire: 0,
    };
    for _ in 0..times {
        let (wire, json, text, levels) = if choices.below(2) == 0 {
            let list = Wire::new().message(6, Wire::new().message(1, of.wire));
            (list, format!("[{}]", of.json), format!("list_value{{values:[{{{}}}]}}", of.text), 2)
        } else {
            let entry = Wire::new().bytes(1, "k").message(2, of.wire);
            let object = Wire::new().message(5, Wire::new().message(1, entry));
            let text = format!("struct_value{{fields:[{{key:\"k\",value{{{}}}}}]}}", of.text);
            (object, format!("{{\"k\":{}}}", of.json), text, 3)
        };
        of = Forms { wire, json, text, levels: of.levels + levels, of_wire: of.of_wire + levels };
    }
    of
}

/// A node that nests so many times.
fn nested(choices: &mut Choices, times: usize) -> Forms {
    let mut of = Forms { wire: Wire::new(), json: "{}".into(), text: String::new(), levels: 0, of_wire: 0 };
    if choices.below(3) == 0 {
        let inner = choices.below(12);
        let inner = value(choices, inner);
        of = Forms {
            wire: Wire::new().message(6, inner.wire),
            json: format!("{{\"value\":{}}}", inner.json),
            text: format!("value{{{}}}", inner.text),
            levels: inner.levels + 1,
            of_wire: inner.of_wire + 1,
        };
    }
    for _ in 0..times {
        let Forms { wire, json, text, levels, of_wire } = of;
        let new = Wire::new();
        // The fields of a node beside its type.
        let typed = match json.as_str() {
            "{}" => r#"{"@type":"x/t.Node"}"#.to_string(),
            fields => format!(r#"{{"@type":"x/t.Node",{}"#, &fields[1..]),
        };
        let way = choices.below(6);
        let (wire, json, text, more) = match way {
            0 => (new.message(1, wire), format!("{{\"child\":{json}}}"), format!("child{{{text}}}"), 1),
            1 => (new.message(2, wire), format!("{{\"many\":[{json}]}}"), format!("many:[{{{text}}}]"), 1),
            2 => {
                let entry = Wire::new().bytes(1, "k").message(2, wire);
                let text = format!("by_key:[{{key:\"k\",value{{{text}}}}}]");
                (new.message(3, entry), format!("{{\"byKey\":{{\"k\":{json}}}}}"), text, 2)
            }
            3 => (new.group(4, wire), format!("{{\"group\":{json}}}"), format!("group{{{text}}}"), 1),
            4 => {
                let text = format!("any{{[x/t.Node]{{{text}}}}}");
                (new.message(5, any("x/t.Node", wire)), format!("{{\"any\":{typed}}}"), text, 2)
            }
            _ => {
                let outer = any("x/google.protobuf.Any", any("x/t.Node", wire));
                let json = format!("{{\"any\":{{\"@type\":\"x/google.protobuf.Any\",\"value\":{typed}}}}}");
                let text = format!("any{{[x/google.protobuf.Any]{{[x/t.Node]{{{text}}}}}}}");
                (new.message(5, outer), json, text, 3)
            }
        };
        // On the wire the content of an `Any` is bytes, which have no levels.
        let of_wire = if way < 4 { of_wire + more } else { 1 };
        of = Forms { wire, json, text, levels: levels + more, of_wire };
    }
    of
}

/// A dynamic message, one with members that are kept as bytes, and a struct.
#[test]
fn what_is_printed_is_what_can_be_read_at_any_depth() {
    let node = node();
    let lazy = Projection::all(&node).lazy(["child", "many"]).unwrap();
    let deep = DecodeOptions::new().max_depth(400);
    let (mut whole, mut too_deep) = (0, 0);
    for seed in 0..rounds(2_000) {
        let choices = &mut Choices::seeded(seed as u64);
        let times = 30 + choices.below(70);
        let of = nested(choices, times);
        let bytes = &of.wire.0;
        assert_eq!(DynamicMessage::decode(&node, bytes).is_ok(), of.of_wire <= 100, "{seed}");
        assert_eq!(Node::decode(bytes).is_ok(), of.of_wire <= 100, "{seed}");
        let message = deep.decode_dynamic(&node, bytes).unwrap();
        let mut kept = Decoder::new(&node).with_projection(&lazy).with_options(deep);
        let kept = kept.decode(bytes).unwrap();
        let own: Node = deep.decode(bytes).unwrap();

        let printed = [json::to_string(&message), json::to_string(&kept), json::to_string(&own)];
        let values = serde_json::value::Serializer;
        let by_serde =
            [json::Printer::new().serialize(&message.as_view(), values), serde_json::to_value(&own)];
        let parsed = json::message_from_slice(&node, of.json.as_bytes());
        let parsed_own = json::from_str::<Node>(&of.json);
        let from_serde = json::Parser::new().deserialize(&node, serde_json_of(&of.json));
        let own_from_serde = serde_json::from_value::<Node>(serde_json_of(&of.json));
        let read = text::message_from_str(&node, &of.text);
        let read_own = text::from_str::<Node>(&of.text);
        if of.levels <= 100 {
            whole += 1;
            assert!(printed.into_iter().all(|printed| printed.unwrap() == of.json), "{seed}");
            assert!(by_serde.into_iter().all(|value| value.unwrap() == serde_json_of(&of.json)), "{seed}");
            for read in [parsed.unwrap(), from_serde.unwrap(), read.unwrap()] {
                assert_eq!(read, message, "{seed}");
            }
            for read in [parsed_own.unwrap(), own_from_serde.unwrap(), read_own.unwrap()] {
                assert_eq!(read, own, "{seed}");
            }
        } else {
            too_deep += 1;
            let deeper = |error: String| assert!(error.contains("nested deeper"), "{seed}: {error}");
            for printed in printed {
                assert_eq!(printed.unwrap_err().kind(), EncodeErrorKind::DepthExceeded, "{seed}");
            }
            by_serde.into_iter().for_each(|value| deeper(value.unwrap_err().to_string()));
            for error in
                [parsed.unwrap_err(), parsed_own.unwrap_err(), read.unwrap_err(), read_own.unwrap_err()]
            {
                assert_eq!(error.kind(), ParseErrorKind::DepthExceeded, "{seed}");
            }
            deeper(from_serde.unwrap_err().to_string());
            deeper(own_from_serde.unwrap_err().to_string());
        }
        // Text has bytes for an `Any` that is too deep.
        for printed in [text::to_string(&message), text::to_string(&kept), text::to_string(&own)] {
            let printed = printed.unwrap();
            assert_eq!(printed == of.text, of.levels <= 100, "{seed}");
            if of.of_wire <= 100 {
                assert_eq!(text::message_from_str(&node, &printed).unwrap(), message, "{seed}");
                assert_eq!(text::from_str::<Node>(&printed).unwrap(), own, "{seed}");
            }
        }
    }
    assert!(whole > 100 && too_deep > 100, "{whole} {too_deep}");
}

/// Without the bound on levels that `serde_json::from_str` has.
fn serde_json_of(json: &str) -> Json {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut deserializer).unwrap()
}
