//! Columns make rows ahead of what comes, and Arrow does not check again what was checked: neither may be seen.

use super::rows::bad_message;
use super::*;

/// All values of a batch are as Arrow wants them; and the lines of its table.
fn checked(batch: &RecordBatch) -> Vec<String> {
    batch.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
    lines(batch)
}

/// The lines of messages, each of which is read alone.
fn one_by_one(builder: &ReaderBuilder, messages: &[Vec<u8>]) -> Vec<String> {
    let mut decoder = builder.build_decoder().unwrap();
    messages.iter().flat_map(|message| checked(&read(&mut decoder, std::slice::from_ref(message)))).collect()
}

/// Reads the messages by push, as one block, and with bad ones between them, in batches of every size around the rows made at once.
fn compare(builder: &ReaderBuilder, messages: &[Vec<u8>], bad: &[u8]) {
    let expected = one_by_one(builder, messages);
    for size in [1, 63, 64, 65, 129, 200] {
        let (messages, expected) = (&messages[..size], &expected[..size]);
        let mut decoder = builder.clone().batch_size(size).build_decoder().unwrap();
        assert_eq!(checked(&read(&mut decoder, messages)), expected);
        let block = Buffer::from_vec(delimited(messages));
        // The second time, the columns know how long the last ones were.
        for _ in 0..2 {
            assert_eq!(decoder.decode_block(&block).unwrap(), block.len());
            assert_eq!(checked(&decoder.flush().unwrap().unwrap()), expected);
        }
        let mut decoder = builder.clone().batch_size(size + 1).build_decoder().unwrap();
        for message in messages {
            assert!(decoder.push(bad).is_err());
            assert!(decoder.push(message).unwrap());
        }
        assert!(decoder.push(bad).is_err());
        assert_eq!(checked(&decoder.flush().unwrap().unwrap()), expected);
    }
}

#[test]
fn rows_made_ahead_are_never_seen() {
    let some = messages();
    let messages: Vec<_> = (0..200).map(|row| some[(row * row + row / 7) % some.len()].clone()).collect();
    for options in [
        Options::new(),
        Options::new().views(false).enums(Enums::Name),
        Options::new().oneofs(Oneofs::Union).enums(Enums::Dictionary),
    ] {
        compare(&ReaderBuilder::new(&descriptor(&ALL)).options(options), &messages, &bad_message());
    }
}

#[test]
fn rows_made_ahead_hold_the_default() {
    let source = r#"
        edition = "2023";
        message M {
            int64 n = 1 [default = -7, features.field_presence = LEGACY_REQUIRED];
            string s = 2 [default = "a default of more than twelve bytes", features.field_presence = LEGACY_REQUIRED];
            bytes b = 3 [default = "\xff\xfe", features.field_presence = LEGACY_REQUIRED];
            bool t = 4 [default = true, features.field_presence = LEGACY_REQUIRED];
            string o = 5 [default = "not for nulls"];
            repeated M ms = 6;
        }"#;
    let pool = tablepb_schema::SourceBuilder::new().source("m.proto", source).build().unwrap();
    let descriptor = pool.message("M").unwrap();
    // Nothing; the first three fields; a bool, an empty string and a message; two messages.
    let wire: [&[u8]; 4] = [
        b"",
        b"\x08\x01\x12\x10more than twelve\x1a\x01x",
        b"\x20\x00\x2a\x00\x32\x00",
        b"\x32\x02\x08\x03\x32\x07\x12\x05short",
    ];
    let message = |row: usize| wire[row * 5 % 7 % 4].to_vec();
    let messages: Vec<_> = (0..200).map(message).collect();
    for views in [true, false] {
        let options = Options::new().views(views);
        let decode = DecodeOptions::new().allow_partial(true);
        let builder = ReaderBuilder::new(&descriptor).options(options).decode_options(decode);
        let mut decoder = builder.build_decoder().unwrap();
        let row = "-7 | a default of more than twelve bytes | fffe | true";
        let first = checked(&read(&mut decoder, &messages[..1]));
        assert!(first[0].starts_with(row), "{}", first[0]);
        // The string of the second message in a list is no UTF-8.
        compare(&builder, &messages, b"\x08\x05\x12\x01y\x32\x02\x08\x01\x32\x03\x12\x01\xff");
    }
}

#[test]
fn strings_of_every_length_become_views() {
    for views in [true, false] {
        let builder =
            ReaderBuilder::new(&descriptor(&ALL)).projection(["s"]).options(Options::new().views(views));
        let text = |len: usize| "abcdefghijklmnopqrstuvwxyz".chars().cycle().take(len).collect::<String>();
        let messages: Vec<_> =
            (0..200).map(|len| message(&ALL, &format!("s: '{}'", text(len % 40)))).collect();
        let expected: Vec<_> = (0..200).map(|len| text(len % 40)).collect();
        assert_eq!(one_by_one(&builder, &messages), expected);
        compare(&builder, &messages, &bad_message());
    }
}
