//! `BTreeMap`, `HashMap` and [`SmallMap`] as members: the memory of their entries, and their order.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use super::map::{MapMember, maps, merge_entry, size_entries, write_entries};
use super::small_map::SmallMap;
use crate::structs::decode::UNKNOWN;
use crate::structs::decode::input::Input;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{KindMarker, MapEntries, WireSpec};
use crate::wire::WireType;
use crate::wire::error::DecodeErrorKind;
use alloc::{collections::BTreeMap, vec::Vec};
use core::cmp::Ordering;
#[cfg(feature = "std")]
use core::hash::{BuildHasher, Hash};
#[cfg(feature = "std")]
use std::collections::HashMap;

/// The entries in a node of a `BTreeMap`.
const NODE: usize = 11;

/// The control bytes that a `HashMap` compares at once, also the alignment of its table.
#[cfg(feature = "std")]
const GROUP: usize = 16;

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

maps! { [] BTreeMap<K, V> where Ord, in_order, charge_node, insert |old| old.is_some() }

maps! { [] SmallMap<K, V> where Ord, any_order, reserve_entry, insert |old| old.is_some() }

#[cfg(feature = "std")]
maps! { [S: BuildHasher] HashMap<K, V, S> where Hash, any_order, reserve_bucket, insert |old| old.is_some() }

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
/// list that is to grow is searched first, because a present key needs no room.
#[inline]
fn reserve_entry<K: Ord, V>(
    map: &mut SmallMap<K, V>,
    key: &K,
    input: &mut Input<'_>,
) -> Result<usize, DecodeErrorKind> {
    let grows = map.growing().is_ok_and(|list| list.len() == list.capacity());
    if grows && map.get(key).is_some() {
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
