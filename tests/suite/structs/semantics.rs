//! What decoding means: merging, unknown fields, enums, maps, required fields, errors and limits.

#![cfg(feature = "std")]

use std::collections::{BTreeMap, HashMap};
use tablepb::{
    DecodeErrorKind, DecodeOptions, EncodeErrorKind, EncodeOptions, EnumValue, Message, UnknownFieldSet,
};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red = 0,
    Green = 1,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Closed {
    #[default]
    One = 1,
    Two = 2,
}

/// The values of a map have an enum that starts at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Level {
    #[default]
    Low = 0,
    High = 2,
}

tablepb::enumeration! {
    Level as "example.Level" syntax "proto2" { Low as "LOW" = 0, High as "HIGH" = 2 }
    Color as "example.Color" { Red as "RED" = 0, Green as "GREEN" = 1 }
    Closed as "example.Closed" syntax "proto2" { One as "ONE" = 1, Two as "TWO" = 2 }
}

#[derive(Clone, Debug, PartialEq)]
enum Choice {
    Number(i32),
    Text(String),
    Inner(Box<Rich>),
    Closed(Closed),
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Rich {
    a: i32,
    s: String,
    m: Option<Box<Rich>>,
    p: Vec<i32>,
    counts: BTreeMap<i32, i32>,
    inner: HashMap<String, Rich>,
    choice: Option<Choice>,
    color: Color,
    value: EnumValue<Color>,
    closed: Vec<Closed>,
    closed_value: Option<EnumValue<Closed>>,
    closed_map: BTreeMap<i32, Level>,
    group: Option<Box<Rich>>,
    children: Vec<Rich>,
    unknown: UnknownFieldSet,
}

tablepb::message! {
    Rich as "example.Rich" {
        a: int32 = 1,
        s: string = 2,
        m: message Rich = 3,
        p: repeated int32 = 4,
        counts: map<int32, int32> = 5,
        inner: map<string, message Rich> = 6,
        choice: oneof Choice {
            Number as "number": int32 = 7,
            Text as "text": string = 8,
            Inner as "inner_choice": message Rich = 9,
            Closed as "closed_choice": enum Closed = 10,
        },
        color: enum Color = 11,
        value: enum Color = 12,
        closed: repeated enum Closed = 13,
        closed_value: optional enum Closed = 14,
        closed_map: map<int32, enum Level> = 15,
        group: group Rich = 16,
        children: repeated message Rich = 17,
        unknown: unknown_fields,
    }
}

#[derive(Debug, Default, PartialEq)]
struct Plain {
    a: i32,
}

tablepb::message! { Plain as "example.Plain" { a: int32 = 1 } }

fn rich(bytes: &[u8]) -> Rich {
    Rich::decode(bytes).unwrap()
}

#[test]
fn the_last_value_wins_and_messages_merge() {
    let twice = rich(b"\x08\x01\x08\x02\x12\x01a\x12\x01b\x20\x01\x22\x02\x02\x03\x20\x04");
    assert_eq!((twice.a, &twice.s[..], &twice.p[..]), (2, "b", &[1, 2, 3, 4][..]));
    let merged = rich(b"\x1a\x02\x08\x01\x1a\x03\x12\x01a\x1a\x02\x08\x02").m.unwrap();
    assert_eq!((merged.a, &merged.s[..]), (2, "a"));
    let merged = rich(b"\x83\x01\x08\x01\x84\x01\x83\x01\x12\x01a\x84\x01").group.unwrap();
    assert_eq!((merged.a, &merged.s[..]), (1, "a"));
    // An explicit zero replaces too.
    assert_eq!(rich(&[8, 1, 8, 0]).a, 0);
}

#[test]
fn the_last_arm_of_a_oneof_wins_and_the_same_message_arm_merges() {
    assert_eq!(rich(b"\x38\x05\x42\x01x").choice, Some(Choice::Text("x".into())));
    assert_eq!(rich(b"\x42\x01x\x38\x05").choice, Some(Choice::Number(5)));
    let Some(Choice::Inner(inner)) = rich(b"\x38\x05\x4a\x02\x08\x01\x4a\x03\x12\x01a").choice else {
        panic!("the last arm is the message");
    };
    assert_eq!((inner.a, &inner.s[..]), (1, "a"));
    let reset = rich(b"\x4a\x02\x08\x01\x38\x05\x4a\x03\x12\x01a").choice;
    assert_eq!(reset, Some(Choice::Inner(Box::new(Rich { s: "a".into(), ..Rich::default() }))));
    // A closed enum's unknown number and a wrong wire type leave the arm that is set.
    let kept = rich(&[0x38, 5, 0x50, 9, 0x3a, 1, 0]);
    assert_eq!((kept.choice, kept.unknown.as_bytes()), (Some(Choice::Number(5)), &[0x50, 9, 0x3a, 1, 0][..]));
}

#[test]
fn merge_is_decoding_the_concatenation() {
    let (first, second) = (
        b"\x08\x01\x22\x01\x05\x1a\x02\x08\x07\x2a\x04\x08\x01\x10\x01",
        b"\x12\x01s\x22\x01\x06\x2a\x04\x08\x01\x10\x02",
    );
    let mut merged = rich(first);
    merged.merge(second).unwrap();
    assert_eq!(merged, rich(&[&first[..], second].concat()));
}

#[test]
fn merging_reuses_memory() {
    let bytes = rich(b"\x12\x05hello\x22\x04\x01\x02\x03\x04").encode_to_vec().unwrap();
    let mut message = rich(&bytes);
    let places = |m: &Rich| (m.s.as_ptr(), m.p.as_ptr());
    let before = places(&message);
    message.clear();
    assert_eq!(message, Rich::default());
    message.merge(&bytes).unwrap();
    assert_eq!((places(&message), &message.s[..]), (before, "hello"));
}

#[test]
fn unknown_fields_are_kept_in_order_and_written_last() {
    let unknown =
        b"\xa0\x06\x01\xa5\x06abcd\xa1\x06abcdefgh\xa2\x06\x02hi\xa3\x06\x08\x01\xa4\x06\xa0\x06\x02";
    let bytes = [&unknown[..3], &[8, 1], &unknown[3..]].concat();
    let message = rich(&bytes);
    assert_eq!((message.a, message.unknown.as_bytes()), (1, &unknown[..]));
    assert_eq!(message.encode_to_vec().unwrap(), [&[8, 1], &unknown[..]].concat());
    let mut reader = message.unknown.reader();
    assert_eq!(reader.read_tag().unwrap().number(), 100);
    assert_eq!(Plain::decode(&bytes).unwrap(), Plain { a: 1 });

    let dropped = DecodeOptions::new().discard_unknown(true).decode::<Rich>(&bytes).unwrap();
    assert!(dropped.unknown.is_empty());

    let mut set = UnknownFieldSet::new();
    set.append(&[8, 1]).unwrap();
    assert!(set.append(&[8]).is_err());
    assert_eq!(set.as_bytes(), [8, 1]);
}

#[test]
fn a_wrong_wire_type_makes_a_field_unknown() {
    for bytes in [
        &b"\x0a\x01x"[..],
        b"\x0d\x01\x02\x03\x04",
        b"\x10\x05",
        b"\x18\x05",
        b"\x1b\x08\x01\x1c",
        b"\x25\x01\x02\x03\x04",
        b"\x28\x05",
        b"\x3a\x01x",
        b"\x48\x05",
        b"\x5a\x01\x00",
        b"\x82\x01\x02\x08\x01",
        b"\x88\x01\x01",
    ] {
        let message = rich(bytes);
        assert_eq!(message.unknown.as_bytes(), bytes);
        assert_eq!(message, Rich { unknown: message.unknown.clone(), ..Rich::default() }, "{bytes:?}");
    }
}

#[test]
fn enums_keep_unknown_numbers() {
    // An open enum: in place where there is room for the number, else as unknown field.
    let message = rich(&[0x58, 7, 0x60, 7]);
    assert_eq!((message.color, message.value), (Color::Red, EnumValue::Unknown(7)));
    assert_eq!(message.unknown.as_bytes(), [0x58, 7]);
    assert_eq!(message.encode_to_vec().unwrap(), [0x60, 7, 0x58, 7]);
    // A closed enum: always as unknown field.
    let message = rich(&[0x68, 2, 0x68, 5, 0x70, 5, 0x70, 1]);
    assert_eq!((&message.closed[..], message.closed_value), (&[Closed::Two][..], Some(Closed::One.into())));
    assert_eq!(message.unknown.as_bytes(), [0x68, 5, 0x70, 5]);
    // In a packed run, each unknown number becomes a field.
    let message = rich(&[0x6a, 4, 1, 9, 2, 8]);
    assert_eq!(message.closed, [Closed::One, Closed::Two]);
    assert_eq!(message.unknown.as_bytes(), [0x68, 9, 0x68, 8]);
    // Numbers are cut to 32 bits.
    assert_eq!(rich(&[0x60, 0x81, 0x80, 0x80, 0x80, 0x10]).value, Color::Green);
}

#[test]
fn an_enum_that_is_not_set_has_its_first_value() {
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    enum Size {
        Small = 0,
        #[default]
        Large = 1,
    }
    tablepb::enumeration! { Size as "example.Size" { Small = 0, Large = 1 } }

    #[derive(Debug, Default, PartialEq)]
    struct V {
        size: Size,
        closed: i32,
        kept: Option<Size>,
    }
    tablepb::message! {
        V as "example.V" syntax "proto2" { size: enum Size = 1, closed: enum Closed = 2, kept: enum Size = 3 }
    }

    let read = V::decode(&[]).unwrap();
    assert_eq!(read, V { size: Size::Small, closed: 1, kept: None });
    assert_eq!(read.encode_to_vec().unwrap(), [0u8; 0]);
    assert_eq!(V::default().encode_to_vec().unwrap(), [8, 1, 0x10, 0]);
}

#[test]
fn map_entries() {
    let counts = |bytes: &[u8]| rich(bytes).counts.into_iter().collect::<Vec<_>>();
    assert_eq!(counts(&[0x2a, 4, 8, 1, 16, 2]), [(1, 2)]);
    assert_eq!(counts(&[0x2a, 0]), [(0, 0)]);
    assert_eq!(counts(&[0x2a, 2, 16, 2]), [(0, 2)]);
    assert_eq!(counts(&[0x2a, 2, 8, 1]), [(1, 0)]);
    assert_eq!(counts(&[0x2a, 4, 16, 2, 8, 1]), [(1, 2)]);
    assert_eq!(counts(&[0x2a, 6, 8, 1, 8, 3, 16, 2]), [(3, 2)]);
    assert_eq!(counts(&[0x2a, 4, 8, 1, 16, 2, 0x2a, 4, 8, 1, 16, 9]), [(1, 9)]);
    // Unknown fields in an entry are dropped, wrong wire types too.
    assert_eq!(counts(&[0x2a, 8, 8, 1, 0x18, 7, 16, 2, 0x0a, 0]), [(1, 2)]);

    // A message value is replaced by a later entry, merged within one.
    let inner = rich(b"\x32\x07\x0a\x01k\x12\x02\x08\x01");
    assert_eq!(inner.inner["k"].a, 1);
    let merged = rich(b"\x32\x0c\x0a\x01k\x12\x02\x08\x01\x12\x03\x12\x01s").inner.remove("k").unwrap();
    assert_eq!((merged.a, &merged.s[..]), (1, "s"));
    let replaced = rich(b"\x32\x07\x0a\x01k\x12\x02\x08\x01\x32\x08\x0a\x01k\x12\x03\x12\x01s")
        .inner
        .remove("k")
        .unwrap();
    assert_eq!((replaced.a, &replaced.s[..]), (0, "s"));

    // A number that a closed enum does not have makes the entry unknown.
    let message = rich(&[0x7a, 4, 8, 1, 16, 9, 0x7a, 4, 8, 2, 16, 2]);
    assert_eq!(message.closed_map, BTreeMap::from([(2, Level::High)]));
    assert_eq!(message.unknown.as_bytes(), [0x7a, 4, 8, 1, 16, 9]);
    // The last value decides.
    assert_eq!(rich(&[0x7a, 4, 16, 9, 16, 2]).closed_map, BTreeMap::from([(0, Level::High)]));
    assert!(rich(&[0x7a, 4, 16, 2, 16, 9]).closed_map.is_empty());
    assert_eq!(rich(&[0x7a, 0]).closed_map, BTreeMap::from([(0, Level::Low)]));
    assert_eq!(rich(&[0x7a, 0]).encode_to_vec().unwrap(), [0x7a, 4, 8, 0, 16, 0]);
}

#[test]
fn maps_in_key_order() {
    let entries = (0..50).map(|i| (format!("{i:02}"), Rich { a: i, ..Rich::default() }));
    let message = Rich { inner: entries.collect(), ..Rich::default() };
    let mut bytes = Vec::new();
    EncodeOptions::new().deterministic(true).encode(&message, &mut bytes).unwrap();
    let keys: Vec<_> = bytes.windows(4).filter(|w| w[..2] == [0x0a, 2]).map(|w| &w[2..]).collect();
    assert!(keys.len() == 50 && keys.is_sorted());
    assert_eq!(rich(&bytes), message);
    assert_eq!(rich(&message.encode_to_vec().unwrap()), message);
}

#[derive(Debug, Default, PartialEq)]
struct Must {
    id: Option<i32>,
    name: Option<String>,
    inner: Option<Box<Must>>,
    list: Vec<Must>,
    map: BTreeMap<String, Must>,
}

tablepb::message! {
    Must as "example.Must" syntax "proto2" {
        id: required int32 = 1,
        name: required string = 2,
        inner: message Must = 3,
        list: repeated message Must = 4,
        map: map<string, message Must> = 5,
    }
}

#[test]
fn required_fields_are_checked_when_the_message_is_complete() {
    let full = || Must { id: Some(0), name: Some(String::new()), ..Must::default() };
    let bytes = full().encode_to_vec().unwrap();
    assert_eq!(bytes, [8, 0, 0x12, 0]);
    assert_eq!(Must::decode(&bytes).unwrap(), full());

    let error = Must::decode(&bytes[..2]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::MissingRequired, 2));
    assert_eq!((error.path().to_string(), error.message_name()), ("name".into(), Some("example.Must")));
    let error = Must::decode(&[8, 0, 0x12, 0, 0x1a, 0]).unwrap_err();
    assert_eq!(error.path().to_string(), "inner.id");
    let nested = [8, 0, 0x12, 0, 0x22, 4, 8, 0, 0x12, 0, 0x22, 2, 8, 0];
    assert_eq!(Must::decode(&nested).unwrap_err().path().to_string(), "list[1].name");
    let partial = DecodeOptions::new().allow_partial(true);
    assert_eq!(partial.decode::<Must>(&nested).unwrap().list.len(), 2);

