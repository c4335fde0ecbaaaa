//! Access to the members of a struct, and the one check of a member against its kind.
//!
//! `message!` makes one function for each member. Only its body knows the type of the member; to all other code the
//! function returns some type that implements [`Member`]. So a type that does not fit is one error, in that function, and not one for
//! each use. [`check_member`] reports it; the access is then [`Broken`].

use super::kinds::WireSpec;
use super::kinds::{self, KindMarker, field_name, field_table, is_number};
use super::names::FieldName;
use crate::schema::table::{DefaultValue, EnumTable, FieldTable};
use crate::structs::decode::input::Input;
use crate::structs::decode::memory::new_arm;
use crate::structs::encode::is_wide;
use crate::structs::members::field::UnknownMember;
use crate::structs::members::field::{DecodeField, DecodeValue, EncodeField, VisitFields, VisitMember};
use crate::structs::{DecodeFrom, Enumeration, Message};
use crate::wire::heap::Vec;
use core::marker::PhantomData;

/// A lifetime and types without a value of them.
type Types<'i, K, F> = PhantomData<(fn(&'i ()) -> K, fn() -> F)>;

/// A member of the struct `M`, decoded from inputs with the lifetime `'i`.
pub trait Member<'i, M>: Copy {
    /// The kind of its field.
    type Kind: KindMarker;
    /// Its type.
    type Field: DecodeField<'i, Self::Kind>;

    /// The member.
    fn get(self, message: &M) -> &Self::Field;

    /// The member, mutable.
    fn get_mut(self, message: &mut M) -> &mut Self::Field;
}

/// A variant of the enum in the member of a oneof.
pub trait Variant<'i, M>: Copy {
    /// The kind of its field.
    type Kind: KindMarker;
    /// The type of its value.
    type Value: DecodeValue<'i, Self::Kind>;

    /// The value, if the variant is set.
    fn get(self, message: &M) -> Option<&Self::Value>;

    /// The value, mutable.
    fn get_mut(self, message: &mut M) -> Option<&mut Self::Value>;

    /// Sets the variant.
    fn set(self, message: &mut M, value: Self::Value);
}

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
    Fits, check_member<K, T>(Subject<'_, K, T>)
}

check! {
    /// The variant of a oneof is of a type `T` that fits its kind.
    #[diagnostic::on_unimplemented(
        message = "a variant of type `{T}` does not fit the kind in the listing",
        label = "not a kind for a variant of type `{T}`",
        note = "the variants of a oneof hold one value each; the docs of `message!` list the types of each kind"
    )]
    FitsVariant, check_variant<K, T>(Subject<'_, K, T>)
}

check! {
    /// The member is of a type `T` that keeps unknown fields.
    #[diagnostic::on_unimplemented(
        message = "a member of type `{T}` cannot keep unknown fields",
        label = "not for a member of type `{T}`",
        note = "it is an `UnknownFieldSet` or a `Vec<u8>`"
    )]
    Keeps, check_keeper<T>(Subject<'_, kinds::KeptUnknown, T>)
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

/// A new message without fields.
#[inline(always)]
pub fn unset<'i, M: DecodeFrom<'i>>() -> M {
    M::default()
}

/// A type and the kind that it should fit.
pub struct Subject<'i, K, F>(pub Types<'i, K, F>);

impl<K, F> Clone for Subject<'_, K, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, F> Copy for Subject<'_, K, F> {}

/// The type fits the kind.
#[derive(Clone, Copy)]
pub struct Fit;

impl<'i, K: KindMarker, F> Subject<'i, K, F> {
    /// What to check; nothing if there is no such kind, which has been reported.
    pub fn subject(self) -> Self {
        self
    }
}

impl<'i, K: KindMarker, F: DecodeField<'i, K>> Subject<'i, K, F> {
    /// The type fits, as that of a member.
    #[inline(always)]
    pub fn fit(self) -> Fit {
        Fit
    }
}

impl<'i, K: KindMarker, T: DecodeValue<'i, K>> Subject<'i, K, T> {
    /// The type fits, as that of a variant.
    #[inline(always)]
    pub fn fit_variant(self) -> Fit {
        Fit
    }
}

