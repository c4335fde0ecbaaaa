//! Members shown to a sink: JSON text, or the slab of a dynamic message.
//!
//! What a member holds is known by its kind and type; a [`MemberSink`] sees scalars by their bits, text, messages, lists and maps.

use crate::message::Prepared;
use crate::schema::table::{DefaultValue, TableKind};
use crate::structs::encode::visit_fields;
use crate::structs::grammar::kinds::{
    self, Custom, GroupOf, KindMarker, MapEntries, Nested, PlainKind, Repeated, Required, ScalarKind,
    ValueKind, WireSpec,
};
use crate::structs::members::field::ScalarValue;
use crate::structs::members::map::MapMember;
use crate::structs::members::plain::{PlainMember, PlainValue};
use crate::structs::{CustomValue, EncodeField, EncodeValue, FixedList, Lazy, Message, VisitFields};
use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

/// Takes the values of members, each at the place that the sink has gone to: a field, an element, or the key or value of an entry.
pub trait MemberSink: Sized {
    /// The value is rare or at fault: what the sink makes is made in another way.
    fn stop(&mut self);

    /// A number, `bool` or enum, by its bits as [`ScalarValue::to_raw`] gives them.
    fn scalar<K: ScalarKind>(&mut self, raw: u64);

    /// The key of a map entry, by its bits.
    fn key<K: ScalarKind>(&mut self, raw: u64);

    /// A list of scalars that is not empty.
    fn scalars<K: ScalarKind, T: ScalarValue<K>>(&mut self, list: &[T]);

    /// A string.
    fn text(&mut self, text: &str);

    /// Bytes.
    fn bytes(&mut self, bytes: &[u8]);

    /// A message.
    fn message<M: Message>(&mut self, message: &M);

    /// A list that is not empty, each element by `show`.
    fn list<T>(&mut self, list: &[T], show: impl Fn(&T, &mut Self));

    /// A map that is not empty.
    fn map<'m, K: ShowValue<KK> + 'm, V: ShowValue<VK> + 'm, KK: KindMarker, VK: KindMarker>(
        &mut self,
        entries: impl Iterator<Item = (&'m K, &'m V)>,
    );
}

/// Shows one value of the kind `K`.
pub trait ShowValue<K: KindMarker>: Sized {
    /// Shows the value.
    fn show<S: MemberSink>(&self, sink: &mut S);

    /// Shows the value as a key of a map.
    #[inline]
    fn show_key<S: MemberSink>(&self, sink: &mut S) {
        self.show(sink);
    }

    /// Shows a list that is not empty.
    #[inline]
    fn show_all<S: MemberSink>(list: &[Self], sink: &mut S) {
        sink.list(list, |value, sink| value.show(sink));
    }
}

/// Shows a member of a struct as a field of the kind `K`.
pub trait ShowField<K: KindMarker> {
    /// Whether an encode would write the field.
    fn is_set(&self) -> bool;

    /// The same with a default value.
    #[inline]
    fn is_set_or(&self, _default: DefaultValue<'static>) -> bool {
        self.is_set()
    }

    /// Shows the value of a field that is set.
    fn show<S: MemberSink>(&self, sink: &mut S);
}

/// Whether a closed enum lists the value; if not, it is an unknown field on the wire.
#[inline(always)]
pub(in crate::structs) fn is_listed<K: ScalarKind, T: ScalarValue<K>>(raw: u64) -> bool {
    !matches!(K::VALUE, TableKind::Enum(_)) || T::from_raw(raw).is_some()
}

impl<K: ScalarKind, T: ScalarValue<K>> ShowValue<K> for T {
    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        let raw = self.to_raw();
        if is_listed::<K, T>(raw) { sink.scalar::<K>(raw) } else { sink.stop() }
    }

    #[inline]
    fn show_key<S: MemberSink>(&self, sink: &mut S) {
        sink.key::<K>(self.to_raw());
    }

    #[inline]
    fn show_all<S: MemberSink>(list: &[Self], sink: &mut S) {
        sink.scalars::<K, T>(list);
    }
}

impl<K: PlainKind, T: PlainMember + PlainValue<K>> ShowField<K> for T {
    #[inline(always)]
    fn is_set(&self) -> bool {
        PlainValue::is_set(self)
    }

    #[inline]
    fn is_set_or(&self, default: DefaultValue<'static>) -> bool {
        PlainValue::is_set_or(self, default)
    }

    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        ShowValue::show(self, sink);
    }
}

/// Strings and bytes.
macro_rules! delimited {
    ($([$($life:lifetime)?] $kind:ident $type:ty: $show:ident;)*) => {$(
        impl<$($life)?> ShowValue<kinds::$kind> for $type {
            #[inline]
            fn show<S: MemberSink>(&self, sink: &mut S) {
                sink.$show(self);
            }
        }
    )*};
}

