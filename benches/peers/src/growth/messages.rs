//! What is decoded: wide types, deep messages, lists of records, and shapes whose memory is counted.

use super::{Makers, makers};
use prost::Message as _;
use prost::encoding::{bytes as length_delimited, uint64};

/// Messages in messages.
#[derive(Debug, Default, PartialEq)]
pub struct Level {
    inner: Option<Box<Level>>,
    number: u64,
}

/// A record of a log, as it comes in lists.
#[derive(Debug, Default, PartialEq)]
pub struct Record {
    time: u64,
    severity: i32,
    body: String,
    labels: Vec<Label>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Label {
    key: String,
    value: String,
}

#[derive(Debug, Default, PartialEq)]
pub struct Records {
    records: Vec<Record>,
}

/// Lists of numbers and of points.
#[derive(Debug, Default, PartialEq)]
pub struct Numbers {
    small: Vec<u32>,
    points: Vec<Point>,
    blob: Vec<u8>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Point {
    x: f32,
    y: f32,
    z: f32,
}

tablepb::message! {
    Level as "growth.Level" { inner: message Level = 1, number: uint64 = 2 }
    Record as "growth.Record" {
        time: fixed64 = 1,
        severity: int32 = 2,
        body: string = 3,
        labels: repeated message Label = 4,
    }
    Label as "growth.Label" { key: string = 1, value: string = 2 }
    Records as "growth.Records" { records: repeated message Record = 1 }
    Numbers as "growth.Numbers" {
        small: repeated uint32 = 1,
        points: repeated message Point = 2,
        blob: bytes = 3,
    }
    Point as "growth.Point" { x: float = 1, y: float = 2, z: float = 3 }
}

/// What prost's generator would make of the same schemas.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Node {
    #[prost(message, optional, boxed, tag = "1")]
    pub inner: Option<Box<Node>>,
    #[prost(uint64, tag = "2")]
    pub number: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Generated {
    #[prost(message, repeated, tag = "1")]
    pub records: Vec<GeneratedRecord>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct GeneratedRecord {
    #[prost(fixed64, tag = "1")]
    pub time: u64,
    #[prost(int32, tag = "2")]
    pub severity: i32,
    #[prost(string, tag = "3")]
    pub body: String,
    #[prost(message, repeated, tag = "4")]
    pub labels: Vec<GeneratedLabel>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct GeneratedLabel {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct GeneratedNumbers {
    #[prost(uint32, repeated, tag = "1")]
    pub small: Vec<u32>,
    #[prost(message, repeated, tag = "2")]
    pub points: Vec<GeneratedPoint>,
    #[prost(bytes = "vec", tag = "3")]
    pub blob: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct GeneratedPoint {
    #[prost(float, tag = "1")]
    pub x: f32,
    #[prost(float, tag = "2")]
    pub y: f32,
    #[prost(float, tag = "3")]
    pub z: f32,
}

/// A number with up to 27 bits.
fn number(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    1 + ((mixed & 0x7ff_ffff) >> (mixed >> 27))
}

/// Messages of so many fields, all of them set, 60 KB together.
pub fn wide(count: u32) -> Vec<Vec<u8>> {
    let message = |seed: u64| {
        let mut bytes = Vec::new();
        for field in 1..=count {
            uint64::encode(field, &(1 + number(seed << 10 | u64::from(field))), &mut bytes);
        }
        bytes
    };
    (0..(20_000 / u64::from(count)).max(16)).map(message).collect()
}

/// Messages in messages, to this depth.
pub fn deep(depth: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for level in 0..depth {
        let mut outer = Vec::new();
        if level > 0 {
            length_delimited::encode(1, &bytes, &mut outer);
        }
        uint64::encode(2, &(level as u64 * 77 + 1), &mut outer);
        bytes = outer;
    }
    bytes
}

/// One message with a list of records, of about this many bytes.
pub fn list(bytes: usize) -> Vec<u8> {
    let label = |key: &str, value: String| GeneratedLabel { key: key.into(), value };
    let record = |seed: u64| GeneratedRecord {
        time: 1_700_000_000_000_000_000 + seed * 1_000_003,
        severity: (number(seed) % 24) as i32,
        body: format!(
            "request {} of route {} took {} ms",
            number(seed),
            number(seed + 7) % 64,
            number(seed + 9) % 900
        ),
        labels: vec![
            label("host", format!("node-{}", number(seed + 11) % 512)),
            label("region", "eu-central-1".into()),
        ],
    };
    let (mut list, mut len) = (Generated::default(), 0);
    while len < bytes {
        let record = record(list.records.len() as u64);
        len += record.encoded_len() + 2;
        list.records.push(record);
    }
    list.encode_to_vec()
}

/// A message whose memory is counted.
pub struct Shape {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub makers: Makers,
}

/// Messages of 100 to 300 KB.
pub fn shapes() -> Vec<Shape> {
    let numbers = makers::<Numbers, GeneratedNumbers>;
    let of = |message: GeneratedNumbers| message.encode_to_vec();
    let point = |n: u32| GeneratedPoint { x: 1.0 + n as f32, y: 0.5, z: 7.25 };
    vec![
        Shape { name: "records", bytes: list(200_000), makers: makers::<Records, Generated>() },
        Shape {
            name: "points",
            bytes: of(GeneratedNumbers { points: (0..10_000).map(point).collect(), ..Default::default() }),
            makers: numbers(),
        },
        Shape {
            name: "packed numbers",
            bytes: of(GeneratedNumbers {
                small: (0..200_000).map(|n| n % 128).collect(),
                ..Default::default()
            }),
            makers: numbers(),
        },
        Shape {
            name: "one blob",
            bytes: of(GeneratedNumbers { blob: vec![7; 300_000], ..Default::default() }),
            makers: numbers(),
        },
    ]
}
