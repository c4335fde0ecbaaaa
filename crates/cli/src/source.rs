//! Where payloads come from: a whole file, or the frames of a stream.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use tablepb::stream::FrameReader;

/// One payload.
pub struct Payload<'p> {
    /// The name of the file.
    pub name: &'p str,
    pub bytes: &'p [u8],
    /// Where the payload starts in the file.
    pub offset: u64,
    /// Which message of a delimited stream it is, from 1.
    pub number: Option<u64>,
}

/// The payloads of a file.
pub struct Payloads {
    name: String,
    source: Source,
}

enum Source {
    Whole { bytes: Vec<u8>, done: bool },
    Frames { reader: FrameReader<Box<dyn Read>>, count: u64 },
}

/// Opens a file; standard input for `-` and for none.
pub fn open(file: Option<&Path>, delimited: bool) -> Result<Payloads, Failure> {
    let file = file.filter(|file| file.as_os_str() != "-");
    let name = file.map_or_else(|| "standard input".into(), |file| file.display().to_string());
    let fail = |error| Failure::file(&name, &error);
    let mut reader: Box<dyn Read> = match file {
        Some(file) => Box::new(File::open(file).map_err(fail)?),
        None => Box::new(io::stdin().lock()),
    };
    let source = if delimited {
        // The buffer grows with what is there, so a large limit costs nothing.
        Source::Frames { reader: FrameReader::new(reader).max_frame_len(i32::MAX as usize), count: 0 }
    } else {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(fail)?;
        Source::Whole { bytes, done: false }
    };
    Ok(Payloads { name, source })
}

impl Payloads {
    /// The next payload, or `None` at the end.
    pub fn next(&mut self) -> Result<Option<Payload<'_>>, Failure> {
        let name = &*self.name;
        match &mut self.source {
            Source::Whole { bytes, done } => {
                let first = !std::mem::replace(done, true);
                Ok(first.then_some(Payload { name, bytes, offset: 0, number: None }))
            }
            Source::Frames { reader, count } => {
                *count += 1;
                let start = reader.position();
                let fail = |error| Failure::frame(name, *count, &error);
                let Some(bytes) = reader.next_frame().map_err(fail)? else { return Ok(None) };
                let prefix = tablepb::stream::length_delimiter_len(bytes.len()) as u64;
                Ok(Some(Payload { name, bytes, offset: start + prefix, number: Some(*count) }))
            }
        }
    }
}
