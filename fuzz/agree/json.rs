//! JSON: arbitrary text is refused or read, and what is read is JSON and comes back; random messages of random schemas come back as they
//! were, and prost-reflect reads and writes the same; broken text leaves a valid message.

use super::valid::{self, PARTIAL};
use crate::common::choices::Choices;
use crate::common::format_case::{FormatCase, LIMITS, SHARED, STYLE, without_negative_zeros};
use crate::common::payload::{mutate, payload};
use std::sync::LazyLock;
use tablepb::ParseErrorKind;
use tablepb::json;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb::{DescriptorPool, DynamicMessage, EncodeOptions, Enumeration, Message, MessageDescriptor, wkt};

static COLOR: EnumTable = EnumTable::new("t.Color", &[("RED", 0), ("GREEN", 1), ("BLUE", -3)]);
static ALL: MessageTable = MessageTable::new(
    "t.All",
    &[
        FieldTable::new("int", 1, Kind::Int32),
        FieldTable::new("huge", 2, Kind::Uint64),
        FieldTable::new("flag", 3, Kind::Bool),
        FieldTable::new("single", 4, Kind::Float),
        FieldTable::new("double", 5, Kind::Double),
        FieldTable::new("text", 6, Kind::String),
        FieldTable::new("data", 7, Kind::Bytes),
        FieldTable::new("color", 8, Kind::Enum(|| &COLOR)),
        FieldTable::new("child", 9, Kind::Message(|| &ALL)),
        FieldTable::new("ints", 10, Kind::Int32).repeated(),
        FieldTable::new("texts", 11, Kind::String).repeated(),
        FieldTable::new("children", 12, Kind::Message(|| &ALL)).repeated(),
        FieldTable::map("by_name", 13, Kind::String, Kind::Message(|| &ALL)),
        FieldTable::map("by_id", 14, Kind::Int32, Kind::String),
        FieldTable::map("by_flag", 15, Kind::Bool, Kind::Enum(|| &COLOR)),
        FieldTable::new("one_int", 16, Kind::Int32).oneof("choice"),
        FieldTable::new("one_null", 17, Kind::Enum(|| wkt::NullValue::TABLE)).oneof("choice"),
        FieldTable::new("maybe", 18, Kind::Int32).optional(),
        FieldTable::new("any", 19, Kind::Message(|| wkt::Any::TABLE)),
        FieldTable::new("time", 20, Kind::Message(|| wkt::Timestamp::TABLE)),
        FieldTable::new("span", 21, Kind::Message(|| wkt::Duration::TABLE)),
        FieldTable::new("mask", 22, Kind::Message(|| wkt::FieldMask::TABLE)),
        FieldTable::new("object", 23, Kind::Message(|| wkt::Struct::TABLE)),
        FieldTable::new("value", 24, Kind::Message(|| wkt::Value::TABLE)),
        FieldTable::new("values", 25, Kind::Message(|| wkt::Value::TABLE)).repeated(),
        FieldTable::new("list", 26, Kind::Message(|| wkt::ListValue::TABLE)),
        FieldTable::new("boxed", 27, Kind::Message(|| wkt::Int64Value::TABLE)),
        FieldTable::new("datas", 28, Kind::Message(|| wkt::BytesValue::TABLE)).repeated(),
    ],
);

/// A schema with the well-known types.
pub static SCHEMA: LazyLock<MessageDescriptor> = LazyLock::new(|| {
    let pool = DescriptorPool::from_tables(&[&ALL]).expect("the tables are right");
    pool.message("t.All").expect("it is in the tables")
});

const NEW: json::Printer = json::Printer::new();
const FORMS: [json::Printer; 4] = [
    NEW,
    NEW.pretty(true).use_proto_field_name(true),
    NEW.stringify_64_bit_integers(false).use_enum_numbers(true),
    NEW.skip_default_fields(false).pretty(true),
];
const PARSE: json::Parser = json::Parser::new().allow_partial(true);
const LENIENT: json::Parser = PARSE.deny_unknown_fields(false);

