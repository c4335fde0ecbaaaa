//! Members with values of types of one's own, see [`CustomValue`].
//!
//! A custom value is encoded as the value that it gives, and made of the value that is decoded. What is decoded is checked, so a
//! value that the type refuses is an error with a path.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue, ScalarValue};
use super::scalar::{put_scalar, put_tagged, scalar_len};
use crate::schema::table::DefaultValue;
use crate::structs::decode::end::{STRAYS, is_position};
use crate::structs::decode::input::Input;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{self, Custom, GroupOf, Nested, ScalarKind, ValueKind};
use crate::structs::grammar::spec::WireSpec;
use crate::structs::{CustomValue, DecodeFrom, Message};
use crate::wire::error::DecodeErrorKind;
use alloc::vec::Vec;
use core::mem::replace;

impl<K: ScalarKind, T: CustomValue> EncodeValue<Custom<K>> for T
where
    for<'a> T::Encoded<'a>: ScalarValue<K>,
{
    #[inline]
    fn size(&self, spec: WireSpec, _: &mut StructSizer<'_, '_>) -> u64 {
        spec.tag_len() + scalar_len::<K>(self.to_encoded().to_raw())
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        put_tagged::<K>(writer.cursor, spec, self.to_encoded().to_raw());
    }

    fn size_all(list: &[Self], spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        let payload = list.iter().map(|value| scalar_len::<K>(value.to_encoded().to_raw())).sum();
        match (spec.packed, list.is_empty()) {
            (_, true) => 0,
            (true, _) => spec.tag_len() + sizer.run(payload),
            (false, _) => list.len() as u64 * spec.tag_len() + payload,
        }
    }

    fn write_all(list: &[Self], spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        if list.is_empty() {
            return;
        }
        if !spec.packed {
            return list.iter().for_each(|value| EncodeValue::write(value, spec, writer));
        }
        writer.tag_and_length(spec);
        list.iter().for_each(|value| put_scalar::<K>(writer.cursor, value.to_encoded().to_raw()));
    }
}

impl<'i, K: ScalarKind, T: CustomValue> DecodeValue<'i, Custom<K>> for T
where
    for<'a> T::Encoded<'a>: ScalarValue<K>,
{
    #[inline]
    fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        Ok(T::unset())
    }

    #[inline]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        let mut encoded = <T::Encoded<'i> as ScalarValue<K>>::zero();
        let end = DecodeValue::<K>::merge(&mut encoded, pos, bits, input);
        if !is_position(end) {
            return end;
        }
        made(self, T::from_encoded(encoded), end, input)
    }

    /// Decodes the whole run, and then makes values of it.
    fn merge_all(list: &mut Vec<Self>, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        let mut run = Vec::<T::Encoded<'i>>::new();
        // The run is new, whatever the list holds: it is charged by its capacity, which is given back.
        let merging = replace(&mut input.merging, false);
        let end = DecodeValue::<K>::merge_all(&mut run, pos, bits, input);
        input.merging = merging;
        let last = match end {
            STRAYS => input.pos,
            _ if is_position(end) => end,
            _ => {
                input.move_index(list.len());
                return end;
            }
        };
        input.pos = last;
        for encoded in run.iter().copied() {
            let Some(value) = T::from_encoded(encoded) else {
                return input.fault_in(list.len(), DecodeErrorKind::InvalidValue, pos);
            };
            if let Err(kind) = input.reserve(list, 1) {
                return input.fault_in(list.len(), kind, last);
            }
            list.push(value);
        }
        input.refund(run.capacity() * size_of::<T::Encoded<'i>>());
        end
    }
}

/// Sets the value that a field was converted to, and returns the end of the field. Without a value, the field is at fault there.
#[inline]
fn made<T>(member: &mut T, value: Option<T>, end: usize, input: &mut Input<'_>) -> usize {
    match value {
        Some(value) => {
            *member = value;
            end
        }
        None => input.fault(DecodeErrorKind::InvalidValue, end),
    }
}

