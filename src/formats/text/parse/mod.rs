//! From text to the slab, without recursion and without a document in between.
//!
//! ```text
//! a frame for the root
//! while a frame is left:
//!     message: a separator; its closing bracket: the frame goes
//!              a name, a field by guess or by name, and its value:
//!         a scalar, a list of them:   parse it, set it or push it
//!         a message:                  a body for it, and a frame
//!         a list of messages:         the same for the first; the frame of the parent knows that more may follow
//!         [url] in an Any:            a builder of its own for the content, which is encoded when its frame goes
//! ```
//!
//! A map entry is a message like others; its keys may come in any order, and entries of several maps in turn. So an entry goes into the
//! map when it begins, and keys become unique when it ends or when all has been parsed (`message/build/map_builder.rs`).

use super::options::Parser;
use super::strings::{is_full_name, is_url_byte, type_name, unescape_to};
use crate::engine::decode::check_required;
use crate::engine::slab::{BodyRef, ByteSpan, NIL};
use crate::formats::numbers::{Integer, JsonNumber};
use crate::formats::{ParseError, ParseErrorKind as Kind};
use crate::message::{FieldAt, MessageBuilder};
use crate::schema::pool::{DescriptorPool, FieldFormats, FieldRef, WellKnown};
use crate::schema::program::{Coding, FieldEntry, Program, Scalar};
use crate::wire::error::{DecodeErrorKind, FieldPath, PathStep};
use alloc::vec::Vec;
use scan::{NumberToken, TextScanner, closing, special};

pub(super) mod scan;
pub(super) mod skip;

/// What a frame is filled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextContainer {
    Message,
    Entry,
    /// The content of an `Any`.
    Any,
}

/// What comes next in a message, when no frame is above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// A field, or the end.
    Nothing,
    /// A separator may follow the value that has ended.
    Value,
    /// The next element, or the end of the list.
    Element,
}

/// A message that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextParseFrame {
    pub(super) over: TextContainer,
    /// The character that ends it; 0 for the end of the input.
    close: u8,
    after: After,
    pub(super) depth: u32,
    /// The message, and its field that is being parsed.
    pub(super) at: FieldAt,
    /// The position where the next field is looked for.
    next: usize,
    /// The element of that field, if it is a list of messages.
    element: u32,
    /// Where the fields that were seen are noted.
    seen: usize,
}

/// The parent, suspended while the content of its `Any` is parsed.
pub(super) struct OuterText<'p> {
    pub(super) builder: MessageBuilder<'p>,
    /// The `Any`, and the span of its URL.
    pub(super) at: FieldAt,
    pub(super) url: u64,
}

/// What a name stands for.
pub(super) enum NameTarget {
    Field(usize),
    /// An `Any` whose content follows: its type, and the span of the URL.
    Content(u32, u64),
    /// A field that is skipped.
    Other,
}

/// How many fields are compared with a name before it is searched for.
const AHEAD: usize = 6;

pub(super) struct TextParser<'p, 't, 'b> {
    pub(super) pool: &'p DescriptorPool,
    pub(super) options: Parser,
    pub(super) scanner: TextScanner<'t>,
    pub(super) builder: &'b mut MessageBuilder<'p>,
    pub(super) frames: Vec<TextParseFrame>,
    pub(super) outer: Vec<OuterText<'p>>,
    seen: Vec<u64>,
    /// For names in brackets, and for skipping.
    pub(super) scratch: Vec<u8>,
    /// Where the message that ended last has its closing bracket.
    pub(super) ended: usize,
    /// After a fault in a message that has ended: the fields in it that lead there.
    pub(super) inside: FieldPath,
}