    // A message that comes in two parts is complete.
    assert!(Must::decode(&[8, 0, 0x12, 0, 0x1a, 2, 8, 0, 0x1a, 2, 0x12, 0]).is_ok());
    let mut merged = Must::default();
    merged.merge(&[8, 0]).unwrap();
    let error = merged.encode_to_vec().unwrap_err();
    assert_eq!((error.kind(), error.path().to_string()), (EncodeErrorKind::MissingRequired, "name".into()));
    assert_eq!(merged.encoded_len(), 2);
    let mut buffer = vec![7];
    assert!(merged.encode(&mut buffer).is_err() && merged.encode_length_delimited(&mut buffer).is_err());
    assert_eq!(buffer, [7]);
    EncodeOptions::new().allow_partial(true).encode(&merged, &mut buffer).unwrap();
    assert_eq!(buffer, [7, 8, 0]);
    merged.merge(&[0x12, 0]).unwrap();
    merged.list =
        vec![full(), Must { list: vec![full(), full(), Must::default()], ..full() }, Must::default()];
    let error = merged.encode_to_vec().unwrap_err();
    assert_eq!(error.to_string(), "a required field is not set, in example.Must: list[1].list[2].id");
    merged.list.clear();
    merged.map.insert("k".into(), Must::default());
    assert_eq!(merged.encode_to_vec().unwrap_err().path().to_string(), "map[0].value.id");
}

