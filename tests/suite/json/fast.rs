//! JSON around the widths of its fast paths: labels, blocks of lists, windows of strings, words of digits.

use std::fmt::Write;
use tablepb::ParseErrorKind as Bad;
use tablepb::json;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb::{DescriptorPool, DynamicMessage, MessageDescriptor};

static COLOR: EnumTable = EnumTable::new("f.Color", &[("RED", 0), ("GREEN", 1), ("BLUE", 2)]);
static LISTS: MessageTable = MessageTable::new(
    "f.Lists",
    &[
        FieldTable::new("i", 1, Kind::Int32).repeated(),
        FieldTable::new("l", 2, Kind::Int64).repeated(),
        FieldTable::new("u", 3, Kind::Uint32).repeated(),
        FieldTable::new("x", 4, Kind::Fixed64).repeated(),
        FieldTable::new("f", 5, Kind::Float).repeated(),
        FieldTable::new("d", 6, Kind::Double).repeated(),
        FieldTable::new("b", 7, Kind::Bool).repeated(),
        FieldTable::new("s", 8, Kind::String).repeated(),
        FieldTable::new("e", 9, Kind::Enum(|| &COLOR)).repeated(),
        FieldTable::new("m", 10, Kind::Message(|| &LISTS)).repeated(),
        FieldTable::new("text", 11, Kind::String),
    ],
);

fn lists() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&LISTS]).unwrap().message("f.Lists").unwrap()
}

