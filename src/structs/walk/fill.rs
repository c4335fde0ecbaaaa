//! Members filled from a source: JSON text, or a dynamic message.

use crate::formats::ParseErrorKind;
use crate::message::Prepared;
use crate::structs::decode::input::Input;
use crate::structs::decode::memory;
use crate::structs::grammar::kinds::{
    self, Custom, GroupOf, KindMarker, MapEntries, Nested, PlainKind, Repeated, Required, ScalarKind,
    ValueKind,
};
use crate::structs::members::field::ScalarValue;
use crate::structs::members::map::MapMember;
use crate::structs::members::plain::{PlainMember, PlainValue};
use crate::structs::{CustomValue, DecodeFrom, DecodeOwned, DecodeValue, FixedList, Lazy, List};
use crate::wire::error::DecodeErrorKind;
use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

/// What comes is rare or at fault: the struct is made in another way.
#[derive(Clone, Copy, Debug)]
pub struct Stop;

pub type Filled = Result<(), Stop>;

impl From<ParseErrorKind> for Stop {
    #[inline]
    fn from(_: ParseErrorKind) -> Self {
        Self
    }
}

impl From<DecodeErrorKind> for Stop {
    #[inline]
    fn from(_: DecodeErrorKind) -> Self {
        Self
    }
}

/// Has the values for members, each at the place that the source has gone to: a field, an element, or the key or value of an entry.
pub trait MemberSource<'i>: Sized {
    /// How to go on to the value of a map entry.
    type EntryValue: Copy;

    /// Memory, depth and stack.
    fn input(&mut self) -> &mut Input<'i>;

    /// A number, `bool` or enum, by its bits as [`ScalarValue::from_raw`] takes them.
    fn scalar<K: ScalarKind>(&mut self) -> Result<u64, Stop>;

    /// The key of a map entry, by its bits.
    fn key<K: ScalarKind>(&mut self) -> Result<u64, Stop>;

    /// A list of scalars, for an empty one.
    fn scalars<K: ScalarKind, T: ScalarValue<K>, L: List<T>>(&mut self, list: &mut L) -> Filled;

    /// A string, in place of another one.
    fn text(&mut self, text: &mut String) -> Filled;

    /// Bytes, in place of others.
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Filled;

    /// A string for a member that borrows.
    fn borrowed_text(&mut self) -> Result<&'i str, Stop> {
        Err(Stop)
    }

    /// Bytes for a member that borrows.
    fn borrowed_bytes(&mut self) -> Result<&'i [u8], Stop> {
        Err(Stop)
    }

    /// A message, into an empty one.
    fn message<M: DecodeFrom<'i>>(&mut self, message: &mut M) -> Filled;

    /// How many elements a list has, if that is known; else 0.
    fn len_hint(&self) -> usize {
        0
    }

    /// Runs `fill` at each element of a list.
    fn elements(&mut self, fill: impl FnMut(&mut Self) -> Filled) -> Filled;

    /// Runs `fill` at each key of a map. Entries count as messages.
    fn entries(&mut self, fill: impl FnMut(&mut Self, Self::EntryValue) -> Filled) -> Filled;

    /// Goes from the key of an entry to its value.
    fn entry_value(&mut self, at: Self::EntryValue) -> Filled;

    /// Makes a value, fills it, and passes it to `finish`. Meanwhile, a large value is on the heap: the frame is one of a recursion.
    #[inline]
    fn aside<T>(
        &mut self,
        make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
        fill: impl FnOnce(&mut T, &mut Self) -> Filled,
        finish: impl FnOnce(T, &mut Self) -> Filled,
    ) -> Filled {
        if const { size_of::<T>() <= memory::SMALL_VALUE } {
            let mut value = make(self.input())?;
            fill(&mut value, self)?;
            return finish(value, self);
        }
        let mut room = memory::make_on_heap(self.input(), make)?;
        fill(room.last_mut().ok_or(Stop)?, self)?;
        finish_aside(self, room, finish)
    }
}

#[inline(never)]
fn finish_aside<'i, S: MemberSource<'i>, T>(
    source: &mut S,
    mut room: Vec<T>,
    finish: impl FnOnce(T, &mut S) -> Filled,
) -> Filled {
    let value = room.pop().ok_or(Stop)?;
    let filled = finish(value, source);
    source.input().refund(size_of::<T>());
    filled
}

