//! Windows: what the field loop reads at a tag, after one comparison.
//!
//! ```text
//! store:  [ front: 24 bytes or more follow each position ... | end: the last 23 bytes ]
//! ```
//!
//! A window of the [front](Front) is a reference to 24 bytes. A window of the [end](End) is a position, whose reads are checked; the bytes after
//! the end of the store are read as zeros, which end every varint. Loops are generic over the two: they read the front first, and a second instance
//! reads what is left. A copy of the last bytes with zeros after it took 8 of the 35 ns of a small message: a wide load waits for the recent
//! stores that it spans.
//!
//! Windows do not end where the message ends. The loop compares its position with that end once per field.

#![cfg_attr(not(tablepb_safe), allow(unsafe_code))]

use crate::wire::gather;
use crate::wire::read::raw;

/// Bytes of a window: a tag of up to five bytes, and a number of up to ten.
pub(crate) const WINDOW: usize = 24;
/// Bytes of the end that are kept in a register.
const WORD: usize = 8;

/// The byte store as the loops read it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'b> {
    bytes: &'b [u8],
    /// The last eight bytes, or all of a shorter store, little endian.
    last: u64,
}

impl<'b> Source<'b> {
    #[inline(always)]
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        let last = match bytes.last_chunk::<WORD>() {
            Some(word) => u64::from_le_bytes(*word),
            None => short_word(bytes),
        };
        Self { bytes, last }
    }

    #[inline(always)]
    pub(crate) fn bytes(self) -> &'b [u8] {
        self.bytes
    }

    /// The windows of the front that begin before `end`.
    #[inline(always)]
    pub(crate) fn front(self, end: usize) -> Front<'b> {
        Front { bytes: self.bytes, stop: end.min(self.bytes.len().saturating_sub(WINDOW - 1)) }
    }

    /// The windows that begin before `end`, wherever they are.
    #[inline(always)]
    pub(crate) fn end(self, end: usize) -> End<'b> {
        End { source: self, stop: end }
    }
}

/// Fewer than eight bytes, little endian.
#[inline(always)]
fn short_word(bytes: &[u8]) -> u64 {
    // Two loads that overlap, or three bytes of which two may be the same: no loop, no branch per byte.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        return first | last << (8 * (bytes.len() & 7) - 32);
    }
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return 0 };
    let (middle, len) = (bytes.len() / 2, bytes.len() & 3);
    u64::from(first)
        | u64::from(bytes.get(middle).copied().unwrap_or(0)) << (8 * middle)
        | u64::from(last) << (8 * (len - 1))
}

/// The bytes at a tag.
pub(crate) trait Window: Copy {
    /// The byte `more` bytes after the first `len`, which are at most 7; 0 past the end of the store. At most 15 more.
    fn byte(self, len: usize, more: usize) -> u8;

    /// The eight bytes after the first `len`, which are at most 7, little endian, with zeros past the end of the store.
    fn word(self, len: usize) -> u64;
}

/// The windows that begin before some position.
pub(crate) trait Windows: Copy {
    type Window: Window;

    /// The window at a position, if that is before the stop.
    fn at(self, pos: usize) -> Option<Self::Window>;
}

/// Windows with 24 bytes of the store each. The fields are private, because the bounds depend on them: only [`Source::front`] pairs bytes with a stop.
#[derive(Clone, Copy)]
pub(crate) struct Front<'b> {
    bytes: &'b [u8],
    /// `WINDOW` bytes can be read at every position before it.
    stop: usize,
}

impl<'b> Windows for Front<'b> {
    type Window = &'b [u8; WINDOW];

