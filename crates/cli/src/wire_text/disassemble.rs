//! Text out of bytes, from which the same bytes are made.
//!
//! What a message is, is guessed as `inspect` guesses it, or known by a schema. What cannot be said in another way is said by hexadecimal digits.

use crate::inspect;
use std::fmt::Write;
use tablepb::schema::FieldKind;
use tablepb::table::Kind;
use tablepb::wire::Reader;
use tablepb::{FieldDescriptor, MessageDescriptor};

/// Messages in messages, after which bytes stay bytes.
const MAX_DEPTH: usize = 100;
/// The most bytes of a varint that is longer than it need be.
const MOST_LONGER: usize = 1 << 20;
/// Bytes in a line of digits or of text.
const LINE: usize = 64;

/// The text of a message.
pub fn disassemble(bytes: &[u8], schema: Option<&MessageDescriptor>) -> String {
    let mut this = Disassembler { text: String::new() };
    let rest = this.fields(bytes, schema, 0);
    this.rest(rest, 0);
    this.text
}

struct Disassembler {
    text: String,
}

/// A field that is being written.
struct Begun<'f> {
    number: u64,
    /// As it stands before the colon.
    text: String,
    field: Option<&'f FieldDescriptor>,
    level: usize,
}

impl Begun<'_> {
    fn kind(&self) -> Option<FieldKind> {
        self.field.map(FieldDescriptor::kind)
    }

    /// The name as a comment.
    fn name(&self) -> String {
        self.field.map_or_else(String::new, |field| format!("  # {}", field.name()))
    }
}

/// A varint, and how many bytes more than it needs it has.
struct Varint {
    value: u64,
    longer: usize,
}

/// Reads a varint from the front; `None` for what [`varint`] does not write: a value beyond 64 bits.
fn read_varint(bytes: &mut &[u8]) -> Option<Varint> {
    let len = bytes.iter().take(MOST_LONGER).position(|byte| byte & 0x80 == 0)? + 1;
    let (own, rest) = bytes.split_at(len);
    let value = own
        .iter()
        .take(10)
        .enumerate()
        .fold(0, |value, (at, &byte)| value | u64::from(byte & 0x7f) << (7 * at));
    // Without the bytes at its end that add nothing.
    let least = own.iter().rposition(|byte| byte & 0x7f != 0).map_or(1, |at| at + 1);
    let fits = least < 10 || (least == 10 && own.get(9).is_some_and(|byte| byte & 0x7f < 2));
    *bytes = rest;
    fits.then_some(Varint { value, longer: len - least })
}

fn long_form(longer: usize) -> String {
    if longer == 0 { String::new() } else { format!("long-form:{longer} ") }
}

