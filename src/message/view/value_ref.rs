//! [`ValueRef`]: borrowed values of fields.

use crate::engine::slab::NIL;
use crate::message::{ListRef, MapRef, MessageView, RawMessage, SetFieldError, Value};
use crate::schema::pool::FieldRef;
use crate::schema::program::{Access, ReadKind};
use crate::schema::table::{DefaultValue, Kind};
use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::fmt;

/// The value of a field, borrowed. `Copy`, 80 bytes.
///
/// Match it by value in the loop over fields or elements: compilers then jump from the field's kind straight to its match
/// arm and never build the `ValueRef`.
///
/// `'a` is the lifetime of the [`Decoder`](crate::message::Decoder) or [`DynamicMessage`](crate::message::DynamicMessage) with the message,
/// `'i` that of the bytes that strings point into: the decoder's input, or the message's own bytes.
#[derive(Clone, Copy, PartialEq)]
pub enum ValueRef<'a, 'i> {
    /// `bool`.
    Bool(bool),
    /// `int32`, `sint32`, `sfixed32`.
    I32(i32),
    /// `int64`, `sint64`, `sfixed64`.
    I64(i64),
    /// `uint32`, `fixed32`.
    U32(u32),
    /// `uint64`, `fixed64`.
    U64(u64),
    /// `float`.
    F32(f32),
    /// `double`.
    F64(f64),
    /// `string`.
    String(&'i str),
    /// `bytes`, or a `string` without UTF-8 validation (proto2) that is not UTF-8.
    Bytes(&'i [u8]),
    /// An enum value, by number.
    EnumNumber(i32),
    /// A message.
    Message(MessageView<'a, 'i>),
    /// A message that has not been decoded: a lazy field, or a field set to a [`Prepared`](crate::message::Prepared).
    Raw(RawMessage<'a, 'i>),
    /// A repeated field.
    List(ListRef<'a, 'i>),
    /// A map field.
    Map(MapRef<'a, 'i>),
    /// A field that a [`Projection`](crate::partial::Projection) left out, set or unset. Only
    /// [`get_field`](MessageView::get_field) and its variants return this.
    Unselected,
}

macro_rules! getters {
    ($($variant:ident, $get:ident -> $type:ty, $doc:literal;)*) => {
        $(#[doc = $doc]
        #[inline]
        pub fn $get(self) -> Option<$type> {
            match self {
                Self::$variant(value) => Some(value),
                _ => None,
            }
        })*
    };
}

impl<'a, 'i> ValueRef<'a, 'i> {
    getters! {
        Bool, as_bool -> bool, "The value of a `bool`.";
        I32, as_i32 -> i32, "The value of an `int32`, `sint32` or `sfixed32`.";
        I64, as_i64 -> i64, "The value of an `int64`, `sint64` or `sfixed64`.";
        U32, as_u32 -> u32, "The value of a `uint32` or `fixed32`.";
        U64, as_u64 -> u64, "The value of a `uint64` or `fixed64`.";
        F32, as_f32 -> f32, "The value of a `float`.";
        F64, as_f64 -> f64, "The value of a `double`.";
        String, as_str -> &'i str, "The string.";
        Bytes, as_bytes -> &'i [u8], "The bytes.";
        EnumNumber, as_enum_number -> i32, "The number of an enum value.";
        Message, as_message -> MessageView<'a, 'i>, "The message, if it has been decoded.";
        Raw, as_raw -> RawMessage<'a, 'i>, "The message, if it has not been decoded.";
        List, as_list -> ListRef<'a, 'i>, "The list.";
        Map, as_map -> MapRef<'a, 'i>, "The map.";
    }

    /// Copies the value.
    ///
    /// # Panics
    /// If the allocator fails, and for [`Unselected`](Self::Unselected), which has no value;
    /// [`try_to_owned`](Self::try_to_owned) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn to_owned(self) -> Value {
        match self.try_to_owned() {
            Ok(value) => value,
            // Not in a closure, which would be the place of the panic.
            Err(error) => panic!("{error}"),
        }
    }

    /// Copies the value.
    ///
    /// # Errors
    /// `TooLarge` if the allocator fails, and [`Unselected`](crate::SetFieldErrorKind::Unselected) if the value is
    /// [`Unselected`](Self::Unselected): there is no value then. The process aborts if it fails for the nodes of a `BTreeMap` or for a copy of a
    /// [raw](Self::Raw) message: their allocations cannot report it.
    pub fn try_to_owned(self) -> Result<Value, SetFieldError> {
        Ok(match self {
            Self::Bool(v) => Value::Bool(v),
            Self::I32(v) => Value::I32(v),
            Self::I64(v) => Value::I64(v),
            Self::U32(v) => Value::U32(v),
            Self::U64(v) => Value::U64(v),
            Self::F32(v) => Value::F32(v),
            Self::F64(v) => Value::F64(v),
            Self::String(v) => Value::String(owned_str(v)?),
            Self::Bytes(v) => Value::Bytes(owned_bytes(v)?),
            Self::EnumNumber(v) => Value::EnumNumber(v),
            Self::Message(v) => Value::Message(v.try_to_owned()?),
            Self::Raw(v) => Value::Prepared(v.to_owned()),
            Self::List(v) => {
                let mut list = Vec::new();
                list.try_reserve_exact(v.len()).map_err(|_| SetFieldError::TOO_LARGE)?;
                for element in v {
                    list.push(element.try_to_owned()?);
                }
                Value::List(list)
            }
            Self::Map(v) => {
                let mut map = BTreeMap::new();
                for (key, value) in v {
                    map.insert(key.try_to_owned()?, value.try_to_owned()?);
                }
                Value::Map(map)
            }
            Self::Unselected => return Err(SetFieldError::unselected()),
        })
    }
}

/// Copies a string, or fails without memory.
pub(in crate::message) fn owned_str(text: &str) -> Result<String, SetFieldError> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(|_| SetFieldError::TOO_LARGE)?;
    copy.push_str(text);
    Ok(copy)
}

