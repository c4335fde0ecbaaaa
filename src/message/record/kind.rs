//! Field kinds as types: the parameter of [`Field`](super::Field), so that a value of the wrong type does not compile.
//!
//! `Field<kind::Uint64>` is the handle of a `uint64` field. The types have no values. They are named after the
//! variants of [`Kind`], except where that name belongs to something that every program uses: [`Str`] for `string`,
//! [`Submessage`] for a message or group, [`MapOf`] for a map.
//!
//! ```
//! use tablepb::record::{Field, kind};
//!
//! struct Columns {
//!     name: Field<kind::Str>,
//!     ports: Field<kind::Uint32>, // singular or repeated: the kind is the same
//!     labels: Field<kind::MapOf<kind::Str, kind::Int64>>,
//! }
//! assert_eq!(size_of::<Columns>(), 48);
//! ```

use crate::schema::table::Kind;
use crate::wire::{WireType, varint_len, zigzag32, zigzag64};
use core::marker::PhantomData;

/// A kind of field that has handles. Sealed.
pub trait HandleKind: sealed::Described {}

/// A kind whose values [`set`](super::RecordWriter::set) takes: a number, `bool`, enum, `string` or `bytes`. Sealed.
pub trait SettableKind: HandleKind + sealed::ToWire {
    /// The Rust type of a value.
    type Value<'v>: Copy;
}

/// A kind that map keys can have: an integer, `bool` or `string`. Sealed.
pub trait KeyKind: SettableKind {}

pub(super) mod sealed {
    use super::{Kind, SettableKind, WireValue};

    /// The kind of the descriptors that a handle is accepted for.
    pub trait Described {
        /// The kind of the field; for a map, that of its values.
        const KIND: Kind<(), ()>;
        /// The kind of the keys, for a map.
        const KEY: Option<Kind<(), ()>> = None;
    }

    /// Converts a value to its wire form.
    pub trait ToWire {
        fn to_wire<'v>(value: Self::Value<'v>) -> WireValue<'v>
        where
            Self: SettableKind;
    }
}

macro_rules! settable_kinds {
    ($($(#[$doc:meta])* $name:ident $kind:ident: $value:ty = |$v:ident| $wire:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl sealed::Described for $name {
            const KIND: Kind<(), ()> = settable_kinds!(@kind $kind);
        }

        impl sealed::ToWire for $name {
            #[inline(always)]
            fn to_wire<'v>($v: <Self as SettableKind>::Value<'v>) -> WireValue<'v> {
                $wire
            }
        }

        impl HandleKind for $name {}

        impl SettableKind for $name {
            type Value<'v> = $value;
        }
    )*};
    (@kind Enum) => { Kind::Enum(()) };
    (@kind $kind:ident) => { Kind::$kind };
}

settable_kinds! {
    /// `double`, set as `f64`.
    Double Double: f64 = |v| WireValue::Fixed64(v.to_bits());
    /// `float`, set as `f32`.
    Float Float: f32 = |v| WireValue::Fixed32(v.to_bits());
    /// `int32`, set as `i32`.
    Int32 Int32: i32 = |v| WireValue::Varint(v as i64 as u64);
    /// `int64`, set as `i64`.
    Int64 Int64: i64 = |v| WireValue::Varint(v as u64);
    /// `uint32`, set as `u32`.
    Uint32 Uint32: u32 = |v| WireValue::Varint(v.into());
    /// `uint64`, set as `u64`.
    Uint64 Uint64: u64 = |v| WireValue::Varint(v);
    /// `sint32`, set as `i32`.
    Sint32 Sint32: i32 = |v| WireValue::Varint(zigzag32(v).into());
    /// `sint64`, set as `i64`.
    Sint64 Sint64: i64 = |v| WireValue::Varint(zigzag64(v));
    /// `fixed32`, set as `u32`.
    Fixed32 Fixed32: u32 = |v| WireValue::Fixed32(v);
    /// `fixed64`, set as `u64`.
    Fixed64 Fixed64: u64 = |v| WireValue::Fixed64(v);
    /// `sfixed32`, set as `i32`.
    Sfixed32 Sfixed32: i32 = |v| WireValue::Fixed32(v as u32);
    /// `sfixed64`, set as `i64`.
    Sfixed64 Sfixed64: i64 = |v| WireValue::Fixed64(v as u64);
    /// `bool`.
    Bool Bool: bool = |v| WireValue::Varint(v.into());
    /// `string`, set as `&str`.
    Str String: &'v str = |v| WireValue::Bytes(v.as_bytes());
    /// `bytes`, set as `&[u8]`.
    Bytes Bytes: &'v [u8] = |v| WireValue::Bytes(v);
    /// An enum, set by number as `i32`.
    Enum Enum: i32 = |v| WireValue::Varint(v as i64 as u64);
}

