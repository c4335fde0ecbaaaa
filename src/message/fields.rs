//! [`Fields`]: the fields of a message that are set.

use super::{MessageView, ValueRef};
use crate::program::{Access, WIDE_GROUP};
use crate::schema::FieldRef;
use crate::slab::Words;
use core::iter::FusedIterator;
use core::num::NonZeroU64;

/// The fields of a message that are set; see [`MessageView::fields`].
///
/// Takes a step per field that is set, whatever the type has.
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
        let mut bits = words.get(base) as u64;
        if body.high {
            bits |= (words.get(base + 2) as u64) << 32;
        }
        let mut this = Self { view, bits, fields: &body.fields, slots: base, step: 0, groups: 0 };
        if body.wide {
            (this.bits, this.step) = (0, 2);
            this.groups = body.fields.len().div_ceil(WIDE_GROUP) as u32;
        }
        this
    }
}

/// Of a wide message with `len` fields, the next group in which something is set: how many are left behind it, its
/// bits and its block.
#[cold]
#[inline(never)]
fn next_group(words: Words<'_>, base: u32, len: usize, mut left: u32) -> Option<(u32, u32, u32)> {
    let groups = len.div_ceil(WIDE_GROUP) as u32;
    while left > 0 {
        let (bits, block) = words.wide_group(base, groups - left);
        left -= 1;
        if bits != 0 {
            return Some((left, bits, block));
        }
    }
    None
}

impl<'a, 'i> Iterator for Fields<'a, 'i> {
    type Item = (FieldRef<'a>, ValueRef<'a, 'i>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let raw = &self.view.raw;
            let Some(bits) = NonZeroU64::new(self.bits) else {
                if self.groups == 0 {
                    return None;
                }
                let all = &self.view.body().fields;
                let (left, bits, block) = next_group(raw.words, raw.base, all.len(), self.groups)?;
                let group = all.len().div_ceil(WIDE_GROUP) - left as usize - 1;
                self.fields = all.get(group * WIDE_GROUP..)?;
                (self.groups, self.bits, self.slots) = (left, bits as u64, block);
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
