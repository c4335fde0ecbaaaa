//! Fixed-shape messages: points, vertices, samples.
//!
//! Where every field of a message is a fixed-width number with a one-byte tag, and all are there in number order,
//! the body on the wire has one length and its tags stand at known places. Eight bytes at a time, one masked
//! comparison accepts them, and the values are lifted by offset. Such messages are where table-driven decoders
//! lose most against generated code: a message of three floats is 15 bytes, and everything around it is overhead.

use super::{FieldEntry, NoRoom, Room};
use crate::wire::WireType;
use alloc::vec::Vec;

/// Most bytes of a body that is compared: four words.
const MAX_LEN: usize = 32;
const WORDS: usize = MAX_LEN / 8;
/// Most values of one: a tag and four bytes each.
const MAX_LIFTS: usize = MAX_LEN / 5;

/// One value of a fixed shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedField {
    /// The tag in front of it.
    pub(crate) tag: u8,
    /// Where it stands in the body on the wire.
    pub(crate) from: u8,
    /// Its slot.
    pub(crate) slot: u8,
    /// Presence bit.
    pub(crate) bit: u8,
    /// Eight bytes rather than four.
    pub(crate) eight: bool,
    /// Zero means unset.
    pub(crate) implicit: bool,
}

/// The one form that the body of such a message has when all fields are there, in order.
#[derive(Debug)]
pub(crate) struct FixedLayout {
    /// Length of the body in bytes, at most 32.
    pub(crate) len: usize,
    /// The tags at their places, and ones where they stand.
    expected: [u64; WORDS],
    mask: [u64; WORDS],
    pub(crate) fields: Vec<FixedField>,
    /// The presence bits when all fields are set.
    pub(crate) all: u64,
    /// Number of fields, if all are four bytes wide and at most four: then their slots are words 2, 3, .. of the
    /// body, and the bits of those with implicit presence are the next field.
    pub(crate) all_u32: Option<usize>,
    pub(crate) implicit: u32,
    /// No field is required, so that some may be left out.
    pub(crate) optional: bool,
}

impl FixedLayout {
    /// The shape of a dense program with these entries, if they have one.
    pub(super) fn new(entries: &[FieldEntry], room: &mut Room) -> Result<Option<Self>, NoRoom> {
        let (mut expected, mut mask) = ([0u8; MAX_LEN], [0u8; MAX_LEN]);
        let mut found =
            [FixedField { tag: 0, from: 0, slot: 0, bit: 0, eight: false, implicit: false }; MAX_LIFTS];
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
            (expected[len], mask[len]) = (entry.tag as u8, 0xff);
            let (slot, bit) = (entry.slot as u8, position as u8);
            let (tag, implicit) = (entry.tag as u8, entry.flags.is_implicit());
            found[count] = FixedField { tag, from: len as u8 + 1, slot, bit, eight, implicit };
            (len, count) = (len + 1 + width, count + 1);
        }
        if count == 0 {
            return Ok(None);
        }
        let fields = room.copy(&found[..count])?;
        let words = |bytes: [u8; MAX_LEN]| {
            let mut words = [0; WORDS];
            for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*chunk);
            }
            words
        };
        let all = (1 << fields.len()) - 1;
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
            implicit,
            optional: entries.iter().all(|entry| !entry.flags.is_required()),
        }))
    }

    /// A copy that asks whether there is room.
    pub(super) fn copy(&self, room: &mut Room) -> Result<Self, NoRoom> {
        let fields = room.copy(&self.fields)?;
        let Self { len, expected, mask, all, all_u32, implicit, optional, .. } = *self;
        Ok(Self { len, expected, mask, fields, all, all_u32, implicit, optional })
    }

    /// For each byte of the body: what it must be, and ones where that matters.
    pub(super) fn tags(&self) -> impl Iterator<Item = (u8, u8)> {
        let bytes = |words: [u64; WORDS]| words.into_iter().flat_map(u64::to_le_bytes);
        bytes(self.expected).zip(bytes(self.mask)).take(self.len)
    }

    /// Whether a body of this length at the start of 24 bytes has the tags at their places; for `all_u32`.
    #[inline(always)]
    pub(crate) fn accepts_all_u32(&self, bytes: &[u8; 24]) -> bool {
        let (words, _) = bytes.as_chunks::<8>();
        let differ = |i: usize| (u64::from_le_bytes(words[i]) & self.mask[i]) ^ self.expected[i];
        differ(0) | differ(1) | differ(2) == 0
    }

    /// Whether `bytes`, which start with a body of this length, have the tags at their places. A body that ends
    /// within eight bytes of the end of `bytes` is not looked at.
    #[inline(always)]
    pub(crate) fn accepts(&self, bytes: &[u8]) -> bool {
        let (words, _) = bytes.as_chunks::<8>();
        let count = self.len.div_ceil(8);
        words.len() >= count
            && words
                .iter()
                .zip(self.expected.iter().zip(&self.mask))
                .take(count)
                .all(|(word, (expected, mask))| u64::from_le_bytes(*word) & mask == *expected)
    }
}
