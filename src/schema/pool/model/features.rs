//! Features: the rules that a definition follows.
//!
//! A definition inherits the features of the enclosing definition and overrides those that its options set. A file
//! starts with the defaults of its edition, <https://protobuf.dev/editions/features/>. proto2 and proto3 are treated
//! as editions: their older spellings (`packed`, `required`, groups, `optional` in proto3) become features. Features
//! are private to `schema`; descriptors answer questions like `supports_presence` instead.

/// `features.field_presence`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema::pool) enum FieldPresence {
    Explicit,
    Implicit,
    LegacyRequired,
}

/// `features.message_encoding`, `enum_type` and so on: the features that matter at run time, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema::pool) struct Features {
    pub(in crate::schema::pool) field_presence: FieldPresence,
    pub(in crate::schema::pool) closed_enum: bool,
    pub(in crate::schema::pool) packed: bool,
    pub(in crate::schema::pool) verify_utf8: bool,
    pub(in crate::schema::pool) delimited: bool,
    /// `json_format = ALLOW`: JSON names must be distinct.
    pub(in crate::schema::pool) strict_json: bool,
}

/// The features that one options message sets; `None` means inherited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::schema::pool) struct FeatureOverrides {
    pub(in crate::schema::pool) field_presence: Option<FieldPresence>,
    pub(in crate::schema::pool) closed_enum: Option<bool>,
    pub(in crate::schema::pool) packed: Option<bool>,
    pub(in crate::schema::pool) verify_utf8: Option<bool>,
    pub(in crate::schema::pool) delimited: Option<bool>,
    pub(in crate::schema::pool) strict_json: Option<bool>,
}

/// A value in a `FeatureSet`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema::pool) enum FeatureValue {
    /// A valid value, or a number that the enum does not list, which is an unknown field.
    Known,
    /// 0, the `UNKNOWN` value of the feature's enum, which is invalid.
    Nothing,
}

impl FeatureOverrides {
    /// Applies one field of `google.protobuf.FeatureSet`; unknown numbers and values change nothing.
    pub(in crate::schema::pool) fn set(&mut self, number: u32, value: i32) -> FeatureValue {
        match (number, value) {
            (1..=9, 0) => return FeatureValue::Nothing,
            (6, 1 | 2) => self.strict_json = Some(value == 1),
            (1, 1) => self.field_presence = Some(FieldPresence::Explicit),
            (1, 2) => self.field_presence = Some(FieldPresence::Implicit),
            (1, 3) => self.field_presence = Some(FieldPresence::LegacyRequired),
            (2, 1 | 2) => self.closed_enum = Some(value == 2),
            (3, 1 | 2) => self.packed = Some(value == 1),
            (4, 2 | 3) => self.verify_utf8 = Some(value == 2),
            (5, 1 | 2) => self.delimited = Some(value == 2),
            _ => {}
        }
        FeatureValue::Known
    }

    /// These overrides as (number, value) pairs of `google.protobuf.FeatureSet`.
    pub(in crate::schema::pool) fn to_numbers(self) -> impl Iterator<Item = (u32, i32)> {
        let presence = self.field_presence.map(|p| match p {
            FieldPresence::Explicit => 1,
            FieldPresence::Implicit => 2,
            FieldPresence::LegacyRequired => 3,
        });
        let pick = |choice: Option<bool>, yes, no| choice.map(|c| if c { yes } else { no });
        [
            (1, presence),
            (2, pick(self.closed_enum, 2, 1)),
            (3, pick(self.packed, 1, 2)),
            (4, pick(self.verify_utf8, 2, 3)),
            (5, pick(self.delimited, 2, 1)),
            (6, pick(self.strict_json, 1, 2)),
        ]
        .into_iter()
        .filter_map(|(number, value)| Some((number, value?)))
    }
}

impl Features {
    /// The defaults of an edition, from the `edition_defaults` in descriptor.proto.
    pub(in crate::schema::pool) fn of_edition(edition: Edition) -> Self {
        match edition {
            Edition::Proto2 => Self {
                field_presence: FieldPresence::Explicit,
                closed_enum: true,
                packed: false,
                verify_utf8: false,
                delimited: false,
                strict_json: false,
            },
            Edition::Proto3 => Self {
                field_presence: FieldPresence::Implicit,
                closed_enum: false,
                packed: true,
                verify_utf8: true,
                delimited: false,
                strict_json: true,
            },
            Edition::Edition2023 | Edition::Edition2024 | Edition::Edition2026 | Edition::Unstable => Self {
                field_presence: FieldPresence::Explicit,
                closed_enum: false,
                packed: true,
                verify_utf8: true,
                delimited: false,
                strict_json: true,
            },
        }
    }

    /// These features with the overrides of a nested definition.
    pub(in crate::schema::pool) fn with(self, overrides: FeatureOverrides) -> Self {
        Self {
            field_presence: overrides.field_presence.unwrap_or(self.field_presence),
            closed_enum: overrides.closed_enum.unwrap_or(self.closed_enum),
            packed: overrides.packed.unwrap_or(self.packed),
            verify_utf8: overrides.verify_utf8.unwrap_or(self.verify_utf8),
            delimited: overrides.delimited.unwrap_or(self.delimited),
            strict_json: overrides.strict_json.unwrap_or(self.strict_json),
        }
    }
}

// Editions, and the codes of descriptor.proto for labels and types.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_survive_their_numbers() {
        for number in 1..=9 {
            for value in 1..=4 {
                let mut overrides = FeatureOverrides::default();
                assert_eq!(overrides.set(number, value), FeatureValue::Known);
                let known = overrides != FeatureOverrides::default();
                let pairs: alloc::vec::Vec<_> = overrides.to_numbers().collect();
                assert_eq!(pairs, if known { alloc::vec![(number, value)] } else { alloc::vec![] });
            }
        }
    }

    #[test]
    fn inner_options_win() {
        let file = Features::of_edition(Edition::Edition2023)
            .with(FeatureOverrides { delimited: Some(true), ..Default::default() });
        let message = file.with(FeatureOverrides { closed_enum: Some(true), ..Default::default() });
        let inner = message.with(FeatureOverrides { delimited: Some(false), ..Default::default() });
        assert!(file.delimited && message.delimited && message.closed_enum);
        assert!(!file.closed_enum && !inner.delimited && inner.closed_enum);
    }
}
