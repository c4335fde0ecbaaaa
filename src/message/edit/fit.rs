//! Whether a value fits a field: as it is, converted without loss, or not at all, and what the error then says.

use super::field_key::{Expected, ResolvedField};
use crate::engine::encode::try_encode_raw;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{MapKey, Value};
use crate::schema::table::Kind;
use crate::wire::error::text;
use crate::wire::options::DecodeOptions;
use alloc::{string::String, vec::Vec};
use core::fmt;
use core::mem::replace;

/// How a value for a whole field fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum Fit {
    /// As it is.
    Same,
    /// It or some of its parts are converted first.
    Converted,
}

/// What a scalar becomes before it is written.
pub(in crate::message) enum Conversion {
    Same,
    Scalar(Value),
    /// The bytes of the string.
    Bytes,
}

impl Conversion {
    pub(in crate::message) fn apply(self, value: &mut Value) {
        match self {
            Self::Same => {}
            Self::Scalar(scalar) => *value = scalar,
            Self::Bytes => {
                if let Value::String(text) = replace(value, Value::Bool(false)) {
                    *value = Value::Bytes(text.into_bytes());
                }
            }
        }
    }
}

/// Why a value does not fit, and what was found.
pub(in crate::message) struct Misfit {
    pub(in crate::message) kind: SetFieldErrorKind,
    pub(in crate::message) found: String,
}

impl Misfit {
    /// `place` says which part of the value it is about.
    #[cold]
    pub(in crate::message) fn of(kind: SetFieldErrorKind, value: &Value, place: impl fmt::Display) -> Self {
        Self { kind, found: text(format_args!("{}{place}", Found(kind, value))) }
    }
}

