//! serde: random messages of random schemas come back from every format, with every option; broken bytes are refused or give a
//! message; JSON text is read as by the direct codec.

use crate::agree::json::SCHEMA;
use crate::agree::valid;
use crate::common::choices::Choices;
use crate::common::format_case::{FormatCase, LIMITS, STYLE};
use crate::common::payload::{mutate, payload};
use serde_json::Value;
use tablepb::json;
use tablepb::{DynamicMessage, MessageDescriptor};

const NEW: json::Printer = json::Printer::new();
const FORMS: [json::Printer; 4] = [
    NEW,
    NEW.use_proto_field_name(true),
    NEW.stringify_64_bit_integers(false).use_enum_numbers(true),
    NEW.skip_default_fields(false),
];
const PARSE: json::Parser = json::Parser::new().allow_partial(true);

/// What messages go through: text, bytes, and values in memory.
#[derive(Clone, Copy, Debug)]
enum Format {
    Json,
    MessagePack,
    Values,
}

const FORMATS: [Format; 3] = [Format::Json, Format::MessagePack, Format::Values];

impl Format {
    fn print(self, message: &DynamicMessage, options: &json::Printer) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        match self {
            Self::Json => {
                let mut serializer = serde_json::Serializer::new(&mut bytes);
                options.serialize(&message.as_view(), &mut serializer).map_err(|e| e.to_string())?;
            }
            Self::MessagePack => {
                let mut serializer = rmp_serde::Serializer::new(&mut bytes);
                options.serialize(&message.as_view(), &mut serializer).map_err(|e| e.to_string())?;
            }
            Self::Values => {
                let value = options.serialize(&message.as_view(), serde_json::value::Serializer);
                bytes = value.map_err(|e| e.to_string())?.to_string().into_bytes();
            }
        }
        Ok(bytes)
    }

    fn parse(
        self,
        descriptor: &MessageDescriptor,
        bytes: &[u8],
        options: &json::Parser,
    ) -> Result<DynamicMessage, String> {
        let descriptor = descriptor.clone();
        match self {
            Self::Json => {
                let mut deserializer = serde_json::Deserializer::from_slice(bytes);
                let made = options.deserialize(&descriptor, &mut deserializer);
                made.and_then(|made| deserializer.end().map(|()| made)).map_err(|e| e.to_string())
            }
            Self::MessagePack => {
                let mut deserializer = rmp_serde::Deserializer::new(bytes);
                options.deserialize(&descriptor, &mut deserializer).map_err(|e| e.to_string())
            }
            Self::Values => {
                let value: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
                options.deserialize(&descriptor, value).map_err(|e| e.to_string())
            }
        }
    }
}

/// The first byte says whether the rest is JSON, MessagePack, or decisions.
pub fn check(input: &[u8]) -> bool {
    match input.split_first() {
        None => false,
        Some((1, rest)) => any_json(rest),
        Some((2, rest)) => any_bytes(&SCHEMA, Format::MessagePack, rest, 1 << 12),
        Some((_, rest)) => run(&mut Choices::fuzzed(rest)),
    }
}

/// What the direct codec prints, in which the order of maps does not matter.
fn direct(message: &DynamicMessage) -> Value {
    let mut buffer = Vec::new();
    NEW.append(&mut buffer, message).unwrap_or_else(|e| panic!("{e}: {message:?}"));
    serde_json::from_slice(&buffer).unwrap_or_else(|e| panic!("{e}: {}", buffer.escape_ascii()))
}

/// Whether bytes are accepted; if so, they give a message that is as good as any.
fn any_bytes(descriptor: &MessageDescriptor, format: Format, bytes: &[u8], budget: usize) -> bool {
    let scarce = format.parse(descriptor, bytes, &PARSE.budget(budget));
    match format.parse(descriptor, bytes, &PARSE) {
        Ok(message) => {
            valid::message(&message, 8 * bytes.len());
            match scarce {
                Ok(scarce) => assert_eq!(direct(&scarce), direct(&message)),
                // rmp-serde puts an error of its own in place of one that is about bytes where it expected text.
                Err(error) => assert!(
                    error.contains("more memory than the budget")
                        || matches!(format, Format::MessagePack) && error.contains("invalid utf8"),
                    "{error}"
                ),
            }
            let json = direct(&message);
            for format in FORMATS {
                let bytes = format.print(&message, &NEW).unwrap_or_else(|e| panic!("{e}: {json}"));
                let back = format.parse(descriptor, &bytes, &PARSE);
                assert_eq!(direct(&back.unwrap_or_else(|e| panic!("{e}: {json}"))), json, "{format:?}");
            }
            true
        }
        Err(error) => {
            assert!(!error.is_empty() && scarce.is_err(), "{error}");
            false
        }
    }
}

/// The direct codec reads the same, but for numbers that serde_json makes doubles of, and what it refuses on its own.
fn any_json(text: &[u8]) -> bool {
    let through = Format::Json.parse(&SCHEMA, text, &PARSE);
    any_bytes(&SCHEMA, Format::Json, text, 1 << 12);
    let message = PARSE.message_from_slice(&SCHEMA, text);
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let doubles = digits > 18 || text.iter().any(|byte| b".eE".contains(byte));
    let show = || String::from_utf8_lossy(text).into_owned();
    match (&message, &through) {
        (Ok(message), Ok(through)) if !doubles => assert_eq!(direct(message), direct(through), "{}", show()),
        (Ok(_), Err(error)) if !doubles => {
            assert!(error.contains("recursion limit exceeded"), "{error}: {}", show());
        }
        (Err(error), Ok(_)) if !doubles => panic!("{error}: {}", show()),
        _ => {}
    }
    through.is_ok()
}

/// A random message, there and back; bytes of it that are broken.
pub fn run(choices: &mut Choices) -> bool {
    let case = FormatCase::new(choices, LIMITS);
    let message = case.decode(&payload(&case.schema, case.message, choices, STYLE));
    let values = case.values(&message);
    let mut all = Vec::new();
    for options in FORMS {
        for format in FORMATS {
            let bytes = format.print(&message, &options).unwrap_or_else(|e| panic!("{e}: {message:?}"));
            let back = format.parse(&case.ours, &bytes, &PARSE);
            let back = back.unwrap_or_else(|e| panic!("{format:?}: {e}: {}", bytes.escape_ascii()));
            assert_eq!(case.values(&back), values, "{format:?}: {}", bytes.escape_ascii());
            all.push((format, bytes));
        }
    }
    let mut accepted = false;
    for _ in 0..4 {
        let (format, mut bytes) = choices.pick(&all).clone();
        mutate(&mut bytes, choices);
        accepted |= any_bytes(&case.ours, format, &bytes, choices.below(2_000));
    }
    accepted
}
