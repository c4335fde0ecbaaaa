//! Random messages of random schemas through every format, beside the direct codec and prost-reflect.

use crate::agree::serde;
use crate::common::bridge::descriptor;
use crate::common::choices::Choices;
use crate::common::known_types;
use crate::common::payload::{Style, TAME, mutate, payload};
use crate::common::rounds;
use crate::common::schema::{Schema, Syntax};
use crate::common::schema_gen::{ALL as ALL_OF_IT, Limits, schema};
use crate::formats::{ALL, Format, alike};
use prost_reflect::DynamicMessage as Theirs;
use std::fs;
use tablepb::json;
use tablepb::partial::Projection;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{DecodeOptions, DescriptorPool, DynamicMessage, EncodeOptions, MessageDescriptor, wkt};

const LIMITS: Limits = Limits { message_sets: false, ..ALL_OF_IT };
/// What prost-reflect reads.
const SHARED: Limits = Limits { syntaxes: &[Syntax::Proto3, Syntax::Proto2], ..LIMITS };
const STYLE: Style = Style { unknown: false, ..TAME };
const PARTIAL: json::Parser = json::Parser::new().allow_partial(true);

struct Case {
    schema: Schema,
    message: usize,
    ours: MessageDescriptor,
}

impl Case {
    fn new(choices: &mut Choices, limits: Limits) -> Self {
        let schema = schema(choices, limits);
        let message = choices.below(schema.messages.len());
        let message = if schema.messages[message].entry_of.is_some() { 0 } else { message };
        Self { ours: descriptor(&schema, &schema.pool(), message), schema, message }
    }

    fn message(&self, bytes: &[u8]) -> DynamicMessage {
        DecodeOptions::new().allow_partial(true).decode_dynamic(&self.ours, bytes).unwrap()
    }

    fn payload(&self, choices: &mut Choices) -> Vec<u8> {
        payload(&self.schema, self.message, choices, STYLE)
    }
}

fn direct(message: &DynamicMessage, options: &json::Printer) -> String {
    let mut buffer = Vec::new();
    options.append(&mut buffer, message).unwrap();
    String::from_utf8(buffer).unwrap()
}

fn value(json: &str) -> serde_json::Value {
    serde_json::from_str(json).unwrap_or_else(|e| panic!("{e}: {json}"))
}

fn all_options() -> [json::Printer; 4] {
    let new = json::Printer::new();
    [
        new,
        new.use_proto_field_name(true),
        new.stringify_64_bit_integers(false).use_enum_numbers(true),
        new.skip_default_fields(false),
    ]
}

/// What a format prints comes back, and JSON says what the direct codec says.
#[test]
fn every_format_comes_back() {
    for seed in 0..150 {
        let mut choices = Choices::seeded(seed);
        let case = Case::new(&mut choices, LIMITS);
        for _ in 0..3 {
            let message = case.message(&case.payload(&mut choices));
            let expected = direct(&message, &json::Printer::new());
            for options in all_options() {
                let json = Format::Json.print(&message, &options);
                let json = String::from_utf8(json).unwrap();
                assert!(alike(&value(&json), &value(&direct(&message, &options))), "{json}");
                for format in ALL {
                    let bytes = format.print(&message, &options);
                    let back = format.parse(&case.ours, &bytes, &PARTIAL);
                    let back = back.unwrap_or_else(|e| panic!("{format:?}: {e}: {}", bytes.escape_ascii()));
                    assert_eq!(direct(&back, &json::Printer::new()), expected, "{format:?}");
                    let mut encoded = Vec::new();
                    EncodeOptions::new().allow_partial(true).encode(&back, &mut encoded).unwrap();
                    assert_eq!(encoded.len(), back.encoded_len());
                    assert_eq!(direct(&case.message(&encoded), &json::Printer::new()), expected);
                }
            }
        }
    }
}

