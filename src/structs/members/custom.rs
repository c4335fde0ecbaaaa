//! Members with values of types of one's own, see [`CustomValue`].
//!
//! A custom value is encoded as the value that it gives, and made of the value that is decoded. What is decoded is checked, so a
//! value that the type refuses is an error with a path.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue, ScalarValue};
use super::scalar::{put_scalar, put_tagged, scalar_len};
use crate::schema::table::DefaultValue;
use crate::structs::decode::input::Input;
use crate::structs::decode::is_position;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{self, Custom, GroupOf, Nested, ScalarKind, ValueKind, WireSpec};
use crate::structs::{DecodeFrom, List, Message};
use crate::wire::error::DecodeErrorKind;
#[cfg(not(tablepb_no_alloc))]
use alloc::boxed::Box;
#[cfg(all(not(tablepb_no_alloc), target_has_atomic = "ptr"))]
use alloc::sync::Arc;
use core::marker::PhantomData;
use core::num::{NonZeroI32, NonZeroI64, NonZeroU32, NonZeroU64};

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
        let payload = run_len::<K, T>(list);
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
            return writer.each(list, |value, writer| EncodeValue::write(value, spec, writer));
        }
        if writer.tag_and_run(spec, || run_len::<K, T>(list)) {
            list.iter().for_each(|value| put_scalar::<K>(writer.cursor, value.to_encoded().to_raw()));
        }
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

    fn merge_all<L: List<Self>>(list: &mut L, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        <T::Encoded<'i> as DecodeValue<'i, K>>::merge_all(
            &mut Converted::<T, L>(list, PhantomData),
            pos,
            bits,
            input,
        )
    }
}

/// The length of a run, without its prefix.
fn run_len<K: ScalarKind, T: CustomValue>(list: &[T]) -> u64
where
    for<'a> T::Encoded<'a>: ScalarValue<K>,
{
    list.iter().map(|value| scalar_len::<K>(value.to_encoded().to_raw())).sum()
}

/// A list that takes what is encoded in place of its elements, and converts it.
struct Converted<'l, T, L>(&'l mut L, PhantomData<T>);

