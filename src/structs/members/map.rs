//! Maps: repeated messages with a key, field 1, and a value, field 2.
//!
//! An encode writes key and value of every entry, as C++ does. In a decode, the later of two entries with the same key
//! wins, a missing key or value is the default value, and unknown fields of an entry are dropped. An entry with an unlisted
//! value of a closed enum goes to the unknown fields as a whole,
//! <https://protobuf.dev/programming-guides/proto3/#maps>.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use crate::schema::table::Syntax;
use crate::structs::decode::end::{UNKNOWN, is_position, tag};
use crate::structs::decode::input::Input;
use crate::structs::decode::memory::merge_aside;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{KindMarker, MapEntries, WireSpec};
use crate::wire::WireType;
use crate::wire::error::DecodeErrorKind;
use alloc::{collections::BTreeMap, vec::Vec};
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
#[cfg(feature = "std")]
use core::hash::{BuildHasher, Hash};
use core::mem::replace;
use core::ops::ControlFlow::{Break, Continue};
#[cfg(feature = "std")]
use std::collections::HashMap;

const KEY: WireSpec = WireSpec::new(1, Syntax::Proto3);
const VALUE: WireSpec = WireSpec::new(2, Syntax::Proto3);

/// The entries in a node of a `BTreeMap`.
const NODE: usize = 11;

/// The control bytes that a `HashMap` compares at once, also the alignment of its table.
#[cfg(feature = "std")]
const GROUP: usize = 16;

#[inline]
fn size_entries<'m, K: EncodeValue<KK> + 'm, V: EncodeValue<VK> + 'm, KK: KindMarker, VK: KindMarker>(
    entries: impl Iterator<Item = (&'m K, &'m V)>,
    spec: WireSpec,
    sizer: &mut StructSizer<'_, '_>,
) -> u64 {
    let mut total = 0;
    for (i, (key, value)) in entries.enumerate() {
        let entry = |sizer: &mut StructSizer<'_, '_>| key.size(KEY, sizer) + value.size(VALUE, sizer);
        total += spec.tag_len() + sizer.prefixed(spec, entry);
        sizer.locate(spec, i);
    }
    total
}

#[inline]
fn write_entries<'m, K: EncodeValue<KK> + 'm, V: EncodeValue<VK> + 'm, KK: KindMarker, VK: KindMarker>(
    entries: impl Iterator<Item = (&'m K, &'m V)>,
    spec: WireSpec,
    writer: &mut StructWriter<'_, '_, '_>,
) {
    for (key, value) in entries {
        writer.tag_and_length(spec);
        key.write(KEY, writer);
        value.write(VALUE, writer);
    }
}

/// Reads the length of an entry and merges its fields. Returns [`UNKNOWN`] if the entry is unknown as a whole.
#[inline]
fn read_entry<'i, K: DecodeValue<'i, KK>, V: DecodeValue<'i, VK>, KK: KindMarker, VK: KindMarker>(
    key: &mut K,
    value: &mut V,
    pos: usize,
    input: &mut Input<'i>,
) -> usize {
    let mut known = true;
    let end = input.prefixed(pos, |input, mut pos| {
        let (buf, mut has_value) = (input.buf, false);
        while pos < buf.len() {
            let start = pos;
            let (bits, after) = tag(buf, start);
            pos = match bits >> 3 {
                1 => key.merge(after, bits, input),
                2 => value.merge(after, bits, input),
                _ => UNKNOWN,
            };
            if bits == VALUE.tag::<VK>() as u32 {
                // Only a closed enum refuses a value of its own wire type. The last value decides.
                known = pos != UNKNOWN;
                has_value = true;
            }
            if !is_position(pos) {
                pos = match input.settle(pos, start, 0, None) {
                    Continue(next) => next,
                    Break(end) => return end,
                };
            }
        }
        // An entry without a message has an empty one, which may lack required fields.
        input.required |= const { VK::REQUIRED } && !has_value;
        pos
    });
    if is_position(end) && !known { UNKNOWN } else { end }
}

/// Merges an entry and inserts it.
#[inline]
fn merge_entry<'i, K: DecodeValue<'i, KK>, V: DecodeValue<'i, VK>, KK: KindMarker, VK: KindMarker>(
    pos: usize,
    input: &mut Input<'i>,
    insert: impl FnOnce(K, V, &mut Input<'i>) -> Result<(), DecodeErrorKind>,
) -> usize {
    let merged = merge_aside(
        input,
        |input| Ok((K::fresh(input)?, V::fresh(input)?)),
        |(key, value), input| read_entry(key, value, pos, input),
        |(key, value), end, input| {
            if !is_position(end) {
                return end;
            }
            input.pos = end;
            match insert(key, value, input) {
                Ok(()) => end,
                Err(kind) => input.fault(kind, end),
            }
        },
    );
    merged.unwrap_or_else(|kind| input.fault(kind, pos))
}

