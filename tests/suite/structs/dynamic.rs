//! Structs against dynamic messages of the same tables: what one accepts the other accepts, with the same bytes
//! and for the same reason.

#![cfg(feature = "std")]

use crate::common::rounds;
use std::collections::{BTreeMap, HashMap};
use tablepb::{
    DescriptorPool, DynamicMessage, EncodeOptions, EnumValue, Message, MessageDescriptor, UnknownFieldSet,
};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red = 0,
    Green = 1,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Level {
    #[default]
    Low = 0,
    High = -2,
}

tablepb::enumeration! {
    Color as "open.Color" { Red as "RED" = 0, Green as "GREEN" = 1 }
    Level as "closed.Level" syntax "proto2" { Low as "LOW" = 0, High as "HIGH" = -2 }
}

#[derive(Debug, PartialEq)]
enum Choice {
    Number(i32),
    Text(String),
    Inner(Box<Open>),
}

#[derive(Debug, Default, PartialEq)]
struct Open {
    double: f64,
    float: f32,
    int32: i32,
    int64: i64,
    uint32: u32,
    uint64: u64,
    sint32: i32,
    sint64: i64,
    fixed32: u32,
    fixed64: u64,
    sfixed32: i32,
    sfixed64: i64,
    boolean: bool,
    string: String,
    bytes: Vec<u8>,
    color: EnumValue<Color>,
    option: Option<u32>,
    inner: Option<Box<Open>>,
    list: Vec<Open>,
    strings: Vec<String>,
    packed: Vec<i32>,
    unpacked: Vec<i32>,
    floats: Vec<f32>,
    colors: Vec<EnumValue<Color>>,
    counts: BTreeMap<i32, i32>,
    named: HashMap<String, Open>,
    choice: Option<Choice>,
    unknown: UnknownFieldSet,
}

tablepb::message! {
    Open as "open.Open" {
        double: double = 1,
        float: float = 2,
        int32: int32 = 3,
        int64: int64 = 4,
        uint32: uint32 = 5,
        uint64: uint64 = 6,
        sint32: sint32 = 7,
        sint64: sint64 = 8,
        fixed32: fixed32 = 9,
        fixed64: fixed64 = 10,
        sfixed32: sfixed32 = 11,
        sfixed64: sfixed64 = 12,
        boolean: bool = 13,
        string: string = 14,
        bytes: bytes = 15,
        color: enum Color = 16,
        option: optional uint32 = 17,
        inner: message Open = 18,
        list: repeated message Open = 19,
        strings: repeated string = 20,
        packed: repeated int32 = 21,
        unpacked: repeated int32 = 22 [packed = false],
        floats: repeated float = 23,
        colors: repeated enum Color = 24,
        counts: map<int32, int32> = 25,
        named: map<string, message Open> = 26,
        choice: oneof Choice { Number as "number": int32 = 27, Text as "text": string = 29, Inner as "arm": message Open = 30 },
        unknown: unknown_fields,
    }
}

#[derive(Debug, Default, PartialEq)]
struct Closed {
    id: Option<i32>,
    level: Option<EnumValue<Level>>,
    levels: Vec<Level>,
    packed: Vec<Level>,
    by_level: BTreeMap<i32, Level>,
    group: Option<Box<Closed>>,
    groups: Vec<Closed>,
    unknown: UnknownFieldSet,
}

tablepb::message! {
    Closed as "closed.Closed" syntax "proto2" {
        id: required int32 = 1,
        level: enum Level = 2 [default = HIGH],
        levels: repeated enum Level = 3,
        packed: repeated enum Level = 4 [packed = true],
        by_level: map<int32, enum Level> = 5,
        group: group Closed = 6,
        groups: repeated group Closed = 7,
        unknown: unknown_fields,
    }
}

fn open() -> Open {
    let leaf = |int32| Open { int32, string: "leaf é".into(), ..Open::default() };
    let mut unknown = UnknownFieldSet::new();
    unknown.append(b"\xa0\x06\x01\xa3\x06\x08\x01\x13\x14\xa4\x06").unwrap();
    Open {
        double: -0.0,
        float: 1.5,
        int32: -1,
        int64: i64::MIN,
        uint32: 300,
        uint64: u64::MAX,
        sint32: -65,
        sint64: 1 << 40,
        fixed32: 1,
        fixed64: 2,
        sfixed32: -3,
        sfixed64: -4,
        boolean: true,
        string: "root".into(),
        bytes: vec![0, 255],
        color: EnumValue::Unknown(5),
        option: Some(0),
        inner: Some(Box::new(Open { unknown: unknown.clone(), ..leaf(1) })),
        list: vec![leaf(2), Open::default(), leaf(3)],
        strings: vec!["a".into(), String::new()],
        packed: vec![0, -1, 300],
        unpacked: vec![1, 2],
        floats: vec![0.0, -2.0],
        colors: vec![EnumValue::Known(Color::Green), EnumValue::Unknown(-1)],
        counts: [(3, 0), (-1, 9)].into(),
        named: [("k".to_string(), leaf(4))].into(),
        choice: Some(Choice::Inner(Box::new(Open { choice: Some(Choice::Text("t".into())), ..leaf(5) }))),
        unknown,
    }
}

