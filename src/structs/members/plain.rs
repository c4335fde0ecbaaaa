//! Members without presence: a number, a string or bytes, set unless it has its default value.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use crate::schema::table::DefaultValue;
use crate::structs::decode::UNKNOWN;
use crate::structs::decode::input::Input;
use crate::structs::decode::memory::insert_fresh;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{PlainKind, Required, ValueKind, WireSpec};
use crate::structs::{EnumValue, Enumeration};
#[cfg(not(tablepb_no_alloc))]
use alloc::{borrow::Cow, string::String, vec::Vec};

/// The types of such members. Downstream crates cannot implement it for `Option`, as they could a trait of kinds: so the compiler sees that
/// no type has presence in two ways.
pub trait PlainMember {}

macro_rules! plain {
    ($([$($generics:tt)*] $type:ty),*) => { $(impl<$($generics)*> PlainMember for $type {})* };
}

plain!([] f64, [] f32, [] i32, [] i64, [] u32, [] u64, [] bool, [E: Enumeration] E, [E: Enumeration] EnumValue<E>);
plain!(['a] &'a str, ['a] &'a [u8]);
#[cfg(not(tablepb_no_alloc))]
plain!([] String, ['a] Cow<'a, str>, [] Vec<u8>, ['a] Cow<'a, [u8]>);
#[cfg(feature = "bytes")]
plain!([] bytes::Bytes);
#[cfg(feature = "bytestring")]
plain!([] bytestring::ByteString);
#[cfg(feature = "heapless")]
plain!([const N: usize, L: heapless::LenType] heapless::String<N, L>, [const N: usize, L: heapless::LenType] heapless::Vec<u8, N, L>);

/// A value that has a default.
pub trait PlainValue<K: PlainKind>: EncodeValue<K> {
    /// Whether it differs from the default of its kind.
    fn is_set(&self) -> bool;

    /// Whether it differs from this default.
    fn is_set_or(&self, default: DefaultValue<'static>) -> bool;

    /// Gives it this default, or that of its kind.
    fn reset(&mut self, default: Option<DefaultValue<'static>>);

    /// As [`DecodeField::merge_next`].
    #[inline(always)]
    fn merge_next(&mut self, _number: u32, _bytes: &[u8], _pos: &mut usize) -> bool {
        false
    }

    /// Sets a signed integer; false for any other value.
    #[cfg(feature = "json")]
    #[inline]
    fn set_number(&mut self, _number: i64) -> bool {
        false
    }
}

impl<K: PlainKind, T: PlainMember + PlainValue<K>> EncodeField<K> for T {
    #[inline(always)]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        if PlainValue::is_set(self) { EncodeValue::size(self, spec, sizer) } else { 0 }
    }

    #[inline(always)]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        if PlainValue::is_set(self) {
            EncodeValue::write(self, spec, writer);
        }
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.reset(None);
    }

    #[inline]
    fn size_or(
        &self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        sizer: &mut StructSizer<'_, '_>,
    ) -> u64 {
        if PlainValue::is_set_or(self, default) { EncodeValue::size(self, spec, sizer) } else { 0 }
    }

    #[inline]
    fn write_or(
        &self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        writer: &mut StructWriter<'_, '_, '_>,
    ) {
        if PlainValue::is_set_or(self, default) {
            EncodeValue::write(self, spec, writer);
        }
    }

    #[inline]
    fn clear_to(&mut self, default: DefaultValue<'static>) {
        self.reset(Some(default));
    }
}

impl<'i, K: PlainKind, T: PlainMember + PlainValue<K> + DecodeValue<'i, K>> DecodeField<'i, K> for T {
    #[inline(always)]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        DecodeValue::merge(self, pos, bits, input)
    }

    #[inline(always)]
    fn merge_next(&mut self, number: u32, bytes: &[u8], pos: &mut usize) -> bool {
        PlainValue::merge_next(self, number, bytes, pos)
    }
}

// `Option` members.

impl<K: ValueKind, T: EncodeValue<K>> EncodeField<K> for Option<T> {
    const EXPLICIT: bool = true;

    #[inline(always)]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        match self {
            Some(value) => value.size(spec, sizer),
            None => 0,
        }
    }

    #[inline(always)]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        if let Some(value) = self {
            value.write(spec, writer);
        }
    }

    #[inline(always)]
    fn clear(&mut self) {
        *self = None;
    }
}

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> DecodeField<'i, K> for Option<T> {
    #[inline(always)]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 != K::WIRE as u32 {
            return UNKNOWN;
        }
        let (new, value) = match self {
            Some(value) => (false, value),
            None => match insert_fresh(self, input) {
                Ok(value) => (true, value),
                Err(kind) => return input.fault(kind, pos),
            },
        };
        let end = value.merge(pos, bits, input);
        // Only a closed enum refuses a value of its own wire type.
        if const { K::ENUM.is_some() } && end == UNKNOWN && new {
            *self = None;
        }
        end
    }
}

impl<K: ValueKind, T: EncodeValue<K>> EncodeField<Required<K>> for Option<T> {
    const EXPLICIT: bool = true;

    #[inline(always)]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        // `Measure::add` reports a required field of size 0.
        EncodeField::<K>::size(self, spec, sizer)
    }

    #[inline(always)]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        EncodeField::<K>::write(self, spec, writer);
    }

    #[inline(always)]
    fn clear(&mut self) {
        *self = None;
    }
}

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> DecodeField<'i, Required<K>> for Option<T> {
    #[inline(always)]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        DecodeField::<K>::merge(self, pos, bits, input)
    }
}