/// A list of this field as it is printed.
fn list(name: &str, values: &[String]) -> String {
    format!(r#"{{"{name}":[{}]}}"#, values.join(","))
}

/// Values of every kind, as they are printed: `i` varies their length.
fn value(name: &str, i: usize) -> String {
    let power = 10i64.pow(i as u32 % 18);
    match name {
        "i" => ((power % 2_147_483_647) as i32 * if i.is_multiple_of(3) { -1 } else { 1 }).to_string(),
        "l" => format!("\"{}\"", power * if i.is_multiple_of(3) { -1 } else { 1 }),
        "u" => (power as u32).to_string(),
        "x" => format!("\"{}\"", u64::MAX - power as u64),
        "f" => (i as f32 / 8.0).to_string(),
        "d" => (i as f64 / 3.0).to_string(),
        "b" => i.is_multiple_of(3).to_string(),
        "s" => format!("\"{}\"", "abcdefgh".repeat(8).split_at(i % 65).0),
        "e" => ["\"RED\"", "\"GREEN\"", "\"BLUE\""][i % 3].to_owned(),
        _ => r#"{"text":"inner"}"#.to_owned(),
    }
}

const NAMES: [&str; 10] = ["i", "l", "u", "x", "f", "d", "b", "s", "e", "m"];

#[test]
fn lists_of_every_length_come_back() {
    let descriptor = lists();
    for name in NAMES {
        for len in (1..=70).chain([1000]) {
            let values: Vec<String> = (0..len).map(|i| value(name, i)).collect();
            let text = list(name, &values);
            let message = tablepb::json::message_from_slice(&descriptor, text.as_bytes()).expect(&text);
            assert_eq!(tablepb::json::to_string(&message).unwrap(), text);
            // With white space, the members are found another way.
            let spaced = text.replace(',', " ,\n ").replace(':', " : ").replace('[', "[ ").replace(']', " ]");
            let again = tablepb::json::message_from_slice(&descriptor, spaced.as_bytes()).expect(&spaced);
            assert_eq!(again, message, "{spaced}");
        }
    }
}

#[test]
fn elements_before_one_at_fault_are_kept() {
    let descriptor = lists();
    for name in NAMES.into_iter().filter(|name| *name != "m") {
        for len in [0, 1, 15, 16, 17, 31, 32, 33, 64, 65, 100] {
            let values: Vec<String> = (0..len).map(|i| value(name, i)).collect();
            let mut bad = values.clone();
            bad.push("{}".to_owned());
            let mut message = DynamicMessage::new(&descriptor);
            let error =
                tablepb::json::merge_from_slice(&mut message, list(name, &bad).as_bytes()).unwrap_err();
            assert_eq!(error.kind(), Bad::WrongType, "{name} {len}");
            assert_eq!(error.path().to_string(), format!("{name}[{len}]"));
            let kept = if len == 0 { "{}".to_owned() } else { list(name, &values) };
            assert_eq!(tablepb::json::to_string(&message).unwrap(), kept);
            // And it is used again.
            tablepb::json::merge_from_slice(&mut message, list(name, &[value(name, 1)]).as_bytes()).unwrap();
        }
    }
}

#[test]
fn strings_of_every_length_with_every_control_byte() {
    let descriptor = lists();
    for len in (0..=80usize).step_by(if cfg!(debug_assertions) { 5 } else { 1 }) {
        let plain: String = (0..len).map(|i| char::from(b'a' + i as u8 % 26)).collect();
        // The string at the very end of the input, and followed by much.
        for after in [String::new(), format!(r#","s":["{}"]"#, "x".repeat(100))] {
            let text = format!(r#"{{"text":"{plain}"{after}}}"#);
            let message = tablepb::json::message_from_slice(&descriptor, text.as_bytes()).unwrap();
            let read = message.get_field("text").ok().and_then(|v| v.as_str().map(str::to_owned));
            assert_eq!(read.unwrap_or_default(), plain);
            for at in 0..len {
                let (start, end) = plain.split_at(at);
                for byte in 0..0x20u8 {
                    let raw = format!("{{\"text\":\"{start}{}{end}\"{after}}}", char::from(byte));
                    let error = tablepb::json::message_from_slice(&descriptor, raw.as_bytes()).unwrap_err();
                    assert_eq!((error.kind(), error.offset()), (Bad::InvalidString, 9 + at));
                }
                let mut escaped = String::new();
                write!(escaped, r#"{{"text":"{start}\"\\\n\u0001{end}"{after}}}"#).unwrap();
                let message = tablepb::json::message_from_slice(&descriptor, escaped.as_bytes()).unwrap();
                let read = message.get_field("text").unwrap().as_str().unwrap().to_owned();
                assert_eq!(read, format!("{start}\"\\\n\u{1}{end}"));
                let printed = tablepb::json::to_string(&message).unwrap();
                let (printed, _) =
                    printed.split_once(r#","text":"#).map_or((printed.as_str(), ""), |p| (p.1, p.0));
                assert!(printed.contains(&format!(r#"{start}\"\\\n\u0001{end}""#)), "{printed}");
                let mut invalid = text.clone().into_bytes();
                invalid[9 + at] = 0xff;
                let error = tablepb::json::message_from_slice(&descriptor, &invalid).unwrap_err();
                assert_eq!((error.kind(), error.offset()), (Bad::InvalidUtf8, 9 + at));
            }
        }
    }
}

/// Names of every length, in and out of order, with members missing, and names that differ from a field's in one character.
#[test]
fn keys_of_every_length_are_told_apart() {
    let names: Vec<&'static str> = (1..=45).map(|len| &*String::leak("n".repeat(len - 1) + "z")).collect();
    let fields: &'static [FieldTable] = Vec::leak(
        (1..).zip(&names).map(|(number, name)| FieldTable::new(name, number, Kind::Int32)).collect(),
    );
    let table: &'static MessageTable = Box::leak(Box::new(MessageTable::new("f.Names", fields)));
    let descriptor = DescriptorPool::from_tables(&[table]).unwrap().message("f.Names").unwrap();
    let lenient = json::Parser::new().deny_unknown_fields(false);
    for step in 1..8usize {
        let order: Vec<usize> = (0..names.len()).map(|i| i * step % names.len()).collect();
        let mut seen = vec![false; names.len()];
        let mut text = String::from("{");
        for &at in order.iter().filter(|at| !std::mem::replace(&mut seen[**at], true)) {
            write!(text, r#"{}"{}":{}"#, if text.len() > 1 { "," } else { "" }, names[at], at + 1).unwrap();
        }
        text.push('}');
        let message = tablepb::json::message_from_slice(&descriptor, text.as_bytes()).unwrap();
        for (at, name) in names.iter().enumerate().filter(|(at, _)| seen[*at]) {
            assert_eq!(message.get_field(name).ok().and_then(|v| v.as_i32()), Some(at as i32 + 1));
        }
    }
    for name in &names {
        for at in 0..name.len() {
            let mut other = name.to_string();
            other.replace_range(at..=at, "q");
            let text = format!(r#"{{"{other}":1}}"#);
            let error = tablepb::json::message_from_slice(&descriptor, text.as_bytes()).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (Bad::UnknownField, 1));
            let message = lenient.message_from_slice(&descriptor, text.as_bytes()).unwrap();
            assert_eq!(tablepb::json::to_string(&message).unwrap(), "{}");
        }
    }
}

#[test]
fn integers_around_every_power_of_ten() {
    let descriptor = lists();
    for power in 0..20u32 {
        for near in [-1i128, 0, 1] {
            for sign in [1, -1] {
                let number = sign * (10i128.pow(power) + near);
                for (name, least, most, quoted) in [
                    ("i", i32::MIN as i128, i32::MAX as i128, false),
                    ("l", i64::MIN as i128, i64::MAX as i128, true),
                    ("u", 0, u32::MAX as i128, false),
                    ("x", 0, u64::MAX as i128, true),
                ] {
                    let (plain, quotes) = (number.to_string(), format!("\"{number}\""));
                    let printed = list(name, &[if quoted { quotes.clone() } else { plain.clone() }]);
                    for form in [plain.clone(), quotes.clone(), format!("{plain}.0"), format!("{plain}e0")] {
                        let text = list(name, &[form]);
                        match tablepb::json::message_from_slice(&descriptor, text.as_bytes()) {
                            Ok(message) => {
                                assert!((least..=most).contains(&number), "{text}");
                                assert_eq!(tablepb::json::to_string(&message).unwrap(), printed);
                            }
                            Err(error) => {
                                assert!(!(least..=most).contains(&number), "{text} {error}");
                                assert_eq!(error.kind(), Bad::OutOfRange, "{text}");
                            }
                        }
                    }
                }
            }
        }
    }
}
