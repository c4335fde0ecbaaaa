//! What the decode loop needs of a field.

use super::coding::{Coding, Multiplicity, Op, Scalar};
use super::{FieldSpec, Presence};
use crate::schema::table::Kind;
use crate::wire::WireType;
use alloc::{vec, vec::Vec};

/// Properties of a field, in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryFlags(u8);

impl EntryFlags {
    const IMPLICIT: u8 = 1;
    const REQUIRED: u8 = 2;
    const LIST: u8 = 4;
    const MAP: u8 = 8;
    const INLINE: u8 = 16;
    const PACKED: u8 = 32;
    const SIGNED: u8 = 64;
    /// In a wide program, or member of a oneof.
    const SPECIAL: u8 = 128;

    /// A zero or empty value means "not set".
    pub(crate) const fn is_implicit(self) -> bool {
        self.0 & Self::IMPLICIT != 0
    }

    pub(crate) const fn is_required(self) -> bool {
        self.0 & Self::REQUIRED != 0
    }

    /// A list or a map.
    pub(crate) const fn is_list(self) -> bool {
        self.0 & Self::LIST != 0
    }

    pub(crate) const fn is_map(self) -> bool {
        self.0 & Self::MAP != 0
    }

    /// The slots of the field are the body of the sub-message, rather than its offset.
    pub(crate) const fn is_inline(self) -> bool {
        self.0 & Self::INLINE != 0
    }

    /// The value is a signed integer.
    pub(crate) const fn is_signed(self) -> bool {
        self.0 & Self::SIGNED != 0
    }

    /// Setting the field takes more than its hasbit: it is in a wide program, or a member of a oneof.
    #[inline(always)]
    pub(crate) const fn is_special(self) -> bool {
        self.0 & Self::SPECIAL != 0
    }

    /// Encoded as packed runs.
    pub(crate) const fn is_packed(self) -> bool {
        self.0 & Self::PACKED != 0
    }

    const fn multiplicity(self) -> Multiplicity {
        match self.0 & (Self::MAP | Self::PACKED | Self::LIST) {
            0 => Multiplicity::Singular,
            bits if bits & Self::MAP != 0 => Multiplicity::Map,
            bits if bits & Self::PACKED != 0 => Multiplicity::Packed,
            _ => Multiplicity::List,
        }
    }
}

/// One field in 16 bytes, so that the tables of a program index by a shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldEntry {
    /// The tag of the declared encoding. The loop compares it with the tag it read: field number and wire type at once.
    pub(crate) tag: u32,
    /// Program index of a message, enum index of a closed enum, otherwise the [`Scalar`].
    pub(crate) sub: u32,
    /// First word of the value relative to the body. In a wide program, which has no fixed slots, the position of the entry.
    pub(crate) slot: u16,
    /// 1 + index of the oneof, 0 for none.
    pub(crate) oneof: u16,
    pub(crate) op: Op,
    pub(crate) coding: Coding,
    pub(crate) flags: EntryFlags,
    /// Hasbit: the position of the entry; dense programs only.
    pub(crate) bit: u8,
}

impl FieldEntry {
    /// Whether it is a list of strings, bytes or numbers, but not of a closed enum.
    #[inline]
    pub(crate) fn is_elements(&self) -> bool {
        matches!(self.op, Op::List | Op::Packed | Op::ListString | Op::ListBytes)
            && self.coding != Coding::ClosedEnum
    }

    /// Fills the place of a number without a field: its tag has another number, so it never matches.
    pub(crate) const fn none(number: u32) -> Self {
        Self {
            tag: if number == 0 { 1 << 3 } else { 0 },
            sub: 0,
            slot: 0,
            oneof: 0,
            op: Op::Varint32,
            coding: Coding::Int32,
            flags: EntryFlags(0),
            bit: 0,
        }
    }

