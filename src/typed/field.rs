//! How one member is sized, written, merged and cleared.
//!
//! [`Single`] and [`SingleFrom`] are about one value of a kind, [`Field`] and [`FieldFrom`] about a member, which
//! may hold none, one or many. The `From` halves depend on the lifetime of the input, because members may borrow
//! from it. `message!` calls them with the kind of the listing and the type of the member, so a type that does
//! not fit its kind is a trait bound that does not hold, reported at the name of the field.

use super::{input::Input, kinds::FieldKind, place::push_fresh, size::Sizer, write::Writer};
use crate::error::DecodeErrorKind;
use crate::table::{DefaultValue, Syntax};
use crate::wire::{WireType, varint_len};
use alloc::vec::Vec;

/// What the listing says about a field beside its kind.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The field number.
    pub number: u32,
    /// Whether a repeated field of a scalar kind is written packed.
    pub packed: bool,
}

impl Spec {
    /// A field without options.
    #[inline(always)]
    pub const fn new(number: u32, syntax: Syntax) -> Self {
        Self { number, packed: matches!(syntax, Syntax::Proto3) }
    }

    /// The option `[packed = ..]`.
    #[inline(always)]
    pub const fn packed(mut self, packed: bool) -> Self {
        self.packed = packed;
        self
    }

    /// The tag as it is written.
    #[inline(always)]
    pub(crate) const fn tag<K: FieldKind>(self) -> u64 {
        (self.number as u64) << 3 | K::WIRE as u64
    }

    /// The bytes of a tag of any wire type.
    #[inline(always)]
    pub(crate) const fn tag_len(self) -> u64 {
        varint_len((self.number as u64) << 3) as u64
    }
}

/// What became of a field that was offered to its member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has been merged; the position is behind it.
    Done,
    /// It is not one of this field after all (wire type, or an unknown number of a closed enum); the position is
    /// behind its tag, the member as it was.
    Unknown,
    /// It has been merged but for some values, which the input keeps as fields for the unknown fields.
    Strays,
}

/// What merging gives; on an error the position is at the item at fault.
pub type Merged = Result<Outcome, DecodeErrorKind>;

/// A value of the kind `K`, encoded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type for values of the kind `{K}`",
    label = "`{Self}` does not hold `{K}`"
)]
pub trait Single<K: FieldKind>: Sized {
    /// The bytes of tag and value.
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64;

    /// Writes tag and value.
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>);

    /// The bytes of a repeated field.
    #[inline]
    fn size_all(list: &[Self], spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        let mut total = 0;
        for (i, value) in list.iter().enumerate() {
            total += value.size(spec, sizer);
            sizer.locate(spec, i);
        }
        total
    }

    /// Writes a repeated field.
    #[inline]
    fn write_all(list: &[Self], spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        for value in list {
            value.write(spec, writer);
        }
    }
}

/// A value of the kind `K`, decoded from an input that lives for `'i`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type for values of the kind `{K}`",
    label = "`{Self}` does not hold `{K}`"
)]
pub trait SingleFrom<'i, K: FieldKind>: Single<K> {
    /// A value to merge into.
    fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind>;

    /// Merges the field whose tag, `bits`, has been read.
    fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged;

    /// Appends the field, one value or a packed run.
    #[inline]
    fn merge_all(list: &mut Vec<Self>, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged {
        if bits & 7 != K::WIRE as u32 {
            return Ok(Outcome::Unknown);
        }
        loop {
            let index = list.len();
            if let Err(kind) = push_fresh(list, input) {
                return Err(input.at_index(index, kind));
            }
            match list.last_mut().map_or(Ok(Outcome::Unknown), |value| value.merge(bits, spec, input)) {
                // Elements that are not numbers come in runs, and what the first one is they all are.
                Ok(Outcome::Done) if matches!(K::WIRE, WireType::LengthDelimited) && input.same_tag(bits) => {
                }
                Ok(Outcome::Unknown) => {
                    list.truncate(index);
                    return Ok(Outcome::Unknown);
                }
                Err(kind) => return Err(input.at_index(index, kind)),
                done => return done,
            }
        }
    }
}

/// A member of a struct, encoded as a field of the kind `K`.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` does not fit a field of the kind `{K}`",
    label = "this member has the type `{Self}`, its listing says `{K}`",
    note = "members are `T`, `Option<T>` or `Option<Box<T>>` for one value, `Lazy<T>` or `Option<Prepared<T>>` for a message, `Vec<T>` for `repeated`, and `HashMap`, `BTreeMap` or `SmallMap` for `map`"
)]
pub trait Field<K: FieldKind> {
    /// Whether the member tells a field that is not set from one with the zero value.
    const EXPLICIT: bool = false;

    /// The bytes of the field, 0 if it is not set.
    fn size(&self, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64;

    /// Writes the field, if it is set.
    fn write(&self, spec: Spec, writer: &mut Writer<'_, '_, '_>);

    /// Makes the field unset, keeping what memory it can.
    fn clear(&mut self);

    /// [`size`](Self::size) with another default value than zero, which matters where there is no presence.
    #[inline]
    fn size_or(&self, _default: DefaultValue<'static>, spec: Spec, sizer: &mut Sizer<'_, '_>) -> u64 {
        self.size(spec, sizer)
    }

    /// [`write`](Self::write) with another default value.
    #[inline]
    fn write_or(&self, _default: DefaultValue<'static>, spec: Spec, writer: &mut Writer<'_, '_, '_>) {
        self.write(spec, writer);
    }

    /// [`clear`](Self::clear) with another default value.
    #[inline]
    fn clear_to(&mut self, _default: DefaultValue<'static>) {
        self.clear();
    }
}

/// A member of a struct, decoded as a field of the kind `K`.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` does not fit a field of the kind `{K}`",
    label = "this member has the type `{Self}`, its listing says `{K}`"
)]
pub trait FieldFrom<'i, K: FieldKind>: Field<K> {
    /// Merges the field whose tag, `bits`, has been read.
    fn merge(&mut self, bits: u32, spec: Spec, input: &mut Input<'i>) -> Merged;

    /// Merges the field if it is a fixed-width number with a one-byte tag that is next; false if not.
    #[inline(always)]
    fn merge_next(&mut self, _spec: Spec, _input: &mut Input<'i>) -> bool {
        false
    }
}

/// A member that holds a oneof: `Option` of an enum.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` is not a oneof",
    label = "this member has the type `{Self}`, its listing says `oneof`",
    note = "it is an `Option` of the enum"
)]
pub trait OneofMember {}

impl<T> OneofMember for Option<T> {}

/// Every field of a message, one after the other; what sizes and what writes are visitors.
pub trait Visit {
    /// A member.
    fn field<K: FieldKind, F: Field<K>>(&mut self, spec: Spec, field: &F);

    /// A member whose field has a default value.
    fn field_or<K: FieldKind, F: Field<K>>(&mut self, default: DefaultValue<'static>, spec: Spec, field: &F);

    /// The arm of a oneof that is set.
    fn arm<K: FieldKind, T: Single<K>>(&mut self, spec: Spec, value: &T);

    /// The unknown fields.
    fn unknown(&mut self, fields: &[u8]);
}
