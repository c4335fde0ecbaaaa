//! The traversal of both encode passes: every field of a message and its sub-messages, in the order of writing.
//!
//! [`traverse`] drives a [`Visit`], of which there are two: one sizes, one writes. The message being visited is in
//! local variables; parents wait in 56-byte frames, the first [`INLINE_LEVELS`] of them without any heap. Only
//! presence bits that are set are looked at. Sub-messages of fixed shape with all fields set (points, samples) are
//! handed over whole: they need no frame, and their size is known.
//!
//! `slab::Walk` does the same one step at a time, for everything that need not be fast.

use super::EncodeOptions;
use crate::error::EncodeErrorKind;
use crate::program::{Coding, Entry, FixedShape, Program};
use crate::slab::{RawView, SetFields};
use alloc::vec::Vec;

/// Levels that wait without heap.
const INLINE_LEVELS: usize = 12;

/// What is done with the parts of a message.
pub(super) trait Visit {
    /// What is kept for a sub-message while it is open.
    type Open: Copy + Default;

    /// Visits what it can of the fields at once, given as presence bits of a dense message, and gives the others.
    fn at_once(&mut self, program: &Program, bits: u64) -> u64;

    /// A field that is not a message, at its slot.
    fn field(&mut self, view: RawView<'_, '_>, entry: &Entry, slot: u32);

    /// A sub-message of fixed shape at `base` with all fields set.
    fn shaped(&mut self, view: RawView<'_, '_>, entry: &Entry, shape: &FixedShape, base: u32);

    /// A sub-message begins.
    fn enter(&mut self, frame: Frame) -> Self::Open;

    /// A sub-message has ended; `view` is the sub-message.
    fn leave(&mut self, frame: Frame, open: Self::Open);

    /// The unknown fields of a message that has some, behind its other fields; all of a verbatim message.
    fn unknown(&mut self, view: RawView<'_, '_>);
}

/// What goes around a sub-message on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// A tag and the length.
    Length { tag: u32 },
    /// A start and an end tag.
    Group { tag: u32 },
    /// A MessageSet item with this type id.
    Item { type_id: u32 },
}

impl Frame {
    #[inline(always)]
    fn of(parent: &Program, entry: &Entry) -> Self {
        match entry.coding {
            Coding::Group => Self::Group { tag: entry.tag },
            _ if parent.message_set => Self::Item { type_id: entry.number() },
            _ => Self::Length { tag: entry.tag },
        }
    }
}

/// A list of messages being visited.
#[derive(Clone, Copy, Default)]
struct Elements {
    slot: u32,
    next: u32,
    len: u32,
    /// In the order on top of the stack of orders.
    sorted: bool,
}

/// A message that waits for its child.
#[derive(Clone, Copy, Default)]
struct Level<T> {
    fields: SetFields,
    index: u32,
    base: u32,
    position: u32,
    elements: Elements,
    open: T,
}

struct Levels<T> {
    inline: [Level<T>; INLINE_LEVELS],
    spill: Vec<Level<T>>,
    depth: usize,
}

impl<T: Copy + Default> Levels<T> {
    fn new() -> Self {
        Self { inline: [Level::default(); INLINE_LEVELS], spill: Vec::new(), depth: 0 }
    }

