//! The decoding pass for members that keep bytes: skips a message, decodes it later, or measures its depth.
//!
//! The functions that return a [`Deferred`] are always inlined, so that it stays in registers. Through memory it is read in
//! other widths than it was written, so loads wait for stores: lists of `Lazy` messages took 1.4 times as long to decode.

use super::{DecodeFrom, DecodeOwned, budget::Pot, input::Input, place::merge_aside, spec::WireSpec};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::options::DecodeOptions;
use crate::wire::{WireType, raw};
use core::mem::replace;

/// The charge for decoding a message again, besides its bytes.
const AGAIN: usize = 64;

/// A message to decode later.
pub struct Deferred<'i> {
    pub(super) bytes: &'i [u8],
    /// Its offset in the whole input.
    pub(super) offset: usize,
    /// How deep it may nest.
    pub(super) depth: u32,
    /// Its budget and its options.
    pub(super) pot: Pot,
}

impl<'i> Input<'i> {
    /// A decode of a message from an earlier input, where it was at the offset `base`.
    pub(super) fn part(buf: &'i [u8], base: usize, options: &DecodeOptions) -> Self {
        let mut input = Self::new(buf, options);
        (input.base, input.bounds) = (base, 1);
        input
    }

    /// Decodes the whole input without a check of required fields, and returns the message and its depth.
    pub(super) fn whole<M: DecodeFrom<'i>>(&mut self) -> Result<(M, u32), DecodeError> {
        let mut message = M::unset();
        self.root(&mut message)?;
        Ok((message, self.depth_left - self.lowest))
    }

    /// Runs `work` and returns how many levels deeper it went.
    pub(super) fn fathom<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, DecodeErrorKind>,
    ) -> Result<(T, u32), DecodeErrorKind> {
        let lowest = replace(&mut self.lowest, self.depth_left);
        let result = work(self)?;
        let levels = self.depth_left - self.lowest;
        self.lowest = self.lowest.min(lowest);
        Ok((result, levels))
    }

    /// The bytes of the message that has just been merged; its tag ended at `start`.
    pub(super) fn merged(&self, start: usize, wire_type: WireType) -> &'i [u8] {
        match wire_type {
            WireType::StartGroup => self.buf.get(start..self.group_end).unwrap_or_default(),
            _ => raw::length_delimited(self.buf, start).map_or(&[], |(bytes, _)| bytes),
        }
    }

    /// Whether a message with required fields occurred.
    pub(super) fn has_required(&self) -> bool {
        self.required
    }

    /// Decodes a message whose parts have been decoded before, and passes it to `look`. The budget pays each time: otherwise
    /// prepared messages inside prepared messages, split in two at every level, take time exponential in their depth.
    pub(super) fn again<M: DecodeOwned>(
        &mut self,
        whole: &[u8],
        look: impl FnOnce(&M) -> bool,
    ) -> Result<bool, DecodeErrorKind> {
        self.charge(whole.len().saturating_add(AGAIN))?;
        merge_aside(
            self,
            |_| Ok(M::unset()),
            |message, outer| {
                let mut input = Input::part(whole, 0, &outer.options);
                (input.budget, input.stack) = (outer.budget.lend(), outer.stack);
                let result = input.root(message);
                let left = input.budget.end();
                drop(input);
                outer.budget.take_back(left);
                result.map_err(|error| error.kind())
            },
            |message, _, _| Ok(look(&message)),
        )
    }

    /// Reads a length prefix and skips the message, one level deeper.
    #[inline(always)]
    pub(super) fn deferred(&mut self, _: WireSpec) -> Result<Deferred<'i>, DecodeErrorKind> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            return Err(self.too_deep());
        };
        let bytes = self.bytes()?;
        self.lowest = self.lowest.min(depth);
        self.later(bytes, self.pos - bytes.len(), depth)
    }

    /// Skips a group and its end tag, one level deeper.
    pub(super) fn deferred_group(&mut self, spec: WireSpec) -> Result<Deferred<'i>, DecodeErrorKind> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            return Err(self.too_deep());
        };
        let start = self.pos;
        match raw::group(self.buf, start, spec.number, self.depth_left) {
            Ok((end, pos)) => {
                self.pos = pos;
                self.lowest = self.lowest.min(depth);
                self.later(self.buf.get(start..end).unwrap_or_default(), start, depth)
            }
            Err(fault) => {
                self.pos = fault.offset;
                Err(fault.kind)
            }
        }
    }

    #[inline(always)]
    fn later(&mut self, bytes: &'i [u8], start: usize, depth: u32) -> Result<Deferred<'i>, DecodeErrorKind> {
        let pot = self.budget.pot(&self.options)?.clone();
        Ok(Deferred { bytes, offset: self.base + start, depth, pot })
    }
}
