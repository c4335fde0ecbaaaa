//! Readings of sensors: small messages.

use crate::generated::prost::readings::{Place, Reading};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Reading {
    Reading {
        sensor: 1 + r.bits(12) as u32,
        time: r.maybe(2, |r| 1_700_000_000 + r.bits(24) as i64).unwrap_or(0),
        value: r.maybe(2, |r| r.f64()).unwrap_or(0.0),
        unit: r.maybe(3, |r| r.name(1, 4)).unwrap_or_default(),
        place: r.maybe(3, |r| Place { rack: r.bits(6) as u32, slot: r.bits(5) as u32 }),
    }
}
