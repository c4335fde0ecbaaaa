//! What all files of the room share.

use crate::schema::pool::DescriptorPool;
use crate::schema::program::ProgramSet;
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::options::DecodeOptions;
use alloc::vec::Vec;

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
