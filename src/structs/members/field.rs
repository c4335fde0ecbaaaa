//! The traits that size, write, merge and clear a member.
//!
//! [`EncodeValue`] and [`DecodeValue`] handle one value of a kind; [`EncodeField`] and [`DecodeField`] handle a member with
//! none, one or many values. Only the decoding traits have the lifetime of the input, because members may borrow from it.
//! `message!` calls them with the listed kind and the type of the member, so a type that does not fit its kind is an
//! unsatisfied trait bound, which the compiler reports at the name of the field.

use crate::schema::table::DefaultValue;
use crate::structs::decode::input::Input;
use crate::structs::decode::memory::push_fresh;
use crate::structs::decode::{UNKNOWN, is_position};
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{KindMarker, ScalarKind, WireSpec};
use crate::structs::{FillField, FillValue, List, ShowField, ShowValue};
use crate::wire::WireType;
use crate::wire::error::DecodeErrorKind;
use crate::wire::heap::Vec;

/// A number, `bool` or enum: a varint or 4 or 8 bytes on the wire, as [`KindMarker::WIRE`] says.
pub trait ScalarValue<K: ScalarKind>: Copy {
    /// The value of an unset field.
    fn zero() -> Self;

    /// The varint, or the bits of the fixed-width value.
    fn to_raw(self) -> u64;

    /// The value of these bits; `None` for a number that a closed enum does not list.
    fn from_raw(raw: u64) -> Option<Self>;

    /// The value of `[default = ..]`.
    fn from_default(value: DefaultValue<'static>) -> Option<Self>;
}

/// Encodes one value of the kind `K`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type for values of the kind `{K}`",
    label = "`{Self}` does not hold `{K}`"
)]
pub trait EncodeValue<K: KindMarker>: Sized + ShowValue<K> {
    /// The length of tag and value.
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64;

    /// Writes tag and value.
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>);

    /// The length of a repeated field.
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
        writer.each(list, |value, writer| value.write(spec, writer));
    }
}

/// Decodes one value of the kind `K` from an input with the lifetime `'i`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type for values of the kind `{K}`",
    label = "`{Self}` does not hold `{K}`"
)]
pub trait DecodeValue<'i, K: KindMarker>: EncodeValue<K> + FillValue<'i, K> {
    /// A new value to merge into.
    fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind>;

    /// Merges the field at `pos`, after its tag `bits`. Returns the position after it, or a code of [`decode`](crate::structs::decode).
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize;

    /// Appends the field at `pos`, after its tag `bits`: one value, or more of them while the same tag follows.
    #[inline]
    fn merge_all<L: List<Self>>(list: &mut L, mut pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 != K::WIRE as u32 {
            return UNKNOWN;
        }
        if matches!(K::WIRE, WireType::LengthDelimited)
            && let Err(kind) = list.make_first_room(pos, bits, input)
        {
            return input.fault_in(0, kind, pos);
        }
        loop {
            let index = list.count();
            input.pos = pos;
            if let Err(kind) = push_fresh(list, input) {
                return input.fault_in(index, kind, pos);
            }
            let end = list.last_element().map_or(UNKNOWN, |value| value.merge(pos, bits, input));
            if !is_position(end) {
                // Only a closed enum refuses a value of its own wire type.
                if const { K::ENUM.is_some() } && end == UNKNOWN {
                    list.keep_first(index);
                    return UNKNOWN;
                }
                return input.at_index(index);
            }
            // Elements of strings and messages follow each other. The next one skips the dispatch on the tag.
            match input.after_tag(end, bits) {
                Some(next) if matches!(K::WIRE, WireType::LengthDelimited) => pos = next,
                _ => return end,
            }
        }
    }
}

/// Encodes a member of a struct as a field of the kind `K`.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` does not fit a field of the kind `{K}`",
    label = "this member has the type `{Self}`, its listing says `{K}`",
    note = "members are `T`, `Option<T>` or `Option<Box<T>>` for one value, `Lazy<T>` or `Option<Prepared<T>>` for a message, `Vec<T>` for `repeated`, and `HashMap`, `BTreeMap` or `SmallMap` for `map`"
)]
pub trait EncodeField<K: KindMarker>: ShowField<K> {
    /// Whether the member has presence.
    const EXPLICIT: bool = false;

    /// The length of the field, 0 if it is unset.
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64;

    /// Writes the field, if it is set.
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>);

    /// Unsets the field and keeps the memory of strings, lists and maps.
    fn clear(&mut self);

    /// [`size`](Self::size) with a default value. A member without presence that has this value is unset.
    #[inline]
    fn size_or(
        &self,
        _default: DefaultValue<'static>,
        spec: WireSpec,
        sizer: &mut StructSizer<'_, '_>,
    ) -> u64 {
        self.size(spec, sizer)
    }

    /// [`write`](Self::write) with a default value.
    #[inline]
    fn write_or(
        &self,
        _default: DefaultValue<'static>,
        spec: WireSpec,
        writer: &mut StructWriter<'_, '_, '_>,
    ) {
        self.write(spec, writer);
    }

    /// [`clear`](Self::clear) with a default value.
    #[inline]
    fn clear_to(&mut self, _default: DefaultValue<'static>) {
        self.clear();
    }
}

/// Decodes a field of the kind `K` into a member of a struct.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` does not fit a field of the kind `{K}`",
    label = "this member has the type `{Self}`, its listing says `{K}`"
)]
pub trait DecodeField<'i, K: KindMarker>: EncodeField<K> + FillField<'i, K> {
    /// Merges the field at `pos`, after its tag `bits`. Returns the position after it, or a code of [`decode`](crate::structs::decode).
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize;

    /// Merges the field `number` if it is at `pos`, with a tag of one byte and a number of fixed width. Returns whether it did.
    #[inline(always)]
    fn merge_next(&mut self, _number: u32, _bytes: &[u8], _pos: &mut usize) -> bool {
        false
    }
}

/// A member that can hold unknown fields: [`UnknownFieldSet`](crate::UnknownFieldSet) or `Vec<u8>`.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` cannot keep unknown fields",
    label = "this member has the type `{Self}`, its listing says `unknown_fields`",
    note = "it is an `UnknownFieldSet` or a `Vec<u8>`"
)]
pub trait UnknownMember: 'static {
    /// The encoded fields.
    fn bytes(&self) -> &[u8];

    /// The encoded fields, to append to.
    fn bytes_mut(&mut self) -> &mut Vec<u8>;
}

/// A visitor of the fields of a message: the sizing pass or the writing pass.
pub trait VisitFields {
    /// A member.
    fn field<K: KindMarker, F: EncodeField<K>>(&mut self, spec: WireSpec, field: &F);

    /// A member with a default value.
    fn field_or<K: KindMarker, F: EncodeField<K>>(
        &mut self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        field: &F,
    );

    /// The member of a oneof that is set.
    fn arm<K: KindMarker, T: EncodeValue<K>>(&mut self, spec: WireSpec, value: &T);

    /// The unknown fields.
    fn unknown(&mut self, fields: &[u8]);
}

/// A visitor of one field of a message, chosen by its number.
pub trait VisitMember<'i> {
    /// Whether a variant that is set already is passed as it is.
    const MERGES: bool = false;

    /// A member.
    fn field<K: KindMarker, F: DecodeField<'i, K>>(&mut self, field: &mut F);

    /// A variant of a oneof that is set, for visitors that merge.
    fn value<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, _value: &mut T) {}

    /// A variant of a oneof, to be set to a new value.
    fn arm<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, set: impl FnOnce(T));
}
