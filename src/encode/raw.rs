//! A message in the slab to bytes: written backwards in one pass, then moved to its place.
//!
//! Where the size must be known beforehand (a buffer that has to grow, a `Vec` of just the size, large strings beside messages,
//! lists or unknown fields, for which moving costs more than sizing), the other visitor goes first and the message is
//! written where it stays.

use super::forward::write_forward;
use super::size::Sizer;
use super::traverse::traverse;
use super::write::ReverseWriter;
use crate::error::{EncodeError, EncodeErrorKind};
use crate::options::EncodeOptions;
use crate::slab::{RawView, find_missing};
use crate::wire::kernels::prefetch;
use crate::wire::{
    Bits, Buffer, CpuTask, Cursor, CursorOverflow, MAX_LEN, ReverseCursor, Written,
    buffer::sealed::{OutOfMemory, RawBuffer},
    varint_len, with_best_cpu,
};
use alloc::alloc::handle_alloc_error;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::mem::MaybeUninit;

/// Room beside the message that lets the cursor store whole words, in bytes.
const SLACK: usize = 32;

/// Bytes of strings per presence bit or four words above which a message is written where it stays.
const LARGE: usize = 256;

/// Bytes that are asked for ahead; of longer messages, the processor sees by itself which come next.
const AHEAD: usize = 2048;

/// Bytes that are asked for of a store of large strings.
const AROUND: usize = 256;

/// A message in the slab and how to encode it.
#[derive(Clone, Copy)]
pub(crate) struct RawEncoder<'a, 'i> {
    view: RawView<'a, 'i>,
    options: EncodeOptions,
}

/// The traversal that writes.
struct Writing<'e, 'a, 'i, 'b> {
    encoder: &'e RawEncoder<'a, 'i>,
    out: ReverseCursor<'b>,
}

impl<'b> CpuTask for Writing<'_, '_, '_, 'b> {
    /// The cursor at the start of the message, and whether a required field may be missing.
    type Out = Result<(ReverseCursor<'b>, bool), EncodeErrorKind>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Self::Out {
        let mut writer = ReverseWriter { out: self.out, bits };
        let missing = traverse(self.encoder.view, &self.encoder.options, &mut writer)?;
        Ok((writer.out, missing))
    }
}

/// Why nothing was written.
enum Unwritten {
    /// The message does not fit.
    Full,
    Failed(EncodeError),
}

impl<'a, 'i> RawEncoder<'a, 'i> {
    pub(crate) fn new(view: RawView<'a, 'i>, options: EncodeOptions) -> Self {
        Self { view, options }
    }

    /// The encoded length in bytes.
    #[inline(never)]
    fn size(&self) -> Result<u64, EncodeError> {
        let mut sizer = Sizer::default();
        let missing = traverse(self.view, &self.options, &mut sizer).map_err(EncodeError::new)?;
        self.complete(missing)?;
        Ok(sizer.len)
    }

    /// The encoded length behind its own length, if `delimited`, and whether it is one that a message may have.
    fn checked_size(&self, delimited: bool) -> Result<usize, EncodeError> {
        let len = self.size()?;
        if len > MAX_LEN as u64 {
            return Err(EncodeError::new(EncodeErrorKind::TooLarge));
        }
        Ok(len as usize + if delimited { varint_len(len) } else { 0 })
    }

