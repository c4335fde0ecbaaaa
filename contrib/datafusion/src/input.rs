//! Bytes of a file ([`Input`]), and whole messages in them ([`Blocks`]).

use crate::error::{ScanError, ScanErrorKind};
use crate::options::Compression;
use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use datafusion::arrow::buffer::Buffer;
use datafusion::error::{DataFusionError, Result};
use futures::TryStreamExt;
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::pin::Pin;
use std::sync::Arc;
use tablepb::{DecodeErrorKind, stream};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt};
use tokio_util::io::StreamReader;

/// The bytes that are read at once.
pub(crate) const BLOCK: usize = 1 << 20;

/// A file in its store.
#[derive(Clone, Debug)]
pub(crate) struct StoredFile {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) meta: ObjectMeta,
    pub(crate) compression: Compression,
    pub(crate) max_row_len: usize,
}

impl StoredFile {
    pub(crate) fn is_compressed(&self) -> bool {
        self.compression != Compression::Uncompressed
    }

    /// Refuses a file that changed since it was listed, as [`Input::open`] does.
    pub(crate) async fn check_unchanged(&self) -> Result<()> {
        let options = GetOptions { head: true, ..self.as_listed() };
        self.store.get_opts(&self.meta.location, options).await?;
        Ok(())
    }

    /// The store refuses a file that is not the one it listed.
    fn as_listed(&self) -> GetOptions {
        GetOptions {
            if_match: self.meta.e_tag.clone(),
            version: self.meta.version.clone(),
            ..GetOptions::default()
        }
    }

    pub(crate) fn error(&self, row: u64, offset: u64, kind: ScanErrorKind) -> DataFusionError {
        ScanError::new(&self.meta.location, row, offset, kind).into()
    }

    /// A failure of the source, with the name of the file.
    fn failure(&self, error: std::io::Error) -> DataFusionError {
        DataFusionError::from(error).context(format!("reading {}", self.meta.location))
    }
}

/// The bytes of a file from some place on, decompressed.
pub(crate) struct Input {
    file: StoredFile,
    payload: Payload,
}

enum Payload {
    Empty,
    /// A local file is read where the task runs, as DataFusion does with other formats; what is left of it.
    Local(std::io::Take<File>),
    Stream(Pin<Box<dyn AsyncRead + Send>>),
}

impl Input {
    /// Opens a file at an offset, which is 0 for compressed ones. The store refuses a file that changed since it was listed.
    pub(crate) async fn open(file: &StoredFile, offset: u64) -> Result<Self> {
        let size = file.meta.size;
        if offset >= size {
            return Ok(Self { file: file.clone(), payload: Payload::Empty });
        }
        let range = (offset > 0).then_some(GetRange::Bounded(offset..size));
        let options = GetOptions { range, ..file.as_listed() };
        let result = file.store.get_opts(&file.meta.location, options).await?;
        let payload = match result.payload {
            GetResultPayload::File(mut local, _) if !file.is_compressed() => {
                local.seek(SeekFrom::Start(offset)).map_err(|error| file.failure(error))?;
                Payload::Local(local.take(size - offset))
            }
            payload => {
                let result = object_store::GetResult { payload, ..result };
                let bytes = StreamReader::new(result.into_stream().map_err(std::io::Error::from));
                Payload::Stream(decompressed(bytes, file.compression))
            }
        };
        Ok(Self { file: file.clone(), payload })
    }

    /// Appends bytes until the buffer has `len` of them, or the file ends.
    pub(crate) async fn fill(&mut self, into: &mut Vec<u8>, len: usize) -> Result<()> {
        let missing = len.saturating_sub(into.len());
        into.reserve(missing);
        let read = match &mut self.payload {
            Payload::Empty => Ok(0),
            Payload::Local(file) => file.by_ref().take(missing as u64).read_to_end(into),
            Payload::Stream(stream) => stream.as_mut().take(missing as u64).read_to_end(into).await,
        };
        read.map(drop).map_err(|error| self.file.failure(error))
    }

    /// Leaves out `skip` bytes, after which the input is at `offset`; not for compressed files.
    ///
    /// In a local file that costs a seek. Other stores send what comes in any case, up to 4 MiB: a new request takes longer.
    pub(crate) async fn skip(&mut self, skip: u64, offset: u64) -> Result<()> {
        let size = self.file.meta.size;
        let skipped = match &mut self.payload {
            _ if skip == 0 => return Ok(()),
            Payload::Empty => return Ok(()),
            Payload::Local(file) => {
                file.set_limit(size.saturating_sub(offset));
                file.get_mut().seek(SeekFrom::Start(offset)).map(drop)
            }
            Payload::Stream(stream) if skip < 4 << 20 => {
                tokio::io::copy(&mut stream.as_mut().take(skip), &mut tokio::io::sink()).await.map(drop)
            }
            Payload::Stream(_) => {
                *self = Self::open(&self.file, offset).await?;
                return Ok(());
            }
        };
        skipped.map_err(|error| self.file.failure(error))
    }
}

/// All members of a gzip file and all frames of a zstd file count: what comes after the first one would be lost silently.
fn decompressed(
    bytes: impl AsyncBufRead + Send + 'static,
    compression: Compression,
) -> Pin<Box<dyn AsyncRead + Send>> {
    match compression {
        Compression::Gzip => {
            let mut decoder = GzipDecoder::new(bytes);
            decoder.multiple_members(true);
            Box::pin(decoder)
        }
        Compression::Zstd => {
            let mut decoder = ZstdDecoder::new(bytes);
            decoder.multiple_members(true);
            Box::pin(decoder)
        }
        Compression::Auto | Compression::Uncompressed => Box::pin(bytes),
    }
}