fn closed() -> Closed {
    let leaf = |id| Closed { id: Some(id), ..Closed::default() };
    let mut unknown = UnknownFieldSet::new();
    unknown.append(b"\x10\x09").unwrap();
    Closed {
        id: Some(-1),
        level: Some(Level::High.into()),
        levels: vec![Level::Low, Level::High],
        packed: vec![Level::High, Level::Low],
        by_level: [(1, Level::High)].into(),
        group: Some(Box::new(Closed { groups: vec![leaf(0)], ..leaf(7) })),
        groups: vec![leaf(1), leaf(2)],
        unknown,
    }
}

fn descriptor<M: Message>() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[M::TABLE]).unwrap();
    pool.message(M::TABLE.full_name()).unwrap()
}

const SORTED: EncodeOptions = EncodeOptions::new().deterministic(true);

/// Decodes both ways; whether the input was accepted.
fn agree<M: Message + tablepb::DecodeOwned>(descriptor: &MessageDescriptor, input: &[u8]) -> bool {
    match (M::decode(input), DynamicMessage::decode(descriptor, input)) {
        (Ok(typed), Ok(dynamic)) => {
            let (mut a, mut b) = (vec![], vec![]);
            SORTED.encode(&typed, &mut a).unwrap();
            SORTED.encode(&dynamic, &mut b).unwrap();
            assert_eq!(a, b, "{input:?}");
            assert_eq!((typed.encoded_len(), dynamic.encoded_len()), (a.len(), b.len()));
            // From field to member, without the bytes.
            let mut c = vec![];
            SORTED.encode(&dynamic.transcode_to::<M>().unwrap(), &mut c).unwrap();
            assert_eq!(a, c, "{input:?}");
            true
        }
        (Err(typed), Err(dynamic)) => {
            assert_eq!(typed.to_string(), dynamic.to_string(), "{input:?}");
            assert!(typed.offset() <= input.len(), "{typed} {input:?}");
            false
        }
        (typed, dynamic) => panic!("{:?} {:?} {input:?}", typed.err(), dynamic.err()),
    }
}

/// Every truncation, every flip of a bit and many random changes of `bytes`.
fn torture<M: Message + tablepb::DecodeOwned>(bytes: &[u8]) {
    let descriptor = descriptor::<M>();
    assert!(agree::<M>(&descriptor, bytes));
    for len in 0..bytes.len() {
        agree::<M>(&descriptor, &bytes[..len]);
    }
    let mut changed = bytes.to_vec();
    for bit in 0..8 * bytes.len() {
        changed[bit / 8] ^= 1 << (bit % 8);
        agree::<M>(&descriptor, &changed);
        changed[bit / 8] ^= 1 << (bit % 8);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut accepted = 0;
    for _ in 0..rounds(20_000) {
        let mut changed = bytes.to_vec();
        for _ in 0..1 + random(3) {
            let at = random(changed.len());
            match random(4) {
                0 => changed[at] = random(256) as u8,
                1 => changed.insert(at, random(256) as u8),
                2 => drop(changed.remove(at)),
                _ => {
                    let to = random(changed.len() + 1);
                    let piece = changed[at.min(to)..at.max(to)].to_vec();
                    changed.extend(piece);
                }
            }
        }
        accepted += usize::from(agree::<M>(&descriptor, &changed));
    }
    assert!(accepted > rounds(1000) as usize, "{accepted}");
}

#[test]
fn open_messages() {
    let bytes = open().encode_to_vec().unwrap();
    assert_eq!(Open::decode(&bytes).unwrap(), open());
    torture::<Open>(&bytes);
}

#[test]
fn closed_messages() {
    let bytes = closed().encode_to_vec().unwrap();
    assert_eq!(Closed::decode(&bytes).unwrap(), closed());
    torture::<Closed>(&bytes);
}

#[test]
fn a_listing_is_a_schema() {
    let descriptor = descriptor::<Open>();
    let choice = descriptor.field("text").unwrap().containing_oneof().unwrap();
    assert_eq!((choice.name(), choice.fields().count()), ("choice", 3));
    assert_eq!(descriptor.fields().count(), 29);
    assert!(descriptor.field("named").unwrap().is_map());
    assert!(descriptor.field("option").unwrap().supports_presence());
    assert!(!descriptor.field("uint32").unwrap().supports_presence());
    assert!(descriptor.field("packed").unwrap().is_packed());
    assert!(!descriptor.field("unpacked").unwrap().is_packed());
}
