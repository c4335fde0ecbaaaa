//! Values as text: one line, nothing that a terminal would act upon, abbreviated unless all is asked for.

use tablepb::schema::{FieldKind, FieldRef};
use tablepb::table::Kind;
use tablepb::{MapKeyRef, ValueRef};

/// Characters shown of a string.
const CHARACTERS: usize = 80;
/// Bytes shown of a bytes value.
const BYTES: usize = 32;

/// A string in quotes, with escapes.
pub fn string(text: &str, full: bool) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) if !full => format!("{:?}… ({} bytes)", &text[..end], text.len()),
        _ => format!("{text:?}"),
    }
}

/// Bytes in hexadecimal, with their number.
pub fn bytes(bytes: &[u8], full: bool) -> String {
    let shown = if full { bytes.len() } else { bytes.len().min(BYTES) };
    let digits: String = bytes.iter().take(shown).map(|byte| format!("{byte:02x}")).collect();
    let more = if shown < bytes.len() { "…" } else { "" };
    let space = if bytes.is_empty() { "" } else { " " };
    format!("{digits}{more}{space}({} bytes)", bytes.len())
}

/// A value that is no message, list or map.
pub fn scalar(kind: &FieldKind, value: ValueRef<'_, '_>, full: bool) -> String {
    match value {
        ValueRef::Bool(v) => v.to_string(),
        ValueRef::I32(v) => v.to_string(),
        ValueRef::I64(v) => v.to_string(),
        ValueRef::U32(v) => v.to_string(),
        ValueRef::U64(v) => v.to_string(),
        ValueRef::F32(v) => format!("{v:?}"),
        ValueRef::F64(v) => format!("{v:?}"),
        ValueRef::String(v) => string(v, full),
        ValueRef::Bytes(v) => bytes(v, full),
        ValueRef::EnumNumber(number) => match kind {
            Kind::Enum(enumeration) => match enumeration.get_value(number) {
                Some(value) => format!("{} ({number})", value.name()),
                None => format!("{number} (not in {})", enumeration.full_name()),
            },
            _ => number.to_string(),
        },
        ValueRef::Unselected
        | ValueRef::Message(_)
        | ValueRef::Raw(_)
        | ValueRef::List(_)
        | ValueRef::Map(_) => {
            format!("{value:?}")
        }
    }
}

/// The key of a map.
pub fn key(key: MapKeyRef<'_>) -> String {
    match key {
        MapKeyRef::Bool(v) => v.to_string(),
        MapKeyRef::I32(v) => v.to_string(),
        MapKeyRef::I64(v) => v.to_string(),
        MapKeyRef::U32(v) => v.to_string(),
        MapKeyRef::U64(v) => v.to_string(),
        MapKeyRef::String(v) => string(v, false),
        MapKeyRef::Bytes(v) => bytes(v, false),
    }
}

/// The name of a field; of an extension, the full name in brackets.
pub fn field_name(field: FieldRef<'_>) -> String {
    if field.is_extension() { format!("[{}]", field.full_name()) } else { field.name().into() }
}