/// Fills one value of the kind `K`.
pub trait FillValue<'i, K: KindMarker>: Sized {
    /// Fills an empty value.
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled;

    /// Fills the key of a map entry.
    #[inline]
    fn fill_key<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        self.fill(source)
    }

    /// Fills an empty list.
    fn fill_all<S: MemberSource<'i>, L: List<Self>>(list: &mut L, source: &mut S) -> Filled
    where
        Self: DecodeValue<'i, K>,
    {
        let len = source.len_hint();
        if len > 0 {
            list.make_room(len, source.input())?;
        }
        source.elements(|source| {
            memory::push_fresh(list, source.input())?;
            list.last_element().map_or(Err(Stop), |value| value.fill(source))
        })
    }
}

/// Fills a member of a struct with a field of the kind `K`.
pub trait FillField<'i, K: KindMarker> {
    /// Fills the member with a value; the field is not set yet.
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled;

    /// Sets an integer field without presence. False for any other.
    #[cfg(feature = "json")]
    #[inline]
    fn set_number(&mut self, _number: i64) -> bool {
        false
    }
}

impl<'i, K: ScalarKind, T: ScalarValue<K>> FillValue<'i, K> for T {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        // A number that the enum does not list is unknown to a struct.
        *self = T::from_raw(source.scalar::<K>()?).ok_or(Stop)?;
        Ok(())
    }

    fn fill_key<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        *self = T::from_raw(source.key::<K>()?).ok_or(Stop)?;
        Ok(())
    }

    fn fill_all<S: MemberSource<'i>, L: List<Self>>(list: &mut L, source: &mut S) -> Filled {
        source.scalars::<K, T, L>(list)
    }
}

impl<'i> FillValue<'i, kinds::String> for String {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        source.text(self)
    }
}

impl<'i> FillValue<'i, kinds::Bytes> for Vec<u8> {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        source.bytes(self)
    }
}

#[cfg(feature = "bytes")]
impl<'i> FillValue<'i, kinds::Bytes> for bytes::Bytes {
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let (mut filled, mut bytes) = (Vec::new(), Vec::new());
        source.bytes(&mut filled)?;
        // Without capacity to spare, `Bytes` takes the block as it is, and allocates nothing that could fail.
        source.input().assign_bytes(&mut bytes, &filled)?;
        *self = bytes.into();
        Ok(())
    }
}

#[cfg(feature = "bytestring")]
impl<'i> FillValue<'i, kinds::String> for bytestring::ByteString {
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let (mut filled, mut text) = (String::new(), Vec::new());
        source.text(&mut filled)?;
        // Without capacity to spare, as `Bytes` above.
        source.input().assign_bytes(&mut text, filled.as_bytes())?;
        *self = bytes::Bytes::from(text).try_into().map_err(|_| Stop)?;
        Ok(())
    }
}

#[cfg(feature = "heapless")]
impl<'i, const N: usize, L: heapless::LenType> FillValue<'i, kinds::String> for heapless::String<N, L> {
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let mut text = String::new();
        source.text(&mut text)?;
        self.clear();
        self.push_str(&text).map_err(|_| Stop)
    }
}

#[cfg(feature = "heapless")]
impl<'i, const N: usize, L: heapless::LenType> FillValue<'i, kinds::Bytes> for heapless::Vec<u8, N, L> {
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let mut bytes = Vec::new();
        source.bytes(&mut bytes)?;
        self.clear();
        self.extend_from_slice(&bytes).map_err(|_| Stop)
    }
}

macro_rules! borrowed {
    ($($kind:ident $type:ty: $fill:ident;)*) => {$(
        impl<'i: 'a, 'a> FillValue<'i, kinds::$kind> for $type {
            #[inline]
            fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
                *self = source.$fill()?.into();
                Ok(())
            }
        }
    )*};
}

borrowed! {
    String &'a str: borrowed_text;
    String Cow<'a, str>: borrowed_text;
    Bytes &'a [u8]: borrowed_bytes;
    Bytes Cow<'a, [u8]>: borrowed_bytes;
}

impl<'i, K: PlainKind, T: PlainMember + PlainValue<K> + FillValue<'i, K>> FillField<'i, K> for T {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        FillValue::fill(self, source)
    }

    #[cfg(feature = "json")]
    #[inline]
    fn set_number(&mut self, number: i64) -> bool {
        PlainValue::set_number(self, number)
    }
}

/// Members without presence are filled as values.
macro_rules! fields {
    ($([$($generics:tt)*] $kind:ty, $type:ty;)*) => {$(
        impl<'i, $($generics)*> FillField<'i, $kind> for $type {
            #[inline]
            fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
                FillValue::<$kind>::fill(self, source)
            }
        }
    )*};
}

