//! The slow path: fields that the field loop does not decode itself. These are lists of numbers and strings, groups, all
//! fields of wide messages, messages that stay bytes, and everything unexpected.

use super::lists::{FixedList, MapEntryList, NumberList, Packed, SpanList};
use super::machine::input;
use super::machine::state::{
    Child, FieldStart, Located, Machine, Next, OpenMessage, mark_list_set, mark_set,
};
use super::rare::Unexpected;
use super::{fixed, lists};
use crate::engine::slab::{BodyRef, Full, SeenKeys, Slab};
use crate::schema::program::{Coding, FieldEntry, Op, Program, ProgramSet};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::raw;
use crate::wire::{Tag, WireType};

/// Adds an offset to an error of the slab.
fn at<T>(offset: usize) -> impl FnOnce(Result<T, Full>) -> Located<T> {
    move |result| result.map_err(|full| (full.into(), offset))
}

impl OpenMessage<'_> {
    /// Marks a list as set, and returns its slot.
    #[inline(always)]
    fn list_slot(&mut self, slab: &mut Slab, entry: &FieldEntry, tag_start: usize) -> Located<u32> {
        let Self { program, body: BodyRef { base, .. }, ref mut hasbits, .. } = *self;
        at(tag_start)(mark_list_set(slab, program, base, hasbits, entry))
    }

    /// Appends a packed run, or all elements that follow each other, to a list of strings, bytes or numbers, but not of a closed enum. Returns the offset
    /// after them.
    #[inline(never)]
    pub(super) fn elements(
        &mut self,
        buf: &[u8],
        slab: &mut Slab,
        field: FieldStart<'_>,
        entry: &FieldEntry,
        op: Op,
    ) -> Located<usize> {
        let FieldStart { tag, tag_start, value_start, end, .. } = field;
        if op != Op::Packed {
            let slot = self.list_slot(slab, entry, tag_start)?;
            return match op {
                Op::List => NumberList { buf, end, tag, entry }.append(slab, slot, value_start),
                _ => SpanList { buf, end, tag, utf8: op == Op::ListString }.append(slab, slot, value_start),
            };
        }
        let bounded = input::bounded(buf, value_start, end);
        let (start, end) = bounded.map_err(|kind| (kind, value_start))?;
        if start != end {
            let slot = self.list_slot(slab, entry, tag_start)?;
            Packed { buf, end, entry }.append(slab, slot, start)?;
        }
        Ok(end)
    }
}

