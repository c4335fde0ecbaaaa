//! The data of a pool: plain structs that refer to each other by index.
//!
//! `build/` makes it, and nothing changes it afterwards. Every index is in range, every type is resolved and every
//! name is unique in its scope. The descriptors rely on this.

pub(super) mod features;
pub(super) mod formats;
pub(super) mod lookup;
pub(super) mod names;
pub(super) mod symbols;
pub(super) mod text_names;

use super::model::names::{Name, Names, TextRange};
use super::model::symbols::{Scope, SymbolTable};
use crate::schema::program::ProgramSet;
use crate::schema::table::{Cardinality, Kind};
use alloc::vec::Vec;
use features::Edition;

/// No index: a top-level definition has no parent.
pub(super) const NONE: u32 = u32::MAX;

/// A range of the pool's byte store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A range of one of the pool's lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexRange {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl IndexRange {
    /// The part of a list.
    pub(super) fn of<T>(self, list: &[T]) -> &[T] {
        list.get(self.start as usize..self.end as usize).unwrap_or(&[])
    }
}

/// The file or message that declares a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Container {
    File(u32),
    Message(u32),
}

impl Container {
    pub(super) fn of(file: u32, parent: u32) -> Self {
        if parent == NONE { Self::File(file) } else { Self::Message(parent) }
    }
}

/// The contents of a `DescriptorPool`. The parts of a file or message are ranges of the pool's lists, so a definition
/// without such parts costs nothing.
#[derive(Debug, Default)]
pub(super) struct PoolData {
    pub(super) names: Names,
    /// The encoded file descriptors, joined options, and the defaults of bytes fields.
    pub(super) store: Vec<u8>,
    pub(super) files: Vec<FileData>,
    pub(super) messages: Vec<MessageData>,
    pub(super) enums: Vec<EnumData>,
    pub(super) extensions: Vec<ExtensionData>,
    pub(super) services: Vec<ServiceData>,
    pub(super) dependencies: Vec<DependencyData>,
    pub(super) oneofs: Vec<OneofData>,
    /// Indices of the fields of each oneof, in the order of the file.
    pub(super) members: Vec<u32>,
    pub(super) extension_ranges: Vec<ExtensionRangeData>,
    /// Reserved ranges of messages: first number and end, exclusive.
    pub(super) reserved_ranges: Vec<(u32, u32)>,
    /// Reserved ranges of enums: first and last number.
    pub(super) enum_reserved_ranges: Vec<(i32, i32)>,
    pub(super) reserved_names: Vec<TextRange>,
    /// The same, those of each message sorted by length and then by bytes, for text format.
    pub(super) sorted_reserved_names: Vec<TextRange>,
    pub(super) values: Vec<EnumValueData>,
    /// Positions of the values of each enum, sorted by number and then by position.
    pub(super) by_number: Vec<u32>,
    /// The values with a JSON name of their own, sorted by enum and position.
    pub(super) json_values: Vec<JsonValueData>,
    /// Positions in `json_values`, sorted by enum and JSON name.
    pub(super) json_values_by_name: Vec<u32>,
    pub(super) methods: Vec<MethodData>,
    pub(super) defaults: Vec<DefaultData>,
    /// Indices of messages, enums and extensions, sorted by owner and then by the order of the file.
    pub(super) owned_messages: Vec<u32>,
    pub(super) owned_enums: Vec<u32>,
    pub(super) owned_extensions: Vec<u32>,
    pub(super) symbols: SymbolTable,
    /// File indices, sorted by file name.
    pub(super) files_by_name: Vec<u32>,
    /// What JSON and text format need of each message, same index.
    pub(super) formats: Vec<FormatData>,
    pub(super) field_names: Vec<FieldName>,
    pub(super) field_formats: Vec<FieldFormat>,
    /// The labels of all fields, and zeros after them.
    pub(super) labels: Vec<u8>,
    /// One program per message, same index.
    pub(super) programs: ProgramSet,
}

