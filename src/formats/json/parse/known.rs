//! Where a message begins: which form its type has in JSON, and well-known types that are one value.

use super::scan::{Quoted, integer_word, key_word, unescape_to, word_of};
use super::{JsonContainer, JsonParser, OuterJson};
use crate::engine::slab::BodyRef;
use crate::formats::ParseErrorKind as Kind;
use crate::formats::json::known::set_text;
use crate::formats::numbers::{decode_base64, type_in_url};
use crate::message::FieldAt;
use crate::schema::pool::{FieldFormats, WellKnown};
use crate::schema::program::{Coding, FieldEntry, Scalar};

impl JsonParser<'_, '_, '_> {
    /// A message begins, in an empty or merged body at this level.
    pub(in crate::formats::json) fn open(&mut self, mut body: BodyRef, mut depth: u32) -> Result<(), Kind> {
        loop {
            if depth > self.options.max_depth {
                return Err(Kind::DepthExceeded);
            }
            let byte = self.scanner.peek()?;
            let at = FieldAt { body, position: 0 };
            let (over, open) = match self.known(body.program) {
                WellKnown::None => (JsonContainer::Message, b'{'),
                WellKnown::Struct => (JsonContainer::Map, b'{'),
                WellKnown::ListValue => (JsonContainer::List, b'['),
                WellKnown::Any => return self.open_any(body, depth),
                WellKnown::Value => match self.kind_of_value(at, byte)? {
                    Some(inner) => {
                        (body, depth) = (inner, depth + 1);
                        continue;
                    }
                    None => return Ok(()),
                },
                WellKnown::Wrapper => return self.wrapper(at),
                known => return self.well_known(at, known),
            };
            if byte != open {
                return Err(self.scanner.wrong_type());
            }
            self.scanner.at += 1;
            let position = if over == JsonContainer::Message { usize::MAX } else { 0 };
            self.push(over, FieldAt { position, ..at }, depth)?;
            return self.begin_map(over);
        }
    }

    /// Sets what a `google.protobuf.Value` is; of an object or list, returns the message that it goes to.
    fn kind_of_value(&mut self, at: FieldAt, byte: u8) -> Result<Option<BodyRef>, Kind> {
        let program = self.builder.set.program(at.body.program);
        let position = match byte {
            b'n' => 0,
            b'"' => 2,
            b't' | b'f' => 3,
            b'{' => 4,
            b'[' => 5,
            _ => 1,
        };
        let at = FieldAt { position, ..at };
        let Some(entry) = program.entries().get(position) else { return Err(Kind::WrongType) };
        if entry.coding.is_message() {
            let base = self.builder.message(at, entry)?;
            return Ok(Some(BodyRef::of(entry, base)));
        }
        let word = match byte {
            b'n' => self.scanner.literal(b"null").map(|()| 0)?,
            b'"' => self.string(entry.coding)?,
            b't' | b'f' => self.scanner.boolean()?.into(),
            _ => self.scanner.double(&mut self.scratch)?.to_bits(),
        };
        self.builder.set(at, entry.coding, word)?;
        Ok(None)
    }

    /// The one field of a wrapper.
    fn wrapper(&mut self, at: FieldAt) -> Result<(), Kind> {
        let program = self.builder.set.program(at.body.program);
        let Some(entry) = program.entries().first() else { return Err(Kind::WrongType) };
        self.singular(at, self.pool.field_formats(program.message()), entry)
    }

    /// A message that is a string.
    fn well_known(&mut self, at: FieldAt, known: WellKnown) -> Result<(), Kind> {
        let start = self.scanner.at;
        if self.scanner.peek()? != b'"' {
            return Err(self.scanner.wrong_type());
        }
        let quoted = self.scanner.string()?;
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        set_text(self.builder, at, known, text).map_err(|kind| match kind {
            Kind::InvalidTimestamp | Kind::InvalidDuration | Kind::InvalidFieldMask => {
                self.scanner.fail(start, kind)
            }
            kind => kind,
        })
    }
}

// `google.protobuf.Any`: an object whose `@type`, which may come last, says what the other members are.
//
// The content is made in a builder of its own, as any message, and encoded when its object ends. `@type` is looked for ahead; where
// it comes first, as printers write it, that costs nothing. The look ahead passes over nested content, so a text is passed over at
// most once per level.