#[test]
fn errors_say_what_where_and_in_which_field() {
    let fail = |bytes: &[u8]| {
        let error = Rich::decode(bytes).unwrap_err();
        assert_eq!(error.message_name(), Some("example.Rich"));
        (error.kind(), error.offset(), error.path().to_string())
    };
    use DecodeErrorKind::*;
    let at = |path: &str| path.to_string();
    assert_eq!(fail(&[0x08]), (Incomplete, 1, at("a")));
    assert_eq!(fail(&[0x12, 2, b'a']), (Incomplete, 1, at("s")));
    assert_eq!(fail(b"\x12\x02\xc3\x28"), (InvalidUtf8, 2, at("s")));
    assert_eq!(fail(b"\x08\x01\x1a\x04\x12\x02\xc3\x28"), (InvalidUtf8, 6, at("m.s")));
    assert_eq!(fail(b"\x8a\x01\x00\x8a\x01\x04\x1a\x02\x08"), (Incomplete, 5, at("children[1]")));
    assert_eq!(fail(b"\x8a\x01\x00\x8a\x01\x03\x1a\x01\x08"), (Overrun, 9, at("children[1].m.a")));
    assert_eq!(fail(&[0x1a, 2, 0x22, 8, 0, 0]), (Overrun, 3, at("m.p[0]")));
    assert_eq!(fail(&[0x22, 2, 1, 0x80]), (Overrun, 3, at("p[1]")));
    assert_eq!(fail(b"\x32\x05\x12\x03\x12\x01\xff"), (InvalidUtf8, 6, at("inner.value.s")));
    assert_eq!(fail(b"\x32\x03\x0a\x01\xff"), (InvalidUtf8, 4, at("inner.key")));
    assert_eq!(fail(b"\x42\x01\xff"), (InvalidUtf8, 2, at("text")));
    assert_eq!(fail(&[0x83, 1, 8, 1]), (Incomplete, 4, at("group")));
    assert_eq!(fail(&[0x83, 1, 8, 1, 0x8c, 1]), (UnexpectedEndGroup, 4, at("group")));
    assert_eq!(fail(&[8, 1, 0x0c]), (UnexpectedEndGroup, 2, at("")));
    assert_eq!(fail(&[8, 1, 0x0e, 0]), (InvalidWireType, 2, at("")));
    assert_eq!(fail(&[0, 1]), (InvalidFieldNumber, 0, at("")));
    assert_eq!(fail(&[0x88, 0x80, 0x80, 0x80, 0x80, 0]), (InvalidTag, 0, at("")));
    assert_eq!(fail(&[0x12, 0x81, 0x80, 0x80, 0x80, 0x80, 0, b'a']), (InvalidLength, 1, at("s")));
    assert_eq!(fail(&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2]), (VarintOverflow, 1, at("a")));
    assert_eq!(fail(&[0xfb, 0x0f, 0x84, 0x10]), (UnexpectedEndGroup, 2, at("")));
}

