//! JSON as a [`Style`]: punctuation, names, and the messages that have a form of their own.

mod value;

use super::options::Printer;
use super::strings;
use crate::engine::slab::{RawView, SetFields};
use crate::formats::numbers::{TextOut, type_in_url};
use crate::formats::print::{self as walk, Form, Open, Over, Style, limit};
use crate::message::MessageView;
use crate::schema::pool::{DescriptorPool, FieldFormats, FormatField, WellKnown};
use crate::schema::program::{FieldEntry, Program, Scalar};
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind as Kind};
use crate::wire::output::buffer::sealed::RawBuffer;

pub(crate) struct JsonStyle<'p, 'b> {
    pub(crate) pool: &'p DescriptorPool,
    pub(crate) options: &'p Printer,
    pub(crate) out: TextOut<'b>,
    /// Names are the JSON names, on one line: labels are written as they are.
    pub(crate) plain: bool,
    /// Also only fields that are set are printed: messages of scalars need no frame.
    compact: bool,
}

/// Appends a message as JSON.
///
/// # Errors
/// The buffer has its old length.
pub(crate) fn print(
    view: MessageView<'_, '_>,
    buffer: &mut dyn RawBuffer,
    options: &Printer,
) -> Result<(), EncodeError> {
    let mut style = JsonStyle::new(view.pool(), options, buffer);
    match walk::print(&mut style, view.raw()) {
        Ok(()) => style.out.finish().map_err(EncodeError::from),
        Err((fault, path)) => {
            style.out.abandon();
            Err(EncodeError::new(fault).with_path(path).in_message_copied(view.descriptor().full_name()))
        }
    }
}

/// Why a message in bytes is not printed: the kinds of one that is decoded, as far as both have them.
#[cold]
pub(crate) fn of_bytes(error: &DecodeError) -> Kind {
    match error.kind() {
        DecodeErrorKind::DepthExceeded => Kind::DepthExceeded,
        DecodeErrorKind::OutOfMemory => Kind::OutOfMemory,
        _ => Kind::InvalidMessage,
    }
}

impl<'p, 'b> JsonStyle<'p, 'b> {
    /// Inlined, because the chunk of the text is large: it is made in its place, not copied to it.
    #[inline]
    pub(crate) fn new(pool: &'p DescriptorPool, options: &'p Printer, buffer: &'b mut dyn RawBuffer) -> Self {
        let plain = !options.pretty && !options.use_proto_field_name;
        let compact = plain && options.skip_default_fields;
        Self { pool, options, out: TextOut::new(buffer), plain, compact }
    }

    /// A new line.
    #[inline(never)]
    pub(crate) fn line(&mut self, level: u32) {
        self.out.byte(b'\n');
        for _ in 0..level {
            self.out.array(b"  ");
        }
    }

    #[inline]
    pub(crate) fn colon(&mut self) {
        self.out.byte(b':');
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    /// A key that is no label.
    #[inline(never)]
    pub(crate) fn odd_name(&mut self, (names, position): FormatField<'_>, first: bool, level: u32) {
        self.before_element(first, level);
        let json = names.json(position).unwrap_or_default();
        // Extensions go by their full names in any case.
        let own = self.options.use_proto_field_name && !json.starts_with(b"[");
        let (rest, len) = names.own(position).filter(|_| own).unwrap_or((json, json.len()));
        strings::put(&mut self.out, rest, len);
        self.colon();
    }
}

impl<'p> Style<'p> for JsonStyle<'p, '_> {
    type Error = Kind;
    const OBJECTS: bool = true;

    fn pool(&self) -> &'p DescriptorPool {
        self.pool
    }

    #[inline]
    fn has_failed(&self) -> bool {
        self.out.has_failed()
    }

    fn declared_order(&self) -> bool {
        false
    }

    fn shows_unset(&self) -> bool {
        !self.options.skip_default_fields
    }

    fn shows_unknown(&self) -> bool {
        false
    }

    /// Objects and lists count.
    #[inline]
    fn level(&self, around: Option<u32>, _: Over, inside: bool) -> u32 {
        around.unwrap_or(0) + u32::from(!inside)
    }

    #[inline]
    fn open(&mut self, open: &Open) {
        if !open.inside {
            self.out.byte(if open.over == Over::List { b'[' } else { b'{' });
        }
    }

    fn close(&mut self, open: &Open) {
        if open.inside {
            return;
        }
        if self.options.pretty && !open.first {
            self.line(open.level - 1);
        }
        self.out.byte(if open.over == Over::List { b']' } else { b'}' });
    }

    #[inline(always)]
    fn name(&mut self, _: &Program, field: FormatField<'p>, first: bool, level: u32) {
        match field.0.label(field.1).filter(|_| self.plain) {
            // The comma is the first byte of the label.
            Some((label, len)) => {
                let skip = usize::from(first);
                self.out.part(label.get(skip..).unwrap_or_default(), len - skip);
            }
            None => self.odd_name(field, first, level),
        }
    }

    fn before_message(&mut self) {}

    fn before_value(&mut self) {}

    #[inline]
    fn before_element(&mut self, first: bool, level: u32) {
        if !first {
            self.out.byte(b',');
        }
        if self.options.pretty {
            self.line(level);
        }
    }

    fn nothing(&mut self, map: bool) {
        if map { self.out.array(b"{}") } else { self.out.array(b"[]") }
    }

