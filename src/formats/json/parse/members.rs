//! The members of an object: keys, found by guesses, and what they hold.

use super::{AHEAD, JsonContainer, JsonParser, MemberKey, Seen};
use crate::engine::slab::{BodyRef, ByteSpan};
use crate::formats::ParseErrorKind as Kind;
use crate::message::FieldAt;
use crate::schema::pool::{FieldFormats, WellKnown};
use crate::schema::program::{FieldEntry, Program};

impl<'p> JsonParser<'p, '_, '_> {
    /// The members of a message, until one of them needs a frame or the message ends.
    ///
    /// ```text
    /// loop:
    ///     if the input goes on with the comma, name and colon of the likely field: that one, by one comparison
    ///     else: white space, comma, and the name is compared with those of the next fields, or searched for
    ///     white space, and the value: here if it is a scalar of a plain field, otherwise in `member`
    /// ```
    ///
    /// What has been seen is in registers while the loop runs, and goes to the frame for everything else.
    #[inline(never)]
    pub(in crate::formats::json) fn members(&mut self) -> Result<(), Kind> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (body, depth) = (frame.at.body, frame.depth);
        let (mut count, mut next, mut seen) = (frame.count, frame.slot as usize, frame.seen);
        let program = self.builder.set.program(body.program);
        let names = self.pool.field_formats(program.message());
        let frames = self.frames.len();
        loop {
            let rest = self.scanner.rest();
            if rest.first() == Some(&b'}') {
                self.scanner.at += 1;
                return self.pop();
            }
            let guess = self.follow.guess(body.program, next);
            // The label begins with the comma, which the first member lacks.
            let first = count == 0;
            let mut start = self.scanner.at + usize::from(!first);
            let position = match names.takes_label(guess, first.into(), rest) {
                Some(len) => {
                    self.scanner.at += len;
                    guess
                }
                None => match self.key(first, (body.program, next), program, names, &mut start) {
                    Ok(MemberKey::Field(position)) => position,
                    Ok(MemberKey::Other) => {
                        count += 1;
                        self.scanner.skip(self.options.max_depth, &mut self.scratch)?;
                        continue;
                    }
                    Ok(MemberKey::End) => return self.pop(),
                    Err(kind) => return Err(self.between_members(kind)),
                },
            };
            (count, next) = (count + 1, position + 1);
            let Some(entry) = program.entries().get(position) else { return Err(Kind::UnknownField) };
            let byte = self.scanner.value();
            let bit = 1u64 << (position & 63);
            if names.is_plain(position) && seen.fields & bit == 0 && byte != b'n' {
                seen.fields |= bit;
                match self.scalar(names, entry, position) {
                    Ok(Some(word)) if !entry.flags.is_implicit() || !is_zero(entry, word) => {
                        self.builder.set_plain(body.base, entry, word);
                    }
                    Ok(Some(_)) => self.builder.unset(FieldAt { body, position }),
                    Ok(None) => {}
                    Err(kind) => {
                        self.leave(count, position, seen);
                        return Err(kind);
                    }
                }
                continue;
            }
            self.leave(count, position, seen);
            self.member((names, depth), FieldAt { body, position }, program, start)?;
            if self.frames.len() != frames {
                return Ok(());
            }
            seen = self.frames.last().map_or(seen, |frame| frame.seen);
        }
    }

    /// Notes where the members of the last frame have been left.
    #[inline(always)]
    fn leave(&mut self, count: u32, position: usize, seen: Seen) {
        if let Some(frame) = self.frames.last_mut() {
            (frame.count, frame.slot) = (count, position as u32 + 1);
            (frame.at.position, frame.seen) = (position, seen);
        }
    }

    /// An error that is about no field, and not about the last one either.
    #[cold]
    fn between_members(&mut self, kind: Kind) -> Kind {
        if let Some(frame) = self.frames.last_mut() {
            frame.at.position = usize::MAX;
        }
        kind
    }

    /// What comes next in an object, if it is not the likely field. The key has been taken with its colon, and `start` is where it
    /// began.
    #[inline(never)]
    fn key(
        &mut self,
        first: bool,
        (index, next): (u32, usize),
        program: &Program,
        names: FieldFormats<'_>,
        start: &mut usize,
    ) -> Result<MemberKey, Kind> {
        if !self.scanner.more((!first).into(), b'}')? {
            return Ok(MemberKey::End);
        }
        *start = self.scanner.at;
        // Fields that are not set are left out, so one of the next is likely.
        let guess = self.follow.guess(index, next);
        for position in core::iter::once(guess).chain(next..next + AHEAD) {
            if let Some(len) = names.takes_label(position, 1, self.scanner.rest()) {
                self.scanner.at += len;
                return Ok(MemberKey::Field(position));
            }
        }
        let found = self.key_by_name(program)?;
        if let MemberKey::Field(position) = found {
            self.follow.learn(index, next, position);
        }
        self.scanner.colon()?;
        Ok(found)
    }

    #[inline(never)]
    fn key_by_name(&mut self, program: &Program) -> Result<MemberKey, Kind> {
        let start = self.scanner.at;
        let quoted = self.scanner.string()?;
        let name = self.scanner.text(quoted, &mut self.scratch)?;
        let field = self.pool.field_by_any_name(program.message(), name);
        let position = field.and_then(|field| program.entry_of(field as usize)).map(|(position, _)| position);
        if let Some(position) = position {
            return Ok(MemberKey::Field(position));
        }
        if let Some(frame) = self.frames.last_mut()
            && frame.any
            && name == b"@type"
        {
            let twice = core::mem::replace(&mut frame.marked, true);
            if twice && !self.options.allow_duplicate_keys {
                return Err(self.scanner.fail(start, Kind::DuplicateKey));
            }
            return Ok(MemberKey::Other);
        }
        if self.options.deny_unknown_fields {
            return Err(self.scanner.fail(start, Kind::UnknownField));
        }
        Ok(MemberKey::Other)
    }

    /// The value of a member whose key is known, of a message at this depth.
    fn member(
        &mut self,
        (names, depth): (FieldFormats<'p>, u32),
        at: FieldAt,
        program: &'p Program,
        start: usize,
    ) -> Result<(), Kind> {
        let Some(entry) = program.entries().get(at.position) else { return Err(Kind::UnknownField) };
        let twice = self.note_field(program, at.position);
        if twice {
            if !self.options.allow_duplicate_keys {
                return Err(self.scanner.fail(start, Kind::DuplicateKey));
            }
            self.builder.unset(at);
        }
        let byte = self.scanner.peek()?;
        if byte == b'n' && !self.takes_null(names, entry, at.position) {
            return self.scanner.literal(b"null");
        }
        if entry.oneof != 0 && self.note_oneof(program, entry.oneof) && !twice {
            return Err(self.scanner.fail(start, Kind::DuplicateOneof));
        }
        if !entry.flags.is_list() {
            if entry.coding.is_message() {
                return self.message(at, entry, depth + 1);
            }
            return self.singular(at, names, entry);
        }
        if !entry.coding.is_message() {
            return self.scalars(at, names, entry, depth);
        }
        let (over, open) =
            if entry.flags.is_map() { (JsonContainer::Map, b'{') } else { (JsonContainer::List, b'[') };
        if byte != open {
            return Err(self.scanner.wrong_type());
        }
        self.scanner.at += 1;
        self.push(over, at, depth)?;
        self.begin_map(over)
    }

    /// The value of a singular scalar.
    pub(in crate::formats::json) fn singular(
        &mut self,
        at: FieldAt,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
    ) -> Result<(), Kind> {
        match self.scalar(names, entry, at.position)? {
            Some(word) if entry.flags.is_implicit() && is_zero(entry, word) => self.builder.unset(at),
            Some(word) => self.builder.set(at, entry.coding, word)?,
            None => {}
        }
        Ok(())
    }

    /// The value of a singular message.
    pub(in crate::formats::json) fn message(
        &mut self,
        at: FieldAt,
        entry: &FieldEntry,
        depth: u32,
    ) -> Result<(), Kind> {
        if depth <= self.options.max_depth && self.is_empty_object(entry) {
            return Ok(self.builder.empty_message(at, entry)?);
        }
        let body = self.builder.message(at, entry)?;
        self.open(BodyRef::of(entry, body), depth)
    }

    /// Takes `{}`, if that comes next and stands for an empty message.
    pub(in crate::formats::json) fn is_empty_object(&mut self, entry: &FieldEntry) -> bool {
        let empty = self.scanner.rest().starts_with(b"{}") && self.known(entry.sub) == WellKnown::None;
        self.scanner.at += if empty { 2 } else { 0 };
        empty
    }

    /// Which well-known type the message of a program is.
    #[inline]
    pub(in crate::formats::json) fn known(&self, index: u32) -> WellKnown {
        self.pool.well_known(self.builder.set.program(index).message())
    }

    /// Whether `null` is a value of the field, and not its absence.
    #[cold]
    fn takes_null(&self, names: FieldFormats<'_>, entry: &FieldEntry, position: usize) -> bool {
        !entry.flags.is_list() && self.element_takes_null(names, entry, position)
    }

    /// Whether `null` is a value of an element of this list or map, and not an error.
    #[cold]
    pub(in crate::formats::json) fn element_takes_null(
        &self,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        position: usize,
    ) -> bool {
        if entry.coding.is_message() {
            return self.known(entry.sub) == WellKnown::Value;
        }
        names.is_null_value(position)
    }
}

/// Whether a value is the zero of its type.
#[inline]
fn is_zero(entry: &FieldEntry, word: u64) -> bool {
    match entry.coding {
        crate::schema::program::Coding::String | crate::schema::program::Coding::Bytes => {
            ByteSpan::from_word(word).len() == 0
        }
        _ => word == 0,
    }
}
