//! The decoder's stack of open parents.

use super::ParentFrame;
use crate::slab::Full;
use alloc::vec::Vec;

/// A stack that reuses its memory. The frames above `len` stay initialised, so a push is one comparison and one store.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    /// The first `len` frames are in use.
    frames: Vec<ParentFrame>,
    len: usize,
    /// The number of frames that this decode has paid for. It pays also for those that an earlier decode allocated: the
    /// nesting that a budget allows does not depend on earlier decodes.
    room: usize,
}

impl Stack {
    pub(super) const fn new() -> Self {
        Self { frames: Vec::new(), len: 0, room: 0 }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Begins a decode with a budget of its own, which has paid for no frames.
    pub(super) fn pay_again(&mut self) {
        self.room = 0;
    }

    /// The number of frames that have been paid for.
    pub(super) fn capacity(&self) -> usize {
        self.room
    }

    /// Makes room for `more` frames.
    pub(super) fn grow(&mut self, more: usize) -> Result<(), Full> {
        let room = self.room + more;
        let missing = room.saturating_sub(self.frames.len());
        self.frames.try_reserve_exact(missing).map_err(|_| Full::NoMemory)?;
        self.frames.resize(room.max(self.frames.len()), ParentFrame::NONE);
        self.room = room;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len >= self.room
    }

    /// Adds a frame. The caller checks that the stack is not full.
    #[inline(always)]
    pub(super) fn push(&mut self, frame: ParentFrame) {
        if let Some(place) = self.frames.get_mut(self.len) {
            *place = frame;
            self.len += 1;
        }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<&ParentFrame> {
        self.len = self.len.checked_sub(1)?;
        self.frames.get(self.len)
    }

    /// The frame that was popped last.
    #[inline(always)]
    pub(super) fn popped(&self) -> &ParentFrame {
        const NONE: &ParentFrame = &ParentFrame::NONE;
        self.frames.get(self.len).unwrap_or(NONE)
    }

    /// The frame that was popped last, for `take_back`.
    #[inline(always)]
    pub(super) fn popped_mut(&mut self) -> Option<&mut ParentFrame> {
        self.frames.get_mut(self.len)
    }

    /// Undoes the last `pop`.
    #[inline(always)]
    pub(super) fn take_back(&mut self) {
        self.len += 1;
    }

    pub(super) fn last(&self) -> Option<&ParentFrame> {
        self.iter().next_back()
    }

    /// From the outermost to the innermost.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &ParentFrame> {
        self.frames.get(..self.len).unwrap_or_default().iter()
    }
}
