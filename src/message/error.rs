//! Why a setter refused a value.

use super::Value;
use crate::error::DecodeError;
use alloc::{boxed::Box, string::String};
use core::fmt;

/// What is wrong with a value given to a setter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetFieldErrorKind {
    /// The field belongs to another message or to another pool.
    NoSuchField,
    /// The value is not of the field's kind.
    InvalidType,
    /// Bytes that the field's type refuses: a message of another pool, or a raw field that a setter had to decode.
    InvalidMessage,
    /// A closed enum does not list the number.
    InvalidEnumNumber,
    /// `push` on a field that is not a list, `insert` on one that is not a map, `message_mut` on one that is not a
    /// message.
    InvalidShape,
    /// An index beyond the end of a list.
    OutOfRange,
    /// The message would hold more than 2^31-1 bytes of strings, or more than 16 GiB in all, or the allocator has no memory for
    /// it.
    TooLarge,
}

impl SetFieldErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::NoSuchField => "the message has no such field",
            Self::InvalidType => "the value is of the wrong type",
            Self::InvalidMessage => "the bytes are not a valid message",
            Self::InvalidEnumNumber => "the closed enum does not list the number",
            Self::InvalidShape => "the field is of the wrong cardinality",
            Self::OutOfRange => "the index is beyond the end of the list",
            Self::TooLarge => "the message would be too large, or there is no memory",
        }
    }
}

impl fmt::Display for SetFieldErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Why a setter refused a value: kind, field, what was expected. Holds the value, so nothing is lost; the message
/// is as it was before.
#[derive(Clone, PartialEq)]
pub struct SetFieldError(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: SetFieldErrorKind,
    field: String,
    expected: String,
    value: Option<Value>,
    cause: Option<DecodeError>,
}

impl SetFieldError {
    #[cold]
    pub(super) fn new(kind: SetFieldErrorKind, field: &str, expected: String, value: Option<Value>) -> Self {
        Self(Box::new(Inner { kind, field: field.into(), expected, value, cause: None }))
    }

    #[cold]
    pub(super) fn with_value(mut self, value: Value) -> Self {
        self.0.value = Some(value);
        self
    }

    #[cold]
    pub(super) fn with_cause(mut self, cause: DecodeError) -> Self {
        self.0.cause = Some(cause);
        self
    }

    /// What is wrong with the bytes, where a raw field had to be decoded; the offset is in the bytes that the
    /// message was decoded from.
    pub fn decode_error(&self) -> Option<&DecodeError> {
        self.0.cause.as_ref()
    }

    /// The kind of fault.
    pub fn kind(&self) -> SetFieldErrorKind {
        self.0.kind
    }

    /// The full name of the field.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// The value that was refused, if there was one.
    pub fn into_value(self) -> Option<Value> {
        self.0.value
    }
}

impl fmt::Display for SetFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.kind, self.0.field)?;
        if !self.0.expected.is_empty() {
            write!(f, " expects {}", self.0.expected)?;
        }
        if let Some(value) = &self.0.value {
            write!(f, ", not {}", value.type_name())?;
        }
        match &self.0.cause {
            Some(error) => write!(f, ": {error}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for SetFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SetFieldError({self})")
    }
}

impl core::error::Error for SetFieldError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.decode_error().map(|error| error as _)
    }
}

/// A copy could not be made: there was not the memory for it, or it would hold more than 2^31-1 bytes of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyError(());

impl CopyError {
    #[cold]
    pub(super) fn new() -> Self {
        Self(())
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is not the memory for a copy of the message")
    }
}

impl core::error::Error for CopyError {}