/// The length at the start of some bytes.
pub(crate) enum Prefix {
    /// The message and its length have so many bytes.
    Frame(usize),
    /// The bytes end before the length does.
    Cut,
    Bad(ScanErrorKind),
}

/// Reads the length of the message at the start of `bytes`.
#[inline]
pub(crate) fn prefix(bytes: &[u8], max_row_len: usize) -> Prefix {
    let mut rest = bytes;
    match stream::decode_length_delimiter(&mut rest) {
        Ok(len) if len > max_row_len => Prefix::Bad(ScanErrorKind::TooLong(len)),
        Ok(len) => Prefix::Frame(bytes.len() - rest.len() + len),
        Err(error) if error.kind() == DecodeErrorKind::Incomplete => Prefix::Cut,
        Err(error) => Prefix::Bad(ScanErrorKind::Length(error)),
    }
}

/// Whole length-delimited messages.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) bytes: Buffer,
    /// Of the first message, where its length starts and its number.
    pub(crate) offset: u64,
    pub(crate) row: u64,
    pub(crate) rows: u64,
}

impl Block {
    /// The messages of the first bytes, so many, and those after them, if there are any.
    pub(crate) fn split(self, bytes: usize, rows: u64) -> (Self, Option<Self>) {
        let first = Self { bytes: self.bytes.slice_with_length(0, bytes), rows, ..self };
        let rest = self.bytes.slice(bytes);
        let rest = (!rest.is_empty()).then(|| Self {
            bytes: rest,
            offset: self.offset + bytes as u64,
            row: self.row + rows,
            rows: self.rows - rows,
        });
        (first, rest)
    }

    /// The row whose message ends at a place of the block or goes on there, and where it starts.
    pub(crate) fn row_before(&self, place: usize, max_row_len: usize) -> (u64, u64) {
        let (mut row, mut at) = (self.row, 0);
        while let Prefix::Frame(len) = prefix(&self.bytes[at..], max_row_len) {
            if at + len >= place {
                break;
            }
            (row, at) = (row + 1, at + len);
        }
        (row, self.offset + at as u64)
    }
}

/// The messages that start in a range of a file, in blocks of 1 MiB or one message.
pub(crate) struct Blocks {
    input: Input,
    /// What was read and not handed out; it starts with a message.
    rest: Vec<u8>,
    /// The place of `rest` in the file, the number of its first message, and where messages do not start any more.
    offset: u64,
    row: u64,
    end: u64,
}

impl Blocks {
    /// The messages from `offset`, where message number `row` starts, up to those that start before `end`.
    pub(crate) async fn open(file: &StoredFile, offset: u64, row: u64, end: u64) -> Result<Self> {
        // Without messages, nothing is opened.
        let input = Input::open(file, if offset < end { offset } else { u64::MAX }).await?;
        Ok(Self { input, rest: Vec::new(), offset, row, end })
    }

    pub(crate) fn file(&self) -> &StoredFile {
        &self.input.file
    }

    /// The number of the message that comes next; at the end, how many the file has up to there.
    pub(crate) fn row(&self) -> u64 {
        self.row
    }

    /// The next block; `None` at the end. A fault is an error when the messages before it were handed out.
    pub(crate) async fn next(&mut self) -> Result<Option<Block>> {
        if self.offset >= self.end {
            return Ok(None);
        }
        let mut wanted = BLOCK;
        loop {
            self.input.fill(&mut self.rest, wanted).await?;
            let ended = self.rest.len() < wanted;
            let (len, rows, stop) = self.whole_messages();
            if rows > 0 {
                return Ok(Some(self.cut(len, rows)));
            }
            wanted = match stop {
                Stop::End => return Ok(None),
                Stop::Fault(kind) => return Err(self.fault(kind)),
                _ if ended && self.rest.is_empty() && !self.is_short() => return Ok(None),
                _ if ended => return Err(self.fault(ScanErrorKind::Truncated)),
                // A message that is longer than a block: memory follows what was read, not what the length says.
                Stop::Cut(needed) => needed.min(self.rest.len() * 2),
            };
        }
    }

    /// Whether the file is shorter than the store said. The length of a compressed file says nothing of its content.
    fn is_short(&self) -> bool {
        !self.file().is_compressed() && self.offset < self.end.min(self.file().meta.size)
    }

    /// How many bytes of `rest` are whole messages of the range, how many messages, and what comes then.
    fn whole_messages(&self) -> (usize, u64, Stop) {
        let (mut at, mut rows) = (0, 0);
        let max_row_len = self.file().max_row_len;
        loop {
            if self.offset + at as u64 >= self.end {
                return (at, rows, Stop::End);
            }
            match prefix(&self.rest[at..], max_row_len) {
                Prefix::Frame(len) if at + len <= self.rest.len() => (at, rows) = (at + len, rows + 1),
                Prefix::Frame(len) => return (at, rows, Stop::Cut(at + len)),
                Prefix::Cut => return (at, rows, Stop::Cut(self.rest.len() + 1)),
                Prefix::Bad(kind) => return (at, rows, Stop::Fault(kind)),
            }
        }
    }

    fn cut(&mut self, len: usize, rows: u64) -> Block {
        let rest = self.rest.split_off(len);
        let bytes = Buffer::from_vec(std::mem::replace(&mut self.rest, rest));
        let block = Block { bytes, offset: self.offset, row: self.row, rows };
        (self.offset, self.row) = (self.offset + len as u64, self.row + rows);
        block
    }

    fn fault(&self, kind: ScanErrorKind) -> DataFusionError {
        self.file().error(self.row, self.offset, kind)
    }
}

/// What comes after whole messages.
enum Stop {
    /// The end of the range.
    End,
    /// A part of a message; with all of it, there would be so many bytes.
    Cut(usize),
    Fault(ScanErrorKind),
}
