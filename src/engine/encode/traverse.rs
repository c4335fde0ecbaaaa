//! The traversal of the encoder: visits every field of a message and its sub-messages, in the order of the wire.
//!
//! ```text
//! message:
//!     for each set field, lowest field number first:
//!         number, string or list: visit it
//!         message of fixed shape, all fields set: visit it as a whole
//!         other messages:
//!             for each element:
//!                 visitor.enter; push this message as a parent; continue with the child at `message`
//!     visit unknown fields                                # they are last on the wire
//!     pop the parent; visitor.leave; continue with its next element or field
//! ```
//!
//! Preconditions: the view is of a valid message. Depth is checked here, so no message makes it recurse or run out of
//! stack.
//!
//! The state of the message is in local variables. Out-of-line methods take and return the visitor by value, so its
//! address never escapes and its count or cursor stays in registers: with a cursor by reference, flat messages were encoded
//! at 409 MB/s, by value at 790.

use crate::engine::slab::{BodyRef, RawList, RawView, SetFields};
use crate::schema::program::{Coding, FieldEntry, FixedLayout, Program, WriteEntry, WriteKind};
use crate::wire::TagWord;
use crate::wire::error::EncodeErrorKind;
use crate::wire::options::EncodeOptions;
use alloc::vec::Vec;

/// A visitor of the parts of a message, in their order on the wire.
pub(super) trait Visit: Sized {
    /// Moves the visitor out; what remains is not used.
    fn take(&mut self) -> Self;

    /// Visits the set fields whose size is constant, if it only counts. `bits` are the hasbits of a dense message;
    /// gives those of the fields that remain.
    fn constant_sized(&mut self, program: &Program, bits: u64) -> u64;

    /// A singular number, as the two words at its slot.
    fn number(&mut self, field: &WriteEntry, words: u64);

    /// A singular string or bytes field, as (offset, length) in the store.
    fn span(&mut self, view: RawView<'_, '_>, tag: TagWord, span: u64);

    /// A list of anything but messages.
    fn list(self, view: RawView<'_, '_>, entry: &FieldEntry, tag: TagWord, slot: u32) -> Self;

    /// A sub-message of fixed shape at `base` with all fields set.
    fn fixed_message(&mut self, view: RawView<'_, '_>, tag: TagWord, layout: &FixedLayout, base: u32);

    /// The start of a sub-message, whose fields follow. `leave` gets the returned value back.
    fn enter(&mut self, framing: Framing) -> u64;

    /// The end of a sub-message, whose fields have been visited.
    fn leave(&mut self, framing: Framing, open: u64);

    /// The unknown fields of a message, or all bytes of a verbatim message.
    fn unknown(self, view: RawView<'_, '_>) -> Self;
}

/// What encloses a sub-message on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Framing {
    /// A tag and the length.
    Length { tag: TagWord },
    /// A start and an end tag.
    Group { tag: TagWord },
    /// A MessageSet item with this type id.
    Item { type_id: u32 },
}

impl Framing {
    #[inline(always)]
    fn of(parent: &Program, entry: &FieldEntry, tag: TagWord) -> Self {
        match entry.coding {
            Coding::Group => Self::Group { tag },
            _ if parent.is_message_set() => Self::Item { type_id: entry.number() },
            _ => Self::Length { tag },
        }
    }
}

/// The options of a traversal, and what it finds out about the message.
struct Context<'o> {
    options: &'o EncodeOptions,
    /// Not zero if a required field may be missing.
    missing: u64,
    /// A verbatim message nests deeper than the limit.
    too_deep: bool,
    /// The sorted positions of the entries of each open map, the innermost map last.
    orders: Vec<Vec<u32>>,
}

impl Context<'_> {
    /// Whether the entries of a field are visited in key order.
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

    /// Drops the order of a map whose entries have all been visited.
    #[inline(always)]
    fn end_list(&mut self, entry: &FieldEntry, elements: Elements) {
        if elements.are_done() && self.sorts(entry) {
            self.orders.pop();
        }
    }
}

/// Visits a message with all its sub-messages. True if a required field may be missing.
///
/// # Errors
/// `DepthExceeded`, `OutOfMemory`.
#[inline(always)]
pub(super) fn traverse<V: Visit>(
    root: RawView<'_, '_>,
    options: &EncodeOptions,
    visitor: &mut V,
) -> Result<bool, EncodeErrorKind> {
    let mut context = Context { options, missing: 0, too_deep: false, orders: Vec::new() };
    let mut resume = Position { view: root, fields: None, elements: Elements::default(), depth: 0 };
    // Not initialised for messages without sub-messages.
    let mut inline;
    let mut parents = OpenParents::new(if root.program().is_parent() {
        inline = [OpenParent::default(); INLINE];
        Some(&mut inline)
    } else {
        None
    });
    while let Drive::Deeper = drive(&mut resume, parents.as_mut_slice(), &mut context, visitor)? {
        if !parents.grow() {
            return Err(EncodeErrorKind::OutOfMemory);
        }
    }
    if context.too_deep { Err(EncodeErrorKind::DepthExceeded) } else { Ok(context.missing != 0) }
}

