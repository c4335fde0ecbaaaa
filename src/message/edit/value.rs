//! [`Value`] and [`MapKey`]: owned values of fields.

use super::field_key::ResolvedField;
use super::fit::Fit;
use crate::message::{DynamicMessage, MapKeyRef, Prepared};
use crate::schema::pool::{ExtensionDescriptor, FieldDescriptor};
use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    collections::BTreeMap,
    string::String,
    vec::Vec,
};

/// The value of a field, owned. Setters take it; [`ValueRef::to_owned`](crate::message::ValueRef::to_owned) returns it.
///
/// A field reads as one variant: `I32` for `int32`, `sint32` and `sfixed32`, `U32` for `uint32` and `fixed32`, `I64` and `U64`
/// likewise, `F32` for `float`, `F64` for `double`.
///
/// # Conversions
/// Setters take whatever the field holds without loss:
///
/// | field | takes |
/// |---|---|
/// | any integer | an integer of any type that is in its range |
/// | `float`, `double` | a float or an integer that it represents exactly, and any NaN: `0.5` for a `float`, but not `0.1`, which is an `f64` there; write `0.1f32` |
/// | an enum | a number as `EnumNumber` or as any integer, or a name as a string; a closed enum must list the number |
/// | `string` | a string; in proto2, which does not check UTF-8, bytes |
/// | `bytes` | bytes, the bytes of a string, or a list of integers from 0 to 255 that is not empty |
/// | a message | a message whose type has the same full name, also of another pool |
/// | a list | `Vec<T>`, arrays, slices, and [`collect`](Iterator::collect) of any iterator over such values |
/// | a map | `BTreeMap`, `HashMap`, and a `Vec`, an array or an iterator of pairs; a later pair replaces an earlier one of the same key |
///
/// `Vec<u8>`, `[u8; N]` and `&[u8]` are bytes, so that a single `u8` is no value. Nothing else is converted: a float is never an
/// integer, a number never a `bool` and never a string.
///
/// Making a `Value` of borrowed data copies it. As for `Vec` and `BTreeMap`, that and `Clone` abort if the allocator fails.
///
/// ```
/// use tablepb::Value;
///
/// assert_eq!(Value::from("a"), Value::String("a".into()));
/// assert_eq!(Value::from(5u64).as_u64(), Some(5));
/// assert_eq!(Value::from(5u64).as_i64(), None);
/// assert_eq!(Value::from([1, 2]), Value::List(vec![Value::I32(1), Value::I32(2)]));
/// assert_eq!(Value::from([("a", 1)]), [("a", 1)].into_iter().collect());
/// assert_eq!(Value::from(b"ab"), Value::Bytes(b"ab".to_vec()));
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

macro_rules! getters {
    ($on:ident: $($variant:ident($type:ty), $get:ident, $get_mut:ident;)*) => {
        impl $on {
            $(#[doc = concat!("The value, if it is `", stringify!($variant), "`.")]
            #[must_use]
            pub fn $get(&self) -> Option<$type> {
                match self {
                    Self::$variant(value) => Some(*value),
                    _ => None,
                }
            }

            #[doc = concat!("The value to change, if it is `", stringify!($variant), "`.")]
            pub fn $get_mut(&mut self) -> Option<&mut $type> {
                match self {
                    Self::$variant(value) => Some(value),
                    _ => None,
                }
            })*
        }
    };
}

getters! { Value:
    Bool(bool), as_bool, as_bool_mut;
    I32(i32), as_i32, as_i32_mut;
    I64(i64), as_i64, as_i64_mut;
    U32(u32), as_u32, as_u32_mut;
    U64(u64), as_u64, as_u64_mut;
    F32(f32), as_f32, as_f32_mut;
    F64(f64), as_f64, as_f64_mut;
    EnumNumber(i32), as_enum_number, as_enum_number_mut;
}

getters! { MapKey:
    Bool(bool), as_bool, as_bool_mut;
    I32(i32), as_i32, as_i32_mut;
    I64(i64), as_i64, as_i64_mut;
    U32(u32), as_u32, as_u32_mut;
    U64(u64), as_u64, as_u64_mut;
}

