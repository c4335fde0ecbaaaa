//! `stats`, `guess` and `bench`: commands that look at payloads as a whole.

use crate::support::{Scratch, USERS, ends, run, shown, text, with_user};

fn users(proto: &str) -> Vec<u8> {
    shown(&with_user("encode", proto, &["--from", "ndjson", "--to", "delimited"]), USERS)
}

/// Count and bytes of a field in the output of `stats`.
#[track_caller]
fn line(stats: &str, field: &str) -> (u64, u64) {
    let line = stats.lines().find(|line| line.split_whitespace().nth(3) == Some(field));
    let line = line.unwrap_or_else(|| panic!("no {field} in\n{stats}"));
    let numbers: Vec<u64> =
        line.split_whitespace().take(2).map(|number| number.parse().expect("a number")).collect();
    (numbers[0], numbers[1])
}

#[test]
fn stats_count_the_bytes_of_each_path() {
    let scratch = Scratch::new("stats");
    let proto = scratch.path("user.proto");
    let stream = users(&proto);
    let stats = text(&with_user("stats", &proto, &[]), &stream);
    assert!(stats.contains("messages  4\n"), "{stats}");
    // Ada is 5 bytes, Bob 5, Cäcilie 10.
    assert_eq!(line(&stats, "name"), (3, 20));
    assert_eq!(line(&stats, "tags"), (2, 6));
    assert_eq!(line(&stats, "address"), (1, 30));
    assert_eq!(line(&stats, "address.lines"), (2, 20));
    assert_eq!(line(&stats, "address.lines.text"), (2, 16));
    assert_eq!(line(&stats, "scores.key"), (2, 6));
    assert_eq!(line(&stats, "id"), (3, 2 + 2 + 11));
    // What is at the top makes up all of it.
    let top = ["name", "id", "tags", "address", "scores", "level", "key", "created", "ratio"];
    let sum: u64 = top.iter().map(|field| line(&stats, field).1).sum();
    assert!(stats.contains(&format!("bytes     {sum}, ")), "{stats}");
    // Without the schema the same numbers stand after field numbers, and groups are looked into.
    let bare = text(&["stats"], &stream);
    assert_eq!(
        (line(&bare, "1"), line(&bare, "4.2.1")),
        (line(&stats, "name"), line(&stats, "address.lines.text"))
    );
    let group = text(&["stats", "--from", "hex"], "0b 10 05 0c 18 01");
    assert_eq!((line(&group, "1"), line(&group, "1.2"), line(&group, "3")), ((1, 4), (1, 2), (1, 2)));
    let json = text(&with_user("stats", &proto, &["--from", "ndjson"]), USERS);
    assert_eq!(json, stats);
    assert!(ends(2, &["stats", "--from", "json"], "{}").contains("a schema is missing"));
}

#[test]
fn stats_of_bad_messages_and_of_endless_paths() {
    let scratch = Scratch::new("stats-bad");
    let proto = scratch.path("user.proto");
    let stream = b"\x02\x10\x01\x02\x10\xff\x02\x10\x03";
    assert!(ends(1, &with_user("stats", &proto, &[]), stream).contains("message 2"));
    let output = run(&with_user("stats", &proto, &["--skip-bad"]), stream);
    let stats = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!((output.status.code(), line(&stats, "id")), (Some(1), (2, 4)));
    assert!(text(&["stats"], "").contains("messages  0"));
    // 20 000 field numbers in one message.
    let mut bytes = Vec::new();
    for number in 1..=20_000_u32 {
        let mut writer = tablepb::wire::Writer::new(&mut bytes);
        writer.write_tag(tablepb::wire::Tag::new(number, tablepb::wire::WireType::Varint));
        writer.write_varint(1);
    }
    let stats = text(&["stats", "--from", "binary"], &bytes);
    assert!(stats.contains("more than 10000 paths") && stats.lines().count() < 10_010, "{}", stats.len());
    // Nesting without end is an error, not an overflow.
    ends(1, &["stats", "--from", "binary"], vec![0x0b; 1 << 20]);
}

/// The guessed schema must compile and decode what it was guessed from, without unknown fields.
#[track_caller]
fn guessed(scratch: &Scratch, payload: &[u8]) -> String {
    let source = text(&["guess"], payload);
    let proto = scratch.file("guess.proto", &source);
    let arguments = ["decode", "--proto", &proto, "--type", "Message", "--to", "binary"];
    assert_eq!(shown(&arguments, payload), payload, "{source}");
    source
}

