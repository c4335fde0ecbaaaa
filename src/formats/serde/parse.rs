//! Messages out of a deserializer.

use super::any::AnyVisitor;
use super::scalar::{KeySeed, ScalarSeed, State, Target};
use crate::engine::decode::check_required;
use crate::engine::slab::{BodyRef, ByteSpan, NIL};
use crate::formats::ParseErrorKind as Kind;
use crate::formats::json::Parser;
use crate::formats::json::known::set_text;
use crate::message::{DynamicMessage, FieldAt};
use crate::schema::pool::{MessageDescriptor, WellKnown};
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::error::DecodeErrorKind;
use ::serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use alloc::format;
use core::fmt;

/// The memory that a message may take before anything is read.
const FIRST_BUDGET: usize = 1 << 20;

/// Makes a message of what a deserializer has.
pub(super) fn message<'de, D: Deserializer<'de>>(
    descriptor: &MessageDescriptor,
    deserializer: D,
    options: &Parser,
) -> Result<DynamicMessage, D::Error> {
    let mut message = DynamicMessage::new(descriptor);
    let mut input = Some(deserializer);
    message.built(
        0,
        options.budget.unwrap_or(FIRST_BUDGET),
        |builder, pool, body| {
            let Some(input) = input.take() else { return Ok(()) };
            let mut state = State::new(pool, *options, builder, descriptor.full_name());
            let target = Target::Body(body);
            MessageSeed { state: &mut state, target, depth: 0 }.deserialize(input)
        },
        // What was read cannot be read again.
        |_| false,
        |full| fail(full.into(), descriptor),
    )?;
    if !options.allow_partial
        && descriptor.program().needs_check()
        && let Err(error) = check_required(message.as_view().raw(), 0)
    {
        let kind = match error.kind() {
            DecodeErrorKind::MissingRequired => Kind::MissingRequired,
            _ => Kind::OutOfMemory,
        };
        let path = descriptor.name_path(error.path());
        return Err(D::Error::custom(format!("{kind}, in {}: {path}", descriptor.full_name())));
    }
    Ok(message)
}

#[cold]
fn fail<E: Error>(kind: Kind, descriptor: &MessageDescriptor) -> E {
    E::custom(format!("{kind}, in {}", descriptor.full_name()))
}

/// A message of any type.
pub(super) struct MessageSeed<'s, 't, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) target: Target<'t>,
    pub(super) depth: u32,
}

impl<'de> DeserializeSeed<'de> for MessageSeed<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { state, target, depth } = self;
        if depth > state.options.max_depth {
            return Err(state.fail(Kind::DepthExceeded));
        }
        let known = state.known(target.program());
        if known == WellKnown::None {
            return deserializer.deserialize_map(MessageVisitor { state, target, depth });
        }
        let body = state.make(target)?;
        let at = FieldAt { body, position: 0 };
        let Some(&entry) = state.builder.set.program(body.program).entries().first() else {
            return Err(state.fail(Kind::WrongType));
        };
        match known {
            WellKnown::Struct => {
                state.enter(body.program, 0)?;
                deserializer.deserialize_map(MapVisitor { state: &mut *state, at, entry, depth })?;
                state.leave();
                Ok(())
            }
            WellKnown::ListValue => {
                state.enter(body.program, 0)?;
                deserializer.deserialize_seq(ListVisitor { state: &mut *state, at, entry, depth })?;
                state.leave();
                Ok(())
            }
            WellKnown::Value => deserializer.deserialize_any(ValueVisitor { state, at, depth }),
            WellKnown::Any => deserializer.deserialize_map(AnyVisitor { state, at, depth }),
            WellKnown::Wrapper => {
                let word = ScalarSeed { state: &mut *state, at, entry }.deserialize(deserializer)?;
                set_scalar(state, at, &entry, word)
            }
            _ => deserializer.deserialize_string(TextVisitor { state, at, known }),
        }
    }
}

/// Sets a scalar without presence, or unsets it if it is zero.
fn set_scalar<E: Error>(
    state: &mut State<'_, '_>,
    at: FieldAt,
    entry: &FieldEntry,
    word: Option<u64>,
) -> Result<(), E> {
    match word {
        Some(word) if entry.flags.is_implicit() && is_zero(entry, word) => state.builder.unset(at),
        Some(word) => {
            let set = state.builder.set(at, entry.coding, word);
            state.room(set)?;
        }
        None => {}
    }
    Ok(())
}

/// Whether a value is the zero of its type.
fn is_zero(entry: &FieldEntry, word: u64) -> bool {
    match entry.coding {
        Coding::String | Coding::Bytes => ByteSpan::from_word(word).len() == 0,
        _ => word == 0,
    }
}

/// An object with the fields of a message.
struct MessageVisitor<'s, 't, 'p, 'b> {
    state: &'s mut State<'p, 'b>,
    target: Target<'t>,
    depth: u32,
}

