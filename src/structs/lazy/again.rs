//! The decoding pass for [`Prepared`](crate::Prepared) members: decodes a message to check it, perhaps again, and measures its depth.

use crate::structs::decode::budget::Budget;
use crate::structs::decode::input::Input;
use crate::structs::decode::place::merge_aside;
use crate::structs::{DecodeFrom, DecodeOwned};
use crate::wire::WireType;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::read::raw;
use core::mem::replace;

/// The charge for decoding a message again, besides its bytes.
const AGAIN: usize = 64;

impl<'i> Input<'i> {
    /// Decodes the whole input without a check of required fields, and returns the message and its depth.
    pub(in crate::structs) fn whole<M: DecodeFrom<'i>>(&mut self) -> Result<(M, u32), DecodeError> {
        let mut message = M::unset();
        self.root(&mut message)?;
        Ok((message, self.depth_left - self.lowest))
    }

    /// Runs `work` and returns how many levels deeper it went.
    pub(in crate::structs) fn fathom<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, u32) {
        let (lowest, depth_left) = (replace(&mut self.lowest, self.depth_left), self.depth_left);
        let result = work(self);
        let levels = depth_left - self.lowest;
        self.lowest = self.lowest.min(lowest);
        (result, levels)
    }

    /// The bytes of the message that has just been merged; its tag ended at `start`.
    pub(in crate::structs) fn merged(&self, start: usize, wire_type: WireType) -> &'i [u8] {
        match wire_type {
            WireType::StartGroup => self.buf.get(start..self.group_end).unwrap_or_default(),
            _ => raw::length_delimited(self.buf, start).map_or(&[], |(bytes, _)| bytes),
        }
    }

    /// Whether a message with required fields occurred.
    pub(in crate::structs) fn has_required(&self) -> bool {
        self.required
    }

    /// Decodes a message whose parts have been decoded before, and passes it to `look`. The budget pays each time: otherwise
    /// prepared messages inside prepared messages, split in two at every level, take time exponential in their depth.
    pub(in crate::structs) fn again<M: DecodeOwned>(
        &mut self,
        whole: &[u8],
        look: impl FnOnce(&M) -> bool,
    ) -> Result<bool, DecodeErrorKind> {
        self.charge(whole.len().saturating_add(AGAIN))?;
        let looked = merge_aside(
            self,
            |_| Ok(M::unset()),
            |message, outer| {
                let mut input = Input::part(whole, 0, &outer.options);
                (input.budget, input.stack) = (outer.budget.lend(), outer.stack);
                let result = input.root(message);
                let left = input.budget.end();
                drop(input);
                outer.budget.take_back(left);
                result.map(|_| ()).map_err(|error| error.kind())
            },
            |message, decoded, _| decoded.map(|()| look(&message)),
        );
        looked.and_then(|looked| looked)
    }
}

/// For messages that are decoded again.
impl<'p> Budget<'p> {
    /// Lends everything to an inner decode whose message is dropped.
    pub(in crate::structs) fn lend(&mut self) -> Budget<'p> {
        Budget { left: replace(&mut self.left, 0), granted: self.granted, own: None, from: self.from }
    }

    /// Ends the inner budget: what is left of it, and what it was granted.
    pub(in crate::structs) fn end(&mut self) -> (usize, usize) {
        (replace(&mut self.left, 0), self.granted)
    }

    /// Takes the result of [`end`](Self::end) back.
    pub(in crate::structs) fn take_back(&mut self, (left, granted): (usize, usize)) {
        (self.left, self.granted) = (left, granted);
    }
}
