//! Where a sub-message begins and ends.

use super::state::{Child, Flow, MAP_ENTRY, Open, Run, touch, touch_list};
use super::{Frame, fixed};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{FieldEntry, Op, Program};
use crate::slab::{Full, NIL};
use crate::wire::WireType;

/// No tag of one or two bytes.
const NEVER: u32 = u32::MAX;

impl<'r> Run<'r, '_> {
    /// A sub-message comes, with its tag at the position of the loop and its content in between `start` and `end`.
    #[inline(never)]
    pub(super) fn enter(&mut self, entry: &'r FieldEntry, start: usize, end: usize) -> Flow {
        self.enter_child(entry, Child { start, end, group: 0, resume: 0 })
    }

    /// As `enter`, for groups, too.
    #[inline(always)]
    pub(super) fn enter_child(&mut self, entry: &'r FieldEntry, child: Child) -> Flow {
        let Open { program, has, base: parent, .. } = self.open;
        let bit = 1u64 << (entry.bit & 63);
        let Child { start, end, .. } = child;
        let stack = &self.scratch.stack;
        if start != end && !stack.is_full() && stack.len() < self.options.depth_limit() as usize {
            let sub = self.set.program(entry.sub);
            let slot = parent + entry.slot as u32;
            let base = match (entry.op, has & bit == 0) {
                (Op::Inline | Op::Group, true) if entry.flags.is_inline() => Some(slot),
                (Op::Message | Op::Inline | Op::Group, true) => self.slab.try_body_at(slot, sub),
                (Op::ListMessage | Op::ListGroup | Op::Map, true) => self.slab.list_first_body(slot, sub),
                (Op::ListMessage | Op::ListGroup | Op::Map, false) => self.slab.list_push_body(slot, sub),
                _ => None,
            };
            if let Some(base) = base {
                self.slab.clear_body(sub, base);
                let others = if entry.flags.is_special() { program.oneof_mask(entry.oneof) } else { 0 };
                self.open.has = (has & !others) | bit;
                if entry.op == Op::Inline && sub.fixed().is_some() && self.lifted(sub, child, base) {
                    self.open.pos = end;
                    return Flow::GoOn;
                }
                return self.push(entry, child, base, 0);
            }
        }
        self.enter_any(entry, child)
    }

    /// As `enter`, for any message in any message. Apart, so that `enter` needs few registers.
    #[inline(never)]
    pub(super) fn enter_any(&mut self, entry: &'r FieldEntry, child: Child) -> Flow {
        match self.begin(entry, child) {
            Ok(Begun::Inside(base, bits)) => self.push(entry, child, base, bits),
            Ok(Begun::Done) => {
                self.open.pos = child.end;
                Flow::GoOn
            }
            Err((kind, offset)) => self.fail(kind, offset, Some(entry)),
        }
    }

    /// Whether a child has a fixed shape, and is in its body now, which was empty.
    #[inline(never)]
    fn lifted(&mut self, sub: &Program, child: Child, base: u32) -> bool {
        let (bytes, len) = (self.source.bytes(), child.end - child.start);
        let Some(shape) = sub.fixed().filter(|shape| shape.len >= len) else { return false };
        child.group == 0
            && fixed::lift(shape, self.slab.run_mut(base, sub.words() as usize), bytes, child.start, len)
    }

    /// The parent waits, and the loop goes on in the child.
    #[inline(always)]
    fn push(&mut self, entry: &'r FieldEntry, child: Child, base: u32, has: u64) -> Flow {
        let shift = self.source.shift();
        let Open { program, pos, end, has: parent_has, index, base: parent, group, .. } = self.open;
        if self.scratch.stack.is_full() && !self.grow_stack() {
            return self.fail(Kind::BudgetExceeded, pos + shift, Some(entry));
        }
        let again = match entry.op {
            Op::ListMessage | Op::Map | Op::ListGroup if entry.tag < 1 << 14 && child.resume == 0 => {
                entry.tag
            }
            _ => NEVER,
        };
        let sub = self.set.program(entry.sub);
        self.scratch.stack.push(Frame {
            end: (end + shift) as u32,
            resume: child.resume as u32,
            base: parent,
            index,
            has: parent_has,
            group,
            item: (pos + shift) as u32,
            entry: program.position(entry) as u16,
            map: entry.flags.is_map(),
            again,
            slot: parent + entry.slot as u32,
        });
        self.open = Open {
            program: sub,
            pos: child.start,
            end: child.end,
            has,
            index: entry.sub,
            base,
            group: child.group,
            from: child.start + shift,
        };
        Flow::GoOn
    }

    /// Makes room for more frames, at the expense of the slab; false if there is none.
    #[cold]
    #[inline(never)]
    fn grow_stack(&mut self) -> bool {
        let stack = &mut self.scratch.stack;
        let more = stack.capacity().max(16);
        self.slab.charge(2 * more * size_of::<Frame>()).is_ok() && stack.grow(more)
    }

    /// The loop has come to the end of the innermost message.
    #[inline(never)]
    pub(super) fn leave(&mut self) -> Flow {
        let shift = self.source.shift();
        let Open { mut program, mut pos, mut end, mut has, mut base, mut group, .. } = self.open;
        // Parents often end with their last child.
        loop {
            if pos > end || group != 0 {
                (self.open.pos, self.open.has) = (pos, has);
                return self.fail(Kind::Incomplete, end + shift, None);
            }
            if program.has_plain_end() {
                self.slab.set(base, has as u32);
            } else if let Err(full) = self.end_message(program, base, has, pos + shift) {
                (self.open.pos, self.open.has) = (pos, has);
                return self.fail(full.into(), pos + shift, None);
            }
            let Some(frame) = self.scratch.stack.pop() else { return Flow::Done };
            if frame.map
                && let Err(kind) = self.end_entry(program, has, pos + shift)
            {
                return self.fail_after(kind, pos + shift);
            }
            // Most often the next element of the same list follows.
            if self.again(program, pos) {
                return Flow::GoOn;
            }
            // Field by field: a frame that was just written cannot be read in wider pieces yet.
            let frame = self.scratch.stack.popped();
            program = self.set.program(frame.index);
            if frame.resume != 0 {
                pos = frame.resume as usize - shift;
            }
            (end, has, base, group) = (frame.end as usize - shift, frame.has, frame.base, frame.group);
            let (index, from) = (frame.index, pos + shift);
            self.open = Open { program, pos, end, has, index, base, group, from };
            if pos < end || group != 0 {
                return Flow::GoOn;
            }
        }
    }

    /// A map entry could not be ended, whose frame has just been popped. The fault is in its parent, which becomes the open
    /// message again: its presence bits are known to nobody else, and without them it would still have the members of oneofs
    /// that were overruled since the entry began.
    #[cold]
    #[inline(never)]
    fn fail_after(&mut self, kind: Kind, offset: usize) -> Flow {
        let Frame { index, base, has, group, entry, end, .. } = *self.scratch.stack.popped();
        let (program, shift) = (self.set.program(index), self.source.shift());
        let (pos, end) = (offset - shift, end as usize - shift);
        self.open = Open { program, pos, end, has, index, base, group, from: offset };
        self.fail(kind, offset, program.entries().get(entry as usize))
    }

    /// When an element of a list has ended at `pos`, and its parent was popped: begins the next element, if it follows and
    /// nothing about it is unusual. The parent waits again.
    #[inline(always)]
    fn again(&mut self, program: &Program, pos: usize) -> bool {
        let shift = self.source.shift();
        let Some(frame) = self.scratch.stack.popped_mut() else { return false };
        let (tag, parent) = (frame.again, frame.end as usize - shift);
        let Some(head) = self.source.until(parent).at(pos) else { return false };
        let (prefix, behind) = match *head {
            [first, len, ..] if first < 0x80 && u32::from(first) == tag => (len, pos + 2),
            [first, second, len, ..]
                if first >= 0x80 && u32::from(first & 0x7f) | u32::from(second) << 7 == tag =>
            {
                (len, pos + 3)
            }
            _ => return false,
        };
        let group = tag & 7 == WireType::StartGroup as u32;
        let (start, end, group) = match group {
            true => (behind - 1, parent, tag + 1),
            false => (behind, behind + prefix as usize, 0),
        };
        if start >= end || end > parent || (prefix >= 0x80 && group == 0) {
            return false;
        }
        let Some(base) = self.slab.list_push_body(frame.slot, program) else { return false };
        self.slab.clear_body(program, base);
        frame.item = (pos + shift) as u32;
        self.scratch.stack.take_back();
        let Open { index, .. } = self.open;
        self.open = Open {
            program: self.open.program,
            pos: start,
            end,
            has: 0,
            index,
            base,
            group,
            from: start + shift,
        };
        true
    }

    /// Finds or makes the body of a child of the innermost message. Messages without content, and those of fixed shape,
    /// are done then.
    #[inline(always)]
    fn begin(&mut self, entry: &FieldEntry, child: Child) -> Result<Begun, (Kind, usize)> {
        let item = self.open.pos + self.source.shift();
        let full = |full: Full| (full.into(), item);
        if self.scratch.stack.len() >= self.options.depth_limit() as usize {
            return Err((Kind::DepthExceeded, item));
        }
        // A map entry that was begun must be ended, so there is a frame for it before there is the entry.
        if entry.flags.is_map() && self.scratch.stack.is_full() && !self.grow_stack() {
            return Err((Kind::BudgetExceeded, item));
        }
        let sub = self.set.program(entry.sub);
        let Open { program, base, ref mut has, .. } = self.open;
        // The offset `NIL` must not be written to; a map entry is never empty in the end.
        let empty = child.start == child.end && child.group == 0 && !entry.flags.is_map();
        let (child_base, bits, new);
        if entry.flags.is_list() {
            let slot = touch_list(self.slab, program, base, has, entry).map_err(full)?;
            let at = self.slab.list_grow(slot, sub.element_words(), 1).map_err(full)?;
            (bits, new) = (0, true);
            if sub.is_contiguous() {
                self.slab.clear_body(sub, at);
                child_base = at;
            } else {
                // Should there be no memory for the body, the element is an empty message. Map entries lie in the list.
                self.slab.set(at, NIL);
                child_base = if empty { NIL } else { self.slab.alloc_body(sub).map_err(full)? };
                self.slab.set(at, child_base);
            }
        } else {
            let (slot, fresh) = touch(self.slab, program, base, has, entry).map_err(full)?;
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
        if empty && child.resume == 0 {
            self.may_miss |= sub.has_required();
            return Ok(Begun::Done);
        }
        let plain = new && child.resume == 0 && !entry.flags.is_map();
        if plain && sub.fixed().is_some() && self.lifted(sub, child, child_base) {
            return Ok(Begun::Done);
        }
        Ok(Begun::Inside(child_base, bits))
    }

    /// A message ends, at this offset in the store, that has more to it than 32 presence bits.
    #[inline(never)]
    fn end_message(&mut self, program: &Program, base: u32, has: u64, end: usize) -> Result<(), Full> {
        if !program.is_wide() {
            self.slab.set_hasbits(program, base, has);
        }
        if program.has_required() {
            let required = program.required_mask();
            self.may_miss |= program.is_wide() || has & required != required;
        }
        if program.keeps_bytes() { self.keep_bytes(base, end) } else { Ok(()) }
    }

    /// The innermost message, which has ended at `end`, was a map entry of the parent that was popped.
    #[inline(never)]
    fn end_entry(&mut self, program: &Program, has: u64, end: usize) -> Result<(), Kind> {
        let frame = *self.scratch.stack.popped();
        if has != MAP_ENTRY {
            self.complete_entry(&frame, program, self.open.base)?;
        }
        Ok(self.end_map_entry(&frame, end)?)
    }
}

/// What became of a child.
enum Begun {
    /// All of it was read.
    Done,
    /// The loop goes on in this body, with these presence bits.
    Inside(u32, u64),
}
