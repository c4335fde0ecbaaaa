//! Editions, and the codes of descriptor.proto for labels and types.

/// The language version of a file.
///
/// Ordered from oldest to newest; proto2 and proto3 are the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Edition {
    /// `syntax = "proto2"`, or no `syntax` line.
    Proto2,
    /// `syntax = "proto3"`.
    Proto3,
    /// `edition = "2023"`.
    Edition2023,
    /// `edition = "2024"`.
    Edition2024,
    /// `edition = "2026"`.
    Edition2026,
    /// `edition = "UNSTABLE"`, for features under development; treated as 2026.
    Unstable,
}

impl Edition {
    /// The edition for the fields `syntax` and `edition` of a `FileDescriptorProto`, or `None` if it is unknown.
    pub(in crate::schema::pool) fn from_proto(syntax: &str, edition: Option<i32>) -> Option<Self> {
        match (syntax, edition.unwrap_or(0)) {
            // A file with both contradicts itself.
            ("" | "proto2" | "proto3", _) if edition.is_some() => None,
            ("" | "proto2", _) => Some(Self::Proto2),
            ("proto3", _) => Some(Self::Proto3),
            ("editions", 1000) => Some(Self::Edition2023),
            ("editions", 1001) => Some(Self::Edition2024),
            ("editions", 1002) => Some(Self::Edition2026),
            ("editions", 9999) => Some(Self::Unstable),
            _ => None,
        }
    }

    /// Whether `google.protobuf.Edition` lists the number.
    pub(in crate::schema::pool) const fn is_number(number: i32) -> bool {
        matches!(number, 0..=2 | 900 | 998..=1002 | 9999 | 99_997..=99_999 | i32::MAX)
    }

    /// The `syntax` field of `FileDescriptorProto`: `"proto2"`, `"proto3"` or `"editions"`.
    #[must_use]
    pub const fn syntax(self) -> &'static str {
        match self {
            Self::Proto2 => "proto2",
            Self::Proto3 => "proto3",
            _ => "editions",
        }
    }

    /// The number in the enum `google.protobuf.Edition`.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Proto2 => 998,
            Self::Proto3 => 999,
            Self::Edition2023 => 1000,
            Self::Edition2024 => 1001,
            Self::Edition2026 => 1002,
            Self::Unstable => 9999,
        }
    }

    /// True for proto2, which protoc writes as no syntax at all.
    pub(in crate::schema::pool) const fn is_default_syntax(self) -> bool {
        matches!(self, Self::Proto2)
    }

    /// True for proto2 and proto3.
    pub(in crate::schema::pool) const fn is_legacy(self) -> bool {
        matches!(self, Self::Proto2 | Self::Proto3)
    }
}

/// `FieldDescriptorProto.Label`.
pub(in crate::schema::pool) mod label {
    pub(in crate::schema::pool) const OPTIONAL: i32 = 1;
    pub(in crate::schema::pool) const REQUIRED: i32 = 2;
    pub(in crate::schema::pool) const REPEATED: i32 = 3;
}

/// The codes of `FieldDescriptorProto.Type` that the code refers to by name.
pub(in crate::schema::pool) mod type_code {
    use crate::schema::table::Kind;

    pub(in crate::schema::pool) const GROUP: i32 = 10;
    pub(in crate::schema::pool) const MESSAGE: i32 = 11;
    pub(in crate::schema::pool) const ENUM: i32 = 14;

    /// The kind of a scalar, `string` or `bytes`; `None` for the other types.
    pub(in crate::schema::pool) fn scalar<M, E>(code: i32) -> Option<Kind<M, E>> {
        Some(match code {
            1 => Kind::Double,
            2 => Kind::Float,
            3 => Kind::Int64,
            4 => Kind::Uint64,
            5 => Kind::Int32,
            6 => Kind::Fixed64,
            7 => Kind::Fixed32,
            8 => Kind::Bool,
            9 => Kind::String,
            12 => Kind::Bytes,
            13 => Kind::Uint32,
            15 => Kind::Sfixed32,
            16 => Kind::Sfixed64,
            17 => Kind::Sint32,
            18 => Kind::Sint64,
            _ => return None,
        })
    }

    /// The code of a kind; for messages that of `TYPE_MESSAGE`, not of `TYPE_GROUP`.
    pub(in crate::schema::pool) fn of<M, E>(kind: &Kind<M, E>) -> i32 {
        match kind {
            Kind::Double => 1,
            Kind::Float => 2,
            Kind::Int64 => 3,
            Kind::Uint64 => 4,
            Kind::Int32 => 5,
            Kind::Fixed64 => 6,
            Kind::Fixed32 => 7,
            Kind::Bool => 8,
            Kind::String => 9,
            Kind::Message(_) => MESSAGE,
            Kind::Bytes => 12,
            Kind::Uint32 => 13,
            Kind::Enum(_) => ENUM,
            Kind::Sfixed32 => 15,
            Kind::Sfixed64 => 16,
            Kind::Sint32 => 17,
            Kind::Sint64 => 18,
        }
    }
}