/// Parses all of `text` into the message at `base`.
pub(super) fn parse<'p>(
    builder: &mut MessageBuilder<'p>,
    pool: &'p DescriptorPool,
    body: BodyRef,
    text: &str,
    options: Parser,
) -> Result<(), ParseError> {
    let input = text.as_bytes();
    let mut parser = TextParser {
        pool,
        options,
        scanner: TextScanner { input, at: 0 },
        builder,
        frames: Vec::new(),
        outer: Vec::new(),
        seen: Vec::new(),
        scratch: Vec::new(),
        ended: 0,
        inside: FieldPath::EMPTY,
    };
    let at = FieldAt { body, position: usize::MAX };
    let parsed = parser.run(at);
    let path = if parsed.is_err() { parser.path() } else { FieldPath::EMPTY };
    parser.abandon();
    let settled = parser.builder.settle_maps().map_err(Kind::from);
    let Err(kind) = parsed.and(settled) else { return Ok(()) };
    let root = pool.message_at(body.program);
    let name = root.as_ref().map_or("", |message| message.full_name());
    Err(ParseError::new(kind, input, parser.scanner.at, name, path))
}

impl<'p> TextParser<'p, '_, '_> {
    fn run(&mut self, root: FieldAt) -> Result<(), Kind> {
        self.scanner.space();
        self.room_for_frame(root.body.program)?;
        self.push(TextContainer::Message, root, 0, 0);
        while let Some(&frame) = self.frames.last() {
            self.message(frame)?;
        }
        Ok(())
    }

    /// After a fault: what is open ends. The content of an `Any` is lost, and so is an entry; what is around them stays.
    fn abandon(&mut self) {
        while let Some(frame) = self.frames.pop() {
            match (frame.over, self.frames.last()) {
                (TextContainer::Any, _) => {
                    if let Some(outer) = self.outer.pop() {
                        *self.builder = outer.builder;
                    }
                }
                (TextContainer::Entry, Some(parent)) => self.builder.drop_entry(parent.at),
                _ => {}
            }
        }
    }

    /// Makes room for a frame of a message of this program.
    pub(super) fn room_for_frame(&mut self, index: u32) -> Result<(), Kind> {
        self.builder.make_room(&mut self.frames, 1, 8)?;
        let words = self.builder.set.program(index).seen_words();
        Ok(self.builder.make_room(&mut self.seen, words, 8)?)
    }

    /// Adds a frame, for which there is room.
    pub(super) fn push(&mut self, over: TextContainer, at: FieldAt, depth: u32, close: u8) {
        let seen = self.seen.len();
        self.seen.resize(seen + self.builder.set.program(at.body.program).seen_words(), 0);
        let after = After::Nothing;
        self.frames.push(TextParseFrame { over, close, after, depth, at, next: 0, element: 0, seen });
    }

    /// The innermost message has ended.
    fn pop(&mut self, frame: TextParseFrame) -> Result<(), Kind> {
        if frame.over == TextContainer::Any {
            return self.end_any(frame);
        }
        self.drop_frame();
        if frame.over == TextContainer::Entry
            && let Some(parent) = self.frames.last()
            && let Some(entry) =
                self.builder.set.program(parent.at.body.program).entries().get(parent.at.position)
        {
            self.builder.finish_entry(parent.at, entry, frame.at.body.base)?;
        }
        Ok(())
    }