/// Functions that give access to a member of the type `F`, which may not fit the kind `K`.
///
/// The macro calls this constructor and that of [`Access`], and no function in their place: the compiler would generate one for
/// each member. The bounds give the closures their signatures.
pub struct Candidate<'i, K, M, F, G, H>(pub G, pub H, pub Subject<'i, K, F>, pub PhantomData<fn(M)>)
where
    G: Fn(&M) -> &F + Copy,
    H: Fn(&mut M) -> &mut F + Copy;

impl<K, M, F, G, H> Clone for Candidate<'_, K, M, F, G, H>
where
    G: Fn(&M) -> &F + Copy,
    H: Fn(&mut M) -> &mut F + Copy,
{
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, M, F, G, H> Copy for Candidate<'_, K, M, F, G, H>
where
    G: Fn(&M) -> &F + Copy,
    H: Fn(&mut M) -> &mut F + Copy,
{
}

/// Access to a member or variant by a candidate `C`. `T` is `Fit` or `Broken`.
#[derive(Clone, Copy)]
pub struct Access<C, T>(pub C, pub T);

impl<'i, K, M, F, G, H> Member<'i, M> for Access<Candidate<'i, K, M, F, G, H>, Fit>
where
    K: KindMarker,
    F: DecodeField<'i, K>,
    G: Fn(&M) -> &F + Copy,
    H: Fn(&mut M) -> &mut F + Copy,
{
    type Kind = K;
    type Field = F;

    #[inline(always)]
    fn get(self, message: &M) -> &F {
        (self.0.0)(message)
    }

    #[inline(always)]
    fn get_mut(self, message: &mut M) -> &mut F {
        (self.0.1)(message)
    }
}

/// The same for a variant of a oneof.
pub struct CandidateVariant<'i, K, M, T, G, H, S>(
    pub G,
    pub H,
    pub S,
    pub Subject<'i, K, T>,
    pub PhantomData<fn(M)>,
)
where
    G: Fn(&M) -> Option<&T> + Copy,
    H: Fn(&mut M) -> Option<&mut T> + Copy,
    S: Fn(&mut M, T) + Copy;

impl<K, M, T, G, H, S> Clone for CandidateVariant<'_, K, M, T, G, H, S>
where
    G: Fn(&M) -> Option<&T> + Copy,
    H: Fn(&mut M) -> Option<&mut T> + Copy,
    S: Fn(&mut M, T) + Copy,
{
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, M, T, G, H, S> Copy for CandidateVariant<'_, K, M, T, G, H, S>
where
    G: Fn(&M) -> Option<&T> + Copy,
    H: Fn(&mut M) -> Option<&mut T> + Copy,
    S: Fn(&mut M, T) + Copy,
{
}

impl<'i, K, M, T, G, H, S> Variant<'i, M> for Access<CandidateVariant<'i, K, M, T, G, H, S>, Fit>
where
    K: KindMarker,
    T: DecodeValue<'i, K>,
    G: Fn(&M) -> Option<&T> + Copy,
    H: Fn(&mut M) -> Option<&mut T> + Copy,
    S: Fn(&mut M, T) + Copy,
{
    type Kind = K;
    type Value = T;

    #[inline(always)]
    fn get(self, message: &M) -> Option<&T> {
        (self.0.0)(message)
    }

    #[inline(always)]
    fn get_mut(self, message: &mut M) -> Option<&mut T> {
        (self.0.1)(message)
    }

    #[inline(always)]
    fn set(self, message: &mut M, value: T) {
        (self.0.2)(message, value);
    }
}

/// The member that keeps unknown fields.
pub trait Keeper<'i, M>: Copy {
    /// The encoded fields.
    fn get(self, message: &M) -> &[u8];

    /// The encoded fields, to append to.
    fn get_mut(self, message: &mut M) -> &mut Vec<u8>;
}

impl<'i, F: UnknownMember> Subject<'i, kinds::KeptUnknown, F> {
    /// The type fits.
    #[inline(always)]
    pub fn fit_keeper(self) -> Fit {
        Fit
    }
}

