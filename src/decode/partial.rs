//! Fields that are not decoded: messages that stay bytes, and what a projection does not select.
//!
//! Tags and lengths of the message they are in have been read; nothing inside of them is, but for the tags of
//! groups, which end where they say. Most skipped fields never get here (`scalars.rs`).

use super::input;
use super::run::{Run, touch, touch_list};
use super::special::{Field, Other, skip};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, Entry, Program};
use crate::slab::{Full, Nesting};
use crate::wire::{Tag, raw};

type At<T> = Result<T, (Kind, usize)>;

/// Skips length-delimited fields of one tag, the first of which has its tag at `item` and its length at `pos`: the
/// start of the last one, and the position behind it; of a fault, the length that is at fault. Elements of a list
/// follow each other.
#[inline(always)]
pub(super) fn skip_lengths(
    buf: &[u8],
    (mut item, mut pos): (usize, usize),
    end: usize,
    tag: u32,
) -> Result<(usize, usize), (Kind, usize)> {
    loop {
        let value_end = match input::bounded(buf, pos, end) {
            Ok((_, value_end)) => value_end,
            Err(kind) => return Err((kind, pos)),
        };
        // What stands at the end of the message is no tag of it, and a byte from 0x80 on no whole tag.
        let same = tag < 0x80 && buf.get(value_end).is_some_and(|&byte| u32::from(byte) == tag);
        if value_end >= end || !same {
            return Ok((item, value_end));
        }
        (item, pos) = (value_end, value_end + 1);
    }
}

impl Run<'_, '_> {
    /// A field that the run loop leaves to others.
    pub(super) fn apart<'p>(&mut self, field: Field<'p>, entry: &Entry) -> At<Other<'p>> {
        let (next, has) =
            if entry.op.is_lazy() { self.lazy(field, entry)? } else { self.unselected(field, entry)? };
        Ok(Other::Apart(next, has))
    }

    /// A message or group that stays bytes; gives the position behind it and the presence bits.
    fn lazy(&mut self, field: Field<'_>, entry: &Entry) -> At<(usize, u64)> {
        let mut has = field.has;
        if self.depth_left() == 0 {
            return Err((Kind::DepthExceeded, field.item));
        }
        let (from, to, next) = self.extent(&field, entry.coding)?;
        let full = |full: Full| (full.into(), field.item);
        let base = self.raw_body(field.program, field.base, &mut has, entry).map_err(full)?;
        self.slab.add_verbatim(base, from as u32, (to - from) as u32).map_err(full)?;
        Ok((next, has))
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
    fn raw_body(&mut self, program: &Program, base: u32, has: &mut u64, entry: &Entry) -> Result<u32, Full> {
        let sub = self.set.program(entry.sub);
        let depth = self.depth_left().saturating_sub(1);
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

    /// A field that is not selected; gives the position behind it and the presence bits.
    fn unselected(&mut self, field: Field<'_>, entry: &Entry) -> At<(usize, u64)> {
        let has = field.has;
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
        let tag = Tag::from_bits(field.tag).map_err(|kind| (kind, field.item))?;
        let next = skip(limit, field.item, field.pos, tag, self.depth_left())?;
        if entry.oneof == 0 {
            return Ok((next, has));
        }
        // A number that its closed enum does not list is an unknown field and unsets nothing.
        if entry.coding == Coding::ClosedEnum {
            let (value, _) = raw::varint(limit, field.pos).map_err(|kind| (kind, field.pos))?;
            if !self.set.enum_contains(entry.sub, value as i32) {
                return Ok((next, has));
            }
        }
        if field.program.is_wide() {
            let members = field.program.entries().iter().enumerate();
            for (position, _) in members.filter(|(_, member)| member.oneof == entry.oneof) {
                self.slab.untouch(field.program, field.base, position);
            }
        }
        Ok((next, has & !field.program.oneof_mask(entry.oneof)))
    }

    /// Keeps the bytes of a message that has ended, of which only some fields were decoded. Those of the outermost
    /// one are kept from the beginning.
    #[inline(never)]
    pub(super) fn keep_bytes(&mut self, base: u32, end: usize, group: u32) -> Result<(), Full> {
        let Some(frame) = self.scratch.stack.last() else { return Ok(()) };
        let tag = raw::tag_bits(self.buf, frame.item as usize).map_or(end, |(_, pos)| pos);
        let start = if group == 0 { raw::length(self.buf, tag).map_or(end, |(_, pos)| pos) } else { tag };
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
