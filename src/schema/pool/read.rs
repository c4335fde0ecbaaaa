//! Descriptor sets, read from the wire: one definition at a time, borrowed from the input.
//!
//! Field numbers are those of descriptor.proto. Nested definitions (the fields of a message, the values of an enum) are
//! not collected: callers iterate over them with [`children`]. So reading allocates nothing and does not recurse. The
//! usual rules hold: a field of another wire type or a number that a closed enum does not list is an unknown field,
//! the last value of a singular field counts, and messages are merged.

use super::model::features::{
    Edition, FeatureOverrides, FeatureValue, Features, FieldPresence, label, type_code,
};
use super::{DescriptorPool, Result};
use crate::schema::table::Kind;
use crate::wire::error::{DecodeError, DescriptorError, DescriptorErrorKind, FieldPath, PathStep};
use crate::wire::{DEFAULT_DEPTH, Reader, WireType};
use alloc::vec::Vec;

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

// Iterates over the fields of an encoded message.

impl From<DecodeError> for DescriptorError {
    #[cold]
    fn from(error: DecodeError) -> Self {
        Self::malformed(error)
    }
}

/// A reader whose errors have addresses in place of offsets: [`located`] knows where the set begins.
fn reader(bytes: &[u8]) -> Reader<'_> {
    Reader::part(bytes, bytes.as_ptr().addr(), DEFAULT_DEPTH)
}

/// An error about the bytes of a set, with the offset from its start, and the fields of descriptor.proto that lead there.
#[cold]
pub(in crate::schema::pool) fn located(set: &[u8], error: DescriptorError) -> DescriptorError {
    let Some(fault) = error.decode_error() else { return error };
    let offset = fault.offset().wrapping_sub(set.as_ptr().addr());
    let fault = DecodeError::new(fault.kind(), offset).with_path(path_to(set, offset));
    DescriptorError::malformed(fault.in_message("google.protobuf.FileDescriptorSet")).in_file(error.file())
}

/// The messages around an offset, outermost first.
fn path_to(set: &[u8], offset: usize) -> FieldPath {
    let mut path = FieldPath::EMPTY;
    let pool = DescriptorPool::descriptor_proto();
    let mut message = pool.find_message("google.protobuf.FileDescriptorSet");
    let mut reader = Reader::new(set);
    while let Some(around) = message.take() {
        // How many fields of each number came before: lists of messages.
        let mut counts: Vec<u32> = Vec::new();
        while let Ok(Some(tag)) = reader.next_tag() {
            if tag.wire_type() != WireType::LengthDelimited {
                if reader.skip_field(tag).is_err() {
                    break;
                }
                continue;
            }
            // A part that ends too late is at fault itself.
            let part = reader.read_length_delimited().ok();
            let start = reader.position() - part.map_or(0, <[u8]>::len);
            let before = counts.iter().filter(|&&number| number == tag.number()).count() as u32;
            if part.is_some() && !(start..=reader.position()).contains(&offset) {
                if counts.try_reserve(1).is_ok() {
                    counts.push(tag.number());
                }
                continue;
            }
            if let Some(field) = around.get_field(tag.number())
                && let Kind::Message(inner) = field.kind()
            {
                path.push_inner(PathStep::named(
                    tag.number(),
                    field.name(),
                    field.is_list().then_some(before),
                ));
                if let Some(part) = part {
                    (message, reader) = (Some(inner), Reader::part(part, start, DEFAULT_DEPTH));
                }
            }
            break;
        }
    }
    path
}

/// The value of a field. Fixed-width fields are skipped: descriptor.proto has none that matter here.
#[derive(Clone, Copy)]
pub(super) enum FieldValue<'i> {
    Int(u64),
    Bytes(&'i [u8]),
}

/// Calls `field` with each field of a message. Fields of other wire types are skipped.
pub(super) fn each<'i>(
    bytes: &'i [u8],
    field: &mut dyn FnMut(u32, FieldValue<'i>) -> Result<()>,
) -> Result<()> {
    let mut reader = self::reader(bytes);
    while let Some(tag) = reader.next_tag()? {
        let value = match tag.wire_type() {
            WireType::Varint => FieldValue::Int(reader.read_varint()?),
            WireType::LengthDelimited => FieldValue::Bytes(reader.read_length_delimited()?),
            _ => {
                reader.skip_field(tag)?;
                continue;
            }
        };
        field(tag.number(), value)?;
    }
    Ok(())
}

/// Iterates over the length-delimited fields of one number. It stops silently at malformed bytes, which [`each`] reports
/// before or afterwards.
#[derive(Clone)]
pub(in crate::schema::pool) struct Children<'i> {
    reader: Reader<'i>,
    number: u32,
}

/// The messages or strings of a repeated field.
pub(in crate::schema::pool) fn children(bytes: &[u8], number: u32) -> Children<'_> {
    Children { reader: Reader::new(bytes), number }
}

