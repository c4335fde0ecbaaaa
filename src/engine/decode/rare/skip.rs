//! Fields that are skipped: messages that stay bytes, and fields that a projection does not select.
//!
//! Nothing inside them is read, except the tags of groups, whose end must be found. Most fields that a projection
//! does not select are skipped by the field loop itself (`fields.rs`).

use crate::engine::decode::machine::input;
use crate::engine::decode::machine::state::{
    FieldStart, Located, Machine, OpenMessage, mark_list_set, mark_set,
};
use crate::engine::slab::{BodyRef, Full, NIL, Nesting};
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::raw;
use crate::wire::{Tag, WireType};

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
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
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
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
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
        let (tag, value) = raw::tag_bits(self.buf, frame.tag_start as usize).unwrap_or((0, end));
        let is_group = tag & 7 == WireType::StartGroup as u32;
        let (start, end) = match is_group {
            true => (value, self.group_end),
            false => (raw::length(self.buf, value).map_or(end, |(_, start)| start), end),
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