impl<'de> Visitor<'de> for MessageVisitor<'_, '_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { state, target, depth } = self;
        state.count(0);
        let index = target.program();
        let first = map.next_key_seed(NameSeed { state: &mut *state, index, any: false })?;
        let Some(first) = first else { return state.make_empty(target) };
        let body = state.make(target)?;
        let notes = state.begin_notes(state.builder.set.program(body.program))?;
        let mut members = MemberReader { state: &mut *state, body, depth, notes };
        members.member(&mut map, first)?;
        members.rest(&mut map, false)?;
        state.end_notes(notes);
        Ok(())
    }
}

/// What a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberName {
    /// The field at this position.
    Field(usize),
    /// `@type` in an `Any`.
    Type,
    Unknown,
}

/// A key of a message.
pub(super) struct NameSeed<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) index: u32,
    /// The message is the content of an `Any`.
    pub(super) any: bool,
}

impl<'de> DeserializeSeed<'de> for NameSeed<'_, '_, '_> {
    type Value = MemberName;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<MemberName, D::Error> {
        deserializer.deserialize_string(self)
    }
}

impl<'de> Visitor<'de> for NameSeed<'_, '_, '_> {
    type Value = MemberName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<MemberName, E> {
        let Self { state, index, any } = self;
        state.count(name.len());
        let program = state.builder.set.program(index);
        let field = state.pool.field_by_any_name(program.message(), name.as_bytes());
        match field.and_then(|field| program.entry_of(field as usize)) {
            Some((position, _)) => Ok(MemberName::Field(position)),
            None if any && name == "@type" => Ok(MemberName::Type),
            None if state.options.deny_unknown_fields => {
                Err(E::custom(format!("{} {name:?}, in {state}", Kind::UnknownField)))
            }
            None => Ok(MemberName::Unknown),
        }
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<MemberName, E> {
        match core::str::from_utf8(name) {
            Ok(name) => self.visit_str(name),
            Err(_) => Err(self.state.fail(Kind::InvalidUtf8)),
        }
    }
}

/// The members of a message, one after the other.
pub(super) struct MemberReader<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) body: BodyRef,
    pub(super) depth: u32,
    pub(super) notes: usize,
}

impl MemberReader<'_, '_, '_> {
    /// All members that are left.
    pub(super) fn rest<'de, A: MapAccess<'de>>(&mut self, map: &mut A, any: bool) -> Result<(), A::Error> {
        let index = self.body.program;
        while let Some(name) = map.next_key_seed(NameSeed { state: &mut *self.state, index, any })? {
            self.member(map, name)?;
        }
        Ok(())
    }

    /// The value of a member.
    fn member<'de, A: MapAccess<'de>>(&mut self, map: &mut A, name: MemberName) -> Result<(), A::Error> {
        let body = self.body;
        let position = match name {
            MemberName::Field(position) => position,
            // An Any has one `@type`, which has been read.
            MemberName::Type if !self.state.options.allow_duplicate_keys => {
                return Err(self.state.fail(Kind::DuplicateKey));
            }
            MemberName::Type | MemberName::Unknown => return map.next_value::<IgnoredAny>().map(drop),
        };
        let at = FieldAt { body, position };
        let Some(&entry) = self.state.builder.set.program(body.program).entries().get(position) else {
            return Err(self.state.fail(Kind::UnknownField));
        };
        self.state.enter(body.program, position)?;
        let twice = self.state.note(self.notes, position);
        if twice {
            if !self.state.options.allow_duplicate_keys {
                return Err(self.state.fail(Kind::DuplicateKey));
            }
            self.state.builder.unset(at);
        }
        let (notes, depth) = (self.notes, self.depth);
        map.next_value_seed(FieldSeed { state: &mut *self.state, at, entry, depth, notes, twice })?;
        self.state.leave();
        Ok(())
    }
}

/// The value of a field; `null` stands for none.
struct FieldSeed<'s, 'p, 'b> {
    state: &'s mut State<'p, 'b>,
    at: FieldAt,
    entry: FieldEntry,
    depth: u32,
    notes: usize,
    twice: bool,
}

impl FieldSeed<'_, '_, '_> {
    /// Notes that the oneof of the field is set.
    fn note_oneof<E: Error>(&mut self) -> Result<(), E> {
        let Some(oneof) = usize::from(self.entry.oneof).checked_sub(1) else { return Ok(()) };
        let fields = self.state.builder.set.program(self.at.body.program).entries().len();
        if self.state.note(self.notes, fields + oneof) && !self.twice {
            return Err(self.state.fail(Kind::DuplicateOneof));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for FieldSeed<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.visit_none()
    }

    fn visit_none<E: Error>(mut self) -> Result<(), E> {
        self.state.count(0);
        if self.entry.flags.is_list() || !self.state.takes_null(self.at, &self.entry) {
            return Ok(());
        }
        self.note_oneof()?;
        set_null(self.state, Target::Field { at: self.at, entry: self.entry }, &self.entry, self.at)
    }

    fn visit_some<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        self.note_oneof()?;
        let Self { state, at, entry, depth, .. } = self;
        if entry.flags.is_map() {
            return deserializer.deserialize_map(MapVisitor { state, at, entry, depth });
        }
        if entry.flags.is_list() {
            return deserializer.deserialize_seq(ListVisitor { state, at, entry, depth });
        }
        if entry.coding.is_message() {
            let target = Target::Field { at, entry };
            return MessageSeed { state, target, depth: depth + 1 }.deserialize(deserializer);
        }
        let word = ScalarSeed { state: &mut *state, at, entry }.deserialize(deserializer)?;
        set_scalar(state, at, &entry, word)
    }
}