/// A map, whatever its kinds.
pub trait MapMember {
    /// The type of the keys.
    type Key;
    /// The type of the values.
    type Value;

    /// Adds an entry, or replaces its value, within the budget. Gives whether the key is new.
    fn insert_entry(
        &mut self,
        key: Self::Key,
        value: Self::Value,
        input: &mut Input<'_>,
    ) -> Result<bool, DecodeErrorKind>;

    /// The entries, in the order of the map.
    #[cfg(feature = "reflect")]
    fn entries(&self) -> impl Iterator<Item = (&Self::Key, &Self::Value)>;
}

macro_rules! maps {
    ([$($generics:tt)*] $map:ty where $bound:path, $entries:ident, $reserve:ident, insert |$old:ident| $is_old:expr) => {
        impl<K, V, KK, VK, $($generics)*> EncodeField<MapEntries<KK, VK>> for $map
        where
            K: EncodeValue<KK> + Ord + $bound,
            V: EncodeValue<VK>,
            KK: KindMarker,
            VK: KindMarker,
        {
            #[inline(always)]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                $entries!(self, sizer, |entries| size_entries(entries, spec, sizer), sizer.no_memory(spec))
            }

            #[inline(always)]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                $entries!(self, writer, |entries| write_entries(entries, spec, writer), writer.no_memory());
            }

            #[inline(always)]
            fn clear(&mut self) {
                // `clear` of an empty map is slower than this test.
                if !self.is_empty() {
                    self.clear();
                }
            }
        }

        impl<'i, K, V, KK, VK, $($generics)*> DecodeField<'i, MapEntries<KK, VK>> for $map
        where
            K: DecodeValue<'i, KK> + Ord + $bound,
            V: DecodeValue<'i, VK>,
            KK: KindMarker,
            VK: KindMarker,
        {
            #[inline]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                if bits & 7 != WireType::LengthDelimited as u32 {
                    return UNKNOWN;
                }
                merge_entry(pos, input, |key, value, input| self.insert_entry(key, value, input).map(|_| ()))
            }
        }

        impl<K: Ord + $bound, V, $($generics)*> MapMember for $map {
            type Key = K;
            type Value = V;

            #[inline(always)]
            fn insert_entry(
                &mut self,
                key: K,
                value: V,
                input: &mut Input<'_>,
            ) -> Result<bool, DecodeErrorKind> {
                let charged = $reserve(self, &key, input)?;
                let $old = self.insert(key, value);
                if $is_old {
                    // The key was present, so the entry took no memory.
                    input.refund(charged);
                    return Ok(false);
                }
                Ok(true)
            }

            #[cfg(feature = "reflect")]
            #[inline]
            fn entries(&self) -> impl Iterator<Item = (&K, &V)> {
                self.iter()
            }
        }
    };
}

/// The entries of a `BTreeMap`, always in key order.
macro_rules! in_order {
    ($map:expr, $pass:ident, |$entries:ident| $body:expr, $no_memory:expr) => {{
        let $entries = $map.iter();
        $body
    }};
}

/// The positions of `len` entries with unique keys, in key order; `None` without memory. One sort for maps of all types: a sort of the
/// entries themselves is compiled twice for each type of map, 1 500 statements each time.
fn sorted_order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Option<Vec<usize>> {
    let mut order = listed(0..len, len)?;
    order.sort_unstable_by(|&a, &b| compare(a, b));
    Some(order)
}

/// A list of `len` items; `None` without memory.
fn listed<T>(items: impl Iterator<Item = T>, len: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(len).ok()?;
    list.extend(items.take(len));
    Some(list)
}

/// The entries of another map, in key order on request, which takes memory.
macro_rules! any_order {
    ($map:expr, $pass:ident, |$entries:ident| $body:expr, $no_memory:expr) => {
        if $pass.sorted {
            let list = listed($map.iter(), $map.len()).unwrap_or_default();
            match sorted_order(list.len(), &|a, b| list[a].0.cmp(list[b].0)) {
                Some(order) if list.len() == $map.len() => {
                    let $entries = order.into_iter().map(|at| list[at]);
                    $body
                }
                _ => $no_memory,
            }
        } else {
            let $entries = $map.iter();
            $body
        }
    };
}

