//! A sensor that collects readings in lists of fixed capacity, and needs no allocator.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    tablepb_no_alloc,
    allow(clippy::result_large_err, reason = "errors are not in a box without an allocator")
)]

#[cfg(target_os = "none")]
#[path = "../bare.rs"]
#[allow(unsafe_code, reason = "the names that a linker looks for")]
mod bare;
#[cfg(not(target_os = "none"))]
include!("../../../../examples/common/say.rs");

use heapless::{String, Vec};
use tablepb::{DecodeError, Message};

/// Readings of one sensor.
#[derive(Debug, Default, PartialEq)]
struct Batch {
    sensor: String<12>,
    readings: Vec<Reading, 8>,
}

/// A point in time and what was measured.
#[derive(Debug, Default, PartialEq)]
struct Reading {
    uptime: u32,
    values: Vec<i32, 4>,
}

tablepb::message! {
    Batch as "sensor.Batch" { sensor: string = 1, readings: repeated message Reading = 2 }
    Reading as "sensor.BatchReading" { uptime: uint32 = 1, values: repeated sint32 = 2 }
}

/// A batch of `oven` with one reading.
const RECEIVED: &[u8] = b"\x0a\x04oven\x12\x06\x08\x07\x12\x02\x02\x01";

/// How many bytes are to be sent then.
const SENT: usize = 24;

/// Adds a reading to a batch that was received.
fn add(received: &[u8]) -> Result<Batch, DecodeError> {
    let mut batch = Batch::decode(received)?;
    let values = batch
        .readings
        .last()
        .map(|last| last.values.iter().map(|value| value + 1).collect())
        .unwrap_or_default();
    // What finds no room is left out.
    let _ = batch.readings.push(Reading { uptime: 61_000, values });
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
    assert_eq!((batch.readings.len(), &batch.readings[1].values[..]), (2, &[2, 0][..]));
    say!("{len} bytes: {batch:?}");
    let error = Batch::decode(b"\x12\x07\x12\x05\x02\x04\x06\x08\x0a").unwrap_err();
    assert_eq!((error.path().to_string(), error.offset()), ("readings[0].values[4]".into(), 8));
    say!("{error}");
    Ok(())
}