impl<'e, T: CustomValue, L: List<T>> List<T::Encoded<'e>> for Converted<'_, T, L> {
    #[inline]
    fn count(&self) -> usize {
        self.0.count()
    }

    /// Numbers are put, not changed in place.
    fn last_element(&mut self) -> Option<&mut T::Encoded<'e>> {
        None
    }

    #[inline]
    fn make_room(&mut self, additional: usize, input: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        self.0.make_room(additional, input)
    }

    fn make_first_room(
        &mut self,
        pos: usize,
        bits: u32,
        input: &mut Input<'_>,
    ) -> Result<(), DecodeErrorKind> {
        self.0.make_first_room(pos, bits, input)
    }

    #[inline]
    fn put(&mut self, encoded: T::Encoded<'e>) -> Result<(), DecodeErrorKind> {
        self.0.put(T::from_encoded(encoded).ok_or(DecodeErrorKind::InvalidValue)?)
    }

    #[inline]
    fn extend_by(&mut self, mut values: impl Iterator<Item = T::Encoded<'e>>) -> Result<(), DecodeErrorKind> {
        values.try_for_each(|encoded| self.put(encoded))
    }

    fn keep_first(&mut self, len: usize) {
        self.0.keep_first(len);
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

/// A type of one's own for the values of a field, listed as `custom kind`.
///
/// The type says which value is encoded in its place, one of a type that [`message!`](crate::message) lists for the kind: a
/// number, `&str`, `&[u8]`, an enum or a message. It fits wherever such a value does: alone, in `Option`, in `Vec` for `repeated`,
/// in maps and in oneofs. JSON and text format show the value that is encoded.
///
/// | the library has | for |
/// |---|---|
/// | `u8`, `u16`, [`NonZeroU32`] | `custom uint32`, `custom fixed32` |
/// | `i8`, `i16`, [`NonZeroI32`] | `custom int32`, `custom sint32`, `custom sfixed32` |
/// | `usize`, [`NonZeroU64`] | `custom uint64`, `custom fixed64` |
/// | `isize`, [`NonZeroI64`] | `custom int64`, `custom sint64`, `custom sfixed64` |
/// | `Box<str>`, `Arc<str>` | `custom string` |
/// | `[u8; N]`, `Box<[u8]>`, `Arc<[u8]>` | `custom bytes` |
/// | `SystemTime` (feature `std`) | `custom message Timestamp`, of [`wkt`](crate::structs::wkt) |
///
/// A `NonZero` type has no value for an unset field: list it as an `Option`, or an unset field reads, and is written, as 1.
///
/// ```
/// use tablepb::{CustomValue, DecodeErrorKind, Message};
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// struct Uuid([u8; 16]);
///
/// impl CustomValue for Uuid {
///     type Encoded<'a> = &'a [u8];
///
///     fn to_encoded(&self) -> &[u8] {
///         &self.0
///     }
///
///     fn from_encoded(bytes: &[u8]) -> Option<Self> {
///         bytes.try_into().ok().map(Self)
///     }
///
///     fn unset() -> Self {
///         Self::default()
///     }
/// }
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Span { id: Uuid, parent: Option<Uuid>, links: Vec<Uuid>, level: u8 }
///
/// tablepb::message! {
///     Span as "example.Span" {
///         id: custom bytes = 1,
///         parent: custom bytes = 2,
///         links: repeated custom bytes = 3,
///         level: custom uint32 = 4,
///     }
/// }
///
/// let span = Span { id: Uuid([7; 16]), parent: None, links: vec![Uuid([8; 16])], level: 200 };
/// assert_eq!(Span::decode(&span.encode_to_vec()?)?, span);
///
/// let error = Span::decode(b"\x1a\x02ab").unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::InvalidValue);
/// assert_eq!(error.path().to_string(), "links[0]");
/// assert!(Span::decode(b"\x20\x80\x02").is_err(), "256 is no u8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Decoding fails with [`InvalidValue`](crate::DecodeErrorKind::InvalidValue) where [`from_encoded`](Self::from_encoded) gives `None`. The
/// offset is after the value; in a list of numbers it is where the number begins.
pub trait CustomValue: Sized {
    /// What is encoded in place of the value: of a type that is listed for the kind.
    type Encoded<'a>;

    /// The value to encode. It is asked for twice in an encode, and must be the same: otherwise the result is unspecified, though
    /// not undefined.
    fn to_encoded(&self) -> Self::Encoded<'_>;

    /// The value of what was decoded, or `None` if there is no such value. Memory of its own is charged to the budget as
    /// the length of the string or bytes; an allocator that fails aborts.
    fn from_encoded(encoded: Self::Encoded<'_>) -> Option<Self>;

    /// The value that a member holds before its field is decoded.
    ///
    /// What is decoded replaces it, except a message, which is merged into it: a type that is encoded as a message should
    /// give one that encodes to nothing. If the field is not in the input, a member without presence gets the value of
    /// `from_encoded` for the default of the kind (zero or empty), and keeps this one only if `from_encoded` refuses that.
    fn unset() -> Self;
}

/// A number, `bool` or enum as a custom value.
macro_rules! checked {
    ($($type:ty as $encoded:ty, unset $unset:expr;)*) => {$(
        impl CustomValue for $type {
            type Encoded<'a> = $encoded;

            #[inline]
            fn to_encoded(&self) -> $encoded {
                // Each fits: types are converted to wider ones, and `usize` has at most 64 bits.
                <$encoded>::try_from(*self).unwrap_or_default()
            }

            #[inline]
            fn from_encoded(encoded: $encoded) -> Option<Self> {
                Self::try_from(encoded).ok()
            }

            #[inline]
            fn unset() -> Self {
                $unset
            }
        }
    )*};
}

checked! {
    u8 as u32, unset 0;
    u16 as u32, unset 0;
    i8 as i32, unset 0;
    i16 as i32, unset 0;
    usize as u64, unset 0;
    isize as i64, unset 0;
    NonZeroU32 as u32, unset Self::MIN;
    NonZeroU64 as u64, unset Self::MIN;
    NonZeroI32 as i32, unset const { Self::new(1).unwrap() };
    NonZeroI64 as i64, unset const { Self::new(1).unwrap() };
}

#[cfg(not(tablepb_no_alloc))]
macro_rules! pointers {
    ($($type:ty as $target:ty;)*) => {$(
        impl CustomValue for $type {
            type Encoded<'a> = &'a $target;

            #[inline]
            fn to_encoded(&self) -> &$target {
                self
            }

            #[inline]
            fn from_encoded(encoded: &$target) -> Option<Self> {
                Some(encoded.into())
            }

            #[inline]
            fn unset() -> Self {
                Self::default()
            }
        }
    )*};
}

#[cfg(not(tablepb_no_alloc))]
pointers! {
    Box<str> as str;
    Box<[u8]> as [u8];
}

// The standard library's, which processors without compare-and-swap do not have.
#[cfg(all(not(tablepb_no_alloc), target_has_atomic = "ptr"))]
pointers! {
    Arc<str> as str;
    Arc<[u8]> as [u8];
}

impl<const N: usize> CustomValue for [u8; N] {
    type Encoded<'a> = &'a [u8];

    #[inline]
    fn to_encoded(&self) -> &[u8] {
        self
    }

    #[inline]
    fn from_encoded(encoded: &[u8]) -> Option<Self> {
        encoded.try_into().ok()
    }

    #[inline]
    fn unset() -> Self {
        [0; N]
    }
}
