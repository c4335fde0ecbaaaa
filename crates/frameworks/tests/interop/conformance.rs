//! The JSON inputs of the official conformance suite through serde: the same answers as the direct codec.

use crate::common::data::Data;
use crate::formats::{Format, alike};
use tablepb::json;
use tablepb::{DescriptorPool, DynamicMessage};

fn frames(mut rest: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    while let Some((len, tail)) = rest.split_first_chunk::<4>() {
        let (frame, tail) = tail.split_at(u32::from_le_bytes(*len) as usize);
        frames.push(frame);
        rest = tail;
    }
    frames
}

#[test]
#[ignore = "needs recorded data"]
fn json_cases_needs_data() {
    let pool = DescriptorPool::decode(&Data::Recorded.read("conformance/test_messages.binpb")).unwrap();
    let bytes = Data::Recorded.read("conformance/cases.bin");
    let request = pool.message("conformance.ConformanceRequest").unwrap();
    let (mut parsed, mut printed) = (0, 0);
    let mut differ = Vec::new();
    for pair in frames(&bytes).chunks_exact(2) {
        let asked = DynamicMessage::decode(&request, pair[0]).unwrap();
        let text = |name| asked.get_field(name).ok().and_then(|v| v.as_str());
        let Some(descriptor) = text("message_type").and_then(|name| pool.message(name).ok()) else {
            continue;
        };
        let mut messages = Vec::new();
        if asked.has_field("json_payload") {
            let json = text("json_payload").unwrap_or_default();
            for options in [json::Parser::new(), json::Parser::new().deny_unknown_fields(false)] {
                parsed += 1;
                let direct = options.message_from_slice(&descriptor, json.as_bytes());
                let serde = Format::Json.parse(&descriptor, json.as_bytes(), &options);
                match (&direct, &serde) {
                    (Ok(a), Ok(b)) if a.encode_to_vec().unwrap() == b.encode_to_vec().unwrap() => {}
                    (Err(_), Err(_)) => {}
                    _ => differ.push(format!("{json}\n  {direct:?}\n  {serde:?}")),
                }
                messages.extend(direct);
            }
        } else if let Some(payload) = asked.get_field("protobuf_payload").ok().and_then(|v| v.as_bytes()) {
            messages.extend(DynamicMessage::decode(&descriptor, payload));
        }
        for message in messages {
            printed += 1;
            let direct = tablepb::json::to_string(&message).map_err(drop);
            let serde = serde_json::to_string(&message).map_err(drop);
            let value = |json: &String| serde_json::from_str::<serde_json::Value>(json).unwrap();
            let same = match (&direct, &serde) {
                (Ok(direct), Ok(serde)) => alike(&value(direct), &value(serde)),
                (direct, serde) => direct.is_err() == serde.is_err(),
            };
            if !same {
                differ.push(format!("{direct:?}\n  {serde:?}"));
            }
            if direct.is_err() {
                continue;
            }
            for format in [Format::Cbor, Format::MessagePack] {
                let bytes = format.print(&message, &json::Printer::new());
                let back = format.parse(&descriptor, &bytes, &json::Parser::new());
                let back = back.map(|back| tablepb::json::to_string(&back).unwrap());
                if back.as_ref().ok() != direct.as_ref().ok() {
                    differ.push(format!("{format:?} {back:?}\n  {direct:?}"));
                }
            }
        }
    }
    assert!(parsed > 1000 && printed > 1000, "{parsed} {printed}");
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}
