//! Why a setter refused a value.

use super::Value;
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
    /// A message of another pool whose bytes the field's type refuses.
    InvalidMessage,
    /// A closed enum does not list the number.
    InvalidEnumNumber,
    /// `push` on a field that is not a list, `insert` on one that is not a map, `message_mut` on one that is not a
    /// message.
    InvalidShape,
    /// An index beyond the end of a list.
    OutOfRange,
    /// The message would hold more than 2^31-1 bytes of strings, or more than 16 GiB in all.
    TooLarge,
}

impl SetFieldErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::NoSuchField => "the message has no such field",
            Self::InvalidType => "the value is of the wrong type",
            Self::InvalidMessage => "the message of another pool is not valid in this one",
            Self::InvalidEnumNumber => "the closed enum does not list the number",
            Self::InvalidShape => "the field is of the wrong cardinality",
            Self::OutOfRange => "the index is beyond the end of the list",
            Self::TooLarge => "the message would be too large",
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
}

impl SetFieldError {
    #[cold]
    pub(super) fn new(kind: SetFieldErrorKind, field: &str, expected: String, value: Option<Value>) -> Self {
        Self(Box::new(Inner { kind, field: field.into(), expected, value }))
    }

    #[cold]
    pub(super) fn with_value(mut self, value: Value) -> Self {
        self.0.value = Some(value);
        self
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
        match &self.0.value {
            Some(value) => write!(f, ", not {}", value.type_name()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for SetFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SetFieldError({self})")
    }
}

impl core::error::Error for SetFieldError {}
