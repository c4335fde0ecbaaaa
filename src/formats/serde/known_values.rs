//! Messages that are one value in the JSON mapping, out of a deserializer: times, field masks and `Value`.

use super::lists::{ListVisitor, MapVisitor};
use super::scalar::ScalarSeed;
use super::state::State;
use crate::engine::slab::{BodyRef, NIL};
use crate::formats::json::DeserializeErrorKind as Kind;
use crate::formats::numbers::{parse_duration, parse_timestamp, snake_path};
use crate::message::FieldAt;
use crate::schema::pool::WellKnown;
use crate::schema::program::FieldEntry;
use ::serde::de::{Error, MapAccess, SeqAccess, Visitor};
use core::fmt;

/// A message that is a string.
pub(super) struct TextVisitor<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) at: FieldAt,
    pub(super) known: WellKnown,
}

impl<'de> Visitor<'de> for TextVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.known {
            WellKnown::Timestamp => "a timestamp",
            WellKnown::Duration => "a duration",
            _ => "a field mask",
        };
        self.state.expecting(f, what)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let Self { state, at, known } = self;
        state.count(text.len());
        let (seconds, nanos) = match known {
            WellKnown::Timestamp => match parse_timestamp(text.as_bytes()) {
                Some((seconds, nanos)) => (seconds, nanos as i32),
                None => return Err(state.fail(Kind::InvalidTimestamp)),
            },
            WellKnown::Duration => match parse_duration(text.as_bytes()) {
                Some(parts) => parts,
                None => return Err(state.fail(Kind::InvalidDuration)),
            },
            _ => return field_mask(state, at, text),
        };
        set_number(state, at, 0, seconds)?;
        set_number(state, at, 1, nanos.into())
    }
}

/// Sets a number of a time.
fn set_number<E: Error>(
    state: &mut State<'_, '_>,
    at: FieldAt,
    position: usize,
    value: i64,
) -> Result<(), E> {
    let at = FieldAt { position, ..at };
    let Some(&entry) = state.builder.set.program(at.body.program).entries().get(position) else {
        return Ok(());
    };
    let word = if entry.coding.words() == 2 { value as u64 } else { u64::from(value as u32) };
    if word == 0 && entry.flags.is_implicit() {
        state.builder.unset(at);
        return Ok(());
    }
    let set = state.builder.set(at, entry.coding, word);
    state.room(set)
}

/// Paths separated by commas.
fn field_mask<E: Error>(state: &mut State<'_, '_>, at: FieldAt, text: &str) -> Result<(), E> {
    let Some(&entry) = state.builder.set.program(at.body.program).entries().first() else { return Ok(()) };
    if text.is_empty() {
        return Ok(());
    }
    let mut slot = NIL;
    for path in text.split(',') {
        let mark = state.builder.mark();
        let copied = state.builder.store(2 * path.len()).map(|store| snake_path(path.as_bytes(), store));
        let span = match state.room(copied)? && !path.is_empty() {
            true => state.builder.span(entry.coding, mark),
            false => None,
        };
        let Some(span) = span else { return Err(state.fail(Kind::InvalidFieldMask)) };
        let pushed = state.builder.push(at, &mut slot, entry.coding, span);
        state.room(pushed)?;
    }
    Ok(())
}

/// A `google.protobuf.Value`.
pub(super) struct ValueVisitor<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) at: FieldAt,
    pub(super) depth: u32,
}

/// The positions of the fields of a `Value`.
const NULL: usize = 0;
const NUMBER: usize = 1;
const STRING: usize = 2;
const BOOL: usize = 3;
const STRUCT: usize = 4;
const LIST: usize = 5;

impl<'s, 'p, 'b> ValueVisitor<'s, 'p, 'b> {
    fn entry<E: Error>(&self, position: usize) -> Result<FieldEntry, E> {
        let entry = self.state.builder.set.program(self.at.body.program).entries().get(position);
        entry.copied().ok_or_else(|| self.state.fail(Kind::WrongType))
    }

    /// Sets the field at a position to what `read` makes of it.
    fn set<E: Error>(
        self,
        position: usize,
        read: impl FnOnce(ScalarSeed<'_, 'p, 'b>) -> Result<Option<u64>, E>,
    ) -> Result<(), E> {
        let entry = self.entry(position)?;
        let at = FieldAt { position, ..self.at };
        let word = read(ScalarSeed { state: &mut *self.state, at, entry })?.unwrap_or_default();
        let set = self.state.builder.set(at, entry.coding, word);
        self.state.room(set)
    }

    fn number<E: Error>(self, value: f64) -> Result<(), E> {
        if !value.is_finite() {
            return Err(self.state.fail(Kind::OutOfRange));
        }
        self.set(NUMBER, |seed| seed.visit_f64(value))
    }

    /// Makes the message of an object or a list, and gives its first field.
    fn make<E: Error>(&mut self, position: usize) -> Result<(FieldAt, FieldEntry), E> {
        if self.depth + 1 > self.state.options.max_depth {
            return Err(self.state.fail(Kind::DepthExceeded));
        }
        let entry = self.entry(position)?;
        let made = self.state.builder.message(FieldAt { position, ..self.at }, &entry);
        let base = self.state.room(made)?;
        let Some(&inner) = self.state.builder.set.program(entry.sub).entries().first() else {
            return Err(self.state.fail(Kind::WrongType));
        };
        self.state.enter(entry.sub, 0)?;
        Ok((FieldAt { body: BodyRef::of(&entry, base), position: 0 }, inner))
    }
}

impl<'de> Visitor<'de> for ValueVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.set(NULL, |seed| seed.visit_unit())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.set(BOOL, |seed| seed.visit_bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.number(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.number(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.number(value)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.set(STRING, |seed| seed.visit_str(text))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, map: A) -> Result<(), A::Error> {
        let (at, entry) = self.make(STRUCT)?;
        let depth = self.depth + 1;
        MapVisitor { state: &mut *self.state, at, entry, depth }.visit_map(map)?;
        self.state.leave();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, seq: A) -> Result<(), A::Error> {
        let (at, entry) = self.make(LIST)?;
        let depth = self.depth + 1;
        ListVisitor { state: &mut *self.state, at, entry, depth }.visit_seq(seq)?;
        self.state.leave();
        Ok(())
    }
}
