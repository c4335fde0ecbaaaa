//! Strings: quotes and escapes.

use crate::formats::numbers::TextOut;
use alloc::vec::Vec;

/// Whether a byte of ASCII is escaped.
fn is_special(byte: u8) -> bool {
    matches!(byte, 0..=0x1f | 0x7f | b'"' | b'\\')
}

/// Prints text between quotes. Characters beyond ASCII are printed as they are, bytes that are not UTF-8 by number.
pub(super) fn put_text(out: &mut TextOut<'_>, bytes: &[u8]) {
    out.byte(b'"');
    for chunk in bytes.utf8_chunks() {
        put_some(out, chunk.valid().as_bytes(), is_special);
        chunk.invalid().iter().for_each(|&byte| put_escape(out, byte));
    }
    out.byte(b'"');
}

/// Prints bytes between quotes, those beyond ASCII by number.
pub(super) fn put_bytes(out: &mut TextOut<'_>, bytes: &[u8]) {
    out.byte(b'"');
    put_some(out, bytes, |byte| is_special(byte) || !byte.is_ascii());
    out.byte(b'"');
}

fn put_some(out: &mut TextOut<'_>, mut rest: &[u8], escaped: impl Fn(u8) -> bool) {
    while let Some(at) = rest.iter().position(|&byte| escaped(byte)) {
        let (plain, from) = rest.split_at(at);
        out.slice(plain);
        let Some((&byte, after)) = from.split_first() else { return };
        put_escape(out, byte);
        rest = after;
    }
    out.slice(rest);
}

fn put_escape(out: &mut TextOut<'_>, byte: u8) {
    match byte {
        b'\n' => out.array(b"\\n"),
        b'\r' => out.array(b"\\r"),
        b'\t' => out.array(b"\\t"),
        b'"' | b'\\' => out.array(&[b'\\', byte]),
        _ => out.array(&[b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]),
    }
}

/// What an escape stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escaped {
    Byte(u8),
    Char(char),
}

/// What the escape at the start of `rest` stands for, and its length; the backslash is its first byte.
fn unescape(rest: &[u8]) -> Option<(Escaped, usize)> {
    let byte = match *rest.get(1)? {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        byte @ (b'?' | b'\\' | b'\'' | b'"') => byte,
        b'0'..=b'7' => {
            let (value, len) = digits(rest.get(1..)?, 8, 3);
            return Some((Escaped::Byte(u8::try_from(value).ok()?), 1 + len));
        }
        b'x' | b'X' => {
            let (value, len) = digits(rest.get(2..)?, 16, 2);
            return (len > 0).then_some((Escaped::Byte(value as u8), 2 + len));
        }
        letter @ (b'u' | b'U') => {
            let count = if letter == b'u' { 4 } else { 8 };
            let (value, len) = digits(rest.get(2..)?, 16, count);
            // Surrogates are no characters, alone or in pairs.
            return Some((Escaped::Char(char::from_u32(value).filter(|_| len == count)?), 2 + count));
        }
        _ => return None,
    };
    Some((Escaped::Byte(byte), 2))
}

/// The number of at most `most` digits, and how many there are.
fn digits(text: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let digits = text.iter().take(most).map_while(|&byte| char::from(byte).to_digit(radix));
    digits.fold((0, 0), |(value, len), digit| (value * radix + digit, len + 1))
}

/// Goes over the content of a literal: runs of plain bytes, and what escapes stand for. If an escape is invalid, says where.
fn each(raw: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), usize> {
    let mut at = 0;
    while at < raw.len() {
        let rest = raw.get(at..).unwrap_or_default();
        let plain = rest.iter().position(|&byte| byte == b'\\').unwrap_or(rest.len());
        take(rest.get(..plain).unwrap_or_default());
        at += plain;
        if plain == rest.len() {
            break;
        }
        let (escaped, len) = rest.get(plain..).and_then(unescape).ok_or(at)?;
        match escaped {
            Escaped::Byte(byte) => take(&[byte]),
            Escaped::Char(character) => take(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        at += len;
    }
    Ok(())
}

/// Appends the content of a literal; room for it has been reserved.
///
/// # Errors
/// Where the invalid escape is.
pub(super) fn unescape_to(raw: &[u8], out: &mut Vec<u8>) -> Result<(), usize> {
    each(raw, |bytes| out.extend_from_slice(bytes))
}

/// Whether all escapes in the content of a literal are valid.
///
/// # Errors
/// As `unescape_to`.
pub(super) fn check(raw: &[u8]) -> Result<(), usize> {
    each(raw, |_| {})
}
