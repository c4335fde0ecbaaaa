//! Runs the two encode passes over a buffer, a new `Vec` or a slice.
//!
//! The caller passes two functions: one sizes the message and stores nested lengths in [`Sizes`], the other writes it with
//! these [`Lengths`]. If the lengths of both passes differ, the buffer is unchanged and the error is `SizeMismatch`.

use super::sizes::{Lengths, Sizes};
use crate::wire::Full;
use crate::wire::error::{EncodeError, EncodeErrorKind};
use crate::wire::output::buffer::sealed::RawBuffer;
use crate::wire::{Buffer, Cursor, CursorOverflow, MAX_LEN, Written};
#[cfg(not(tablepb_no_alloc))]
use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// Room after the message, in bytes, which lets the cursor store whole words up to the last byte.
const SLACK: usize = 32;

/// Room on the stack for 64 nested lengths, in bytes, for outputs without spare capacity.
const LOCAL: usize = 256;

/// Why the first attempt to append ended.
enum Attempt {
    /// The message or its lengths do not fit. The total and the lengths.
    Grow(usize, Lengths<'static>),
    Failed(EncodeError),
}

impl From<CursorOverflow> for Attempt {
    #[cold]
    #[inline]
    fn from(_: CursorOverflow) -> Self {
        Self::Failed(mismatch())
    }
}

impl From<Full> for Attempt {
    #[cold]
    #[inline]
    fn from(error: Full) -> Self {
        Self::Failed(error.into())
    }
}

/// The sizing pass, called through a pointer where the output is a new block of memory anyway: then a program has the rest of the
/// code once, not once per message type.
type Size<'f> = dyn FnMut(&mut Sizes<'_>) -> Result<u64, EncodeError> + 'f;

/// The writing pass, likewise.
type Write<'f> = dyn Fn(&mut Cursor<'_>, &mut Lengths<'_>) + 'f;

