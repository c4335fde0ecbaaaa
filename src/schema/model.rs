//! What a pool holds: plain data, references by index.
//!
//! Built once by `build/` and never changed afterwards. Every index in here is in range, every type is resolved
//! and every name is unique in its scope; the handles (`MessageDescriptor` and so on) rely on that and still answer
//! with something harmless if it were not so.

use super::names::{Name, Names, Text};
use super::proto::Edition;
use super::symbols::{Scope, Symbol, SymbolTable};
use crate::program::ProgramSet;
use crate::table::{Cardinality, Kind};
use alloc::{boxed::Box, vec::Vec};

/// No index: a top-level definition has no parent.
pub(super) const NONE: u32 = u32::MAX;

/// A range of the pool's byte store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Everything behind a `DescriptorPool`.
#[derive(Debug, Default)]
pub(super) struct PoolData {
    pub(super) names: Names,
    /// File descriptors as they came, options, and the defaults of bytes fields.
    pub(super) store: Vec<u8>,
    pub(super) files: Vec<FileData>,
    pub(super) messages: Vec<MessageData>,
    pub(super) enums: Vec<EnumData>,
    pub(super) extensions: Vec<ExtensionData>,
    pub(super) services: Vec<ServiceData>,
    pub(super) symbols: SymbolTable,
    /// File indices, sorted by file name.
    pub(super) files_by_name: Vec<u32>,
    /// One program per message, same index.
    pub(super) programs: ProgramSet,
}

#[derive(Debug)]
pub(super) struct FileData {
    pub(super) name: Text,
    pub(super) package: Text,
    pub(super) edition: Edition,
    pub(super) dependencies: Vec<DependencyData>,
    /// Top-level definitions, in the order of the file.
    pub(super) messages: Vec<u32>,
    pub(super) enums: Vec<u32>,
    pub(super) extensions: Vec<u32>,
    pub(super) services: Vec<u32>,
    /// The `FileDescriptorProto`.
    pub(super) proto: Span,
    pub(super) options: Span,
    pub(super) deprecated: bool,
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
    pub(super) name: Text,
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
    /// The declared fields, in the order of the file, and behind them the extensions known to the pool.
    pub(super) fields: Vec<FieldData>,
    /// How many of `fields` are declared in the message itself.
    pub(super) declared: u32,
    pub(super) oneofs: Vec<OneofData>,
    /// Definitions directly inside of the message.
    pub(super) messages: Vec<u32>,
    pub(super) enums: Vec<u32>,
    pub(super) extensions: Vec<u32>,
    pub(super) extension_ranges: Vec<ExtensionRangeData>,
    /// First number, and the one behind the last.
    pub(super) reserved_ranges: Vec<(u32, u32)>,
    pub(super) reserved_names: Vec<Text>,
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
    /// The number behind the last; at most 2^31-1.
    pub(super) end: u32,
    pub(super) options: Span,
}

#[derive(Debug)]
pub(super) struct OneofData {
    pub(super) name: Name,
    pub(super) options: Span,
    /// Field indices, in the order of the file.
    pub(super) fields: Vec<u32>,
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
    pub(super) json_name: Text,
    pub(super) number: u32,
    /// With message and enum indices.
    pub(super) kind: Kind<u32, u32>,
    pub(super) cardinality: Cardinality,
    pub(super) flags: FieldFlags,
    /// Index in the oneofs of the message, or `NONE`.
    pub(super) oneof: u32,
    /// Index in the pool's extensions, or `NONE` for a declared field.
    pub(super) extension: u32,
    pub(super) default: Option<Box<DefaultData>>,
    pub(super) options: Span,
}

/// A default value that was given; always of the sort that the field's kind asks for.
#[derive(Clone, Copy, Debug)]
pub(super) enum DefaultData {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    String(Text),
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
    pub(super) values: Vec<EnumValueData>,
    /// Positions in `values`, sorted by number; of several names for a number the first one comes first.
    pub(super) by_number: Vec<u32>,
    /// First and last number.
    pub(super) reserved_ranges: Vec<(i32, i32)>,
    pub(super) reserved_names: Vec<Text>,
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

#[derive(Debug)]
pub(super) struct ServiceData {
    pub(super) name: Name,
    pub(super) file: u32,
    pub(super) scope: Scope,
    pub(super) methods: Vec<MethodData>,
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

impl PoolData {
    /// The text of a name.
    pub(super) fn text(&self, text: Text) -> &str {
        self.names.get(text)
    }

    /// The bytes of a span.
    pub(super) fn bytes(&self, span: Span) -> &[u8] {
        self.store.get(span.start as usize..span.end as usize).unwrap_or(&[])
    }

    /// Position of the value of this name in an enum.
    pub(super) fn enum_value(&self, enumeration: u32, name: &str) -> Option<u32> {
        let scope = self.enums.get(enumeration as usize)?.scope;
        match self.symbols.member(&self.names, scope, name)? {
            Symbol::EnumValue { enumeration: e, value } if e == enumeration => Some(value),
            _ => None,
        }
    }
}

impl MessageData {
    /// A field or extension.
    pub(super) fn field(&self, index: u32) -> Option<&FieldData> {
        self.fields.get(index as usize)
    }
}

impl EnumData {
    /// Position of the first value with this number.
    pub(super) fn position(&self, number: i32) -> Option<u32> {
        let number_at = |&at: &u32| self.values.get(at as usize).map_or(0, |v| v.number);
        let at = self.by_number.partition_point(|p| number_at(p) < number);
        self.by_number.get(at).copied().filter(|p| number_at(p) == number)
    }
}
