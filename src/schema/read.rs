//! Descriptor sets, read from the wire: one definition at a time, borrowed from the input.
//!
//! Field numbers are those of descriptor.proto. What a definition holds of others (the fields of a message, the
//! values of an enum) is not collected but found again where it is needed ([`children`]), so reading takes no
//! memory of its own, whatever the input; nothing here recurses. As everywhere, a field of another wire type or a
//! number that a closed enum does not list is an unknown field, and of a singular field that comes again the last
//! value counts, messages being merged.

use super::features::{FeatureOverrides, FeatureValue};
use super::proto::Edition;
use crate::error::{DecodeError, DescriptorError, DescriptorErrorKind as Kind};
use crate::wire::{Reader, WireType};

type Result<T> = core::result::Result<T, DescriptorError>;

impl From<DecodeError> for DescriptorError {
    #[cold]
    fn from(error: DecodeError) -> Self {
        Self::malformed(error)
    }
}

/// The value of a field; descriptor.proto has no fixed-width numbers that anybody looks at.
#[derive(Clone, Copy)]
enum Value<'i> {
    Int(u64),
    Bytes(&'i [u8]),
}

/// Reads the fields of a message. Unknown ones are checked as far as skipping them does.
fn each<'i>(bytes: &'i [u8], mut field: impl FnMut(u32, Value<'i>) -> Result<()>) -> Result<()> {
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.next_tag()? {
        let value = match tag.wire_type() {
            WireType::Varint => Value::Int(reader.read_varint()?),
            WireType::LengthDelimited => Value::Bytes(reader.read_length_delimited()?),
            _ => {
                reader.skip_field(tag)?;
                continue;
            }
        };
        field(tag.number(), value)?;
    }
    Ok(())
}

/// The length-delimited fields of this number, in a message that has been read or will be.
#[derive(Clone)]
pub(super) struct Children<'i> {
    reader: Reader<'i>,
    number: u32,
}

/// The messages or strings of a repeated field.
pub(super) fn children(bytes: &[u8], number: u32) -> Children<'_> {
    Children { reader: Reader::new(bytes), number }
}

impl<'i> Iterator for Children<'i> {
    type Item = &'i [u8];

    fn next(&mut self) -> Option<&'i [u8]> {
        loop {
            let tag = self.reader.next_tag().ok()??;
            if (tag.number(), tag.wire_type()) == (self.number, WireType::LengthDelimited) {
                return self.reader.read_length_delimited().ok();
            }
            self.reader.skip_field(tag).ok()?;
        }
    }
}

/// Checks that a set is a message, and counts its files and their bytes.
pub(super) fn check_set(set: &[u8]) -> Result<()> {
    each(set, |_, _| Ok(()))
}

/// descriptor.proto is proto2, whose strings may be anything; these must be UTF-8.
pub(super) fn text(bytes: &[u8]) -> Result<&str> {
    core::str::from_utf8(bytes).map_err(|_| {
        DescriptorError::new(Kind::InvalidName, "", format_args!("not UTF-8: \"{}\"", bytes.escape_ascii()))
    })
}

/// Calls with each number of a repeated int32, packed or not.
pub(super) fn ints(bytes: &[u8], number: u32, mut int: impl FnMut(i32) -> Result<()>) -> Result<()> {
    each(bytes, |n, value| match value {
        Value::Int(value) if n == number => int(value as i32),
        Value::Bytes(packed) if n == number => {
            let mut reader = Reader::new(packed);
            while !reader.is_empty() {
                int(reader.read_varint()? as i32)?;
            }
            Ok(())
        }
        _ => Ok(()),
    })
}

/// `FileDescriptorProto`.
pub(super) struct File<'i> {
    pub(super) bytes: &'i [u8],
    pub(super) name: &'i str,
    pub(super) package: &'i str,
    pub(super) edition: Edition,
    pub(super) options: Options<'i>,
}

/// Numbers of what `FileDescriptorProto` repeats.
pub(super) mod file {
    pub(in crate::schema) const DEPENDENCY: u32 = 3;
    pub(in crate::schema) const MESSAGE: u32 = 4;
    pub(in crate::schema) const ENUM: u32 = 5;
    pub(in crate::schema) const SERVICE: u32 = 6;
    pub(in crate::schema) const EXTENSION: u32 = 7;
    pub(in crate::schema) const PUBLIC_DEPENDENCY: u32 = 10;
    pub(in crate::schema) const WEAK_DEPENDENCY: u32 = 11;
    pub(in crate::schema) const OPTION_DEPENDENCY: u32 = 15;
}

