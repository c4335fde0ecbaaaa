//! [`MapRef`]: a map field.

use super::value_ref::{owned_bytes, owned_str};
use crate::engine::slab::{List, NIL, RawKey, RawList, text_at};
use crate::message::{MapKey, MessageView, SetFieldError, ValueRef};
use crate::schema::program::{Access, ReadKind, Scalar};
use crate::wire::utf8;
use core::fmt;
use core::iter::FusedIterator;

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
    /// A `string` without UTF-8 validation (proto2) that is not UTF-8. Lookups take any bytes: those of a UTF-8 string find its
    /// entry too.
    Bytes(&'i [u8]),
}

impl<'i> MapKeyRef<'i> {
    /// Copies the key.
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn to_owned(self) -> MapKey {
        self.try_to_owned().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Copies the key.
    ///
    /// # Errors
    /// If the allocator fails.
    pub fn try_to_owned(self) -> Result<MapKey, SetFieldError> {
        Ok(match self {
            Self::Bool(v) => MapKey::Bool(v),
            Self::I32(v) => MapKey::I32(v),
            Self::I64(v) => MapKey::I64(v),
            Self::U32(v) => MapKey::U32(v),
            Self::U64(v) => MapKey::U64(v),
            Self::String(v) => MapKey::String(owned_str(v)?),
            Self::Bytes(v) => MapKey::Bytes(owned_bytes(v)?),
        })
    }

    /// The string, if the key is `String`.
    #[must_use]
    pub fn as_str(self) -> Option<&'i str> {
        match self {
            Self::String(value) => Some(value),
            _ => None,
        }
    }

    /// The bytes, if the key is `String` or `Bytes`.
    #[must_use]
    pub fn as_bytes(self) -> Option<&'i [u8]> {
        match self {
            Self::String(value) => Some(value.as_bytes()),
            Self::Bytes(value) => Some(value),
            _ => None,
        }
    }

    /// The key as the slab orders it; `None` if keys of this kind cannot be it. An integer may be of any integer type that holds it.
    pub(in crate::message) fn raw(self, scalar: Scalar) -> Option<RawKey<'i>> {
        let signed = |v: i64| match scalar {
            Scalar::I32 => i32::try_from(v).ok().map(|v| RawKey::Signed(v.into())),
            Scalar::I64 => Some(RawKey::Signed(v)),
            Scalar::U32 => u32::try_from(v).ok().map(|v| RawKey::Unsigned(v.into())),
            Scalar::U64 => u64::try_from(v).ok().map(RawKey::Unsigned),
            _ => None,
        };
        match (self, scalar) {
            (Self::Bool(v), Scalar::Bool) => Some(RawKey::Unsigned(v as u64)),
            (Self::I32(v), _) => signed(v.into()),
            (Self::I64(v), _) => signed(v),
            (Self::U32(v), _) => signed(v.into()),
            (Self::U64(v), Scalar::U64) => Some(RawKey::Unsigned(v)),
            (Self::U64(v), _) => i64::try_from(v).ok().and_then(signed),
            (Self::String(v), Scalar::String) => Some(RawKey::Bytes(v.as_bytes())),
            (Self::Bytes(v), Scalar::String) => Some(RawKey::Bytes(v)),
            _ => None,
        }
    }

    /// The key at a slot.
    #[inline(always)]
    fn read(entry: &MessageView<'_, 'i>, form: ReadKind, slot: u32) -> Option<Self> {
        let words = entry.words;
        Some(match form {
            ReadKind::Bool => Self::Bool(words.find(slot)? != 0),
            ReadKind::I32 => Self::I32(words.find(slot)? as i32),
            ReadKind::U32 => Self::U32(words.find(slot)?),
            ReadKind::I64 => Self::I64(words.find64(slot)? as i64),
            ReadKind::U64 => Self::U64(words.find64(slot)?),
            ReadKind::String => Self::String(text_at(words, entry.store, words.find64(slot)?)?),
            // Keys of proto2 maps need not be UTF-8.
            _ => {
                let bytes = entry.span(slot)?;
                utf8::from_utf8(bytes).map_or(Self::Bytes(bytes), Self::String)
            }
        })
    }
}

impl<'i> From<MapKeyRef<'i>> for ValueRef<'_, 'i> {
    fn from(key: MapKeyRef<'i>) -> Self {
        match key {
            MapKeyRef::Bool(v) => ValueRef::Bool(v),
            MapKeyRef::I32(v) => ValueRef::I32(v),
            MapKeyRef::I64(v) => ValueRef::I64(v),
            MapKeyRef::U32(v) => ValueRef::U32(v),
            MapKeyRef::U64(v) => ValueRef::U64(v),
            MapKeyRef::String(v) => ValueRef::String(v),
            MapKeyRef::Bytes(v) => ValueRef::Bytes(v),
        }
    }
}

