//! [`Frames`]: length-delimited messages in pieces.

use tablepb::{DecodeError, DecodeErrorKind, stream};

/// Puts together messages that come in pieces.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The part of a frame that came, its length prefix included.
    partial: Vec<u8>,
    /// How many bytes of a message that is too long are still to be skipped.
    skip: usize,
    max_len: usize,
    /// The message that the last call gave is in `partial`.
    whole: bool,
}

/// The next message.
pub(super) enum Next<'f> {
    /// Not all of it has come.
    None,
    Frame(&'f [u8]),
    /// It is longer than it may be.
    TooLong,
    /// Its length prefix is not valid.
    Invalid(DecodeError),
}

impl Frames {
    pub(super) fn new(max_len: usize) -> Self {
        Self { max_len, ..Self::default() }
    }

    pub(super) fn is_partial(&self) -> bool {
        !self.partial.is_empty() || self.skip > 0
    }

    /// Whether there is a part of a message, or of its length, that is not skipped.
    pub(super) fn has_bytes(&self) -> bool {
        !self.partial.is_empty()
    }

    /// The next message of a block that has all of it.
    #[inline]
    pub(super) fn whole<'b>(block: &'b [u8], at: &mut usize, max_len: usize) -> Next<'b> {
        let mut rest = block.get(*at..).unwrap_or_default();
        let len = rest.len();
        match stream::read_frame(&mut rest) {
            Ok(Some(frame)) => {
                *at += len - rest.len();
                if frame.len() > max_len { Next::TooLong } else { Next::Frame(frame) }
            }
            Ok(None) => Next::None,
            Err(error) => Next::Invalid(error),
        }
    }

    /// The next message of what came before and of `bytes` from `at` on. [`done`](Self::done) or [`keep`](Self::keep) is to follow.
    #[inline]
    pub(super) fn next<'f>(&'f mut self, bytes: &'f [u8], at: &mut usize) -> Next<'f> {
        if !self.is_partial() {
            match Self::whole(bytes, at, self.max_len) {
                Next::None => {}
                next => return next,
            }
        }
        self.next_in_pieces(bytes, at)
    }

    #[inline(never)]
    fn next_in_pieces<'f>(&'f mut self, bytes: &'f [u8], at: &mut usize) -> Next<'f> {
        loop {
            let rest = bytes.get(*at..).unwrap_or_default();
            if self.skip > 0 {
                let skip = self.skip.min(rest.len());
                (self.skip, *at) = (self.skip - skip, *at + skip);
                if self.skip > 0 {
                    return Next::None;
                }
                continue;
            }
            let mut payload = &*self.partial;
            match stream::decode_length_delimiter(&mut payload) {
                Ok(len) if len > self.max_len => {
                    self.skip = len.saturating_sub(payload.len());
                    self.partial.clear();
                    return Next::TooLong;
                }
                Ok(len) => {
                    let start = self.partial.len() - payload.len();
                    let piece = rest.get(..len - payload.len()).unwrap_or(rest);
                    *at += piece.len();
                    self.partial.extend_from_slice(piece);
                    self.whole = self.partial.len() == start + len;
                    return match self.partial.get(start..) {
                        Some(message) if self.whole => Next::Frame(message),
                        _ => Next::None,
                    };
                }
                Err(error) if error.kind() != DecodeErrorKind::Incomplete => {
                    self.partial.clear();
                    return Next::Invalid(error);
                }
                // One byte more of the length.
                Err(_) => match rest.first() {
                    Some(&byte) => {
                        self.partial.push(byte);
                        *at += 1;
                    }
                    None => return Next::None,
                },
            }
        }
    }

    /// The message was taken, or will not be.
    pub(super) fn done(&mut self) {
        if std::mem::take(&mut self.whole) {
            self.partial.clear();
        }
    }

    /// The message was not taken. Returns the place to go on from, of the place before it and the one after it.
    pub(super) fn keep(&mut self, before: usize, after: usize) -> usize {
        if std::mem::take(&mut self.whole) { after } else { before }
    }
}
