//! Rows that go straight into columns, against rows that are read through the visitor: a row that is a block alone, because nothing follows it.

use super::*;

/// Good rows, each before rows that are cut off and rows with one byte changed, so that bad ones are read in the same way as good ones.
fn mutated(messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    for message in messages {
        for at in 0..message.len() {
            let mut push = |row: Vec<u8>| rows.extend([message.clone(), row]);
            push(message[..at].to_vec());
            for change in [0x01, 0x04, 0x08, 0x80, 0xff] {
                let mut row = message.clone();
                row[at] ^= change;
                push(row);
            }
        }
        // Twice, so that singular fields come again, members of oneofs replace each other and keys come twice; and in parts out of order.
        rows.push([&message[..], &message].concat());
        rows.push(message);
    }
    rows
}

/// All rows in one batch, and the errors of the bad ones, in three ways.
fn three_ways(builder: ReaderBuilder, rows: &[Vec<u8>]) -> usize {
    let builder = builder.batch_size(rows.len()).bad_rows(BadRows::Null);
    let mut alone = builder.build_decoder().unwrap();
    let mut pushed = builder.build_decoder().unwrap();
    for row in rows {
        let block = Buffer::from_vec(delimited(std::slice::from_ref(row)));
        assert_eq!(alone.decode_block(&block).unwrap(), block.len());
        assert!(pushed.push(row).unwrap());
    }
    let expected = alone.flush().unwrap().unwrap();
    assert_eq!(pushed.flush().unwrap().unwrap(), expected);
    let mut block = builder.build_decoder().unwrap();
    let bytes = Buffer::from_vec(delimited(rows));
    // The second batch is in the memory of the first one, the third is not.
    let mut kept = None;
    for round in 0..3 {
        assert_eq!(block.decode_block(&bytes).unwrap(), bytes.len());
        let batch = block.flush().unwrap().unwrap();
        // Errors have the numbers of the rows, which go on.
        let errors = expected.num_columns() - 1;
        assert_eq!(batch.columns()[..errors], expected.columns()[..errors], "round {round}");
        assert_eq!(batch.column(errors).nulls(), expected.column(errors).nulls(), "round {round}");
        assert!(round > 0 || batch == expected);
        batch.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
        kept = (round == 1).then_some(batch);
    }
    assert!(kept.is_none());
    expected.column_by_name(ERROR).unwrap().null_count()
}

#[test]
fn rows_are_the_same_with_and_without_the_visitor() {
    let rows = mutated(messages());
    let all = || ReaderBuilder::new(&descriptor(&ALL));
    let options = [
        Options::new().recursion(1),
        Options::new().recursion(0).views(false),
        Options::new().recursion(1).enums(Enums::Name).oneofs(Oneofs::Union),
        Options::new().recursion(1).enums(Enums::Dictionary).unknown_fields(true),
    ];
    for options in options {
        let good = three_ways(all().options(options), &rows);
        assert!(good > rows.len() / 2 && good < rows.len(), "{good}");
    }
    for paths in [&["s", "inner.id", "points"][..], &["mm.value.x", "y", "words"], &["d"]] {
        three_ways(all().options(Options::new().recursion(1)).projection(paths.iter().copied()), &rows);
    }
    for (levels, recursion) in [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1)] {
        let shallow = DecodeOptions::new().max_depth(levels);
        let options = Options::new().recursion(recursion);
        assert!(three_ways(all().options(options).decode_options(shallow), &rows) > 0);
    }
}

#[test]
fn long_rows_and_long_runs_are_the_same() {
    let numbers: Vec<String> = (0..300).map(|at| (1i64 << (at % 63)).to_string()).collect();
    let words: Vec<String> = (0..200).map(|len| format!("'{}ü'", "x".repeat(len))).collect();
    let few = format!("l: [{}] words: [{}]", numbers[..9].join(","), words[..40].join(","));
    let many = format!("l: [{}] words: [{}]", numbers.join(","), words.join(","));
    let long = format!("s: '{}' i: 5", "y".repeat(70_000));
    let rows: Vec<_> = [&few, &many, &long, &few].iter().map(|text| message(&ALL, text)).collect();
    three_ways(ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().recursion(0)), &rows);
}

