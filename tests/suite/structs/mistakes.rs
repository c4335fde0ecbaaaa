//! Typical mistakes in a listing: one short error each, in the words of the user.
//!
//! `tests/mistakes.txt` has the mistakes and what the compiler says. With the environment variable `WRITE_MISTAKES` the test writes what it says
//! now. Other versions of the compiler than [`PINNED`] say it in other words, so that for them only the number of errors,
//! the first line and the place count.

use super::errors::{compiler, library};
use std::path::Path;

/// The version of the compiler whose errors are in the file.
const PINNED: &str = "rustc 1.95.0";

/// The most lines for one mistake.
const LINES: usize = 25;

/// Mistakes that give two errors. The compiler looks for the member `nmae` twice, as one that is named and as one that is
/// accessed, and has an error for each.
const TWO_ERRORS: &[&str] = &["misspelt_member"];

const USE: &str = "\nfn main() {\n    tablepb::Message::clear(&mut Log::default());\n}\n";

/// A mistake: its name, its source and what the compiler said.
struct Case<'t> {
    name: &'t str,
    source: &'t str,
    said: &'t str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let sections = text.split("=== ").skip(1);
    let case = sections.map(|section| {
        let (name, rest) = section.split_once('\n').unwrap();
        let (source, said) = rest.split_once("---\n").unwrap();
        Case { name, source, said }
    });
    case.collect()
}

/// What the compiler says to a program, without what differs between machines and versions of the library.
fn said(library: &Path, dir: &Path, case: &Case<'_>) -> String {
    let file = format!("{}.rs", case.name);
    std::fs::write(dir.join(&file), format!("{}{USE}", case.source)).unwrap();
    let output = compiler()
        .args(["--edition=2024", "--emit=metadata", "--out-dir=out", "-Adead_code", "--extern"])
        .arg(format!("tablepb={}", library.display()))
        .arg("-L")
        .arg(library.parent().unwrap())
        .arg(&file)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(!output.status.success(), "`{}` compiles", case.name);
    let text = String::from_utf8(output.stderr).unwrap();
    let end = text.find("error: aborting due to").unwrap_or(text.len());
    let lines = text[..end].trim_end().lines().map(|line| {
        match line.find(env!("CARGO_MANIFEST_DIR")) {
            Some(at) => {
                let path = &line[at + env!("CARGO_MANIFEST_DIR").len()..];
                format!("  --> $DIR{}", path.split(':').next().unwrap_or_default())
            }
            // Numbers of lines of the library.
            None => format!("  {}", line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')),
        }
    });
    // An error begins without the indent.
    let lines = lines.map(|line| match line.trim_start() {
        line if line.starts_with("error") => line.to_string(),
        _ => line,
    });
    lines.map(|line| line.trim_end().to_string() + "\n").collect()
}

#[test]
fn mistakes_are_one_short_error() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let version = String::from_utf8(compiler().arg("--version").output().unwrap().stdout).unwrap();
    let (library, is_pinned) = (library(), version.starts_with(PINNED));
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes");
    std::fs::create_dir_all(&dir).unwrap();
    let cases = cases(&text);
    assert!(cases.len() >= 24, "{} mistakes", cases.len());
    if !is_pinned {
        println!(
            "{version} is not {PINNED}: only the number of errors, the first line and the place are compared"
        );
    }
    let mut now = String::new();
    for case in &cases {
        let said = said(library, &dir, case);
        let errors = said.lines().filter(|line| line.starts_with("error")).count();
        let allowed = if TWO_ERRORS.contains(&case.name) { 2 } else { 1 };
        assert_eq!(errors, allowed, "`{}`:\n{said}", case.name);
        assert!(
            said.lines().count() <= LINES,
            "`{}` gives {} lines:\n{said}",
            case.name,
            said.lines().count()
        );
        // What the compiler adds in its own notes names the traits that are not implemented; the errors themselves do not.
        let private = |line: &str| line.starts_with("error") && line.contains("listing::");
        assert!(!said.lines().any(private), "`{}`:\n{said}", case.name);
        now += &format!("=== {}\n{}---\n{said}", case.name, case.source);
        if std::env::var_os("WRITE_MISTAKES").is_none() {
            if is_pinned {
                assert_eq!(said, case.said, "`{}`", case.name);
            } else {
                // Rust 1.97 named other places for a while.
                assert!(said.lines().take(2).eq(case.said.lines().take(2)), "`{}`:\n{said}", case.name);
            }
        }
    }
    if std::env::var_os("WRITE_MISTAKES").is_some() {
        std::fs::write(file, now).unwrap();
    }
}