/// Where a traversal stopped because it needs more room.
struct Position<'a, 'i> {
    view: RawView<'a, 'i>,
    /// `None` before the first message has begun.
    fields: Option<SetFields>,
    elements: Elements,
    depth: usize,
}

/// Why `drive` returned.
enum Drive {
    /// Everything has been visited.
    Done,
    /// The next child needs room for one more parent.
    Deeper,
}

/// Begins a message, and returns its fields: none of a verbatim one.
#[inline(always)]
fn begin<V: Visit>(
    view: RawView<'_, '_>,
    program: &Program,
    depth: usize,
    context: &mut Context<'_>,
    visitor: &mut V,
) -> SetFields {
    if view.words.get(view.body.base + 1) != 0 && view.is_verbatim() {
        // Sub-messages that were decoded from its bytes may lack required fields.
        context.missing |= u64::from(program.needs_check());
        context.too_deep |= depth + view.raw_levels() as usize > context.options.depth_limit() as usize;
        return SetFields::NONE;
    }
    let fields = SetFields::new(program, view.words, view.body.base);
    if program.has_required() {
        // In a wide message, only `find_missing` checks.
        context.missing |= if program.is_wide() { 1 } else { program.required_mask() & !fields.rest() };
    }
    fields.constant_sized(program, |bits| visitor.constant_sized(program, bits))
}

/// Visits a field that is not a message; false, if it is one.
#[inline(always)]
fn visit_plain<V: Visit>(
    view: RawView<'_, '_>,
    program: &Program,
    (position, field, slot): (usize, &WriteEntry, u32),
    visitor: &mut V,
) -> bool {
    match field.kind {
        WriteKind::Span => visitor.span(view, field.tag, view.words.get64(slot)),
        WriteKind::List => {
            let Some(entry) = program.entries().get(position) else { return true };
            *visitor = visitor.take().list(view, entry, field.tag, slot);
        }
        WriteKind::Inline | WriteKind::Message => return false,
        _ => visitor.number(field, view.words.get64_or_32(slot)),
    }
    true
}

/// The loop. Inlined into each of its callers, which have a visitor each.
#[inline(always)]
fn drive<V: Visit>(
    resume: &mut Position<'_, '_>,
    parents: &mut [OpenParent],
    context: &mut Context<'_>,
    out: &mut V,
) -> Result<Drive, EncodeErrorKind> {
    let mut visitor = out.take();
    let Position { mut view, mut elements, mut depth, .. } = *resume;
    let limit = context.options.depth_limit() as usize;
    let mut program = view.program();
    let mut fields = match resume.fields {
        Some(fields) => fields,
        None => begin(view, program, depth, context, &mut visitor),
    };
    'message: loop {
        'children: {
            if !elements.are_done() {
                break 'children;
            }
            while let Some((at, field, slot)) =
                fields.next_non_numeric(program, view.words, view.body.base, |field, slot| {
                    visitor.number(field, view.words.get64_or_32(slot))
                })
            {
                if visit_plain(view, program, (at, field, slot), &mut visitor) {
                    continue;
                }
                let Some(entry) = program.entries().get(at) else { continue };
                // A message of fixed shape in the parent's body, all fields set: no parent is pushed, and every tag
                // is known.
                if field.kind == WriteKind::Inline
                    && let Some(layout) = view.set.program(entry.sub).fixed()
                    && view.words.get64(slot) == layout.all
                    && entry.coding == Coding::Message
                    && depth < limit
                {
                    visitor.fixed_message(view, field.tag, layout, slot);
                    continue;
                }
                elements = Elements { position: at as u32, slot, next: 0, count: 1 };
                if entry.flags.is_list() {
                    elements.count = view.words.list(slot).len;
                    if context.sorts(entry) {
                        context.begin_map(view.list(entry, slot))?;
                    }
                }
                break 'children;
            }
            // All fields have been visited: unknown ones, or the bytes of a verbatim message, and the end of it.
            if view.words.get(view.body.base + 1) != 0 {
                visitor = visitor.unknown(view);
            }
            let Some(parent) = depth.checked_sub(1).and_then(|at| parents.get(at)) else {
                *out = visitor;
                return Ok(Drive::Done);
            };
            depth -= 1;
            view = view.at(parent.body);
            program = view.program();
            (fields, elements) = (parent.fields, parent.elements);
            let position = elements.position as usize;
            if let (Some(entry), Some(field)) =
                (program.entries().get(position), program.writes().get(position))
            {
                visitor.leave(Framing::of(program, entry, field.tag), parent.open);
                context.end_list(entry, elements);
            }
            continue 'message;
        }

        // The elements of one message field, up to one that must be entered.
        let position = elements.position as usize;
        let (Some(entry), Some(field)) = (program.entries().get(position), program.writes().get(position))
        else {
            continue 'message;
        };
        // Depth is checked once per field: all its elements are at the same depth.
        if !elements.are_done() && depth >= limit {
            return Err(EncodeErrorKind::DepthExceeded);
        }
        let (framing, sub) = (Framing::of(program, entry, field.tag), view.set.program(entry.sub));
        let layout = sub.fixed().filter(|_| matches!(framing, Framing::Length { .. }));
        let list = entry.flags.is_list().then(|| view.list(entry, elements.slot));
        let sorted = context.sorts(entry);
        while !elements.are_done() {
            let at = elements.next;
            let child = match &list {
                None => view.child(entry, elements.slot).body.base,
                Some(list) if sorted => {
                    let order = context.orders.last().and_then(|order| order.get(at as usize));
                    list.message_base(order.copied().unwrap_or(at))
                }
                Some(list) => list.message_base(at),
            };
            // One comparison of both header words: all fields are set, and there are no unknown ones.
            if let Some(layout) = layout
                && view.words.get64(child) == layout.all
            {
                visitor.fixed_message(view, field.tag, layout, child);
                elements.next += 1;
                continue;
            }
            let Some(parent) = parents.get_mut(depth) else {
                // The caller makes room and calls again. Growing here would cost the loop its registers.
                *resume = Position { view, fields: Some(fields), elements, depth };
                *out = visitor;
                return Ok(Drive::Deeper);
            };
            elements.next += 1;
            let open = visitor.enter(framing);
            *parent = OpenParent { fields, open, body: view.body, elements };
            depth += 1;
            (view, program, elements) = (view.at(BodyRef::of(entry, child)), sub, Elements::default());
            fields = begin(view, program, depth, context, &mut visitor);
            continue 'message;
        }
        context.end_list(entry, elements);
    }
}

