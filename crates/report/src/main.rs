//! Starts `benches/report` with the same arguments. That program has a workspace of its own, so that its plotting crate is not in the
//! library's lock file; this one gives it a name here: `cargo run --release --package tablepb-report`.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/report/Cargo.toml");
    let mut report = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    report.args(["run", "--release", "--quiet", "--manifest-path", manifest, "--"]);
    match report.args(std::env::args_os().skip(1)).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo does not start: {error}");
            ExitCode::FAILURE
        }
    }
}
