//! Messages in messages: behind a length or between group tags, in place or in a `Box`.

use super::{
    DecodeFrom, Message,
    field::{Field, FieldFrom, Merged, Outcome, Single, SingleFrom, Spec},
    input::Input,
    kinds::{Group, Nested},
    place::boxed,
    size::Sizer,
    write::Writer,
};
use crate::error::DecodeErrorKind;
use crate::wire::{WireType, varint_len};
use alloc::boxed::Box;

impl<M: Message> Single<Nested<M>> for M {
    #[inline]
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        spec.tag_len() + sizer.prefixed(spec, |sizer| sizer.body(self))
    }

    #[inline]
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        writer.prefixed_tag(spec);
        writer.length();
        writer.body(self);
    }
}

impl<'i, M: DecodeFrom<'i>> SingleFrom<'i, Nested<M>> for M {
    #[inline]
    fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        input.may_nest()?;
        Ok(M::unset())
    }

    #[inline]
    fn merge(&mut self, bits: u32, _: Spec, input: &mut Input<'i>) -> Merged {
        if bits & 7 != WireType::LengthDelimited as u32 {
            return Ok(Outcome::Unknown);
        }
        input.look_at_stack::<M>()?;
        input.prefixed(|input| self.merge_message(input, 0))?;
        Ok(Outcome::Done)
    }
}

impl<M: Message> Single<Group<M>> for M {
    #[inline]
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        2 * spec.tag_len() + sizer.deeper(spec, |sizer| sizer.body(self))
    }

    #[inline]
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        writer.tag::<Group<M>>(spec);
        writer.body(self);
        writer.end_group(spec);
    }
}

impl<'i, M: DecodeFrom<'i>> SingleFrom<'i, Group<M>> for M {
    #[inline]
    fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        input.may_nest()?;
        Ok(M::unset())
    }

    #[inline]
    fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged {
        if bits & 7 != WireType::StartGroup as u32 {
            return Ok(Outcome::Unknown);
        }
        input.group(spec, self)?;
        Ok(Outcome::Done)
    }
}

macro_rules! boxed {
    ($($kind:ident),*) => {$(
        impl<M: Message> Single<$kind<M>> for Box<M> {
            #[inline]
            fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
                Single::<$kind<M>>::size(&**self, spec, sizer)
            }

            #[inline]
            fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
                Single::<$kind<M>>::write(&**self, spec, writer);
            }
        }

        impl<'i, M: DecodeFrom<'i>> SingleFrom<'i, $kind<M>> for Box<M> {
            #[inline]
            fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                input.may_nest()?;
                boxed(input)
            }

            #[inline]
            fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged {
                SingleFrom::<$kind<M>>::merge(&mut **self, bits, spec, input)
            }
        }

        impl<'i, M: DecodeFrom<'i>> FieldFrom<'i, $kind<M>> for M {
            #[inline]
            fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged {
                SingleFrom::<$kind<M>>::merge(self, bits, spec, input)
            }
        }
    )*};
}

boxed!(Nested, Group);

/// A message that is a member itself is always there; it is written when it has something to write.
impl<M: Message> Field<Nested<M>> for M {
    #[inline]
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        match sizer.plain(spec, self) {
            0 => 0,
            len => spec.tag_len() + varint_len(len) as u64 + len,
        }
    }

    #[inline]
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        let len = writer.take();
        if len > 0 {
            writer.prefixed_tag(spec);
            writer.cursor.put_varint(len.into());
        }
        // What is empty writes nothing, but it may hold other empty messages, whose lengths are next.
        writer.body(self);
    }

    #[inline]
    fn clear(&mut self) {
        Message::clear(self);
    }
}

impl<M: Message> Field<Group<M>> for M {
    #[inline]
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        match sizer.plain(spec, self) {
            0 => 0,
            len => 2 * spec.tag_len() + len,
        }
    }

    #[inline]
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        match writer.take() {
            0 => writer.body(self),
            _ => Single::<Group<M>>::write(self, spec, writer),
        }
    }

    #[inline]
    fn clear(&mut self) {
        Message::clear(self);
    }
}
