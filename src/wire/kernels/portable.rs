//! The kernel without special instructions, which is the twin of the others; and values one by one.
//!
//! ```text
//! for each window of 64 bytes:
//!     stops = bytes without a continuation bit
//!     for each stop: value = the bytes since the last stop, seven bits of each put together
//! ```
//!
//! All ends in a window are known before its first value is decoded, so no value waits for the one before. On runs with 90 % of
//! one-byte values that is 20 % slower than a plain loop; on all other mixes it is faster.

use super::element::{Progress, VarintForm, element};
use crate::wire::read::raw;
use crate::wire::varint::{CONTINUATION, gather};

/// A window, and the bytes after it that a load of ten from its last byte needs.
pub(super) const READABLE: usize = 64 + 9;

/// Counts the bytes without continuation bit in `buf[pos..end]`, at most 255 of them.
#[inline(always)]
pub(super) fn count(buf: &[u8], pos: usize, end: usize) -> usize {
    let (words, rest) = buf.get(pos..end).unwrap_or_default().as_chunks::<8>();
    let stops = |word: &[u8; 8]| (!u64::from_le_bytes(*word) & CONTINUATION) >> 7;
    let mut sums: u64 = words.iter().map(stops).sum();
    if !rest.is_empty() {
        sums += match buf.get(end - rest.len()..).and_then(|rest| rest.first_chunk()) {
            Some(word) => stops(word) & ((1 << (8 * rest.len())) - 1),
            None => rest.iter().filter(|&&byte| byte < 0x80).count() as u64,
        };
    }
    // The product adds all bytes up in the highest.
    (sums.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
}

/// Decodes one value after the other, up to a fault or the end of `out`.
///
/// One and two bytes take a branch each, which costs less than arithmetic where lengths are predictable.
#[inline(always)]
pub(super) fn one_by_one<const N: usize, F: VarintForm>(
    buf: &[u8],
    end: usize,
    mut at: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    let run = buf.get(..end).unwrap_or(buf);
    for words in out.get_mut(at.done..).unwrap_or_default() {
        let (value, next) = match run.get(at.pos) {
            Some(&byte) if byte < 0x80 => (byte.into(), at.pos + 1),
            _ => match long_varint(buf, at.pos) {
                Some((value, next)) if next <= end => (value, next),
                _ => break,
            },
        };
        *words = element::<N, F>(value);
        at = Progress { done: at.done + 1, pos: next };
    }
    at
}

/// A varint of two bytes or more.
#[inline(always)]
fn long_varint(buf: &[u8], pos: usize) -> Option<(u64, usize)> {
    if let Some(&bytes) = buf.get(pos..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(bytes);
        if word & 0x8000 == 0 {
            return Some((word & 0x7f | (word & 0x7f00) >> 1, pos + 2));
        }
        let stops = !word & CONTINUATION;
        if stops != 0 {
            let low = word & (stops ^ (stops - 1));
            return Some((gather(low), pos + (stops.trailing_zeros() / 8 + 1) as usize));
        }
    }
    any_varint(buf, pos)
}

/// Nine or ten bytes, or near the end of the buffer.
#[cold]
#[inline(never)]
fn any_varint(buf: &[u8], pos: usize) -> Option<(u64, usize)> {
    raw::varint(buf, pos).ok()
}

pub(super) fn decode<const N: usize, F: VarintForm>(
    buf: &[u8],
    end: usize,
    at: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    windows::<N, F>(buf, end, at, out, continuation, gather_kept)
}

/// Puts together the bits of a word that a mask selects.
#[inline(always)]
pub(super) fn gather_kept(word: u64, keep: u64) -> u64 {
    gather(word & keep)
}

/// One bit for each byte with a continuation bit.
#[inline(always)]
fn continuation(window: &[u8; 64]) -> u64 {
    let (words, _) = window.as_chunks::<8>();
    words.iter().enumerate().fold(0, |mask, (i, word)| {
        // The product collects bit 7 of every byte in its highest byte: bit 7 of byte k meets 2^(49 - 7k).
        let bits = (u64::from_le_bytes(*word) & CONTINUATION).wrapping_mul(0x0002_0408_1020_4081) >> 56;
        mask | bits << (8 * i)
    })
}

/// Decodes window by window while [`READABLE`] bytes are there. `continuation` gives one bit for each byte with a continuation
/// bit; `gather` puts together the bits of a word that a mask selects.
#[inline(always)]
pub(super) fn windows<const N: usize, F: VarintForm>(
    buf: &[u8],
    end: usize,
    mut at: Progress,
    out: &mut [[u32; N]],
    continuation: impl Fn(&[u8; 64]) -> u64,
    gather: impl Fn(u64, u64) -> u64,
) -> Progress {
    while at.pos < end {
        let Some(readable) = buf.get(at.pos..).and_then(|rest| rest.first_chunk::<READABLE>()) else { break };
        let Some(bytes) = readable.first_chunk() else { break };
        let inside = if end - at.pos < 64 { (1 << (end - at.pos)) - 1 } else { u64::MAX };
        let stops = !continuation(bytes) & inside;
        let count = stops.count_ones() as usize;
        let Some(room) = out.get_mut(at.done..at.done + count) else { break };
        if let Some(room) = room.first_chunk_mut::<64>() {
            for (words, &byte) in room.iter_mut().zip(bytes) {
                *words = element::<N, F>(byte.into());
            }
            at = Progress { done: at.done + 64, pos: at.pos + 64 };
            continue;
        }
        if count == 0 {
            break;
        }
        let step = window::<N, F>(readable, stops, room, &gather);
        at = Progress { done: at.done + step.done, pos: at.pos + step.pos };
        if step.done < count {
            break;
        }
    }
    at
}

/// Decodes the values that end at `stops`, one bit per byte, up to a fault; counts from the window on.
#[inline(always)]
pub(super) fn window<const N: usize, F: VarintForm>(
    readable: &[u8; READABLE],
    mut stops: u64,
    room: &mut [[u32; N]],
    gather: impl Fn(u64, u64) -> u64,
) -> Progress {
    let mut at = Progress { done: 0, pos: 0 };
    for words in room {
        let stop = stops.trailing_zeros() as usize + 1;
        stops &= stops.wrapping_sub(1);
        let Some(value) = value(readable, at.pos, stop - at.pos, &gather) else { break };
        *words = element::<N, F>(value);
        at = Progress { done: at.done + 1, pos: stop };
    }
    at
}

/// The value of `len` bytes at `start`; `None` if these are too many.
#[inline(always)]
fn value(
    readable: &[u8; READABLE],
    start: usize,
    len: usize,
    gather: impl Fn(u64, u64) -> u64,
) -> Option<u64> {
    let (word, last) = readable.get(start..)?.split_first_chunk::<8>()?;
    let word = u64::from_le_bytes(*word);
    if len <= 8 {
        return Some(gather(word, !CONTINUATION >> ((64 - 8 * len) & 63)));
    }
    let &[ninth, tenth] = last.first_chunk()?;
    let tenth = if len == 9 { 0 } else { tenth };
    if len > 10 || tenth > 1 {
        return None;
    }
    Some(gather(word, !CONTINUATION) | u64::from(ninth & 0x7f) << 56 | u64::from(tenth) << 63)
}
