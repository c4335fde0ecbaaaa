//! Strings: quotes and escapes.

use super::strings;
use crate::formats::numbers::{TextOut, put_f32, put_f64, type_in_url};
use crate::message::{ListRef, MapKeyRef, MapRef, Value, ValueRef};
use alloc::vec::Vec;
use core::fmt;

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
            // Surrogates are rejected, even in pairs.
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

// Names in brackets: extensions, and the URLs of types.

/// Whether a byte may stand in brackets.
pub(super) fn is_url_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.~!$&()*+,;=%/".contains(&byte)
}

fn is_identifier(text: &[u8]) -> bool {
    let starts = text.first().is_some_and(|byte| !byte.is_ascii_digit());
    starts && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Whether this is a full name: identifiers with dots between them.
pub(super) fn is_full_name(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'.').all(is_identifier)
}

/// The name of the type that a URL ends with; nothing if it is no URL that may stand in brackets.
pub(super) fn type_name(url: &[u8]) -> Option<&str> {
    let name = type_in_url(url)?;
    let prefix = url.get(..url.len() - name.len() - 1)?;
    let is_hex = |at: usize| prefix.get(at).is_some_and(u8::is_ascii_hexdigit);
    let escaped = |(at, &byte): (usize, &u8)| byte != b'%' || (is_hex(at + 1) && is_hex(at + 2));
    let valid = prefix.first().is_some_and(|&byte| byte != b'/')
        && prefix.iter().all(|&byte| is_url_byte(byte))
        && prefix.iter().enumerate().all(escaped);
    (valid && is_full_name(name.as_bytes())).then_some(name)
}

// Display of values, as text format has them.

/// The value as in [text format](crate::text): strings in quotes, messages in braces, lists and maps in
/// brackets. An enum value is its number, because a value does not know its enum. With `{:#}`, messages are indented.
impl fmt::Display for ValueRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(v) => v.fmt(f),
            Self::I32(v) | Self::EnumNumber(v) => v.fmt(f),
            Self::I64(v) => v.fmt(f),
            Self::U32(v) => v.fmt(f),
            Self::U64(v) => v.fmt(f),
            Self::F32(v) if v.is_finite() => put(f, |out| put_f32(out, *v)),
            Self::F32(v) => special((*v).into(), f),
            Self::F64(v) if v.is_finite() => put(f, |out| put_f64(out, *v)),
            Self::F64(v) => special(*v, f),
            Self::String(v) => put(f, |out| strings::put_text(out, v.as_bytes())),
            Self::Bytes(v) => put(f, |out| strings::put_bytes(out, v)),
            Self::Message(v) => braces(f, v),
            Self::Raw(v) => fmt::Debug::fmt(v, f),
            Self::List(v) => v.fmt(f),
            Self::Map(v) => v.fmt(f),
            Self::Unselected => f.write_str("unselected"),
        }
    }
}

/// As a [`ValueRef`] is displayed.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalar = match self {
            Self::Bool(v) => ValueRef::Bool(*v),
            Self::I32(v) => ValueRef::I32(*v),
            Self::I64(v) => ValueRef::I64(*v),
            Self::U32(v) => ValueRef::U32(*v),
            Self::U64(v) => ValueRef::U64(*v),
            Self::F32(v) => ValueRef::F32(*v),
            Self::F64(v) => ValueRef::F64(*v),
            Self::String(v) => ValueRef::String(v),
            Self::Bytes(v) => ValueRef::Bytes(v),
            Self::EnumNumber(v) => ValueRef::EnumNumber(*v),
            Self::Message(v) => return braces(f, v),
            Self::Prepared(v) => return fmt::Debug::fmt(v, f),
            Self::List(v) => return brackets(f, v.iter(), |value, f| value.fmt(f)),
            Self::Map(v) => return brackets(f, v.iter(), |(key, value), f| entry(f, key.as_ref(), value)),
        };
        scalar.fmt(f)
    }
}

/// The elements in brackets, as in text format.
impl fmt::Display for ListRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        brackets(f, self.iter(), |value, f| value.fmt(f))
    }
}

/// The entries in brackets, as in text format, in the order of the map.
impl fmt::Display for MapRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        brackets(f, self.iter(), |(key, value), f| entry(f, key, &value))
    }
}

fn put(f: &mut fmt::Formatter<'_>, write: impl FnOnce(&mut TextOut<'_>)) -> fmt::Result {
    let mut buffer = Vec::new();
    let mut out = TextOut::new(&mut buffer);
    write(&mut out);
    out.finish().map_err(|_| fmt::Error)?;
    f.write_str(core::str::from_utf8(&buffer).unwrap_or_default())
}

fn special(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(match value {
        value if value.is_nan() => "nan",
        value if value > 0.0 => "inf",
        _ => "-inf",
    })
}

fn braces(f: &mut fmt::Formatter<'_>, message: &dyn fmt::Display) -> fmt::Result {
    f.write_str("{")?;
    message.fmt(f)?;
    f.write_str("}")
}

fn brackets<T>(
    f: &mut fmt::Formatter<'_>,
    parts: impl Iterator<Item = T>,
    print: impl Fn(T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str("[")?;
    for (i, part) in parts.enumerate() {
        f.write_str(if i == 0 { "" } else { "," })?;
        print(part, f)?;
    }
    f.write_str("]")
}

fn entry(f: &mut fmt::Formatter<'_>, key: MapKeyRef<'_>, value: &dyn fmt::Display) -> fmt::Result {
    write!(f, "{{key:{},value:", ValueRef::from(key))?;
    // Not by `write!`, which drops the flag of `{:#}`.
    value.fmt(f)?;
    f.write_str("}")
}
