//! What all files of the room share.

use crate::schema::pool::{DescriptorPool, FieldRef};
use crate::schema::program::{FieldEntry, Program, ProgramSet};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::options::DecodeOptions;
use alloc::vec::Vec;
use core::fmt;

/// A kind of fault and its offset in the input.
pub(crate) type VisitFault = (Kind, usize);

/// A parent of the message that is being visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// The end of the parent.
    pub(super) end: u32,
    /// Where the parent goes on, 0 for the end of the child.
    pub(super) resume: u32,
    /// The program of the parent, and the position of the child's field in it.
    pub(super) program: u32,
    pub(super) field: u16,
    /// The field of the parent that came last.
    pub(super) last: u16,
    /// The end-group tag that ends the parent, 0 if it ends at `end`.
    pub(super) group: u32,
    /// The fields of the parent that came so far, one bit each.
    pub(super) seen: u64,
}

/// What a visit needs.
pub(crate) struct VisitJob<'r, 'i> {
    pub(crate) set: &'r ProgramSet,
    pub(crate) pool: &'r DescriptorPool,
    pub(crate) input: &'i [u8],
    pub(crate) options: DecodeOptions,
    pub(crate) levels: &'r mut Vec<Level>,
}

/// A message to go on with: its content and what ends it.
#[derive(Clone, Copy)]
pub(super) struct VisitedChild {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) group: u32,
    pub(super) resume: usize,
}

/// A visit.
pub(super) struct VisitRun<'s, 'r, 'i, S: ?Sized> {
    pub(super) job: VisitJob<'r, 'i>,
    pub(super) sink: &'s mut S,
    /// The sink wants its fields in order.
    pub(super) ordered: bool,
    /// How many levels may be open.
    pub(super) depth: usize,
    /// A required field may be missing.
    pub(super) missing: bool,
}

impl<S: ?Sized> VisitRun<'_, '_, '_, S> {
    /// How many levels may still open.
    pub(super) fn depth_left(&self) -> u32 {
        self.depth.saturating_sub(self.job.levels.len()) as u32
    }
}

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
