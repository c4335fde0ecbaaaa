//! Fixed-shape messages: points, vertices, samples.
//!
//! If all fields are fixed-width numbers with one-byte tags, and all are set, in number order, the encoding has one length
//! and its tags are at known places:
//!
//! ```text
//! point { float x = 1; y = 2; z = 3 }    0d xxxxxxxx 15 yyyyyyyy 1d zzzzzzzz    15 bytes
//! mask                                   ff 00000000 ff 00000000 ff 00000000
//! accept: bytes & mask == tags, eight bytes at a time; then load the values by offset, without checks
//! ```
//!
//! The mask is for up to four numbers of four bytes. Other shapes are compared tag by tag.
//!
//! Table-driven decoders lose most against generated code on such messages: 15 bytes of input, and all else is overhead.

pub(super) mod nested;

use super::{FieldEntry, Room, RoomFull, Scalar};
use crate::wire::WireType;
use alloc::vec::Vec;

/// Longest encoding: its length prefix is one byte.
const MAX_LEN: usize = 127;
/// Most values in it: a tag and four bytes each. So hasbits fill one word.
const MAX_FIELDS: usize = MAX_LEN / 5;
/// Longest encoding that is written as a whole: field by field, the general path takes 0.8 to 0.9 of the time for eight numbers.
const WHOLE_LEN: usize = 32;
/// Bytes that are compared under the mask: four numbers of four bytes take 20.
pub(crate) const WINDOW: usize = 24;
const WORDS: usize = WINDOW / 8;

/// One value of a fixed layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedField {
    /// Its tag.
    pub(crate) tag: u8,
    /// Its slot.
    pub(crate) slot: u8,
    /// Hasbit.
    pub(crate) bit: u8,
    /// Eight bytes rather than four.
    pub(crate) eight: bool,
    /// Zero means unset.
    pub(crate) implicit: bool,
}

/// The encoding of a message of fixed shape with all fields set, in order.
#[derive(Debug)]
pub(crate) struct FixedLayout {
    /// Length of the encoding in bytes, at most 127.
    pub(crate) len: usize,
    /// The tags at their places; for layouts with `all_u32`, as the mask.
    expected: [u64; WORDS],
    /// Ones where the tags are.
    mask: [u64; WORDS],
    pub(crate) fields: Vec<FixedField>,
    /// The header of a body with all fields set, which is then encoded as a whole. No header if the encoding is longer than
    /// [`WHOLE_LEN`].
    pub(crate) all: u64,
    /// Number of fields, if there are at most four and each has four bytes. Then their slots are words 2, 3, .. of the body.
    pub(crate) all_u32: Option<usize>,
    /// All values are `float`.
    pub(crate) floats: bool,
    /// Hasbits of the fields with implicit presence, which a zero unsets.
    pub(crate) implicit: u32,
    /// No field is required: encodings without some of the fields are fine.
    pub(crate) optional: bool,
}

impl FixedLayout {
    /// The layout of a dense program with these entries, if it has fixed shape.
    pub(super) fn new(entries: &[FieldEntry], room: &mut Room) -> Result<Option<Self>, RoomFull> {
        let (mut expected, mut mask) = ([0u8; WINDOW], [0u8; WINDOW]);
        let mut found = [FixedField { tag: 0, slot: 0, bit: 0, eight: false, implicit: false }; MAX_FIELDS];
        let (mut len, mut count) = (0, 0);
        for (position, entry) in entries.iter().enumerate() {
            let eight = match WireType::from_bits(entry.tag) {
                Some(WireType::Fixed64) => true,
                Some(WireType::Fixed32) => false,
                _ => return Ok(None),
            };
            let width = if eight { 8 } else { 4 };
            if entry.flags.is_list() || entry.oneof != 0 || entry.tag >= 0x80 || len + 1 + width > MAX_LEN {
                return Ok(None);
            }
            if let (Some(expected), Some(mask)) = (expected.get_mut(len), mask.get_mut(len)) {
                (*expected, *mask) = (entry.tag as u8, 0xff);
            }
            let (slot, bit) = (entry.slot as u8, position as u8);
            let (tag, implicit) = (entry.tag as u8, entry.flags.is_implicit());
            found[count] = FixedField { tag, slot, bit, eight, implicit };
            (len, count) = (len + 1 + width, count + 1);
        }
        if count == 0 {
            return Ok(None);
        }
        let fields = room.copy(&found[..count])?;
        let words = |bytes: [u8; WINDOW]| {
            let mut words = [0; WORDS];
            for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*chunk);
            }
            words
        };
        let all = if len <= WHOLE_LEN { (1 << fields.len()) - 1 } else { u64::MAX };
        let in_order = |(i, lift): (usize, &FixedField)| !lift.eight && lift.slot as usize == i + 2;
        let all_u32 = (fields.len() <= 4 && fields.iter().enumerate().all(in_order)).then_some(fields.len());
        let implicit = fields.iter().filter(|l| l.implicit).fold(0, |bits, l| bits | 1 << l.bit);
        Ok(Some(Self {
            len,
            expected: words(expected),
            mask: words(mask),
            fields,
            all,
            all_u32,
            floats: entries.iter().all(|entry| entry.scalar() == Scalar::F32),
            implicit,
            optional: entries.iter().all(|entry| !entry.flags.is_required()),
        }))
    }

    /// A copy, counted in `room`.
    pub(super) fn copy(&self, room: &mut Room) -> Result<Self, RoomFull> {
        let fields = room.copy(&self.fields)?;
        Ok(Self { fields, ..*self })
    }

    /// For each byte of the encoding: what it must be, and the mask; for layouts with `all_u32`.
    pub(super) fn tags(&self) -> impl Iterator<Item = (u8, u8)> {
        let bytes = |words: [u64; WORDS]| words.into_iter().flat_map(u64::to_le_bytes);
        bytes(self.expected).zip(bytes(self.mask)).take(self.len)
    }

    /// Whether the tags of an encoding of this length at the start of a window match; for layouts with `all_u32`.
    #[inline(always)]
    pub(crate) fn accepts_all_u32(&self, bytes: &[u8; WINDOW]) -> bool {
        let (words, _) = bytes.as_chunks::<8>();
        let differ = |i: usize| (u64::from_le_bytes(words[i]) & self.mask[i]) ^ self.expected[i];
        differ(0) | differ(1) | differ(2) == 0
    }
}
