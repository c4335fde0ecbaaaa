//! Messages after their lengths as four bytes, and the frames of gRPC, which begin with a flag.

use crate::compressed;
use crate::failure::Failure;
use std::io::{BufReader, Read};
use tablepb::stream::grpc;

/// What stands before each message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// The length, least byte first.
    Little,
    /// The length, greatest byte first.
    Big,
    /// A flag for compression, and the length, greatest byte first.
    Grpc,
}

impl Header {
    fn len(self) -> usize {
        if self == Self::Grpc { grpc::HEADER_LEN } else { 4 }
    }

    /// The flag and the length.
    fn read(self, bytes: &[u8]) -> Option<(u8, u32)> {
        let (flag, length) = bytes.split_at_checked(self.len() - 4)?;
        let length: [u8; 4] = length.get(..4)?.try_into().ok()?;
        let length =
            if self == Self::Little { u32::from_le_bytes(length) } else { u32::from_be_bytes(length) };
        Some((flag.first().copied().unwrap_or(0), length))
    }

    /// Appends a message with its header. A message has at most 2^31-1 bytes.
    pub fn append(self, message: &[u8], out: &mut Vec<u8>) {
        let len = message.len() as u32;
        match self {
            Self::Little => out.extend(len.to_le_bytes()),
            Self::Big => out.extend(len.to_be_bytes()),
            Self::Grpc => {
                out.push(0);
                out.extend(len.to_be_bytes());
            }
        }
        out.extend(message);
    }
}

/// Reads such a stream, one message at a time.
pub struct Framed {
    reader: BufReader<Box<dyn Read>>,
    header: Header,
    /// Of the next header.
    position: u64,
    count: u64,
    /// As it stands there, and without compression.
    frame: Vec<u8>,
    message: Vec<u8>,
}

/// A message, where it begins, and which one it is.
pub struct Frame<'f> {
    pub bytes: &'f [u8],
    pub offset: u64,
    pub number: u64,
}

impl Framed {
    pub fn new(reader: Box<dyn Read>, header: Header) -> Self {
        let reader = BufReader::with_capacity(64 << 10, reader);
        Self { reader, header, position: 0, count: 0, frame: Vec::new(), message: Vec::new() }
    }

    /// The next message, at most `longest` bytes long, or `None` at the end. Memory grows with what is there, not with what a length says.
    pub fn next(&mut self, name: &str, longest: u64) -> Result<Option<Frame<'_>>, Failure> {
        let (header, start, number) = (self.header.len(), self.position, self.count + 1);
        let fail =
            |fault: String| Failure::report(format!("{name}: frame {number} at byte {start}: {fault}"));
        if self.fill(header as u64, name)? == 0 {
            return Ok(None);
        }
        let Some((flag, length)) = self.header.read(&self.frame) else {
            return Err(fail(format!("the input ends within the {header} bytes before a message")));
        };
        if flag > 1 {
            return Err(fail(format!("a frame of gRPC begins with 0 or 1, not with {flag}")));
        }
        if u64::from(length) > longest {
            return Err(fail(format!(
                "a message of {length} bytes, more than {longest}; is it another framing?"
            )));
        }
        let found = self.fill(length.into(), name)?;
        if found < length as usize {
            return Err(fail(format!("the input ends after {found} of {length} bytes")));
        }
        self.position += header as u64 + u64::from(length);
        self.count = number;
        let offset = start + header as u64;
        if flag == 0 {
            return Ok(Some(Frame { bytes: &self.frame, offset, number }));
        }
        let message = compressed::unpack(&self.frame, longest);
        self.message = message.map_err(|error| fail(format!("the message is compressed: {error}")))?;
        Ok(Some(Frame { bytes: &self.message, offset, number }))
    }

    /// Reads `len` bytes, or as many as there are, and says how many.
    fn fill(&mut self, len: u64, name: &str) -> Result<usize, Failure> {
        self.frame.clear();
        let read = self.reader.by_ref().take(len).read_to_end(&mut self.frame);
        read.map_err(|error| Failure::file(name, &error))
    }
}
