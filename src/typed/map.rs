//! Maps: repeated messages of a key, number 1, and a value, number 2.
//!
//! Entries are written whole, key and value, as C++ does. Of two entries with the same key the later one wins;
//! a key or value that is missing is the default value; unknown fields in an entry are dropped. An entry with a
//! value that a closed enum does not have goes to the unknown fields as a whole,
//! <https://protobuf.dev/programming-guides/proto3/#maps>.

use super::SmallMap;
use super::{
    field::{DecodeField, DecodeValue, EncodeField, EncodeValue},
    input::Input,
    kinds::{KindMarker, MapEntries},
    place::merge_aside,
    size::StructSizer,
    spec::{Merged, Outcome, WireSpec},
    write::StructWriter,
};
use crate::error::DecodeErrorKind;
use crate::table::{Syntax, TableKind};
use crate::wire::WireType;
use alloc::{collections::BTreeMap, vec::Vec};
#[cfg(feature = "std")]
use {
    core::hash::{BuildHasher, Hash},
    std::collections::HashMap,
};

const KEY: WireSpec = WireSpec::new(1, Syntax::Proto3);
const VALUE: WireSpec = WireSpec::new(2, Syntax::Proto3);

/// Entries of a node of a `BTreeMap`.
const NODE: usize = 11;

/// Control bytes of a `HashMap` that are looked at together, and the alignment of its table.
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
        writer.prefixed_tag(spec);
        writer.length();
        key.write(KEY, writer);
        value.write(VALUE, writer);
    }
}

/// Merges the fields of an entry, whose length is next; false if it is to be kept as unknown.
#[inline]
fn read_entry<'i, K: DecodeValue<'i, KK>, V: DecodeValue<'i, VK>, KK: KindMarker, VK: KindMarker>(
    key: &mut K,
    value: &mut V,
    input: &mut Input<'i>,
) -> Result<bool, DecodeErrorKind> {
    let start = input.pos;
    let known = input.prefixed(|input| {
        let (mut known, mut has_value) = (true, false);
        while let Some(at) = input.next() {
            let bits = input.tag()?;
            let outcome = match bits >> 3 {
                1 => key.merge(bits, KEY, input),
                2 => value.merge(bits, VALUE, input),
                _ => Ok(Outcome::Unknown),
            };
            if bits == VALUE.tag::<VK>() as u32 {
                // Only a closed enum refuses a value of its wire type; the last value decides.
                known = outcome != Ok(Outcome::Unknown);
                has_value = true;
            }
            if outcome != Ok(Outcome::Done) {
                input.settle(outcome, bits, at, 0, None)?;
            }
        }
        if const { matches!(VK::VALUE, TableKind::Message(_)) } && !has_value {
            input.empty_value(const { VK::REQUIRED })?;
        }
        Ok(known)
    })?;
    if !known {
        input.pos = start;
    }
    Ok(known)
}

/// Merges an entry and inserts it.
#[inline]
fn merge_entry<'i, K: DecodeValue<'i, KK>, V: DecodeValue<'i, VK>, KK: KindMarker, VK: KindMarker>(
    input: &mut Input<'i>,
    insert: impl FnOnce(K, V, &mut Input<'i>) -> Result<(), DecodeErrorKind>,
) -> Merged {
    merge_aside(
        input,
        |input| Ok((K::fresh(input)?, V::fresh(input)?)),
        |(key, value), input| read_entry(key, value, input),
        |(key, value), known, input| {
            if !known {
                return Ok(Outcome::Unknown);
            }
            insert(key, value, input)?;
            Ok(Outcome::Done)
        },
    )
}

macro_rules! maps {
    ([$($hasher:tt)*] $map:ty where $bound:path, $entries:ident, $reserve:ident) => {
        impl<K, V, KK, VK, $($hasher)*> EncodeField<MapEntries<KK, VK>> for $map
        where
            K: EncodeValue<KK> + Ord + $bound,
            V: EncodeValue<VK>,
            KK: KindMarker,
            VK: KindMarker,
        {
            #[inline(always)]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                $entries!(self, sizer.sorted, |entries| size_entries(entries, spec, sizer))
            }

            #[inline(always)]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                $entries!(self, writer.sorted, |entries| write_entries(entries, spec, writer));
            }

            #[inline(always)]
            fn clear(&mut self) {
                // Cheaper than finding that there is nothing to drop.
                if !self.is_empty() {
                    self.clear();
                }
            }
        }

        impl<'i, K, V, KK, VK, $($hasher)*> DecodeField<'i, MapEntries<KK, VK>> for $map
        where
            K: DecodeValue<'i, KK> + Ord + $bound,
            V: DecodeValue<'i, VK>,
            KK: KindMarker,
            VK: KindMarker,
        {
            #[inline]
            fn merge(&mut self, bits: u32, _: WireSpec, input: &mut Input<'i>) -> Merged {
                if bits & 7 != WireType::LengthDelimited as u32 {
                    return Ok(Outcome::Unknown);
                }
                merge_entry(input, |key, value, input| {
                    let charged = $reserve(self, &key, input)?;
                    if self.insert(key, value).is_some() {
                        // The entry was there.
                        input.refund(charged);
                    }
                    Ok(())
                })
            }
        }
    };
}

/// The entries of a tree, which are in key order.
macro_rules! in_order {
    ($map:expr, $sorted:expr, |$entries:ident| $body:expr) => {{
        let $entries = $map.iter();
        $body
    }};
}

/// The entries of another map, in key order if that is asked for.
macro_rules! any_order {
    ($map:expr, $sorted:expr, |$entries:ident| $body:expr) => {
        if $sorted {
            let mut list: Vec<_> = $map.iter().collect();
            list.sort_unstable_by_key(|entry| entry.0);
            let $entries = list.into_iter();
            $body
        } else {
            let $entries = $map.iter();
            $body
        }
    };
}

maps! { [] BTreeMap<K, V> where Ord, in_order, charge_node }

maps! { [] SmallMap<K, V> where Ord, any_order, reserve_entry }

#[cfg(feature = "std")]
maps! { [S: BuildHasher] HashMap<K, V, S> where Hash, any_order, reserve_bucket }

/// Charges an entry of a tree whose nodes are half full, or its first node; what has been charged.
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

/// Charges an entry of a small map, and makes room for it in the list; what the entry alone has been charged. A key that is
/// there already takes nothing; it is looked for where the list has no room left.
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

/// Makes room for one more entry; what the entry alone has been charged.
#[cfg(feature = "std")]
#[inline]
fn reserve_bucket<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
    _: &K,
    input: &mut Input<'_>,
) -> Result<usize, DecodeErrorKind> {
    // The bucket, its control byte, and its part of the eighth that stays free.
    let charged = if input.merging { ((size_of::<(K, V)>() + 1) * 8).div_ceil(7) } else { 0 };
    input.charge(charged)?;
    if map.len() == map.capacity() {
        grow_table(map, input)?;
    }
    Ok(charged)
}

/// Makes the table twice as large; the old one is there while entries move.
#[cfg(feature = "std")]
#[inline(never)]
fn grow_table<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
    input: &mut Input<'_>,
) -> Result<(), DecodeErrorKind> {
    let table = |capacity: usize| {
        // One control byte per bucket and a group of them more; seven of eight buckets are used at most.
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
        // Its entries have been charged, or were there before.
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
