//! Fields that are not decoded: messages that stay bytes, and what a projection does not select.
//!
//! Tags and lengths of the message they are in have been read; nothing inside of them is, but for the tags of
//! groups, which end where they say. Most skipped fields never get here (`fields.rs`).

use super::input;
use super::special::skip;
use super::state::{Field, Open, Run, touch, touch_list};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, FieldEntry};
use crate::slab::{Full, Nesting};
use crate::wire::{Tag, WireType, raw};

type At<T> = Result<T, (Kind, usize)>;

/// Skips length-delimited fields of one tag, the first of which has its length at `pos`: the position behind the last
/// one; of a fault, the length that is at fault. Elements of a list follow each other.
#[inline(always)]
pub(super) fn skip_lengths(buf: &[u8], mut pos: usize, end: usize, tag: u32) -> Result<usize, (Kind, usize)> {
    loop {
        let (_, value_end) = input::bounded(buf, pos, end).map_err(|kind| (kind, pos))?;
        // What stands at the end of the message is no tag of it, and a byte from 0x80 on no whole tag.
        let same = tag < 0x80 && buf.get(value_end).is_some_and(|&byte| u32::from(byte) == tag);
        if value_end >= end || !same {
            return Ok(value_end);
        }
        pos = value_end + 1;
    }
}

impl Run<'_, '_> {
    /// A message or group that stays bytes; gives the position behind it.
    #[inline(never)]
    pub(super) fn lazy(&mut self, field: Field<'_>, entry: &FieldEntry) -> At<usize> {
        if self.depth_left() == 0 {
            return Err((Kind::DepthExceeded, field.item));
        }
        let (from, to, next) = self.extent(&field, entry.coding)?;
        let full = |full: Full| (full.into(), field.item);
        let base = self.raw_body(entry).map_err(full)?;
        self.slab.add_verbatim(base, from as u32, (to - from) as u32).map_err(full)?;
        Ok(next)
    }

    /// Where the content of a message starts and ends, and the position behind the field.
    fn extent(&self, field: &Field<'_>, coding: Coding) -> At<(usize, usize, usize)> {
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
        if coding == Coding::Group {
            let (end, next) = raw::group(limit, field.pos, field.tag >> 3, self.depth_left())
                .map_err(|fault| (fault.kind, fault.offset))?;
            return Ok((field.pos, end, next));
        }
        let (len, start) = raw::length(limit, field.pos).map_err(|kind| (kind, field.pos))?;
        match start.checked_add(len).filter(|&end| end <= limit.len()) {
            Some(end) => Ok((start, end, end)),
            None => Err((Kind::Incomplete, field.pos)),
        }
    }

    /// The raw message of a field: a new one, or what a singular field has already.
    fn raw_body(&mut self, entry: &FieldEntry) -> Result<u32, Full> {
        let sub = self.set.program(entry.sub);
        let depth = self.depth_left().saturating_sub(1);
        let Open { program, base, ref mut has, .. } = self.open;
        let (at, fresh, in_place) = if entry.flags.is_list() {
            let slot = touch_list(self.slab, program, base, has, entry)?;
            (self.slab.list_grow(slot, sub.element_words(), 1)?, true, sub.is_contiguous())
        } else {
            let (slot, fresh) = touch(self.slab, program, base, has, entry)?;
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
                self.slab.set(at, crate::slab::NIL);
                let body = self.slab.alloc_raw(Nesting::allowed(depth))?;
                self.slab.set(at, body);
                Ok(body)
            }
            (false, false) => Ok(self.slab.get(at)),
        }
    }

    /// A field that is not selected; gives the position behind it.
    #[inline(never)]
    pub(super) fn unselected(&mut self, field: Field<'_>, entry: &FieldEntry) -> At<usize> {
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
        let tag = Tag::from_bits(field.tag).map_err(|kind| (kind, field.item))?;
        let next = skip(limit, field.item, field.pos, tag, self.depth_left())?;
        if entry.oneof == 0 {
            return Ok(next);
        }
        // A number that its closed enum does not list is an unknown field and unsets nothing.
        if entry.coding == Coding::ClosedEnum {
            let (value, _) = raw::varint(limit, field.pos).map_err(|kind| (kind, field.pos))?;
            if !self.set.enum_contains(entry.sub, value as i32) {
                return Ok(next);
            }
        }
        if field.program.is_wide() {
            self.slab.wide_clear_oneof(field.program, self.open.base, entry.oneof);
        }
        self.open.has &= !field.program.oneof_mask(entry.oneof);
        Ok(next)
    }

    /// Keeps the bytes of a message whose content has ended at `end`, of which only some fields were decoded. Those of
    /// the outermost one are kept from the beginning.
    #[inline(never)]
    pub(super) fn keep_bytes(&mut self, base: u32, end: usize) -> Result<(), Full> {
        let Some(frame) = self.scratch.stack.last() else { return Ok(()) };
        let (tag, behind) = raw::tag_bits(self.buf, frame.item as usize).unwrap_or((0, end));
        let is_group = tag & 7 == WireType::StartGroup as u32;
        let (start, end) = match is_group {
            true => (behind, self.group_end),
            false => (raw::length(self.buf, behind).map_or(end, |(_, start)| start), end),
        };
        if !self.slab.words().is_verbatim(base) {
            // Numbers that closed enums do not list are in the bytes.
            self.slab.clear_unknown(base);
        }
        if end > start {
            self.slab.add_verbatim(base, start as u32, (end - start) as u32)?;
        }
        Ok(())
    }
}
