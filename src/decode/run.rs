//! The hot loop.
//!
//! Preconditions, and what each buys:
//! - the program was checked when it was made: sub-programs exist, slots lie inside the body;
//! - `buf` is the store, with padding behind it if it is short (`input.rs`): reads look at the end of the store
//!   only, and one comparison per field finds those that crossed the end of their message;
//! - entries are found by field number; the tag in the entry tells whether it is the right one, and everything else
//!   (unknown fields, other wire types, groups that end) is one cold call;
//! - runs of singular fields are decoded by an inner loop (`scalars.rs`) in registers; here are the fields that need
//!   more than the input and the body: lists, messages, closed enums, and all fields of wide messages;
//! - the state of the innermost message lives in local variables and goes to a frame only when a child begins.

use super::scalars::Why;
use super::special::{Field, Other};
use super::{DecodeOptions, Frame, Scratch, Stop, fixed, input, lists, packed, scalars};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Entry, Op, Program, ProgramSet};
use crate::slab::{Full, NIL, Slab};
use crate::wire::{raw, utf8};

/// Presence bits of a map entry that has its key and its value.
const MAP_ENTRY: u64 = 3;

/// A decode in progress.
pub(super) struct Run<'r, 'b> {
    pub(super) set: &'r ProgramSet,
    /// The store, and what may be read behind it.
    pub(super) buf: &'b [u8],
    /// Length of the store.
    pub(super) len: usize,
    pub(super) slab: &'r mut Slab,
    pub(super) scratch: &'r mut Scratch,
    pub(super) options: &'r DecodeOptions,
    /// A message ended without one of its required fields; a later occurrence may still bring it.
    pub(super) may_miss: bool,
    /// The map entry being decoded has a value that its closed enum does not list.
    pub(super) entry_unknown: bool,
}

/// A sub-message about to be entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) start: usize,
    /// End of the child in the store; of the parent, for groups.
    pub(super) end: usize,
    /// The end-group tag that ends the child, 0 if it ends at `end`.
    pub(super) group: u32,
    /// Where the parent goes on, 0 for the end of the child.
    pub(super) resume: usize,
}

/// Marks a field as set: its slot, and whether it was unset before.
#[inline(always)]
pub(super) fn touch(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    has: &mut u64,
    entry: &Entry,
) -> Result<(u32, bool), Full> {
    let bit = 1u64 << (entry.bit & 63);
    let fresh = *has & bit == 0;
    if entry.flags.is_special() {
        if program.is_wide() {
            return slab.wide_slot(program, base, entry.slot as usize);
        }
        *has &= !program.oneof_mask(entry.oneof);
    }
    *has |= bit;
    Ok((base + entry.slot as u32, fresh))
}

/// As `touch`, for a list: a fresh one is empty.
#[inline(always)]
pub(super) fn touch_list(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    has: &mut u64,
    entry: &Entry,
) -> Result<u32, Full> {
    let (slot, fresh) = touch(slab, program, base, has, entry)?;
    if fresh {
        slab.set64(slot, 0);
    }
    Ok(slot)
}

/// Marks a field as unset: a zero came for a field with implicit presence.
#[inline]
fn untouch(slab: &mut Slab, program: &Program, base: u32, has: u64, entry: &Entry) -> u64 {
    if program.is_wide() {
        slab.untouch(program, base, entry.slot as usize);
    }
    has & !(1u64 << (entry.bit & 63))
}

