//! Sixteen values (or eight of 64 bits) per step, for processors with AVX-512 VBMI2.
//!
//! ```text
//! for each window of 64 bytes:
//!     stops = bytes without a continuation bit                  // one per value
//!     starts = positions of the first byte of each value, compressed to the front of a register
//!     for 16 (or 8) values:
//!         lane = first four (or eight) bytes of the value       // byte permutation by starts
//!         lane = lane up to its first byte without a continuation bit
//!         lane = groups of seven bits put together              // two multiply-adds: 14 bits, then 28
//!         store the lanes
//! ```
//!
//! Windows whose values all have one byte, or at most two, are frequent and take a shorter way. A window with a value of
//! more than ten bytes ends the kernel; [`one_by_one`](super::portable::one_by_one) finds the fault.

use super::element::{Meaning, Progress, VarintForm};
use core::arch::x86_64::*;

/// The windows up to the end of the run, or to a fault.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn decode<const N: usize, F: VarintForm>(
    buf: &[u8],
    end: usize,
    mut at: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    let run = buf.get(..end).unwrap_or(buf);
    while let Some(rest) = run.get(at.pos..) {
        let (bytes, inside) = load(rest);
        let continues = _mm512_movepi8_mask(bytes);
        let stops = !continues & inside;
        let count = stops.count_ones() as usize;
        let Some(room) = out.get_mut(at.done..at.done + count) else { break };
        if count == 0 {
            break;
        }
        let window = Window512 { bytes, continues, stops };
        // Bit i: so many bytes up to the one at i continue.
        let two = continues & continues << 1;
        let four = two & two << 2;
        if continues == 0 {
            window.one_byte::<N, F>(room);
            if inside == u64::MAX {
                // As below, but with constants, so that the next load does not wait for this window.
                at = Progress { done: at.done + 64, pos: at.pos + 64 };
                continue;
            }
        } else if two == 0 {
            window.two_bytes::<N, F>(room);
        } else if four == 0 {
            window.four_bytes::<N, F>(room);
        } else {
            let eight = four & four << 4;
            if eight != 0 && window.overflows(eight) {
                break;
            }
            match (N, F::MEANING) {
                // No writer needs five bytes for a bool: left to `one_by_one`.
                (1, Meaning::Bool) => break,
                (1, _) => window.low_32_bits::<N, F>(room),
                _ if eight == 0 => window.eight_bytes::<N, F>(room),
                _ => window.ten_bytes::<N, F>(room),
            }
        }
        at.done += count;
        at.pos += 64 - stops.leading_zeros() as usize;
    }
    at
}

/// The number of bytes without continuation bit.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(super) fn count(run: &[u8]) -> usize {
    let mut count = 0;
    for part in run.chunks(64) {
        let (bytes, inside) = load(part);
        count += (!_mm512_movepi8_mask(bytes) & inside).count_ones() as usize;
    }
    count
}

/// 64 bytes from the start of a value on, zeros after the end of the run.
#[derive(Clone, Copy)]
struct Window512 {
    bytes: __m512i,
    /// One bit per byte: it has a continuation bit.
    continues: u64,
    /// One bit per byte: a value ends there.
    stops: u64,
}

