//! [`Raw`]: a value as it is written.

use crate::wire::{WireType, varint_len};

/// A value as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw<'v> {
    /// A varint.
    Varint(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Eight bytes.
    Fixed64(u64),
    /// A length and bytes.
    Bytes(&'v [u8]),
}

impl Raw<'_> {
    /// Whether a field without presence counts as not set with this value; -0.0 does not.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        match self {
            Self::Varint(value) | Self::Fixed64(value) => value == 0,
            Self::Fixed32(value) => value == 0,
            Self::Bytes(bytes) => bytes.is_empty(),
        }
    }

    /// The bytes on the wire, without a tag.
    #[inline(always)]
    pub(super) fn size(self) -> usize {
        match self {
            Self::Varint(value) => varint_len(value),
            Self::Fixed32(_) => 4,
            Self::Fixed64(_) => 8,
            Self::Bytes(bytes) => varint_len(bytes.len() as u64) + bytes.len(),
        }
    }

    #[inline(always)]
    pub(super) fn wire_type(self) -> WireType {
        match self {
            Self::Varint(_) => WireType::Varint,
            Self::Fixed32(_) => WireType::Fixed32,
            Self::Fixed64(_) => WireType::Fixed64,
            Self::Bytes(_) => WireType::LengthDelimited,
        }
    }
}