#[derive(Debug)]
pub(super) struct FileData {
    pub(super) name: TextRange,
    pub(super) package: TextRange,
    pub(super) edition: Edition,
    pub(super) dependencies: IndexRange,
    /// Indices of its services.
    pub(super) services: IndexRange,
    /// The `FileDescriptorProto`.
    pub(super) proto: Span,
    pub(super) options: Span,
    pub(super) deprecated: bool,
    /// Made of tables, not read from a set.
    pub(super) of_tables: bool,
}

/// How a file is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Import {
    Plain,
    Public,
    Weak,
    /// `import option`, edition 2024.
    Option,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DependencyData {
    pub(super) name: TextRange,
    pub(super) import: Import,
    /// `NONE` for a weak or option import of a file that is not in the pool.
    pub(super) file: u32,
}

#[derive(Debug)]
pub(super) struct MessageData {
    pub(super) name: Name,
    pub(super) file: u32,
    /// The enclosing message, or `NONE`.
    pub(super) parent: u32,
    /// The scope that the message opens.
    pub(super) scope: Scope,
    /// The declared fields in the order of the file, followed by the extensions in the pool.
    pub(super) fields: Vec<FieldData>,
    /// The number of declared fields in `fields`.
    pub(super) declared: u32,
    pub(super) oneofs: IndexRange,
    pub(super) extension_ranges: IndexRange,
    pub(super) reserved_ranges: IndexRange,
    pub(super) reserved_names: IndexRange,
    pub(super) options: Span,
    pub(super) map_entry: bool,
    pub(super) message_set: bool,
    pub(super) deprecated: bool,
    /// `SymbolVisibility`: 0 unset, 1 local, 2 export.
    pub(super) visibility: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ExtensionRangeData {
    pub(super) start: u32,
    /// Exclusive end, at most 2^31-1.
    pub(super) end: u32,
    pub(super) options: Span,
}

#[derive(Debug)]
pub(super) struct OneofData {
    pub(super) name: Name,
    pub(super) options: Span,
    /// Its fields: a range of the pool's `members`.
    pub(super) fields: IndexRange,
    /// Made by protoc for an `optional` field in proto3.
    pub(super) synthetic: bool,
}

/// Properties of a field, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldFlags(u8);

impl FieldFlags {
    pub(super) const PACKED: Self = Self(1);
    pub(super) const DELIMITED: Self = Self(2);
    pub(super) const PRESENCE: Self = Self(4);
    pub(super) const UTF8: Self = Self(8);
    pub(super) const MAP: Self = Self(16);
    pub(super) const PROTO3_OPTIONAL: Self = Self(32);
    pub(super) const DEPRECATED: Self = Self(64);
    /// The JSON name is not the one that follows from the name.
    pub(super) const CUSTOM_JSON: Self = Self(128);

