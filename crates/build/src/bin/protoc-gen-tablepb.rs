//! The plugin: a `CodeGeneratorRequest` on standard input, a `CodeGeneratorResponse` on standard output.

use std::io::{Read, Write};
use std::process::ExitCode;
use tablepb_build::{Config, plugin};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("protoc-gen-tablepb: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut request = Vec::new();
    std::io::stdin().read_to_end(&mut request)?;
    let response = plugin::respond(&request, &mut Config::new())?;
    std::io::stdout().write_all(&response)?;
    Ok(())
}
