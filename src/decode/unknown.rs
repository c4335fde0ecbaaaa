//! What real messages rarely have: tags that are not the expected ones, groups that end, values that a closed
//! enum does not list, MessageSet items, and the end of map entries.

use super::skip::skip;
use super::state::{Child, FieldStart, Located, Machine};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Entry, Op};
use crate::slab::Full;
use crate::wire::{WireType, message_set, raw};

/// What the run loop does with it.
pub(super) enum Unexpected<'p> {
    /// Go on here.
    Skipped(usize),
    /// Decode it as this.
    As(&'p Entry, Op),
    /// Enter a MessageSet item.
    Item(&'p Entry, Child),
}

impl<'r> Machine<'r, '_> {
    #[cold]
    #[inline(never)]
    pub(super) fn other<'p>(&mut self, field: FieldStart<'p>) -> Located<Unexpected<'p>> {
        // The tag itself may be cut by the end of the message.
        let limit = self.buf.get(..field.end).unwrap_or(self.buf);
        let (tag, pos) = raw::tag(limit, field.tag_start).map_err(|kind| (kind, field.tag_start))?;
        if let Some((_, entry)) = field.program.by_number(tag.number())
            && let Some(op) = entry.other_op(field.tag)
        {
            return Ok(Unexpected::As(entry, op));
        }
        if tag.wire_type() == WireType::EndGroup {
            return Err((Kind::UnexpectedEndGroup, field.tag_start));
        }
        if field.program.message_set
            && field.tag == message_set::ITEM.into()
            && let Some(found) = self.message_set_item(&field, limit)?
        {
            return Ok(found);
        }
        let end = skip(limit, field.tag_start, pos, tag, self.depth_left())?;
        if field.program.is_partial() {
            return Ok(Unexpected::Skipped(end));
        }
        self.keep(self.open.base, field.tag_start, end).map_err(|full| (full.into(), field.tag_start))?;
        Ok(Unexpected::Skipped(end))
    }

    /// Levels that may be opened in the innermost message.
    pub(super) fn depth_left(&self) -> u32 {
        self.options.depth_limit().saturating_sub(self.scratch.stack.len() as u32)
    }

    /// Adds a field to the unknown fields, unless they are discarded or inside of a map entry, which has none. The
    /// bytes of a verbatim message hold it already.
    pub(super) fn keep(&mut self, base: u32, from: usize, to: usize) -> Result<(), Full> {
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
        entry: &Entry,
        from: usize,
        to: usize,
    ) -> Result<(), Full> {
        if self.options.discards_unknown() || self.slab.words().is_verbatim(base) {
            return Ok(());
        }
        self.slab.add_unknown_value(base, entry.number() << 3, from as u32, (to - from) as u32)
    }
}
