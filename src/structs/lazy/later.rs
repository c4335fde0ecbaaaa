//! The decoding pass for members that keep bytes: skips a message and decodes it later.
//!
//! The functions that return a [`Deferred`] are always inlined, so that it stays in registers. Through memory it is read in
//! other widths than it was written, so loads wait for stores: lists of `Lazy` messages took 1.4 times as long to decode.

use crate::structs::decode::budget::Pot;
use crate::structs::decode::input::Input;
use crate::wire::options::DecodeOptions;
use crate::wire::read::raw;

/// A message to decode later.
pub struct Deferred<'i> {
    pub(in crate::structs) bytes: &'i [u8],
    /// Its offset in the whole input.
    pub(in crate::structs) offset: usize,
    /// How deep it may nest.
    pub(in crate::structs) depth: u32,
    /// Its budget and its options.
    pub(in crate::structs) pot: Pot,
}

impl<'i> Input<'i> {
    /// A decode of a message from an earlier input, where it was at the offset `base`.
    #[inline]
    pub(in crate::structs) fn part(buf: &'i [u8], base: usize, options: &DecodeOptions) -> Self {
        let mut input = Self::new(buf, options);
        (input.base, input.bounded) = (base, true);
        input
    }

    /// Reads a length prefix and skips the message, one level deeper. After `None` the fault is recorded.
    #[inline(always)]
    pub(in crate::structs) fn deferred(&mut self, pos: usize, _: u32) -> Option<(Deferred<'i>, usize)> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            self.fault_too_deep(pos);
            return None;
        };
        let (bytes, end) = self.bytes(pos)?;
        self.lowest = self.lowest.min(depth);
        self.later(bytes, end - bytes.len(), end, depth)
    }

    /// Skips the group `number` and its end tag, one level deeper. After `None` the fault is recorded.
    #[inline]
    pub(in crate::structs) fn deferred_group(
        &mut self,
        pos: usize,
        number: u32,
    ) -> Option<(Deferred<'i>, usize)> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            self.fault_too_deep(pos);
            return None;
        };
        match raw::group(self.buf, pos, number, self.depth_left) {
            Ok((last, end)) => {
                self.lowest = self.lowest.min(depth);
                self.later(self.buf.get(pos..last).unwrap_or_default(), pos, end, depth)
            }
            Err(fault) => {
                self.fault(fault.kind, fault.offset);
                None
            }
        }
    }

    #[inline(always)]
    fn later(
        &mut self,
        bytes: &'i [u8],
        start: usize,
        end: usize,
        depth: u32,
    ) -> Option<(Deferred<'i>, usize)> {
        match self.budget.pot(&self.options).cloned() {
            Ok(pot) => Some((Deferred { bytes, offset: self.base + start, depth, pot }, end)),
            Err(kind) => {
                self.fault(kind, end);
                None
            }
        }
    }
}
