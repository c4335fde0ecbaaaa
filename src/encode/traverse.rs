//! The traversal of the encoder: every field of a message and its sub-messages, last first.
//!
//! [`traverse`] drives a [`Visit`], of which there are two: one writes, one only sizes. The message being visited is in
//! local variables; parents wait in 32-byte frames on the stack (`levels.rs`). Only presence bits that are set are
//! looked at. Sub-messages of fixed shape with all fields set (points, samples) are handed over whole.
//!
//! Visitors go by value into what is not inlined, and come back: so their state stays in registers in the loops.

use super::EncodeOptions;
use super::levels::{FEW, Level, Levels};
use crate::error::EncodeErrorKind;
use crate::program::{Coding, FieldEntry, FixedLayout, Program, WriteEntry, WriteKind};
use crate::slab::{RawList, RawView, SetFieldsRev};
use crate::wire::TagWord;
use alloc::vec::Vec;

/// What is done with the parts of a message, each behind what comes later on the wire.
pub(super) trait Visit: Sized {
    /// Leaves a visitor behind that is not used any more.
    fn take(&mut self) -> Self;

    /// Visits what it can of the fields at once, given as presence bits of a dense message, and gives the others.
    fn at_once(&mut self, program: &Program, bits: u64) -> u64;

    /// A number, by its first two words.
    fn number(&mut self, field: &WriteEntry, words: u64);

    /// A string or bytes: length and offset in the store.
    fn span(&mut self, view: RawView<'_, '_>, tag: TagWord, span: u64);

    /// A list that is not one of messages, at its slot.
    fn list(self, view: RawView<'_, '_>, entry: &FieldEntry, tag: TagWord, slot: u32) -> Self;

    /// A sub-message of fixed shape at `base` with all fields set.
    fn shaped(&mut self, view: RawView<'_, '_>, tag: TagWord, shape: &FixedLayout, base: u32);

    /// A sub-message is next. What it gives comes back when all of it has been visited.
    fn enter(&mut self, frame: Frame) -> u64;

    /// All of a sub-message has been visited.
    fn leave(&mut self, frame: Frame, open: u64);

    /// The unknown fields of a message that has some, behind its other fields; all of a verbatim message.
    fn unknown(self, view: RawView<'_, '_>) -> Self;
}

/// What goes around a sub-message on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// A tag and the length.
    Length { tag: TagWord },
    /// A start and an end tag.
    Group { tag: TagWord },
    /// A MessageSet item with this type id.
    Item { type_id: u32 },
}

impl Frame {
    #[inline(always)]
    fn of(parent: &Program, entry: &FieldEntry, tag: TagWord) -> Self {
        match entry.coding {
            Coding::Group => Self::Group { tag },
            _ if parent.message_set => Self::Item { type_id: entry.number() },
            _ => Self::Length { tag },
        }
    }
}

/// What a traversal is told, and what it finds out beside.
struct Course<'o> {
    options: &'o EncodeOptions,
    /// Not zero if a required field may be missing.
    missing: u64,
    /// A message that is bytes nests deeper than the limit, or what is left of it.
    too_deep: bool,
    /// Key orders of the maps being visited, innermost last.
    orders: Vec<Vec<u32>>,
}

impl Course<'_> {
    /// Whether the elements of a field are visited in the order on top of the stack of orders.
    #[inline(always)]
    fn sorts(&self, entry: &FieldEntry) -> bool {
        self.options.is_deterministic() && entry.flags.is_map()
    }

    /// Sorts the entries of a map.
    #[cold]
    #[inline(never)]
    fn begin_map(&mut self, map: RawList<'_, '_>) -> Result<(), EncodeErrorKind> {
        let order = map.map_order().ok_or(EncodeErrorKind::OutOfMemory)?;
        self.orders.try_reserve(1).map_err(|_| EncodeErrorKind::OutOfMemory)?;
        self.orders.push(order);
        Ok(())
    }

    /// Drops the order of a map of which nothing is left.
    #[inline(always)]
    fn end_list(&mut self, entry: &FieldEntry, left: u32) {
        if left == 0 && self.sorts(entry) {
            self.orders.pop();
        }
    }
}

/// Visits a message and everything below it. True if a required field may be missing.
///
/// # Errors
/// `DepthExceeded`, `OutOfMemory`.
#[inline(always)]
pub(super) fn traverse<V: Visit>(
    root: RawView<'_, '_>,
    options: &EncodeOptions,
    visitor: &mut V,
) -> Result<bool, EncodeErrorKind> {
    let mut course = Course { options, missing: 0, too_deep: false, orders: Vec::new() };
    let mut here = Here { view: root, fields: None, position: 0, left: 0, depth: 0 };
    // Not touched if it is not needed.
    let mut few;
    let mut levels = Levels::new(if root.program().is_parent() {
        few = [Level::default(); FEW];
        Some(&mut few)
    } else {
        None
    });
    while let Drive::Deeper = drive(&mut here, levels.as_mut_slice(), &mut course, visitor)? {
        if !levels.grow() {
            return Err(EncodeErrorKind::OutOfMemory);
        }
    }
    if course.too_deep { Err(EncodeErrorKind::DepthExceeded) } else { Ok(course.missing != 0) }
}

/// Where a traversal is.
struct Here<'a, 'i> {
    view: RawView<'a, 'i>,
    /// `None` before the first message has begun.
    fields: Option<SetFieldsRev>,
    /// The message field being visited, and how many of its elements are left.
    position: u32,
    left: u32,
    depth: usize,
}

/// Whether all has been visited, or there is no place for one more level.
enum Drive {
    Done,
    Deeper,
}

