//! Maps: a list of entries in wire order with unique keys, and a sorted index once there are more than a few.
//!
//! Up to [`SMALL`] entries are searched one by one. Above that, the owner's word of the list block is the offset
//! of an index: capacity, number of entries covered, then the positions of these entries in key order. Entries
//! behind the covered ones (inserted since) are searched one by one and merged into the index when they are
//! many. While a decode appends entries the index is marked stale; `map_settle` sorts, drops all but the last
//! entry of each key, and makes the index anew: O(n log n) whatever the keys are.

use super::view::{RawList, RawView};
use super::{Full, Slab};
use crate::program::{Coding, Entry, ProgramSet};
use alloc::vec::Vec;

/// Maps of at most this many entries have no index.
pub(crate) const SMALL: u32 = 8;
/// The index does not match the entries.
const STALE: u32 = u32::MAX;
const INDEX_HEADER: u32 = 2;

/// A map key, ordered as the deterministic encoding orders keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RawKey<'i> {
    Unsigned(u64),
    Signed(i64),
    Bytes(&'i [u8]),
}

impl<'a, 'i> RawView<'a, 'i> {
    /// The key of a map entry; the zero or empty key if it has none.
    #[inline]
    pub(crate) fn map_key(&self) -> RawKey<'i> {
        let Some(entry) = self.program().entries().first() else { return RawKey::Unsigned(0) };
        let slot = self.slot(0, entry);
        let word = || slot.map_or(0, |at| self.words.get(at));
        match entry.coding {
            Coding::String | Coding::Bytes => RawKey::Bytes(slot.map_or(&[], |at| self.span(at))),
            Coding::Varint64 | Coding::Sint64 | Coding::Fixed64 => {
                let value = slot.map_or(0, |at| self.words.get64(at));
                if entry.flags.is_signed() { RawKey::Signed(value as i64) } else { RawKey::Unsigned(value) }
            }
            _ if entry.flags.is_signed() => RawKey::Signed(word() as i32 as i64),
            _ => RawKey::Unsigned(word() as u64),
        }
    }
}

impl<'i> RawList<'_, 'i> {
    fn key(&self, position: u32) -> RawKey<'i> {
        self.message(position).map_key()
    }

    /// Position of the entry with this key.
    pub(crate) fn map_find(&self, key: RawKey<'_>) -> Option<u32> {
        let words = self.view.words;
        let index = words.list_aux(self.list);
        let covered = if index == 0 || index == STALE { 0 } else { words.get(index + 1).min(self.len()) };
        if covered > 0 {
            let at = self.lower_bound(index, covered, key);
            let position = words.get(index + INDEX_HEADER + at);
            if at < covered && self.key(position) == key {
                return Some(position);
            }
        }
        (covered..self.len()).rev().find(|&position| self.key(position) == key)
    }

    /// Number of covered entries with smaller keys.
    fn lower_bound(&self, index: u32, covered: u32, key: RawKey<'_>) -> u32 {
        let (mut low, mut high) = (0, covered);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(self.view.words.get(index + INDEX_HEADER + middle)) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Positions of all entries in key order.
    pub(crate) fn map_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len()).collect();
        order.sort_by_key(|&position| self.key(position));
        order
    }
}

/// The parts of a message that a map operation needs beside the slab.
#[derive(Clone, Copy)]
pub(crate) struct MapContext<'i, 's> {
    pub(crate) store: &'i [u8],
    pub(crate) set: &'s ProgramSet,
}

impl<'i, 's> MapContext<'i, 's> {
    fn list<'a>(&self, slab: &'a Slab, entry: &Entry, slot: u32) -> RawList<'a, 'i>
    where
        's: 'a,
    {
        RawView { words: slab.words(), store: self.store, set: self.set, index: 0, base: 0 }.list(entry, slot)
    }
}

impl Slab {
    /// After the entry at the end of the list was decoded: keeps keys unique. Returns true if `map_settle` must
    /// be called before the map is read.
    #[inline]
    pub(crate) fn map_entry_done(&mut self, context: MapContext<'_, '_>, entry: &Entry, slot: u32) -> bool {
        let list = context.list(self, entry, slot);
        let len = list.len();
        if len <= 1 {
            return false;
        }
        if len > SMALL {
            let index = self.words().list_aux(list.list);
            if index == STALE {
                return false;
            }
            if index != 0 {
                self.add_garbage((self.get(index) + INDEX_HEADER) as usize);
            }
            self.set_list_aux(slot, STALE);
            return true;
        }
        let key = list.key(len - 1);
        if let Some(earlier) = (0..len - 1).find(|&position| list.key(position) == key) {
            let width = context.set.program(entry.sub).element_words();
            self.list_remove(slot, width, earlier);
        }
        false
    }