impl Disassembler {
    fn line(&mut self, level: usize, text: &str) {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = 2 * level);
    }

    /// Writes the fields at the front, and returns what is left: nothing, or bytes that are no field.
    fn fields<'b>(
        &mut self,
        mut bytes: &'b [u8],
        schema: Option<&MessageDescriptor>,
        level: usize,
    ) -> &'b [u8] {
        while !bytes.is_empty() {
            let mut after = bytes;
            let Some(tag) = read_varint(&mut after) else { return bytes };
            let (number, wire_type) = (tag.value >> 3, tag.value & 7);
            if number == 0 || number > u64::from(u32::MAX >> 3) {
                return bytes;
            }
            let field = schema.and_then(|schema| {
                let number = number as u32;
                schema.get_field(number).or_else(|| schema.get_extension(number).map(|it| it.as_field()))
            });
            let text = format!("{}{number}", long_form(tag.longer));
            let begun = Begun { number, text, field: field.as_ref(), level };
            match self.field(&begun, wire_type, after) {
                Some(rest) => bytes = rest,
                None => return bytes,
            }
        }
        bytes
    }

    /// Writes one field after its tag, and returns what follows it; `None` if nothing was written.
    fn field<'b>(&mut self, begun: &Begun<'_>, wire_type: u64, mut bytes: &'b [u8]) -> Option<&'b [u8]> {
        let (text, name, kind, level) = (&begun.text, begun.name(), begun.kind(), begun.level);
        match wire_type {
            0 => {
                let value = read_varint(&mut bytes)?;
                self.line(level, &format!("{text}: {}{name}", varint_text(&value, kind.as_ref())));
            }
            1 => {
                let (value, rest) = bytes.split_first_chunk::<8>()?;
                self.line(level, &format!("{text}: {}{name}", fixed64(*value, kind.as_ref())));
                bytes = rest;
            }
            5 => {
                let (value, rest) = bytes.split_first_chunk::<4>()?;
                self.line(level, &format!("{text}: {}{name}", fixed32(*value, kind.as_ref())));
                bytes = rest;
            }
            2 => {
                let length = read_varint(&mut bytes)?;
                let whole = usize::try_from(length.value).ok().and_then(|len| bytes.split_at_checked(len));
                let longer = long_form(length.longer);
                let Some((content, rest)) = whole else {
                    // A length that lies.
                    self.line(level, &format!("{text}:LEN {longer}{}{name}", length.value as i64));
                    return Some(bytes);
                };
                self.content(begun, &format!("{text}: {longer}"), content);
                bytes = rest;
            }
            3 => return Some(self.group(begun, bytes)),
            4 => self.line(level, &format!("{text}:EGROUP")),
            _ => return None,
        }
        Some(bytes)
    }

    /// Writes a group and returns what follows it. A group without an end is only the tag that begins it.
    fn group<'b>(&mut self, begun: &Begun<'_>, bytes: &'b [u8]) -> &'b [u8] {
        let (text, name, level) = (&begun.text, begun.name(), begun.level);
        let end = if level < MAX_DEPTH { group_end(bytes, begun.number) } else { None };
        let Some((content, longer, rest)) = end else {
            self.line(level, &format!("{text}:SGROUP{name}"));
            return bytes;
        };
        self.line(level, &format!("{text}: !{{{name}"));
        let kind = begun.kind();
        let left = self.fields(content, kind.as_ref().and_then(Kind::as_message), level + 1);
        self.rest(left, level + 1);
        self.line(level, &format!("{}}}", long_form(longer)));
        rest
    }

    /// Writes the content of a length-delimited field after `begin`.
    fn content(&mut self, begun: &Begun<'_>, begin: &str, content: &[u8]) {
        let (kind, name, level) = (begun.kind(), begun.name(), begun.level);
        let message = match &kind {
            Some(Kind::Message(message)) => Some(Some(message)),
            None if guessed(content) => Some(None),
            _ => None,
        };
        if let (Some(schema), true, false) = (message, level < MAX_DEPTH, content.is_empty()) {
            self.line(level, &format!("{begin}{{{name}"));
            let left = self.fields(content, schema, level + 1);
            self.rest(left, level + 1);
            return self.line(level, "}");
        }
        if let Some(kind) = kind.as_ref().filter(|kind| kind.is_packable())
            && let Some(values) = packed(content, kind)
        {
            return self.line(level, &format!("{begin}{{{}}}{name}", values.join(" ")));
        }
        let literals = literals(content);
        match &literals[..] {
            [] => self.line(level, &format!("{begin}{{}}{name}")),
            [one] => self.line(level, &format!("{begin}{{{one}}}{name}")),
            _ => {
                self.line(level, &format!("{begin}{{{name}"));
                literals.iter().for_each(|literal| self.line(level + 1, literal));
                self.line(level, "}");
            }
        }
    }

    /// Writes bytes that are no field.
    fn rest(&mut self, bytes: &[u8], level: usize) {
        literals(bytes).iter().for_each(|literal| self.line(level, literal));
    }
}

/// Whether bytes are taken for a message, without a schema.
fn guessed(content: &[u8]) -> bool {
    inspect::is_message(content, &Reader::new(content))
}

/// The content of a group up to its end, how much longer the tag of the end is than it need be, and what follows.
fn group_end(bytes: &[u8], number: u64) -> Option<(&[u8], usize, &[u8])> {
    let (mut rest, mut open) = (bytes, vec![number]);
    loop {
        let before = rest;
        let tag = read_varint(&mut rest)?;
        match tag.value & 7 {
            0 => {
                read_varint(&mut rest)?;
            }
            1 => rest = rest.get(8..)?,
            2 => {
                let length = usize::try_from(read_varint(&mut rest)?.value).ok()?;
                rest = rest.get(length..)?;
            }
            3 if open.len() < MAX_DEPTH => open.push(tag.value >> 3),
            4 if open.pop() == Some(tag.value >> 3) => {
                if open.is_empty() {
                    return Some((&bytes[..bytes.len() - before.len()], tag.longer, rest));
                }
            }
            5 => rest = rest.get(4..)?,
            _ => return None,
        }
    }
}

