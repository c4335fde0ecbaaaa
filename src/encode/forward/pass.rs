//! What all levels of a pass share, and what is rare in it.

use crate::options::EncodeOptions;
use crate::program::{WriteEntry, WriteKind};
use crate::slab::{ByteSpan, RawView};
use crate::wire::{Cursor, varint_len};

/// Levels of nesting that are written forwards. Each takes up to 1 KB of stack, and several times as much without optimisation.
pub(super) const LEVELS: u32 = if cfg!(debug_assertions) { 4 } else { 24 };

/// The least number of bytes that a message must look like to be given two bytes for its length. A wrong guess moves the
/// content, so below this it costs next to nothing.
pub(super) const LOOKS_LARGE: u32 = 1024;

/// A pass over a message, and what it finds out.
pub(in crate::encode) struct Pass<'a, 'i, 'b> {
    pub(super) view: RawView<'a, 'i>,
    /// The cursor, except while a function has taken it.
    pub(super) out: Cursor<'b>,
    /// Levels that may be entered.
    pub(super) levels: u32,
    pub(super) depth_limit: u32,
    /// Maps are written in the order of their keys, so not forwards.
    pub(super) sorts: bool,
    /// Not zero if a required field may be missing.
    pub(in crate::encode) missing: u64,
    /// How many bytes wrong guesses have moved.
    moved: usize,
    /// The message is to be written backwards.
    pub(in crate::encode) gave_up: bool,
}

impl<'a, 'i, 'b> Pass<'a, 'i, 'b> {
    #[inline(always)]
    pub(in crate::encode) fn new(view: RawView<'a, 'i>, options: &EncodeOptions, out: Cursor<'b>) -> Self {
        let depth_limit = options.depth_limit();
        let (levels, sorts) = (depth_limit.min(LEVELS), options.is_deterministic());
        Self { view, out, levels, depth_limit, sorts, missing: 0, moved: 0, gave_up: false }
    }

    /// The cursor after everything that was written.
    #[inline(always)]
    pub(in crate::encode) fn into_cursor(self) -> Cursor<'b> {
        self.out
    }

    /// Ends the pass: nothing fits any more.
    #[cold]
    #[inline(never)]
    pub(super) fn give_up(&mut self) {
        self.gave_up = true;
        self.out.fail();
    }

    /// Counts a move of `len` bytes; false if there were too many for the bytes written. The moves of a chain of messages
    /// around a large one would be quadratic.
    fn may_move(&mut self, len: usize, written: usize) -> bool {
        self.moved = self.moved.saturating_add(len);
        self.moved <= written.saturating_mul(4).saturating_add(16 << 10)
    }

    /// Writes a length for which some other number of bytes than one was kept free, or is needed.
    #[cold]
    #[inline(never)]
    pub(super) fn long_length(&mut self, content: usize, room: usize) {
        let len = self.out.written().wrapping_sub(content);
        if varint_len(len as u64) != room && !self.may_move(len, self.out.written()) {
            return self.give_up();
        }
        self.out.close_any_length(content.wrapping_sub(room), room);
    }

    /// Writes the unknown fields of a message, or all bytes of a verbatim one.
    pub(super) fn unknown(&mut self, base: u32) {
        let view = self.view;
        for span in view.words.spans(base) {
            if let Some(tag) = span.tag {
                self.out.put_varint(tag.into());
            }
            self.out.put_slice(view.bytes_at(span.offset, span.len));
        }
    }

    /// Writes a number or string where little room is left.
    #[cold]
    #[inline(never)]
    pub(super) fn last_field(&self, mut out: Cursor<'b>, field: &WriteEntry, slot: u32) -> Cursor<'b> {
        let words = self.view.words;
        if field.kind == WriteKind::Span {
            let span = ByteSpan::from_word(words.get64(slot));
            out.put_tagged_part(field.tag, self.view.store, span.offset(), span.len() as usize);
            return out;
        }
        out.put_tag_word(field.tag);
        match field.kind {
            WriteKind::Fixed32 => out.put_fixed32(words.get(slot)),
            WriteKind::Fixed64 => out.put_fixed64(words.get64(slot)),
            _ => out.put_varint(field.form.value(words.get64_or_32(slot))),
        }
        out
    }
}

/// How many bytes to keep free for the length of a message that looks `looks` bytes long.
#[inline(always)]
pub(in crate::encode) fn room_for_length(looks: u32) -> usize {
    if looks < LOOKS_LARGE { 1 } else { varint_len(looks.into()) }
}
