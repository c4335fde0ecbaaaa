//! Values as the text of a cell, alone or as JSON in an array.

use crate::format;
use std::io::Write;
use tablepb::partial::ValuePath;
use tablepb::schema::FieldKind;
use tablepb::table::Kind;
use tablepb::{MessageDescriptor, ValueRef};

/// The path of a projection that has the values at this path: the keys of a map come with its values.
pub fn selected<'p>(schema: &MessageDescriptor, path: &'p str) -> &'p str {
    let of_map = |map: &&str| ValuePath::new(schema, map).is_ok_and(|map| is_entry(&map));
    path.strip_suffix(".key").filter(of_map).unwrap_or(path)
}

/// The path ends in a map: at its keys or values.
pub fn is_entry(path: &ValuePath) -> bool {
    path.field().parent_message().is_map_entry()
}

/// Appends a value: as JSON has it, but text without quotes if it stands alone.
pub fn append(kind: &FieldKind, value: ValueRef<'_, '_>, alone: bool, out: &mut Vec<u8>) {
    let quoted = |text: &str, out: &mut Vec<u8>| {
        if alone { out.extend(text.as_bytes()) } else { json_string(text, out) }
    };
    // Writing to a Vec cannot fail.
    let _ = match value {
        ValueRef::Bool(v) => write!(out, "{v}"),
        ValueRef::I32(v) => write!(out, "{v}"),
        ValueRef::I64(v) => write!(out, "{v}"),
        ValueRef::U32(v) => write!(out, "{v}"),
        ValueRef::U64(v) => write!(out, "{v}"),
        ValueRef::F32(v) if v.is_finite() => write!(out, "{v}"),
        ValueRef::F64(v) if v.is_finite() => write!(out, "{v}"),
        ValueRef::F32(v) => return quoted(special(v.into()), out),
        ValueRef::F64(v) => return quoted(special(v), out),
        ValueRef::String(v) => return quoted(v, out),
        ValueRef::Bytes(v) => {
            let mut text = Vec::new();
            format::to_base64(v, &mut text);
            return quoted(&String::from_utf8_lossy(&text), out);
        }
        ValueRef::EnumNumber(number) => match kind {
            Kind::Enum(enumeration) => match enumeration.get_value(number) {
                Some(value) => return quoted(value.name(), out),
                None => write!(out, "{number}"),
            },
            _ => write!(out, "{number}"),
        },
        ValueRef::Message(view) => match tablepb::json::to_string(&view) {
            Ok(json) => write!(out, "{json}"),
            Err(_) => write!(out, "null"),
        },
        ValueRef::Unselected | ValueRef::Raw(_) | ValueRef::List(_) | ValueRef::Map(_) => write!(out, "null"),
    };
}

fn special(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}

/// Appends a string in quotes, with the escapes that JSON asks for.
pub fn json_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let special = |c: char| matches!(c, '"' | '\\') || c.is_control();
    let mut rest = text;
    while let Some((at, c)) = rest.char_indices().find(|&(_, c)| special(c)) {
        out.extend(&rest.as_bytes()[..at]);
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            c => write!(out, "\\u{:04x}", c as u32),
        };
        rest = &rest[at + c.len_utf8()..];
    }
    out.extend(rest.as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_quotes_in_arrays_only() {
        let text = |value, alone| {
            let mut out = Vec::new();
            append(&Kind::String, value, alone, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(ValueRef::String("a\"b\n\u{1}"), false), r#""a\"b\n\u0001""#);
        assert_eq!(text(ValueRef::String("a\"b"), true), "a\"b");
        assert_eq!(text(ValueRef::F64(f64::NAN), false), "\"NaN\"");
        assert_eq!(text(ValueRef::F32(0.1), true), "0.1");
        assert_eq!(text(ValueRef::Bytes(&[0, 1, 2]), true), "AAEC");
    }
}
