//! Sixteen values of one byte per step, eight of up to two, four (or two of 64 bits) of up to ten, for aarch64.
//!
//! NEON has no compression, so the bytes of a window that matter are taken out eight at a time, by a table of what
//! eight bits select. If no value has more than two bytes, both of them are brought to the place of the last one first
//! and compressed from there. Else the positions at which values start are compressed, and a byte permutation fetches the
//! first four (or eight) bytes of each to its lane, as in `avx512`: what comes after the lowest byte without continuation
//! bit is masked, and groups of seven bits are shifted together.
//!
//! What pays was told by instructions counted, not by a clock.

mod lanes;

use super::element::{Meaning, Progress, VarintForm};
use super::portable;
use core::arch::aarch64::*;
use lanes::{high_bits, join, load, load64, places, put8, put16, put32, put64, selected, spread4, spread8};

/// The values of a window, and what a step that begins at the last of them stores.
const ROOM: usize = 64 + 8;

/// Windows of fewer values, if one has more than two bytes, are decoded one by one, which takes fewer instructions.
const FEW: usize = 6;

/// The windows up to the end of the run, or to a fault.
#[target_feature(enable = "neon")]
pub(super) fn decode<const N: usize, F: VarintForm>(
    buf: &[u8],
    end: usize,
    mut at: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    let end = end.min(buf.len());
    while at.pos < end {
        let inside = if end - at.pos < 64 { (1 << (end - at.pos)) - 1 } else { u64::MAX };
        let readable = buf.get(at.pos..).unwrap_or_default();
        let room = out.get_mut(at.done..).unwrap_or_default();
        let copy;
        let bytes = match readable.first_chunk() {
            Some(bytes) => load64(bytes),
            None => {
                copy = padded(readable);
                load64(&copy)
            }
        };
        if let Some(room) = room.first_chunk_mut()
            && inside == u64::MAX
            && is_plain(bytes)
        {
            one_byte::<N, F>(bytes, room);
            at = Progress { done: at.done + 64, pos: at.pos + 64 };
            continue;
        }
        let window = NeonWindow::new(bytes, inside, room.len());
        let count = window.count();
        let step = match room.first_chunk_mut::<ROOM>() {
            // The most frequent case is compiled once more, with stores that need no check.
            Some(room) if window.continues & window.continues << 1 == 0 => {
                window.two_bytes::<N, F, _>(room);
                window.progress()
            }
            _ => window.decode::<N, F>(readable, room.get_mut(..count).unwrap_or_default()),
        };
        at = Progress { done: at.done + step.done, pos: at.pos + step.pos };
        if step.done < count || count == 0 {
            break;
        }
    }
    at
}

/// Whether no byte has a continuation bit.
#[target_feature(enable = "neon")]
#[inline]
fn is_plain(uint8x16x4_t(a, b, c, d): uint8x16x4_t) -> bool {
    vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d))) < 0x80
}

/// Values of one byte.
#[target_feature(enable = "neon")]
#[inline]
fn one_byte<const N: usize, F: VarintForm>(
    uint8x16x4_t(a, b, c, d): uint8x16x4_t,
    room: &mut [[u32; N]; 64],
) {
    let (parts, _) = room.as_chunks_mut();
    for (part, bytes) in parts.iter_mut().zip([a, b, c, d]) {
        put8::<N, F>(part, bytes);
    }
}

/// The number of bytes without continuation bit.
#[target_feature(enable = "neon")]
pub(super) fn count(run: &[u8]) -> usize {
    // All ones, which is -1, where a value ends.
    let ends = |part: &[u8; 16]| vcgezq_s8(vreinterpretq_s8_u8(load(part)));
    let Some(last) = run.last_chunk() else { return portable::count(run, 0, run.len()) };
    let mut count = 0;
    // In so many bytes, no lane counts beyond 255.
    for block in run.chunks(255 * 16) {
        let mut sums = vdupq_n_u8(0);
        let (lines, rest) = block.as_chunks::<64>();
        for line in lines {
            sums = line.as_chunks().0.iter().fold(sums, |sums, part| vsubq_u8(sums, ends(part)));
        }
        let (parts, rest) = rest.as_chunks();
        sums = parts.iter().fold(sums, |sums, part| vsubq_u8(sums, ends(part)));
        // The rest, which only the last block has, is the end of the last 16 bytes.
        let first = vdupq_n_u8(16 - rest.len() as u8);
        sums = vsubq_u8(sums, vandq_u8(ends(last), vcgeq_u8(load(&IOTA), first)));
        count += usize::from(vaddlvq_u8(sums));
    }
    count
}

const IOTA: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The rest of a buffer, padded with zeros.
#[cold]
#[inline(never)]
fn padded(rest: &[u8]) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    bytes
}

