//! Structs of `message!` against prost: random values and random bytes, both ways, merges included.
//!
//! Where the two disagree by intention:
//! - prost fails on a known field with another wire type, tablepb keeps it as unknown, as C++ does;
//! - prost accepts tags above five bytes and lengths above five bytes, tablepb does not, as C++ and the conformance
//!   suite;
//! - prost does not write -0.0 in a field without presence, tablepb does, as C++;
//! - prost leaves out keys and values of map entries that are zero, tablepb and C++ write them.

use proptest::prelude::*;
use std::collections::BTreeMap;
use tablepb::{DecodeErrorKind, EncodeOptions, EnumValue, Message};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red = 0,
    Green = 1,
    Far = -3,
}

tablepb::enumeration! {
    Color as "example.Color" { Red as "RED" = 0, Green as "GREEN" = 1, Far as "FAR" = -3 }
}

#[derive(Clone, Debug, PartialEq)]
enum Choice {
    Number(i64),
    Text(String),
    Inner(Box<Rich>),
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Rich {
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
    maybe_int32: Option<i32>,
    maybe_string: Option<String>,
    maybe_double: Option<f64>,
    inner: Option<Box<Rich>>,
    children: Vec<Rich>,
    strings: Vec<String>,
    blobs: Vec<Vec<u8>>,
    int32s: Vec<i32>,
    sint64s: Vec<i64>,
    doubles: Vec<f64>,
    fixed32s: Vec<u32>,
    booleans: Vec<bool>,
    colors: Vec<EnumValue<Color>>,
    unpacked: Vec<u64>,
    choice: Option<Choice>,
    counts: BTreeMap<i32, i64>,
    named: BTreeMap<String, Rich>,
    flags: BTreeMap<bool, EnumValue<Color>>,
    group: Option<Box<Rich>>,
    groups: Vec<Rich>,
}

tablepb::message! {
    Rich as "example.Rich" {
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
        maybe_int32: optional int32 = 17,
        maybe_string: optional string = 18,
        maybe_double: optional double = 19,
        inner: message Rich = 20,
        children: repeated message Rich = 21,
        strings: repeated string = 22,
        blobs: repeated bytes = 23,
        int32s: repeated int32 = 24,
        sint64s: repeated sint64 = 25,
        doubles: repeated double = 26,
        fixed32s: repeated fixed32 = 27,
        booleans: repeated bool = 28,
        colors: repeated enum Color = 29,
        unpacked: repeated uint64 = 30 [packed = false],
        choice: oneof Choice { Number: int64 = 31, Text: string = 32, Inner: message Rich = 33 },
        counts: map<int32, int64> = 34,
        named: map<string, message Rich> = 35,
        flags: map<bool, enum Color> = 36,
        group: group Rich = 37,
        groups: repeated group Rich = 5000,
    }
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum ProstChoice {
    #[prost(int64, tag = "31")]
    Number(i64),
    #[prost(string, tag = "32")]
    Text(String),
    #[prost(message, tag = "33")]
    Inner(Box<ProstRich>),
}

#[derive(Clone, PartialEq, prost::Message)]
struct ProstRich {
    #[prost(double, tag = "1")]
    double: f64,
    #[prost(float, tag = "2")]
    float: f32,
    #[prost(int32, tag = "3")]
    int32: i32,
    #[prost(int64, tag = "4")]
    int64: i64,
    #[prost(uint32, tag = "5")]
    uint32: u32,
    #[prost(uint64, tag = "6")]
    uint64: u64,
    #[prost(sint32, tag = "7")]
    sint32: i32,
    #[prost(sint64, tag = "8")]
    sint64: i64,
    #[prost(fixed32, tag = "9")]
    fixed32: u32,
    #[prost(fixed64, tag = "10")]
    fixed64: u64,
    #[prost(sfixed32, tag = "11")]
    sfixed32: i32,
    #[prost(sfixed64, tag = "12")]
    sfixed64: i64,
    #[prost(bool, tag = "13")]
    boolean: bool,
    #[prost(string, tag = "14")]
    string: String,
    #[prost(bytes = "vec", tag = "15")]
    bytes: Vec<u8>,
    #[prost(int32, tag = "16")]
    color: i32,
    #[prost(int32, optional, tag = "17")]
    maybe_int32: Option<i32>,
    #[prost(string, optional, tag = "18")]
    maybe_string: Option<String>,
    #[prost(double, optional, tag = "19")]
    maybe_double: Option<f64>,
    #[prost(message, optional, boxed, tag = "20")]
    inner: Option<Box<ProstRich>>,
    #[prost(message, repeated, tag = "21")]
    children: Vec<ProstRich>,
    #[prost(string, repeated, tag = "22")]
    strings: Vec<String>,
    #[prost(bytes = "vec", repeated, tag = "23")]
    blobs: Vec<Vec<u8>>,
    #[prost(int32, repeated, tag = "24")]
    int32s: Vec<i32>,
    #[prost(sint64, repeated, tag = "25")]
    sint64s: Vec<i64>,
    #[prost(double, repeated, tag = "26")]
    doubles: Vec<f64>,
    #[prost(fixed32, repeated, tag = "27")]
    fixed32s: Vec<u32>,
    #[prost(bool, repeated, tag = "28")]
    booleans: Vec<bool>,
    #[prost(int32, repeated, tag = "29")]
    colors: Vec<i32>,
    #[prost(uint64, repeated, packed = "false", tag = "30")]
    unpacked: Vec<u64>,
    #[prost(oneof = "ProstChoice", tags = "31, 32, 33")]
    choice: Option<ProstChoice>,
    #[prost(btree_map = "int32, int64", tag = "34")]
    counts: BTreeMap<i32, i64>,
    #[prost(btree_map = "string, message", tag = "35")]
    named: BTreeMap<String, ProstRich>,
    #[prost(btree_map = "bool, int32", tag = "36")]
    flags: BTreeMap<bool, i32>,
    #[prost(group, optional, boxed, tag = "37")]
    group: Option<Box<ProstRich>>,
    #[prost(group, repeated, tag = "5000")]
    groups: Vec<ProstRich>,
}

fn prost_of(m: &Rich) -> ProstRich {
    ProstRich {
        double: m.double,
        float: m.float,
        int32: m.int32,
        int64: m.int64,
        uint32: m.uint32,
        uint64: m.uint64,
        sint32: m.sint32,
        sint64: m.sint64,
        fixed32: m.fixed32,
        fixed64: m.fixed64,
        sfixed32: m.sfixed32,
        sfixed64: m.sfixed64,
        boolean: m.boolean,
        string: m.string.clone(),
        bytes: m.bytes.clone(),
        color: m.color.number(),
        maybe_int32: m.maybe_int32,
        maybe_string: m.maybe_string.clone(),
        maybe_double: m.maybe_double,
        inner: m.inner.as_deref().map(prost_of).map(Box::new),
        children: m.children.iter().map(prost_of).collect(),
        strings: m.strings.clone(),
        blobs: m.blobs.clone(),
        int32s: m.int32s.clone(),
        sint64s: m.sint64s.clone(),
        doubles: m.doubles.clone(),
        fixed32s: m.fixed32s.clone(),
        booleans: m.booleans.clone(),
        colors: m.colors.iter().map(|color| color.number()).collect(),
        unpacked: m.unpacked.clone(),
        choice: m.choice.as_ref().map(|choice| match choice {
            Choice::Number(number) => ProstChoice::Number(*number),
            Choice::Text(text) => ProstChoice::Text(text.clone()),
            Choice::Inner(inner) => ProstChoice::Inner(Box::new(prost_of(inner))),
        }),
        counts: m.counts.clone(),
        named: m.named.iter().map(|(key, value)| (key.clone(), prost_of(value))).collect(),
        flags: m.flags.iter().map(|(key, value)| (*key, value.number())).collect(),
        group: m.group.as_deref().map(prost_of).map(Box::new),
        groups: m.groups.iter().map(prost_of).collect(),
    }
}

/// Small and extreme numbers as often as others.
fn number<T: Arbitrary + Clone + std::fmt::Debug + 'static>(special: Vec<T>) -> BoxedStrategy<T> {
    prop_oneof![2 => proptest::sample::select(special), 1 => any::<T>()].boxed()
}

fn int() -> BoxedStrategy<i64> {
    number(vec![
        0,
        1,
        -1,
        127,
        128,
        300,
        16_383,
        16_384,
        i64::from(i32::MAX),
        i64::from(i32::MIN),
        i64::MAX,
        i64::MIN,
    ])
    .boxed()
}

/// Not -0.0, see above, and not NaN, which is not equal to itself.
fn float() -> BoxedStrategy<f64> {
    number(vec![0.0, 1.5, f64::INFINITY, f64::MIN])
        .prop_map(|v| if v == 0.0 || v.is_nan() { 0.0 } else { v })
        .boxed()
}

fn text() -> BoxedStrategy<String> {
    prop_oneof![Just(String::new()), "[a-zé]{1,9}", "[a-z]{120,140}"].boxed()
}

fn blob() -> BoxedStrategy<Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..6).boxed()
}

