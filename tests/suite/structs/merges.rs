//! Merging into structs that are large already: a small input is never refused for that, and takes memory in
//! proportion to its budget and to what the struct holds.

use crate::common::heap::{held as allocated, measure};
use crate::common::proportion::assert_within;
use std::collections::{BTreeMap, HashMap};
use tablepb::{DecodeErrorKind, DecodeOptions, Lazy, Message, SmallMap, UnknownFieldSet, wire::Writer};

/// The most that `run` has allocated at a time beside what was there.
fn peak<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let (result, used) = measure(run);
    (used.peak, result)
}

/// Takes a list element's two bytes on the wire for half a kilobyte of memory.
#[derive(Clone, Debug, PartialEq)]
struct Fat {
    id: u32,
    pad: [u64; 64],
}

impl Default for Fat {
    fn default() -> Self {
        Self { id: 0, pad: [0; 64] }
    }
}

#[derive(Debug, Default, PartialEq)]
struct Rich {
    numbers: Vec<i64>,
    loose: Vec<i32>,
    doubles: Vec<f64>,
    texts: Vec<String>,
    blobs: Vec<Vec<u8>>,
    fats: Vec<Fat>,
    others: Vec<Fat>,
    hash: HashMap<u64, Fat>,
    words: HashMap<String, String>,
    tree: BTreeMap<u64, Fat>,
    small: SmallMap<u64, Fat>,
    lazy: Lazy<Inner>,
    lazies: Vec<Lazy<Inner>>,
    inner: Option<Box<Inner>>,
    text: String,
    blob: Vec<u8>,
    unknown: UnknownFieldSet,
}

#[derive(Debug, Default, PartialEq)]
struct Inner {
    texts: Vec<String>,
}

tablepb::message! {
    Fat as "merges.Fat" { id: uint32 = 1, pad: skip }
    Inner as "merges.Inner" { texts: repeated string = 1 }
    Rich as "merges.Rich" {
        numbers: repeated int64 = 1,
        loose: repeated int32 = 2 [packed = false],
        doubles: repeated double = 3,
        texts: repeated string = 4,
        blobs: repeated bytes = 5,
        fats: repeated message Fat = 6,
        others: repeated message Fat = 7,
        hash: map<uint64, message Fat> = 8,
        words: map<string, string> = 9,
        tree: map<uint64, message Fat> = 10,
        small: map<uint64, message Fat> = 11,
        lazy: message Inner = 12,
        lazies: repeated message Inner = 13,
        inner: message Inner = 14,
        text: string = 15,
        blob: bytes = 16,
        unknown: unknown_fields,
    }
}

/// A field of bytes.
fn field(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    let mut writer = Writer::new(out);
    writer.write_varint(number << 3 | 2);
    writer.write_length_delimited(bytes).unwrap();
}

/// An entry of a map with keys that are numbers.
fn entry(out: &mut Vec<u8>, number: u64, key: u64) {
    let mut body = Vec::new();
    Writer::new(&mut body).write_varint(1 << 3);
    Writer::new(&mut body).write_varint(key);
    body.extend_from_slice(b"\x12\x00");
    field(out, number, &body);
}

/// Every kind of member that grows, with a piece of about `len` bytes for it; `n` makes keys that are new.
type Piece = fn(n: u64, len: usize) -> Vec<u8>;

fn repeated(len: usize, mut each: impl FnMut(&mut Vec<u8>, u64)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut i = 0;
    while out.len() < len {
        each(&mut out, i);
        i += 1;
    }
    out
}

