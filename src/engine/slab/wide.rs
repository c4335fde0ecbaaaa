//! Wide bodies: messages of types with hundreds of fields pay only for the fields that are set.
//!
//! ```text
//! body     | groups listed | unknown fields | group table, 0 while nothing is set |
//! table    | group | hasbits | block | group | hasbits | block | ..                    so many are listed, in ascending order
//!    or    | hasbits of places 0..32 | block | hasbits of places 32..64 | block | ..   none is listed: all are there
//! block    | capacity | two words per set field, in number order | ..      `block` is the offset after the capacity
//! ```
//!
//! Each field has a place, in number order. After the fields, each oneof has a place too; its value is 1 + the entry index of
//! the member that is set.
//!
//! A table lists groups until it has about a sixth of them: with room for all, a message of one field took 15 KB if its type had 60 000.

use super::{Full, NIL, Slab, Words};
use crate::schema::program::{Program, WIDE_GROUP};

/// A type of so few groups has tables of all of them.
const FEW_GROUPS: u32 = 4;

/// A group of 32 places of a wide body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WideGroup {
    pub(crate) number: u32,
    pub(crate) hasbits: u32,
    pub(crate) block: u32,
}

/// The number of a place's group, and the place's bit.
fn group_of(place: usize) -> (u32, u32) {
    ((place / WIDE_GROUP) as u32, 1 << (place % WIDE_GROUP))
}

/// The place of a oneof, given as in `FieldEntry::oneof`.
fn place_of(program: &Program, oneof: u16) -> usize {
    program.entries().len() + oneof as usize - 1
}

