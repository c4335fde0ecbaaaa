//! Maps being written: unique keys, and the index.
//!
//! While a decode appends entries, keys may be there twice; `map_settle` drops all but the last entry of each key:
//! O(n log n) for n entries, whatever the keys are, or O(log n + sqrt(n)) for each entry appended if these are
//! few, so that merging many messages into one is no quadratic affair.

use super::map::{CAPACITY, COVERED, FRESH, INDEX_HEADER, MapContext, SMALL, STALE};
use super::{Full, Slab};
use crate::program::Entry;
use alloc::vec::Vec;

/// Memory for settling maps, used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapScratch {
    /// Positions in key order.
    order: Vec<u32>,
    /// Positions of entries to be dropped.
    dropped: Vec<u32>,
}

impl MapScratch {
    pub(crate) const fn new() -> Self {
        Self { order: Vec::new(), dropped: Vec::new() }
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
            return self.map_needs_settling(slot, len);
        }
        if let Some(earlier) = list.earlier_key(len - 1) {
            let width = context.set.program(entry.sub).element_words();
            self.list_remove(slot, width, earlier);
        }
        false
    }

    /// Notes that the last entry of a larger map was appended; true for the first since the map was settled.
    fn map_needs_settling(&mut self, slot: u32, len: u32) -> bool {
        match self.words().list_aux(self.words().list(slot)) {
            STALE => false,
            0 => {
                self.set_list_aux(slot, STALE);
                true
            }
            index if self.get(index + FRESH) == 0 => {
                self.set(index + FRESH, len - 1);
                true
            }
            _ => false,
        }
    }

    /// Drops all but the last entry of each key and brings the index up to date.
    pub(crate) fn map_settle(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &Entry,
        slot: u32,
        scratch: &mut MapScratch,
    ) -> Result<(), Full> {
        let list = self.words().list(slot);
        let index = self.words().list_aux(list);
        if index == 0 && list.len <= SMALL {
            return Ok(());
        }
        if index == 0 || index == STALE {
            // Without an index the map is searched one by one: right, if slow, should there be no room for one.
            self.set_list_aux(slot, 0);
            return self.map_settle_all(context, entry, slot, scratch);
        }
        let fresh = self.get(index + FRESH);
        self.set(index + FRESH, 0);
        if fresh == 0 {
            return Ok(());
        }
        if list.len - fresh > fresh / 2 {
            self.set(index + COVERED, 0);
            return self.map_settle_all(context, entry, slot, scratch);
        }
        self.map_settle_from(fresh, context, entry, slot, scratch);
        self.map_inserted(context, entry, slot)
    }

    fn map_settle_all(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &Entry,
        slot: u32,
        scratch: &mut MapScratch,
    ) -> Result<(), Full> {
        let list = context.list(self, entry, slot);
        let MapScratch { order, dropped } = scratch;
        order.clear();
        order.extend(0..list.len());
        order.sort_unstable_by_key(|&position| (list.key(position), position));
        dropped.clear();
        // Of equal keys, the last in wire order comes last.
        let mut kept = 0;
        for i in 0..order.len() {
            match order.get(i + 1) {
                Some(&next) if list.key(order[i]) == list.key(next) => dropped.push(order[i]),
                _ => {
                    order[kept] = order[i];
                    kept += 1;
                }
            }
        }
        order.truncate(kept);
        if !dropped.is_empty() {
            dropped.sort_unstable();
            for position in order.iter_mut() {
                *position -= dropped.partition_point(|drop| drop < position) as u32;
            }
            let width = context.set.program(entry.sub).element_words();
            self.list_drop(slot, width, dropped);
        }
        self.map_write_index(slot, order)
    }

    /// Settles the entries from `fresh` on; those before have unique keys and stay where they are.
    fn map_settle_from(
        &mut self,
        fresh: u32,
        context: MapContext<'_, '_>,
        entry: &Entry,
        slot: u32,
        scratch: &mut MapScratch,
    ) {
        let MapScratch { order, dropped } = scratch;
        let width = context.set.program(entry.sub).element_words();
        let list = context.list(self, entry, slot);
        order.clear();
        order.extend(fresh..list.len());
        order.sort_unstable_by_key(|&position| (list.key(position), position));
        dropped.clear();
        for (i, &position) in order.iter().enumerate() {
            let list = context.list(self, entry, slot);
            let key = list.key(position);
            if order.get(i + 1).is_some_and(|&next| list.key(next) == key) {
                dropped.push(position);
            } else if let Some(earlier) = list.map_find_below(fresh, key) {
                let at = list.list.ptr;
                self.copy_words(at + position * width, width as usize, at + earlier * width);
                dropped.push(position);
            }
        }
        dropped.sort_unstable();
        self.list_drop(slot, width, dropped);
    }

    /// Removes the elements at these ascending positions.
    fn list_drop(&mut self, slot: u32, width: u32, positions: &[u32]) {
        let list = self.words().list(slot);
        let Some(&first) = positions.first() else { return };
        let mut dropped = positions.iter().copied().peekable();
        let mut to = first;
        for from in first..list.len {
            if dropped.next_if_eq(&from).is_some() {
                continue;
            }
            self.copy_words(list.ptr + from * width, width as usize, list.ptr + to * width);
            to += 1;
        }
        self.list_truncate(slot, to);
    }

    fn map_write_index(&mut self, slot: u32, order: &[u32]) -> Result<(), Full> {
        let list = self.words().list(slot);
        let old = self.words().list_aux(list);
        let room = if old == 0 { 0 } else { self.get(old + CAPACITY) };
        let len = order.len() as u32;
        if len <= SMALL {
            self.drop_index(slot, old);
            return Ok(());
        }
        let index = if len <= room {
            old
        } else {
            let capacity = if room == 0 { len } else { len.max(room.saturating_mul(2)) };
            let index = self.alloc(capacity.checked_add(INDEX_HEADER).ok_or(Full)?)?;
            self.drop_index(slot, old);
            self.set(index + CAPACITY, capacity);
            self.set(index + FRESH, 0);
            index
        };
        self.set(index + COVERED, len);
        for (word, &position) in self.run_mut(index + INDEX_HEADER, order.len()).iter_mut().zip(order) {
            *word = position;
        }
        self.set_list_aux(slot, index);
        Ok(())
    }

    fn drop_index(&mut self, slot: u32, index: u32) {
        if index != 0 {
            self.add_garbage((self.get(index + CAPACITY) + INDEX_HEADER) as usize);
        }
        self.set_list_aux(slot, 0);
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
        let covered = if index == 0 { 0 } else { self.get(index + COVERED) };
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
        if list.len <= SMALL + 1 {
            // A decode keeps small maps in order without looking at an index.
            return self.drop_index(slot, index);
        }
        let covered = self.get(index + COVERED);
        let mut to = 0;
        for from in 0..covered {
            let at = self.get(index + INDEX_HEADER + from);
            if at != position {
                self.set(index + INDEX_HEADER + to, at - (at > position) as u32);
                to += 1;
            }
        }
        self.set(index + COVERED, to);
    }
}
