//! The text format as a [`Style`], and `Display` and `Debug` of messages by it. Nothing fails but allocations: bytes that are not a valid message are
//! printed as far as they are fields, by number.

use super::options::Printer;
use super::strings;
use super::strings::type_name;
use crate::engine::slab::RawView;
use crate::formats::numbers::{TextOut, put_f32, put_f64, put_i64, put_u64};
use crate::formats::print::{self as walk, Form, Open, Over, Style, limit};
use crate::message::{DynamicMessage, MessageView, UnknownFields};
use crate::schema::pool::{DescriptorPool, FieldFormats, FormatField, TextName, WellKnown};
use crate::schema::program::{FieldEntry, Program, Scalar};
use crate::wire::error::{DecodeError, EncodeError};
use crate::wire::output::buffer::sealed::RawBuffer;
use crate::wire::read::raw;
use crate::wire::{Full, Tag, WireType};
use alloc::vec::Vec;
use core::fmt;

/// Appends a message in text format.
///
/// # Errors
/// There was no memory; the buffer has its old length.
pub(crate) fn print(
    view: MessageView<'_, '_>,
    buffer: &mut dyn RawBuffer,
    printer: &Printer,
) -> Result<(), EncodeError> {
    message(view, printer, false, buffer).map_err(EncodeError::from)
}

/// How many levels are indented. Deeper messages would print mostly spaces.
const INDENTED: u32 = 64;

pub(super) struct TextStyle<'p, 'b> {
    pool: &'p DescriptorPool,
    options: Printer,
    out: TextOut<'b>,
    /// The root is printed in braces, after the name of its type.
    named: bool,
}

/// Appends a message as text; if `named`, with its type and in braces.
///
/// # Errors
/// There was no memory; the buffer has its old length.
pub(super) fn message(
    view: MessageView<'_, '_>,
    options: &Printer,
    named: bool,
    buffer: &mut dyn RawBuffer,
) -> Result<(), Full> {
    let mut style = TextStyle { pool: view.pool(), options: *options, out: TextOut::new(buffer), named };
    if named {
        style.out.slice(view.descriptor().full_name().as_bytes());
        style.pad();
    }
    match walk::print(&mut style, view.raw()) {
        Ok(()) => style.out.finish(),
        Err((fault, _)) => {
            style.out.abandon();
            Err(fault)
        }
    }
}

impl TextStyle<'_, '_> {
    fn open_brace(&mut self, level: u32) {
        if level > 0 {
            self.out.byte(b'{');
        }
    }

    /// Ends the message of this level; `first` if nothing was written inside.
    fn close_brace(&mut self, level: u32, first: bool) {
        if level == 0 {
            return;
        }
        if self.options.pretty && !first {
            self.line(level - 1);
        }
        self.out.byte(b'}');
    }

    /// Goes to the next field of a message of this level.
    fn separate(&mut self, level: u32, first: bool) {
        match self.options.pretty {
            true if level > 0 || !first => self.line(level),
            false if !first => self.out.byte(b','),
            _ => {}
        }
    }

    fn colon(&mut self) {
        self.out.byte(b':');
        self.pad();
    }

    fn pad(&mut self) {
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    /// A new line.
    fn line(&mut self, level: u32) {
        self.out.byte(b'\n');
        for _ in 0..level.min(INDENTED) {
            self.out.array(b"  ");
        }
    }

    #[cold]
    fn odd_name(&mut self, program: &Program, position: usize) {
        match self.pool.text_name(program.message(), program.field_of(position) as u32) {
            Some(TextName::Plain(name)) => self.out.slice(name.as_bytes()),
            Some(TextName::Extension(name)) => {
                self.out.byte(b'[');
                self.out.slice(name.as_bytes());
                self.out.byte(b']');
            }
            None => {}
        }
    }
}

impl<'p> Style<'p> for TextStyle<'p, '_> {
    type Error = Full;
    const OBJECTS: bool = false;

    fn pool(&self) -> &'p DescriptorPool {
        self.pool
    }

    fn has_failed(&self) -> bool {
        self.out.has_failed()
    }