#[test]
fn a_failed_merge_leaves_a_valid_message() {
    let mut message = Rich { a: 1, s: "old".into(), ..Rich::default() };
    assert!(message.merge(b"\x08\x02\x12\x02\xc3\x28").is_err());
    assert_eq!((message.a, &message.s[..]), (2, "old"));
    assert!(message.merge(b"\x42\x01x\x4a\x03\x08\x01\x08").is_err());
    assert_eq!(message.choice, Some(Choice::Text("x".into())));
}

#[test]
fn length_delimited_messages() {
    let mut bytes = Vec::new();
    for a in [0, 1, 300] {
        Plain { a }.encode_length_delimited(&mut bytes).unwrap();
    }
    assert_eq!(bytes, [0, 2, 8, 1, 3, 8, 0xac, 2]);
    let mut input = &bytes[..];
    let read: Vec<_> = (0..3).map(|_| Plain::decode_length_delimited(&mut input).unwrap().a).collect();
    assert_eq!((&read[..], input), (&[0, 1, 300][..], &[][..]));

    for short in [&bytes[..0], &bytes[4..5], &bytes[4..6], &bytes[4..7]] {
        let mut input = short;
        let error = Plain::decode_length_delimited(&mut input).unwrap_err();
        assert_eq!((error.kind(), input), (DecodeErrorKind::Incomplete, short));
    }
    // A fault inside the message is not a lack of input, and its offset counts from the length on.
    let mut input = &[2, 8, 0x80, 9][..];
    let error = Plain::decode_length_delimited(&mut input).unwrap_err();
    assert_eq!((error.kind(), error.offset(), input.len()), (DecodeErrorKind::Overrun, 2, 4));
}

