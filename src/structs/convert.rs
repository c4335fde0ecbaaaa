//! [`ConvertError`]: why a value could not be converted.

use crate::wire::error::DecodeError;
use crate::wire::heap::Cow;
use core::fmt;

/// Why a value could not be converted to or from a well-known type or an enum, or an [`Any`](crate::wkt::Any) not unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertError {
    /// A point in time before the year 1, after the year 9999, or beyond the range of the other type.
    TimestampOutOfRange,
    /// A duration of more than ten thousand years, or beyond the range of the other type.
    DurationOutOfRange,
    /// A negative duration, which the other type does not have.
    NegativeDuration,
    /// Text that is no timestamp as ProtoJSON has it, such as `1972-01-01T10:00:20.021Z`.
    InvalidTimestamp,
    /// Text that is no duration as ProtoJSON has it, such as `1.500s`.
    InvalidDuration,
    /// A number that the enum does not list.
    InvalidEnumNumber,
    /// A name that the enum does not have.
    InvalidEnumName,
    /// A number that is NaN or infinite, for which JSON has no value.
    NotFinite,
    /// A `Value` of another kind.
    WrongKind,
    /// Values nested deeper than encoding goes, 100 levels of messages: 33 objects or 50 lists.
    TooDeep,
    /// The type URL of an [`Any`](crate::wkt::Any) has no slash, or no name after the last one.
    InvalidUrl,
    /// The message in an [`Any`](crate::wkt::Any) is of another type than the struct.
    WrongType {
        /// The full name of the struct's type.
        expected: &'static str,
        /// The name of the type in the URL; empty without memory for a copy of it.
        found: Cow<'static, str>,
    },
    /// The pool does not have the type of an [`Any`](crate::wkt::Any).
    UnknownType,
    /// The bytes in an [`Any`](crate::wkt::Any) are not a valid message of the type.
    Invalid(DecodeError),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimestampOutOfRange => "the time is out of range",
            Self::DurationOutOfRange => "the duration is out of range",
            Self::NegativeDuration => "the duration is negative",
            Self::InvalidTimestamp => "not a timestamp such as 1972-01-01T10:00:20.021Z",
            Self::InvalidDuration => "not a duration such as 1.500s",
            Self::InvalidEnumNumber => "the enum does not list the number",
            Self::InvalidEnumName => "the enum has no value of this name",
            Self::NotFinite => "the number is not finite",
            Self::WrongKind => "the google.protobuf.Value is of another kind",
            Self::TooDeep => "values are nested deeper than 33 objects or 50 lists",
            Self::WrongType { expected, found } => {
                return write!(f, "the google.protobuf.Any holds a {found}, not a {expected}");
            }
            Self::InvalidUrl => "the type URL of a google.protobuf.Any does not name a message type",
            Self::UnknownType => "the pool does not have the type of a google.protobuf.Any",
            Self::Invalid(error) => return write!(f, "the content of a google.protobuf.Any: {error}"),
        })
    }
}

impl core::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Invalid(error) => Some(error),
            _ => None,
        }
    }
}
