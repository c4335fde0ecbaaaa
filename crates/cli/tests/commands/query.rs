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
    // Messages by their fields; times have a cell.
    let all = query(&scratch, &["--to", "csv", "--limit", "1"]);
    assert_eq!(
        all.lines().next(),
        Some("name,id,tags,address.city,address.lines,scores,level,key,created,ratio"),
        "{all}"
    );
    let some = query(&scratch, &["--to", "csv", "--select", "id,address", "--limit", "1"]);
    assert_eq!(
        some,
        "id,address.city,address.lines\n1,London,\"[{\"\"text\"\":\"\"x, y\"\"},{\"\"text\"\":\"\"say \\\"\"hi\\\"\"\"\"}]\"\n"
    );
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
        (&["id=1 or id = 2"], "1 2"),
        (&["id=1 or id=2 and level=LEVEL_HIGH"], "1"),
        (&["(id=1 or id=2) and level=LEVEL_HIGH"], "1"),
        (&["(id=-3 or id=2) and (level=LEVEL_HIGH)"], "-3"),
        (&["not id in (1, 2)"], "0 -3"),
        (&["name in (Bob, \"Ada\")"], "1 2"),
        (&["level in (LEVEL_HIGH,7)", "not (id=1)"], "-3"),
        (&["name ~ ^[AB]"], "1 2"),
        (&["name ~ '(a|b)$' and id > 0"], "1 2"),
        (&["level ~ HIGH"], "1 -3"),
        (&["name is set"], "1 2 -3"),
        (&["address is not set and id is set"], "2 -3"),
        (&["address.city is set"], "1"),
        (&["tags is set"], "1"),
        (&["created is set"], "1"),
        (&["created >= 2024-01-02T03:04:05Z"], "1"),
        (&["created > 2024-01-02T03:04:05Z"], ""),
        (&["created < 2024-01-02T03:04:05.5Z"], "1"),
        (&["name = 'Bob' or name=\"Ada\""], "1 2"),
        (&["address.lines.text = 'say \"hi\"'"], "1"),
        (&["address.lines.text=\"say \\\"hi\\\"\""], "1"),
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
        (&["--where", "id"], "a condition is a path"),
        (&["--where", "id=x"], "\"x\" is not an integer"),
        (&["--where", "level=LOW"], "\"LOW\" is not a value of app.Level"),
        (&["--where", "level=LEVEL_HIHG"], "app.Level (did you mean LEVEL_HIGH?)"),
        (&["--where", "nmae=x"], "in the path nmae (did you mean name?)"),
        (&["--select", "address.ctiy"], "in the path address.ctiy (did you mean city?)"),
        (&["--where", "address=x"], "a path goes on to one of its fields"),
        (&["--where", "(id=1"], "a parenthesis is not closed"),
        (&["--where", "id in 1"], "values in parentheses"),
        (&["--where", "id in (1"], "a parenthesis is not closed"),
        (&["--where", "id is there"], "`is set` or `is not set`"),
        (&["--where", "name ~ ("], "("),
        (&["--where", "id ~ 1"], "for strings and enums"),
        (&["--where", "name='x"], "a quote is not closed"),
        (&["--where", "name='x' y"], "\"y\" is left over"),
        (&["--where", "created > x"], "is not a time"),
        (&["--where", "id=1 or"], "a condition is a path"),
        (&["--select", "sum(name)"], "the field is no number"),
        (&["--select", "name,count()"], "name is neither in --group-by nor"),
        (&["--select", "count()", "--group-by", "name"], "--select does not have it"),
        (&["--select", "name", "--order-by", "id"], "--order-by id: --select does not have it"),
        (&["--select", "sum()"], "a path was expected"),
        (&["--select", "name", "--unnest", "address"], "the path of a list"),
        (&["--distinct"], "--select is missing"),
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

#[test]
fn rows_are_counted_by_groups() {
    let scratch = Scratch::new("groups");
    let csv = |arguments: &[&str]| query(&scratch, &[&["--to", "csv"], arguments].concat());
    assert_eq!(csv(&["-s", "count()"]), "count()\n4\n");
    assert_eq!(
        csv(&["-s", "count(),count(name),sum(id),min(id),max(id),avg(id)"]),
        "count(),count(name),sum(id),min(id),max(id),avg(id)\n4,4,0,-3,2,0\n"
    );
    assert_eq!(csv(&["--group-by", "level"]), "level,count()\nLEVEL_NONE,2\nLEVEL_HIGH,2\n");
    assert_eq!(
        query(&scratch, &["--group-by", "level", "-s", "level,sum(id),max(name),sum(ratio)"]),
        "{\"level\":\"LEVEL_NONE\",\"sum(id)\":2,\"max(name)\":\"Bob\",\"sum(ratio)\":0}\n\
         {\"level\":\"LEVEL_HIGH\",\"sum(id)\":-2,\"max(name)\":\"Cäcilie\",\"sum(ratio)\":0.5}\n"
    );
    // What is not set is not counted, and has no least.
    assert_eq!(
        query(
            &scratch,
            &["-s", "count(address.city),min(created),max(address.city),count(tags)", "--where", "id=2"]
        ),
        "{\"count(address.city)\":0,\"min(created)\":null,\"max(address.city)\":null,\"count(tags)\":0}\n"
    );
    assert_eq!(query(&scratch, &["-s", "min(created)"]), "{\"min(created)\":\"2024-01-02T03:04:05Z\"}\n");
    assert_eq!(csv(&["-s", "count(),avg(id)", "--where", "id=77"]), "count(),avg(id)\n0,\n");
    assert_eq!(csv(&["--group-by", "level", "--where", "id=77"]), "level,count()\n");
    assert_eq!(
        csv(&["--group-by", "level", "-s", "count(),level", "--order-by", "level desc", "--limit", "1"]),
        "count(),level\n2,LEVEL_HIGH\n"
    );
    // Texts that would run into each other are of different groups.
    let input = "{\"name\":\"a\",\"tags\":[\"b\"]}\n".repeat(3) + "{\"name\":\"a[\\\"b\\\"]\"}\n";
    let proto = scratch.path("user.proto");
    let arguments =
        with_user("query", &proto, &["--from", "ndjson", "--to", "csv", "--group-by", "name,tags"]);
    assert_eq!(text(&arguments, &input), "name,tags,count()\na,\"[\"\"b\"\"]\",3\n\"a[\"\"b\"\"]\",[],1\n");
}

