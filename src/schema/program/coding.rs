//! What a field is. [`Coding`] is the one classification of a schema's kinds; everything else that a loop branches on is
//! derived from it here:
//!
//! ```text
//! Kind (schema) -> Coding -+- Op          what the decode loop does with the field
//!                          +- WriteKind   what the encoder does with it
//!                          +- NumberForm  how the encoder makes a number from its words
//! Kind (schema) -> Scalar -+- ReadKind    what a getter returns
//! ```
//!
//! `Scalar` is separate because one coding serves several types: `fixed32`, `sfixed32` and `float` are the same four bytes.

use super::FieldSpec;
use crate::schema::table::Kind;
use crate::wire::WireType;

/// How one value is written on the wire and kept in the slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Coding {
    /// `int32` and open enums: a varint; one word holds its low 32 bits, sign-extended when written.
    Int32,
    /// `uint32`: a varint; one word holds its low 32 bits.
    Uint32,
    /// `int64`, `uint64`: a varint in two words.
    Varint64,
    /// A zigzag varint in one word.
    Sint32,
    /// A zigzag varint in two words.
    Sint64,
    /// A varint, 0 or 1 in one word.
    Bool,
    /// As `Int32`; numbers that the enum does not list become unknown fields.
    ClosedEnum,
    /// Four bytes in one word.
    Fixed32,
    /// Eight bytes in two words.
    Fixed64,
    /// Span of UTF-8 in the byte store, two words.
    String,
    /// Span of the byte store, two words.
    Bytes,
    /// Length-delimited message. One word holds the offset of its body, or the slots are the body.
    Message,
    /// As `Message`, between group tags.
    Group,
}

impl Coding {
    /// The coding of a field; `closed` tells whether an enum is closed.
    pub(super) fn of(field: &FieldSpec, closed: impl Fn(u32) -> bool) -> Self {
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
            // Without UTF-8 validation a string is bytes to the decoder; its getter checks it.
            Kind::String | Kind::Bytes => Self::Bytes,
            Kind::Message(_) if field.delimited => Self::Group,
            Kind::Message(_) => Self::Message,
        }
    }

    /// A string or bytes.
    #[inline(always)]
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::String | Self::Bytes)
    }

    /// Words of a value in the slab. A message counts as its offset.
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

/// The type of a value that is not a message, as a reader sees it.
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

    /// The scalar of a field of this kind; `Bytes` for messages.
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

    /// The scalar with this discriminant; `Bytes` if there is none.
    #[inline]
    pub(super) fn from_number(number: u32) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or(Self::Bytes)
    }
}

/// How many values a field has, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Multiplicity {
    Singular,
    List,
    Packed,
    Map,
}

/// What the decode loop does with a field whose tag is the expected one. Singular fields come first, up to `Inline`, so that one
/// comparison tells them from most others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Op {
    // Decoded in the loop.
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
    /// Singular message of fixed shape, stored in the slots of its parent.
    FixedMessage,
    Message,
    ListMessage,
    /// A map entry.
    Map,
    /// Singular message that needs one of the slower ways: stored in the slots of its parent, of fixed shape but with a body
    /// of its own, or decoded in part.
    Inline,
    /// Fields that a projection does not select, by wire type.
    SkipVarint,
    SkipFixed32,
    SkipFixed64,
    SkipLength,
    // Decoded by a call.
    /// Map whose keys and values are neither messages nor of closed enums.
    PlainMap,
    /// List of messages of fixed shape, or whose fields are all messages of fixed shape.
    ListFixedMessage,
    Group,
    /// List of numbers, one value after each tag.
    List,
    /// List of numbers in packed runs.
    Packed,
    ListString,
    ListBytes,
    ListGroup,
    /// Field of a wide program; [`FieldEntry::declared_op`](super::FieldEntry::declared_op) is its operation elsewhere.
    Wide,
    /// Message or group that stays bytes.
    Lazy,
    /// List of messages or groups that stay bytes.
    ListLazy,
    /// Field that a projection does not select: a group, or a member of a oneof that has selected members.
    Skip,
}

