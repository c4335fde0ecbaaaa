//! Borrowed values of fields: `Copy`, nothing decoded on access.

use super::{MapKey, MessageView, RawMessage, Value};
use crate::program::{Coding, Entry, Scalar};
use crate::schema::DescriptorPool;
use crate::slab::{RawKey, RawList, RawView};
use alloc::{borrow::ToOwned, collections::BTreeMap, vec::Vec};
use core::fmt;

/// The value of a field, borrowed. `Copy`, at most 128 bytes.
///
/// `'a` is the arena the message is in (the [`Decoder`](super::Decoder) or [`DynamicMessage`](super::DynamicMessage)),
/// `'i` the bytes that strings point into: the decoder's input, or the message's own bytes.
#[derive(Clone, Copy, PartialEq)]
pub enum ValueRef<'a, 'i> {
    /// `bool`.
    Bool(bool),
    /// `int32`, `sint32`, `sfixed32`.
    I32(i32),
    /// `int64`, `sint64`, `sfixed64`.
    I64(i64),
    /// `uint32`, `fixed32`.
    U32(u32),
    /// `uint64`, `fixed64`.
    U64(u64),
    /// `float`.
    F32(f32),
    /// `double`.
    F64(f64),
    /// `string`.
    String(&'i str),
    /// `bytes`; also a `string` without UTF-8 validation (proto2) that is not UTF-8.
    Bytes(&'i [u8]),
    /// An enum value, by number.
    EnumNumber(i32),
    /// A message.
    Message(MessageView<'a, 'i>),
    /// A message that has not been decoded: a lazy field, or one that was set to prepared bytes.
    Raw(RawMessage<'a, 'i>),
    /// A repeated field.
    List(ListRef<'a, 'i>),
    /// A map field.
    Map(MapRef<'a, 'i>),
    /// A field that a [`Projection`](crate::Projection) left out, which may be set or not; only
    /// [`get_field`](MessageView::get_field) and its like give this.
    Unselected,
}

macro_rules! getters {
    ($($variant:ident, $get:ident -> $type:ty, $doc:literal;)*) => {
        $(#[doc = $doc]
        #[inline]
        pub fn $get(self) -> Option<$type> {
            match self {
                Self::$variant(value) => Some(value),
                _ => None,
            }
        })*
    };
}

impl<'a, 'i> ValueRef<'a, 'i> {
    getters! {
        Bool, as_bool -> bool, "The value of a `bool`.";
        I32, as_i32 -> i32, "The value of an `int32`, `sint32` or `sfixed32`.";
        I64, as_i64 -> i64, "The value of an `int64`, `sint64` or `sfixed64`.";
        U32, as_u32 -> u32, "The value of a `uint32` or `fixed32`.";
        U64, as_u64 -> u64, "The value of a `uint64` or `fixed64`.";
        F32, as_f32 -> f32, "The value of a `float`.";
        F64, as_f64 -> f64, "The value of a `double`.";
        String, as_str -> &'i str, "The string.";
        Bytes, as_bytes -> &'i [u8], "The bytes.";
        EnumNumber, as_enum_number -> i32, "The number of an enum value.";
        Message, as_message -> MessageView<'a, 'i>, "The message, if it has been decoded.";
        Raw, as_raw -> RawMessage<'a, 'i>, "The message, if it has not been decoded.";
        List, as_list -> ListRef<'a, 'i>, "The list.";
        Map, as_map -> MapRef<'a, 'i>, "The map.";
    }

    /// Whether it is a list or map without elements.
    #[inline]
    pub(super) fn is_empty_list(&self) -> bool {
        match self {
            Self::List(list) => list.is_empty(),
            Self::Map(map) => map.is_empty(),
            _ => false,
        }
    }

    /// A copy that owns everything; of [`Unselected`](Self::Unselected), which has no value, an empty list.
    pub fn to_owned(self) -> Value {
        match self {
            Self::Bool(v) => Value::Bool(v),
            Self::I32(v) => Value::I32(v),
            Self::I64(v) => Value::I64(v),
            Self::U32(v) => Value::U32(v),
            Self::U64(v) => Value::U64(v),
            Self::F32(v) => Value::F32(v),
            Self::F64(v) => Value::F64(v),
            Self::String(v) => Value::String(v.to_owned()),
            Self::Bytes(v) => Value::Bytes(v.to_vec()),
            Self::EnumNumber(v) => Value::EnumNumber(v),
            Self::Message(v) => Value::Message(v.to_owned()),
            Self::Raw(v) => Value::Prepared(v.to_owned()),
            Self::List(v) => Value::List(v.iter().map(Self::to_owned).collect::<Vec<_>>()),
            Self::Map(v) => {
                Value::Map(v.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect::<BTreeMap<_, _>>())
            }
            Self::Unselected => Value::List(Vec::new()),
        }
    }
}

impl fmt::Debug for ValueRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(v) => v.fmt(f),
            Self::I32(v) | Self::EnumNumber(v) => v.fmt(f),
            Self::I64(v) => v.fmt(f),
            Self::U32(v) => v.fmt(f),
            Self::U64(v) => v.fmt(f),
            Self::F32(v) => v.fmt(f),
            Self::F64(v) => v.fmt(f),
            Self::String(v) => v.fmt(f),
            Self::Bytes(v) => write!(f, "b\"{}\"", v.escape_ascii()),
            Self::Message(v) => v.fmt(f),
            Self::Raw(v) => v.fmt(f),
            Self::List(v) => v.fmt(f),
            Self::Map(v) => v.fmt(f),
            Self::Unselected => f.write_str("unselected"),
        }
    }
}

