//! The binary cases of the official conformance suite, through both paths of the library.
//!
//! Answers are compared as messages: with the message that tablepb decodes from the right answer, which is sound
//! because a wrong decoder would have to be wrong in the same way about two different encodings.

#[path = "../../examples/conformance_testee/testee.rs"]
mod testee;

use crate::common::data::Data;
use tablepb::{DynamicMessage, EncodeOptions, MessageDescriptor};
use testee::{Testee, Via};

/// Splits `[u32 length][bytes]` frames.
fn frames(mut rest: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    while let Some((len, tail)) = rest.split_first_chunk::<4>() {
        let (frame, tail) = tail.split_at(u32::from_le_bytes(*len) as usize);
        frames.push(frame);
        rest = tail;
    }
    frames
}

struct Case {
    number: usize,
    descriptor: MessageDescriptor,
    request: Vec<u8>,
    /// The right answer: a payload, or that the input must be rejected.
    expected: Option<Vec<u8>>,
}

/// The cases with binary input and binary output or an input to be rejected.
fn cases(testee: &Testee, bytes: &[u8]) -> Vec<Case> {
    let message = |name: &str| testee.pool().get_message_by_name(name).expect(name);
    let (request, response) =
        (message("conformance.ConformanceRequest"), message("conformance.ConformanceResponse"));
    let mut cases = Vec::new();
    for (number, pair) in frames(bytes).chunks_exact(2).enumerate() {
        let asked = DynamicMessage::decode(&request, pair[0]).expect("a request");
        let answer = DynamicMessage::decode(&response, pair[1]).expect("a response");
        let rejected = answer.has_field_by_name("parse_error");
        let format = asked.get_field_by_name("requested_output_format").and_then(|v| v.as_enum_number());
        if !asked.has_field_by_name("protobuf_payload") || (format != Some(1) && !rejected) {
            continue;
        }
        let name = asked.get_field_by_name("message_type").and_then(|v| v.as_str()).unwrap_or("");
        let mut binary = asked.clone();
        binary.set_field_by_name("requested_output_format", tablepb::Value::EnumNumber(1)).unwrap();
        cases.push(Case {
            number,
            descriptor: message(name),
            request: binary.encode_to_vec().unwrap(),
            expected: if rejected {
                None
            } else {
                let payload = answer.get_field_by_name("protobuf_payload").and_then(|v| v.as_bytes());
                Some(payload.expect("a binary answer").to_vec())
            },
        });
    }
    cases
}

fn check(testee: &Testee, case: &Case) -> Result<(), String> {
    let response = testee.answer(&case.request).map_err(|e| e.to_string())?;
    let descriptor = testee.pool().get_message_by_name("conformance.ConformanceResponse").unwrap();
    let response = DynamicMessage::decode(&descriptor, &response).map_err(|e| e.to_string())?;
    let Some(expected) = &case.expected else {
        let rejected = response.has_field_by_name("parse_error");
        return if rejected { Ok(()) } else { Err(format!("must be rejected, got {response:?}")) };
    };
    if !response.has_field_by_name("protobuf_payload") {
        return Err(format!("{response:?}"));
    }
    let payload = response.get_field_by_name("protobuf_payload").and_then(|v| v.as_bytes()).unwrap();
    let decode = |bytes| DynamicMessage::decode(&case.descriptor, bytes).map_err(|e| e.to_string());
    let (got, wanted) = (decode(payload)?, decode(expected)?);
    let bytes = |message: &DynamicMessage| {
        let mut out = Vec::new();
        message.encode_with(&mut out, EncodeOptions::new().deterministic(true)).map(|()| out)
    };
    if got != wanted || bytes(&got) != bytes(&wanted) {
        return Err(format!("got {got:?}\n  wanted {wanted:?}"));
    }
    if got.encoded_len() != got.encode_to_vec().map_err(|e| e.to_string())?.len() {
        return Err("encoded_len is not the length that is written".into());
    }
    Ok(())
}

fn run(via: Via) {
    let descriptors = Data::Recorded.read("conformance/test_messages.binpb");
    let bytes = Data::Recorded.read("conformance/cases.bin");
    let testee = Testee::new(&descriptors, via).unwrap();
    let cases = cases(&testee, &bytes);
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let error = check(&testee, case).err()?;
            Some(format!("case {} ({}): {error}", case.number, case.descriptor.full_name()))
        })
        .collect();
    println!("{} conformance cases ran via {via:?}", cases.len());
    assert!(cases.len() > 1000, "only {} cases", cases.len());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

mod needs_data {
    use super::*;

    #[test]
    #[ignore = "needs recorded data"]
    fn binary_cases_via_decoder() {
        run(Via::Decoder);
    }

    #[test]
    #[ignore = "needs recorded data"]
    fn binary_cases_via_dynamic() {
        run(Via::Dynamic);
    }
}
