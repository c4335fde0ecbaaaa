//! Hostile input for structs: truncation, flipped bits, and what a decode may allocate.

#![cfg(feature = "std")]

use crate::common::heap::measure;
use std::collections::{BTreeMap, HashMap};
use tablepb::{
    DecodeErrorKind, DecodeOptions, EnumValue, Lazy, Message, Prepared, SmallMap, UnknownFieldSet,
};

/// The most that `run` has allocated at a time.
fn peak<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let (result, used) = measure(run);
    (used.peak, result)
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red = 0,
    Green = 1,
}

tablepb::enumeration! { Color as "example.Color" syntax "proto2" { Red as "RED" = 0, Green as "GREEN" = 1 } }

#[derive(Debug, PartialEq)]
enum Choice {
    Number(i32),
    Text(String),
    Inner(Box<Rich>),
}

#[derive(Debug, Default, PartialEq)]
struct Rich {
    number: i32,
    text: String,
    inner: Option<Box<Rich>>,
    numbers: Vec<i64>,
    fixed: Vec<u32>,
    texts: Vec<String>,
    blobs: Vec<Vec<u8>>,
    children: Vec<Rich>,
    tree: BTreeMap<i32, Rich>,
    table: HashMap<String, u64>,
    group: Option<Box<Rich>>,
    colors: Vec<EnumValue<Color>>,
    choice: Option<Choice>,
    flag: Option<bool>,
    ratio: f64,
    unknown: UnknownFieldSet,
}

tablepb::message! {
    Rich as "example.Rich" {
        number: sint32 = 1,
        text: string = 2,
        inner: message Rich = 3,
        numbers: repeated int64 = 4,
        fixed: repeated fixed32 = 5,
        texts: repeated string = 6,
        blobs: repeated bytes = 7,
        children: repeated message Rich = 8,
        tree: map<int32, message Rich> = 9,
        table: map<string, uint64> = 10,
        group: group Rich = 11,
        colors: repeated enum Color = 12,
        choice: oneof Choice { Number: int32 = 13, Text: string = 14, Inner: message Rich = 15 },
        flag: optional bool = 16,
        ratio: double = 17,
        unknown: unknown_fields,
    }
}

/// A message that has everything, about 200 bytes long.
fn rich() -> Rich {
    let leaf = |number| Rich { number, text: "leaf é".into(), ..Rich::default() };
    let mut unknown = UnknownFieldSet::new();
    unknown.append(b"\xa0\x06\x01\xa3\x06\x08\x01\x13\x14\xa4\x06").unwrap();
    Rich {
        number: -70,
        text: "root".into(),
        inner: Some(Box::new(Rich { group: Some(Box::new(leaf(1))), unknown: unknown.clone(), ..leaf(2) })),
        numbers: vec![0, -1, 300, i64::MAX],
        fixed: vec![1, u32::MAX],
        texts: vec!["a".into(), String::new(), "ccc".into()],
        blobs: vec![vec![0, 255], vec![]],
        children: vec![leaf(3), Rich::default(), Rich { flag: Some(false), ..leaf(4) }],
        tree: [(7, leaf(5))].into(),
        table: [("k".to_string(), 9)].into(),
        group: Some(Box::new(Rich { choice: Some(Choice::Text("arm".into())), ..Rich::default() })),
        colors: vec![EnumValue::Known(Color::Green)],
        choice: Some(Choice::Inner(Box::new(Rich {
            ratio: -0.0,
            choice: Some(Choice::Number(-1)),
            ..leaf(6)
        }))),
        flag: Some(true),
        ratio: 0.5,
        unknown,
    }
}

