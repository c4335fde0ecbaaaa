//! The state that all files of the decoder share, from the decode itself down to one field.
//!
//! Two kinds of numbers say where something is: an *offset* counts from the start of the store, a *position* from the
//! start of what the field loop reads at the moment (`window.rs`). An offset is a position plus `PaddedStore::origin`.

use super::window::{PaddedStore, PaddedTail};
use crate::engine::decode::{Job, Root, Scratch};
use crate::engine::slab::{BodyRef, Full, Slab};
use crate::schema::program::{FieldEntry, Program, ProgramSet};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::options::DecodeOptions;

/// A decode in progress.
pub(in crate::engine::decode) struct Machine<'r, 'b> {
    pub(in crate::engine::decode) set: &'r ProgramSet,
    /// The store, for reads by offset.
    pub(in crate::engine::decode) buf: &'b [u8],
    /// The store, for reads by position.
    pub(in crate::engine::decode) source: PaddedStore<'b>,
    pub(in crate::engine::decode) slab: &'r mut Slab,
    pub(in crate::engine::decode) scratch: &'r mut Scratch,
    pub(in crate::engine::decode) options: &'r DecodeOptions,
    /// Some message ended without a required field. A later occurrence of it may still bring the field.
    pub(in crate::engine::decode) may_miss: bool,
    /// The current map entry has a value that its closed enum does not list.
    pub(in crate::engine::decode) entry_unknown: bool,
    pub(in crate::engine::decode) open: OpenMessage<'r>,
    /// The offset where the content of the last group ended.
    pub(in crate::engine::decode) group_end: usize,
    /// Why the loop stopped; valid after `Next::Fault`.
    pub(in crate::engine::decode) fault: Fault,
}

/// The innermost message. The field loop copies what it needs into local variables.
#[derive(Clone, Copy)]
pub(in crate::engine::decode) struct OpenMessage<'r> {
    pub(in crate::engine::decode) program: &'r Program,
    /// Position of the next tag.
    pub(in crate::engine::decode) pos: usize,
    /// Position where the message ends; for a group, where its parent ends.
    pub(in crate::engine::decode) end: usize,
    /// The hasbits, unless the message is wide.
    pub(in crate::engine::decode) hasbits: u64,
    pub(in crate::engine::decode) body: BodyRef,
    /// The end-group tag that ends the message, 0 if it ends at `end`.
    pub(in crate::engine::decode) group: u32,
    /// The offset of some field of the message; all fields before it were decoded without a fault.
    pub(in crate::engine::decode) from: usize,
}

/// What went wrong, its offset, and the entry of the field if it is known.
#[derive(Clone, Copy)]
pub(in crate::engine::decode) struct Fault {
    pub(in crate::engine::decode) kind: Kind,
    pub(in crate::engine::decode) offset: usize,
    pub(in crate::engine::decode) entry: Option<u16>,
}

/// A result, or the kind of a fault and its offset.
pub(in crate::engine::decode) type Located<T> = Result<T, (Kind, usize)>;

/// What the loop does after a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::decode) enum Next {
    /// It decodes the fields of the innermost message.
    Continue,
    /// It returns: the outermost message has ended.
    Done,
    /// It returns the fault of the machine.
    Fault,
}

/// A field of the innermost message whose tag has been read. All numbers are offsets.
#[derive(Clone, Copy)]
pub(in crate::engine::decode) struct FieldStart<'p> {
    pub(in crate::engine::decode) program: &'p Program,
    pub(in crate::engine::decode) tag: u32,
    pub(in crate::engine::decode) tag_start: usize,
    /// After the tag; for length-delimited fields, the length prefix is there.
    pub(in crate::engine::decode) value_start: usize,
    /// The end of the message.
    pub(in crate::engine::decode) end: usize,
}

/// The content of a sub-message that is about to be entered, by positions.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::decode) struct Child {
    pub(in crate::engine::decode) start: usize,
    /// The end of the child; for a group, the end of its parent.
    pub(in crate::engine::decode) end: usize,
    /// The end-group tag that ends the child, 0 if it ends at `end`.
    pub(in crate::engine::decode) group: u32,
    /// The offset where the parent continues, 0 if that is the end of the child.
    pub(in crate::engine::decode) resume: usize,
}

impl<'r, 'b> Machine<'r, 'b> {
    #[inline(always)]
    pub(in crate::engine::decode) fn new(job: Job<'r, 'b>, tail: &'b PaddedTail, root: Root<'r>) -> Self {
        let Job { set, store, start, slab, scratch, options } = job;
        let Root { program, body, hasbits } = root;
        let open =
            OpenMessage { program, pos: start, end: store.len(), hasbits, body, group: 0, from: start };
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

/// The hasbits of a map entry with a key and a value.
pub(in crate::engine::decode) const MAP_ENTRY: u64 = 3;

/// Sets the hasbit of a field and clears those of its oneof: the slot of the field, and whether it was not set before.
#[inline(always)]
pub(in crate::engine::decode) fn mark_set(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    hasbits: &mut u64,
    entry: &FieldEntry,
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

/// As [`mark_set`], for a list, which is empty if it was not set before.
#[inline(always)]
pub(in crate::engine::decode) fn mark_list_set(
    slab: &mut Slab,
    program: &Program,
    base: u32,
    hasbits: &mut u64,
    entry: &FieldEntry,
) -> Result<u32, Full> {
    let (slot, fresh) = mark_set(slab, program, base, hasbits, entry)?;
    if fresh {
        // A slot means nothing while its hasbit is clear: an older message may have left words there.
        slab.set64(slot, 0);
    }
    Ok(slot)
}
