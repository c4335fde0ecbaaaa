//! Number and options of a field, and the result of a merge.

use super::kinds::KindMarker;
use crate::schema::table::Syntax;
use crate::wire::error::DecodeErrorKind;
use crate::wire::varint_len;

/// Number and options of a listed field.
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

    /// The tag, as a varint.
    #[inline(always)]
    pub(crate) const fn tag<K: KindMarker>(self) -> u64 {
        (self.number as u64) << 3 | K::WIRE as u64
    }

    /// The length of the tag; it does not depend on the wire type.
    #[inline(always)]
    pub(crate) const fn tag_len(self) -> u64 {
        varint_len((self.number as u64) << 3) as u64
    }
}

/// The result of merging a field into its member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The field was merged. The position is after it.
    Done,
    /// The field is unknown: another wire type, or an unlisted number of a closed enum. The position is after the tag, and
    /// the member is unchanged.
    Unknown,
    /// The field was merged, except for unlisted values of a closed enum, which the input has stored as unknown fields.
    Strays,
}

/// The outcome of a merge. After an error the position is the offset of the fault.
pub type Merged = Result<Outcome, DecodeErrorKind>;
