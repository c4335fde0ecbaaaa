//! `decode` and `encode`.

use crate::support::{Scratch, USERS, ends, run, shown, text, with_user};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const STREAMS: [&str; 7] =
    ["delimited", "fixed32", "fixed32-be", "grpc", "ndjson", "hex-lines", "base64-lines"];
const SINGLE: [&str; 6] = ["binary", "json", "text", "hex", "base64", "wire-text"];

/// The four users in this format.
fn users(proto: &str, format: &str) -> Vec<u8> {
    shown(&with_user("encode", proto, &["--from", "ndjson", "--to", format]), USERS)
}

#[test]
fn every_pair_of_formats_goes_there_and_back() {
    let scratch = Scratch::new("pairs");
    let proto = scratch.path("user.proto");
    let first = USERS.lines().next().expect("a user");
    for (formats, ndjson) in [(&STREAMS[..], USERS), (&SINGLE[..], first)] {
        let start = if formats.contains(&"ndjson") { "ndjson" } else { "json" };
        let wire = if formats.contains(&"ndjson") { "delimited" } else { "binary" };
        let expected = shown(&with_user("encode", &proto, &["--from", start, "--to", wire]), ndjson);
        for from in formats {
            let input = shown(&with_user("encode", &proto, &["--from", start, "--to", from]), ndjson);
            for to in formats {
                let output = shown(&with_user("decode", &proto, &["--from", from, "--to", to]), &input);
                let back = shown(&with_user("encode", &proto, &["--from", to, "--to", wire]), output);
                assert_eq!(back, expected, "{from} to {to}");
            }
        }
    }
}

#[test]
fn decode_shows_json_and_encode_makes_binary_by_default() {
    let scratch = Scratch::new("defaults");
    let proto = scratch.path("user.proto");
    let binary = shown(&with_user("encode", &proto, &[]), r#"{"name": "Ada", "id": 7}"#);
    assert_eq!(binary, b"\x0a\x03Ada\x10\x07");
    let json = text(&with_user("decode", &proto, &[]), &binary);
    assert_eq!(json, "{\n  \"name\": \"Ada\",\n  \"id\": \"7\"\n}\n");
    // A file by its name, and `-`.
    let file = scratch.file("ada.bin", &binary);
    assert_eq!(text(&with_user("decode", &proto, &[&file]), ""), json);
    assert_eq!(text(&with_user("decode", &proto, &["-"]), &binary), json);
    assert_eq!(text(&with_user("decode", &proto, &["--to", "text"]), &binary), "name: \"Ada\"\nid: 7\n");
}

#[test]
fn hex_and_base64_may_have_white_space() {
    let scratch = Scratch::new("white-space");
    let proto = scratch.path("user.proto");
    let json = "{\"name\":\"Ada\"}\n";
    for (from, input) in [
        ("hex", "0A 03 41\n64\t61\n"),
        ("base64", "CgNB\n  ZGE=\n"),
        ("base64", "CgNBZGE"),
        ("hex", "0a03416461"),
    ] {
        assert_eq!(text(&with_user("decode", &proto, &["--from", from, "--to", "ndjson"]), input), json);
    }
    for (from, input, fault) in
        [("hex", "0a0x", "no hexadecimal at character 3"), ("base64", "Q", "no base64")]
    {
        let said = ends(1, &with_user("decode", &proto, &["--from", from]), input);
        assert!(said.contains(fault), "{said}");
    }
}

#[test]
fn compressed_input_is_recognised() {
    let scratch = Scratch::new("compressed");
    let proto = scratch.path("user.proto");
    let plain = users(&proto, "delimited");
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("no fault");
        encoder.finish().expect("no fault")
    };
    let zstd =
        |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    let decode = with_user("decode", &proto, &["--from", "delimited", "--to", "ndjson"]);
    // A frame without content, as pzstd writes.
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..]].concat();
    let zstd_parts = [zstd(&plain), skippable, zstd(&plain)].concat();
    for (name, bytes) in [("gzip", [gzip(&plain), gzip(&plain)].concat()), ("zstd", zstd_parts.clone())] {
        assert_eq!(text(&decode, &bytes), USERS.repeat(2), "{name}");
        let cut = ends(1, &decode, &bytes[..bytes.len() - 9]);
        assert!(cut.starts_with("tablepb: standard input: "), "{name}: {cut}");
        ends(1, &[&decode[..], &["--no-decompress"]].concat(), &bytes);
    }
    let mut broken = zstd_parts;
    broken[6] ^= 0xff;
    ends(1, &decode, &broken);
}

