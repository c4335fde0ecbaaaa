//! Numbers, strings, bytes, enum values and keys out of a deserializer.

use super::state::State;
use crate::formats::json::{DeserializeErrorKind as Kind, integer_word, key_word};
use crate::formats::numbers::{Integer, JsonNumber, decode_base64};
use crate::message::FieldAt;
use crate::schema::program::{Coding, FieldEntry, Scalar};
use ::serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
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