impl<'r> Machine<'r, '_> {
    /// Decodes one field, or all elements of a list that follow each other. The tag, of `len` bytes, is at the
    /// position of the loop; `found` is its entry, or `None` if the tag is not the tag of any entry.
    ///
    /// A call per field is cheap enough for these: out of the field loop, they leave its registers alone.
    #[inline(never)]
    pub(super) fn slow_field(&mut self, found: Option<&'r FieldEntry>, tag: u32, len: usize) -> Next {
        let OpenMessage { program, pos, end, group, .. } = self.open;
        let tag_start = pos;
        let field = FieldStart { program, tag, tag_start, value_start: tag_start + len, end };
        let (entry, op) = match found {
            Some(entry) if entry.op == Op::Wide => (entry, entry.declared_op()),
            Some(entry) => (entry, entry.op),
            // The end-group tag of the innermost message.
            None if tag == group && group != 0 && field.value_start <= field.end => {
                self.group_end = tag_start;
                (self.open.group, self.open.pos, self.open.end) = (0, pos + len, pos + len);
                return self.leave();
            }
            None => match self.unexpected(field) {
                Ok(Unexpected::Unknown(next)) => {
                    self.open.pos = next;
                    return Next::Continue;
                }
                Ok(Unexpected::Item(entry, child)) => return self.enter_any(entry, child),
                Ok(Unexpected::OtherForm(entry, op)) => (entry, op),
                Err((kind, offset)) => return self.fail(kind, offset, None),
            },
        };
        if field.value_start > field.end {
            return self.fail(Kind::Incomplete, tag_start, Some(entry));
        }
        // `None`: a message that must be entered.
        let next = match op {
            Op::Group | Op::ListGroup => {
                let child = Child { start: pos + len, end, group: tag + 1, resume: 0 };
                return self.enter_child(entry, child);
            }
            Op::Message | Op::Inline | Op::ListMessage | Op::Map => Ok(None),
            Op::Lazy | Op::ListLazy => self.lazy(field, entry).map(Some),
            op if op.is_skip() => self.unselected(field, entry).map(Some),
            Op::ListFixedMessage => self.fixed_list(field, entry),
            Op::PlainMap => self.map_entries(field, entry),
            Op::List | Op::Packed if entry.coding == Coding::ClosedEnum => {
                self.closed_enums(field, entry, op).map(Some)
            }
            Op::List | Op::Packed | Op::ListString | Op::ListBytes => {
                self.open.elements(self.context.source.bytes(), self.slab, field, entry, op).map(Some)
            }
            Op::String | Op::Bytes => self.span(field, entry, op).map(Some),
            _ => self.number(field, entry).map(Some),
        };
        match next {
            Ok(Some(next)) => {
                self.open.pos = next;
                Next::Continue
            }
            Ok(None) => match self.bounded(field) {
                Ok((start, end)) => {
                    let child = Child { start, end, group: 0, resume: 0 };
                    self.enter_any(entry, child)
                }
                Err((kind, offset)) => self.fail(kind, offset, Some(entry)),
            },
            Err((kind, offset)) => self.fail(kind, offset, Some(entry)),
        }
    }

    /// Start and end of a length-delimited value.
    fn bounded(&self, field: FieldStart<'_>) -> Located<(usize, usize)> {
        input::bounded(self.bytes(), field.value_start, field.end).map_err(|kind| (kind, field.value_start))
    }

    /// Appends a packed run, or all elements that follow each other, to a list of numbers of a closed enum.
    fn closed_enums(&mut self, field: FieldStart<'_>, entry: &FieldEntry, op: Op) -> Located<usize> {
        let FieldStart { tag, tag_start, value_start, end, .. } = field;
        let (buf, base) = (self.bytes(), self.open.body.base);
        if op == Op::List {
            let slot = self.open.list_slot(self.slab, entry, tag_start)?;
            return NumberList { buf, end, tag, entry }.append_closed(
                self,
                (slot, base),
                tag_start,
                value_start,
            );
        }
        let (start, end) = self.bounded(field)?;
        if start != end {
            let slot = self.open.list_slot(self.slab, entry, tag_start)?;
            Packed { buf, end, entry }.append_closed(self, (slot, base), start)?;
        }
        Ok(end)
    }

    /// Appends messages of fixed shape; `None` if the first one has another form, or if there is no memory for it.
    fn fixed_list(&mut self, field: FieldStart<'_>, entry: &FieldEntry) -> Located<Option<usize>> {
        let (buf, sub) = (self.bytes(), self.set.program(entry.sub));
        // The elements, and the messages in them.
        let levels = 1 + usize::from(sub.fixed().is_none());
        if self.scratch.stack.len() + levels > self.context.options.depth_limit() as usize {
            return Ok(None);
        }
        // Restored if nothing is appended: the general path must see the field as it was.
        let before = self.open.hasbits;
        let slot = self.open.list_slot(self.slab, entry, field.tag_start)?;
        let (slab, first) = (&mut *self.slab, (field.tag_start, field.value_start));
        let list = FixedList { buf, end: field.end, tag: field.tag, sub };
        let next = match (sub.fixed(), sub.nested_fixed()) {
            (Some(layout), _) => list.append(slab, slot, first, layout.len, |body, start, len| {
                fixed::load_fixed(layout, body, buf, start, len)
            }),
            (None, Some(layout)) => list.append(slab, slot, first, layout.len, |body, start, len| {
                let bytes = buf.get(start..).and_then(<[u8]>::first_chunk);
                bytes.is_some_and(|bytes| fixed::load_nested(layout, body, bytes, len))
            }),
            (None, None) => field.tag_start,
        };
        if next == field.tag_start {
            self.open.hasbits = before;
            return Ok(None);
        }
        Ok(Some(next))
    }

    /// Appends map entries of a key and a value that are no messages; `None` if the first one has another form.
    fn map_entries(&mut self, field: FieldStart<'_>, entry: &FieldEntry) -> Located<Option<usize>> {
        let FieldStart { program, tag, tag_start, value_start: mut pos, end } = field;
        if self.scratch.stack.len() >= self.context.options.depth_limit() as usize {
            return Ok(None);
        }
        let list = MapEntryList { buf: self.bytes(), end, tag, sub: self.set.program(entry.sub) };
        let OpenMessage { body, hasbits: before, .. } = self.open;
        let slot = self.open.list_slot(self.slab, entry, tag_start)?;
        let mut done = None;
        let mut seen = SeenKeys::of(self.slab.words().list(slot).len);
        while let Some(result) = list.append(self.slab, slot, pos) {
            let (entry_end, key) = at(pos)(result)?;
            if !seen.is_new(list.digest(key)) {
                at(pos)(self.map_entry_done(entry, slot, body, program.position(entry)))?;
            }
            done = Some(entry_end);
            match list.next(entry_end) {
                Some(next) => pos = next,
                None => break,
            }
        }
        if done.is_none() {
            self.open.hasbits = before;
        }
        Ok(done)
    }

    /// Decodes a singular string or bytes field.
    fn span(&mut self, field: FieldStart<'_>, entry: &FieldEntry, op: Op) -> Located<usize> {
        let (start, end) = self.bounded(field)?;
        let pair =
            lists::pair(self.bytes(), start, end, op == Op::String).ok_or((Kind::InvalidUtf8, start))?;
        if start == end && entry.flags.is_implicit() {
            self.mark_unset(field.program, entry);
        } else {
            let slot = self.slot(entry, field.tag_start)?;
            self.slab.set64(slot, pair);
        }
        Ok(end)
    }

    /// Decodes a singular number, bool or enum.
    fn number(&mut self, field: FieldStart<'_>, entry: &FieldEntry) -> Located<usize> {
        let (value, next) = lists::number(entry.coding, self.bytes(), field.value_start)
            .map_err(|kind| (kind, field.value_start))?;
        if next > field.end {
            return Err((Kind::Incomplete, field.value_start));
        }
        if entry.coding == Coding::ClosedEnum {
            if !self.set.enum_contains(entry.sub, value as i32) {
                at(field.tag_start)(self.unlisted(self.open.body.base, field.tag_start, next))?;
                return Ok(next);
            }
            self.entry_unknown = false;
        }
        if value == 0 && entry.flags.is_implicit() {
            self.mark_unset(field.program, entry);
            return Ok(next);
        }
        let slot = self.slot(entry, field.tag_start)?;
        if entry.coding.words() == 2 {
            self.slab.set64(slot, value);
        } else {
            self.slab.set(slot, value as u32);
        }
        Ok(next)
    }

    /// Marks a field of the innermost message as set, and returns its slot.
    fn slot(&mut self, entry: &FieldEntry, tag_start: usize) -> Located<u32> {
        let OpenMessage { program, body: BodyRef { base, .. }, ref mut hasbits, .. } = self.open;
        at(tag_start)(mark_set(self.slab, program, base, hasbits, entry)).map(|(slot, _)| slot)
    }

    /// Marks a field with implicit presence as unset, because its value is zero or empty.
    fn mark_unset(&mut self, program: &Program, entry: &FieldEntry) {
        if program.is_wide() {
            self.slab.mark_unset(program, self.open.body.base, entry.slot as usize);
        }
        self.open.hasbits &= !(1u64 << (entry.bit & 63));
    }
}

