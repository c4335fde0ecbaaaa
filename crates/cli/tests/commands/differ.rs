//! `diff`.

use crate::support::{Scratch, USERS, ends, run, with_user};

/// The code and the lines, for two texts in JSON.
fn differ(scratch: &Scratch, old: &str, new: &str, more: &[&str]) -> (Option<i32>, String) {
    let (old, new) = (scratch.file("old", old), scratch.file("new", new));
    let proto = scratch.path("user.proto");
    let arguments = with_user("diff", &proto, &[more, &[&old, &new]].concat());
    let output = run(&arguments, b"");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn differences_have_paths() {
    let scratch = Scratch::new("diff");
    let json = |old: &str, new: &str, more: &[&str]| {
        differ(&scratch, old, new, &[&["--from", "json"], more].concat())
    };
    let old = r#"{"name":"Ada","id":"1","tags":["a","b"],"address":{"city":"x","lines":[{"text":"p"},{"text":"q"}]},
        "scores":{"x":1,"y":2},"level":"LEVEL_HIGH","key":"AAEC","created":"2024-01-02T03:04:05Z"}"#;
    assert_eq!(json(old, old, &[]), (Some(0), String::new()));
    let new = r#"{"name":"Bob","id":"1","tags":["a","c","d"],"address":{"lines":[{"text":"q"},{"text":"r"}]},
        "scores":{"y":3,"z":4},"key":"AAEC","ratio":0.5}"#;
    let (code, found) = json(old, new, &[]);
    let mut lines: Vec<&str> = found.lines().collect();
    lines.sort_unstable();
    let mut expected = [
        "~ name: \"Ada\" -> \"Bob\"",
        "~ tags[1]: \"b\" -> \"c\"",
        "+ tags[2]: \"d\"",
        "~ address.city: \"x\" -> \"\"",
        "~ address.lines[0].text: \"p\" -> \"q\"",
        "~ address.lines[1].text: \"q\" -> \"r\"",
        "- scores[\"x\"]: 1",
        "~ scores[\"y\"]: 2 -> 3",
        "+ scores[\"z\"]: 4",
        "~ level: LEVEL_HIGH -> LEVEL_NONE",
        "- created: {seconds:1704164645}",
        "~ ratio: 0 -> 0.5",
    ];
    expected.sort_unstable();
    assert_eq!((code, lines), (Some(1), expected.to_vec()));
    // By a key, in whatever order, and without what is left out.
    let more =
        ["--key", "address.lines=text", "--ignore", "scores", "--ignore", "address.city", "--ignore", "tags"];
    let (_, found) = json(old, new, &more);
    assert!(found.contains("- address.lines[0]: {text:\"p\"}\n"), "{found}");
    assert!(found.contains("+ address.lines[1]: {text:\"r\"}\n"), "{found}");
    assert!(
        !found.contains("\"q\"")
            && !found.contains("scores")
            && !found.contains("tags")
            && !found.contains("city")
    );
    // The other way round.
    let (_, found) = json(new, old, &["--ignore", "address"]);
    assert!(found.contains("+ created: ") && found.contains("- tags[2]: \"d\"\n"), "{found}");
}

#[test]
fn streams_are_compared_message_by_message() {
    let scratch = Scratch::new("diff-streams");
    let stream = |old: &str, new: &str| differ(&scratch, old, new, &["--from", "ndjson"]);
    assert_eq!(stream(USERS, USERS), (Some(0), String::new()));
    let new = USERS.replace("Bob", "Rob") + "{\"id\":\"9\"}\n";
    let expected = "~ message 2: name: \"Bob\" -> \"Rob\"\n+ message 5: {\"id\":\"9\"}\n";
    assert_eq!(stream(USERS, &new), (Some(1), expected.into()));
    // Unknown fields, and bad input.
    let binary = |old: &str, new: &str| differ(&scratch, old, new, &[]);
    assert_eq!(binary("\u{a}\u{1}a\u{78}\u{1}", "\u{a}\u{1}a"), (Some(1), "- <15>: b\"\\x01\"\n".into()));
    let proto = scratch.path("user.proto");
    for (arguments, expected) in [
        (&["--ignore", "nothing", "a", "b"][..], "no such field"),
        (&["--key", "tags=x", "a", "b"], "no list of messages"),
        (&["--key", "address.lines=x", "a", "b"], "x"),
    ] {
        let said = ends(2, &with_user("diff", &proto, arguments), "");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