/// Decodes; what decodes is written and read again, and the memory taken is within the budget.
fn probe(input: &[u8]) -> Result<(), DecodeErrorKind> {
    let (peak, result) = peak(|| Rich::decode(input));
    assert!(peak <= (1 << 20) + 32 * input.len(), "{peak} bytes for {} bytes of input", input.len());
    let message = result.map_err(|error| {
        assert!(error.offset() <= input.len(), "{error}");
        error.kind()
    })?;
    let bytes = message.encode_to_vec().unwrap();
    assert_eq!(bytes.len(), message.encoded_len());
    let again = Rich::decode(&bytes).unwrap();
    // By bytes, because NaN is not equal to itself; the order of a hash map of the same keys may differ.
    assert_eq!(again.encode_to_vec().unwrap().len(), bytes.len());
    Ok(())
}

#[test]
fn every_truncation() {
    let bytes = rich().encode_to_vec().unwrap();
    assert_eq!(Rich::decode(&bytes).unwrap(), rich());
    for len in 0..bytes.len() {
        let _ = probe(&bytes[..len]);
    }
}

#[test]
fn every_bit_flip() {
    let mut bytes = rich().encode_to_vec().unwrap();
    let mut rejected = 0;
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        rejected += usize::from(probe(&bytes).is_err());
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(rejected > 100);
}

#[test]
fn every_byte_and_pair_of_bytes() {
    let mut accepted = 0;
    for first in 0..=255 {
        accepted += usize::from(probe(&[first]).is_ok());
        for second in 0..=255 {
            accepted += usize::from(probe(&[first, second]).is_ok());
        }
    }
    assert!(accepted > 1000);
}

#[test]
fn small_input_does_not_make_large_messages() {
    let mib = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 20 };
    let entry = |tag: u8, i: u32| {
        let mut out = vec![];
        let mut writer = tablepb::wire::Writer::new(&mut out);
        writer.write_varint(u64::from(tag) << 3 | 2);
        let mut key = vec![8];
        tablepb::wire::Writer::new(&mut key).write_varint(i.into());
        writer.write_length_delimited(&key).unwrap();
        out
    };
    let text_entry = |i: u32| [&b"\x52\x06\x0a\x04"[..], &i.to_be_bytes().map(|b| b & 0x7f)].concat();
    let length = [0x80, 0x80, (mib >> 14) as u8];
    let cases = [
        ("empty messages", [0x42, 0].repeat(mib)),
        ("empty strings", [0x32, 0].repeat(mib)),
        ("empty blobs", [0x3a, 0].repeat(mib)),
        ("short strings", [0x32, 1, b'a'].repeat(mib)),
        ("unpacked numbers", [0x20, 1].repeat(mib)),
        ("packed numbers", [&[0x22][..], &length, &[1].repeat(mib)].concat()),
        ("packed runs of one", [0x22, 1, 1].repeat(mib)),
        ("empty packed runs", [0x22, 0].repeat(mib)),
        ("messages in messages", [0x42, 2, 0x1a, 0].repeat(mib / 2)),
        ("replaced arms", [0x7a, 0, 0x68, 1].repeat(mib / 2)),
        ("replaced strings", [0x12, 0, 0x12, 2, b'a', b'b'].repeat(mib / 4)),
        ("merged messages", [0x1a, 2, 8, 1].repeat(mib / 2)),
        ("unknown fields", [0xf8, 7, 0].repeat(mib)),
        ("closed enum numbers", [&[0x62][..], &length, &[9].repeat(mib)].concat()),
        ("closed enum fields", [0x60, 9].repeat(mib)),
        ("tree entries", (0..mib as u32 / 4).flat_map(|i| entry(9, i)).collect()),
        ("one tree entry", [0x4a, 0].repeat(mib)),
        ("table entries", (0..mib as u32 / 4).flat_map(text_entry).collect()),
        ("one table entry", [0x52, 0].repeat(mib)),
    ];
    for (what, bytes) in cases {
        let (peak, result) = peak(|| Rich::decode(&bytes).map(drop));
        let limit = (1 << 20) + 32 * bytes.len();
        assert!(peak <= limit, "{what}: {peak} bytes for {}", bytes.len());
        if let Err(error) = result {
            assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded, "{what}: {error}");
        }
    }
}

