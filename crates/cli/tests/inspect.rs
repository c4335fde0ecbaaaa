//! `tablepb inspect` as a program: its output, and what it says about bad input.

#[expect(dead_code, reason = "only its schema and its data are used here")]
#[path = "../../../examples/quickstart.rs"]
mod quickstart;

use quickstart::Metrics;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tablepb::wire::{Tag, WireType, Writer};
use tablepb::{DescriptorPool, Message, stream};

fn start(arguments: &[&str]) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablepb"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// `tablepb inspect` with these arguments.
fn inspect(arguments: &[&str], input: &[u8]) -> Output {
    run_with(&[&["inspect"], arguments].concat(), input)
}

fn run_with(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = start(arguments);
    // A program that fails early does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("the program ends")
}

/// Standard output of a run that must succeed.
fn shown(arguments: &[&str], input: &[u8]) -> String {
    let output = inspect(arguments, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Standard error of a run that must end with this exit code.
#[track_caller]
fn ends(code: i32, arguments: &[&str], input: &[u8]) -> String {
    let output = inspect(arguments, input);
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// What it says about bad input.
#[track_caller]
fn failure(arguments: &[&str], input: &[u8]) -> String {
    let text = ends(1, arguments, input);
    assert!(text.starts_with("tablepb: "), "{text}");
    text
}

#[track_caller]
fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|l| l.trim() == *line), "no line {line:?} in\n{text}");
    }
}

fn scratch(name: &str, bytes: &[u8]) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, bytes).expect("a scratch file");
    file.to_str().expect("UTF-8").into()
}

/// The schema of the quickstart as a descriptor set.
fn descriptors() -> String {
    let pool = DescriptorPool::from_tables(&[Metrics::TABLE]).expect("tables");
    let mut set = Vec::new();
    for file in pool.files() {
        let mut writer = Writer::new(&mut set);
        writer.write_tag(Tag::new(1, WireType::LengthDelimited));
        writer.write_length_delimited(file.file_descriptor_proto_bytes()).expect("short");
    }
    static FILE: OnceLock<String> = OnceLock::new();
    FILE.get_or_init(|| scratch("metrics.binpb", &set)).clone()
}

fn payload(points: u64) -> Vec<u8> {
    quickstart::sample(points).encode_to_vec().expect("a message")
}

