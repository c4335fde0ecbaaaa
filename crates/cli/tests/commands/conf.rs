//! `conf`.

use crate::support::{Scratch, USERS, ends, run, shown, text, with_user};

#[test]
fn messages_go_into_records_and_come_out() {
    let scratch = Scratch::new("conf");
    let proto = scratch.path("user.proto");
    let wrap = |more: &[&str]| {
        with_user("conf", &proto, &[&["--wrap", "7", "--from", "ndjson"], more].concat()).join("\n")
    };
    let run = |arguments: String, input: &[u8]| {
        let arguments: Vec<&str> = arguments.split('\n').collect();
        shown(&arguments, input)
    };
    for to in ["delimited", "hex-lines", "base64-lines"] {
        let records = run(wrap(&["--to", to]), USERS.as_bytes());
        assert_eq!(text(&["conf", "--proto", &proto, "--from", to], &records), USERS, "{to}");
    }
    let hex = run(wrap(&["--to", "hex-lines"]), b"{\"id\":5}\n");
    assert_eq!(hex, b"0000000007001005\n");
    let ids = text(&["conf", "--ids", "--from", "hex-lines"], &hex);
    assert_eq!(ids, "{\"schemaId\":7,\"indexes\":[0],\"bytes\":2}\n");
}

#[test]
fn the_type_is_that_of_the_indexes() {
    let scratch = Scratch::new("conf-indexes");
    let proto = scratch.path("user.proto");
    let arguments = ["conf", "--proto", &proto, "--wrap", "1", "--from", "ndjson", "--to", "hex-lines"];
    let line = [&arguments[..], &["--type", "app.User.Address.Line"]].concat();
    let hex = text(&line, "{\"text\":\"hi\"}\n");
    // The map entry is the first message in `User`, or the last, as the file has it.
    let ids = text(&["conf", "--ids", "--from", "hex-lines"], &hex);
    assert!(ids.starts_with("{\"schemaId\":1,\"indexes\":[0, ") && ids.ends_with("\"bytes\":4}\n"), "{ids}");
    assert_eq!(text(&["conf", "--proto", &proto, "--from", "hex-lines"], &hex), "{\"text\":\"hi\"}\n");
}

#[test]
fn broken_records() {
    let scratch = Scratch::new("conf-broken");
    let proto = scratch.path("user.proto");
    let arguments = ["conf", "--proto", &proto, "--from", "hex-lines"];
    // Another first byte, a header that ends, an index that there is not, a message that ends.
    let lines =
        "010000000700\n000000\n00000000070220\n000000000702061005\n00000000070010\n0000000007001005\n";
    // A field of another type.
    let said = ends(1, &arguments, "0000000007000805\n");
    assert!(said.contains("user.proto lists no field of the message"), "{said}");
    let said = ends(1, &arguments, "0a0000000700\n");
    assert!(said.contains("message 1 at byte 0") && said.contains("begins with the byte 0x0a"), "{said}");
    assert!(said.contains("Confluent") && said.contains("InvalidFrame"), "{said}");
    assert!(ends(1, &arguments, "000000000702061005\n").contains("no message type at [3]"));
    let output = run(&[&arguments[..], &["--skip-bad"]].concat(), lines.as_bytes());
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b"{\"id\":\"5\"}\n"[..]));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.ends_with("5 of 6 messages left out\n"), "{said}");
    for wrong in [&["conf"][..], &["conf", "--ids", "--wrap", "1"], &["conf", "--ids", "--from", "json"]] {
        ends(2, wrong, "");
    }
    ends(2, &with_user("conf", &proto, &["--wrap", "1", "--to", "json"]), "");
    ends(2, &with_user("conf", &proto, &["--wrap", "4294967296"]), "");
}