impl ResolvedField<'_> {
    /// Checks a value for the whole field: singular, a list or a map.
    pub(in crate::message) fn check(&self, value: &Value) -> Result<Fit, Misfit> {
        let (is_list, is_map) = (self.entry.flags.is_list(), self.entry.flags.is_map());
        let mut fit = Fit::Same;
        let mut noted = |conversion| {
            if !matches!(conversion, Conversion::Same) {
                fit = Fit::Converted;
            }
        };
        match value {
            Value::List(elements) if is_list && !is_map => {
                for (i, element) in elements.iter().enumerate() {
                    let conversion = self.conversion(element);
                    noted(
                        conversion
                            .map_err(|kind| Misfit::of(kind, element, format_args!(" as element {i}")))?,
                    );
                }
            }
            Value::Map(entries) if is_map => {
                for (key, value) in entries {
                    noted(self.check_entry(key, value)?);
                }
            }
            Value::Map(_) => return Err(Misfit::of(SetFieldErrorKind::InvalidType, value, "")),
            _ if is_list => return Err(Misfit::of(SetFieldErrorKind::InvalidType, value, "")),
            one => noted(self.conversion(one).map_err(|kind| Misfit::of(kind, one, ""))?),
        }
        Ok(fit)
    }

    /// Checks an entry of a map. Keys are converted when they are written.
    pub(in crate::message) fn check_entry(&self, key: &MapKey, value: &Value) -> Result<Conversion, Misfit> {
        self.check_key(key)?;
        let conversion = match self.map_part(1) {
            Some(part) => part.conversion(value),
            None => Err(SetFieldErrorKind::InvalidType),
        };
        conversion
            .map_err(|kind| Misfit::of(kind, value, format_args!(" as the value of key {}", KeyText(key))))
    }

    /// Checks the key of a map entry.
    pub(in crate::message) fn check_key(&self, key: &MapKey) -> Result<(), Misfit> {
        let Some(part) = self.map_part(0) else { return Ok(()) };
        let unchecked = matches!(key, MapKey::Bytes(_));
        match key.as_ref().raw(part.entry.scalar()) {
            Some(_) if !unchecked || !part.descriptor.validates_utf8() => Ok(()),
            _ => Err(part.key_misfit(key)),
        }
    }

    #[cold]
    fn key_misfit(&self, key: &MapKey) -> Misfit {
        let lossy = integer_of_key(key).is_some() && is_integer(self.descriptor.raw_kind());
        let found = match lossy {
            true => text(format_args!("{} {} as a key", key.type_name(), KeyText(key))),
            false => text(format_args!("{} as a key", key.type_name())),
        };
        Misfit { kind: if lossy { SetFieldErrorKind::Lossy } else { SetFieldErrorKind::InvalidType }, found }
    }

    /// Converts a value that has been checked.
    pub(in crate::message) fn convert(&self, value: &mut Value) {
        let convert = |field: &Self, value: &mut Value| {
            if let Ok(conversion) = field.conversion(value) {
                conversion.apply(value);
            }
        };
        match value {
            Value::List(elements) if self.entry.flags.is_list() => {
                elements.iter_mut().for_each(|element| convert(self, element))
            }
            Value::Map(entries) => {
                if let Some(part) = self.map_part(1) {
                    entries.values_mut().for_each(|value| convert(&part, value));
                }
            }
            one => convert(self, one),
        }
    }

    /// What one value becomes in this field: a singular one, or an element.
    pub(in crate::message) fn conversion(&self, value: &Value) -> Result<Conversion, SetFieldErrorKind> {
        let fits = match (self.descriptor.raw_kind(), value) {
            (Kind::Bool, Value::Bool(_))
            | (Kind::Int32 | Kind::Sint32 | Kind::Sfixed32, Value::I32(_))
            | (Kind::Int64 | Kind::Sint64 | Kind::Sfixed64, Value::I64(_))
            | (Kind::Uint32 | Kind::Fixed32, Value::U32(_))
            | (Kind::Uint64 | Kind::Fixed64, Value::U64(_))
            | (Kind::Float, Value::F32(_))
            | (Kind::Double, Value::F64(_))
            | (Kind::String, Value::String(_))
            | (Kind::Bytes, Value::Bytes(_)) => true,
            // Such a string reads as bytes when it is not UTF-8.
            (Kind::String, Value::Bytes(_)) => !self.descriptor.validates_utf8(),
            (Kind::Bytes, Value::String(_)) => return Ok(Conversion::Bytes),
            (Kind::Bytes, Value::List(numbers)) => return octets(numbers),
            (Kind::Enum(e), Value::EnumNumber(number)) => return self.listed(e, *number, Conversion::Same),
            (Kind::Enum(e), Value::String(name)) => return self.enum_of_name(e, name),
            (Kind::Message(m), Value::Prepared(prepared)) => {
                self.descriptor.pool().message_at(m).is_some_and(|d| d.full_name() == prepared.full_name())
            }
            (Kind::Message(m), Value::Message(message)) => {
                let own = message.descriptor();
                if own.parent_pool() == self.descriptor.pool() {
                    own.index() == m
                } else {
                    // Types of different pools match by name.
                    self.descriptor.pool().message_at(m).is_some_and(|d| d.full_name() == own.full_name())
                }
            }
            (kind, number) => return self.number(kind, number),
        };
        if fits { Ok(Conversion::Same) } else { Err(SetFieldErrorKind::InvalidType) }
    }

    /// Whether the enum accepts a number.
    fn listed(&self, e: u32, number: i32, conversion: Conversion) -> Result<Conversion, SetFieldErrorKind> {
        match self.descriptor.pool().programs().enum_contains(e, number) {
            true => Ok(conversion),
            false => Err(SetFieldErrorKind::InvalidEnumNumber),
        }
    }

    fn enum_of_name(&self, e: u32, name: &str) -> Result<Conversion, SetFieldErrorKind> {
        match self.descriptor.pool().enum_number(e, name) {
            Some(number) => Ok(Conversion::Scalar(Value::EnumNumber(number))),
            None => Err(SetFieldErrorKind::InvalidEnumName),
        }
    }

    /// What a number becomes in a field of another number type that holds it.
    fn number(&self, kind: Kind<u32, u32>, value: &Value) -> Result<Conversion, SetFieldErrorKind> {
        let converted = match (integer_of(value), kind, value) {
            (Some(v), Kind::Enum(e), _) => {
                let number = i32::try_from(v).map_err(|_| SetFieldErrorKind::Lossy)?;
                return self.listed(e, number, Conversion::Scalar(Value::EnumNumber(number)));
            }
            (Some(v), kind, _) if is_integer(kind) => integer(kind, v),
            (Some(v), Kind::Float, _) => Some(v as f32).filter(|f| *f as i128 == v).map(Value::F32),
            (Some(v), Kind::Double, _) => Some(v as f64).filter(|f| *f as i128 == v).map(Value::F64),
            (None, Kind::Double, Value::F32(v)) => Some(Value::F64((*v).into())),
            (None, Kind::Float, Value::F64(v)) => {
                Some(*v as f32).filter(|f| v.is_nan() || f64::from(*f) == *v).map(Value::F32)
            }
            _ => return Err(SetFieldErrorKind::InvalidType),
        };
        converted.map(Conversion::Scalar).ok_or(SetFieldErrorKind::Lossy)
    }
}