#[test]
fn every_buffer_takes_the_same_bytes() {
    let message = rich(b"\x08\x01\x1a\x05\x1a\x03\x12\x01a\x22\x02\x01\x02");
    let expected = message.encode_to_vec().unwrap();
    let mut vec = b"head".to_vec();
    message.encode(&mut vec).unwrap();
    assert_eq!(vec, [b"head", &expected[..]].concat());
    let mut slice = [9; 40];
    assert_eq!(message.encode_to_slice(&mut slice).unwrap(), expected.len());
    assert_eq!((&slice[..expected.len()], slice[expected.len()]), (&expected[..], 9));
    let error = message.encode_to_slice(&mut slice[..expected.len() - 1]).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::BufferTooSmall);
}

#[cfg(feature = "bytes")]
#[test]
fn bytes_buffers() {
    use tablepb::bytes::{Bytes, BytesMut};

    #[derive(Debug, Default, PartialEq)]
    struct Blob {
        data: Bytes,
    }
    tablepb::message! { Blob as "example.Blob" { data: bytes = 1 } }

    let blob = Blob { data: Bytes::from_static(b"data") };
    let mut buffer = BytesMut::from(&b"head"[..]);
    blob.encode(&mut buffer).unwrap();
    assert_eq!(buffer, b"head\x0a\x04data"[..]);
    let mut other = Vec::new();
    blob.encode_buf(&mut other).unwrap();
    assert_eq!(other, buffer[4..]);
    let mut short = [0; 3];
    let error = blob.encode_buf(&mut &mut short[..]).unwrap_err();
    assert_eq!((error.kind(), short), (EncodeErrorKind::BufferTooSmall, [0; 3]));

    let input = buffer.split_off(4).freeze();
    assert_eq!(Blob::decode(&input).unwrap(), blob);
    let shared = Blob::decode_shared(&input).unwrap();
    assert_eq!(shared.data.as_ptr(), input[2..].as_ptr());
    let copied = Blob::decode(&input).unwrap();
    assert_ne!(copied.data.as_ptr(), input[2..].as_ptr());

    let lacking = Bytes::from_static(b"");
    let partial = DecodeOptions::new().allow_partial(true).decode_shared::<Must>(&lacking);
    assert!(partial.is_ok() && Must::decode_shared(&lacking).is_err());
}