    pub(super) fn drop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.seen.truncate(frame.seen);
        }
    }

    /// Notes something of the innermost message; says whether that was noted before.
    pub(super) fn note(&mut self, bit: usize) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        let Some(word) = self.seen.get_mut(frame.seen + bit / 64) else { return false };
        let before = *word >> (bit % 64) & 1 != 0;
        *word |= 1 << (bit % 64);
        before
    }

    /// The innermost message, until one of its fields needs a frame or it ends.
    fn message(&mut self, frame: TextParseFrame) -> Result<(), Kind> {
        let FieldAt { body, position } = frame.at;
        let program = self.builder.set.program(body.program);
        match frame.after {
            After::Nothing => {}
            After::Value => self.field_done(),
            After::Element if self.scanner.take(b',') => {
                let Some(entry) = program.entries().get(position) else { return Err(Kind::UnknownField) };
                return self.child(frame.at, entry, After::Element);
            }
            After::Element => {
                self.scanner.must(b']')?;
                self.field_done();
            }
        }
        let names = self.pool.field_formats(program.message());
        let frames = self.frames.len();
        let mut next = frame.next;
        while !self.ends(frame.close)? {
            let start = self.scanner.at;
            match self.name(program, names, next)? {
                NameTarget::Field(position) => {
                    next = position;
                    let at = FieldAt { body, position };
                    if let Some(frame) = self.frames.last_mut() {
                        (frame.at, frame.next) = (at, next);
                    }
                    let Some(entry) = program.entries().get(position) else { return Err(Kind::UnknownField) };
                    self.field(at, program, entry, start)?;
                }
                NameTarget::Content(content, url) => self.open_any(content, url, start)?,
                NameTarget::Other => {
                    let colon = self.scanner.take(b':');
                    let levels = self.options.max_depth.saturating_sub(frame.depth);
                    self.skip(colon, levels)?;
                }
            }
            if self.frames.len() != frames {
                return Ok(());
            }
            self.field_done();
        }
        self.pop(frame)
    }

    /// Whether the message ends here, with this character, which has been taken.
    fn ends(&mut self, close: u8) -> Result<bool, Kind> {
        match self.scanner.peek() {
            None if close == 0 => Ok(true),
            None => Err(Kind::Incomplete),
            // NUL is a character like any other.
            Some(byte) if byte == close && close != 0 => {
                self.ended = self.scanner.at;
                Ok(self.scanner.take(close))
            }
            Some(_) => Ok(false),
        }
    }

    /// A message is the value of the innermost message's field.
    pub(super) fn value_follows(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.after = After::Value;
        }
    }

    /// A field has ended: errors that follow are not about it.
    fn field_done(&mut self) {
        self.scanner.separator();
        if let Some(frame) = self.frames.last_mut() {
            (frame.at.position, frame.after) = (usize::MAX, After::Nothing);
        }
    }

    /// What the name here stands for; it has been taken.
    fn name(&mut self, program: &Program, names: FieldFormats<'_>, next: usize) -> Result<NameTarget, Kind> {
        let start = self.scanner.at;
        if self.scanner.peek() == Some(b'[') {
            return self.bracketed(program);
        }
        let Some(name) = self.scanner.identifier() else {
            // The types of such fields are not known.
            return if self.scanner.field_number()? {
                self.unknown(start)
            } else {
                Err(self.scanner.unexpected())
            };
        };
        self.scanner.space();
        // The same field again, or one of those that follow: what is not set is left out.
        let is_name = |&position: &usize| {
            names.plain_text(position).is_some_and(|(rest, len)| rest.get(..len) == Some(name))
        };
        if let Some(position) = (next..next + AHEAD).find(is_name) {
            return Ok(NameTarget::Field(position));
        }
        let name = core::str::from_utf8(name).unwrap_or_default();
        match self.pool.field_by_text_name(program.message(), name) {
            Some(field) => self.position(program, field),
            None if self.pool.is_reserved_name(program.message(), name) => Ok(NameTarget::Other),
            None => self.unknown(start),
        }
    }

    /// The field at a place in the list of its message.
    pub(super) fn position(&self, program: &Program, field: u32) -> Result<NameTarget, Kind> {
        let found = program.entry_of(field as usize).map(|(position, _)| NameTarget::Field(position));
        found.ok_or(Kind::UnknownField)
    }

    pub(super) fn unknown(&mut self, start: usize) -> Result<NameTarget, Kind> {
        match self.options.deny_unknown_fields {
            true => Err(self.scanner.fail(start, Kind::UnknownField)),
            false => Ok(NameTarget::Other),
        }
    }

    /// The value of a field whose name began at `start`.
    fn field(
        &mut self,
        at: FieldAt,
        program: &'p Program,
        entry: &FieldEntry,
        start: usize,
    ) -> Result<(), Kind> {
        if !entry.flags.is_list() {
            if self.note(at.position) {
                return Err(self.scanner.fail(start, Kind::DuplicateField));
            }
            if entry.oneof != 0 && self.note(program.entries().len() + entry.oneof as usize - 1) {
                return Err(self.scanner.fail(start, Kind::DuplicateOneof));
            }
        }
        let colon = self.scanner.take(b':');
        if entry.coding.is_message() {
            if !entry.flags.is_list() || !self.scanner.take(b'[') {
                return self.child(at, entry, After::Value);
            }
            return if self.scanner.take(b']') { Ok(()) } else { self.child(at, entry, After::Element) };
        }
        if !colon {
            return Err(self.scanner.unexpected());
        }
        if entry.flags.is_list() {
            return self.scalars(at, program, entry);
        }
        let word = self.scalar(program, entry, at.position)?;
        let keeps_zero = self.frames.last().is_some_and(|frame| frame.over == TextContainer::Entry);
        if entry.flags.is_implicit() && is_zero(entry, word) && !keeps_zero {
            self.builder.unset(at);
            return Ok(());
        }
        Ok(self.builder.set(at, entry.coding, word)?)
    }

    /// One or several elements of a list of scalars.
    fn scalars(&mut self, at: FieldAt, program: &Program, entry: &FieldEntry) -> Result<(), Kind> {
        let mut slot = NIL;
        if !self.scanner.take(b'[') {
            let word = self.scalar(program, entry, at.position)?;
            return Ok(self.builder.push(at, &mut slot, entry.coding, word)?);
        }
        if self.scanner.take(b']') {
            return Ok(());
        }
        loop {
            let word = self.scalar(program, entry, at.position)?;
            self.builder.push(at, &mut slot, entry.coding, word)?;
            if self.scanner.take(b']') {
                return Ok(());
            }
            self.scanner.must(b',')?;
        }
    }

    /// A message begins: the value of a field of the innermost message, or an element of it.
    fn child(&mut self, at: FieldAt, entry: &FieldEntry, after: After) -> Result<(), Kind> {
        let element = if entry.flags.is_list() { self.builder.list_len(at) } else { 0 };
        let mut depth = 1;
        if let Some(frame) = self.frames.last_mut() {
            (frame.after, frame.element) = (after, element);
            depth += frame.depth;
        }
        let close = self.open_brace(depth)?;
        self.room_for_frame(entry.sub)?;
        // Without a field, it needs no body.
        let empty = self.scanner.peek() == Some(close);
        let (over, base) = match (entry.flags.is_list(), entry.flags.is_map()) {
            (_, true) => (TextContainer::Entry, self.builder.begin_entry(at, entry)?),
            (true, _) => (TextContainer::Message, self.builder.push_message(at, &mut { NIL }, entry, empty)?),
            _ if empty => {
                self.builder.empty_message(at, entry)?;
                (TextContainer::Message, NIL)
            }
            _ => (TextContainer::Message, self.builder.message(at, entry)?),
        };
        self.push(over, FieldAt { body: BodyRef::of(entry, base), position: usize::MAX }, depth, close);
        Ok(())
    }

    /// Takes the opening bracket of a message at this depth; returns the closing one.
    pub(super) fn open_brace(&mut self, depth: u32) -> Result<u8, Kind> {
        let Some(open @ (b'{' | b'<')) = self.scanner.peek() else { return Err(self.scanner.wrong_type()) };
        if depth > self.options.max_depth {
            return Err(Kind::DepthExceeded);
        }
        self.scanner.take(open);
        Ok(closing(open))
    }

    /// The fields that lead to where the parser is.
    #[cold]
    fn path(&self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        for (level, frame) in self.frames.iter().enumerate() {
            let program = self.builder.set.program(frame.at.body.program);
            let Some(entry) = program.entries().get(frame.at.position) else { continue };
            let position = frame.at.position;
            let (message, field) = (program.message(), program.field_of(position) as u16);
            let field = FieldRef::at(self.pool, message, field, position as u16);
            let innermost = level + 1 == self.frames.len();
            let element = match innermost && !entry.coding.is_message() {
                true => self.builder.list_len(frame.at),
                false => frame.element,
            };
            let index = (entry.flags.is_list() && !entry.flags.is_map()).then_some(element);
            path.push_inner(PathStep::named(field.number(), field.name(), index));
        }
        for step in self.inside.steps() {
            path.push_inner(PathStep::named(step.number(), step.name().unwrap_or_default(), step.index()));
        }
        path
    }
}

