//! What real messages rarely have: tags that are not the expected ones, groups that end, values that a closed
//! enum does not list, MessageSet items, and the end of map entries.

use super::state::{Child, Field, Run};
use super::{Frame, OpenMap};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, FieldEntry, Op, Program};
use crate::slab::{Full, MapContext, NIL, Nesting, RawView, Text};
use crate::wire::{Tag, WireType, message_set, raw};

/// What the run loop does with it.
pub(super) enum Other<'p> {
    /// Go on here.
    Skipped(usize),
    /// Decode it as this.
    As(&'p FieldEntry, Op),
    /// Enter a MessageSet item.
    Item(&'p FieldEntry, Child),
}

/// The parts of a MessageSet item.
#[derive(Default)]
struct Item {
    type_id: Option<u64>,
    payload: Option<(usize, usize)>,
    end: usize,
}

type At<T> = Result<T, (Kind, usize)>;

/// The position behind a field whose tag starts at `item` and whose value starts at `pos`.
pub(super) fn skip(limit: &[u8], item: usize, pos: usize, tag: Tag, depth_left: u32) -> At<usize> {
    raw::skip_value(limit, pos, limit.len(), tag, depth_left).map_err(|fault| {
        // Where the tag itself is at fault, `skip_value` cannot know where it starts.
        let at_tag = match tag.wire_type() {
            WireType::StartGroup => depth_left == 0,
            wire_type => wire_type == WireType::EndGroup,
        };
        (fault.kind, if at_tag { item } else { fault.offset })
    })
}

impl<'r> Run<'r, '_> {
    #[cold]
    #[inline(never)]
    pub(super) fn other<'p>(&mut self, field: Field<'p>) -> At<Other<'p>> {
        // The tag itself may be cut by the end of the message.
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
        let (tag, pos) = raw::tag(limit, field.item).map_err(|kind| (kind, field.item))?;
        if let Some((_, entry)) = field.program.by_number(tag.number())
            && let Some(op) = entry.other_op(field.tag)
        {
            return Ok(Other::As(entry, op));
        }
        if tag.wire_type() == WireType::EndGroup {
            return Err((Kind::UnexpectedEndGroup, field.item));
        }
        if field.program.message_set
            && field.tag == message_set::ITEM.into()
            && let Some(found) = self.message_set_item(&field, limit)?
        {
            return Ok(found);
        }
        let end = skip(limit, field.item, pos, tag, self.depth_left())?;
        if field.program.is_partial() {
            return Ok(Other::Skipped(end));
        }
        self.keep(self.open.base, field.item, end).map_err(|full| (full.into(), field.item))?;
        Ok(Other::Skipped(end))
    }

    /// Levels that may be opened in the innermost message.
    pub(super) fn depth_left(&self) -> u32 {
        self.options.depth_limit().saturating_sub(self.scratch.stack.len() as u32)
    }

    /// Adds a field to the unknown fields, unless they are discarded or inside of a map entry, which has none. The
    /// bytes of a verbatim message hold it already.
    fn keep(&mut self, base: u32, from: usize, to: usize) -> Result<(), Full> {
        if self.options.discards_unknown() || self.in_map_entry() || self.slab.words().is_verbatim(base) {
            return Ok(());
        }
        self.slab.add_unknown(base, from as u32, (to - from) as u32)
    }

    fn in_map_entry(&self) -> bool {
        self.scratch.stack.last().is_some_and(|frame| frame.map)
    }

    /// A value that its closed enum does not list: an unknown field; in a map entry the whole entry is one.
    #[cold]
    #[inline(never)]
    pub(super) fn unlisted(&mut self, base: u32, from: usize, to: usize) -> Result<(), Full> {
        if self.in_map_entry() {
            self.entry_unknown = true;
        }
        self.keep(base, from, to)
    }

    /// The same for an element of a packed run, which has no tag of its own.
    #[cold]
    #[inline(never)]
    pub(super) fn unlisted_element(
        &mut self,
        base: u32,
        entry: &FieldEntry,
        from: usize,
        to: usize,
    ) -> Result<(), Full> {
        if self.options.discards_unknown() || self.slab.words().is_verbatim(base) {
            return Ok(());
        }
        self.slab.add_unknown_value(base, entry.number() << 3, from as u32, (to - from) as u32)
    }

    /// Gives the map entry at the end of its list, of the parent in `frame`, the key or value that it lacks: zero, empty, or
    /// the first number of the enum. Drops the entry if there is no memory for that, or if its message would be too deep:
    /// that counts as if it were there, as it is when the entry is written.
    #[cold]
    #[inline(never)]
    pub(super) fn complete_entry(&mut self, frame: &Frame, program: &Program, base: u32) -> Result<(), Kind> {
        let completed = self.fill_entry(program, base);
        if completed.is_err()
            && let Some((_, slot)) = self.map_slot(frame)
        {
            self.drop_last(slot);
        }
        completed
    }

    fn fill_entry(&mut self, program: &Program, base: u32) -> Result<(), Kind> {
        // The entry itself is not on the stack any more.
        let levels = self.depth_left().saturating_sub(1);
        for (position, entry) in program.entries().iter().enumerate() {
            let (slot, fresh) = self.slab.mark_set(program, base, position)?;
            if !fresh {
                continue;
            }
            if entry.coding.is_message() && levels == 0 {
                return Err(Kind::DepthExceeded);
            }
            // The empty message that stands for a missing value can lack required fields.
            let decoded = entry.coding.is_message() && !entry.op.is_lazy();
            self.may_miss |= decoded && self.set.program(entry.sub).has_required();
            match entry.coding {
                Coding::ClosedEnum => self.slab.set(slot, self.set.enum_default(entry.sub) as u32),
                _ if entry.op.is_lazy() => {
                    self.slab.set(slot, NIL);
                    let raw = self.slab.alloc_raw(Nesting::allowed(levels - 1))?;
                    self.slab.set(slot, raw);
                }
                Coding::String => self.slab.set64(slot, Text::EMPTY.pair()),
                coding if coding.words() == 1 => self.slab.set(slot, 0),
                _ => self.slab.set64(slot, 0),
            }
        }
        Ok(())
    }

    /// After a fault: ends the map entries that were being decoded, innermost first.
    #[cold]
    #[inline(never)]
    pub(super) fn abandon(&mut self, end: usize) {
        self.entry_unknown = false;
        while let Some(&frame) = self.scratch.stack.pop() {
            if !frame.map {
                continue;
            }
            let Some((entry, slot)) = self.map_slot(&frame) else { continue };
            let (index, base) = (frame.index, frame.base);
            let view = RawView { words: self.slab.words(), store: self.buf, set: self.set, index, base };
            let list = view.list(entry, slot);
            let last = list.message(list.len().saturating_sub(1));
            if last.base == NIL {
                continue;
            }
            let (program, base) = (self.set.program(last.index), last.base);
            // An entry that cannot be ended is dropped.
            if self.complete_entry(&frame, program, base).is_ok() {
                let _ = self.end_map_entry(&frame, end);
            }
        }
    }

    /// The entry at the end of a map's list is complete; `end` is the end of its bytes.
    #[inline]
    pub(super) fn end_map_entry(&mut self, frame: &Frame, end: usize) -> Result<(), Full> {
        let Some((entry, slot)) = self.map_slot(frame) else { return Ok(()) };
        if self.entry_unknown {
            self.entry_unknown = false;
            self.drop_last(slot);
            return self.keep(frame.base, frame.item as usize, end);
        }
        self.map_entry_done(
            entry,
            slot,
            OpenMap { index: frame.index, base: frame.base, entry: frame.entry, fresh: 0 },
        )
    }

    /// The map that an open entry belongs to: the field of the entry's parent, and its slot.
    #[inline]
    fn map_slot(&self, frame: &Frame) -> Option<(&'r FieldEntry, u32)> {
        let program = self.set.program(frame.index);
        let position = frame.entry as usize;
        let entry = program.entries().get(position)?;
        let slot = match program.is_wide() {
            true => self.slab.words().wide_find(frame.base, position)?,
            false => frame.base + entry.slot as u32,
        };
        Some((entry, slot))
    }

    /// Drops the last entry of the map at `slot`.
    fn drop_last(&mut self, slot: u32) {
        let len = self.slab.words().list(slot).len;
        self.slab.list_truncate(slot, len.saturating_sub(1));
    }

    /// Keeps the keys of a map unique, now or at the end of the decode, after an entry was appended at `slot`.
    #[inline(always)]
    pub(super) fn map_entry_done(&mut self, entry: &FieldEntry, slot: u32, map: OpenMap) -> Result<(), Full> {
        let context = MapContext { store: self.buf, set: self.set };
        match self.slab.map_entry_done(context, entry, slot) {
            None => Ok(()),
            Some(fresh) => self.settle_later(slot, OpenMap { fresh, ..map }),
        }
    }

    /// Notes a map that is to be settled at the end; without the memory for that, its last entry goes.
    #[cold]
    #[inline(never)]
    fn settle_later(&mut self, slot: u32, map: OpenMap) -> Result<(), Full> {
        if self.scratch.maps.try_reserve(1).is_err() {
            self.slab.map_take_back(slot);
            return Err(Full);
        }
        self.scratch.maps.push(map);
        Ok(())
    }

    /// A MessageSet item whose type is declared; `None` leaves it to the unknown fields.
    fn message_set_item<'p>(&self, field: &Field<'p>, limit: &[u8]) -> At<Option<Other<'p>>> {
        let item = self.scan_item(limit, field.pos)?;
        let (Some(type_id), Some((start, end))) = (item.type_id, item.payload) else { return Ok(None) };
        let found = u32::try_from(type_id).ok().and_then(|number| field.program.by_number(number));
        Ok(match found {
            Some((_, entry)) if entry.coding == Coding::Message => {
                let shift = self.source.shift();
                let child = Child { start: start - shift, end: end - shift, group: 0, resume: item.end };
                Some(Other::Item(entry, child))
            }
            _ => None,
        })
    }

    /// Finds the first type id and the first payload of an item, in either order.
    fn scan_item(&self, limit: &[u8], mut pos: usize) -> At<Item> {
        let depth_left = self.options.depth_limit().saturating_sub(self.scratch.stack.len() as u32 + 1);
        let mut item = Item::default();
        loop {
            let start = pos;
            let (tag, value) = raw::tag(limit, pos).map_err(|kind| (kind, start))?;
            // All of them are tags of one byte.
            match u8::try_from(tag.get()).unwrap_or(0) {
                message_set::ITEM_END => {
                    item.end = value;
                    return Ok(item);
                }
                message_set::TYPE_ID => {
                    let (type_id, next) = raw::varint(limit, value).map_err(|kind| (kind, value))?;
                    item.type_id.get_or_insert(type_id);
                    pos = next;
                }
                message_set::MESSAGE => {
                    let (bytes, next) = raw::length_delimited(limit, value).map_err(|kind| (kind, value))?;
                    item.payload.get_or_insert((next - bytes.len(), next));
                    pos = next;
                }
                _ => {
                    pos = skip(limit, start, value, tag, depth_left)?;
                }
            }
        }
    }
}
