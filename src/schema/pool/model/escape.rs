//! C escapes, as used in defaults of bytes fields and in string literals of .proto source.

use alloc::string::String;
use core::fmt::Write;

/// Escapes bytes as protoc does in `default_value`, without quotes: `\n`, `\r`, `\t`, `\"`, `\'`, `\\`, and three octal
/// digits for everything else that is not printable ASCII.
pub(in crate::schema::pool) fn escape_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        escape_ascii(byte, &mut out);
    }
    out
}

/// As [`escape_bytes`], but keeps characters outside of ASCII.
pub(in crate::schema::pool) fn escape_str(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => escape_ascii(byte, &mut out),
            _ => out.push(c),
        }
    }
    out
}

fn escape_ascii(byte: u8, out: &mut String) {
    match byte {
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        b'"' | b'\'' | b'\\' => {
            out.push('\\');
            out.push(byte.into());
        }
        0x20..=0x7e => out.push(byte.into()),
        // Writing to a `String` cannot fail.
        _ => drop(write!(out, "\\{byte:03o}")),
    }
}

/// The bytes that escapes stand for: `\n`, `\r`, `\t`, `\a`, `\b`, `\f`, `\v`, quotes, `\\`, `\?`, one to three octal digits, and `\x`
/// with one or two hexadecimal digits. `None` in the place of any other backslash.
pub(in crate::schema::pool) fn unescaped(text: &str) -> impl Iterator<Item = Option<u8>> {
    let mut rest = text.as_bytes();
    core::iter::from_fn(move || {
        let (&byte, tail) = rest.split_first()?;
        rest = tail;
        if byte != b'\\' {
            return Some(Some(byte));
        }
        Some(escape(&mut rest))
    })
}

/// The byte for a backslash followed by `rest`.
fn escape(rest: &mut &[u8]) -> Option<u8> {
    let (&escape, tail) = rest.split_first()?;
    let (value, used) = match escape {
        b'n' => (b'\n', 1),
        b'r' => (b'\r', 1),
        b't' => (b'\t', 1),
        b'a' => (7, 1),
        b'b' => (8, 1),
        b'f' => (12, 1),
        b'v' => (11, 1),
        b'\\' | b'\'' | b'"' | b'?' => (escape, 1),
        b'0'..=b'7' => digits(rest, 8, 3)?,
        b'x' | b'X' => {
            let (value, used) = digits(tail, 16, 2)?;
            (value, used + 1)
        }
        _ => return None,
    };
    *rest = rest.get(used..)?;
    Some(value)
}

/// Parses up to `most` digits: their value, if it fits a byte, and their count.
fn digits(bytes: &[u8], radix: u32, most: usize) -> Option<(u8, usize)> {
    let values = bytes.iter().take(most).map_while(|&b| char::from(b).to_digit(radix));
    let (value, used) = values.fold((0u32, 0), |(value, used), digit| (value * radix + digit, used + 1));
    (used > 0).then_some((u8::try_from(value).ok()?, used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn unescape(text: &str) -> Option<Vec<u8>> {
        unescaped(text).collect()
    }

    #[test]
    fn escapes() {
        let bytes = unescape(r#"a\n\"\\\001\377\x7fé\0019"#).unwrap();
        assert_eq!(bytes, b"a\n\"\\\x01\xff\x7f\xc3\xa9\x019");
        for bad in [r"\", r"\q", r"\400", r"\x", r"\xg"] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_escaped_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unescape(&escape_bytes(&all)).unwrap(), all);
        assert_eq!(escape_str("a\"é\u{1}"), "a\\\"é\\001");
        assert_eq!(unescape(&escape_str("a\"é\u{1}")).unwrap(), "a\"é\u{1}".as_bytes());
    }
}