/// So many of the bits that are set.
#[cold]
#[inline(never)]
fn lowest(bits: u64, count: usize) -> u64 {
    bits ^ (0..count).fold(bits, |left, _| left & left.wrapping_sub(1))
}

/// 64 bytes from the start of a value on.
#[derive(Clone, Copy)]
struct NeonWindow {
    bytes: uint8x16x4_t,
    /// One bit per byte of the run: it has a continuation bit.
    continues: u64,
    /// One bit per byte of the run: a value ends there.
    stops: u64,
}

impl NeonWindow {
    /// `inside` has a bit for each byte of the run; values for which there is no room are none.
    #[target_feature(enable = "neon")]
    #[inline]
    fn new(bytes: uint8x16x4_t, inside: u64, room: usize) -> Self {
        let high = high_bits(bytes);
        let mut window = Self { bytes, continues: high & inside, stops: !high & inside };
        if window.count() > room {
            window.stops = lowest(window.stops, room);
        }
        window
    }

    /// The number of values.
    #[inline(always)]
    fn count(self) -> usize {
        self.stops.count_ones() as usize
    }

    /// Where the last value ends, once all are decoded.
    #[inline(always)]
    fn progress(self) -> Progress {
        Progress { done: self.count(), pos: 64 - self.stops.leading_zeros() as usize }
    }

    /// Decodes a window of any kind, which is at the start of `readable`, to as many elements as it has values.
    #[target_feature(enable = "neon")]
    #[inline]
    fn decode<const N: usize, F: VarintForm>(self, readable: &[u8], room: &mut [[u32; N]]) -> Progress {
        // Bit i: so many bytes up to the one at i continue.
        let two = self.continues & self.continues << 1;
        let four = two & two << 2;
        let eight = four & four << 4;
        let nothing = Progress { done: 0, pos: 0 };
        if two == 0 {
            self.two_bytes::<N, F, [_]>(room);
        } else if room.len() < FEW {
            return readable.first_chunk().map_or(nothing, |readable| {
                portable::window::<N, F>(readable, self.stops, room, portable::gather_kept)
            });
        } else if four == 0 {
            self.four_bytes::<N, F>(room);
        } else if self.overflows(eight) {
            return nothing;
        } else {
            match (N, F::MEANING) {
                // No writer needs five bytes for a truth value.
                (1, Meaning::Bool) => return nothing,
                (1, _) => self.low_32_bits::<N, F>(room),
                _ if eight == 0 => self.eight_bytes::<N, F>(room),
                _ => self.ten_bytes::<N, F>(room),
            }
        }
        self.progress()
    }

    /// Whether a value has more than ten bytes or more than 64 bits. Bit i of `eight`: so many bytes up to the one
    /// at i continue.
    #[target_feature(enable = "neon")]
    #[inline]
    fn overflows(self, eight: u64) -> bool {
        let tenth = (eight & self.continues << 8) << 1;
        let uint8x16x4_t(a, b, c, d) = self.bytes;
        let above_one = |part| vcgtq_u8(part, vdupq_n_u8(1));
        tenth != 0
            && tenth & high_bits(uint8x16x4_t(above_one(a), above_one(b), above_one(c), above_one(d))) != 0
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn two_bytes<const N: usize, F: VarintForm, R: AsMut<[[u32; N]]> + ?Sized>(self, room: &mut R) {
        let uint8x16x4_t(a, b, c, d) = self.bytes;
        let places = places(self.stops);
        let mut before = vdupq_n_u8(0);
        for (i, now) in [a, b, c, d].into_iter().enumerate() {
            let stops = self.stops >> (16 * i);
            if stops == 0 {
                break;
            }
            let first = vextq_u8::<15>(before, now);
            before = now;
            // All ones where the byte is the second of its value.
            let second = vcltzq_s8(vreinterpretq_s8_u8(first));
            let high = vandq_u8(second, now);
            // A first byte that is followed is above 0x7f, and so above the second.
            let low = vsliq_n_u8::<7>(vmaxq_u8(vandq_u8(second, first), now), high);
            let high = vshrq_n_u8::<1>(high);
            for half in 0..2 {
                let from = vadd_u8(selected(stops >> (8 * half)), vdup_n_u8(8 * half));
                let (low, high) = (vqtbl1_u8(low, from), vqtbl1_u8(high, from));
                let place = (places >> (16 * i + 8 * usize::from(half))) as usize % 64;
                let values = vreinterpretq_u16_u8(vcombine_u8(vzip1_u8(low, high), vzip2_u8(low, high)));
                put16::<N, F>(room.as_mut(), place, values);
            }
        }
    }

    /// Values of up to four bytes.
    #[target_feature(enable = "neon")]
    #[inline]
    fn four_bytes<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.starts();
        for (part, &starts) in room.chunks_mut(4).zip(starts.as_chunks().0) {
            put32::<N, F>(part, self.gather32(spread4(starts)).0);
        }
    }

