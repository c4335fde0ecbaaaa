//! Framing: where a message ends, and what stands before it.
//!
//! The functions here are for length-delimited streams: a sequence of messages, each after its length as a varint. [`grpc`] has the
//! framing of gRPC, [`confluent`] that of Confluent's schema registry for Kafka.
//!
//! An encoded message does not mark its own end, so files and sockets with several messages need framing. This format is
//! that of `writeDelimitedTo` in Java, `SerializeDelimitedToOstream` in C++ and `encode_length_delimited` in prost.
//! Payloads are arbitrary bytes and are not checked.
//!
//! | | in memory | `std::io`, with the feature `std` |
//! |---|---|---|
//! | read | [`read_frame`], [`frames`], [`split_frame`] and [`split_frame_within`] with the feature `bytes` | [`FrameReader`] |
//! | write | [`append_frame`] | [`write_frame`] |
//!
//! ```
//! use tablepb::stream::{append_frame, frames};
//!
//! let mut buf = Vec::new();
//! append_frame(b"first", &mut buf)?;
//! append_frame(b"second", &mut buf)?;
//! assert_eq!(buf, b"\x05first\x06second");
//! let payloads: Result<Vec<_>, _> = frames(&buf).collect();
//! assert_eq!(payloads.unwrap(), [&b"first"[..], b"second"]);
//! # Ok::<(), tablepb::EncodeError>(())
//! ```
//!
//! Readers return complete frames only. Their memory grows with the bytes received, not with the length that a prefix
//! announces.

pub mod confluent;
pub mod grpc;
#[cfg(feature = "std")]
mod io;
#[cfg(test)]
mod tests;

#[cfg(feature = "std")]
pub use io::{DEFAULT_MAX_FRAME_LEN, FrameError, FrameReader, write_frame};

#[cfg(feature = "bytes")]
use crate::wire::MAX_LEN;
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::wire::read::raw;
use crate::wire::{Buffer, Writer, varint_len};
use core::iter::FusedIterator;

/// The size of the length prefix of a payload of `length` bytes, 1 to 5.
#[inline]
#[must_use]
pub fn length_delimiter_len(length: usize) -> usize {
    varint_len(length as u64)
}

/// Appends the length prefix of a payload of `length` bytes.
///
/// # Errors
///
/// `TooLarge` above 2^31-1, `OutOfMemory`. Nothing is appended then.
#[inline]
pub fn encode_length_delimiter(length: usize, buf: &mut impl Buffer) -> Result<(), EncodeError> {
    Writer::new(buf).write_length(length)
}

/// Removes a length prefix from the start of `input` and returns it. The payload need not be complete.
///
/// ```
/// use tablepb::stream::decode_length_delimiter;
///
/// let mut input = &b"\x96\x01..."[..];
/// assert_eq!(decode_length_delimiter(&mut input)?, 150);
/// assert_eq!(input, b"...");
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
///
/// # Errors
///
/// `Incomplete` if `input` ends inside the prefix, `InvalidLength` above five bytes or 2^31-1. `input` is unchanged.
#[inline]
pub fn decode_length_delimiter(input: &mut &[u8]) -> Result<usize, DecodeError> {
    match raw::length(input, 0) {
        Ok((len, pos)) => {
            *input = input.get(pos..).unwrap_or_default();
            Ok(len)
        }
        Err(kind) => Err(DecodeError::new(kind, 0)),
    }
}

/// Appends `payload` as a frame: its length, then its bytes.
///
/// # Errors
///
/// `TooLarge` above 2^31-1 bytes, `OutOfMemory`. Nothing is appended then.
#[inline]
pub fn append_frame(payload: &[u8], buf: &mut impl Buffer) -> Result<(), EncodeError> {
    Writer::new(buf).write_length_delimited(payload)
}

