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
//! | | |
//! |---|---|
//! | times | [`Timestamp`], [`Duration`]: from text, the standard library, `jiff`, `chrono` |
//! | JSON values | [`Value`], [`Struct`], [`ListValue`], [`NullValue`] |
//! | one message of any type | [`Any::pack`], [`Any::unpack`] |
//! | sets of fields | [`FieldMask`]; with `reflect` `MaskOptions`, to merge and trim |
//! | wrappers | [`Int32Value`] and the like: `From` both ways |
//! | why it did not work | [`ConvertError`] |
//!
//! A pool of tables that use these types has files of their usual names, such as `google/protobuf/timestamp.proto`. A
//! descriptor set made without `--include_imports` can be added to a pool of [`TABLES`]; if the set does have these
//! files, its own are used.

use super::Message;
use crate::schema::table::MessageTable;
pub use crate::structs::convert::ConvertError;
#[cfg(not(tablepb_no_alloc))]
use alloc::{string::String, vec::Vec};
#[cfg(not(tablepb_no_alloc))]
pub use any::Any;
#[cfg(not(tablepb_no_alloc))]
pub use field_mask::FieldMask;
#[cfg(feature = "reflect")]
pub use masked::{MaskOptions, Masked};
pub use timestamp::{Duration, Timestamp};
#[cfg(not(tablepb_no_alloc))]
pub use value::{ListValue, NullValue, Struct, Value};

#[cfg(not(tablepb_no_alloc))]
mod any;
#[cfg(not(tablepb_no_alloc))]
mod field_mask;
#[cfg(feature = "reflect")]
mod masked;
#[cfg(feature = "serde_json")]
mod serde_json;
#[cfg(any(feature = "chrono", feature = "jiff"))]
mod time_crates;
mod timestamp;
#[cfg(not(tablepb_no_alloc))]
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
#[cfg(not(tablepb_no_alloc))]
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

crate::message! {
    Empty as "google.protobuf.Empty" {}
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
}

#[cfg(not(tablepb_no_alloc))]
wrappers! {
    StringValue "google.protobuf.StringValue" string String, Eq Ord Hash;
    BytesValue "google.protobuf.BytesValue" bytes Vec<u8>, Eq Ord Hash;
}