    fn declared_order(&self) -> bool {
        self.options.print_message_fields_in_index_order
    }

    fn shows_unset(&self) -> bool {
        !self.options.skip_default_fields
    }

    fn shows_unknown(&self) -> bool {
        !self.options.skip_unknown_fields
    }

    /// Messages count; the outermost only if it has braces.
    fn level(&self, around: Option<u32>, over: Over, _: bool) -> u32 {
        let message = around.map_or(u32::from(self.named), |level| level + 1);
        if matches!(over, Over::List | Over::Map) { message - 1 } else { message }
    }

    fn open(&mut self, open: &Open) {
        match open.over {
            Over::List | Over::Map => self.out.byte(b'['),
            _ => self.open_brace(open.level),
        }
    }

    fn close(&mut self, open: &Open) {
        match open.over {
            Over::List | Over::Map => self.out.byte(b']'),
            _ => self.close_brace(open.level, open.first),
        }
    }

    fn name(&mut self, program: &Program, (names, position): FormatField<'p>, first: bool, level: u32) {
        self.separate(level, first);
        match names.plain_text(position) {
            Some((rest, len)) => self.out.part(rest, len),
            None => self.odd_name(program, position),
        }
    }

    fn before_message(&mut self) {
        self.pad();
    }

    fn before_value(&mut self) {
        self.colon();
    }

    fn before_element(&mut self, first: bool, _: u32) {
        if !first {
            self.out.byte(b',');
            self.pad();
        }
    }

    fn nothing(&mut self, _: bool) {
        self.out.array(b"[]");
    }

    fn number(&mut self, field: FormatField<'p>, entry: &FieldEntry, word: u64) {
        self.word(field, entry, word);
    }

    fn text(&mut self, entry: &FieldEntry, rest: &[u8], len: usize) {
        let bytes = rest.get(..len).unwrap_or(rest);
        match entry.scalar() {
            Scalar::String => strings::put_text(&mut self.out, bytes),
            _ => strings::put_bytes(&mut self.out, bytes),
        }
    }

    /// Never: elements are printed one by one.
    fn on_one_line(&self) -> bool {
        false
    }

    fn numbers(&mut self, _: FormatField<'p>, _: &FieldEntry, _: &[u32]) {}

    /// Never: entries are messages.
    fn key(&mut self, _: &FieldEntry, _: u64, _: (&[u8], usize)) {}

    fn may_nest(&self, _: u32) -> Result<(), Full> {
        Ok(())
    }

    fn form<'a, 'i>(&mut self, view: RawView<'a, 'i>, depth: u32) -> Result<Form<'a, 'i>, Full> {
        let expand = self.options.expand_any && depth < limit();
        if !expand || self.pool.well_known(view.program().message()) != WellKnown::Any {
            return Ok(Form::Fields);
        }
        // If the URL can stand in brackets and the pool has its type.
        let content = type_name(view.bytes_of(0)).and_then(|name| self.pool.find_message(name));
        Ok(content.map_or(Form::Fields, |message| Form::Any(view.bytes_of(1), message.index())))
    }

    fn is_flat(&self, _: FieldFormats<'p>, _: usize, _: u32) -> bool {
        false
    }

    fn flat(&mut self, _: RawView<'_, '_>) {}

    fn begin_any(&mut self, url: &[u8], _: u32, open: &Open) {
        self.separate(open.level, true);
        self.out.byte(b'[');
        self.out.slice(url);
        self.out.byte(b']');
        self.pad();
    }

    fn undecoded(&self, _: &DecodeError) -> Result<(), Full> {
        Ok(())
    }

    /// As in C++, an `Any` is expanded only if no required field is missing.
    fn needs_whole_any(&self) -> bool {
        true
    }

    fn unknown(&mut self, view: RawView<'_, '_>, open: &Open) -> Result<bool, Full> {
        let fields = UnknownFields::new(view).map(|field| (field.tag(), field.value()));
        self.unknown_fields(fields, open.level, open.first)
    }

    fn invalid<'i>(&mut self, parts: impl Iterator<Item = &'i [u8]>, level: u32) -> Result<(), Full> {
        let mut first = true;
        self.open_brace(level);
        for bytes in parts {
            first = self.unknown_fields(encoded_fields(bytes), level, first)?;
        }
        self.close_brace(level, first);
        Ok(())
    }
}