/// Copies bytes, or fails without memory.
pub(in crate::message) fn owned_bytes(bytes: &[u8]) -> Result<Vec<u8>, SetFieldError> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| SetFieldError::TOO_LARGE)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

impl fmt::Debug for ValueRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(v) => v.fmt(f),
            Self::I32(v) | Self::EnumNumber(v) => v.fmt(f),
            Self::I64(v) => v.fmt(f),
            Self::U32(v) => v.fmt(f),
            Self::U64(v) => v.fmt(f),
            Self::F32(v) => v.fmt(f),
            Self::F64(v) => v.fmt(f),
            Self::String(v) => v.fmt(f),
            Self::Bytes(v) => write!(f, "b\"{}\"", v.escape_ascii()),
            Self::Message(v) => v.fmt(f),
            Self::Raw(v) => v.fmt(f),
            Self::List(v) => v.fmt(f),
            Self::Map(v) => v.fmt(f),
            Self::Unselected => f.write_str("unselected"),
        }
    }
}

// Default values of unset fields.

impl<'a, 'i> MessageView<'a, 'i> {
    /// The value that an unset field of this message reads as.
    #[inline(never)]
    pub(in crate::message) fn default(&self, access: &Access) -> ValueRef<'a, 'a>
    where
        'i: 'a,
    {
        if self.is_left_out(access.position) {
            return ValueRef::Unselected;
        }
        let field = self.own(access);
        let empty = self.at(self.sub(access.sub).unwrap_or(self.layout), NIL, 0);
        match field.explicit_default() {
            Some(default) => explicit_default(field, default),
            None => match access.form {
                ReadKind::List => ValueRef::List(ListRef::new(empty, 0, access.elements)),
                ReadKind::Map => ValueRef::Map(MapRef::new(empty, 0, 0)),
                ReadKind::Message | ReadKind::Body => ValueRef::Message(empty),
                _ => zero(field),
            },
        }
    }
}

impl<'a, 'i> MessageView<'a, 'i> {
    /// The value that the singular field at a position reads as when it is not set.
    pub(crate) fn default_at<'f>(&self, position: u16, field: FieldRef<'f>) -> ValueRef<'a, 'f>
    where
        'i: 'f,
    {
        match field.explicit_default() {
            Some(default) => explicit_default(field, default),
            None => match self.sub(self.access(position).sub) {
                Some(layout) if matches!(field.raw_kind(), Kind::Message(_)) => {
                    ValueRef::Message(self.at(layout, NIL, 0))
                }
                _ => zero(field),
            },
        }
    }
}

fn explicit_default<'a, 'f>(field: FieldRef<'f>, default: DefaultValue<'f>) -> ValueRef<'a, 'f> {
    match (field.raw_kind(), default) {
        (_, DefaultValue::Bool(v)) => ValueRef::Bool(v),
        (Kind::Int64 | Kind::Sint64 | Kind::Sfixed64, DefaultValue::Int(v)) => ValueRef::I64(v),
        (_, DefaultValue::Int(v)) => ValueRef::I32(v as i32),
        (Kind::Uint64 | Kind::Fixed64, DefaultValue::Uint(v)) => ValueRef::U64(v),
        (_, DefaultValue::Uint(v)) => ValueRef::U32(v as u32),
        (Kind::Float, DefaultValue::Float(v)) => ValueRef::F32(v as f32),
        (_, DefaultValue::Float(v)) => ValueRef::F64(v),
        (_, DefaultValue::String(v)) => ValueRef::String(v),
        (_, DefaultValue::Bytes(v)) => ValueRef::Bytes(v),
        (_, DefaultValue::Enum(_)) => ValueRef::EnumNumber(field.default_number()),
    }
}

fn zero<'a, 'i>(field: FieldRef<'_>) -> ValueRef<'a, 'i> {
    match field.raw_kind() {
        Kind::Bool => ValueRef::Bool(false),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => ValueRef::I32(0),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => ValueRef::I64(0),
        Kind::Uint32 | Kind::Fixed32 => ValueRef::U32(0),
        Kind::Uint64 | Kind::Fixed64 => ValueRef::U64(0),
        Kind::Float => ValueRef::F32(0.0),
        Kind::Double => ValueRef::F64(0.0),
        Kind::String => ValueRef::String(""),
        Kind::Bytes | Kind::Message(_) => ValueRef::Bytes(&[]),
        Kind::Enum(_) => ValueRef::EnumNumber(field.default_number()),
    }
}
