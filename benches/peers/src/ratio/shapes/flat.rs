//! Flat scalars.

use crate::generated::prost::flat::Sample;
use crate::random::Random;

pub fn generate(r: &mut Random) -> Sample {
    Sample {
        line: r.bits(16) as i32,
        timestamp: 1_700_000_000_000 + r.bits(36) as i64,
        count: r.bits(20) as u32,
        total: r.bits(40),
        delta: r.signed(16) as i32,
        offset: r.signed(40),
        valid: r.one_in(2),
        state: r.range(0, 4) as i32,
        checksum: r.u64() as u32,
        id: r.u64(),
        north: r.signed(31) as i32,
        east: r.signed(60),
        temperature: r.f32(),
        pressure: r.f64(),
        port: r.bits(16) as u32,
        flags: r.bits(8) as u32,
        // One in eight is negative: ten bytes.
        level: if r.one_in(8) { -1 } else { r.bits(7) as i32 },
        started: 1_700_000_000 + r.bits(20) as i64,
        ended: r.maybe(2, |r| 1_700_000_000 + r.bits(24) as i64).unwrap_or(0),
        read: r.bits(32),
        written: r.bits(32),
        drift: r.signed(12) as i32,
        minimum: r.f64(),
        maximum: r.f64(),
        mean: r.f64(),
        cached: r.one_in(3),
        address: r.u64() as u32,
        load: r.f32(),
        errors: r.maybe(4, |r| r.bits(10) as u32).unwrap_or(0),
        retries: r.maybe(4, |r| r.bits(4) as u32).unwrap_or(0),
    }
}
