//! `fmt`.

use crate::support::{Scratch, ends, run};

const UGLY: &str = "syntax=\"proto3\";\nmessage A{int32 a=1;} // a\n";
const NICE: &str = "syntax = \"proto3\";\n\nmessage A {\n  int32 a = 1;\n} // a\n";

fn stdout(arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let output = run(arguments, input.as_bytes());
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn a_source_is_formatted_in_place_or_to_standard_output() {
    let scratch = Scratch::new("fmt");
    let (ugly, nice) = (scratch.file("ugly.proto", UGLY), scratch.file("nice.proto", NICE));
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    assert_eq!(stdout(&["fmt", &ugly], ""), (Some(0), NICE.into()));
    assert_eq!(stdout(&["fmt", "-"], UGLY), (Some(0), NICE.into()));
    assert_eq!(stdout(&["fmt", "--check", &ugly, &nice], ""), (Some(1), format!("{ugly}\n")));
    let (code, difference) = stdout(&["fmt", "--diff", &ugly, &nice], "");
    assert!(code == Some(0) && difference.contains("-message A{int32 a=1;} // a\n+syntax"), "{difference}");
    assert_eq!(stdout(&["fmt", "--check", "--diff", &ugly], "").0, Some(1));
    assert_eq!(read(&ugly), UGLY);
    // A directory, the second time without a change.
    let directory = scratch.path("");
    assert_eq!(stdout(&["fmt", "-w", &directory], ""), (Some(0), String::new()));
    assert_eq!((read(&ugly), read(&nice)), (NICE.into(), NICE.into()));
    assert_eq!(stdout(&["fmt", "--check", &directory], ""), (Some(0), String::new()));
}

#[test]
fn faulty_sources_stay_as_they_are() {
    let scratch = Scratch::new("fmt-faults");
    let (bad, ugly) = (scratch.file("bad.proto", "message A {"), scratch.file("ugly.proto", UGLY));
    let said = ends(1, &["fmt", "-w", &bad, &ugly], "");
    assert!(said.contains("bad.proto:1:12: ") && said.contains("1 file with faults"), "{said}");
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    assert_eq!((read(&bad), read(&ugly)), ("message A {".into(), NICE.into()));
    for (arguments, expected) in [
        (&["fmt", &*bad, &*ugly][..], "-w, --check or --diff"),
        (&["fmt", "-w", "-"], "-w needs files"),
        (&["fmt", "-w", "--check", &ugly], "cannot be used with"),
    ] {
        let said = ends(2, arguments, UGLY);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
