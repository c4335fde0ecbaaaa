//! Field tags: a field number and a wire type in one varint.

use super::error::DecodeErrorKind;
use super::varint::short_varint;
use core::fmt;
use core::num::NonZeroU32;

/// How the value of a field is written, <https://protobuf.dev/programming-guides/encoding/#structure>.
///
/// The numbers 6 and 7 are not assigned; every reader of this crate rejects them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WireType {
    /// A varint: `int32`, `int64`, `uint32`, `uint64`, `sint32`, `sint64`, `bool` and enums.
    Varint = 0,
    /// Eight bytes, little endian: `fixed64`, `sfixed64` and `double`.
    Fixed64 = 1,
    /// A length and that many bytes: `string`, `bytes`, messages and packed repeated fields.
    LengthDelimited = 2,
    /// The begin of a group: fields follow up to the matching [`EndGroup`](Self::EndGroup).
    StartGroup = 3,
    /// The end of a group; has no value.
    EndGroup = 4,
    /// Four bytes, little endian: `fixed32`, `sfixed32` and `float`.
    Fixed32 = 5,
}

impl WireType {
    /// The wire type of the low three bits of `bits`, or `None` for 6 and 7.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits & 7 {
            0 => Self::Varint,
            1 => Self::Fixed64,
            2 => Self::LengthDelimited,
            3 => Self::StartGroup,
            4 => Self::EndGroup,
            5 => Self::Fixed32,
            _ => return None,
        })
    }
}

/// A field number and a wire type, as they precede every value: `number << 3 | wire_type`.
///
/// Always valid: the number is 1 to [`MAX_NUMBER`](Self::MAX_NUMBER) and the wire type is not 6 or 7. Four
/// bytes, `Option<Tag>` too.
///
/// ```
/// use tablepb::wire::{Tag, WireType};
///
/// const NAME: Tag = Tag::new(1, WireType::LengthDelimited);
/// assert_eq!((NAME.number(), NAME.wire_type(), NAME.get()), (1, WireType::LengthDelimited, 0x0a));
/// assert_eq!(Tag::from_bits(0x0a), Ok(NAME));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(NonZeroU32);

impl Tag {
    /// The largest field number: 2^29-1.
    pub const MAX_NUMBER: u32 = (1 << 29) - 1;

    /// The tag of a field.
    ///
    /// # Panics
    ///
    /// If `number` is 0 or above [`MAX_NUMBER`](Self::MAX_NUMBER); in a `const` that is a compile error. Use
    /// [`try_new`](Self::try_new) for numbers that come from data.
    #[inline]
    #[must_use]
    #[track_caller]
    pub const fn new(number: u32, wire_type: WireType) -> Self {
        match Self::try_new(number, wire_type) {
            Some(tag) => tag,
            None => panic!("a field number is 1 to 536870911"),
        }
    }

    /// The tag of a field, or `None` if `number` is 0 or above [`MAX_NUMBER`](Self::MAX_NUMBER).
    #[inline]
    #[must_use]
    pub const fn try_new(number: u32, wire_type: WireType) -> Option<Self> {
        if number == 0 || number > Self::MAX_NUMBER {
            return None;
        }
        match NonZeroU32::new(number << 3 | wire_type as u32) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// The tag with the value `bits`, as it is read from the wire.
    ///
    /// # Errors
    ///
    /// [`InvalidFieldNumber`](DecodeErrorKind::InvalidFieldNumber) for number 0, else
    /// [`InvalidWireType`](DecodeErrorKind::InvalidWireType) for the wire types 6 and 7.
    #[inline]
    pub const fn from_bits(bits: u32) -> Result<Self, DecodeErrorKind> {
        match NonZeroU32::new(bits) {
            Some(valid) if bits > 7 && bits & 7 < 6 => Ok(Self(valid)),
            _ if bits > 7 => Err(DecodeErrorKind::InvalidWireType),
            _ => Err(DecodeErrorKind::InvalidFieldNumber),
        }
    }

    /// The field number, 1 to [`MAX_NUMBER`](Self::MAX_NUMBER).
    #[inline]
    #[must_use]
    pub const fn number(self) -> u32 {
        self.get() >> 3
    }

    /// The wire type.
    #[inline]
    #[must_use]
    pub const fn wire_type(self) -> WireType {
        match WireType::from_bits(self.get()) {
            Some(wire_type) => wire_type,
            // Not reachable: 6 and 7 are kept out by every constructor.
            None => WireType::EndGroup,
        }
    }

    /// The value that is written as a varint.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// The bytes that the tag takes on the wire, 1 to 5.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "a tag is never empty")]
    #[must_use]
    pub const fn len(self) -> usize {
        super::varint_len(self.get() as u64)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({}, {:?})", self.number(), self.wire_type())
    }
}

// `TagWord`: a tag in the form that the encoders store.

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
    fn bits_are_valid_or_name_their_fault() {
        let edges = [u32::MAX - 9, 1 << 28, 1 << 31].map(|start| start..start + 9);
        for bits in (0..0x1_0000).chain(edges.into_iter().flatten()) {
            let expected = match (bits >> 3, bits & 7) {
                (0, _) => Err(DecodeErrorKind::InvalidFieldNumber),
                (_, 6 | 7) => Err(DecodeErrorKind::InvalidWireType),
                (number, wire_type) => Ok((number, wire_type)),
            };
            let tag = Tag::from_bits(bits);
            assert_eq!(tag.map(|tag| (tag.number(), tag.wire_type() as u32)), expected, "{bits:#x}");
            if let Ok(tag) = tag {
                assert_eq!(Tag::try_new(tag.number(), tag.wire_type()), Some(tag));
                assert_eq!(tag.get(), bits);
            }
        }
    }

    #[test]
    fn numbers_out_of_range_make_no_tag() {
        assert_eq!(Tag::try_new(0, WireType::Varint), None);
        assert_eq!(Tag::try_new(Tag::MAX_NUMBER + 1, WireType::Fixed32), None);
        assert_eq!(Tag::try_new(u32::MAX, WireType::Varint), None);
        assert_eq!(Tag::new(Tag::MAX_NUMBER, WireType::Fixed32).get(), u32::MAX - 2);
    }

    #[test]
    fn an_optional_tag_is_four_bytes() {
        assert_eq!(size_of::<Option<Tag>>(), 4);
        assert_eq!((Tag::new(15, WireType::Varint).len(), Tag::new(16, WireType::Varint).len()), (1, 2));
    }
}

#[cfg(test)]
mod tag_word_tests {
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
