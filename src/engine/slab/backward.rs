//! The set fields, last first: the order in which the encoder writes.

use super::{RawView, Words};
use crate::schema::program::{Program, WIDE_GROUP, WriteEntry};

/// Iterates over the set fields in descending field number order. Holds no reference.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetFieldsRev {
    /// Hasbits not yet visited. In a wide message those of one group, and the group's number in the upper half.
    bits: u64,
    /// The end of the slots not yet visited in a wide group.
    block: u32,
    /// How many wide groups are before this one.
    group: u32,
}

impl SetFieldsRev {
    /// All set fields of a message.
    #[inline(always)]
    pub(crate) fn new(program: &Program, words: Words<'_>, base: u32) -> Self {
        if program.is_wide() {
            Self::below(program, words, base, program.entries().len())
        } else {
            Self { bits: words.hasbits(program, base), block: 0, group: 0 }
        }
    }

    /// The set fields of a wide message before a position.
    #[inline(never)]
    fn below(program: &Program, words: Words<'_>, base: u32, position: usize) -> Self {
        let position = position.min(program.entries().len());
        match words.wide_before(base, position.div_ceil(WIDE_GROUP) as u32).checked_sub(1) {
            Some(rank) => Self::group_below(words, base, rank, position),
            None => Self::default(),
        }
    }

    fn group_below(words: Words<'_>, base: u32, rank: u32, position: usize) -> Self {
        let Some(group) = words.wide_group(base, rank, usize::MAX) else { return Self::default() };
        // In the last group, the bitmap has places of oneofs after the fields: mask them off.
        let count = position.saturating_sub(group.number as usize * WIDE_GROUP).min(WIDE_GROUP);
        let bits = u64::from(group.hasbits) & ((1 << count) - 1);
        let block = group.block + 2 * bits.count_ones();
        Self { bits: bits | u64::from(group.number) << 32, block, group: rank }
    }

    /// Restores an iteration as it was after it gave the field at `position`; `rest` is from [`rest`](Self::rest).
    #[inline(always)]
    pub(crate) fn resume(program: &Program, words: Words<'_>, base: u32, position: usize, rest: u64) -> Self {
        if program.is_wide() {
            Self::below(program, words, base, position)
        } else {
            Self { bits: rest, block: 0, group: 0 }
        }
    }

    /// Hasbits of a dense message that are not yet visited.
    #[inline(always)]
    pub(crate) fn rest(self) -> u64 {
        self.bits
    }

    /// Lets `visit` handle fields of constant size together, by hasbit; it gives the hasbits that are left. Dense messages only.
    #[inline(always)]
    pub(crate) fn constant_sized(self, program: &Program, visit: impl FnOnce(u64) -> u64) -> Self {
        if program.is_wide() { self } else { Self { bits: visit(self.bits), ..self } }
    }

    /// The next field that is not a singular number: position, entry and slot.
    ///
    /// ```text
    /// loop: take the highest hasbit; end if there is none
    ///     if the field is a singular number: number(entry, slot)    the hottest loop of the encoder: it needs all registers
    ///     else: return it
    /// ```
    ///
    /// In wide messages every field is returned.
    #[inline(always)]
    pub(crate) fn next_non_numeric<'a>(
        &mut self,
        program: &'a Program,
        words: Words<'_>,
        base: u32,
        mut number: impl FnMut(&'a WriteEntry, u32),
    ) -> Option<(usize, &'a WriteEntry, u32)> {
        let writes = program.writes();
        if program.is_wide() {
            let position;
            // By value: `self` has no address here, so the bits of dense messages stay in a register.
            (*self, position) = self.next_group(program, words, base);
            return Some((position, writes.get(position)?, self.block));
        }
        loop {
            let index = self.bits.checked_ilog2()? as usize;
            self.bits ^= 1 << index;
            let entry = writes.get(index)?;
            let slot = base + entry.slot as u32;
            if !entry.kind.is_number() {
                return Some((index, entry, slot));
            }
            number(entry, slot);
        }
    }

    /// The next field of a wide message: the iteration after it, and its position; `usize::MAX` at the end.
    #[inline(never)]
    fn next_group(mut self, program: &Program, words: Words<'_>, base: u32) -> (Self, usize) {
        while self.bits as u32 == 0 {
            let Some(rank) = self.group.checked_sub(1) else { return (self, usize::MAX) };
            self = Self::group_below(words, base, rank, program.entries().len());
        }
        let index = (self.bits as u32).ilog2() as usize;
        self.bits ^= 1 << index;
        self.block -= 2;
        (self, (self.bits >> 32) as usize * WIDE_GROUP + index)
    }
}

impl RawView<'_, '_> {
    /// The slot of a field that is set.
    #[inline(always)]
    pub(crate) fn slot_of(&self, program: &Program, position: usize, entry: &WriteEntry) -> u32 {
        if program.is_wide() {
            self.words.wide_find(self.body.base, position).unwrap_or(super::NIL)
        } else {
            self.body.base + entry.slot as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::slab::{BodyRef, Slab};
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use alloc::vec::Vec;

    #[test]
    fn backwards_is_forwards_reversed() {
        let steps = if cfg!(miri) { 4 } else { 1 };
        for fields in [1, 31, 32, 33, 40, 64, 65, 96, 97, 300].into_iter().step_by(steps) {
            for oneof in [None, Some(0)] {
                // Every fifth is a string.
                let kind = |number| if number % 5 == 0 { Kind::String } else { Kind::Int32 };
                let spec = |number| FieldSpec {
                    oneof: oneof.filter(|_| number + 2 > fields),
                    ..FieldSpec::new(number, kind(number), Presence::Explicit)
                };
                let spec = MessageSpec { fields: (1..=fields).map(spec).collect(), ..Default::default() };
                let set = ProgramSet::new(&[spec], &[]).unwrap();
                let program = set.program(0);
                for step in if cfg!(miri) { [7, 50, 50, 50] } else { [1, 3, 7, 50] } {
                    let mut slab = Slab::new();
                    slab.set_limit(1 << 20);
                    let base = slab.alloc_body(program).unwrap();
                    for position in (0..fields as usize).step_by(step) {
                        slab.mark_set(program, base, position).unwrap();
                    }
                    let words = slab.words();
                    let view = RawView { words, store: &[], set: &set, body: BodyRef { program: 0, base } };
                    let mut forwards = view.set_fields();
                    let forwards: Vec<_> =
                        core::iter::from_fn(|| forwards.next(view)).map(|(_, _, slot)| slot).collect();
                    let mut fields = SetFieldsRev::new(program, words, base);
                    let backwards = core::cell::RefCell::new(Vec::new());
                    let number = |slot| backwards.borrow_mut().push(slot);
                    while let Some((at, entry, slot)) =
                        fields.next_non_numeric(program, words, base, |_, slot| number(slot))
                    {
                        assert_eq!(view.slot_of(program, at, entry), slot);
                        number(slot);
                        fields = SetFieldsRev::resume(program, words, base, at, fields.rest());
                    }
                    let mut backwards = backwards.into_inner();
                    backwards.reverse();
                    assert_eq!(backwards, forwards);
                }
            }
        }
    }
}