impl Op {
    /// The operation that the schema asks for, before layout and selection refine it.
    pub(super) fn declared(coding: Coding, multiplicity: Multiplicity) -> Self {
        let list = match multiplicity {
            Multiplicity::Map => return Self::Map,
            Multiplicity::List | Multiplicity::Packed => true,
            Multiplicity::Singular => false,
        };
        match (list, coding) {
            (true, Coding::String) => Self::ListString,
            (true, Coding::Bytes) => Self::ListBytes,
            (true, Coding::Message) => Self::ListMessage,
            (true, Coding::Group) => Self::ListGroup,
            (true, _) if multiplicity == Multiplicity::Packed => Self::Packed,
            (true, _) => Self::List,
            (false, Coding::Int32 | Coding::Uint32) => Self::Varint32,
            (false, Coding::Varint64) => Self::Varint64,
            (false, Coding::Sint32) => Self::Sint32,
            (false, Coding::Sint64) => Self::Sint64,
            (false, Coding::Bool) => Self::Bool,
            (false, Coding::ClosedEnum) => Self::ClosedEnum,
            (false, Coding::Fixed32) => Self::Fixed32,
            (false, Coding::Fixed64) => Self::Fixed64,
            (false, Coding::String) => Self::String,
            (false, Coding::Bytes) => Self::Bytes,
            (false, Coding::Message) => Self::Message,
            (false, Coding::Group) => Self::Group,
        }
    }

    /// The operation that skips a field of this wire type.
    pub(super) fn skip(wire_type: Option<WireType>) -> Self {
        match wire_type {
            Some(WireType::Varint) => Self::SkipVarint,
            Some(WireType::Fixed64) => Self::SkipFixed64,
            Some(WireType::LengthDelimited) => Self::SkipLength,
            Some(WireType::Fixed32) => Self::SkipFixed32,
            _ => Self::Skip,
        }
    }

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

/// What a getter finds in the words of a value.
///
/// Messages come first, so that one comparison tells them from everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ReadKind {
    /// A body.
    Body,
    /// The offset of a body.
    Message,
    /// The header of a list.
    List,
    /// The header of a list of map entries.
    Map,
    // One word.
    Bool,
    I32,
    U32,
    F32,
    Enum,
    // Two words.
    I64,
    U64,
    F64,
    /// Span of UTF-8.
    String,
    /// Span of a string without UTF-8 validation: the getter checks it.
    UncheckedString,
    /// Span.
    Bytes,
}

impl ReadKind {
    /// By discriminant. The last kind stands twice, so that any four bits are an index.
    pub(super) const ALL: [Self; 16] = {
        use ReadKind::*;
        [
            Body,
            Message,
            List,
            Map,
            Bool,
            I32,
            U32,
            F32,
            Enum,
            I64,
            U64,
            F64,
            String,
            UncheckedString,
            Bytes,
            Bytes,
        ]
    };

    /// The kind of a singular value or an element that is not a message.
    pub(super) fn of(scalar: Scalar, coding: Coding) -> Self {
        match scalar {
            Scalar::Bool => Self::Bool,
            Scalar::I32 => Self::I32,
            Scalar::U32 => Self::U32,
            Scalar::F32 => Self::F32,
            Scalar::Enum => Self::Enum,
            Scalar::I64 => Self::I64,
            Scalar::U64 => Self::U64,
            Scalar::F64 => Self::F64,
            Scalar::String if coding == Coding::String => Self::String,
            Scalar::String => Self::UncheckedString,
            Scalar::Bytes => Self::Bytes,
        }
    }
}

/// What the encoder does with a field. Numbers come first, so that one comparison tells them from everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum WriteKind {
    /// Singular varint with explicit presence.
    Varint,
    // Other singular varints.
    Int32,
    Uint32,
    Varint64,
    Sint32,
    Sint64,
    // Singular numbers of four and eight bytes.
    Fixed32,
    Fixed64,
    /// Singular string or bytes.
    Span,
    /// List of anything but messages.
    List,
    /// Message in the slots of its parent.
    Inline,
    /// Any other message, list of messages or map.
    Message,
}

