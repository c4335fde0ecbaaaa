//! Messages sized, or written with the sizes of their sub-messages at hand: two passes, and no guess.

use super::size::{Lengths, Sizer};
use super::traverse::traverse;
use super::write::Writer;
use crate::engine::slab::RawView;
use crate::wire::Cursor;
use crate::wire::error::EncodeErrorKind;
use crate::wire::options::EncodeOptions;
use alloc::vec::Vec;

/// The encoded length, and whether a required field may be missing.
///
/// # Errors
/// `DepthExceeded`, `OutOfMemory`.
#[inline(never)]
pub(super) fn size(view: RawView<'_, '_>, options: &EncodeOptions) -> Result<(u64, bool), EncodeErrorKind> {
    let mut sizer = Sizer::default();
    let missing = traverse(view, options, &mut sizer)?;
    Ok((sizer.len, missing))
}

/// The encoded length of a message, and that of each of its sub-messages.
pub(super) struct Sized {
    pub(super) len: u64,
    /// Whether a required field may be missing.
    pub(super) missing: bool,
    /// In the order in which they begin.
    lengths: Vec<u64>,
}

impl Sized {
    /// Sizes a message.
    ///
    /// # Errors
    /// `DepthExceeded`, `OutOfMemory`.
    #[inline(never)]
    pub(super) fn new(view: RawView<'_, '_>, options: &EncodeOptions) -> Result<Self, EncodeErrorKind> {
        let mut sizes = Lengths::default();
        let missing = traverse(view, options, &mut sizes)?;
        let Lengths { sizer, lengths, out_of_memory } = sizes;
        if out_of_memory {
            return Err(EncodeErrorKind::OutOfMemory);
        }
        Ok(Self { len: sizer.len, missing, lengths })
    }

    /// Writes the message. The cursor is full if it does not fit.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline(never)]
    pub(super) fn write<'b>(
        &self,
        view: RawView<'_, '_>,
        options: &EncodeOptions,
        out: Cursor<'b>,
    ) -> Result<Cursor<'b>, EncodeErrorKind> {
        let mut writer = Writer { out, lengths: self.lengths.iter() };
        traverse(view, options, &mut writer)?;
        Ok(writer.out)
    }
}
