//! Fields that leave the loop: map entries, items of MessageSets, unknown fields.

use super::ParentFrame;
use super::lists::same_tag;
use super::machine::input;
use super::machine::state::{Child, FieldStart, Located, Machine, OpenMessage, mark_list_set, mark_set};
use crate::engine::slab::{BodyRef, Full, MapContext, NIL, Nesting, RawView, Text};
use crate::schema::program::{Coding, FieldEntry, Op, Program};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::{message_set, raw};
use crate::wire::{Tag, WireType};

// The end of map entries: missing parts are filled in, and the keys of the map become unique, now or at the end of the
// decode.

impl<'r> Machine<'r, '_> {
    /// Adds the key or value that the last entry of a map lacks: zero, the empty string or message, or the first
    /// number of the enum. `frame` is the parent of the entry.
    ///
    /// If there is no memory for that, the entry is dropped. A value that is not in the input is no level of it, as in C++.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn complete_entry(
        &mut self,
        frame: &ParentFrame,
        program: &Program,
        base: u32,
    ) -> Result<(), Full> {
        let completed = self.fill_entry(program, base);
        if completed.is_err()
            && let Some((_, slot)) = self.map_slot(frame)
        {
            self.drop_last(slot);
        }
        completed
    }

    fn fill_entry(&mut self, program: &Program, base: u32) -> Result<(), Full> {
        for (position, entry) in program.entries().iter().enumerate() {
            let (slot, fresh) = self.slab.mark_set(program, base, position)?;
            if !fresh {
                continue;
            }
            // A missing value is an empty message, which lacks all required fields of its type.
            let decoded = entry.coding.is_message() && !entry.op.is_lazy();
            self.may_miss |= decoded && self.set.program(entry.sub).has_required();
            match entry.coding {
                Coding::ClosedEnum => self.slab.set(slot, self.set.enum_default(entry.sub) as u32),
                _ if entry.op.is_lazy() => {
                    self.slab.set(slot, NIL);
                    // The entry has been popped from the stack; what is in its value is two levels below its parent.
                    let raw = self.slab.alloc_raw(Nesting::allowed(self.depth_left().saturating_sub(2)))?;
                    self.slab.set(slot, raw);
                }
                Coding::String => self.slab.set64(slot, Text::EMPTY.pair()),
                coding if coding.words() == 1 => self.slab.set(slot, 0),
                _ => self.slab.set64(slot, 0),
            }
        }
        Ok(())
    }

    /// After a fault: pops all frames and ends the map entries that were open, innermost first.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn close_maps(&mut self, end: usize) {
        self.entry_unknown = false;
        while let Some(&frame) = self.scratch.stack.pop() {
            if !frame.map {
                continue;
            }
            let Some((entry, slot)) = self.map_slot(&frame) else { continue };
            let view =
                RawView { words: self.slab.words(), store: self.bytes(), set: self.set, body: frame.body };
            let list = view.list(entry, slot);
            let last = list.message(list.len().saturating_sub(1));
            if last.body.base == NIL {
                continue;
            }
            let (program, base) = (self.set.program(last.body.program), last.body.base);
            // `complete_entry` drops the entry if it fails.
            if self.complete_entry(&frame, program, base).is_ok() {
                let _ = self.end_map_entry(&frame, end);
            }
        }
    }

    /// Ends the last entry of a map, which has a key and a value; `end` is the offset after it.
    #[inline]
    pub(in crate::engine::decode) fn end_map_entry(
        &mut self,
        frame: &ParentFrame,
        end: usize,
    ) -> Result<(), Full> {
        let Some((entry, slot)) = self.map_slot(frame) else { return Ok(()) };
        if self.entry_unknown {
            self.entry_unknown = false;
            self.drop_last(slot);
            return self.keep_unknown(frame.body.base, frame.tag_start as usize, end);
        }
        self.map_entry_done(entry, slot, frame.body, frame.entry.into())
    }

    /// The map field of an open entry, in the parent `frame`, and the slot of the map.
    #[inline]
    fn map_slot(&self, frame: &ParentFrame) -> Option<(&'r FieldEntry, u32)> {
        let program = self.set.program(frame.body.program);
        let position = frame.entry as usize;
        let entry = program.entries().get(position)?;
        let slot = match program.is_wide() {
            true => self.slab.words().wide_find(frame.body.base, position)?,
            false => frame.body.base + entry.slot as u32,
        };
        Some((entry, slot))
    }

    /// Drops the last entry of the map at `slot`.
    fn drop_last(&mut self, slot: u32) {
        let len = self.slab.words().list(slot).len;
        self.slab.list_truncate(slot, len.saturating_sub(1));
    }

    /// Makes keys unique after an entry was appended to the map at `slot`. Where that may take long, it is left to the
    /// end of the decode, so that hostile keys cost n log n.
    #[inline(always)]
    pub(in crate::engine::decode) fn map_entry_done(
        &mut self,
        entry: &FieldEntry,
        slot: u32,
        body: BodyRef,
        position: usize,
    ) -> Result<(), Full> {
        let context = MapContext { store: self.bytes(), set: self.set };
        match self.slab.map_entry_done(context, entry, slot) {
            None => Ok(()),
            Some(fresh) => self.slab.settle_later(body, position, slot, fresh),
        }
    }
}

