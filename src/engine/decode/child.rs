//! Where sub-messages begin and end.
//!
//! ```text
//! enter(entry, start, end):               # after the tag and the length of a sub-message
//!     make its body, or find the one of an earlier occurrence
//!     fixed shape: load it and continue in the parent
//!     a leaf or a small tree: decode it at once, and those that follow in the same list (leaf.rs)
//!     push the parent as a frame; continue in the child with pos = start
//!
//! leave():                                # the loop is at the end of the innermost message
//!     loop:
//!         if pos > end or a group is open: fault
//!         store the hasbits; check required fields; make keys unique, if it is a map entry
//!         pop the parent; return if there is none
//!         if the same tag follows: push a body to the list, undo the pop, continue in the next element
//!         continue in the parent, unless it ends here too
//! ```
//!
//! Nothing here recurses: depth is bounded by `max_depth`, and frames are paid for from the budget.

use super::machine::state::{Child, MAP_ENTRY, Machine, Next, OpenMessage, mark_list_set, mark_set};
use super::rare::scan_item;
use super::{ParentFrame, fixed};
use crate::engine::slab::{BodyRef, Full, NIL, Slab};
use crate::schema::program::{FieldEntry, Op, Program, ProgramSet};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::{message_set, raw};
use crate::wire::{Tag, WireType};
use alloc::vec::Vec;

/// Not a tag of one or two bytes.
const NO_TAG: u32 = u32::MAX;

