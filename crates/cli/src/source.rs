//! Where payloads come from: a whole file, the frames of a stream, or its lines.

use crate::failure::Failure;
use crate::format::{self, Format};
use crate::framing::Framed;
use crate::{compressed, progress, wire_text};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, StdinLock};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tablepb::stream::FrameReader;

/// No message is longer, nor is a line that holds one.
const LONGEST: u64 = i32::MAX as u64;

/// One payload.
#[derive(Clone, Copy)]
pub struct Payload<'p> {
    /// The name of the file.
    pub name: &'p str,
    /// As it stands in the file: hex and base64 are not undone.
    pub bytes: &'p [u8],
    /// Where the payload starts in the file.
    pub offset: u64,
    /// Which message of a stream it is, from 1.
    pub number: Option<u64>,
}

/// The payloads of a file.
pub struct Payloads {
    name: String,
    source: Source,
}

enum Source {
    Whole { reader: Box<dyn Read>, bytes: Vec<u8>, done: bool },
    Frames { reader: FrameReader<Box<dyn Read>>, count: u64 },
    Framed(Framed),
    Lines { reader: BufReader<Box<dyn Read>>, position: u64, count: u64, line: Vec<u8>, blank: bool },
}

/// The positional argument for the input.
pub fn file_argument(help: &'static str) -> Arg {
    Arg::new("file").value_name("FILE").help(help).value_parser(value_parser!(PathBuf))
}

/// `--no-decompress`.
pub fn decompress_argument() -> Arg {
    Arg::new("no-decompress")
        .long("no-decompress")
        .help("Take input that looks like gzip or zstd as it is")
        .action(ArgAction::SetTrue)
}

/// Opens the input that [`file_argument`] and [`decompress_argument`] name.
pub fn from_arguments(matches: &ArgMatches, format: Format) -> Result<Payloads, Failure> {
    let file = matches.get_one::<PathBuf>("file").map(PathBuf::as_path);
    open(file, format, !matches.get_flag("no-decompress"))
}

/// Opens a file; standard input for `-` and for none.
pub fn open(file: Option<&Path>, format: Format, decompress: bool) -> Result<Payloads, Failure> {
    let file = file.filter(|file| file.as_os_str() != "-");
    let name = file.map_or_else(|| "standard input".into(), |file| file.display().to_string());
    let fail = |error| Failure::file(&name, &error);
    let (reader, total): (Box<dyn Read>, _) = match file {
        Some(file) => {
            let file = File::open(file).map_err(fail)?;
            let total = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
            (Box::new(file), total)
        }
        None => (Box::new(stdin()?), None),
    };
    let reader = progress::watch(reader, total);
    let reader = if decompress { compressed::open(reader).map_err(fail)? } else { reader };
    let source = match (format, format.header()) {
        // The buffer grows with what is there, so a large limit costs nothing.
        (Format::Delimited, _) => {
            Source::Frames { reader: FrameReader::new(reader).max_frame_len(LONGEST as usize), count: 0 }
        }
        (_, Some(header)) => Source::Framed(Framed::new(reader, header)),
        (format, _) if format.is_stream() => Source::Lines {
            reader: BufReader::with_capacity(64 << 10, reader),
            position: 0,
            count: 0,
            line: Vec::new(),
            // An empty message has no digits.
            blank: format != Format::Ndjson,
        },
        _ => Source::Whole { reader, bytes: Vec::new(), done: false },
    };
    Ok(Payloads { name, source })
}

/// Standard input, for the one argument that names it: a second one would find it read, and take it for empty.
pub fn stdin() -> Result<StdinLock<'static>, Failure> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    match TAKEN.swap(true, Ordering::Relaxed) {
        false => Ok(io::stdin().lock()),
        true => Err(Failure::Usage("standard input can stand for one file only".into())),
    }
}

/// The most bytes of a schema that are read: of a descriptor set, and of standard input.
pub const MAX_SCHEMA: usize = 256 << 20;

/// All of a schema, of standard input for `-`, and the name for failures.
pub fn read_schema(file: &Path) -> Result<(String, Vec<u8>), Failure> {
    if file.as_os_str() == "-" {
        let name = "standard input";
        return Ok((name.into(), read_whole(stdin()?, name, MAX_SCHEMA)?));
    }
    let name = file.display().to_string();
    let bytes = read_file(file, &name)?;
    Ok((name, bytes))
}

/// All of a schema in a file.
pub fn read_file(file: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let opened = File::open(file).map_err(|error| Failure::file(name, &error))?;
    read_whole(opened, name, MAX_SCHEMA)
}

/// All of a file that should end: no more than `limit` bytes are read, for a device or a pipe may never end.
pub fn read_whole(reader: impl Read, name: &str, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = reader.take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::file(name, &error))?;
    if bytes.len() > limit {
        return Err(Failure::report(format!(
            "{name}: more than {limit} bytes, which is the most of a schema that is read"
        )));
    }
    Ok(bytes)
}

impl Payloads {
    /// The next payload, or `None` at the end.
    pub fn next(&mut self) -> Result<Option<Payload<'_>>, Failure> {
        let name = &*self.name;
        match &mut self.source {
            Source::Whole { reader, bytes, done } => {
                let first = !std::mem::replace(done, true);
                if first {
                    reader.read_to_end(bytes).map_err(|error| Failure::file(name, &error))?;
                }
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
            Source::Framed(framed) => Ok(framed.next(name, LONGEST)?.map(|frame| Payload {
                name,
                bytes: frame.bytes,
                offset: frame.offset,
                number: Some(frame.number),
            })),
            Source::Lines { reader, position, count, line, blank } => {
                let mut start = *position;
                while next_line(reader, line).map_err(|error| Failure::file(name, &error))? {
                    start = *position;
                    *position += line.len() as u64;
                    if *blank || !line.trim_ascii().is_empty() {
                        break;
                    }
                }
                if line.is_empty() {
                    return Ok(None);
                }
                *count += 1;
                let offset = start + (line.len() - line.trim_ascii_start().len()) as u64;
                Ok(Some(Payload { name, bytes: line.trim_ascii(), offset, number: Some(*count) }))
            }
        }
    }
}

/// Reads a line with its end; false and an empty line after the last one.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    reader.by_ref().take(LONGEST + 1).read_until(b'\n', line)?;
    if line.len() as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is longer than 2^31-1 bytes"));
    }
    Ok(!line.is_empty())
}

/// The bytes of the wire that a payload in hex, base64 or the language of protoscope stands for, and the payload itself otherwise.
pub fn undo<'p>(
    payload: &Payload<'p>,
    format: Format,
    scratch: &'p mut Vec<u8>,
) -> Result<Payload<'p>, Failure> {
    let (kind, result) = match format {
        Format::Hex | Format::HexLines => ("hexadecimal", format::from_hex(payload.bytes, scratch)),
        Format::Base64 | Format::Base64Lines => ("base64", format::from_base64(payload.bytes, scratch)),
        Format::WireText => {
            let text = std::str::from_utf8(payload.bytes)
                .map_err(|error| Failure::message(payload, format_args!("{error}")))?;
            *scratch = wire_text::assemble(text)
                .map_err(|fault| Failure::message(payload, format_args!("{fault}")))?;
            return Ok(Payload { bytes: scratch, ..*payload });
        }
        _ => return Ok(*payload),
    };
    match result {
        Ok(()) => Ok(Payload { bytes: scratch, ..*payload }),
        Err(offset) => {
            Err(Failure::message(payload, format_args!("no {kind} at character {offset}, from 0 on")))
        }
    }
}