#[cfg(feature = "bytes")]
#[test]
fn chunks_are_one_message() {
    use bytes::{Buf, BufMut, BytesMut};

    #[derive(Debug, Default, PartialEq)]
    struct Tree {
        name: String,
        children: Vec<Tree>,
    }
    tablepb::message! { Tree as "example.Tree" { name: string = 1, children: repeated message Tree = 2 } }

    let leaf = |name: &str| Tree { name: name.into(), children: Vec::new() };
    let tree = Tree { name: "root".into(), children: (0..50).map(|i| leaf(&i.to_string())).collect() };
    let bytes = tree.encode_to_vec().unwrap();
    for at in 0..=bytes.len() {
        let (first, rest) = bytes.split_at(at);
        let mut chunks = first.chain(rest);
        assert_eq!(Tree::decode_buf(&mut chunks).unwrap(), tree);
        assert_eq!(chunks.remaining(), 0);
        // All of the input is read, whatever is wrong with it.
        let mut cut = first.chain(&b"\x0a"[..]);
        let flat = [first, b"\x0a"].concat();
        assert_eq!(Tree::decode_buf(&mut cut), Tree::decode(&flat));
        assert_eq!(cut.remaining(), 0);
    }

    // Room for all, for too little in the first chunk, for too little at all.
    for room in 0..bytes.len() + 40 {
        let mut buffer = BytesMut::with_capacity(room);
        tree.encode_buf(&mut buffer).unwrap();
        assert_eq!(buffer, bytes[..]);
        // Room is asked for once, where there is too little, and then the message stands there without a copy.
        let (mut buffer, mut asked) = (BytesMut::with_capacity(room), Vec::new());
        let reserve = |buffer: &mut BytesMut, len| {
            asked.push(len);
            buffer.reserve(len);
        };
        tablepb::EncodeOptions::new().encode_reserving(&tree, &mut buffer, reserve).unwrap();
        assert_eq!(buffer, bytes[..]);
        assert!(asked.is_empty() || asked == [bytes.len()], "{asked:?}");
        assert_eq!(asked.is_empty(), room >= bytes.len(), "{room}");
        let (mut first, mut rest) = (vec![0; room], vec![0; bytes.len()]);
        let mut chain = (&mut first[..]).chain_mut(&mut rest[..]);
        tree.encode_buf(&mut chain).unwrap();
        assert_eq!(chain.remaining_mut(), room);
        let written = [&first[..], &rest[..]].concat();
        assert_eq!(written[..bytes.len()], bytes);
        let mut memory = vec![b'.'; room];
        let mut slice = &mut memory[..];
        let result = tree.encode_buf(&mut slice);
        let left = slice.len();
        if room < bytes.len() {
            assert_eq!((result.unwrap_err().kind(), left), (EncodeErrorKind::BufferTooSmall, room));
            assert!(memory.iter().all(|&byte| byte == b'.'));
        } else {
            assert_eq!((result, left), (Ok(()), room - bytes.len()));
        }
    }
}

