//! Tags that the program does not expect, and values that closed enums do not list: what becomes an unknown field.

use super::skip::skip;
use crate::engine::decode::machine::state::{Child, FieldStart, Located, Machine};
use crate::engine::slab::Full;
use crate::schema::program::{FieldEntry, Op};
use crate::wire::WireType;
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::{message_set, raw};

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
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
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
        let end = skip(limit, field.tag_start, pos, tag, self.depth_left())?;
        if field.program.is_partial() {
            return Ok(Unexpected::Unknown(end));
        }
        self.keep_unknown(self.open.body.base, field.tag_start, end)
            .map_err(|full| (full.into(), field.tag_start))?;
        Ok(Unexpected::Unknown(end))
    }

    /// How many levels may still be nested in the innermost message.
    pub(in crate::engine::decode) fn depth_left(&self) -> u32 {
        self.options.depth_limit().saturating_sub(self.scratch.stack.len() as u32)
    }

    /// Adds the field between two offsets to the unknown fields of a message. Map entries have no unknown fields, and a
    /// verbatim message has the field in its bytes already.
    pub(in crate::engine::decode) fn keep_unknown(
        &mut self,
        base: u32,
        from: usize,
        to: usize,
    ) -> Result<(), Full> {
        if self.options.discards_unknown() || self.in_map_entry() || self.slab.words().is_verbatim(base) {
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
        if self.options.discards_unknown() || self.slab.words().is_verbatim(base) {
            return Ok(());
        }
        self.slab.add_unknown_value(base, entry.number() << 3, from as u32, (to - from) as u32)
    }
}