// Unknown fields: by number, with a guess at what their bytes are.

/// How many levels of bytes are taken for messages where they could be some, as in C++. Each level is passed over once more to
/// find that out, so this bounds the time.
const GUESSES: u32 = 10;
/// How deep groups in such bytes may be.
const GROUPS: u32 = 100;

/// A message or group that has been opened.
struct OpenUnknown<'i> {
    /// Its fields; of a group, with what follows its end.
    rest: &'i [u8],
    guesses: u32,
    /// Nothing has been written inside.
    first: bool,
}

impl TextStyle<'_, '_> {
    /// Unknown fields of a message at this level. `first` says whether nothing has been written inside before, and the
    /// answer whether that is still so.
    pub(super) fn unknown_fields<'i>(
        &mut self,
        fields: impl Iterator<Item = (Tag, &'i [u8])>,
        level: u32,
        mut first: bool,
    ) -> Result<bool, Full> {
        for (tag, value) in fields {
            self.separate(level, first);
            first = false;
            let mut open = Vec::new();
            self.unknown_value(tag, value, GUESSES, &mut open)?;
            self.opened(&mut open, level)?;
        }
        Ok(first)
    }

    /// The rest of what has been opened inside of a field at this level. Groups are walked through to their end, which is not
    /// looked for on each level.
    fn opened(&mut self, open: &mut Vec<OpenUnknown<'_>>, level: u32) -> Result<(), Full> {
        while let Some(top) = open.last_mut() {
            let (first, guesses) = (top.first, top.guesses);
            let next = next_tag(top.rest).filter(|(tag, _)| tag.wire_type() != WireType::EndGroup);
            let Some((tag, start)) = next else {
                let after = next_tag(top.rest).and_then(|(_, start)| top.rest.get(start..));
                open.pop();
                if let (Some(around), Some(after)) = (open.last_mut(), after) {
                    around.rest = after;
                }
                self.close_brace(level + open.len() as u32 + 1, first);
                continue;
            };
            top.first = false;
            let value = top.rest.get(start..).unwrap_or_default();
            self.separate(level + open.len() as u32, first);
            let at = open.len() - 1;
            let rest = self.unknown_value(tag, value, guesses, open)?;
            if let Some(around) = open.get_mut(at) {
                around.rest = rest;
            }
        }
        Ok(())
    }

    /// Number and value of a field, whose value is at the start of `bytes`; a message or group is opened. Gives what follows.
    fn unknown_value<'i>(
        &mut self,
        tag: Tag,
        bytes: &'i [u8],
        guesses: u32,
        open: &mut Vec<OpenUnknown<'i>>,
    ) -> Result<&'i [u8], Full> {
        put_u64(&mut self.out, tag.number().into());
        let mut inside = None;
        let after = match tag.wire_type() {
            WireType::Varint => raw::varint(bytes, 0).map(|(value, after)| {
                self.colon();
                put_u64(&mut self.out, value);
                after
            }),
            WireType::Fixed32 => raw::fixed32(bytes, 0).map(|(value, after)| {
                self.hexadecimal(value.into(), 8);
                after
            }),
            WireType::Fixed64 => raw::fixed64(bytes, 0).map(|(value, after)| {
                self.hexadecimal(value, 16);
                after
            }),
            WireType::LengthDelimited => raw::length_delimited(bytes, 0).map(|(value, after)| {
                if guesses > 0 && could_be_message(value) {
                    inside = Some(value);
                } else {
                    self.colon();
                    strings::put_bytes(&mut self.out, value);
                }
                after
            }),
            WireType::StartGroup | WireType::EndGroup => {
                inside = Some(bytes);
                Ok(0)
            }
        };
        if let Some(rest) = inside {
            open.try_reserve(1).map_err(|_| Full::NoMemory)?;
            self.pad();
            self.open_brace(1);
            open.push(OpenUnknown { rest, guesses: guesses.saturating_sub(1), first: true });
        }
        // Unknown fields are whole, so reading them does not fail.
        Ok(after.ok().and_then(|after| bytes.get(after..)).unwrap_or_default())
    }

    fn hexadecimal(&mut self, value: u64, digits: u32) {
        self.colon();
        self.out.array(b"0x");
        for digit in (0..digits).rev() {
            let digit = (value >> (4 * digit) & 15) as u8;
            self.out.byte(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
        }
    }
}

