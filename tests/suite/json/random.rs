//! JSON of random schemas and payloads: what comes back, what prost-reflect makes of it, and what becomes of broken text.

use crate::common::choices::Choices;
use crate::common::format_case::{FormatCase as Case, LIMITS, SHARED, STYLE, without_negative_zeros};
use crate::common::payload::payload;
use crate::common::rounds;
use prost_reflect::DynamicMessage as Theirs;
use tablepb::ParseErrorKind;
use tablepb::json;
use tablepb::{DynamicMessage, EncodeOptions};

const PARTIAL: json::Parser = json::Parser::new().allow_partial(true);

fn seeds(few: u64) -> std::ops::Range<u64> {
    0..std::env::var("TABLEPB_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(rounds(few as u32).into())
}

fn options() -> Vec<json::Printer> {
    let new = json::Printer::new();
    vec![
        new,
        new.pretty(true).use_proto_field_name(true),
        new.stringify_64_bit_integers(false).use_enum_numbers(true),
        new.skip_default_fields(false).pretty(true),
    ]
}

fn printed(message: &DynamicMessage, options: &json::Printer) -> String {
    let mut buffer = b"before".to_vec();
    options.append(&mut buffer, message).unwrap();
    String::from_utf8(buffer.split_off(6)).unwrap()
}

#[test]
fn what_is_printed_comes_back() {
    for seed in seeds(150) {
        let mut choices = Choices::seeded(seed);
        let case = Case::new(&mut choices, LIMITS);
        for _ in 0..4 {
            let message = case.decode(&payload(&case.schema, case.message, &mut choices, STYLE));
            let values = case.values(&message);
            let mut first: Option<serde_json::Value> = None;
            for options in options() {
                let json = printed(&message, &options);
                let back = PARTIAL
                    .message_from_slice(&case.ours, json.as_bytes())
                    .unwrap_or_else(|e| panic!("{e}: {json}"));
                assert_eq!(case.values(&back), values, "{json}");
                let value: serde_json::Value =
                    serde_json::from_str(&json).unwrap_or_else(|e| panic!("{e}: {json}"));
                // Spaces are no part of it.
                if options == json::Printer::new() {
                    first = Some(value);
                }
                let mut bytes = Vec::new();
                EncodeOptions::new().allow_partial(true).encode(&back, &mut bytes).unwrap();
                assert_eq!(case.values(&case.decode(&bytes)), values);
                assert_eq!(printed(&back, &options), printed(&case.decode(&bytes), &options));
            }
            let pretty = printed(&message, &json::Printer::new().pretty(true));
            assert_eq!(serde_json::from_str::<serde_json::Value>(&pretty).unwrap(), first.unwrap());
        }
    }
}

#[test]
fn merging_json_does_what_merging_bytes_does() {
    for seed in seeds(100) {
        let mut choices = Choices::seeded(1000 + seed);
        let case = Case::new(&mut choices, LIMITS);
        for _ in 0..4 {
            let payload = |choices: &mut Choices| payload(&case.schema, case.message, choices, STYLE);
            let (a, b) = (payload(&mut choices), payload(&mut choices));
            // Without zeros that need not be there, which JSON leaves out.
            let b = case.decode(&b);
            let json = printed(&b, &json::Printer::new());
            let mut bytes = Vec::new();
            EncodeOptions::new().allow_partial(true).encode(&b, &mut bytes).unwrap();
            let mut expected = case.decode(&a);
            expected.merge(&bytes).unwrap();
            let mut merged = case.decode(&a);
            tablepb::json::merge_from_slice(&mut merged, json.as_bytes())
                .unwrap_or_else(|e| panic!("{e}: {json}"));
            assert_eq!(case.values(&merged), case.values(&expected), "{json}");
        }
    }
}

#[test]
fn prost_reflect_agrees() {
    let mut compared = 0;
    for seed in seeds(200) {
        let mut choices = Choices::seeded(5000 + seed);
        let case = Case::new(&mut choices, SHARED);
        let pool = prost_reflect::DescriptorPool::decode(&case.schema.descriptor_set()[..]).unwrap();
        let theirs = pool.get_message_by_name(&case.schema.full_name(case.message)).unwrap();
        for _ in 0..4 {
            let bytes = payload(&case.schema, case.message, &mut choices, STYLE);
            let message = case.decode(&bytes);
            let values =
                |message: &DynamicMessage| without_negative_zeros(&case, case.message, &case.values(message));
            let expected = values(&message);
            let Ok(their_message) = Theirs::decode(theirs.clone(), &bytes[..]) else { continue };
            // What they print, we read; what we print, they read.
            let text = serde_json::to_string(&their_message).unwrap();
            let back = PARTIAL.message_from_slice(&case.ours, text.as_bytes());
            let back = back.unwrap_or_else(|e| panic!("{e}: {text}"));
            assert_eq!(values(&back), expected, "{text}");
            let json = tablepb::json::to_string(&message).unwrap();
            let mut deserializer = serde_json::Deserializer::from_str(&json);
            let read = Theirs::deserialize(theirs.clone(), &mut deserializer);
            let read = read.unwrap_or_else(|e| panic!("{e}: {json}"));
            let again = serde_json::to_string(&read).unwrap();
            let again = PARTIAL.message_from_slice(&case.ours, again.as_bytes()).unwrap();
            assert_eq!(values(&again), expected, "{json}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Everything that must hold of a message after JSON was merged into it, whether that failed or not.
fn check_valid(case: &Case, message: &DynamicMessage) {
    let mut bytes = Vec::new();
    EncodeOptions::new().allow_partial(true).encode(message, &mut bytes).unwrap();
    assert_eq!(bytes.len(), message.encoded_len());
    assert_eq!(case.values(&case.decode(&bytes)), case.values(message));
    let json = printed(message, &json::Printer::new());
    let back = PARTIAL.message_from_slice(&case.ours, json.as_bytes()).unwrap();
    assert_eq!(case.values(&back), case.values(message));
}

#[test]
fn broken_text_is_refused_or_leaves_a_valid_message() {
    let (mut refused, mut tried) = (0, 0);
    for seed in seeds(60) {
        let mut choices = Choices::seeded(9000 + seed);
        let case = Case::new(&mut choices, LIMITS);
        let message = case.decode(&payload(&case.schema, case.message, &mut choices, STYLE));
        let json = printed(&message, &json::Printer::new()).into_bytes();
        let before = case.decode(&payload(&case.schema, case.message, &mut choices, STYLE));
        let mut attempt = |text: &[u8], cut: bool| {
            tried += 1;
            let mut merged = before.clone();
            let result = tablepb::json::merge_from_slice(&mut merged, text);
            if let Err(error) = &result {
                refused += 1;
                assert!(error.offset() <= text.len());
                let _ = format!("{error} {error:?}");
            }
            assert!(!cut || result.is_err(), "{}", text.escape_ascii());
            check_valid(&case, &merged);
        };
        let step = json.len() / if cfg!(debug_assertions) { 20 } else { 60 } + 1;
        for end in (0..json.len()).step_by(step) {
            attempt(&json[..end], true);
        }
        for at in (0..json.len()).step_by(step) {
            for bit in [0, 3, 6] {
                let mut broken = json.clone();
                broken[at] ^= 1 << bit;
                attempt(&broken, false);
            }
        }
    }
    assert!(refused > tried / 3, "{refused} of {tried}");
}

#[test]
fn a_budget_may_end_anywhere() {
    for seed in seeds(30) {
        let mut choices = Choices::seeded(700 + seed);
        let case = Case::new(&mut choices, LIMITS);
        let message = case.decode(&payload(&case.schema, case.message, &mut choices, STYLE));
        let json = printed(&message, &json::Printer::new());
        let mut budget = 0;
        loop {
            let options = PARTIAL.budget(budget);
            let fresh = options.message_from_slice(&case.ours, json.as_bytes());
            let mut merged = message.clone();
            let again = options.merge_from_slice(&mut merged, json.as_bytes());
            check_valid(&case, &merged);
            if let Err(error) = &again {
                assert_eq!(error.kind(), ParseErrorKind::BudgetExceeded);
                tablepb::json::merge_from_slice(&mut merged, json.as_bytes()).unwrap();
                check_valid(&case, &merged);
            }
            match fresh {
                Ok(made) => {
                    assert_eq!(case.values(&made), case.values(&message));
                    break;
                }
                Err(error) => assert_eq!(error.kind(), ParseErrorKind::BudgetExceeded, "{error}"),
            }
            budget = budget * 5 / 4 + 16;
            assert!(budget < 1 << 20);
        }
    }
}
