//! Which columns a message type has.
//!
//! | Protocol Buffers | Arrow |
//! |---|---|
//! | `bool` | `Boolean` |
//! | `int32`, `sint32`, `sfixed32` | `Int32` |
//! | `int64`, `sint64`, `sfixed64` | `Int64` |
//! | `uint32`, `fixed32`; `uint64`, `fixed64` | `UInt32`; `UInt64` |
//! | `float`, `double` | `Float32`, `Float64` |
//! | `string` | `Utf8View`, or `Utf8` without [views](Options::views); a string that need not be UTF-8 (proto2) as `bytes` |
//! | `bytes` | `BinaryView`, or `Binary` |
//! | enum | `Int32`, or as [`Options::enums`] says |
//! | message, group | `Struct`; JSON or bytes, if [`Options::json`] or [`Options::bytes`] names it |
//! | repeated | `List` of a non-null field `item` |
//! | map | `Map`: a non-null struct `entries` of `key` and `value`, both non-null, or as [`Options::maps`] says; keys are unique and not sorted; the last entry of a key counts, and stands in its place |
//! | oneof | its members, or as [`Options::oneofs`] says |
//! | well-known types | `Struct`, or as [`Options::well_known`] says |
//! | unknown fields | nothing, or as [`Options::unknown_fields`] says |
//! | extensions | nothing, or as [`Options::extensions`] says |
//! | a message in itself | `BinaryView` or `Binary`, nullable: the encoded message, or `Utf8View` or `Utf8`: its JSON; `Struct` as often as [`Options::recursion`] allows; an error, if [`Options::recursive`] says so |
//!
//! A column is nullable if its field has presence: `optional` fields, members of oneofs, messages; or as [`Options::presence`] says. `required` fields are not
//! nullable. Fields with implicit presence (proto3) are not either: unset, they have their default value. Lists and maps that are unset
//! are empty. What is in a struct that is null means nothing.
//!
//! Columns come in the order of the file, whatever the order of the paths of a projection. Each column of a field has its number in its metadata
//! ([`NUMBER`]); columns of messages, and lists of them, also the full name of the message type ([`TYPE`]), as has the schema.
//!
//! The bytes of a message that is cut off are those on the wire, the parts one after another if it comes in parts. In a row that the reader
//! decodes through a message (see [`Decoder`](crate::Decoder)) they are encoded anew.

mod columns;
mod error;
mod fields;
mod named;
mod options;
mod paths;

pub use error::{MappingError, MappingErrorKind};
pub use options::{Enums, Maps, Oneofs, Options, Presence, Recursive};

pub(crate) use columns::{Cell, Column, Content, MessageColumns, Repeat};
pub(crate) use fields::to_schema;

use arrow_schema::SchemaRef;
use tablepb::MessageDescriptor;

/// The key of the metadata with the field number.
pub const NUMBER: &str = "tablepb.number";
/// The key of the metadata with the full name of the message type.
pub const TYPE: &str = "tablepb.type";
/// The name of the column of [unknown fields](Options::unknown_fields).
pub const UNKNOWN: &str = "_unknown";
/// The name of the child of a union for a oneof of which no member is set.
pub const NONE: &str = "none";
/// The most columns that a message type may have, those in structs included.
pub const MAX_COLUMNS: usize = 1 << 16;
/// The most levels of structs in each other.
pub const MAX_NESTING: usize = 100;

/// The schema of the batches of a message type, or of the fields at the end of some paths. Without paths it has all fields.
///
/// Paths are those of [`tablepb::partial::Projection`]: field names with dots between them, extensions in brackets. A path that ends at a message or a map
/// selects all of it; `labels.value.x` selects one field of messages in a map, beside the keys.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::mapping::{Options, schema};
///
/// static LOG: MessageTable = MessageTable::new(
///     "example.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32).optional()],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let schema = schema(&log, &Options::new(), &[])?;
/// assert_eq!(schema.field(0).data_type(), &arrow_schema::DataType::Utf8View);
/// assert!(!schema.field(0).is_nullable() && schema.field(1).is_nullable());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A path that names no field, two columns of one name, too many columns: see [`MappingErrorKind`].
pub fn schema(
    descriptor: &MessageDescriptor,
    options: &Options,
    paths: &[&str],
) -> Result<SchemaRef, MappingError> {
    let columns = MessageColumns::new(descriptor, options, paths)?;
    Ok(to_schema(&columns, options))
}

#[cfg(test)]
mod tests;
