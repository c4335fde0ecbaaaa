//! The messages of descriptor.proto as plain structs, with the fields that const tables need.
//!
//! `tables.rs` fills them and `write.rs` encodes them; the bytes are then loaded like any set. The messages and enums of
//! a file are flat lists in which `parent` is the index of the enclosing message, so nothing recurses.

use super::model::edition::Edition;
use super::model::features::FeatureOverrides;
use alloc::{borrow::Cow, vec::Vec};

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
