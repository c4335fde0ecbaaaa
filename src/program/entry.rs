//! One field as the loops see it.

use super::{FieldSpec, Presence};
use crate::table::Kind;
use crate::wire::WireType;

/// How one value is written on the wire and kept in the slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Coding {
    /// Varint, low 32 bits kept in one word, written sign-extended: `int32` and open enums.
    Int32,
    /// Varint, low 32 bits kept in one word: `uint32`.
    Uint32,
    /// Varint in two words: `int64`, `uint64`.
    Varint64,
    /// Zigzag varint in one word.
    Sint32,
    /// Zigzag varint in two words.
    Sint64,
    /// Varint, kept as 0 or 1 in one word.
    Bool,
    /// As `Int32`; numbers that the enum does not list become unknown fields.
    ClosedEnum,
    /// Four bytes in one word.
    Fixed32,
    /// Eight bytes in two words.
    Fixed64,
    /// (offset, length) of UTF-8 in the byte store, two words.
    String,
    /// (offset, length) in the byte store, two words.
    Bytes,
    /// Slab offset of a body in one word, or the body itself; behind a length on the wire.
    Message,
    /// As `Message`; between group tags on the wire.
    Group,
}

impl Coding {
    fn of(field: &FieldSpec, closed: impl Fn(u32) -> bool) -> Self {
        match field.kind {
            Kind::Int32 => Self::Int32,
            Kind::Uint32 => Self::Uint32,
            Kind::Int64 | Kind::Uint64 => Self::Varint64,
            Kind::Sint32 => Self::Sint32,
            Kind::Sint64 => Self::Sint64,
            Kind::Bool => Self::Bool,
            Kind::Enum(e) if closed(e) => Self::ClosedEnum,
            Kind::Enum(_) => Self::Int32,
            Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => Self::Fixed32,
            Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => Self::Fixed64,
            Kind::String if field.utf8 => Self::String,
            Kind::String | Kind::Bytes => Self::Bytes,
            Kind::Message(_) if field.delimited => Self::Group,
            Kind::Message(_) => Self::Message,
        }
    }

    /// Words that a value takes in the slab, where messages count as offsets.
    pub(crate) const fn words(self) -> u32 {
        match self {
            Self::Varint64 | Self::Sint64 | Self::Fixed64 | Self::String | Self::Bytes => 2,
            _ => 1,
        }
    }

    /// The wire type of one unpacked value.
    pub(crate) const fn wire_type(self) -> WireType {
        match self {
            Self::Fixed64 => WireType::Fixed64,
            Self::Fixed32 => WireType::Fixed32,
            Self::String | Self::Bytes | Self::Message => WireType::LengthDelimited,
            Self::Group => WireType::StartGroup,
            _ => WireType::Varint,
        }
    }

    /// True for messages and groups.
    pub(crate) const fn is_message(self) -> bool {
        matches!(self, Self::Message | Self::Group)
    }
}

/// What a value that is not a message is to a reader, in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
    String,
    Bytes,
    Enum,
}

impl Scalar {
    const ALL: [Self; 10] = [
        Self::Bool,
        Self::I32,
        Self::I64,
        Self::U32,
        Self::U64,
        Self::F32,
        Self::F64,
        Self::String,
        Self::Bytes,
        Self::Enum,
    ];

    /// Of a field of this kind; `Bytes` for messages.
    pub(crate) fn of<M, E>(kind: &Kind<M, E>) -> Self {
        match kind {
            Kind::Bool => Self::Bool,
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Self::I32,
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Self::I64,
            Kind::Uint32 | Kind::Fixed32 => Self::U32,
            Kind::Uint64 | Kind::Fixed64 => Self::U64,
            Kind::Float => Self::F32,
            Kind::Double => Self::F64,
            Kind::String => Self::String,
            Kind::Bytes | Kind::Message(_) => Self::Bytes,
            Kind::Enum(_) => Self::Enum,
        }
    }
}