const KINDS: &[(&str, Piece)] = &[
    ("packed numbers", |_, len| {
        let mut out = Vec::new();
        field(&mut out, 1, &vec![7; len]);
        out
    }),
    ("numbers one by one", |_, len| repeated(len, |out, i| out.extend_from_slice(&[2 << 3, i as u8 & 0x7f]))),
    ("fixed numbers", |_, len| {
        let mut out = Vec::new();
        field(&mut out, 3, &vec![7; len & !7]);
        out
    }),
    ("strings", |_, len| repeated(len, |out, _| field(out, 4, b"a string"))),
    ("bytes", |_, len| repeated(len, |out, _| field(out, 5, b"some bytes"))),
    ("messages", |_, len| {
        repeated(len, |out, i| field(out, 6, &[8, i as u8 & 0x7f, 8, 1, 8, 1, 8, 1, 8, 1, 8, 1]))
    }),
    ("hash map", |n, len| repeated(len, |out, i| entry(out, 8, n << 32 | i))),
    ("hash map of strings", |n, len| {
        repeated(len, |out, i| {
            let mut body = Vec::new();
            field(&mut body, 1, format!("key {n} {i}").as_bytes());
            field(&mut body, 2, b"value");
            field(out, 9, &body);
        })
    }),
    ("tree map", |n, len| repeated(len, |out, i| entry(out, 10, n << 32 | i))),
    ("small map", |n, len| repeated(len, |out, i| entry(out, 11, n << 32 | i))),
    ("lazy", |_, len| {
        let mut out = Vec::new();
        field(&mut out, 12, &repeated(len, |out, _| field(out, 1, b"a string")));
        out
    }),
    ("lazy list", |_, len| {
        repeated(len, |out, _| field(out, 13, b"\x0a\x08a string\x0a\x08a string\x0a\x08a string"))
    }),
    ("inner list", |_, len| {
        let mut out = Vec::new();
        field(&mut out, 14, &repeated(len, |out, _| field(out, 1, b"a string")));
        out
    }),
    ("unknown fields", |_, len| repeated(len, |out, _| field(out, 100, b"a field"))),
];

/// What a struct may take beside what it holds, while an input with this budget is merged into it.
fn bound(budget: usize, held: usize) -> usize {
    2 * budget + 2 * held
}

/// The large struct was charged as a whole when one of its lists grew.
#[test]
fn a_struct_takes_small_merges_however_large_it_is() {
    const LARGE: usize = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 19 };
    const SMALL: usize = 4000;
    for (kind, piece) in KINDS {
        let large = piece(0, LARGE);
        let live = allocated();
        let mut rich = DecodeOptions::new().budget(1 << 30).decode::<Rich>(&large).unwrap();
        let mut whole = large.clone();
        // Enough of them to double its lists.
        for n in 1..=(LARGE / SMALL) as u64 + 9 {
            let small = piece(n, SMALL);
            let held = allocated() - live - whole.capacity();
            let (taken, result) = peak(|| rich.merge(&small));
            result.unwrap_or_else(|error| panic!("{kind}, {n}: {error}"));
            let budget = DecodeOptions::new().budget_for(small.len());
            assert!(taken <= bound(budget, held), "{kind}: {taken} bytes beside {held}");
            whole.extend_from_slice(&small);
        }
        let at_once = DecodeOptions::new().budget(1 << 30).decode::<Rich>(&whole).unwrap();
        assert_eq!(rich.encoded_len(), at_once.encoded_len(), "{kind}");
        assert!(rich == at_once, "{kind}");
    }
}

/// What a decode takes is taken in pieces as well, each with its own budget, and holds no more afterwards than twice of it.
#[test]
fn merging_in_pieces_takes_no_more_than_decoding_at_once() {
    for len in [100, 1_500] {
        for (kind, piece) in KINDS {
            let pieces: Vec<_> = (0..100).map(|n| piece(n, len)).collect();
            let whole = pieces.concat();
            let start = allocated();
            let at_once = DecodeOptions::new().budget(1 << 30).decode::<Rich>(&whole).unwrap();
            let middle = allocated();
            let mut rich = Rich::default();
            for piece in &pieces {
                rich.merge(piece).unwrap_or_else(|error| panic!("{kind}: {error}"));
            }
            let (one, other) = (middle - start, allocated() - middle);
            assert!(other <= 2 * one + 4096, "{kind}: {other} bytes in pieces, {one} at once");
            assert!(rich == at_once, "{kind}");
        }
    }
}