// Items of a MessageSet: groups that hold a type id and the payload, a message.

/// What a scan finds in an item.
#[derive(Default)]
pub(crate) struct SetItem {
    pub(crate) type_id: Option<u32>,
    /// Start and end of the payload, after its length prefix.
    pub(crate) payload: Option<(usize, usize)>,
    /// The offset after the end-group tag.
    pub(crate) end: usize,
}

impl Machine<'_, '_> {
    /// The item whose start-group tag was read, if its type is known. `None`: it is an unknown field.
    pub(in crate::engine::decode) fn message_set_item<'p>(
        &self,
        field: &FieldStart<'p>,
        limit: &[u8],
    ) -> Located<Option<Unexpected<'p>>> {
        let item = scan_item(limit, field.value_start, self.depth_left().saturating_sub(1))?;
        let (Some(type_id), Some((start, end))) = (item.type_id, item.payload) else {
            return Ok(None);
        };
        Ok(match field.program.by_number(type_id) {
            Some((_, entry)) if entry.coding == Coding::Message => {
                let child = Child { start, end, group: 0, resume: item.end };
                Some(Unexpected::Item(entry, child))
            }
            _ => None,
        })
    }
}

/// Finds the first type id and the first payload of an item, in either order; later ones are ignored, as in C++.
pub(crate) fn scan_item(limit: &[u8], mut pos: usize, depth_left: u32) -> Located<SetItem> {
    let mut item = SetItem::default();
    loop {
        let tag_start = pos;
        let (tag, value) = raw::tag(limit, pos).map_err(|kind| (kind, tag_start))?;
        // The three tags of an item have one byte each.
        match u8::try_from(tag.get()).unwrap_or(0) {
            message_set::ITEM_END => {
                item.end = value;
                return Ok(item);
            }
            message_set::TYPE_ID => {
                let (type_id, next) = raw::varint(limit, value).map_err(|kind| (kind, value))?;
                // A number of 32 bits, like any other of that type; 0 is no field number.
                let type_id = type_id as u32;
                if type_id == 0 {
                    return Err((Kind::InvalidFieldNumber, tag_start));
                }
                item.type_id.get_or_insert(type_id);
                pos = next;
            }
            message_set::MESSAGE => {
                let (bytes, next) = raw::length_delimited(limit, value).map_err(|kind| (kind, value))?;
                item.payload.get_or_insert((next - bytes.len(), next));
                pos = next;
            }
            _ => {
                pos = skip(limit, tag_start, value, tag, depth_left)?;
            }
        }
    }
}

// Fields that are skipped: messages that stay bytes, and fields that a projection does not select.
//
// Nothing inside them is read, except the tags of groups, whose end must be found. Most fields that a projection
// does not select are skipped by the field loop itself (`fields.rs`).

/// Skips a length-delimited value whose length prefix is at `pos`, and the fields of the same tag that follow it, as the
/// elements of a list do. Gives the position after the last one, or a fault and the position of the wrong length.
#[inline(always)]
pub(crate) fn skip_lengths(buf: &[u8], mut pos: usize, end: usize, tag: u32) -> Result<usize, (Kind, usize)> {
    loop {
        let (_, value_end) = input::bounded(buf, pos, end).map_err(|kind| (kind, pos))?;
        // Only tags of one byte are compared; at the end of the message, the byte is not a tag of it.
        let same = tag < 0x80 && buf.get(value_end).is_some_and(|&byte| u32::from(byte) == tag);
        if value_end >= end || !same {
            return Ok(value_end);
        }
        pos = value_end + 1;
    }
}

/// The offset after a field whose tag starts at `tag_start` and whose value starts at `pos`.
pub(crate) fn skip(limit: &[u8], tag_start: usize, pos: usize, tag: Tag, depth_left: u32) -> Located<usize> {
    raw::skip_value(limit, pos, limit.len(), tag, depth_left).map_err(|fault| {
        // `skip_value` does not know where the tag starts, so faults of the tag get their offset here.
        let at_tag = match tag.wire_type() {
            WireType::StartGroup => depth_left == 0,
            wire_type => wire_type == WireType::EndGroup,
        };
        (fault.kind, if at_tag { tag_start } else { fault.offset })
    })
}

