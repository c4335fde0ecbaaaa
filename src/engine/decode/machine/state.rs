//! The state that all files of the decoder share, from the decode itself down to one field.
//!
//! All numbers that say where something is are offsets in the store.

use super::window::Source;
use crate::engine::decode::{ParentFrame, Scratch};
use crate::engine::slab::{BodyRef, Full, NIL, RawView, Slab};
use crate::schema::program::{FieldEntry, Program, ProgramSet};
use crate::wire::error::{DecodeError, DecodeErrorKind as Kind, FieldPath, PathStep};
use crate::wire::options::DecodeOptions;
use crate::wire::read::raw;
use alloc::vec::Vec;

/// What all messages of a decode have in common.
#[derive(Clone, Copy)]
pub(in crate::engine::decode) struct Context<'r, 'b> {
    pub(in crate::engine::decode) set: &'r ProgramSet,
    pub(in crate::engine::decode) source: Source<'b>,
    pub(in crate::engine::decode) options: &'r DecodeOptions,
    /// Messages at this depth may not have messages in them; the outermost has depth 0.
    pub(in crate::engine::decode) deepest: usize,
}

impl Context<'_, '_> {
    /// Whether a message at this depth may have messages in it.
    #[inline(always)]
    pub(in crate::engine::decode) fn may_nest(&self, depth: usize) -> bool {
        depth < self.deepest
    }

    /// The context of trees at this depth, which recurse: what is deeper is left to the machine.
    #[inline(always)]
    pub(in crate::engine::decode) fn of_trees(&self, depth: usize) -> Self {
        const LEVELS: usize = 16;
        Self { deepest: self.deepest.min(depth + LEVELS), ..*self }
    }
}

/// A decode in progress.
pub(in crate::engine::decode) struct Machine<'r, 'b> {
    pub(in crate::engine::decode) set: &'r ProgramSet,
    pub(in crate::engine::decode) context: Context<'r, 'b>,
    pub(in crate::engine::decode) slab: &'r mut Slab,
    pub(in crate::engine::decode) scratch: &'r mut Scratch,
    /// Some message ended without a required field. A later occurrence of it may still bring the field.
    pub(in crate::engine::decode) may_miss: bool,
    /// The current map entry has a value that its closed enum does not list.
    pub(in crate::engine::decode) entry_unknown: bool,
    pub(in crate::engine::decode) open: OpenMessage<'r>,
    /// The offset where the content of the last group ended.
    pub(in crate::engine::decode) group_end: usize,
    /// Trees that start before this offset get frames.
    pub(in crate::engine::decode) framed_until: usize,
    /// Why the loop stopped; valid after `Next::Fault`.
    pub(in crate::engine::decode) fault: Fault,
}

/// A message that has not ended, and how far it came. The field loop copies what it needs into local variables.
#[derive(Clone, Copy)]
pub(in crate::engine::decode) struct OpenMessage<'r> {
    pub(in crate::engine::decode) program: &'r Program,
    /// Offset of the next tag.
    pub(in crate::engine::decode) pos: usize,
    /// Offset where the message ends; for a group, where its parent ends.
    pub(in crate::engine::decode) end: usize,
    /// The hasbits, unless the message is wide.
    pub(in crate::engine::decode) hasbits: u64,
    pub(in crate::engine::decode) body: BodyRef,
    /// The end-group tag that ends the message, 0 if it ends at `end`.
    pub(in crate::engine::decode) group: u32,
    /// The offset of some field of the message; all fields before it were decoded without a fault.
    pub(in crate::engine::decode) from: usize,
}

/// What went wrong, its offset, and the entry of the field if it is known.
#[derive(Clone, Copy)]
pub(in crate::engine::decode) struct Fault {
    pub(in crate::engine::decode) kind: Kind,
    pub(in crate::engine::decode) offset: usize,
    pub(in crate::engine::decode) entry: Option<u16>,
}

/// A result, or the kind of a fault and its offset.
pub(in crate::engine::decode) type Located<T> = Result<T, (Kind, usize)>;

/// What the loop does after a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::decode) enum Next {
    /// It decodes the fields of the innermost message.
    Continue,
    /// It returns: the outermost message has ended.
    Done,
    /// It returns the fault of the machine.
    Fault,
}

