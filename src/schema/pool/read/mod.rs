//! Descriptor sets, read from the wire: one definition at a time, borrowed from the input.
//!
//! Field numbers are those of descriptor.proto. Nested definitions (the fields of a message, the values of an enum) are
//! not collected: callers iterate over them with [`children`]. So reading allocates nothing and does not recurse. The
//! usual rules hold: a field of another wire type or a number that a closed enum does not list is an unknown field,
//! the last value of a singular field counts, and messages are merged.

mod fields;
mod options;

pub(in crate::schema::pool) use fields::{
    Children, all_children, check_set, children, ints, located, looks_like_a_file, text,
};
pub(in crate::schema::pool) use options::Options;

use super::Result;
use super::model::edition::{Edition, label, type_code};
use super::model::features::{Features, FieldPresence};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use fields::{FieldValue, each};
use options::Of;

/// `FileDescriptorProto`.
pub(in crate::schema::pool) struct FileDef<'i> {
    pub(in crate::schema::pool) bytes: &'i [u8],
    pub(in crate::schema::pool) name: &'i str,
    pub(in crate::schema::pool) package: &'i str,
    pub(in crate::schema::pool) edition: Edition,
    pub(in crate::schema::pool) options: Options<'i>,
}

/// Numbers of the repeated fields of `FileDescriptorProto`.
pub(in crate::schema::pool) mod file {
    pub(in crate::schema::pool) const DEPENDENCY: u32 = 3;
    pub(in crate::schema::pool) const MESSAGE: u32 = 4;
    pub(in crate::schema::pool) const ENUM: u32 = 5;
    pub(in crate::schema::pool) const SERVICE: u32 = 6;
    pub(in crate::schema::pool) const EXTENSION: u32 = 7;
    pub(in crate::schema::pool) const PUBLIC_DEPENDENCY: u32 = 10;
    pub(in crate::schema::pool) const WEAK_DEPENDENCY: u32 = 11;
    pub(in crate::schema::pool) const OPTION_DEPENDENCY: u32 = 15;
}

/// Name and package of a file.
pub(in crate::schema::pool) fn file_names(bytes: &[u8]) -> Result<(&str, &str)> {
    let (mut name, mut package) = (&b""[..], &b""[..]);
    each(bytes, &mut |number, value| {
        match (number, value) {
            (1, FieldValue::Bytes(value)) => name = value,
            (2, FieldValue::Bytes(value)) => package = value,
            _ => {}
        }
        Ok(())
    })?;
    Ok((text(name)?, text(package)?))
}

impl<'i> FileDef<'i> {
    /// The features of the file: the defaults of its edition with the overrides of its options.
    pub(in crate::schema::pool) fn features(&self) -> Features {
        Features::of_edition(self.edition).with(self.options.features)
    }

    pub(in crate::schema::pool) fn read(bytes: &'i [u8]) -> Result<Self> {
        let (name, package) = file_names(bytes)?;
        let (mut syntax, mut edition) = (&b""[..], None);
        each(bytes, &mut |number, value| {
            match (number, value) {
                (9, FieldValue::Bytes(info)) => source_info(info)?,
                (12, FieldValue::Bytes(value)) => syntax = value,
                (14, FieldValue::Int(value)) if Edition::is_number(value as i32) => {
                    edition = Some(value as i32)
                }
                _ => {}
            }
            Ok(())
        })?;
        let syntax = text(syntax)?;
        let Some(edition) = Edition::from_proto(syntax, edition) else {
            return Err(DescriptorError::new(
                DescriptorErrorKind::UnsupportedEdition,
                "",
                format_args!("syntax {syntax:?}, edition {}", edition.unwrap_or(0)),
            ));
        };
        let options = Options::read(bytes, 8, Of::File)?;
        Ok(Self { bytes, name, package, edition, options })
    }
}

