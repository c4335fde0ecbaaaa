//! The entry points.
//!
//! ```text
//! append(buffer):
//!     write forwards into the spare capacity              # the usual case, inlined, in registers
//!     if it gave up:  size it and its sub-messages; reserve; write with these sizes
//!     if it did not fit, or something is wrong with it:  size; reserve; write forwards, and with sizes if that gives up
//! ```
//!
//! A `Vec` of exactly that capacity and a slice need the size first.

use super::forward::{Pass, room_for_length, write_whole};
use super::write::{self, Sized};
use crate::engine::slab::{RawView, find_missing};
use crate::wire::error::{EncodeError, EncodeErrorKind};
use crate::wire::kernels::prefetch;
use crate::wire::options::EncodeOptions;
#[cfg(feature = "bytes")]
use crate::wire::output::chunk;
use crate::wire::{Buffer, Cursor, CursorOverflow, Full, MAX_LEN, Written, varint_len};
use alloc::{alloc::handle_alloc_error, vec::Vec};
use core::alloc::Layout;

/// Bytes reserved after the message, so that the cursor may store whole words at its end.
const SLACK: usize = 32;

/// A message in the slab, and the options to encode it with.
#[derive(Clone, Copy)]
pub(crate) struct RawEncoder<'a, 'i> {
    view: RawView<'a, 'i>,
    options: EncodeOptions,
}

/// A message that was written forwards.
struct Forwards<'b> {
    written: Written<'b>,
    /// Its length, without the prefix.
    len: usize,
    /// A required field may be missing.
    missing: bool,
}

/// Why nothing was written.
enum Unwritten {
    /// The message did not fit.
    Full,
    /// It is to be written with sizes.
    GaveUp,
    Failed(EncodeError),
}

impl Unwritten {
    /// The error, if there is no other way to write the message.
    fn into_error(self) -> EncodeError {
        match self {
            Self::Failed(error) => error,
            Self::Full | Self::GaveUp => EncodeError::new(EncodeErrorKind::SizeMismatch),
        }
    }
}

impl<'a, 'i> RawEncoder<'a, 'i> {
    pub(crate) fn new(view: RawView<'a, 'i>, options: EncodeOptions) -> Self {
        Self { view, options }
    }

    /// The encoder of a pass.
    fn of(pass: &Pass<'a, 'i>) -> Self {
        Self::new(pass.view, pass.options)
    }

    /// A pass over the message.
    #[inline(always)]
    fn pass(self) -> Pass<'a, 'i> {
        Pass::new(self.view, self.options)
    }

    /// The encoded length in bytes.
    fn size(&self) -> Result<u64, EncodeError> {
        let (len, missing) = write::size(self.view, &self.options).map_err(EncodeError::new)?;
        self.complete(missing)?;
        Ok(len)
    }

    /// The encoded length, plus that of its length prefix if `delimited`.
    ///
    /// # Errors
    /// `TooLarge` if no message may be so long.
    fn checked_size(&self, delimited: bool) -> Result<usize, EncodeError> {
        total(self.size()?, delimited)
    }

    /// The sizes of the message and its sub-messages.
    ///
    /// # Errors
    /// All that can be wrong with a message, and `TooLarge`.
    fn sized(&self, delimited: bool) -> Result<(Sized, usize), EncodeError> {
        let sized = Sized::new(self.view, &self.options).map_err(EncodeError::new)?;
        self.complete(sized.missing)?;
        let total = total(sized.len, delimited)?;
        Ok((sized, total))
    }