fn color() -> BoxedStrategy<EnumValue<Color>> {
    proptest::sample::select(vec![0, 1, -3, 7, i32::MIN]).prop_map(EnumValue::from_number).boxed()
}

fn some<T: std::fmt::Debug + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    proptest::option::weighted(0.3, strategy).boxed()
}

fn few<T: Clone + std::fmt::Debug + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Vec<T>> {
    prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(strategy, 1..4)].boxed()
}

fn leaf() -> BoxedStrategy<Rich> {
    let zero = || prop_oneof![Just(0), int()].boxed();
    let numbers = (zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero());
    let other = (float(), float(), any::<bool>(), text(), blob(), color());
    let maybe = (some(int()), some(text()), some(float()));
    let lists = (few(text()), few(blob()), few(int()), few(float()), few(any::<bool>()), few(color()));
    let maps = (few((int(), int())), few((any::<bool>(), color())));
    (numbers, other, maybe, lists, maps)
        .prop_map(|(n, o, m, l, maps)| Rich {
            int32: n.0 as i32,
            int64: n.1,
            uint32: n.2 as u32,
            uint64: n.3 as u64,
            sint32: n.4 as i32,
            sint64: n.5,
            fixed32: n.6 as u32,
            fixed64: n.7 as u64,
            sfixed32: n.8 as i32,
            sfixed64: n.9,
            double: o.0,
            float: o.1 as f32 + 0.0,
            boolean: o.2,
            string: o.3,
            bytes: o.4,
            color: o.5,
            maybe_int32: m.0.map(|n| n as i32),
            maybe_string: m.1,
            maybe_double: m.2,
            strings: l.0,
            blobs: l.1,
            int32s: l.2.iter().map(|n| *n as i32).collect(),
            fixed32s: l.2.iter().map(|n| *n as u32).collect(),
            unpacked: l.2.iter().map(|n| *n as u64).collect(),
            sint64s: l.2,
            doubles: l.3,
            booleans: l.4,
            colors: l.5,
            counts: maps.0.into_iter().map(|(key, value)| (key as i32, value)).collect(),
            flags: maps.1.into_iter().collect(),
            ..Rich::default()
        })
        .boxed()
}