#[test]
fn a_bad_message_is_named_and_can_be_left_out() {
    let scratch = Scratch::new("bad");
    let proto = scratch.path("user.proto");
    let lines = "{\"id\":1}\n{\"idd\":2}\n\n{\"id\":3}\nnull and void\n";
    let encode = with_user("encode", &proto, &["--from", "ndjson", "--to", "hex-lines"]);
    let said = ends(1, &encode, lines);
    assert!(said.starts_with("tablepb: standard input: message 2 at byte 9: "), "{said}");
    assert!(said.contains("no such field \"idd\" at line 1, column 2"), "{said}");

    let skip = [&encode[..], &["--skip-bad"]].concat();
    let output = run(&skip, lines.as_bytes());
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b"1001\n1003\n"[..]));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        said.contains("message 2 at byte 9") && said.ends_with("tablepb: 2 of 4 messages left out\n"),
        "{said}"
    );

    // On the wire: the second message has a string that is not UTF-8.
    let stream = b"\x02\x10\x01\x03\x0a\x01\xff\x02\x10\x03";
    let decode = with_user("decode", &proto, &["--from", "delimited", "--to", "ndjson"]);
    let said = ends(1, &decode, stream);
    assert!(said.contains("byte 2 of 3 of message 2, byte 6"), "{said}");
    let output = run(&[&decode[..], &["--skip-bad"]].concat(), stream);
    assert_eq!(
        (output.status.code(), &output.stdout[..]),
        (Some(1), &b"{\"id\":\"1\"}\n{\"id\":\"3\"}\n"[..])
    );
    // What is no frame cannot be left out, for nothing says where the next one begins.
    let said = ends(1, &[&decode[..], &["--skip-bad"]].concat(), b"\x02\x10\x01\x05\x10");
    assert!(said.contains("byte 3, frame 2"), "{said}");
    // Only some of many are described.
    let said = ends(1, &skip, "{\n".repeat(50));
    assert_eq!(said.matches("message").count(), 10 + 1, "{said}");
    assert!(said.contains("50 of 50 messages left out"), "{said}");
}

#[test]
fn one_message_formats_hold_one() {
    let scratch = Scratch::new("one");
    let proto = scratch.path("user.proto");
    for to in ["binary", "hex", "base64"] {
        let arguments = with_user("encode", &proto, &["--from", "ndjson", "--to", to]);
        assert!(ends(1, &arguments, USERS).contains("more than one message"), "{to}");
        assert!(!shown(&arguments, "{\"id\":1}\n").is_empty());
    }
}

