//! [`Fields`]: iterator over the set fields of a message.

use super::read::checked;
use crate::engine::slab::Words;
use crate::message::{MessageView, ValueRef};
use crate::schema::pool::FieldRef;
use crate::schema::program::{PAGE, PresencePage, ReadLayout};
use core::iter::FusedIterator;
use core::num::NonZeroU32;

/// Iterator over the set fields of a message, in field number order; see [`MessageView::fields`].
///
/// Skips lists and maps without elements. Takes a step per set field, not per field of the type.
#[derive(Clone)]
pub struct Fields<'a, 'i> {
    view: MessageView<'a, 'i>,
    /// The remaining hasbits of this page.
    bits: u32,
    /// The fields that the hasbits stand for.
    page: &'a PresencePage,
    /// The offset that slots count from: the body, or for a wide message the next slot in the group's block.
    slots: u32,
}

impl<'a, 'i> Fields<'a, 'i> {
    #[inline(always)]
    pub(in crate::message) fn new(view: MessageView<'a, 'i>) -> Self {
        let page = &view.layout.page;
        Self { view, bits: view.bits & page.mask, page, slots: view.base }
    }
}

/// The next word of hasbits.
struct Group<'a> {
    page: &'a PresencePage,
    bits: NonZeroU32,
    slots: u32,
}

/// The first of the last `left` pages with a set field.
///
/// It takes and returns numbers, so the state of the iterator stays in registers.
#[cold]
#[inline(never)]
fn next_group<'a>(words: Words<'_>, base: u32, layout: &'a ReadLayout, left: u32) -> Option<Group<'a>> {
    let pages = layout.more_pages.as_slice();
    let first = pages.len().checked_sub(left as usize)?;
    let found = |page: &'a PresencePage, bits: u32, slots: u32| {
        Some(Group { page, bits: NonZeroU32::new(bits & page.mask)?, slots })
    };
    if !layout.is_wide() {
        return found(pages.get(first)?, words.get(base + 2), base);
    }
    let mut rank = words.wide_before(base, first as u32);
    loop {
        let group = words.wide_group(base, rank, pages.len())?;
        // The groups of oneofs come last and have no page.
        let page = pages.get(group.number as usize)?;
        if let Some(found) = found(page, group.hasbits, group.block) {
            return Some(found);
        }
        rank += 1;
    }
}

impl<'a, 'i> Iterator for Fields<'a, 'i> {
    type Item = (FieldRef<'a>, ValueRef<'a, 'i>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let bits = match NonZeroU32::new(self.bits) {
                Some(bits) => bits,
                None if self.page.left == 0 => return None,
                None => {
                    let view = &self.view;
                    let group = next_group(view.words, view.base, view.layout, self.page.left)?;
                    (self.page, self.slots) = (group.page, group.slots);
                    group.bits
                }
            };
            self.bits = bits.get() & (bits.get() - 1);
            let bit = bits.trailing_zeros();
            let field = &self.page.fields[bit as usize & (PAGE - 1)];
            let slot = self.slots + field.slot as u32;
            self.slots += self.view.layout.stride;
            let value = self.view.value(
                field.form,
                self.view.slot_at(slot),
                || self.view.sub(field.sub),
                || field.elements,
                checked,
            );
            if let Some(value) = value {
                return Some((self.view.own_at(self.page.first + bit as u16), value));
            }
        }
    }
}

impl FusedIterator for Fields<'_, '_> {}
