//! Messages sized, or written with the sizes of their sub-messages at hand: two passes, and no guess.

use super::size::{Lengths, Measurer, Sizer};
use super::traverse::traverse;
use super::write::Writer;
use crate::engine::slab::RawView;
use crate::wire::Cursor;
use crate::wire::error::EncodeErrorKind;
use crate::wire::options::EncodeOptions;

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
    lengths: Lengths,
}

impl Sized {
    /// Sizes a message.
    ///
    /// # Errors
    /// `DepthExceeded`, `OutOfMemory`.
    #[inline(never)]
    pub(super) fn new(view: RawView<'_, '_>, options: &EncodeOptions) -> Result<Self, EncodeErrorKind> {
        let mut sized = Self { len: 0, missing: false, lengths: Lengths::new() };
        let mut measurer = Measurer { sizer: Sizer::default(), lengths: Some(&mut sized.lengths) };
        sized.missing = traverse(view, options, &mut measurer)?;
        sized.len = measurer.sizer.len;
        if sized.lengths.out_of_memory { Err(EncodeErrorKind::OutOfMemory) } else { Ok(sized) }
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
        let mut writer = Writer { out, lengths: &self.lengths, next: 0 };
        traverse(view, options, &mut writer)?;
        Ok(writer.out)
    }
}