#[test]
fn a_run_that_fails_leaves_the_old_output() {
    let scratch = Scratch::new("output");
    let proto = scratch.path("user.proto");
    let output = scratch.file("out.bin", "precious");
    let arguments = with_user("encode", &proto, &["--from", "ndjson", "--to", "delimited", "-o", &output]);
    ends(1, &arguments, "{\"id\":1}\n{\"id\":true}\n");
    assert_eq!(std::fs::read(&output).expect("a file"), b"precious");
    ends(1, &[&arguments[..], &["--skip-bad"]].concat(), "{\"id\":1}\n{\"id\":true}\n");
    assert_eq!(std::fs::read(&output).expect("a file"), b"\x02\x10\x01");
    // If nothing is good, nothing is written.
    ends(1, &[&arguments[..], &["--skip-bad"]].concat(), "{\"id\":true}\n");
    assert_eq!(std::fs::read(&output).expect("a file"), b"\x02\x10\x01");
    shown(&arguments, "{\"id\":2}\n");
    assert_eq!(std::fs::read(&output).expect("a file"), b"\x02\x10\x02");
    assert_eq!(scratch.names(), ["out.bin", "user.proto"]);
    // Input and output may be one file.
    let same = [&arguments[..], &[&output, "--from", "delimited"]].concat();
    let same: Vec<&str> = same.into_iter().filter(|argument| *argument != "ndjson").collect();
    let from = same.iter().position(|argument| *argument == "--from").expect("an argument");
    let same = [&same[..from], &same[from + 1..]].concat();
    shown(&same, "");
    assert_eq!(std::fs::read(&output).expect("a file"), b"\x02\x10\x02");
    // A directory that is not there, and one in place of a file.
    for output in [scratch.path("no/such/out"), scratch.path("")] {
        let text = ends(1, &with_user("encode", &proto, &["-o", &output]), "{}");
        assert!(text.contains(&output), "{text}");
    }
    assert_eq!(scratch.names(), ["out.bin", "user.proto"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let scratch = Scratch::new("pipe");
    let proto = scratch.path("user.proto");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablepb"));
    command.args(with_user("decode", &proto, &["--from", "delimited", "--to", "ndjson"]));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let bytes = users(&proto, "delimited").repeat(10_000);
    let writer = std::thread::spawn(move || stdin.write_all(&bytes).is_err());
    let mut start = [0; 100];
    child.stdout.take().expect("piped").read_exact(&mut start).expect("output");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(writer.join().expect("no panic"), "all of the input was read");
}

/// The reader of the output has gone before the first byte.
#[test]
fn every_command_ends_quietly_when_its_output_is_closed() {
    let scratch = Scratch::new("closed");
    let proto = scratch.path("user.proto");
    let bytes = scratch.file("user.bin", b"\x10\x01");
    let with = |command, more: &[&'static str]| {
        [&with_user(command, &proto, more)[..], &[&bytes]].concat().iter().map(|it| it.to_string()).collect()
    };
    let plain = |arguments: &[&str]| arguments.iter().map(|it| it.to_string()).collect::<Vec<_>>();
    let commands: [Vec<String>; 12] = [
        vec![],
        plain(&["--help"]),
        plain(&["completions", "bash"]),
        plain(&["print", &proto]),
        plain(&["compile", &proto]),
        plain(&["check", &proto, &proto]),
        plain(&["inspect", &bytes]),
        plain(&["guess", &bytes]),
        with("decode", &[]),
        with("query", &["--from", "binary"]),
        with("stats", &["--from", "binary"]),
        with("bench", &["--milliseconds", "1"]),
    ];
    for arguments in commands {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablepb"));
        let output =
            command.args(&arguments).stdin(Stdio::null()).stdout(writer).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{arguments:?}: {}, {said}", output.status);
    }
}

#[test]
fn wrong_arguments_end_with_2() {
    let scratch = Scratch::new("usage");
    let proto = scratch.path("user.proto");
    assert!(ends(2, &["decode"], "").contains("a schema is missing"));
    let said = ends(2, &["decode", "--proto", &proto], "");
    assert!(said.contains("--type is missing") && said.contains("app.User.Address"), "{said}");
    assert!(!said.contains("google.protobuf"), "{said}");
    for wrong in [&["--from", "xml"][..], &["--descriptors", "x"], &["a", "b"], &["--frobnicate"]] {
        ends(2, &with_user("decode", &proto, wrong), "");
    }
    ends(1, &with_user("decode", &scratch.path("missing.proto"), &[]), "");
    assert!(ends(1, &with_user("decode", &proto, &["no/such/file"]), "").contains("no/such/file"));
    // A single message type needs no name.
    let only = scratch.file("only.proto", "syntax = \"proto3\"; message Only { int32 a = 1; }");
    assert_eq!(text(&["decode", "--proto", &only, "--to", "ndjson"], b"\x08\x05"), "{\"a\":5}\n");
}

/// The greatest amount of memory that the process had, in kilobytes.
#[cfg(target_os = "linux")]
fn peak(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn long_streams_take_constant_memory() {
    let scratch = Scratch::new("memory");
    let proto = scratch.path("user.proto");
    let part = users(&proto, "delimited").repeat(10_000);
    // The long test has more; debug builds are slow.
    let parts = if cfg!(debug_assertions) { 8 } else { 180 };
    for arguments in [
        with_user("decode", &proto, &["--from", "delimited", "--to", "delimited"]),
        with_user("query", &proto, &["--select", "id,scores", "--to", "csv"]),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablepb"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("piped");
        for _ in 0..parts {
            stdin.write_all(&part).expect("it reads");
        }
        let peak = peak(child.id()).expect("a process");
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
        assert!(peak < 32 << 10, "{peak} kB for {} bytes", part.len() * parts);
    }
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&["completions", shell], "");
        assert!(script.contains("decode") && script.contains("skip-bad"), "{shell}");
    }
    ends(2, &["completions", "tcsh"], "");
}

#[test]
fn help_is_a_page_each_and_has_colours_only_in_a_terminal() {
    let page = text(&["--help"], "");
    for command in [
        "inspect",
        "decode",
        "encode",
        "query",
        "compile",
        "print",
        "check",
        "stats",
        "conf",
        "guess",
        "bench",
        "completions",
        "diff",
        "man",
    ] {
        assert!(page.contains(&format!("\n  {command} ")), "{command}");
        let page = text(&[command, "--help"], "");
        assert!(page.contains(&format!("Usage: tablepb {command}")) && page.contains("Example"), "{page}");
        assert!(!page.contains('\x1b') && page.lines().count() < 60, "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 120), "{page}");
    }
}

/// Bytes of another type decode to nothing, which is not the end of a run that went well.
#[test]
fn messages_of_which_every_field_is_unknown_end_with_1() {
    let scratch = Scratch::new("unknown");
    let proto = scratch.path("user.proto");
    // A number that is not listed, and a listed one with another wire type; both, and with a tag that is longer than it need be.
    let strange = [&b"\xf8\x06\x01"[..], b"\x08\x05", b"\x08\x05\xf8\x06\x01", b"\x88\x00\x05"];
    let all =
        [with_user("decode", &proto, &["--to", "ndjson"]), with_user("query", &proto, &["--from", "binary"])];
    for arguments in &all {
        for bytes in strange {
            let output = run(arguments, bytes);
            assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b"{}\n"[..]), "{bytes:?}");
            let said = String::from_utf8(output.stderr).expect("UTF-8");
            assert!(
                said.contains("app.User lists no field of the message") && said.contains("another type"),
                "{said}"
            );
        }
        // One listed field is enough, and a message without fields is of any type.
        assert_eq!(text(arguments, b"\x10\x00\xf8\x06\x01"), "{}\n");
        assert_eq!(text(arguments, b""), "{}\n");
    }
    assert!(
        text(&with_user("query", &proto, &["--from", "binary", "--select", "name"]), b"\x10\x01")
            .contains("{}")
    );
    // In a stream one message suffices, wherever it is.
    let stream = with_user("decode", &proto, &["--from", "delimited", "--to", "ndjson"]);
    assert_eq!(text(&stream, b"\x00\x02\x08\x05\x02\x10\x01\x02\x08\x05"), "{}\n{}\n{\"id\":\"1\"}\n{}\n");
    assert!(ends(1, &stream, b"\x02\x08\x05\x02\x08\x05").contains("no field of the messages"));
    // Nothing is lost on the wire; a file is left as it was.
    assert_eq!(text(&with_user("decode", &proto, &["--to", "hex"]), b"\x08\x05"), "0805\n");
    let out = scratch.file("out", "precious");
    ends(1, &with_user("decode", &proto, &["-o", &out]), b"\x08\x05");
    assert_eq!(std::fs::read(&out).expect("a file"), b"precious");
}