#[test]
fn borrowed_members_point_into_the_input() {
    use std::borrow::Cow;

    #[derive(Debug, PartialEq)]
    enum Value<'a> {
        Text(&'a str),
        Log(Box<Log<'a>>),
    }

    #[derive(Debug, Default, PartialEq)]
    struct Log<'a> {
        source: &'a str,
        body: &'a [u8],
        note: Option<Cow<'a, str>>,
        attributes: BTreeMap<&'a str, &'a [u8]>,
        children: Vec<Log<'a>>,
        value: Option<Value<'a>>,
        unknown: Vec<u8>,
    }

    tablepb::message! {
        Log<'a> as "example.Log" {
            source: string = 1,
            body: bytes = 2,
            note: optional string = 3,
            attributes: map<string, bytes> = 4,
            children: repeated message Log = 5,
            value: oneof Value { Text: string = 6, Log: message Log = 7 },
            unknown: unknown_fields,
        }
    }

    fn decode<'i>(input: &'i [u8]) -> Log<'i> {
        Log::decode(input).unwrap()
    }

    let bytes = b"\x0a\x01s\x12\x01b\x1a\x01n\x22\x06\x0a\x01k\x12\x01v\x2a\x03\x0a\x01c\x3a\x03\x32\x01t\x98\x06\x01".to_vec();
    let log = decode(&bytes);
    let inside = |part: *const u8| bytes.as_ptr_range().contains(&part);
    assert_eq!((log.source, log.body, log.note.as_deref()), ("s", &b"b"[..], Some("n")));
    assert!(inside(log.source.as_ptr()) && inside(log.body.as_ptr()));
    assert!(matches!(&log.note, Some(Cow::Borrowed(note)) if inside(note.as_ptr())));
    assert_eq!((log.attributes["k"], log.children[0].source), (&b"v"[..], "c"));
    let Some(Value::Log(inner)) = &log.value else { panic!("the arm is a message") };
    assert_eq!((&inner.value, &log.unknown[..]), (&Some(Value::Text("t")), &[0x98, 6, 1][..]));
    assert_eq!(log.encode_to_vec().unwrap(), bytes);
}

