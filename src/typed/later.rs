//! What members that keep bytes need of the decoding pass: a message passed over, decoded later, or measured.

use super::{DecodeFrom, DecodeOwned, budget::Pot, input::Input, place::merge_aside, spec::WireSpec};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::options::DecodeOptions;
use crate::wire::{WireType, raw};
use core::mem::replace;

/// What decoding a message again costs beside its bytes, of the budget.
const AGAIN: usize = 64;

/// A message that is decoded later.
pub struct Deferred<'i> {
    pub(super) bytes: &'i [u8],
    /// Where it starts in the whole input.
    pub(super) offset: usize,
    /// How it is decoded: as the rest, as deep as it may still go.
    pub(super) options: DecodeOptions,
    /// What it may allocate.
    pub(super) pot: Pot,
}

impl<'i> Input<'i> {
    /// A message that was put off, at the offset `base` of the whole input.
    pub(super) fn part(buf: &'i [u8], base: usize, options: &DecodeOptions) -> Self {
        let mut input = Self::new(buf, options);
        (input.base, input.bounds) = (base, 1);
        input
    }

    /// Decodes a message that is the whole input, required fields unchecked, and tells how deep it is.
    pub(super) fn whole<M: DecodeFrom<'i>>(&mut self) -> Result<(M, u32), DecodeError> {
        let mut message = M::unset();
        self.root(&mut message)?;
        Ok((message, self.depth_left - self.lowest))
    }

    /// Runs `work` and returns by how many levels it went down.
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

    /// The bytes of the message of this wire type that has been merged from `start` on, which is after its tag.
    pub(super) fn merged(&self, start: usize, wire_type: WireType) -> &'i [u8] {
        match wire_type {
            WireType::StartGroup => self.buf.get(start..self.group_end).unwrap_or_default(),
            _ => raw::length_delimited(self.buf, start).map_or(&[], |(bytes, _)| bytes),
        }
    }

    /// Whether a message with required fields was seen.
    pub(super) fn has_required(&self) -> bool {
        self.required
    }

    /// Decodes a message that has been read, in its parts, again, as a whole, and looks at it; the budget pays for every
    /// time.
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

    /// A length and the message it announces, one level deeper, to be decoded later.
    #[inline]
    pub(super) fn deferred(&mut self, _: WireSpec) -> Result<Deferred<'i>, DecodeErrorKind> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            return Err(self.too_deep());
        };
        let bytes = self.bytes()?;
        self.lowest = self.lowest.min(depth);
        self.later(bytes, self.pos - bytes.len(), depth)
    }

    /// A group up to its end tag, one level deeper, to be decoded later.
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

    #[inline]
    fn later(&mut self, bytes: &'i [u8], start: usize, depth: u32) -> Result<Deferred<'i>, DecodeErrorKind> {
        let (offset, options) = (self.base + start, self.options.max_depth(depth));
        Ok(Deferred { bytes, offset, options, pot: self.budget.pot()?.clone() })
    }
}
