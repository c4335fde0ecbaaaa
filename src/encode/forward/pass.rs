//! The state of a pass forwards, below the loop of fields and that of children.

use crate::slab::RawView;
use crate::wire::{Cursor, varint_len};

/// Levels of nesting that are written forwards; each takes about 500 bytes of stack.
const LEVELS: u32 = 32;

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
    /// Not zero if a required field may be missing.
    pub(in crate::encode) missing: u64,
    /// How many bytes wrong guesses have moved.
    moved: usize,
    /// The message is to be written backwards.
    pub(in crate::encode) gave_up: bool,
}

impl<'a, 'i, 'b> Pass<'a, 'i, 'b> {
    #[inline(always)]
    pub(in crate::encode) fn new(view: RawView<'a, 'i>, depth_limit: u32, out: Cursor<'b>) -> Self {
        let levels = depth_limit.min(LEVELS);
        Self { view, out, levels, depth_limit, missing: 0, moved: 0, gave_up: false }
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
    pub(super) fn may_move(&mut self, len: usize, written: usize) -> bool {
        self.moved += len;
        self.moved <= 4 * written + 4096
    }
}

/// How many bytes to keep free for the length of a message that looks `looks` bytes long.
#[inline(always)]
pub(in crate::encode) fn room_for_length(looks: u32) -> usize {
    if looks < LOOKS_LARGE { 1 } else { varint_len(looks.into()) }
}