fn rich() -> BoxedStrategy<Rich> {
    leaf()
        .prop_recursive(3, 12, 3, |inner| {
            let choice = prop_oneof![
                int().prop_map(Choice::Number),
                text().prop_map(Choice::Text),
                inner.clone().prop_map(|inner| Choice::Inner(Box::new(inner))),
            ];
            let one = || some(inner.clone()).prop_map(|inner| inner.map(Box::new));
            let named = few((text(), inner.clone()));
            (leaf(), one(), few(inner.clone()), some(choice), named, one(), few(inner.clone())).prop_map(
                |(leaf, inner, children, choice, named, group, groups)| Rich {
                    inner,
                    children,
                    choice,
                    named: named.into_iter().collect(),
                    group,
                    groups,
                    ..leaf
                },
            )
        })
        .boxed()
}

/// The message without maps, of which prost writes fewer bytes.
fn without_maps(message: &Rich) -> Rich {
    let mut m = message.clone();
    m.counts.clear();
    m.named.clear();
    m.flags.clear();
    let boxed = |inner: Option<Box<Rich>>| inner.map(|inner| Box::new(without_maps(&inner)));
    (m.inner, m.group) = (boxed(m.inner), boxed(m.group));
    m.children = m.children.iter().map(without_maps).collect();
    m.groups = m.groups.iter().map(without_maps).collect();
    if let Some(Choice::Inner(inner)) = &mut m.choice {
        **inner = without_maps(inner);
    }
    m
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 48 } else { 192 }, ..ProptestConfig::default() })]

    #[test]
    fn values_agree_both_ways(message in rich()) {
        use prost::Message as _;
        let expected = prost_of(&message);
        let bytes = Message::encode_to_vec(&message).unwrap();
        prop_assert_eq!(bytes.len(), Message::encoded_len(&message));
        prop_assert_eq!(&<ProstRich as prost::Message>::decode(&bytes[..]).unwrap(), &expected);
        prop_assert_eq!(&<Rich as Message>::decode(&bytes).unwrap(), &message);
        prop_assert_eq!(&<Rich as Message>::decode(&expected.encode_to_vec()).unwrap(), &message);
        let flat = without_maps(&message);
        prop_assert_eq!(Message::encode_to_vec(&flat).unwrap(), prost_of(&flat).encode_to_vec());
    }

    #[test]
    fn merges_agree(first in rich(), second in rich()) {
        let (a, b) = (Message::encode_to_vec(&first).unwrap(), Message::encode_to_vec(&second).unwrap());
        let mut merged = first.clone();
        Message::merge(&mut merged, &b).unwrap();
        let mut expected = prost_of(&first);
        prost::Message::merge(&mut expected, &b[..]).unwrap();
        prop_assert_eq!(&prost_of(&merged), &expected);
        prop_assert_eq!(<Rich as Message>::decode(&[a, b].concat()).unwrap(), merged);
    }

    #[test]
    fn broken_bytes_agree(
        message in rich(),
        breaks in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..4), 1..4),
    ) {
        let mut bytes = Message::encode_to_vec(&message).unwrap();
        bytes.push(8 << 3);
        for (at, byte, how) in breaks {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes[at] ^= 1 << (byte % 8),
            }
        }
        let ours = <Rich as Message>::decode(&bytes);
        match (ours, <ProstRich as prost::Message>::decode(&bytes[..])) {
            // By bytes, as NaN is not equal to itself.
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(
                prost::Message::encode_to_vec(&prost_of(&ours)),
                prost::Message::encode_to_vec(&theirs)
            ),
            (Err(error), Ok(_)) => prop_assert!(
                matches!(error.kind(), DecodeErrorKind::InvalidTag | DecodeErrorKind::InvalidLength),
                "{error}"
            ),
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("invalid wire type"), "{error}"),
            (Err(_), Err(_)) => {}
        }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
