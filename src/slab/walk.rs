//! A walk over a message and all its sub-messages, in field number order, without recursion.
//!
//! The encoder's two passes, copies and comparisons are loops over [`Walk::next`]. The state of a message that
//! waits for its child is 40 bytes plus what the caller keeps with it; the first [`INLINE_LEVELS`] levels need no
//! heap.

use super::Full;
use super::view::{RawList, RawView, SetFields};
use crate::program::FieldEntry;
use alloc::vec::Vec;

/// Levels that wait in the walk itself rather than on the heap.
const INLINE_LEVELS: usize = 8;

/// What comes next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WalkStep<'a> {
    /// A field that is not a message: a value or a list of values at a slot.
    Field(usize, &'a FieldEntry, u32),
    /// A sub-message begins (an element of a list, a map entry); the walk is in it now.
    Enter(usize),
    /// All fields of the message have been visited. `leave` goes back to the parent.
    End,
}

/// A message that waits for its child.
#[derive(Clone, Copy, Debug)]
struct WalkFrame<T> {
    fields: SetFields,
    index: u32,
    base: u32,
    /// The list being walked: its slot, and the next element; `u32::MAX` for none.
    slot: u32,
    element: u32,
    position: u32,
    data: T,
}

/// The walk; `T` is what the caller keeps with each open message.
pub(crate) struct Walk<'a, 'i, T> {
    view: RawView<'a, 'i>,
    here: WalkFrame<T>,
    depth: usize,
    inline: [WalkFrame<T>; INLINE_LEVELS],
    spill: Vec<WalkFrame<T>>,
}

const NO_LIST: u32 = u32::MAX;

impl<'a, 'i, T: Copy> Walk<'a, 'i, T> {
    /// A walk that begins in this message.
    pub(crate) fn new(view: RawView<'a, 'i>, data: T) -> Self {
        let here = WalkFrame {
            fields: view.set_fields(),
            index: view.index,
            base: view.base,
            slot: 0,
            element: NO_LIST,
            position: 0,
            data,
        };
        Self { view, here, depth: 0, inline: [here; INLINE_LEVELS], spill: Vec::new() }
    }

    /// Makes sure that the next step needs no memory. A walk for which nobody does that aborts if there is none.
    #[inline]
    pub(crate) fn make_room(&mut self) -> Result<(), Full> {
        if self.depth < INLINE_LEVELS || self.spill.len() < self.spill.capacity() {
            return Ok(());
        }
        self.spill.try_reserve(1).map_err(|_| Full)
    }

    /// The message that the walk is in.
    #[inline]
    pub(crate) fn view(&self) -> RawView<'a, 'i> {
        self.view.at(self.here.index, self.here.base)
    }

    /// What the caller keeps with it.
    #[inline]
    pub(crate) fn data(&mut self) -> &mut T {
        &mut self.here.data
    }

    /// The next step; `data` is kept with the sub-message, should one begin.
    #[inline]
    pub(crate) fn next(&mut self, data: T) -> WalkStep<'a> {
        loop {
            if self.here.element != NO_LIST
                && let Some(step) = self.next_element(data)
            {
                return step;
            }
            let view = self.view();
            let Some((position, entry, slot)) = self.here.fields.next(view) else { return WalkStep::End };
            if !entry.coding.is_message() {
                return WalkStep::Field(position, entry, slot);
            }
            self.here.position = position as u32;
            if !entry.flags.is_list() {
                return self.enter(position, view.child(entry, slot), data);
            }
            self.here.slot = slot;
            self.here.element = 0;
        }
    }

    fn next_element(&mut self, data: T) -> Option<WalkStep<'a>> {
        let view = self.view();
        let position = self.here.position as usize;
        let entry = view.program().entries().get(position)?;
        let list: RawList<'a, 'i> = view.list(entry, self.here.slot);
        let element = self.here.element;
        if element >= list.len() {
            self.here.element = NO_LIST;
            return None;
        }
        self.here.element += 1;
        Some(self.enter(position, list.message(element), data))
    }

    fn enter(&mut self, position: usize, child: RawView<'a, 'i>, data: T) -> WalkStep<'a> {
        match self.inline.get_mut(self.depth) {
            Some(place) => *place = self.here,
            None => self.spill.push(self.here),
        }
        self.depth += 1;
        self.here = WalkFrame {
            fields: child.set_fields(),
            index: child.index,
            base: child.base,
            slot: 0,
            element: NO_LIST,
            position: 0,
            data,
        };
        WalkStep::Enter(position)
    }

    /// Goes back to the parent after [`WalkStep::End`]: gives the field that led to the child and the child's data,
    /// or `None` if the walk has ended.
    #[inline]
    pub(crate) fn leave(&mut self) -> Option<(&'a FieldEntry, T)> {
        let data = self.here.data;
        self.depth = self.depth.checked_sub(1)?;
        self.here = match self.inline.get(self.depth) {
            Some(level) => *level,
            None => self.spill.pop()?,
        };
        let entry = self.view().program().entries().get(self.here.position as usize)?;
        Some((entry, data))
    }

    /// The position of the current message in the list that holds it; 0 if it is not in a list.
    pub(crate) fn element(&self) -> u32 {
        self.parent().map_or(0, |level| level.element.wrapping_sub(1).min(NO_LIST - 2))
    }

    fn parent(&self) -> Option<&WalkFrame<T>> {
        let at = self.depth.checked_sub(1)?;
        self.inline.get(at).or_else(|| self.spill.last())
    }

    /// The fields that lead to the current message: (number, element of a list).
    pub(crate) fn path(&self) -> impl Iterator<Item = (&'a FieldEntry, Option<u32>)> + '_ {
        let inline = self.inline.iter().take(self.depth);
        inline.chain(&self.spill).filter_map(|level| {
            let entry = self.view.set.program(level.index).entries().get(level.position as usize)?;
            Some((entry, entry.flags.is_list().then(|| level.element.wrapping_sub(1))))
        })
    }
}
