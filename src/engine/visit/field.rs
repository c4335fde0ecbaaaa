//! [`Field`].

use crate::schema::pool::{DescriptorPool, FieldRef};
use crate::schema::program::{FieldEntry, Program};
use core::fmt;

/// A field of the message that is being visited; `Copy`. What it says costs nothing until it is asked for.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    pool: &'a DescriptorPool,
    program: &'a Program,
    entry: &'a FieldEntry,
}

impl<'a> Field<'a> {
    #[inline(always)]
    pub(super) fn new(pool: &'a DescriptorPool, program: &'a Program, entry: &'a FieldEntry) -> Self {
        Self { pool, program, entry }
    }

    pub(super) fn program(&self) -> &'a Program {
        self.program
    }

    /// The field number.
    #[inline(always)]
    #[must_use]
    pub fn number(&self) -> u32 {
        self.entry.number()
    }

    /// The position of the field among those of its message and the extensions of it, in the order of their numbers: an index
    /// for a table of the sink's own.
    #[inline(always)]
    #[must_use]
    pub fn index(&self) -> usize {
        self.program.position(self.entry)
    }

    /// Whether the field has more than one value: a list or a map.
    #[inline(always)]
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        self.entry.flags.is_list()
    }

    /// Whether it is a map, whose entries are visited as messages.
    #[inline(always)]
    #[must_use]
    pub fn is_map(&self) -> bool {
        self.entry.flags.is_map()
    }

    /// The descriptor of the field.
    #[inline]
    #[must_use]
    pub fn descriptor(&self) -> FieldRef<'a> {
        let position = self.index();
        let field = self.program.field_of(position) as u16;
        FieldRef::at(self.pool, self.program.message(), field, position as u16)
    }
}

impl fmt::Debug for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.descriptor().full_name()).finish()
    }
}
