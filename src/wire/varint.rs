//! The arithmetic of varints: lengths, zigzag, and the bytes of one value.

/// The bytes that `value` takes as a varint, 1 to 10.
///
/// ```
/// use tablepb::wire::varint_len;
///
/// assert_eq!([0, 127, 128, u64::MAX].map(varint_len), [1, 1, 2, 10]);
/// ```
#[inline(always)]
#[must_use]
pub const fn varint_len(value: u64) -> usize {
    // ceil(bits / 7) for 1 to 64 bits, as a multiplication: 9/64 is a little more than 1/7.
    (((value | 1).ilog2() * 9 + 73) / 64) as usize
}

/// Maps a `sint32` to the varint that is written: 0, -1, 1, -2 become 0, 1, 2, 3.
#[inline(always)]
#[must_use]
pub const fn zigzag32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// Maps a `sint64` to the varint that is written: 0, -1, 1, -2 become 0, 1, 2, 3.
#[inline(always)]
#[must_use]
pub const fn zigzag64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The `sint32` of a varint: the inverse of [`zigzag32`].
///
/// A varint above 32 bits is truncated first: `unzigzag32(varint as u32)`.
#[inline(always)]
#[must_use]
pub const fn unzigzag32(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// The `sint64` of a varint: the inverse of [`zigzag64`].
#[inline(always)]
#[must_use]
pub const fn unzigzag64(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The continuation bits of eight bytes.
pub(super) const CONTINUATION: u64 = 0x8080_8080_8080_8080;

/// Appends a tag or a length, below 2^56, as a varint. Aborts if there is no memory, unless room was reserved.
#[cfg(feature = "reflect")]
pub(crate) fn push_varint(bytes: &mut alloc::vec::Vec<u8>, value: u64) {
    let (word, len) = short_varint(value);
    bytes.extend_from_slice(word.get(..len).unwrap_or_default());
}

/// A varint of at most eight bytes, as a little-endian word whose lowest byte is the first one, and its length.
///
/// Without branches, which beats a loop where lengths vary. `value` must be below 2^56; higher bits are lost.
#[inline(always)]
pub(crate) const fn short_varint(value: u64) -> ([u8; 8], usize) {
    let len = varint_len(value);
    // All continuation bits below the last byte: bits 0 to 8 * (len - 1) - 1.
    let below = (1 << ((8 * (len - 1)) & 63)) - 1;
    ((spread(value) | (CONTINUATION & below)).to_le_bytes(), len)
}

/// A varint of nine or ten bytes: the first eight, the last two, and how many of these two there are.
///
/// `value` must be at least 2^56.
#[inline(always)]
pub(crate) const fn long_varint(value: u64) -> ([u8; 8], [u8; 2], usize) {
    let first = (spread(value) | CONTINUATION).to_le_bytes();
    let (ninth, tenth) = ((value >> 56) as u8, (value >> 63) as u8);
    // The ninth byte holds bits 56 to 62, so bit 63 is in the place of its continuation bit, which it is as well.
    (first, [ninth, tenth], 1 + tenth as usize)
}

/// Puts the eight lowest 7-bit groups of `value` into eight bytes, lowest first; bits from 56 on are lost.
#[inline(always)]
pub(super) const fn spread(value: u64) -> u64 {
    // 56 bits -> 2 x 28 -> 4 x 14 -> 8 x 7, each half moved to the next power of two.
    let v = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let v = (v & 0x0000_3fff_0000_3fff) | (v & 0x0fff_c000_0fff_c000) << 2;
    (v & 0x007f_007f_007f_007f) | (v & 0x3f80_3f80_3f80_3f80) << 1
}

/// The inverse of [`spread`]: the low seven bits of eight bytes, without their continuation bits.
///
/// High parts move down by subtraction, which takes a third fewer instructions and constants than masking both parts.
#[inline(always)]
pub(crate) const fn gather(bytes: u64) -> u64 {
    let v = bytes & 0x7f7f_7f7f_7f7f_7f7f;
    // From 2^8 to 2^7, and then from 2^16 to 2^14, times what is in the upper half of each pair.
    let v = v - ((v & 0x7f00_7f00_7f00_7f00) >> 1);
    let v = v - 3 * ((v & 0x3fff_0000_3fff_0000) >> 2);
    (v & 0xffff_ffff) | (v >> 32) << 28
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Values around every bit, and their complements.
    pub(in crate::wire) fn edges() -> impl Iterator<Item = u64> {
        (0..64).flat_map(|bit| {
            let power = 1_u64 << bit;
            [power - 1, power, power + 1, !power, power.wrapping_neg(), 0x5555_5555_5555_5555 & (power - 1)]
        })
    }

    /// A varint by the definition, <https://protobuf.dev/programming-guides/encoding/#varints>.
    pub(in crate::wire) fn reference(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    #[test]
    fn words_are_the_bytes_of_the_definition() {
        for value in edges() {
            let expected = reference(value);
            assert_eq!(varint_len(value), expected.len(), "{value:#x}");
            if value < 1 << 56 {
                let (bytes, len) = short_varint(value);
                assert_eq!(&bytes[..len], expected, "{value:#x}");
                assert_eq!(gather(u64::from_le_bytes(bytes)), value);
            } else {
                let (first, last, len) = long_varint(value);
                assert_eq!([&first[..], &last[..len]].concat(), expected, "{value:#x}");
            }
        }
    }

    #[test]
    fn zigzag_interleaves_and_comes_back() {
        assert_eq!([0, -1, 1, -2, 2].map(zigzag32), [0, 1, 2, 3, 4]);
        assert_eq!([i32::MAX, i32::MIN].map(zigzag32), [u32::MAX - 1, u32::MAX]);
        assert_eq!([i64::MAX, i64::MIN].map(zigzag64), [u64::MAX - 1, u64::MAX]);
        for value in edges() {
            assert_eq!(unzigzag64(zigzag64(value as i64)), value as i64);
            assert_eq!(unzigzag32(zigzag32(value as i32)), value as i32);
            assert_eq!(zigzag32(value as i32), zigzag64((value as i32).into()) as u32);
        }
    }
}