struct ProstPairs {
    #[prost(btree_map = "string, int32", tag = "1")]
    pairs: BTreeMap<String, i32>,
    #[prost(int32, tag = "2")]
    number: i32,
}

#[derive(Debug, Default, PartialEq)]
struct Pairs<'a> {
    pairs: tablepb::SmallMap<&'a str, i32>,
    number: i32,
}

tablepb::message! { Pairs<'a> as "example.Pairs" { pairs: map<string, int32> = 1, number: int32 = 2 } }

proptest! {
    /// Keys that occur again and other fields between the entries, below and above what the list of a small map holds.
    #[test]
    fn small_maps_are_as_those_of_prost(entries in proptest::collection::vec((0..40_u8, 1..i32::MAX, any::<bool>()), 0..80)) {
        let mut bytes = Vec::new();
        for (key, value, number) in entries {
            let entry = ProstPairs { pairs: [(format!("key {key}"), value)].into(), number: number.into() };
            bytes.extend(prost::Message::encode_to_vec(&entry));
        }
        let expected = <ProstPairs as prost::Message>::decode(&bytes[..]).unwrap();
        let ours = Pairs::decode(&bytes).unwrap();
        prop_assert!(ours.pairs.iter().map(|(key, value)| (key.to_string(), *value)).collect::<BTreeMap<_, _>>() == expected.pairs);
        prop_assert_eq!(ours.pairs.len(), expected.pairs.len());
        let again = ours.encode_to_vec().unwrap();
        prop_assert_eq!(&Pairs::decode(&again).unwrap(), &ours);
        let mut sorted = Vec::new();
        EncodeOptions::new().deterministic(true).encode(&ours, &mut sorted).unwrap();
        prop_assert_eq!(sorted, prost::Message::encode_to_vec(&expected));
    }
}