impl Machine<'_, '_> {
    /// Stores a message or group as bytes that are decoded later. Gives the offset after it.
    #[inline(never)]
    pub(in crate::engine::decode) fn lazy(
        &mut self,
        field: FieldStart<'_>,
        entry: &FieldEntry,
    ) -> Located<usize> {
        if self.depth_left() == 0 {
            return Err((Kind::DepthExceeded, field.tag_start));
        }
        let (from, to, next) = self.extent(&field, entry.coding)?;
        let full = |full: Full| (full.into(), field.tag_start);
        let base = self.raw_body(entry).map_err(full)?;
        self.slab.add_verbatim(base, from as u32, (to - from) as u32).map_err(full)?;
        Ok(next)
    }

    /// Start and end of the content of a message, and the offset after the field.
    fn extent(&self, field: &FieldStart<'_>, coding: Coding) -> Located<(usize, usize, usize)> {
        let limit = self.bytes().get(..field.end).unwrap_or(self.bytes());
        if coding == Coding::Group {
            let (end, next) = raw::group(limit, field.value_start, field.tag >> 3, self.depth_left())
                .map_err(|fault| (fault.kind, fault.offset))?;
            return Ok((field.value_start, end, next));
        }
        let (len, start) = raw::length(limit, field.value_start).map_err(|kind| (kind, field.value_start))?;
        match start.checked_add(len).filter(|&end| end <= limit.len()) {
            Some(end) => Ok((start, end, end)),
            None => Err((Kind::Incomplete, field.value_start)),
        }
    }

    /// The body for the bytes of a message field: a new one, or the one that a singular field has already.
    fn raw_body(&mut self, entry: &FieldEntry) -> Result<u32, Full> {
        let sub = self.set.program(entry.sub);
        let depth = self.depth_left().saturating_sub(1);
        let OpenMessage { program, body: BodyRef { base, .. }, ref mut hasbits, .. } = self.open;
        let (at, fresh, in_place) = if entry.flags.is_list() {
            let slot = mark_list_set(self.slab, program, base, hasbits, entry)?;
            (self.slab.list_grow(slot, sub.element_words(), 1)?, true, sub.is_contiguous())
        } else {
            let (slot, fresh) = mark_set(self.slab, program, base, hasbits, entry)?;
            (slot, fresh, entry.flags.is_inline())
        };
        match (in_place, fresh) {
            (true, true) => {
                self.slab.clear_body(sub, at);
                self.slab.make_raw(at, Nesting::allowed(depth))?;
                Ok(at)
            }
            (true, false) => Ok(at),
            (false, true) => {
                self.slab.set(at, NIL);
                let body = self.slab.alloc_raw(Nesting::allowed(depth))?;
                self.slab.set(at, body);
                Ok(body)
            }
            (false, false) => Ok(self.slab.get(at)),
        }
    }

    /// Skips a field that is not selected, and unsets the other members of its oneof. Gives the offset after it.
    #[inline(never)]
    pub(in crate::engine::decode) fn unselected(
        &mut self,
        field: FieldStart<'_>,
        entry: &FieldEntry,
    ) -> Located<usize> {
        let limit = self.bytes().get(..field.end).unwrap_or(self.bytes());
        let tag = Tag::from_bits(field.tag).map_err(|kind| (kind, field.tag_start))?;
        let next = skip(limit, field.tag_start, field.value_start, tag, self.depth_left())?;
        if entry.oneof == 0 {
            return Ok(next);
        }
        // A number that its closed enum does not list is an unknown field, which unsets nothing.
        if entry.coding == Coding::ClosedEnum {
            let (value, _) =
                raw::varint(limit, field.value_start).map_err(|kind| (kind, field.value_start))?;
            if !self.set.enum_contains(entry.sub, value as i32) {
                return Ok(next);
            }
        }
        if field.program.is_wide() {
            self.slab.wide_clear_oneof(field.program, self.open.body.base, entry.oneof);
        }
        self.open.hasbits &= !field.program.oneof_mask(entry.oneof);
        Ok(next)
    }

