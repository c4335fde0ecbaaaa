//! [`ResolvedField`]: a field descriptor resolved in a message's program, which setters work with.

use super::field_key::{Key, named, numbered, resolve};
use crate::message::Value;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::schema::pool::{DescriptorPool, FieldRef};
use crate::schema::program::{FieldEntry, ProgramSet};
use crate::schema::table::Kind;
use crate::wire::error::text;
use alloc::string::String;
use core::fmt;

/// A field of the message that a setter changes.
#[derive(Clone, Copy)]
pub(in crate::message) struct ResolvedField<'p> {
    pub(in crate::message) descriptor: FieldRef<'p>,
    pub(in crate::message) position: usize,
    pub(in crate::message) entry: FieldEntry,
    pub(in crate::message) set: &'p ProgramSet,
}

impl<'p> ResolvedField<'p> {
    /// The key field (0) or the value field (1) of a map.
    pub(in crate::message) fn map_part(&self, part: usize) -> Option<ResolvedField<'p>> {
        let program = self.set.program(self.entry.sub);
        let entry = *program.entries().get(part)?;
        let descriptor =
            FieldRef::new(self.descriptor.pool(), program.message(), program.field_of(part) as u32);
        Some(ResolvedField { descriptor, position: part, entry, set: self.set })
    }

    /// The words of an element of the list, or of the map.
    pub(in crate::message) fn element_words(&self) -> u32 {
        let coding = self.entry.coding;
        if coding.is_message() { self.set.program(self.entry.sub).element_words() } else { coding.words() }
    }

    /// An error about this field.
    #[cold]
    pub(in crate::message) fn error(&self, kind: SetFieldErrorKind, value: Option<Value>) -> SetFieldError {
        let expected = text(Expected(self));
        SetFieldError::new(kind, self.descriptor.full_name(), expected, String::new(), value)
    }
}

/// What a field takes: `repeated int32`, `map<string, message pkg.Log>`.
pub(in crate::message) struct Expected<'f>(pub(in crate::message) &'f ResolvedField<'f>);

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |field: &ResolvedField<'_>, f: &mut fmt::Formatter<'_>| match field.descriptor.kind() {
            Kind::Message(message) => write!(f, "message {}", message.full_name()),
            Kind::Enum(enumeration) => write!(f, "enum {}", enumeration.full_name()),
            kind => f.write_str(kind.name()),
        };
        let flags = self.0.entry.flags;
        if !flags.is_map() {
            f.write_str(if flags.is_list() { "repeated " } else { "" })?;
            return one(self.0, f);
        }
        let (Some(key), Some(value)) = (self.0.map_part(0), self.0.map_part(1)) else { return Ok(()) };
        f.write_str("map<")?;
        one(&key, f)?;
        f.write_str(", ")?;
        one(&value, f)?;
        f.write_str(">")
    }
}

/// The field that a key means in a message of this index.
pub(in crate::message) fn own_field<'p>(
    pool: &'p DescriptorPool,
    message: u32,
    key: Key<'_>,
) -> Result<FieldRef<'p>, SetFieldError> {
    let found = match key {
        Key::Field(field) if field.message_index() == message && field.pool() == pool => {
            return Ok(FieldRef::at(pool, message, field.index() as u16, field.position() as u16));
        }
        Key::Field(field) => resolve(pool, message, field),
        Key::Name(name) => named(pool, message, name),
        Key::Number(number) => numbered(pool, message, number),
    };
    found.ok_or_else(|| unresolved(pool, message, key))
}

#[cold]
fn unresolved(pool: &DescriptorPool, message: u32, key: Key<'_>) -> SetFieldError {
    let message = pool.message_at(message);
    let message = message.as_ref().map_or("", |message| message.full_name());
    match key {
        Key::Field(field) => {
            SetFieldError::unresolved(SetFieldErrorKind::ForeignField, field.full_name(), message)
        }
        Key::Name(name) => SetFieldError::unresolved(SetFieldErrorKind::NoSuchField, name, message),
        Key::Number(number) => {
            SetFieldError::unresolved(SetFieldErrorKind::NoSuchField, &text(number), message)
        }
    }
}
