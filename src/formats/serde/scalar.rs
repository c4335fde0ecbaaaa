//! Numbers, strings, bytes, enum values and keys out of a deserializer.

use crate::engine::slab::{BodyRef, NIL};
use crate::formats::ParseErrorKind as Kind;
use crate::formats::json::{Parser, integer_word, key_word};
use crate::formats::numbers::{Integer, JsonNumber, decode_base64};
use crate::message::{FieldAt, MessageBuilder};
use crate::schema::pool::{DescriptorPool, FieldRef, WellKnown};
use crate::schema::program::{Coding, FieldEntry, Program, Scalar};
use crate::wire::Full;
use crate::wire::error::{FieldPath, PathStep};
use ::serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use alloc::{format, string::String, vec::Vec};
use core::fmt;

/// 2^63 and 2^64.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// The value of a scalar field or element: the word or two of its slot, or nothing if it is an enum value to ignore.
pub(super) struct ScalarSeed<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) at: FieldAt,
    pub(super) entry: FieldEntry,
}

impl<'de> DeserializeSeed<'de> for ScalarSeed<'_, '_, '_> {
    type Value = Option<u64>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u64>, D::Error> {
        match self.entry.scalar() {
            // Formats for people have strings that look like numbers.
            Scalar::String | Scalar::Bytes if deserializer.is_human_readable() => {
                deserializer.deserialize_string(self)
            }
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl ScalarSeed<'_, '_, '_> {
    /// What is wanted, in words.
    fn wanted(&self) -> &'static str {
        match self.entry.scalar() {
            Scalar::I32 => "a 32-bit integer",
            Scalar::U32 => "an unsigned 32-bit integer",
            Scalar::I64 => "a 64-bit integer",
            Scalar::U64 => "an unsigned 64-bit integer",
            Scalar::F32 | Scalar::F64 => "a number",
            Scalar::Bool => "true or false",
            Scalar::Enum => "an enum value",
            Scalar::String => "a string",
            Scalar::Bytes => "bytes in base64",
        }
    }

    fn fail<T, E: Error>(&self, kind: Kind) -> Result<T, E> {
        Err(self.state.fail(kind))
    }

    /// An integer.
    fn integer<E: Error>(self, value: Integer) -> Result<Option<u64>, E> {
        let scalar = self.entry.scalar();
        match scalar {
            Scalar::F64 | Scalar::F32 | Scalar::Bool | Scalar::String | Scalar::Bytes => {
                return self.fail(Kind::WrongType);
            }
            _ => {}
        }
        let wanted = if scalar == Scalar::Enum { Scalar::I32 } else { scalar };
        match integer_word(wanted, value) {
            Ok(word) if scalar == Scalar::Enum => self.listed(word as u32 as i32),
            Ok(word) => Ok(Some(word)),
            Err(kind) => self.fail(kind),
        }
    }

    /// The number of an enum value.
    fn listed<E: Error>(self, number: i32) -> Result<Option<u64>, E> {
        let listed = self.entry.coding != Coding::ClosedEnum
            || self.state.builder.set.enum_contains(self.entry.sub, number);
        self.enumeration(listed.then_some(number))
    }

    fn enumeration<E: Error>(self, number: Option<i32>) -> Result<Option<u64>, E> {
        match number {
            Some(number) => Ok(Some(u64::from(number as u32))),
            None if self.state.options.deny_unknown_fields => self.fail(Kind::UnknownEnumValue),
            None => Ok(None),
        }
    }

    /// A float of either width.
    fn float<E: Error>(self, wide: f64, narrow: f32) -> Result<Option<u64>, E> {
        match self.entry.scalar() {
            Scalar::F64 => Ok(Some(wide.to_bits())),
            Scalar::F32 if narrow.is_infinite() && wide.is_finite() => self.fail(Kind::OutOfRange),
            Scalar::F32 => Ok(Some(narrow.to_bits().into())),
            _ => self.fail(Kind::WrongType),
        }
    }

    /// Text for a number: as JSON has it in quotes.
    fn number<E: Error>(self, text: &str) -> Result<Option<u64>, E> {
        let float = matches!(self.entry.scalar(), Scalar::F32 | Scalar::F64);
        match text {
            "NaN" if float => return self.float(f64::NAN, f32::NAN),
            "Infinity" if float => return self.float(f64::INFINITY, f32::INFINITY),
            "-Infinity" if float => return self.float(f64::NEG_INFINITY, f32::NEG_INFINITY),
            _ => {}
        }
        let Some(number) = JsonNumber::whole(text.as_bytes()) else { return self.fail(Kind::InvalidNumber) };
        let word = match self.entry.scalar() {
            Scalar::F64 => number.f64().map(f64::to_bits),
            Scalar::F32 => number.f32().map(|value| value.to_bits().into()),
            _ => return self.integer(number.integer()),
        };
        if word.is_none() { self.fail(Kind::OutOfRange) } else { Ok(word) }
    }

    /// Bytes that go to the store as they are, for a string or for bytes.
    fn stored<E: Error>(self, bytes: &[u8]) -> Result<Option<u64>, E> {
        let Self { state, entry, .. } = self;
        let mark = state.builder.mark();
        let store = state.builder.store(bytes.len()).map(|store| store.extend_from_slice(bytes));
        state.room(store)?;
        match state.builder.span(entry.coding, mark) {
            Some(span) => Ok(Some(span)),
            None => Err(state.fail(Kind::InvalidUtf8)),
        }
    }

    fn base64<E: Error>(self, text: &str) -> Result<Option<u64>, E> {
        let state = self.state;
        let mark = state.builder.mark();
        let decoded =
            state.builder.store(text.len() / 4 * 3 + 3).map(|store| decode_base64(text.as_bytes(), store));
        if !state.room(decoded)? {
            return Err(state.fail(Kind::InvalidBase64));
        }
        match state.builder.span(Coding::Bytes, mark) {
            Some(span) => Ok(Some(span)),
            None => Err(state.fail(Kind::InvalidBase64)),
        }
    }
}

