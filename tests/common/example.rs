//! Examples as programs.

use std::path::PathBuf;
use std::process::Command;

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
