//! Windows: what is read at a tag.

use crate::fence::cpu::Bits;

/// Bytes of a window: a tag of four bytes, and a number of ten.
pub(super) const WINDOW: usize = 24;
/// Bytes after a tag.
pub(super) const VALUE: usize = 16;

const CONTINUES: u64 = 0x8080_8080_8080_8080;

/// The window at a position.
#[inline(always)]
pub(super) fn at(input: &[u8], pos: usize) -> Option<&[u8; WINDOW]> {
    input.get(pos..)?.first_chunk()
}

/// The bytes after a tag of `len` bytes, at most seven.
#[inline(always)]
pub(super) fn after_tag(window: &[u8; WINDOW], len: usize) -> &[u8; VALUE] {
    match window[len & 7..].first_chunk() {
        Some(value) => value,
        None => &[0; VALUE],
    }
}

/// The first four bytes.
#[inline(always)]
pub(super) fn head(window: &[u8; WINDOW]) -> u32 {
    let [a, b, c, d, ..] = *window;
    u32::from_le_bytes([a, b, c, d])
}

/// The field number of a tag of one or two bytes. Of a longer one it is the number of another tag.
#[inline(always)]
pub(super) fn short_number(head: u32) -> usize {
    // Whether there is a second byte is no branch: which tag comes is not foreseen where this is asked.
    let second = (head >> 8 & 0x7f) * (head >> 7 & 1);
    (head >> 3 & 0x0f | second << 4) as usize
}

/// The first eight bytes.
#[inline(always)]
pub(super) fn word(value: &[u8; VALUE]) -> u64 {
    let [word, _] = value.as_chunks::<8>().0 else { return 0 };
    u64::from_le_bytes(*word)
}

/// A varint and its length less one; `None` above ten bytes or 64 bits. No branch for one to eight bytes.
#[inline(always)]
pub(super) fn varint(bits: impl Bits, value: &[u8; VALUE]) -> Option<(u64, usize)> {
    let word = word(value);
    let ends = !word & CONTINUES;
    // Eight if there is no end: this is compared, not `ends`, because the next position waits for it.
    let more = ends.trailing_zeros() as usize >> 3;
    if more < 8 {
        let kept = word & (ends ^ ends.wrapping_sub(1));
        return Some((bits.gather(kept), more));
    }
    let low = bits.gather(word);
    match (value[8], value[9]) {
        (eight @ 0..0x80, _) => Some((low | u64::from(eight) << 56, 8)),
        (eight, nine @ 0..2) => Some((low | u64::from(eight & 0x7f) << 56 | u64::from(nine) << 63, 9)),
        _ => None,
    }
}

/// As [`varint`], with a branch for one byte, which nothing waits for if it is foreseen.
#[inline(always)]
pub(super) fn short_varint(bits: impl Bits, value: &[u8; VALUE]) -> Option<(u64, usize)> {
    match value[0] {
        byte @ 0..0x80 => Some((byte.into(), 0)),
        _ => varint(bits, value),
    }
}

/// A length prefix and its own length less one; `None` above three bytes.
#[inline(always)]
pub(super) fn length(value: &[u8; VALUE]) -> Option<(usize, usize)> {
    match *value {
        [len @ 0..0x80, ..] => Some((len.into(), 0)),
        [low, high @ 0..0x80, ..] => Some((usize::from(low & 0x7f) | usize::from(high) << 7, 1)),
        [low, middle, high @ 0..0x80, ..] => {
            Some((usize::from(low & 0x7f) | usize::from(middle & 0x7f) << 7 | usize::from(high) << 14, 2))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fence::cpu::AnyBits;
    use tablepb::wire::{Reader, Writer};

    #[test]
    fn varints_are_those_of_the_library() {
        let mut all = vec![vec![0xff; 10], vec![0x80; 16], [[0xff; 9].as_slice(), &[2]].concat()];
        for bit in 0..64 {
            for value in [1u64 << bit, (1u64 << bit) - 1, u64::MAX >> bit, !(1u64 << bit)] {
                let mut bytes = Vec::new();
                Writer::new(&mut bytes).write_varint(value);
                all.push(bytes);
            }
        }
        for bytes in all {
            for after in [0, 1, 0x7f, 0x80, 0xff] {
                let mut value = [after; VALUE];
                value[..bytes.len()].copy_from_slice(&bytes);
                let mut reader = Reader::new(&value);
                let expected = reader.read_varint().ok().map(|number| (number, reader.position() - 1));
                assert_eq!(
                    [varint(AnyBits, &value), short_varint(AnyBits, &value)],
                    [expected; 2],
                    "{value:02x?}"
                );
                // Lengths of up to three bytes.
                let expected = expected.filter(|(_, more)| *more < 3).map(|(len, more)| (len as usize, more));
                assert_eq!(length(&value), expected, "{value:02x?}");
            }
        }
    }
}
