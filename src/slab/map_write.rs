//! Writing maps: unique keys, and the index.
//!
//! While a decode appends entries, keys may repeat; `map_settle` drops all but the last entry of each key. That takes
//! O(n log n) for n entries, whatever the keys are, in one merge or in many.

use super::map::{
    CAPACITY, COVERED, FRESH, INDEX_HEADER, MOST_RUNS, MapContext, RATIO, RUNS, SMALL, STALE, TAIL,
};
use super::view::RawList;
use super::{Full, Slab};
use crate::program::{FieldEntry, sort_indices};
use alloc::vec::Vec;
use core::ops::Range;

/// Reusable memory for settling maps.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapScratch {
    /// Positions in key order.
    order: Vec<u32>,
    /// Positions of entries to drop.
    dropped: Vec<u32>,
}

impl MapScratch {
    pub(crate) const fn new() -> Self {
        Self { order: Vec::new(), dropped: Vec::new() }
    }

    /// Fills `order` with these positions in key order; equal keys stay in wire order.
    fn sort(&mut self, positions: Range<u32>, list: &RawList<'_, '_>) -> Result<(), Full> {
        let Self { order, dropped } = self;
        order.clear();
        dropped.clear();
        order.try_reserve(positions.len()).map_err(|_| Full::NoMemory)?;
        order.extend(positions);
        list.sort_positions(order);
        Ok(())
    }
}

impl Slab {
    /// Call after the last entry of the list is decoded: keeps keys unique. In larger maps it leaves that to `map_settle`, which
    /// must run before the map is read; then it gives the first entry that may repeat a key.
    #[inline]
    pub(crate) fn map_entry_done(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
    ) -> Option<u32> {
        let list = context.list(self, entry, slot);
        let len = list.len();
        if len <= 1 {
            return None;
        }
        if len > SMALL {
            return self.map_needs_settling(slot, len);
        }
        if let Some(earlier) = list.earlier_key(len - 1) {
            let width = context.set.program(entry.sub).element_words();
            self.list_remove(slot, width, earlier);
        }
        None
    }

    /// Notes that a larger map got its first entry since it was settled, and gives that entry. `None` for the ones after it.
    fn map_needs_settling(&mut self, slot: u32, len: u32) -> Option<u32> {
        match self.words().list_aux(self.words().list(slot)) {
            STALE => None,
            0 => {
                self.set_list_aux(slot, STALE);
                Some(len - 1)
            }
            index if self.get(index + FRESH) == 0 => {
                self.set(index + FRESH, len - 1);
                Some(len - 1)
            }
            _ => None,
        }
    }

    /// Drops the last entry and the note that `map_entry_done` has just made for it.
    pub(crate) fn map_take_back(&mut self, slot: u32) {
        let list = self.words().list(slot);
        match self.words().list_aux(list) {
            STALE => self.set_list_aux(slot, 0),
            index => self.set(index + FRESH, 0),
        }
        self.list_truncate(slot, list.len - 1);
    }

    /// Drops all but the last entry of each key and updates the index. Only entries from `fresh` on repeat keys. If memory runs
    /// out before the repeated ones are known, all entries from `fresh` on are dropped.
    pub(crate) fn map_settle(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        fresh: u32,
        scratch: &mut MapScratch,
    ) -> Result<(), Full> {
        let list = self.words().list(slot);
        let index = self.words().list_aux(list);
        if index == 0 && list.len <= SMALL {
            return Ok(());
        }
        let indexed = index != 0 && index != STALE;
        if !indexed {
            // If there is no room for an index, the map is searched one by one: slow, but correct.
            self.set_list_aux(slot, 0);
        } else if self.get(index + FRESH) == 0 {
            return Ok(());
        } else {
            self.set(index + FRESH, 0);
        }
        let few = indexed && list.len - fresh <= fresh / 2;
        let unique = match few {
            true => self.map_settle_from(fresh, context, entry, slot, scratch),
            false => self.map_settle_all(context, entry, slot, scratch),
        };
        if unique.is_err() {
            self.list_truncate(slot, fresh);
            return unique;
        }
        if few {
            return self.map_inserted(context, entry, slot);
        }
        if indexed {
            // The old positions are wrong now. Clear them first: there may be no room for a new index.
            self.set(index + COVERED, 0);
            self.set(index + RUNS, 0);
        }
        self.map_write_index(slot, &scratch.order)
    }

    /// Drops all but the last entry of each key. `scratch.order` has the others in key order.
    fn map_settle_all(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        scratch: &mut MapScratch,
    ) -> Result<(), Full> {
        let list = context.list(self, entry, slot);
        scratch.sort(0..list.len(), &list)?;
        let MapScratch { order, dropped } = scratch;
        // Equal keys are in wire order: the last one stays.
        let mut kept = 0;
        for i in 0..order.len() {
            match order.get(i + 1) {
                Some(&next) if list.key(order[i]) == list.key(next) => {
                    dropped.try_reserve(1).map_err(|_| Full::NoMemory)?;
                    dropped.push(order[i]);
                }
                _ => {
                    order[kept] = order[i];
                    kept += 1;
                }
            }
        }
        order.truncate(kept);
        if !dropped.is_empty() {
            sort_indices(dropped, &mut |a, b| a.cmp(&b));
            for position in order.iter_mut() {
                *position -= dropped.partition_point(|drop| drop < position) as u32;
            }
            let width = context.set.program(entry.sub).element_words();
            self.list_drop(slot, width, dropped);
        }
        Ok(())
    }