/// Sets a field or element that takes `null`: a `Value`, or a `NullValue`.
fn set_null<E: Error>(
    state: &mut State<'_, '_>,
    target: Target<'_>,
    entry: &FieldEntry,
    at: FieldAt,
) -> Result<(), E> {
    if !entry.coding.is_message() {
        return set_scalar(state, at, entry, Some(0));
    }
    let body = state.make(target)?;
    let at = FieldAt { body, position: 0 };
    let Some(&null) = state.builder.set.program(body.program).entries().first() else { return Ok(()) };
    let set = state.builder.set(at, null.coding, 0);
    state.room(set)
}

// Lists and maps out of a deserializer.

/// The elements of a list.
pub(super) struct ListVisitor<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) at: FieldAt,
    pub(super) entry: FieldEntry,
    pub(super) depth: u32,
}

impl<'de> Visitor<'de> for ListVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self { state, at, entry, depth } = self;
        state.count(0);
        let (mut slot, mut index) = (NIL, 0);
        loop {
            state.element(index);
            let seed = ElementSeed { state: &mut *state, at, entry, depth, slot: &mut slot };
            if seq.next_element_seed(seed)?.is_none() {
                return Ok(());
            }
            index = index.saturating_add(1);
        }
    }
}

/// An element of a list.
struct ElementSeed<'s, 't, 'p, 'b> {
    state: &'s mut State<'p, 'b>,
    at: FieldAt,
    entry: FieldEntry,
    depth: u32,
    slot: &'t mut u32,
}

impl<'de> DeserializeSeed<'de> for ElementSeed<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { state, at, entry, depth, slot } = self;
        if entry.coding.is_message() {
            let target = Target::Element { at, entry, slot };
            return MessageSeed { state, target, depth: depth + 1 }.deserialize(deserializer);
        }
        if let Some(word) = (ScalarSeed { state: &mut *state, at, entry }).deserialize(deserializer)? {
            let pushed = state.builder.push(at, slot, entry.coding, word);
            state.room(pushed)?;
        }
        Ok(())
    }
}

/// The entries of a map.
pub(super) struct MapVisitor<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) at: FieldAt,
    pub(super) entry: FieldEntry,
    pub(super) depth: u32,
}

impl<'de> Visitor<'de> for MapVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let Self { state, at, entry, depth } = self;
        state.count(0);
        let &[key, value] = state.builder.set.program(entry.sub).entries() else {
            return Err(state.fail(Kind::UnknownField));
        };
        let made = state.builder.map();
        let mut map = state.room(made)?;
        while let Some(word) = access.next_key_seed(KeySeed { state: &mut *state, key })? {
            if value.coding.is_message() {
                let made = state.builder.entry(&mut map, &entry, word);
                let base = state.room(made)?;
                let target = Target::Field {
                    at: FieldAt { body: BodyRef::of(&entry, base), position: 1 },
                    entry: value,
                };
                access.next_value_seed(MessageSeed { state: &mut *state, target, depth: depth + 2 })?;
                state.builder.end_entry(&mut map, &entry);
                continue;
            }
            // No body yet, because a value that is ignored makes no entry.
            let nowhere = FieldAt { body: BodyRef::of(&entry, NIL), position: 1 };
            let seed = ScalarSeed { state: &mut *state, at: nowhere, entry: value };
            if let Some(value_word) = access.next_value_seed(seed)? {
                let made = state.builder.entry(&mut map, &entry, word);
                let at = FieldAt { body: BodyRef::of(&entry, state.room(made)?), ..nowhere };
                let set = state.builder.set(at, value.coding, value_word);
                state.room(set)?;
                state.builder.end_entry(&mut map, &entry);
            }
        }
        let ended = state.builder.end_map(at, map, &entry, !state.options.allow_duplicate_keys);
        match state.room(ended)? {
            true => Ok(()),
            false => Err(state.fail(Kind::DuplicateKey)),
        }
    }
}

// Messages that are one value in the JSON mapping, out of a deserializer: times, field masks and `Value`.

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
        set_text(state.builder, at, known, text.as_bytes()).map_err(|kind| state.fail(kind))
    }
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

    /// Makes the message of an object or a list, and returns its first field.
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
