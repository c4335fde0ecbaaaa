//! The lanes of registers: what selects bytes for them, and how they are stored.

use super::super::element::{Meaning, Plain, VarintForm};
use core::arch::aarch64::*;

/// One bit for each byte: its highest.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn high_bits(uint8x16x4_t(a, b, c, d): uint8x16x4_t) -> u64 {
    let bits = load(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
    let bits = |part| vandq_u8(vcltzq_s8(vreinterpretq_s8_u8(part)), bits);
    // Adding neighbours three times makes a byte of eight.
    let pairs = vpaddq_u8(vpaddq_u8(bits(a), bits(b)), vpaddq_u8(bits(c), bits(d)));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)))
}

/// Byte i: the number of stops before the eight bytes i.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn places(stops: u64) -> u64 {
    let counts = vget_lane_u64::<0>(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(stops))));
    counts.wrapping_mul(0x0101_0101_0101_0101) << 8
}

/// The places of the bits that are set in a byte, one per byte, for all bytes.
static SELECTED: [u64; 256] = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut len) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                all[byte] |= bit << (8 * len);
                len += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    all
};

/// The places of the bits that are set in the lowest byte.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn selected(bits: u64) -> uint8x8_t {
    vcreate_u8(SELECTED.get(bits as usize & 0xff).copied().unwrap_or(0))
}

/// The positions of the first four bytes of four values.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn spread4(starts: [u8; 4]) -> uint8x16_t {
    let all = vreinterpretq_u8_u32(vdupq_n_u32(u32::from_le_bytes(starts)));
    let lanes = load(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    vaddq_u8(vqtbl1q_u8(all, lanes), vreinterpretq_u8_u32(vdupq_n_u32(0x0302_0100)))
}

/// The positions of the first eight bytes of two values.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn spread8(starts: [u8; 2]) -> uint8x16_t {
    let all = vreinterpretq_u8_u16(vdupq_n_u16(u16::from_le_bytes(starts)));
    let lanes = load(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    vaddq_u8(vqtbl1q_u8(all, lanes), vreinterpretq_u8_u64(vdupq_n_u64(0x0706_0504_0302_0100)))
}

/// Four bytes to 28 bits, in every lane of 32 bits; continuation bits are dropped.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn join(bytes: uint8x16_t) -> uint8x16_t {
    let seven = vreinterpretq_u16_u8(vandq_u8(bytes, vdupq_n_u8(0x7f)));
    // What the shift inserts replaces the upper of the two, which is then next to the lower.
    let pairs = vreinterpretq_u32_u16(vsliq_n_u16::<7>(seven, vshrq_n_u16::<8>(seven)));
    vreinterpretq_u8_u32(vsliq_n_u32::<14>(pairs, vshrq_n_u32::<16>(pairs)))
}

/// Stores sixteen varints below 2^7.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn put8<const N: usize, F: VarintForm>(room: &mut [[u32; N]; 16], varints: uint8x16_t) {
    let one = vdupq_n_u8(1);
    let values = vreinterpretq_s8_u8(match F::MEANING {
        Meaning::Plain => varints,
        Meaning::Bool => vminq_u8(varints, one),
        Meaning::Zigzag => {
            let sign = vnegq_s8(vreinterpretq_s8_u8(vandq_u8(varints, one)));
            veorq_u8(vshrq_n_u8::<1>(varints), vreinterpretq_u8_s8(sign))
        }
    });
    let (low, high) = (vmovl_s8(vget_low_s8(values)), vmovl_high_s8(values));
    put16::<N, Plain>(room, 0, vreinterpretq_u16_s16(low));
    put16::<N, Plain>(room, 8, vreinterpretq_u16_s16(high));
}

