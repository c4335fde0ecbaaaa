//! Wide bodies: messages of types with hundreds of fields pay only for the fields that are set.
//!
//! ```text
//! body     | 0 | unknown fields | group table, 0 while nothing is set |
//! table    | hasbits of places 0..32 | block | hasbits of places 32..64 | block | ..
//! block    | capacity | two words per set field, in number order | ..      `block` is the offset after the capacity
//! ```
//!
//! Each field has a place, in number order. After the fields, each oneof has a place too; its value is 1 + the entry index of
//! the member that is set.

use super::{Full, NIL, Slab, Words};
use crate::program::{Program, WIDE_GROUP};

/// The offset of the two table words of an entry's group, and the entry's bit.
fn group_at(table: u32, entry: usize) -> (u32, u32) {
    (table + 2 * (entry / WIDE_GROUP) as u32, 1 << (entry % WIDE_GROUP))
}

/// The place of a oneof, given as in `FieldEntry::oneof`.
fn place_of(program: &Program, oneof: u16) -> usize {
    program.entries().len() + oneof as usize - 1
}

impl Words<'_> {
    /// The slot of a field of a wide body, if it is set.
    #[inline]
    pub(crate) fn wide_find(self, base: u32, entry: usize) -> Option<u32> {
        let table = self.get(base + 2);
        if table == 0 {
            return None;
        }
        let (group, bit) = group_at(table, entry);
        let bitmap = self.get(group);
        (bitmap & bit != 0).then(|| self.get(group + 1) + 2 * (bitmap & (bit - 1)).count_ones())
    }

    /// Whether no field of a wide body has ever been set, so that there is no group table.
    #[inline]
    pub(crate) fn is_wide_empty(self, base: u32) -> bool {
        self.get(base + 2) == 0
    }

    /// Bitmap and block offset of a group of a wide body.
    #[inline]
    pub(crate) fn wide_group(self, base: u32, group: u32) -> (u32, u32) {
        let table = self.get(base + 2);
        if table == 0 { (0, 0) } else { (self.get(table + 2 * group), self.get(table + 2 * group + 1)) }
    }
}

impl Slab {
    /// As `mark_set`, for a wide body.
    #[inline(never)]
    pub(crate) fn wide_slot(
        &mut self,
        program: &Program,
        base: u32,
        entry: usize,
    ) -> Result<(u32, bool), Full> {
        if self.get(base + 2) == 0 {
            let table = self.alloc(program.wide_table_words())?;
            self.run_mut(table, program.wide_table_words() as usize).fill(0);
            self.set(base + 2, table);
        }
        let (slot, fresh) = self.wide_insert(base, entry)?;
        let oneof = program.entries().get(entry).map_or(0, |e| e.oneof);
        if oneof == 0 || !fresh {
            return Ok((slot, fresh));
        }
        // Unset the other member only when nothing can fail any more.
        let place = place_of(program, oneof);
        let case_at = match self.wide_insert(base, place) {
            Ok((case_at, _)) => case_at,
            Err(full) => {
                self.wide_take(base, entry);
                return Err(full);
            }
        };
        let case = self.get(case_at);
        self.set(case_at, entry as u32 + 1);
        if case != 0 {
            self.wide_take(base, case as usize - 1);
        }
        // Inserting the oneof's place and removing the other member may have moved the slot.
        Ok((self.words().wide_find(base, entry).unwrap_or(NIL), true))
    }

    /// Unsets the member of a oneof that is set, if any.
    pub(crate) fn wide_clear_oneof(&mut self, program: &Program, base: u32, oneof: u16) {
        if oneof != 0
            && let Some(case_at) = self.words().wide_find(base, place_of(program, oneof))
            && let Some(entry) = self.get(case_at).checked_sub(1)
        {
            self.wide_remove(program, base, entry as usize);
        }
    }

    /// The slot of a place, and whether it was unset.
    fn wide_insert(&mut self, base: u32, place: usize) -> Result<(u32, bool), Full> {
        let (group, bit) = group_at(self.get(base + 2), place);
        let (bitmap, block) = (self.get(group), self.get(group + 1));
        let count = bitmap.count_ones();
        // Fields mostly arrive in number order: then this one is the last, and nothing moves.
        let last = bitmap < bit;
        let rank = if last { count } else { (bitmap & (bit - 1)).count_ones() };
        if bitmap & bit != 0 {
            return Ok((block + 2 * rank, false));
        }
        let capacity = if block == 0 { 0 } else { self.get(block - 1) };
        let block = if count < capacity { block } else { self.wide_grow(group, block, capacity)? };
        let slot = block + 2 * rank;
        if !last {
            self.copy_words(slot, 2 * (count - rank) as usize, slot + 2);
        }
        self.set64(slot, 0);
        self.set(group, bitmap | bit);
        Ok((slot, true))
    }

    /// Doubles the block of a group: in place at the end of the slab, else in a new block.
    fn wide_grow(&mut self, group: u32, block: u32, capacity: u32) -> Result<u32, Full> {
        // Most groups of sparse messages have one field, so the first block has room for one.
        let room = (2 * capacity).max(1);
        if block != 0 && (block + 2 * capacity) as usize == self.top() {
            self.alloc(2 * (room - capacity))?;
            self.set(block - 1, room);
            return Ok(block);
        }
        let new = self.alloc(1 + 2 * room)? + 1;
        self.set(new - 1, room);
        self.copy_words(block, 2 * capacity as usize, new);
        self.set(group + 1, new);
        Ok(new)
    }

    /// Marks a place as unset.
    fn wide_take(&mut self, base: u32, place: usize) {
        let Some(slot) = self.words().wide_find(base, place) else { return };
        let (group, bit) = group_at(self.get(base + 2), place);
        let (bitmap, block) = (self.get(group), self.get(group + 1));
        let end = block + 2 * bitmap.count_ones();
        self.copy_words(slot + 2, (end - slot - 2) as usize, slot);
        self.set(group, bitmap & !bit);
    }

    /// Marks a field of a wide body as unset, and its oneof with it.
    pub(super) fn wide_remove(&mut self, program: &Program, base: u32, entry: usize) {
        if self.words().wide_find(base, entry).is_none() {
            return;
        }
        self.wide_take(base, entry);
        let oneof = program.entries().get(entry).map_or(0, |e| e.oneof);
        if oneof != 0 {
            self.wide_take(base, place_of(program, oneof));
        }
    }
}
