//! [`ResolvedField`]: a field descriptor resolved in a message's program. Setters check values against it before they write.

use super::error::{SetFieldError, SetFieldErrorKind};
use super::{DynamicMessage, MapKey, Value};
use crate::encode::try_encode_raw;
use crate::options::DecodeOptions;
use crate::program::{FieldEntry, ProgramSet};
use crate::schema::FieldRef;
use crate::table::Kind;
use alloc::{string::String, vec::Vec};
use core::fmt;

/// A field of the message that a setter changes.
#[derive(Clone, Copy)]
pub(super) struct ResolvedField<'p> {
    pub(super) descriptor: FieldRef<'p>,
    pub(super) position: usize,
    pub(super) entry: FieldEntry,
    pub(super) set: &'p ProgramSet,
}

impl<'p> ResolvedField<'p> {
    /// The key field (0) or the value field (1) of a map.
    pub(super) fn map_part(&self, part: usize) -> Option<ResolvedField<'p>> {
        let program = self.set.program(self.entry.sub);
        let entry = *program.entries().get(part)?;
        let descriptor =
            FieldRef::new(self.descriptor.pool(), program.message(), program.field_of(part) as u32);
        Some(ResolvedField { descriptor, position: part, entry, set: self.set })
    }

    #[cold]
    pub(super) fn error(&self, kind: SetFieldErrorKind, value: Option<Value>) -> SetFieldError {
        SetFieldError::new(kind, self.descriptor.full_name(), self.expected(), value)
    }

    /// Describes what the field takes, for an error. Empty without memory.
    fn expected(&self) -> String {
        let mut text = FallibleString(String::new());
        match self.describe(&mut text) {
            Ok(()) => text.0,
            Err(_) => String::new(),
        }
    }

    fn describe(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let one = |field: &Self, out: &mut dyn fmt::Write| match field.descriptor.kind() {
            Kind::Message(message) => write!(out, "message {}", message.full_name()),
            Kind::Enum(enumeration) => write!(out, "enum {}", enumeration.full_name()),
            kind => out.write_str(kind.name()),
        };
        if !self.entry.flags.is_map() {
            if self.entry.flags.is_list() {
                out.write_str("repeated ")?;
            }
            return one(self, out);
        }
        let (Some(key), Some(value)) = (self.map_part(0), self.map_part(1)) else { return Ok(()) };
        out.write_str("map<")?;
        one(&key, out)?;
        out.write_str(", ")?;
        one(&value, out)?;
        out.write_str(">")
    }

    /// Checks one value: a singular one, or an element.
    pub(super) fn check_one(&self, value: &Value) -> Result<(), SetFieldErrorKind> {
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
            (Kind::Enum(e), Value::EnumNumber(number)) => {
                let listed = self.descriptor.pool().programs().enum_contains(e, *number);
                return if listed { Ok(()) } else { Err(SetFieldErrorKind::InvalidEnumNumber) };
            }
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
            _ => false,
        };
        if fits { Ok(()) } else { Err(SetFieldErrorKind::InvalidType) }
    }

    /// Converts the messages in a value to this pool. A message of another pool is encoded and decoded by this pool's type of the
    /// same name; a projected one becomes bytes. Setters call this before they write anything.
    pub(super) fn convert_to_pool(&self, value: Value) -> Result<Value, SetFieldError> {
        let field = if self.entry.flags.is_map() { self.map_part(1) } else { Some(*self) };
        let (Some(field), Kind::Message(index)) =
            (field, field.map_or(Kind::Bool, |field| field.descriptor.raw_kind()))
        else {
            return Ok(value);
        };
        let pool = field.descriptor.pool();
        let foreign = |value: &Value| match value {
            Value::Message(message) => message.is_projected() || message.descriptor().parent_pool() != pool,
            _ => false,
        };
        let convert = |value: &Value| match value {
            Value::Message(message) if message.is_projected() => {
                message.as_prepared().map(Value::Prepared).map_err(|_| SetFieldErrorKind::TooLarge)
            }
            Value::Message(message) => {
                let invalid = SetFieldErrorKind::InvalidMessage;
                let bytes =
                    try_encode_raw(message.as_view().raw()).map_err(|_| SetFieldErrorKind::TooLarge)?;
                let options = DecodeOptions::new().allow_partial(true).max_depth(u32::MAX).budget(usize::MAX);
                let descriptor = pool.message_at(index).ok_or(invalid)?;
                let own = DynamicMessage::decode_with(&descriptor, &bytes, options).map_err(|_| invalid)?;
                Ok(Value::Message(own))
            }
            _ => Err(SetFieldErrorKind::InvalidType),
        };
        let converted = parts(&value).filter(|part| foreign(part)).try_fold(Vec::new(), |mut done, part| {
            done.try_reserve(1).map_err(|_| SetFieldErrorKind::TooLarge)?;
            done.push(convert(part)?);
            Ok(done)
        });
        let converted = match converted {
            Ok(converted) => converted,
            Err(kind) => return Err(self.error(kind, Some(value))),
        };
        let mut value = value;
        for (part, own) in parts_mut(&mut value).filter(|part| foreign(part)).zip(converted) {
            *part = own;
        }
        Ok(value)
    }

    /// Checks the key of a map entry.
    pub(super) fn check_key(&self, key: &MapKey) -> Result<(), SetFieldErrorKind> {
        let Some(part) = self.map_part(0) else { return Err(SetFieldErrorKind::InvalidType) };
        let unchecked = matches!(key, MapKey::Bytes(_));
        match key.as_ref().raw(part.entry.scalar()) {
            Some(_) if !unchecked || !part.descriptor.validates_utf8() => Ok(()),
            _ => Err(SetFieldErrorKind::InvalidType),
        }
    }

    /// Checks the value of a field: singular, a list or a map.
    pub(super) fn check(&self, value: &Value) -> Result<(), SetFieldErrorKind> {
        match value {
            Value::List(elements) if self.entry.flags.is_list() && !self.entry.flags.is_map() => {
                elements.iter().try_for_each(|element| self.check_one(element))
            }
            Value::Map(entries) if self.entry.flags.is_map() => {
                let part = self.map_part(1).ok_or(SetFieldErrorKind::InvalidType)?;
                entries.iter().try_for_each(|(key, value)| {
                    self.check_key(key)?;
                    part.check_one(value)
                })
            }
            Value::List(_) | Value::Map(_) => Err(SetFieldErrorKind::InvalidType),
            _ if self.entry.flags.is_list() => Err(SetFieldErrorKind::InvalidType),
            one => self.check_one(one),
        }
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

/// A string whose growth can fail.
struct FallibleString(String);

impl fmt::Write for FallibleString {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.try_reserve(text.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(text);
        Ok(())
    }
}