fn varint_text(value: &Varint, kind: Option<&FieldKind>) -> String {
    let number = value.value;
    let text = match kind {
        Some(Kind::Bool) if number < 2 && value.longer == 0 => return (number == 1).to_string(),
        Some(Kind::Sint32 | Kind::Sint64) => format!("{}z", (number >> 1) as i64 ^ -((number & 1) as i64)),
        Some(Kind::Uint32 | Kind::Uint64) => number.to_string(),
        _ => (number as i64).to_string(),
    };
    long_form(value.longer) + &text
}

/// Floats that are neither very large nor very small look like floats.
fn is_plain(value: f64) -> bool {
    value == 0.0 || (1e-9..1e15).contains(&value.abs())
}

/// A decimal float with a point in it.
fn decimal(text: String) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        None if !text.contains('.') => format!("{text}.0"),
        _ => text,
    }
}

fn fixed64(bytes: [u8; 8], kind: Option<&FieldKind>) -> String {
    let (bits, value) = (u64::from_le_bytes(bytes), f64::from_le_bytes(bytes));
    match kind {
        Some(Kind::Fixed64) => format!("{bits}i64"),
        Some(Kind::Sfixed64) => format!("{}i64", bits as i64),
        _ if value.is_infinite() => String::from(if value > 0.0 { "inf64" } else { "-inf64" }),
        _ if value.is_nan() => format!("{bits:#x}i64"),
        Some(Kind::Double) => decimal(format!("{value:?}")),
        _ if is_plain(value) => decimal(format!("{value:?}")),
        _ => format!("{}i64", bits as i64),
    }
}

fn fixed32(bytes: [u8; 4], kind: Option<&FieldKind>) -> String {
    let (bits, value) = (u32::from_le_bytes(bytes), f32::from_le_bytes(bytes));
    match kind {
        Some(Kind::Fixed32) => format!("{bits}i32"),
        Some(Kind::Sfixed32) => format!("{}i32", bits as i32),
        _ if value.is_infinite() => String::from(if value > 0.0 { "inf32" } else { "-inf32" }),
        _ if value.is_nan() => format!("{bits:#x}i32"),
        Some(Kind::Float) => decimal(format!("{value:?}")) + "i32",
        _ if is_plain(value.into()) => decimal(format!("{value:?}")) + "i32",
        _ => format!("{}i32", bits as i32),
    }
}

/// The values of a packed run, if it is one down to its last byte.
fn packed(mut bytes: &[u8], kind: &FieldKind) -> Option<Vec<String>> {
    let mut values = Vec::new();
    while !bytes.is_empty() {
        values.push(match kind {
            Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => {
                let (value, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                fixed64(*value, Some(kind))
            }
            Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => {
                let (value, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                fixed32(*value, Some(kind))
            }
            _ => varint_text(&read_varint(&mut bytes)?, Some(kind)),
        });
    }
    Some(values)
}

/// Bytes as text in quotes if most of them are text, and as digits otherwise; in lines.
fn literals(bytes: &[u8]) -> Vec<String> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t') || !byte.is_ascii();
    let is_text = std::str::from_utf8(bytes).is_ok()
        && bytes.iter().filter(|byte| plain(byte)).count() * 8 >= bytes.len() * 7;
    if !is_text {
        let digits = |part: &[u8]| part.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        return bytes.chunks(LINE / 2).map(|part| format!("`{}`", digits(part))).collect();
    }
    let (mut lines, mut line) = (Vec::new(), String::new());
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '"' | '\\' => line.extend(['\\', c]),
            '\n' => line.push_str("\\n"),
            c if c.is_ascii_control() => {
                let _ = write!(line, "\\x{:02x}", c as u32);
            }
            // Others that do something on a terminal.
            c if c.is_control() => {
                let mut buffer = [0; 4];
                c.encode_utf8(&mut buffer).bytes().for_each(|byte| {
                    let _ = write!(line, "\\x{byte:02x}");
                });
            }
            c => line.push(c),
        }
        if c == '\n' || line.len() >= LINE && c == ' ' || line.len() >= 4 * LINE {
            lines.push(format!("\"{}\"", std::mem::take(&mut line)));
        }
    }
    if !line.is_empty() {
        lines.push(format!("\"{line}\""));
    }
    lines
}
