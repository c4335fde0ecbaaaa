//! The command line.

use crate::failure::Failure;
use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage: inspect [OPTIONS] [FILE]

Prints what is in a protobuf payload. FILE `-` is standard input; without FILE, built-in data is shown.

  --descriptors FILE  a descriptor set: protoc --include_imports --descriptor_set_out=FILE x.proto
  --type NAME         the full name of the message type, package included
  --delimited         FILE is a stream of messages, each behind its length as a varint
  --full              do not abbreviate long lists, strings and bytes
  --help              this text

Without --descriptors and --type the bare structure of the wire is shown.
";

pub enum Command {
    Help,
    Sample,
    Inspect(Arguments),
}

/// What to inspect, and how.
pub struct Arguments {
    pub descriptors: Option<PathBuf>,
    pub type_name: Option<String>,
    pub delimited: bool,
    pub full: bool,
    pub file: PathBuf,
}

impl Arguments {
    pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Command, Failure> {
        let mut words = words.peekable();
        if words.peek().is_none() {
            return Ok(Command::Sample);
        }
        let (mut descriptors, mut type_name, mut file) = (None, None, None);
        let (mut delimited, mut full) = (false, false);
        while let Some(word) = words.next() {
            let mut value = |name: &str| words.next().ok_or_else(|| misuse(&format!("{name} needs a value")));
            match word.to_str() {
                Some("--help" | "-h") => return Ok(Command::Help),
                Some("--descriptors") => descriptors = Some(PathBuf::from(value("--descriptors")?)),
                Some("--type") => {
                    let name = value("--type")?.into_string();
                    type_name = Some(name.map_err(|_| misuse("a type name is UTF-8"))?);
                }
                Some("--delimited") => delimited = true,
                Some("--full") => full = true,
                Some(option) if option.starts_with("--") => {
                    return Err(misuse(&format!("there is no option {option}")));
                }
                _ if file.is_some() => return Err(misuse("there is more than one FILE")),
                _ => file = Some(PathBuf::from(word)),
            }
        }
        if type_name.is_some() && descriptors.is_none() {
            return Err(misuse("--type goes with --descriptors"));
        }
        let Some(file) = file else { return Err(misuse("FILE is missing")) };
        if let (Some(descriptors), None) = (&descriptors, &type_name) {
            return Err(crate::names::missing(descriptors));
        }
        Ok(Command::Inspect(Self { descriptors, type_name, delimited, full, file }))
    }
}

fn misuse(what: &str) -> Failure {
    Failure::report(format!("{what}\n\n{USAGE}"))
}