    /// Makes a message verbatim that has ended at the offset `end` and of which only some fields were decoded. The
    /// outermost message is verbatim from the beginning of the decode.
    #[inline(never)]
    pub(in crate::engine::decode) fn keep_bytes(&mut self, base: u32, end: usize) -> Result<(), Full> {
        let Some(frame) = self.scratch.stack.last() else { return Ok(()) };
        let (tag, value) = raw::tag_bits(self.bytes(), frame.tag_start as usize).unwrap_or((0, end));
        let is_group = tag & 7 == WireType::StartGroup as u32;
        let (start, end) = match is_group {
            true => (value, self.group_end),
            false => (raw::length(self.bytes(), value).map_or(end, |(_, start)| start), end),
        };
        if !self.slab.words().is_verbatim(base) {
            // Its unknown fields are numbers that closed enums do not list. The bytes have them.
            self.slab.clear_unknown(base);
        }
        if end > start {
            self.slab.add_verbatim(base, start as u32, (end - start) as u32)?;
        }
        Ok(())
    }
}

// Tags that the program does not expect, and values that closed enums do not list: what becomes an unknown field.

/// What a field with an unexpected tag turned out to be.
pub(in crate::engine::decode) enum Unexpected<'p> {
    /// An unknown field, which ends at this offset.
    Unknown(usize),
    /// A list of numbers in the other form, packed or not: decode it with this operation.
    OtherForm(&'p FieldEntry, Op),
    /// An item of a MessageSet whose payload is a known message.
    Item(&'p FieldEntry, Child),
}

impl<'r> Machine<'r, '_> {
    /// Handles a field whose tag is not the tag of any entry; unknown fields are added to the message.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn unexpected<'p>(
        &mut self,
        field: FieldStart<'p>,
    ) -> Located<Unexpected<'p>> {
        // The window may have crossed the end of the message, even inside the tag, so the tag is read again.
        let limit = self.bytes().get(..field.end).unwrap_or(self.bytes());
        let (tag, pos) = raw::tag(limit, field.tag_start).map_err(|kind| (kind, field.tag_start))?;
        if let Some((_, entry)) = field.program.by_number(tag.number())
            && let Some(op) = entry.other_op(field.tag)
        {
            return Ok(Unexpected::OtherForm(entry, op));
        }
        if tag.wire_type() == WireType::EndGroup {
            return Err((Kind::UnexpectedEndGroup, field.tag_start));
        }
        if field.program.is_message_set()
            && field.tag == u32::from(message_set::ITEM)
            && let Some(found) = self.message_set_item(&field, limit)?
        {
            return Ok(found);
        }
        let mut end = skip(limit, field.tag_start, pos, tag, self.depth_left())?;
        // Fields with the same tag are unknown too. A fault in one of them is found, and reported, once those before it are kept.
        while !field.program.is_message_set()
            && let Some(value) = same_tag(limit, end, limit.len(), field.tag)
            && let Ok(next) = skip(limit, end, value, tag, self.depth_left())
        {
            end = next;
        }
        if field.program.is_partial() {
            return Ok(Unexpected::Unknown(end));
        }
        self.keep_unknown(self.open.body.base, field.tag_start, end)
            .map_err(|full| (full.into(), field.tag_start))?;
        Ok(Unexpected::Unknown(end))
    }

    /// How many levels may still be nested in the innermost message.
    pub(in crate::engine::decode) fn depth_left(&self) -> u32 {
        self.context.options.depth_limit().saturating_sub(self.scratch.stack.len() as u32)
    }

    /// Adds the field between two offsets to the unknown fields of a message. Map entries have no unknown fields, and a
    /// verbatim message has the field in its bytes already.
    pub(in crate::engine::decode) fn keep_unknown(
        &mut self,
        base: u32,
        from: usize,
        to: usize,
    ) -> Result<(), Full> {
        if self.context.options.discards_unknown()
            || self.in_map_entry()
            || self.slab.words().is_verbatim(base)
        {
            return Ok(());
        }
        self.slab.add_unknown(base, from as u32, (to - from) as u32)
    }

    fn in_map_entry(&self) -> bool {
        self.scratch.stack.last().is_some_and(|frame| frame.map)
    }

    /// Keeps a field whose number its closed enum does not list. In a map entry, the whole entry becomes unknown.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn unlisted(
        &mut self,
        base: u32,
        from: usize,
        to: usize,
    ) -> Result<(), Full> {
        if self.in_map_entry() {
            self.entry_unknown = true;
        }
        self.keep_unknown(base, from, to)
    }

    /// Keeps an element of a packed run that its closed enum does not list. It has no tag in the input, so the span
    /// stores one.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn unlisted_element(
        &mut self,
        base: u32,
        entry: &FieldEntry,
        from: usize,
        to: usize,
    ) -> Result<(), Full> {
        if self.context.options.discards_unknown() || self.slab.words().is_verbatim(base) {
            return Ok(());
        }
        self.slab.add_unknown_value(base, entry.number() << 3, from as u32, (to - from) as u32)
    }
}
