//! Writing the index of a map: its runs, and how entries that are appended join them.

use super::{CAPACITY, COVERED, INDEX_HEADER, MOST_RUNS, MapContext, PAIR, RATIO, RUNS, TAIL};
use crate::engine::slab::view::RawList;
use crate::engine::slab::{Full, Slab};
use crate::schema::program::FieldEntry;

impl Slab {
    /// The entries that an index has room for.
    pub(in crate::engine::slab) fn map_capacity(&self, index: u32) -> u32 {
        self.get(index + CAPACITY)
    }

    /// Makes words an index without runs, with room for so many entries.
    pub(in crate::engine::slab) fn map_init_index(&mut self, index: u32, capacity: u32) {
        self.run_mut(index, INDEX_HEADER as usize).fill(0);
        self.set(index + CAPACITY, capacity);
    }

    /// The index of a map with room for `len` entries; a larger copy if the old one is too small.
    fn map_index(&mut self, slot: u32, len: u32) -> Result<u32, Full> {
        let old = self.words().list_aux(self.words().list(slot));
        let room = if old == 0 { 0 } else { self.map_capacity(old) };
        if len <= room {
            return Ok(old);
        }
        let capacity = if room == 0 { len } else { len.max(room.saturating_mul(2)) };
        let words = capacity.checked_mul(PAIR).and_then(|words| words.checked_add(INDEX_HEADER));
        let index = self.alloc(words.ok_or(Full::Limit)?)?;
        self.map_init_index(index, capacity);
        if old != 0 {
            let used = INDEX_HEADER + PAIR * self.get(old + COVERED);
            self.copy_words(old, used as usize, index);
            self.set(index + CAPACITY, capacity);
        }
        self.set_list_aux(slot, index);
        Ok(index)
    }

    /// Notes run number `run`, the last one, of `len` entries. The runs before it cover `covered` entries.
    pub(in crate::engine::slab) fn map_note_run(&mut self, index: u32, run: u32, covered: u32, len: u32) {
        self.set(index + RUNS, run + 1);
        self.set(index + RUNS + 1 + run, len);
        self.set(index + COVERED, covered + len);
    }

    /// Call after an entry with a new key is appended. When many entries are not covered, makes them a run and merges it with
    /// the runs before it that are not much longer. Each entry moves O(log n) times in all.
    pub(crate) fn map_inserted(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<(), Full> {
        let words = self.words();
        let list = words.list(slot);
        let (len, index) = (list.len, words.list_aux(list));
        let (covered, runs) = match index {
            0 => (0, 0),
            index => (words.get(index + COVERED).min(len), words.get(index + RUNS)),
        };
        if len - covered <= TAIL {
            return Ok(());
        }
        let index = self.map_index(slot, len)?;
        let length = |slab: &Self, run: u32| slab.get(index + RUNS + 1 + run);
        // The runs from `first` on, which cover the entries from `from` on, become one with what is new.
        let (mut first, mut from) = (runs, covered);
        while let Some(last) = first.checked_sub(1) {
            let run = length(self, last);
            if first < MOST_RUNS && u64::from(run) > u64::from(RATIO) * u64::from(len - from) {
                break;
            }
            (first, from) = (last, from - run.min(from));
        }
        let room = PAIR * (len - from);
        let merged = self.alloc_apart(room)?;
        self.map_sort(context, entry, slot, covered..len, merged + PAIR * (covered - from));
        let mut at = covered;
        for run in (first..runs).rev() {
            let run = length(self, run).min(at - from);
            let (words, all) = self.split(merged, room as usize);
            let pairs = words.run(index + INDEX_HEADER + PAIR * (at - run), (PAIR * run) as usize);
            let list = context.list(words, entry, slot);
            merge(&list, pairs.as_chunks().0, all.as_chunks_mut().0, (at - from) as usize);
            at -= run;
        }
        self.copy_words(merged, room as usize, index + INDEX_HEADER + PAIR * from);
        self.give_back_apart(room);
        self.map_note_run(index, first, from, len - from);
        Ok(())
    }
}

/// Merges two sorted runs: `run`, and the end of `all` from `start` on. The result is the end of `all`.
fn merge(list: &RawList<'_, '_>, run: &[[u32; 2]], all: &mut [[u32; 2]], start: usize) {
    let (mut to, mut from) = (start.saturating_sub(run.len()), start);
    // `to` is as far before `from` as there are entries left of `run`.
    for pair in run {
        let after = |other: &&[u32; 2]| {
            other[0] < pair[0] || other[0] == pair[0] && list.indexed(other) <= list.indexed(pair)
        };
        while let Some(&other) = all.get(from).filter(after) {
            all[to] = other;
            (to, from) = (to + 1, from + 1);
        }
        if let Some(place) = all.get_mut(to) {
            *place = *pair;
        }
        to += 1;
    }
}

#[cfg(test)]
mod tests;