impl WriteKind {
    /// `explicit` if the field may be unset without being zero.
    pub(super) fn of(coding: Coding, (list, inline, explicit): (bool, bool, bool)) -> Self {
        match coding {
            Coding::Message | Coding::Group if inline => Self::Inline,
            Coding::Message | Coding::Group => Self::Message,
            _ if list => Self::List,
            Coding::String | Coding::Bytes => Self::Span,
            Coding::Fixed32 => Self::Fixed32,
            Coding::Fixed64 => Self::Fixed64,
            // Which of them are set changes from message to message, so a jump by kind would be predicted badly: 0.87 of the
            // branch-free way. Where all are set, the jump is 1.1x.
            _ if explicit => Self::Varint,
            Coding::Int32 | Coding::ClosedEnum => Self::Int32,
            Coding::Uint32 | Coding::Bool => Self::Uint32,
            Coding::Varint64 => Self::Varint64,
            Coding::Sint32 => Self::Sint32,
            Coding::Sint64 => Self::Sint64,
        }
    }

    /// Whether the field is a singular number.
    #[inline(always)]
    pub(crate) fn is_number(self) -> bool {
        self < Self::Span
    }
}

/// How the encoder makes a number from its words: shift counts and masks instead of branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NumberForm {
    /// 32 if the number has one word, else 0.
    narrow: u8,
    /// How many high bits are cleared: 32 for a word that is not sign-extended, else 0.
    clear: u8,
    /// 1 for zigzag, else 0.
    zigzag: u8,
    /// The width of a fixed-width number, 0 for varints.
    pub(crate) width: u8,
}

impl NumberForm {
    pub(super) fn of(coding: Coding) -> Self {
        let narrow = if coding.words() == 1 { 32 } else { 0 };
        let (clear, zigzag, width) = match coding {
            Coding::Uint32 | Coding::Bool => (32, 0, 0),
            Coding::Sint32 | Coding::Sint64 => (0, 1, 0),
            Coding::Fixed32 => (32, 0, 4),
            Coding::Fixed64 => (0, 0, 8),
            _ => (0, 0, 0),
        };
        Self { narrow, clear, zigzag, width }
    }

    /// The value on the wire of a number whose first two words these are.
    #[inline(always)]
    pub(crate) fn value(self, words: u64) -> u64 {
        let value = (words << (self.narrow & 63)) as i64 >> (self.narrow & 63);
        let sign = (value >> 63) & -i64::from(self.zigzag);
        let value = (value << (self.zigzag & 63)) ^ sign;
        value as u64 & (u64::MAX >> (self.clear & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_on_the_wire() {
        for word in [0, 1, 2, 77, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            for above in [0, 1, 0x8000_0000, u32::MAX] {
                let words = u64::from(above) << 32 | u64::from(word);
                let value = |coding| NumberForm::of(coding).value(words);
                let signed = i64::from(word as i32);
                assert_eq!(value(Coding::Int32), signed as u64);
                assert_eq!(value(Coding::ClosedEnum), signed as u64);
                assert_eq!(value(Coding::Uint32), u64::from(word));
                assert_eq!(value(Coding::Fixed32), u64::from(word));
                assert_eq!(value(Coding::Bool), u64::from(word));
                assert_eq!(value(Coding::Sint32), u64::from(crate::wire::zigzag32(word as i32)));
                assert_eq!(value(Coding::Varint64), words);
                assert_eq!(value(Coding::Fixed64), words);
                assert_eq!(value(Coding::Sint64), crate::wire::zigzag64(words as i64));
            }
        }
        let width = |coding| NumberForm::of(coding).width;
        assert_eq!([Coding::Int32, Coding::Fixed32, Coding::Fixed64].map(width), [0, 4, 8]);
    }
}