/// A field of the innermost message whose tag has been read. All numbers are offsets.
#[derive(Clone, Copy)]
pub(in crate::engine::decode) struct FieldStart<'p> {
    pub(in crate::engine::decode) program: &'p Program,
    pub(in crate::engine::decode) tag: u32,
    pub(in crate::engine::decode) tag_start: usize,
    /// After the tag; for length-delimited fields, the length prefix is there.
    pub(in crate::engine::decode) value_start: usize,
    /// The end of the message.
    pub(in crate::engine::decode) end: usize,
}

/// The content of a sub-message that is about to be entered.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::decode) struct Child {
    pub(in crate::engine::decode) start: usize,
    /// The end of the child; for a group, the end of its parent.
    pub(in crate::engine::decode) end: usize,
    /// The end-group tag that ends the child, 0 if it ends at `end`.
    pub(in crate::engine::decode) group: u32,
    /// The offset where the parent continues, 0 if that is the end of the child.
    pub(in crate::engine::decode) resume: usize,
}

impl<'r, 'b> Machine<'r, 'b> {
    /// A decode whose outermost message has come this far.
    #[inline(always)]
    pub(in crate::engine::decode) fn new(
        context: Context<'r, 'b>,
        slab: &'r mut Slab,
        scratch: &'r mut Scratch,
        open: OpenMessage<'r>,
    ) -> Self {
        let fault = Fault { kind: Kind::Incomplete, offset: 0, entry: None };
        let (may_miss, entry_unknown) = (false, false);
        let (group_end, framed_until) = (0, 0);
        let set = context.set;
        Self { set, context, slab, scratch, may_miss, entry_unknown, open, group_end, framed_until, fault }
    }

    /// The byte store.
    #[inline(always)]
    pub(in crate::engine::decode) fn bytes(&self) -> &'b [u8] {
        self.context.source.bytes()
    }
}

/// The hasbits of a map entry with a key and a value.
pub(in crate::engine::decode) const MAP_ENTRY: u64 = 3;

/// Sets the hasbit of a field and clears those of its oneof: the slot of the field, and whether it was not set before.
#[inline(always)]
pub(in crate::engine::decode) fn mark_set(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    hasbits: &mut u64,
    entry: &FieldEntry,
) -> Result<(u32, bool), Full> {
    let bit = 1u64 << (entry.bit & 63);
    let fresh = *hasbits & bit == 0;
    if entry.flags.is_special() {
        if program.is_wide() {
            return slab.wide_slot(program, base, entry.slot as usize);
        }
        *hasbits &= !program.oneof_mask(entry.oneof);
    }
    *hasbits |= bit;
    Ok((base + entry.slot as u32, fresh))
}

/// As [`mark_set`], for a list, which is empty if it was not set before.
#[inline(always)]
pub(in crate::engine::decode) fn mark_list_set(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    hasbits: &mut u64,
    entry: &FieldEntry,
) -> Result<u32, Full> {
    let (slot, fresh) = mark_set(slab, program, base, hasbits, entry)?;
    if fresh {
        // A slot means nothing while its hasbit is clear: an older message may have left words there.
        slab.set64(slot, 0);
    }
    Ok(slot)
}

// The decoder's stack of open parents.

/// Frames that every decode has without an allocation: a block took 300 of the 5 450 instructions of a new small message. They are cleared for each
/// new message, so they are few: four were 0.98 on messages without parents, and no faster elsewhere.
const FEW: usize = 2;

/// A frame that was never pushed. All zeros, which compilers store where they belong. Other constants they stored and then copied.
const UNUSED: ParentFrame =
    ParentFrame { body: BodyRef { program: 0, base: 0 }, repeat_tag: 0, ..ParentFrame::NONE };

/// A stack that reuses its memory. The frames above `len` stay initialised, so a push is one comparison and one store.
#[derive(Clone, Debug)]
pub(in crate::engine::decode) struct Stack {
    /// The first `len` frames are in use, until there are more than these.
    few: [ParentFrame; FEW],
    /// All frames in place of `few`; empty while those suffice.
    more: Vec<ParentFrame>,
    len: usize,
    /// The number of frames that this decode has paid for. It pays also for those that an earlier decode allocated: the
    /// nesting that a budget allows does not depend on earlier decodes.
    room: usize,
}