impl<'r> Machine<'r, '_> {
    /// Enters the sub-message whose tag is at the position of the loop and whose content is from `start` to `end`.
    #[inline(never)]
    pub(super) fn enter(&mut self, entry: &'r FieldEntry, start: usize, end: usize) -> Next {
        self.enter_child(entry, Child { start, end, group: 0, resume: 0 })
    }

    /// Enters a sub-message or group. The common case is here: a message with content, in a dense message, for which
    /// there is room on the stack and in the slab. `enter_any` does the rest.
    #[inline(always)]
    pub(super) fn enter_child(&mut self, entry: &'r FieldEntry, child: Child) -> Next {
        let Child { start, end, .. } = child;
        let stack = &self.scratch.stack;
        let sub = self.set.program(entry.sub);
        // An empty child has no body of its own, and a full stack must be paid for: both are left to `enter_any`.
        let frameless = child.group == 0 && self.takes_no_frame(sub, start, end);
        if start != end
            && (!stack.is_full() || frameless)
            && self.context.may_nest(stack.len())
            && let Some(base) = self.open.try_child(self.slab, entry, sub)
        {
            self.slab.clear_body(sub, base);
            if entry.op == Op::Inline && sub.fixed().is_some() && self.load_if_fixed(sub, child, base) {
                self.open.pos = end;
                return Next::Continue;
            }
            if frameless {
                return self.frameless(entry, start, end, base);
            }
            return self.push(entry, child, base, 0);
        }
        self.enter_any(entry, child)
    }

    /// Enters any message in any message. A function of its own, so that `enter` needs few registers.
    #[inline(never)]
    pub(super) fn enter_any(&mut self, entry: &'r FieldEntry, child: Child) -> Next {
        // `leaves` finds a list by its slot. A wide message has no slot of that number: its lists are looked up, one element after the other.
        let has_slot = !(entry.flags.is_list() && self.open.program.is_wide());
        match self.begin_child(entry, child) {
            // The first element after a list has grown comes here, and those after it follow in `leaves`.
            Ok(Begun::Inside(base, 0))
                if has_slot
                    && self.set.program(entry.sub).is_leaf()
                    && child.group == 0
                    && child.resume == 0 =>
            {
                self.frameless(entry, child.start, child.end, base)
            }
            Ok(Begun::Inside(base, bits)) => self.push(entry, child, base, bits),
            Ok(Begun::Done) => Next::Continue,
            Err((kind, offset)) => self.fail(kind, offset, Some(entry)),
        }
    }

    /// Loads a child of fixed shape into its empty body; false if it has another form, and then the body is still empty.
    #[inline(never)]
    fn load_if_fixed(&mut self, sub: &Program, child: Child, base: u32) -> bool {
        let (bytes, len) = (self.bytes(), child.end - child.start);
        let Some(layout) = sub.fixed().filter(|layout| layout.len >= len) else { return false };
        child.group == 0
            && fixed::load_fixed(
                layout,
                self.slab.run_mut(base, sub.words() as usize),
                bytes,
                child.start,
                len,
            )
    }

    /// Pushes the parent and continues in the child.
    #[inline(always)]
    pub(super) fn push(&mut self, entry: &'r FieldEntry, child: Child, base: u32, hasbits: u64) -> Next {
        let OpenMessage { program, pos, end, hasbits: parent_hasbits, body: parent, group, .. } = self.open;
        if self.scratch.stack.is_full()
            && let Err(full) = self.grow_stack()
        {
            return self.fail(full.into(), pos, Some(entry));
        }
        let repeat_tag = match entry.op {
            Op::ListMessage | Op::Map | Op::ListGroup if entry.tag < 1 << 14 && child.resume == 0 => {
                entry.tag
            }
            _ => NO_TAG,
        };
        let sub = self.set.program(entry.sub);
        self.scratch.stack.push(ParentFrame {
            end: end as u32,
            resume: child.resume as u32,
            body: parent,
            hasbits: parent_hasbits,
            group,
            tag_start: pos as u32,
            entry: program.position(entry) as u16,
            map: entry.flags.is_map(),
            repeat_tag,
            slot: parent.base + entry.slot as u32,
        });
        self.open = OpenMessage {
            program: sub,
            pos: child.start,
            end: child.end,
            hasbits,
            body: BodyRef::of(entry, base),
            group: child.group,
            from: child.start,
        };
        Next::Continue
    }

    /// Doubles the stack and charges the slab for it.
    #[cold]
    #[inline(never)]
    fn grow_stack(&mut self) -> Result<(), Full> {
        let stack = &mut self.scratch.stack;
        let more = stack.capacity().max(16);
        self.slab.charge(2 * more * size_of::<ParentFrame>())?;
        stack.grow(more)
    }

    /// Ends the innermost message, and all parents that end with it.
    #[inline(never)]
    pub(super) fn leave(&mut self) -> Next {
        let OpenMessage { mut program, mut pos, mut end, mut hasbits, mut body, mut group, .. } = self.open;
        let bytes = self.bytes();
        // A parent often ends with its last child, so this loop ends several messages in one call.
        loop {
            if pos > end || group != 0 {
                (self.open.pos, self.open.hasbits) = (pos, hasbits);
                return self.fail(Kind::Incomplete, end, None);
            }
            if program.has_plain_end() {
                self.slab.set(body.base, hasbits as u32);
            } else if let Err(full) = self.end_message(program, body.base, hasbits, pos) {
                (self.open.pos, self.open.hasbits) = (pos, hasbits);
                return self.fail(full.into(), pos, None);
            }
            let Some(mut frame) = self.scratch.stack.pop_mut() else { return Next::Done };
            if frame.map {
                if let Err(full) = self.end_entry(program, hasbits, pos) {
                    return self.fail_after(full.into(), pos);
                }
                let Some(again) = self.scratch.stack.popped_mut() else { return Next::Done };
                frame = again;
            }
            // Most often the next element of the same list follows. Its start does not need the field loop.
            if let Some(next) = next_element(self.slab, bytes, frame, (program, body.program), pos) {
                self.open = next;
                self.scratch.stack.take_back();
                return Next::Continue;
            }
            // The frame is read field by field: a wide load waits for the recent stores that it spans. Moves of 16
            // bytes were 0.93x on traces.
            program = self.set.program(frame.body.program);
            if frame.resume != 0 {
                pos = frame.resume as usize;
            }
            (end, hasbits, body, group) = (frame.end as usize, frame.hasbits, frame.body, frame.group);
            let from = pos;
            self.open = OpenMessage { program, pos, end, hasbits, body, group, from };
            if pos < end || group != 0 {
                return Next::Continue;
            }
        }
    }

    /// A fault at the end of a map entry, whose parent was just popped. The parent becomes the open message again, so
    /// that its hasbits are stored: the slab still has those from before the parent was entered.
    #[cold]
    #[inline(never)]
    fn fail_after(&mut self, kind: Kind, offset: usize) -> Next {
        let ParentFrame { body, hasbits, group, entry, end, .. } = *self.scratch.stack.popped();
        let program = self.set.program(body.program);
        let (pos, end) = (offset, end as usize);
        self.open = OpenMessage { program, pos, end, hasbits, body, group, from: offset };
        self.fail(kind, offset, program.entries().get(entry as usize))
    }

    /// Finds or makes the body of a child of the innermost message. A message without content is complete with that;
    /// one of fixed shape is loaded.
    #[inline(always)]
    fn begin_child(&mut self, entry: &FieldEntry, child: Child) -> Result<Begun, (Kind, usize)> {
        let tag_start = self.open.pos;
        let full = |full: Full| (full.into(), tag_start);
        if self.scratch.stack.len() >= self.context.options.depth_limit() as usize {
            return Err((Kind::DepthExceeded, tag_start));
        }
        // An entry in the list must be ended, even after a fault, and that takes its frame. So the frame comes first.
        if entry.flags.is_map() && self.scratch.stack.is_full() {
            self.grow_stack().map_err(full)?;
        }
        let sub = self.set.program(entry.sub);
        // An empty message is `NIL`, the shared empty body, which cannot be written to. A map entry gets a key and a
        // value at its end, so it always has a body.
        let empty = child.start == child.end && child.group == 0 && !entry.flags.is_map();
        if empty && child.resume == 0 {
            self.may_miss |= sub.has_required();
            let bytes = self.context.source.bytes();
            self.open.empty_child(bytes, self.slab, entry, sub, child.end).map_err(full)?;
            return Ok(Begun::Done);
        }
        let OpenMessage { program, body: BodyRef { base, .. }, ref mut hasbits, .. } = self.open;
        let (child_base, bits, new);
        if entry.flags.is_list() {
            let slot = mark_list_set(self.slab, program, base, hasbits, entry).map_err(full)?;
            let at = self.slab.list_grow(slot, sub.element_words(), 1).map_err(full)?;
            (bits, new) = (0, true);
            if sub.is_contiguous() {
                self.slab.clear_body(sub, at);
                child_base = at;
            } else {
                // If the body cannot be allocated, the element is the empty message. (Bodies of map entries lie in
                // the list.)
                self.slab.set(at, NIL);
                child_base = if empty { NIL } else { self.slab.alloc_body(sub).map_err(full)? };
                self.slab.set(at, child_base);
            }
        } else {
            let (slot, fresh) = mark_set(self.slab, program, base, hasbits, entry).map_err(full)?;
            if entry.flags.is_inline() {
                if fresh {
                    self.slab.clear_body(sub, slot);
                }
                child_base = slot;
            } else {
                if fresh {
                    self.slab.set(slot, NIL);
                }
                let old = self.slab.get(slot);
                child_base =
                    if old == NIL && !empty { self.slab.alloc_body(sub).map_err(full)? } else { old };
                self.slab.set(slot, child_base);
            }
            new = fresh;
            bits = if fresh { 0 } else { self.slab.words().hasbits(sub, child_base) };
        }
        let plain = new && child.resume == 0 && !entry.flags.is_map();
        if plain && sub.fixed().is_some() && self.load_if_fixed(sub, child, child_base) {
            self.open.pos = child.end;
            return Ok(Begun::Done);
        }
        Ok(Begun::Inside(child_base, bits))
    }

    /// Ends a message, at the offset `end`, that needs more than a store of 32 hasbits.
    #[inline(never)]
    fn end_message(&mut self, program: &Program, base: u32, hasbits: u64, end: usize) -> Result<(), Full> {
        if !program.is_wide() {
            self.slab.set_hasbits(program, base, hasbits);
        }
        if program.has_required() {
            let required = program.required_mask();
            self.may_miss |= program.is_wide() || hasbits & required != required;
        }
        if program.keeps_bytes() { self.keep_bytes(base, end) } else { Ok(()) }
    }

    /// Ends a map entry at the offset `end`; its parent was just popped.
    #[inline(never)]
    fn end_entry(&mut self, program: &Program, hasbits: u64, end: usize) -> Result<(), Full> {
        let frame = *self.scratch.stack.popped();
        if hasbits != MAP_ENTRY {
            self.complete_entry(&frame, program, self.open.body.base)?;
        }
        self.end_map_entry(&frame, end)
    }
}