/// A map field: entries with unique keys, in wire order. `Copy`, 72 bytes.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{Decoder, DescriptorPool, MapKeyRef};
///
/// static LOG: MessageTable =
///     MessageTable::new("pkg.Log", &[FieldTable::map("counts", 1, Kind::String, Kind::Int32)]);
/// let pool = DescriptorPool::from_tables(&[&LOG])?;
/// let mut decoder = Decoder::new(&pool.message("pkg.Log")?);
/// let view = decoder.decode(b"\x0a\x05\x0a\x01a\x10\x02\x0a\x05\x0a\x01b\x10\x05")?;
/// let counts = view.get_field("counts")?.as_map().unwrap();
/// assert_eq!(counts.get("b").and_then(|v| v.as_i32()), Some(5));
/// let (key, value) = counts.iter().next().unwrap();
/// assert_eq!((key, value.as_i32()), (MapKeyRef::String("a"), Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct MapRef<'a, 'i> {
    /// A view at the first entry.
    first: MessageView<'a, 'i>,
    len: u32,
    /// Words per entry.
    width: u8,
}

impl<'a, 'i> MapRef<'a, 'i> {
    #[inline(always)]
    pub(in crate::message) fn new(first: MessageView<'a, 'i>, len: u32, width: u32) -> Self {
        Self { first, len, width: width as u8 }
    }

    /// The number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no entries.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entries, for a search.
    fn list(&self) -> RawList<'a, 'i> {
        self.first.raw().list_alike(List { ptr: self.first.base, len: self.len })
    }

    /// The value of a key; `None` if the map does not have the key or its keys are of another kind. Searches up to 32 entries
    /// one by one; larger maps have an index that is sorted by digests of their keys.
    pub fn get<'k>(&self, key: impl Into<MapKeyRef<'k>>) -> Option<ValueRef<'a, 'i>> {
        let scalar = self.first.raw().program().entries().first()?.scalar();
        let position = self.list().map_find(key.into().raw(scalar)?)?;
        let value = self.first.layout.field(1)?;
        self.value(self.first.base + position * u32::from(self.width), value)
    }

    /// The value of the entry at `base`. A missing value reads from the empty message, as zero or empty.
    #[inline(always)]
    fn value(&self, base: u32, value: &'a Access) -> Option<ValueRef<'a, 'i>> {
        let is_set = self.first.words.get(base) & 2 != 0;
        self.first.field(value, if is_set { base + u32::from(value.slot) } else { NIL })
    }

    /// Whether the map has the key.
    pub fn contains_key<'k>(&self, key: impl Into<MapKeyRef<'k>>) -> bool {
        self.get(key).is_some()
    }

    /// Iterates over the entries, in wire order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> MapIter<'a, 'i> {
        let layout = self.first.layout;
        MapIter { map: *self, key: layout.field(0), value: layout.field(1) }
    }
}

impl<'a, 'i> IntoIterator for MapRef<'a, 'i> {
    type Item = (MapKeyRef<'i>, ValueRef<'a, 'i>);
    type IntoIter = MapIter<'a, 'i>;

    #[inline]
    fn into_iter(self) -> MapIter<'a, 'i> {
        self.iter()
    }
}

/// Maps are equal if they have the same keys with the same values, in any order.
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

/// Iterator over the entries of a [`MapRef`].
#[derive(Clone)]
pub struct MapIter<'a, 'i> {
    map: MapRef<'a, 'i>,
    key: Option<&'a Access>,
    value: Option<&'a Access>,
}

/// The entries that are left.
impl fmt::Debug for MapIter<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl<'a, 'i> Iterator for MapIter<'a, 'i> {
    type Item = (MapKeyRef<'i>, ValueRef<'a, 'i>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = (self.key?, self.value?);
        self.map.len = self.map.len.checked_sub(1)?;
        let entry = self.map.first;
        let base = entry.base;
        self.map.first.base += self.map.width as u32;
        let value = self.map.value(base, value)?;
        // As for the value.
        let slot = if entry.words.get(base) & 1 != 0 { base + u32::from(key.slot) } else { NIL };
        Some((MapKeyRef::read(&entry, key.form, slot)?, value))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        let skipped = n.min(self.map.len()) as u32;
        self.map.len -= skipped;
        self.map.first.base += skipped * self.map.width as u32;
        self.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.map.len(), Some(self.map.len()))
    }

    #[inline]
    fn count(self) -> usize {
        self.map.len()
    }
}

impl ExactSizeIterator for MapIter<'_, '_> {}
impl FusedIterator for MapIter<'_, '_> {}