#[test]
fn a_type_that_is_unknown_is_a_wrong_argument() {
    let scratch = Scratch::new("unknown-type");
    let proto = scratch.path("user.proto");
    for command in ["decode", "encode", "query", "inspect", "stats", "bench"] {
        let said = ends(2, &[command, "--proto", &proto, "--type", "app.Usr"], "");
        assert!(said.contains("did you mean\n  app.User"), "{command}: {said}");
    }
    ends(2, &["conf", "--wrap", "1", "--proto", &proto, "--type", "app.Usr"], "");
    ends(2, &["print", "--type", "app.Usr", &proto], "");
    ends(2, &["check", "--type", "app.Usr", &proto, &proto], "");
}

/// Made from the same definitions as `--help`.
#[test]
fn every_command_has_a_manual_page() {
    let scratch = Scratch::new("man");
    let directory = scratch.path("man1");
    assert!(shown(&["man", "-o", &directory], "").is_empty());
    let page = |name: &str| std::fs::read_to_string(format!("{directory}/{name}.1")).expect("a page");
    let query = page("tablepb-query");
    assert!(query.contains(".TH tablepb-query 1"), "{query}");
    assert!(query.contains("\\-\\-group\\-by") && query.contains("A condition is a path"), "{query}");
    let whole = page("tablepb");
    for name in ["decode", "query", "compile", "check", "inspect", "man"] {
        assert!(whole.contains(&format!("tablepb\\-{name}(1)")), "{name}: {whole}");
        page(&format!("tablepb-{name}"));
    }
    let file = scratch.file("file", "");
    assert!(ends(1, &["man", "-o", &file], "").contains("file"));
}

