//! Small map tiles: short packed fields.

use crate::generated::prost::tiles::{Feature, Layer, Scalar, Tile};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Tile {
    Tile { version: 2, layers: r.list(1, 5, layer) }
}

fn layer(r: &mut Random) -> Layer {
    let keys = r.list(2, 8, |r| r.name(3, 12));
    let values = r.list(3, 20, scalar);
    let (key_count, value_count) = (keys.len() as u64, values.len() as u64);
    Layer {
        name: r.pick(&["roads", "water", "buildings", "labels", "landuse"]).to_owned(),
        features: r.list(4, 40, |r| feature(r, key_count, value_count)),
        keys,
        values,
        extent: 4096,
    }
}

fn feature(r: &mut Random, keys: u64, values: u64) -> Feature {
    let pairs = r.range(0, 4);
    let points = if r.one_in(3) { 1 } else { r.range(2, 16) };
    let mut geometry = vec![9];
    for point in 0..points {
        if point == 1 {
            geometry.push((points as u32 - 1) << 3 | 2);
        }
        // Zigzag deltas: mostly one byte, the first point two.
        let bits = if point == 0 { 13 } else { 8 };
        geometry.extend([r.bits(bits) as u32, r.bits(bits) as u32]);
    }
    Feature {
        id: r.bits(32),
        tags: (0..pairs).flat_map(|_| [r.range(0, keys) as u32, r.range(0, values) as u32]).collect(),
        r#type: r.range(1, 4) as i32,
        geometry,
    }
}

fn scalar(r: &mut Random) -> Scalar {
    let mut scalar = Scalar::default();
    match r.range(0, 7) {
        0..=2 => scalar.string_value = Some(r.name(3, 16)),
        3 => scalar.double_value = Some(r.f64()),
        4 => scalar.uint_value = Some(r.bits(24)),
        5 => scalar.sint_value = Some(r.signed(20)),
        _ => scalar.bool_value = Some(r.one_in(2)),
    }
    scalar
}