impl<'i, M, F, G, H> Keeper<'i, M> for Access<Candidate<'i, kinds::KeptUnknown, M, F, G, H>, Fit>
where
    F: UnknownMember,
    G: Fn(&M) -> &F + Copy,
    H: Fn(&mut M) -> &mut F + Copy,
{
    #[inline(always)]
    fn get(self, message: &M) -> &[u8] {
        (self.0.0)(message).bytes()
    }

    #[inline(always)]
    fn get_mut(self, message: &mut M) -> &mut Vec<u8> {
        (self.0.1)(message).bytes_mut()
    }
}

/// Stands for a member whose listing has a mistake that is reported elsewhere. Such a listing does not compile, so this is
/// never run.
#[derive(Clone, Copy)]
pub struct Broken;

impl<'i, M, C: Copy> Member<'i, M> for Access<C, Broken> {
    type Kind = kinds::Bool;
    type Field = bool;

    fn get(self, _: &M) -> &bool {
        &false
    }

    fn get_mut(self, _: &mut M) -> &mut bool {
        unreachable!("a listing with a mistake does not compile")
    }
}

impl<'i, M, C: Copy> Variant<'i, M> for Access<C, Broken> {
    type Kind = kinds::Bool;
    type Value = bool;

    fn get(self, _: &M) -> Option<&bool> {
        None
    }

    fn get_mut(self, _: &mut M) -> Option<&mut bool> {
        None
    }

    fn set(self, _: &mut M, _: bool) {}
}

impl<'i, M, C: Copy> Keeper<'i, M> for Access<C, Broken> {
    fn get(self, _: &M) -> &[u8] {
        &[]
    }

    fn get_mut(self, _: &mut M) -> &mut Vec<u8> {
        unreachable!("a listing with a mistake does not compile")
    }
}

/// The methods of a subject that does not fit. The compiler takes them where the inherent ones, of the same names, do not apply.
pub trait Unfit: Sized {
    /// Nothing to check.
    fn subject(self) -> Subject<'static, kinds::Bool, bool> {
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
}

impl<K, F> Unfit for Subject<'_, K, F> {}

impl<T> Unfit for Listed<T> {}

/// The table of a member's field, without options. `_member` is only for its type.
pub const fn member_table<'i, M, A: Member<'i, M>>(
    _member: fn() -> A,
    name: &'static str,
    number: u32,
    listed: bool,
) -> FieldTable {
    let explicit = <A::Field as EncodeField<A::Kind>>::EXPLICIT;
    field_table::<A::Kind>(name, number, explicit, listed)
}

/// The name of a member's field.
pub const fn member_name<'i, M, A: Member<'i, M>>(
    _member: fn() -> A,
    name: &'static str,
    number: u32,
) -> FieldName {
    field_name::<A::Kind>(name, number)
}

/// The name of a variant's field.
pub const fn variant_name<'i, M, A: Variant<'i, M>>(
    _variant: fn() -> A,
    name: &'static str,
    number: u32,
) -> FieldName {
    field_name::<A::Kind>(name, number)
}

/// The enum of a member's kind.
pub const fn member_enum<'i, M, A: Member<'i, M>>(_member: fn() -> A) -> Option<&'static EnumTable> {
    A::Kind::ENUM
}

/// The table of a variant's field.
pub const fn variant_table<'i, M, A: Variant<'i, M>>(
    _variant: fn() -> A,
    name: &'static str,
    number: u32,
    oneof: &'static str,
) -> FieldTable {
    field_table::<A::Kind>(name, number, false, false).oneof(oneof)
}

/// The enum of a variant's kind.
pub const fn variant_enum<'i, M, A: Variant<'i, M>>(_variant: fn() -> A) -> Option<&'static EnumTable> {
    A::Kind::ENUM
}

/// Passes a member to a visitor.
#[inline(always)]
pub fn show<'i, M, A: Member<'i, M>, V: VisitFields>(
    member: A,
    message: &M,
    spec: WireSpec,
    visitor: &mut V,
) {
    visitor.field::<A::Kind, A::Field>(spec, member.get(message));
}

