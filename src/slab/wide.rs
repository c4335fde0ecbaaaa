//! Wide bodies: types with hundreds of fields pay for the fields that are set.
//!
//! Word 2 of a wide body is the offset of its group table, 0 while nothing is set. The table has two words for
//! each 32 fields, in number order: a bitmap of the fields that are set, and the offset of a block with two
//! words for each of them, in number order as well. Behind the groups, one word per oneof says which member is
//! set (1 + entry index). A block has room for the next power of two of its fields, at least two.

use super::{Full, Slab, Words};
use crate::program::{Program, WIDE_GROUP};

fn group_at(table: u32, entry: usize) -> (u32, u32) {
    (table + 2 * (entry / WIDE_GROUP) as u32, 1 << (entry % WIDE_GROUP))
}

fn oneof_at(program: &Program, table: u32, oneof: u16) -> u32 {
    table + 2 * program.entries().len().div_ceil(WIDE_GROUP) as u32 + (oneof as u32 - 1)
}

fn capacity(fields: u32) -> u32 {
    if fields == 0 { 0 } else { fields.next_power_of_two().max(2) }
}

impl Words<'_> {
    /// The slot of a field of a wide body, if it is set.
    #[inline]
    pub(super) fn wide_find(self, base: u32, entry: usize) -> Option<u32> {
        let table = self.get(base + 2);
        if table == 0 {
            return None;
        }
        let (group, bit) = group_at(table, entry);
        let bitmap = self.get(group);
        (bitmap & bit != 0).then(|| self.get(group + 1) + 2 * (bitmap & (bit - 1)).count_ones())
    }

    /// Bitmap and block offset of a group of a wide body.
    #[inline]
    pub(super) fn wide_group(self, base: u32, group: u32) -> (u32, u32) {
        let table = self.get(base + 2);
        if table == 0 { (0, 0) } else { (self.get(table + 2 * group), self.get(table + 2 * group + 1)) }
    }
}

impl Slab {
    /// As `touch`, for a wide body.
    #[inline(never)]
    pub(crate) fn wide_slot(
        &mut self,
        program: &Program,
        base: u32,
        entry: usize,
    ) -> Result<(u32, bool), Full> {
        let mut table = self.get(base + 2);
        if table == 0 {
            table = self.alloc(program.wide_table_words())?;
            self.run_mut(table, program.wide_table_words() as usize).fill(0);
            self.set(base + 2, table);
        }
        let oneof = program.entries().get(entry).map_or(0, |e| e.oneof);
        if oneof != 0 {
            let case_at = oneof_at(program, table, oneof);
            let case = self.get(case_at);
            if case != 0 && case != entry as u32 + 1 {
                self.wide_remove(program, base, case as usize - 1);
            }
            self.set(case_at, entry as u32 + 1);
        }
        let (group, bit) = group_at(table, entry);
        let (bitmap, block) = (self.get(group), self.get(group + 1));
        let rank = (bitmap & (bit - 1)).count_ones();
        if bitmap & bit != 0 {
            return Ok((block + 2 * rank, false));
        }
        let count = bitmap.count_ones();
        let block = if count == capacity(count) {
            let new = self.alloc(2 * capacity(count + 1))?;
            self.copy_words(block, 2 * count as usize, new);
            self.add_garbage(2 * count as usize);
            self.set(group + 1, new);
            new
        } else {
            block
        };
        let slot = block + 2 * rank;
        self.copy_words(slot, 2 * (count - rank) as usize, slot + 2);
        self.set64(slot, 0);
        self.set(group, bitmap | bit);
        Ok((slot, true))
    }

    /// Marks a field of a wide body as unset.
    pub(super) fn wide_remove(&mut self, program: &Program, base: u32, entry: usize) {
        let table = self.get(base + 2);
        let Some(slot) = self.words().wide_find(base, entry) else { return };
        let (group, bit) = group_at(table, entry);
        let (bitmap, block) = (self.get(group), self.get(group + 1));
        let end = block + 2 * bitmap.count_ones();
        self.copy_words(slot + 2, (end - slot - 2) as usize, slot);
        self.set(group, bitmap & !bit);
        let oneof = program.entries().get(entry).map_or(0, |e| e.oneof);
        if oneof != 0 {
            self.set(oneof_at(program, table, oneof), 0);
        }
    }
}
