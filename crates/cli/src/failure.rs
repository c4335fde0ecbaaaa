//! What ends the program early, in words for a person.

use crate::source::Payload;
use std::fmt::{self, Write};
use std::io;
use std::process::ExitCode;
use tablepb::schema::DescriptorErrorKind;
use tablepb::stream::FrameError;
use tablepb::{DecodeError, DescriptorError, EncodeError, FieldPath};

/// Why there is nothing more to print.
#[derive(Debug)]
pub enum Failure {
    /// The reader of standard output has gone.
    ClosedPipe,
    /// Bad input, ready to print.
    Report(String),
    /// A message that is at fault, in input whose other messages may be good; ready to print.
    Message(String),
    /// Messages that were at fault and left out, out of all.
    Skipped { bad: u64, count: u64 },
    /// A call that a server answered with an error, ready to print.
    #[cfg(feature = "grpc")]
    Status { code: u8, text: String },
    /// Lines for other programs, which have nothing in front.
    Lines(String),
    /// Arguments that do not go together, ready to print.
    Usage(String),
}

impl Failure {
    pub fn report(text: impl Into<String>) -> Self {
        Self::Report(text.into())
    }

    /// 2 for wrong arguments, 64 and more for the status of a call, 1 for all else.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Usage(_) => 2,
            #[cfg(feature = "grpc")]
            Self::Status { code, .. } => 64 + code,
            _ => 1,
        })
    }

    /// A file that cannot be read.
    pub fn file(name: &str, error: &io::Error) -> Self {
        Self::report(format!("{name}: {error}"))
    }

    /// What is wrong with a payload, with its place.
    pub fn message(payload: &Payload<'_>, fault: fmt::Arguments<'_>) -> Self {
        let Payload { name, number, offset, .. } = payload;
        Self::Message(match number {
            None => format!("{name}: {fault}"),
            Some(number) => format!("{name}: message {number} at byte {offset}: {fault}"),
        })
    }

    /// A payload that is not a message.
    pub fn decode(payload: &Payload<'_>, error: &DecodeError) -> Self {
        let mut text = format!("{}: {}\n", payload.name, error.kind());
        detail(&mut text, "kind", format_args!("{:?}", error.kind()));
        let length = payload.bytes.len();
        match payload.number {
            None => detail(&mut text, "offset", format_args!("byte {} of {length}", error.offset())),
            Some(number) => {
                let place = payload.offset + error.offset() as u64;
                detail(
                    &mut text,
                    "offset",
                    format_args!("byte {} of {length} of message {number}, byte {place}", error.offset()),
                );
            }
        }
        field(&mut text, error.message_name(), error.path());
        detail(&mut text, "bytes", format_args!("{}", surroundings(payload.bytes, error.offset())));
        Self::Message(text)
    }

    /// A message that cannot be written again.
    pub fn encode(payload: &Payload<'_>, error: &EncodeError) -> Self {
        let mut text = format!("{}: {}\n", payload.name, error.kind());
        detail(&mut text, "kind", format_args!("{:?}", error.kind()));
        field(&mut text, error.message_name(), error.path());
        Self::Message(text)
    }

    /// A stream that does not consist of frames.
    pub fn frame(name: &str, number: u64, error: &FrameError) -> Self {
        match error {
            FrameError::Io(error) => Self::file(name, error),
            FrameError::Decode(error) => {
                let mut text = format!("{name}: {}\n", error.kind());
                detail(&mut text, "kind", format_args!("{:?}", error.kind()));
                detail(&mut text, "offset", format_args!("byte {}, frame {number}", error.offset()));
                Self::Report(text)
            }
        }
    }

    /// A descriptor set that makes no pool.
    pub fn descriptors(name: &str, bytes: &[u8], error: &DescriptorError) -> Self {
        let mut text = format!("{name}: {}\n", error.kind());
        detail(&mut text, "kind", format_args!("{:?}", error.kind()));
        if let Some(error) = error.decode_error() {
            detail(&mut text, "fault", format_args!("{}", error.kind()));
            detail(&mut text, "offset", format_args!("byte {} of {}", error.offset(), bytes.len()));
            field(&mut text, error.message_name(), error.path());
        }
        for (label, value) in [("file", error.file()), ("name", error.name()), ("found", error.detail())] {
            // What is found in a broken set can be long.
            let (end, more) = value.char_indices().nth(200).map_or((value.len(), ""), |(end, _)| (end, "…"));
            if !value.is_empty() {
                detail(&mut text, label, format_args!("{}{more}", value[..end].escape_debug()));
            }
        }
        if error.kind() == DescriptorErrorKind::MissingImport {
            let hint = "`tablepb compile` and protoc put imports into a set with --include-imports";
            detail(&mut text, "hint", format_args!("{hint}"));
        }
        let source = ["syntax", "edition", "package", "import", "//"];
        let text_file = std::str::from_utf8(bytes).unwrap_or_default().trim_start();
        if source.iter().any(|word| text_file.starts_with(word)) {
            detail(&mut text, "hint", format_args!("this is .proto source; --proto takes it"));
        }
        Self::Report(text)
    }
}

fn detail(text: &mut String, label: &str, value: fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  {label:<8}{value}");
}

fn field(text: &mut String, message: Option<&str>, path: &FieldPath) {
    if let Some(message) = message {
        detail(text, "message", format_args!("{message}"));
    }
    if !path.is_empty() {
        detail(text, "field", format_args!("{path}"));
    }
}

/// The bytes around an offset, the one at it in brackets.
fn surroundings(bytes: &[u8], offset: usize) -> String {
    let (start, end) = (offset.saturating_sub(8), offset.saturating_add(9).min(bytes.len()));
    let mut text = String::from(if start > 0 { ".. " } else { "" });
    for (index, byte) in bytes.iter().enumerate().take(end).skip(start) {
        let _ = if index == offset { write!(text, "[{byte:02x}] ") } else { write!(text, "{byte:02x} ") };
    }
    text.push_str(if offset >= bytes.len() {
        "[end]"
    } else if end < bytes.len() {
        ".."
    } else {
        ""
    });
    text.trim_end().into()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClosedPipe => f.write_str("the output was closed\n"),
            Self::Skipped { bad, count } => writeln!(f, "{bad} of {count} messages left out"),
            #[cfg(feature = "grpc")]
            Self::Status { text, .. } => writeln!(f, "{}", text.trim_end()),
            Self::Report(text) | Self::Message(text) | Self::Lines(text) | Self::Usage(text) => {
                writeln!(f, "{}", text.trim_end())
            }
        }
    }
}

/// Errors of writing; those of reading are made into reports where the file is known.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Report(format!("writing: {error}")),
        }
    }
}