impl<'de> Visitor<'de> for ScalarSeed<'_, '_, '_> {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, self.wanted())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Option<u64>, E> {
        self.state.count(0);
        if self.entry.scalar() == Scalar::Bool { Ok(Some(value.into())) } else { self.fail(Kind::WrongType) }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<u64>, E> {
        self.state.count(0);
        match self.entry.scalar() {
            Scalar::F32 | Scalar::F64 => self.float(value as f64, value as f32),
            _ => self.integer(Integer::Whole { negative: value < 0, size: value.unsigned_abs() }),
        }
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Option<u64>, E> {
        self.state.count(0);
        match self.entry.scalar() {
            Scalar::F32 | Scalar::F64 => self.float(value as f64, value as f32),
            _ => self.integer(Integer::Whole { negative: false, size: value }),
        }
    }

    fn visit_f32<E: Error>(self, value: f32) -> Result<Option<u64>, E> {
        self.state.count(0);
        match self.entry.scalar() {
            Scalar::F32 | Scalar::F64 => self.float(value.into(), value),
            _ => self.visit_f64(value.into()),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Option<u64>, E> {
        self.state.count(0);
        match self.entry.scalar() {
            Scalar::F32 | Scalar::F64 => self.float(value, value as f32),
            _ => self.integer(whole(value)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<u64>, E> {
        self.state.count(text.len());
        match self.entry.scalar() {
            Scalar::String => self.stored(text.as_bytes()),
            Scalar::Bytes => self.base64(text),
            Scalar::Bool => self.fail(Kind::WrongType),
            Scalar::Enum => {
                let program = self.state.builder.set.program(self.at.body.program);
                let names = self.state.pool.field_formats(program.message());
                let number = self.state.pool.json_enum_number(names.enumeration(self.at.position), text);
                self.enumeration(number)
            }
            _ => self.number(text),
        }
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Option<u64>, E> {
        self.state.count(bytes.len());
        match self.entry.scalar() {
            Scalar::Bytes => self.stored(bytes),
            _ => self.fail(Kind::WrongType),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Option<u64>, E> {
        self.state.count(0);
        if self.state.takes_null(self.at, &self.entry) { Ok(Some(0)) } else { self.fail(Kind::WrongType) }
    }

    fn visit_none<E: Error>(self) -> Result<Option<u64>, E> {
        self.visit_unit()
    }
}

/// A float as an integer, if it is one.
fn whole(value: f64) -> Integer {
    let negative = value < 0.0;
    let magnitude = value.abs();
    if magnitude >= TWO_64 || value.is_nan() {
        return if value.is_finite() { Integer::Huge } else { Integer::Fraction };
    }
    // Above 2^53 every float is whole.
    if magnitude < TWO_63 && (magnitude as u64) as f64 != magnitude {
        return Integer::Fraction;
    }
    Integer::Whole { negative, size: magnitude as u64 }
}

/// The key of a map entry, as the word or two of its slot.
pub(super) struct KeySeed<'s, 'p, 'b> {
    pub(super) state: &'s mut State<'p, 'b>,
    pub(super) key: FieldEntry,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_, '_, '_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        match self.key.scalar() {
            Scalar::String if deserializer.is_human_readable() => deserializer.deserialize_string(self),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl KeySeed<'_, '_, '_> {
    fn integer<E: Error>(self, value: Integer) -> Result<u64, E> {
        match self.key.scalar() {
            Scalar::Bool | Scalar::String => Err(self.state.fail(Kind::WrongType)),
            scalar => integer_word(scalar, value).map_err(|kind| self.state.fail(kind)),
        }
    }
}

impl<'de> Visitor<'de> for KeySeed<'_, '_, '_> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.expecting(f, "a key")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<u64, E> {
        self.state.count(0);
        if self.key.scalar() == Scalar::Bool {
            Ok(value.into())
        } else {
            Err(self.state.fail(Kind::WrongType))
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<u64, E> {
        self.state.count(0);
        self.integer(Integer::Whole { negative: value < 0, size: value.unsigned_abs() })
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u64, E> {
        self.state.count(0);
        self.integer(Integer::Whole { negative: false, size: value })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        self.state.count(text.len());
        match (self.key.scalar(), text) {
            (Scalar::String, _) => {
                let Self { state, key } = self;
                let mark = state.builder.mark();
                let stored =
                    state.builder.store(text.len()).map(|store| store.extend_from_slice(text.as_bytes()));
                state.room(stored)?;
                state.builder.span(key.coding, mark).ok_or_else(|| state.fail(Kind::InvalidUtf8))
            }
            (scalar, text) => key_word(scalar, text.as_bytes()).map_err(|kind| self.state.fail(kind)),
        }
    }
}

// What all visitors of one deserialization share.

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
    pub(super) options: Parser,
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
        options: Parser,
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
        let words = program.seen_words();
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
            path.push_inner(PathStep::named(field.number(), field.name(), step.index));
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
