//! What becomes a [`Value`] or a [`MapKey`].

use crate::message::{DynamicMessage, MapKey, MapKeyRef, Prepared, Value};
use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    collections::BTreeMap,
    string::String,
    vec::Vec,
};

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