/// The entries of a map of fixed capacity. On request they are found one by one in key order: quadratic, but without memory.
#[cfg(feature = "heapless")]
macro_rules! found_in_order {
    ($map:expr, $pass:ident, |$entries:ident| $body:expr, $no_memory:expr) => {
        if $pass.sorted {
            let after = |last: Option<(&_, &_)>| {
                $map.iter()
                    .filter(|entry| last.is_none_or(|last| entry.0 > last.0))
                    .min_by_key(|entry| entry.0)
            };
            let $entries = core::iter::successors(after(None), |last| after(Some(*last)));
            $body
        } else {
            let $entries = $map.iter();
            $body
        }
    };
}

maps! { [] BTreeMap<K, V> where Ord, in_order, charge_node, insert |old| old.is_some() }

maps! { [] SmallMap<K, V> where Ord, any_order, reserve_entry, insert |old| old.is_some() }

#[cfg(feature = "std")]
maps! { [S: BuildHasher] HashMap<K, V, S> where Hash, any_order, reserve_bucket, insert |old| old.is_some() }

#[cfg(feature = "heapless")]
maps! {
    [const N: usize] heapless::LinearMap<K, V, N> where Ord,
    found_in_order, check_room, insert |old| matches!(old, Ok(Some(_)))
}

/// Whether there is room for the entry, or its key is there already. Charges nothing.
#[cfg(feature = "heapless")]
fn check_room<K: Eq, V, const N: usize>(
    map: &mut heapless::LinearMap<K, V, N>,
    key: &K,
    _: &mut Input<'_>,
) -> Result<usize, DecodeErrorKind> {
    if map.is_full() && !map.contains_key(key) { Err(DecodeErrorKind::CapacityExceeded) } else { Ok(0) }
}

/// Charges an entry of a tree whose nodes are half full, or the first node. Returns the charge.
#[inline]
fn charge_node<K, V>(
    map: &mut BTreeMap<K, V>,
    _: &K,
    input: &mut Input<'_>,
) -> Result<usize, DecodeErrorKind> {
    let entry = size_of::<(K, V)>() + size_of::<usize>();
    let bytes = if map.is_empty() { NODE * entry } else { 2 * entry };
    input.charge(bytes).map(|()| bytes)
}

/// Makes room for an entry in the list of a small map, or charges a tree entry. Returns the charge of the entry itself. A
/// full list is searched first, because a present key needs no room.
#[inline]
fn reserve_entry<K: Ord, V>(
    map: &mut SmallMap<K, V>,
    key: &K,
    input: &mut Input<'_>,
) -> Result<usize, DecodeErrorKind> {
    let has_room = map.growing().is_ok_and(|list| list.len() < list.capacity());
    if !has_room && map.get(key).is_some() {
        return Ok(0);
    }
    match map.growing() {
        Ok(list) => {
            input.reserve(list, 1)?;
            Ok(if input.merging { size_of::<(K, V)>() } else { 0 })
        }
        Err(rest) => charge_node(rest, key, input),
    }
}

/// Makes room for one more entry. Returns the charge of the entry itself.
#[cfg(feature = "std")]
#[inline]
fn reserve_bucket<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
    _: &K,
    input: &mut Input<'_>,
) -> Result<usize, DecodeErrorKind> {
    // The bucket and its control byte, times 8/7 for the eighth of the buckets that stays free.
    let charged = if input.merging { ((size_of::<(K, V)>() + 1) * 8).div_ceil(7) } else { 0 };
    input.charge(charged)?;
    if map.len() == map.capacity() {
        grow_table(map, input)?;
    }
    Ok(charged)
}

/// Doubles the table. The old one exists until the entries have moved.
#[cfg(feature = "std")]
#[inline(never)]
fn grow_table<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
    input: &mut Input<'_>,
) -> Result<(), DecodeErrorKind> {
    let table = |capacity: usize| {
        // Each bucket has a control byte, and one more group of them follows. At most seven of eight buckets are used.
        let buckets = match capacity {
            0..4 if size_of::<(K, V)>() >= 4 => 4,
            0..8 => 8,
            8..15 => 16,
            _ => (capacity * 8 / 7).next_power_of_two(),
        };
        buckets * (size_of::<(K, V)>() + 1) + 2 * GROUP
    };
    let old = map.capacity();
    if input.merging && old > 0 {
        // The entries have been charged, or were present before the merge.
        input.may_move(table(old))?;
        return map.try_reserve(1).map_err(|_| DecodeErrorKind::OutOfMemory);
    }
    input.charge(table(old + 1))?;
    map.try_reserve(1).map_err(|_| DecodeErrorKind::OutOfMemory)?;
    if old > 0 {
        input.refund(table(old));
    }
    Ok(())
}

// `SmallMap`: a map for few entries, a list up to 16 of them.

