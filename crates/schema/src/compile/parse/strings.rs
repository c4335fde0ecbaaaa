//! The values of string literals.

use crate::compile::parse::lexer::{Lexer, TokenKind};
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;

/// Appends the value of the strings that stand next to each other from `at` on; where the last one ends.
pub(crate) fn unescape(text: &str, at: u32, out: &mut Vec<u8>, room: &mut Room) -> Result<u32, RoomFull> {
    let mut lexer = Lexer::new(text, at);
    let mut end = at;
    loop {
        let token = lexer.next();
        if token.kind != TokenKind::String {
            return Ok(end);
        }
        end = token.end;
        let raw = text.as_bytes().get(token.start as usize + 1..token.end as usize - 1).unwrap_or_default();
        literal(raw, out, room)?;
    }
}

/// What stands between the quotes of one literal.
fn literal(mut raw: &[u8], out: &mut Vec<u8>, room: &mut Room) -> Result<(), RoomFull> {
    while let Some(at) = raw.iter().position(|&byte| byte == b'\\') {
        let (plain, rest) = raw.split_at(at);
        room.extend(out, plain)?;
        let (len, value) = escape(rest);
        match value {
            Escaped::Byte(byte) => room.push(out, byte)?,
            Escaped::Char(char) => room.extend(out, char.encode_utf8(&mut [0; 4]).as_bytes())?,
        }
        raw = rest.get(len..).unwrap_or_default();
    }
    room.extend(out, raw)
}

enum Escaped {
    Byte(u8),
    Char(char),
}

fn digit(byte: Option<&u8>, radix: u32) -> Option<u32> {
    (*byte? as char).to_digit(radix)
}

/// The escape sequence at the start of `rest`, a backslash; its length and value.
fn escape(rest: &[u8]) -> (usize, Escaped) {
    let simple = |byte| (2, Escaped::Byte(byte));
    let digits = |from: usize, most: usize, radix: u32| {
        let mut value = 0u32;
        let mut len = 0;
        while len < most
            && let Some(next) = digit(rest.get(from + len), radix)
        {
            value = value.wrapping_mul(radix).wrapping_add(next);
            len += 1;
        }
        (from + len, value)
    };
    match rest.get(1) {
        Some(b'a') => simple(7),
        Some(b'b') => simple(8),
        Some(b'f') => simple(12),
        Some(b'n') => simple(b'\n'),
        Some(b'r') => simple(b'\r'),
        Some(b't') => simple(b'\t'),
        Some(b'v') => simple(11),
        Some(b'0'..=b'7') => {
            let (len, value) = digits(1, 3, 8);
            (len, Escaped::Byte(value as u8))
        }
        Some(b'x') => {
            let (len, value) = digits(2, 2, 16);
            (len, Escaped::Byte(value as u8))
        }
        Some(b'u') => code_point(rest, digits(2, 4, 16)),
        Some(b'U') => code_point(rest, digits(2, 8, 16)),
        Some(&other) => simple(other),
        None => (1, Escaped::Byte(b'\\')),
    }
}

/// A code point; two surrogates, each as `\u`, are one.
fn code_point(rest: &[u8], (len, value): (usize, u32)) -> (usize, Escaped) {
    if (0xd800..0xdc00).contains(&value)
        && let Some(b"\\u") = rest.get(len..len + 2)
    {
        let low = (0..4).try_fold(0, |low, i| Some(low * 16 + digit(rest.get(len + 2 + i), 16)?));
        if let Some(low) = low.filter(|low| (0xdc00..0xe000).contains(low)) {
            let both = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
            return (len + 6, Escaped::Char(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER)));
        }
    }
    (len, Escaped::Char(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape_has_its_value() {
        let text = r#" "a\a\b\f\n\r\t\v\\\?\'\"" '\0\18\377\x4\x41A' "\u00e9\U0001F600\ud83d\ude00" x"#;
        let mut out = Vec::new();
        let end = unescape(text, 0, &mut out, &mut Room::new(1000)).unwrap();
        assert_eq!(end as usize, text.len() - 2);
        assert_eq!(
            out,
            b"a\x07\x08\x0c\n\r\t\x0b\\?'\"\0\x018\xff\x04AA\xc3\xa9\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
        );
    }
}