    /// Writes the message with its sizes.
    fn write_sized<'b>(
        &self,
        mut out: Cursor<'b>,
        sized: &Sized,
        delimited: bool,
    ) -> Result<Written<'b>, Unwritten> {
        if delimited {
            out.put_varint(sized.len);
        }
        let out = sized
            .write(self.view, &self.options, out)
            .map_err(|kind| Unwritten::Failed(EncodeError::new(kind)))?;
        out.finish().map_err(|CursorOverflow| Unwritten::Full)
    }

    /// Writes the message forwards, or says what is wrong with it.
    #[inline(never)]
    fn write_forward<'b>(&self, out: Cursor<'b>, delimited: bool) -> Result<Written<'b>, Unwritten> {
        match forwards(&mut self.pass(), out, delimited) {
            Err(gave_up) => Err(if gave_up { Unwritten::GaveUp } else { Unwritten::Full }),
            Ok(Forwards { written, len, missing }) => {
                self.complete(missing).map_err(Unwritten::Failed)?;
                if len > MAX_LEN {
                    return Err(Unwritten::Failed(EncodeError::new(EncodeErrorKind::TooLarge)));
                }
                Ok(written)
            }
        }
    }

    /// Checks required fields, if one may be missing and that matters.
    #[inline(always)]
    fn complete(self, missing: bool) -> Result<(), EncodeError> {
        if missing && !self.options.allows_partial() { self.check_required() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn check_required(self) -> Result<(), EncodeError> {
        match find_missing(self.view) {
            Ok(Some(missing)) => {
                Err(EncodeError::new(EncodeErrorKind::MissingRequired).with_path(missing.path()))
            }
            Ok(None) => Ok(()),
            Err(_) => Err(EncodeError::new(EncodeErrorKind::OutOfMemory)),
        }
    }

    /// Appends the message to a buffer, after its length if `delimited`, and returns the number of bytes.
    ///
    /// # Errors
    /// `MissingRequired` with a path of field numbers, `TooLarge`, `DepthExceeded`, `OutOfMemory`.
    #[inline(always)]
    pub(crate) fn append(self, buffer: &mut impl Buffer, delimited: bool) -> Result<usize, EncodeError> {
        self.prefetch();
        let mut pass = self.pass();
        let written = buffer.append_with(|spare| at_once(&mut pass, Cursor::new(spare), delimited));
        // The encoder is made anew, so that its parts are in registers until here and not copied twice.
        written.or_else(|gave_up| Self::of(&pass).append_again(buffer, delimited, gave_up))
    }

    /// Appends a message that could not be written at once.
    #[cold]
    #[inline(never)]
    fn append_again(
        self,
        buffer: &mut impl Buffer,
        delimited: bool,
        gave_up: bool,
    ) -> Result<usize, EncodeError> {
        if gave_up {
            return self.append_sized(buffer, delimited);
        }
        let total = self.checked_size(delimited)?;
        reserve(buffer, total)?;
        self.append_exactly(buffer, total, delimited)
    }

    /// Appends a message whose size is known.
    fn append_exactly(
        &self,
        buffer: &mut impl Buffer,
        total: usize,
        delimited: bool,
    ) -> Result<usize, EncodeError> {
        // All of the spare room: a guess that is too large takes more than the message for a moment.
        let forwards =
            buffer.append_with(|spare| exactly(self.write_forward(Cursor::new(spare), delimited), total));
        match forwards {
            Ok(written) => Ok(written),
            Err(Unwritten::Failed(error)) => Err(error),
            Err(Unwritten::Full | Unwritten::GaveUp) => self.append_sized(buffer, delimited),
        }
    }

    /// Sizes the message and its sub-messages, and appends it.
    fn append_sized(&self, buffer: &mut impl Buffer, delimited: bool) -> Result<usize, EncodeError> {
        let (sized, total) = self.sized(delimited)?;
        reserve(buffer, total)?;
        let written = buffer.append_with(|spare| {
            let window = spare.get_mut(..total).unwrap_or_default();
            exactly(self.write_sized(Cursor::new(window), &sized, delimited), total)
        });
        written.map_err(Unwritten::into_error)
    }

    /// Prefetches the body, and the messages and strings that are written first. The reads of the encoder depend on each
    /// other, and out of cache this is 256 to 106 ns on flat messages. In longer messages, the processor predicts the next lines by
    /// itself.
    #[inline(always)]
    fn prefetch(&self) {
        let RawView { store, words, body, .. } = self.view;
        let program = self.view.program();
        let start = words.part(body.base, 1);
        if program.nests() {
            prefetch::<8, _>(start);
        } else {
            prefetch::<4, _>(start);
        }
        if program.has_spans() {
            prefetch::<4, _>(store);
        }
    }

    /// The message as a new `Vec` with no spare capacity.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub(crate) fn to_vec(self) -> Result<Vec<u8>, EncodeError> {
        let total = self.checked_size(false)?;
        let mut out = Vec::new();
        out.try_reserve_exact(total).map_err(|_| Full::NoMemory)?;
        self.append_exactly(&mut out, total, false)?;
        Ok(out)
    }

    /// Writes the message at the start of a slice and returns the number of bytes.
    ///
    /// # Errors
    /// As [`append`](Self::append), and `BufferTooSmall`.
    pub(crate) fn to_slice(self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        let total = self.checked_size(false)?;
        let window =
            slice.get_mut(..total).ok_or_else(|| EncodeError::new(EncodeErrorKind::BufferTooSmall))?;
        match exactly(self.write_forward(Cursor::over(&mut *window), false), total) {
            Ok(_) => return Ok(total),
            Err(Unwritten::Failed(error)) => return Err(error),
            Err(Unwritten::Full | Unwritten::GaveUp) => {}
        }
        let (sized, total) = self.sized(false)?;
        let written = exactly(self.write_sized(Cursor::over(window), &sized, false), total);
        written.map_err(Unwritten::into_error)?;
        Ok(total)
    }

    /// Appends the message to any `BufMut`: straight into its current chunk if it fits there, once `reserve` was asked for room, else by
    /// way of a `Vec`.
    ///
    /// A buffer that may be too small is asked first: the memory of a slice is not written to if the message does not fit.
    ///
    /// # Errors
    /// As [`append`](Self::append), and `BufferTooSmall`.
    #[cfg(feature = "bytes")]
    pub(crate) fn append_to_buf_mut<B: bytes::BufMut>(
        self,
        buffer: &mut B,
        reserve: impl FnOnce(&mut B, usize),
    ) -> Result<(), EncodeError> {
        self.prefetch();
        if buffer.remaining_mut() <= MAX_LEN {
            chunk::check_room(buffer, self.checked_size(false)?)?;
        }
        let mut pass = self.pass();
        if chunk::append_to_chunk(buffer, |cursor| at_once(&mut pass, cursor, false)).is_ok() {
            return Ok(());
        }
        let this = Self::of(&pass);
        let (sized, total) = this.sized(false)?;
        if buffer.chunk_mut().len() < total {
            reserve(buffer, total);
        }
        if buffer.chunk_mut().len() < total {
            return chunk::append(buffer, &this.to_vec()?);
        }
        let written =
            chunk::append_to_chunk(buffer, |cursor| exactly(this.write_sized(cursor, &sized, false), total));
        written.map(drop).map_err(Unwritten::into_error)
    }

    /// The encoded length in bytes, above any limit too. Aborts if a message of more than a hundred levels needs
    /// memory for its parents and there is none.
    pub(crate) fn encoded_len(&self) -> u64 {
        let options = self.options.max_depth(u32::MAX).allow_partial(true);
        match (Self { options, ..*self }).size() {
            Err(error) if error.kind() == EncodeErrorKind::OutOfMemory => {
                handle_alloc_error(Layout::new::<u64>())
            }
            // No other error is possible without limits.
            len => len.unwrap_or(0),
        }
    }
}

