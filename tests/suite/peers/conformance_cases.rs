//! The cases of the official conformance suite, and the check of an answer.
//!
//! Answers are compared as messages: with the message that tablepb makes of the right answer, which is sound
//! because a wrong parser would have to be wrong in the same way about two different texts. JSON is compared as JSON, too, and text with
//! unknown fields as C++ prints it.

use tablepb::text;
use tablepb::{DescriptorPool, DynamicMessage, EncodeOptions, MessageDescriptor};

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

/// The right answer to a case.
pub enum Expected {
    Binary(Vec<u8>),
    Json(String),
    Text(String),
    /// The input must be rejected.
    ParseError,
    /// The input is well-formed, and cannot be written in the other format.
    SerializeError,
}

pub struct Case {
    pub number: usize,
    pub descriptor: MessageDescriptor,
    pub request: Vec<u8>,
    expected: Expected,
}

/// The cases of a file: requests, and the right answers.
pub fn cases(pool: &DescriptorPool, bytes: &[u8]) -> Vec<Case> {
    let message = |name: &str| pool.message(name).expect(name);
    let (request, response) =
        (message("conformance.ConformanceRequest"), message("conformance.ConformanceResponse"));
    let mut cases = Vec::new();
    for (number, pair) in frames(bytes).chunks_exact(2).enumerate() {
        let asked = DynamicMessage::decode(&request, pair[0]).expect("a request");
        let answer = DynamicMessage::decode(&response, pair[1]).expect("a response");
        let name = asked.get_field("message_type").ok().and_then(|v| v.as_str()).unwrap_or("");
        let bytes = |name| answer.get_field(name).ok().and_then(|v| v.as_bytes()).unwrap_or_default();
        let text = |name| answer.get_field(name).ok().and_then(|v| v.as_str()).unwrap_or_default();
        let has = |name| answer.has_field(name);
        let expected = match () {
            () if has("parse_error") => Expected::ParseError,
            () if has("serialize_error") => Expected::SerializeError,
            () if has("protobuf_payload") => Expected::Binary(bytes("protobuf_payload").to_vec()),
            () if has("json_payload") => Expected::Json(text("json_payload").to_owned()),
            () if has("text_payload") => Expected::Text(text("text_payload").to_owned()),
            () => panic!("case {number}: {answer:?}"),
        };
        cases.push(Case { number, descriptor: message(name), request: pair[0].to_vec(), expected });
    }
    cases
}

/// Whether a response is right.
pub fn check(pool: &DescriptorPool, case: &Case, response: &[u8]) -> Result<(), String> {
    let descriptor = pool.message("conformance.ConformanceResponse").unwrap();
    let response = DynamicMessage::decode(&descriptor, response).map_err(|e| e.to_string())?;
    let must = |what: &str| match response.has_field(what) {
        true => Ok(()),
        false => Err(format!("must be a {what}, got {response:?}")),
    };
    match &case.expected {
        Expected::ParseError => must("parse_error"),
        Expected::SerializeError => must("serialize_error"),
        Expected::Binary(wanted) => {
            must("protobuf_payload")?;
            let got = response.get_field("protobuf_payload").ok().and_then(|v| v.as_bytes()).unwrap();
            let decode = |bytes| DynamicMessage::decode(&case.descriptor, bytes).map_err(|e| e.to_string());
            same(&decode(got)?, &decode(wanted)?)
        }
        Expected::Text(wanted) => {
            must("text_payload")?;
            let got = response.get_field("text_payload").ok().and_then(|v| v.as_str()).unwrap();
            same_text(case, got, wanted)
        }
        Expected::Json(wanted) => {
            must("json_payload")?;
            let got = response.get_field("json_payload").ok().and_then(|v| v.as_str()).unwrap();
            let parse = |json: &str| {
                tablepb::json::message_from_slice(&case.descriptor, json.as_bytes())
                    .map_err(|e| format!("{e}: {json}"))
            };
            same(&parse(got)?, &parse(wanted)?)?;
            let value = |json: &str| serde_json::from_str(json).map_err(|e| format!("{e}: {json}"));
            match alike(&value(got)?, &value(wanted)?) {
                true => Ok(()),
                false => Err(format!("got {got}\n  wanted {wanted}")),
            }
        }
    }
}

/// The same message, and the same lines where C++ has printed unknown fields, which cannot be read back.
fn same_text(case: &Case, got: &str, wanted: &str) -> Result<(), String> {
    let lenient = text::Parser::new().deny_unknown_fields(false);
    let parse =
        |text: &str| lenient.message_from_str(&case.descriptor, text).map_err(|e| format!("{e}: {text}"));
    same(&parse(got)?, &parse(wanted)?)?;
    let unknown = wanted.starts_with(|c: char| c.is_ascii_digit());
    match !unknown || got.trim_end() == wanted.trim_end() {
        true => Ok(()),
        false => Err(format!("got {got}\n  wanted {wanted}")),
    }
}

fn same(got: &DynamicMessage, wanted: &DynamicMessage) -> Result<(), String> {
    let bytes = |message: &DynamicMessage| {
        let mut out = Vec::new();
        EncodeOptions::new().deterministic(true).encode(message, &mut out).map(|()| out)
    };
    if got != wanted || bytes(got) != bytes(wanted) {
        return Err(format!("got {got:?}\n  wanted {wanted:?}"));
    }
    if got.encoded_len() != got.encode_to_vec().map_err(|e| e.to_string())?.len() {
        return Err("encoded_len is not the length that is written".into());
    }
    Ok(())
}

/// The same JSON, where numbers are the same that have the same value, to the precision of 32 bits: the suite's answers print floats
/// with more digits than they need.
fn alike(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a as f32 == b as f32)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        (a, b) => a == b,
    }
}
