//! `tablepb`, a tool that looks into Protocol Buffers payloads. Without arguments it shows what it does on built-in data.
//!
//! It ends with 0 if all went well, 1 if a file cannot be read or is not what it should be, 2 if it was called wrongly.

mod arguments;
mod failure;
mod inspect;
mod names;
mod output;
mod sample;
mod source;
mod text;

use arguments::Request;
use failure::Failure;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let request = arguments::parse();
    let mut stdout = BufWriter::new(io::stdout().lock());
    let result = match request {
        Request::Sample => sample::run(&mut stdout),
        Request::Inspect(arguments) => inspect::run(&arguments, &mut stdout),
    };
    let result = result.and_then(|()| Ok(stdout.flush()?));
    match result {
        // The reader of the output has closed it.
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            // What was decoded before the fault comes first. Errors of both streams are ignored: nothing could report them.
            let _ = stdout.flush();
            let _ = write!(io::stderr(), "tablepb: {failure}");
            failure.exit_code()
        }
    }
}
