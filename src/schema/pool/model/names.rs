//! Names: one text arena for a whole pool, and the rules of protobuf identifiers.
//!
//! A definition keeps its full name as a range of the arena. Its own name is the tail of that range, so both together
//! take twelve bytes and the text. The arena is charged to the [`Room`] of a load, because each definition copies the
//! name of its package, which may be long.

use crate::schema::program::{Room, RoomFull, sort_list};
use alloc::string::String;
use core::fmt::Write;

/// A range of the text arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::schema::pool) struct TextRange {
    start: u32,
    end: u32,
}

impl TextRange {
    /// First byte and length.
    #[inline]
    pub(in crate::schema::pool) fn place(self) -> (usize, usize) {
        (self.start as usize, self.end.saturating_sub(self.start) as usize)
    }

    /// The bytes `from..to` of this text.
    pub(in crate::schema::pool) fn part(self, from: usize, to: usize) -> Self {
        let at = |offset: usize| self.end.min(self.start.saturating_add(offset as u32));
        Self { start: at(from), end: at(to) }
    }
}

/// A full name in the text arena, and where its last component starts.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::schema::pool) struct Name {
    start: u32,
    local: u32,
    end: u32,
}

impl Name {
    /// The full name as a range.
    pub(in crate::schema::pool) fn full(self) -> TextRange {
        TextRange { start: self.start, end: self.end }
    }

    /// The last component as a range.
    pub(in crate::schema::pool) fn local(self) -> TextRange {
        TextRange { start: self.local, end: self.end }
    }
}

/// The text of a pool: names, JSON names and string defaults.
#[derive(Debug, Default)]
pub(in crate::schema::pool) struct Names {
    text: String,
}

impl Names {
    fn room_for(&mut self, more: usize, room: &mut Room) -> Result<(), RoomFull> {
        let len = self.text.len().saturating_add(more);
        if u32::try_from(len).is_err() {
            return Err(RoomFull::Limit(u32::MAX as usize));
        }
        room.extend_text(&mut self.text, more)
    }

    /// Adds a text.
    pub(in crate::schema::pool) fn push(
        &mut self,
        text: &str,
        room: &mut Room,
    ) -> Result<TextRange, RoomFull> {
        self.room_for(text.len(), room)?;
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Ok(TextRange { start, end: self.text.len() as u32 })
    }

    /// Adds the full name of `local` inside of `scope`; an empty scope is the root.
    pub(in crate::schema::pool) fn push_name(
        &mut self,
        scope: TextRange,
        local: &str,
        room: &mut Room,
    ) -> Result<Name, RoomFull> {
        let scope_len = (scope.end - scope.start) as usize;
        self.room_for(scope_len.saturating_add(local.len()).saturating_add(1), room)?;
        let start = self.text.len() as u32;
        if scope_len > 0 {
            self.text.extend_from_within(scope.start as usize..scope.end as usize);
            self.text.push('.');
        }
        let at = self.text.len() as u32;
        self.text.push_str(local);
        Ok(Name { start, local: at, end: self.text.len() as u32 })
    }

    /// Adds `[text]`.
    pub(in crate::schema::pool) fn push_bracketed(
        &mut self,
        text: TextRange,
        room: &mut Room,
    ) -> Result<TextRange, RoomFull> {
        let (from, to) = (text.start as usize, text.end as usize);
        self.room_for(to - from + 2, room)?;
        let start = self.text.len() as u32;
        self.text.push('[');
        self.text.extend_from_within(from..to);
        self.text.push(']');
        Ok(TextRange { start, end: self.text.len() as u32 })
    }

    /// Adds the JSON name of this text, which is the text itself if it has no `_`.
    pub(in crate::schema::pool) fn push_json(
        &mut self,
        name: TextRange,
        room: &mut Room,
    ) -> Result<TextRange, RoomFull> {
        if !self.get(name).contains('_') {
            return Ok(name);
        }
        self.room_for((name.end - name.start) as usize, room)?;
        let start = self.text.len() as u32;
        let mut capital = false;
        for at in name.start as usize..name.end as usize {
            match self.text.as_bytes().get(at) {
                Some(b'_') => capital = true,
                Some(&byte) => {
                    let c = char::from(byte);
                    self.text.push(if core::mem::take(&mut capital) { c.to_ascii_uppercase() } else { c });
                }
                None => {}
            }
        }
        Ok(TextRange { start, end: self.text.len() as u32 })
    }

