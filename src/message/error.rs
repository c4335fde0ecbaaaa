//! [`SetFieldError`].

use super::Value;
use crate::wire::error::{DecodeError, Opaque, copy_of, error_kind, opaque_error, text};
use alloc::{borrow::Cow, string::String};
use core::fmt;

error_kind! {
    /// Why a field could not be set, changed or read.
    pub enum SetFieldErrorKind, without memory TooLarge {
        /// The message has no field of this name or number.
        NoSuchField = "no such field",
        /// The descriptor is of a field of another message; see [`FieldKey`](crate::FieldKey#foreign-fields).
        ForeignField = "the field is of another message",
        /// The value is not of the field's kind, and cannot be converted to it; see [`Value`](crate::Value#conversions).
        InvalidType = "the value is of the wrong type",
        /// The field's kind cannot hold the number as it is: it is out of range, or a float would round it.
        Lossy = "the field cannot hold the number without loss",
        /// The bytes of a message do not decode as the type that the field expects. They come from a message that was given as
        /// the value and is of another pool, or from a field that a projection or a lazy decoder kept as bytes.
        InvalidMessage = "the bytes are not a valid message",
        /// A closed enum does not list the number.
        InvalidEnumNumber = "the closed enum does not list the number",
        /// The enum has no value of the name that was given.
        InvalidEnumName = "the enum has no value of this name",
        /// The field does not have the shape that the method works on: `push` and other methods for elements need a repeated field,
        /// `insert` and others for entries a map, `message_mut` a singular message.
        InvalidShape = "the method is not for fields of this cardinality",
        /// An index beyond the end of a list.
        OutOfRange = "the index is beyond the end of the list",
        /// A projection left out the field, so it has no value to copy.
        Unselected = "a projection left out the field, so it has no value to copy",
        /// The message would hold more than 2^31-1 bytes of strings or more than 16 GiB in all, or the allocator has no memory.
        TooLarge = "the message would be too large, or there is no memory",
    }
}

/// A call on a field, or a copy of a value, was refused: the kind, the field, what it takes and what it was given. The message has not changed, and
/// [`into_value`](Self::into_value) returns the value.
///
/// One pointer wide. If the allocator has no memory for the error itself, its kind is `TooLarge`, and field and value are
/// lost.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[
///         FieldTable::new("level", 1, Kind::Int32),
///         FieldTable::map("counts", 2, Kind::String, Kind::Int64),
///         FieldTable::new("parent", 3, Kind::Message(|| &LOG)),
///     ],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let mut message = DynamicMessage::new(&log);
/// for (error, text) in [
///     (message.set_field("lvl", 1), "no such field: lvl in pkg.Log"),
///     (message.set_field("level", "high"), "the value is of the wrong type: pkg.Log.level expects int32, not String"),
///     (
///         message.set_field("level", 5_000_000_000u64),
///         "the field cannot hold the number without loss: pkg.Log.level expects int32, not U64 5000000000",
///     ),
///     (
///         message.insert("counts", "a", "b"),
///         "the value is of the wrong type: pkg.Log.counts expects map<string, int64>, not String as the value of key \"a\"",
///     ),
///     (
///         message.insert("counts", 5, 1),
///         "the value is of the wrong type: pkg.Log.counts expects map<string, int64>, not I32 as a key",
///     ),
///     (message.push("level", 1), "the method is not for fields of this cardinality: pkg.Log.level is int32"),
/// ] {
///     assert_eq!(error.unwrap_err().to_string(), text);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct SetFieldError(Opaque<SetFieldErrorKind, SetFieldDetail>);

opaque_error!(SetFieldError, SetFieldErrorKind);

#[derive(Clone, PartialEq)]
struct SetFieldDetail {
    field: Cow<'static, str>,
    /// The message, if it is not part of the field's name.
    message: Cow<'static, str>,
    /// What the field takes, and what came; for a name that no field has, the nearest one.
    expected: String,
    found: String,
    value: Option<Value>,
    cause: Option<DecodeError>,
}

impl SetFieldError {
    /// There is not the memory for a copy, or it would be too large.
    pub(crate) const TOO_LARGE: Self = Self(Opaque::NO_MEMORY);

    /// The value of a field that a projection left out.
    #[cold]
    pub(super) fn unselected() -> Self {
        Self::new(SetFieldErrorKind::Unselected, "", String::new(), String::new(), None)
    }

    /// Without memory for a copy of the field's name, the error has none.
    #[cold]
    pub(super) fn new(
        kind: SetFieldErrorKind,
        field: &str,
        expected: String,
        found: String,
        value: Option<Value>,
    ) -> Self {
        let field = copy_of(field).unwrap_or_default();
        let message = Cow::Borrowed("");
        Self(Opaque::new(kind, SetFieldDetail { field, message, expected, found, value, cause: None }))
    }

    /// The message has no such field: `NoSuchField` or `ForeignField`.
    #[cold]
    pub(super) fn unresolved(kind: SetFieldErrorKind, field: &str, message: &str) -> Self {
        let field = copy_of(field).unwrap_or_default();
        let message = copy_of(message).unwrap_or_default();
        let (expected, found) = (String::new(), String::new());
        Self(Opaque::new(kind, SetFieldDetail { field, message, expected, found, value: None, cause: None }))
    }

    /// The same, with the name that may have been meant.
    #[cold]
    pub(super) fn did_you_mean(mut self, near: Option<&str>) -> Self {
        if let (Some(inner), Some(near)) = (self.0.get_mut(), near) {
            inner.found = text(near);
        }
        self
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
    #[must_use]
    pub fn decode_error(&self) -> Option<&DecodeError> {
        self.0.get()?.cause.as_ref()
    }

    /// The full name of the field; for `NoSuchField`, the name or number that the call was given.
    #[must_use]
    pub fn field(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.field)
    }

    /// The refused value, if the call took one. For [`extend`](super::MessageMut::extend) that is the element.
    #[must_use]
    pub fn into_value(self) -> Option<Value> {
        self.0.into_inner()?.value
    }
}

impl fmt::Display for SetFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(inner) = self.0.get() else { return self.kind().fmt(f) };
        write!(f, "{}", self.kind())?;
        if !inner.field.is_empty() {
            write!(f, ": {}", inner.field)?;
        }
        match self.kind() {
            SetFieldErrorKind::NoSuchField => {
                write!(f, " in {}", inner.message)?;
                return match inner.found.as_str() {
                    "" => Ok(()),
                    near => write!(f, "; did you mean {near}?"),
                };
            }
            SetFieldErrorKind::ForeignField => write!(f, ", and the message is a {}", inner.message)?,
            _ => {}
        }
        if !inner.expected.is_empty() {
            let verb = if self.kind() == SetFieldErrorKind::InvalidShape { "is" } else { "expects" };
            write!(f, " {verb} {}", inner.expected)?;
        }
        if !inner.found.is_empty() {
            write!(f, ", not {}", inner.found)?;
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