/// Appends a message and returns the number of bytes.
///
/// Allocates nothing if the spare capacity holds the message and four bytes per nested length. Otherwise the buffer grows
/// once.
#[inline]
pub(crate) fn append<B: Buffer>(
    buffer: &mut B,
    size: impl FnOnce(&mut Sizes<'_>) -> Result<u64, EncodeError>,
    write: impl Fn(&mut Cursor<'_>, &mut Lengths<'_>),
) -> Result<usize, EncodeError> {
    let attempt = buffer.append_with(|spare| {
        let mut sizes = Sizes::new(spare);
        let total = size(&mut sizes).and_then(checked).map_err(Attempt::Failed)?;
        let (space, lengths) = sizes.finish()?;
        match with_slack(space, total) {
            Some(window) if !lengths.has_spilled() => {
                fill(window, total, lengths, &write).map_err(Attempt::Failed)
            }
            _ => Err(Attempt::Grow(total, lengths.into_owned()?)),
        }
    });
    match attempt {
        Ok(written) => Ok(written),
        Err(Attempt::Failed(error)) => Err(error),
        Err(Attempt::Grow(total, lengths)) => append_grown(buffer, total, lengths, &write),
    }
}

/// Appends a message whose lengths need not be known beforehand, in one pass; `None`, and nothing is appended, if it does not fit the spare
/// capacity or is too large.
#[inline]
pub(crate) fn append_flat<B: Buffer>(
    buffer: &mut B,
    write: impl FnOnce(&mut Cursor<'_>, &mut Lengths<'_>),
) -> Option<usize> {
    let written = buffer.append_with(|spare| {
        // A buffer that is new: writes in vain take longer than a sizing pass.
        if spare.is_empty() {
            return Err(CursorOverflow);
        }
        let mut cursor = Cursor::new(spare);
        write(&mut cursor, &mut Lengths::none());
        if cursor.written() > MAX_LEN { Err(CursorOverflow) } else { cursor.finish() }
    });
    written.ok()
}

/// Makes the buffer grow before the message is written.
#[inline(never)]
fn append_grown<B: Buffer>(
    buffer: &mut B,
    total: usize,
    lengths: Lengths<'static>,
    write: &Write<'_>,
) -> Result<usize, EncodeError> {
    buffer.reserve_bytes(total + lengths.room() + SLACK)?;
    buffer.append_with(|spare| fill(with_slack(spare, total).unwrap_or_default(), total, lengths, &write))
}

/// Encodes into a new `Vec` with the exact capacity.
#[cfg(not(tablepb_no_alloc))]
#[inline]
pub(crate) fn to_vec(size: &mut Size<'_>, write: &Write<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut local = [MaybeUninit::uninit(); LOCAL];
    let mut sizes = Sizes::new(&mut local);
    let total = checked(size(&mut sizes)?)?;
    let (_, lengths) = sizes.finish()?;
    let mut out = Vec::new();
    out.try_reserve_exact(total).map_err(|_| Full::NoMemory)?;
    out.append_with(|spare| fill(with_slack(spare, total).unwrap_or_default(), total, lengths, &write))?;
    Ok(out)
}

/// Encodes into the start of a slice and returns the number of bytes.
#[inline]
pub(crate) fn to_slice(out: &mut [u8], size: &mut Size<'_>, write: &Write<'_>) -> Result<usize, EncodeError> {
    let mut local = [MaybeUninit::uninit(); LOCAL];
    let mut sizes = Sizes::new(&mut local);
    let total = checked(size(&mut sizes)?)?;
    let (_, lengths) = sizes.finish()?;
    let window = out.get_mut(..total).ok_or_else(|| EncodeError::new(EncodeErrorKind::BufferTooSmall))?;
    write_body(Cursor::over(window), total, lengths, &write)?;
    Ok(total)
}

/// Appends to any `BufMut`: straight into its current chunk if the message fits there, once `reserve` was asked for room, else by way of
/// a `Vec`.
#[cfg(feature = "bytes")]
pub(crate) fn to_buf_mut<B: bytes::BufMut>(
    buffer: &mut B,
    reserve: impl FnOnce(&mut B, usize),
    size: &mut Size<'_>,
    write: &Write<'_>,
) -> Result<(), EncodeError> {
    use crate::wire::output::chunk;
    let mut local = [MaybeUninit::uninit(); LOCAL];
    let mut sizes = Sizes::new(&mut local);
    let total = checked(size(&mut sizes)?)?;
    let (_, lengths) = sizes.finish()?;
    chunk::check_room(buffer, total)?;
    if buffer.chunk_mut().len() < total {
        reserve(buffer, total);
    }
    if buffer.chunk_mut().len() >= total {
        chunk::append_to_chunk(buffer, |cursor| write_body(cursor, total, lengths, &write))?;
        return Ok(());
    }
    let mut out = Vec::new();
    out.try_reserve_exact(total).map_err(|_| Full::NoMemory)?;
    out.append_with(|spare| fill(spare, total, lengths, &write))?;
    chunk::append(buffer, &out)
}

/// The start of `space` for a message of `total` bytes, with up to [`SLACK`] bytes of room after it.
#[inline]
fn with_slack(space: &mut [MaybeUninit<u8>], total: usize) -> Option<&mut [MaybeUninit<u8>]> {
    let room = space.len().min(total + SLACK);
    if room < total { None } else { space.get_mut(..room) }
}

#[inline]
fn fill<'b>(
    window: &'b mut [MaybeUninit<u8>],
    total: usize,
    lengths: Lengths<'_>,
    write: &impl Fn(&mut Cursor<'_>, &mut Lengths<'_>),
) -> Result<Written<'b>, EncodeError> {
    write_body(Cursor::new(window), total, lengths, write)
}

/// The writing pass.
#[inline]
fn write_body<'b>(
    mut cursor: Cursor<'b>,
    total: usize,
    mut lengths: Lengths<'_>,
    write: &impl Fn(&mut Cursor<'_>, &mut Lengths<'_>),
) -> Result<Written<'b>, EncodeError> {
    write(&mut cursor, &mut lengths);
    if lengths.is_lost() {
        return Err(Full::NoMemory.into());
    }
    if cursor.written() != total || lengths.remaining() != 0 {
        return Err(mismatch());
    }
    cursor.finish().map_err(|_| mismatch())
}