impl JsonParser<'_, '_, '_> {
    /// An `Any` begins.
    pub(in crate::formats::json) fn open_any(&mut self, body: BodyRef, depth: u32) -> Result<(), Kind> {
        let start = self.scanner.at;
        if self.scanner.peek()? != b'{' {
            return Err(self.scanner.wrong_type());
        }
        self.scanner.at += 1;
        let inside = self.scanner.at;
        let found = self.find_type()?;
        self.scanner.at = inside;
        let Some(quoted) = found else {
            // An Any without anything in it.
            return match self.scanner.more(0, b'}')? {
                false => Ok(()),
                true => Err(self.scanner.fail(start, Kind::InvalidAny)),
            };
        };
        let pool = self.pool;
        let url = self.scanner.text(quoted, &mut self.scratch)?;
        let Some(name) = type_in_url(url) else {
            return Err(self.scanner.fail(quoted.start, Kind::InvalidAny));
        };
        let Some(message) = pool.find_message(name) else {
            return Err(self.scanner.fail(quoted.start, Kind::UnknownType));
        };
        let mark = self.builder.mark();
        self.builder.store(url.len())?.extend_from_slice(url);
        let span = self.builder.span(Coding::String, mark).ok_or(Kind::InvalidUtf8)?;
        self.builder.set(FieldAt { body, position: 0 }, Coding::String, span)?;
        let mut inner = self.builder.inner();
        let root = inner.root(message.index())?;
        self.outer.try_reserve(1).map_err(|_| Kind::OutOfMemory)?;
        let builder = core::mem::replace(self.builder, inner);
        self.outer.push(OuterJson { builder, body });
        let plain = self.known(message.index()) == WellKnown::None;
        let over = if plain { JsonContainer::Message } else { JsonContainer::AnyValue };
        self.push(over, FieldAt { body: root, position: usize::MAX }, depth + 1)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.any = true;
        }
        if depth + 1 > self.options.max_depth { Err(Kind::DepthExceeded) } else { Ok(()) }
    }

    /// The `@type` of the object whose members begin here. Moves.
    fn find_type(&mut self) -> Result<Option<Quoted>, Kind> {
        let mut count = 0;
        while self.scanner.more(count, b'}')? {
            count += 1;
            let quoted = self.scanner.string()?;
            let is_type = self.scanner.text(quoted, &mut self.scratch)? == b"@type";
            self.scanner.colon()?;
            if is_type {
                if self.scanner.peek()? != b'"' {
                    return Err(self.scanner.wrong_type());
                }
                return self.scanner.string().map(Some);
            }
            self.scanner.skip(self.options.max_depth, &mut self.scratch)?;
        }
        Ok(None)
    }

    /// The members of an `Any` whose content is one value: `@type`, and that under `value`.
    pub(in crate::formats::json) fn any_members(&mut self) -> Result<(), Kind> {
        let Some(&frame) = self.frames.last() else { return Ok(()) };
        let frames = self.frames.len();
        let mut frame = frame;
        while self.scanner.more(frame.count, b'}')? {
            frame.count += 1;
            let start = self.scanner.at;
            let quoted = self.scanner.string()?;
            let key = self.scanner.text(quoted, &mut self.scratch)?;
            let (is_type, is_value) = (key == b"@type", key == b"value");
            let twice = (is_type && frame.marked) || (is_value && frame.valued);
            if twice && !self.options.allow_duplicate_keys {
                return Err(self.scanner.fail(start, Kind::DuplicateKey));
            }
            if !is_type && !is_value && self.options.deny_unknown_fields {
                return Err(self.scanner.fail(start, Kind::UnknownField));
            }
            frame.marked |= is_type;
            frame.valued |= is_value;
            if let Some(last) = self.frames.last_mut() {
                *last = frame;
            }
            self.scanner.colon()?;
            if !is_value {
                self.scanner.skip(self.options.max_depth, &mut self.scratch)?;
                continue;
            }
            self.open(frame.at.body, frame.depth)?;
            if self.frames.len() != frames {
                return Ok(());
            }
        }
        if !frame.valued {
            return Err(Kind::InvalidAny);
        }
        self.pop()
    }

    /// The content of an `Any` is whole, and its frame is gone.
    pub(in crate::formats::json) fn end_any(&mut self, content: FieldAt) -> Result<(), Kind> {
        let Some(OuterJson { builder, body }) = self.outer.pop() else { return Ok(()) };
        let mut inner = core::mem::replace(self.builder, builder);
        let bytes = inner.encoded(content.body)?;
        drop(inner);
        Ok(self.builder.set_any_value(body, &bytes)?)
    }
}