impl Words<'_> {
    /// The slot of a field of a wide body, if it is set.
    #[inline]
    pub(crate) fn wide_find(self, base: u32, entry: usize) -> Option<u32> {
        let (number, bit) = group_of(entry);
        let group = self.wide_at(base, number)?;
        let bitmap = self.get(group);
        (bitmap & bit != 0).then(|| self.get(group + 1) + 2 * (bitmap & (bit - 1)).count_ones())
    }

    /// The offset of hasbits and block of a group, if the table of a wide body has it.
    #[inline]
    fn wide_at(self, base: u32, number: u32) -> Option<u32> {
        let (listed, table) = (self.get(base), self.get(base + 2));
        if table == 0 {
            return None;
        }
        match listed {
            0 => Some(table + 2 * number),
            _ => Some(self.wide_listed(table, listed, number)).filter(|&at| at != NIL),
        }
    }

    /// As [`wide_at`](Self::wide_at), in a table that lists groups; `NIL` if it has not this one. Out of line: reading of messages with many
    /// fields set is 1.09x with that.
    #[inline(never)]
    fn wide_listed(self, table: u32, listed: u32, number: u32) -> u32 {
        let rank = self.wide_rank(table, listed, number);
        let at = table + 3 * rank;
        if rank < listed && self.get(at) == number { at + 1 } else { NIL }
    }

    /// How many groups before this one a table lists.
    fn wide_rank(self, table: u32, listed: u32, number: u32) -> u32 {
        let at = |rank: u32| self.get(table + 3 * rank);
        // The numbers ascend, so that of rank r is at least r.
        let (mut low, mut high) = (0, number.min(listed.saturating_sub(1)));
        if high < listed && at(high) <= number {
            return high + u32::from(at(high) < number);
        }
        while low < high {
            let middle = low.midpoint(high);
            if at(middle) < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// How many groups before this one the table of a wide body has.
    pub(crate) fn wide_before(self, base: u32, number: u32) -> u32 {
        match (self.get(base), self.get(base + 2)) {
            (_, 0) => 0,
            (0, _) => number,
            (listed, table) => self.wide_rank(table, listed, number),
        }
    }

    /// A group of those that the table of a wide body has, by rank; `groups` is how many the type has.
    #[inline]
    pub(crate) fn wide_group(self, base: u32, rank: u32, groups: usize) -> Option<WideGroup> {
        let (listed, table) = (self.get(base), self.get(base + 2));
        if table == 0 {
            return None;
        }
        let (number, at) = match listed {
            0 if (rank as usize) < groups => (rank, table + 2 * rank),
            _ if rank < listed => (self.get(table + 3 * rank), table + 1 + 3 * rank),
            _ => return None,
        };
        Some(WideGroup { number, hasbits: self.get(at), block: self.get(at + 1) })
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
        let (slot, fresh) = self.wide_insert(program, base, entry)?;
        let oneof = program.entries().get(entry).map_or(0, |e| e.oneof);
        if oneof == 0 || !fresh {
            return Ok((slot, fresh));
        }
        // Unset the other member only when nothing can fail any more.
        let place = place_of(program, oneof);
        let case_at = match self.wide_insert(program, base, place) {
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
    fn wide_insert(&mut self, program: &Program, base: u32, place: usize) -> Result<(u32, bool), Full> {
        let (number, bit) = group_of(place);
        let group = match self.words().wide_at(base, number) {
            Some(group) => group,
            None => self.wide_list(program, base, number)?,
        };
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

    /// Adds a group to the table, and returns the offset of its hasbits and block.
    #[inline(never)]
    fn wide_list(&mut self, program: &Program, base: u32, number: u32) -> Result<u32, Full> {
        let (listed, mut table, groups) = (self.get(base), self.get(base + 2), program.wide_groups());
        // There is room for a power of two.
        if listed & listed.wrapping_sub(1) == 0 {
            let room = (2 * listed).max(1);
            if groups <= FEW_GROUPS || 3 * room >= groups {
                return self.wide_list_all(base, groups, number);
            }
            let to = self.alloc(3 * room)?;
            self.copy_words(table, 3 * listed as usize, to);
            self.set(base + 2, to);
            table = to;
        }
        let rank = self.words().wide_rank(table, listed, number);
        let at = table + 3 * rank;
        self.copy_words(at, 3 * (listed - rank) as usize, at + 3);
        self.set(at, number);
        self.set64(at + 1, 0);
        self.set(base, listed + 1);
        Ok(at + 1)
    }

    /// Makes a table of all groups in place of one that lists them.
    fn wide_list_all(&mut self, base: u32, groups: u32, number: u32) -> Result<u32, Full> {
        let to = self.alloc(2 * groups)?;
        self.run_mut(to, 2 * groups as usize).fill(0);
        let mut rank = 0;
        while let Some(WideGroup { number, hasbits, block }) = self.words().wide_group(base, rank, 0) {
            self.set64(to + 2 * number, u64::from(hasbits) | u64::from(block) << 32);
            rank += 1;
        }
        self.set(base, 0);
        self.set(base + 2, to);
        Ok(to + 2 * number)
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
        let (number, bit) = group_of(place);
        let found = self.words().wide_find(base, place).zip(self.words().wide_at(base, number));
        let Some((slot, group)) = found else { return };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::slab::{BodyRef, RawView, SetFields};
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;

    fn schema(fields: u32) -> ProgramSet {
        let field = |n| FieldSpec {
            oneof: (n > fields / 2).then_some(n % 40),
            ..FieldSpec::new(n, Kind::Uint32, Presence::Explicit)
        };
        ProgramSet::new(
            &[MessageSpec { fields: (1..=fields).map(field).collect(), ..Default::default() }],
            &[],
        )
        .unwrap()
    }

    /// What is set is what a map has, read in order and by position.
    fn check(slab: &Slab, set: &ProgramSet, base: u32, map: &BTreeMap<usize, u32>) {
        let (words, program) = (slab.words(), set.program(0));
        let view = RawView { words, store: &[], set, body: BodyRef { program: 0, base } };
        let expected: Vec<_> = map.iter().map(|(&at, &value)| (at, value)).collect();
        let mut fields = SetFields::new(program, words, base);
        let forwards = core::iter::from_fn(|| fields.next(view)).map(|(at, _, slot)| (at, words.get(slot)));
        assert_eq!(forwards.collect::<Vec<_>>(), expected);
        let step = (program.entries().len() / 100).max(1);
        for at in (0..program.entries().len()).step_by(step).chain(map.keys().copied()) {
            let found = words.wide_find(base, at).map(|slot| words.get(slot));
            assert_eq!(found, map.get(&at).copied(), "{at}");
        }
    }

    #[test]
    fn fields_are_where_they_were_put_in_whatever_order_they_came() {
        let sizes: &[u32] =
            if cfg!(miri) { &[65, 600] } else { &[65, 128, 129, 320, 600, 2_000, 10_000, 60_000] };
        for &fields in sizes {
            let set = schema(fields);
            let program = set.program(0);
            assert!(program.is_wide());
            let count = if cfg!(miri) { 12 } else { fields.min(150) } as usize;
            let at = |i: usize| i * (fields as usize - 1) / (count - 1);
            let orders: [Vec<usize>; 4] = [
                (0..count).map(at).collect(),
                (0..count).rev().map(at).collect(),
                (0..count).map(|i| at(i * 7 % count)).collect(),
                (0..count).map(|i| i * i % fields as usize).collect(),
            ];
            for order in orders {
                let (mut slab, mut map) = (Slab::new(), BTreeMap::new());
                slab.set_limit(1 << 26);
                let base = slab.alloc_body(program).unwrap();
                check(&slab, &set, base, &map);
                for (i, &position) in order.iter().enumerate() {
                    let oneof = program.entries()[position].oneof;
                    map.retain(|&at, _| oneof == 0 || program.entries()[at].oneof != oneof || at == position);
                    let (slot, fresh) = slab.mark_set(program, base, position).unwrap();
                    assert_eq!(fresh, map.insert(position, i as u32).is_none());
                    slab.set(slot, i as u32);
                    if i.is_power_of_two() || i + 1 == order.len() {
                        check(&slab, &set, base, &map);
                    }
                }
                for position in order.into_iter().step_by(3) {
                    slab.mark_unset(program, base, position);
                    map.remove(&position);
                }
                check(&slab, &set, base, &map);
            }
        }
    }

    /// A table of all groups took 15 KB for one field of 60 000.
    #[test]
    fn a_body_takes_memory_for_what_is_set() {
        let all: (&[u32], &[usize]) = (&[65, 200, 600, 60_000], &[1, 2, 10, 33, 100, 1_000]);
        let (types, steps) = if cfg!(miri) { (&[65, 200][..], &[1, 33][..]) } else { all };
        for &fields in types {
            let set = schema(fields);
            for &step in steps {
                let mut slab = Slab::new();
                slab.set_limit(1 << 26);
                let before = slab.used();
                let base = slab.alloc_body(set.program(0)).unwrap();
                let positions =
                    (0..fields as usize).rev().step_by(step).take(if cfg!(miri) { 20 } else { 5_000 });
                let count =
                    positions.clone().map(|at| slab.mark_set(set.program(0), base, at).unwrap()).count();
                let used = slab.used() - before;
                assert!(used <= 4 * 3 + 96 * count, "{fields} fields, each {step}th: {used} for {count}");
            }
        }
    }
}
