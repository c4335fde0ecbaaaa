//! [`TextOut`]: text on its way to a buffer.

use crate::wire::Full;
use crate::wire::output::buffer::sealed::RawBuffer;

/// Bytes collected before the buffer is asked for room. They are zeroed for each text: 2 KB took a fifth of the instructions that
/// print a log of 500 bytes.
const CHUNK: usize = 1024;
/// Parts up to this length are copied as one window, without a loop.
const WINDOW: usize = 32;

/// Appends text to a buffer by way of a chunk on the stack: storing a byte costs one comparison, the buffer is asked for room once
/// per chunk, and no code needs to know its type.
///
/// Where the buffer cannot grow, everything that follows is dropped, and [`finish`](Self::finish) says so.
pub(crate) struct TextOut<'b> {
    chunk: [u8; CHUNK],
    at: usize,
    buffer: &'b mut dyn RawBuffer,
    /// Length of the buffer before anything was appended.
    start: usize,
    failed: bool,
}

impl<'b> TextOut<'b> {
    #[inline]
    pub(crate) fn new(buffer: &'b mut dyn RawBuffer) -> Self {
        let start = buffer.as_bytes().len();
        Self { chunk: [0; CHUNK], at: 0, buffer, start, failed: false }
    }

    /// Whether something was dropped.
    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Appends what is still in the chunk.
    ///
    /// # Errors
    /// There was no memory; the buffer has its old length.
    pub(crate) fn finish(mut self) -> Result<(), Full> {
        self.flush();
        if self.failed {
            self.buffer.truncate_to(self.start);
            return Err(Full::NoMemory);
        }
        Ok(())
    }

    /// Drops everything that was appended.
    pub(crate) fn abandon(self) {
        self.buffer.truncate_to(self.start);
    }

    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        let chunk = self.chunk.get(..self.at).unwrap_or_default();
        self.failed = self.failed || append(self.buffer, chunk).is_err();
        self.at = 0;
    }

    /// A window of `N` bytes to write to; [`advance`](Self::advance) keeps a part of it.
    #[inline(always)]
    pub(crate) fn window<const N: usize>(&mut self) -> &mut [u8; N] {
        const { assert!(N <= CHUNK) };
        if self.at > CHUNK - N {
            self.flush();
        }
        match self.chunk.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut()) {
            Some(window) => window,
            None => unreachable!("a chunk that was flushed has room for {N} bytes"),
        }
    }

    /// Keeps the first `len` bytes of the window that was written to.
    #[inline(always)]
    pub(crate) fn advance(&mut self, len: usize) {
        debug_assert!(len <= CHUNK - self.at, "no more than a window");
        self.at += len;
    }

    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) {
        *self.window() = [byte];
        self.advance(1);
    }

    /// A minus sign, if the number is negative.
    #[inline(always)]
    pub(crate) fn sign(&mut self, negative: bool) {
        *self.window() = [b'-'];
        self.advance(usize::from(negative));
    }

    /// A few bytes whose number is known.
    #[inline(always)]
    pub(crate) fn array<const N: usize>(&mut self, bytes: &[u8; N]) {
        *self.window() = *bytes;
        self.advance(N);
    }

    #[inline]
    pub(crate) fn slice(&mut self, bytes: &[u8]) {
        self.part(bytes, bytes.len());
    }

    /// The first `len` bytes of `rest`, which are cheaper to copy when more bytes follow them.
    #[inline(always)]
    pub(crate) fn part(&mut self, rest: &[u8], len: usize) {
        match rest.first_chunk::<WINDOW>() {
            Some(first) if len <= WINDOW => {
                *self.window() = *first;
                self.advance(len);
            }
            _ => self.long(rest.get(..len).unwrap_or(rest)),
        }
    }

    /// The first `len` bytes of a window, of which there is at least one, with another first byte.
    #[cfg(feature = "json")]
    #[inline(always)]
    pub(crate) fn window_from<const N: usize>(&mut self, first: u8, bytes: &[u8; N], len: usize) {
        let window = self.window();
        *window = *bytes;
        window[0] = first;
        self.advance(len);
    }

    #[inline(never)]
    fn long(&mut self, bytes: &[u8]) {
        if bytes.len() > CHUNK - self.at {
            self.flush();
        }
        match self.chunk.get_mut(self.at..self.at + bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.at += bytes.len();
            }
            // The chunk is empty now.
            None => self.failed = self.failed || append(self.buffer, bytes).is_err(),
        }
    }
}

fn append(buffer: &mut dyn RawBuffer, bytes: &[u8]) -> Result<(), Full> {
    buffer.reserve_bytes(bytes.len())?;
    buffer.extend(bytes);
    Ok(())
}

impl core::fmt::Write for TextOut<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.slice(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn pieces_of_all_sizes_come_out_in_order() {
        let mut buffer = b"start".to_vec();
        let mut expected = buffer.clone();
        let text: Vec<u8> = (0..5000).map(|i| b'a' + (i % 26) as u8).collect();
        let mut out = TextOut::new(&mut buffer);
        for len in (0..100).chain([CHUNK - 1, CHUNK, CHUNK + 1, 5000, 3]) {
            out.slice(&text[..len]);
            out.part(&text, len);
            out.byte(b'-');
            out.array(b"ab");
            for piece in [&text[..len], &text[..len], b"-ab"] {
                expected.extend_from_slice(piece);
            }
        }
        assert!(!out.has_failed());
        assert_eq!(out.finish(), Ok(()));
        assert_eq!(buffer, expected);
        let mut out = TextOut::new(&mut buffer);
        out.slice(&text);
        out.abandon();
        assert_eq!(buffer, expected);
    }
}