// Values: scalars and keys.

impl JsonParser<'_, '_, '_> {
    /// A scalar, as the word or two of its slot; nothing if it is an enum value that is to be ignored.
    #[inline]
    pub(in crate::formats::json) fn scalar(
        &mut self,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        position: usize,
    ) -> Result<Option<u64>, Kind> {
        let start = self.scanner.at;
        Ok(Some(match entry.scalar() {
            Scalar::String => {
                if self.scanner.peek()? != b'"' {
                    return Err(self.scanner.wrong_type());
                }
                self.string(entry.coding)?
            }
            Scalar::Bytes => self.bytes()?,
            Scalar::Bool => self.scanner.boolean()?.into(),
            Scalar::F64 => self.scanner.double(&mut self.scratch)?.to_bits(),
            Scalar::F32 => self.scanner.float(&mut self.scratch)?.to_bits().into(),
            Scalar::Enum => return self.enumeration(names, entry, position),
            scalar => {
                if let Some(word) = self.scanner.short_integer().and_then(|value| word_of(scalar, value)) {
                    return Ok(Some(word));
                }
                self.scanner.at = start;
                let integer = self.scanner.number(&mut self.scratch)?.integer();
                integer_word(scalar, integer).map_err(|kind| self.scanner.fail(start, kind))?
            }
        }))
    }

    /// A string, which goes to the store.
    #[inline]
    pub(in crate::formats::json) fn string(&mut self, coding: Coding) -> Result<u64, Kind> {
        let start = self.scanner.at;
        let quoted = self.scanner.string()?;
        if !quoted.escaped {
            let rest = self.scanner.text.get(quoted.start..).unwrap_or_default();
            return Ok(self.builder.text(coding, rest, quoted.end - quoted.start)?);
        }
        let raw = self.scanner.input.get(quoted.start..quoted.end).unwrap_or_default();
        let mark = self.builder.mark();
        unescape_to(raw, self.builder.store(raw.len())?);
        self.builder.span(coding, mark).ok_or_else(|| self.scanner.fail(start, Kind::InvalidUtf8))
    }

    /// Base64.
    fn bytes(&mut self) -> Result<u64, Kind> {
        let start = self.scanner.at;
        if self.scanner.peek()? != b'"' {
            return Err(self.scanner.wrong_type());
        }
        let quoted = self.scanner.string()?;
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        let mark = self.builder.mark();
        if !decode_base64(text, self.builder.store(text.len() / 4 * 3 + 3)?) {
            return Err(self.scanner.fail(start, Kind::InvalidBase64));
        }
        self.builder.span(Coding::Bytes, mark).ok_or(Kind::InvalidBase64)
    }

    /// An enum value by name or number.
    fn enumeration(
        &mut self,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        position: usize,
    ) -> Result<Option<u64>, Kind> {
        let start = self.scanner.at;
        let enumeration = names.enumeration(position);
        let number = match self.scanner.peek()? {
            b'"' => {
                let quoted = self.scanner.string()?;
                let pool = self.pool;
                let name = core::str::from_utf8(self.text(quoted)?).map_err(|_| Kind::InvalidUtf8)?;
                pool.json_enum_number(enumeration, name)
            }
            b'n' if names.is_null_value(position) => {
                self.scanner.literal(b"null")?;
                Some(0)
            }
            _ => {
                let number = self.scanner.number(&mut self.scratch)?.integer();
                let word =
                    integer_word(Scalar::I32, number).map_err(|kind| self.scanner.fail(start, kind))?;
                let listed = entry.coding != Coding::ClosedEnum
                    || self.builder.set.enum_contains(entry.sub, word as i32);
                listed.then_some(word as i32)
            }
        };
        if number.is_none() && self.options.deny_unknown_fields {
            return Err(self.scanner.fail(start, Kind::UnknownEnumValue));
        }
        Ok(number.map(|number| u64::from(number as u32)))
    }

    /// The key of a map entry.
    pub(in crate::formats::json) fn map_key(&mut self, key: &FieldEntry) -> Result<u64, Kind> {
        let start = self.scanner.at;
        if key.scalar() == Scalar::String {
            return self.string(key.coding);
        }
        let quoted = self.scanner.string()?;
        let text = self.text(quoted)?;
        key_word(key.scalar(), text).map_err(|kind| self.scanner.fail(start, kind))
    }
}
