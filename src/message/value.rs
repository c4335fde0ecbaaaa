//! [`Value`] and [`MapKey`]: owned values of fields.

use super::{DynamicMessage, MapKeyRef, Prepared};
use alloc::{borrow::ToOwned, collections::BTreeMap, string::String, vec::Vec};

/// The value of a field, owned. Setters take it; [`ValueRef::to_owned`](super::ValueRef::to_owned) returns it.
///
/// The variant must match the field's kind: `I32` for `int32`, `sint32` and `sfixed32`, `U32` for
/// `uint32` and `fixed32`, `I64` and `U64` likewise, `F32` for `float`, `F64` for `double`. Numbers are not
/// converted.
///
/// `Clone` aborts if the allocator fails, as for `Vec` and `BTreeMap`.
///
/// ```
/// use tablepb::Value;
///
/// assert_eq!(Value::from("a"), Value::String("a".into()));
/// assert_eq!(Value::from(5u64).as_u64(), Some(5));
/// assert_eq!(Value::from(5u64).as_i64(), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
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
    String(String),
    /// `bytes`.
    Bytes(Vec<u8>),
    /// An enum value, by number.
    EnumNumber(i32),
    /// A message.
    Message(DynamicMessage),
    /// A message as bytes. Message fields take it like a decoded one.
    Prepared(Prepared),
    /// A repeated field.
    List(Vec<Value>),
    /// A map field.
    Map(BTreeMap<MapKey, Value>),
}

/// The key of a map field, owned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MapKey {
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
    /// `string`.
    String(String),
    /// A `string` without UTF-8 validation (proto2) that is not UTF-8. Setters take any bytes for such a field. UTF-8 bytes are the
    /// same key to the message as the `String`, though `==` tells them apart.
    Bytes(Vec<u8>),
}

impl MapKey {
    /// The key, borrowed.
    pub fn as_ref(&self) -> MapKeyRef<'_> {
        match self {
            Self::Bool(v) => MapKeyRef::Bool(*v),
            Self::I32(v) => MapKeyRef::I32(*v),
            Self::I64(v) => MapKeyRef::I64(*v),
            Self::U32(v) => MapKeyRef::U32(*v),
            Self::U64(v) => MapKeyRef::U64(*v),
            Self::String(v) => MapKeyRef::String(v),
            Self::Bytes(v) => MapKeyRef::Bytes(v),
        }
    }
}

macro_rules! conversions {
    ($($variant:ident($type:ty), $get:ident;)*) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })*
        impl Value {
            $(#[doc = concat!("The value, if it is `", stringify!($variant), "`.")]
            pub fn $get(&self) -> Option<$type> {
                match self {
                    Self::$variant(value) => Some(*value),
                    _ => None,
                }
            })*
        }
    };
}

conversions! {
    Bool(bool), as_bool;
    I32(i32), as_i32;
    I64(i64), as_i64;
    U32(u32), as_u32;
    U64(u64), as_u64;
    F32(f32), as_f32;
    F64(f64), as_f64;
}

impl Value {
    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(value) => Some(value),
            _ => None,
        }
    }

    /// The bytes, if it is `Bytes`.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(value) => Some(value),
            _ => None,
        }
    }

    /// The number of the enum value, if it is one.
    pub fn as_enum_number(&self) -> Option<i32> {
        match self {
            Self::EnumNumber(value) => Some(*value),
            _ => None,
        }
    }

    /// The message, if it is one.
    pub fn as_message(&self) -> Option<&DynamicMessage> {
        match self {
            Self::Message(value) => Some(value),
            _ => None,
        }
    }

    /// The elements, if it is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(value) => Some(value),
            _ => None,
        }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&BTreeMap<MapKey, Value>> {
        match self {
            Self::Map(value) => Some(value),
            _ => None,
        }
    }

    /// The name of the variant, for messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "Bool",
            Self::I32(_) => "I32",
            Self::I64(_) => "I64",
            Self::U32(_) => "U32",
            Self::U64(_) => "U64",
            Self::F32(_) => "F32",
            Self::F64(_) => "F64",
            Self::String(_) => "String",
            Self::Bytes(_) => "Bytes",
            Self::EnumNumber(_) => "EnumNumber",
            Self::Message(_) => "Message",
            Self::Prepared(_) => "Prepared",
            Self::List(_) => "List",
            Self::Map(_) => "Map",
        }
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

#[cfg(feature = "bytes")]
impl From<bytes::Bytes> for Value {
    fn from(value: bytes::Bytes) -> Self {
        Self::Bytes(value.into())
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(value: &[u8; N]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

#[cfg(feature = "std")]
impl From<std::collections::HashMap<MapKey, Value>> for Value {
    fn from(value: std::collections::HashMap<MapKey, Value>) -> Self {
        let mut map = BTreeMap::new();
        // `collect` would sort first: a stable sort of its own, 20 KB of code.
        map.extend(value);
        Self::Map(map)
    }
}

impl From<DynamicMessage> for Value {
    fn from(value: DynamicMessage) -> Self {
        Self::Message(value)
    }
}

impl<T> From<Prepared<T>> for Value {
    fn from(value: Prepared<T>) -> Self {
        Self::Prepared(value.erase())
    }
}

impl<T> From<&Prepared<T>> for Value {
    fn from(value: &Prepared<T>) -> Self {
        Self::Prepared(value.clone().erase())
    }
}

impl From<Vec<Value>> for Value {
    fn from(value: Vec<Value>) -> Self {
        Self::List(value)
    }
}

impl From<BTreeMap<MapKey, Value>> for Value {
    fn from(value: BTreeMap<MapKey, Value>) -> Self {
        Self::Map(value)
    }
}

macro_rules! keys {
    ($($variant:ident($type:ty);)*) => {
        $(impl From<$type> for MapKey {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        }

        impl From<$type> for MapKeyRef<'_> {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

keys! { Bool(bool); I32(i32); I64(i64); U32(u32); U64(u64); }

impl From<&str> for MapKey {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for MapKey {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<&[u8]> for MapKey {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_owned())
    }
}

impl From<Vec<u8>> for MapKey {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}