/// The total, if it is within the limit on messages.
#[inline]
fn checked(total: u64) -> Result<usize, EncodeError> {
    if total > MAX_LEN as u64 { Err(too_large()) } else { Ok(total as usize) }
}

#[cold]
#[inline]
fn too_large() -> EncodeError {
    EncodeError::new(EncodeErrorKind::TooLarge)
}

#[cold]
#[inline]
fn mismatch() -> EncodeError {
    EncodeError::new(EncodeErrorKind::SizeMismatch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::varint_len;

    /// A chain of `depth` nested messages with one byte in the innermost.
    fn size(sizes: &mut Sizes<'_>, depth: usize) -> u64 {
        if depth == 0 {
            return 1;
        }
        let slot = sizes.begin();
        let len = size(sizes, depth - 1);
        sizes.end(slot, len);
        varint_len(len) as u64 + len
    }

    fn write(cursor: &mut Cursor<'_>, lengths: &mut Lengths<'_>, depth: usize) {
        match depth {
            0 => cursor.put_byte(7),
            _ => {
                cursor.put_varint(lengths.take().into());
                write(cursor, lengths, depth - 1);
            }
        }
    }

    #[test]
    fn all_outputs_agree_at_every_capacity() {
        for depth in [0, 1, 3, if cfg!(miri) { 70 } else { 150 }] {
            let expected = to_vec(&mut |s| Ok(size(s, depth)), &|c, l| write(c, l, depth)).unwrap();
            let mut slice = [0; 400];
            let n = to_slice(&mut slice, &mut |s| Ok(size(s, depth)), &|c, l| write(c, l, depth)).unwrap();
            assert_eq!(slice[..n], expected);
            for room in (0..60 + 6 * depth).step_by(if cfg!(miri) { 61 } else { 1 }) {
                let mut buffer = Vec::with_capacity(2 + room);
                buffer.extend_from_slice(b"ab");
                append(&mut buffer, |s| Ok(size(s, depth)), |c, l| write(c, l, depth)).unwrap();
                assert_eq!(buffer, [b"ab", &expected[..]].concat(), "depth {depth}, room {room}");
            }
        }
    }

    #[test]
    fn a_second_message_of_a_size_finds_its_room() {
        let mut buffer = Vec::new();
        append(&mut buffer, |s| Ok(size(s, 9)), |c, l| write(c, l, 9)).unwrap();
        let (capacity, start) = (buffer.capacity(), buffer.as_ptr());
        buffer.clear();
        append(&mut buffer, |s| Ok(size(s, 9)), |c, l| write(c, l, 9)).unwrap();
        assert_eq!((buffer.capacity(), buffer.as_ptr()), (capacity, start));
    }

    #[test]
    fn wrong_sizes_are_errors_and_leave_the_buffer() {
        for (sized, written) in [(2, 3), (3, 2), (0, 1), (1, 0)] {
            for room in [0, 64] {
                let mut buffer = Vec::with_capacity(1 + room);
                buffer.push(1);
                let error = append(&mut buffer, |s| Ok(size(s, sized)), |c, l| write(c, l, written));
                assert_eq!(error.unwrap_err().kind(), EncodeErrorKind::SizeMismatch);
                assert_eq!(buffer, [1]);
            }
        }
        // The totals agree, but the numbers of lengths differ.
        let flat = to_vec(&mut |s| Ok(size(s, 1)), &|c, _| c.put_slice(&[1, 7]));
        assert_eq!(flat.unwrap_err().kind(), EncodeErrorKind::SizeMismatch);
    }

    #[test]
    fn two_gibibytes_are_too_large() {
        let error = append(&mut Vec::new(), |_| Ok(1 << 31), |_, _| ()).unwrap_err();
        assert_eq!(error.kind(), EncodeErrorKind::TooLarge);
        let error = to_slice(&mut [], &mut |_| Ok(1), &|_, _| ()).unwrap_err();
        assert_eq!(error.kind(), EncodeErrorKind::BufferTooSmall);
    }
}
