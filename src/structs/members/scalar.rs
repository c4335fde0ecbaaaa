//! Members of the types of numbers, `bool` and enums.

use super::field::{DecodeValue, EncodeValue, ScalarValue};
use super::packed::{merge_packed, run_len, write_run};
use super::plain::PlainValue;
use crate::schema::table::DefaultValue;
#[cfg(feature = "json")]
use crate::schema::table::TableKind;
use crate::structs::decode::end::UNKNOWN;
use crate::structs::decode::input::Input;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{self, EnumOf, ScalarKind};
use crate::structs::grammar::spec::WireSpec;
use crate::structs::{EnumValue, Enumeration};
use crate::wire::error::DecodeErrorKind;
use crate::wire::read::raw;
use crate::wire::{Cursor, WireType, unzigzag32, unzigzag64, varint_len, zigzag32, zigzag64};
use alloc::vec::Vec;

macro_rules! scalars {
    ($($kind:ident $type:ty: $value:ident => $to:expr, $raw:ident => $from:expr, $variant:ident;)*) => {$(
        impl ScalarValue<kinds::$kind> for $type {
            #[inline(always)]
            fn zero() -> Self {
                Self::default()
            }

            #[inline(always)]
            fn to_raw(self) -> u64 {
                let $value = self;
                $to
            }

            #[inline(always)]
            fn from_raw($raw: u64) -> Option<Self> {
                Some($from)
            }

            #[inline(always)]
            fn from_default(value: DefaultValue<'static>) -> Option<Self> {
                scalars!(@default $type, $variant, value)
            }
        }
    )*};
    (@default bool, Bool, $value:ident) => {
        if let DefaultValue::Bool(value) = $value { Some(value) } else { None }
    };
    (@default $type:ty, $variant:ident, $value:ident) => {
        if let DefaultValue::$variant(value) = $value { Some(value as $type) } else { None }
    };
}

scalars! {
    Double f64: v => v.to_bits(), raw => f64::from_bits(raw), Float;
    Float f32: v => v.to_bits().into(), raw => f32::from_bits(raw as u32), Float;
    Int32 i32: v => v as u64, raw => raw as i32, Int;
    Int64 i64: v => v as u64, raw => raw as i64, Int;
    Uint32 u32: v => v.into(), raw => raw as u32, Uint;
    Uint64 u64: v => v, raw => raw, Uint;
    Sint32 i32: v => zigzag32(v).into(), raw => unzigzag32(raw as u32), Int;
    Sint64 i64: v => zigzag64(v), raw => unzigzag64(raw), Int;
    Fixed32 u32: v => v.into(), raw => raw as u32, Uint;
    Fixed64 u64: v => v, raw => raw, Uint;
    Sfixed32 i32: v => (v as u32).into(), raw => raw as i32, Int;
    Sfixed64 i64: v => v as u64, raw => raw as i64, Int;
    Bool bool: v => v.into(), raw => raw != 0, Bool;
}

impl<E: Enumeration> ScalarValue<EnumOf<E>> for E {
    #[inline(always)]
    fn zero() -> Self {
        E::first()
    }

    #[inline(always)]
    fn to_raw(self) -> u64 {
        self.number() as u64
    }

    #[inline(always)]
    fn from_raw(raw: u64) -> Option<Self> {
        E::from_number(raw as i32)
    }

    fn from_default(value: DefaultValue<'static>) -> Option<Self> {
        default_number::<E>(value).and_then(E::from_number)
    }
}

impl<E: Enumeration> ScalarValue<EnumOf<E>> for EnumValue<E> {
    #[inline(always)]
    fn zero() -> Self {
        Self::Known(E::first())
    }

    #[inline(always)]
    fn to_raw(self) -> u64 {
        self.number() as u64
    }

    #[inline(always)]
    fn from_raw(raw: u64) -> Option<Self> {
        match Self::from_number(raw as i32) {
            Self::Unknown(_) if E::TABLE.is_closed() => None,
            value => Some(value),
        }
    }

    fn from_default(value: DefaultValue<'static>) -> Option<Self> {
        default_number::<E>(value).map(Self::from_number)
    }
}

impl<E: Enumeration> ScalarValue<EnumOf<E>> for i32 {
    #[inline(always)]
    fn zero() -> Self {
        E::first().number()
    }

    #[inline(always)]
    fn to_raw(self) -> u64 {
        self as u64
    }

    #[inline(always)]
    fn from_raw(raw: u64) -> Option<Self> {
        let number = raw as i32;
        if E::TABLE.is_closed() && E::from_number(number).is_none() { None } else { Some(number) }
    }

    fn from_default(value: DefaultValue<'static>) -> Option<Self> {
        default_number::<E>(value)
    }
}

impl<K: ScalarKind, T: ScalarValue<K>> PlainValue<K> for T {
    #[inline(always)]
    fn is_set(&self) -> bool {
        differ::<K, _>(*self, T::zero())
    }

    #[inline]
    fn is_set_or(&self, default: DefaultValue<'static>) -> bool {
        differ::<K, _>(*self, T::from_default(default).unwrap_or_else(T::zero))
    }

    #[inline(always)]
    fn reset(&mut self, default: Option<DefaultValue<'static>>) {
        *self = default.and_then(T::from_default).unwrap_or_else(T::zero);
    }

    #[inline(always)]
    fn merge_next(&mut self, number: u32, bytes: &[u8], pos: &mut usize) -> bool {
        next::<K, _>(self, number, bytes, pos)
    }