/// The length of a message, plus that of its length prefix if `delimited`.
///
/// # Errors
/// `TooLarge` if no message may be so long.
fn total(len: u64, delimited: bool) -> Result<usize, EncodeError> {
    if len > MAX_LEN as u64 {
        return Err(EncodeError::new(EncodeErrorKind::TooLarge));
    }
    Ok(len as usize + if delimited { varint_len(len) } else { 0 })
}

/// Makes room for `total` bytes, if there is not.
fn reserve(buffer: &mut impl Buffer, total: usize) -> Result<(), Full> {
    if buffer.spare().len() < total { buffer.reserve_bytes(total + SLACK) } else { Ok(()) }
}

/// Writes a message forwards; whether the pass gave up, if it does not fit.
#[inline(always)]
fn forwards<'b>(pass: &mut Pass<'_, '_>, mut out: Cursor<'b>, delimited: bool) -> Result<Forwards<'b>, bool> {
    let room = if delimited { room_for_length(pass.looks) } else { 0 };
    if delimited {
        out.put_word([0; 8], room);
    }
    pass.begin(out.room());
    if out.fill(|room| write_whole(pass, room)).is_none() {
        return Err(pass.gave_up);
    }
    let len = out.written().saturating_sub(room);
    if delimited {
        out.close_any_length(len, room);
    }
    let written = out.finish().map_err(|CursorOverflow| false)?;
    Ok(Forwards { written, len, missing: pass.missing != 0 })
}

/// Writes a message forwards; whether the pass gave up, if it does not fit or something may be wrong with it.
#[inline(always)]
fn at_once<'b>(pass: &mut Pass<'_, '_>, out: Cursor<'b>, delimited: bool) -> Result<Written<'b>, bool> {
    let done = forwards(pass, out, delimited)?;
    let may_be = done.len <= MAX_LEN && (!done.missing || RawEncoder::of(pass).complete(true).is_ok());
    if may_be { Ok(done.written) } else { Err(false) }
}

/// Checks that the message has the size that was computed.
fn exactly(written: Result<Written<'_>, Unwritten>, total: usize) -> Result<Written<'_>, Unwritten> {
    match written {
        Ok(written) if written.as_slice().len() != total => {
            Err(Unwritten::Failed(EncodeError::new(EncodeErrorKind::SizeMismatch)))
        }
        written => written,
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
    RawEncoder::new(view, UNCHECKED).to_vec()
}

/// The number of these bytes.
///
/// # Errors
/// `TooLarge`, `OutOfMemory`.
pub(crate) fn raw_len(view: RawView<'_, '_>) -> Result<usize, EncodeError> {
    RawEncoder::new(view, UNCHECKED).checked_size(false)
}

const UNCHECKED: EncodeOptions = EncodeOptions::new().max_depth(u32::MAX).allow_partial(true);
