//! `docs/cli.md` shows what the tool prints: its commands are run, and their output is compared or, with `TABLEPB_BLESS`,
//! written into the page.

use crate::support::{Scratch, USERS};
use std::path::Path;
use std::process::Command;

#[test]
fn docs_show_real_output() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let old = std::fs::read_to_string(&page).expect("a page");
    let scratch = Scratch::new("docs");
    scratch.file("users.ndjson", USERS);
    let (mut new, mut console, mut commands) = (String::new(), false, 0);
    for line in old.lines() {
        let fence = line.starts_with("```");
        match line.strip_prefix("$ ") {
            Some(command) if console => {
                commands += 1;
                new += &format!("{line}\n{}", run(&scratch, command));
            }
            _ if console && !fence => {}
            _ => new += &format!("{line}\n"),
        }
        if fence {
            console = line == "```console";
        }
    }
    assert!(commands > 30, "{commands} commands");
    if std::env::var_os("TABLEPB_BLESS").is_some() {
        std::fs::write(&page, new).expect("a page");
        return;
    }
    for (number, (old, new)) in old.lines().zip(new.lines()).enumerate() {
        assert_eq!(old, new, "line {} of docs/cli.md; TABLEPB_BLESS=1 writes it anew", number + 1);
    }
    assert_eq!(old.lines().count(), new.lines().count(), "TABLEPB_BLESS=1 writes docs/cli.md anew");
}

/// Standard output and standard error of a line of shell.
fn run(scratch: &Scratch, command: &str) -> String {
    let tool = Path::new(env!("CARGO_BIN_EXE_tablepb")).parent().expect("a directory");
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").expect("a path"));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(scratch.path(""))
        .env("PATH", path)
        .output()
        .expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // A help page ends without a line break.
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}