    #[cfg(feature = "json")]
    #[inline]
    fn set_number(&mut self, number: i64) -> bool {
        let fits = matches!(K::VALUE, TableKind::Int64 | TableKind::Int32);
        let value = T::from_raw(number as u64).filter(|_| fits);
        value.is_some_and(|value| {
            *self = value;
            true
        })
    }
}

fn default_number<E: Enumeration>(value: DefaultValue<'static>) -> Option<i32> {
    let DefaultValue::Enum(name) = value else { return None };
    E::TABLE.values().iter().find(|value| value.0 == name).map(|value| value.1)
}

/// Compares bits: a negative zero is not the default of a float.
#[inline(always)]
fn differ<K: ScalarKind, T: ScalarValue<K>>(a: T, b: T) -> bool {
    a.to_raw() != b.to_raw()
}

/// The length of a value without its tag.
#[inline(always)]
pub(in crate::structs) fn scalar_len<K: ScalarKind>(raw: u64) -> u64 {
    match K::WIRE {
        WireType::Fixed32 => 4,
        WireType::Fixed64 => 8,
        _ => varint_len(raw) as u64,
    }
}

/// Writes tag and value.
#[inline(always)]
pub(in crate::structs) fn put_tagged<K: ScalarKind>(cursor: &mut Cursor<'_>, spec: WireSpec, raw: u64) {
    let tag = spec.tag::<K>();
    match K::WIRE {
        WireType::Fixed32 => cursor.write_tagged_fixed32(tag, raw as u32),
        WireType::Fixed64 => cursor.write_tagged_fixed64(tag, raw),
        _ => cursor.write_tagged_varint(tag, raw),
    }
}

/// Writes a value without its tag.
#[inline(always)]
pub(in crate::structs) fn put_scalar<K: ScalarKind>(cursor: &mut Cursor<'_>, raw: u64) {
    match K::WIRE {
        WireType::Fixed32 => cursor.write_fixed32(raw as u32),
        WireType::Fixed64 => cursor.write_fixed64(raw),
        _ => cursor.write_varint(raw),
    }
}

#[inline(always)]
fn get<K: ScalarKind>(buf: &[u8], pos: usize) -> Result<(u64, usize), DecodeErrorKind> {
    match K::WIRE {
        WireType::Fixed32 => raw::fixed32(buf, pos).map(|(raw, pos)| (raw.into(), pos)),
        WireType::Fixed64 => raw::fixed64(buf, pos),
        _ => raw::varint(buf, pos),
    }
}

/// Merges the field `number` if it is at `pos`, with a tag of one byte and a number of fixed width.
#[inline(always)]
fn next<K: ScalarKind, T: ScalarValue<K>>(
    member: &mut T,
    number: u32,
    bytes: &[u8],
    pos: &mut usize,
) -> bool {
    let Some((&tag, rest)) = bytes.get(*pos..).and_then(<[u8]>::split_first) else { return false };
    let raw = match K::WIRE {
        WireType::Fixed32 => rest.first_chunk().map(|&value| u32::from_le_bytes(value).into()),
        WireType::Fixed64 => rest.first_chunk().map(|&value| u64::from_le_bytes(value)),
        _ => None,
    };
    match raw.and_then(T::from_raw) {
        Some(value) if u32::from(tag) == number << 3 | K::WIRE as u32 => {
            *member = value;
            *pos += 1 + scalar_len::<K>(0) as usize;
            true
        }
        _ => false,
    }
}

impl<K: ScalarKind, T: ScalarValue<K>> EncodeValue<K> for T {
    #[inline(always)]
    fn size(&self, spec: WireSpec, _: &mut StructSizer<'_, '_>) -> u64 {
        spec.tag_len() + scalar_len::<K>(self.to_raw())
    }

    #[inline(always)]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        put_tagged::<K>(writer.cursor, spec, self.to_raw());
    }

    #[inline]
    fn size_all(list: &[Self], spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        let payload = run_len::<K, T>(list);
        match (spec.packed, list.is_empty()) {
            (_, true) => 0,
            (true, _) => spec.tag_len() + sizer.run(payload),
            (false, _) => list.len() as u64 * spec.tag_len() + payload,
        }
    }

    #[inline]
    fn write_all(list: &[Self], spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        if list.is_empty() {
            return;
        }
        if !spec.packed {
            return list.iter().for_each(|value| EncodeValue::<K>::write(value, spec, writer));
        }
        writer.tag_and_length(spec);
        write_run::<K, T>(list, writer.cursor);
    }
}

impl<'i, K: ScalarKind, T: ScalarValue<K>> DecodeValue<'i, K> for T {
    #[inline(always)]
    fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        Ok(T::zero())
    }

    #[inline(always)]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 != K::WIRE as u32 {
            return UNKNOWN;
        }
        match get::<K>(input.buf, pos) {
            Ok((raw, end)) => match T::from_raw(raw) {
                Some(value) => {
                    *self = value;
                    end
                }
                None => UNKNOWN,
            },
            Err(kind) => input.fault(kind, pos),
        }
    }

    #[inline]
    fn merge_all(list: &mut Vec<Self>, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 == WireType::LengthDelimited as u32 {
            return merge_packed(list, pos, bits, input);
        }
        if bits & 7 != K::WIRE as u32 {
            return UNKNOWN;
        }
        match get::<K>(input.buf, pos) {
            Ok((raw, end)) => match T::from_raw(raw) {
                Some(value) => {
                    input.pos = end;
                    match input.reserve(list, 1) {
                        Ok(()) => list.push(value),
                        Err(kind) => return input.fault_in(list.len(), kind, end),
                    }
                    end
                }
                None => UNKNOWN,
            },
            Err(kind) => input.fault_in(list.len(), kind, pos),
        }
    }
}