    /// The safe twin compares three times. The two branches saved per field are worth 1.02 to 1.05x on messages of
    /// small fields (AMD Zen 5).
    #[cfg(not(tablepb_safe))]
    #[inline(always)]
    fn at(self, pos: usize) -> Option<&'b [u8; WINDOW]> {
        if pos >= self.stop {
            return None;
        }
        // SAFETY: only `Source::front` makes a `Front`, with a stop of at most `bytes.len() - (WINDOW - 1)`, or 0 if the bytes are
        // fewer. So for `pos < stop` the pointer stays inside of that slice, and `WINDOW` initialised bytes of it follow, which
        // are borrowed, and so not written to, for `'b`; bytes need no alignment.
        Some(unsafe { &*self.bytes.as_ptr().add(pos).cast::<[u8; WINDOW]>() })
    }

    #[cfg(tablepb_safe)]
    #[inline(always)]
    fn at(self, pos: usize) -> Option<&'b [u8; WINDOW]> {
        self.at_safe(pos)
    }
}

impl<'b> Front<'b> {
    /// The safe twin.
    #[cfg(any(test, tablepb_safe))]
    pub(crate) fn at_safe(self, pos: usize) -> Option<&'b [u8; WINDOW]> {
        if pos < self.stop { self.bytes.get(pos..)?.first_chunk() } else { None }
    }
}

impl Window for &[u8; WINDOW] {
    #[inline(always)]
    fn byte(self, len: usize, more: usize) -> u8 {
        self[(len & 7) + (more & 15)]
    }

    #[inline(always)]
    fn word(self, len: usize) -> u64 {
        match self[len & 7..].first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => 0,
        }
    }
}

/// Windows anywhere in the store, whose reads are checked.
#[derive(Clone, Copy)]
pub(crate) struct End<'b> {
    source: Source<'b>,
    stop: usize,
}

/// A window of [`End`].
#[derive(Clone, Copy)]
pub(crate) struct EndWindow<'b> {
    source: Source<'b>,
    pos: usize,
}

impl<'b> Windows for End<'b> {
    type Window = EndWindow<'b>;

    #[inline(always)]
    fn at(self, pos: usize) -> Option<EndWindow<'b>> {
        if pos < self.stop { Some(EndWindow { source: self.source, pos }) } else { None }
    }
}

impl Window for EndWindow<'_> {
    #[inline(always)]
    fn byte(self, len: usize, more: usize) -> u8 {
        self.source.bytes.get(self.pos + len + more).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn word(self, len: usize) -> u64 {
        let (bytes, at) = (self.source.bytes, self.pos + len);
        match bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(word) => u64::from_le_bytes(*word),
            // Shifts out what comes before; past the end of the store, all of it.
            None => {
                let by = at.wrapping_sub(bytes.len().saturating_sub(WORD));
                if by < WORD { self.source.last >> (8 * by) } else { 0 }
            }
        }
    }
}

/// A tag that is longer than one byte, and its length; `None` above five bytes or 2^32-1. Field number and wire type are not
/// checked.
#[inline(always)]
pub(crate) fn long_tag(head: impl Window) -> Option<(u32, usize)> {
    let (low, high) = (head.byte(0, 0), head.byte(0, 1));
    if high < 0x80 {
        return Some(((low & 0x7f) as u32 | (high as u32) << 7, 2));
    }
    longer(head, 0, raw::tag_bits)
}

/// A length prefix after a tag of `len` bytes, and its own length; `None` above five bytes or 2^31-1.
#[inline(always)]
pub(crate) fn length(head: impl Window, len: usize) -> Option<(usize, usize)> {
    let low = head.byte(len, 0);
    if low < 0x80 {
        return Some((low as usize, 1));
    }
    let high = head.byte(len, 1);
    if high < 0x80 {
        return Some(((low & 0x7f) as usize | (high as usize) << 7, 2));
    }
    longer(head, len, raw::length)
}

