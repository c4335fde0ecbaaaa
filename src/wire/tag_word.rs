//! [`TagWord`]: a tag in the form that the encoders store.

use super::varint::short_varint;

/// An encoded tag: up to seven bytes at the start of a little-endian word, and their number in its highest byte.
///
/// A cursor stores the whole word and moves by the number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TagWord(u64);

impl TagWord {
    /// A tag given as a number.
    pub(crate) fn new(tag: u32) -> Self {
        let (bytes, len) = short_varint(tag.into());
        Self(u64::from_le_bytes(bytes) | (len as u64) << 56)
    }

    /// Number of bytes.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// Eight bytes that begin with the tag.
    #[inline(always)]
    pub(crate) fn at_start(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    /// The tag followed by one more byte.
    #[inline(always)]
    pub(crate) fn and(self, byte: u8) -> Self {
        Self(self.0 + (1 << 56) + (u64::from(byte) << ((8 * self.len()) & 63)))
    }

    /// The tag of the next wire type: the end of a group for its start.
    #[inline(always)]
    pub(crate) fn next_wire_type(self) -> Self {
        Self(self.0 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_at_the_start() {
        for tag in
            [8_u32, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, 0xfff_ffff, 0x1000_0000, u32::MAX]
        {
            let (bytes, len) = short_varint(tag.into());
            let word = TagWord::new(tag);
            let check = |word: TagWord, expected: &[u8]| {
                assert_eq!((word.len(), &word.at_start()[..word.len()]), (expected.len(), expected));
            };
            check(word, &bytes[..len]);
            check(word.and(0x5a), &[&bytes[..len], &[0x5a]].concat());
        }
        assert_eq!(TagWord::new(0x0b).next_wire_type(), TagWord::new(0x0c));
    }
}