/// Pieces of text that parsers stumble over.
const PIECES: [&str; 36] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\n",
    "-",
    ".",
    "01",
    "1e",
    "1e999999999999",
    "\"Infinity\"",
    "\"NaN\"",
    "\\u",
    "\\ud83d\\ude00",
    "\\ud83d",
    "{}",
    "[]",
    "[{}]",
    "null",
    "true",
    "\"\"",
    "\"@type\"",
    "\"a/t.All\"",
    "\"value\":",
    "\"child\":",
    "\"byId\":",
    "\"1970-01-01T00:00:00Z\"",
    "\"1.5s\"",
    " ",
    "99999999999999999999",
    "\"aGk=\"",
    "\u{1f600}",
];

/// The first byte says whether the rest is JSON.
pub fn check(input: &[u8]) -> bool {
    match input.split_first() {
        None => false,
        Some((&first, rest)) if first & 1 == 1 => any_text(&SCHEMA, rest),
        Some((_, rest)) => run(&mut Choices::fuzzed(rest)),
    }
}

fn printed(message: &DynamicMessage, options: &json::Printer) -> String {
    let mut buffer = Vec::new();
    options.append(&mut buffer, message).unwrap_or_else(|e| panic!("{e}: {message:?}"));
    String::from_utf8(buffer).expect("JSON is UTF-8")
}

/// Whether the text is accepted.
fn any_text(descriptor: &MessageDescriptor, text: &[u8]) -> bool {
    let mut part = DynamicMessage::new(descriptor);
    let merged = tablepb::json::merge_from_slice(&mut part, text);
    valid::message(&part, 4 * text.len());
    let lenient = LENIENT.message_from_slice(descriptor, text);
    match PARSE.message_from_slice(descriptor, text) {
        Ok(message) => {
            assert!(merged.is_ok() && lenient.is_ok());
            is_json(text);
            let json = printed(&message, &NEW);
            for options in FORMS {
                let form = printed(&message, &options);
                is_json(form.as_bytes());
                let again = PARSE.message_from_slice(descriptor, form.as_bytes());
                let again = again.unwrap_or_else(|e| panic!("{e}: {form}"));
                assert_eq!(printed(&again, &NEW), json, "{form}");
            }
            let back = PARTIAL.decode_dynamic(descriptor, &encoded(&message));
            assert_eq!(printed(&back.expect("it was encoded"), &NEW), json);
            true
        }
        Err(error) => {
            assert_eq!(merged.map_err(|e| (e.kind(), e.offset())), Err((error.kind(), error.offset())));
            assert!(error.offset() <= text.len() && error.line() > 0 && error.column() > 0);
            let _ = format!("{error} {error:?}");
            false
        }
    }
}

/// serde_json takes it for JSON too, unless numbers are beyond doubles or it is nested deeper than serde_json goes.
fn is_json(text: &[u8]) {
    if let Err(error) = serde_json::from_slice::<serde_json::Value>(text) {
        let (error, text) = (error.to_string(), String::from_utf8_lossy(text));
        let beyond = ["number out of range", "recursion limit exceeded"];
        assert!(beyond.iter().any(|known| error.contains(known)), "{error}: {text}");
    }
}

fn encoded(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    EncodeOptions::new().allow_partial(true).encode(message, &mut bytes).expect("it has no limits");
    bytes
}