/// What it takes to read a value of one field: nothing of its descriptor, which would be far away in memory.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) pool: &'a DescriptorPool,
    pub(super) scalar: Scalar,
}

impl<'a> Reader<'a> {
    #[inline]
    pub(super) fn new(pool: &'a DescriptorPool, entry: &Entry) -> Self {
        let scalar = if entry.coding.is_message() { Scalar::Bytes } else { entry.scalar() };
        Self { pool, scalar }
    }

    /// The value of one word.
    #[inline]
    fn word<'i>(self, word: u32) -> ValueRef<'a, 'i> {
        match self.scalar {
            Scalar::Bool => ValueRef::Bool(word != 0),
            Scalar::U32 => ValueRef::U32(word),
            Scalar::F32 => ValueRef::F32(f32::from_bits(word)),
            Scalar::Enum => ValueRef::EnumNumber(word as i32),
            _ => ValueRef::I32(word as i32),
        }
    }

    /// The value of two words.
    #[inline]
    fn words<'i>(self, value: u64) -> ValueRef<'a, 'i> {
        match self.scalar {
            Scalar::U64 => ValueRef::U64(value),
            Scalar::F64 => ValueRef::F64(f64::from_bits(value)),
            _ => ValueRef::I64(value as i64),
        }
    }

    /// A string or bytes. Checked when it was decoded or set, unless the field allows anything.
    fn span<'i>(self, coding: Coding, bytes: &'i [u8]) -> ValueRef<'a, 'i> {
        match (self.scalar, coding) {
            (Scalar::String, Coding::String) => ValueRef::String(crate::slab::checked_str(bytes)),
            (Scalar::String, _) => match core::str::from_utf8(bytes) {
                Ok(text) => ValueRef::String(text),
                Err(_) => ValueRef::Bytes(bytes),
            },
            _ => ValueRef::Bytes(bytes),
        }
    }

    /// A message, decoded or not.
    #[inline]
    fn message<'i>(self, view: RawView<'a, 'i>) -> ValueRef<'a, 'i> {
        match view.words.raw_depth(view.base) {
            None => ValueRef::Message(MessageView::new(self.pool, view)),
            Some(depth) => ValueRef::Raw(RawMessage::new(self.pool, view, depth)),
        }
    }

    /// The value of a singular field at its slot.
    #[inline]
    pub(super) fn singular<'i>(self, view: RawView<'a, 'i>, entry: &Entry, slot: u32) -> ValueRef<'a, 'i> {
        match entry.coding {
            Coding::Message | Coding::Group => self.message(view.child(entry, slot)),
            Coding::String | Coding::Bytes => self.span(entry.coding, view.span(slot)),
            coding if coding.words() == 2 => self.words(view.words.get64(slot)),
            _ => self.word(view.words.get(slot)),
        }
    }
}

/// A repeated field: elements by index, in wire order. `Copy`.
#[derive(Clone, Copy)]
pub struct ListRef<'a, 'i> {
    list: Option<RawList<'a, 'i>>,
    reader: Reader<'a>,
}

impl<'a, 'i> ListRef<'a, 'i> {
    pub(super) fn new(reader: Reader<'a>, list: Option<RawList<'a, 'i>>) -> Self {
        Self { list, reader }
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.list.map_or(0, |list| list.len() as usize)
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An element, or `None` beyond the end.
    #[inline]
    pub fn get(&self, index: usize) -> Option<ValueRef<'a, 'i>> {
        let list = self.list.as_ref()?;
        if index >= list.len() as usize {
            return None;
        }
        let index = index as u32;
        let reader = self.reader;
        Some(match list.entry.coding {
            Coding::Message | Coding::Group => reader.message(list.message(index)),
            coding @ (Coding::String | Coding::Bytes) => reader.span(coding, list.span(index)),
            coding if coding.words() == 2 => reader.words(list.word64(index)),
            _ => reader.word(list.word(index)),
        })
    }

    /// All elements.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ValueRef<'a, 'i>> + use<'a, 'i> {
        let list = *self;
        (0..self.len()).map(move |index| list.get(index).unwrap_or(ValueRef::Bool(false)))
    }
}

impl PartialEq for ListRef<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a == b)
    }
}