    /// Drops all but the last entry of each key and makes the index.
    pub(crate) fn map_settle(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &Entry,
        slot: u32,
    ) -> Result<(), Full> {
        // Without an index the map is searched one by one: right, if slow, should there be no room for one.
        self.set_list_aux(slot, 0);
        let list = context.list(self, entry, slot);
        // The sort is stable: of equal keys, the last in wire order comes last.
        let order = list.map_order();
        let mut dropped: Vec<u32> = Vec::new();
        for pair in order.windows(2) {
            if list.key(pair[0]) == list.key(pair[1]) {
                dropped.push(pair[0]);
            }
        }
        if dropped.is_empty() {
            return self.map_write_index(slot, &order);
        }
        dropped.sort_unstable();
        let width = context.set.program(entry.sub).element_words();
        self.list_drop(slot, width, &dropped);
        let order = context.list(self, entry, slot).map_order();
        self.map_write_index(slot, &order)
    }

    /// Removes the elements at these ascending positions.
    fn list_drop(&mut self, slot: u32, width: u32, positions: &[u32]) {
        let list = self.words().list(slot);
        let mut dropped = positions.iter().copied().peekable();
        let mut to = 0;
        for from in 0..list.len {
            if dropped.next_if_eq(&from).is_some() {
                continue;
            }
            if from != to {
                self.copy_words(list.ptr + from * width, width as usize, list.ptr + to * width);
            }
            to += 1;
        }
        self.list_truncate(slot, to);
    }

    fn map_write_index(&mut self, slot: u32, order: &[u32]) -> Result<(), Full> {
        let list = self.words().list(slot);
        if order.len() as u32 <= SMALL {
            self.set_list_aux(slot, 0);
            return Ok(());
        }
        let old = self.words().list_aux(list);
        let room = if old == 0 { 0 } else { self.get(old) };
        let len = order.len() as u32;
        let index = if len <= room {
            old
        } else {
            let capacity = if room == 0 { len } else { len.max(room.saturating_mul(2)) };
            if old != 0 {
                self.add_garbage((room + INDEX_HEADER) as usize);
            }
            let index = self.alloc(capacity.checked_add(INDEX_HEADER).ok_or(Full)?)?;
            self.set(index, capacity);
            index
        };
        self.set(index + 1, len);
        for (word, &position) in self.run_mut(index + INDEX_HEADER, order.len()).iter_mut().zip(order) {
            *word = position;
        }
        self.set_list_aux(slot, index);
        Ok(())
    }

    /// After an entry with a new key was appended: merges the uncovered entries into the index when they are
    /// more than about a quarter of the square root of all, which keeps n inserts at O(n * sqrt(n)) at worst.
    pub(crate) fn map_inserted(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &Entry,
        slot: u32,
    ) -> Result<(), Full> {
        let list = context.list(self, entry, slot);
        let len = list.len();
        let index = self.words().list_aux(list.list);
        let covered = if index == 0 { 0 } else { self.get(index + 1) };
        let tail = len - covered.min(len);
        if tail <= 4 * SMALL + len.isqrt() / 4 {
            return Ok(());
        }
        let mut added: Vec<u32> = (covered..len).collect();
        added.sort_by_key(|&position| list.key(position));
        // Insert from the largest key down: every word of the index moves once.
        let mut order: Vec<u32> = self.words().run(index + INDEX_HEADER, covered as usize).to_vec();
        let mut end = covered;
        order.resize(len as usize, 0);
        for (left, &position) in added.iter().enumerate().rev() {
            let at = list.lower_bound(index, end, list.key(position));
            order.copy_within(at as usize..end as usize, at as usize + left + 1);
            order[at as usize + left] = position;
            end = at;
        }
        self.map_write_index(slot, &order)
    }

    /// Removes the entry at a position.
    pub(crate) fn map_remove(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &Entry,
        slot: u32,
        position: u32,
    ) {
        let list = context.list(self, entry, slot).list;
        let index = self.words().list_aux(list);
        let width = context.set.program(entry.sub).element_words();
        self.list_remove(slot, width, position);
        if index == 0 || index == STALE {
            return;
        }
        let covered = self.get(index + 1);
        let mut to = 0;
        for from in 0..covered {
            let at = self.get(index + INDEX_HEADER + from);
            if at != position {
                self.set(index + INDEX_HEADER + to, at - (at > position) as u32);
                to += 1;
            }
        }
        self.set(index + 1, to);
    }
}
