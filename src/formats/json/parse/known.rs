//! Where a message begins: which form its type has in JSON, and well-known types that are one value.

use super::scan::Quoted;
use super::{JsonContainer, JsonParser};
use crate::engine::slab::{BodyRef, NIL};
use crate::formats::json::error::DeserializeErrorKind as Kind;
use crate::formats::numbers::{parse_duration, parse_timestamp, snake_path};
use crate::message::FieldAt;
use crate::schema::pool::WellKnown;

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

    /// Sets what a `google.protobuf.Value` is; of an object or list, gives the message that it goes to.
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

    /// Sets a number of a well-known type.
    fn set_number(&mut self, at: FieldAt, position: usize, value: i64) -> Result<(), Kind> {
        let (program, at) = (self.builder.set.program(at.body.program), FieldAt { position, ..at });
        let Some(entry) = program.entries().get(position) else { return Ok(()) };
        let word = if entry.coding.words() == 2 { value as u64 } else { u64::from(value as u32) };
        if word == 0 && entry.flags.is_implicit() {
            self.builder.unset(at);
            return Ok(());
        }
        Ok(self.builder.set(at, entry.coding, word)?)
    }

    /// A message that is a string.
    fn well_known(&mut self, at: FieldAt, known: WellKnown) -> Result<(), Kind> {
        let start = self.scanner.at;
        if self.scanner.peek()? != b'"' {
            return Err(self.scanner.wrong_type());
        }
        let quoted = self.scanner.string()?;
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        let (seconds, nanos) = match known {
            WellKnown::Timestamp => match parse_timestamp(text) {
                Some((seconds, nanos)) => (seconds, nanos as i32),
                None => return Err(self.scanner.fail(start, Kind::InvalidTimestamp)),
            },
            WellKnown::Duration => match parse_duration(text) {
                Some(parts) => parts,
                None => return Err(self.scanner.fail(start, Kind::InvalidDuration)),
            },
            _ => return self.field_mask(at, quoted, start),
        };
        self.set_number(at, 0, seconds)?;
        self.set_number(at, 1, nanos.into())
    }

    /// Paths separated by commas.
    fn field_mask(&mut self, at: FieldAt, quoted: Quoted, start: usize) -> Result<(), Kind> {
        let program = self.builder.set.program(at.body.program);
        let Some(entry) = program.entries().first() else { return Ok(()) };
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        if text.is_empty() {
            return Ok(());
        }
        let mut slot = NIL;
        for path in text.split(|&byte| byte == b',') {
            let mark = self.builder.mark();
            if !snake_path(path, self.builder.store(2 * path.len())?) || path.is_empty() {
                return Err(self.scanner.fail(start, Kind::InvalidFieldMask));
            }
            let Some(span) = self.builder.span(entry.coding, mark) else {
                return Err(Kind::InvalidFieldMask);
            };
            self.builder.push(at, &mut slot, entry.coding, span)?;
        }
        Ok(())
    }
}
