//! What is rare: tags that the program does not expect, fields that are skipped, numbers that closed enums do not list.

use super::state::{VisitFault, VisitRun, VisitedChild};
use super::{Field, Sink};
use crate::engine::decode::rare::{scan_item, skip};
use crate::schema::program::{Coding, FieldEntry, Op, Program};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::{message_set, raw};
use crate::wire::{Tag, WireType};

/// What a field with an unexpected tag turned out to be.
pub(super) enum UnexpectedField<'p> {
    /// A field that ends at this offset, and is done.
    Skipped(usize),
    /// A list of numbers in the other form, packed or not.
    OtherForm(&'p FieldEntry, Op),
    /// An item of a MessageSet whose payload is a known message.
    Item(&'p FieldEntry, VisitedChild),
}

impl<'r, 'i, S: Sink<'i> + ?Sized> VisitRun<'_, 'r, 'i, S> {
    /// The field whose tag starts at an offset, in a message that ends at another one.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(
        &mut self,
        program: &'r Program,
        tag_start: usize,
        end: usize,
    ) -> Result<UnexpectedField<'r>, VisitFault> {
        let input = self.job.input;
        // The window may have crossed the end of the message, even inside the tag, so the tag is read again.
        let limit = input.get(..end).unwrap_or(input);
        let (tag, pos) = raw::tag(limit, tag_start).map_err(|kind| (kind, tag_start))?;
        if let Some((_, entry)) = program.by_number(tag.number())
            && let Some(op) = entry.other_op(tag.get())
        {
            return Ok(UnexpectedField::OtherForm(entry, op));
        }
        if tag.wire_type() == WireType::EndGroup {
            return Err((Kind::UnexpectedEndGroup, tag_start));
        }
        if program.is_message_set() && tag.get() == u32::from(message_set::ITEM) {
            let item = scan_item(limit, pos, self.depth_left().saturating_sub(1))?;
            if let (Some(type_id), Some((start, end))) = (item.type_id, item.payload)
                && let Some((_, entry)) = program.by_number(type_id)
                && entry.coding == Coding::Message
            {
                let child = VisitedChild { start, end, group: 0, resume: item.end };
                return Ok(UnexpectedField::Item(entry, child));
            }
        }
        let next = skip(limit, tag_start, pos, tag, self.depth_left())?;
        if !program.is_partial() {
            self.unlisted(program, tag.get(), pos, next);
        }
        Ok(UnexpectedField::Skipped(next))
    }

    /// The offset after the field whose tag starts at an offset.
    pub(super) fn skip(&self, tag_start: usize, end: usize) -> Result<usize, VisitFault> {
        let input = self.job.input;
        let limit = input.get(..end).unwrap_or(input);
        let (tag, pos) = raw::tag(limit, tag_start).map_err(|kind| (kind, tag_start))?;
        skip(limit, tag_start, pos, tag, self.depth_left())
    }

    /// Hands over a message as bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn content(&mut self, field: Field<'_>, start: usize, end: usize) {
        self.sink.content(field, self.job.input.get(start..end).unwrap_or_default());
    }

    /// As [`content`](Self::content), for a group with this tag that has been skipped, whose end tag ends at `next`.
    #[cold]
    #[inline(never)]
    pub(super) fn group_content(&mut self, field: Field<'_>, tag: u32, start: usize, next: usize) {
        // An end tag may be longer than it need be. Only one place is that of this tag: its highest bits are not zero.
        let is_end = |end: &usize| matches!(raw::tag(self.job.input, *end), Ok((found, after)) if found.get() == tag + 1 && after == next);
        let end = (1..=5).map(|len| next.saturating_sub(len)).find(is_end).unwrap_or(next);
        self.content(field, start, end);
    }

    /// Hands over an unknown field, whose value is between two offsets.
    #[cold]
    #[inline(never)]
    pub(super) fn unlisted(&mut self, program: &Program, tag: u32, start: usize, end: usize) {
        if self.job.options.discards_unknown() || program.is_map_entry() {
            return;
        }
        if let (Ok(tag), Some(value)) = (Tag::from_bits(tag), self.job.input.get(start..end)) {
            self.sink.unknown(tag, value);
        }
    }

    /// Whether the value of a map entry is a number that its closed enum does not list; of several values, the last one counts.
    #[inline]
    pub(super) fn is_unlisted_entry(
        &self,
        entry: &FieldEntry,
        start: usize,
        end: usize,
    ) -> Result<bool, VisitFault> {
        match self.job.set.program(entry.sub).entries() {
            [_, value] if value.coding == Coding::ClosedEnum => self.last_is_unlisted(value, start, end),
            _ => Ok(false),
        }
    }

    #[cold]
    #[inline(never)]
    fn last_is_unlisted(&self, value: &FieldEntry, start: usize, end: usize) -> Result<bool, VisitFault> {
        let input = self.job.input;
        let limit = input.get(..end).unwrap_or(input);
        let (mut pos, mut unlisted) = (start, false);
        while pos < limit.len() {
            let (tag, at) = raw::tag(limit, pos).map_err(|kind| (kind, pos))?;
            if tag.get() == value.tag {
                let (number, _) = raw::varint(limit, at).map_err(|kind| (kind, at))?;
                unlisted = !self.job.set.enum_contains(value.sub, number as i32);
            }
            // In the entry, one level is open already.
            let depth_left = self.depth_left().saturating_sub(1);
            pos = skip(limit, pos, at, tag, depth_left)?;
        }
        Ok(unlisted)
    }
}
