//! Access to the members of a struct, and the one check of a member against its kind.
//!
//! `message!` names the type of no member. It puts a reference to the member beside the kind in the listing, [`At`], and calls methods of that. If
//! the type does not fit the kind, these are the methods of [`Unfit`], which do nothing. So a type that does not fit is one error, which
//! [`check_member`] reports, and not one for each use.

use super::kinds::{self, Fact, KindMarker, WireSpec, field_fact};
use crate::schema::table::DefaultValue;
use crate::structs::members::field::UnknownMember;
use crate::structs::members::field::{
    DecodeField, DecodeValue, EncodeField, EncodeValue, VisitFields, VisitMember,
};
use crate::structs::{Enumeration, Message};
use crate::wire::heap::Vec;
use core::marker::PhantomData;

/// A check of what a listing says: a trait of [`Fit`], and a function of what is checked and of a word in the listing.
///
/// The word stands for [`Fit`] where a type is right, and for [`Broken`] where it is not, by a method of [`Unfit`]. The error names the word, because
/// it is what cannot become a `dyn`. A trait of the types that are right would be shorter, but Rust 1.97 reports it at the whole listing.
macro_rules! check {
    ($(#[$note:meta])* $trait:ident, $check:ident<$($of:ident),+>($subject:ty)) => {
        $(#[$note])*
        pub trait $trait<T> {}

        #[diagnostic::do_not_recommend]
        impl<T> $trait<T> for Fit {}

        /// Does nothing.
        pub fn $check<$($of),+>(_: $subject, _word: &dyn $trait<T>) {}
    };
}

check! {
    /// The member is of a type `T` that fits its kind.
    #[diagnostic::on_unimplemented(
        message = "a member of type `{T}` does not fit the kind in the listing",
        label = "not a kind for a member of type `{T}`",
        note = "`Vec<T>` needs `repeated`, `HashMap`, `BTreeMap` and `SmallMap` need `map<..>`, `required` needs `Option<T>`; the docs of `message!` list the types of each kind"
    )]
    Fits, check_member<K, T>(Subject<K, T>)
}

check! {
    /// The variant of a oneof is of a type `T` that fits its kind.
    #[diagnostic::on_unimplemented(
        message = "a variant of type `{T}` does not fit the kind in the listing",
        label = "not a kind for a variant of type `{T}`",
        note = "the variants of a oneof hold one value each; the docs of `message!` list the types of each kind"
    )]
    FitsVariant, check_variant<K, T>(Subject<K, T>)
}

check! {
    /// The member is of a type `T` that keeps unknown fields.
    #[diagnostic::on_unimplemented(
        message = "a member of type `{T}` cannot keep unknown fields",
        label = "not for a member of type `{T}`",
        note = "it is an `UnknownFieldSet` or a `Vec<u8>`"
    )]
    Keeps, check_keeper<T>(Subject<kinds::KeptUnknown, T>)
}

check! {
    /// The struct `T` has a listing.
    #[diagnostic::on_unimplemented(
        message = "`{T}` has no `message!` listing",
        label = "no message: `{T}` has no `message!` listing"
    )]
    ListedMessage, check_message<T>(Listed<T>)
}

check! {
    /// The enum `T` has a listing.
    #[diagnostic::on_unimplemented(
        message = "`{T}` has no `enumeration!` listing",
        label = "no enum: `{T}` has no `enumeration!` listing"
    )]
    ListedEnum, check_enum<T>(Listed<T>)
}

/// A type that a kind names, which should have a listing.
pub struct Listed<T>(pub PhantomData<T>);

impl<M: Message> Listed<M> {
    /// The struct has one.
    pub fn fit_message(&self) -> Fit {
        Fit
    }
}

impl<E: Enumeration> Listed<E> {
    /// The enum has one.
    pub fn fit_enum(&self) -> Fit {
        Fit
    }
}

/// A type and the kind that it should fit.
pub struct Subject<K, F>(PhantomData<fn() -> (K, F)>);

