//! The decoding pass for members that keep bytes: skips a message and decodes it later.
//!
//! The functions that return a [`Deferred`] are always inlined, so that it stays in registers. Through memory it is read in
//! other widths than it was written, so loads wait for stores: lists of `Lazy` messages took 1.4 times as long to decode.

use crate::structs::decode::budget::Pot;
use crate::structs::decode::input::Input;
use crate::structs::grammar::spec::WireSpec;
use crate::wire::error::DecodeErrorKind;
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
        (input.base, input.bounds) = (base, 1);
        input
    }

    /// Reads a length prefix and skips the message, one level deeper.
    #[inline(always)]
    pub(in crate::structs) fn deferred(&mut self, _: WireSpec) -> Result<Deferred<'i>, DecodeErrorKind> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            return Err(self.too_deep());
        };
        let bytes = self.bytes()?;
        self.lowest = self.lowest.min(depth);
        self.later(bytes, self.pos - bytes.len(), depth)
    }

    /// Skips a group and its end tag, one level deeper.
    #[inline]
    pub(in crate::structs) fn deferred_group(
        &mut self,
        spec: WireSpec,
    ) -> Result<Deferred<'i>, DecodeErrorKind> {
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
