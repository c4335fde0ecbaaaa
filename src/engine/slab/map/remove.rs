//! Removing entries of maps, and their positions in the index.

use super::{COVERED, INDEX_HEADER, MOST_RUNS, MapContext, RUNS, SMALL, STALE};
use crate::engine::slab::Slab;
use crate::schema::program::FieldEntry;

impl Slab {
    /// Removes the entry at a position.
    pub(crate) fn map_remove(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        position: u32,
    ) {
        self.map_drop(context, entry, slot, &[position]);
    }

    /// Removes the entries at these ascending positions. The others keep their order.
    pub(crate) fn map_drop(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        positions: &[u32],
    ) {
        let index = self.words().list_aux(self.words().list(slot));
        let width = context.set.program(entry.sub).element_words();
        match positions {
            [one] => self.list_remove(slot, width, *one),
            several => self.list_drop(slot, width, |_, i| several.get(i as usize).copied()),
        }
        if index == 0 || index == STALE {
            return;
        }
        if self.words().list(slot).len <= SMALL {
            // Decoding into a small map does not maintain an index, so it must not have one.
            return self.set_list_aux(slot, 0);
        }
        let (mut from, mut to) = (index + INDEX_HEADER, index + INDEX_HEADER);
        for run in index + RUNS + 1..index + RUNS + 1 + self.get(index + RUNS).min(MOST_RUNS) {
            let (start, len) = (to, self.get(run));
            for _ in 0..len {
                let at = self.get(from);
                from += 1;
                let before = positions.partition_point(|&position| position < at);
                if positions.get(before) != Some(&at) {
                    self.set(to, at - before as u32);
                    to += 1;
                }
            }
            self.set(run, to - start);
        }
        self.set(index + COVERED, to - index - INDEX_HEADER);
    }
}
