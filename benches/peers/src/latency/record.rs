//! The project record, and what it is made of.

use serde::{Deserialize, Serialize};
use tablepb::Message;

/// The record, for tablepb and serde.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub name: String,
    pub description: String,
    pub timestamp: u64,
    pub tags: Vec<String>,
}

/// The same, with strings in the input.
#[derive(Debug, Default, PartialEq)]
pub struct Borrowed<'a> {
    name: &'a str,
    description: &'a str,
    timestamp: u64,
    tags: Vec<&'a str>,
}

tablepb::message! {
    Record as "example.Project" {
        name: string = 1,
        description: string = 2,
        timestamp: uint64 = 3,
        tags: repeated string = 4,
    }
    Borrowed<'a> as "example.Project" {
        name: string = 1,
        description: string = 2,
        timestamp: uint64 = 3,
        tags: repeated string = 4,
    }
}

/// What prost's generator would make of the schema.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Generated {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub description: String,
    #[prost(uint64, tag = "3")]
    pub timestamp: u64,
    #[prost(string, repeated, tag = "4")]
    pub tags: Vec<String>,
}

/// Letters that differ with the seed.
fn letters(seed: usize, length: usize) -> String {
    (0..length).map(|at| char::from(b'a' + ((seed * 7 + at * 3 + seed / 26) % 26) as u8)).collect()
}

/// 1 024 small records of 47 bytes, 100 as JSON.
pub fn small() -> Vec<Record> {
    let record = |seed: usize| {
        let name = 3 + seed * 5 % 13;
        let (first, second) = (2 + seed % 5, 1 + seed / 5 % 4);
        Record {
            name: letters(seed, name),
            description: letters(seed + 1, 20 - name),
            timestamp: 1_700_000_000 + seed as u64 * 86_400,
            tags: [first, second, 11 - first - second].map(|length| letters(seed + length, length)).into(),
        }
    };
    checked((0..1024).map(record).collect(), 47, 100)
}

/// 16 large records of 304 912 bytes, 304 960 as JSON.
pub fn large() -> Vec<Record> {
    let record = |seed: usize| Record {
        name: letters(seed, 50),
        description: letters(seed + 9, 1851),
        timestamp: 999_000_000 + seed as u64,
        tags: (0..1000).map(|tag| letters(seed * 31 + tag, 300)).collect(),
    };
    checked((0..16).map(record).collect(), 304_912, 304_960)
}

/// Records of these sizes.
fn checked(records: Vec<Record>, protobuf: usize, json: usize) -> Vec<Record> {
    for record in &records {
        assert_eq!(record.encoded_len(), protobuf, "bytes of protobuf");
        assert_eq!(serde_json::to_vec(record).map(|json| json.len()).ok(), Some(json), "bytes of JSON");
    }
    records
}
