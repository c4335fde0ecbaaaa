//! Frames over `std::io`.

use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::wire::read::raw;
use crate::wire::{Cursor, MAX_LEN};
use alloc::vec::Vec;
use core::fmt;
use std::io::{self, Read, Write};

/// The longest payload that a [`FrameReader`] accepts unless told otherwise: 64 MiB.
pub const DEFAULT_MAX_FRAME_LEN: usize = 64 << 20;

/// The initial buffer of a [`FrameReader`]; it grows by doubling.
const FIRST_LEN: usize = 8 << 10;

/// Reads frames from a [`Read`] into one buffer, which all frames share.
///
/// The buffer starts with 8 KiB and doubles only when it is full of received bytes: whatever a prefix announces, it is
/// never larger than 8 KiB or twice the longest frame so far with its prefix. The reader reads ahead: a
/// [`BufReader`](io::BufReader) around the source gains nothing, and bytes after the last returned frame may be lost.
///
/// ```
/// use tablepb::stream::FrameReader;
///
/// let mut reader = FrameReader::new(&b"\x05first\x06second"[..]);
/// let mut lengths = Vec::new();
/// while let Some(payload) = reader.next_frame()? {
///     lengths.push(payload.len());
/// }
/// assert_eq!(lengths, [5, 6]);
/// # Ok::<(), tablepb::stream::FrameError>(())
/// ```
#[derive(Debug)]
pub struct FrameReader<R> {
    source: R,
    /// All bytes are initialised; `start..end` is received and not yet returned.
    pub(super) buf: Vec<u8>,
    start: usize,
    end: usize,
    /// The offset of `start` in the stream.
    position: u64,
    max_len: usize,
}

impl<R: Read> FrameReader<R> {
    /// Reads frames of up to [`DEFAULT_MAX_FRAME_LEN`] bytes.
    pub fn new(source: R) -> Self {
        Self { source, buf: Vec::new(), start: 0, end: 0, position: 0, max_len: DEFAULT_MAX_FRAME_LEN }
    }

    /// Sets the longest payload to accept. No payload is longer than 2^31-1 bytes.
    #[must_use]
    pub fn max_frame_len(mut self, len: usize) -> Self {
        self.max_len = len;
        self
    }

    /// The offset of the next frame, from the position of the source when this reader was made.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The payload of the next frame, or `None` at the end of the source.
    ///
    /// # Errors
    ///
    /// [`FrameError::Decode`], whose offset is the start of the frame in the stream: `Incomplete` if the source
    /// ends inside the frame, `InvalidLength` for a prefix above five bytes or 2^31-1, `FrameTooLarge` above the
    /// limit. [`FrameError::Io`] for errors of the source, except that interrupted reads are retried; of kind
    /// [`OutOfMemory`](io::ErrorKind::OutOfMemory) if the buffer cannot grow.
    ///
    /// An error loses no bytes: the next call continues where this one stopped, for sources that would block or that
    /// grow.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let (prefix, len) = loop {
            let window = self.buf.get(self.start..self.end).unwrap_or_default();
            match raw::length(window, 0) {
                Ok((len, _)) if len > self.max_len => return Err(self.fault(DecodeErrorKind::FrameTooLarge)),
                Ok((len, prefix)) if len <= window.len() - prefix => break (prefix, len),
                Ok(_) | Err(DecodeErrorKind::Incomplete) => {}
                Err(kind) => return Err(self.fault(kind)),
            }
            let at_boundary = window.is_empty();
            match self.fill()? {
                0 if at_boundary => return Ok(None),
                0 => return Err(self.fault(DecodeErrorKind::Incomplete)),
                _ => {}
            }
        };
        let payload = self.start + prefix..self.start + prefix + len;
        self.start = payload.end;
        self.position += (prefix + len) as u64;
        Ok(self.buf.get(payload))
    }

    /// Returns the source. Bytes read ahead are lost.
    pub fn into_inner(self) -> R {
        self.source
    }

    /// Reads at least one more byte; returns 0 at the end of the source.
    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            // At most once per frame: move its first bytes to the front.
            self.buf.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buf.len() {
            let len = self.buf.len().saturating_mul(2).max(FIRST_LEN);
            let more = len - self.buf.len();
            self.buf.try_reserve_exact(more).map_err(|_| io::ErrorKind::OutOfMemory)?;
            self.buf.resize(len, 0);
        }
        loop {
            match self.source.read(&mut self.buf[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(len) => {
                    // A source that returns more than the length of the slice breaks its contract.
                    let len = len.min(self.buf.len() - self.end);
                    self.end += len;
                    return Ok(len);
                }
            }
        }
    }

    #[cold]
    fn fault(&self, kind: DecodeErrorKind) -> FrameError {
        let offset = usize::try_from(self.position).unwrap_or(usize::MAX);
        FrameError::Decode(DecodeError::new(kind, offset))
    }
}

/// Writes `payload` as a frame: its length, then its bytes.
///
/// Makes two writes, so many small frames want a [`BufWriter`](io::BufWriter). Does not flush.
///
/// # Errors
///
/// Those of `writer`; [`InvalidInput`](io::ErrorKind::InvalidInput) for payloads above 2^31-1 bytes, before anything is
/// written.
pub fn write_frame(writer: &mut (impl Write + ?Sized), payload: &[u8]) -> io::Result<()> {
    let len = payload.len();
    if len > MAX_LEN {
        return Err(EncodeError::new(EncodeErrorKind::TooLarge).into());
    }
    let mut prefix = [0; 5];
    let mut cursor = Cursor::over(&mut prefix);
    cursor.put_varint(len as u64);
    // A length up to MAX_LEN takes at most five bytes, so this cannot fail.
    let prefix = cursor.finish().map_err(|_| io::ErrorKind::InvalidInput)?;
    writer.write_all(prefix.as_slice())?;
    writer.write_all(payload)
}

/// The error of a [`FrameReader`].
#[derive(Debug)]
pub enum FrameError {
    /// The source failed.
    Io(io::Error),
    /// The bytes are not valid frames.
    Decode(DecodeError),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Decode(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for FrameError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(match self {
            Self::Io(error) => error,
            Self::Decode(error) => error,
        })
    }
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<DecodeError> for FrameError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

/// As the errors in it.
impl From<FrameError> for io::Error {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Io(error) => error,
            FrameError::Decode(error) => error.into(),
        }
    }
}

/// `Incomplete` becomes [`UnexpectedEof`](io::ErrorKind::UnexpectedEof), `OutOfMemory` [`OutOfMemory`](io::ErrorKind::OutOfMemory), other
/// kinds [`InvalidData`](io::ErrorKind::InvalidData).
impl From<DecodeError> for io::Error {
    fn from(error: DecodeError) -> Self {
        match error.kind() {
            DecodeErrorKind::Incomplete => Self::new(io::ErrorKind::UnexpectedEof, error),
            DecodeErrorKind::OutOfMemory => io::ErrorKind::OutOfMemory.into(),
            _ => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// `OutOfMemory` becomes [`OutOfMemory`](io::ErrorKind::OutOfMemory), other kinds [`InvalidInput`](io::ErrorKind::InvalidInput).
impl From<EncodeError> for io::Error {
    fn from(error: EncodeError) -> Self {
        match error.kind() {
            EncodeErrorKind::OutOfMemory => io::ErrorKind::OutOfMemory.into(),
            _ => Self::new(io::ErrorKind::InvalidInput, error),
        }
    }
}
