//! Runs the program and keeps files for it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A schema with a bit of everything.
pub const USER: &str = r#"syntax = "proto3";
package app;
import "google/protobuf/timestamp.proto";
message User {
  string name = 1;
  int64 id = 2;
  repeated string tags = 3;
  Address address = 4;
  map<string, int32> scores = 5;
  Level level = 6;
  bytes key = 7;
  google.protobuf.Timestamp created = 8;
  double ratio = 9;
  message Address {
    string city = 1;
    repeated Line lines = 2;
    message Line { string text = 1; }
  }
}
enum Level { LEVEL_NONE = 0; LEVEL_HIGH = 1; }
"#;

/// Four users in JSON, a line each.
pub const USERS: &str = concat!(
    r#"{"name":"Ada","id":"1","tags":["a","b"],"address":{"city":"London","lines":[{"text":"x, y"},"#,
    r#"{"text":"say \"hi\""}]},"scores":{"x":1,"y":2},"level":"LEVEL_HIGH","key":"AAEC","#,
    r#""created":"2024-01-02T03:04:05Z","ratio":0.5}"#,
    "\n",
    r#"{"name":"Bob","id":"2"}"#,
    "\n{}\n",
    r#"{"name":"Cäcilie","id":"-3","level":"LEVEL_HIGH"}"#,
    "\n",
);

/// Runs the program with these arguments and this input.
pub fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablepb"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A program that fails early does not read its input.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic");
    output
}

/// Standard output of a run that must succeed.
#[track_caller]
pub fn shown(arguments: &[&str], input: impl AsRef<[u8]>) -> Vec<u8> {
    let output = run(arguments, input.as_ref());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The same as text.
#[track_caller]
pub fn text(arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    String::from_utf8(shown(arguments, input)).expect("UTF-8")
}

/// Standard error of a run that must end with this exit code.
#[track_caller]
pub fn ends(code: i32, arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    let output = run(arguments, input.as_ref());
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// A directory of its own for a test, with `user.proto` in it.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("a directory");
        let scratch = Self(directory);
        scratch.file("user.proto", USER);
        scratch
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").into()
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("below a directory")).expect("a directory");
        std::fs::write(&path, content).expect("a file");
        self.path(name)
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("a directory");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries.map(|entry| name(entry).into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

/// A command with `user.proto` and `app.User`, and more arguments.
pub fn with_user<'a>(command: &'a str, proto: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, "--proto", proto, "--type", "app.User"], more].concat()
}