    /// The entry of a field, without slot and hasbit. Key and value of a map entry are always written, so zero does not mean
    /// "not set" there.
    pub(super) fn new(field: &FieldSpec, map_entry: bool, closed: impl Fn(u32) -> bool) -> Self {
        let coding = Coding::of(field, closed);
        let list = matches!(field.presence, Presence::Repeated | Presence::Map);
        let packed = list && field.packed && field.kind.is_packable();
        let signed = matches!(
            field.kind,
            Kind::Int32 | Kind::Int64 | Kind::Sint32 | Kind::Sint64 | Kind::Sfixed32 | Kind::Sfixed64
        );
        let mut flags = 0;
        for (on, flag) in [
            (
                field.presence == Presence::Implicit && !coding.is_message() && !map_entry,
                EntryFlags::IMPLICIT,
            ),
            (field.presence == Presence::Required, EntryFlags::REQUIRED),
            (list, EntryFlags::LIST),
            (field.presence == Presence::Map, EntryFlags::MAP),
            (packed, EntryFlags::PACKED),
            (signed, EntryFlags::SIGNED),
        ] {
            if on {
                flags |= flag;
            }
        }
        let sub = match field.kind {
            Kind::Message(m) => m,
            Kind::Enum(e) if coding == Coding::ClosedEnum => e,
            kind => Scalar::of(&kind) as u32,
        };
        let wire_type = if packed { WireType::LengthDelimited } else { coding.wire_type() };
        Self {
            tag: tag_of(field.number, wire_type),
            sub,
            slot: 0,
            oneof: 0,
            op: Op::declared(coding, EntryFlags(flags).multiplicity()),
            coding,
            flags: EntryFlags(flags),
            bit: 0,
        }
    }

    /// The operation that the schema asks for, wherever the value is stored.
    pub(crate) fn declared_op(&self) -> Op {
        Op::declared(self.coding, self.flags.multiplicity())
    }

    /// The slots of the field are the body of the sub-message.
    pub(super) fn set_inline(&mut self) {
        self.flags.0 |= EntryFlags::INLINE;
        if self.op == Op::Message {
            self.op = Op::Inline;
        }
    }

    /// The sub-message has fixed shape.
    pub(super) fn set_fixed(&mut self) {
        self.op = match self.op {
            Op::Inline if self.flags.is_inline() => Op::FixedMessage,
            Op::Message => Op::Inline,
            Op::ListMessage => Op::ListFixedMessage,
            op => op,
        };
    }

    /// All fields of the sub-message are messages of fixed shape.
    pub(super) fn set_nested_fixed(&mut self) {
        if self.op == Op::ListMessage {
            self.op = Op::ListFixedMessage;
        }
    }

    /// Keys and values of the map are neither messages nor of closed enums.
    pub(super) fn set_plain_map(&mut self) {
        if self.op == Op::Map {
            self.op = Op::PlainMap;
        }
    }

    /// The field belongs to a wide program.
    pub(super) fn set_wide(&mut self) {
        self.set_special();
        self.op = Op::Wide;
    }

    /// Messages of the field stay bytes.
    pub(super) fn set_lazy(&mut self) {
        self.op = if self.flags.is_list() { Op::ListLazy } else { Op::Lazy };
    }

    /// The sub-message is decoded field by field, even if it has fixed shape: parts of it are skipped.
    pub(super) fn set_partial(&mut self) {
        self.op = match self.op {
            Op::Wide => Op::Wide,
            _ => match self.declared_op() {
                Op::Message => Op::Inline,
                op => op,
            },
        };
    }

    /// The field is skipped; `member` if it is in a oneof that has selected members, which it must unset.
    pub(super) fn set_unselected(&mut self, member: bool) {
        self.flags.0 &= !EntryFlags::REQUIRED;
        self.op = if member { Op::Skip } else { Op::skip(WireType::from_bits(self.tag)) };
    }

    /// Setting the field takes more than its hasbit.
    pub(super) fn set_special(&mut self) {
        self.flags.0 |= EntryFlags::SPECIAL;
    }

    /// The type of the value, for fields that are not messages.
    #[inline]
    pub(crate) fn scalar(&self) -> Scalar {
        match self.coding {
            Coding::ClosedEnum => Scalar::Enum,
            _ => Scalar::from_number(self.sub),
        }
    }

    /// Whether this is the type of the value, for fields that are neither messages nor of closed enums.
    #[inline(always)]
    pub(crate) fn is(&self, scalar: Scalar) -> bool {
        self.sub == scalar as u32
    }

    /// The field number.
    pub(crate) const fn number(&self) -> u32 {
        let above = match self.tag & 7 {
            4 => 1,
            6 => 2,
            7 => 3,
            _ => 0,
        };
        self.tag >> 3 | above << 29
    }

