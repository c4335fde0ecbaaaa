//! A run that a signal ends leaves files as a run does that fails.

use crate::support::{Scratch, with_user};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a program with the signals of a terminal: a test that was started in the background, or by nohup, inherits that some are ignored.
#[cfg(target_os = "linux")]
const DEFAULT_SIGNALS: &[&str] = &["env", "--default-signal"];
#[cfg(not(target_os = "linux"))]
const DEFAULT_SIGNALS: &[&str] = &[];

/// Sends a run a signal once its output has begun, and returns the signal that it ended with: none if it `goes_on`.
fn interrupt(scratch: &Scratch, wrapper: &[&str], signal: &str, goes_on: bool) -> Option<i32> {
    let (proto, out) = (scratch.path("user.proto"), scratch.path("out.ndjson"));
    let arguments = with_user("decode", &proto, &["--from", "delimited", "--to", "ndjson", "-o", &out]);
    let line = [wrapper, &[env!("CARGO_BIN_EXE_tablepb")], &arguments[..]].concat();
    let mut command = Command::new(line[0]);
    command.args(&line[1..]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"\x02\x10\x01\x02\x10\x01").expect("it reads");
    let begun = |scratch: &Scratch| scratch.names().iter().any(|name| name.ends_with(".tmp"));
    let start = Instant::now();
    while !begun(scratch) {
        assert!(start.elapsed() < Duration::from_secs(60), "no output");
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    if !goes_on {
        let ended = child.wait().expect("it ends").signal();
        drop(stdin);
        return ended;
    }
    // It goes on to the end of its input.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(child.try_wait().expect("a child"), None);
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    None
}

#[test]
fn a_signal_leaves_no_unfinished_file() {
    let scratch = Scratch::new("signals");
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        scratch.file("out.ndjson", "precious");
        assert_eq!(interrupt(&scratch, DEFAULT_SIGNALS, signal, false), Some(number));
        assert_eq!(scratch.names(), ["out.ndjson", "user.proto"], "{signal}");
        assert_eq!(std::fs::read(scratch.path("out.ndjson")).expect("a file"), b"precious", "{signal}");
    }
}

/// As after nohup, or for what a shell runs in the background.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_is_ignored_ends_nothing() {
    let scratch = Scratch::new("signals-ignored");
    for signal in ["HUP", "INT"] {
        let script = format!("trap '' {signal}; exec \"$@\"");
        assert_eq!(interrupt(&scratch, &["sh", "-c", &script, "sh"], signal, true), None);
        assert_eq!(
            std::fs::read(scratch.path("out.ndjson")).expect("a file"),
            b"{\"id\":\"1\"}\n{\"id\":\"1\"}\n"
        );
    }
}
