//! The types a field can have.

use core::fmt;

/// The type of a field, <https://protobuf.dev/programming-guides/editions/#scalar>.
///
/// `M` and `E` are the references to messages and enums: table functions in a
/// [`FieldTable`](crate::table::FieldTable), descriptors in [`FieldDescriptor::kind`](crate::FieldDescriptor::kind).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind<M, E> {
    /// `double`: IEEE 754 binary64, 8 bytes on the wire.
    Double,
    /// `float`: IEEE 754 binary32, 4 bytes on the wire.
    Float,
    /// `int32`: varint; negative values take 10 bytes.
    Int32,
    /// `int64`: varint; negative values take 10 bytes.
    Int64,
    /// `uint32`: varint, 1 to 5 bytes.
    Uint32,
    /// `uint64`: varint, 1 to 10 bytes.
    Uint64,
    /// `sint32`: zigzag varint, 1 to 5 bytes.
    Sint32,
    /// `sint64`: zigzag varint, 1 to 10 bytes.
    Sint64,
    /// `fixed32`: 4 bytes, little endian.
    Fixed32,
    /// `fixed64`: 8 bytes, little endian.
    Fixed64,
    /// `sfixed32`: 4 bytes, little endian.
    Sfixed32,
    /// `sfixed64`: 8 bytes, little endian.
    Sfixed64,
    /// `bool`: varint 0 or 1.
    Bool,
    /// `string`: UTF-8, length-delimited.
    String,
    /// `bytes`: length-delimited.
    Bytes,
    /// A message, length-delimited or as a group.
    Message(M),
    /// An enum: varint, as `int32`.
    Enum(E),
}

impl<M, E> Kind<M, E> {
    /// The wire type of one value: 0 varint, 1 fixed64, 2 length-delimited, 5 fixed32.
    ///
    /// A message field with delimited encoding (a group) uses 3 and 4 instead, which the kind does not show.
    pub const fn wire_type(&self) -> u8 {
        match self {
            Self::Double | Self::Fixed64 | Self::Sfixed64 => 1,
            Self::Float | Self::Fixed32 | Self::Sfixed32 => 5,
            Self::String | Self::Bytes | Self::Message(_) => 2,
            _ => 0,
        }
    }

    /// True for every kind that a packed field can hold: numbers, `bool` and enums.
    pub const fn is_packable(&self) -> bool {
        self.wire_type() != 2
    }

    /// True for the kinds that a map key can have: integers, `bool` and `string`.
    pub const fn is_map_key(&self) -> bool {
        !matches!(self, Self::Double | Self::Float | Self::Bytes | Self::Message(_) | Self::Enum(_))
    }

    /// The message type, if the kind is a message.
    pub const fn as_message(&self) -> Option<&M> {
        match self {
            Self::Message(message) => Some(message),
            _ => None,
        }
    }

    /// The enum, if the kind is an enum.
    pub const fn as_enum(&self) -> Option<&E> {
        match self {
            Self::Enum(number) => Some(number),
            _ => None,
        }
    }

    /// The kind's keyword in .proto source, or `"message"` and `"enum"`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Float => "float",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Sint32 => "sint32",
            Self::Sint64 => "sint64",
            Self::Fixed32 => "fixed32",
            Self::Fixed64 => "fixed64",
            Self::Sfixed32 => "sfixed32",
            Self::Sfixed64 => "sfixed64",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Message(_) => "message",
            Self::Enum(_) => "enum",
        }
    }

    /// The same kind with other references to messages and enums.
    pub fn map<M2, E2>(
        &self,
        message: impl FnOnce(&M) -> M2,
        enumeration: impl FnOnce(&E) -> E2,
    ) -> Kind<M2, E2> {
        match self {
            Self::Double => Kind::Double,
            Self::Float => Kind::Float,
            Self::Int32 => Kind::Int32,
            Self::Int64 => Kind::Int64,
            Self::Uint32 => Kind::Uint32,
            Self::Uint64 => Kind::Uint64,
            Self::Sint32 => Kind::Sint32,
            Self::Sint64 => Kind::Sint64,
            Self::Fixed32 => Kind::Fixed32,
            Self::Fixed64 => Kind::Fixed64,
            Self::Sfixed32 => Kind::Sfixed32,
            Self::Sfixed64 => Kind::Sfixed64,
            Self::Bool => Kind::Bool,
            Self::String => Kind::String,
            Self::Bytes => Kind::Bytes,
            Self::Message(m) => Kind::Message(message(m)),
            Self::Enum(e) => Kind::Enum(enumeration(e)),
        }
    }
}

impl<M, E> fmt::Debug for Kind<M, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The number of values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// At most one value.
    Optional,
    /// Exactly one value (proto2 `required`, editions `LEGACY_REQUIRED`).
    Required,
    /// Any number of values; maps too.
    Repeated,
}