/// Whether a value is the zero of its type.
fn is_zero(entry: &FieldEntry, word: u64) -> bool {
    use crate::schema::program::Coding;
    match entry.coding {
        Coding::String | Coding::Bytes => ByteSpan::from_word(word).len() == 0,
        _ => word == 0,
    }
}

// Names in brackets: extensions, and the content of `google.protobuf.Any`, which is made in a builder of its own and encoded when its
// message ends.

impl TextParser<'_, '_, '_> {
    /// What the name in brackets here stands for.
    pub(in crate::formats::text) fn bracketed(&mut self, program: &Program) -> Result<NameTarget, Kind> {
        let start = self.scanner.at;
        self.scanner.take(b'[');
        // White space and comments may stand anywhere in it, and do not count.
        self.scratch.clear();
        while let Some(byte) = self.scanner.peek().filter(|&byte| is_url_byte(byte)) {
            self.note_byte(byte)?;
            self.scanner.at += 1;
            self.scanner.space();
        }
        let name = core::mem::take(&mut self.scratch);
        self.scanner.must(b']')?;
        let found = if self.pool.well_known(program.message()) == WellKnown::Any {
            self.type_of(program, &name, start)
        } else {
            self.extension(program, &name, start)
        };
        self.scratch = name;
        found
    }

    /// Appends to what names and skipping need.
    pub(in crate::formats::text) fn note_byte(&mut self, byte: u8) -> Result<(), Kind> {
        self.builder.make_room(&mut self.scratch, 1, 32)?;
        self.scratch.push(byte);
        Ok(())
    }

    fn extension(&mut self, program: &Program, name: &[u8], start: usize) -> Result<NameTarget, Kind> {
        let Some(name) = core::str::from_utf8(name).ok().filter(|name| is_full_name(name.as_bytes())) else {
            return Err(self.scanner.fail(start, Kind::InvalidName));
        };
        match self.pool.extension_by_text_name(program.message(), name) {
            Some(field) => self.position(program, field),
            None => self.unknown(start),
        }
    }

    /// The type of an `Any`'s content.
    fn type_of(&mut self, program: &Program, url: &[u8], start: usize) -> Result<NameTarget, Kind> {
        let pool = self.pool;
        let Some(name) = type_name(url) else { return Err(self.scanner.fail(start, Kind::InvalidName)) };
        let Some(message) = pool.find_message(name) else {
            return Err(self.scanner.fail(start, Kind::UnknownType));
        };
        let coding = program.entries().first().map_or(Coding::Bytes, |entry| entry.coding);
        let mark = self.builder.mark();
        self.builder.store(url.len())?.extend_from_slice(url);
        let span = self.builder.span(coding, mark).ok_or(Kind::InvalidUtf8)?;
        Ok(NameTarget::Content(message.index(), span))
    }

    /// The content of the innermost message, an `Any`, whose URL began at `start`.
    pub(in crate::formats::text) fn open_any(
        &mut self,
        content: u32,
        url: u64,
        start: usize,
    ) -> Result<(), Kind> {
        if self.note(0) | self.note(1) {
            return Err(self.scanner.fail(start, Kind::DuplicateField));
        }
        self.scanner.take(b':');
        let Some(&TextParseFrame { at, depth, .. }) = self.frames.last() else { return Ok(()) };
        self.value_follows();
        let close = self.open_brace(depth + 1)?;
        self.room_for_frame(content)?;
        self.builder.make_room(&mut self.outer, 1, 2)?;
        let mut inner = self.builder.inner();
        let body = inner.root(content)?;
        let builder = core::mem::replace(self.builder, inner);
        self.outer.push(OuterText { builder, at, url });
        self.push(TextContainer::Any, FieldAt { body, position: usize::MAX }, depth + 1, close);
        Ok(())
    }

    /// The content of an `Any` is whole.
    pub(in crate::formats::text) fn end_any(&mut self, frame: TextParseFrame) -> Result<(), Kind> {
        self.builder.settle_maps()?;
        let body = frame.at.body;
        let view = self.builder.view(body);
        if !self.options.allow_partial
            && view.program().needs_check()
            && let Err(error) = check_required(view, 0)
        {
            let content = self.pool.message_at(view.program().message());
            self.inside = content.map_or(FieldPath::EMPTY, |message| message.name_path(error.path()));
            return Err(match error.kind() {
                DecodeErrorKind::MissingRequired => self.scanner.fail(self.ended, Kind::MissingRequired),
                _ => Kind::OutOfMemory,
            });
        }
        let bytes = self.builder.encoded(body)?;
        self.drop_frame();
        let Some(OuterText { builder, at, url }) = self.outer.pop() else { return Ok(()) };
        *self.builder = builder;
        self.builder.set_any_value(at.body, &bytes)?;
        Ok(self.builder.set(FieldAt { position: 0, ..at }, Coding::String, url)?)
    }
}

