//! Turns the fault that stopped the loop into an error: kind, offset and path.

use super::state::{Fault, Machine, Next, OpenMessage};
use crate::engine::slab::{NIL, RawView};
use crate::schema::program::{FieldEntry, Program};
use crate::wire::error::{DecodeError, DecodeErrorKind as Kind, FieldPath, PathStep};
use crate::wire::read::raw;

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
        let end = self.open.end + self.source.origin();
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

    /// Walks over the innermost message up to where the loop stopped, and gives the first fault: kind, offset and, if
    /// the program has it, the field. The loop reads across the end of a message before it compares positions, so its
    /// own kind and offset may be those of bytes outside the message.
    fn explain(&self, program: &Program, stop: usize, end: usize) -> Option<(Kind, usize, Option<u16>)> {
        let bytes = self.buf.get(..end).unwrap_or(self.buf);
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