    #[inline(always)]
    fn number(&mut self, field: FormatField<'p>, entry: &FieldEntry, word: u64) {
        self.word(field, entry, word);
    }

    #[inline]
    fn text(&mut self, entry: &FieldEntry, rest: &[u8], len: usize) {
        self.string(entry, rest, len);
    }

    fn numbers(&mut self, field: FormatField<'p>, entry: &FieldEntry, run: &[u32]) {
        if entry.coding.words() == 1 {
            self.words(field, entry, run)
        } else {
            self.pairs(field, entry, run)
        }
        self.out.byte(b']');
    }

    fn on_one_line(&self) -> bool {
        !self.options.pretty
    }

    fn key(&mut self, entry: &FieldEntry, word: u64, (rest, len): (&[u8], usize)) {
        self.key_text(entry, word, rest, len);
        self.colon();
    }

    #[inline]
    fn may_nest(&self, depth: u32) -> Result<(), Kind> {
        if depth > limit() { Err(Kind::DepthExceeded) } else { Ok(()) }
    }

    fn form<'a, 'i>(&mut self, view: RawView<'a, 'i>, depth: u32) -> Result<Form<'a, 'i>, Kind> {
        self.may_nest(depth)?;
        match self.pool.well_known(view.program().message()) {
            WellKnown::None => Ok(Form::Fields),
            WellKnown::Any => self.any(view),
            WellKnown::Value => self.value(view),
            WellKnown::Struct | WellKnown::ListValue => Ok(Form::FirstField),
            known => self.well_known(view, known).map(|()| Form::Done),
        }
    }

    #[inline(always)]
    fn is_flat(&self, names: FieldFormats<'p>, position: usize, depth: u32) -> bool {
        self.compact && depth <= limit() && names.is_flat(position)
    }

    /// Without a frame: nothing in it can fail. With frames, meshes took 1.4 times as many instructions.
    fn flat(&mut self, view: RawView<'_, '_>) {
        let program = view.program();
        let names = self.pool.field_formats(program.message());
        let mut fields = SetFields::dense(view.words.hasbits(program, view.body.base));
        // In the place of the comma that labels begin with.
        let mut before = b'{';
        while let Some(position) = fields.take_lowest()
            && let Some(entry) = program.entries().get(position)
        {
            let slot = view.body.base + u32::from(entry.slot);
            match names.short_label(position) {
                Some((label, len)) => self.out.window_from(before, label, len),
                None => {
                    if before == b'{' {
                        self.out.byte(before);
                    }
                    self.name(program, (names, position), before == b'{', 0);
                }
            }
            before = b',';
            if entry.scalar() == Scalar::F32 {
                self.float(f32::from_bits(view.words.get(slot)));
            } else {
                self.any_scalar((names, position), entry, view, slot);
            }
        }
        if before == b'{' {
            self.out.byte(before);
        }
        self.out.byte(b'}');
    }

    /// `"@type": url`, after which come the fields of the content, or its value.
    fn begin_any(&mut self, url: &[u8], content: u32, open: &Open) {
        self.before_element(true, open.level);
        self.out.array(b"\"@type\"");
        self.colon();
        strings::put(&mut self.out, url, url.len());
        if self.pool.well_known(content) != WellKnown::None {
            self.before_element(false, open.level);
            self.out.array(b"\"value\"");
            self.colon();
        }
    }

    fn undecoded(&self, error: &DecodeError) -> Result<(), Kind> {
        Err(of_bytes(error))
    }

    fn needs_whole_any(&self) -> bool {
        false
    }

    fn unknown(&mut self, _: RawView<'_, '_>, open: &Open) -> Result<bool, Kind> {
        Ok(open.first)
    }

    fn invalid<'i>(&mut self, _: impl Iterator<Item = &'i [u8]>, _: u32) -> Result<(), Kind> {
        Err(Kind::InvalidMessage)
    }
}

impl<'p> JsonStyle<'p, '_> {
    fn any<'a, 'i>(&mut self, view: RawView<'a, 'i>) -> Result<Form<'a, 'i>, Kind> {
        let (url, value) = (view.bytes_of(0), view.bytes_of(1));
        if url.is_empty() && value.is_empty() {
            self.out.array(b"{}");
            return Ok(Form::Done);
        }
        let message = type_in_url(url).and_then(|name| self.pool.find_message(name));
        Ok(Form::Any(value, message.ok_or(Kind::UnknownType)?.index()))
    }

    /// What is in a `google.protobuf.Value`: a message, or a scalar, which is printed. Without anything it is `null`.
    fn value<'a, 'i>(&mut self, view: RawView<'a, 'i>) -> Result<Form<'a, 'i>, Kind> {
        let Some((position, entry, slot)) = view.set_fields().next(view) else {
            self.out.array(b"null");
            return Ok(Form::Done);
        };
        if entry.coding.is_message() {
            return Ok(Form::As(view.child(entry, slot)));
        }
        match entry.scalar() {
            Scalar::F64 if !f64::from_bits(view.scalar(entry, slot)).is_finite() => {
                return Err(Kind::NotFinite);
            }
            Scalar::Enum => self.out.array(b"null"),
            _ => {
                let names = self.pool.field_formats(view.program().message());
                self.any_scalar((names, position), entry, view, slot);
            }
        }
        Ok(Form::Done)
    }
}