impl fmt::Debug for ListRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The key of a map field, borrowed. `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MapKeyRef<'i> {
    /// `bool`.
    Bool(bool),
    /// `int32`, `sint32`, `sfixed32`.
    I32(i32),
    /// `int64`, `sint64`, `sfixed64`.
    I64(i64),
    /// `uint32`, `fixed32`.
    U32(u32),
    /// `uint64`, `fixed64`.
    U64(u64),
    /// `string`.
    String(&'i str),
}

impl<'i> MapKeyRef<'i> {
    /// A copy that owns its string.
    pub fn to_owned(self) -> MapKey {
        match self {
            Self::Bool(v) => MapKey::Bool(v),
            Self::I32(v) => MapKey::I32(v),
            Self::I64(v) => MapKey::I64(v),
            Self::U32(v) => MapKey::U32(v),
            Self::U64(v) => MapKey::U64(v),
            Self::String(v) => MapKey::String(v.to_owned()),
        }
    }

    /// The string, if it is one.
    pub fn as_str(self) -> Option<&'i str> {
        match self {
            Self::String(value) => Some(value),
            _ => None,
        }
    }

    /// As the slab orders keys; `None` if the key is not of this kind.
    pub(super) fn raw(self, scalar: Scalar) -> Option<RawKey<'i>> {
        Some(match (self, scalar) {
            (Self::Bool(v), Scalar::Bool) => RawKey::Unsigned(v as u64),
            (Self::I32(v), Scalar::I32) => RawKey::Signed(v as i64),
            (Self::I64(v), Scalar::I64) => RawKey::Signed(v),
            (Self::U32(v), Scalar::U32) => RawKey::Unsigned(v as u64),
            (Self::U64(v), Scalar::U64) => RawKey::Unsigned(v),
            (Self::String(v), Scalar::String) => RawKey::Bytes(v.as_bytes()),
            _ => return None,
        })
    }

    fn from_raw(key: RawKey<'i>, scalar: Scalar) -> Self {
        match (key, scalar) {
            (RawKey::Unsigned(v), Scalar::Bool) => Self::Bool(v != 0),
            (RawKey::Unsigned(v), Scalar::U32) => Self::U32(v as u32),
            (RawKey::Unsigned(v), _) => Self::U64(v),
            (RawKey::Signed(v), Scalar::I32) => Self::I32(v as i32),
            (RawKey::Signed(v), _) => Self::I64(v),
            // Keys of proto2 maps may be anything; such a key is found by its bytes but has no string.
            (RawKey::Bytes(v), _) => Self::String(core::str::from_utf8(v).unwrap_or("\u{fffd}")),
        }
    }
}

impl<'i> From<&'i str> for MapKeyRef<'i> {
    fn from(value: &'i str) -> Self {
        Self::String(value)
    }
}

impl<'i> From<&'i MapKey> for MapKeyRef<'i> {
    fn from(value: &'i MapKey) -> Self {
        value.as_ref()
    }
}

/// A map field: unique keys, in wire order. `Copy`.
#[derive(Clone, Copy)]
pub struct MapRef<'a, 'i> {
    list: Option<RawList<'a, 'i>>,
    key: Scalar,
    value: Reader<'a>,
}

impl<'a, 'i> MapRef<'a, 'i> {
    pub(super) fn new(key: Scalar, value: Reader<'a>, list: Option<RawList<'a, 'i>>) -> Self {
        Self { list, key, value }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.list.map_or(0, |list| list.len() as usize)
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn value_of(&self, entry: RawView<'a, 'i>) -> ValueRef<'a, 'i> {
        match entry.program().entries().get(1) {
            Some(field) => match entry.slot(1, field) {
                Some(slot) => self.value.singular(entry, field, slot),
                None => self.value.singular(entry, field, crate::slab::NIL),
            },
            None => ValueRef::Bool(false),
        }
    }

    /// The value of a key; `None` if there is none, or if the key is not of the map's kind. Takes a search among
    /// at most eight entries, or a binary search.
    pub fn get<'k>(&self, key: impl Into<MapKeyRef<'k>>) -> Option<ValueRef<'a, 'i>> {
        let list = self.list?;
        let position = list.map_find(key.into().raw(self.key)?)?;
        Some(self.value_of(list.message(position)))
    }

    /// Whether the map has the key.
    pub fn contains_key<'k>(&self, key: impl Into<MapKeyRef<'k>>) -> bool {
        self.get(key).is_some()
    }

    /// All entries, in wire order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (MapKeyRef<'i>, ValueRef<'a, 'i>)> + use<'a, 'i> {
        let map = *self;
        (0..self.len()).map(move |index| match map.list {
            Some(list) => {
                let entry = list.message(index as u32);
                (MapKeyRef::from_raw(entry.map_key(), map.key), map.value_of(entry))
            }
            None => (MapKeyRef::Bool(false), ValueRef::Bool(false)),
        })
    }
}

/// The same keys with the same values, in any order.
impl PartialEq for MapRef<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl fmt::Debug for MapRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