/// Strings and bytes.
macro_rules! delimited {
    ($($kind:ident $target:ty;)*) => {$(
        impl<T> EncodeValue<Custom<kinds::$kind>> for T
        where
            T: for<'a> CustomValue<Encoded<'a> = &'a $target>,
        {
            #[inline]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                EncodeValue::<kinds::$kind>::size(&self.to_encoded(), spec, sizer)
            }

            #[inline]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                EncodeValue::<kinds::$kind>::write(&self.to_encoded(), spec, writer);
            }
        }

        impl<'i, T> DecodeValue<'i, Custom<kinds::$kind>> for T
        where
            T: for<'a> CustomValue<Encoded<'a> = &'a $target>,
        {
            #[inline]
            fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                Ok(T::unset())
            }

            #[inline]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                let mut encoded: &'i $target = Default::default();
                let end = DecodeValue::<kinds::$kind>::merge(&mut encoded, pos, bits, input);
                if !is_position(end) {
                    return end;
                }
                match input.charge(encoded.len()) {
                    Ok(()) => made(self, T::from_encoded(encoded), end, input),
                    Err(kind) => input.fault(kind, end),
                }
            }
        }
    )*};
}

delimited! {
    String str;
    Bytes [u8];
}

/// Messages. Occurrences of a field merge, as those of other messages do.
macro_rules! messages {
    ($($kind:ident),*) => {$(
        impl<M, T> EncodeValue<Custom<$kind<M>>> for T
        where
            M: Message,
            T: for<'a> CustomValue<Encoded<'a> = M>,
        {
            #[inline]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                EncodeValue::<$kind<M>>::size(&self.to_encoded(), spec, sizer)
            }

            #[inline]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                EncodeValue::<$kind<M>>::write(&self.to_encoded(), spec, writer);
            }
        }

        impl<'i, M, T> DecodeValue<'i, Custom<$kind<M>>> for T
        where
            M: DecodeFrom<'i>,
            T: for<'a> CustomValue<Encoded<'a> = M>,
        {
            #[inline]
            fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                input.may_nest()?;
                Ok(T::unset())
            }

            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                let mut encoded = self.to_encoded();
                // A copy of what earlier occurrences of the field made, which the next one makes again: the budget pays for each.
                if let Err(kind) = input.charge(Message::encoded_len(&encoded)) {
                    return input.fault(kind, pos);
                }
                let end = DecodeValue::<$kind<M>>::merge(&mut encoded, pos, bits, input);
                if !is_position(end) {
                    return end;
                }
                made(self, T::from_encoded(encoded), end, input)
            }
        }
    )*};
}

messages!(Nested, GroupOf);

/// Without presence: as the encoded value.
impl<K: ValueKind, T: CustomValue + EncodeValue<Custom<K>>> EncodeField<Custom<K>> for T
where
    for<'a> T::Encoded<'a>: EncodeField<K>,
{
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        EncodeField::<K>::size(&self.to_encoded(), spec, sizer)
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        EncodeField::<K>::write(&self.to_encoded(), spec, writer);
    }

    fn clear(&mut self) {
        let mut encoded = self.to_encoded();
        EncodeField::<K>::clear(&mut encoded);
        *self = T::from_encoded(encoded).unwrap_or_else(T::unset);
    }

    fn size_or(
        &self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        sizer: &mut StructSizer<'_, '_>,
    ) -> u64 {
        EncodeField::<K>::size_or(&self.to_encoded(), default, spec, sizer)
    }

    fn write_or(
        &self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        writer: &mut StructWriter<'_, '_, '_>,
    ) {
        EncodeField::<K>::write_or(&self.to_encoded(), default, spec, writer);
    }

    fn clear_to(&mut self, default: DefaultValue<'static>) {
        let mut encoded = self.to_encoded();
        EncodeField::<K>::clear_to(&mut encoded, default);
        *self = T::from_encoded(encoded).unwrap_or_else(T::unset);
    }
}

impl<'i, K: ValueKind, T: CustomValue + DecodeValue<'i, Custom<K>>> DecodeField<'i, Custom<K>> for T
where
    for<'a> T::Encoded<'a>: EncodeField<K>,
{
    #[inline]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        DecodeValue::<Custom<K>>::merge(self, pos, bits, input)
    }
}
