//! How one member is sized, written, merged and cleared.
//!
//! [`EncodeValue`] and [`DecodeValue`] are about one value of a kind, [`EncodeField`] and [`DecodeField`] about a member, which
//! may hold none, one or many. The `From` halves depend on the lifetime of the input, because members may borrow
//! from it. `message!` calls them with the kind of the listing and the type of the member, so a type that does
//! not fit its kind is a trait bound that does not hold, reported at the name of the field.

use super::{
    input::Input,
    kinds::{KindMarker, ScalarKind},
    place::push_fresh,
    size::StructSizer,
    spec::{Merged, Outcome, WireSpec},
    write::StructWriter,
};
use crate::error::DecodeErrorKind;
use crate::table::DefaultValue;
use crate::wire::WireType;
use alloc::vec::Vec;

/// A value that is a varint or 4 or 8 bytes on the wire, as [`KindMarker::WIRE`] says.
pub trait ScalarValue<K: ScalarKind>: Copy {
    /// The value of a field that is not set.
    fn zero() -> Self;

    /// The varint, or the bits of the fixed-width value.
    fn to_raw(self) -> u64;

    /// The value of these bits; `None` for a number that this type of an enum cannot hold.
    fn from_raw(raw: u64) -> Option<Self>;

    /// The value that `[default = ..]` names.
    fn from_default(value: DefaultValue<'static>) -> Option<Self>;
}

/// A value of the kind `K`, encoded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type for values of the kind `{K}`",
    label = "`{Self}` does not hold `{K}`"
)]
pub trait EncodeValue<K: KindMarker>: Sized {
    /// The bytes of tag and value.
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64;

    /// Writes tag and value.
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>);

    /// The bytes of a repeated field.
    #[inline]
    fn size_all(list: &[Self], spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        let mut total = 0;
        for (i, value) in list.iter().enumerate() {
            total += value.size(spec, sizer);
            sizer.locate(spec, i);
        }
        total
    }

    /// Writes a repeated field.
    #[inline]
    fn write_all(list: &[Self], spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
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
pub trait DecodeValue<'i, K: KindMarker>: EncodeValue<K> {
    /// A value to merge into.
    fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind>;

    /// Merges the field whose tag, `bits`, has been read.
    fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged;

    /// Appends the field, one value or a packed run.
    #[inline]
    fn merge_all(list: &mut Vec<Self>, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
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
pub trait EncodeField<K: KindMarker> {
    /// Whether the member tells a field that is not set from one with the zero value.
    const EXPLICIT: bool = false;

    /// The bytes of the field, 0 if it is not set.
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64;

    /// Writes the field, if it is set.
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>);

    /// Makes the field unset, keeping what memory it can.
    fn clear(&mut self);

    /// [`size`](Self::size) with another default value than zero, which matters where there is no presence.
    #[inline]
    fn size_or(
        &self,
        _default: DefaultValue<'static>,
        spec: WireSpec,
        sizer: &mut StructSizer<'_, '_>,
    ) -> u64 {
        self.size(spec, sizer)
    }

    /// [`write`](Self::write) with another default value.
    #[inline]
    fn write_or(
        &self,
        _default: DefaultValue<'static>,
        spec: WireSpec,
        writer: &mut StructWriter<'_, '_, '_>,
    ) {
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
pub trait DecodeField<'i, K: KindMarker>: EncodeField<K> {
    /// Merges the field whose tag, `bits`, has been read.
    fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged;

    /// Merges the field if it is a fixed-width number with a one-byte tag that is next; false if not.
    #[inline(always)]
    fn merge_next(&mut self, _spec: WireSpec, _input: &mut Input<'i>) -> bool {
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
pub trait VisitFields {
    /// A member.
    fn field<K: KindMarker, F: EncodeField<K>>(&mut self, spec: WireSpec, field: &F);

    /// A member whose field has a default value.
    fn field_or<K: KindMarker, F: EncodeField<K>>(
        &mut self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        field: &F,
    );

    /// The arm of a oneof that is set.
    fn arm<K: KindMarker, T: EncodeValue<K>>(&mut self, spec: WireSpec, value: &T);

    /// The unknown fields.
    fn unknown(&mut self, fields: &[u8]);
}