impl<K, F> Clone for Subject<K, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, F> Copy for Subject<K, F> {}

/// The type of a member.
pub fn subject<K, F>(_: &F, _: PhantomData<K>) -> Subject<K, F> {
    Subject(PhantomData)
}

/// The type of the value of a variant, by its constructor.
pub fn variant_subject<K, T, E>(_: fn(T) -> E, _: PhantomData<K>) -> Subject<K, T> {
    Subject(PhantomData)
}

/// The type fits the kind.
pub struct Fit;

/// It does not.
pub struct Broken;

impl<K: KindMarker, F> Subject<K, F> {
    /// What to check; nothing if there is no such kind, which has been reported.
    pub fn subject(self) -> Self {
        self
    }
}

impl<'i, K: KindMarker, F: DecodeField<'i, K>> Subject<K, F> {
    /// The type fits, as that of a member.
    pub fn fit(self) -> Fit {
        Fit
    }
}

impl<'i, K: KindMarker, T: DecodeValue<'i, K>> Subject<K, T> {
    /// The type fits, as that of a variant.
    pub fn fit_variant(self) -> Fit {
        Fit
    }
}

impl<F: UnknownMember> Subject<kinds::KeptUnknown, F> {
    /// The type fits.
    pub fn fit_keeper(self) -> Fit {
        Fit
    }
}

/// A reference `R` to a member or to the value of a variant, and its kind.
///
/// The macro calls this constructor and no function in its place, because the compiler would generate code for it.
pub struct At<K, R>(pub R, pub PhantomData<K>);

impl<K: KindMarker, F: EncodeField<K>> At<K, &F> {
    /// Passes a member to a visitor.
    #[inline(always)]
    pub fn show<V: VisitFields>(self, spec: WireSpec, visitor: &mut V) {
        visitor.field::<K, F>(spec, self.0);
    }

    /// Passes a member with a default value to a visitor.
    #[inline(always)]
    pub fn show_or<V: VisitFields>(self, default: DefaultValue<'static>, spec: WireSpec, visitor: &mut V) {
        visitor.field_or::<K, F>(default, spec, self.0);
    }

    /// The type and its kind. Never run.
    pub fn fitting(self) -> Member<K, F> {
        Member(PhantomData)
    }
}

impl<K: KindMarker> At<K, ()> {
    /// The kind. Never run.
    pub fn fitting(self) -> Member<K, ()> {
        Member(PhantomData)
    }
}

impl<K: KindMarker, T: EncodeValue<K>> At<K, &T> {
    /// Passes a variant that is set to a visitor.
    #[inline(always)]
    pub fn show_arm<V: VisitFields>(self, spec: WireSpec, visitor: &mut V) {
        visitor.arm::<K, T>(spec, self.0);
    }
}

impl<K: KindMarker, F: EncodeField<K>> At<K, &mut F> {
    /// Unsets a member.
    #[inline(always)]
    pub fn unset(self) {
        EncodeField::<K>::clear(self.0);
    }

    /// Unsets a member with a default value.
    #[inline(always)]
    pub fn unset_to(self, default: DefaultValue<'static>) {
        EncodeField::<K>::clear_to(self.0, default);
    }
}

impl<'i, K: KindMarker, F: DecodeField<'i, K>> At<K, &mut F> {
    /// Passes a member to a visitor of one field.
    #[inline(always)]
    pub fn visit<V: VisitMember<'i>>(self, visitor: &mut V) {
        visitor.field::<K, F>(self.0);
    }
}

impl<'i, K: KindMarker, T: DecodeValue<'i, K>> At<K, &mut T> {
    /// Passes a variant that is set to a visitor of one field.
    #[inline(always)]
    pub fn visit_arm<V: VisitMember<'i>>(self, visitor: &mut V) {
        visitor.value::<K, T>(self.0);
    }
}

