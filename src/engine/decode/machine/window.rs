//! Windows: the 24 bytes that the field loop reads at each tag, after one comparison.
//!
//! ```text
//! store:  [ front part ................. | last 32 bytes ]
//! tail:                                  [ last 32 bytes | 32 zeros ]
//! ```
//!
//! A tag in the front part has at least 32 bytes of the store after it. The last 32 bytes are copied to a buffer
//! and padded with zeros, which end every varint, so a tag there has 32 bytes after it as well. The loop reads the
//! front part first and then switches to the tail. A store of up to 32 bytes is read from the tail only.
//!
//! Windows do not end where the message ends. The loop compares its position with that end once per field.

#![cfg_attr(not(tablepb_safe), allow(unsafe_code))]

use crate::engine::slab::Text;
use crate::wire::gather;
use crate::wire::read::raw;

/// Bytes of a window: a tag of up to five bytes, and a number of up to ten.
pub(crate) const WINDOW: usize = 24;
/// Bytes of the window of a value, after its tag.
pub(crate) const VALUE: usize = 16;
/// Bytes at the end of the store that are read from the tail buffer.
const TAIL: usize = 32;

/// A copy of the last 32 bytes of a store, and zeros after it.
pub(crate) struct PaddedTail([u8; 2 * TAIL]);

impl PaddedTail {
    pub(crate) const EMPTY: Self = Self([0; 2 * TAIL]);

    /// Copies the end of a store, in place: a tail that was filled byte by byte and then moved cost 8 ns per message,
    /// because a wide load waits for the recent stores that it spans.
    #[inline(always)]
    pub(crate) fn fill(&mut self, store: &[u8]) {
        if let (Some(to), Some(from)) = (self.0.first_chunk_mut::<TAIL>(), store.last_chunk::<TAIL>()) {
            *to = *from;
        } else if let Some(to) = self.0.get_mut(..store.len()) {
            to.copy_from_slice(store);
        }
    }
}

/// The store as the field loop reads it: the front part, then the padded tail. Positions count from the start of the
/// part that is being read; adding `origin` gives offsets in the store.
///
/// The fields are private, because the bounds of windows depend on them: only [`new`](Self::new) and
/// [`enter_tail`](Self::enter_tail) pair bytes with a limit.
#[derive(Clone, Copy)]
pub(crate) struct PaddedStore<'b> {
    bytes: &'b [u8],
    origin: usize,
    /// Windows begin before this position. It is `TAIL` below the length of the store or of the tail buffer.
    limit: usize,
    /// Bytes of the front part, 0 once the tail is read.
    front: usize,
    tail: &'b PaddedTail,
}

impl<'b> PaddedStore<'b> {
    #[inline(always)]
    pub(crate) fn new(store: &'b [u8], tail: &'b PaddedTail) -> Self {
        if store.len() <= TAIL {
            return Self { bytes: &tail.0, origin: 0, limit: TAIL, front: 0, tail };
        }
        let limit = store.len() - TAIL;
        Self { bytes: store, origin: 0, limit, front: limit, tail }
    }

    /// What is being read.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// The offset in the store of position 0.
    #[inline(always)]
    pub(crate) fn origin(&self) -> usize {
        self.origin
    }

    /// The string of `len` bytes at a position, if all of it is in the store and is UTF-8.
    #[inline(always)]
    pub(crate) fn text(&self, start: usize, len: usize) -> Option<Text> {
        Text::check_moved(self.bytes, start, len, self.origin)
    }

    /// Switches to the tail, if it is not being read already, and returns the number to subtract from positions.
    #[inline]
    pub(crate) fn enter_tail(&mut self) -> usize {
        let by = self.front;
        (self.bytes, self.limit, self.front) = (&self.tail.0, TAIL, 0);
        self.origin += by;
        by
    }

    /// The windows that begin before `end`.
    #[inline(always)]
    pub(crate) fn until(&self, end: usize) -> Windows<'b> {
        Windows { bytes: self.bytes, stop: end.min(self.limit) }
    }
}