/// The most entries that the list holds.
const INLINE: usize = 16;

/// A map for few entries: the first 16 are in a list, searched from its start, the others in a [`BTreeMap`].
///
/// Log records with two to seven borrowed pairs decode 1.4 times as fast as with a `HashMap`, because nothing is hashed.
/// Inserting n entries takes O(n log n) time for any keys. Keys are unique; inserting a key again replaces its value.
/// Iteration and encoding take the list in the order of insertion, then the others in key order.
///
/// ```
/// use tablepb::{Message, SmallMap};
///
/// #[derive(Default)]
/// struct Log<'a> {
///     labels: SmallMap<&'a str, &'a str>,
/// }
///
/// tablepb::message! { Log<'a> as "example.Log" { labels: map<string, string> = 1 } }
///
/// let log = Log { labels: [("env", "test"), ("zone", "b"), ("env", "live")].into_iter().collect() };
/// assert_eq!((log.labels.len(), log.labels.get("env")), (2, Some(&"live")));
///
/// let bytes = log.encode_to_vec()?;
/// assert_eq!(Log::decode(&bytes)?.labels, log.labels);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SmallMap<K, V> {
    list: Vec<(K, V)>,
    /// Empty until the list has been full; shares no key with the list.
    rest: BTreeMap<K, V>,
}

impl<K, V> SmallMap<K, V> {
    /// An empty map. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { list: Vec::new(), rest: BTreeMap::new() }
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len() + self.rest.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.rest.is_empty()
    }

    /// Removes all entries and keeps the memory of the list.
    pub fn clear(&mut self) {
        self.list.clear();
        if !self.rest.is_empty() {
            self.rest.clear();
        }
    }

    /// All entries.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.list.iter().map(|(key, value)| (key, value)).chain(&self.rest)
    }

    /// The part that takes the next new entry.
    #[inline]
    pub(in crate::structs) fn growing(&mut self) -> Result<&mut Vec<(K, V)>, &mut BTreeMap<K, V>> {
        if self.list.len() < INLINE && self.rest.is_empty() {
            Ok(&mut self.list)
        } else {
            Err(&mut self.rest)
        }
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    #[inline]
    fn position<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.list.iter().position(|(k, _)| k.borrow() == key)
    }

    /// The value of a key.
    #[inline]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.position(key).and_then(|at| self.list.get(at)) {
            Some((_, value)) => Some(value),
            None => self.rest.get(key),
        }
    }

    /// The value of a key, mutable.
    #[inline]
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        match self.position(key).and_then(|at| self.list.get_mut(at)) {
            Some((_, value)) => Some(value),
            None => self.rest.get_mut(key),
        }
    }

    /// Sets the value of a key and returns its old value. A key that was present is not replaced.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(at) = self.position(&key)
            && let Some((_, old)) = self.list.get_mut(at)
        {
            return Some(replace(old, value));
        }
        match self.growing() {
            Ok(list) => {
                list.push((key, value));
                None
            }
            Err(rest) => rest.insert(key, value),
        }
    }

    /// Removes a key and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        match self.position(key) {
            Some(at) => Some(self.list.remove(at).1),
            None => self.rest.remove(key),
        }
    }
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SmallMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Equal if the entries are, in any order.
impl<K: Ord, V: PartialEq> PartialEq for SmallMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Ord, V: Eq> Eq for SmallMap<K, V> {}

impl<K: Ord, V> Extend<(K, V)> for SmallMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SmallMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random operations on a small range of keys agree with a `BTreeMap`.
    #[test]
    fn it_is_a_map() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for keys in [1, 5, 16, 17, 40, 200] {
            let (mut map, mut expected) = (SmallMap::new(), BTreeMap::new());
            for _ in 0..2_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (key, value) = ((state >> 33) % keys, state >> 50);
                match (state >> 20) % 8 {
                    0..4 => assert_eq!(map.insert(key, value), expected.insert(key, value)),
                    4 => assert_eq!(map.remove(&key), expected.remove(&key)),
                    5 => assert_eq!(map.get_mut(&key), expected.get_mut(&key)),
                    6 if value % 200 == 0 => {
                        map.clear();
                        expected.clear();
                    }
                    _ => assert_eq!(map.get(&key), expected.get(&key)),
                }
                assert_eq!((map.len(), map.is_empty()), (expected.len(), expected.is_empty()));
            }
            assert!(map.iter().collect::<BTreeMap<_, _>>().into_iter().eq(&expected));
            assert_eq!(map, expected.iter().rev().map(|(key, value)| (*key, *value)).collect());
            map.insert(0, 1);
            assert_ne!(map, SmallMap::new());
        }
    }
}