impl Window512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn one_byte<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        sixteens(room, |lanes, part| {
            put::<N, F>(part, _mm512_maskz_permutexvar_epi8(LOW_BYTES, lanes, self.bytes));
        });
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn two_bytes<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let seven = _mm512_and_si512(self.bytes, _mm512_set1_epi8(0x7f));
        let low = _mm512_maskz_compress_epi8(self.starts(), seven);
        // The last byte of every value, if it is not the first.
        let second = _mm512_maskz_mov_epi8(self.continues << 1, self.bytes);
        let high = _mm512_maskz_compress_epi8(self.stops, second);
        sixteens(room, |lanes, part| {
            let low = _mm512_maskz_permutexvar_epi8(LOW_BYTES, lanes, low);
            let high = _mm512_maskz_permutexvar_epi8(LOW_BYTES, lanes, high);
            put::<N, F>(part, _mm512_or_si512(low, _mm512_slli_epi32::<7>(high)));
        });
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn four_bytes<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.start_positions();
        sixteens(room, |lanes, part| {
            let at = _mm512_permutexvar_epi8(lanes, starts);
            put::<N, F>(part, self.gather32(at).0);
        });
    }

    /// Values of any length, of which the first five bytes are kept.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn low_32_bits<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.start_positions();
        sixteens(room, |lanes, part| {
            let at = _mm512_permutexvar_epi8(lanes, starts);
            let (value, longer) = self.gather32(at);
            let fifth = _mm512_permutexvar_epi8(_mm512_add_epi8(at, _mm512_set1_epi32(4)), self.bytes);
            put::<N, F>(part, _mm512_mask_or_epi32(value, longer, value, _mm512_slli_epi32::<28>(fifth)));
        });
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn eight_bytes<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.start_positions();
        eights(room, |lanes, part| {
            let at = _mm512_permutexvar_epi8(lanes, starts);
            put64::<N, F>(part, self.gather64(at).0);
        });
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn ten_bytes<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.start_positions();
        eights(room, |lanes, part| {
            let at = _mm512_permutexvar_epi8(lanes, starts);
            let (value, longer) = self.gather64(at);
            // The ninth byte holds bits 56 to 62. Bit 63 is in the place of its continuation bit, so it is set if
            // that and bit 0 of the tenth byte are.
            let eighth = |n: i64| _mm512_add_epi8(at, _mm512_set1_epi64(n << 56));
            let ninth = _mm512_permutexvar_epi8(eighth(8), self.bytes);
            let tenth = _mm512_slli_epi64::<7>(_mm512_permutexvar_epi8(eighth(9), self.bytes));
            let sign = _mm512_and_si512(tenth, _mm512_set1_epi64(i64::MIN));
            let keep = _mm512_or_si512(sign, _mm512_set1_epi64(0x7f << 56));
            let high = _mm512_and_si512(ninth, keep);
            put64::<N, F>(part, _mm512_mask_or_epi64(value, longer, value, high));
        });
    }

    /// Whether a value has more than ten bytes or more than 64 bits. Bit i of `eight`: so many bytes up to the one
    /// at i continue.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn overflows(self, eight: u64) -> bool {
        let tenth = (eight & self.continues << 8) << 1;
        _mm512_mask_cmpgt_epu8_mask(tenth, self.bytes, _mm512_set1_epi8(1)) != 0
    }

    /// One bit per byte: a value starts there; also where the window cuts one.
    #[inline(always)]
    fn starts(self) -> u64 {
        self.stops << 1 | 1
    }

    /// The positions of all starts, one per byte.
    #[target_feature(enable = "avx512f,avx512vbmi2")]
    #[inline]
    fn start_positions(self) -> __m512i {
        _mm512_maskz_compress_epi8(self.starts(), bytes(&IOTA))
    }

    /// The first 28 bits of the values at the given positions (four times each), and which are longer.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn gather32(self, at: __m512i) -> (__m512i, __mmask16) {
        let at = _mm512_add_epi8(at, _mm512_set1_epi32(0x0302_0100));
        let value = _mm512_permutexvar_epi8(at, self.bytes);
        let stops = _mm512_andnot_si512(value, _mm512_set1_epi8(-0x80));
        // All bits up to the lowest stop; all if there is none.
        let upto = _mm512_xor_si512(stops, _mm512_add_epi32(stops, _mm512_set1_epi32(-1)));
        (join(_mm512_and_si512(value, upto)), _mm512_testn_epi32_mask(stops, stops))
    }

    /// The first 56 bits of the values at the given positions (eight times each), and which are longer.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn gather64(self, at: __m512i) -> (__m512i, __mmask8) {
        let at = _mm512_add_epi8(at, _mm512_set1_epi64(0x0706_0504_0302_0100));
        let value = _mm512_permutexvar_epi8(at, self.bytes);
        let stops = _mm512_andnot_si512(value, _mm512_set1_epi8(-0x80));
        let upto = _mm512_xor_si512(stops, _mm512_add_epi64(stops, _mm512_set1_epi64(-1)));
        let halves = join(_mm512_and_si512(value, upto));
        // 28 bits of the low half, which leaves bits 28 to 31 free, and 28 of the high half next to them.
        let low = _mm512_set1_epi64(0x0fff_ffff);
        let high = _mm512_andnot_si512(low, _mm512_srli_epi64::<4>(halves));
        let value = _mm512_or_si512(_mm512_and_si512(low, halves), high);
        (value, _mm512_testn_epi64_mask(stops, stops))
    }
}

/// The lowest of every four bytes.
const LOW_BYTES: u64 = 0x1111_1111_1111_1111;
const IOTA: [u8; 64] = numbered(1);