/// The windows that begin before a position.
#[derive(Clone, Copy)]
pub(crate) struct Windows<'b> {
    bytes: &'b [u8],
    /// The position; `WINDOW` bytes can be read at every position before it.
    stop: usize,
}

impl<'b> Windows<'b> {
    /// The window at a position, if that is before the stop.
    ///
    /// The safe twin compares three times. The two branches saved per field are worth 1.02 to 1.05x on messages of
    /// small fields (AMD Zen 5).
    #[cfg(not(tablepb_safe))]
    #[inline(always)]
    pub(crate) fn at(self, pos: usize) -> Option<&'b [u8; WINDOW]> {
        if pos >= self.stop {
            return None;
        }
        // SAFETY: only `PaddedStore::until` makes windows, and no stop is above its limit, which is `TAIL`, more than
        // `WINDOW`, below the length of the store or of the tail buffer, whichever `bytes` is. So for `pos < stop`
        // the pointer stays inside of that slice, and as many initialised bytes of it follow, which are borrowed, and
        // so not written to, for `'b`; bytes need no alignment.
        Some(unsafe { &*self.bytes.as_ptr().add(pos).cast::<[u8; WINDOW]>() })
    }

    #[cfg(tablepb_safe)]
    #[inline(always)]
    pub(crate) fn at(self, pos: usize) -> Option<&'b [u8; WINDOW]> {
        self.at_safe(pos)
    }

    /// The safe twin.
    #[cfg(any(test, tablepb_safe))]
    pub(crate) fn at_safe(self, pos: usize) -> Option<&'b [u8; WINDOW]> {
        if pos < self.stop { self.bytes.get(pos..)?.first_chunk() } else { None }
    }
}

/// The window of the value after a tag of `len` bytes, at most five.
#[inline(always)]
pub(crate) fn after_tag(head: &[u8; WINDOW], len: usize) -> &[u8; VALUE] {
    match head[len & 7..].first_chunk() {
        Some(value) => value,
        None => &[0; VALUE],
    }
}

/// A tag that is longer than one byte, and its length; `None` above five bytes or 2^32-1. Field number and wire type are not
/// checked.
#[inline(always)]
pub(crate) fn long_tag(head: &[u8; WINDOW]) -> Option<(u32, usize)> {
    match *head {
        [low, high, ..] if high < 0x80 => Some(((low & 0x7f) as u32 | (high as u32) << 7, 2)),
        _ => found(longer_tag(head)),
    }
}

/// A length prefix, and its own length; `None` above five bytes or 2^31-1.
#[inline(always)]
pub(crate) fn length(window: &[u8; VALUE]) -> Option<(usize, usize)> {
    match *window {
        [len @ 0..0x80, ..] => Some((len as usize, 1)),
        [low, high @ 0..0x80, ..] => Some(((low & 0x7f) as usize | (high as usize) << 7, 2)),
        _ => found(longer_length(window)),
    }
}

/// Tags and lengths of more than two bytes; a length of 0 for a fault. Two integers are returned in registers, a `Result` would go
/// through memory, also where it is known without a call.
#[inline(never)]
fn longer_tag(head: &[u8; WINDOW]) -> (u32, usize) {
    raw::tag_bits(head, 0).unwrap_or((0, 0))
}

#[inline(never)]
fn longer_length(window: &[u8; VALUE]) -> (usize, usize) {
    raw::length(window, 0).unwrap_or((0, 0))
}

#[inline(always)]
fn found<T>(read: (T, usize)) -> Option<(T, usize)> {
    if read.1 == 0 { None } else { Some(read) }
}

/// The first eight bytes, little endian.
#[inline(always)]
pub(crate) fn word(window: &[u8; VALUE]) -> u64 {
    let [word, _] = window.as_chunks::<8>().0 else { return 0 };
    u64::from_le_bytes(*word)
}

const CONTINUES: u64 = 0x8080_8080_8080_8080;