#[test]
fn built_in_data() {
    let output = run_with(&[], b"");
    assert!(output.status.success() && output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_lines(
        &text,
        &[
            "message Order {",
            "example.Order (162 bytes)",
            "labels[\"channel\"]: \"web\"",
            "status: STATUS_PAID (1)",
            "ratings: [5, -1, 4] (3 x sint32)",
            "signature: 00254a6f94b9de03284d7297bce1062b (16 bytes)",
            "unknown 15, varint, 2 bytes: varint 3",
            "unknown 16, length-delimited, 14 bytes: \"warehouse-7\"",
            "bytes     162",
            "messages  4, 1 deep",
            "unknown   2 fields, 16 bytes",
            "message without a schema (162 bytes)",
            "tablepb inspect payload.bin",
        ],
    );
    assert!(text.contains(", the same bytes"), "{text}");
}

#[test]
fn any_payload_with_a_descriptor_set() {
    let file = scratch("metrics.bin", &payload(20));
    let set = descriptors();
    let arguments = ["--descriptors", &set, "--type", "example.Metrics", &file];
    let text = shown(&arguments, b"");
    assert_lines(&text, &["points: … 12 more", "messages  44, 2 deep"]);
    assert!(text.contains(", the same bytes"), "{text}");
    let full = shown(&[&arguments[..], &["--full"]].concat(), b"");
    assert!(full.contains("points[19]:") && !full.contains('…'), "{full}");
    assert_lines(&full, &["messages  44, 2 deep"]);
}

#[test]
fn long_values_are_abbreviated() {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    for value in ["x".repeat(1000).as_bytes(), &[0xff; 1000]] {
        writer.write_tag(Tag::new(1, WireType::LengthDelimited));
        writer.write_length_delimited(value).unwrap();
    }
    let text = shown(&["-"], &bytes);
    let (string, hex) = ("x".repeat(80), "ff".repeat(32));
    assert_lines(
        &text,
        &[&format!("1: \"{string}\"… (1000 bytes)"), &format!("1: bytes {hex}… (1000 bytes)")],
    );
    assert!(shown(&["-", "--full"], &bytes).contains(&"x".repeat(1000)));
}

#[test]
fn delimited_streams() {
    let mut bytes = Vec::new();
    for points in [1, 0, 2] {
        stream::append_frame(&payload(points), &mut bytes).unwrap();
    }
    let set = descriptors();
    let arguments = ["--delimited", "--descriptors", &set, "--type", "example.Metrics", "-"];
    let text = shown(&arguments, &bytes);
    assert_lines(&text, &["message 3 at byte 311", "payloads  3", "messages  18, 2 deep"]);

    let text = failure(&arguments, &bytes[..bytes.len() - 1]);
    assert_lines(&text, &["kind    Incomplete", "offset  byte 309, frame 3"]);
    bytes[312] = 0xff;
    let text = failure(&arguments, &bytes);
    assert!(text.contains("of message 3, byte "), "{text}");
}

#[test]
fn without_a_schema() {
    let text = shown(&["-"], &payload(20));
    assert_lines(
        &text,
        &["1: \"checkout\"", "4: … 12 more", "1: \"service.version\"", "1: message (56 bytes)"],
    );
    // A group in a group, and what is neither text nor a message.
    let text = shown(&["-"], b"\x0b\x13\x08\x96\x01\x14\x0c\x1a\x02\xff\xfe\x25\0\0\x80\x3f");
    assert_lines(
        &text,
        &[
            "1: group (5 bytes)",
            "2: group (3 bytes)",
            "1: varint 150",
            "3: bytes fffe (2 bytes)",
            "4: fixed32 1065353216 (1.0)",
            "messages  3, 2 deep",
        ],
    );
}

#[test]
fn truncated_and_corrupt_payloads() {
    let bytes = payload(1);
    let set = descriptors();
    let arguments = ["--descriptors", &set, "--type", "example.Metrics", "-"];
    let text = failure(&arguments, &bytes[..bytes.len() - 1]);
    assert_lines(&text, &["kind    Incomplete", "message example.Metrics", "field   metrics[1]"]);
    for end in (1..bytes.len()).step_by(13) {
        // A cut between two fields leaves a message.
        let whole = tablepb::wire::Reader::new(&bytes[..end]).skip_message().is_ok();
        assert_eq!(inspect(&arguments, &bytes[..end]).status.success(), whole, "{end} bytes");
        assert_eq!(inspect(&["-"], &bytes[..end]).status.success(), whole, "{end} bytes");
    }
    let mut corrupt = bytes.clone();
    let name = bytes.windows(4).position(|w| w == b"http").expect("a name");
    corrupt[name] = 0xff;
    let output = inspect(&arguments, &corrupt);
    let text = String::from_utf8(output.stderr).unwrap();
    let offset = format!("offset  byte {name} of {}", bytes.len());
    assert_lines(&text, &["kind    InvalidUtf8", "field   metrics[0].name", &offset]);
    // What came before the fault is shown.
    assert_lines(&String::from_utf8(output.stdout).unwrap(), &["service: \"checkout\"", "… up to the fault"]);
}

#[test]
fn nesting_cannot_overflow_the_stack() {
    for bytes in [vec![0x0b; 1 << 20], b"\x0a\x7f".repeat(1 << 19)] {
        failure(&["-"], &bytes);
        failure(&["--descriptors", &descriptors(), "--type", "example.Metrics", "-"], &bytes);
    }
}

#[test]
fn wrong_names_are_met_with_near_ones() {
    let set = descriptors();
    for (wrong, right) in [
        ("Metrics", "example.Metrics"),
        ("example.metric", "example.Metric"),
        ("other.Resorce", "example.Resource"),
    ] {
        let text = ends(2, &["--descriptors", &set, "--type", wrong, "-"], b"");
        assert!(text.contains("did you mean"), "{text}");
        assert_lines(&text, &[right]);
    }
    let text = ends(2, &["--descriptors", &set, "--type", "Nothing.of.the.Sort", "-"], b"");
    assert!(text.contains("the set has 4"), "{text}");
    assert_lines(&ends(2, &["--descriptors", &set, "-"], b""), &["example.Point"]);
}

#[test]
fn files_that_are_missing_or_no_descriptor_sets() {
    let set = descriptors();
    assert!(failure(&["no/such/file"], b"").contains("no/such/file: "));
    assert!(failure(&["--descriptors", "no/such/set", "--type", "M", "-"], b"").contains("no/such/set: "));
    assert!(
        failure(&["--descriptors", &set, "--type", "example.Metrics", "no/such"], b"").contains("no/such: ")
    );

    let source = scratch("source.proto", b"syntax = \"proto3\";\nmessage M {}\n");
    let text = failure(&["--descriptors", &source, "--type", "M", "-"], b"");
    assert!(text.contains("Malformed") && text.contains("this is .proto source"), "{text}");

    // file { name: "a.proto" message_type { name: "M" field { name: "f" number: 1 label type_name: "N" } } }
    let mut set = vec![0x0a, 0x1d, 0x0a, 7];
    set.extend(b"a.proto\x22\x12\x0a\x01M\x12\x0d\x0a\x01f\x18\x01\x20\x01\x28\x0b\x32\x02.N");
    let file = scratch("unresolved.binpb", &set);
    let text = failure(&["--descriptors", &file, "--type", "M", "-"], b"");
    assert_lines(&text, &["kind    UnresolvedType", "file    a.proto", "name    M.f"]);

    let cut = scratch("cut.binpb", &set[..set.len() - 3]);
    let text = failure(&["--descriptors", &cut, "--type", "M", "-"], b"");
    assert_lines(&text, &["kind    Malformed"]);
    assert!(text.contains("offset  byte "), "{text}");
}

#[test]
fn wrong_usage() {
    for arguments in
        [&["--frobnicate"][..], &["a", "b"], &["--type"], &["--type", "M", "-"], &["--descriptors"]]
    {
        assert!(ends(2, arguments, b"").contains("--help"), "{arguments:?}");
    }
    assert_eq!(run_with(&["frobnicate"], b"").status.code(), Some(2));
    assert!(shown(&["--help"], b"").contains("Usage: tablepb inspect [OPTIONS] [FILE]"));
    let help = run_with(&["--help"], b"");
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("inspect"));
}