// Finds in the bytes of a message what its program did not decode.

/// Bytes of a message that were not decoded: one field, or one value of a packed run with the tag to write before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undecoded {
    /// The field number.
    pub(crate) number: u32,
    pub(crate) offset: u32,
    pub(crate) len: u32,
    pub(crate) tag: Option<u32>,
    /// The field of that number, and not a wire type or an enum number that it does not take.
    pub(crate) is_field: bool,
    /// A decoded member of a oneof, which unsets the members before it.
    pub(crate) is_decoded: bool,
}

/// Calls `keep` for everything between two offsets of the store that `program` does not decode, in wire order: fields
/// that are not selected, unknown fields, and numbers that closed enums do not list. Also calls it for decoded
/// members of oneofs.
///
/// The decode checked the tags and lengths of these bytes; should one be wrong, the walk ends there.
pub(crate) fn undecoded(
    set: &ProgramSet,
    program: &Program,
    store: &[u8],
    (start, end): (usize, usize),
    keep: &mut impl FnMut(Undecoded),
) {
    let store = store.get(..end).unwrap_or(store);
    let mut item = start;
    while item < end {
        let Ok((tag, value)) = raw::tag(store, item) else { return };
        let Ok(next) = raw::skip_value(store, value, end, tag, u32::MAX) else { return };
        let whole = Undecoded {
            number: tag.number(),
            offset: item as u32,
            len: (next - item) as u32,
            tag: None,
            is_field: false,
            is_decoded: false,
        };
        let entry = program.by_number(tag.number()).map(|(_, entry)| entry);
        let field = WireField { store, tag, value, end: next, whole };
        match entry.filter(|entry| entry.takes(tag.get())) {
            None => keep(whole),
            Some(entry) if entry.op.is_skip() => {
                keep(Undecoded { is_field: !field.is_unlisted(set, entry), ..whole });
            }
            Some(entry) if field.is_unlisted(set, entry) => keep(whole),
            Some(entry) if entry.oneof != 0 => keep(Undecoded { is_field: true, is_decoded: true, ..whole }),
            Some(entry) => field.unlisted_elements(set, entry, keep),
        }
        item = next;
    }
}