/// What the decode loop does with a field when the tag is the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Op {
    // Decoded where the tag is read.
    /// Singular value of `Coding::Int32` or `Coding::Uint32`.
    Varint32,
    Varint64,
    Sint32,
    Sint64,
    Bool,
    ClosedEnum,
    Fixed32,
    Fixed64,
    String,
    Bytes,
    /// A message of fixed shape in the slots of its parent.
    FixedMessage,
    Message,
    ListMessage,
    /// A map entry.
    Map,
    /// A singular message in the slots of its parent, or of fixed shape without being there, or decoded in part.
    Inline,
    /// Other fields that a projection does not select, by wire type.
    SkipVarint,
    SkipFixed32,
    SkipFixed64,
    SkipLength,
    // Decoded by a call.
    /// Map entries of a key and a value that are neither messages nor of closed enums.
    PlainMap,
    /// Messages of fixed shape, one behind the other.
    ListFixedMessage,
    /// Messages of messages of fixed shape.
    ListNestedFixed,
    Group,
    /// A list of numbers, one value behind each tag.
    List,
    /// A list of numbers in packed runs.
    Packed,
    ListString,
    ListBytes,
    ListGroup,
    /// A field of a wide program; [`FieldEntry::declared_op`] is what it is otherwise.
    Wide,
    /// A message or group that stays bytes.
    Lazy,
    /// A list of them.
    ListLazy,
    /// A field that a projection does not select: a group, or a member of a oneof that has selected ones.
    Skip,
}

impl Op {
    /// Whether the field is not selected.
    pub(crate) const fn is_skip(self) -> bool {
        matches!(
            self,
            Self::SkipVarint | Self::SkipFixed32 | Self::SkipFixed64 | Self::SkipLength | Self::Skip
        )
    }

    /// Whether messages of the field stay bytes.
    pub(crate) const fn is_lazy(self) -> bool {
        matches!(self, Self::Lazy | Self::ListLazy)
    }
}

/// Properties of a field that the loops test for, in one byte.
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

    /// The slots of the field are the body of the sub-message, not its offset.
    pub(crate) const fn is_inline(self) -> bool {
        self.0 & Self::INLINE != 0
    }

    /// The value is a signed integer.
    pub(crate) const fn is_signed(self) -> bool {
        self.0 & Self::SIGNED != 0
    }

    /// Setting the field takes more than setting its bit: it is in a wide program, or member of a oneof.
    #[inline(always)]
    pub(crate) const fn is_special(self) -> bool {
        self.0 & Self::SPECIAL != 0
    }

    /// Encoded as packed runs.
    pub(crate) const fn is_packed(self) -> bool {
        self.0 & Self::PACKED != 0
    }
}

/// One field, 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldEntry {
    /// The tag of the declared encoding.
    pub(crate) tag: u32,
    /// Program index of a message, enum index of a closed enum, otherwise the scalar.
    pub(crate) sub: u32,
    /// First word of the value relative to the body. In a wide program, where `wide_slot` finds the value: the
    /// position of the entry.
    pub(crate) slot: u16,
    /// 1 + index of the oneof, 0 for none.
    pub(crate) oneof: u16,
    pub(crate) op: Op,
    pub(crate) coding: Coding,
    pub(crate) flags: EntryFlags,
    /// Presence bit, which is the position of the entry; of a dense program.
    pub(crate) bit: u8,
}

impl FieldEntry {
    /// No field, in the place of a field number: no tag of that number is its tag.
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