#[test]
fn guess_finds_the_structure() {
    let scratch = Scratch::new("guess");
    let proto = scratch.path("user.proto");
    let source = text(&["guess", "--from", "delimited", "--name", "User"], users(&proto));
    assert!(source.starts_with("syntax = \"proto3\";\n\nmessage User {\n"), "{source}");
    for line in [
        "  string field_1 = 1;",
        "  int64 field_2 = 2;",
        "  repeated string field_3 = 3;",
        "  Field4 field_4 = 4;",
        "  message Field4 {",
        "    repeated Field2 field_2 = 2;",
        "  repeated Field5 field_5 = 5;",
        "  uint64 field_6 = 6;",
        "  bytes field_7 = 7;",
        "  double field_9 = 9;",
    ] {
        assert!(source.lines().any(|l| l == line), "no {line:?} in\n{source}");
    }
    let guess = scratch.file("guess.proto", &source);
    let stream = users(&proto);
    let decoded = ["decode", "--proto", &guess, "--type", "User", "--from", "delimited", "--to", "ndjson"];
    let json = text(&decoded, &stream);
    assert!(
        json.starts_with(r#"{"field1":"Ada","field2":"1","field3":["a","b"],"field4":{"field1":"London","#),
        "{json}"
    );
}

#[test]
fn guesses_compile_and_decode_whatever_they_came_from() {
    let scratch = Scratch::new("guesses");
    // Groups, a reserved number, wire types that change, text that becomes bytes, nothing at all.
    let reserved = [0xc0, 0xa5, 0x09, 0x05];
    assert!(guessed(&scratch, b"\x0b\x10\x05\x0c").starts_with("edition = \"2023\";"));
    assert!(guessed(&scratch, &reserved).contains("// 19032"));
    for payload in [
        &b""[..],
        b"\x08\x01\x08\x02\x0a\x01\xff",
        b"\x0a\x01\xff\x08\x01",
        b"\x0d\0\0\x80\x3f\x08\x01\x0b\x0c\x0a\x00",
        b"\x0a\x03abc\x0a\x02\x08\x01\x0a\x01\xff",
        b"\x0a\x02\x08\x01\x0a\x04\x0a\x02\x08\x01",
        b"\x0a\x05\x0a\x03\x0a\x01\xff\x0a\x05\x0a\x03\x0a\x01a",
        b"\x0b\x0a\x02\x08\x01\x0c\x0a\x01\xff",
    ] {
        guessed(&scratch, payload);
    }
    // Messages deeper than are looked into.
    let mut nested = b"\x08\x01".to_vec();
    for _ in 0..60 {
        nested = [&[0x0a, nested.len() as u8][..], &nested].concat();
    }
    guessed(&scratch, &nested);
    // More fields than a guess has.
    let many = (1..=20_000_u32).flat_map(|number| {
        let mut field = Vec::new();
        let mut writer = tablepb::wire::Writer::new(&mut field);
        writer.write_tag(tablepb::wire::Tag::new(number, tablepb::wire::WireType::Varint));
        writer.write_varint(1);
        field
    });
    let many: Vec<u8> = many.collect();
    let source = guessed(&scratch, &many);
    assert_eq!(source.matches("uint64 field_").count(), 10_000);
    // Random bytes that happen to be messages.
    let (mut state, mut found) = (7_u64, 0);
    for _ in 0..40_000 {
        let length = 4 + (state >> 60) as usize;
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Small tags and lengths are likely.
                if state >> 63 == 0 { (state >> 33) as u8 } else { (state >> 33) as u8 & 0x1f }
            })
            .collect();
        if tablepb::wire::Reader::new(&bytes).skip_message().is_ok() && bytes.len() > 8 {
            found += 1;
            guessed(&scratch, &bytes);
        }
        if found == 100 {
            break;
        }
    }
    assert_eq!(found, 100);
    ends(1, &["guess"], b"\x0a\x05");
    for wrong in [&["guess", "--name", "1a"][..], &["guess", "--name", "a b"], &["guess", "--from", "json"]] {
        ends(2, wrong, "");
    }
}

#[test]
fn bench_measures() {
    let scratch = Scratch::new("bench");
    let proto = scratch.path("user.proto");
    let arguments = with_user("bench", &proto, &["--from", "delimited", "--milliseconds", "1"]);
    let shown = text(&arguments, users(&proto));
    assert!(shown.starts_with("app.User: 4 messages, 27 bytes in the mean\n"), "{shown}");
    assert_eq!(shown.matches(" MB/s ").count(), 4, "{shown}");
    assert_eq!(shown.matches(" ns each\n").count(), 5, "{shown}");
    assert!(ends(1, &arguments, "").contains("no bytes to measure"));
    ends(1, &arguments, b"\x02\x10");
}

/// What takes less time than the clock can tell is measured many times over, and a pass that does not read the bytes has no rate.
#[test]
fn bench_measures_what_is_tiny() {
    let scratch = Scratch::new("bench-tiny");
    let proto = scratch.path("user.proto");
    let long = [b"\x0a\x80\x80\x40".to_vec(), vec![b'a'; 1 << 20]].concat();
    for input in [b"\x10\x01".to_vec(), long] {
        let shown = text(&with_user("bench", &proto, &["--milliseconds", "1"]), &input);
        for line in shown.lines().filter(|line| line.contains(" each")) {
            let number = |unit: &str| {
                let before = line.split_once(unit).map(|(before, _)| before.split_whitespace().last());
                before.flatten().map(|number| number.parse::<f64>().expect("a number"))
            };
            assert!(number(" ns each").expect("a time") >= 1.0, "{shown}");
            // No memory is that fast.
            assert!(number(" MB/s").is_none_or(|pace| pace < 1e6), "{shown}");
        }
    }
}