    /// Values of any length, of which the first five bytes are kept.
    #[target_feature(enable = "neon")]
    #[inline]
    fn low_32_bits<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.starts();
        for (part, &starts) in room.chunks_mut(4).zip(starts.as_chunks().0) {
            let at = spread4(starts);
            let (value, longer) = self.gather32(at);
            let fifth = vqtbl4q_u8(self.bytes, vaddq_u8(at, vdupq_n_u8(4)));
            let high = vandq_u32(longer, vshlq_n_u32::<28>(vreinterpretq_u32_u8(fifth)));
            put32::<N, F>(part, vorrq_u32(value, high));
        }
    }

    /// Values of up to eight bytes.
    #[target_feature(enable = "neon")]
    #[inline]
    fn eight_bytes<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.starts();
        for (part, &starts) in room.chunks_mut(2).zip(starts.as_chunks().0) {
            put64::<N, F>(part, self.gather64(spread8(starts)).0);
        }
    }

    /// Values of up to ten bytes.
    #[target_feature(enable = "neon")]
    #[inline]
    fn ten_bytes<const N: usize, F: VarintForm>(self, room: &mut [[u32; N]]) {
        let starts = self.starts();
        for (part, &starts) in room.chunks_mut(2).zip(starts.as_chunks().0) {
            let at = spread8(starts);
            let (value, longer) = self.gather64(at);
            // The ninth and the tenth byte in place of the last two, the others zero: there is nothing at 255.
            let last = vorrq_u8(at, vreinterpretq_u8_u64(vdupq_n_u64(u64::MAX >> 16)));
            let last = vaddq_u8(last, vreinterpretq_u8_u64(vdupq_n_u64(0x0202 << 48)));
            let last = vreinterpretq_u64_u8(vqtbl4q_u8(self.bytes, last));
            // The ninth byte holds bits 56 to 62. Bit 63 is in the place of its continuation bit, so it is set if
            // that and bit 0 of the tenth byte are.
            let keep = vorrq_u64(vshlq_n_u64::<7>(last), vdupq_n_u64(0x7f << 56));
            let high = vandq_u64(vandq_u64(vshlq_n_u64::<8>(last), keep), longer);
            put64::<N, F>(part, vorrq_u64(value, high));
        }
    }

    /// The positions of the first bytes of all values.
    #[target_feature(enable = "neon")]
    #[inline]
    fn starts(self) -> [u8; ROOM] {
        let mut starts = [0; ROOM];
        let places = places(self.stops);
        for i in 0..8 {
            // One after the last byte of the value before.
            let after = vadd_u8(selected(self.stops >> (8 * i)), vdup_n_u8(8 * i + 1));
            let place = (places >> (8 * i)) as usize % 64;
            if let Some(part) = starts.get_mut(place + 1..).and_then(|rest| rest.first_chunk_mut()) {
                *part = vget_lane_u64::<0>(vreinterpret_u64_u8(after)).to_le_bytes();
            }
        }
        starts
    }

    /// The first 28 bits of the values at the given positions, and all ones where they are longer.
    #[target_feature(enable = "neon")]
    #[inline]
    fn gather32(self, at: uint8x16_t) -> (uint32x4_t, uint32x4_t) {
        let value = vreinterpretq_u32_u8(vqtbl4q_u8(self.bytes, at));
        let stops = vbicq_u32(vdupq_n_u32(0x8080_8080), value);
        // All bits up to the lowest stop; all if there is none.
        let upto = veorq_u32(stops, vsubq_u32(stops, vdupq_n_u32(1)));
        (vreinterpretq_u32_u8(join(vreinterpretq_u8_u32(vandq_u32(value, upto)))), vceqzq_u32(stops))
    }

    /// The first 56 bits of the values at the given positions, and all ones where they are longer.
    #[target_feature(enable = "neon")]
    #[inline]
    fn gather64(self, at: uint8x16_t) -> (uint64x2_t, uint64x2_t) {
        let value = vreinterpretq_u64_u8(vqtbl4q_u8(self.bytes, at));
        let stops = vbicq_u64(vdupq_n_u64(0x8080_8080_8080_8080), value);
        let upto = veorq_u64(stops, vsubq_u64(stops, vdupq_n_u64(1)));
        let halves = vreinterpretq_u64_u8(join(vreinterpretq_u8_u64(vandq_u64(value, upto))));
        (vsliq_n_u64::<28>(halves, vshrq_n_u64::<32>(halves)), vceqzq_u64(stops))
    }
}