impl<F: UnknownMember> At<kinds::KeptUnknown, &F> {
    /// The unknown fields, encoded.
    #[inline(always)]
    pub fn show_unknown<V: VisitFields>(self, visitor: &mut V) {
        visitor.unknown(self.0.bytes());
    }
}

impl<'m, F: UnknownMember> At<kinds::KeptUnknown, &'m mut F> {
    /// The unknown fields, encoded, to append to.
    #[inline(always)]
    pub fn kept(self) -> Option<&'m mut Vec<u8>> {
        Some(self.0.bytes_mut())
    }
}

/// A function that sets a variant of the kind `K` to a new value.
pub struct Arm<K, T, S: FnOnce(T)>(pub S, pub PhantomData<K>, pub PhantomData<T>);

impl<'i, K: KindMarker, T: DecodeValue<'i, K>, S: FnOnce(T)> Arm<K, T, S> {
    /// Passes a variant that is not set to a visitor of one field.
    #[inline(always)]
    pub fn visit_new<V: VisitMember<'i>>(self, visitor: &mut V) {
        visitor.arm::<K, T>(self.0);
    }
}

/// The same methods where a type does not fit, which is reported elsewhere. The compiler takes them where the inherent ones do not apply; such a listing
/// does not compile, so they are never run.
pub trait Unfit: Sized {
    /// Nothing to check.
    fn subject(self) -> Subject<kinds::Bool, bool> {
        Subject(PhantomData)
    }

    /// Stands for the member.
    fn fit(self) -> Broken {
        Broken
    }

    /// Stands for the variant.
    fn fit_variant(self) -> Broken {
        Broken
    }

    /// Stands for the member.
    fn fit_keeper(self) -> Broken {
        Broken
    }

    /// The struct has no listing.
    fn fit_message(&self) -> Broken {
        Broken
    }

    /// The enum has no listing.
    fn fit_enum(&self) -> Broken {
        Broken
    }

    /// Any type and kind.
    fn fitting(self) -> Member<kinds::Bool, bool> {
        Member(PhantomData)
    }

    /// Nothing.
    fn show<V>(self, _: WireSpec, _: &mut V) {}

    /// Nothing.
    fn show_or<V>(self, _: DefaultValue<'static>, _: WireSpec, _: &mut V) {}

    /// Nothing.
    fn show_arm<V>(self, _: WireSpec, _: &mut V) {}

    /// Nothing.
    fn show_unknown<V>(self, _: &mut V) {}

    /// Nothing.
    fn unset(self) {}

    /// Nothing.
    fn unset_to(self, _: DefaultValue<'static>) {}

    /// Nothing.
    fn visit<V>(self, _: &mut V) {}

    /// Nothing.
    fn visit_new<V>(self, _: &mut V) {}

    /// No unknown fields.
    fn kept<'m>(self) -> Option<&'m mut Vec<u8>> {
        None
    }

    /// Nothing.
    fn visit_arm<V>(self, _: &mut V) {}
}

impl<K, F> Unfit for Subject<K, F> {}

impl<T> Unfit for Listed<T> {}

impl<K, R> Unfit for At<K, R> {}

impl<K, T, S: FnOnce(T)> Unfit for Arm<K, T, S> {}

/// The type `F` of a member, which fits the kind `K`.
pub struct Member<K, F>(PhantomData<(K, F)>);

/// What the table says about the field of a member, without options. `_member` is only for its type.
pub const fn member_fact<M, K: KindMarker, F: EncodeField<K>>(
    _member: fn(&M) -> Member<K, F>,
    name: &'static str,
    number: u32,
    listed: bool,
) -> Fact {
    field_fact::<K>(name, number, F::EXPLICIT, listed, None)
}

/// What the table says about the field of a variant.
pub const fn variant_fact<K: KindMarker, F>(
    _kind: fn() -> Member<K, F>,
    name: &'static str,
    number: u32,
    oneof: &'static str,
) -> Fact {
    field_fact::<K>(name, number, false, false, Some(oneof))
}