/// Checks `SourceCodeInfo`, which is not used otherwise: a set with malformed parts is refused.
fn source_info(bytes: &[u8]) -> Result<()> {
    each(bytes, &mut |number, value| match value {
        FieldValue::Bytes(location) if number == 1 => {
            each(location, &mut |_, _| Ok(()))?;
            ints(location, 1, &mut |_| Ok(()))?;
            ints(location, 2, &mut |_| Ok(()))
        }
        _ => Ok(()),
    })
}

/// `DescriptorProto`.
pub(in crate::schema::pool) struct MessageDef<'i> {
    pub(in crate::schema::pool) bytes: &'i [u8],
    pub(in crate::schema::pool) name: &'i str,
    pub(in crate::schema::pool) options: Options<'i>,
    pub(in crate::schema::pool) visibility: u8,
    /// The fields that it has, a bit for each number.
    has: u32,
}

/// Numbers of the repeated fields of `DescriptorProto`.
pub(in crate::schema::pool) mod message {
    pub(in crate::schema::pool) const FIELD: u32 = 2;
    pub(in crate::schema::pool) const MESSAGE: u32 = 3;
    pub(in crate::schema::pool) const ENUM: u32 = 4;
    pub(in crate::schema::pool) const EXTENSION_RANGE: u32 = 5;
    pub(in crate::schema::pool) const EXTENSION: u32 = 6;
    pub(in crate::schema::pool) const ONEOF: u32 = 8;
    pub(in crate::schema::pool) const RESERVED_RANGE: u32 = 9;
    pub(in crate::schema::pool) const RESERVED_NAME: u32 = 10;
}

impl<'i> MessageDef<'i> {
    pub(in crate::schema::pool) fn read(bytes: &'i [u8]) -> Result<Self> {
        let (name, visibility, has) = head(bytes, 11)?;
        let options = Options::read(part(bytes, has, 7), 7, Of::Message)?;
        Ok(Self { bytes, name, options, visibility, has })
    }

    /// The bytes in which to look for the parts of one number: none if it has no such part.
    pub(in crate::schema::pool) fn part(&self, number: u32) -> &'i [u8] {
        part(self.bytes, self.has, number)
    }

    /// The parts of one number.
    pub(in crate::schema::pool) fn children(&self, number: u32) -> Children<'i> {
        children(self.part(number), number)
    }
}

/// The bit of a field in the set of those that a definition has. Most have few, so that most lists need not be looked for.
fn bit(number: u32) -> u32 {
    1u32.checked_shl(number).unwrap_or(0)
}

fn part(bytes: &[u8], has: u32, number: u32) -> &[u8] {
    if has & bit(number) == 0 { &[] } else { bytes }
}