/// The check of the fuzz target `serde`, run from seeds; `TABLEPB_SWEEP=N` runs N rounds.
#[test]
fn messages_come_back_through_serde_and_broken_bytes_do_no_harm() {
    let rounds = std::env::var("TABLEPB_SWEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let accepted = (0..rounds).filter(|&seed| serde::run(&mut Choices::seeded(seed))).count() as u64;
    assert!(accepted > rounds / 20, "{accepted}");
}

#[test]
fn seeds_of_the_fuzz_target_pass_its_check() {
    let mut files: Vec<_> = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/serde"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 4);
    for file in files {
        println!("{}", file.display());
        let seed = fs::read(file).unwrap();
        serde::check(&seed);
        // Broken in all sorts of ways, but still JSON or MessagePack.
        for round in 0..300 {
            let mut broken = seed.clone();
            mutate(&mut broken, &mut Choices::seeded(round));
            if broken.first() == seed.first() && seed[0] < 3 {
                serde::check(&broken);
            }
        }
    }
}

/// A budget may end anywhere: an error, and with a larger one the message.
#[test]
fn a_budget_may_end_anywhere() {
    for seed in 0..20 {
        let mut choices = Choices::seeded(700 + seed);
        let case = Case::new(&mut choices, LIMITS);
        let message = case.message(&case.payload(&mut choices));
        let expected = direct(&message, &json::Printer::new());
        for format in ALL {
            let bytes = format.print(&message, &json::Printer::new());
            let mut budget = 0;
            let made = loop {
                match format.parse(&case.ours, &bytes, &PARTIAL.budget(budget)) {
                    Ok(made) => break made,
                    Err(error) => assert!(error.contains("more memory than the budget"), "{error}"),
                }
                budget = budget * 5 / 4 + 16;
                assert!(budget < 1 << 20);
            };
            assert_eq!(direct(&made, &json::Printer::new()), expected);
        }
    }
}

/// prost-reflect reads what this crate prints and the other way round, and both print the same.
#[test]
fn prost_reflect_agrees() {
    let mut compared = 0;
    for seed in 0..200 {
        let mut choices = Choices::seeded(5000 + seed);
        let case = Case::new(&mut choices, SHARED);
        let pool = prost_reflect::DescriptorPool::decode(&case.schema.descriptor_set()[..]).unwrap();
        let theirs = pool.get_message_by_name(&case.schema.full_name(case.message)).unwrap();
        for _ in 0..4 {
            let bytes = case.payload(&mut choices);
            let message = case.message(&bytes);
            let Ok(their_message) = Theirs::decode(theirs.clone(), &bytes[..]) else { continue };
            let json = direct(&message, &json::Printer::new());
            // prost-reflect takes -0 for unset.
            if json.contains("-0,") || json.contains("-0]") || json.contains("-0}") {
                continue;
            }
            let ours = serde_json::to_string(&message).unwrap();
            assert_eq!(value(&ours), value(&serde_json::to_string(&their_message).unwrap()));
            let their_bytes = rmp_serde::to_vec(&their_message).unwrap();
            let back = Format::MessagePack.parse(&case.ours, &their_bytes, &PARTIAL).unwrap();
            assert_eq!(value(&direct(&back, &json::Printer::new())), value(&json));
            let our_bytes = Format::MessagePack.print(&message, &json::Printer::new());
            let mut deserializer = rmp_serde::Deserializer::new(&our_bytes[..]);
            let read = Theirs::deserialize(theirs.clone(), &mut deserializer).unwrap();
            assert_eq!(value(&serde_json::to_string(&read).unwrap()), value(&ours));
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Broken bytes of every format are refused, or give a message that is as good as any.
#[test]
fn broken_bytes_are_refused_or_give_a_message() {
    let (mut refused, mut tried) = (0, 0);
    for seed in 0..40 {
        let mut choices = Choices::seeded(9000 + seed);
        let case = Case::new(&mut choices, LIMITS);
        let message = case.message(&case.payload(&mut choices));
        for format in ALL {
            let bytes = format.print(&message, &json::Printer::new());
            let mut attempt = |bytes: &[u8]| {
                tried += 1;
                match format.parse(&case.ours, bytes, &PARTIAL) {
                    Err(_) => refused += 1,
                    Ok(made) => {
                        let text = direct(&made, &json::Printer::new());
                        let back = PARTIAL.message_from_slice(&case.ours, text.as_bytes());
                        assert_eq!(direct(&back.unwrap(), &json::Printer::new()), text);
                    }
                }
            };
            let step = bytes.len() / 30 + 1;
            for end in (0..bytes.len()).step_by(step) {
                attempt(&bytes[..end]);
            }
            for at in (0..bytes.len()).step_by(step) {
                for bit in [0, 3, 6] {
                    let mut broken = bytes.clone();
                    broken[at] ^= 1 << bit;
                    attempt(&broken);
                }
            }
        }
    }
    assert!(refused > tried / 4, "{refused} of {tried}");
}

/// Lazy fields, also empty ones, were `{}` to the direct printer.
#[test]
fn what_is_kept_as_bytes_serializes_as_what_is_decoded() {
    let all = known_types::all();
    let lazy = Projection::all(&all).lazy(["*"]).unwrap();
    for seed in 0..rounds(2000) {
        let input = known_types::payload(&mut Choices::seeded(seed.into()));
        let plain = DynamicMessage::decode(&all, &input).unwrap();
        let printed = |message: &DynamicMessage| serde_json::to_string(message).map_err(|e| e.to_string());
        let expected = printed(&plain);
        // As messages, for serde_json prints a whole float as `0.0`.
        let parsed = |text: String| PARTIAL.message_from_slice(&all, text.as_bytes()).unwrap();
        let direct = tablepb::json::to_string(&plain).ok().map(parsed);
        assert_eq!(expected.clone().ok().map(parsed), direct, "{input:02x?}");
        assert_eq!(printed(&lazy.decode(&input).unwrap()), expected, "{input:02x?}");
        let passed = lazy.clone().pass_through().decode(&input).unwrap();
        assert_eq!(printed(&passed), expected, "{input:02x?}");
    }
}

/// As the direct parser has them, and C++: keys are integers as they stand, and types have a host.
#[test]
fn keys_and_type_urls_are_those_of_the_direct_parser() {
    static MAPS: MessageTable = MessageTable::new(
        "t.Maps",
        &[
            FieldTable::map("i32", 1, Kind::Int32, Kind::Bool),
            FieldTable::map("i64", 2, Kind::Sint64, Kind::Bool),
            FieldTable::map("u32", 3, Kind::Fixed32, Kind::Bool),
            FieldTable::map("u64", 4, Kind::Uint64, Kind::Bool),
            FieldTable::map("flags", 5, Kind::Bool, Kind::Bool),
            FieldTable::new("any", 6, Kind::Message(|| <wkt::Any as tablepb::Message>::TABLE)),
        ],
    );
    let maps = DescriptorPool::from_tables(&[&MAPS]).unwrap().message("t.Maps").unwrap();
    let keys =
        ["0", "-0", "-1", "1e1", "1.0", " 1", "+1", "01", "", "true", "True", "4294967296", "2147483647"];
    let mut texts: Vec<String> = Vec::new();
    for name in ["i32", "i64", "u32", "u64", "flags"] {
        texts.extend(keys.iter().map(|key| format!("{{\"{name}\":{{\"{key}\":true}}}}")));
    }
    let urls = ["x/t.Maps", "/t.Maps", "t.Maps", "//t.Maps", "/"];
    texts.extend(urls.map(|url| format!("{{\"any\":{{\"@type\":\"{url}\"}}}}")));
    for text in texts {
        let direct = tablepb::json::message_from_slice(&maps, text.as_bytes());
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let options = json::Parser::new();
        let through = options.deserialize(&maps.clone(), &mut deserializer);
        assert_eq!(through.ok(), direct.ok(), "{text}");
    }
}
