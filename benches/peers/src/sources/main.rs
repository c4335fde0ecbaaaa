//! Compiling `.proto` sources: tablepb beside protox and `protoc --descriptor_set_out`, on the same files in one run.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --features sources --bin sources [DIRECTORY FILE..]`, with the names under which files in the
//! directory import each other. Without arguments, the directory is that of `TABLEPB_DATA`. `PROTOC` names a protoc.
//!
//! Each takes its turn in each round, and the best of all rounds counts. All make the bytes of a descriptor set of the file with
//! all that it imports, without source info, and tablepb and protox a pool besides. Sources are in the cache of the system's
//! files. protoc is a process; the time of `protoc --version` is beside it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FILES: [&str; 5] = [
    "google/protobuf/descriptor.proto",
    "google/protobuf/unittest.proto",
    "google/protobuf/test_messages_proto2.proto",
    "google/protobuf/unittest_custom_options.proto",
    "conformance/test_protos/test_messages_edition2023.proto",
];

/// Rounds in which each contender has a turn.
const ROUNDS: usize = 60;

/// Compiles a file and gives the length of its set; the text says why it cannot.
type Contender = fn(&Path, &str) -> Result<usize, String>;

fn tablepb(directory: &Path, file: &str) -> Result<usize, String> {
    let builder = tablepb_schema::SourceBuilder::new().include(directory).file(file);
    let pool = builder.build().map_err(|error| error.to_string())?;
    Ok(pool.encode_to_vec().map_err(|error| error.to_string())?.len())
}

fn protox(directory: &Path, file: &str) -> Result<usize, String> {
    let mut compiler = protox::Compiler::new([directory]).map_err(|error| error.to_string())?;
    compiler.include_imports(true).include_source_info(false);
    compiler.open_file(file).map_err(|error| error.to_string())?;
    let pool = compiler.descriptor_pool();
    assert!(pool.files().len() > 0);
    Ok(compiler.encode_file_descriptor_set().len())
}

fn run_protoc(arguments: &[&str]) -> Result<usize, String> {
    let program = std::env::var_os("PROTOC").unwrap_or_else(|| "protoc".into());
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(output.stdout.len())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn protoc(directory: &Path, file: &str) -> Result<usize, String> {
    let include = format!("-I{}", directory.display());
    run_protoc(&["--include_imports", "--descriptor_set_out=/dev/stdout", &include, file])
}

fn protoc_start(_: &Path, _: &str) -> Result<usize, String> {
    run_protoc(&["--version"])
}

const CONTENDERS: [(&str, Contender); 4] =
    [("tablepb", tablepb), ("protox", protox), ("protoc", protoc), ("protoc --version", protoc_start)];

/// The best time of each contender, or why there is none.
fn race(directory: &Path, file: &str) -> [Result<(Duration, usize), String>; 4] {
    let mut best = [const { Ok((Duration::MAX, 0)) }; 4];
    for _ in 0..ROUNDS {
        for ((_, contender), best) in CONTENDERS.iter().zip(&mut best) {
            let Ok((least, set)) = best else { continue };
            let start = Instant::now();
            match contender(directory, file) {
                Ok(len) => (*least, *set) = ((*least).min(start.elapsed()), len),
                Err(error) => *best = Err(error),
            }
        }
    }
    best
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let data = || PathBuf::from(std::env::var_os("TABLEPB_DATA").expect("a DIRECTORY, or TABLEPB_DATA"));
    let directory = arguments.next().map_or_else(|| data().join("protos"), PathBuf::from);
    let mut files: Vec<String> = arguments.collect();
    if files.is_empty() {
        files = FILES.map(String::from).into();
    }
    for file in &files {
        let bytes = std::fs::metadata(directory.join(file)).expect("a file of the directory").len();
        println!("{file}, {bytes} bytes");
        let results = race(&directory, file);
        let ours = results[0].as_ref().map_or(Duration::ZERO, |&(time, _)| time);
        for ((name, _), result) in CONTENDERS.iter().zip(results) {
            match result {
                Ok((time, set)) => {
                    let rate = bytes as f64 / time.as_secs_f64() / 1e6;
                    let times = time.as_secs_f64() / ours.as_secs_f64();
                    println!("  {name:16} {time:>10.1?} {rate:7.1} MB/s {times:7.1} times ours, {set} bytes");
                }
                Err(error) => println!("  {name:16} {}", error.lines().next().unwrap_or("failed")),
            }
        }
    }
}