/// Stores eight varints below 2^15, or as many as there is room for.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn put16<const N: usize, F: VarintForm>(room: &mut [[u32; N]], place: usize, varints: uint16x8_t) {
    let one = vdupq_n_u16(1);
    let values = vreinterpretq_s16_u16(match F::MEANING {
        Meaning::Plain => varints,
        Meaning::Bool => vminq_u16(varints, one),
        Meaning::Zigzag => {
            let sign = vnegq_s16(vreinterpretq_s16_u16(vandq_u16(varints, one)));
            veorq_u16(vshrq_n_u16::<1>(varints), vreinterpretq_u16_s16(sign))
        }
    });
    let (low, high) = (vmovl_s16(vget_low_s16(values)), vmovl_high_s16(values));
    put::<8, N>(room, place, |part| {
        let (first, second) = part.split_at_mut(4);
        widen::<N>(first, low);
        widen::<N>(second, high);
    });
}

/// Stores four varints below 2^31 (of elements of one word: any), or as many as there is room for.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn put32<const N: usize, F: VarintForm>(part: &mut [[u32; N]], varints: uint32x4_t) {
    let one = vdupq_n_u32(1);
    let values = match F::MEANING {
        Meaning::Plain => varints,
        Meaning::Bool => vminq_u32(varints, one),
        Meaning::Zigzag => {
            let sign = vnegq_s32(vreinterpretq_s32_u32(vandq_u32(varints, one)));
            veorq_u32(vshrq_n_u32::<1>(varints), vreinterpretq_u32_s32(sign))
        }
    };
    put::<4, N>(part, 0, |part| widen::<N>(part, vreinterpretq_s32_u32(values)));
}

/// Stores two varints of 64 bits, or as many as there is room for.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn put64<const N: usize, F: VarintForm>(part: &mut [[u32; N]], varints: uint64x2_t) {
    let one = vdupq_n_u64(1);
    let values = match F::MEANING {
        Meaning::Plain => varints,
        Meaning::Bool => vandq_u64(vtstq_u64(varints, varints), one),
        Meaning::Zigzag => {
            let sign = vnegq_s64(vreinterpretq_s64_u64(vandq_u64(varints, one)));
            veorq_u64(vshrq_n_u64::<1>(varints), vreinterpretq_u64_s64(sign))
        }
    };
    put::<2, N>(part, 0, |part| store(part.as_flattened_mut(), vreinterpretq_u32_u64(values)));
}

/// Has elements stored at a place, by way of a copy if there is not room for all.
#[inline(always)]
fn put<const ALL: usize, const N: usize>(
    room: &mut [[u32; N]],
    place: usize,
    store: impl Fn(&mut [[u32; N]; ALL]),
) {
    if let Some(part) = room.get_mut(place..place + ALL).and_then(|part| part.first_chunk_mut()) {
        return store(part);
    }
    let mut all = [[0; N]; ALL];
    store(&mut all);
    room.iter_mut().skip(place).zip(all).for_each(|(to, from)| *to = from);
}

/// Stores four numbers, as one word each or as two.
#[target_feature(enable = "neon")]
#[inline]
fn widen<const N: usize>(part: &mut [[u32; N]], numbers: int32x4_t) {
    let words = part.as_flattened_mut();
    if N == 1 {
        return store(words, vreinterpretq_u32_s32(numbers));
    }
    let (first, second) = words.split_at_mut(words.len() / 2);
    store(first, vreinterpretq_u32_s64(vmovl_s32(vget_low_s32(numbers))));
    store(second, vreinterpretq_u32_s64(vmovl_high_s32(numbers)));
}

/// Stores four words, if there is room for them.
#[target_feature(enable = "neon")]
#[inline]
fn store(room: &mut [u32], words: uint32x4_t) {
    if let Some(room) = room.first_chunk_mut::<4>() {
        // SAFETY: 16 bytes are written to an array of 4 words; the store needs no alignment beyond that of the array.
        unsafe { vst1q_u32(room.as_mut_ptr(), words) }
    }
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn load(array: &[u8; 16]) -> uint8x16_t {
    // SAFETY: 16 bytes are read from an array of 16; bytes have no alignment.
    unsafe { vld1q_u8(array.as_ptr()) }
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn load64(array: &[u8; 64]) -> uint8x16x4_t {
    let (parts, _) = array.as_chunks();
    let part = |i: usize| parts.get(i).map_or(vdupq_n_u8(0), |part| load(part));
    uint8x16x4_t(part(0), part(1), part(2), part(3))
}
