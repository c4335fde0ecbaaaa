//! JSON and text that are not quite those of a message, by their tokens.

use crate::choices::Choices;

/// What may stand in place of a token of JSON.
const JSON: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "1.0",
    "1e2",
    "1.5",
    "1e400",
    "\"\"",
    "\"1\"",
    "\"-1\"",
    "\"1.0\"",
    "\"1e1\"",
    "\"NaN\"",
    "\"Infinity\"",
    "2147483648",
    "-2147483649",
    "4294967296",
    "\"9223372036854775808\"",
    "18446744073709551616",
    "[]",
    "{}",
    "[null]",
    "{\"a\":1}",
    "\"AA\"",
    "\"AA==\"",
    "\"_-8\"",
    "\"\\u0041\"",
    "\"\\ud83d\\ude00\"",
    "\"E0_0\"",
    "\"true\"",
    "3.4028236e38",
    "1e-50",
    "0.1",
    "01",
    "+1",
    ".5",
    "1.",
    "nan",
];

/// What may stand in place of a token of text.
const TEXT: &[&str] = &[
    "true",
    "t",
    "True",
    "0",
    "-0",
    "1",
    "-1",
    "0x1f",
    "017",
    "1.5",
    "1f",
    "1.5F",
    "inf",
    "-infinity",
    "nan",
    "1e400",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "\"\"",
    "'a'",
    "\"\\x41\"",
    "\"\\101\"",
    "\"\\u00e9\"",
    "\"\\xff\"",
    "\"a\" \"b\"",
    "[]",
    "{}",
    "<>",
    "[1, 2]",
    ":",
    ",",
    ";",
    "# c\n",
    "E0_0",
    "no_such_field: 1",
    "{",
    "}",
    "<",
    ">",
];

pub fn json(text: &str, choices: &mut Choices) -> String {
    tokens_changed(text, JSON, choices)
}

pub fn text(text: &str, choices: &mut Choices) -> String {
    tokens_changed(text, TEXT, choices)
}

/// The text with one to three tokens changed.
fn tokens_changed(text: &str, others: &[&str], choices: &mut Choices) -> String {
    let mut tokens = tokens(text);
    for _ in 0..1 + choices.below(3) {
        if tokens.is_empty() {
            break;
        }
        let at = choices.below(tokens.len());
        tokens[at] = changed(&tokens[at], others, choices);
    }
    tokens.concat()
}

/// Strings, numbers, words, and single characters.
pub fn tokens(text: &str) -> Vec<String> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let is_end = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    is_end
                });
                end.map_or(rest.len(), |(at, _)| at + 1)
            }
            c if c.is_ascii_alphanumeric() || "-_".contains(c) => {
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c))).unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token.to_owned());
        rest = after;
    }
    tokens
}

fn changed(token: &str, others: &[&str], choices: &mut Choices) -> String {
    match choices.below(8) {
        0 => String::new(),
        1 => format!("{token}{token}"),
        2 => format!(" {token}\n"),
        3 if token.starts_with('"') => token.trim_matches('"').to_owned(),
        3 => format!("\"{token}\""),
        4 if token.contains('.') || token.parse::<i64>().is_ok() => format!("{token}e0"),
        5 if token.len() > 2 && token.starts_with('"') => {
            format!("\"{}\"", &token[1..token.len() - 1].to_uppercase())
        }
        _ => (*choices.pick(others)).to_owned(),
    }
}
