//! Members without presence: a number, a string or bytes, set unless it has its default value.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use crate::schema::table::DefaultValue;
use crate::structs::decode::input::Input;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::PlainKind;
use crate::structs::grammar::spec::WireSpec;
use crate::structs::{EnumValue, Enumeration};
use alloc::{borrow::Cow, string::String, vec::Vec};

/// The types of such members. Downstream crates cannot implement it for `Option`, as they could a trait of kinds: so the compiler sees that
/// no type has presence in two ways.
pub trait PlainMember {}

macro_rules! plain {
    ($([$($generics:tt)*] $type:ty),*) => { $(impl<$($generics)*> PlainMember for $type {})* };
}

plain!([] f64, [] f32, [] i32, [] i64, [] u32, [] u64, [] bool, [E: Enumeration] E, [E: Enumeration] EnumValue<E>);
plain!([] String, ['a] &'a str, ['a] Cow<'a, str>, [] Vec<u8>, ['a] &'a [u8], ['a] Cow<'a, [u8]>);
#[cfg(feature = "bytes")]
plain!([] bytes::Bytes);

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