/// All length-delimited fields with their numbers, up to the first malformed one.
pub(in crate::schema::pool) fn all_children(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut reader = Reader::new(bytes);
    core::iter::from_fn(move || {
        loop {
            let tag = reader.next_tag().ok()??;
            if tag.wire_type() == WireType::LengthDelimited {
                return Some((tag.number(), reader.read_length_delimited().ok()?));
            }
            reader.skip_field(tag).ok()?;
        }
    })
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

/// Checks that a set is a well-formed message.
pub(in crate::schema::pool) fn check_set(set: &[u8]) -> Result<()> {
    each(set, &mut |_, _| Ok(()))
}

/// Whether the bytes look like one `FileDescriptorProto`: they begin with one name, and there is more than a set has.
pub(in crate::schema::pool) fn looks_like_a_file(bytes: &[u8]) -> bool {
    let (mut names, mut others) = (0, 0);
    let read = each(bytes, &mut |number, value| {
        match (number, value) {
            (1, FieldValue::Bytes(name)) => {
                let is_name = core::str::from_utf8(name).is_ok_and(|name| !name.contains(char::is_control));
                names += if is_name { 1 } else { 2 };
            }
            (1, _) => names += 2,
            (2..=15, _) => others += 1,
            _ => {}
        }
        Ok(())
    });
    read.is_ok() && names == 1 && others > 0
}

/// A string. descriptor.proto is proto2, which does not check UTF-8, but descriptors need it.
pub(in crate::schema::pool) fn text(bytes: &[u8]) -> Result<&str> {
    core::str::from_utf8(bytes).map_err(|_| {
        DescriptorError::new(
            DescriptorErrorKind::InvalidName,
            "",
            format_args!("not UTF-8: \"{}\"", bytes.escape_ascii()),
        )
    })
}

/// Calls `int` with each value of a repeated int32 field, packed or not.
pub(in crate::schema::pool) fn ints(
    bytes: &[u8],
    number: u32,
    int: &mut dyn FnMut(i32) -> Result<()>,
) -> Result<()> {
    each(bytes, &mut |n, value| match value {
        FieldValue::Int(value) if n == number => int(value as i32),
        FieldValue::Bytes(packed) if n == number => {
            let mut reader = self::reader(packed);
            while !reader.is_empty() {
                int(reader.read_varint()? as i32)?;
            }
            Ok(())
        }
        _ => Ok(()),
    })
}

// Reads the options that change the meaning of a definition, from any of the options messages.

/// The extension `pb.enumvalue.json` of `EnumValueOptions`, a message with a string as field 1.
const JSON_VALUE: u32 = 998;

/// The kind of definition that has the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
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

/// Any of the options messages: its location, and the options that change the meaning of a definition.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::schema::pool) struct Options<'i> {
    /// The definition with the options, the field number of the options in it, and the number of their pieces.
    pub(in crate::schema::pool) holder: &'i [u8],
    pub(in crate::schema::pool) number: u32,
    pub(in crate::schema::pool) occurrences: usize,
    pub(in crate::schema::pool) features: FeatureOverrides,
    /// Whether `features` is set.
    pub(in crate::schema::pool) has_features: bool,
    /// Whether a feature has the value 0, which is invalid.
    pub(in crate::schema::pool) unknown_feature: bool,
    pub(in crate::schema::pool) deprecated: bool,
    /// `FieldOptions.packed`.
    pub(in crate::schema::pool) packed: Option<bool>,
    /// `MessageOptions.map_entry`.
    pub(in crate::schema::pool) map_entry: bool,
    /// `MessageOptions.message_set_wire_format`.
    pub(in crate::schema::pool) message_set: bool,
    /// `EnumOptions.allow_alias`.
    pub(in crate::schema::pool) allow_alias: bool,
    /// `deprecated_legacy_json_field_conflicts`.
    pub(in crate::schema::pool) legacy_json: bool,
    /// `FileOptions.java_string_check_utf8`.
    pub(in crate::schema::pool) java_utf8: bool,
    /// `(pb.enumvalue.json).string` of `EnumValueOptions`: the name of the value in JSON.
    pub(in crate::schema::pool) json_value: Option<&'i str>,
}

impl<'i> Options<'i> {
    pub(super) fn read(holder: &'i [u8], number: u32, of: Of) -> Result<Self> {
        let mut this = Self { holder, number, ..Self::default() };
        for piece in this.pieces() {
            this.occurrences += 1;
            each(piece, &mut |number, value| this.option(of, number, value))?;
        }
        Ok(this)
    }

    /// The pieces of the options, which together are one message.
    pub(in crate::schema::pool) fn pieces(&self) -> Children<'i> {
        children(self.holder, self.number)
    }

    fn option(&mut self, of: Of, number: u32, value: FieldValue<'i>) -> Result<()> {
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
            FieldValue::Bytes(set) if number == features => {
                self.has_features = true;
                each(set, &mut |number, value| self.feature(number, value))?;
            }
            // Messages checked but not used: `UninterpretedOption`, `EditionDefault`, `FeatureSupport`, `Declaration`.
            FieldValue::Bytes(option) if number == 999 => each(option, &mut |number, value| match value {
                FieldValue::Bytes(part) if number == 2 => each(part, &mut |_, _| Ok(())),
                _ => Ok(()),
            })?,
            FieldValue::Bytes(json) if (of, number) == (Of::EnumValue, JSON_VALUE) => {
                each(json, &mut |number, value| match value {
                    FieldValue::Bytes(name) if number == 1 => {
                        self.json_value = Some(text(name)?);
                        Ok(())
                    }
                    _ => Ok(()),
                })?
            }
            FieldValue::Bytes(inner) => {
                if matches!((of, number), (Of::Field, 20 | 22) | (Of::EnumValue, 4) | (Of::ExtensionRange, 2))
                {
                    each(inner, &mut |_, _| Ok(()))?;
                }
            }
            FieldValue::Int(value) => {
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
    fn feature(&mut self, number: u32, value: FieldValue<'_>) -> Result<()> {
        match value {
            FieldValue::Int(value) => match self.features.set(number, value as i32) {
                FeatureValue::Known => {}
                FeatureValue::Nothing => self.unknown_feature = true,
            },
            // `FeatureSet.VisibilityFeature` has no fields, and extensions are for code generators.
            FieldValue::Bytes(_) => {}
        }
        Ok(())
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