    pub(super) const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    pub(super) fn set(&mut self, flag: Self, on: bool) {
        self.0 = if on { self.0 | flag.0 } else { self.0 & !flag.0 };
    }
}

#[derive(Debug)]
pub(super) struct FieldData {
    pub(super) name: Name,
    pub(super) json_name: TextRange,
    pub(super) number: u32,
    /// With message and enum indices.
    pub(super) kind: Kind<u32, u32>,
    pub(super) cardinality: Cardinality,
    pub(super) flags: FieldFlags,
    /// Index in the oneofs of the message, or `NONE`.
    pub(super) oneof: u32,
    /// Index in the pool's extensions, or `NONE` for a declared field.
    pub(super) extension: u32,
    /// Index in the pool's defaults, or `NONE`.
    pub(super) default: u32,
    pub(super) options: Span,
}

/// An explicit default value; the variant always fits the kind of the field.
#[derive(Clone, Copy, Debug)]
pub(super) enum DefaultData {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    String(TextRange),
    Bytes(Span),
    /// Position in the values of the enum.
    Enum(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ExtensionData {
    /// The message that is extended, and the position in its `fields`.
    pub(super) message: u32,
    pub(super) field: u32,
    pub(super) file: u32,
    /// The message the extension is declared in, or `NONE`.
    pub(super) parent: u32,
}

#[derive(Debug)]
pub(super) struct EnumData {
    pub(super) name: Name,
    pub(super) file: u32,
    pub(super) parent: u32,
    /// The scope around the enum, which is the scope of its values too.
    pub(super) scope: Scope,
    /// In the order of the file; never empty.
    pub(super) values: IndexRange,
    pub(super) reserved_ranges: IndexRange,
    pub(super) reserved_names: IndexRange,
    pub(super) options: Span,
    pub(super) closed: bool,
    pub(super) allow_alias: bool,
    pub(super) deprecated: bool,
    pub(super) visibility: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EnumValueData {
    pub(super) name: Name,
    pub(super) number: i32,
    pub(super) options: Span,
    pub(super) deprecated: bool,
}

/// An enum value whose options give it a JSON name, `(pb.enumvalue.json).string`.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonValueData {
    pub(super) enumeration: u32,
    /// Its position in the values of the enum.
    pub(super) value: u32,
    pub(super) name: TextRange,
}

#[derive(Debug)]
pub(super) struct ServiceData {
    pub(super) name: Name,
    pub(super) file: u32,
    pub(super) scope: Scope,
    pub(super) methods: IndexRange,
    pub(super) options: Span,
    pub(super) deprecated: bool,
}

#[derive(Debug)]
pub(super) struct MethodData {
    pub(super) name: Name,
    pub(super) input: u32,
    pub(super) output: u32,
    pub(super) client_streaming: bool,
    pub(super) server_streaming: bool,
    pub(super) options: Span,
    pub(super) deprecated: bool,
}

/// A message type that has a form of its own in JSON. A type qualifies only if its fields are those of Google's definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WellKnown {
    /// Any other message.
    #[default]
    None,
    Any,
    Timestamp,
    Duration,
    FieldMask,
    Struct,
    Value,
    ListValue,
    /// `Int32Value` and its like: one field, `value`.
    Wrapper,
}

/// A field as the formats see it, in the order of field numbers: everything that printing or parsing a member asks for, in one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldFormat {
    /// The names in JSON and in the schema.
    pub(super) json: TextRange,
    pub(super) own: TextRange,
    /// The enum of an enum field.
    pub(super) enumeration: u32,
    /// The label, `,"name":` with the name in JSON: where it begins in the pool's labels, and its length. No length if it has
    /// characters that JSON strings escape, or is longer than 64 KB.
    pub(super) label: u32,
    pub(super) label_len: u16,
    /// `NULL`, `RENAMED` and `FLAT`.
    pub(super) marks: u8,
    /// A singular scalar of a message that is not wide, and in no oneof.
    pub(super) plain: bool,
}

impl FieldFormat {
    /// The enum is `google.protobuf.NullValue`.
    pub(super) const NULL: u8 = 1;
    /// The name in text format is not the one in the schema: extensions and groups.
    pub(super) const RENAMED: u8 = 2;
    /// The message of the field is flat.
    pub(super) const FLAT: u8 = 4;
}

/// What the formats need of one message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FormatData {
    /// Its names, in the pool's list of field names.
    pub(super) names: IndexRange,
    /// Its fields, in the pool's list of them.
    pub(super) fields: IndexRange,
    pub(super) known: WellKnown,
    /// All fields are singular scalars, none of them in a oneof, and the message is neither wide nor a well-known type.
    pub(super) flat: bool,
}

/// A name of a field; sorted by length and then by bytes. A field is there by its JSON name, and by its own if that is another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldName {
    pub(super) text: TextRange,
    /// Position in the fields of the message.
    pub(super) field: u32,
}

impl MessageData {
    /// A field or extension.
    pub(super) fn field(&self, index: u32) -> Option<&FieldData> {
        self.fields.get(index as usize)
    }
}
