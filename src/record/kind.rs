//! The kinds of fields as types, by which handles are told apart at compile time.
//!
//! A kind never has a value; [`Field<kind::Uint64>`](super::Field) is a handle of a `uint64` field.

use super::raw::Raw;
use crate::table::Kind;
use crate::wire::{zigzag32, zigzag64};
use core::marker::PhantomData;

/// A kind that has a handle. Sealed.
pub trait FieldKind: sealed::Kinded {}

/// A number, `bool`, enum, `string` or `bytes`: what [`set`](super::RecordWriter::set) writes. Sealed.
pub trait Scalar: FieldKind + sealed::Coded {
    /// The Rust type of a value.
    type Value<'v>: Copy;
}

/// An integer, `bool` or `string`: what can be the key of a map. Sealed.
pub trait MapKey: Scalar {}

pub(super) mod sealed {
    use super::{Kind, Raw, Scalar};

    /// The descriptor kind that handles of this kind stand for.
    pub trait Kinded {
        const KIND: Kind<(), ()>;
        /// The kind of the keys of a map; the value of a map is `KIND`.
        const KEY: Option<Kind<(), ()>> = None;
    }

    /// How a value is written.
    pub trait Coded {
        fn raw<'v>(value: Self::Value<'v>) -> Raw<'v>
        where
            Self: Scalar;
    }
}

macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident: $value:ty = |$v:ident| $raw:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl sealed::Kinded for $name {
            const KIND: Kind<(), ()> = scalars!(@kind $name);
        }

        impl sealed::Coded for $name {
            #[inline(always)]
            fn raw<'v>($v: <Self as Scalar>::Value<'v>) -> Raw<'v> {
                $raw
            }
        }

        impl FieldKind for $name {}

        impl Scalar for $name {
            type Value<'v> = $value;
        }
    )*};
    (@kind Enum) => { Kind::Enum(()) };
    (@kind $name:ident) => { Kind::$name };
}

scalars! {
    /// `double`.
    Double: f64 = |v| Raw::Fixed64(v.to_bits());
    /// `float`.
    Float: f32 = |v| Raw::Fixed32(v.to_bits());
    /// `int32`.
    Int32: i32 = |v| Raw::Varint(v as i64 as u64);
    /// `int64`.
    Int64: i64 = |v| Raw::Varint(v as u64);
    /// `uint32`.
    Uint32: u32 = |v| Raw::Varint(v.into());
    /// `uint64`.
    Uint64: u64 = |v| Raw::Varint(v);
    /// `sint32`.
    Sint32: i32 = |v| Raw::Varint(zigzag32(v).into());
    /// `sint64`.
    Sint64: i64 = |v| Raw::Varint(zigzag64(v));
    /// `fixed32`.
    Fixed32: u32 = |v| Raw::Fixed32(v);
    /// `fixed64`.
    Fixed64: u64 = |v| Raw::Fixed64(v);
    /// `sfixed32`.
    Sfixed32: i32 = |v| Raw::Fixed32(v as u32);
    /// `sfixed64`.
    Sfixed64: i64 = |v| Raw::Fixed64(v as u64);
    /// `bool`.
    Bool: bool = |v| Raw::Varint(v.into());
    /// `string`.
    String: &'v str = |v| Raw::Bytes(v.as_bytes());
    /// `bytes`.
    Bytes: &'v [u8] = |v| Raw::Bytes(v);
    /// An enum, by number.
    Enum: i32 = |v| Raw::Varint(v as i64 as u64);
}

macro_rules! map_keys {
    ($($name:ident)*) => { $(impl MapKey for $name {})* };
}

map_keys!(Int32 Int64 Uint32 Uint64 Sint32 Sint64 Fixed32 Fixed64 Sfixed32 Sfixed64 Bool String);

/// A message or group.
#[derive(Clone, Copy, Debug)]
pub enum Message {}

impl sealed::Kinded for Message {
    const KIND: Kind<(), ()> = Kind::Message(());
}

impl FieldKind for Message {}

/// A map from `K` to `V`.
#[derive(Clone, Copy, Debug)]
pub struct Map<K, V>(PhantomData<(K, V)>);

impl<K: MapKey, V: FieldKind> sealed::Kinded for Map<K, V> {
    const KIND: Kind<(), ()> = V::KIND;
    const KEY: Option<Kind<(), ()>> = Some(K::KIND);
}

impl<K: MapKey, V: FieldKind> FieldKind for Map<K, V> {}

#[cfg(test)]
mod tests {
    use super::sealed::Coded;
    use super::*;

    #[test]
    fn zero_is_a_matter_of_bits() {
        assert!(Double::raw(0.0).is_zero() && !Double::raw(-0.0).is_zero() && !Float::raw(-0.0).is_zero());
        assert!(String::raw("").is_zero() && !Bytes::raw(b"\0").is_zero() && Bool::raw(false).is_zero());
        assert!(!Int32::raw(i32::MIN).is_zero() && !Sfixed32::raw(-1).is_zero());
    }

    #[test]
    fn negative_numbers_are_sign_extended_or_zigzag() {
        assert_eq!(Int32::raw(-1), Raw::Varint(u64::MAX));
        assert_eq!(Enum::raw(-1).size(), 10);
        assert_eq!((Sint32::raw(-1), Sint64::raw(i64::MIN)), (Raw::Varint(1), Raw::Varint(u64::MAX)));
        assert_eq!(Bytes::raw(&[0; 200]).size(), 202);
    }
}
