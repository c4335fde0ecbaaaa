//! The framing of gRPC: each message after a flag of one byte and its length in four.
//!
//! This is *Length-Prefixed-Message* of the specification "gRPC over HTTP2". A stream of frames may end anywhere in HTTP/2's
//! DATA frames, so readers return `None` until a message is complete. Compressed payloads are handed over as they are: which
//! algorithm compressed them is in the header `grpc-encoding`.
//!
//! ```
//! use tablepb::stream::grpc;
//!
//! let mut buf = Vec::new();
//! grpc::append_frame(b"payload", &mut buf)?;
//! assert_eq!(buf, b"\0\0\0\0\x07payload");
//!
//! let mut input = &buf[..];
//! let frame = grpc::read_frame(&mut input, grpc::DEFAULT_MAX_FRAME_LEN)?.unwrap();
//! assert_eq!((frame.compressed, frame.payload), (false, &b"payload"[..]));
//! assert!(input.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::wire::{Buffer, MAX_LEN};

/// The bytes before each payload.
pub const HEADER_LEN: usize = 5;

/// The longest payload that servers and clients of gRPC accept unless told otherwise: 4 MiB.
pub const DEFAULT_MAX_FRAME_LEN: usize = 4 << 20;

/// One message of a gRPC stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame<'a> {
    /// Whether the payload is compressed, by the algorithm that `grpc-encoding` names.
    pub compressed: bool,
    /// The message, or what the algorithm made of it.
    pub payload: &'a [u8],
}

/// Removes one frame from the start of `input`, or returns `None` if more bytes are needed.
///
/// Without a complete frame, `input` is unchanged. Costs constant time: the payload is not copied.
///
/// # Errors
///
/// `FrameTooLarge` if the payload is longer than `max_len` or 2^31-1 bytes, as soon as the header is there; `InvalidFrame` if the
/// flag is neither 0 nor 1. `input` is unchanged.
pub fn read_frame<'a>(input: &mut &'a [u8], max_len: usize) -> Result<Option<Frame<'a>>, DecodeError> {
    let Some((header, rest)) = input.split_first_chunk::<HEADER_LEN>() else {
        // A flag that is wrong stays wrong.
        return input.first().map_or(Ok(None), |&flag| check_flag(flag).map(|()| None));
    };
    let [flag, len @ ..] = *header;
    check_flag(flag)?;
    let len = u32::from_be_bytes(len) as usize;
    if len > max_len.min(MAX_LEN) {
        return Err(DecodeError::new(DecodeErrorKind::FrameTooLarge, 1));
    }
    let Some((payload, rest)) = rest.split_at_checked(len) else { return Ok(None) };
    *input = rest;
    Ok(Some(Frame { compressed: flag == 1, payload }))
}

fn check_flag(flag: u8) -> Result<(), DecodeError> {
    match flag {
        0 | 1 => Ok(()),
        _ => Err(DecodeError::first_byte("a frame of gRPC begins with 0x00 or 0x01", flag)),
    }
}

/// Appends `payload`, which is not compressed, as a frame.
///
/// # Errors
///
/// `TooLarge` above 2^31-1 bytes, `OutOfMemory`. Nothing is appended then.
pub fn append_frame(payload: &[u8], buf: &mut impl Buffer) -> Result<(), EncodeError> {
    if payload.len() > MAX_LEN {
        return Err(EncodeError::new(EncodeErrorKind::TooLarge));
    }
    buf.reserve_bytes(HEADER_LEN + payload.len())?;
    buf.extend(&header(false, payload.len()));
    buf.extend(payload);
    Ok(())
}

/// Appends a frame whose payload `write` appends, straight into the buffer.
///
/// `write` must only append. What it returns is an error of its own, or of encoding. If it panics, the buffer is as long as it was.
///
/// ```
/// use tablepb::stream::grpc;
/// use tablepb::{EncodeError, wkt, Message};
///
/// let mut buf = Vec::new();
/// let time = wkt::Timestamp { seconds: 7, ..Default::default() };
/// grpc::append_frame_with(&mut buf, false, |buf| time.encode(buf))?;
/// assert_eq!(buf, [0, 0, 0, 0, 2, 8, 7]);
/// # Ok::<(), EncodeError>(())
/// ```
///
/// # Errors
///
/// `TooLarge` if the payload is above 2^31-1 bytes, or if `write` made the buffer shorter; `OutOfMemory`; what `write` returns.
/// The buffer is as long as it was then.
pub fn append_frame_with<B: Buffer, E: From<EncodeError>>(
    buf: &mut B,
    compressed: bool,
    write: impl FnOnce(&mut B) -> Result<(), E>,
) -> Result<(), E> {
    let start = buf.as_bytes().len();
    buf.reserve_bytes(HEADER_LEN).map_err(EncodeError::from)?;
    buf.extend(&[0; HEADER_LEN]);
    let mut undo = Undo { buf, to: start };
    write(undo.buf)?;
    let len = undo.buf.as_bytes().len().checked_sub(start + HEADER_LEN).filter(|&len| len <= MAX_LEN);
    let place = undo.buf.as_bytes_mut().get_mut(start..).and_then(<[u8]>::first_chunk_mut);
    let (Some(len), Some(place)) = (len, place) else {
        return Err(EncodeError::new(EncodeErrorKind::TooLarge).into());
    };
    *place = header(compressed, len);
    undo.to = usize::MAX;
    Ok(())
}

/// Takes back what was appended, also when a closure panics: the place of a header would be read as an empty frame.
struct Undo<'b, B: Buffer> {
    buf: &'b mut B,
    to: usize,
}

impl<B: Buffer> Drop for Undo<'_, B> {
    fn drop(&mut self) {
        self.buf.truncate_to(self.to);
    }
}

/// The header of a payload of `len` bytes, at most [`MAX_LEN`].
fn header(compressed: bool, len: usize) -> [u8; HEADER_LEN] {
    let [a, b, c, d] = (len as u32).to_be_bytes();
    [compressed.into(), a, b, c, d]
}