// Scalars.

impl TextParser<'_, '_, '_> {
    /// A scalar, as the word or two of its slot.
    pub(in crate::formats::text) fn scalar(
        &mut self,
        program: &Program,
        entry: &FieldEntry,
        position: usize,
    ) -> Result<u64, Kind> {
        Ok(match entry.scalar() {
            Scalar::String | Scalar::Bytes => self.string(entry.coding)?,
            Scalar::Bool => self.boolean()?.into(),
            Scalar::F64 => self.float(|number| number.f64(), |text| text.parse().ok())?.to_bits(),
            // To the nearest 32-bit number in one step; there and back again is exact.
            Scalar::F32 => {
                let parse = |text: &str| text.parse::<f32>().ok().map(f64::from);
                (self.float(|number| number.f32().map(f64::from), parse)? as f32).to_bits().into()
            }
            Scalar::Enum => self.enumeration(program, entry, position)?,
            scalar => self.integer(scalar)?,
        })
    }

    /// One literal or several in a row, which go to the store.
    fn string(&mut self, coding: Coding) -> Result<u64, Kind> {
        let (start, mark) = (self.scanner.at, self.builder.mark());
        loop {
            let content = self.scanner.at + 1;
            let raw = self.scanner.literal()?;
            let store = self.builder.store(raw.len())?;
            if let Err(at) = unescape_to(raw, store) {
                return Err(self.scanner.fail(content + at, Kind::InvalidString));
            }
            if !matches!(self.scanner.peek(), Some(b'"' | b'\'')) {
                break;
            }
        }
        self.builder.span(coding, mark).ok_or_else(|| self.scanner.fail(start, Kind::InvalidUtf8))
    }

    fn boolean(&mut self) -> Result<bool, Kind> {
        let start = self.scanner.at;
        if let Some(name) = self.scanner.identifier() {
            self.scanner.space();
            return match name {
                b"true" | b"True" | b"t" => Ok(true),
                b"false" | b"False" | b"f" => Ok(false),
                _ => Err(self.scanner.fail(start, Kind::WrongType)),
            };
        }
        match self.scanner.number()? {
            Some(NumberToken::Decimal(Some(bit @ 0..=1), _) | NumberToken::Other(Some(bit @ 0..=1))) => {
                Ok(bit == 1)
            }
            Some(NumberToken::Float(_)) => Err(self.scanner.fail(start, Kind::WrongType)),
            Some(_) => Err(self.scanner.fail(start, Kind::OutOfRange)),
            None => Err(self.scanner.wrong_type()),
        }
    }

    /// An integer with its sign.
    fn whole(&mut self, start: usize) -> Result<Integer, Kind> {
        let negative = self.scanner.take(b'-');
        match self.scanner.number()? {
            Some(NumberToken::Decimal(Some(size), _) | NumberToken::Other(Some(size))) => {
                Ok(Integer::Whole { negative, size })
            }
            Some(NumberToken::Float(_)) => Err(self.scanner.fail(start, Kind::InvalidNumber)),
            Some(_) => Ok(Integer::Huge),
            None => Err(self.scanner.wrong_type()),
        }
    }

    /// An integer as a type of 32 or 64 bits has it.
    fn integer(&mut self, scalar: Scalar) -> Result<u64, Kind> {
        let start = self.scanner.at;
        let signed = matches!(scalar, Scalar::I32 | Scalar::I64);
        // Unsigned numbers have no sign, not even zero.
        if !signed && self.scanner.peek() == Some(b'-') {
            return Err(Kind::OutOfRange);
        }
        let integer = self.whole(start)?;
        let value = match scalar {
            Scalar::I32 => {
                integer.signed(i32::MIN.into(), i32::MAX.into()).map(|value| u64::from(value as i32 as u32))
            }
            Scalar::I64 => integer.signed(i64::MIN, i64::MAX).map(|value| value as u64),
            Scalar::U32 => integer.unsigned(u32::MAX.into()),
            _ => integer.unsigned(u64::MAX),
        };
        value.ok_or_else(|| self.scanner.fail(start, Kind::OutOfRange))
    }

    /// A decimal number, infinity or NaN. What is too large becomes infinite.
    fn float(
        &mut self,
        exact: impl Fn(&JsonNumber<'_>) -> Option<f64>,
        parse: impl Fn(&str) -> Option<f64>,
    ) -> Result<f64, Kind> {
        let negative = self.scanner.take(b'-');
        let start = self.scanner.at;
        let size = match self.scanner.identifier() {
            Some(name) => {
                let value = special(name).ok_or_else(|| self.scanner.fail(start, Kind::WrongType))?;
                self.scanner.space();
                value
            }
            None => match self.scanner.number()? {
                Some(NumberToken::Decimal(_, text) | NumberToken::Float(text)) => {
                    // JSON has no numbers such as `.5` and `5.`, and none that are infinite.
                    let value = JsonNumber::whole(text).and_then(|number| exact(&number));
                    let text = core::str::from_utf8(text).unwrap_or_default();
                    value
                        .or_else(|| parse(text))
                        .ok_or_else(|| self.scanner.fail(start, Kind::InvalidNumber))?
                }
                Some(NumberToken::Other(_)) => return Err(self.scanner.fail(start, Kind::InvalidNumber)),
                None => return Err(self.scanner.wrong_type()),
            },
        };
        Ok(if negative { -size } else { size })
    }

    /// An enum value by name or number.
    fn enumeration(&mut self, program: &Program, entry: &FieldEntry, position: usize) -> Result<u64, Kind> {
        let start = self.scanner.at;
        let enumeration = self.pool.field_formats(program.message()).enumeration(position);
        let number = if let Some(name) = self.scanner.identifier() {
            self.scanner.space();
            self.pool.enum_number(enumeration, core::str::from_utf8(name).unwrap_or_default())
        } else {
            let integer = self.whole(start)?;
            let number = integer.signed(i32::MIN.into(), i32::MAX.into());
            let number = number.ok_or_else(|| self.scanner.fail(start, Kind::OutOfRange))? as i32;
            let listed =
                entry.coding != Coding::ClosedEnum || self.builder.set.enum_contains(entry.sub, number);
            listed.then_some(number)
        };
        let number = number.ok_or_else(|| self.scanner.fail(start, Kind::UnknownEnumValue))?;
        Ok(u64::from(number as u32))
    }
}