fn next_tag(bytes: &[u8]) -> Option<(Tag, usize)> {
    raw::tag(bytes, 0).ok()
}

/// Tags and values of encoded fields, up to one that is not valid.
pub(super) fn encoded_fields(mut rest: &[u8]) -> impl Iterator<Item = (Tag, &[u8])> {
    core::iter::from_fn(move || {
        let (tag, start) = next_tag(rest)?;
        let end = raw::skip_value(rest, start, rest.len(), tag, GROUPS).ok()?;
        let value = rest.get(start..end)?;
        rest = rest.get(end..)?;
        Some((tag, value))
    })
}

/// Whether bytes are fields, and at least one of them.
fn could_be_message(bytes: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        let end = raw::tag(bytes, at)
            .ok()
            .and_then(|(tag, start)| raw::skip_value(bytes, start, bytes.len(), tag, GROUPS).ok());
        match end {
            Some(end) => at = end,
            None => return false,
        }
    }
    !bytes.is_empty()
}

// Numbers.

impl TextStyle<'_, '_> {
    /// A number by its bits.
    pub(super) fn word(&mut self, (names, position): FormatField<'_>, entry: &FieldEntry, word: u64) {
        match entry.scalar() {
            Scalar::Bool if word != 0 => self.out.array(b"true"),
            Scalar::Bool => self.out.array(b"false"),
            Scalar::I32 => put_i64(&mut self.out, i64::from(word as i32)),
            Scalar::I64 => put_i64(&mut self.out, word as i64),
            Scalar::U32 => put_u64(&mut self.out, u64::from(word as u32)),
            Scalar::U64 => put_u64(&mut self.out, word),
            Scalar::F32 => match f32::from_bits(word as u32) {
                value if value.is_finite() => put_f32(&mut self.out, value),
                value => self.special(value.into()),
            },
            Scalar::F64 => match f64::from_bits(word) {
                value if value.is_finite() => put_f64(&mut self.out, value),
                value => self.special(value),
            },
            Scalar::Enum => match self.pool.enum_name(names.enumeration(position), word as i32) {
                Some(name) => self.out.slice(name.as_bytes()),
                None => put_i64(&mut self.out, i64::from(word as i32)),
            },
            Scalar::String | Scalar::Bytes => {}
        }
    }

    fn special(&mut self, value: f64) {
        if value.is_nan() {
            self.out.array(b"nan");
        } else if value > 0.0 {
            self.out.array(b"inf");
        } else {
            self.out.array(b"-inf");
        }
    }
}

/// What `Display` and `Debug` of messages print.
fn write(
    view: MessageView<'_, '_>,
    f: &mut fmt::Formatter<'_>,
    printer: &Printer,
    named: bool,
) -> fmt::Result {
    let mut buffer = Vec::new();
    message(view, &printer.pretty(f.alternate()), named, &mut buffer).map_err(|_| fmt::Error)?;
    f.write_str(core::str::from_utf8(&buffer).unwrap_or_default())
}

/// [Text format](crate::text) on one line, or indented with `{:#}`.
impl fmt::Display for MessageView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(*self, f, &Printer::new(), false)
    }
}

/// The type and, in braces, the fields in text format, unknown fields by number: `pkg.Log{line:"hi",9:7}`.
impl fmt::Debug for MessageView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(*self, f, &Printer::new().skip_unknown_fields(false), true)
    }
}

impl fmt::Display for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_view(), f)
    }
}

impl fmt::Debug for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_view(), f)
    }
}