    #[inline(always)]
    fn push(&mut self, level: Level<T>) {
        match self.inline.get_mut(self.depth) {
            Some(place) => *place = level,
            None => self.spill.push(level),
        }
        self.depth += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Level<T>> {
        self.depth = self.depth.checked_sub(1)?;
        match self.inline.get(self.depth) {
            Some(level) => Some(*level),
            None => self.spill.pop(),
        }
    }
}

/// Visits a message and everything below it.
///
/// # Errors
/// `DepthExceeded`.
#[inline(always)]
pub(super) fn traverse<V: Visit>(
    root: RawView<'_, '_>,
    options: &EncodeOptions,
    visitor: &mut V,
) -> Result<(), EncodeErrorKind> {
    if !root.program().has_messages() {
        // Nothing to wait for: no frames.
        leaf(root, visitor);
        return Ok(());
    }
    let mut levels = Levels::<V::Open>::new();
    let mut orders: Vec<Vec<u32>> = Vec::new();
    let (mut view, mut program) = (root, root.program());
    let mut fields = view.fields_to_write().at_once(program, |bits| visitor.at_once(program, bits));
    let mut position = 0;
    let mut elements = Elements::default();

    'message: loop {
        'children: {
            if elements.next < elements.len {
                break 'children;
            }
            if elements.sorted {
                orders.pop();
            }
            while let Some((at, entry, slot)) = fields.next_of(program, view.words, view.base) {
                if !entry.coding.is_message() {
                    visitor.field(view, entry, slot);
                    continue;
                }
                if entry.flags.is_inline() && levels.depth < options.depth_limit() as usize {
                    // Small and without messages of its own: no need to leave this loop.
                    inlined(view, program, entry, slot, visitor);
                    continue;
                }
                position = at;
                if entry.flags.is_list() {
                    let sorted = options.is_deterministic() && entry.flags.is_map();
                    elements = Elements { slot, next: 0, len: view.words.list(slot).len, sorted };
                    if sorted {
                        orders.push(view.list(entry, slot).map_order());
                    }
                } else {
                    elements = Elements { slot, next: 0, len: 1, sorted: false };
                }
                break 'children;
            }
            // The message has ended.
            if view.words.get(view.base + 1) != 0 {
                visitor.unknown(view);
            }
            let Some(level) = levels.pop() else { return Ok(()) };
            view = view.at(level.index, level.base);
            program = view.program();
            (fields, position, elements) = (level.fields, level.position as usize, level.elements);
            if let Some(entry) = program.entries().get(position) {
                visitor.leave(Frame::of(program, entry), level.open);
            }
            continue 'message;
        }

        // The children of one field, up to one that needs a frame.
        let Some(entry) = program.entries().get(position) else { continue 'message };
        let sub = view.set.program(entry.sub);
        let list = entry.flags.is_list().then(|| view.list(entry, elements.slot));
        while elements.next < elements.len {
            let child = match &list {
                None => view.child(entry, elements.slot).base,
                Some(list) if elements.sorted => {
                    let order = orders.last().and_then(|order| order.get(elements.next as usize));
                    list.message(order.copied().unwrap_or(elements.next)).base
                }
                Some(list) => list.message(elements.next).base,
            };
            elements.next += 1;
            if levels.depth >= options.depth_limit() as usize {
                return Err(EncodeErrorKind::DepthExceeded);
            }
            if let Some(shape) = sub.fixed() {
                let header = view.words.get64(child);
                if header == shape.all && !program.message_set && entry.coding == Coding::Message {
                    visitor.shaped(view, entry, shape, child);
                    continue;
                }
            }
            let frame = Frame::of(program, entry);
            let open = visitor.enter(frame);
            let inner = view.at(entry.sub, child);
            if !sub.has_messages() {
                leaf(inner, visitor);
                visitor.leave(frame, open);
                continue;
            }
            let (index, base, position) = (view.index, view.base, position as u32);
            levels.push(Level { fields, index, base, position, elements, open });
            (view, program) = (inner, sub);
            fields = view.fields_to_write().at_once(program, |bits| visitor.at_once(program, bits));
            elements = Elements::default();
            break;
        }
    }
}

/// A sub-message that lives in the slots of its parent.
#[inline(always)]
fn inlined<V: Visit>(view: RawView<'_, '_>, program: &Program, entry: &Entry, slot: u32, visitor: &mut V) {
    let sub = view.set.program(entry.sub);
    if let Some(shape) = sub.fixed()
        && view.words.get64(slot) == shape.all
        && entry.coding == Coding::Message
    {
        return visitor.shaped(view, entry, shape, slot);
    }
    let frame = Frame::of(program, entry);
    let open = visitor.enter(frame);
    leaf(view.at(entry.sub, slot), visitor);
    visitor.leave(frame, open);
}

/// A message that cannot hold others.
#[inline(never)]
fn leaf<V: Visit>(view: RawView<'_, '_>, visitor: &mut V) {
    let program = view.program();
    let mut fields = view.fields_to_write().at_once(program, |bits| visitor.at_once(program, bits));
    while let Some((_, entry, slot)) = fields.next_of(program, view.words, view.base) {
        visitor.field(view, entry, slot);
    }
    if view.words.get(view.base + 1) != 0 {
        visitor.unknown(view);
    }
}