/// Name, `SymbolVisibility`, and the fields that there are.
fn head(bytes: &[u8], visibility_number: u32) -> Result<(&str, u8, u32)> {
    let (mut name, mut visibility, mut has) = (&b""[..], 0, 0);
    each(bytes, &mut |number, value| {
        has |= bit(number);
        match (number, value) {
            (1, FieldValue::Bytes(value)) => name = value,
            (number, FieldValue::Int(value)) if number == visibility_number => {
                visibility = u8::try_from(value).ok().filter(|v| *v <= 2).unwrap_or(visibility);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((text(name)?, visibility, has))
}

/// `OneofDescriptorProto`.
pub(in crate::schema::pool) fn oneof(bytes: &[u8]) -> Result<(&str, Options<'_>)> {
    let (name, _, has) = head(bytes, 0)?;
    Ok((name, Options::read(part(bytes, has, 2), 2, Of::Oneof)?))
}

/// `DescriptorProto.ExtensionRange`, `DescriptorProto.ReservedRange`, `EnumDescriptorProto.EnumReservedRange`: its first
/// two fields.
pub(in crate::schema::pool) fn range(bytes: &[u8]) -> Result<(i32, i32)> {
    let mut range = (0, 0);
    each(bytes, &mut |number, value| {
        match (number, value) {
            (1, FieldValue::Int(value)) => range.0 = value as i32,
            (2, FieldValue::Int(value)) => range.1 = value as i32,
            _ => {}
        }
        Ok(())
    })?;
    Ok(range)
}

/// The options of a `DescriptorProto.ExtensionRange`.
pub(in crate::schema::pool) fn range_options(bytes: &[u8]) -> Result<Options<'_>> {
    Options::read(bytes, 3, Of::ExtensionRange)
}

/// `FieldDescriptorProto`.
#[derive(Default)]
pub(in crate::schema::pool) struct FieldDef<'i> {
    pub(in crate::schema::pool) name: &'i str,
    pub(in crate::schema::pool) number: i32,
    /// 0 if it is not set.
    pub(in crate::schema::pool) label: i32,
    /// 0 if only `type_name` gives the type.
    pub(in crate::schema::pool) type_code: i32,
    pub(in crate::schema::pool) type_name: &'i str,
    pub(in crate::schema::pool) extendee: Option<&'i str>,
    pub(in crate::schema::pool) default: Option<&'i str>,
    pub(in crate::schema::pool) oneof_index: Option<i32>,
    pub(in crate::schema::pool) json_name: Option<&'i str>,
    pub(in crate::schema::pool) proto3_optional: bool,
    pub(in crate::schema::pool) options: Options<'i>,
}

impl<'i> FieldDef<'i> {
    /// The features of the field: `outer`, overridden by its options and by the older spellings of proto2 and proto3.
    pub(in crate::schema::pool) fn features(&self, outer: Features, edition: Edition) -> Features {
        let mut features = outer.with(self.options.features);
        if edition.is_legacy() {
            if let Some(packed) = self.options.packed {
                features.packed = packed;
            }
            if self.label == label::REQUIRED {
                features.field_presence = FieldPresence::LegacyRequired;
            }
            if self.proto3_optional {
                features.field_presence = FieldPresence::Explicit;
            }
        }
        if self.type_code == type_code::GROUP {
            features.delimited = true;
        }
        features
    }

    pub(in crate::schema::pool) fn read(bytes: &'i [u8]) -> Result<Self> {
        let (mut this, mut has) = (Self::default(), 0);
        each(bytes, &mut |number, value| {
            has |= bit(number);
            match (number, value) {
                (1, FieldValue::Bytes(value)) => this.name = text(value)?,
                (2, FieldValue::Bytes(value)) => this.extendee = Some(text(value)?),
                (3, FieldValue::Int(value)) => this.number = value as i32,
                (4, FieldValue::Int(value)) if (1..=3).contains(&(value as i32)) => this.label = value as i32,
                (5, FieldValue::Int(value)) if (1..=18).contains(&(value as i32)) => {
                    this.type_code = value as i32
                }
                (6, FieldValue::Bytes(value)) => this.type_name = text(value)?,
                (7, FieldValue::Bytes(value)) => this.default = Some(text(value)?),
                (9, FieldValue::Int(value)) => this.oneof_index = Some(value as i32),
                (10, FieldValue::Bytes(value)) => this.json_name = Some(text(value)?),
                (17, FieldValue::Int(value)) => this.proto3_optional = value != 0,
                _ => {}
            }
            Ok(())
        })?;
        this.options = Options::read(part(bytes, has, 8), 8, Of::Field)?;
        Ok(this)
    }
}

/// `EnumDescriptorProto`.
pub(in crate::schema::pool) struct EnumDef<'i> {
    pub(in crate::schema::pool) name: &'i str,
    pub(in crate::schema::pool) options: Options<'i>,
    pub(in crate::schema::pool) visibility: u8,
    bytes: &'i [u8],
    has: u32,
}

/// Numbers of the repeated fields of `EnumDescriptorProto`.
pub(in crate::schema::pool) mod enumeration {
    pub(in crate::schema::pool) const VALUE: u32 = 2;
    pub(in crate::schema::pool) const RESERVED_RANGE: u32 = 4;
    pub(in crate::schema::pool) const RESERVED_NAME: u32 = 5;
}

impl<'i> EnumDef<'i> {
    pub(in crate::schema::pool) fn read(bytes: &'i [u8]) -> Result<Self> {
        let (name, visibility, has) = head(bytes, 6)?;
        let options = Options::read(part(bytes, has, 3), 3, Of::Enum)?;
        Ok(Self { name, options, visibility, bytes, has })
    }
}

impl<'i> EnumDef<'i> {
    /// The bytes in which to look for the parts of one number.
    pub(in crate::schema::pool) fn part(&self, number: u32) -> &'i [u8] {
        part(self.bytes, self.has, number)
    }
}