/// After an element of a list that ended at `pos`, and whose parent was popped: begins the next element, whose `frame` is to be taken back. `None`
/// if no element follows, or if it needs the general path (longer than 127 bytes, empty, no memory).
#[inline(always)]
fn next_element<'r>(
    slab: &mut Slab,
    bytes: &[u8],
    frame: &mut ParentFrame,
    (program, index): (&'r Program, u32),
    pos: usize,
) -> Option<OpenMessage<'r>> {
    let (tag, parent) = (frame.repeat_tag, frame.end as usize);
    // The tag and a length below 128 in one look. `repeat_tag` has one byte or two.
    let (prefix, content) = match *bytes.get(pos..)?.first_chunk::<3>()? {
        [first, len, _] if first < 0x80 && u32::from(first) == tag => (len, pos + 2),
        [first, second, len] if first >= 0x80 && u32::from(first & 0x7f) | u32::from(second) << 7 == tag => {
            (len, pos + 3)
        }
        _ => return None,
    };
    let group = tag & 7 == WireType::StartGroup as u32;
    // A group has no length, so its content begins a byte earlier and its end is not known.
    let (start, end, group) = match group {
        true => (content - 1, parent, tag + 1),
        false => (content, content + prefix as usize, 0),
    };
    if start >= end || end > parent || (prefix >= 0x80 && group == 0) {
        return None;
    }
    let base = slab.list_push_body(frame.slot, program)?;
    slab.clear_body(program, base);
    frame.tag_start = pos as u32;
    let (body, from) = (BodyRef { program: index, base }, start);
    Some(OpenMessage { program, pos: start, end, hasbits: 0, body, group, from })
}

