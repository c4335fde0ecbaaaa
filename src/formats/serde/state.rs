//! What all visitors of one deserialization share.

use crate::engine::slab::{BodyRef, NIL};
use crate::formats::json::{DeserializeErrorKind as Kind, DeserializeOptions, path_step};
use crate::message::{FieldAt, MessageBuilder};
use crate::schema::pool::{DescriptorPool, FieldRef, WellKnown};
use crate::schema::program::{FieldEntry, Program};
use crate::wire::Full;
use crate::wire::error::FieldPath;
use ::serde::de::Error;
use alloc::{format, string::String, vec::Vec};
use core::fmt;

/// A field on the way from the root to the value that is being read.
#[derive(Clone, Copy)]
struct OpenStep {
    message: u32,
    position: usize,
    /// The element of its list.
    index: Option<u32>,
}

pub(super) struct State<'p, 'b> {
    pub(super) pool: &'p DescriptorPool,
    pub(super) options: DeserializeOptions,
    pub(super) builder: &'b mut MessageBuilder<'p>,
    /// The full name of the root.
    root: &'b str,
    path: Vec<OpenStep>,
    /// Bits of the fields and oneofs that were seen, of all messages that are open.
    seen: Vec<u64>,
}

/// How the message comes about that a value fills.
pub(super) enum Target<'t> {
    /// It is there.
    Body(BodyRef),
    /// The message of a singular field.
    Field { at: FieldAt, entry: FieldEntry },
    /// The next element of a list, and the header of the list.
    Element { at: FieldAt, entry: FieldEntry, slot: &'t mut u32 },
}

impl Target<'_> {
    /// The program of the message.
    pub(super) fn program(&self) -> u32 {
        match self {
            Self::Body(body) => body.program,
            Self::Field { entry, .. } | Self::Element { entry, .. } => entry.sub,
        }
    }
}

impl<'p, 'b> State<'p, 'b> {
    pub(super) fn new(
        pool: &'p DescriptorPool,
        options: DeserializeOptions,
        builder: &'b mut MessageBuilder<'p>,
        root: &'b str,
    ) -> Self {
        Self { pool, options, builder, root, path: Vec::new(), seen: Vec::new() }
    }

    /// Counts what was read: a value with a text of this length. Unless a budget is given, the message may take more memory now.
    pub(super) fn count(&mut self, len: usize) {
        if self.options.budget.is_none() {
            self.builder.allow(len.saturating_add(2).saturating_mul(32));
        }
    }

    /// An error about the value that is being read.
    #[cold]
    pub(super) fn fail<E: Error>(&self, kind: Kind) -> E {
        E::custom(format!("{kind}, in {self}"))
    }

    /// What a builder says, as an error.
    pub(super) fn room<T, E: Error>(&self, result: Result<T, Full>) -> Result<T, E> {
        result.map_err(|full| self.fail(full.into()))
    }

    /// Begins a field.
    pub(super) fn enter<E: Error>(&mut self, message: u32, position: usize) -> Result<(), E> {
        if self.path.try_reserve(1).is_err() {
            return Err(self.fail(Kind::OutOfMemory));
        }
        self.path.push(OpenStep { message, position, index: None });
        Ok(())
    }

    /// The field that was begun last is whole.
    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// Begins an element of the list that the innermost field is.
    pub(super) fn element(&mut self, index: u32) {
        if let Some(step) = self.path.last_mut() {
            step.index = Some(index);
        }
    }

    /// Begins a message, of which no field has been seen. Gives the place of its notes.
    pub(super) fn begin_notes<E: Error>(&mut self, program: &Program) -> Result<usize, E> {
        let start = self.seen.len();
        let words = (program.entries().len() + program.oneofs()).div_ceil(64);
        if self.seen.try_reserve(words).is_err() {
            return Err(self.fail(Kind::OutOfMemory));
        }
        self.seen.resize(start + words, 0);
        Ok(start)
    }

    /// The message that was begun last is whole.
    pub(super) fn end_notes(&mut self, start: usize) {
        self.seen.truncate(start);
    }

    /// Notes a field or oneof of a message; says whether that was noted before.
    pub(super) fn note(&mut self, start: usize, bit: usize) -> bool {
        let Some(word) = self.seen.get_mut(start + bit / 64) else { return false };
        let before = *word >> (bit % 64) & 1 != 0;
        *word |= 1 << (bit % 64);
        before
    }

    /// Which well-known type the message of a program is.
    pub(super) fn known(&self, index: u32) -> WellKnown {
        self.pool.well_known(self.builder.set.program(index).message())
    }

    /// Whether `null` is a value of a field or element, and not its absence or an error.
    pub(super) fn takes_null(&self, at: FieldAt, entry: &FieldEntry) -> bool {
        if entry.coding.is_message() {
            return self.known(entry.sub) == WellKnown::Value;
        }
        let names = self.pool.field_formats(self.builder.set.program(at.body.program).message());
        names.is_null_value(at.position)
    }

    /// Makes the message that a value fills.
    pub(super) fn make<E: Error>(&mut self, target: Target<'_>) -> Result<BodyRef, E> {
        match target {
            Target::Body(body) => Ok(body),
            Target::Field { at, entry } => {
                let made = self.builder.message(at, &entry);
                Ok(BodyRef::of(&entry, self.room(made)?))
            }
            Target::Element { at, entry, slot } => {
                let made = self.builder.push_message(at, slot, &entry, false);
                Ok(BodyRef::of(&entry, self.room(made)?))
            }
        }
    }

    /// Makes a message that stays empty.
    pub(super) fn make_empty<E: Error>(&mut self, target: Target<'_>) -> Result<(), E> {
        let made = match target {
            Target::Body(_) => Ok(()),
            Target::Field { at, entry } => self.builder.empty_message(at, &entry),
            Target::Element { at, entry, slot } => self
                .builder
                .push_message(at, slot, &entry, true)
                .map(|body| debug_assert!(body == NIL || body > 0)),
        };
        self.room(made)
    }

    /// What a visitor expects here, for the errors of a deserializer.
    pub(super) fn expecting(&self, f: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
        write!(f, "{what} for {self}")
    }

    fn field_path(&self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        for step in &self.path {
            let program = self.builder.set.program(step.message);
            let (message, field) = (program.message(), program.field_of(step.position) as u16);
            let field = FieldRef::at(self.pool, message, field, step.position as u16);
            path.push_inner(path_step(field.number(), field.name(), step.index));
        }
        path
    }
}

/// The root, and the path from it to the value that is being read.
impl fmt::Display for State<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.is_empty() {
            true => f.write_str(self.root),
            false => write!(f, "{}: {}", self.root, self.field_path()),
        }
    }
}

/// Copies a text, or fails without memory.
pub(super) fn copy<E: Error>(state: &State<'_, '_>, text: &str) -> Result<String, E> {
    let mut copied = String::new();
    copied.try_reserve_exact(text.len()).map_err(|_| state.fail(Kind::OutOfMemory))?;
    copied.push_str(text);
    Ok(copied)
}
