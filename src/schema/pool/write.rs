//! Encodes file descriptors made from tables.
//!
//! A file made from tables is thus a file like any other: it can be stored, sent, and added to a larger pool.

use super::model::features::{Edition, FeatureOverrides};
use crate::wire::error::{DescriptorError, DescriptorErrorKind, EncodeError};
use crate::wire::{Tag, WireType, Writer};
use alloc::{borrow::Cow, vec::Vec};

type Out<'b> = Writer<'b, Vec<u8>>;
type Written = Result<(), EncodeError>;

impl From<EncodeError> for DescriptorError {
    /// Encoding a descriptor fails only if it is too large.
    #[cold]
    fn from(_: EncodeError) -> Self {
        Self::new(DescriptorErrorKind::TooMany, "", "a descriptor of more than 2 GiB")
    }
}

fn bytes(out: &mut Out<'_>, number: u32, value: &[u8]) -> Written {
    out.write_tag(Tag::new(number, WireType::LengthDelimited));
    out.write_length_delimited(value)
}

/// Writes a message or string field unless it is empty.
fn filled(out: &mut Out<'_>, number: u32, value: &[u8]) -> Written {
    if value.is_empty() { Ok(()) } else { bytes(out, number, value) }
}

fn int(out: &mut Out<'_>, number: u32, value: i32) {
    out.write_tag(Tag::new(number, WireType::Varint));
    out.write_varint(i64::from(value) as u64);
}

fn flag(out: &mut Out<'_>, number: u32, value: Option<bool>) {
    if let Some(value) = value {
        int(out, number, value.into());
    }
}

/// `FileDescriptorProto`.
pub(super) fn file(file: &FileProto<'_>) -> Result<Vec<u8>, DescriptorError> {
    let mut buf = Vec::new();
    let mut out = Writer::new(&mut buf);
    bytes(&mut out, 1, file.name.as_bytes())?;
    filled(&mut out, 2, file.package.as_bytes())?;
    for dependency in &file.dependencies {
        bytes(&mut out, 3, dependency.as_bytes())?;
    }
    // Parents come before their children in the list, so in reverse order every child is complete before its parent.
    let mut nested: Vec<Vec<Vec<u8>>> = file.messages.iter().map(|_| Vec::new()).collect();
    let mut top = Vec::new();
    for (i, message) in file.messages.iter().enumerate().rev() {
        let children = nested.get_mut(i).map(core::mem::take).unwrap_or_default();
        let enums = file.enums.iter().filter(|e| e.parent == Some(i as u32));
        let written = self::message(message, children, enums)?;
        match message.parent.and_then(|p| nested.get_mut(p as usize)) {
            Some(siblings) => siblings.push(written),
            None => top.push(written),
        }
    }
    for message in top.iter().rev() {
        bytes(&mut out, 4, message)?;
    }
    for enumeration in file.enums.iter().filter(|e| e.parent.is_none()) {
        bytes(&mut out, 5, &self::enumeration(enumeration)?)?;
    }
    if !file.edition.is_default_syntax() {
        bytes(&mut out, 12, file.edition.syntax().as_bytes())?;
    }
    if !file.edition.is_legacy() {
        int(&mut out, 14, file.edition.number());
    }
    Ok(buf)
}

/// `DescriptorProto`; nested messages are given in reverse order.
fn message<'p>(
    message: &MessageProto<'_>,
    nested: Vec<Vec<u8>>,
    enums: impl Iterator<Item = &'p EnumProto<'p>>,
) -> Result<Vec<u8>, EncodeError> {
    let mut buf = Vec::new();
    let mut out = Writer::new(&mut buf);
    bytes(&mut out, 1, message.name.as_bytes())?;
    for field in &message.fields {
        bytes(&mut out, 2, &self::field(field)?)?;
    }
    for message in nested.iter().rev() {
        bytes(&mut out, 3, message)?;
    }
    for enumeration in enums {
        bytes(&mut out, 4, &self::enumeration(enumeration)?)?;
    }
    for range in &message.extension_ranges {
        out.write_message(Tag::new(5, WireType::LengthDelimited), |out| {
            int(out, 1, range.start);
            int(out, 2, range.end);
            Ok(())
        })?;
    }
    filled(&mut out, 7, &message.options.bytes)?;
    for oneof in &message.oneofs {
        out.write_message(Tag::new(8, WireType::LengthDelimited), |out| {
            bytes(out, 1, oneof.name.as_bytes())
        })?;
    }
    Ok(buf)
}

/// `FieldDescriptorProto`.
fn field(field: &FieldProto<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut buf = Vec::new();
    let mut out = Writer::new(&mut buf);
    bytes(&mut out, 1, field.name.as_bytes())?;
    int(&mut out, 3, field.number);
    int(&mut out, 4, field.label);
    int(&mut out, 5, field.type_code);
    filled(&mut out, 6, field.type_name.as_bytes())?;
    if let Some(default) = &field.default {
        bytes(&mut out, 7, default.as_bytes())?;
    }
    filled(&mut out, 8, &field.options.bytes)?;
    if let Some(index) = field.oneof_index {
        int(&mut out, 9, index);
    }
    if let Some(name) = &field.json_name {
        bytes(&mut out, 10, name.as_bytes())?;
    }
    if field.proto3_optional {
        int(&mut out, 17, 1);
    }
    Ok(buf)
}