// The encoder's stack of open parents: on the call stack up to the default depth limit, then on the heap.

/// Levels that are zeroed for every message with sub-messages.
pub(super) const INLINE: usize = 12;
/// Levels of the default depth limit.
const STACK: usize = 100;

/// The messages of the field that is being visited.
#[derive(Clone, Copy, Default)]
pub(super) struct Elements {
    /// The field.
    pub(super) position: u32,
    pub(super) slot: u32,
    /// The next element, and how many there are.
    pub(super) next: u32,
    pub(super) count: u32,
}

impl Elements {
    #[inline(always)]
    pub(super) fn are_done(self) -> bool {
        self.next >= self.count
    }
}

/// A message whose child is being visited, in 48 bytes.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenParent {
    /// The fields that have not been visited.
    pub(super) fields: SetFields,
    /// What `Visit::enter` returned for the child.
    pub(super) open: u64,
    pub(super) body: BodyRef,
    /// The field that holds the child, and the next of its elements.
    pub(super) elements: Elements,
}

/// Room for open parents: none for a message without sub-messages, then 12, then 100, all on the call stack (5.4 KB),
/// then 200 and twice as many each time on the heap. The 100 are zeroed only when the 12 are full, because zeroing
/// them takes longer than encoding most messages.
pub(super) struct OpenParents<'f> {
    inline: &'f mut [OpenParent],
    stack: Option<[OpenParent; STACK]>,
    heap: Vec<OpenParent>,
}

impl<'f> OpenParents<'f> {
    /// Begins with the 12 parents of `inline`, or with none.
    #[inline(always)]
    pub(super) fn new(inline: Option<&'f mut [OpenParent; INLINE]>) -> Self {
        Self { inline: inline.map_or(&mut [], |inline| inline), stack: None, heap: Vec::new() }
    }

    /// All parents that there is room for.
    #[inline(always)]
    pub(super) fn as_mut_slice(&mut self) -> &mut [OpenParent] {
        match &mut self.stack {
            None => self.inline,
            Some(parents) if self.heap.is_empty() => parents,
            Some(_) => &mut self.heap,
        }
    }

    /// Makes room for more parents and keeps the content; false if there is no memory.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(super) fn grow(&mut self) -> bool {
        match &self.stack {
            None => {
                let parents = self.stack.insert([OpenParent::default(); STACK]);
                parents.iter_mut().zip(self.inline.iter()).for_each(|(parent, inline)| *parent = *inline);
            }
            Some(parents) => {
                let len = self.heap.len().max(STACK);
                if self.heap.try_reserve_exact(2 * len - self.heap.len()).is_err() {
                    return false;
                }
                if self.heap.is_empty() {
                    self.heap.extend_from_slice(parents);
                }
                self.heap.resize(2 * len, OpenParent::default());
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stay_as_they_are_when_they_grow() {
        let mut inline = [OpenParent::default(); INLINE];
        let mut parents = OpenParents::new(Some(&mut inline));
        let mut base = 0;
        for len in [INLINE, STACK, 2 * STACK, 4 * STACK] {
            let slice = parents.as_mut_slice();
            assert_eq!(slice.len(), len);
            assert!(
                slice.iter().take(base as usize).enumerate().all(|(i, parent)| parent.body.base == i as u32)
            );
            while (base as usize) < len {
                slice[base as usize].body.base = base;
                base += 1;
            }
            assert!(parents.grow());
        }
    }
}