macro_rules! owned_getters {
    ($($variant:ident, $get_mut:ident -> $type:ty, $doc:literal;)*) => {
        $(#[doc = concat!($doc, " to change, if it is one.")]
        pub fn $get_mut(&mut self) -> Option<&mut $type> {
            match self {
                Self::$variant(value) => Some(value),
                _ => None,
            }
        })*
    };
}

impl Value {
    owned_getters! {
        String, as_string_mut -> String, "The string";
        Bytes, as_bytes_mut -> Vec<u8>, "The bytes";
        Message, as_message_mut -> DynamicMessage, "The message";
        List, as_list_mut -> Vec<Value>, "The list";
        Map, as_map_mut -> BTreeMap<MapKey, Value>, "The map";
    }

    /// The value as the key of a map; `None` if keys cannot be of its kind. Bytes, which are no keys of protobuf, become
    /// [`MapKey::Bytes`].
    #[must_use]
    pub fn into_map_key(self) -> Option<MapKey> {
        Some(match self {
            Self::Bool(v) => MapKey::Bool(v),
            Self::I32(v) => MapKey::I32(v),
            Self::I64(v) => MapKey::I64(v),
            Self::U32(v) => MapKey::U32(v),
            Self::U64(v) => MapKey::U64(v),
            Self::String(v) => MapKey::String(v),
            Self::Bytes(v) => MapKey::Bytes(v),
            _ => return None,
        })
    }
}

impl MapKey {
    owned_getters! { String, as_string_mut -> String, "The string"; }

    /// The string, if the key is `String`.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_ref().as_str()
    }

    /// The name of the variant, for messages.
    pub(in crate::message) fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "Bool",
            Self::I32(_) => "I32",
            Self::I64(_) => "I64",
            Self::U32(_) => "U32",
            Self::U64(_) => "U64",
            Self::String(_) => "String",
            Self::Bytes(_) => "Bytes",
        }
    }

    /// The key, borrowed.
    #[must_use]
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

// What becomes a `Value` or a `MapKey`.

macro_rules! from {
    ($on:ident: $($type:ty, $value:ident => $made:expr;)*) => {
        $(impl From<$type> for $on {
            fn from($value: $type) -> Self {
                $made
            }
        })*
    };
}

/// What is both a value and a key.
macro_rules! from_scalars {
    ($($on:ident)*) => {
        $(from! { $on:
            bool, v => Self::Bool(v);
            i32, v => Self::I32(v);
            i64, v => Self::I64(v);
            u32, v => Self::U32(v);
            u64, v => Self::U64(v);
            i8, v => Self::I32(v.into());
            i16, v => Self::I32(v.into());
            u16, v => Self::U32(v.into());
            isize, v => Self::I64(v as i64);
            usize, v => Self::U64(v as u64);
            &str, v => Self::String(v.to_owned());
            String, v => Self::String(v);
            &String, v => Self::String(v.clone());
            Box<str>, v => Self::String(v.into());
            Cow<'_, str>, v => Self::String(v.into_owned());
            &[u8], v => Self::Bytes(v.to_owned());
            Vec<u8>, v => Self::Bytes(v);
        })*
    };
}

from_scalars! { Value MapKey }

from! { Value:
    f32, v => Self::F32(v);
    f64, v => Self::F64(v);
    &Vec<u8>, v => Self::Bytes(v.clone());
    Box<[u8]>, v => Self::Bytes(v.into());
    Cow<'_, [u8]>, v => Self::Bytes(v.into_owned());
    DynamicMessage, v => Self::Message(v);
    &DynamicMessage, v => Self::Message(v.clone());
}