#[test]
fn rows_are_sorted_cut_and_shown_once() {
    let scratch = Scratch::new("order");
    let ids = |arguments: &[&str]| {
        let table = query(&scratch, &[&["--to", "csv", "-s", "id,level,name"], arguments].concat());
        table
            .lines()
            .skip(1)
            .map(|line| line.split(',').next().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(ids(&["--order-by", "id"]), "-3 0 1 2");
    assert_eq!(ids(&["--order-by", "id desc"]), "2 1 0 -3");
    assert_eq!(ids(&["--order-by", "level desc, name"]), "1 -3 0 2");
    assert_eq!(ids(&["--order-by", "name", "--limit", "2"]), "0 1");
    assert_eq!(ids(&["--limit", "2"]), "1 2");
    assert_eq!(ids(&["--limit", "0"]), "");
    assert_eq!(
        query(&scratch, &["-s", "level", "--distinct"]),
        "{\"level\":\"LEVEL_HIGH\"}\n{\"level\":\"LEVEL_NONE\"}\n"
    );
    // Without rows of their own, messages keep their shape.
    assert_eq!(query(&scratch, &["-s", "name", "--limit", "2"]), "{\"name\":\"Ada\"}\n{\"name\":\"Bob\"}\n");
    // Many rows and a small limit: the memory is that of the limit.
    let input: String = (0..5000).map(|i| format!("{{\"id\":{}}}\n", i * 7919 % 5000)).collect();
    let proto = scratch.path("user.proto");
    let arguments = ["--from", "ndjson", "--to", "csv", "-s", "id", "--order-by", "id desc", "--limit", "3"];
    assert_eq!(text(&with_user("query", &proto, &arguments), &input), "id\n4999\n4998\n4997\n");
}

#[test]
fn elements_of_a_list_are_rows() {
    let scratch = Scratch::new("unnest");
    assert_eq!(
        query(&scratch, &["--unnest", "address.lines", "-s", "name,address.lines.text"]),
        "{\"name\":\"Ada\",\"address.lines.text\":\"x, y\"}\n{\"name\":\"Ada\",\"address.lines.text\":\"say \\\"hi\\\"\"}\n"
    );
    assert_eq!(query(&scratch, &["--unnest", "tags", "-s", "id,tags", "--to", "csv"]), "id,tags\n1,a\n1,b\n");
    // Conditions on the list are on the element.
    assert_eq!(
        query(&scratch, &["--unnest", "tags", "-s", "id,tags", "--to", "csv", "--where", "tags != a"]),
        "id,tags\n1,b\n"
    );
    assert_eq!(
        query(
            &scratch,
            &["--unnest", "address.lines", "-s", "count()", "--where", "address.lines.text ~ hi"]
        ),
        "{\"count()\":1}\n"
    );
    assert_eq!(
        query(&scratch, &["--unnest", "address.lines", "-s", "address.lines"]),
        "{\"address.lines\":{\"text\":\"x, y\"}}\n{\"address.lines\":{\"text\":\"say \\\"hi\\\"\"}}\n"
    );
    assert_eq!(
        query(&scratch, &["--unnest", "tags", "--group-by", "tags", "--to", "csv"]),
        "tags,count()\na,1\nb,1\n"
    );
}

#[test]
fn a_table_is_aligned() {
    let scratch = Scratch::new("table");
    assert_eq!(
        query(&scratch, &["--to", "table", "-s", "name,id,level"]),
        "name     id  level\nAda       1  LEVEL_HIGH\nBob       2  LEVEL_NONE\n          0  LEVEL_NONE\nCäcilie  -3  LEVEL_HIGH\n"
    );
    assert_eq!(
        query(&scratch, &["--to", "table", "--group-by", "level"]),
        "level       count()\nLEVEL_NONE        2\nLEVEL_HIGH        2\n"
    );
    // What would do something to a terminal is shown.
    let proto = scratch.path("user.proto");
    let arguments = with_user("query", &proto, &["--from", "ndjson", "--to", "table", "-s", "name"]);
    assert_eq!(text(&arguments, "{\"name\":\"a\\u001b[31m\\n\"}"), "name\na\\u{1b}[31m\\n\n");
}