impl Stack {
    pub(in crate::engine::decode) const fn new() -> Self {
        Self { few: [UNUSED; FEW], more: Vec::new(), len: 0, room: FEW }
    }

    #[inline(always)]
    fn frames(&self) -> &[ParentFrame] {
        if self.more.is_empty() { &self.few } else { &self.more }
    }

    #[inline(always)]
    fn frames_mut(&mut self) -> &mut [ParentFrame] {
        if self.more.is_empty() { &mut self.few } else { &mut self.more }
    }

    #[inline(always)]
    pub(in crate::engine::decode) fn len(&self) -> usize {
        self.len
    }

    pub(in crate::engine::decode) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(in crate::engine::decode) fn clear(&mut self) {
        self.len = 0;
    }

    /// Begins a decode with a budget of its own, which has paid for no frames but the first few.
    pub(in crate::engine::decode) fn pay_again(&mut self) {
        self.room = FEW;
    }

    /// The number of frames that have been paid for.
    pub(in crate::engine::decode) fn capacity(&self) -> usize {
        self.room
    }

    /// Bytes allocated.
    pub(in crate::engine::decode) fn allocated(&self) -> usize {
        self.more.capacity() * size_of::<ParentFrame>()
    }

    /// Makes room for `more` frames.
    pub(in crate::engine::decode) fn grow(&mut self, more: usize) -> Result<(), Full> {
        let room = self.room + more;
        let missing = room.saturating_sub(self.more.len());
        self.more.try_reserve_exact(missing).map_err(|_| Full::NoMemory)?;
        if self.more.is_empty() {
            self.more.extend_from_slice(&self.few);
        }
        self.more.resize(room.max(self.more.len()), ParentFrame::NONE);
        self.room = room;
        Ok(())
    }

    #[inline(always)]
    pub(in crate::engine::decode) fn is_full(&self) -> bool {
        self.len >= self.room
    }

    /// Adds a frame. The caller checks that the stack is not full.
    #[inline(always)]
    pub(in crate::engine::decode) fn push(&mut self, frame: ParentFrame) {
        let len = self.len;
        if let Some(place) = self.frames_mut().get_mut(len) {
            *place = frame;
            self.len += 1;
        }
    }

    #[inline(always)]
    pub(in crate::engine::decode) fn pop(&mut self) -> Option<&ParentFrame> {
        self.len = self.len.checked_sub(1)?;
        self.frames().get(self.len)
    }

    /// As [`pop`](Self::pop), for `take_back`.
    #[inline(always)]
    pub(in crate::engine::decode) fn pop_mut(&mut self) -> Option<&mut ParentFrame> {
        self.len = self.len.checked_sub(1)?;
        self.popped_mut()
    }

    /// The frame that was popped last.
    #[inline(always)]
    pub(in crate::engine::decode) fn popped(&self) -> &ParentFrame {
        const NONE: &ParentFrame = &ParentFrame::NONE;
        self.frames().get(self.len).unwrap_or(NONE)
    }

    /// The frame that was popped last, for `take_back`.
    #[inline(always)]
    pub(in crate::engine::decode) fn popped_mut(&mut self) -> Option<&mut ParentFrame> {
        let len = self.len;
        self.frames_mut().get_mut(len)
    }

    /// Undoes the last `pop`.
    #[inline(always)]
    pub(in crate::engine::decode) fn take_back(&mut self) {
        self.len += 1;
    }

    pub(in crate::engine::decode) fn last(&self) -> Option<&ParentFrame> {
        self.iter().next_back()
    }

    /// From the outermost to the innermost.
    pub(in crate::engine::decode) fn iter(&self) -> impl DoubleEndedIterator<Item = &ParentFrame> {
        self.frames().get(..self.len).unwrap_or_default().iter()
    }
}

impl Default for Stack {
    fn default() -> Self {
        Self::new()
    }
}

// Turns the fault that stopped the loop into an error: kind, offset and path.