/// Passes a member with a default value to a visitor.
#[inline(always)]
pub fn show_or<'i, M, A: Member<'i, M>, V: VisitFields>(
    member: A,
    message: &M,
    default: DefaultValue<'static>,
    spec: WireSpec,
    visitor: &mut V,
) {
    visitor.field_or::<A::Kind, A::Field>(default, spec, member.get(message));
}

/// Passes a variant to a visitor, if it is set. Returns whether it is.
#[inline(always)]
pub fn show_variant<'i, M, A: Variant<'i, M>, V: VisitFields>(
    variant: A,
    message: &M,
    spec: WireSpec,
    visitor: &mut V,
) -> bool {
    match variant.get(message) {
        Some(value) => {
            visitor.arm::<A::Kind, A::Value>(spec, value);
            true
        }
        None => false,
    }
}

/// Unsets a member.
#[inline(always)]
pub fn clear_member<'i, M, A: Member<'i, M>>(member: A, message: &mut M) {
    EncodeField::<A::Kind>::clear(member.get_mut(message));
}

/// Unsets a member with a default value.
#[inline(always)]
pub fn clear_to<'i, M, A: Member<'i, M>>(member: A, message: &mut M, default: DefaultValue<'static>) {
    EncodeField::<A::Kind>::clear_to(member.get_mut(message), default);
}

/// Passes a member to a visitor of one field.
#[inline(always)]
pub fn visit<'i, M, A: Member<'i, M>, V: VisitMember<'i>>(member: A, message: &mut M, visitor: &mut V) {
    visitor.field::<A::Kind, A::Field>(member.get_mut(message));
}

/// Passes a variant to a visitor of one field.
#[inline(always)]
pub fn visit_variant<'i, M, A: Variant<'i, M>, V: VisitMember<'i>>(
    variant: A,
    message: &mut M,
    visitor: &mut V,
) {
    visitor.arm::<A::Kind, A::Value>(|value| variant.set(message, value));
}

/// Merges the field of a member with a fixed-width number, if it is the one at `pos`. Returns whether it is.
#[inline(always)]
pub fn next<'i, M, A: Member<'i, M>>(
    member: A,
    message: &mut M,
    number: u32,
    bytes: &[u8],
    pos: &mut usize,
) -> bool {
    member.get_mut(message).merge_next(number, bytes, pos)
}

/// Merges the field of a member at `pos`, after its tag `bits`.
#[inline(always)]
pub fn merge<'i, M: Message, A: Member<'i, M>>(
    member: A,
    message: &mut M,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    let field = member.get_mut(message);
    if const { is_number::<A::Kind>() && !is_wide(M::TABLE) } {
        merge_number::<A::Kind, A::Field>(field, pos, bits, input)
    } else {
        merge_field::<A::Kind, A::Field>(field, pos, bits, input)
    }
}

/// As [`merge_field`], for numbers: the compiler chooses by the optimization level whether there is one function or its code is repeated.
#[inline]
fn merge_number<'i, K: KindMarker, F: DecodeField<'i, K>>(
    field: &mut F,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    field.merge(pos, bits, input)
}

/// One function for all members of the same kind and type, of all messages.
#[inline(never)]
pub fn merge_field<'i, K: KindMarker, F: DecodeField<'i, K>>(
    field: &mut F,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    field.merge(pos, bits, input)
}

/// Merges the field of a variant at `pos`, after its tag `bits`.
#[inline(always)]
pub fn merge_variant<'i, M, A: Variant<'i, M>>(
    variant: A,
    message: &mut M,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    match variant.get_mut(message) {
        Some(value) => merge_value::<A::Kind, A::Value>(value, pos, bits, input),
        None => new_arm::<A::Kind, A::Value>(pos, bits, input, |value| variant.set(message, value)),
    }
}

/// One function for all variants of the same kind and type, of all oneofs.
#[inline(never)]
fn merge_value<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    value: &mut T,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    value.merge(pos, bits, input)
}
