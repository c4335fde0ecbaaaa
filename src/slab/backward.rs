//! The fields that are set, last first: the order in which the encoder writes.

use super::{RawView, Words};
use crate::program::{Program, WIDE_GROUP, WriteEntry, WriteKind};

/// Walks the fields that are set, in descending field number order. Holds no reference.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetFieldsRev {
    /// Presence bits not yet walked; of one group, if wide.
    bits: u64,
    /// The end of the slots not yet walked of a wide group.
    block: u32,
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

    /// The set fields of a wide message in front of a position.
    #[inline(never)]
    fn below(program: &Program, words: Words<'_>, base: u32, position: usize) -> Self {
        if words.is_wide_empty(base) {
            return Self::default();
        }
        let group = (position.min(program.entries().len()).saturating_sub(1) / WIDE_GROUP) as u32;
        Self::group_below(words, base, group, position)
    }

    fn group_below(words: Words<'_>, base: u32, group: u32, position: usize) -> Self {
        let (bitmap, block) = words.wide_group(base, group);
        // Behind the fields, the bitmap has the places of oneofs.
        let count = position.saturating_sub(group as usize * WIDE_GROUP).min(WIDE_GROUP);
        let bits = u64::from(bitmap) & ((1 << count) - 1);
        Self { bits, block: block + 2 * bits.count_ones(), group }
    }

    /// What is left behind the field at a position: the walk as it was when that field was its latest.
    #[inline(always)]
    pub(crate) fn resume(program: &Program, words: Words<'_>, base: u32, position: usize, rest: u64) -> Self {
        if program.is_wide() {
            Self::below(program, words, base, position)
        } else {
            Self { bits: rest, block: 0, group: 0 }
        }
    }

    /// Presence bits of a dense message that have not been walked.
    #[inline(always)]
    pub(crate) fn rest(self) -> u64 {
        self.bits
    }

    /// Without the fields of a dense message that `visit` takes away.
    #[inline(always)]
    pub(crate) fn constant_sized(self, program: &Program, visit: impl FnOnce(u64) -> u64) -> Self {
        if program.is_wide() { self } else { Self { bits: visit(self.bits), ..self } }
    }

    /// The field before the latest one: position, entry and slot. Of a dense message, the singular numbers that come
    /// first go to `number`, in a loop of their own: it is the hottest of the encoder and wants all registers.
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
            // By value, so that the bits of dense messages stay in a register.
            (*self, position) = self.next_group(program, words, base);
            return Some((position, writes.get(position)?, self.block));
        }
        loop {
            let index = self.bits.checked_ilog2()? as usize;
            self.bits ^= 1 << index;
            let entry = writes.get(index)?;
            let slot = base + entry.slot as u32;
            if !matches!(entry.kind, WriteKind::Varint | WriteKind::Fixed) {
                return Some((index, entry, slot));
            }
            number(entry, slot);
        }
    }

    /// The walk behind the next field of a wide message, and its position; `usize::MAX` if there is none.
    #[inline(never)]
    fn next_group(mut self, program: &Program, words: Words<'_>, base: u32) -> (Self, usize) {
        while self.bits == 0 {
            let Some(group) = self.group.checked_sub(1) else { return (self, usize::MAX) };
            self = Self::group_below(words, base, group, program.entries().len());
        }
        let index = self.bits.ilog2() as usize;
        self.bits ^= 1 << index;
        self.block -= 2;
        (self, self.group as usize * WIDE_GROUP + index)
    }
}

impl RawView<'_, '_> {
    /// The slot of a field that is set.
    #[inline(always)]
    pub(crate) fn slot_of(&self, program: &Program, position: usize, entry: &WriteEntry) -> u32 {
        if program.is_wide() {
            self.words.wide_find(self.base, position).unwrap_or(super::NIL)
        } else {
            self.base + entry.slot as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::slab::Slab;
    use crate::table::Kind;
    use alloc::vec::Vec;

    /// Messages of dense and wide types: what is walked backwards is what is walked forwards.
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
                    let view = RawView { words, store: &[], set: &set, index: 0, base };
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