#[test]
fn rows_that_steps_never_take_are_read() {
    // A oneof of which a member replaces another one.
    let twice = [message(&ALL, "x: 'a'"), message(&ALL, "y: 7 i: 3")].concat();
    let rows: Vec<_> =
        (0..200).map(|at| if at % 67 == 66 { messages()[0].clone() } else { twice.clone() }).collect();
    three_ways(ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().recursion(1)), &rows);
}

/// The type of this name in a schema in the `.proto` language.
fn from_source(source: &str, name: &str) -> MessageDescriptor {
    let pool = tablepb_schema::SourceBuilder::new().source("s.proto", source).build().unwrap();
    pool.message(name).unwrap()
}

/// The lines of some rows, each of which is the same with and without steps.
fn lines_of(builder: &ReaderBuilder, rows: &[&[u8]]) -> Vec<String> {
    let rows: Vec<_> = rows.iter().map(|row| row.to_vec()).collect();
    let batches = [builder.clone(), builder.clone().without_steps()].map(|builder| {
        let mut decoder = builder.build_decoder().unwrap();
        read(&mut decoder, &rows)
    });
    assert_eq!(batches[0], batches[1]);
    batches[0].columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
    lines(&batches[0])
}

#[test]
fn what_follows_the_other_form_of_a_list_is_of_the_same_message() {
    let source = "syntax = 'proto3'; message Sub { int32 x = 1; int32 y = 2; string s = 3; }
        message Root { repeated int32 a = 1; int32 b = 2; Sub sub = 3; string s = 4; }";
    let root = from_source(source, "Root");
    let some = ReaderBuilder::new(&root).projection(["b", "sub"]);
    // The list unpacked, which is its other form, and then `b`, whose tag is that of `y`.
    assert_eq!(lines_of(&some, &[b"\x08\x05\x10\x07"]), ["7 |"]);
    assert_eq!(lines_of(&some, &[b"\x08\x05\x10\x07\x1a\x02\x10\x09"]), ["7 | {x: 0, y: 9, s: }"]);
    // Strings without views, which a wrong row would cut off.
    let texts = ReaderBuilder::new(&root).projection(["b", "s", "sub"]).options(Options::new().views(false));
    let rows: [&[u8]; 3] = [b"\x1a\x05\x1a\x03one", b"\x08\x05\x22\x01t\x1a\x03\x1a\x01u", b"\x22\x01v"];
    assert_eq!(
        lines_of(&texts, &rows),
        ["0 | {x: 0, y: 0, s: one} |", "0 | {x: 0, y: 0, s: u} | t", "0 |  | v"]
    );
    let source = source.replace("proto3", "proto2").replace(" int32", " optional int32");
    let source = source.replace("repeated optional", "repeated").replace("Sub sub", "optional Sub sub");
    let source = source.replace(" string", " optional string");
    let root = from_source(&source, "Root");
    // A list that is not packed, packed on the wire.
    assert_eq!(lines_of(&ReaderBuilder::new(&root), &[b"\x0a\x01\x05\x10\x07"]), ["[5] | 7 |  |"]);
    let twice = b"\x0a\x01\x05\x0a\x01\x06\x10\x07\x1a\x02\x08\x01";
    assert_eq!(lines_of(&ReaderBuilder::new(&root), &[twice]), ["[5, 6] | 7 | {x: 1, y: , s: } |"]);
}

#[test]
fn a_time_after_a_message_without_fields_has_its_own_fields() {
    let source = "syntax = 'proto3'; package google.protobuf;
        message Duration { int64 seconds = 1; int32 nanos = 2; } message Empty {}
        message Row { Empty e = 1; Duration t = 2; repeated Duration ts = 3; }";
    let options = Options::new().well_known(true);
    let builder = ReaderBuilder::new(&from_source(source, "google.protobuf.Row")).options(options);
    // Nanoseconds before seconds.
    let row = b"\x12\x04\x10\x05\x08\x03\x1a\x04\x10\x06\x08\x04";
    assert_eq!(lines_of(&builder, &[row]), ["| PT3.000000005S | [PT4.000000006S]"]);
}

