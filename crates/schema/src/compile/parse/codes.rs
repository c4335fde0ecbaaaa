//! The codes of descriptor.proto for labels and types, by the words of the language.

/// `FieldDescriptorProto.Label`.
pub(super) mod label {
    pub(in crate::proto) const OPTIONAL: i32 = 1;
    pub(in crate::proto) const REQUIRED: i32 = 2;
    pub(in crate::proto) const REPEATED: i32 = 3;
}

/// `FieldDescriptorProto.Type`.
pub(super) mod type_code {
    pub(in crate::proto) const DOUBLE: i32 = 1;
    pub(in crate::proto) const FLOAT: i32 = 2;
    pub(in crate::proto) const INT64: i32 = 3;
    pub(in crate::proto) const UINT64: i32 = 4;
    pub(in crate::proto) const INT32: i32 = 5;
    pub(in crate::proto) const FIXED64: i32 = 6;
    pub(in crate::proto) const FIXED32: i32 = 7;
    pub(in crate::proto) const BOOL: i32 = 8;
    pub(in crate::proto) const STRING: i32 = 9;
    pub(in crate::proto) const GROUP: i32 = 10;
    pub(in crate::proto) const MESSAGE: i32 = 11;
    pub(in crate::proto) const BYTES: i32 = 12;
    pub(in crate::proto) const UINT32: i32 = 13;
    pub(in crate::proto) const ENUM: i32 = 14;
    pub(in crate::proto) const SFIXED32: i32 = 15;
    pub(in crate::proto) const SFIXED64: i32 = 16;
    pub(in crate::proto) const SINT32: i32 = 17;
    pub(in crate::proto) const SINT64: i32 = 18;

    /// Of an integer type: whether it is signed, and its bits.
    pub(in crate::proto) const fn integer_shape(code: i32) -> (bool, u32) {
        match code {
            INT32 | SINT32 | SFIXED32 => (true, 32),
            UINT32 | FIXED32 => (false, 32),
            UINT64 | FIXED64 => (false, 64),
            _ => (true, 64),
        }
    }

    /// Whether a repeated field of this type can be packed.
    pub(in crate::proto) const fn is_packable(code: i32) -> bool {
        !matches!(code, STRING | BYTES | MESSAGE | GROUP)
    }
}

/// The code of a word that is a type.
pub(super) fn type_code_of(word: &str) -> Option<u8> {
    let code = match word {
        "double" => type_code::DOUBLE,
        "float" => type_code::FLOAT,
        "int64" => type_code::INT64,
        "uint64" => type_code::UINT64,
        "int32" => type_code::INT32,
        "fixed64" => type_code::FIXED64,
        "fixed32" => type_code::FIXED32,
        "bool" => type_code::BOOL,
        "string" => type_code::STRING,
        "group" => type_code::GROUP,
        "bytes" => type_code::BYTES,
        "uint32" => type_code::UINT32,
        "sfixed32" => type_code::SFIXED32,
        "sfixed64" => type_code::SFIXED64,
        "sint32" => type_code::SINT32,
        "sint64" => type_code::SINT64,
        _ => return None,
    };
    Some(code as u8)
}