/// Tags and lengths of more than two bytes.
#[inline(always)]
fn longer<T: Default, E>(
    head: impl Window,
    len: usize,
    read: impl Fn(&[u8], usize) -> Result<(T, usize), E>,
) -> Option<(T, usize)> {
    // Two integers are returned in registers, a `Result` would go through memory, also where it is known without a call.
    #[inline(never)]
    fn apart<T: Default, E>(word: u64, read: impl Fn(&[u8], usize) -> Result<(T, usize), E>) -> (T, usize) {
        // A byte past the eighth is not looked at: neither has more than five.
        read(&word.to_le_bytes(), 0).unwrap_or_default()
    }
    found(apart(head.word(len), read))
}

#[inline(always)]
fn found<T>(read: (T, usize)) -> Option<(T, usize)> {
    if read.1 == 0 { None } else { Some(read) }
}

const CONTINUES: u64 = 0x8080_8080_8080_8080;

/// The varint after a tag of `len` bytes, and its own length; `None` if it is longer than ten bytes or 64 bits. One branch for
/// one byte, none for two to eight.
#[inline(always)]
pub(crate) fn varint(head: impl Window, len: usize) -> Option<(u64, usize)> {
    let first = head.byte(len, 0);
    if first < 0x80 {
        return Some((first as u64, 1));
    }
    let word = head.word(len);
    let ends = !word & CONTINUES;
    if ends != 0 {
        // Keep the bits up to the end of the last byte; `gather` drops the continuation bits.
        let value = word & (ends ^ (ends - 1));
        return Some((gather(value), (ends.trailing_zeros() as usize >> 3) + 1));
    }
    found(long_varint(word, head.byte(len, 8), head.byte(len, 9)))
}

/// A varint of nine or ten bytes, as negative numbers have; a length of 0 if it is longer.
#[cold]
#[inline(never)]
fn long_varint(word: u64, eight: u8, nine: u8) -> (u64, usize) {
    let low = gather(word);
    match (eight, nine) {
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
    fn windows_are_the_bytes_of_the_store_and_zeros_after_them() {
        for len in (0..60usize).step_by(if cfg!(miri) { 29 } else { 1 }) {
            let bytes: Vec<u8> = (0..len).map(|i| i as u8 + 1).collect();
            let store = Source::new(&bytes);
            let expected = |i: usize| bytes.get(i).copied().unwrap_or(0);
            for stop in (0..=len).step_by(if cfg!(miri) { 16 } else { 1 }) {
                let (front, end) = (store.front(stop), store.end(stop));
                for pos in (0..len + 40).step_by(if cfg!(miri) { 5 } else { 1 }) {
                    let window = front.at(pos);
                    assert_eq!(window, front.at_safe(pos), "{len} {stop} {pos}");
                    assert_eq!(window.is_some(), pos < stop && pos + WINDOW <= len, "{len} {stop} {pos}");
                    assert_eq!(end.at(pos).is_some(), pos < stop);
                    for skip in 0..=5 {
                        let word = |i: usize| u64::from(expected(pos + skip + i)) << (8 * i);
                        let word: u64 = (0..8).map(word).sum();
                        if let Some(window) = window {
                            assert_eq!(window.word(skip), word, "{len} {stop} {pos}");
                            assert!((0..10).all(|i| window.byte(skip, i) == expected(pos + skip + i)));
                        }
                        if let Some(window) = end.at(pos) {
                            assert_eq!(window.word(skip), word, "{len} {stop} {pos}");
                            assert!((0..10).all(|i| window.byte(skip, i) == expected(pos + skip + i)));
                        }
                    }
                }
            }
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
                let mut window = [behind; WINDOW];
                window[..bytes.len()].copy_from_slice(&bytes);
                let expected = raw::varint(&window, 0).ok();
                assert_eq!(varint(&window, 0), expected, "{window:02x?}");
                // At the end of the store, with one byte or none after it.
                let end = Source::new(&window[..bytes.len() + usize::from(behind == 1)]).end(1);
                let read = end.at(0).and_then(|head| varint(head, 0));
                assert_eq!(read, expected, "{window:02x?}");
            }
        }
    }
}