delimited! {
    [] String String: text;
    ['a] String &'a str: text;
    ['a] String Cow<'a, str>: text;
    [] Bytes Vec<u8>: bytes;
    ['a] Bytes &'a [u8]: bytes;
    ['a] Bytes Cow<'a, [u8]>: bytes;
}

#[cfg(feature = "bytes")]
delimited! {
    [] Bytes bytes::Bytes: bytes;
}

#[cfg(feature = "bytestring")]
delimited! {
    [] String bytestring::ByteString: text;
}

#[cfg(feature = "heapless")]
impl<const N: usize, L: heapless::LenType> ShowValue<kinds::String> for heapless::String<N, L> {
    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        sink.text(self);
    }
}

#[cfg(feature = "heapless")]
impl<const N: usize, L: heapless::LenType> ShowValue<kinds::Bytes> for heapless::Vec<u8, N, L> {
    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        sink.bytes(self);
    }
}

macro_rules! messages {
    ($($kind:ident),*) => {$(
        impl<M: Message> ShowValue<$kind<M>> for M {
            #[inline]
            fn show<S: MemberSink>(&self, sink: &mut S) {
                sink.message(self);
            }
        }

        impl<M: Message> ShowValue<$kind<M>> for Box<M> {
            #[inline]
            fn show<S: MemberSink>(&self, sink: &mut S) {
                sink.message(&**self);
            }
        }

        /// Its bytes have not been looked at.
        impl<M: Message> ShowValue<$kind<M>> for Lazy<M> {
            fn show<S: MemberSink>(&self, sink: &mut S) {
                sink.stop();
            }
        }

        /// A message in bytes.
        impl<M: Message> ShowValue<$kind<M>> for Prepared<M> {
            fn show<S: MemberSink>(&self, sink: &mut S) {
                sink.stop();
            }
        }

        /// Without presence: set unless it is empty.
        impl<M: Message> ShowField<$kind<M>> for M {
            #[inline]
            fn is_set(&self) -> bool {
                has_fields(self)
            }

            #[inline]
            fn show<S: MemberSink>(&self, sink: &mut S) {
                sink.message(self);
            }
        }

        impl<M: Message> ShowField<$kind<M>> for Lazy<M> {
            #[inline]
            fn is_set(&self) -> bool {
                !self.is_absent()
            }

            fn show<S: MemberSink>(&self, sink: &mut S) {
                sink.stop();
            }
        }
    )*};
}

messages!(Nested, GroupOf);

impl<K: ValueKind, T: ShowValue<K>> ShowField<K> for Option<T> {
    #[inline(always)]
    fn is_set(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        if let Some(value) = self {
            value.show(sink);
        }
    }
}

impl<K: ValueKind, T: ShowValue<K>> ShowField<Required<K>> for Option<T> {
    #[inline(always)]
    fn is_set(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        ShowField::<K>::show(self, sink);
    }
}

impl<K: ValueKind, T: ShowValue<K>> ShowField<Repeated<K>> for Vec<T> {
    #[inline(always)]
    fn is_set(&self) -> bool {
        !self.is_empty()
    }

    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        T::show_all(self, sink);
    }
}

impl<K: ValueKind, L: FixedList> ShowField<Repeated<K>> for L
where
    L::Item: ShowValue<K>,
{
    #[inline(always)]
    fn is_set(&self) -> bool {
        !self.as_slice().is_empty()
    }

    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        <L::Item>::show_all(self.as_slice(), sink);
    }
}

impl<KK: KindMarker, VK: KindMarker, F: MapMember> ShowField<MapEntries<KK, VK>> for F
where
    F::Key: ShowValue<KK>,
    F::Value: ShowValue<VK>,
{
    #[inline(always)]
    fn is_set(&self) -> bool {
        self.entries().next().is_some()
    }

    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        sink.map::<F::Key, F::Value, KK, VK>(self.entries());
    }
}

// Custom values are shown as the values that are encoded in their place.

impl<K: ValueKind, T: CustomValue> ShowValue<Custom<K>> for T
where
    for<'a> T::Encoded<'a>: ShowValue<K>,
{
    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        self.to_encoded().show(sink);
    }

    #[inline]
    fn show_key<S: MemberSink>(&self, sink: &mut S) {
        self.to_encoded().show_key(sink);
    }
}

impl<K: ValueKind, T: CustomValue> ShowField<Custom<K>> for T
where
    for<'a> T::Encoded<'a>: ShowField<K>,
{
    #[inline]
    fn is_set(&self) -> bool {
        self.to_encoded().is_set()
    }

    #[inline]
    fn is_set_or(&self, default: DefaultValue<'static>) -> bool {
        self.to_encoded().is_set_or(default)
    }

    #[inline]
    fn show<S: MemberSink>(&self, sink: &mut S) {
        ShowField::<K>::show(&self.to_encoded(), sink);
    }
}

/// Looks whether a message has a field that is set.
struct AnySet(bool);

/// Whether an encode would write a message without presence.
pub(in crate::structs) fn has_fields<M: Message>(message: &M) -> bool {
    let mut any = AnySet(false);
    visit_fields(message, &mut any);
    any.0
}

impl VisitFields for AnySet {
    #[inline]
    fn field<K: KindMarker, F: EncodeField<K>>(&mut self, _: WireSpec, field: &F) {
        self.0 = self.0 || field.is_set();
    }

    #[inline]
    fn field_or<K: KindMarker, F: EncodeField<K>>(
        &mut self,
        default: DefaultValue<'static>,
        _: WireSpec,
        field: &F,
    ) {
        self.0 = self.0 || field.is_set_or(default);
    }

    #[inline]
    fn arm<K: KindMarker, T: EncodeValue<K>>(&mut self, _: WireSpec, _: &T) {
        self.0 = true;
    }

    #[inline]
    fn unknown(&mut self, fields: &[u8]) {
        self.0 = self.0 || !fields.is_empty();
    }
}
