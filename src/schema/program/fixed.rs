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

use super::{Coding, FieldEntry, Room, RoomFull, Scalar};
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

// Messages of messages of fixed shape: triangles, boxes, rays.
//
// If all fields of a message are singular messages of two to four four-byte numbers (`fixed.rs`) that live in its body, its
// full encoding is fixed too: one length, with tags and length prefixes at known places. One masked comparison of up to 96
// bytes accepts a triangle as a whole.

/// Longest encoding that is compared.
pub(crate) const MAX_NESTED_LEN: usize = 96;
const NESTED_WORDS: usize = MAX_NESTED_LEN / 8;

/// One sub-message.
#[derive(Debug)]
pub(crate) struct Part {
    /// Offset of its content in the encoding.
    pub(crate) from: usize,
    pub(crate) tag: u8,
    /// First word of its body, relative to the parent.
    pub(crate) slot: u16,
    pub(crate) shape: FixedLayout,
}

/// The encoding of such a message with everything set, in order.
#[derive(Debug)]
pub(crate) struct NestedFixedLayout {
    /// Length of the encoding in bytes, at most 96.
    pub(crate) len: usize,
    /// Tags and length prefixes at their places.
    expected: [u64; NESTED_WORDS],
    /// Ones where they are.
    mask: [u64; NESTED_WORDS],
    pub(crate) parts: Vec<Part>,
    /// Numbers per message, if all have the same and their bodies follow each other from word 2 on.
    pub(crate) all_u32: Option<usize>,
    /// Some number has implicit presence.
    pub(crate) implicit: bool,
    /// The hasbits when all fields are set.
    pub(crate) all: u32,
    /// No field is required: encodings without some of the messages are fine.
    pub(crate) optional: bool,
}

impl NestedFixedLayout {
    /// The layout of a dense program with these entries, if it has one; `shape_of` gives the layout of a sub-message.
    pub(in crate::schema::program) fn new<'p>(
        entries: &[FieldEntry],
        shape_of: impl Fn(u32) -> Option<&'p FixedLayout>,
        room: &mut Room,
    ) -> Result<Option<Self>, RoomFull> {
        let shape_of = |entry: &FieldEntry| {
            let shape = shape_of(entry.sub).filter(|shape| shape.all_u32.is_some_and(|n| n >= 2))?;
            let singular = entry.flags.is_inline() && !entry.flags.is_list() && entry.oneof == 0;
            let delimited = WireType::from_bits(entry.tag) == Some(WireType::LengthDelimited);
            let fits = singular && entry.coding == Coding::Message && delimited && entry.tag < 0x80;
            fits.then_some(shape)
        };
        let mut lens = entries.iter().map(|entry| shape_of(entry).map(|shape| 2 + shape.len));
        let len = lens.try_fold(0usize, |sum, len| Some(sum.saturating_add(len?)));
        let Some(len @ 1..=MAX_NESTED_LEN) = len else { return Ok(None) };
        let mut bytes = [(0u8, 0u8); MAX_NESTED_LEN];
        let (mut at, mut parts) = (0, Vec::new());
        room.reserve(&mut parts, entries.len())?;
        for (entry, shape) in entries.iter().filter_map(|entry| Some((entry, shape_of(entry)?))) {
            (bytes[at], bytes[at + 1]) = ((entry.tag as u8, 0xff), (shape.len as u8, 0xff));
            let (tag, slot) = (entry.tag as u8, entry.slot);
            parts.push(Part { from: at + 2, tag, slot, shape: shape.copy(room)? });
            for (place, tag) in bytes[at + 2..].iter_mut().zip(shape.tags()) {
                *place = tag;
            }
            at += 2 + shape.len;
        }
        let word = |i: usize, part: fn(&(u8, u8)) -> u8| {
            bytes[8 * i..8 * i + 8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(part(byte)))
        };
        let first = parts.first().and_then(|part: &Part| part.shape.all_u32);
        let all_u32 = first.filter(|&n| {
            let alike = |(i, part): (usize, &Part)| {
                part.shape.all_u32 == first && part.slot as usize == 2 + i * (n + 2)
            };
            parts.iter().enumerate().all(alike)
        });
        Ok(Some(Self {
            len,
            all_u32,
            implicit: parts.iter().any(|part| part.shape.implicit != 0),
            expected: core::array::from_fn(|i| word(i, |byte| byte.0)),
            mask: core::array::from_fn(|i| word(i, |byte| byte.1)),
            all: (u32::MAX) >> (32 - parts.len()),
            parts,
            optional: entries.iter().all(|entry| !entry.flags.is_required()),
        }))
    }

    /// A copy, counted in `room`.
    pub(in crate::schema::program) fn copy(&self, room: &mut Room) -> Result<Self, RoomFull> {
        let mut parts = Vec::new();
        room.reserve(&mut parts, self.parts.len())?;
        for part in &self.parts {
            let Part { from, tag, slot, .. } = *part;
            parts.push(Part { from, tag, slot, shape: part.shape.copy(room)? });
        }
        let Self { len, expected, mask, all_u32, implicit, all, optional, .. } = *self;
        Ok(Self { len, expected, mask, parts, all_u32, implicit, all, optional })
    }

    /// Whether tags and length prefixes of an encoding of this length at the start of `bytes` match.
    #[inline(always)]
    pub(crate) fn accepts(&self, bytes: &[u8; MAX_NESTED_LEN]) -> bool {
        let (words, _) = bytes.as_chunks::<8>();
        let differ = words
            .iter()
            .zip(self.expected.iter().zip(&self.mask))
            .fold(0, |differ, (word, (expected, mask))| {
                differ | ((u64::from_le_bytes(*word) & mask) ^ expected)
            });
        differ == 0
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::program::{FieldSpec, MessageSpec, Op, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use alloc::vec;

    #[test]
    fn triangles_have_a_nested_layout_and_similar_messages_have_none() {
        let message = |fields| MessageSpec { fields, ..Default::default() };
        let vertex = message((1..=3).map(|n| FieldSpec::new(n, Kind::Float, Presence::Implicit)).collect());
        let triangle =
            message((1..=4).map(|n| FieldSpec::new(n, Kind::Message(0), Presence::Explicit)).collect());
        let mut named = triangle.clone();
        named.fields.push(FieldSpec::new(5, Kind::String, Presence::Implicit));
        let mesh = message(vec![
            FieldSpec::new(1, Kind::String, Presence::Implicit),
            FieldSpec::new(2, Kind::Message(1), Presence::Repeated),
            FieldSpec::new(3, Kind::Message(2), Presence::Repeated),
        ]);
        let set = ProgramSet::new(&[vertex, triangle, named, mesh], &[]).unwrap();
        let shape = set.program(1).nested_fixed().unwrap();
        assert_eq!((shape.len, shape.all, shape.parts.len()), (68, 15, 4));
        assert!([0, 2, 3].iter().all(|&i| set.program(i).nested_fixed().is_none()));
        let ops: vec::Vec<Op> = set.program(3).entries().iter().map(|entry| entry.op).collect();
        assert_eq!(ops, [Op::String, Op::ListFixedMessage, Op::ListMessage]);
        assert_eq!(set.program(3).one_byte(2 << 3).op, Op::ListFixedMessage);
    }
}
