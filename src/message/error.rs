//! [`SetFieldError`] and [`CopyError`].

use super::Value;
use crate::error::{DecodeError, Opaque, copy_of, error_kind, opaque_error};
use alloc::{borrow::Cow, string::String};
use core::fmt;

error_kind! {
    /// What is wrong with a value given to a setter.
    pub enum SetFieldErrorKind, without memory TooLarge {
        /// The field belongs to another message or to another pool.
        NoSuchField = "the message has no such field",
        /// The value is not of the field's kind.
        InvalidType = "the value is of the wrong type",
        /// The field's type does not accept the bytes of a message: one of another pool, or a raw field that a setter had to decode.
        InvalidMessage = "the bytes are not a valid message",
        /// A closed enum does not list the number.
        InvalidEnumNumber = "the closed enum does not list the number",
        /// `push` on a field that is not a list, `insert` on one that is not a map, `message_mut` on one that is not a
        /// message.
        InvalidShape = "the field is of the wrong cardinality",
        /// An index beyond the end of a list.
        OutOfRange = "the index is beyond the end of the list",
        /// The message would hold more than 2^31-1 bytes of strings or more than 16 GiB in all, or the allocator has no memory.
        TooLarge = "the message would be too large, or there is no memory",
    }
}

/// A setter refused a value: the kind, the field and what it takes. The message has not changed, and
/// [`into_value`](Self::into_value) returns the value.
///
/// One pointer wide. If the allocator has no memory for the error itself, its kind is `TooLarge`, and field and value are
/// lost.
#[derive(Clone, PartialEq)]
pub struct SetFieldError(Opaque<SetFieldErrorKind, SetFieldDetail>);

opaque_error!(SetFieldError, SetFieldErrorKind);

#[derive(Clone, PartialEq)]
struct SetFieldDetail {
    field: Cow<'static, str>,
    expected: String,
    value: Option<Value>,
    cause: Option<DecodeError>,
}

impl SetFieldError {
    /// Without memory for a copy of the field's name, the error has none.
    #[cold]
    pub(super) fn new(kind: SetFieldErrorKind, field: &str, expected: String, value: Option<Value>) -> Self {
        let field = copy_of(field).unwrap_or_default();
        Self(Opaque::new(kind, SetFieldDetail { field, expected, value, cause: None }))
    }

    #[cold]
    pub(super) fn with_value(mut self, value: Value) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.value = Some(value);
        }
        self
    }

    #[cold]
    pub(super) fn with_cause(mut self, cause: DecodeError) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.cause = Some(cause);
        }
        self
    }

    /// The decode error of a raw field that the setter had to decode. Its offset counts from the start of the bytes that the
    /// message was decoded from.
    pub fn decode_error(&self) -> Option<&DecodeError> {
        self.0.get()?.cause.as_ref()
    }

    /// The full name of the field.
    pub fn field(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.field)
    }

    /// The refused value, if the setter took one.
    pub fn into_value(self) -> Option<Value> {
        self.0.into_inner()?.value
    }
}

impl fmt::Display for SetFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(inner) = self.0.get() else { return self.kind().fmt(f) };
        write!(f, "{}: {}", self.kind(), inner.field)?;
        if !inner.expected.is_empty() {
            write!(f, " expects {}", inner.expected)?;
        }
        if let Some(value) = &inner.value {
            write!(f, ", not {}", value.type_name())?;
        }
        match &inner.cause {
            Some(error) => write!(f, ": {error}"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for SetFieldError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.decode_error().map(|error| error as _)
    }
}

/// A message could not be copied: the allocator has no memory, or the copy would hold more than 2^31-1 bytes of strings.
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