/// `EnumValueDescriptorProto`: name, number and options.
pub(in crate::schema::pool) fn enum_value(bytes: &[u8]) -> Result<(&str, i32, Options<'_>)> {
    let (mut name, mut number, mut has) = (&b""[..], 0, 0);
    each(bytes, &mut |n, value| {
        has |= bit(n);
        match (n, value) {
            (1, FieldValue::Bytes(value)) => name = value,
            (2, FieldValue::Int(value)) => number = value as i32,
            _ => {}
        }
        Ok(())
    })?;
    Ok((text(name)?, number, Options::read(part(bytes, has, 3), 3, Of::EnumValue)?))
}

/// Number of the methods in `ServiceDescriptorProto`.
pub(in crate::schema::pool) const METHOD: u32 = 2;

pub(in crate::schema::pool) fn service(bytes: &[u8]) -> Result<(&str, Options<'_>)> {
    Ok((head(bytes, 0)?.0, Options::read(bytes, 3, Of::Service)?))
}

/// `MethodDescriptorProto`.
#[derive(Default)]
pub(in crate::schema::pool) struct MethodDef<'i> {
    pub(in crate::schema::pool) name: &'i str,
    pub(in crate::schema::pool) input: &'i str,
    pub(in crate::schema::pool) output: &'i str,
    pub(in crate::schema::pool) client_streaming: bool,
    pub(in crate::schema::pool) server_streaming: bool,
    pub(in crate::schema::pool) options: Options<'i>,
}

impl<'i> MethodDef<'i> {
    pub(in crate::schema::pool) fn read(bytes: &'i [u8]) -> Result<Self> {
        let mut this = Self::default();
        each(bytes, &mut |number, value| {
            match (number, value) {
                (1, FieldValue::Bytes(value)) => this.name = text(value)?,
                (2, FieldValue::Bytes(value)) => this.input = text(value)?,
                (3, FieldValue::Bytes(value)) => this.output = text(value)?,
                (5, FieldValue::Int(value)) => this.client_streaming = value != 0,
                (6, FieldValue::Int(value)) => this.server_streaming = value != 0,
                _ => {}
            }
            Ok(())
        })?;
        this.options = Options::read(bytes, 4, Of::Method)?;
        Ok(this)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_spellings_are_features() {
        let field = FieldDef { label: label::REQUIRED, type_code: type_code::GROUP, ..Default::default() };
        let features = field.features(Features::of_edition(Edition::Proto2), Edition::Proto2);
        assert_eq!(features.field_presence, FieldPresence::LegacyRequired);
        assert!(features.delimited);
        let mut packed = FieldDef::default();
        packed.options.packed = Some(false);
        assert!(!packed.features(Features::of_edition(Edition::Proto3), Edition::Proto3).packed);
        let optional = FieldDef { proto3_optional: true, ..Default::default() };
        let features = optional.features(Features::of_edition(Edition::Proto3), Edition::Proto3);
        assert_eq!(features.field_presence, FieldPresence::Explicit);
    }
}