/// What is left to do with a child.
enum Begun {
    /// Nothing.
    Done,
    /// Its fields are to be decoded into this body, which has these hasbits.
    Inside(u32, u64),
}

// How deep messages are nested in bytes that are written without having been decoded.

/// A message that has not ended.
struct OpenLevel {
    program: u32,
    end: usize,
    /// The end-group tag that ends it, 0 if it ends at `end`.
    group: u32,
    /// Where the message around it goes on, if it is no group.
    resume: usize,
}

/// How many levels of sub-messages an encoded message has; 0 without sub-messages. The function does not recurse. It stops at `most` + 1
/// levels, and it leaves out the rest of a message whose bytes are not valid.
///
/// # Errors
/// No memory for the open messages.
pub(crate) fn levels(set: &ProgramSet, index: u32, bytes: &[u8], most: u32) -> Result<u32, Full> {
    let mut open: Vec<OpenLevel> = Vec::new();
    let mut here = OpenLevel { program: index, end: bytes.len(), group: 0, resume: 0 };
    let (mut pos, mut deepest) = (0, 0);
    while deepest <= most {
        let mut after = (pos >= here.end && here.group == 0).then_some(here.resume);
        let (program, limit) = (set.program(here.program), bytes.get(..here.end).unwrap_or(bytes));
        if after.is_none() {
            match field(program, limit, pos, here.group) {
                Some(Found::End(value)) => after = Some(value),
                Some(Found::Message(child, start)) => {
                    open.try_reserve(1).map_err(|_| Full::NoMemory)?;
                    open.push(core::mem::replace(&mut here, child));
                    (pos, deepest) = (start, deepest.max(open.len() as u32));
                }
                Some(Found::Other(next)) => pos = next,
                // Where a group ends is not known then; the message around it has an end.
                None => {
                    while here.group != 0 {
                        let Some(outer) = open.pop() else { return Ok(deepest) };
                        here = outer;
                    }
                    after = Some(here.resume);
                }
            }
        }
        if let Some(after) = after {
            pos = after;
            match open.pop() {
                Some(outer) => here = outer,
                None => return Ok(deepest),
            }
        }
    }
    Ok(deepest)
}

/// What stands at a place of a message.
enum Found {
    /// The end of the group, and where the message around it goes on.
    End(usize),
    /// A message, and where its content starts.
    Message(OpenLevel, usize),
    /// Another field, and where it ends.
    Other(usize),
}

