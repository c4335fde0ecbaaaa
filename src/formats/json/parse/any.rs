//! `google.protobuf.Any`: an object whose `@type`, which may come last, says what the other members are.
//!
//! The content is made in a builder of its own, as any message, and encoded when its object ends. `@type` is looked for ahead; where
//! it comes first, as printers write it, that costs nothing. The look ahead passes over nested content, so a text is passed over at
//! most once per level.

use super::scan::Quoted;
use super::{JsonContainer, JsonParser, OuterJson};
use crate::engine::slab::BodyRef;
use crate::formats::json::error::DeserializeErrorKind as Kind;
use crate::formats::numbers::type_in_url;
use crate::message::FieldAt;
use crate::schema::pool::WellKnown;
use crate::schema::program::Coding;

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
        let Some(message) = pool.get_message_by_name(name) else {
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
        let at = FieldAt { body, position: 1 };
        let bytes = inner.encoded(content.body)?;
        drop(inner);
        if bytes.is_empty() {
            self.builder.unset(at);
            return Ok(());
        }
        self.builder.charge(bytes.len())?;
        let mark = self.builder.mark();
        self.builder.store(bytes.len())?.extend_from_slice(&bytes);
        let span = self.builder.span(Coding::Bytes, mark).ok_or(Kind::InvalidAny)?;
        Ok(self.builder.set(at, Coding::Bytes, span)?)
    }
}
