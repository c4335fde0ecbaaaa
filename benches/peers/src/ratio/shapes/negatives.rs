//! Packed negative integers.

use crate::generated::prost::negatives::Samples;
use crate::random::Random;

pub fn generate(r: &mut Random) -> Samples {
    Samples {
        sensor: r.name(4, 12),
        low: r.list(50, 500, |r| -1 - r.bits(30) as i32),
        high: r.list(50, 500, |r| -1 - r.bits(40) as i64),
    }
}