    /// The size on the wire with its tag, if all values have the same.
    pub(super) fn constant_size(&self) -> Option<u8> {
        let value = match self.coding {
            Coding::Bool => 1,
            Coding::Fixed32 => 4,
            Coding::Fixed64 => 8,
            _ => return None,
        };
        (!self.flags.is_list()).then(|| value + crate::wire::varint_len(self.tag as u64) as u8)
    }

    /// Whether values of this field, selected or not, follow a tag of its number. Parsers must accept packed and unpacked
    /// lists, whichever is declared.
    pub(crate) fn takes(&self, tag: u32) -> bool {
        let unpacked = self.coding.wire_type();
        let packs = matches!(unpacked, WireType::Varint | WireType::Fixed64 | WireType::Fixed32);
        let stands_in = |found| found == WireType::LengthDelimited || found == unpacked;
        tag == self.tag || (self.flags.is_list() && packs && WireType::from_bits(tag).is_some_and(stands_in))
    }

    /// The operation for a tag of this field's number with another wire type: a packed list may come unpacked and the other
    /// way round. Anything else is an unknown field.
    pub(crate) fn other_op(&self, tag: u32) -> Option<Op> {
        if self.op.is_skip() {
            return None;
        }
        let found = WireType::from_bits(tag);
        match self.declared_op() {
            Op::Packed if found == Some(self.coding.wire_type()) => Some(Op::List),
            Op::List if found == Some(WireType::LengthDelimited) => Some(Op::Packed),
            _ => None,
        }
    }
}

/// The tag of a field. A MessageSet extension from 2^29 on has no tag on the wire, so its upper bits are kept as a wire type
/// that no field has.
const fn tag_of(number: u32, wire_type: WireType) -> u32 {
    match number >> 29 {
        0 => number << 3 | wire_type as u32,
        1 => number << 3 | 4,
        2 => number << 3 | 6,
        _ => number << 3 | 7,
    }
}

// The strongly connected parts of a graph.

/// No group yet.
const NONE: u32 = u32::MAX;

/// The strongly connected parts of a graph: a number per node, the same for all nodes of one part (Tarjan's algorithm, with an
/// explicit stack).
pub(crate) fn groups(edges: &[Vec<u32>]) -> Vec<u32> {
    let mut groups = vec![NONE; edges.len()];
    // The order of discovery, from 1, and the lowest one that a node reaches.
    let (mut order, mut low) = (vec![0_u32; edges.len()], vec![0_u32; edges.len()]);
    let (mut open, mut frames) = (Vec::new(), Vec::new());
    let mut count = 0;
    for root in 0..edges.len() {
        if order[root] == 0 {
            frames.push((root, 0));
        }
        while let Some(&(node, next)) = frames.last() {
            if next == 0 {
                count += 1;
                (order[node], low[node]) = (count, count);
                open.push(node);
            }
            if let Some(&to) = edges[node].get(next) {
                let (to, at) = (to as usize, frames.len() - 1);
                frames[at].1 += 1;
                if order[to] == 0 {
                    frames.push((to, 0));
                } else if groups[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
            while low[node] == order[node]
                && groups[node] == NONE
                && let Some(member) = open.pop()
            {
                groups[member] = node as u32;
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_sixteen_bytes() {
        assert_eq!(size_of::<FieldEntry>(), 16);
    }

    #[test]
    fn numbers_of_message_set_extensions_keep_all_their_bits() {
        for number in [1, 15, 536_870_911, 536_870_912, 1 << 30, 3 << 29, i32::MAX as u32 - 1] {
            let entry = FieldEntry { tag: tag_of(number, WireType::LengthDelimited), ..FieldEntry::none(1) };
            assert_eq!(entry.number(), number);
            let known = WireType::from_bits(entry.tag) == Some(WireType::LengthDelimited);
            assert_eq!(known, number < 1 << 29);
        }
    }
}

#[cfg(test)]
mod groups_tests {
    use super::*;

    #[test]
    fn cycles_are_groups() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3, 3 -> 3, 4 alone, 5 -> 4.
        let found = groups(&[vec![1], vec![2], vec![1, 3], vec![3], vec![], vec![4]]);
        assert_eq!(found[1], found[2]);
        for (a, b) in [(0, 1), (2, 3), (3, 4), (4, 5), (0, 5)] {
            assert_ne!(found[a], found[b], "{a} {b}");
        }
        let long: Vec<Vec<u32>> = (0..100_000).map(|i| vec![(i + 1) % 100_000]).collect();
        assert!(groups(&long).iter().all(|&group| group == 0));
    }
}
