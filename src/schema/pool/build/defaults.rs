//! Default values: parses the text in the descriptor as the kind of the field.

use super::{Builder, DescriptorErrorKind, FieldSlot, Result};
use crate::schema::pool::model::names::unescaped;
use crate::schema::pool::model::{DefaultData, FieldData, FieldFlags, NONE};
use crate::schema::table::{Cardinality, Kind};
use crate::wire::error::DescriptorError;

impl Builder<'_> {
    /// The default of a field whose kind is neither a message nor an enum.
    pub(super) fn scalar_default(&mut self, field: &FieldData, text: &str, file: u32) -> Result<u32> {
        self.check_default(field, file)?;
        let parsed = match field.kind {
            Kind::String => Some(DefaultData::String(self.data.names.push(text, &mut self.room)?)),
            Kind::Bytes => self.bytes_default(text)?,
            kind => number(kind, text),
        };
        match parsed {
            Some(default) => self.add_default(default),
            None => Err(self.bad_default(field, text, file)),
        }
    }

    fn bytes_default(&mut self, text: &str) -> Result<Option<DefaultData>> {
        let start = self.data.store.len();
        for byte in unescaped(text) {
            let Some(byte) = byte else { return Ok(None) };
            self.room.push(&mut self.data.store, byte)?;
        }
        Ok(Some(DefaultData::Bytes(self.stored_from(start)?)))
    }

    fn add_default(&mut self, default: DefaultData) -> Result<u32> {
        self.room.push(&mut self.data.defaults, default)?;
        Ok(self.data.defaults.len() as u32 - 1)
    }

    /// The default of a field of enum type: the name of a value.
    pub(super) fn enum_default(&mut self, field: FieldSlot, text: &str, file: u32) -> Result<u32> {
        let Some(field) = self.target(field) else { return Ok(NONE) };
        self.check_default(field, file)?;
        let position = match field.kind {
            Kind::Enum(index) => self.data.enum_value(index, text),
            _ => None,
        };
        match position {
            Some(position) => self.add_default(DefaultData::Enum(position)),
            None => Err(self.bad_default(field, text, file)),
        }
    }

    fn check_default(&self, field: &FieldData, file: u32) -> Result<()> {
        let detail = match field.kind {
            _ if field.cardinality == Cardinality::Repeated => "a repeated field has no default value",
            Kind::Message(_) => "a message field has no default value",
            _ if !field.flags.has(FieldFlags::PRESENCE) => {
                "a field with implicit presence has no default value"
            }
            _ => return Ok(()),
        };
        Err(self.fail(DescriptorErrorKind::InvalidDefault, file, field.name.full(), detail))
    }

    #[cold]
    fn bad_default(&self, field: &FieldData, text: &str, file: u32) -> DescriptorError {
        let detail = format_args!("{text:?} as {}", field.kind.name());
        self.fail(DescriptorErrorKind::InvalidDefault, file, field.name.full(), detail)
    }
}

fn number(kind: Kind<u32, u32>, text: &str) -> Option<DefaultData> {
    match kind {
        Kind::Bool => text.parse().ok().map(DefaultData::Bool),
        Kind::Double => float(text).map(DefaultData::Float),
        Kind::Float => float(text).map(|f| DefaultData::Float(f64::from(f as f32))),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => {
            let value = i32::try_from(integer(text)?).ok()?;
            Some(DefaultData::Int(value.into()))
        }
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
            i64::try_from(integer(text)?).ok().map(DefaultData::Int)
        }
        Kind::Uint32 | Kind::Fixed32 => {
            let value = u32::try_from(integer(text)?).ok()?;
            Some(DefaultData::Uint(value.into()))
        }
        Kind::Uint64 | Kind::Fixed64 => u64::try_from(integer(text)?).ok().map(DefaultData::Uint),
        Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Enum(_) => None,
    }
}

/// Decimal, hexadecimal after `0x`, octal after `0`, as in C.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        i128::from(u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'))?)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i128::from(u64::from_str_radix(digits, 8).ok()?)
    } else {
        i128::from(digits.parse::<u64>().ok()?)
    };
    Some(if negative { -value } else { value })
}

/// A decimal number, `inf`, `-inf` or `nan`.
fn float(text: &str) -> Option<f64> {
    match text {
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        "nan" | "-nan" => Some(f64::NAN),
        _ if text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_to_their_range() {
        assert_eq!(integer("-9223372036854775808"), Some(i64::MIN.into()));
        assert_eq!(integer("18446744073709551615"), Some(u64::MAX.into()));
        assert_eq!((integer("0x1F"), integer("017"), integer("0")), (Some(31), Some(15), Some(0)));
        for bad in ["", "-", "+1", "--1", "0x", "0x+1", "08", "1.0", " 1", "1e3", "18446744073709551616"] {
            assert_eq!(integer(bad), None, "{bad}");
        }
        assert!(number(Kind::Int32, "2147483648").is_none());
        assert!(number(Kind::Uint32, "-1").is_none());
        assert!(number(Kind::Bool, "1").is_none());
    }

    #[test]
    fn floats() {
        assert_eq!(float("1.5e-3"), Some(0.0015));
        assert_eq!(float("-inf"), Some(f64::NEG_INFINITY));
        assert!(float("nan").unwrap().is_nan());
        assert_eq!((float("infinity"), float(""), float("1f"), float("0x10")), (None, None, None, None));
    }
}
