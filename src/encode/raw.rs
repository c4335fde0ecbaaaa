//! The two passes over a message in the slab.

use super::size::Sizer;
use super::sizes::{Lengths, Sizes};
use super::traverse::traverse;
use super::write::Writer;
use super::{EncodeOptions, output};
use crate::decode::find_missing;
use crate::error::{EncodeError, EncodeErrorKind};
use crate::slab::RawView;
use crate::wire::{Buffer, Cursor, varint_len};
use alloc::vec::Vec;

/// A message in the slab and how to encode it.
#[derive(Clone, Copy)]
pub(crate) struct RawEncoder<'a, 'i> {
    view: RawView<'a, 'i>,
    options: EncodeOptions,
}

impl<'a, 'i> RawEncoder<'a, 'i> {
    /// Checks required fields.
    ///
    /// # Errors
    /// `MissingRequired`, with a path of field numbers.
    pub(crate) fn new(view: RawView<'a, 'i>, options: EncodeOptions) -> Result<Self, EncodeError> {
        if !options.allows_partial()
            && let Some(missing) = find_missing(view)
        {
            return Err(EncodeError::new(EncodeErrorKind::MissingRequired).with_path(missing.path()));
        }
        Ok(Self { view, options })
    }

    /// Without the check for required fields.
    pub(crate) fn partial(view: RawView<'a, 'i>, options: EncodeOptions) -> Self {
        Self { view, options }
    }

    /// The encoded length in bytes; leaves the lengths of length-delimited parts in the order of writing.
    #[inline(never)]
    fn size(&self, sizes: &mut Sizes<'_>) -> Result<u64, EncodeError> {
        let mut sizer = Sizer { sizes, len: 0 };
        match traverse(self.view, &self.options, &mut sizer) {
            Ok(()) => Ok(sizer.len),
            Err(kind) => Err(EncodeError::new(kind)),
        }
    }

    #[inline(never)]
    fn write(&self, out: &mut Cursor<'_>, lengths: &mut Lengths<'_>) {
        let mut writer = Writer { out, lengths };
        // Too deep a message does not get this far; were it so, the size would not match.
        let _ = traverse(self.view, &self.options, &mut writer);
    }

    /// Appends the message to a buffer, behind its length if `delimited`, and gives the number of bytes.
    ///
    /// # Errors
    /// `TooLarge`, `DepthExceeded`.
    pub(crate) fn append(&self, buffer: &mut impl Buffer, delimited: bool) -> Result<usize, EncodeError> {
        if !delimited {
            return output::append(buffer, |sizes| self.size(sizes), |out, lengths| self.write(out, lengths));
        }
        // The prefix is one more length, the outermost.
        let size = |sizes: &mut Sizes<'_>| {
            let place = sizes.begin();
            let len = self.size(sizes)?;
            sizes.end(place, len);
            Ok(len + varint_len(len) as u64)
        };
        output::append(buffer, size, |out, lengths| {
            out.put_varint(lengths.take() as u64);
            self.write(out, lengths);
        })
    }

    /// The message as a new `Vec` of just its size.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub(crate) fn to_vec(self) -> Result<Vec<u8>, EncodeError> {
        output::to_vec(|sizes| self.size(sizes), |out, lengths| self.write(out, lengths))
    }

    /// Writes the message at the start of a slice and gives the number of bytes.
    ///
    /// # Errors
    /// As [`append`](Self::append), and `BufferTooSmall`.
    pub(crate) fn to_slice(self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        output::to_slice(slice, |sizes| self.size(sizes), |out, lengths| self.write(out, lengths))
    }

    /// The encoded length in bytes, whatever it is.
    pub(crate) fn encoded_len(&self) -> u64 {
        let unlimited = Self { options: self.options.max_depth(u32::MAX), ..*self };
        unlimited.size(&mut Sizes::counting()).unwrap_or(0)
    }
}

/// The message as bytes, required fields unchecked, unknown fields included; empty if it is above 2 GiB.
pub(crate) fn encode_raw(view: RawView<'_, '_>) -> Vec<u8> {
    let options = EncodeOptions::new().max_depth(u32::MAX);
    RawEncoder::partial(view, options).to_vec().unwrap_or_default()
}
