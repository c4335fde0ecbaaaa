//! The codes of descriptor.proto for labels and types, by the words of the language.

/// `FieldDescriptorProto.Label`.
pub(crate) mod label {
    pub(crate) const OPTIONAL: i32 = 1;
    pub(crate) const REQUIRED: i32 = 2;
    pub(crate) const REPEATED: i32 = 3;
}

/// `FieldDescriptorProto.Type`.
pub(crate) mod type_code {
    pub(crate) const DOUBLE: i32 = 1;
    pub(crate) const FLOAT: i32 = 2;
    pub(crate) const INT64: i32 = 3;
    pub(crate) const UINT64: i32 = 4;
    pub(crate) const INT32: i32 = 5;
    pub(crate) const FIXED64: i32 = 6;
    pub(crate) const FIXED32: i32 = 7;
    pub(crate) const BOOL: i32 = 8;
    pub(crate) const STRING: i32 = 9;
    pub(crate) const GROUP: i32 = 10;
    pub(crate) const MESSAGE: i32 = 11;
    pub(crate) const BYTES: i32 = 12;
    pub(crate) const UINT32: i32 = 13;
    pub(crate) const ENUM: i32 = 14;
    pub(crate) const SFIXED32: i32 = 15;
    pub(crate) const SFIXED64: i32 = 16;
    pub(crate) const SINT32: i32 = 17;
    pub(crate) const SINT64: i32 = 18;

    /// Of an integer type: whether it is signed, and its bits.
    pub(crate) const fn integer_shape(code: i32) -> (bool, u32) {
        match code {
            INT32 | SINT32 | SFIXED32 => (true, 32),
            UINT32 | FIXED32 => (false, 32),
            UINT64 | FIXED64 => (false, 64),
            _ => (true, 64),
        }
    }

    /// Whether it is an integer of 64 bits.
    pub(crate) const fn is_long(code: i32) -> bool {
        matches!(code, INT64 | UINT64 | SINT64 | FIXED64 | SFIXED64)
    }

    /// Whether the keys of a map can be of this type; 0 is that of a name.
    pub(crate) const fn is_map_key(code: i32) -> bool {
        !matches!(code, 0 | DOUBLE | FLOAT | BYTES | MESSAGE | GROUP)
    }

    /// Whether a repeated field of this type can be packed.
    pub(crate) const fn is_packable(code: i32) -> bool {
        !matches!(code, STRING | BYTES | MESSAGE | GROUP)
    }
}

/// The code of a word that is a type.
pub(crate) fn type_code_of(word: &str) -> Option<u8> {
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
