//! Number and options of a field.

use super::kinds::KindMarker;
use crate::schema::table::Syntax;
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