/// Whatever a decode takes within a budget, a merge takes within the same.
#[test]
fn a_merge_into_an_empty_struct_is_as_good_as_a_decode() {
    for (kind, piece) in KINDS {
        let input = piece(0, 5_000);
        for budget in (8..24).map(|shift| 1 << shift) {
            let options = DecodeOptions::new().budget(budget);
            let decoded = options.decode::<Rich>(&input);
            let mut merged = Rich::default();
            let (taken, result) = peak(|| options.merge(&mut merged, &input));
            assert!(result.is_ok() || decoded.is_err(), "{kind}, {budget}");
            assert!(taken <= 2 * budget + 512, "{kind}, {budget}: {taken} bytes");
            // And the struct can be used, whatever became of it.
            let bytes = merged.encode_to_vec().unwrap();
            assert_eq!(bytes.len(), merged.encoded_len(), "{kind}, {budget}");
            merged.clear();
            DecodeOptions::new().budget(1 << 30).merge(&mut merged, &input).unwrap();
            assert_eq!(
                merged.encoded_len(),
                DecodeOptions::new().budget(1 << 30).decode::<Rich>(&input).unwrap().encoded_len()
            );
        }
    }
}

/// Elements of two bytes that take 520, now in one list, now in another, in lists that are large already.
#[test]
fn lists_that_grow_in_turns_stay_within_the_bound() {
    let hostile = [
        repeated(40_000, |out, _| out.extend_from_slice(b"\x32\x00\x3a\x00")),
        repeated(40_000, |out, i| {
            out.extend_from_slice(b"\x32\x00");
            entry(out, 8, i);
        }),
        repeated(40_000, |out, i| entry(out, [8, 11, 10][i as usize % 3], i)),
        repeated(40_000, |out, i| entry(out, 8, i % 3)),
        repeated(40_000, |out, _| out.extend_from_slice(b"\x32\x00")),
    ];
    for (i, input) in hostile.iter().enumerate() {
        for each in [0, 10, 5_000] {
            let live = allocated();
            let fat = || Fat { id: 1, ..Fat::default() };
            let mut rich = Rich {
                fats: vec![fat(); each],
                others: vec![fat(); each],
                hash: (0..each as u64).map(|key| (key << 32, fat())).collect(),
                ..Rich::default()
            };
            let held = allocated() - live;
            for budget in [10_000, 1 << 20, DecodeOptions::new().budget_for(input.len())] {
                let options = DecodeOptions::new().budget(budget);
                let held = held.max(allocated() - live);
                let (taken, result) = peak(|| options.merge(&mut rich, input));
                assert!(taken <= bound(budget, held), "{i}, {each}, {budget}: {taken} bytes beside {held}");
                let repeats = i == 3;
                assert_eq!(result.is_ok(), repeats, "{i}, {each}, {budget}");
                assert!(repeats || result.unwrap_err().kind() == DecodeErrorKind::BudgetExceeded);
                // Small inputs are taken as before.
                rich.merge(b"\x32\x00\x3a\x00\x0a\x01\x01").unwrap();
            }
            assert_eq!(rich.encode_to_vec().unwrap().len(), rich.encoded_len());
            assert_eq!(rich.numbers, [1; 3]);
        }
    }
}

/// Each merge went over the budgets of all inputs before: 40 000 of four bytes took 18 s.
#[test]
fn a_lazy_member_takes_merges_in_time_in_proportion() {
    let merge = |count: usize| {
        let mut rich = Rich::default();
        let part = Rich { lazy: Inner { texts: vec!["a".into()] }.into(), ..Rich::default() };
        let part = part.encode_to_vec().unwrap();
        (0..count).for_each(|_| rich.merge(&part).unwrap());
        assert_eq!(rich.lazy.as_bytes().unwrap().len(), 3 * count);
        // What was read is given back to its budgets, and read again with what came after it.
        assert_eq!(rich.lazy.get().unwrap().texts.len(), count);
        rich.merge(&part).unwrap();
        assert!(!rich.lazy.is_decoded() && rich.lazy.get().is_ok());
    };
    // Four times the merges: 16 times as long if each takes time in the number of those before it. So many that the clock, which is out by
    // 4 ms, does not matter.
    let few = if cfg!(debug_assertions) { 16_000 } else { 100_000 };
    assert_within(8, || merge(few), || merge(4 * few));
}