fields! {
    [M: DecodeFrom<'i>] Nested<M>, M;
    [M: DecodeFrom<'i>] GroupOf<M>, M;
    [M: DecodeOwned] Nested<M>, Lazy<M>;
    [M: DecodeOwned] GroupOf<M>, Lazy<M>;
}

macro_rules! messages {
    ($($kind:ident),*) => {$(
        impl<'i, M: DecodeFrom<'i>> FillValue<'i, $kind<M>> for M {
            #[inline]
            fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
                source.message(self)
            }
        }

        impl<'i, M: DecodeFrom<'i>> FillValue<'i, $kind<M>> for Box<M> {
            #[inline]
            fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
                source.message(&mut **self)
            }
        }

        /// It keeps the bytes of the message.
        impl<'i, M: DecodeOwned> FillValue<'i, $kind<M>> for Lazy<M> {
            fn fill<S: MemberSource<'i>>(&mut self, _: &mut S) -> Filled {
                Err(Stop)
            }
        }

        /// It is the bytes of the message.
        impl<'i, M: DecodeOwned> FillValue<'i, $kind<M>> for Prepared<M> {
            fn fill<S: MemberSource<'i>>(&mut self, _: &mut S) -> Filled {
                Err(Stop)
            }
        }
    )*};
}

messages!(Nested, GroupOf);

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> FillField<'i, K> for Option<T> {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        memory::insert_fresh(self, source.input())?.fill(source)
    }
}

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> FillField<'i, Required<K>> for Option<T> {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        FillField::<K>::fill(self, source)
    }
}

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> FillField<'i, Repeated<K>> for Vec<T> {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        T::fill_all(self, source)
    }
}

impl<'i, K: ValueKind, L: FixedList> FillField<'i, Repeated<K>> for L
where
    L::Item: DecodeValue<'i, K>,
{
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        <L::Item>::fill_all(self, source)
    }
}

impl<'i, KK: KindMarker, VK: KindMarker, F: MapMember> FillField<'i, MapEntries<KK, VK>> for F
where
    F::Key: DecodeValue<'i, KK>,
    F::Value: DecodeValue<'i, VK>,
{
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        source.entries(|source, at| {
            source.aside(
                |input| Ok((F::Key::fresh(input)?, F::Value::fresh(input)?)),
                |(key, value), source| {
                    key.fill_key(source)?;
                    source.entry_value(at)?;
                    value.fill(source)
                },
                |(key, value), source| {
                    // A key that occurs twice is an error, or the last one wins.
                    if self.insert_entry(key, value, source.input())? { Ok(()) } else { Err(Stop) }
                },
            )
        })
    }
}

// Custom values are filled as the values that are encoded in their place.

impl<'i, K: ScalarKind, T: CustomValue> FillValue<'i, Custom<K>> for T
where
    for<'a> T::Encoded<'a>: ScalarValue<K>,
{
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let mut encoded = <T::Encoded<'i> as ScalarValue<K>>::zero();
        FillValue::<K>::fill(&mut encoded, source)?;
        *self = T::from_encoded(encoded).ok_or(Stop)?;
        Ok(())
    }

    fn fill_key<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let mut encoded = <T::Encoded<'i> as ScalarValue<K>>::zero();
        FillValue::<K>::fill_key(&mut encoded, source)?;
        *self = T::from_encoded(encoded).ok_or(Stop)?;
        Ok(())
    }
}

impl<'i, T: for<'a> CustomValue<Encoded<'a> = &'a str>> FillValue<'i, Custom<kinds::String>> for T {
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let mut text = String::new();
        FillValue::<kinds::String>::fill(&mut text, source)?;
        *self = T::from_encoded(&text).ok_or(Stop)?;
        Ok(())
    }
}

impl<'i, T: for<'a> CustomValue<Encoded<'a> = &'a [u8]>> FillValue<'i, Custom<kinds::Bytes>> for T {
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        let mut bytes = Vec::new();
        FillValue::<kinds::Bytes>::fill(&mut bytes, source)?;
        *self = T::from_encoded(&bytes).ok_or(Stop)?;
        Ok(())
    }
}

macro_rules! messages {
    ($($kind:ident),*) => {$(
        impl<'i, M: DecodeFrom<'i>, T: for<'a> CustomValue<Encoded<'a> = M>> FillValue<'i, Custom<$kind<M>>> for T {
            fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
                let mut encoded = M::unset();
                FillValue::<$kind<M>>::fill(&mut encoded, source)?;
                *self = T::from_encoded(encoded).ok_or(Stop)?;
                Ok(())
            }
        }
    )*};
}

messages!(Nested, GroupOf);

impl<'i, K: ValueKind, T: CustomValue + FillValue<'i, Custom<K>>> FillField<'i, Custom<K>> for T {
    #[inline]
    fn fill<S: MemberSource<'i>>(&mut self, source: &mut S) -> Filled {
        FillValue::<Custom<K>>::fill(self, source)
    }
}