#[test]
fn nesting_of_100_levels_is_accepted_and_101_rejected() {
    let wrap =
        |levels: usize, open: &dyn Fn(&[u8]) -> Vec<u8>| (0..levels).fold(vec![], |inner, _| open(&inner));
    let message = |tag: Vec<u8>| {
        move |inner: &[u8]| {
            let mut out = tag.clone();
            tablepb::wire::Writer::new(&mut out).write_length_delimited(inner).unwrap();
            out
        }
    };
    let group = |inner: &[u8]| [&[0x83, 1], inner, &[0x84, 1]].concat();
    let unknown_group = |inner: &[u8]| [&[0xfb, 0x0f], inner, &[0xfc, 0x0f]].concat();
    let both = |inner: &[u8]| [&b"\x0a\x00\x12"[..], &message(vec![])(inner)].concat();
    let entry = |inner: &[u8]| message(vec![0x32])(&both(inner));
    let singular = message(vec![0x1a]);
    let repeated = message(vec![0x8a, 1]);
    type Open<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let cases: [(Open<'_>, usize); 5] =
        [(&singular, 100), (&repeated, 100), (&group, 100), (&unknown_group, 100), (&entry, 50)];
    for (open, levels) in cases {
        let message = Rich::decode(&wrap(levels, open)).unwrap();
        assert_eq!(Rich::decode(&message.encode_to_vec().unwrap()).unwrap(), message);
        let error = Rich::decode(&wrap(levels + 1, open)).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
    }
    let many = [[0xfb, 0x0f].repeat(1 << 20), [0xfc, 0x0f].repeat(1 << 20)].concat();
    assert_eq!(Rich::decode(&many).unwrap_err().kind(), DecodeErrorKind::DepthExceeded);
    // Unknown groups in messages share the budget.
    assert!(Rich::decode(&singular(&wrap(99, &unknown_group))).is_ok());
    assert!(Rich::decode(&singular(&wrap(100, &unknown_group))).is_err());

    // Options can lower the limit, not raise it: structs recurse.
    let three = wrap(3, &singular);
    assert!(DecodeOptions::new().max_depth(3).decode::<Rich>(&three).is_ok());
    assert!(DecodeOptions::new().max_depth(2).decode::<Rich>(&three).is_err());
    assert!(DecodeOptions::new().max_depth(1000).decode::<Rich>(&wrap(101, &singular)).is_err());

    // Encoding has the same limit.
    let nest =
        |levels| (0..levels).fold(Rich::default(), |m, _| Rich { m: Some(Box::new(m)), ..Rich::default() });
    assert_eq!(nest(100).encode_to_vec().unwrap(), wrap(100, &singular));
    let mut buffer = Vec::new();
    let error = nest(101).encode(&mut buffer).unwrap_err();
    assert_eq!(
        (error.kind(), error.path().steps().len(), buffer.len()),
        (EncodeErrorKind::DepthExceeded, 101, 0)
    );
    let _ = nest(101).encoded_len();
    assert!(EncodeOptions::new().max_depth(2).encode(&nest(3), &mut buffer).is_err());
}

/// Members of every kind whose length need not be known before the message is written.
#[derive(Clone, Debug, Default, PartialEq)]
struct Flat {
    id: u64,
    name: String,
    temperature: Option<f32>,
    runs: Vec<i64>,
    words: Vec<u32>,
    levels: Vec<u8>,
    names: Vec<String>,
    choice: Option<Either>,
    kept: UnknownFieldSet,
}

#[derive(Clone, Debug, PartialEq)]
enum Either {
    Text(String),
    Number(i32),
}

tablepb::message! {
    Flat as "semantics.Flat" {
        id: uint64 = 1,
        name: string = 2,
        temperature: optional float = 3,
        runs: repeated sint64 = 4,
        words: repeated fixed32 = 5,
        levels: repeated custom uint32 = 6,
        names: repeated string = 7,
        choice: oneof Either { Text: string = 8, Number: int32 = 9 },
        kept: unknown_fields,
    }
}

/// One pass where the message fits the spare capacity, two where it does not.
#[test]
fn a_message_without_messages_is_the_same_in_any_room() {
    for count in [0, 1, 3, 40] {
        let mut flat = Flat {
            id: count as u64,
            name: "n".repeat(count),
            temperature: (count > 1).then_some(1.5),
            runs: (0..count as i64).map(|i| i - (1 << i)).collect(),
            words: (0..count as u32).collect(),
            levels: (0..count).map(|i| (i * 6) as u8).collect(),
            names: (0..count).map(|i| "abc".repeat(i)).collect(),
            choice: (count > 0)
                .then(|| if count % 2 == 0 { Either::Number(-1) } else { Either::Text("t".into()) }),
            ..Flat::default()
        };
        flat.merge(b"\xa0\x06\x07").unwrap();
        let bytes = flat.encode_to_vec().unwrap();
        assert_eq!(bytes.len(), flat.encoded_len());
        assert_eq!(Flat::decode(&bytes).unwrap(), flat);
        for room in 0..bytes.len() + 70 {
            let mut buffer = Vec::with_capacity(2 + room);
            buffer.extend_from_slice(b"ab");
            flat.encode(&mut buffer).unwrap();
            assert_eq!(
                (&buffer[..2], &buffer[2..]),
                (&b"ab"[..], &bytes[..]),
                "{count} members, room for {room}"
            );
        }
        // It is not made to grow if the message fits.
        let mut buffer = Vec::with_capacity(bytes.len());
        let start = buffer.as_ptr();
        flat.encode(&mut buffer).unwrap();
        assert_eq!((buffer.as_ptr(), buffer), (start, bytes));
    }
}