/// Name and package of a file.
pub(super) fn file_names(bytes: &[u8]) -> Result<(&str, &str)> {
    let (mut name, mut package) = (&b""[..], &b""[..]);
    each(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(value)) => name = value,
            (2, Value::Bytes(value)) => package = value,
            _ => {}
        }
        Ok(())
    })?;
    Ok((text(name)?, text(package)?))
}

impl<'i> File<'i> {
    pub(super) fn read(bytes: &'i [u8]) -> Result<Self> {
        let (name, package) = file_names(bytes)?;
        let (mut syntax, mut edition) = (&b""[..], None);
        each(bytes, |number, value| {
            match (number, value) {
                (9, Value::Bytes(info)) => source_info(info)?,
                (12, Value::Bytes(value)) => syntax = value,
                (14, Value::Int(value)) if Edition::is_number(value as i32) => edition = Some(value as i32),
                _ => {}
            }
            Ok(())
        })?;
        let syntax = text(syntax)?;
        let Some(edition) = Edition::from_proto(syntax, edition) else {
            return Err(DescriptorError::new(
                Kind::UnsupportedEdition,
                "",
                format_args!("syntax {syntax:?}, edition {}", edition.unwrap_or(0)),
            ));
        };
        let options = Options::read(bytes, 8, Of::File)?;
        Ok(Self { bytes, name, package, edition, options })
    }
}

/// Nobody looks there, but a set in which it is broken is broken.
fn source_info(bytes: &[u8]) -> Result<()> {
    each(bytes, |number, value| match value {
        Value::Bytes(location) if number == 1 => {
            each(location, |_, _| Ok(()))?;
            ints(location, 1, |_| Ok(()))?;
            ints(location, 2, |_| Ok(()))
        }
        _ => Ok(()),
    })
}

/// `DescriptorProto`.
pub(super) struct Message<'i> {
    pub(super) bytes: &'i [u8],
    pub(super) name: &'i str,
    pub(super) options: Options<'i>,
    pub(super) visibility: u8,
}

/// Numbers of what `DescriptorProto` repeats.
pub(super) mod message {
    pub(in crate::schema) const FIELD: u32 = 2;
    pub(in crate::schema) const MESSAGE: u32 = 3;
    pub(in crate::schema) const ENUM: u32 = 4;
    pub(in crate::schema) const EXTENSION_RANGE: u32 = 5;
    pub(in crate::schema) const EXTENSION: u32 = 6;
    pub(in crate::schema) const ONEOF: u32 = 8;
    pub(in crate::schema) const RESERVED_RANGE: u32 = 9;
    pub(in crate::schema) const RESERVED_NAME: u32 = 10;
}

impl<'i> Message<'i> {
    pub(super) fn read(bytes: &'i [u8]) -> Result<Self> {
        let (name, visibility) = head(bytes, 11)?;
        Ok(Self { bytes, name, options: Options::read(bytes, 7, Of::Message)?, visibility })
    }
}

/// Name and `SymbolVisibility`.
fn head(bytes: &[u8], visibility_number: u32) -> Result<(&str, u8)> {
    let (mut name, mut visibility) = (&b""[..], 0);
    each(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(value)) => name = value,
            (number, Value::Int(value)) if number == visibility_number => {
                visibility = u8::try_from(value).ok().filter(|v| *v <= 2).unwrap_or(visibility);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((text(name)?, visibility))
}

/// `OneofDescriptorProto`.
pub(super) fn oneof(bytes: &[u8]) -> Result<(&str, Options<'_>)> {
    Ok((head(bytes, 0)?.0, Options::read(bytes, 2, Of::Oneof)?))
}

/// `DescriptorProto.ExtensionRange`, `DescriptorProto.ReservedRange`, `EnumDescriptorProto.EnumReservedRange`: its first
/// two fields.
pub(super) fn range(bytes: &[u8]) -> Result<(i32, i32)> {
    let mut range = (0, 0);
    each(bytes, |number, value| {
        match (number, value) {
            (1, Value::Int(value)) => range.0 = value as i32,
            (2, Value::Int(value)) => range.1 = value as i32,
            _ => {}
        }
        Ok(())
    })?;
    Ok(range)
}

/// The options of a `DescriptorProto.ExtensionRange`.
pub(super) fn range_options(bytes: &[u8]) -> Result<Options<'_>> {
    Options::read(bytes, 3, Of::ExtensionRange)
}

