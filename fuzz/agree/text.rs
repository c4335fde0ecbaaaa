//! Text format: arbitrary text is refused or read, and what is read comes back; random messages of random schemas come back
//! as they were, in every form; broken text leaves a valid message.

use super::valid::{self, PARTIAL};
use crate::common::choices::Choices;
use crate::common::format_case::{FormatCase, STYLE};
use crate::common::payload::{Style, mutate, payload};
use crate::common::schema_gen::ALL;
use crate::common::text_schema::pool;
use tablepb::ParseErrorKind;
use tablepb::text;
use tablepb::{DynamicMessage, EncodeOptions, MessageDescriptor};

const NEW: text::Printer = text::Printer::new();
const FORMS: [text::Printer; 4] = [
    NEW,
    NEW.pretty(true).print_message_fields_in_index_order(true),
    NEW.expand_any(false).skip_default_fields(false),
    NEW.pretty(true).expand_any(false),
];
const PARSE: text::Parser = text::Parser::new().allow_partial(true);
const LENIENT: text::Parser = PARSE.deny_unknown_fields(false);

/// Pieces of text that parsers stumble over.
const PIECES: [&str; 40] = [
    "{",
    "}",
    "<",
    ">",
    "[",
    "]",
    ":",
    ",",
    ";",
    "'",
    "\"",
    "\\",
    "#",
    "\n",
    "-",
    ".",
    "0x",
    "08",
    "1e",
    "1e999999999999",
    "inf",
    "nan",
    "\\u",
    "\\ud83d\\ude00",
    "\\377",
    "\\x",
    "{}",
    "[{}]",
    "[t.ext]",
    "[a/t.All]",
    "gone",
    "by_id",
    "key",
    "value",
    "child",
    " ",
    "99999999999999999999",
    "MyGroup",
    "true",
    "\u{1f600}",
];

/// The first byte says whether the rest is text.
pub fn check(input: &[u8]) -> bool {
    let Some((&first, rest)) = input.split_first() else { return false };
    if first & 1 == 0 {
        return run(&mut Choices::fuzzed(rest));
    }
    let name = ["t.All", "t.All", "t.All", "e.Delimited"][usize::from(first >> 1 & 3)];
    let descriptor = pool().message(name).expect("it is in the schema");
    any_text(&descriptor, &String::from_utf8_lossy(rest))
}

/// Whether the text is accepted.
fn any_text(descriptor: &MessageDescriptor, text: &str) -> bool {
    let mut part = DynamicMessage::new(descriptor);
    let merged = tablepb::text::merge_from_str(&mut part, text);
    valid::message(&part, text.len());
    let lenient = LENIENT.message_from_str(descriptor, text);
    match PARSE.message_from_str(descriptor, text) {
        Ok(message) => {
            assert!(merged.is_ok() && lenient.is_ok());
            let printed = tablepb::text::to_string(&message).unwrap();
            for options in FORMS {
                let form = options.to_string(&message).unwrap();
                let again = PARSE.message_from_str(descriptor, &form);
                let again = again.unwrap_or_else(|e| panic!("{e}: {form}"));
                assert_eq!(tablepb::text::to_string(&again).unwrap(), printed, "{form}");
            }
            let bytes = encoded(&message);
            let back = PARTIAL.decode_dynamic(descriptor, &bytes).expect("it was encoded");
            assert_eq!(tablepb::text::to_string(&back).unwrap(), printed);
            true
        }
        Err(error) => {
            // Merging does not look into messages that were made aside for what they lack.
            assert_eq!(merged.map_err(|e| (e.kind(), e.offset())), Err((error.kind(), error.offset())));
            assert!(error.offset() <= text.len() && error.line() > 0 && error.column() > 0);
            assert!(text.is_char_boundary(error.offset()), "{error}");
            let _ = format!("{error} {error:?}");
            false
        }
    }
}

fn encoded(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    EncodeOptions::new().allow_partial(true).encode(message, &mut bytes).expect("it has no limits");
    bytes
}

/// A random message, there and back; text of it that is broken.
pub fn run(choices: &mut Choices) -> bool {
    let case = FormatCase::new(choices, ALL);
    let style = Style { raw_strings: true, ..STYLE };
    let made = |choices: &mut Choices| case.decode(&payload(&case.schema, case.message, choices, style));
    let (message, before) = (made(choices), made(choices));
    let values = case.values(&message);
    for options in FORMS {
        let text = options.to_string(&message).unwrap();
        let back = PARSE.message_from_str(&case.ours, &text);
        let back = back.unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(case.values(&back), values, "{text}");
        assert_eq!(case.values(&case.decode(&encoded(&back))), values, "{text}");
    }
    merges_as_bytes(&case, &message, &before);
    let mut text = FORMS[choices.below(FORMS.len())].to_string(&message).unwrap().into_bytes();
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
    broken(&case, before, &String::from_utf8_lossy(&text), choices)
}

/// Merging the text of a message is merging its bytes.
fn merges_as_bytes(case: &FormatCase, message: &DynamicMessage, before: &DynamicMessage) {
    let (mut merged, mut expected) = (before.clone(), before.clone());
    tablepb::text::merge_from_str(&mut merged, &tablepb::text::to_string(message).unwrap())
        .unwrap_or_else(|e| panic!("{e}: {message}"));
    PARTIAL.merge(&mut expected, &encoded(message)).expect("it was encoded");
    assert_eq!(case.values(&merged), case.values(&expected), "{message} into {before}");
}

/// Whether broken text is accepted. Whatever there is no memory for, the message is valid and can be used again.
fn broken(case: &FormatCase, before: DynamicMessage, text: &str, choices: &mut Choices) -> bool {
    let size = encoded(&before).len() + text.len();
    let mut merged = before.clone();
    let result = PARSE.merge_from_str(&mut merged, text);
    valid::message(&merged, size);
    let printed = tablepb::text::to_string(&merged).unwrap();
    let again = PARSE.message_from_str(&case.ours, &printed);
    assert_eq!(case.values(&again.unwrap_or_else(|e| panic!("{e}: {printed}"))), case.values(&merged));
    let mut scarce = before;
    let budget = choices.below(2_000);
    let failed = PARSE.budget(budget).merge_from_str(&mut scarce, text).map_err(|e| e.kind());
    valid::message(&scarce, size);
    match (&failed, &result) {
        (Err(ParseErrorKind::BudgetExceeded), _) | (Ok(()), Ok(())) => {}
        (Err(kind), Err(error)) => assert_eq!(*kind, error.kind(), "{text}"),
        _ => panic!("{failed:?} with a budget of {budget}, {result:?} without: {text}"),
    }
    PARSE.merge_from_str(&mut scarce, &printed).unwrap_or_else(|e| panic!("{e}: {printed}"));
    valid::message(&scarce, size + printed.len());
    result.is_ok()
}