impl<const N: usize> From<[u8; N]> for Value {
    fn from(value: [u8; N]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(value: &[u8; N]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

#[cfg(feature = "bytes")]
impl From<bytes::Bytes> for Value {
    fn from(value: bytes::Bytes) -> Self {
        Self::Bytes(value.into())
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

impl From<MapKey> for Value {
    fn from(key: MapKey) -> Self {
        match key {
            MapKey::Bool(v) => Self::Bool(v),
            MapKey::I32(v) => Self::I32(v),
            MapKey::I64(v) => Self::I64(v),
            MapKey::U32(v) => Self::U32(v),
            MapKey::U64(v) => Self::U64(v),
            MapKey::String(v) => Self::String(v),
            MapKey::Bytes(v) => Self::Bytes(v),
        }
    }
}

/// A list.
impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

/// A map.
impl<K: Into<MapKey>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = BTreeMap::new();
        // `collect` would sort first: a stable sort of its own, 20 KB of code.
        map.extend(entries.into_iter().map(|(key, value)| (key.into(), value.into())));
        Self::Map(map)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(values: Vec<V>) -> Self {
        values.into_iter().collect()
    }
}

impl<V: Into<Value> + Clone> From<&[V]> for Value {
    fn from(values: &[V]) -> Self {
        values.iter().cloned().collect()
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(values: [V; N]) -> Self {
        values.into_iter().collect()
    }
}

impl<K: Into<MapKey>, V: Into<Value>> From<Vec<(K, V)>> for Value {
    fn from(entries: Vec<(K, V)>) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Into<MapKey>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Value {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Into<MapKey>, V: Into<Value>> From<BTreeMap<K, V>> for Value {
    fn from(entries: BTreeMap<K, V>) -> Self {
        entries.into_iter().collect()
    }
}

#[cfg(feature = "std")]
impl<K: Into<MapKey>, V: Into<Value>, S> From<std::collections::HashMap<K, V, S>> for Value {
    fn from(entries: std::collections::HashMap<K, V, S>) -> Self {
        entries.into_iter().collect()
    }
}

from! { MapKey:
    // No value: `Vec<u8>` is bytes, and not a list.
    u8, v => Self::U32(v.into());
    MapKeyRef<'_>, v => v.to_owned();
}

macro_rules! borrowed_keys {
    ($($type:ty, $value:ident => $made:expr;)*) => {
        $(impl<'i> From<$type> for MapKeyRef<'i> {
            fn from($value: $type) -> Self {
                $made
            }
        })*
    };
}

borrowed_keys! {
    bool, v => Self::Bool(v);
    i32, v => Self::I32(v);
    i64, v => Self::I64(v);
    u32, v => Self::U32(v);
    u64, v => Self::U64(v);
    &'i str, v => Self::String(v);
    &'i String, v => Self::String(v);
    &'i [u8], v => Self::Bytes(v);
    &'i MapKey, v => v.as_ref();
}

// Values and the fields that they are for: defaults, and whether they fit.

impl Value {
    /// The value that the field has when it is not set: its default, zero, empty, or an empty message.
    ///
    /// # Panics
    /// If the allocator fails.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, Value};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("level", 1, Kind::Int32)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let level = log.get_field(1).unwrap();
    /// assert_eq!(Value::default_value_for_field(&level), Value::I32(0));
    /// assert!(Value::I32(0).is_default_for_field(&level) && !Value::I32(1).is_default_for_field(&level));
    /// assert!(Value::U64(7).is_valid_for_field(&level) && !Value::U64(1 << 40).is_valid_for_field(&level));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn default_value_for_field(field: &FieldDescriptor) -> Self {
        let message = DynamicMessage::new(field.parent_message());
        // It is a field of this message.
        message.get_field(field).map_or_else(|error| panic!("{error}"), |default| default.to_owned())
    }

    /// Whether the value is the one that the field has when it is not set. Compares as `==` does.
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn is_default_for_field(&self, field: &FieldDescriptor) -> bool {
        *self == Self::default_value_for_field(field)
    }

    /// Whether a setter takes the value for the field, as it is or [converted](Self#conversions). A message of another pool is taken by
    /// its name; whether its bytes fit, only the setter finds out.
    #[must_use]
    pub fn is_valid_for_field(&self, field: &FieldDescriptor) -> bool {
        let descriptor = field.as_ref();
        let set = field.parent_pool().programs();
        let found = set.program(descriptor.message_index()).entry_of(descriptor.index() as usize);
        let Some((position, entry)) = found else { return false };
        let field = ResolvedField { descriptor, position, entry: *entry, set };
        matches!(field.check(self), Ok(Fit::Same | Fit::Converted))
    }
}

impl FieldDescriptor {
    /// The value that the field has when it is not set; see [`Value::default_value_for_field`].
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn default_value(&self) -> Value {
        Value::default_value_for_field(self)
    }
}

impl ExtensionDescriptor {
    /// The value that the extension has when it is not set; see [`Value::default_value_for_field`].
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn default_value(&self) -> Value {
        Value::default_value_for_field(&self.as_field())
    }
}
