//! Fields that the run loop does not decode itself: lists of numbers and strings, groups, all fields of wide messages, and
//! what is not in the table.

use super::lists::{self, Entries, Numbers, Parts, Shapes, Spans};
use super::packed::Packed;
use super::special::Other;
use super::state::{Child, Field, Flow, Open, Run, touch, touch_list};
use super::{OpenMap, input};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, FieldEntry, Op, Program};
use crate::slab::Full;

type At<T> = Result<T, (Kind, usize)>;

/// Errors of the slab, where they have no offset of their own.
fn at<T>(offset: usize) -> impl FnOnce(Result<T, Full>) -> At<T> {
    move |result| result.map_err(|full| (full.into(), offset))
}

impl<'r> Run<'r, '_> {
    /// Decodes the field whose tag, of `len` bytes, is at the position of the loop; `found` is its entry unless its tag is
    /// not the expected one.
    #[inline(never)]
    pub(super) fn rest(&mut self, found: Option<&'r FieldEntry>, tag: u32, len: usize) -> Flow {
        let shift = self.source.shift();
        let Open { program, pos, end, group, .. } = self.open;
        let item = pos + shift;
        let field = Field { program, tag, item, pos: item + len, end: end + shift };
        let (entry, op) = match found {
            Some(entry) if entry.op == Op::Wide => (entry, entry.declared_op()),
            Some(entry) => (entry, entry.op),
            None if tag == group && group != 0 && field.pos <= field.end => {
                self.group_end = item;
                (self.open.group, self.open.pos, self.open.end) = (0, pos + len, pos + len);
                return self.leave();
            }
            None => match self.other(field) {
                Ok(Other::Skipped(next)) => {
                    self.open.pos = next - shift;
                    return Flow::GoOn;
                }
                Ok(Other::Item(entry, child)) => return self.enter_any(entry, child),
                Ok(Other::As(entry, op)) => (entry, op),
                Err((kind, offset)) => return self.fail(kind, offset, None),
            },
        };
        if field.pos > field.end {
            return self.fail(Kind::Incomplete, item, Some(entry));
        }
        let next = match op {
            Op::Group | Op::ListGroup => {
                let child = Child { start: pos + len, end, group: tag + 1, resume: 0 };
                return self.enter_child(entry, child);
            }
            Op::Message | Op::Inline | Op::ListMessage | Op::Map => Ok(None),
            Op::Lazy | Op::ListLazy => self.lazy(field, entry).map(Some),
            op if op.is_skip() => self.unselected(field, entry).map(Some),
            Op::ListFixedMessage => self.shapes(field, entry),
            Op::ListNestedFixed => self.parts(field, entry),
            Op::PlainMap => self.entries(field, entry),
            Op::Packed => self.packed(field, entry).map(Some),
            Op::List | Op::ListString | Op::ListBytes => self.list(field, entry, op).map(Some),
            Op::String | Op::Bytes => self.span(field, entry, op).map(Some),
            _ => self.number(field, entry).map(Some),
        };
        match next {
            Ok(Some(next)) => {
                self.open.pos = next - shift;
                Flow::GoOn
            }
            Ok(None) => match self.bounded(field) {
                Ok((start, end)) => {
                    let child = Child { start: start - shift, end: end - shift, group: 0, resume: 0 };
                    self.enter_any(entry, child)
                }
                Err((kind, offset)) => self.fail(kind, offset, Some(entry)),
            },
            Err((kind, offset)) => self.fail(kind, offset, Some(entry)),
        }
    }

    /// The slot of a list of the innermost message, which is set from now on.
    #[inline(always)]
    fn list_slot(&mut self, entry: &FieldEntry, item: usize) -> At<u32> {
        let Open { program, base, ref mut has, .. } = self.open;
        at(item)(touch_list(self.slab, program, base, has, entry))
    }

    /// The start and the end of a value behind its length.
    fn bounded(&self, field: Field<'_>) -> At<(usize, usize)> {
        input::bounded(self.buf, field.pos, field.end).map_err(|kind| (kind, field.pos))
    }

    fn packed(&mut self, field: Field<'_>, entry: &FieldEntry) -> At<usize> {
        let (start, end) = self.bounded(field)?;
        if start != end {
            let slot = self.list_slot(entry, field.item)?;
            Packed { buf: self.buf, end, entry, base: self.open.base }.append(self, slot, start)?;
        }
        Ok(end)
    }

    fn list(&mut self, field: Field<'_>, entry: &FieldEntry, op: Op) -> At<usize> {
        let Field { tag, item, pos, end, .. } = field;
        let (buf, base) = (self.buf, self.open.base);
        let slot = self.list_slot(entry, item)?;
        match op {
            Op::List => Numbers { buf, end, tag, entry, base }.append(self, slot, item, pos),
            _ => Spans { buf, end, tag, utf8: op == Op::ListString }.append(self.slab, slot, pos),
        }
    }

    /// Messages of fixed shape; `None` if the first one has another form.
    fn shapes(&mut self, field: Field<'_>, entry: &FieldEntry) -> At<Option<usize>> {
        let sub = self.set.program(entry.sub);
        let Some(shape) = sub.fixed() else { return Ok(None) };
        if self.scratch.stack.len() >= self.options.depth_limit() as usize {
            return Ok(None);
        }
        let before = self.open.has;
        let slot = self.list_slot(entry, field.item)?;
        let run = Shapes { buf: self.buf, end: field.end, tag: field.tag, shape, words: sub.words() };
        let next = run.append(self.slab, slot, field.item, field.pos)?;
        if next == field.item {
            self.open.has = before;
            return Ok(None);
        }
        Ok(Some(next))
    }

    /// Messages of messages of fixed shape; `None` if the first one has another form, or must wait for memory.
    fn parts(&mut self, field: Field<'_>, entry: &FieldEntry) -> At<Option<usize>> {
        let sub = self.set.program(entry.sub);
        let Some(shape) = sub.nested_fixed() else { return Ok(None) };
        if self.scratch.stack.len() + 1 >= self.options.depth_limit() as usize {
            return Ok(None);
        }
        let before = self.open.has;
        let slot = self.list_slot(entry, field.item)?;
        let run = Parts { buf: self.buf, end: field.end, tag: field.tag, shape, sub };
        let next = run.append(self.slab, slot, field.item, field.pos);
        if next == field.item {
            self.open.has = before;
            return Ok(None);
        }
        Ok(Some(next))
    }

    /// Map entries; `None` if the first one has another form.
    fn entries(&mut self, field: Field<'_>, entry: &FieldEntry) -> At<Option<usize>> {
        let Field { program, tag, item, mut pos, end } = field;
        if self.scratch.stack.len() >= self.options.depth_limit() as usize {
            return Ok(None);
        }
        let run = Entries { buf: self.buf, end, tag, sub: self.set.program(entry.sub) };
        let Open { index, base, has: before, .. } = self.open;
        let slot = self.list_slot(entry, item)?;
        let mut done = None;
        while let Some(result) = run.append(self.slab, slot, pos) {
            let behind = at(pos)(result)?;
            let map = OpenMap { index, base, entry: program.position(entry) as u16, fresh: 0 };
            at(pos)(self.map_entry_done(entry, slot, map))?;
            done = Some(behind);
            match run.next(behind) {
                Some(next) => pos = next,
                None => break,
            }
        }
        if done.is_none() {
            self.open.has = before;
        }
        Ok(done)
    }

    /// A string or bytes.
    fn span(&mut self, field: Field<'_>, entry: &FieldEntry, op: Op) -> At<usize> {
        let (start, end) = self.bounded(field)?;
        let pair = lists::pair(self.buf, start, end, op == Op::String).ok_or((Kind::InvalidUtf8, start))?;
        if start == end && entry.flags.is_implicit() {
            self.untouch(field.program, entry);
        } else {
            let slot = self.slot(entry, field.item)?;
            self.slab.set64(slot, pair);
        }
        Ok(end)
    }

    /// A singular number, bool or enum.
    fn number(&mut self, field: Field<'_>, entry: &FieldEntry) -> At<usize> {
        let (value, next) =
            lists::number(entry.coding, self.buf, field.pos).map_err(|kind| (kind, field.pos))?;
        if next > field.end {
            return Err((Kind::Incomplete, field.pos));
        }
        if entry.coding == Coding::ClosedEnum {
            if !self.set.enum_contains(entry.sub, value as i32) {
                at(field.item)(self.unlisted(self.open.base, field.item, next))?;
                return Ok(next);
            }
            self.entry_unknown = false;
        }
        if value == 0 && entry.flags.is_implicit() {
            self.untouch(field.program, entry);
            return Ok(next);
        }
        let slot = self.slot(entry, field.item)?;
        if entry.coding.words() == 2 {
            self.slab.set64(slot, value);
        } else {
            self.slab.set(slot, value as u32);
        }
        Ok(next)
    }

    /// The slot of a field of the innermost message, which is set from now on.
    fn slot(&mut self, entry: &FieldEntry, item: usize) -> At<u32> {
        let Open { program, base, ref mut has, .. } = self.open;
        at(item)(touch(self.slab, program, base, has, entry)).map(|(slot, _)| slot)
    }

    /// Marks a field as unset: a zero came for a field with implicit presence.
    fn untouch(&mut self, program: &Program, entry: &FieldEntry) {
        if program.is_wide() {
            self.slab.mark_unset(program, self.open.base, entry.slot as usize);
        }
        self.open.has &= !(1u64 << (entry.bit & 63));
    }
}
