//! Members that hold one value or none, or a list of values.

use super::{
    field::{Field, FieldFrom, Merged, Outcome, Single, SingleFrom, Spec},
    input::Input,
    kinds::{Repeated, Required, ValueKind},
    place::insert_fresh,
    size::Sizer,
    write::Writer,
};
use alloc::vec::Vec;

impl<K: ValueKind, T: Single<K>> Field<K> for Option<T> {
    const EXPLICIT: bool = true;

    #[inline(always)]
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        match self {
            Some(value) => value.size(spec, sizer),
            None => 0,
        }
    }

    #[inline(always)]
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        if let Some(value) = self {
            value.write(spec, writer);
        }
    }

    #[inline(always)]
    fn clear(&mut self) {
        *self = None;
    }
}

impl<'i, K: ValueKind, T: SingleFrom<'i, K>> FieldFrom<'i, K> for Option<T> {
    #[inline(always)]
    fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged {
        if let Some(value) = self {
            return value.merge(bits, spec, input);
        }
        if bits & 7 != K::WIRE as u32 {
            return Ok(Outcome::Unknown);
        }
        let merged = insert_fresh(self, input)?.merge(bits, spec, input);
        if merged == Ok(Outcome::Unknown) {
            *self = None;
        }
        merged
    }
}

impl<K: ValueKind, T: Single<K>> Field<Required<K>> for Option<T> {
    const EXPLICIT: bool = true;

    #[inline(always)]
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        // That it is missing is seen by whoever adds the fields up.
        Field::<K>::size(self, spec, sizer)
    }

    #[inline(always)]
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        Field::<K>::write(self, spec, writer);
    }

    #[inline(always)]
    fn clear(&mut self) {
        *self = None;
    }
}

impl<'i, K: ValueKind, T: SingleFrom<'i, K>> FieldFrom<'i, Required<K>> for Option<T> {
    #[inline(always)]
    fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged {
        FieldFrom::<K>::merge(self, bits, spec, input)
    }
}

impl<K: ValueKind, T: Single<K>> Field<Repeated<K>> for Vec<T> {
    #[inline(always)]
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        T::size_all(self, spec, sizer)
    }

    #[inline(always)]
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        T::write_all(self, spec, writer);
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.clear();
    }
}

impl<'i, K: ValueKind, T: SingleFrom<'i, K>> FieldFrom<'i, Repeated<K>> for Vec<T> {
    #[inline(always)]
    fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged {
        T::merge_all(self, bits, spec, input)
    }
}
