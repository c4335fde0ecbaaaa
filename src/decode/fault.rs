//! What is said of an input that is wrong.

use super::Stop;
use super::state::{Fault, Flow, Open, Run};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{FieldEntry, Program};
use crate::slab::NIL;
use crate::wire::raw;

impl Run<'_, '_> {
    /// Notes a fault at an offset in the store, in a field of the innermost message if it got so far.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, kind: Kind, offset: usize, entry: Option<&FieldEntry>) -> Flow {
        let entry = entry.map(|entry| self.open.program.position(entry) as u16);
        self.fault = Fault { kind, offset, entry };
        Flow::Stop
    }

    /// The loop has stopped at a fault in the innermost message: writes the presence bits of all open messages back and
    /// finds out more.
    #[cold]
    #[inline(never)]
    pub(super) fn stopped(&mut self) -> Stop {
        let Fault { kind, offset, entry } = self.fault;
        let Open { program, has, .. } = self.open;
        let end = self.open.end + self.source.shift();
        let (kind, offset, entry) = match kind {
            Kind::Incomplete | Kind::VarintOverflow | Kind::InvalidLength | Kind::InvalidTag => {
                self.explain(program, offset, end).unwrap_or((kind, offset, entry))
            }
            _ => (kind, offset, entry),
        };
        let kind = raw::within(self.is_bounded(), kind);
        self.slab.distrust();
        self.spill(program, has);
        Stop { kind, offset, index: self.open.index, base: self.open.base, entry }
    }

    /// Reads may go beyond the end of their message before the loop looks, so what a fault in reading is, and where,
    /// is said by a walk within the message up to where the loop stopped. Gives the field at fault as well, if the program
    /// has it.
    fn explain(&self, program: &Program, stop: usize, end: usize) -> Option<(Kind, usize, Option<u16>)> {
        let bytes = self.buf.get(..end).unwrap_or(self.buf);
        let mut item = self.open.from;
        while item < end && item <= stop {
            let (tag, value) = match raw::tag(bytes, item) {
                Ok(read) => read,
                Err(kind) => return Some((kind, item, None)),
            };
            match raw::skip_value(bytes, value, end, tag, u32::MAX) {
                Ok(next) => item = next,
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

    /// Whether a length, and not the end of the input, bounds the innermost message: it or one around it is not a
    /// group.
    fn is_bounded(&self) -> bool {
        let mut children =
            self.scratch.stack.iter().skip(1).map(|frame| frame.group).chain([self.open.group]);
        !self.scratch.stack.is_empty() && children.any(|group| group == 0)
    }

    fn spill(&mut self, program: &Program, has: u64) {
        if !program.is_wide() && self.open.base != NIL {
            self.slab.set_hasbits(program, self.open.base, has);
        }
        for frame in self.scratch.stack.iter().rev() {
            let program = self.set.program(frame.index);
            if !program.is_wide() {
                self.slab.set_hasbits(program, frame.base, frame.has);
            }
        }
    }
}