/// A random message, there and back; text of it that is broken.
pub fn run(choices: &mut Choices) -> bool {
    let shared = choices.below(2) == 0;
    let case = FormatCase::new(choices, if shared { SHARED } else { LIMITS });
    let bytes = payload(&case.schema, case.message, choices, STYLE);
    let message = case.decode(&bytes);
    let before = case.decode(&payload(&case.schema, case.message, choices, STYLE));
    let values = case.values(&message);
    for options in FORMS {
        let json = printed(&message, &options);
        is_json(json.as_bytes());
        let back = PARSE.message_from_slice(&case.ours, json.as_bytes());
        let back = back.unwrap_or_else(|e| panic!("{e}: {json}"));
        assert_eq!(case.values(&back), values, "{json}");
        assert_eq!(case.values(&case.decode(&encoded(&back))), values, "{json}");
    }
    if shared {
        prost_reflect_agrees(&case, &bytes, &message);
    }
    let mut text = printed(&message, &FORMS[choices.below(FORMS.len())]).into_bytes();
    for _ in 0..1 + choices.below(3) {
        match choices.below(3) {
            0 => mutate(&mut text, choices),
            1 => text.truncate(choices.below(text.len() + 1)),
            _ => {
                let at = choices.below(text.len() + 1);
                text.splice(at..at, choices.pick(&PIECES).bytes());
            }
        }
    }
    broken(&case, before, &text, choices)
}

/// What prost-reflect prints of a message is read as that message, and the other way round.
fn prost_reflect_agrees(case: &FormatCase, bytes: &[u8], message: &DynamicMessage) {
    use prost_reflect::DynamicMessage as Theirs;
    let pool = prost_reflect::DescriptorPool::decode(&case.schema.descriptor_set()[..]);
    let Ok(pool) = pool else { return };
    let theirs = pool.get_message_by_name(&case.schema.full_name(case.message)).expect("the same schema");
    let Ok(their_message) = Theirs::decode(theirs.clone(), bytes) else { return };
    let values = |message: &DynamicMessage| without_negative_zeros(case, case.message, &case.values(message));
    let read = |json: &str| {
        let message = PARSE.message_from_slice(&case.ours, json.as_bytes());
        message.unwrap_or_else(|e| panic!("{e}: {json}"))
    };
    let text = serde_json::to_string(&their_message).expect("all of it has a form in JSON");
    let expected = values(message);
    assert_eq!(values(&read(&text)), expected, "{text}");
    let json = printed(message, &NEW);
    let back = Theirs::deserialize(theirs, &mut serde_json::Deserializer::from_str(&json));
    let back = back.unwrap_or_else(|e| panic!("{e}: {json}"));
    let again = serde_json::to_string(&back).expect("all of it has a form in JSON");
    assert_eq!(values(&read(&again)), expected, "{json}");
}

/// Whether broken text is accepted. Whatever there is no memory for, the message is valid and can be used again.
fn broken(case: &FormatCase, before: DynamicMessage, text: &[u8], choices: &mut Choices) -> bool {
    let size = encoded(&before).len() + 4 * text.len();
    let mut merged = before.clone();
    let result = PARSE.merge_from_slice(&mut merged, text);
    valid::message(&merged, size);
    let json = printed(&merged, &NEW);
    let again = PARSE.message_from_slice(&case.ours, json.as_bytes());
    assert_eq!(case.values(&again.unwrap_or_else(|e| panic!("{e}: {json}"))), case.values(&merged));
    let mut scarce = before;
    let budget = choices.below(2_000);
    let failed = PARSE.budget(budget).merge_from_slice(&mut scarce, text).map_err(|e| e.kind());
    valid::message(&scarce, size);
    match (&failed, &result) {
        (Err(ParseErrorKind::BudgetExceeded), _) | (Ok(()), Ok(())) => {}
        (Err(kind), Err(error)) => assert_eq!(*kind, error.kind(), "{}", text.escape_ascii()),
        _ => panic!("{failed:?} with a budget of {budget}, {result:?} without: {}", text.escape_ascii()),
    }
    PARSE.merge_from_slice(&mut scarce, json.as_bytes()).unwrap_or_else(|e| panic!("{e}: {json}"));
    valid::message(&scarce, size + 4 * json.len());
    result.is_ok()
}
