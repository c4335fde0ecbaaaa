//! `google.protobuf.Any` out of a deserializer: an object whose `@type`, which may come last, says what the other members are.

use super::content::{BufferedContent, ContentSeed};
use super::state::{State, Target, copy};
use super::{MemberReader, MessageSeed};
use crate::engine::slab::BodyRef;
use crate::formats::json::DeserializeErrorKind as Kind;
use crate::formats::numbers::type_in_url;
use crate::message::FieldAt;
use crate::schema::pool::WellKnown;
use crate::schema::program::Coding;
use ::serde::de::value::MapDeserializer;
use ::serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use alloc::{string::String, vec::Vec};
use core::{fmt, mem};

pub(super) struct AnyVisitor<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) at: FieldAt,
    pub(super) depth: u32,
}

impl<'de> Visitor<'de> for AnyVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "an object with \"@type\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { state, at, depth } = self;
        state.count(0);
        let mut held: Vec<(String, BufferedContent)> = Vec::new();
        let url = loop {
            let Some(key) = map.next_key_seed(TextSeed { state: &mut *state })? else {
                // An Any without anything in it.
                return if held.is_empty() { Ok(()) } else { Err(state.fail(Kind::InvalidAny)) };
            };
            if key == "@type" {
                break map.next_value_seed(TextSeed { state: &mut *state })?;
            }
            let levels = state.options.max_depth;
            let value = map.next_value_seed(ContentSeed { state: &mut *state, levels })?;
            if held.try_reserve(1).is_err() {
                return Err(state.fail(Kind::OutOfMemory));
            }
            held.push((key, value));
        };
        let index = begin(state, at, &url)?;
        if depth + 1 > state.options.max_depth {
            return Err(state.fail(Kind::DepthExceeded));
        }
        let mut inner = state.builder.inner();
        let root = inner.root(index);
        let body = state.room(root)?;
        let outer = mem::replace(state.builder, inner);
        let made = content(state, body, depth + 1, held, map);
        let encoded = made.and_then(|()| {
            let encoded = state.builder.encoded(body);
            state.room(encoded)
        });
        *state.builder = outer;
        finish(state, at, &encoded?)
    }
}

/// Sets the type URL; gives the program of the message type that it names.
fn begin<E: Error>(state: &mut State<'_, '_>, at: FieldAt, url: &str) -> Result<u32, E> {
    let Some(name) = type_in_url(url.as_bytes()) else { return Err(state.fail(Kind::InvalidAny)) };
    let Some(message) = state.pool.get_message_by_name(name) else {
        return Err(state.fail(Kind::UnknownType));
    };
    let mark = state.builder.mark();
    let stored = state.builder.store(url.len()).map(|store| store.extend_from_slice(url.as_bytes()));
    state.room(stored)?;
    let Some(span) = state.builder.span(Coding::String, mark) else {
        return Err(state.fail(Kind::InvalidUtf8));
    };
    let set = state.builder.set(FieldAt { position: 0, ..at }, Coding::String, span);
    state.room(set)?;
    Ok(message.index())
}

/// Fills the content: with the members that were held, and then with the others.
fn content<'de, A: MapAccess<'de>>(
    state: &mut State<'_, '_>,
    body: BodyRef,
    depth: u32,
    held: Vec<(String, BufferedContent)>,
    mut map: A,
) -> Result<(), A::Error> {
    let mut held = MapDeserializer::new(held.into_iter());
    if state.known(body.program) == WellKnown::None {
        let notes = state.begin_notes(state.builder.set.program(body.program))?;
        let mut members = MemberReader { state: &mut *state, body, depth, notes };
        members.rest(&mut held, true)?;
        members.rest(&mut map, true)?;
        state.end_notes(notes);
        return Ok(());
    }
    let mut members = ValueMembers { state, body, depth, valued: false };
    members.rest(&mut held)?;
    members.rest(&mut map)?;
    if members.valued { Ok(()) } else { Err(members.state.fail(Kind::InvalidAny)) }
}

/// Sets the value of the `Any` to its content, which was encoded.
fn finish<E: Error>(state: &mut State<'_, '_>, at: FieldAt, bytes: &[u8]) -> Result<(), E> {
    let at = FieldAt { position: 1, ..at };
    if bytes.is_empty() {
        state.builder.unset(at);
        return Ok(());
    }
    // What was read while the content was made was counted for the content alone.
    state.count(bytes.len());
    let charged = state.builder.charge(bytes.len());
    state.room(charged)?;
    let mark = state.builder.mark();
    let stored = state.builder.store(bytes.len()).map(|store| store.extend_from_slice(bytes));
    state.room(stored)?;
    let Some(span) = state.builder.span(Coding::Bytes, mark) else {
        return Err(state.fail(Kind::InvalidAny));
    };
    let set = state.builder.set(at, Coding::Bytes, span);
    state.room(set)
}

/// The members of an `Any` whose content is one value: that under `value`.
struct ValueMembers<'s, 'p, 'b> {
    state: &'s mut State<'p, 'b>,
    body: BodyRef,
    depth: u32,
    valued: bool,
}

impl ValueMembers<'_, '_, '_> {
    fn rest<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(TextSeed { state: &mut *self.state })? {
            let (is_type, is_value) = (key == "@type", key == "value");
            if (is_type || is_value && self.valued) && !self.state.options.allow_duplicate_keys {
                return Err(self.state.fail(Kind::DuplicateKey));
            }
            if !is_type && !is_value && self.state.options.deny_unknown_fields {
                return Err(self.state.fail(Kind::UnknownField));
            }
            if !is_value {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            self.valued = true;
            let target = Target::Body(self.body);
            map.next_value_seed(MessageSeed { state: &mut *self.state, target, depth: self.depth })?;
        }
        Ok(())
    }
}

/// A copy of a string.
struct TextSeed<'s, 'p, 'b> {
    state: &'s mut State<'p, 'b>,
}

impl<'de> DeserializeSeed<'de> for TextSeed<'_, '_, '_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_string(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_, '_, '_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        self.state.count(text.len());
        let charged = self.state.builder.charge(text.len());
        self.state.room(charged)?;
        copy(self.state, text)
    }
}
