//! The decoder's stack of open parents.

use crate::engine::decode::ParentFrame;
use crate::engine::slab::{BodyRef, Full};
use alloc::vec::Vec;

/// Frames that every decode has without an allocation: a block took 300 of the 5 450 instructions of a new small message. They are cleared for each
/// new message, so they are few: four were 0.98 on messages without parents, and no faster elsewhere.
const FEW: usize = 2;

/// A frame that was never pushed. All zeros, which compilers store where they belong. Other constants they stored and then copied.
const UNUSED: ParentFrame =
    ParentFrame { body: BodyRef { program: 0, base: 0 }, repeat_tag: 0, ..ParentFrame::NONE };

/// A stack that reuses its memory. The frames above `len` stay initialised, so a push is one comparison and one store.
#[derive(Clone, Debug)]
pub(in crate::engine::decode) struct Stack {
    /// The first `len` frames are in use, until there are more than these.
    few: [ParentFrame; FEW],
    /// All frames in place of `few`; empty while those suffice.
    more: Vec<ParentFrame>,
    len: usize,
    /// The number of frames that this decode has paid for. It pays also for those that an earlier decode allocated: the
    /// nesting that a budget allows does not depend on earlier decodes.
    room: usize,
}

impl Stack {
    pub(in crate::engine::decode) const fn new() -> Self {
        Self { few: [UNUSED; FEW], more: Vec::new(), len: 0, room: FEW }
    }

    #[inline(always)]
    fn frames(&self) -> &[ParentFrame] {
        if self.more.is_empty() { &self.few } else { &self.more }
    }

    #[inline(always)]
    fn frames_mut(&mut self) -> &mut [ParentFrame] {
        if self.more.is_empty() { &mut self.few } else { &mut self.more }
    }

    #[inline(always)]
    pub(in crate::engine::decode) fn len(&self) -> usize {
        self.len
    }

    pub(in crate::engine::decode) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(in crate::engine::decode) fn clear(&mut self) {
        self.len = 0;
    }

    /// Begins a decode with a budget of its own, which has paid for no frames but the first few.
    pub(in crate::engine::decode) fn pay_again(&mut self) {
        self.room = FEW;
    }

    /// The number of frames that have been paid for.
    pub(in crate::engine::decode) fn capacity(&self) -> usize {
        self.room
    }

    /// Bytes allocated.
    pub(in crate::engine::decode) fn allocated(&self) -> usize {
        self.more.capacity() * size_of::<ParentFrame>()
    }

    /// Makes room for `more` frames.
    pub(in crate::engine::decode) fn grow(&mut self, more: usize) -> Result<(), Full> {
        let room = self.room + more;
        let missing = room.saturating_sub(self.more.len());
        self.more.try_reserve_exact(missing).map_err(|_| Full::NoMemory)?;
        if self.more.is_empty() {
            self.more.extend_from_slice(&self.few);
        }
        self.more.resize(room.max(self.more.len()), ParentFrame::NONE);
        self.room = room;
        Ok(())
    }

    #[inline(always)]
    pub(in crate::engine::decode) fn is_full(&self) -> bool {
        self.len >= self.room
    }

    /// Adds a frame. The caller checks that the stack is not full.
    #[inline(always)]
    pub(in crate::engine::decode) fn push(&mut self, frame: ParentFrame) {
        let len = self.len;
        if let Some(place) = self.frames_mut().get_mut(len) {
            *place = frame;
            self.len += 1;
        }
    }

    #[inline(always)]
    pub(in crate::engine::decode) fn pop(&mut self) -> Option<&ParentFrame> {
        self.len = self.len.checked_sub(1)?;
        self.frames().get(self.len)
    }

    /// As [`pop`](Self::pop), for `take_back`.
    #[inline(always)]
    pub(in crate::engine::decode) fn pop_mut(&mut self) -> Option<&mut ParentFrame> {
        self.len = self.len.checked_sub(1)?;
        self.popped_mut()
    }

    /// The frame that was popped last.
    #[inline(always)]
    pub(in crate::engine::decode) fn popped(&self) -> &ParentFrame {
        const NONE: &ParentFrame = &ParentFrame::NONE;
        self.frames().get(self.len).unwrap_or(NONE)
    }

    /// The frame that was popped last, for `take_back`.
    #[inline(always)]
    pub(in crate::engine::decode) fn popped_mut(&mut self) -> Option<&mut ParentFrame> {
        let len = self.len;
        self.frames_mut().get_mut(len)
    }

    /// Undoes the last `pop`.
    #[inline(always)]
    pub(in crate::engine::decode) fn take_back(&mut self) {
        self.len += 1;
    }

    pub(in crate::engine::decode) fn last(&self) -> Option<&ParentFrame> {
        self.iter().next_back()
    }

    /// From the outermost to the innermost.
    pub(in crate::engine::decode) fn iter(&self) -> impl DoubleEndedIterator<Item = &ParentFrame> {
        self.frames().get(..self.len).unwrap_or_default().iter()
    }
}

impl Default for Stack {
    fn default() -> Self {
        Self::new()
    }
}
