//! Byte blobs.

use crate::generated::prost::blobs::Blob;
use crate::random::Random;

pub fn generate(r: &mut Random) -> Blob {
    let len = 1 << r.range(9, 16);
    let len = len + r.range(0, len);
    Blob { name: r.name(8, 24), offset: r.bits(40), data: r.bytes(len), crc: r.u64() as u32 }
}