#[derive(Debug, Default)]
struct Later {
    one: Lazy<Rich>,
    list: Vec<Lazy<Rich>>,
    table: HashMap<i32, Lazy<Later>>,
    ready: Option<Prepared<Rich>>,
}

tablepb::message! {
    Later as "example.Later" {
        one: message Rich = 3,
        list: repeated message Rich = 8,
        table: map<int32, message Later> = 9,
        ready: message Rich = 15,
    }
}

impl Later {
    /// Reads everything, and goes on where something cannot be read.
    fn read(&self) -> usize {
        let mut read = usize::from(self.one.get().is_ok());
        read += self.list.iter().filter(|lazy| lazy.get().is_ok()).count();
        read + self.table.values().filter_map(|lazy| lazy.get().ok()).map(Self::read).sum::<usize>()
    }
}

/// Everything that is put off is decoded within the budget of the outer message, faults included, at any depth.
#[test]
fn messages_that_are_read_later_stay_within_the_budget() {
    let n = 1 << 16;
    let nested =
        |levels: u8| (0..levels).fold(vec![0x1a, 1, 8], |inner, i| [&[0x42, 3 + 2 * i][..], &inner].concat());
    let deep: Vec<u8> = (0..60).fold(vec![8], |inner, _| [&[0x1a, inner.len() as u8][..], &inner].concat());
    let deep = [&[0x42, deep.len() as u8][..], &deep].concat();
    let table = [&[0x4a, 8, 0x12, 6][..], &[0x42, 4, 0x4a, 0, 0x52, 0]].concat();
    for (what, unit) in [
        ("empty", vec![0x42, 0]),
        ("maps", vec![0x42, 4, 0x4a, 0, 0x52, 0]),
        ("lists", vec![0x42, 2, 0x42, 0]),
        ("faults", vec![0x42, 1, 8]),
        ("faults in messages", nested(2)),
        ("deep faults", deep),
        ("one", vec![0x1a, 2, 0x42, 0]),
        ("table", table),
        ("prepared", vec![0x7a, 2, 0x42, 0]),
    ] {
        let input = unit.repeat(n / unit.len());
        let limit = (1 << 20) + 32 * input.len();
        let (peak, result) =
            peak(|| Later::decode(&input).map(|later| (later.read(), later)).map(|(read, _later)| read));
        assert!(peak <= limit, "{what}: {peak} bytes of {limit}: {result:?}");
    }
}

#[test]
fn honest_input_stays_within_the_budget() {
    let mib = if cfg!(debug_assertions) { 1 << 18 } else { 1 << 20 };
    let length = [0x80, 0x80, (mib >> 14) as u8];
    for (what, bytes) in [
        ("strings of 4", [0x32, 4, b'a', b'b', b'c', b'd'].repeat(mib)),
        ("short strings", [0x32, 1, b'a'].repeat(mib + 1)),
        ("empty strings", [0x32, 0].repeat(mib + 1)),
        ("unpacked numbers", [0x20, 1].repeat(mib + 1)),
        ("packed numbers", [&[0x22][..], &length, &[1].repeat(mib)].concat()),
        ("unknown fields", [0xf8, 7, 0].repeat(mib)),
    ] {
        let result = Rich::decode(&bytes);
        assert!(result.is_ok(), "{what}: {:?}", result.err());
    }
}

#[test]
fn a_length_prefix_reserves_nothing() {
    for bytes in [&b"\x12\xff\xff\xff\xff\x07"[..], b"\x22\xff\xff\xff\xff\x07", b"\x32\xff\xff\xff\xff\x07a"]
    {
        let (peak, result) = peak(|| Rich::decode(bytes));
        assert!(result.is_err() && peak < 4096, "{peak}");
    }
}