/// The field at a place; `None` if it is not valid. `limit` ends with the message, `group` is the tag that ends it, 0 if none does.
fn field(program: &Program, limit: &[u8], pos: usize, group: u32) -> Option<Found> {
    let (tag, value) = raw::tag(limit, pos).ok()?;
    if tag.get() == group {
        return Some(Found::End(value));
    }
    if let Some((child, start)) = child(program, limit, tag, value) {
        return Some(Found::Message(child, start));
    }
    raw::skip_value(limit, value, limit.len(), tag, u32::MAX).ok().map(Found::Other)
}

/// The message in a field of a message of this program, and where its content starts. `limit` ends with that message.
fn child(program: &Program, limit: &[u8], tag: Tag, value: usize) -> Option<(OpenLevel, usize)> {
    if program.is_message_set() && tag.get() == u32::from(message_set::ITEM) {
        let item = scan_item(limit, value, u32::MAX).ok()?;
        let (start, end) = item.payload?;
        let (_, entry) = program.by_number(item.type_id?)?;
        let level = OpenLevel { program: entry.sub, end, group: 0, resume: item.end };
        return entry.coding.is_message().then_some((level, start));
    }
    let (_, entry) = program.by_number(tag.number())?;
    if !entry.coding.is_message() || entry.tag != tag.get() {
        return None;
    }
    if tag.wire_type() == WireType::StartGroup {
        let level = OpenLevel { program: entry.sub, end: limit.len(), group: tag.get() + 1, resume: 0 };
        return Some((level, value));
    }
    let (bytes, end) = raw::length_delimited(limit, value).ok()?;
    Some((OpenLevel { program: entry.sub, end, group: 0, resume: end }, end - bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::levels;
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::testing::Wire;
    use alloc::vec;

    /// A tree of messages (1), groups (2) and numbers (3), with a MessageSet (4) that has a tree (5).
    fn schema() -> ProgramSet {
        let field = |number, kind| FieldSpec::new(number, kind, Presence::Explicit);
        let tree = vec![
            field(1, Kind::Message(0)),
            FieldSpec { delimited: true, ..field(2, Kind::Message(0)) },
            field(3, Kind::Int64),
            field(4, Kind::Message(1)),
        ];
        let set =
            MessageSpec { fields: vec![field(5, Kind::Message(0))], message_set: true, ..Default::default() };
        ProgramSet::new(&[MessageSpec { fields: tree, ..Default::default() }, set], &[]).unwrap()
    }

    #[test]
    fn messages_groups_and_items_of_message_sets_are_levels() {
        let (set, nested) = (schema(), |depth| Wire::nested(1, depth));
        let item = |body| Wire::new().group(1, Wire::new().int(2, 5).message(3, body));
        let cases = [
            (Wire::new(), 0),
            (Wire::new().int(3, 1), 0),
            (nested(7), 7),
            (Wire::nested_groups(2, 6), 6),
            (Wire::new().group(2, nested(3)).message(1, Wire::new().group(2, Wire::new())), 4),
            (Wire::new().message(4, item(nested(2))), 4),
            // A message set without this number, and a field of another wire type, are unknown.
            (Wire::new().message(4, Wire::new().group(1, Wire::new().int(2, 6).message(3, nested(9)))), 1),
            (Wire::new().int(1, 1).message(3, nested(9)), 0),
        ];
        for (input, depth) in cases {
            assert_eq!(levels(&set, 0, &input.done(), 100), Ok(depth));
        }
    }

    #[test]
    fn what_is_not_valid_hides_nothing_after_its_message() {
        let set = schema();
        let faults = [
            Wire::new().raw(&[7]),
            Wire::new().announced(1, 9, &[]),
            Wire::new().tag(2, 3),
            Wire::new().tag(2, 3).tag(2, 3).raw(&[0]),
            Wire::new().tag(9, 4),
        ];
        for fault in faults {
            let input = Wire::new().message(1, fault).message(1, Wire::nested(1, 8)).done();
            assert_eq!(levels(&set, 0, &input, 100), Ok(9));
        }
    }

    /// Starts of groups took 24 bytes of memory for each byte of the input.
    #[test]
    fn one_level_more_than_asked_for_is_enough() {
        let (set, starts) = (schema(), Wire::new().times(100_000, Wire::new().tag(2, 3)).done());
        for most in [0, 1, 100] {
            assert_eq!(levels(&set, 0, &starts, most), Ok(most + 1));
        }
    }
}