/// 0, 1, 2, ..., each so many times.
const fn numbered(times: usize) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = (i / times) as u8;
        i += 1;
    }
    bytes
}

/// Four bytes to 28 bits, in every lane of 32 bits; continuation bits are dropped.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn join(bytes: __m512i) -> __m512i {
    let seven = _mm512_and_si512(bytes, _mm512_set1_epi8(0x7f));
    // Bytes times 1 and 128, words times 1 and 2^14.
    let words = _mm512_maddubs_epi16(_mm512_set1_epi16(0x8001_u16 as i16), seven);
    _mm512_madd_epi16(words, _mm512_set1_epi32(0x4000_0001))
}

/// Calls `each` for every sixteen elements, with their numbers in the window, four times each.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn sixteens<const N: usize>(room: &mut [[u32; N]], each: impl Fn(__m512i, &mut [[u32; N]])) {
    const FIRST: [u8; 64] = numbered(4);
    let mut lanes = bytes(&FIRST);
    for part in room.chunks_mut(16) {
        each(lanes, part);
        lanes = _mm512_add_epi8(lanes, _mm512_set1_epi8(16));
    }
}

/// Calls `each` for every eight elements, with their numbers in the window, eight times each.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn eights<const N: usize>(room: &mut [[u32; N]], each: impl Fn(__m512i, &mut [[u32; N]])) {
    const FIRST: [u8; 64] = numbered(8);
    let mut lanes = bytes(&FIRST);
    for part in room.chunks_mut(8) {
        each(lanes, part);
        lanes = _mm512_add_epi8(lanes, _mm512_set1_epi8(8));
    }
}

/// Stores sixteen varints of 32 bits, or as many as there is room for. For elements of two words they must be below
/// 2^31.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn put<const N: usize, F: VarintForm>(part: &mut [[u32; N]], varints: __m512i) {
    let one = _mm512_set1_epi32(1);
    let values = match F::MEANING {
        Meaning::Plain => varints,
        Meaning::Bool => _mm512_min_epu32(varints, one),
        Meaning::Zigzag => {
            let sign = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_and_si512(varints, one));
            _mm512_xor_si512(_mm512_srli_epi32::<1>(varints), sign)
        }
    };
    if N == 1 {
        return store(part.as_flattened_mut(), values);
    }
    let (first, second) = part.split_at_mut(part.len().min(8));
    store(first.as_flattened_mut(), _mm512_cvtepi32_epi64(_mm512_castsi512_si256(values)));
    store(second.as_flattened_mut(), _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(values)));
}

/// Stores eight varints of 64 bits, or as many as there is room for.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn put64<const N: usize, F: VarintForm>(part: &mut [[u32; N]], varints: __m512i) {
    let one = _mm512_set1_epi64(1);
    let values = match F::MEANING {
        Meaning::Plain => varints,
        Meaning::Bool => _mm512_min_epu64(varints, one),
        Meaning::Zigzag => {
            let sign = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(varints, one));
            _mm512_xor_si512(_mm512_srli_epi64::<1>(varints), sign)
        }
    };
    store(part.as_flattened_mut(), values);
}

/// Stores the first of sixteen words, as many as there is room for.
#[target_feature(enable = "avx512f")]
#[inline]
fn store(room: &mut [u32], words: __m512i) {
    match room.first_chunk_mut::<16>() {
        // SAFETY: 64 bytes are written to an array of 16 words; the store needs no alignment.
        Some(all) => unsafe { _mm512_storeu_si512(all.as_mut_ptr().cast(), words) },
        None => {
            let inside = (1 << room.len()) - 1;
            // SAFETY: only words whose bit is set are written: the first `room.len()`, which is below 16 here.
            unsafe { _mm512_mask_storeu_epi32(room.as_mut_ptr().cast(), inside, words) }
        }
    }
}

/// The first 64 bytes, zeros after the end of the slice, and one bit for each byte that is there.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load(slice: &[u8]) -> (__m512i, u64) {
    match slice.first_chunk() {
        Some(all) => (bytes(all), u64::MAX),
        None => {
            let inside = (1 << slice.len()) - 1;
            // SAFETY: only bytes whose bit is set are read: the first `slice.len()`, which is below 64 here.
            (unsafe { _mm512_maskz_loadu_epi8(inside, slice.as_ptr().cast()) }, inside)
        }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn bytes(array: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from an array of 64; the load needs no alignment.
    unsafe { _mm512_loadu_si512(array.as_ptr().cast()) }
}
