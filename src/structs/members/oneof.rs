//! The member of a oneof: an `Option` of an enum.
//!
//! A member of another type is one error, by [`HoldsOneof::check`]. For it the methods of [`OneofMember`] are those of [`NoOneof`], which the
//! compiler takes only where the others do not apply, and which fit any enum.

use core::marker::PhantomData;

/// A type for the member of a oneof.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` does not hold a oneof",
    label = "not for a member of type `{Self}`",
    note = "it is an `Option` of the enum"
)]
pub trait HoldsOneof: Sized {
    /// Does nothing.
    fn check(_: PhantomData<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<T> HoldsOneof for Option<T> {}

/// The type of a member.
pub fn type_of<F>(_: &F) -> PhantomData<F> {
    PhantomData
}

/// Access to the member of a oneof.
pub trait OneofMember {
    /// The enum.
    type Enum;

    /// The variant that is set.
    fn variant(&self) -> Option<&Self::Enum>;

    /// The variant that is set, mutable.
    fn variant_mut(&mut self) -> Option<&mut Self::Enum>;

    /// Sets a variant.
    fn set_variant(&mut self, variant: Self::Enum);

    /// Unsets the oneof.
    fn clear_variant(&mut self);
}

impl<T> OneofMember for Option<T> {
    type Enum = T;

    #[inline(always)]
    fn variant(&self) -> Option<&T> {
        self.as_ref()
    }

    #[inline(always)]
    fn variant_mut(&mut self) -> Option<&mut T> {
        self.as_mut()
    }

    #[inline(always)]
    fn set_variant(&mut self, variant: T) {
        *self = Some(variant);
    }

    #[inline(always)]
    fn clear_variant(&mut self) {
        *self = None;
    }
}

/// The same methods for references to any type, of which they take a reference. Never run.
pub trait NoOneof {
    /// No variant.
    fn variant<'t, T>(&self) -> Option<&'t T> {
        None
    }

    /// No variant.
    fn variant_mut<'t, T>(&mut self) -> Option<&'t mut T> {
        None
    }

    /// Nothing.
    fn set_variant<T>(&mut self, _: T) {}

    /// Nothing.
    fn clear_variant(&mut self) {}
}

impl<F> NoOneof for &F {}

impl<F> NoOneof for &mut F {}