macro_rules! key_kinds {
    ($($name:ident)*) => { $(impl KeyKind for $name {})* };
}

key_kinds!(Int32 Int64 Uint32 Uint64 Sint32 Sint64 Fixed32 Fixed64 Sfixed32 Sfixed64 Bool Str);

/// A message or group, written by [`message`](super::RecordWriter::message) or
/// [`prepared`](super::RecordWriter::prepared).
#[derive(Clone, Copy, Debug)]
pub enum Submessage {}

impl sealed::Described for Submessage {
    const KIND: Kind<(), ()> = Kind::Message(());
}

impl HandleKind for Submessage {}

/// A map from `K` to `V`, written by [`insert`](super::RecordWriter::insert) or, if `V` is [`Submessage`],
/// [`insert_message`](super::RecordWriter::insert_message).
#[derive(Clone, Copy, Debug)]
pub struct MapOf<K, V>(PhantomData<(K, V)>);

impl<K: KeyKind, V: HandleKind> sealed::Described for MapOf<K, V> {
    const KIND: Kind<(), ()> = V::KIND;
    const KEY: Option<Kind<(), ()>> = Some(K::KIND);
}

impl<K: KeyKind, V: HandleKind> HandleKind for MapOf<K, V> {}

// `WireValue`: a value converted to its wire form.

/// A value in its wire form, without a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireValue<'v> {
    /// A varint, by its value.
    Varint(u64),
    /// Four bytes, by their bits.
    Fixed32(u32),
    /// Eight bytes, by their bits.
    Fixed64(u64),
    /// Written after a length prefix.
    Bytes(&'v [u8]),
}

impl WireValue<'_> {
    /// Whether a field without presence counts as unset with this value. -0.0 does not: its bits are not zero.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        match self {
            Self::Varint(value) | Self::Fixed64(value) => value == 0,
            Self::Fixed32(value) => value == 0,
            Self::Bytes(bytes) => bytes.is_empty(),
        }
    }

    /// Bytes on the wire, without a tag.
    #[inline(always)]
    pub(super) fn size(self) -> usize {
        match self {
            Self::Varint(value) => varint_len(value),
            Self::Fixed32(_) => 4,
            Self::Fixed64(_) => 8,
            Self::Bytes(bytes) => varint_len(bytes.len() as u64) + bytes.len(),
        }
    }

    #[inline(always)]
    pub(super) fn wire_type(self) -> WireType {
        match self {
            Self::Varint(_) => WireType::Varint,
            Self::Fixed32(_) => WireType::Fixed32,
            Self::Fixed64(_) => WireType::Fixed64,
            Self::Bytes(_) => WireType::LengthDelimited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sealed::ToWire;
    use super::*;

    #[test]
    fn zero_is_a_matter_of_bits() {
        assert!(Double::to_wire(0.0).is_zero() && !Double::to_wire(-0.0).is_zero());
        assert!(!Float::to_wire(-0.0).is_zero() && Bool::to_wire(false).is_zero());
        assert!(Str::to_wire("").is_zero() && !Bytes::to_wire(b"\0").is_zero());
        assert!(!Int32::to_wire(i32::MIN).is_zero() && !Sfixed32::to_wire(-1).is_zero());
    }

    #[test]
    fn negative_numbers_are_sign_extended_or_zigzag() {
        assert_eq!(Int32::to_wire(-1), WireValue::Varint(u64::MAX));
        assert_eq!(Enum::to_wire(-1).size(), 10);
        assert_eq!(Sint32::to_wire(-1), WireValue::Varint(1));
        assert_eq!(Sint64::to_wire(i64::MIN), WireValue::Varint(u64::MAX));
        assert_eq!(Bytes::to_wire(&[0; 200]).size(), 202);
    }
}