/// The key as the key field of its map holds it; `None` if it does not fit.
pub(in crate::message) fn key_scalar(kind: Kind<u32, u32>, key: &MapKey) -> Option<Value> {
    match integer_of_key(key) {
        Some(number) => integer(kind, number),
        None => match key {
            MapKey::Bool(v) => Some(Value::Bool(*v)),
            _ => None,
        },
    }
}

fn is_integer(kind: Kind<u32, u32>) -> bool {
    integer(kind, 0).is_some()
}

/// The value of an integer field; `None` if the number is out of range, or the field is of another kind.
fn integer(kind: Kind<u32, u32>, v: i128) -> Option<Value> {
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => v.try_into().ok().map(Value::I32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => v.try_into().ok().map(Value::I64),
        Kind::Uint32 | Kind::Fixed32 => v.try_into().ok().map(Value::U32),
        Kind::Uint64 | Kind::Fixed64 => v.try_into().ok().map(Value::U64),
        _ => None,
    }
}

/// Bytes of integers from 0 to 255: `[1, 2]` is a list of `i32`, if nothing says that it is one of `u8`.
fn octets(numbers: &[Value]) -> Result<Conversion, SetFieldErrorKind> {
    // Of an empty list nothing says what it is of.
    if numbers.is_empty() {
        return Err(SetFieldErrorKind::InvalidType);
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(numbers.len()).map_err(|_| SetFieldErrorKind::TooLarge)?;
    for number in numbers {
        let number = integer_of(number).ok_or(SetFieldErrorKind::InvalidType)?;
        bytes.push(u8::try_from(number).map_err(|_| SetFieldErrorKind::Lossy)?);
    }
    Ok(Conversion::Scalar(Value::Bytes(bytes)))
}

fn integer_of(value: &Value) -> Option<i128> {
    Some(match *value {
        Value::I32(v) => v.into(),
        Value::I64(v) => v.into(),
        Value::U32(v) => v.into(),
        Value::U64(v) => v.into(),
        _ => return None,
    })
}

fn integer_of_key(key: &MapKey) -> Option<i128> {
    Some(match *key {
        MapKey::I32(v) => v.into(),
        MapKey::I64(v) => v.into(),
        MapKey::U32(v) => v.into(),
        MapKey::U64(v) => v.into(),
        _ => return None,
    })
}

/// What came in its place: the variant, the type of a message, and the value if that is at fault.
struct Found<'v>(SetFieldErrorKind, &'v Value);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Value::Message(message) => return write!(f, "message {}", message.descriptor().full_name()),
            Value::Prepared(message) => return write!(f, "message {}", message.full_name()),
            value => f.write_str(value.type_name())?,
        }
        let wrong_value = matches!(
            self.0,
            SetFieldErrorKind::Lossy
                | SetFieldErrorKind::InvalidEnumNumber
                | SetFieldErrorKind::InvalidEnumName
        );
        match self.1 {
            _ if !wrong_value => Ok(()),
            Value::String(v) => write!(f, " {v:?}"),
            Value::EnumNumber(v) => write!(f, " {v}"),
            Value::F64(v) => write!(f, " {v}"),
            number => integer_of(number).map_or(Ok(()), |v| write!(f, " {v}")),
        }
    }
}

/// A key as an error prints it.
struct KeyText<'k>(&'k MapKey);

impl fmt::Display for KeyText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            MapKey::Bool(v) => v.fmt(f),
            MapKey::String(v) => write!(f, "{v:?}"),
            MapKey::Bytes(v) => write!(f, "\"{}\"", v.escape_ascii()),
            key => integer_of_key(key).map_or(Ok(()), |v| v.fmt(f)),
        }
    }
}

// What setters do with a value before they write anything: check it, convert it, and bring its messages to this pool.

