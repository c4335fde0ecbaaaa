//! Parents that wait for their children.

use super::Frame;
use alloc::vec::Vec;

/// A stack whose memory is used again; a frame is written with one comparison.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    /// All initialised; `len` of them are in use.
    frames: Vec<Frame>,
    len: usize,
    /// Frames that this decode has paid for. It pays for those that an earlier one left as well, so that its budget allows the
    /// same nesting whatever came before.
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

    /// A decode with a budget of its own begins, which has paid for nothing yet.
    pub(super) fn pay_again(&mut self) {
        self.room = 0;
    }

    /// Frames that fit.
    pub(super) fn capacity(&self) -> usize {
        self.room
    }

    /// Makes room for `more` frames; false if there is no memory.
    pub(super) fn grow(&mut self, more: usize) -> bool {
        let room = self.room + more;
        let missing = room.saturating_sub(self.frames.len());
        if self.frames.try_reserve_exact(missing).is_err() {
            return false;
        }
        self.frames.resize(room.max(self.frames.len()), Frame::NONE);
        self.room = room;
        true
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len >= self.room
    }

    /// Adds a frame, for which there must be room.
    #[inline(always)]
    pub(super) fn push(&mut self, frame: Frame) {
        if let Some(place) = self.frames.get_mut(self.len) {
            *place = frame;
            self.len += 1;
        }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<&Frame> {
        self.len = self.len.checked_sub(1)?;
        self.frames.get(self.len)
    }

    /// The frame that was popped last.
    #[inline(always)]
    pub(super) fn popped(&self) -> &Frame {
        const NONE: &Frame = &Frame::NONE;
        self.frames.get(self.len).unwrap_or(NONE)
    }

    /// As `popped`, to change it.
    #[inline(always)]
    pub(super) fn popped_mut(&mut self) -> Option<&mut Frame> {
        self.frames.get_mut(self.len)
    }

    /// Undoes a `pop`.
    #[inline(always)]
    pub(super) fn take_back(&mut self) {
        self.len += 1;
    }

    pub(super) fn last(&self) -> Option<&Frame> {
        self.iter().next_back()
    }

    /// From the outermost to the innermost.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Frame> {
        self.frames.get(..self.len).unwrap_or_default().iter()
    }
}