#[test]
fn lengths_of_four_bytes() {
    let scratch = Scratch::new("framings");
    let proto = scratch.path("user.proto");
    let two = "{\"id\":1}\n{}\n";
    let framed = |to: &str| shown(&with_user("encode", &proto, &["--from", "ndjson", "--to", to]), two);
    assert_eq!(framed("fixed32"), [2, 0, 0, 0, 16, 1, 0, 0, 0, 0]);
    assert_eq!(framed("fixed32-be"), [0, 0, 0, 2, 16, 1, 0, 0, 0, 0]);
    assert_eq!(framed("grpc"), [0, 0, 0, 0, 2, 16, 1, 0, 0, 0, 0, 0]);
    let decode = |from: &'static str| with_user("decode", &proto, &["--to", "ndjson", "--from", from]);
    // A message is packed by gzip, as gRPC has it.
    let mut gzip = Command::new("gzip");
    let mut gzip = gzip.arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("gzip runs");
    gzip.stdin.take().expect("piped").write_all(&[16, 1]).expect("gzip reads");
    let packed = gzip.wait_with_output().expect("gzip ends").stdout;
    let frame = [&[1, 0, 0, 0, packed.len() as u8], &packed[..], &framed("grpc")].concat();
    assert_eq!(text(&decode("grpc"), &frame), "{\"id\":\"1\"}\n{\"id\":\"1\"}\n{}\n");
    // What is cut off or something else.
    for (from, input, fault) in [
        ("fixed32", &[2, 0, 0, 0, 16][..], "frame 1 at byte 0: the input ends after 1 of 2 bytes"),
        (
            "fixed32",
            &[0, 0, 0, 0, 1, 0],
            "frame 2 at byte 4: the input ends within the 4 bytes before a message",
        ),
        ("fixed32-be", &[255, 0, 0, 0], "more than 2147483647; is it another framing?"),
        ("grpc", &[7, 0, 0, 0, 0], "a frame of gRPC begins with 0 or 1, not with 7"),
        ("grpc", &[1, 0, 0, 0, 1, 0], "the message is compressed: neither by gzip nor by zstd"),
    ] {
        let text = ends(1, &decode(from), input);
        assert!(text.contains(fault), "{text}");
    }
    let text = ends(1, &decode("grpc"), [0, 0, 0, 0, 2, 16, 1, 0, 0, 0, 0, 1, 255]);
    assert!(text.contains("byte 0 of 1 of message 2, byte 12"), "{text}");
}

#[test]
fn the_wire_as_text_that_is_edited_and_sent_back() {
    let scratch = Scratch::new("wire-text");
    let proto = scratch.path("user.proto");
    // Without a schema, and not even a message: a length that lies, a group without an end.
    let assemble = ["encode", "--from", "wire-text", "--to", "hex"];
    assert_eq!(text(&assemble, "1: {\"Ada\"} long-form:1 2: 7"), "0a034164619000 07".replace(' ', "") + "\n");
    assert_eq!(text(&assemble, "1:LEN 9 \"a\" 3:SGROUP"), "0a09611b\n");
    assert!(ends(1, &assemble, "1: {\n oops }").contains("\"oops\" means nothing here at line 2, column 2"));
    let bytes = shown(
        &["encode", "--from", "wire-text", "--to", "binary"],
        "1: {\"Ada\"} 1: !{2: 1.5} 77: 1 1:LEN 9 \"a\"",
    );
    let edited = text(&["inspect", "--to", "wire-text"], &bytes);
    assert_eq!(edited, "1: {\"Ada\"}\n1: !{\n  2: 1.5\n}\n77: 1\n1:LEN 9\n\"a\"\n");
    assert_eq!(shown(&["encode", "--from", "wire-text", "--to", "binary"], &edited), bytes);
    // With a schema names are comments, and a stream is a stream of messages in braces.
    let stream = users(&proto, "delimited");
    let listed = text(&with_user("inspect", &proto, &["--from", "delimited", "--to", "wire-text"]), &stream);
    assert!(listed.starts_with("{  # message 1 at byte 1\n  1: {\"Ada\"}  # name\n"), "{listed}");
    assert_eq!(shown(&["encode", "--from", "wire-text", "--to", "binary"], &listed), stream);
    let one = text(&with_user("decode", &proto, &["--to", "wire-text"]), [16, 1]);
    assert_eq!(one, "2: 1  # id\n");
    // And the text is a format like others.
    assert!(text(&["inspect", "--from", "wire-text"], &one).contains("2: varint 1"));
    assert_eq!(text(&with_user("decode", &proto, &["--from", "wire-text"]), &one), "{\n  \"id\": \"1\"\n}\n");
    assert!(
        ends(1, &with_user("decode", &proto, &["--to", "wire-text", "--from", "delimited"]), &stream)
            .contains("this format holds one")
    );
}