    /// All of the text.
    #[inline]
    pub(in crate::schema::pool) fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Sorts ranges by their text.
    pub(in crate::schema::pool) fn sort(&self, list: &mut [TextRange]) {
        sort_list(list, |&a, &b| self.get(a) < self.get(b));
    }

    /// The text of a range; `""` if the range is not of this arena.
    pub(in crate::schema::pool) fn get(&self, text: TextRange) -> &str {
        self.text.get(text.start as usize..text.end as usize).unwrap_or("")
    }
}

/// Whether `name` is a protobuf identifier: a letter or `_`, then letters, digits and `_`, all ASCII.
pub(in crate::schema::pool) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The JSON name that protoc gives a field: `_` is dropped and the letter after it is made a capital,
/// <https://protobuf.dev/programming-guides/json/#field-names>.
pub(in crate::schema::pool) fn json_name(name: &str) -> String {
    camel(name, false)
}

/// The name that protoc gives the entry message of a map field: `FooBarEntry` for `foo_bar`.
pub(in crate::schema::pool) fn map_entry_name(field: &str) -> String {
    camel(field, true) + "Entry"
}

/// Whether `name` is [`map_entry_name`] of `field`.
pub(in crate::schema::pool) fn is_map_entry_name(name: &str, field: &str) -> bool {
    name.strip_suffix("Entry").is_some_and(|name| name.chars().eq(camel_chars(field, true)))
}

/// Whether `name` is [`json_name`] of `field`.
pub(in crate::schema::pool) fn is_json_name(name: &str, field: &str) -> bool {
    if !field.as_bytes().contains(&b'_') {
        return name == field;
    }
    let mut rest = name.as_bytes();
    let mut capital = false;
    for &byte in field.as_bytes() {
        if byte == b'_' {
            capital = true;
            continue;
        }
        let expected = if core::mem::take(&mut capital) { byte.to_ascii_uppercase() } else { byte };
        match rest.split_first() {
            Some((&first, others)) if first == expected => rest = others,
            _ => return false,
        }
    }
    rest.is_empty()
}

fn camel(name: &str, capital: bool) -> String {
    let mut out = String::with_capacity(name.len() + 5);
    out.extend(camel_chars(name, capital));
    out
}

/// The characters of a name without `_`; a character after `_` is made a capital.
pub(in crate::schema::pool) fn camel_chars(name: &str, mut capital: bool) -> impl Iterator<Item = char> {
    name.chars().filter_map(move |c| {
        if c == '_' {
            capital = true;
            return None;
        }
        Some(if core::mem::take(&mut capital) { c.to_ascii_uppercase() } else { c })
    })
}

// C escapes, as used in defaults of bytes fields and in string literals of .proto source.

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

    #[test]
    fn a_name_is_the_tail_of_its_full_name() {
        let (mut names, room) = (Names::default(), &mut Room::new(100));
        let package = names.push("a.b", room).unwrap();
        let name = names.push_name(package, "C", room).unwrap();
        assert_eq!((names.get(name.full()), names.get(name.local())), ("a.b.C", "C"));
        let root = names.push_name(TextRange::default(), "D", room).unwrap();
        assert_eq!((names.get(root.full()), names.get(root.local())), ("D", "D"));
    }

    #[test]
    fn the_budget_is_kept() {
        let (mut names, room) = (Names::default(), &mut Room::new(7));
        let package = names.push("abc", room).unwrap();
        assert!(names.push_name(package, "d", room).is_err());
        assert_eq!(names.get(package), "abc");
    }

    #[test]
    fn identifiers_and_derived_names() {
        assert!(is_identifier("_a9") && is_identifier("A"));
        assert!(!is_identifier("") && !is_identifier("9a") && !is_identifier("a.b") && !is_identifier("é"));
        assert_eq!(json_name("foo_bar__baz_1"), "fooBarBaz1");
        assert_eq!(json_name("FooBar"), "FooBar");
        assert_eq!(map_entry_name("foo_bar"), "FooBarEntry");
        assert_eq!(map_entry_name("fooBar"), "FooBarEntry");
        assert!(is_map_entry_name("FooBarEntry", "foo_bar") && !is_map_entry_name("FooBar", "foo_bar"));
        assert!(is_json_name("fooBar", "foo_bar") && !is_json_name("foo_bar", "foo_bar"));
        let (mut names, room) = (Names::default(), &mut Room::new(100));
        for name in ["foo_bar__baz_1", "_a_", "plain", "_"] {
            let text = names.push(name, room).unwrap();
            let json = names.push_json(text, room).unwrap();
            assert_eq!(names.get(json), json_name(name));
        }
    }
}

#[cfg(test)]
mod escape_tests {
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
