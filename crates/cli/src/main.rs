//! `tablepb`, a tool for Protocol Buffers. Without arguments it shows what it does on built-in data.
//!
//! It ends with 0 if all went well, 1 if a file cannot be read or is not what it should be, 2 if it was called wrongly, 64 and more for the status of
//! a call.

mod arguments;
mod bench;
mod check;
mod columns;
mod compile;
mod compressed;
mod conf;
mod convert;
mod differ;
mod edits;
mod failure;
mod faults;
mod format;
mod formatting;
mod framing;
mod generate;
mod git;
#[cfg(feature = "grpc")]
mod grpc;
mod guess;
mod inspect;
mod interrupt;
mod messages;
mod names;
mod output;
mod print;
mod progress;
mod query;
mod roots;
mod sample;
mod schema;
mod source;
mod stats;
mod target;
mod text;
mod wire_text;

use failure::Failure;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::run() {
        // The reader of the output has closed it.
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure @ Failure::Lines(_)) => {
            let _ = write!(io::stderr(), "{failure}");
            failure.exit_code()
        }
        Err(failure) => {
            let mut stderr = io::stderr();
            let colours = target::has_colours(stderr.is_terminal());
            let (on, off) = if colours { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
            // An error here is ignored: nothing could report it.
            let _ = write!(stderr, "{on}tablepb:{off} {failure}");
            failure.exit_code()
        }
    }
}
