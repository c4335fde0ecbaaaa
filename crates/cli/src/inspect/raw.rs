//! The structure of the wire without a schema: field numbers, wire types, and a guess at what bytes mean.
//!
//! Text without control characters is a string; what reads as a message down to its last byte, with numbers that
//! people use, is a message; text with line breaks and tabs is a string; the rest is bytes. A stack of readers takes the place of
//! recursion, and a reader opens at most 100 levels.

use super::summary::Tally;
use crate::output::{LIST, Output};
use crate::text;
use std::io;
use tablepb::wire::{Reader, Tag, WireType};

/// Bytes that would have a field of a larger number are not taken for a message.
const LARGEST_NUMBER: u32 = 9_999;

/// Prints the fields of a message up to the end or the first fault, and counts them.
pub fn print(bytes: &[u8], level: usize, output: &mut Output<'_>) -> io::Result<Tally> {
    output.line(level, format_args!("message without a schema ({} bytes)", bytes.len()))?;
    let mut walk = Walk { output, tally: Tally { messages: 1, ..Tally::default() }, stack: Vec::new() };
    walk.stack.push(Level::new(Reader::new(bytes), level + 1, true));
    walk.run()?;
    Ok(walk.tally)
}

/// Prints one unknown field of a message, given its tag and what follows it.
pub fn unknown(tag: Tag, value: &[u8], level: usize, output: &mut Output<'_>) -> io::Result<()> {
    let mut walk = Walk { output, tally: Tally::default(), stack: Vec::new() };
    let (number, size) = (tag.number(), tag.len() + value.len());
    let label = format!("unknown {number}, {}, {size} bytes", wire_type(tag));
    walk.value(&label, tag, &mut Reader::new(value), level, true)?;
    walk.run()
}

/// A message that is being read.
struct Level<'i> {
    reader: Reader<'i>,
    level: usize,
    visible: bool,
    /// The number of the last field, and how often it came in a row.
    number: u32,
    row: usize,
}

impl<'i> Level<'i> {
    fn new(reader: Reader<'i>, level: usize, visible: bool) -> Self {
        Self { reader, level, visible, number: 0, row: 0 }
    }
}

struct Walk<'o, 'w, 'i> {
    output: &'o mut Output<'w>,
    tally: Tally,
    stack: Vec<Level<'i>>,
}

impl<'i> Walk<'_, '_, 'i> {
    fn run(&mut self) -> io::Result<()> {
        while let Some(mut here) = self.stack.pop() {
            let tag = match here.reader.next_tag() {
                Ok(Some(tag)) => tag,
                Ok(None) => {
                    self.hidden(&here)?;
                    continue;
                }
                Err(_) => return self.broken(&here),
            };
            if tag.number() != here.number {
                self.hidden(&here)?;
                (here.number, here.row) = (tag.number(), 0);
            }
            here.row += 1;
            let visible = here.visible && (self.output.full || here.row <= LIST);
            let level = here.level;
            // The message goes on after the fields of its child.
            self.stack.push(here);
            let at = self.stack.len() - 1;
            let mut reader = self.stack[at].reader.clone();
            let label = if visible { tag.number().to_string() } else { String::new() };
            let whole = self.value(&label, tag, &mut reader, level, visible)?;
            self.stack[at].reader = reader;
            if !whole {
                let here = &self.stack[at];
                self.output.line(here.level, format_args!("{}: cut off or broken", tag.number()))?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Prints the value after a tag and pushes the message that it is; false if it is broken.
    fn value(
        &mut self,
        label: &str,
        tag: Tag,
        reader: &mut Reader<'i>,
        level: usize,
        visible: bool,
    ) -> io::Result<bool> {
        let (text, child) = match tag.wire_type() {
            WireType::Varint => (reader.read_varint().map(varint), None),
            WireType::Fixed32 => (reader.read_fixed32().map(fixed32), None),
            WireType::Fixed64 => (reader.read_fixed64().map(fixed64), None),
            WireType::StartGroup => match reader.read_group(tag) {
                Ok(child) => (Ok(format!("group ({} bytes)", child.remaining())), Some(child)),
                Err(error) => (Err(error), None),
            },
            WireType::EndGroup => return Ok(false),
            WireType::LengthDelimited => {
                let nested = reader.clone().read_message();
                match reader.read_length_delimited() {
                    Err(error) => (Err(error), None),
                    Ok(bytes) => match nested {
                        Ok(child) if is_message(bytes, &child) => {
                            (Ok(format!("message ({} bytes)", bytes.len())), Some(child))
                        }
                        _ => (Ok(text_or_bytes(bytes, self.output.full)), None),
                    },
                }
            }
        };
        let Ok(text) = text else { return Ok(false) };
        self.tally.fields += 1;
        if visible {
            self.output.line(level, format_args!("{label}: {text}"))?;
        }
        if let Some(child) = child {
            self.tally.messages += 1;
            self.stack.push(Level::new(child, level + 1, visible));
            self.tally.depth = self.tally.depth.max(self.stack.len() - 1);
        }
        Ok(true)
    }

    /// Says how many fields of one number in a row were not shown.
    fn hidden(&mut self, here: &Level<'_>) -> io::Result<()> {
        if here.visible && !self.output.full && here.row > LIST {
            self.output.line(here.level, format_args!("{}: … {} more", here.number, here.row - LIST))?;
        }
        Ok(())
    }

    fn broken(&mut self, here: &Level<'_>) -> io::Result<()> {
        self.hidden(here)?;
        self.output.line(here.level, format_args!("broken from byte {} on", here.reader.position()))
    }
}

/// Whether these bytes are a message rather than a string or bytes.
pub fn is_message(bytes: &[u8], reader: &Reader<'_>) -> bool {
    let control = |byte: &u8| byte.is_ascii_control();
    if bytes.is_empty() || (std::str::from_utf8(bytes).is_ok() && !bytes.iter().any(control)) {
        return false;
    }
    let mut reader = reader.clone();
    loop {
        match reader.next_tag() {
            Ok(None) => return true,
            Ok(Some(tag)) if tag.number() <= LARGEST_NUMBER && reader.skip_field(tag).is_ok() => {}
            _ => return false,
        }
    }
}

fn text_or_bytes(bytes: &[u8], full: bool) -> String {
    let spacing = |c: char| matches!(c, '\t' | '\r' | '\n');
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().all(|c| spacing(c) || !c.is_control()) => text::string(text, full),
        _ => format!("bytes {}", text::bytes(bytes, full)),
    }
}

fn wire_type(tag: Tag) -> &'static str {
    match tag.wire_type() {
        WireType::Varint => "varint",
        WireType::Fixed64 => "fixed64",
        WireType::LengthDelimited => "length-delimited",
        WireType::StartGroup | WireType::EndGroup => "group",
        WireType::Fixed32 => "fixed32",
    }
}

fn varint(value: u64) -> String {
    let signed = value as i64;
    if signed < 0 { format!("varint {value} ({signed})") } else { format!("varint {value}") }
}

fn fixed32(value: u32) -> String {
    format!("fixed32 {value} ({:?})", f32::from_bits(value))
}

fn fixed64(value: u64) -> String {
    format!("fixed64 {value} ({:?})", f64::from_bits(value))
}
