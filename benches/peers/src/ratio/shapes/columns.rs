//! Long packed columns.

use crate::generated::prost::columns::{Batch, Small};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Batch {
    let rows = r.range(2_000, 4_000);
    let mut time = 1_700_000_000_000;
    let mut column = |make: &dyn Fn(&mut Random) -> u64| -> Vec<u64> { (0..rows).map(|_| make(r)).collect() };
    let id = column(&|r| r.bits(28));
    let step = column(&|r| r.bits(10));
    let delta = column(&|r| r.signed(14) as u64);
    let change = column(&|r| r.signed(40) as u64);
    let value = column(&|r| r.f64().to_bits());
    let weight = column(&|r| u64::from(r.f32().to_bits()));
    let hash = column(&Random::u64);
    let valid = column(&|r| u64::from(!r.one_in(10)));
    let code = column(&|r| r.bits(7));
    let small = column(&|r| r.bits(14));
    Batch {
        version: 3,
        first_row: r.bits(40),
        id: id.iter().map(|&v| v as u32).collect(),
        time: step
            .iter()
            .map(|v| {
                time += v;
                time
            })
            .collect(),
        delta: delta.iter().map(|&v| v as i32).collect(),
        change: change.iter().map(|&v| v as i64).collect(),
        value: value.iter().map(|&v| f64::from_bits(v)).collect(),
        weight: weight.iter().map(|&v| f32::from_bits(v as u32)).collect(),
        hash,
        valid: valid.iter().map(|&v| v != 0).collect(),
        code: code.iter().map(|&v| v as i32).collect(),
        small: small.iter().map(|&v| v as u32).collect(),
    }
}

/// A column of varints of one and two bytes.
pub fn small(r: &mut Random) -> Small {
    Small {
        version: 3,
        values: r.list(
            20_000,
            40_000,
            |r| if r.one_in(2) { r.range(1, 128) } else { r.range(128, 16384) } as u32,
        ),
    }
}
