//! Display of values, as text format has them.

use super::strings;
use crate::formats::numbers::{TextOut, put_f32, put_f64};
use crate::message::{ListRef, MapKeyRef, MapRef, Value, ValueRef};
use alloc::vec::Vec;
use core::fmt;

/// The value as in [text format](crate::MessageView::to_text_format): strings in quotes, messages in braces, lists and maps in
/// brackets. An enum value is its number, because a value does not know its enum. With `{:#}`, messages are indented.
impl fmt::Display for ValueRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(v) => v.fmt(f),
            Self::I32(v) | Self::EnumNumber(v) => v.fmt(f),
            Self::I64(v) => v.fmt(f),
            Self::U32(v) => v.fmt(f),
            Self::U64(v) => v.fmt(f),
            Self::F32(v) if v.is_finite() => put(f, |out| put_f32(out, *v)),
            Self::F32(v) => special((*v).into(), f),
            Self::F64(v) if v.is_finite() => put(f, |out| put_f64(out, *v)),
            Self::F64(v) => special(*v, f),
            Self::String(v) => put(f, |out| strings::put_text(out, v.as_bytes())),
            Self::Bytes(v) => put(f, |out| strings::put_bytes(out, v)),
            Self::Message(v) => braces(f, v),
            Self::Raw(v) => fmt::Debug::fmt(v, f),
            Self::List(v) => v.fmt(f),
            Self::Map(v) => v.fmt(f),
            Self::Unselected => f.write_str("unselected"),
        }
    }
}

/// As a [`ValueRef`] is displayed.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalar = match self {
            Self::Bool(v) => ValueRef::Bool(*v),
            Self::I32(v) => ValueRef::I32(*v),
            Self::I64(v) => ValueRef::I64(*v),
            Self::U32(v) => ValueRef::U32(*v),
            Self::U64(v) => ValueRef::U64(*v),
            Self::F32(v) => ValueRef::F32(*v),
            Self::F64(v) => ValueRef::F64(*v),
            Self::String(v) => ValueRef::String(v),
            Self::Bytes(v) => ValueRef::Bytes(v),
            Self::EnumNumber(v) => ValueRef::EnumNumber(*v),
            Self::Message(v) => return braces(f, v),
            Self::Prepared(v) => return fmt::Debug::fmt(v, f),
            Self::List(v) => return brackets(f, v.iter(), |value, f| value.fmt(f)),
            Self::Map(v) => return brackets(f, v.iter(), |(key, value), f| entry(f, key.as_ref(), value)),
        };
        scalar.fmt(f)
    }
}

/// The elements in brackets, as in text format.
impl fmt::Display for ListRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        brackets(f, self.iter(), |value, f| value.fmt(f))
    }
}

/// The entries in brackets, as in text format, in the order of the map.
impl fmt::Display for MapRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        brackets(f, self.iter(), |(key, value), f| entry(f, key, &value))
    }
}

fn put(f: &mut fmt::Formatter<'_>, write: impl FnOnce(&mut TextOut<'_>)) -> fmt::Result {
    let mut buffer = Vec::new();
    let mut out = TextOut::new(&mut buffer);
    write(&mut out);
    out.finish().map_err(|_| fmt::Error)?;
    f.write_str(core::str::from_utf8(&buffer).unwrap_or_default())
}

fn special(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(match value {
        value if value.is_nan() => "nan",
        value if value > 0.0 => "inf",
        _ => "-inf",
    })
}

fn braces(f: &mut fmt::Formatter<'_>, message: &dyn fmt::Display) -> fmt::Result {
    f.write_str("{")?;
    message.fmt(f)?;
    f.write_str("}")
}

fn brackets<T>(
    f: &mut fmt::Formatter<'_>,
    parts: impl Iterator<Item = T>,
    print: impl Fn(T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str("[")?;
    for (i, part) in parts.enumerate() {
        f.write_str(if i == 0 { "" } else { "," })?;
        print(part, f)?;
    }
    f.write_str("]")
}

fn entry(f: &mut fmt::Formatter<'_>, key: MapKeyRef<'_>, value: &dyn fmt::Display) -> fmt::Result {
    write!(f, "{{key:{},value:", ValueRef::from(key))?;
    // Not by `write!`, which drops the flag of `{:#}`.
    value.fmt(f)?;
    f.write_str("}")
}