#[test]
fn without_a_file_standard_input_is_read() {
    let bytes = payload(1);
    assert_eq!(shown(&[], &bytes).lines().next(), shown(&["-"], &bytes).lines().next());
    assert!(failure(&[], b"\x0a\x05").contains("standard input: "));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = start(&["inspect", "-", "--full"]);
    drop(child.stdout.take());
    child.stdin.take().expect("piped").write_all(&payload(2000)).expect("the program reads all of it");
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn telemetry() {
    telemetry_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/otlp"));
}

#[test]
#[ignore = "needs recorded data"]
fn telemetry_of_an_official_exporter_needs_data() {
    let directory =
        std::env::var_os("TABLEPB_DATA").expect("TABLEPB_DATA names the directory of recorded data");
    telemetry_in(&Path::new(&directory).join("otlp"));
}

fn telemetry_in(data: &Path) {
    let service = "opentelemetry.proto.collector";
    let file = |name: &str| data.join(name).to_str().expect("UTF-8").to_owned();
    for (name, kind, expected) in [
        ("otlp_metrics.binpb", "metrics.v1.ExportMetricsServiceRequest", "name: \"http.server.requests\""),
        ("otlp_traces.binpb", "trace.v1.ExportTraceServiceRequest", "name: \"POST /checkout\""),
    ] {
        let (payload, kind) = (file(name), format!("{service}.{kind}"));
        let arguments = ["--descriptors", &file("otlp.binpb"), "--type", &kind, &payload];
        let text = shown(&arguments, b"");
        assert_lines(&text, &[expected, "unknown   0 fields, 0 bytes"]);
        assert!(text.contains(", the same bytes"), "{text}");
        // With every element shown, the tree is no shorter.
        let full = shown(&[&arguments[..], &["--full"]].concat(), b"");
        assert!(full.lines().count() >= text.lines().count() && !full.contains('…'));
        // Without the schema the same messages are found.
        assert_lines(&shown(&[&payload], b""), &["\"checkout\"", "1: \"checkout\""][1..]);
    }
}
