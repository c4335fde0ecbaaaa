//! The text format as a [`Style`]. Nothing fails but allocations: bytes that are not a valid message are printed as far as they are
//! fields, by number.

mod unknown;
mod value;

use super::names::type_name;
use super::options::FormatOptions;
use super::strings;
use crate::engine::slab::RawView;
use crate::formats::numbers::TextOut;
use crate::formats::print::{self, Form, Open, Over, Style};
use crate::message::{MessageView, UnknownFields};
use crate::schema::pool::{DescriptorPool, FieldFormats, FormatField, TextName, WellKnown};
use crate::schema::program::{FieldEntry, Program, Scalar};
use crate::wire::Full;
use crate::wire::error::DecodeError;
use crate::wire::options::{DecodeOptions, EncodeOptions};
use crate::wire::output::buffer::sealed::RawBuffer;

/// How many levels are indented. Deeper messages would print mostly spaces.
const INDENTED: u32 = 64;

pub(super) struct TextStyle<'p, 'b> {
    pool: &'p DescriptorPool,
    options: FormatOptions,
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
    options: &FormatOptions,
    named: bool,
    buffer: &mut dyn RawBuffer,
) -> Result<(), Full> {
    let mut style = TextStyle { pool: view.pool(), options: *options, out: TextOut::new(buffer), named };
    if named {
        style.out.slice(view.descriptor().full_name().as_bytes());
        style.pad();
    }
    match print::print(&mut style, view.raw()) {
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

    fn form<'a, 'i>(&mut self, view: RawView<'a, 'i>, _: u32) -> Result<Form<'a, 'i>, Full> {
        if !self.options.expand_any || self.pool.well_known(view.program().message()) != WellKnown::Any {
            return Ok(Form::Fields);
        }
        // If the URL can stand in brackets and the pool has its type.
        let content = type_name(view.bytes_of(0)).and_then(|name| self.pool.get_message_by_name(name));
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

    fn decode_options(&self, level: u32, _: u32) -> DecodeOptions {
        DecodeOptions::new().max_depth(EncodeOptions::new().depth_limit().saturating_sub(level))
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
            first = self.unknown_fields(unknown::encoded_fields(bytes), level, first)?;
        }
        self.close_brace(level, first);
        Ok(())
    }
}