/// Begins a message: what is behind its fields, and the fields.
#[inline(always)]
fn begin<V: Visit>(
    view: RawView<'_, '_>,
    program: &Program,
    depth: usize,
    course: &mut Course<'_>,
    visitor: &mut V,
) -> SetFieldsRev {
    if view.words.get(view.base + 1) != 0 {
        *visitor = visitor.take().unknown(view);
        if view.is_verbatim() {
            // What of it has been read may lack required fields.
            course.missing |= u64::from(program.needs_check());
            course.too_deep |= depth + view.raw_levels() as usize > course.options.depth_limit() as usize;
            return SetFieldsRev::default();
        }
    }
    let fields = SetFieldsRev::new(program, view.words, view.base);
    if program.has_required() {
        // The fields of wide messages are looked at by `find_missing` alone.
        course.missing |= if program.is_wide() { 1 } else { program.required_mask() & !fields.rest() };
    }
    fields.constant_sized(program, |bits| visitor.at_once(program, bits))
}

/// A field that is not a message; false for one that is, and nothing is done then.
#[inline(always)]
fn plain<V: Visit>(
    view: RawView<'_, '_>,
    program: &Program,
    (position, field, slot): (usize, &WriteEntry, u32),
    visitor: &mut V,
) -> bool {
    match field.kind {
        WriteKind::Varint | WriteKind::Fixed => visitor.number(field, view.words.get64_or_32(slot)),
        WriteKind::Span => visitor.span(view, field.tag, view.words.get64(slot)),
        WriteKind::List => {
            let Some(entry) = program.entries().get(position) else { return true };
            *visitor = visitor.take().list(view, entry, field.tag, slot);
        }
        WriteKind::Inline | WriteKind::Message => return false,
    }
    true
}

/// The loop. Inlined, so that it is compiled for the processor that its caller is compiled for.
#[inline(always)]
fn drive<V: Visit>(
    here: &mut Here<'_, '_>,
    levels: &mut [Level],
    course: &mut Course<'_>,
    out: &mut V,
) -> Result<Drive, EncodeErrorKind> {
    let mut visitor = out.take();
    let (mut view, mut depth) = (here.view, here.depth);
    let (mut position, mut left) = (here.position as usize, here.left);
    let limit = course.options.depth_limit() as usize;
    let mut program = view.program();
    let mut fields = match here.fields {
        Some(fields) => fields,
        None => begin(view, program, depth, course, &mut visitor),
    };
    'message: loop {
        'children: {
            if left > 0 {
                break 'children;
            }
            while let Some((at, field, slot)) =
                fields.next_non_numeric(program, view.words, view.base, |field, slot| {
                    visitor.number(field, view.words.get64_or_32(slot))
                })
            {
                if plain(view, program, (at, field, slot), &mut visitor) {
                    continue;
                }
                let Some(entry) = program.entries().get(at) else { continue };
                if field.kind == WriteKind::Inline
                    && let Some(shape) = view.set.program(entry.sub).fixed()
                    && view.words.get64(slot) == shape.all
                    && entry.coding == Coding::Message
                    && depth < limit
                {
                    visitor.shaped(view, field.tag, shape, slot);
                    continue;
                }
                (position, left) = (at, 1);
                if entry.flags.is_list() {
                    left = view.words.list(slot).len;
                    if course.sorts(entry) {
                        course.begin_map(view.list(entry, slot))?;
                    }
                }
                break 'children;
            }
            // All of the message has been visited.
            let Some(level) = depth.checked_sub(1).and_then(|at| levels.get(at)) else {
                *out = visitor;
                return Ok(Drive::Done);
            };
            depth -= 1;
            view = view.at(level.index, level.base);
            program = view.program();
            (position, left) = (level.position as usize, level.left);
            fields = SetFieldsRev::resume(program, view.words, view.base, position, level.rest);
            if let (Some(entry), Some(field)) =
                (program.entries().get(position), program.writes().get(position))
            {
                visitor.leave(Frame::of(program, entry, field.tag), level.open);
                course.end_list(entry, left);
            }
            continue 'message;
        }

        // The children of one field, up to one that needs a frame.
        let (Some(entry), Some(field)) = (program.entries().get(position), program.writes().get(position))
        else {
            continue 'message;
        };
        if left > 0 && depth >= limit {
            return Err(EncodeErrorKind::DepthExceeded);
        }
        let (frame, sub) = (Frame::of(program, entry, field.tag), view.set.program(entry.sub));
        let shape = sub.fixed().filter(|_| matches!(frame, Frame::Length { .. }));
        let slot = view.slot_of(program, position, field);
        let list = entry.flags.is_list().then(|| view.list(entry, slot));
        let sorted = course.sorts(entry);
        while left > 0 {
            let child = match &list {
                None => view.child(entry, slot).base,
                Some(list) if sorted => {
                    let order = course.orders.last().and_then(|order| order.get(left as usize - 1));
                    list.message_base(order.copied().unwrap_or(left - 1))
                }
                Some(list) => list.message_base(left - 1),
            };
            if let Some(shape) = shape
                && view.words.get64(child) == shape.all
            {
                visitor.shaped(view, field.tag, shape, child);
                left -= 1;
                continue;
            }
            let Some(level) = levels.get_mut(depth) else {
                *here = Here { view, fields: Some(fields), position: position as u32, left, depth };
                *out = visitor;
                return Ok(Drive::Deeper);
            };
            let open = visitor.enter(frame);
            let (index, base, rest) = (view.index, view.base, fields.rest());
            *level = Level { rest, open, index, base, position: position as u32, left: left - 1 };
            depth += 1;
            (view, program, left) = (view.at(entry.sub, child), sub, 0);
            fields = begin(view, program, depth, course, &mut visitor);
            continue 'message;
        }
        course.end_list(entry, left);
    }
}