#[test]
fn a_budget_can_be_set() {
    let bytes = [0x42, 0].repeat(64);
    let tight = DecodeOptions::new().budget(1000);
    let (peak, result) = peak(|| tight.decode::<Rich>(&bytes));
    assert_eq!(result.unwrap_err().kind(), DecodeErrorKind::BudgetExceeded);
    assert!(peak < 4096, "{peak}");
    assert!(DecodeOptions::new().budget(1 << 20).decode::<Rich>(&bytes).is_ok());
}

#[test]
#[cfg(not(tablepb_safe))]
fn encoding_again_allocates_nothing() {
    let message = rich();
    let mut buffer = Vec::new();
    message.encode(&mut buffer).unwrap();
    let expected = buffer.clone();
    buffer.clear();
    let (peak, result) = peak(|| message.encode(&mut buffer));
    assert_eq!((peak, result.is_ok()), (0, true));
    assert_eq!(buffer, expected);
}

#[test]
fn a_hundred_levels_fit_a_small_stack() {
    // A debug build keeps every temporary of a function in its frame.
    let stack = if cfg!(debug_assertions) { 2 << 20 } else { 256 << 10 };
    let nest = |inner: Rich| Rich { inner: Some(Box::new(inner)), ..Rich::default() };
    let run = move || {
        let message = (0..100).fold(Rich::default(), |inner, _| nest(inner));
        let bytes = message.encode_to_vec().unwrap();
        assert_eq!(Rich::decode(&bytes).unwrap(), message);
    };
    std::thread::Builder::new().stack_size(stack).spawn(run).unwrap().join().unwrap();
}

#[derive(Debug, Default, PartialEq)]
struct Row<'a> {
    first: Vec<&'a str>,
    second: Vec<&'a str>,
    third: Vec<&'a str>,
}

#[derive(Debug, Default, PartialEq)]
struct Sheet<'a> {
    rows: Vec<Row<'a>>,
    pairs: SmallMap<i32, i32>,
}

tablepb::message! {
    Row<'a> as "example.Row" { first: repeated string = 1, second: repeated string = 2, third: repeated string = 3 }
    Sheet<'a> as "example.Sheet" { rows: repeated message Row = 1, pairs: map<int32, int32> = 2 }
}

/// Lists start with room for four elements only as long as that takes nothing from the rest of the input.
#[test]
fn lists_of_one_element_everywhere_fit_the_budget() {
    let rows = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 19 };
    let input = [10, 6, 10, 0, 18, 0, 26, 0].repeat(rows);
    let (peak, sheet) = peak(|| Sheet::decode(&input).unwrap().rows.len());
    assert_eq!(sheet, rows);
    assert!(peak <= (1 << 20) + 32 * input.len(), "{peak}");
}

/// A key that is there already needs no memory, wherever it is kept: in a list that is full, in one with room, or in the tree.
#[test]
fn keys_that_come_again_cost_a_small_map_nothing() {
    for keys in [4_u8, 16, 20] {
        let entry = |key: u8| [18, 4, 8, key, 16, 1];
        let mut input: Vec<u8> = (0..keys).flat_map(entry).collect();
        input.extend(entry(3).repeat(200_000));
        let sheet = Sheet::decode(&input).unwrap();
        assert_eq!(sheet.pairs.len(), usize::from(keys));
        // Entries without anything are two bytes, of the key 0.
        input.extend([18, 0].repeat(200_000));
        let sheet = Sheet::decode(&input).unwrap();
        assert_eq!((sheet.pairs.len(), sheet.pairs.get(&0)), (usize::from(keys), Some(&0)));
    }
}

/// Keys that are all different, last first: the list of a small map does not grow, the rest is a tree.
#[test]
fn a_small_map_of_many_keys_is_not_slow() {
    let mut input = Vec::new();
    for key in (0..200_000_u32).rev() {
        let mut entry = vec![8];
        tablepb::wire::Writer::new(&mut entry).write_varint(key.into());
        input.extend([18, entry.len() as u8]);
        input.extend(entry);
    }
    assert_eq!(Sheet::decode(&input).unwrap().pairs.len(), 200_000);
}
