//! `set` and `unset`.

use crate::support::{Scratch, USER, ends, run, with_user};

/// A user with an unknown field, in bytes.
const BYTES: &[u8] = b"\x0a\x03Ada\x10\x01\x1a\x01a\x78\x2a";

/// The bytes after an edit, which is for BYTES.
fn edited(command: &str, edits: &[&str]) -> Vec<u8> {
    let scratch = Scratch::new(&format!("edits-{command}-{}", edits.len()));
    let proto = scratch.file("user.proto", USER);
    let output = run(&with_user(command, &proto, &[&["-"], edits].concat()), BYTES);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{edits:?}: {said}");
    output.stdout
}

fn json(bytes: &[u8]) -> String {
    let scratch = Scratch::new("edits-json");
    let proto = scratch.file("user.proto", USER);
    let output = run(&with_user("decode", &proto, &["--to", "ndjson"]), bytes);
    String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
}

#[test]
fn named_fields_change_and_all_else_stays() {
    let bytes = edited("set", &["name=Bob"]);
    assert_eq!(bytes, b"\x0a\x03Bob\x10\x01\x1a\x01a\x78\x2a");
    let bytes = edited(
        "set",
        &[
            "id=-5",
            "scores[\"a=b\"]=7",
            "address.city=x = y",
            "level=LEVEL_HIGH",
            "tags=[\"p\",\"q\"]",
            "key=AQ==",
            "ratio=0.5",
        ],
    );
    let expected = r#"{"name":"Ada","id":"-5","tags":["p","q"],"address":{"city":"x = y"},"scores":{"a=b":7},"level":"LEVEL_HIGH","key":"AQ==","ratio":0.5}"#;
    assert_eq!(json(&bytes), expected);
    assert!(bytes.windows(2).any(|pair| pair == b"\x78\x2a"), "{bytes:x?}");
    let bytes = edited(
        "set",
        &["tags[0]=first", "created=\"2024-01-02T03:04:05Z\"", "address={\"lines\":[{\"text\":\"t\"}]}"],
    );
    let expected = r#"{"name":"Ada","id":"1","tags":["first"],"address":{"lines":[{"text":"t"}]},"created":"2024-01-02T03:04:05Z"}"#;
    assert_eq!(json(&bytes), expected);
    assert_eq!(edited("unset", &["id", "tags[0]", "address.city"]), b"\x0a\x03Ada\x78\x2a");
}

#[test]
fn streams_are_edited_message_by_message() {
    let scratch = Scratch::new("edits-streams");
    let proto = scratch.file("user.proto", USER);
    let lines = "{\"name\":\"a\"}\n{\"id\":\"3\"}\n";
    let output = run(&with_user("set", &proto, &["--from", "ndjson", "-", "ratio=1"]), lines.as_bytes());
    let expected = "{\"name\":\"a\",\"ratio\":1}\n{\"id\":\"3\",\"ratio\":1}\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn what_cannot_be_set_is_an_error_before_or_at_the_message() {
    let scratch = Scratch::new("edits-errors");
    let proto = scratch.file("user.proto", USER);
    for (code, edits, expected) in [
        (2, &["set", "nmae=x"][..], "no such field: nmae in app.User"),
        (2, &["set", "name"], "PATH=VALUE expected"),
        (2, &["set", "id=x"], "id: \"x\": invalid digit"),
        (2, &["set", "address=1"], "address: "),
        (2, &["unset", "address.nothing"], "no such field: nothing"),
        (1, &["set", "tags[5]=x"], "the index is beyond the end of the list"),
        (1, &["set", "level=LEVEL_NO"], "the enum has no value of this name"),
        (1, &["set", "scores[\"x\"]=5000000000"], "cannot hold the number without loss"),
    ] {
        let arguments = with_user(edits[0], &proto, &[&["-"], &edits[1..]].concat());
        let said = ends(code, &arguments, std::str::from_utf8(BYTES).expect("ASCII"));
        assert!(said.contains(expected), "{edits:?}: {said}");
    }
}
