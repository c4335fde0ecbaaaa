//! [`Fields`]: the fields of a message that are set.

use super::{MessageView, ValueRef};
use crate::program::{Access, Body, WIDE_GROUP};
use crate::schema::FieldRef;
use crate::slab::Words;
use core::iter::FusedIterator;
use core::num::NonZeroU64;

/// The fields of a message that are set; see [`MessageView::fields`].
///
/// In field number order; lists and maps without elements are not set. Takes a step per field that is set, whatever
/// the type has.
#[derive(Clone)]
pub struct Fields<'a, 'i> {
    view: MessageView<'a, 'i>,
    /// Presence bits not yet walked; of a wide message, those of a group.
    bits: u64,
    /// The fields of these bits and all behind them.
    fields: &'a [Access],
    /// What slots count from: the body, or of a wide message the next slot in the block of a group.
    slots: u32,
    /// By how much that moves on with each field: 2 in a wide message.
    step: u32,
    /// Groups of a wide message that are left.
    groups: u32,
}

impl<'a, 'i> Fields<'a, 'i> {
    #[inline(always)]
    pub(super) fn new(view: MessageView<'a, 'i>) -> Self {
        let (body, words, base) = (view.body(), view.raw.words, view.raw.base);
        let mut this = Self {
            view,
            bits: words.get(base) as u64,
            fields: &body.fields,
            slots: base,
            step: 0,
            groups: 0,
        };
        if body.large {
            (this.bits, this.step, this.groups) = begin_large(words, base, body);
        }
        this
    }
}

// As functions of numbers that return numbers, these leave the state of the loop in registers.

/// Bits, step and groups at the beginning of a message with more than 32 fields.
#[inline(never)]
fn begin_large(words: Words<'_>, base: u32, body: &Body) -> (u64, u32, u32) {
    if body.wide {
        return (0, 2, body.fields.len().div_ceil(WIDE_GROUP) as u32);
    }
    (words.get(base) as u64 | (words.get(base + 2) as u64) << 32, 0, 0)
}

/// A group of a wide message: its fields and those behind it, its bits and its block, and how many groups are left.
struct Group<'a> {
    fields: &'a [Access],
    bits: u32,
    block: u32,
    left: u32,
}

/// The first group in which something is set of those that are left.
#[cold]
#[inline(never)]
fn next_group<'a>(words: Words<'_>, base: u32, body: &'a Body, mut left: u32) -> Option<Group<'a>> {
    let groups = body.fields.len().div_ceil(WIDE_GROUP) as u32;
    while left > 0 {
        let group = groups - left;
        let (bits, block) = words.wide_group(base, group);
        left -= 1;
        if bits != 0 {
            let fields = body.fields.get(group as usize * WIDE_GROUP..)?;
            return Some(Group { fields, bits, block, left });
        }
    }
    None
}

impl<'a, 'i> Iterator for Fields<'a, 'i> {
    type Item = (FieldRef<'a>, ValueRef<'a, 'i>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(bits) = NonZeroU64::new(self.bits) else {
                if self.groups == 0 {
                    return None;
                }
                let raw = &self.view.raw;
                let group = next_group(raw.words, raw.base, self.view.body(), self.groups)?;
                (self.fields, self.groups) = (group.fields, group.left);
                (self.bits, self.slots) = (group.bits as u64, group.block);
                continue;
            };
            self.bits &= self.bits - 1;
            let access = self.fields.get(bits.trailing_zeros() as usize)?;
            let slot = self.slots + access.slot as u32;
            self.slots += self.step;
            if let Some(value) = self.view.field(access, slot) {
                return Some((self.view.own(access), value));
            }
        }
    }
}

impl FusedIterator for Fields<'_, '_> {}
