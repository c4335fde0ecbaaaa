//! Which file an argument names, and what it is called in a schema: as protoc does it.

use crate::support::{Scratch, ends, shown, text};
use std::process::Command;
use tablepb::raw::RawFields;

/// Directories `a` and `b` that have files of the same name, and links between them.
fn files(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for (file, message) in [
        ("a/x.proto", "FromA"),
        ("b/x.proto", "FromB"),
        ("b/y.proto", "OnlyB"),
        ("a/a/x.proto", "FromAA"),
        ("x.proto", "Outside"),
        ("out/o.proto", "Out"),
    ] {
        scratch.file(file, format!("syntax = \"proto3\"; message {message} {{}}"));
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("a", scratch.path("link")).expect("a link");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../b/y.proto", scratch.path("a/link.proto")).expect("a link");
    scratch
}

/// Arguments, and the name and the message of the file that is compiled; `None` where protoc 36 refuses.
type Case = (&'static str, Option<(&'static str, &'static str)>);

/// `$` is the directory of the test.
const CASES: &[Case] = &[
    // A path on disk, under an earlier directory or a later one.
    ("-I a -I b a/x.proto", Some(("x.proto", "FromA"))),
    ("-I b -I a b/x.proto", Some(("x.proto", "FromB"))),
    ("-I a -I b b/y.proto", Some(("y.proto", "OnlyB"))),
    ("-I . -I a a/x.proto", Some(("a/x.proto", "FromA"))),
    ("-I a -I . a/x.proto", Some(("x.proto", "FromA"))),
    ("-I a/a -I a a/a/x.proto", Some(("x.proto", "FromAA"))),
    // Another file has its name in an earlier directory.
    ("-I a -I b b/x.proto", None),
    ("-I a/a -I a a/x.proto", None),
    ("-I $ -I a a/x.proto", None),
    ("-I b -I . x.proto", None),
    ("-I $/a -I $/b $/b/x.proto", None),
    // A name, found in one of the directories; what is there on disk under it comes first.
    ("-I a -I b x.proto", Some(("x.proto", "FromA"))),
    ("-I a -I b y.proto", Some(("y.proto", "OnlyB"))),
    ("-I . -I b x.proto", Some(("x.proto", "Outside"))),
    ("-I $/a a/x.proto", Some(("a/x.proto", "FromAA"))),
    ("-I .. x.proto", None),
    // Forms of one path.
    ("-I a ./a/x.proto", Some(("x.proto", "FromA"))),
    ("-I ./a/. a//x.proto", Some(("x.proto", "FromA"))),
    ("-I $/a $/a/x.proto", Some(("x.proto", "FromA"))),
    ("-I a $/a/x.proto", None),
    ("-I b ./y.proto", None),
    // Nothing goes up from a directory.
    ("-I a -I b a/../b/x.proto", None),
    ("-I a -I b a/../b/y.proto", None),
    ("-I . a/../b/x.proto", None),
    ("-I a a/a/../x.proto", None),
    ("-I a/../a a/../a/x.proto", Some(("x.proto", "FromA"))),
    ("-I a/../a a/x.proto", Some(("a/x.proto", "FromAA"))),
    // Nowhere, and no file.
    ("-I a out/o.proto", None),
    ("-I a missing.proto", None),
    ("-I missing a/x.proto", None),
    ("-I missing -I a a/x.proto", Some(("x.proto", "FromA"))),
    ("-I a/x.proto a/x.proto", None),
    // Without directories: below the working directory.
    ("a/x.proto", Some(("a/x.proto", "FromA"))),
    ("./x.proto", Some(("x.proto", "Outside"))),
    ("missing.proto", None),
];

#[cfg(unix)]
const LINKS: &[Case] = &[
    ("-I link link/x.proto", Some(("x.proto", "FromA"))),
    ("-I link a/x.proto", Some(("a/x.proto", "FromAA"))),
    ("-I a link/x.proto", None),
    ("-I a -I link link/x.proto", None),
    ("-I a a/link.proto", Some(("link.proto", "OnlyB"))),
    ("-I b a/link.proto", None),
];
#[cfg(not(unix))]
const LINKS: &[Case] = &[];

/// The names of the first file of a set and of its first message, after a run in the directory of the test.
fn outcome(mut command: Command, arguments: &str, scratch: &Scratch) -> Option<(String, String)> {
    let set = scratch.path("set.binpb");
    let root = scratch.path("");
    let arguments = arguments.replace('$', root.trim_end_matches('/'));
    command.args(arguments.split(' ')).args(["-o", &set]).current_dir(&root);
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked"), "{arguments}: {said}");
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        return None;
    }
    let set = std::fs::read(&set).expect("a set");
    let text = |path: &[u32]| {
        let value = RawFields::new(&set).follow(path).expect("a set")?;
        Some(String::from_utf8(value.bytes().to_vec()).expect("UTF-8"))
    };
    Some((text(&[1, 1]).expect("a name"), text(&[1, 4, 1]).expect("a message")))
}

#[test]
fn the_file_that_is_named_is_the_one_that_is_compiled() {
    let scratch = files("roots");
    for (arguments, expected) in CASES.iter().chain(LINKS) {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_tablepb"));
        tool.arg("compile");
        let found = outcome(tool, arguments, &scratch);
        let expected = expected.map(|(name, message)| (name.to_owned(), message.to_owned()));
        assert_eq!(found, expected, "{arguments}");
    }
}

#[test]
#[ignore = "needs protoc"]
fn needs_protoc_the_file_that_is_named_is_that_of_protoc() {
    let scratch = files("roots-protoc");
    for (arguments, expected) in CASES.iter().chain(LINKS) {
        let found = outcome(Command::new("protoc"), arguments, &scratch);
        let expected = expected.map(|(name, message)| (name.to_owned(), message.to_owned()));
        assert_eq!(found, expected, "{arguments}");
    }
}

/// Every command that takes sources finds them in the same way.
#[test]
fn a_shadowed_file_is_refused_by_every_command() {
    let scratch = files("roots-commands");
    let (a, b) = (scratch.path("a"), scratch.path("b"));
    let (first, second) = (scratch.path("a/x.proto"), scratch.path("b/x.proto"));
    let include = ["-I", &a, "-I", &b];
    for command in [&["compile", &second][..], &["print", &second], &["check", &first, &second]] {
        let said = ends(1, &[&command[..1], &include, &command[1..]].concat(), "");
        assert!(said.contains("shadowed by") && said.contains("a/x.proto"), "{command:?}: {said}");
    }
    for command in ["decode", "encode", "query", "inspect", "stats", "conf", "bench"] {
        let said = ends(1, &[&[command, "--proto", &second], &include[..]].concat(), "");
        assert!(said.contains("shadowed by"), "{command}: {said}");
    }
    // Two schemas are compared, not one with itself.
    assert!(text(&["check", &first, &second], "").contains("FromB: the message is new"));
    let said = ends(1, &["compile", "-I", &scratch.path("nowhere"), &first], "");
    assert!(said.contains("nowhere: no such directory"), "{said}");
}

/// Without -I the directories are those of the files, of which two can have one name.
#[test]
fn files_of_one_name_from_two_directories_are_refused() {
    let scratch = files("roots-none");
    let (first, second) = (scratch.path("a/x.proto"), scratch.path("b/x.proto"));
    assert!(ends(1, &["compile", &first, &second], "").contains("shadowed by"));
    let up = scratch.path("a/../b/x.proto");
    let set = shown(&["compile", &up], "");
    let name = RawFields::new(&set).follow(&[1, 1]).expect("a set").expect("a name");
    assert_eq!(name.bytes(), b"x.proto");
    assert!(ends(1, &["compile", &first, &up], "").contains("shadowed by"));
}

#[test]
fn standard_input_stands_for_one_file() {
    let scratch = Scratch::new("roots-stdin");
    let proto = scratch.path("user.proto");
    let set = shown(&["compile", "--include-imports", &proto], "");
    for twice in [&["check", "-", "-"][..], &["decode", "--descriptors", "-", "--type", "app.User", "-"]] {
        assert!(ends(2, twice, &set).contains("standard input can stand for one file only"), "{twice:?}");
    }
    let stdin = scratch.file("stdin.proto", "message Other {}");
    assert!(ends(1, &["compile", "-", &stdin], "message M {}").contains("shadowed by standard input"));
}
