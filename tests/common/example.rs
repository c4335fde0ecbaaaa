//! Examples as programs.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Builds an example with the profile of the tests and these features beside the default ones.
pub fn build(name: &str, features: &str) -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--example", name, "--message-format", "json", "--features", features]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    let output = build.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).expect("JSON");
    let name = format!(r#""name":"{name}""#);
    let message = messages.lines().find(|line| line.contains(&name)).expect("an artifact");
    let path = message.split(r#""executable":""#).nth(1).and_then(|rest| rest.split('"').next());
    path.expect("an executable").into()
}

/// What a program printed.
#[track_caller]
pub fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What an example prints.
#[track_caller]
pub fn prints(name: &str, features: &str) -> String {
    printed(&Command::new(build(name, features)).output().expect("the program starts"))
}

/// Runs an example whose reader of the output has gone before the first line, as that of `| head -n 0`.
#[track_caller]
pub fn ends_quietly(name: &str, features: &str, arguments: &[&str]) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(build(name, features));
    let output = command.args(arguments).stdout(writer).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{name}: {}, {said}", output.status);
}
