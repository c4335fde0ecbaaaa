//! Lists and maps out of a deserializer.

use super::MessageSeed;
use super::scalar::{KeySeed, ScalarSeed};
use super::state::{State, Target};
use crate::engine::slab::{BodyRef, NIL};
use crate::formats::json::DeserializeErrorKind as Kind;
use crate::message::FieldAt;
use crate::schema::program::FieldEntry;
use ::serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use core::fmt;

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