    /// Settles the entries from `fresh` on. Those before have unique keys and stay in place; a repeated key overwrites them.
    fn map_settle_from(
        &mut self,
        fresh: u32,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        scratch: &mut MapScratch,
    ) -> Result<(), Full> {
        let width = context.set.program(entry.sub).element_words();
        let list = context.list(self, entry, slot);
        scratch.sort(fresh..list.len(), &list)?;
        let MapScratch { order, dropped } = scratch;
        dropped.try_reserve(order.len()).map_err(|_| Full::NoMemory)?;
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
        sort_indices(dropped, &mut |a, b| a.cmp(&b));
        self.list_drop(slot, width, dropped);
        Ok(())
    }

    /// Removes the elements at these ascending positions.
    pub(crate) fn list_drop(&mut self, slot: u32, width: u32, positions: &[u32]) {
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

    /// Makes these positions the one run of the index.
    fn map_write_index(&mut self, slot: u32, order: &[u32]) -> Result<(), Full> {
        if order.len() <= SMALL as usize {
            self.set_list_aux(slot, 0);
            return Ok(());
        }
        let index = self.map_index(slot, order.len() as u32)?;
        self.map_write_run(index, 0, 0, order);
        Ok(())
    }

    /// The index of a map with room for `len` positions; a larger copy if the old one is too small.
    fn map_index(&mut self, slot: u32, len: u32) -> Result<u32, Full> {
        let old = self.words().list_aux(self.words().list(slot));
        let room = if old == 0 { 0 } else { self.get(old + CAPACITY) };
        if len <= room {
            return Ok(old);
        }
        let capacity = if room == 0 { len } else { len.max(room.saturating_mul(2)) };
        let index = self.alloc(capacity.checked_add(INDEX_HEADER).ok_or(Full::Limit)?)?;
        if old == 0 {
            self.run_mut(index, INDEX_HEADER as usize).fill(0);
        } else {
            let used = INDEX_HEADER + self.get(old + COVERED);
            self.copy_words(old, used as usize, index);
        }
        self.set(index + CAPACITY, capacity);
        self.set_list_aux(slot, index);
        Ok(index)
    }

    /// Writes run number `runs`, the last one. The runs before it cover `covered` entries.
    fn map_write_run(&mut self, index: u32, runs: u32, covered: u32, order: &[u32]) {
        self.set(index + RUNS, runs + 1);
        self.set(index + RUNS + 1 + runs, order.len() as u32);
        self.set(index + COVERED, covered + order.len() as u32);
        let positions = self.run_mut(index + INDEX_HEADER + covered, order.len());
        positions.iter_mut().zip(order).for_each(|(word, &position)| *word = position);
    }

    /// Call after an entry with a new key is appended. When many entries are not covered, makes them a run and merges it with
    /// the runs before it that are not much longer. Each entry moves O(log n) times in all.
    pub(crate) fn map_inserted(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<(), Full> {
        let list = context.list(self, entry, slot);
        let words = self.words();
        let (len, index) = (list.len(), words.list_aux(list.list));
        let (mut covered, mut runs) = match index {
            0 => (0, 0),
            index => (words.get(index + COVERED).min(len), words.get(index + RUNS)),
        };
        if len - covered <= TAIL {
            return Ok(());
        }
        let mut added = Vec::new();
        added.try_reserve_exact((len - covered) as usize).map_err(|_| Full::NoMemory)?;
        added.extend(covered..len);
        list.sort_positions(&mut added);
        while let Some(last) = runs.checked_sub(1) {
            let run = words.get(index + RUNS + 1 + last);
            if runs < MOST_RUNS && u64::from(run) > u64::from(RATIO) * added.len() as u64 {
                break;
            }
            covered -= run.min(covered);
            added = merged(&list, words.run(index + INDEX_HEADER + covered, run as usize), &added)?;
            runs = last;
        }
        let index = self.map_index(slot, len)?;
        self.map_write_run(index, runs, covered, &added);
        Ok(())
    }
}

/// Merges two sorted runs of positions.
fn merged(list: &RawList<'_, '_>, a: &[u32], b: &[u32]) -> Result<Vec<u32>, Full> {
    let mut all = Vec::new();
    all.try_reserve_exact(a.len() + b.len()).map_err(|_| Full::NoMemory)?;
    let (mut a, mut b) = (a, b);
    while let (Some((&first, rest_a)), Some((&second, rest_b))) = (a.split_first(), b.split_first()) {
        if list.key(first) < list.key(second) {
            all.push(first);
            a = rest_a;
        } else {
            all.push(second);
            b = rest_b;
        }
    }
    all.extend_from_slice(a);
    all.extend_from_slice(b);
    Ok(all)
}

#[cfg(test)]
mod tests;
