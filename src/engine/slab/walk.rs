//! A walk over a message and all its sub-messages, in field number order, without recursion.
//!
//! ```text
//! loop match walk.next(data):
//!     Field(position, entry, slot)   a value, or a list of values
//!     Enter(position)                a sub-message, a list element or a map entry begins; the walk is in it
//!     End                            the message ends: leave() returns to its parent, or ends the walk
//! ```
//!
//! Copies, comparisons and the check for required fields are such loops. An open parent takes 40 bytes and the caller's
//! data; the first [`INLINE_LEVELS`] parents need no heap.

use super::view::{RawList, RawView, SetFields};
use super::{BodyRef, Full, NIL, Slab};
use crate::schema::program::{FieldEntry, Program};
use crate::wire::error::{FieldPath, PathStep};
use alloc::vec::Vec;

/// Open parents that are stored in the walk itself, not on the heap.
const INLINE_LEVELS: usize = 8;

/// The next step of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WalkStep<'a> {
    /// A field that is not a message: position, entry, and the slot of its value or list.
    Field(usize, &'a FieldEntry, u32),
    /// A sub-message, list element or map entry begins: the position of its field. The walk is in it now.
    Enter(usize),
    /// All fields of the message have been visited.
    End,
}

/// A parent whose child is being walked.
#[derive(Clone, Copy, Debug)]
struct WalkFrame<T> {
    fields: SetFields,
    body: BodyRef,
    /// The slot of the list being walked.
    slot: u32,
    /// The next element of that list; [`NO_LIST`] if there is none.
    element: u32,
    /// The field of the child.
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
    /// A walk that starts in this message.
    pub(crate) fn new(view: RawView<'a, 'i>, data: T) -> Self {
        let here = WalkFrame {
            fields: view.set_fields(),
            body: view.body,
            slot: 0,
            element: NO_LIST,
            position: 0,
            data,
        };
        Self { view, here, depth: 0, inline: [here; INLINE_LEVELS], spill: Vec::new() }
    }

    /// Reserves memory for the next step. Without this call before each step, a failing allocation aborts.
    #[inline]
    pub(crate) fn make_room(&mut self) -> Result<(), Full> {
        if self.depth < INLINE_LEVELS || self.spill.len() < self.spill.capacity() {
            return Ok(());
        }
        self.spill.try_reserve(1).map_err(|_| Full::NoMemory)
    }

    /// The message that the walk is in.
    #[inline]
    pub(crate) fn view(&self) -> RawView<'a, 'i> {
        self.view.at(self.here.body)
    }

    /// The caller's data of this message.
    #[inline]
    pub(crate) fn data(&mut self) -> &mut T {
        &mut self.here.data
    }

    /// The next step. If a sub-message begins, it gets `data`.
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
            body: child.body,
            slot: 0,
            element: NO_LIST,
            position: 0,
            data,
        };
        WalkStep::Enter(position)
    }

    /// Returns to the parent after [`WalkStep::End`]. Gives the field of the child and the child's data, or `None` at the end
    /// of the walk.
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

    /// The index of the current message in its list; 0 if it is not in a list.
    pub(crate) fn element(&self) -> u32 {
        self.parent().map_or(0, |level| level.element.wrapping_sub(1).min(NO_LIST - 2))
    }

    fn parent(&self) -> Option<&WalkFrame<T>> {
        let at = self.depth.checked_sub(1)?;
        self.inline.get(at).or_else(|| self.spill.last())
    }

    /// The path to the current message: fields, with the element of a list.
    pub(crate) fn path(&self) -> impl Iterator<Item = (&'a FieldEntry, Option<u32>)> + '_ {
        let inline = self.inline.iter().take(self.depth);
        inline.chain(&self.spill).filter_map(|level| {
            let entry = self.view.set.program(level.body.program).entries().get(level.position as usize)?;
            Some((entry, entry.flags.is_list().then(|| level.element.wrapping_sub(1))))
        })
    }
}

// Singular sub-messages and lists of a message in the slab, made if the field is not set: for setters, copies and parsers of text.
//
// The decoder does not use this: it keeps the hasbits of open messages in registers (`decode/child.rs`).

impl Slab {
    /// The body of a singular sub-message. A field that is not set gets an empty one. `program` and `base` are those of the parent,
    /// `sub` the program of the child.
    #[inline(always)]
    pub(crate) fn open_child(
        &mut self,
        (program, base): (&Program, u32),
        position: usize,
        entry: &FieldEntry,
        sub: &Program,
    ) -> Result<u32, Full> {
        if entry.flags.is_inline() {
            let (slot, fresh) = self.mark_set(program, base, position)?;
            if fresh {
                self.clear_body(sub, slot);
            }
            return Ok(slot);
        }
        let slot = self.words().slot(program, base, position, entry);
        let old = slot.map_or(NIL, |slot| self.get(slot));
        if old != NIL {
            return Ok(old);
        }
        let body = self.alloc_body(sub)?;
        let (slot, _) = self.mark_set(program, base, position)?;
        self.set(slot, body);
        Ok(body)
    }

    /// The header of a list. A field that is not set gets an empty list, which the caller unsets again if it adds nothing.
    #[inline]
    pub(crate) fn open_list(&mut self, program: &Program, base: u32, position: usize) -> Result<u32, Full> {
        let (slot, fresh) = self.mark_set(program, base, position)?;
        if fresh {
            self.set64(slot, 0);
        }
        Ok(slot)
    }
}

// The check for required fields.

/// A required field that is not set: the path to it.
#[derive(Debug)]
pub(crate) struct MissingField {
    path: FieldPath,
}

impl MissingField {
    #[cold]
    fn new(walk: &Walk<'_, '_, ()>, number: u32) -> Self {
        let mut path = FieldPath::EMPTY;
        for (entry, element) in walk.path() {
            path.push_inner(PathStep::new(entry.number(), None, element));
        }
        path.push_inner(PathStep::new(number, None, None));
        Self { path }
    }

    /// The path, field numbers only.
    pub(crate) fn path(self) -> FieldPath {
        self.path
    }
}

/// Finds a required field that is not set, outermost first.
///
/// # Errors
/// There is no memory for the levels of the walk.
pub(crate) fn find_missing(root: RawView<'_, '_>) -> Result<Option<MissingField>, Full> {
    if !root.program().needs_check() {
        return Ok(None);
    }
    let mut walk = Walk::new(root, ());
    if let Some(number) = missing_in(root) {
        return Ok(Some(MissingField::new(&walk, number)));
    }
    loop {
        walk.make_room()?;
        match walk.next(()) {
            WalkStep::Field(..) => {}
            WalkStep::Enter(..) => {
                if let Some(number) = missing_in(walk.view()) {
                    return Ok(Some(MissingField::new(&walk, number)));
                }
            }
            WalkStep::End => {
                if walk.leave().is_none() {
                    return Ok(None);
                }
            }
        }
    }
}

/// The first required field of this message that is not set.
fn missing_in(view: RawView<'_, '_>) -> Option<u32> {
    let program = view.program();
    // Nothing of a raw message is decoded yet; decoding it checks it.
    if !program.has_required() || view.is_raw() {
        return None;
    }
    let unset = |position: u16| {
        let entry = program.entries().get(position as usize)?;
        view.slot(position as usize, entry).is_none().then(|| entry.number())
    };
    program.required().iter().find_map(|&position| unset(position))
}
