//! Long streams of messages take little memory: the program reads what a thread makes, and no file is involved.
#![cfg(target_os = "linux")]

use crate::support::{Scratch, shown, with_user};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// The most memory that the program may take, in KiB.
const MOST: u64 = 64 << 10;

/// Some messages, about 300 KB of them, with lengths in front; and their number.
fn block(proto: &str) -> (Vec<u8>, u64) {
    let mut lines = String::new();
    for i in 0..2000u64 {
        let id = i * i * 2_654_435_761 % 1_000_000_007;
        lines += &format!(
            r#"{{"name":"user {i}","id":"{id}","tags":["t{}","of {}"],"address":{{"city":"London","lines":[{{"text":"{}"}}]}},"scores":{{"a":{i},"b":{}}},"level":"LEVEL_HIGH","created":"2024-01-02T03:04:05.{:03}Z","ratio":{}}}"#,
            i % 7,
            "x".repeat(i as usize % 40),
            "line ".repeat(i as usize % 12),
            id % 1000,
            i % 1000,
            i as f64 / 7.0,
        );
        lines.push('\n');
    }
    let encode = with_user("encode", proto, &["--from", "ndjson", "--to", "delimited"]);
    (shown(&encode, &lines), 2000)
}

/// A number with this label in a file of `/proc` about a process.
fn status(child: &Child, label: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("the program runs");
    let line = text.lines().find_map(|line| line.strip_prefix(label)).expect("a line with that label");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

/// The processor time of a process so far, in seconds: the 14th and 15th number of `stat`, in hundredths.
fn processor(child: &Child) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("the program runs");
    let (_, rest) = text.rsplit_once(')').expect("a name in brackets");
    let times = rest.split_whitespace().skip(11).take(2);
    times.map(|time| time.parse::<f64>().expect("a number")).sum::<f64>() / 100.0
}

/// Streams at least `size` bytes through a command, checks its memory, and gives what it prints at the end and its number of lines.
fn stream(arguments: &[&str], (block, count): &(Vec<u8>, u64), size: u64) -> (String, u64, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablepb"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().expect("the program starts");
    let (mut stdin, mut stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
    let reader = std::thread::spawn(move || {
        let (mut lines, mut end, mut buffer) = (0, Vec::new(), vec![0; 256 << 10]);
        loop {
            let len = stdout.read(&mut buffer).expect("output");
            if len == 0 {
                return (String::from_utf8_lossy(&end).into_owned(), lines);
            }
            lines += buffer[..len].iter().filter(|&&byte| byte == b'\n').count() as u64;
            end.extend(&buffer[..len]);
            end.drain(..end.len().saturating_sub(4096));
        }
    });
    let rounds = size.div_ceil(block.len() as u64);
    for _ in 0..rounds {
        stdin.write_all(block).expect("the program reads all");
    }
    // Nearly all has been read: what is still in the pipe is 64 KB.
    let (peak, seconds) = (status(&child, "VmHWM:"), processor(&child));
    drop(stdin);
    let (end, lines) = reader.join().expect("no panic");
    assert!(child.wait().expect("the program ends").success(), "{arguments:?}");
    let megabytes = rounds as f64 * block.len() as f64 / 1e6;
    let wall = start.elapsed().as_secs_f64();
    println!(
        "{:8} {megabytes:.0} MB in {wall:.1} s, {:.0} MB per second of processor, {peak} KiB",
        arguments[0],
        megabytes / seconds,
    );
    assert!(peak <= MOST, "{arguments:?}: {peak} KiB");
    (end, lines, rounds * count)
}

/// All commands that go through streams, on one of this length; `inspect`, which prints a line for each value, on `inspected` bytes.
fn all_commands(size: u64, inspected: u64, name: &str) {
    let scratch = Scratch::new(name);
    let proto = scratch.path("user.proto");
    let block = block(&proto);
    let with = |command, more: &[&'static str]| {
        with_user(command, &proto, more).into_iter().map(String::from).collect::<Vec<_>>()
    };
    let run_on = |arguments: Vec<String>, size| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        stream(&arguments, &block, size)
    };
    let run = |arguments| run_on(arguments, size);
    let (end, lines, count) = run(with("decode", &["--from", "delimited", "--to", "ndjson"]));
    assert!(lines == count && end.ends_with("}\n"), "{lines} of {count}");
    let (end, lines, count) = run(with("query", &["--select", "name,address.city"]));
    assert!(
        lines == count && end.ends_with("{\"name\":\"user 1999\",\"address\":{\"city\":\"London\"}}\n"),
        "{end}"
    );
    let (end, lines, count) =
        run(with("query", &["--select", "id", "--to", "csv", "--where", "id>=500000000"]));
    assert!(lines < count && lines > count / 3 && end.ends_with('\n'), "{lines} of {count}");
    let (end, _, count) = run(with("stats", &[]));
    assert!(end.starts_with(&format!("messages  {count}\n")), "{end}");
    let (end, _, count) = run_on(with("inspect", &["--delimited"]), inspected);
    assert!(end.contains(&format!("payloads  {count}\n")), "{end}");
}

#[test]
#[ignore = "needs_time: seconds in a release build"]
fn needs_time_200_megabytes_take_little_memory() {
    all_commands(200 << 20, 20 << 20, "stream200");
}

#[test]
#[ignore = "five_gigabytes: minutes in a release build"]
fn five_gigabytes_take_little_memory() {
    all_commands(5 << 30, 5 << 30, "stream5000");
}
