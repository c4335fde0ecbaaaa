//! A sensor whose messages own their memory, which an allocator gives.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "../bare.rs"]
#[allow(unsafe_code, reason = "the names that a linker looks for")]
mod bare;
#[cfg(target_os = "none")]
#[path = "../heap.rs"]
#[allow(unsafe_code, reason = "an allocator")]
mod heap;
#[cfg(not(target_os = "none"))]
include!("../../../../examples/common/say.rs");

extern crate alloc;

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use tablepb::{DecodeError, Message};

/// Readings of one sensor.
#[derive(Debug, Default, PartialEq)]
struct Batch {
    sensor: String,
    readings: Vec<Reading>,
    labels: BTreeMap<String, String>,
}

/// A point in time and what was measured.
#[derive(Debug, Default, PartialEq)]
struct Reading {
    uptime: u32,
    values: Vec<i32>,
}

tablepb::message! {
    Batch as "sensor.Batch" {
        sensor: string = 1,
        readings: repeated message Reading = 2,
        labels: map<string, string> = 3,
    }
    Reading as "sensor.BatchReading" { uptime: uint32 = 1, values: repeated sint32 = 2 }
}

/// A batch of `oven` with one reading and one label.
const RECEIVED: &[u8] = b"\x0a\x04oven\x12\x06\x08\x07\x12\x02\x02\x01\x1a\x06\x0a\x01a\x12\x01b";

/// How many bytes are to be sent then.
const SENT: usize = 32;

/// Adds a reading to a batch that was received.
fn add(received: &[u8]) -> Result<Batch, DecodeError> {
    let mut batch = Batch::decode(received)?;
    let values = batch
        .readings
        .last()
        .map(|last| last.values.iter().map(|value| value + 1).collect())
        .unwrap_or_default();
    batch.readings.push(Reading { uptime: 61_000, values });
    Ok(batch)
}

/// Returns how many bytes of the longer batch are to be sent.
fn run(received: &[u8], out: &mut [u8]) -> usize {
    add(received).ok().and_then(|batch| batch.encode_to_slice(out).ok()).unwrap_or(0)
}

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = [0; 64];
    let len = run(RECEIVED, &mut out);
    assert_eq!(len, SENT);
    let batch = Batch::decode(&out[..len])?;
    assert_eq!(
        (batch.readings.len(), &batch.readings[1].values[..], &*batch.labels["a"]),
        (2, &[2, 0][..], "b")
    );
    say!("{len} bytes: {batch:?}");
    Ok(())
}
