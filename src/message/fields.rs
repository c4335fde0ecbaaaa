//! [`Fields`]: the fields of a message that are set.

use super::read::checked;
use super::{MessageView, ValueRef};
use crate::program::{Body, WINDOW, Window};
use crate::schema::FieldRef;
use crate::slab::Words;
use core::iter::FusedIterator;
use core::num::NonZeroU32;

/// The fields of a message that are set; see [`MessageView::fields`].
///
/// In field number order; lists and maps without elements are not set. Takes a step per field that is set, whatever
/// the type has.
#[derive(Clone)]
pub struct Fields<'a, 'i> {
    view: MessageView<'a, 'i>,
    /// Presence bits not yet walked.
    bits: u32,
    /// The fields of these bits.
    window: &'a Window,
    /// What slots count from: the body, or of a wide message the next slot in the block of a group.
    slots: u32,
}

impl<'a, 'i> Fields<'a, 'i> {
    #[inline(always)]
    pub(super) fn new(view: MessageView<'a, 'i>) -> Self {
        let window = &view.body.window;
        Self { view, bits: view.bits & window.mask, window, slots: view.base }
    }
}

/// The next word of presence bits.
struct Group<'a> {
    window: &'a Window,
    bits: NonZeroU32,
    slots: u32,
}

/// The first window in which something is set of those that are left.
///
/// As a function of numbers that returns numbers, it leaves the state of the loop in registers.
#[cold]
#[inline(never)]
fn next_group<'a>(words: Words<'_>, base: u32, body: &'a Body, left: u32) -> Option<Group<'a>> {
    if body.is_wide() && words.is_wide_empty(base) {
        return None;
    }
    let group = body.windows.len().checked_sub(left as usize)?;
    body.windows.iter().enumerate().skip(group).find_map(|(group, window)| {
        let (bits, slots) =
            if body.is_wide() { words.wide_group(base, group as u32) } else { (words.get(base + 2), base) };
        Some(Group { window, bits: NonZeroU32::new(bits & window.mask)?, slots })
    })
}

impl<'a, 'i> Iterator for Fields<'a, 'i> {
    type Item = (FieldRef<'a>, ValueRef<'a, 'i>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let bits = match NonZeroU32::new(self.bits) {
                Some(bits) => bits,
                None if self.window.left == 0 => return None,
                None => {
                    let view = &self.view;
                    let group = next_group(view.words, view.base, view.body, self.window.left)?;
                    (self.window, self.slots) = (group.window, group.slots);
                    group.bits
                }
            };
            self.bits = bits.get() & (bits.get() - 1);
            let bit = bits.trailing_zeros();
            let step = &self.window.steps[bit as usize & (WINDOW - 1)];
            let slot = self.slots + step.slot as u32;
            self.slots += self.view.body.stride;
            let value = self.view.value(
                step.form,
                self.view.slot_at(slot),
                || self.view.sub(step.sub),
                || step.elements,
                checked,
            );
            if let Some(value) = value {
                return Some((self.view.own_at(self.window.first + bit as u16), value));
            }
        }
    }
}

impl FusedIterator for Fields<'_, '_> {}
