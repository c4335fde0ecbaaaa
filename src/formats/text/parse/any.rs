//! Names in brackets: extensions, and the content of `google.protobuf.Any`, which is made in a builder of its own and encoded when its
//! message ends.

use super::{NameTarget, OuterText, TextContainer, TextParseFrame, TextParser};
use crate::engine::decode::check_required;
use crate::formats::text::error::ParseErrorKind as Kind;
use crate::formats::text::names::{is_full_name, is_url_byte, type_name};
use crate::message::FieldAt;
use crate::schema::pool::WellKnown;
use crate::schema::program::{Coding, Program};
use crate::wire::error::{DecodeErrorKind, FieldPath};

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
        if self.scratch.len() == self.scratch.capacity() {
            let more = self.scratch.len().max(32);
            self.builder.charge(2 * more)?;
            self.scratch.try_reserve_exact(more).map_err(|_| Kind::OutOfMemory)?;
        }
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
        let Some(message) = pool.get_message_by_name(name) else {
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
        if self.outer.len() == self.outer.capacity() {
            let more = self.outer.len().max(2);
            self.builder.charge(2 * more * size_of::<OuterText<'_>>())?;
            self.outer.try_reserve_exact(more).map_err(|_| Kind::OutOfMemory)?;
        }
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
        self.builder.charge(bytes.len())?;
        self.builder.set(FieldAt { position: 0, ..at }, Coding::String, url)?;
        let value = FieldAt { position: 1, ..at };
        if bytes.is_empty() {
            self.builder.unset(value);
            return Ok(());
        }
        let mark = self.builder.mark();
        self.builder.store(bytes.len())?.extend_from_slice(&bytes);
        let span = self.builder.span(Coding::Bytes, mark).ok_or(Kind::TooLarge)?;
        Ok(self.builder.set(value, Coding::Bytes, span)?)
    }
}
