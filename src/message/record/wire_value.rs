//! [`WireValue`]: a value converted to its wire form.

use crate::wire::{WireType, varint_len};

/// A value in its wire form, without a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireValue<'v> {
    Varint(u64),
    Fixed32(u32),
    Fixed64(u64),
    /// Written after a length prefix.
    Bytes(&'v [u8]),
}

impl WireValue<'_> {
    /// Whether a field without presence counts as unset with this value. -0.0 does not: its bits are not zero.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        match self {
            Self::Varint(value) | Self::Fixed64(value) => value == 0,
            Self::Fixed32(value) => value == 0,
            Self::Bytes(bytes) => bytes.is_empty(),
        }
    }

    /// Bytes on the wire, without a tag.
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
