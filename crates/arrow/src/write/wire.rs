//! Tags and scalars as they are on the wire.

use super::WriteErrorKind;
use super::reverse::Reverse;
use crate::fence::cpu::Bits;
use tablepb::schema::FieldKind;
use tablepb::table::Kind;
use tablepb::wire::{varint_len, zigzag32, zigzag64};

/// The bytes of a tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    word: u64,
    len: u32,
}

impl Tag {
    pub(super) fn new(number: u32, wire_type: tablepb::wire::WireType) -> Self {
        let (mut word, mut len) = (0, 0);
        let mut rest = u64::from(tablepb::wire::Tag::new(number, wire_type).get());
        while rest >= 0x80 {
            word |= (rest & 0x7f | 0x80) << (8 * len);
            rest >>= 7;
            len += 1;
        }
        Self { word: word | rest << (8 * len), len: len + 1 }
    }

    #[inline(always)]
    pub(super) fn put(&self, out: &mut Reverse<impl Bits>) -> Result<(), WriteErrorKind> {
        out.put_word(self.word, self.len as usize)
    }

    /// The tag and up to eight bytes of a value after it, which are in a word. Mostly both are one word, and one store.
    #[inline(always)]
    pub(super) fn put_before(
        &self,
        word: u64,
        len: usize,
        out: &mut Reverse<impl Bits>,
    ) -> Result<(), WriteErrorKind> {
        let tag_len = self.len as usize;
        if tag_len + len <= 8 {
            return out.put_word(self.word | word << (8 * tag_len), tag_len + len);
        }
        out.put_word(word, len)?;
        self.put(out)
    }

    /// The tag and a varint after it.
    #[inline(always)]
    pub(super) fn put_varint(&self, value: u64, out: &mut Reverse<impl Bits>) -> Result<(), WriteErrorKind> {
        if value >> 56 != 0 {
            out.put_varint(value)?;
            return self.put(out);
        }
        let (word, len) = varint_word(out.bits, value);
        self.put_before(word, len, out)
    }
}

/// The varint of a value below 2^56, and how many bytes it has.
#[inline(always)]
pub(super) fn varint_word(bits: impl Bits, value: u64) -> (u64, usize) {
    let len = varint_len(value);
    let more = 0x0080_8080_8080_8080 & ((1 << (8 * (len - 1))) - 1);
    (bits.spread(value) | more, len)
}

/// Where a message ends on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cut {
    /// After its length.
    Length,
    /// At the end tag of a group.
    Group(Tag),
    /// It is an item of a MessageSet, with the number of the extension.
    Item(u32),
}

impl Cut {
    /// What comes after the message; gives what [`open`](Self::open) needs.
    #[inline(always)]
    pub(super) fn close(&self, out: &mut Reverse<impl Bits>) -> Result<usize, WriteErrorKind> {
        match self {
            Self::Length => {}
            Self::Group(end) => end.put(out)?,
            // The end of group 1.
            Self::Item(_) => out.put_byte(0x0c)?,
        }
        Ok(out.len())
    }

    /// What comes before the message.
    #[inline(always)]
    pub(super) fn open(
        &self,
        tag: &Tag,
        closed: usize,
        out: &mut Reverse<impl Bits>,
    ) -> Result<(), WriteErrorKind> {
        match self {
            Self::Length => tag.put_varint((out.len() - closed) as u64, out),
            Self::Group(_) => tag.put(out),
            // Group 1 with the number as field 2 and the message as field 3.
            Self::Item(number) => {
                out.put_length_since(closed)?;
                out.put_byte(0x1a)?;
                out.put_varint((*number).into())?;
                out.put(&[0x0b, 0x10])
            }
        }
    }
}

/// How the bits of a number are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Varint,
    Zigzag32,
    Zigzag64,
    Fixed32,
    Fixed64,
}

impl Coding {
    /// A value: signed ones extended to 64 bits, floats as their bits.
    #[inline(always)]
    pub(super) fn put(self, bits: u64, out: &mut Reverse<impl Bits>) -> Result<(), WriteErrorKind> {
        match self {
            Self::Varint => out.put_varint(bits),
            Self::Zigzag32 => out.put_varint(zigzag32(bits as i32).into()),
            Self::Zigzag64 => out.put_varint(zigzag64(bits as i64)),
            Self::Fixed32 => out.put_fixed32(bits as u32),
            Self::Fixed64 => out.put_fixed64(bits),
        }
    }

    /// The same with a tag before it.
    #[inline(always)]
    pub(super) fn put_tagged(
        self,
        bits: u64,
        tag: &Tag,
        out: &mut Reverse<impl Bits>,
    ) -> Result<(), WriteErrorKind> {
        match self {
            Self::Varint => tag.put_varint(bits, out),
            Self::Zigzag32 => tag.put_varint(zigzag32(bits as i32).into(), out),
            Self::Zigzag64 => tag.put_varint(zigzag64(bits as i64), out),
            Self::Fixed32 => tag.put_before(bits & 0xffff_ffff, 4, out),
            Self::Fixed64 => {
                out.put_fixed64(bits)?;
                tag.put(out)
            }
        }
    }
}

/// The values that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Bool,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
}

/// A scalar type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    pub(super) coding: Coding,
    pub(super) domain: Domain,
}

impl Scalar {
    /// The scalar type of a field; `None` for strings, bytes and messages.
    pub(super) fn of(kind: &FieldKind) -> Option<Self> {
        let (coding, domain) = match kind {
            Kind::Bool => (Coding::Varint, Domain::Bool),
            Kind::Int32 | Kind::Enum(_) => (Coding::Varint, Domain::I32),
            Kind::Int64 => (Coding::Varint, Domain::I64),
            Kind::Uint32 => (Coding::Varint, Domain::U32),
            Kind::Uint64 => (Coding::Varint, Domain::U64),
            Kind::Sint32 => (Coding::Zigzag32, Domain::I32),
            Kind::Sint64 => (Coding::Zigzag64, Domain::I64),
            Kind::Fixed32 => (Coding::Fixed32, Domain::U32),
            Kind::Fixed64 => (Coding::Fixed64, Domain::U64),
            Kind::Sfixed32 => (Coding::Fixed32, Domain::I32),
            Kind::Sfixed64 => (Coding::Fixed64, Domain::I64),
            Kind::Float => (Coding::Fixed32, Domain::F32),
            Kind::Double => (Coding::Fixed64, Domain::F64),
            Kind::String | Kind::Bytes | Kind::Message(_) => return None,
        };
        Some(Self { coding, domain })
    }

    pub(super) fn wire_type(self) -> tablepb::wire::WireType {
        match self.coding {
            Coding::Varint | Coding::Zigzag32 | Coding::Zigzag64 => tablepb::wire::WireType::Varint,
            Coding::Fixed32 => tablepb::wire::WireType::Fixed32,
            Coding::Fixed64 => tablepb::wire::WireType::Fixed64,
        }
    }
}