/// `FieldDescriptorProto`.
#[derive(Default)]
pub(super) struct Field<'i> {
    pub(super) name: &'i str,
    pub(super) number: i32,
    /// 0 if there is none.
    pub(super) label: i32,
    /// 0 when the type is to be taken from `type_name`.
    pub(super) type_code: i32,
    pub(super) type_name: &'i str,
    pub(super) extendee: Option<&'i str>,
    pub(super) default: Option<&'i str>,
    pub(super) oneof_index: Option<i32>,
    pub(super) json_name: Option<&'i str>,
    pub(super) proto3_optional: bool,
    pub(super) options: Options<'i>,
}

impl<'i> Field<'i> {
    pub(super) fn read(bytes: &'i [u8]) -> Result<Self> {
        let mut this = Self::default();
        each(bytes, |number, value| {
            match (number, value) {
                (1, Value::Bytes(value)) => this.name = text(value)?,
                (2, Value::Bytes(value)) => this.extendee = Some(text(value)?),
                (3, Value::Int(value)) => this.number = value as i32,
                (4, Value::Int(value)) if (1..=3).contains(&(value as i32)) => this.label = value as i32,
                (5, Value::Int(value)) if (1..=18).contains(&(value as i32)) => this.type_code = value as i32,
                (6, Value::Bytes(value)) => this.type_name = text(value)?,
                (7, Value::Bytes(value)) => this.default = Some(text(value)?),
                (9, Value::Int(value)) => this.oneof_index = Some(value as i32),
                (10, Value::Bytes(value)) => this.json_name = Some(text(value)?),
                (17, Value::Int(value)) => this.proto3_optional = value != 0,
                _ => {}
            }
            Ok(())
        })?;
        this.options = Options::read(bytes, 8, Of::Field)?;
        Ok(this)
    }
}

/// `EnumDescriptorProto`.
pub(super) struct Enum<'i> {
    pub(super) name: &'i str,
    pub(super) options: Options<'i>,
    pub(super) visibility: u8,
}

/// Numbers of what `EnumDescriptorProto` repeats.
pub(super) mod enumeration {
    pub(in crate::schema) const VALUE: u32 = 2;
    pub(in crate::schema) const RESERVED_RANGE: u32 = 4;
    pub(in crate::schema) const RESERVED_NAME: u32 = 5;
}

impl<'i> Enum<'i> {
    pub(super) fn read(bytes: &'i [u8]) -> Result<Self> {
        let (name, visibility) = head(bytes, 6)?;
        Ok(Self { name, options: Options::read(bytes, 3, Of::Enum)?, visibility })
    }
}

/// `EnumValueDescriptorProto`: name, number and options.
pub(super) fn enum_value(bytes: &[u8]) -> Result<(&str, i32, Options<'_>)> {
    let (mut name, mut number) = (&b""[..], 0);
    each(bytes, |n, value| {
        match (n, value) {
            (1, Value::Bytes(value)) => name = value,
            (2, Value::Int(value)) => number = value as i32,
            _ => {}
        }
        Ok(())
    })?;
    Ok((text(name)?, number, Options::read(bytes, 3, Of::EnumValue)?))
}

/// `ServiceDescriptorProto`, which repeats its methods in this number.
pub(super) const METHOD: u32 = 2;

pub(super) fn service(bytes: &[u8]) -> Result<(&str, Options<'_>)> {
    Ok((head(bytes, 0)?.0, Options::read(bytes, 3, Of::Service)?))
}

/// `MethodDescriptorProto`.
#[derive(Default)]
pub(super) struct Method<'i> {
    pub(super) name: &'i str,
    pub(super) input: &'i str,
    pub(super) output: &'i str,
    pub(super) client_streaming: bool,
    pub(super) server_streaming: bool,
    pub(super) options: Options<'i>,
}

