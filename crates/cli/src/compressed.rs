//! Input that is perhaps compressed, told by its first bytes.

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Cursor, Read};

const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The content of `reader`: decompressed if it begins as gzip or zstd do, as it is otherwise.
pub fn open(mut reader: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
    let mut magic = Vec::new();
    reader.by_ref().take(ZSTD.len() as u64).read_to_end(&mut magic)?;
    let (gzip, zstd) = (magic.starts_with(&GZIP), magic == ZSTD);
    let whole = Cursor::new(magic).chain(reader);
    if gzip {
        Ok(Box::new(MultiGzDecoder::new(BufReader::with_capacity(64 << 10, whole))))
    } else if zstd {
        let source = BufReader::with_capacity(64 << 10, whole);
        Ok(Box::new(Zstd { source, frame: FrameDecoder::new(), inside: false }))
    } else {
        Ok(Box::new(whole))
    }
}

/// What is packed in these bytes, at most `longest` bytes.
pub fn unpack(packed: &[u8], longest: u64) -> io::Result<Vec<u8>> {
    let fail = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
    if !packed.starts_with(&GZIP) && !packed.starts_with(&ZSTD) {
        return fail("neither by gzip nor by zstd");
    }
    let mut message = Vec::new();
    open(Box::new(Cursor::new(packed.to_vec())))?.take(longest + 1).read_to_end(&mut message)?;
    if message.len() as u64 > longest { fail("it is too long") } else { Ok(message) }
}

/// The content of the frames of zstd, one after another. Checksums are not compared.
struct Zstd<R> {
    source: R,
    frame: FrameDecoder,
    /// `frame` has more to give.
    inside: bool,
}

impl<R: BufRead> Zstd<R> {
    /// Begins the next frame, and passes over those that hold no content; false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.frame.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut self.source.by_ref().take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(invalid(&error)),
            }
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while !buf.is_empty() {
            if !self.inside && !self.begin()? {
                return Ok(0);
            }
            self.inside = true;
            if self.frame.can_collect() > 0 {
                return self.frame.read(buf);
            }
            if self.frame.is_finished() {
                self.inside = false;
                continue;
            }
            let more = BlockDecodingStrategy::UptoBlocks(1);
            self.frame.decode_blocks(&mut self.source, more).map_err(|error| invalid(&error))?;
        }
        Ok(0)
    }
}

fn invalid(error: &FrameDecoderError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("zstd: {error}"))
}
