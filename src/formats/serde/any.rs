//! `google.protobuf.Any` out of a deserializer: an object whose `@type`, which may come last, says what the other members are.

use super::scalar::{State, Target, copy};
use super::{MemberReader, MessageSeed};
use crate::engine::slab::BodyRef;
use crate::formats::ParseErrorKind as Kind;
use crate::formats::numbers::type_in_url;
use crate::message::FieldAt;
use crate::schema::pool::WellKnown;
use crate::schema::program::Coding;
use ::serde::de::value::{MapDeserializer, SeqDeserializer};
use ::serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use ::serde::forward_to_deserialize_any;
use alloc::{string::String, vec::Vec};
use core::marker::PhantomData;
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

/// Sets the type URL; returns the program of the message type that it names.
fn begin<E: Error>(state: &mut State<'_, '_>, at: FieldAt, url: &str) -> Result<u32, E> {
    let Some(name) = type_in_url(url.as_bytes()) else { return Err(state.fail(Kind::InvalidAny)) };
    let Some(message) = state.pool.find_message(name) else {
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
    // What was read while the content was made was counted for the content only.
    state.count(bytes.len());
    let set = state.builder.set_any_value(at.body, bytes);
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

// Members of an `Any` that come before its `@type`: kept as they are until the type is known.

/// A value of any type.
pub(super) enum BufferedContent {
    Unit,
    Bool(bool),
    U64(u64),
    I64(i64),
    F64(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<BufferedContent>),
    Map(Vec<(String, BufferedContent)>),
}

/// Keeps a value, with at most so many levels of lists and maps.
pub(super) struct ContentSeed<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) levels: u32,
}

impl<'de> DeserializeSeed<'de> for ContentSeed<'_, '_, '_> {
    type Value = BufferedContent;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<BufferedContent, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'s, 'p, 'b> ContentSeed<'s, 'p, 'b> {
    /// Counts a value with a text of this length, and charges what it takes in a list that may have twice the room: no more than what
    /// is counted.
    fn kept<E: Error>(&mut self, len: usize) -> Result<(), E> {
        self.state.count(len);
        let charged = self.state.builder.charge(len.saturating_add(2 * size_of::<BufferedContent>()));
        self.state.room(charged)
    }

    /// The levels that are left inside of a list or map.
    fn inner<E: Error>(&self) -> Result<u32, E> {
        self.levels.checked_sub(1).ok_or_else(|| self.state.fail(Kind::DepthExceeded))
    }
}

impl<'de> Visitor<'de> for ContentSeed<'_, '_, '_> {
    type Value = BufferedContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "a value")
    }

    fn visit_unit<E: Error>(mut self) -> Result<BufferedContent, E> {
        self.kept(0)?;
        Ok(BufferedContent::Unit)
    }

    fn visit_none<E: Error>(self) -> Result<BufferedContent, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<BufferedContent, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E: Error>(mut self, value: bool) -> Result<BufferedContent, E> {
        self.kept(0)?;
        Ok(BufferedContent::Bool(value))
    }

    fn visit_u64<E: Error>(mut self, value: u64) -> Result<BufferedContent, E> {
        self.kept(0)?;
        Ok(BufferedContent::U64(value))
    }

    fn visit_i64<E: Error>(mut self, value: i64) -> Result<BufferedContent, E> {
        self.kept(0)?;
        Ok(BufferedContent::I64(value))
    }

    fn visit_f64<E: Error>(mut self, value: f64) -> Result<BufferedContent, E> {
        self.kept(0)?;
        Ok(BufferedContent::F64(value))
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<BufferedContent, E> {
        self.kept(text.len())?;
        copy(self.state, text).map(BufferedContent::Text)
    }

    fn visit_bytes<E: Error>(mut self, bytes: &[u8]) -> Result<BufferedContent, E> {
        self.kept(bytes.len())?;
        let mut copied = Vec::new();
        copied.try_reserve_exact(bytes.len()).map_err(|_| self.state.fail(Kind::OutOfMemory))?;
        copied.extend_from_slice(bytes);
        Ok(BufferedContent::Bytes(copied))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<BufferedContent, A::Error> {
        self.kept(0)?;
        let levels = self.inner()?;
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(ContentSeed { state: &mut *self.state, levels })? {
            values.try_reserve(1).map_err(|_| self.state.fail(Kind::OutOfMemory))?;
            values.push(value);
        }
        Ok(BufferedContent::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<BufferedContent, A::Error> {
        self.kept(0)?;
        let levels = self.inner()?;
        let mut members = Vec::new();
        // Keys are strings, as in JSON; a number or bool is one by its text.
        while let Some(key) = map.next_key_seed(ContentSeed { state: &mut *self.state, levels })? {
            let key = match key {
                BufferedContent::Text(text) => text,
                BufferedContent::Bool(value) => alloc::format!("{value}"),
                BufferedContent::U64(value) => alloc::format!("{value}"),
                BufferedContent::I64(value) => alloc::format!("{value}"),
                _ => return Err(self.state.fail(Kind::WrongType)),
            };
            let value = map.next_value_seed(ContentSeed { state: &mut *self.state, levels })?;
            members.try_reserve(1).map_err(|_| self.state.fail(Kind::OutOfMemory))?;
            members.push((key, value));
        }
        Ok(BufferedContent::Map(members))
    }
}

/// Gives a value that was kept, with the errors of the deserializer that it came from.
pub(super) struct ContentDeserializer<E> {
    content: BufferedContent,
    error: PhantomData<fn() -> E>,
}

impl<'de, E: Error> IntoDeserializer<'de, E> for BufferedContent {
    type Deserializer = ContentDeserializer<E>;

    fn into_deserializer(self) -> ContentDeserializer<E> {
        ContentDeserializer { content: self, error: PhantomData }
    }
}

impl<'de, E: Error> Deserializer<'de> for ContentDeserializer<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.content {
            BufferedContent::Unit => visitor.visit_unit(),
            BufferedContent::Bool(value) => visitor.visit_bool(value),
            BufferedContent::U64(value) => visitor.visit_u64(value),
            BufferedContent::I64(value) => visitor.visit_i64(value),
            BufferedContent::F64(value) => visitor.visit_f64(value),
            BufferedContent::Text(text) => visitor.visit_string(text),
            BufferedContent::Bytes(bytes) => visitor.visit_byte_buf(bytes),
            BufferedContent::List(values) => visitor.visit_seq(SeqDeserializer::new(values.into_iter())),
            BufferedContent::Map(members) => visitor.visit_map(MapDeserializer::new(members.into_iter())),
        }
    }

    /// The `@type` of an object comes first. So what is in an `Any` that was kept need not be kept again, which would count it once
    /// per level.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let BufferedContent::Map(mut members) = self.content else { return self.deserialize_any(visitor) };
        if let Some(at) = members.iter().position(|(key, _)| key == "@type")
            && let Some(before) = members.get_mut(..=at)
        {
            before.rotate_right(1);
        }
        visitor.visit_map(MapDeserializer::new(members.into_iter()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.content {
            BufferedContent::Unit => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct struct enum identifier ignored_any
    }
}
