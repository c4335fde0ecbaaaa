//! Messages sized, or written backwards, as a whole.

use super::size::Sizer;
use super::traverse::traverse;
use super::write::ReverseWriter;
use crate::engine::slab::RawView;
use crate::wire::error::EncodeErrorKind;
use crate::wire::options::EncodeOptions;
use crate::wire::{Bits, CpuTask, ReverseCursor, with_best_cpu};

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

/// Writes a message so that it ends where the cursor is. Gives the cursor at its start, and whether a required field may be
/// missing.
///
/// # Errors
/// `DepthExceeded`, `OutOfMemory`.
#[inline]
pub(super) fn write<'b>(
    view: RawView<'_, '_>,
    options: &EncodeOptions,
    out: ReverseCursor<'b>,
) -> Result<(ReverseCursor<'b>, bool), EncodeErrorKind> {
    with_best_cpu(Writing { view, options, out })
}

/// Fills `bytes` with a message of just that length; true if a required field may be missing.
///
/// # Errors
/// `DepthExceeded`, `OutOfMemory`, `SizeMismatch`.
#[inline(never)]
pub(super) fn fill(
    bytes: &mut [u8],
    view: RawView<'_, '_>,
    options: &EncodeOptions,
) -> Result<bool, EncodeErrorKind> {
    let len = bytes.len();
    let (out, missing) = write(view, options, ReverseCursor::over(bytes))?;
    let whole = out.finish().is_ok_and(|written| written.as_slice().len() == len);
    if whole { Ok(missing) } else { Err(EncodeErrorKind::SizeMismatch) }
}

/// The traversal that writes, compiled once per kind of processor.
struct Writing<'o, 'a, 'i, 'b> {
    view: RawView<'a, 'i>,
    options: &'o EncodeOptions,
    out: ReverseCursor<'b>,
}

impl<'b> CpuTask for Writing<'_, '_, '_, 'b> {
    type Out = Result<(ReverseCursor<'b>, bool), EncodeErrorKind>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Self::Out {
        let mut writer = ReverseWriter { out: self.out, bits };
        let missing = traverse(self.view, self.options, &mut writer)?;
        Ok((writer.out, missing))
    }
}
