//! `Option` and `Vec` members.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use crate::structs::decode::end::UNKNOWN;
use crate::structs::decode::input::Input;
use crate::structs::decode::place::insert_fresh;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{Repeated, Required, ValueKind};
use crate::structs::grammar::spec::WireSpec;
use alloc::vec::Vec;

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

impl<K: ValueKind, T: EncodeValue<K>> EncodeField<Repeated<K>> for Vec<T> {
    #[inline(always)]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        T::size_all(self, spec, sizer)
    }

    #[inline(always)]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        T::write_all(self, spec, writer);
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.clear();
    }
}

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> DecodeField<'i, Repeated<K>> for Vec<T> {
    #[inline(always)]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        T::merge_all(self, pos, bits, input)
    }
}
