//! Members of message types, length-prefixed or groups, direct or in a `Box`.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use crate::structs::decode::UNKNOWN;
use crate::structs::decode::input::Input;
#[cfg(not(tablepb_no_alloc))]
use crate::structs::decode::memory::boxed;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{GroupOf, Nested, WireSpec};
use crate::structs::{DecodeFrom, Message};
use crate::wire::error::DecodeErrorKind;
use crate::wire::{WireType, varint_len};
#[cfg(not(tablepb_no_alloc))]
use alloc::boxed::Box;

impl<M: Message> EncodeValue<Nested<M>> for M {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        spec.tag_len() + sizer.prefixed(spec, |sizer| sizer.body(self))
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        writer.tag_and_length(spec, |sizer| sizer.body(self));
        writer.body(self);
    }
}

impl<'i, M: DecodeFrom<'i>> DecodeValue<'i, Nested<M>> for M {
    #[inline]
    fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        input.may_nest()?;
        Ok(M::unset())
    }

    #[inline]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 != WireType::LengthDelimited as u32 {
            return UNKNOWN;
        }
        if let Err(kind) = input.look_at_stack::<M>() {
            return input.fault(kind, pos);
        }
        input.prefixed(pos, |input, start| self.merge_fields(start, 0, input))
    }
}

impl<M: Message> EncodeValue<GroupOf<M>> for M {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        2 * spec.tag_len() + sizer.deeper(spec, |sizer| sizer.body(self))
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        writer.tag::<GroupOf<M>>(spec);
        writer.body(self);
        writer.end_group(spec);
    }
}

impl<'i, M: DecodeFrom<'i>> DecodeValue<'i, GroupOf<M>> for M {
    #[inline]
    fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        input.may_nest()?;
        Ok(M::unset())
    }

    #[inline]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 != WireType::StartGroup as u32 {
            return UNKNOWN;
        }
        if let Err(kind) = input.look_at_stack::<M>() {
            return input.fault(kind, pos);
        }
        input.group(pos, bits >> 3, self)
    }
}

macro_rules! boxed {
    ($($kind:ident),*) => {$(
        #[cfg(not(tablepb_no_alloc))]
        impl<M: Message> EncodeValue<$kind<M>> for Box<M> {
            #[inline]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                EncodeValue::<$kind<M>>::size(&**self, spec, sizer)
            }

            #[inline]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                EncodeValue::<$kind<M>>::write(&**self, spec, writer);
            }
        }

        #[cfg(not(tablepb_no_alloc))]
        impl<'i, M: DecodeFrom<'i>> DecodeValue<'i, $kind<M>> for Box<M> {
            #[inline]
            fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                input.may_nest()?;
                boxed(input)
            }

            #[inline]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                DecodeValue::<$kind<M>>::merge(&mut **self, pos, bits, input)
            }
        }

        impl<'i, M: DecodeFrom<'i>> DecodeField<'i, $kind<M>> for M {
            #[inline]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                DecodeValue::<$kind<M>>::merge(self, pos, bits, input)
            }
        }
    )*};
}

boxed!(Nested, GroupOf);

/// A message member without `Option` has no presence: it is written unless it is empty.
impl<M: Message> EncodeField<Nested<M>> for M {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        match sizer.plain(spec, self) {
            0 => 0,
            len => spec.tag_len() + varint_len(len) as u64 + len,
        }
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        let len = writer.take(|sizer| sizer.body(self));
        if len > 0 {
            writer.prefixed_tag(spec);
            writer.cursor.write_varint(len.into());
        }
        // An empty message may contain other empty messages. This takes their lengths.
        writer.body(self);
    }

    #[inline]
    fn clear(&mut self) {
        Message::clear(self);
    }
}

impl<M: Message> EncodeField<GroupOf<M>> for M {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        match sizer.plain(spec, self) {
            0 => 0,
            len => 2 * spec.tag_len() + len,
        }
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        match writer.take(|sizer| sizer.body(self)) {
            0 => writer.body(self),
            _ => EncodeValue::<GroupOf<M>>::write(self, spec, writer),
        }
    }

    #[inline]
    fn clear(&mut self) {
        Message::clear(self);
    }
}