impl Machine<'_, '_> {
    /// Stores a fault of the innermost message: its kind, its offset, and the field if it is known.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn fail(
        &mut self,
        kind: Kind,
        offset: usize,
        entry: Option<&FieldEntry>,
    ) -> Next {
        let entry = entry.map(|entry| self.open.program.position(entry) as u16);
        self.fault = Fault { kind, offset, entry };
        Next::Fault
    }

    /// Gives the fault that stopped the loop, exactly, and stores the hasbits of all open messages.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn stopped(&mut self) -> Fault {
        let Fault { kind, offset, entry } = self.fault;
        let OpenMessage { program, hasbits, .. } = self.open;
        let end = self.open.end;
        let (kind, offset, entry) = match kind {
            Kind::Incomplete | Kind::VarintOverflow | Kind::InvalidLength | Kind::InvalidTag => {
                self.explain(program, offset, end).unwrap_or((kind, offset, entry))
            }
            _ => (kind, offset, entry),
        };
        let kind = raw::within(self.is_bounded(), kind);
        // What was left half done costs readers a check per string from now on.
        self.slab.distrust();
        self.store_hasbits(program, hasbits);
        Fault { kind, offset, entry }
    }

    /// Walks over the innermost message up to where the loop stopped, and returns the first fault: kind, offset and, if
    /// the program has it, the field. The loop reads across the end of a message before it compares positions, so its
    /// own kind and offset may be those of bytes outside the message.
    fn explain(&self, program: &Program, stop: usize, end: usize) -> Option<(Kind, usize, Option<u16>)> {
        let bytes = self.bytes().get(..end).unwrap_or(self.bytes());
        let mut tag_start = self.open.from;
        while tag_start < end && tag_start <= stop {
            let (tag, value) = match raw::tag(bytes, tag_start) {
                Ok(read) => read,
                Err(kind) => return Some((kind, tag_start, None)),
            };
            match raw::skip_value(bytes, value, end, tag, u32::MAX) {
                Ok(next) => tag_start = next,
                Err(fault) if fault.offset > stop => return None,
                Err(fault) => {
                    let known =
                        |entry: &FieldEntry| entry.tag == tag.get() || entry.other_op(tag.get()).is_some();
                    let field = program.by_number(tag.number()).filter(|(_, entry)| known(entry));
                    return Some((fault.kind, fault.offset, field.map(|(position, _)| position as u16)));
                }
            }
        }
        None
    }

    /// Whether a length prefix bounds the innermost message, and not the end of the input: if not all messages from it
    /// up to the outermost are groups.
    fn is_bounded(&self) -> bool {
        let mut children =
            self.scratch.stack.iter().skip(1).map(|frame| frame.group).chain([self.open.group]);
        !self.scratch.stack.is_empty() && children.any(|group| group == 0)
    }

    /// Writes the hasbits of all open messages to the slab.
    fn store_hasbits(&mut self, program: &Program, hasbits: u64) {
        if !program.is_wide() && self.open.body.base != NIL {
            self.slab.set_hasbits(program, self.open.body.base, hasbits);
        }
        for frame in self.scratch.stack.iter().rev() {
            let program = self.set.program(frame.body.program);
            if !program.is_wide() {
                self.slab.set_hasbits(program, frame.body.base, frame.hasbits);
            }
        }
    }

    /// The error for a fault in the innermost message of a decode that began at `start`.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn report(&self, fault: Fault, start: usize) -> DecodeError {
        let Self { set, ref open, .. } = *self;
        let words = self.slab.words();
        let mut path = FieldPath::EMPTY;
        // The element of a parent's list is being decoded, so it is the last one. That of the field at fault has not
        // been appended, unless it was the one for which there was no memory.
        let begun = matches!(fault.kind, Kind::BudgetExceeded | Kind::OutOfMemory);
        let parents = self.scratch.stack.iter().map(|frame| (frame.body, Some(frame.entry), true));
        let innermost = (open.body, fault.entry, begun);
        for (body, entry, begun) in parents.chain([innermost]) {
            let Some(position) = entry.map(usize::from) else { continue };
            let view = RawView { words, store: &[], set, body };
            let Some(entry) = view.program().entries().get(position) else { continue };
            let counted = entry.flags.is_list() && !entry.flags.is_map() && !entry.op.is_skip();
            let element = if counted {
                let len = view.slot(position, entry).map_or(0, |slot| words.list(slot).len);
                Some(if begun && entry.coding.is_message() { len.saturating_sub(1) } else { len })
            } else {
                None
            };
            path.push_inner(PathStep::new(entry.number(), None, element));
        }
        DecodeError::new(fault.kind, fault.offset.saturating_sub(start)).with_path(path)
    }
}
