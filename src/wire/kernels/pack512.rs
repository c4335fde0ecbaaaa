//! Encoding sixteen values (or eight of 64 bits) per step, for processors with AVX-512 VBMI2.
//!
//! ```text
//! for 16 values (8 of 64 bits), one per lane:
//!     groups = seven bits of the value in each byte of its lane      // multishift, mask 0x7f
//!     follows = bytes that are not the last of their value           // compare with 2^7, 2^14, 2^21
//!     bytes = groups with a continuation bit where follows
//!     store the bytes that count, compressed                         // vpcompressb
//! ```
//!
//! Values too large for a lane (2^28, 2^56) are left to wider lanes, or written one by one together with their neighbours.

use super::element::{Packing, Packs, one_by_one, varint};
use crate::wire::{Cursor, varint_len};
use core::arch::x86_64::*;

/// The bytes of a run.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(super) fn packed_len<const N: usize, P: Packs>(run: &[[u32; N]]) -> u64 {
    let words = run.as_flattened();
    let (chunks, rest) = words.as_chunks::<16>();
    let mut more = 0;
    for chunk in chunks {
        let lanes = varints::<N, P>(load(chunk));
        more += if N == 1 { more_of_words::<P>(lanes) } else { more_of_pairs(lanes) };
    }
    let (rest, _) = rest.as_chunks::<N>();
    let last: usize = rest.iter().map(|words| varint_len(varint::<N, P>(words)) - 1).sum();
    run.len() as u64 + u64::from(more) + last as u64
}

/// The bytes of sixteen varints without the first of each.
#[target_feature(enable = "avx512f,popcnt")]
#[inline]
fn more_of_words<P: Packs>(lanes: __m512i) -> u32 {
    let mut more = 0;
    for bits in [7, 14, 21, 28] {
        more += _mm512_cmpge_epu32_mask(lanes, _mm512_set1_epi32(1 << bits)).count_ones();
    }
    if P::PACKING == Packing::Signed {
        // Ten bytes rather than five.
        more += 5 * _mm512_cmplt_epi32_mask(lanes, _mm512_setzero_si512()).count_ones();
    }
    more
}

/// The same for eight varints of 64 bits.
#[target_feature(enable = "avx512f,popcnt")]
#[inline]
fn more_of_pairs(lanes: __m512i) -> u32 {
    let mut more = 0;
    for bits in [7, 14, 21, 28, 35, 42, 49, 56, 63] {
        more += _mm512_cmpge_epu64_mask(lanes, _mm512_set1_epi64((1_u64 << bits) as i64)).count_ones();
    }
    more
}

/// Writes a run.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn pack<const N: usize, P: Packs>(run: &[[u32; N]], out: &mut Cursor<'_>) {
    let (chunks, rest) = run.as_flattened().as_chunks::<16>();
    for chunk in chunks {
        let lanes = varints::<N, P>(load(chunk));
        let done = if N == 2 {
            put_pairs(lanes, out)
        } else if _mm512_cmpge_epu32_mask(lanes, _mm512_set1_epi32(1 << 28)) == 0 {
            put_words(lanes, out)
        } else {
            false
        };
        if !done {
            slow::<N, P>(chunk, lanes, out);
        }
    }
    let (rest, _) = rest.as_chunks::<N>();
    one_by_one::<N, P>(rest, out);
}

/// What does not fit in lanes: large values, and the end of the window.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn slow<const N: usize, P: Packs>(chunk: &[u32; 16], lanes: __m512i, out: &mut Cursor<'_>) {
    let negative =
        P::PACKING == Packing::Signed && _mm512_cmplt_epi32_mask(lanes, _mm512_setzero_si512()) != 0;
    if N == 1 && !negative {
        let low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(lanes));
        let high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
        let (first, last) = chunk.split_at(8);
        for (lanes, words) in [(low, first), (high, last)] {
            if !put_pairs(lanes, out) {
                one_by_one::<N, P>(words.as_chunks::<N>().0, out);
            }
        }
    } else {
        one_by_one::<N, P>(chunk.as_chunks::<N>().0, out);
    }
}

/// Sixteen varints below 2^28; false if there is no room for a whole register.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn put_words(lanes: __m512i, out: &mut Cursor<'_>) -> bool {
    let shifts = _mm512_set1_epi64(0x352e_2720_150e_0700);
    let groups = _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, lanes), _mm512_set1_epi8(0x7f));
    let above = |bits: u32, byte: i32| {
        _mm512_maskz_set1_epi32(_mm512_cmpge_epu32_mask(lanes, _mm512_set1_epi32(1 << bits)), byte)
    };
    let follows = _mm512_or_si512(above(7, 0x80), _mm512_or_si512(above(14, 0x8000), above(21, 0x80_0000)));
    // The first byte of a value, and each byte that comes after one with a continuation bit.
    let counts = _mm512_or_si512(_mm512_slli_epi32::<8>(follows), _mm512_set1_epi32(0x80));
    put(_mm512_or_si512(groups, follows), _mm512_movepi8_mask(counts), out)
}

/// Eight varints; false if one is 2^56 or above, or there is no room for a whole register.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn put_pairs(lanes: __m512i, out: &mut Cursor<'_>) -> bool {
    if _mm512_test_epi64_mask(lanes, _mm512_set1_epi64(0xff << 56)) != 0 {
        return false;
    }
    let shifts = _mm512_set1_epi64(0x312a_231c_150e_0700);
    let groups = _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, lanes), _mm512_set1_epi8(0x7f));
    // In every eight bits: those from the first byte up to the last one that is not zero.
    let mut counts = _mm512_test_epi8_mask(groups, groups) | 0x0101_0101_0101_0101;
    counts |= (counts >> 1) & 0x7f7f_7f7f_7f7f_7f7f;
    counts |= (counts >> 2) & 0x3f3f_3f3f_3f3f_3f3f;
    counts |= (counts >> 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let followed = (counts >> 1) & 0x7f7f_7f7f_7f7f_7f7f;
    put(_mm512_or_si512(groups, _mm512_maskz_set1_epi8(followed, -128)), counts, out)
}

/// The bytes of a register that count.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
#[inline]
fn put(bytes: __m512i, counts: u64, out: &mut Cursor<'_>) -> bool {
    let mut together = [0; 64];
    let register = _mm512_maskz_compress_epi8(counts, bytes);
    // SAFETY: 64 bytes are written to an array of 64; the store needs no alignment.
    unsafe { _mm512_storeu_si512(together.as_mut_ptr().cast(), register) };
    out.put_first(together, counts.count_ones() as usize)
}

/// The values to encode: of sixteen words, or of eight pairs of words; `Signed` words are of 32 bits.
#[target_feature(enable = "avx512f")]
#[inline]
fn varints<const N: usize, P: Packs>(lanes: __m512i) -> __m512i {
    match (P::PACKING, N) {
        (Packing::Zigzag, 1) => {
            _mm512_xor_si512(_mm512_slli_epi32::<1>(lanes), _mm512_srai_epi32::<31>(lanes))
        }
        (Packing::Zigzag, _) => {
            _mm512_xor_si512(_mm512_slli_epi64::<1>(lanes), _mm512_srai_epi64::<63>(lanes))
        }
        _ => lanes,
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(words: &[u32; 16]) -> __m512i {
    // SAFETY: 64 bytes are read from an array of 16 words; the load needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}