    /// The parts of a map entry are always written, so zero does not mean unset there.
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
            op: Self::op(coding, EntryFlags(flags)),
            coding,
            flags: EntryFlags(flags),
            bit: 0,
        }
    }

    fn op(coding: Coding, flags: EntryFlags) -> Op {
        if flags.is_map() {
            return Op::Map;
        }
        match (flags.is_list(), coding) {
            (true, Coding::String) => Op::ListString,
            (true, Coding::Bytes) => Op::ListBytes,
            (true, Coding::Message) => Op::ListMessage,
            (true, Coding::Group) => Op::ListGroup,
            (true, _) if flags.is_packed() => Op::Packed,
            (true, _) => Op::List,
            (false, Coding::Int32 | Coding::Uint32) => Op::Varint32,
            (false, Coding::Varint64) => Op::Varint64,
            (false, Coding::Sint32) => Op::Sint32,
            (false, Coding::Sint64) => Op::Sint64,
            (false, Coding::Bool) => Op::Bool,
            (false, Coding::ClosedEnum) => Op::ClosedEnum,
            (false, Coding::Fixed32) => Op::Fixed32,
            (false, Coding::Fixed64) => Op::Fixed64,
            (false, Coding::String) => Op::String,
            (false, Coding::Bytes) => Op::Bytes,
            (false, Coding::Message) => Op::Message,
            (false, Coding::Group) => Op::Group,
        }
    }

    /// What the field asks for, wherever its value is kept.
    pub(crate) fn declared_op(&self) -> Op {
        Self::op(self.coding, self.flags)
    }

    pub(super) fn set_inline(&mut self) {
        self.flags.0 |= EntryFlags::INLINE;
        if self.op == Op::Message {
            self.op = Op::Inline;
        }
    }

    /// The message is of fixed shape.
    pub(super) fn set_fixed(&mut self) {
        self.op = match self.op {
            Op::Inline if self.flags.is_inline() => Op::FixedMessage,
            Op::Message => Op::Inline,
            Op::ListMessage => Op::ListFixedMessage,
            op => op,
        };
    }

    /// The message has nothing but messages of fixed shape.
    pub(super) fn set_nested_fixed(&mut self) {
        if self.op == Op::ListMessage {
            self.op = Op::ListNestedFixed;
        }
    }

    /// The map has plain values: neither messages nor of closed enums.
    pub(super) fn set_plain_map(&mut self) {
        if self.op == Op::Map {
            self.op = Op::PlainMap;
        }
    }

    /// The field is one of a wide program.
    pub(super) fn set_wide(&mut self) {
        self.set_special();
        self.op = Op::Wide;
    }

    /// Makes the messages of the field stay bytes.
    pub(super) fn set_lazy(&mut self) {
        self.op = if self.flags.is_list() { Op::ListLazy } else { Op::Lazy };
    }

    /// Decodes the sub-message field by field, whatever its shape.
    pub(super) fn set_partial(&mut self) {
        self.op = match self.op {
            Op::Wide => Op::Wide,
            _ => match self.declared_op() {
                Op::Message => Op::Inline,
                op => op,
            },
        };
    }

    /// Takes the field out of what is decoded; `member` if setting it unsets others that are decoded.
    pub(super) fn set_unselected(&mut self, member: bool) {
        self.flags.0 &= !EntryFlags::REQUIRED;
        self.op = match WireType::from_bits(self.tag) {
            _ if member => Op::Skip,
            Some(WireType::Varint) => Op::SkipVarint,
            Some(WireType::Fixed64) => Op::SkipFixed64,
            Some(WireType::LengthDelimited) => Op::SkipLength,
            Some(WireType::Fixed32) => Op::SkipFixed32,
            _ => Op::Skip,
        };
    }

    pub(super) fn set_special(&mut self) {
        self.flags.0 |= EntryFlags::SPECIAL;
    }

    /// What the value is to a reader; of a field that is not a message.
    #[inline]
    pub(crate) fn scalar(&self) -> Scalar {
        match self.coding {
            Coding::ClosedEnum => Scalar::Enum,
            _ => Scalar::ALL.get(self.sub as usize).copied().unwrap_or(Scalar::Bytes),
        }
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

    /// The size on the wire, tag included, if it is the same for all values.
    pub(super) fn constant_size(&self) -> Option<u8> {
        let value = match self.coding {
            Coding::Bool => 1,
            Coding::Fixed32 => 4,
            Coding::Fixed64 => 8,
            _ => return None,
        };
        (!self.flags.is_list()).then(|| value + crate::wire::varint_len(self.tag as u64) as u8)
    }

    /// Whether a tag of this field's number announces values of the field, selected or not: packed and unpacked stand
    /// in for each other.
    pub(crate) fn takes(&self, tag: u32) -> bool {
        let unpacked = self.coding.wire_type();
        let packs = matches!(unpacked, WireType::Varint | WireType::Fixed64 | WireType::Fixed32);
        let stands_in = |found| found == WireType::LengthDelimited || found == unpacked;
        tag == self.tag || (self.flags.is_list() && packs && WireType::from_bits(tag).is_some_and(stands_in))
    }

    /// What to do with a tag of this field's number that is not the expected one: packed and unpacked stand in
    /// for each other, everything else is an unknown field.
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

/// The tag of a field, or what stands in its place for an extension of a MessageSet from 2^29 on. Such a number is
/// no field number on the wire, and so the tag has a wire type that no field has.
const fn tag_of(number: u32, wire_type: WireType) -> u32 {
    match number >> 29 {
        0 => number << 3 | wire_type as u32,
        1 => number << 3 | 4,
        2 => number << 3 | 6,
        _ => number << 3 | 7,
    }
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
