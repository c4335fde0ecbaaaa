//! Where a message stands in a slab.

use super::NIL;
use crate::schema::program::FieldEntry;

/// A message in a slab: the offset of its body, and the program that describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyRef {
    /// Index of the program in its set.
    pub(crate) program: u32,
    /// Word offset of the body.
    pub(crate) base: u32,
}

impl BodyRef {
    /// No message: the empty body, with the first program of the set.
    pub(crate) const NONE: Self = Self { program: 0, base: NIL };

    /// The message at `base` that is the value, an element or an entry of this field.
    #[inline(always)]
    pub(crate) fn of(field: &FieldEntry, base: u32) -> Self {
        Self { program: field.sub, base }
    }
}
