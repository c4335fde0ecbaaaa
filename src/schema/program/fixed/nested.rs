//! Messages of messages of fixed shape: triangles, boxes, rays.
//!
//! If all fields of a message are singular messages of two to four four-byte numbers (`fixed.rs`) that live in its body, its
//! full encoding is fixed too: one length, with tags and length prefixes at known places. One masked comparison of up to 96
//! bytes accepts a triangle as a whole.

use crate::schema::program::{Coding, FieldEntry, FixedLayout, Room, RoomFull};
use crate::wire::WireType;
use alloc::vec::Vec;

/// Longest encoding that is compared.
pub(crate) const MAX_NESTED_LEN: usize = 96;
const WORDS: usize = MAX_NESTED_LEN / 8;

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
    expected: [u64; WORDS],
    /// Ones where they are.
    mask: [u64; WORDS],
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
