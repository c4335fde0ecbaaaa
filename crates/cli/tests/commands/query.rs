//! `query`.

use crate::support::{Scratch, USERS, ends, run, shown, text, with_user};

fn query(scratch: &Scratch, arguments: &[&str]) -> String {
    let proto = scratch.path("user.proto");
    text(&with_user("query", &proto, &[&["--from", "ndjson"], arguments].concat()), USERS)
}

#[test]
fn selected_fields_keep_their_shape() {
    let scratch = Scratch::new("select");
    let shown = query(&scratch, &["--select", "name,address.lines.text", "-s", "scores"]);
    assert_eq!(
        shown,
        concat!(
            r#"{"name":"Ada","address":{"lines":[{"text":"x, y"},{"text":"say \"hi\""}]},"scores":{"x":1,"y":2}}"#,
            "\n{\"name\":\"Bob\"}\n{}\n{\"name\":\"Cäcilie\"}\n"
        )
    );
    assert_eq!(query(&scratch, &[]), USERS);
}

#[test]
fn csv_has_a_column_for_each_path() {
    let scratch = Scratch::new("csv");
    let paths = "id,name,tags,address.city,address.lines.text,scores.key,scores,level,key,ratio,created,address.lines";
    let expected = concat!(
        "id,name,tags,address.city,address.lines.text,scores.key,scores,level,key,ratio,created,address.lines\n",
        r#"1,Ada,"[""a"",""b""]",London,"[""x, y"",""say \""hi\""""]","[""x"",""y""]","[1,2]",LEVEL_HIGH,AAEC,0.5,"#,
        r#"2024-01-02T03:04:05Z,"[{""text"":""x, y""},{""text"":""say \""hi\""""}]""#,
        "\n2,Bob,[],,[],[],[],LEVEL_NONE,,0,,[]\n",
        "0,,[],,[],[],[],LEVEL_NONE,,0,,[]\n",
        "-3,Cäcilie,[],,[],[],[],LEVEL_HIGH,,0,,[]\n",
    );
    assert_eq!(query(&scratch, &["--to", "csv", "--select", paths]), expected);
    // A field of the name `key` is no key of a map.
    assert_eq!(
        query(&scratch, &["--select", "scores.value", "--where", "key=AAEC"]),
        "{\"scores\":{\"x\":1,\"y\":2}}\n"
    );
}

#[test]
fn conditions() {
    let scratch = Scratch::new("where");
    for (conditions, ids) in [
        (&["id=2"][..], "2"),
        (&["id != 2"], "1 0 -3"),
        (&["id<1"], "0 -3"),
        (&["id<=1", "id >= 0"], "1 0"),
        (&["ratio>0.4"], "1"),
        (&["level=LEVEL_HIGH"], "1 -3"),
        (&["level=0"], "2 0"),
        (&["name=Cäcilie"], "-3"),
        (&["name="], "0"),
        (&["tags=b"], "1"),
        (&["tags!=b"], "2 0 -3"),
        (&["scores.key=y"], "1"),
        (&["scores=2", "scores.value<2"], "1"),
        (&["address.lines.text=x, y"], "1"),
        (&["key=AAEC"], "1"),
        (&["created.seconds>0"], "1"),
        (&["id=1", "id=2"], ""),
    ] {
        let mut arguments = vec!["--to", "csv", "--select", "id"];
        for condition in conditions {
            arguments.extend(["--where", condition]);
        }
        let table = query(&scratch, &arguments);
        let found: Vec<&str> = table.lines().skip(1).collect();
        assert_eq!(found.join(" "), ids, "{conditions:?}");
    }
}

#[test]
fn wrong_paths_and_conditions_end_with_2() {
    let scratch = Scratch::new("paths");
    let proto = scratch.path("user.proto");
    for (arguments, expected) in [
        (&["--select", "nam"][..], "no such field: nam in app.User"),
        (&["--select", "name.x"], "name"),
        (&["--to", "csv"], "--select"),
        (&["--where", "id"], "a condition is a path"),
        (&["--where", "id=x"], "\"x\" is not an integer"),
        (&["--where", "level=LOW"], "\"LOW\" is not a value of app.Level"),
        (&["--where", "address=x"], "a path goes on to one of its fields"),
    ] {
        let text = ends(2, &with_user("query", &proto, arguments), "");
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn bad_messages_are_left_out_of_a_table() {
    let scratch = Scratch::new("bad-rows");
    let proto = scratch.path("user.proto");
    let arguments = with_user("query", &proto, &["--to", "csv", "-s", "id", "--skip-bad", "--where", "id>0"]);
    let output = run(&arguments, b"\x02\x10\x01\x02\x10\xff\x02\x10\x03");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b"id\n1\n3\n"[..]));
    // An empty stream is a table without rows.
    assert_eq!(shown(&with_user("query", &proto, &["--to", "csv", "-s", "id"]), b""), b"id\n");
}