    #[inline]
    fn write<'b>(&self, out: ReverseCursor<'b>, delimited: bool) -> Result<Written<'b>, Unwritten> {
        let (mut out, missing) = with_best_cpu(Writing { encoder: self, out })
            .map_err(|kind| Unwritten::Failed(EncodeError::new(kind)))?;
        let len = out.written();
        if delimited {
            out.put_varint(len as u64);
        }
        let written = out.finish().map_err(|CursorOverflow| Unwritten::Full)?;
        if len > MAX_LEN {
            return Err(Unwritten::Failed(EncodeError::new(EncodeErrorKind::TooLarge)));
        }
        self.complete(missing).map_err(Unwritten::Failed)?;
        Ok(written)
    }

    /// Writes a message of large strings, if it can be written forwards.
    fn write_forward<'b>(&self, mut out: Cursor<'b>) -> Result<Written<'b>, Unwritten> {
        if !write_forward(self.view, &mut out) {
            return Err(Unwritten::Full);
        }
        let len = out.written();
        let written = out.finish().map_err(|CursorOverflow| Unwritten::Full)?;
        if len > MAX_LEN {
            return Err(Unwritten::Failed(EncodeError::new(EncodeErrorKind::TooLarge)));
        }
        let RawView { words, base, .. } = self.view;
        let program = self.view.program();
        let missing = program.required_mask() & !words.has_bits(program, base);
        self.complete(missing != 0).map_err(Unwritten::Failed)?;
        Ok(written)
    }

    /// Checks required fields if some may be missing.
    #[inline(always)]
    fn complete(&self, missing: bool) -> Result<(), EncodeError> {
        if missing && !self.options.allows_partial() { self.check_required() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn check_required(&self) -> Result<(), EncodeError> {
        match find_missing(self.view) {
            Ok(Some(missing)) => {
                Err(EncodeError::new(EncodeErrorKind::MissingRequired).with_path(missing.path()))
            }
            Ok(None) => Ok(()),
            Err(_) => Err(EncodeError::new(EncodeErrorKind::OutOfMemory)),
        }
    }

    /// Appends the message to a buffer, behind its length if `delimited`, and gives the number of bytes.
    ///
    /// # Errors
    /// `MissingRequired` with a path of field numbers, `TooLarge`, `DepthExceeded`, `OutOfMemory`.
    pub(crate) fn append(&self, buffer: &mut impl Buffer, delimited: bool) -> Result<usize, EncodeError> {
        let large = self.has_large_strings();
        self.prefetch(large);
        let attempt = match large {
            false => buffer.append_with(|spare| self.write(ReverseCursor::new(spare), delimited)),
            true if delimited => Err(Unwritten::Full),
            true => buffer.append_with(|spare| self.write_forward(Cursor::new(spare))),
        };
        match attempt {
            Ok(written) => return Ok(written),
            Err(Unwritten::Failed(error)) => return Err(error),
            Err(Unwritten::Full) => {}
        }
        let total = self.checked_size(delimited)?;
        if buffer.spare().len() < total {
            buffer.reserve_bytes(total + SLACK)?;
        }
        buffer.append_with(|spare| self.write_exactly(spare, total, delimited))
    }

    /// Writes a message of which the size is known.
    fn write_exactly<'b>(
        &self,
        spare: &'b mut [MaybeUninit<u8>],
        total: usize,
        delimited: bool,
    ) -> Result<Written<'b>, EncodeError> {
        let window = spare.get_mut(..total).unwrap_or_default();
        exactly(self.write(ReverseCursor::new(window), delimited), total)
    }

    /// Asks for the body, and for the messages and strings that are written first.
    #[inline(always)]
    fn prefetch(&self, large: bool) {
        let RawView { store, words, base, .. } = self.view;
        let program = self.view.program();
        let messages = if program.nests() { AHEAD / 4 } else { 0 };
        prefetch(words.part(base, program.words() as usize + messages));
        if program.has_spans() {
            // Of large strings, what is around them.
            let part =
                if large { store.get(..AROUND) } else { store.get(store.len().saturating_sub(AHEAD)..) };
            prefetch(part.unwrap_or_default());
        }
    }

    /// Whether moving the message costs more than anything else.
    #[inline(always)]
    fn has_large_strings(&self) -> bool {
        let RawView { store, words, base, .. } = self.view;
        let program = self.view.program();
        if store.len() < LARGE {
            return false;
        }
        let items = if program.nests() || program.is_wide() {
            words.len() / 4
        } else {
            words.has_bits(program, base).count_ones() as usize
        };
        store.len() / LARGE > items
    }

    /// The message as a new `Vec` of just its size.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub(crate) fn to_vec(self) -> Result<Vec<u8>, EncodeError> {
        let total = self.checked_size(false)?;
        let mut out = Vec::new();
        out.try_reserve_exact(total).map_err(|_| OutOfMemory)?;
        out.append_with(|spare| self.write_exactly(spare, total, false))?;
        Ok(out)
    }

    /// Writes the message at the start of a slice and gives the number of bytes.
    ///
    /// # Errors
    /// As [`append`](Self::append), and `BufferTooSmall`.
    pub(crate) fn to_slice(self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        let total = self.checked_size(false)?;
        let window =
            slice.get_mut(..total).ok_or_else(|| EncodeError::new(EncodeErrorKind::BufferTooSmall))?;
        exactly(self.write(ReverseCursor::over(window), false), total)?;
        Ok(total)
    }

    /// The encoded length in bytes, whatever it is. Aborts if there is no memory to visit a message of more than a
    /// hundred levels.
    pub(crate) fn encoded_len(&self) -> u64 {
        let options = self.options.max_depth(u32::MAX).allow_partial(true);
        match (Self { options, ..*self }).size() {
            Err(error) if error.kind() == EncodeErrorKind::OutOfMemory => {
                handle_alloc_error(Layout::new::<u64>())
            }
            // Without limits, there is nothing else that can be wrong.
            len => len.unwrap_or(0),
        }
    }
}

/// That what was written is what was sized.
fn exactly(written: Result<Written<'_>, Unwritten>, total: usize) -> Result<Written<'_>, EncodeError> {
    match written {
        Ok(written) if written.as_slice().len() == total => Ok(written),
        Err(Unwritten::Failed(error)) => Err(error),
        _ => Err(EncodeError::new(EncodeErrorKind::SizeMismatch)),
    }
}

/// As [`try_encode_raw`], for tests.
#[cfg(test)]
pub(crate) fn encode_raw(view: RawView<'_, '_>) -> Vec<u8> {
    try_encode_raw(view).expect("the message is small")
}

/// The message as bytes, required fields unchecked, unknown fields included.
///
/// # Errors
/// `TooLarge`, `OutOfMemory`.
pub(crate) fn try_encode_raw(view: RawView<'_, '_>) -> Result<Vec<u8>, EncodeError> {
    let options = EncodeOptions::new().max_depth(u32::MAX).allow_partial(true);
    RawEncoder::new(view, options).to_vec()
}
