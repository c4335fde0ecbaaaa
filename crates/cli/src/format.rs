//! How messages stand in a file.

use crate::columns;
use crate::framing::Header;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};

/// A format of files with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Binary,
    Delimited,
    /// Four bytes of length before each message.
    Fixed32,
    Fixed32Be,
    Grpc,
    Json,
    Ndjson,
    Text,
    Hex,
    HexLines,
    Base64,
    Base64Lines,
    WireText,
}

/// The names, in the order of the help.
const NAMES: [(&str, Format); 13] = [
    ("binary", Format::Binary),
    ("delimited", Format::Delimited),
    ("fixed32", Format::Fixed32),
    ("fixed32-be", Format::Fixed32Be),
    ("grpc", Format::Grpc),
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("text", Format::Text),
    ("hex", Format::Hex),
    ("hex-lines", Format::HexLines),
    ("base64", Format::Base64),
    ("base64-lines", Format::Base64Lines),
    ("wire-text", Format::WireText),
];

/// What `--help` says about them.
pub const HELP: &str = "\
Formats:
  binary        one message
  delimited     messages, each after its length as a varint
  fixed32       messages, each after its length as four bytes, the least first
  fixed32-be    the same, the greatest first
  grpc          messages as gRPC sends them: a flag, and fixed32-be
  json          one message; as output, one after another
  ndjson        messages, a line each
  text          one message in text format; as output, with a blank line in between
  hex           one message; white space does not count
  hex-lines     messages, a line each
  base64        one message, either alphabet; white space does not count
  base64-lines  messages, a line each
  wire-text     the bytes of one message in the language of protoscope, which says all of them
Input that gzip or zstd has compressed is recognised; --no-decompress takes it as it is.";

impl Format {
    /// A file of this format holds any number of messages.
    pub fn is_stream(self) -> bool {
        !matches!(self, Self::Binary | Self::Json | Self::Text | Self::Hex | Self::Base64 | Self::WireText)
    }

    /// The header of its messages, if they have one of fixed length.
    pub fn header(self) -> Option<Header> {
        match self {
            Self::Fixed32 => Some(Header::Little),
            Self::Fixed32Be => Some(Header::Big),
            Self::Grpc => Some(Header::Grpc),
            _ => None,
        }
    }

    /// The messages are bytes of the wire, once hex and base64 are undone.
    pub fn is_wire(self) -> bool {
        !matches!(self, Self::Json | Self::Ndjson | Self::Text)
    }

    fn of(name: &str) -> Self {
        NAMES.iter().find(|(known, _)| *known == name).map_or(Self::Binary, |(_, format)| *format)
    }
}

/// `--from` or `--to`.
pub fn argument(name: &'static str, default: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("FORMAT")
        .help(help)
        .default_value(default)
        .value_parser(PossibleValuesParser::new(NAMES.map(|(name, _)| name)))
        .hide_possible_values(true)
}

/// `--to`, which may name files of columns too.
pub fn output_argument(default: &'static str) -> Arg {
    let names = NAMES.iter().map(|(name, _)| *name).chain(columns::NAMES.iter().map(|(name, _)| *name));
    argument("to", default, "The format of the output").value_parser(PossibleValuesParser::new(names))
}

/// The value of an [`argument`].
pub fn value(matches: &ArgMatches, name: &str) -> Format {
    Format::of(matches.get_one::<String>(name).map_or("", String::as_str))
}

/// The bytes that digits in hexadecimal stand for; else the offset of the fault.
pub fn from_hex(text: &[u8], bytes: &mut Vec<u8>) -> Result<(), usize> {
    bytes.clear();
    let mut high = None;
    for (offset, &digit) in text.iter().enumerate() {
        if digit.is_ascii_whitespace() {
            continue;
        }
        let value = char::from(digit).to_digit(16).ok_or(offset)? as u8;
        match high.take() {
            None => high = Some(value),
            Some(high) => bytes.push(high << 4 | value),
        }
    }
    if high.is_some() { Err(text.len()) } else { Ok(()) }
}

/// The bytes that base64 stands for, in either alphabet, with or without padding; else the offset of the fault.
pub fn from_base64(text: &[u8], bytes: &mut Vec<u8>) -> Result<(), usize> {
    bytes.clear();
    let (mut group, mut letters, mut padding) = (0_u32, 0, 0);
    for (offset, &letter) in text.iter().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' if letters % 4 + padding < 4 && letters % 4 >= 2 => {
                padding += 1;
                continue;
            }
            _ if letter.is_ascii_whitespace() => continue,
            _ => return Err(offset),
        };
        if padding > 0 {
            return Err(offset);
        }
        group = group << 6 | u32::from(value);
        letters += 1;
        if letters % 4 == 0 {
            bytes.extend(&group.to_be_bytes()[1..]);
            group = 0;
        }
    }
    // The last group may be short, but neither by three letters nor with bits that belong to no byte.
    let (spare, whole) = match letters % 4 {
        2 => (4, 1),
        3 => (2, 2),
        rest => return if rest == 0 { Ok(()) } else { Err(text.len()) },
    };
    let complete = padding == 0 || letters % 4 + padding == 4;
    if !complete || group & ((1 << spare) - 1) != 0 {
        return Err(text.len());
    }
    bytes.extend(&(group >> spare).to_be_bytes()[4 - whole..]);
    Ok(())
}

/// Appends digits in hexadecimal.
pub fn to_hex(bytes: &[u8], text: &mut Vec<u8>) {
    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
    text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
}

/// Appends base64 with padding.
pub fn to_base64(bytes: &[u8], text: &mut Vec<u8>) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for letter in 0..4 {
            let value = bits >> (18 - 6 * letter) & 63;
            text.push(if letter <= group.len() { LETTERS[value as usize] } else { b'=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_base64_go_both_ways() {
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|i: u8| i.wrapping_mul(151) ^ 0xc3).collect();
            let (mut text, mut back) = (Vec::new(), Vec::new());
            to_hex(&bytes, &mut text);
            assert_eq!((from_hex(&text, &mut back), &back), (Ok(()), &bytes));
            text.clear();
            to_base64(&bytes, &mut text);
            assert_eq!((from_base64(&text, &mut back), &back), (Ok(()), &bytes));
            let bare: Vec<u8> = text.iter().copied().filter(|&letter| letter != b'=').collect();
            assert_eq!((from_base64(&bare, &mut back), &back), (Ok(()), &bytes));
        }
    }

    #[test]
    fn faults_have_an_offset() {
        let mut bytes = Vec::new();
        assert_eq!(from_hex(b"0a 0g", &mut bytes), Err(4));
        assert_eq!(from_hex(b"0a0", &mut bytes), Err(3));
        for (text, offset) in [
            (&b"QUJ!"[..], 3),
            (b"QQ=", 3),
            (b"Q", 1),
            (b"Q===", 1),
            (b"QQ==QQ==", 4),
            (b"QR==", 4),
            (b"=", 0),
        ] {
            assert_eq!(from_base64(text, &mut bytes), Err(offset), "{text:?}");
        }
    }
}
