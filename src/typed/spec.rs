//! What the passes know of a field beside its kind, and what a merge tells about it.

use super::kinds::KindMarker;
use crate::error::DecodeErrorKind;
use crate::table::Syntax;
use crate::wire::varint_len;

/// What the listing says about a field beside its kind.
#[derive(Clone, Copy, Debug)]
pub struct WireSpec {
    /// The field number.
    pub number: u32,
    /// Whether a repeated field of a scalar kind is written packed.
    pub packed: bool,
}

impl WireSpec {
    /// A field without options.
    #[inline(always)]
    pub const fn new(number: u32, syntax: Syntax) -> Self {
        Self { number, packed: matches!(syntax, Syntax::Proto3) }
    }

    /// The option `[packed = ..]`.
    #[inline(always)]
    pub const fn packed(mut self, packed: bool) -> Self {
        self.packed = packed;
        self
    }

    /// The tag as it is written.
    #[inline(always)]
    pub(crate) const fn tag<K: KindMarker>(self) -> u64 {
        (self.number as u64) << 3 | K::WIRE as u64
    }

    /// The bytes of a tag of any wire type.
    #[inline(always)]
    pub(crate) const fn tag_len(self) -> u64 {
        varint_len((self.number as u64) << 3) as u64
    }
}

/// What became of a field that was offered to its member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has been merged; the position is after it.
    Done,
    /// It is not one of this field after all (wire type, or an unknown number of a closed enum); the position is
    /// after its tag, the member as it was.
    Unknown,
    /// It has been merged but for some values, which the input keeps as fields for the unknown fields.
    Strays,
}

/// What merging gives; on an error the position is at the item at fault.
pub type Merged = Result<Outcome, DecodeErrorKind>;
