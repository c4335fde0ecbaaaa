//! What all parts of a decode work on: the decode itself, the innermost message, a field or child of it, and what to do next.

use super::window::{PaddedStore, PaddedTail};
use super::{Job, Root, Scratch};
use crate::error::DecodeErrorKind as Kind;
use crate::options::DecodeOptions;
use crate::program::{Entry, Program, ProgramSet};
use crate::slab::{Full, Slab};

/// A decode in progress.
pub(super) struct Machine<'r, 'b> {
    pub(super) set: &'r ProgramSet,
    /// The store.
    pub(super) buf: &'b [u8],
    pub(super) source: PaddedStore<'b>,
    pub(super) slab: &'r mut Slab,
    pub(super) scratch: &'r mut Scratch,
    pub(super) options: &'r DecodeOptions,
    /// A message ended without one of its required fields; a later occurrence may still bring it.
    pub(super) may_miss: bool,
    /// The map entry being decoded has a value that its closed enum does not list.
    pub(super) entry_unknown: bool,
    pub(super) open: OpenMessage<'r>,
    /// Where the content of the group that ended last ends, as an offset in the store.
    pub(super) group_end: usize,
    /// Why the loop stops.
    pub(super) fault: Fault,
}

/// The innermost message. The loop has a copy of what it needs for each field.
#[derive(Clone, Copy)]
pub(super) struct OpenMessage<'r> {
    pub(super) program: &'r Program,
    /// Where the loop is; a position of the source, as is the end of the message.
    pub(super) pos: usize,
    pub(super) end: usize,
    /// Presence bits, of a dense message.
    pub(super) hasbits: u64,
    pub(super) index: u32,
    pub(super) base: u32,
    /// The end-group tag that ends the message, or 0.
    pub(super) group: u32,
    /// An item of it begins here, and all before it are right; an offset in the store.
    pub(super) from: usize,
}

/// What went wrong, where in the store, and in which field if it got so far.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    pub(super) kind: Kind,
    pub(super) offset: usize,
    pub(super) entry: Option<u16>,
}

/// A result, or what went wrong and its offset in the store.
pub(super) type Located<T> = Result<T, (Kind, usize)>;

/// What to do after a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Continue,
    /// The outermost message has ended.
    Done,
    /// There is a fault.
    Fault,
}

/// A field of the innermost message; offsets in the store.
#[derive(Clone, Copy)]
pub(super) struct FieldStart<'p> {
    pub(super) program: &'p Program,
    pub(super) tag: u32,
    /// Start and end of the tag.
    pub(super) tag_start: usize,
    pub(super) value_start: usize,
    /// The end of the message.
    pub(super) end: usize,
}

/// A sub-message about to be entered; positions of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) start: usize,
    /// End of the child; of the parent, for groups.
    pub(super) end: usize,
    /// The end-group tag that ends the child, 0 if it ends at `end`.
    pub(super) group: u32,
    /// Where the parent goes on, as an offset in the store; 0 for the end of the child.
    pub(super) resume: usize,
}

impl<'r, 'b> Machine<'r, 'b> {
    /// A decode into a body.
    #[inline(always)]
    pub(super) fn new(job: Job<'r, 'b>, tail: &'b PaddedTail, root: Root<'r>) -> Self {
        let Job { set, store, start, slab, scratch, options } = job;
        let Root { program, index, base, hasbits } = root;
        let open = OpenMessage {
            program,
            pos: start,
            end: store.len(),
            hasbits,
            index,
            base,
            group: 0,
            from: start,
        };
        let fault = Fault { kind: Kind::Incomplete, offset: 0, entry: None };
        let source = PaddedStore::new(store, tail);
        let (may_miss, entry_unknown) = (false, false);
        Self {
            set,
            buf: store,
            source,
            slab,
            scratch,
            options,
            may_miss,
            entry_unknown,
            open,
            group_end: 0,
            fault,
        }
    }
}

/// Presence bits of a map entry that has its key and its value.
pub(super) const MAP_ENTRY: u64 = 3;

/// Marks a field as set: its slot, and whether it was unset before.
#[inline(always)]
pub(super) fn mark_set(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    hasbits: &mut u64,
    entry: &Entry,
) -> Result<(u32, bool), Full> {
    let bit = 1u64 << (entry.bit & 63);
    let fresh = *hasbits & bit == 0;
    if entry.flags.is_special() {
        if program.is_wide() {
            return slab.wide_slot(program, base, entry.slot as usize);
        }
        *hasbits &= !program.oneof_mask(entry.oneof);
    }
    *hasbits |= bit;
    Ok((base + entry.slot as u32, fresh))
}

/// As `touch`, for a list: a fresh one is empty.
#[inline(always)]
pub(super) fn mark_list_set(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    hasbits: &mut u64,
    entry: &Entry,
) -> Result<u32, Full> {
    let (slot, fresh) = mark_set(slab, program, base, hasbits, entry)?;
    if fresh {
        slab.set64(slot, 0);
    }
    Ok(slot)
}
