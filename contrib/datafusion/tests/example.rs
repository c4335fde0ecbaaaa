//! The program `examples/sql.rs`: what it prints of files that it makes up, and of those that it is given.

#[allow(dead_code)]
#[path = "../../../examples/otlp/common.rs"]
mod common;
#[allow(dead_code)]
#[path = "../../../examples/otlp/traces.rs"]
mod traces;

use std::path::Path;
use std::process::{Command, Output};
use tablepb::Message;
use tablepb::stream::append_frame;
use traces::{Export, ResourceSpans, ScopeSpans, Span};

/// Runs the program. `cargo test` has built it already, with the same features and in the same directory.
fn run(arguments: &[&Path]) -> Output {
    let test = std::env::current_exe().unwrap();
    // TARGET/debug/deps/example-..
    let target = test.ancestors().nth(3).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--example", "sql", "--target-dir"]).arg(target);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).arg("--").args(arguments).output().unwrap()
}

/// The cells of the rows that it prints, without heads.
#[track_caller]
fn rows(arguments: &[&Path]) -> Vec<Vec<String>> {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).filter(|row: &Vec<String>| row[1] != "flows" && row[1] != "spans").collect()
}

/// A request with one span of this name and duration.
fn request(name: &str, duration: u64) -> Vec<u8> {
    let span = Span {
        name: name.into(),
        start_time_unix_nano: 1_700_000_000_000_000_000,
        end_time_unix_nano: 1_700_000_000_000_000_000 + duration,
        ..Span::default()
    };
    let scope_spans = vec![ScopeSpans { spans: vec![span], ..ScopeSpans::default() }];
    let resource_spans = vec![ResourceSpans { scope_spans, ..ResourceSpans::default() }];
    Export { resource_spans }.encode_to_vec().unwrap()
}

#[test]
fn made_up_files_have_their_talkers_and_slowest_spans() {
    let rows = rows(&[]);
    assert_eq!(rows.len(), 5 + 4);
    let flows: Vec<u64> = rows[..5].iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(flows.iter().all(|flows| *flows > 1_000), "{rows:?}");
    let (spans, requests) = (rows[5..].iter().map(|row| row[1].parse::<usize>().unwrap()), 50);
    assert_eq!(spans.sum::<usize>(), requests * traces::SPANS);
    // The last span of all takes longest: 12 345 ns times its number.
    let longest = 12.345 * (requests * traces::SPANS - 1) as f64;
    assert!((rows[5][2].parse::<f64>().unwrap() - longest).abs() < 1e-3, "{rows:?}");
}

#[test]
fn traces_are_one_request_or_a_stream() {
    let directory = tempfile::tempdir().unwrap();
    let (one, stream) = (directory.path().join("one.binpb"), directory.path().join("stream.binpb"));
    std::fs::write(&one, request("GET /one", 7_000)).unwrap();
    let mut bytes = Vec::new();
    for (name, duration) in [("GET /one", 7_000), ("GET /two", 9_000), ("GET /one", 8_000)] {
        append_frame(&request(name, duration), &mut bytes).unwrap();
    }
    std::fs::write(&stream, bytes).unwrap();
    assert_eq!(rows(&[&one])[5..], [["GET /one", "1", "7.0000"]]);
    assert_eq!(rows(&[&stream])[5..], [["GET /two", "1", "9.0000"], ["GET /one", "2", "8.0000"]]);

    // And flows of a directory.
    let schema = "syntax = \"proto3\"; package flows; message Flow { bytes SrcAddr = 1; uint64 Bytes = 2; }";
    std::fs::write(directory.path().join("flows.proto"), schema).unwrap();
    std::fs::write(directory.path().join("flows.binpb"), b"\x05\x0a\x01\xab\x10\x05\x05\x0a\x01\xab\x10\x02")
        .unwrap();
    assert_eq!(rows(&[directory.path(), &stream])[0], ["ab", "2", "7"]);
    assert_eq!(rows(&[directory.path()]).len(), 1 + 4);
}

#[test]
fn a_path_that_is_not_there_is_an_error_with_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.binpb");
    let (last, of_both) = (run(&[&missing]), run(&[directory.path(), &missing]));
    assert!(!last.status.success() && !of_both.status.success());
    let error = String::from_utf8(last.stderr).unwrap();
    assert!(error.contains("missing.binpb"), "{error}");
}
