//! The well-known types of `google/protobuf/*.proto` as structs.
//!
//! They are [`message!`](crate::message) structs like any other, usable as members of your own: the JSON of all of them
//! has the form that ProtoJSON gives it. [`Timestamp`] and [`Duration`] convert to and from the types of the standard
//! library, and with the features `jiff` and `chrono` to theirs; [`Value`], [`Struct`] and [`ListValue`] convert to and
//! from Rust values, and with the feature `serde_json` to `serde_json::Value`; [`Any`] packs and unpacks messages.
//!
//! ```
//! use tablepb::json;
//! use tablepb::{Message, wkt};
//!
//! #[derive(Debug, Default, PartialEq)]
//! struct Job { started: Option<wkt::Timestamp>, limit: Option<wkt::Duration>, labels: Option<wkt::Struct> }
//!
//! tablepb::message! {
//!     Job as "example.Job" {
//!         started: message wkt::Timestamp = 1,
//!         limit: message wkt::Duration = 2,
//!         labels: message wkt::Struct = 3,
//!     }
//! }
//!
//! let job = Job {
//!     started: Some("2026-11-22T10:44:00Z".parse()?),
//!     limit: Some(core::time::Duration::from_millis(1500).try_into()?),
//!     labels: Some([("retries", 3.0)].into_iter().collect()),
//! };
//! assert_eq!(Job::decode(&job.encode_to_vec()?)?, job);
//! # #[cfg(feature = "json")]
//! assert_eq!(
//!     json::to_string(&job)?,
//!     r#"{"started":"2026-11-22T10:44:00Z","limit":"1.500s","labels":{"retries":3}}"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A pool of tables that use these types has files of their usual names, such as `google/protobuf/timestamp.proto`. A
//! descriptor set made without `--include_imports` can be added to a pool of [`TABLES`]; if the set does have these
//! files, its own are used.

use super::Message;
use crate::schema::table::MessageTable;
use crate::wire::error::DecodeError;
use alloc::{borrow::Cow, string::String, vec::Vec};
pub use any::Any;
use core::fmt;
pub use timestamp::{Duration, Timestamp};
pub use value::{ListValue, NullValue, Struct, Value};

mod any;
#[cfg(feature = "reflect")]
mod any_dynamic;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "serde_json")]
mod serde_json;
mod timestamp;
pub mod value;

/// The tables of all types of this module, for [`DescriptorPool::from_tables`](crate::DescriptorPool::from_tables).
///
/// ```
/// use tablepb::{DescriptorPool, wkt};
///
/// // What protoc writes without --include_imports for a file that imports timestamp.proto.
/// let set = b"\x0a\x2f\x0a\x07a.proto\x1a\x1fgoogle/protobuf/timestamp.proto\x22\x03\x0a\x01A";
/// assert!(DescriptorPool::decode(set).is_err());
/// let pool = DescriptorPool::from_tables(wkt::TABLES)?.add_file_descriptor_set(set)?;
/// assert!(pool.message("A").is_ok());
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
pub const TABLES: &[&MessageTable] = &[
    Any::TABLE,
    Duration::TABLE,
    Empty::TABLE,
    FieldMask::TABLE,
    Struct::TABLE,
    Value::TABLE,
    ListValue::TABLE,
    Timestamp::TABLE,
    DoubleValue::TABLE,
    FloatValue::TABLE,
    Int64Value::TABLE,
    UInt64Value::TABLE,
    Int32Value::TABLE,
    UInt32Value::TABLE,
    BoolValue::TABLE,
    StringValue::TABLE,
    BytesValue::TABLE,
];

/// `google.protobuf.Empty`: a message without fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Empty {}

/// `google.protobuf.FieldMask`: paths of fields.
///
/// In JSON the paths are one string, joined by commas, in camel case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldMask {
    /// The paths: field names of the schema, joined by dots.
    pub paths: Vec<String>,
}

crate::message! {
    Empty as "google.protobuf.Empty" {}
    FieldMask as "google.protobuf.FieldMask" { paths: repeated string = 1 }
}

/// The wrapper types: messages with one field, `value`.
macro_rules! wrappers {
    ($($name:ident $full:literal $kind:ident $type:ty, $($derive:ident)*;)*) => {$(
        #[doc = concat!("`", $full, "`: a wrapper, which a field of proto3 uses to tell zero from no value.")]
        ///
        /// In JSON it is only the value.
        #[derive(Clone, Debug, Default, PartialEq, PartialOrd $(, $derive)*)]
        pub struct $name {
            /// The wrapped value.
            pub value: $type,
        }

        crate::message! { $name as $full { value: $kind = 1 } }

        impl From<$type> for $name {
            fn from(value: $type) -> Self {
                Self { value }
            }
        }

        impl From<$name> for $type {
            fn from(wrapper: $name) -> Self {
                wrapper.value
            }
        }
    )*};
}

wrappers! {
    DoubleValue "google.protobuf.DoubleValue" double f64, Copy;
    FloatValue "google.protobuf.FloatValue" float f32, Copy;
    Int64Value "google.protobuf.Int64Value" int64 i64, Copy Eq Ord Hash;
    UInt64Value "google.protobuf.UInt64Value" uint64 u64, Copy Eq Ord Hash;
    Int32Value "google.protobuf.Int32Value" int32 i32, Copy Eq Ord Hash;
    UInt32Value "google.protobuf.UInt32Value" uint32 u32, Copy Eq Ord Hash;
    BoolValue "google.protobuf.BoolValue" bool bool, Copy Eq Ord Hash;
    StringValue "google.protobuf.StringValue" string String, Eq Ord Hash;
    BytesValue "google.protobuf.BytesValue" bytes Vec<u8>, Eq Ord Hash;
}

// Why a well-known type could not be converted or unpacked.

/// Why a value could not be converted to or from a well-known type, or an [`Any`] not unpacked.
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
    /// A number that is NaN or infinite, for which JSON has no value.
    NotFinite,
    /// A `Value` of another kind.
    WrongKind,
    /// Values nested deeper than encoding goes, 100 levels of messages: 33 objects or 50 lists.
    TooDeep,
    /// The type URL of an [`Any`] has no slash, or no name after the last one.
    InvalidUrl,
    /// The message in an [`Any`] is of another type than the struct.
    WrongType {
        /// The full name of the struct's type.
        expected: &'static str,
        /// The name of the type in the URL; empty without memory for a copy of it.
        found: Cow<'static, str>,
    },
    /// The pool does not have the type of an [`Any`].
    UnknownType,
    /// The bytes in an [`Any`] are not a valid message of the type.
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