#[test]
fn unknown_fields_that_are_discarded_are_in_no_column() {
    let options = Options::new().recursion(0).unknown_fields(true);
    let builder = ReaderBuilder::new(&descriptor(&POINT)).options(options);
    let row = b"\x78\x01";
    assert_eq!(lines_of(&builder, &[row]), ["0.0 | 0.0 | 7801"]);
    let builder = builder.decode_options(DecodeOptions::new().discard_unknown(true));
    assert_eq!(lines_of(&builder, &[row]), ["0.0 | 0.0 |"]);
}

#[test]
fn rows_of_proto2_are_read_by_steps() {
    let source = "syntax = 'proto2'; enum E { A = 1; B = 2; N = -1; Z = 9; }
        message Sub { required int32 x = 1; optional bytes s = 2; }
        message Root { required string name = 1; optional E e = 2; repeated E es = 3; repeated E packed = 4 [packed = true];
            required Sub sub = 5; repeated Sub subs = 6; map<string, Sub> m = 7; oneof o { E one = 8; Sub other = 9; }
            repeated Root roots = 10; }";
    let root = from_source(source, "Root");
    // Name, sub-message; an enum, lists of it, a sub-message in a list, an entry, a member.
    let (name, sub): (&[u8], &[u8]) = (b"\x0a\x02a\xff", b"\x2a\x02\x08\x05");
    let rest = b"\x10\x02\x18\x09\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x22\x02\x01\x09\x32\x02\x08\x01\x3a\x07\x0a\x01k\x12\x02\x08\x03\x40\x01";
    let good = [[name, sub].concat(), [name, sub, rest].concat(), [name, rest, sub].concat()];
    let unlisted: [&[u8]; 5] =
        [b"\x10\x05", b"\x18\x00", b"\x22\x02\x01\x08", b"\x40\x03", b"\x10\x80\x80\x80\x80\x10"];
    let bad = [
        name.to_vec(),
        sub.to_vec(),
        [name, b"\x2a\x00"].concat(),
        [name, sub, b"\x32\x00"].concat(),
        [name, sub, b"\x3a\x03\x0a\x01k"].concat(),
        [name, sub, b"\x4a\x00"].concat(),
        [name, sub, b"\x52\x04\x0a\x02ab"].concat(),
    ];
    for options in [Options::new().recursion(1), Options::new().unknown_fields(true)] {
        let builder = ReaderBuilder::new(&root).options(options);
        let mut decoder = builder.build_decoder().unwrap();
        good.iter().for_each(|row| assert!(decoder.push(row).unwrap()));
        assert_eq!(decoder.rows_by_steps(), 3);
        let batch = decoder.flush().unwrap().unwrap();
        let strings: arrow_array::BinaryViewArray = batch.column(0).to_data().into();
        assert_eq!(strings.value(0), b"a\xff");
        let rows: Vec<_> = unlisted.iter().map(|row| [name, sub, row].concat()).collect();
        lines_of(&builder, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for row in &bad {
            for builder in [builder.clone(), builder.clone().without_steps()] {
                let mut decoder = builder.build_decoder().unwrap();
                assert!(matches!(decoder.push(row).unwrap_err().kind(), ErrorKind::Decode(_)), "{row:02x?}");
                assert!(decoder.push(&good[0]).unwrap());
            }
            // A reader that allows partial rows keeps rows without required fields.
            let partial = builder.clone().decode_options(DecodeOptions::new().allow_partial(true));
            lines_of(&partial, &[row]);
        }
    }
    // A number that is not listed is kept as it is on the wire.
    let some = ReaderBuilder::new(&root).options(Options::new().unknown_fields(true));
    let mut decoder = some.build_decoder().unwrap();
    assert!(decoder.push(&[name, sub, b"\x10\x05"].concat()).unwrap());
    let batch = decoder.flush().unwrap().unwrap();
    let unknown: arrow_array::BinaryViewArray = batch.column_by_name("_unknown").unwrap().to_data().into();
    assert_eq!((unknown.value(0), batch.column_by_name("e").unwrap().null_count()), (&b"\x10\x05"[..], 1));
    // What is not selected is not required.
    let mut decoder = ReaderBuilder::new(&root).projection(["e"]).build_decoder().unwrap();
    assert!(decoder.push(b"\x10\x02").unwrap());
    assert_eq!(decoder.rows_by_steps(), 1);
}

#[test]
fn groups_are_read_by_steps() {
    let source = "syntax = 'proto2'; message Sub { optional group P = 1 { optional int32 x = 1; } optional string s = 2; }
        message Root { optional group G = 1 { required int32 x = 1; optional group In = 2 { optional string s = 1; } }
            repeated group L = 20 { optional int32 x = 1; optional Sub sub = 2; } optional Sub sub = 3;
            oneof o { group One = 4 { optional bool b = 1; } int32 two = 5; } optional int32 last = 6; }";
    let builder = ReaderBuilder::new(&from_source(source, "Root"));
    // Groups in a group, in a list, in a message, in a oneof.
    let g = b"\x0b\x08\x07\x13\x0a\x01a\x14\x0c";
    let l = b"\xa3\x01\x08\x01\x12\x07\x0b\x08\x02\x0c\x12\x01b\xa4\x01\xa3\x01\xa4\x01";
    let (sub, one) = (b"\x1a\x04\x0b\x08\x03\x0c", b"\x23\x08\x01\x24");
    let good = [&g[..], l, sub, one].concat();
    let mut decoder = builder.build_decoder().unwrap();
    assert!(decoder.push(&good).unwrap() && decoder.push(&[&l[..], g, b"\x30\x09"].concat()).unwrap());
    assert_eq!(decoder.rows_by_steps(), 2);
    decoder.flush().unwrap();
    let seen = lines_of(&builder, &[&good, b"\x30\x01"]);
    assert!(
        seen[0].contains("{x: 1, sub: {p: {x: 2}, s: 62}}, {x: , sub: }") && seen[1].ends_with("| 1"),
        "{seen:?}"
    );
    // Bad ones: cut off and changed, without an end, with the end of another field, with an end after the message around it.
    let rows = mutated(vec![
        good,
        g.to_vec(),
        l.to_vec(),
        [&sub[..], one].concat(),
        b"\x1a\x03\x0b\x08\x03\x0c".to_vec(),
    ]);
    assert!(three_ways(builder.clone(), &rows) > 0);
    let shallow = DecodeOptions::new().max_depth(1);
    assert!(three_ways(builder.clone().decode_options(shallow), &rows) > 0);
    three_ways(builder.projection(["g.in", "sub", "last"]), &rows);
}

#[test]
fn fields_are_found_by_numbers_of_every_length() {
    let numbers = [1, 15, 16, 127, 1023, 1024, 2047, 2048, 262_143, 262_144, 536_870_911];
    let fields: String = numbers.map(|number| format!("int32 f{number} = {number}; ")).concat();
    let source = format!("syntax = 'proto3'; message Root {{ {fields} }}");
    let descriptor = from_source(&source, "Root");
    let parts = numbers.map(|number| {
        let mut bytes = Vec::new();
        let mut writer = tablepb::wire::Writer::new(&mut bytes);
        writer.write_tag(tablepb::wire::Tag::new(number, tablepb::wire::WireType::Varint));
        writer.write_varint(number.into());
        bytes
    });
    let forward = parts.concat();
    // From the last to the first, so that none is the likely one.
    let backward: Vec<u8> = parts.iter().rev().flatten().copied().collect();
    let builder = ReaderBuilder::new(&descriptor);
    let seen = lines_of(&builder, &[&forward, &backward]);
    assert_eq!(seen[0], numbers.map(|number| number.to_string()).join(" | "));
    assert_eq!(seen[1], seen[0]);
}