impl Run<'_, '_> {
    /// Decodes the store from `start` on into the body at `base`. On an error the innermost message's presence
    /// bits and those of its parents are in the slab, as after a success.
    pub(super) fn message(&mut self, index: u32, base: u32, start: usize) -> Result<(), Stop> {
        let (set, buf) = (self.set, self.buf);
        let (mut index, mut base, mut pos, mut end, mut group) = (index, base, start, self.len, 0u32);
        let mut program: &Program = set.program(index);
        let mut has = self.slab.words().has_bits(program, base);
        let mut item = pos;
        let current: Option<u16>;

        // Ends by `break` with the kind of fault and its offset, or by `return`.
        let (kind, offset) = 'run: loop {
            // Gives the value, or ends the loop with a fault at the position, in a field if there is one.
            macro_rules! attempt {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(kind) => {
                            current = None;
                            break 'run (Kind::from(kind), pos);
                        }
                    }
                };
                ($entry:expr, $result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(kind) => {
                            current = Some(program.position($entry) as u16);
                            break 'run (Kind::from(kind), pos);
                        }
                    }
                };
            }
            // As `attempt`, for errors that know their offset.
            macro_rules! attempt_at {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err((kind, at)) => {
                            current = None;
                            break 'run (kind, at);
                        }
                    }
                };
            }

            'ended: {
                let next = if program.is_wide() {
                    if pos >= end {
                        None
                    } else {
                        item = pos;
                        let (tag, next, entry) = attempt!(scalars::tag_at(program, buf, pos));
                        pos = next;
                        Some((tag, entry.filter(|entry| !entry.op.is_apart())))
                    }
                } else {
                    let body = self.slab.run_mut(base, program.words() as usize);
                    let stopped = scalars::run(set, program, buf, end, (item, pos), body, has);
                    (pos, has, item) = (stopped.pos, stopped.has, stopped.item);
                    match stopped.why {
                        Why::End => None,
                        Why::Entry(entry) => Some((stopped.tag, Some(entry))),
                        Why::Other => Some((stopped.tag, None)),
                        Why::Fault(kind, entry) => {
                            current = entry.map(|entry| program.position(entry) as u16);
                            break 'run (kind, pos);
                        }
                    }
                };
                let Some((tag, found)) = next else {
                    if pos > end || group != 0 {
                        current = None;
                        // A group that does not end: no item is at fault.
                        item = if pos > end { item } else { end };
                        break 'run (Kind::Incomplete, pos.min(end));
                    }
                    break 'ended;
                };

                let (entry, child) = 'child: {
                    let (entry, op) = match found {
                        Some(entry) => (entry, entry.op),
                        None => {
                            let field = Field { end, item, pos, tag, group, program, base, has };
                            match attempt_at!(self.other(field)) {
                                Other::Skipped(next) => {
                                    pos = next;
                                    continue 'run;
                                }
                                Other::Apart(next, bits) => {
                                    (pos, has) = (next, bits);
                                    continue 'run;
                                }
                                Other::EndGroup => break 'ended,
                                Other::As(entry, op) => (entry, op),
                                Other::Item(entry, child) => break 'child (entry, child),
                            }
                        }
                    };

                    macro_rules! touch {
                        ($touch:ident) => {
                            attempt!(entry, $touch(self.slab, program, base, &mut has, entry))
                        };
                    }
                    // Reads a length prefix and gives the end of the value; a fault is one of this field.
                    macro_rules! value_end {
                        () => {
                            match input::bounded(buf, pos, end) {
                                Ok((start, value_end)) => {
                                    pos = start;
                                    value_end
                                }
                                Err(kind) => {
                                    current = Some(program.position(entry) as u16);
                                    break 'run (kind, pos);
                                }
                            }
                        };
                    }
                    // For steps that name the field when they fail.
                    macro_rules! in_field {
                        ($result:expr) => {
                            match $result {
                                Ok(value) => value,
                                Err((kind, at)) => {
                                    current = Some(program.position(entry) as u16);
                                    break 'run (kind, at);
                                }
                            }
                        };
                    }

                    match op {
                        Op::ClosedEnum => {
                            let (value, next) = attempt!(entry, input::varint(buf, pos));
                            pos = next;
                            if pos > end {
                                continue 'run;
                            }
                            let value = value as u32;
                            if !set.enum_contains(entry.sub, value as i32) {
                                attempt!(entry, self.unlisted(base, item, pos));
                                continue 'run;
                            }
                            self.entry_unknown = false;
                            if value == 0 && entry.flags.is_implicit() {
                                has = untouch(self.slab, program, base, has, entry);
                            } else {
                                let (slot, _) = touch!(touch);
                                self.slab.set(slot, value);
                            }
                            continue 'run;
                        }
                        Op::String | Op::Bytes => {
                            let value_end = value_end!();
                            let rest = buf.get(pos..).unwrap_or_default();
                            if op == Op::String && utf8::from_prefix(rest, value_end - pos).is_none() {
                                in_field!(Err((Kind::InvalidUtf8, pos)))
                            }
                            if pos == value_end && entry.flags.is_implicit() {
                                has = untouch(self.slab, program, base, has, entry);
                            } else {
                                let (slot, _) = touch!(touch);
                                self.slab.set64(slot, pos as u64 | ((value_end - pos) as u64) << 32);
                            }
                            pos = value_end;
                            continue 'run;
                        }
                        Op::ListString | Op::ListBytes => {
                            let slot = touch!(touch_list);
                            let run = lists::Spans { buf, end, tag, utf8: op == Op::ListString };
                            pos = in_field!(run.append(self.slab, slot, pos));
                            continue 'run;
                        }
                        Op::List => {
                            let slot = touch!(touch_list);
                            let run = lists::Numbers { buf, end, tag, entry, base };
                            pos = in_field!(run.append(self, slot, item, pos));
                            continue 'run;
                        }
                        Op::Packed => {
                            let value_end = value_end!();
                            if pos != value_end {
                                let slot = touch!(touch_list);
                                let run = packed::Packed { buf, end: value_end, entry, base };
                                in_field!(run.append(self, slot, pos));
                            }
                            pos = value_end;
                            continue 'run;
                        }
                        Op::Message | Op::Shaped | Op::ListMessage | Op::Map => {
                            let end = value_end!();
                            break 'child (entry, Child { start: pos, end, group: 0, resume: 0 });
                        }
                        Op::Group | Op::ListGroup => {
                            if pos > end {
                                continue 'run;
                            }
                            break 'child (entry, Child { start: pos, end, group: tag + 1, resume: 0 });
                        }
                        _ => {
                            // A number of a wide message.
                            let (value, next) = attempt!(entry, lists::number(entry.coding, buf, pos));
                            pos = next;
                            if value == 0 && entry.flags.is_implicit() {
                                has = untouch(self.slab, program, base, has, entry);
                                continue 'run;
                            }
                            let (slot, _) = touch!(touch);
                            if entry.coding.words() == 2 {
                                self.slab.set64(slot, value);
                            } else {
                                self.slab.set(slot, value as u32);
                            }
                            continue 'run;
                        }
                    }
                };

                // A child begins.
                if self.scratch.stack.len() >= self.options.depth_limit() as usize {
                    current = Some(program.position(entry) as u16);
                    break 'run (Kind::DepthExceeded, item);
                }
                let sub = set.program(entry.sub);
                let empty = child.start == child.end && child.group == 0;
                let (child_base, child_has, new_body);
                if entry.flags.is_list() {
                    let slot = attempt!(entry, touch_list(self.slab, program, base, &mut has, entry));
                    let at = attempt!(entry, self.slab.list_grow(slot, sub.element_words(), 1));
                    (child_has, new_body) = (0, true);
                    if sub.is_contiguous() {
                        self.slab.clear_body(sub, at);
                        child_base = at;
                    } else {
                        self.slab.set(at, NIL);
                        child_base = if empty { NIL } else { attempt!(entry, self.slab.alloc_body(sub)) };
                        self.slab.set(at, child_base);
                    }
                } else {
                    let (slot, fresh) = attempt!(entry, touch(self.slab, program, base, &mut has, entry));
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
                        let new = old == NIL && !empty;
                        child_base = if new { attempt!(entry, self.slab.alloc_body(sub)) } else { old };
                        self.slab.set(slot, child_base);
                    }
                    new_body = fresh;
                    child_has = if fresh { 0 } else { self.slab.words().has_bits(sub, child_base) };
                }
                if let Some(shape) = sub.fixed()
                    && shape.len == child.end - child.start
                    && new_body
                    && child.group == 0
                    && child.resume == 0
                    && !entry.flags.is_map()
                    && fixed::lift(
                        shape,
                        self.slab.run_mut(child_base, sub.words() as usize),
                        buf,
                        child.start,
                    )
                {
                    pos = child.end;
                    continue 'run;
                }
                if empty && child.resume == 0 && !entry.flags.is_map() {
                    // Nothing to read; the offset `NIL` must not be written to either.
                    self.may_miss |= sub.has_required();
                    pos = child.end;
                    continue 'run;
                }
                if self.scratch.stack.len() == self.scratch.stack.capacity() {
                    attempt!(self.grow_stack());
                }
                self.scratch.stack.push(Frame {
                    end: end as u32,
                    resume: child.resume as u32,
                    base,
                    index,
                    has,
                    group,
                    item: item as u32,
                    entry: program.position(entry) as u16,
                    map: entry.flags.is_map(),
                });
                (index, base, has, program) = (entry.sub, child_base, child_has, sub);
                (item, pos, end, group) = (child.start, child.start, child.end, child.group);
                continue 'run;
            }

            // The innermost message has ended.
            if !program.is_wide() {
                self.slab.set_has_bits(program, base, has);
            }
            if program.has_end() {
                let required = program.required_mask();
                self.may_miss |= program.is_wide() || has & required != required;
                if program.keeps_bytes() {
                    attempt!(self.keep_bytes(base, if group == 0 { end } else { item }, group));
                }
            }
            let Some(frame) = self.scratch.stack.pop() else { return Ok(()) };
            if frame.map && has != MAP_ENTRY {
                attempt!(self.complete_entry(program, base));
            }
            (index, base, has, group) = (frame.index, frame.base, frame.has, frame.group);
            (program, end) = (set.program(index), frame.end as usize);
            if frame.map {
                attempt!(self.end_map_entry(&frame, pos));
            }
            if frame.resume != 0 {
                pos = frame.resume as usize;
            }
        };

        let (kind, offset, entry) = match kind {
            Kind::Incomplete | Kind::VarintOverflow | Kind::InvalidLength | Kind::InvalidTag => {
                self.explain(program, item, offset, end).unwrap_or((kind, offset, current))
            }
            _ => (kind, offset, current.or_else(|| self.field_at(program, item))),
        };
        let kind = raw::within(self.is_bounded(group), kind);
        self.spill(program, base, has);
        Err(Stop { kind, offset, index, base, entry })
    }

    /// Makes room for more frames, at the expense of the slab.
    #[cold]
    #[inline(never)]
    fn grow_stack(&mut self) -> Result<(), Full> {
        let stack = &mut self.scratch.stack;
        let more = stack.capacity().max(16);
        self.slab.charge(2 * more * size_of::<Frame>())?;
        stack.try_reserve_exact(more).map_err(|_| Full)
    }

    /// Reads may go beyond the end of their message before the loop looks, so what a fault in reading is, and where,
    /// is said by a walk within the message, from the last item to where the loop stopped. Gives the field at fault
    /// as well, if the program has it.
    #[cold]
    #[inline(never)]
    fn explain(
        &self,
        program: &Program,
        mut item: usize,
        stop: usize,
        end: usize,
    ) -> Option<(Kind, usize, Option<u16>)> {
        let bytes = self.buf.get(..end).unwrap_or(self.buf);
        while item < end && item <= stop {
            let (tag, value) = match raw::tag(bytes, item) {
                Ok(read) => read,
                Err(kind) => return Some((kind, item, None)),
            };
            match raw::skip_value(bytes, value, end, tag, u32::MAX) {
                // The elements of an unpacked list are read at one go.
                Ok(next) => item = next,
                Err(fault) if fault.offset > stop => return None,
                Err(fault) => {
                    let known = |entry: &Entry| entry.tag == tag.get() || entry.other_op(tag.get()).is_some();
                    let field = program.by_number(tag.number()).filter(|(_, entry)| known(entry));
                    return Some((fault.kind, fault.offset, field.map(|(position, _)| position as u16)));
                }
            }
        }
        None
    }

    /// The field whose tag starts here.
    #[cold]
    fn field_at(&self, program: &Program, item: usize) -> Option<u16> {
        let (tag, _) = raw::tag(self.buf, item).ok()?;
        let (position, entry) = program.by_number(tag.number())?;
        (entry.tag == tag.get()).then_some(position as u16)
    }

    /// Whether a length, and not the end of the input, bounds the innermost message: it or one around it is not a
    /// group. `group` is 0 unless it is one itself.
    #[cold]
    fn is_bounded(&self, group: u32) -> bool {
        let mut children = self.scratch.stack.iter().skip(1).map(|frame| frame.group).chain([group]);
        !self.scratch.stack.is_empty() && children.any(|group| group == 0)
    }

    /// After a fault: writes the presence bits of all open messages back.
    #[cold]
    #[inline(never)]
    fn spill(&mut self, program: &Program, base: u32, has: u64) {
        if !program.is_wide() && base != NIL {
            self.slab.set_has_bits(program, base, has);
        }
        for frame in self.scratch.stack.iter().rev() {
            let program = self.set.program(frame.index);
            if !program.is_wide() {
                self.slab.set_has_bits(program, frame.base, frame.has);
            }
        }
    }
}