/// Removes one frame from the start of `input` and returns its payload, or `None` if more bytes are needed.
///
/// Without a complete frame, `input` is unchanged. A prefix may announce up to 2^31-1 bytes: a caller that collects bytes
/// until the frame is complete should check [`decode_length_delimiter`] against a limit of its own.
///
/// ```
/// use tablepb::stream::read_frame;
///
/// let mut input = &b"\x02ab\x02c"[..];
/// assert_eq!(read_frame(&mut input)?, Some(&b"ab"[..]));
/// assert_eq!(read_frame(&mut input)?, None);
/// assert_eq!(input, b"\x02c");
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
///
/// # Errors
///
/// `InvalidLength` for a prefix above five bytes or 2^31-1.
#[inline]
pub fn read_frame<'a>(input: &mut &'a [u8]) -> Result<Option<&'a [u8]>, DecodeError> {
    match raw::length_delimited(input, 0) {
        Ok((payload, pos)) => {
            *input = input.get(pos..).unwrap_or_default();
            Ok(Some(payload))
        }
        Err(DecodeErrorKind::Incomplete) => Ok(None),
        Err(kind) => Err(DecodeError::new(kind, 0)),
    }
}

/// Removes one frame from the start of `buf` and returns its payload, or `None` if more bytes are needed.
///
/// As [`read_frame`], for a buffer that receives: the payload shares its memory, nothing is copied. `buf` keeps its capacity and
/// room is not reserved, so what a prefix announces costs nothing.
///
/// ```
/// use tablepb::bytes::BytesMut;
/// use tablepb::stream::split_frame;
///
/// let mut received = BytesMut::from(&b"\x02ab\x02c"[..]);
/// assert_eq!(split_frame(&mut received)?.as_deref(), Some(&b"ab"[..]));
/// assert_eq!(split_frame(&mut received)?, None);
/// received.extend_from_slice(b"d");
/// assert_eq!(split_frame(&mut received)?.as_deref(), Some(&b"cd"[..]));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
///
/// # Errors
///
/// `InvalidLength` for a prefix above five bytes or 2^31-1. `buf` is unchanged.
#[cfg(feature = "bytes")]
pub fn split_frame(buf: &mut bytes::BytesMut) -> Result<Option<bytes::Bytes>, DecodeError> {
    split_frame_within(buf, MAX_LEN)
}

/// As [`split_frame`], with a bound on the payload: for a peer that is not trusted, since a buffer that receives grows until a frame is
/// complete.
///
/// ```
/// use tablepb::bytes::BytesMut;
/// use tablepb::stream::split_frame_within;
///
/// let mut received = BytesMut::from(&b"\x02ab\x05"[..]);
/// assert_eq!(split_frame_within(&mut received, 4)?.as_deref(), Some(&b"ab"[..]));
/// assert!(split_frame_within(&mut received, 4).is_err(), "five bytes are announced");
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
///
/// # Errors
///
/// As [`split_frame`], and `FrameTooLarge` if the payload is longer than `max_len` bytes, as soon as the prefix is there. `buf` is
/// unchanged.
#[cfg(feature = "bytes")]
pub fn split_frame_within(
    buf: &mut bytes::BytesMut,
    max_len: usize,
) -> Result<Option<bytes::Bytes>, DecodeError> {
    use bytes::Buf;

    let mut rest = &buf[..];
    let len = match decode_length_delimiter(&mut rest) {
        Ok(len) if len > max_len => return Err(DecodeError::new(DecodeErrorKind::FrameTooLarge, 0)),
        Ok(len) if len <= rest.len() => len,
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == DecodeErrorKind::Incomplete => return Ok(None),
        Err(error) => return Err(error),
    };
    let prefix = buf.len() - rest.len();
    buf.advance(prefix);
    Ok(Some(buf.split_to(len).freeze()))
}

/// Iterates over the payloads of the frames in `input`.
///
/// The last item is an error if `input` ends inside a frame (`Incomplete`) or a prefix is not valid
/// (`InvalidLength`); its offset is the start of that frame.
#[inline]
#[must_use]
pub fn frames(input: &[u8]) -> Frames<'_> {
    Frames { input, pos: 0 }
}

/// Iterates over frames in memory; made by [`frames`].
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    input: &'a [u8],
    pos: usize,
}

impl Frames<'_> {
    /// The offset of the next frame, or of the invalid one.
    #[must_use]
    pub fn position(&self) -> usize {
        self.pos
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<&'a [u8], DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pos >= self.input.len() {
            return None;
        }
        match raw::length_delimited(self.input, self.pos) {
            Ok((payload, pos)) => {
                self.pos = pos;
                Some(Ok(payload))
            }
            Err(kind) => {
                self.input = &[];
                Some(Err(DecodeError::new(kind, self.pos)))
            }
        }
    }
}

impl FusedIterator for Frames<'_> {}