/// `EnumDescriptorProto`.
fn enumeration(enumeration: &EnumProto<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut buf = Vec::new();
    let mut out = Writer::new(&mut buf);
    bytes(&mut out, 1, enumeration.name.as_bytes())?;
    for value in &enumeration.values {
        out.write_message(Tag::new(2, WireType::LengthDelimited), |out| {
            bytes(out, 1, value.name.as_bytes())?;
            int(out, 2, value.number);
            Ok(())
        })?;
    }
    filled(&mut out, 3, &enumeration.options.bytes)?;
    Ok(buf)
}

fn feature_set(out: &mut Out<'_>, number: u32, features: FeatureOverrides) -> Written {
    if features == FeatureOverrides::default() {
        return Ok(());
    }
    out.write_message(Tag::new(number, WireType::LengthDelimited), |out| {
        for (number, value) in features.to_numbers() {
            int(out, number, value);
        }
        Ok(())
    })
}

/// `FieldOptions`.
pub(super) fn field_options(options: &OptionsProto) -> Result<Vec<u8>, DescriptorError> {
    let mut buf = Vec::new();
    let mut out = Writer::new(&mut buf);
    flag(&mut out, 2, options.packed);
    feature_set(&mut out, 21, options.features)?;
    Ok(buf)
}

/// `MessageOptions`.
pub(super) fn message_options(options: &OptionsProto) -> Result<Vec<u8>, DescriptorError> {
    let mut buf = Vec::new();
    let mut out = Writer::new(&mut buf);
    flag(&mut out, 1, options.message_set.then_some(true));
    flag(&mut out, 7, options.map_entry.then_some(true));
    feature_set(&mut out, 12, options.features)?;
    Ok(buf)
}

/// `EnumOptions`.
pub(super) fn enum_options(options: &OptionsProto) -> Result<Vec<u8>, DescriptorError> {
    let mut buf = Vec::new();
    let mut out = Writer::new(&mut buf);
    flag(&mut out, 2, options.allow_alias.then_some(true));
    feature_set(&mut out, 7, options.features)?;
    Ok(buf)
}

// The messages of descriptor.proto as plain structs, with the fields that const tables need.
//
// `tables.rs` fills them and `write.rs` encodes them; the bytes are then loaded like any set. The messages and enums of
// a file are flat lists in which `parent` is the index of the enclosing message, so nothing recurses.

type Str<'i> = Cow<'i, str>;

/// `FileDescriptorProto`.
#[derive(Debug)]
pub(super) struct FileProto<'i> {
    pub(super) name: Str<'i>,
    pub(super) package: Str<'i>,
    pub(super) dependencies: Vec<Str<'i>>,
    pub(super) messages: Vec<MessageProto<'i>>,
    pub(super) enums: Vec<EnumProto<'i>>,
    pub(super) edition: Edition,
}

/// Any of the options messages: its bytes, and the options that change the meaning of a definition.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionsProto {
    /// The encoded message, custom options included.
    pub(super) bytes: Vec<u8>,
    pub(super) features: FeatureOverrides,
    /// `FieldOptions.packed`.
    pub(super) packed: Option<bool>,
    /// `MessageOptions.map_entry`.
    pub(super) map_entry: bool,
    /// `MessageOptions.message_set_wire_format`.
    pub(super) message_set: bool,
    /// `EnumOptions.allow_alias`.
    pub(super) allow_alias: bool,
}

/// `DescriptorProto`.
#[derive(Debug, Default)]
pub(super) struct MessageProto<'i> {
    /// Position of the enclosing message in the file's list, which comes before this one.
    pub(super) parent: Option<u32>,
    pub(super) name: Str<'i>,
    pub(super) fields: Vec<FieldProto<'i>>,
    pub(super) oneofs: Vec<OneofProto<'i>>,
    pub(super) extension_ranges: Vec<ExtensionRangeProto>,
    pub(super) options: OptionsProto,
}

/// `FieldDescriptorProto`.
#[derive(Debug, Default)]
pub(super) struct FieldProto<'i> {
    pub(super) name: Str<'i>,
    pub(super) number: i32,
    pub(super) label: i32,
    /// 0 if only `type_name` gives the type.
    pub(super) type_code: i32,
    pub(super) type_name: Str<'i>,
    pub(super) default: Option<Str<'i>>,
    pub(super) oneof_index: Option<i32>,
    pub(super) json_name: Option<Str<'i>>,
    pub(super) proto3_optional: bool,
    pub(super) options: OptionsProto,
}

/// `OneofDescriptorProto`.
#[derive(Debug, Default)]
pub(super) struct OneofProto<'i> {
    pub(super) name: Str<'i>,
}

/// `DescriptorProto.ExtensionRange`: first number and exclusive end.
#[derive(Debug, Default)]
pub(super) struct ExtensionRangeProto {
    pub(super) start: i32,
    pub(super) end: i32,
}

/// `EnumDescriptorProto`.
#[derive(Debug, Default)]
pub(super) struct EnumProto<'i> {
    /// Position of the enclosing message in the file's list.
    pub(super) parent: Option<u32>,
    pub(super) name: Str<'i>,
    pub(super) values: Vec<EnumValueProto<'i>>,
    pub(super) options: OptionsProto,
}

/// `EnumValueDescriptorProto`.
#[derive(Debug, Default)]
pub(super) struct EnumValueProto<'i> {
    pub(super) name: Str<'i>,
    pub(super) number: i32,
}
