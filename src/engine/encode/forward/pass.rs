//! What all levels of a pass share, and what is rare in it.

use crate::engine::slab::{BodyWords, ByteSpan, RawView};
use crate::schema::program::{WriteEntry, WriteKind};
use crate::wire::options::EncodeOptions;
use crate::wire::output::cursor::{CursorRoom, Filled};
use crate::wire::{Cursor, varint_len};

/// Levels of nesting that are written forwards. Each takes up to 1 KB of stack, and some twenty times as much without optimisation.
pub(super) const LEVELS: u32 = if cfg!(debug_assertions) { 2 } else { 20 };

/// The least number of bytes that a message must look like to be given two bytes for its length. A wrong guess moves the
/// content, so below this it costs next to nothing.
pub(super) const LOOKS_LARGE: u32 = 1024;

/// A pass over a message, and what it finds out.
pub(in crate::engine::encode) struct Pass<'a, 'i> {
    pub(in crate::engine::encode) view: RawView<'a, 'i>,
    pub(in crate::engine::encode) options: EncodeOptions,
    /// The depth of the message being written, and how many bytes long it looks.
    pub(super) depth: u32,
    pub(in crate::engine::encode) looks: u32,
    /// Levels that may be entered.
    pub(super) levels: u32,
    /// Not zero if a required field may be missing.
    pub(in crate::engine::encode) missing: u64,
    /// How many bytes wrong guesses have moved.
    moved: usize,
    /// The room when the pass began.
    room: usize,
    /// The message is to be written with sizes.
    pub(in crate::engine::encode) gave_up: bool,
}

impl<'a, 'i> Pass<'a, 'i> {
    #[inline(always)]
    pub(in crate::engine::encode) fn new(view: RawView<'a, 'i>, options: EncodeOptions) -> Self {
        let (looks, levels) = (view.store.len() as u32, options.depth_limit().min(LEVELS));
        Self { view, options, depth: 0, looks, levels, missing: 0, moved: 0, room: 0, gave_up: false }
    }

    /// Begins to write into `room` bytes.
    #[inline(always)]
    pub(in crate::engine::encode) fn begin(&mut self, room: usize) {
        self.room = room;
    }

    /// Ends the pass: nothing fits any more.
    #[cold]
    #[inline(never)]
    pub(super) fn give_up<'w>(&mut self) -> Filled<'w> {
        self.gave_up = true;
        None
    }

    /// Counts a move of `len` bytes with `room` bytes left; false, and the pass gives up, if there were too many for the bytes written. The
    /// moves of a chain of messages around a large one would be quadratic.
    #[inline(never)]
    pub(super) fn may_move(&mut self, len: usize, room: usize) -> bool {
        self.moved = self.moved.saturating_add(len);
        self.gave_up |= self.moved > (self.room - room).saturating_mul(4).saturating_add(16 << 10);
        !self.gave_up
    }

    /// Writes the unknown fields of a message, or all bytes of a verbatim one.
    pub(super) fn unknown<'w>(&self, room: CursorRoom<'w>, base: u32) -> Filled<'w> {
        let (view, mut out) = (self.view, Cursor::of(room));
        for span in view.words.spans(base) {
            if let Some(tag) = span.tag {
                out.put_varint(tag.into());
            }
            out.put_slice(view.bytes_at(span.offset, span.len));
        }
        out.filled()
    }
}

/// Writes a number or string where little room is left.
#[cold]
#[inline(never)]
pub(super) fn last_field<'w>(
    room: CursorRoom<'w>,
    pass: &Pass<'_, '_>,
    field: &WriteEntry,
    body: BodyWords<'_>,
) -> Filled<'w> {
    let mut out = Cursor::of(room);
    if field.kind == WriteKind::Span {
        let span = ByteSpan::from_word(body.get64(field.slot));
        out.put_tagged_part(field.tag, pass.view.store, span.offset(), span.len() as usize);
        return out.filled();
    }
    out.put_tag_word(field.tag);
    match field.kind {
        WriteKind::Fixed32 => out.put_fixed32(body.get(field.slot)),
        WriteKind::Fixed64 => out.put_fixed64(body.get64(field.slot)),
        _ => out.put_varint(field.form.value(body.get64_or_32(field.slot))),
    }
    out.filled()
}

/// How many bytes to keep free for the length of a message that looks `looks` bytes long.
#[inline(always)]
pub(in crate::engine::encode) fn room_for_length(looks: u32) -> usize {
    if looks < LOOKS_LARGE { 1 } else { varint_len(looks.into()) }
}