impl<'i> Method<'i> {
    pub(super) fn read(bytes: &'i [u8]) -> Result<Self> {
        let mut this = Self::default();
        each(bytes, |number, value| {
            match (number, value) {
                (1, Value::Bytes(value)) => this.name = text(value)?,
                (2, Value::Bytes(value)) => this.input = text(value)?,
                (3, Value::Bytes(value)) => this.output = text(value)?,
                (5, Value::Int(value)) => this.client_streaming = value != 0,
                (6, Value::Int(value)) => this.server_streaming = value != 0,
                _ => {}
            }
            Ok(())
        })?;
        this.options = Options::read(bytes, 4, Of::Method)?;
        Ok(this)
    }
}

/// What options are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    File,
    Message,
    Field,
    Oneof,
    Enum,
    EnumValue,
    ExtensionRange,
    Service,
    Method,
}

/// Any of the `...Options` messages: where it is, and what changes the meaning of a definition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options<'i> {
    /// The message that has the options in fields of this number, and how often.
    pub(super) holder: &'i [u8],
    pub(super) number: u32,
    pub(super) occurrences: usize,
    pub(super) features: FeatureOverrides,
    /// There is a `features` message.
    pub(super) has_features: bool,
    /// A feature is set to what stands for nothing.
    pub(super) unknown_feature: bool,
    pub(super) deprecated: bool,
    /// `FieldOptions.packed`.
    pub(super) packed: Option<bool>,
    /// `MessageOptions.map_entry`.
    pub(super) map_entry: bool,
    /// `MessageOptions.message_set_wire_format`.
    pub(super) message_set: bool,
    /// `EnumOptions.allow_alias`.
    pub(super) allow_alias: bool,
    /// `deprecated_legacy_json_field_conflicts`.
    pub(super) legacy_json: bool,
    /// `FileOptions.java_string_check_utf8`.
    pub(super) java_utf8: bool,
}

impl<'i> Options<'i> {
    fn read(holder: &'i [u8], number: u32, of: Of) -> Result<Self> {
        let mut this = Self { holder, number, ..Self::default() };
        for piece in this.pieces() {
            this.occurrences += 1;
            each(piece, |number, value| this.option(of, number, value))?;
        }
        Ok(this)
    }

    /// The bytes of each time that the options come, which together are one message.
    pub(super) fn pieces(&self) -> Children<'i> {
        children(self.holder, self.number)
    }

    fn option(&mut self, of: Of, number: u32, value: Value<'_>) -> Result<()> {
        let (features, deprecated) = match of {
            Of::File => (50, 23),
            Of::Message => (12, 3),
            Of::Field => (21, 3),
            Of::Oneof => (1, 0),
            Of::Enum => (7, 3),
            Of::EnumValue => (2, 1),
            Of::ExtensionRange => (50, 0),
            Of::Service => (34, 33),
            Of::Method => (35, 33),
        };
        match value {
            Value::Bytes(set) if number == features => {
                self.has_features = true;
                each(set, |number, value| self.feature(number, value))?;
            }
            // Messages that nobody looks into: `UninterpretedOption`, `EditionDefault`, `FeatureSupport`, `Declaration`.
            Value::Bytes(option) if number == 999 => each(option, |number, value| match value {
                Value::Bytes(part) if number == 2 => each(part, |_, _| Ok(())),
                _ => Ok(()),
            })?,
            Value::Bytes(inner) => {
                if matches!((of, number), (Of::Field, 20 | 22) | (Of::EnumValue, 4) | (Of::ExtensionRange, 2))
                {
                    each(inner, |_, _| Ok(()))?;
                }
            }
            Value::Int(value) => {
                let on = value != 0;
                match (of, number) {
                    _ if number == deprecated => self.deprecated = on,
                    (Of::File, 27) => self.java_utf8 = on,
                    (Of::Message, 1) => self.message_set = on,
                    (Of::Message, 7) => self.map_entry = on,
                    (Of::Message, 11) | (Of::Enum, 6) => self.legacy_json = on,
                    (Of::Field, 2) => self.packed = Some(on),
                    (Of::Enum, 2) => self.allow_alias = on,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// One field of `google.protobuf.FeatureSet`.
    fn feature(&mut self, number: u32, value: Value<'_>) -> Result<()> {
        match value {
            Value::Int(value) => match self.features.set(number, value as i32) {
                FeatureValue::Known => {}
                FeatureValue::Nothing => self.unknown_feature = true,
            },
            // `FeatureSet.VisibilityFeature` has no fields, and extensions are for code generators.
            Value::Bytes(_) => {}
        }
        Ok(())
    }
}