/// One field in the bytes of a message.
struct WireField<'b> {
    store: &'b [u8],
    tag: Tag,
    /// Offset of the value, or of its length prefix.
    value: usize,
    end: usize,
    whole: Undecoded,
}

impl WireField<'_> {
    /// Whether the field is unknown because its closed enum does not list the number; of a map entry, that of its value.
    fn is_unlisted(&self, set: &ProgramSet, entry: &FieldEntry) -> bool {
        if entry.flags.is_map() {
            return self.has_unlisted_value(set, set.program(entry.sub));
        }
        entry.coding == Coding::ClosedEnum
            && self.tag.wire_type() == WireType::Varint
            && !is_listed(set, entry, self.store, self.value)
    }

    /// Whether a map entry has a value that its closed enum does not list. The last value counts.
    fn has_unlisted_value(&self, set: &ProgramSet, program: &Program) -> bool {
        let Some(entry) = program.entries().get(1).filter(|entry| entry.coding == Coding::ClosedEnum) else {
            return false;
        };
        let mut unlisted = false;
        let Ok((_, mut at)) = raw::length(self.store, self.value) else { return false };
        while at < self.end {
            let Ok((tag, value)) = raw::tag(self.store, at) else { break };
            let Ok(next) = raw::skip_value(self.store, value, self.end, tag, u32::MAX) else { break };
            if tag.get() == entry.tag {
                unlisted = !is_listed(set, entry, self.store, value);
            }
            at = next;
        }
        unlisted
    }

    /// Calls `keep` for the elements of a packed run that its closed enum does not list.
    fn unlisted_elements(&self, set: &ProgramSet, entry: &FieldEntry, keep: &mut impl FnMut(Undecoded)) {
        if entry.coding != Coding::ClosedEnum || self.tag.wire_type() != WireType::LengthDelimited {
            return;
        }
        let Ok((_, mut at)) = raw::length(self.store, self.value) else { return };
        while at < self.end {
            let Ok((_, next)) = raw::varint(self.store, at) else { return };
            if !is_listed(set, entry, self.store, at) {
                let tag = Some(entry.number() << 3);
                keep(Undecoded { offset: at as u32, len: (next - at) as u32, tag, ..self.whole });
            }
            at = next;
        }
    }
}

/// Whether the closed enum of an entry lists the number at a position.
fn is_listed(set: &ProgramSet, entry: &FieldEntry, store: &[u8], value: usize) -> bool {
    raw::varint(store, value).is_ok_and(|(number, _)| set.enum_contains(entry.sub, number as i32))
}