impl ResolvedField<'_> {
    /// The error about a value that does not fit.
    #[cold]
    pub(in crate::message) fn refused(&self, misfit: Misfit, value: Option<Value>) -> SetFieldError {
        let expected = text(Expected(self));
        SetFieldError::new(misfit.kind, self.descriptor.full_name(), expected, misfit.found, value)
    }

    /// Checks a value for the whole field, and converts it to what the field holds. On failure the value does not change.
    pub(in crate::message) fn accept(&self, value: &mut Value) -> Result<(), Misfit> {
        if !self.entry.flags.is_list() && !matches!(value, Value::List(_) | Value::Map(_)) {
            return self.accept_element(value);
        }
        let fit = self.check(value)?;
        self.convert_to_pool(value)?;
        if fit == Fit::Converted {
            self.convert(value);
        }
        Ok(())
    }

    /// Checks one value, a singular one or an element, and converts it to what the field holds. On failure the value does not change.
    pub(in crate::message) fn accept_element(&self, value: &mut Value) -> Result<(), Misfit> {
        match self.conversion(value) {
            Ok(conversion) => conversion.apply(value),
            Err(kind) => return Err(Misfit::of(kind, value, "")),
        }
        self.convert_to_pool(value)
    }

    /// Checks an entry of a map, and converts the value to what the map holds. On failure the value does not change.
    pub(in crate::message) fn accept_entry(&self, key: &MapKey, value: &mut Value) -> Result<(), Misfit> {
        self.check_entry(key, value)?.apply(value);
        self.convert_to_pool(value)
    }

    /// Converts the messages in a value to this pool. A message of another pool is encoded and decoded by this pool's type of the
    /// same name; one of a projection is left as it is, for it is written as bytes. Setters call this before they write anything.
    fn convert_to_pool(&self, value: &mut Value) -> Result<(), Misfit> {
        if !self.entry.coding.is_message() {
            return Ok(());
        }
        self.convert_messages(value).map_err(|kind| Misfit { kind, found: String::new() })
    }

    fn convert_messages(&self, value: &mut Value) -> Result<(), SetFieldErrorKind> {
        let field = if self.entry.flags.is_map() { self.map_part(1) } else { Some(*self) };
        let (Some(field), Kind::Message(index)) =
            (field, field.map_or(Kind::Bool, |field| field.descriptor.raw_kind()))
        else {
            return Ok(());
        };
        let pool = field.descriptor.pool();
        let foreign = |value: &Value| match value {
            Value::Message(message) => !message.is_projected() && message.descriptor().parent_pool() != pool,
            _ => false,
        };
        let convert = |value: &Value| match value {
            Value::Message(message) => {
                let invalid = SetFieldErrorKind::InvalidMessage;
                let bytes =
                    try_encode_raw(message.as_view().raw()).map_err(|_| SetFieldErrorKind::TooLarge)?;
                let options = DecodeOptions::new().allow_partial(true).max_depth(u32::MAX).budget(usize::MAX);
                let descriptor = pool.message_at(index).ok_or(invalid)?;
                let own = options.decode_dynamic(&descriptor, &bytes).map_err(|_| invalid)?;
                Ok(Value::Message(own))
            }
            _ => Err(SetFieldErrorKind::InvalidType),
        };
        let converted = parts(value).filter(|part| foreign(part)).try_fold(Vec::new(), |mut done, part| {
            done.try_reserve(1).map_err(|_| SetFieldErrorKind::TooLarge)?;
            done.push(convert(part)?);
            Ok(done)
        });
        for (part, own) in parts_mut(value).filter(|part| foreign(part)).zip(converted?) {
            *part = own;
        }
        Ok(())
    }
}

/// The values of a list or map, or the value itself.
fn parts(value: &Value) -> impl Iterator<Item = &Value> {
    let (list, map, one) = match value {
        Value::List(list) => (Some(list), None, None),
        Value::Map(map) => (None, Some(map), None),
        one => (None, None, Some(one)),
    };
    list.into_iter().flatten().chain(map.into_iter().flat_map(|map| map.values())).chain(one)
}

/// As `parts`, mutable.
fn parts_mut(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    let (list, map, one) = match value {
        Value::List(list) => (Some(list), None, None),
        Value::Map(map) => (None, Some(map), None),
        one => (None, None, Some(one)),
    };
    list.into_iter().flatten().chain(map.into_iter().flat_map(|map| map.values_mut())).chain(one)
}