/// The varint at the start of a window, and its length; `None` if it is longer than ten bytes or 64 bits. One branch for
/// one byte, none for two to eight.
#[inline(always)]
pub(crate) fn varint(window: &[u8; VALUE]) -> Option<(u64, usize)> {
    // A byte that was just copied to the tail is there sooner than the eight bytes around it.
    if window[0] < 0x80 {
        return Some((window[0] as u64, 1));
    }
    wide_varint(window)
}

/// As [`varint`], without the branch for one byte.
#[inline(always)]
pub(crate) fn wide_varint(window: &[u8; VALUE]) -> Option<(u64, usize)> {
    let word = word(window);
    let ends = !word & CONTINUES;
    if ends != 0 {
        // Keep the bits up to the end of the last byte; `gather` drops the continuation bits.
        let value = word & (ends ^ (ends - 1));
        return Some((gather(value), (ends.trailing_zeros() as usize >> 3) + 1));
    }
    found(long_varint(window))
}

/// A varint of nine or ten bytes, as negative numbers have; a length of 0 if it is longer.
#[cold]
#[inline(never)]
fn long_varint(window: &[u8; VALUE]) -> (u64, usize) {
    let low = gather(word(window));
    match (window[8], window[9]) {
        (eight @ 0..0x80, _) => (low | (eight as u64) << 56, 9),
        (eight, nine @ 0..2) => (low | (eight as u64 & 0x7f) << 56 | (nine as u64) << 63, 10),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::testing::Wire;
    use alloc::{vec, vec::Vec};

    #[test]
    fn windows_are_those_of_the_safe_twin_for_all_lengths_positions_and_stops() {
        for len in (0..100usize).step_by(if cfg!(miri) { 49 } else { 1 }) {
            let store: Vec<u8> = (0..len).map(|i| i as u8 + 1).collect();
            let mut tail = PaddedTail::EMPTY;
            tail.fill(&store);
            let mut source = PaddedStore::new(&store, &tail);
            for tail in [false, true] {
                let by = if tail { source.enter_tail() } else { 0 };
                for stop in (0..=len - by).step_by(if cfg!(miri) { 16 } else { 1 }) {
                    let windows = source.until(stop);
                    let last = if tail || len <= TAIL { stop } else { stop.min(len - TAIL) };
                    for pos in (0..len + 40).step_by(if cfg!(miri) { 3 } else { 1 }) {
                        let window = windows.at(pos);
                        assert_eq!(window, windows.at_safe(pos), "{len} {tail} {stop} {pos}");
                        assert_eq!(window.is_some(), pos < last, "{len} {tail} {stop} {pos}");
                        let from = pos + source.origin();
                        let expected = |i: usize| store.get(from + i).copied().unwrap_or(0);
                        if let Some(window) = window {
                            assert!(window.iter().enumerate().all(|(i, byte)| *byte == expected(i)));
                        }
                    }
                }
            }
            assert_eq!(source.origin(), len.saturating_sub(TAIL));
        }
    }

    #[test]
    fn varints_are_those_of_the_wire_layer() {
        let mut all = vec![vec![0xff; 10], vec![0x80; 16], [[0xff; 9].as_slice(), &[2]].concat()];
        for bits in (0..64).step_by(if cfg!(miri) { 21 } else { 1 }) {
            for value in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> bits, !(1u64 << bits)] {
                let mut bytes = Vec::new();
                bytes.extend_from_slice(&Wire::new().varint(value).done());
                all.push(bytes.clone());
                // One byte longer than necessary.
                if let Some(last) = bytes.last_mut().filter(|_| bits < 56) {
                    *last |= 0x80;
                    bytes.push(0);
                    all.push(bytes);
                }
            }
        }
        for bytes in all {
            for behind in [0, 1, 0x7f, 0x80, 0xff] {
                let mut window = [behind; VALUE];
                window[..bytes.len()].copy_from_slice(&bytes);
                let expected = raw::varint(&window, 0).ok();
                assert_eq!(varint(&window), expected, "{window:02x?}");
                assert_eq!(wide_varint(&window), expected, "{window:02x?}");
            }
        }
    }
}
