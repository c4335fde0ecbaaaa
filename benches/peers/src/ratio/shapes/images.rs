//! Images.

use crate::generated::prost::images::{Image, Thumbnail};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Image {
    let len = r.range(10 << 10, 200 << 10);
    Image {
        name: format!("{}/{}.jpg", r.name(4, 12), r.hex(12)),
        format: r.range(0, 3) as i32,
        width: r.range(200, 4_000) as u32,
        height: r.range(200, 3_000) as u32,
        pixels: r.bytes(len),
        thumbnails: r.list(0, 2, |r| {
            let len = r.range(500, 3_000);
            Thumbnail { width: 64, height: r.range(40, 90) as u32, pixels: r.bytes(len) }
        }),
    }
}
