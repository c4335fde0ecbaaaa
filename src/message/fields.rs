//! [`Fields`]: the fields of a message that are set.

use super::view::checked;
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
    /// Words of presence bits that are left.
    groups: u32,
    /// Position of the first of the fields.
    first: u16,
}

impl<'a, 'i> Fields<'a, 'i> {
    #[inline(always)]
    pub(super) fn new(view: MessageView<'a, 'i>) -> Self {
        let (body, base) = (view.body, view.base);
        Self {
            view,
            bits: view.bits & body.mask,
            window: &body.window,
            slots: base,
            groups: body.groups,
            first: 0,
        }
    }
}

/// The next word of presence bits.
struct Group<'a> {
    window: &'a Window,
    bits: NonZeroU32,
    slots: u32,
    left: u32,
    first: u16,
}

/// The first group in which something is set of those that are left.
///
/// As a function of numbers that returns numbers, it leaves the state of the loop in registers.
#[cold]
#[inline(never)]
fn next_group<'a>(words: Words<'_>, base: u32, body: &'a Body, mut left: u32) -> Option<Group<'a>> {
    let groups = body.fields.len().div_ceil(WINDOW) as u32;
    while left > 0 {
        let group = groups - left;
        let (bits, slots) = match body.is_wide() {
            // Behind the fields of a wide body come its oneofs.
            true => {
                let (bits, slots) = words.wide_group(base, group);
                let fields = body.fields.len() - group as usize * WINDOW;
                (if fields < WINDOW { bits & ((1 << fields) - 1) } else { bits }, slots)
            }
            false => (words.get(base + 2), base),
        };
        left -= 1;
        if let Some(bits) = NonZeroU32::new(bits) {
            let window = match group.checked_sub(1) {
                None => &body.window,
                Some(behind) => body.windows.get(behind as usize)?,
            };
            return Some(Group { window, bits, slots, left, first: (group as usize * WINDOW) as u16 });
        }
    }
    None
}

impl<'a, 'i> Iterator for Fields<'a, 'i> {
    type Item = (FieldRef<'a>, ValueRef<'a, 'i>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let bits = match NonZeroU32::new(self.bits) {
                Some(bits) => bits,
                None if self.groups == 0 => return None,
                None => {
                    let view = &self.view;
                    let group = next_group(view.words, view.base, view.body, self.groups)?;
                    (self.window, self.groups, self.first) = (group.window, group.left, group.first);
                    self.slots = group.slots;
                    group.bits
                }
            };
            self.bits = bits.get() & (bits.get() - 1);
            let bit = bits.trailing_zeros();
            let step = &self.window[bit as usize & (WINDOW - 1)];
            let slot = self.slots + step.slot as u32;
            self.slots += self.view.body.stride;
            let value =
                self.view.value(step.form, slot, || self.view.sub(step.sub), || step.elements, checked);
            if let Some(value) = value {
                return Some((self.view.own_at(self.first + bit as u16), value));
            }
        }
    }
}

impl FusedIterator for Fields<'_, '_> {}
