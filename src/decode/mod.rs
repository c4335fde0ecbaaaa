//! Bytes to slab: the run loop, and one file per field shape.
//!
//! [`decode`] runs the program of a message type over a stretch of the byte store and leaves a message in the
//! slab. It does not recurse: parents wait on an explicit stack of 48-byte frames. `fields.rs` is the hot loop, over
//! `window.rs`; `child.rs` has where messages begin and end, `slow.rs` all other fields,
//! `lists.rs`, `packed.rs` and `fixed.rs` the repeated ones and those of fixed shape; `special.rs` everything that real
//! messages rarely have (unknown fields, MessageSet items), `partial.rs` what is not decoded; `required.rs` the check
//! for required fields, `fault.rs` what is said of faults.
//!
//! Invariant: whatever the input, and also when an error ends the decode early, the slab holds a valid message
//! afterwards: presence bits say what was written, map keys are unique, strings that must be UTF-8 are.

mod child;
mod fault;
mod fields;
mod fixed;
mod input;
mod lists;
mod map_entry;
mod message_set;
mod packed;
mod skip;
mod slow;
mod stack;
mod state;
mod undecoded;
mod unknown;
mod window;

pub(crate) use undecoded::{Undecoded, undecoded};

use crate::error::{DecodeError, DecodeErrorKind};
use crate::options::DecodeOptions;
use crate::program::{Program, ProgramSet};
use crate::slab::{MapContext, MapScratch, NIL, RawView, Slab, find_missing};
use crate::wire::MAX_LEN;
use alloc::vec::Vec;
use stack::Stack;
use state::Machine;

/// A parent message that waits for its child to end.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// End of the parent in the store.
    end: u32,
    /// Where the parent goes on, 0 for the end of the child (MessageSet items end later).
    resume: u32,
    /// Body, program and presence bits of the parent.
    base: u32,
    index: u32,
    hasbits: u64,
    /// The end-group tag that ends the parent, 0 if it ends at `end`.
    group: u32,
    /// Start of the child's tag.
    tag_start: u32,
    /// Entry of the child in the parent's program.
    entry: u16,
    /// The child is a map entry.
    map: bool,
    /// The tag of the child, if it is in a list of a dense message and another element may follow; else no tag.
    repeat_tag: u32,
    /// Where that list is.
    slot: u32,
}

impl Frame {
    const NONE: Self = Self {
        end: 0,
        resume: 0,
        base: NIL,
        index: 0,
        hasbits: 0,
        group: 0,
        tag_start: 0,
        entry: 0,
        map: false,
        repeat_tag: u32::MAX,
        slot: 0,
    };
}

/// A map to be settled at the end of the decode.
#[derive(Clone, Copy, Debug)]
struct OpenMap {
    index: u32,
    base: u32,
    entry: u16,
    /// The first entry that may repeat a key.
    fresh: u32,
}

/// The memory a decode needs beside slab and store; reused by the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    stack: Stack,
    maps: Vec<OpenMap>,
    settling: MapScratch,
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self { stack: Stack::new(), maps: Vec::new(), settling: MapScratch::new() }
    }

    /// Gives back the memory.
    pub(crate) fn shrink(&mut self) {
        *self = Self::new();
    }
}

/// What a decode works on.
pub(crate) struct Job<'r, 'i> {
    pub(crate) set: &'r ProgramSet,
    /// The byte store; the input is its tail from `start` on.
    pub(crate) store: &'i [u8],
    pub(crate) start: usize,
    pub(crate) slab: &'r mut Slab,
    pub(crate) scratch: &'r mut Scratch,
    pub(crate) options: &'r DecodeOptions,
}

/// Merges the input into the message of program `index` whose body is at `base`. Required fields are not checked;
/// the result says whether one may be missing.
///
/// # Errors
/// Kind, offset from `start`, and the path as field numbers. What was decoded before the error stays.
pub(crate) fn merge(job: Job<'_, '_>, index: u32, base: u32) -> Result<bool, DecodeError> {
    let program = job.set.program(index);
    let hasbits = job.slab.words().has_bits(program, base);
    merge_into(job, Root { program, index, base, hasbits })
}

/// The message that is decoded into, with its presence bits.
#[derive(Clone, Copy)]
struct Root<'r> {
    program: &'r Program,
    index: u32,
    base: u32,
    hasbits: u64,
}

/// As [`merge`], inlined where messages are made, whose presence bits are zeros.
#[inline(always)]
fn merge_into(job: Job<'_, '_>, root: Root<'_>) -> Result<bool, DecodeError> {
    let Job { set, store, start, .. } = job;
    if store.len() > MAX_LEN {
        return Err(DecodeError::new(DecodeErrorKind::TooLarge, MAX_LEN));
    }
    if root.program.keeps_bytes() && store.len() > start {
        // The message and everything below it are in these bytes.
        if job.slab.add_verbatim(root.base, start as u32, (store.len() - start) as u32).is_err() {
            return Err(DecodeError::new(DecodeErrorKind::BudgetExceeded, 0));
        }
    }
    job.scratch.stack.clear();
    job.scratch.maps.clear();
    let mut tail = window::PaddedTail::EMPTY;
    tail.fill(store);
    let mut machine = Machine::new(job, &tail, root);
    let error = match machine.message() {
        Ok(()) => None,
        Err(fault) => {
            let error = machine.report(fault, start);
            machine.close_maps(fault.offset);
            Some(error)
        }
    };
    let may_miss = machine.may_miss;
    let Machine { slab, scratch, .. } = machine;
    let settled = scratch.maps.is_empty() || settle_maps(set, store, slab, scratch);
    match error {
        Some(error) => Err(error),
        None if !settled => Err(DecodeError::new(DecodeErrorKind::BudgetExceeded, store.len() - start)),
        None => Ok(may_miss),
    }
}

/// Decodes into an empty slab with this much memory; `base` is where the body is then, also after an error: [`NIL`] if
/// there is none. The result says whether a required field may be missing.
///
/// A slab that grows is copied, and the old and the new one both count. When that is what the memory is used up
/// by, the decode starts over with all of it at once, so that messages may be twice as large. Whether a message fits
/// therefore depends on the message alone, and not on what the slab held before.
///
/// # Errors
/// As [`merge`].
pub(crate) fn fresh(
    job: Job<'_, '_>,
    index: u32,
    budget: usize,
    base: &mut u32,
) -> Result<bool, DecodeError> {
    let Job { set, store, start, slab, scratch, options } = job;
    slab.clear();
    let program = set.program(index);
    loop {
        slab.set_limit(slab_share(budget));
        scratch.stack.pay_again();
        *base = NIL;
        *base = match slab.alloc_body(program) {
            Ok(body) => body,
            Err(_) => return Err(DecodeError::new(DecodeErrorKind::BudgetExceeded, 0)),
        };
        let job = Job { set, store, start, slab: &mut *slab, scratch: &mut *scratch, options };
        match merge_into(job, Root { program, index, base: *base, hasbits: 0 }) {
            Err(error)
                if error.kind() == DecodeErrorKind::BudgetExceeded && start_over(slab, budget, base) => {}
            result => return result,
        }
    }
}

/// Empties the slab and gives it all of a budget at once; false if it has that already, or if there is not so much memory,
/// and then there is no body either.
#[cold]
pub(crate) fn start_over(slab: &mut Slab, budget: usize, base: &mut u32) -> bool {
    slab.set_limit(slab_share(budget));
    match slab.start_over() {
        Ok(has_more) => has_more,
        Err(_) => {
            *base = NIL;
            false
        }
    }
}

/// What a slab may take of a budget; the rest is for maps being settled, and for errors.
pub(crate) const fn slab_share(budget: usize) -> usize {
    budget - budget / 16
}

/// Decodes the whole store into an empty slab and checks required fields.
///
/// # Errors
/// As [`merge`], and `MissingRequired`.
pub(crate) fn decode<'a, 'i>(job: Job<'a, 'i>, index: u32) -> Result<RawView<'a, 'i>, DecodeError> {
    let Job { set, store, start, slab, scratch, options } = job;
    let budget = options.budget_for(store.len());
    let mut base = NIL;
    let may_miss = fresh(Job { set, store, start, slab, scratch, options }, index, budget, &mut base)?;
    let view = RawView { words: slab.words(), store, set, index, base };
    if may_miss && !options.allows_partial() {
        check_required(view, store.len() - start)?;
    }
    Ok(view)
}

/// # Errors
/// `MissingRequired` at `end`, the offset where the message ended without the field; `OutOfMemory`.
pub(crate) fn check_required(view: RawView<'_, '_>, end: usize) -> Result<(), DecodeError> {
    match find_missing(view) {
        Ok(None) => Ok(()),
        Ok(Some(missing)) => {
            Err(DecodeError::new(DecodeErrorKind::MissingRequired, end).with_path(missing.path()))
        }
        Err(_) => Err(DecodeError::new(DecodeErrorKind::OutOfMemory, end)),
    }
}

/// Decodes with memory of its own: for schemas that describe themselves.
///
/// # Errors
/// As [`decode`].
pub(crate) fn decode_raw<'a, 'i>(
    set: &'a ProgramSet,
    index: u32,
    input: &'i [u8],
    slab: &'a mut Slab,
    options: &DecodeOptions,
) -> Result<RawView<'a, 'i>, DecodeError> {
    let mut scratch = Scratch::new();
    let base = {
        let job = Job { set, store: input, start: 0, slab, scratch: &mut scratch, options };
        decode(job, index)?.base
    };
    Ok(RawView { words: slab.words(), store: input, set, index, base })
}

/// Makes the keys of all maps touched unique; false if there was not the memory. Keys are unique in any case.
#[inline(never)]
fn settle_maps(set: &ProgramSet, store: &[u8], slab: &mut Slab, scratch: &mut Scratch) -> bool {
    let mut all = true;
    let Scratch { maps, settling, .. } = scratch;
    for map in maps.drain(..) {
        let view = RawView { words: slab.words(), store, set, index: map.index, base: map.base };
        let index = map.entry as usize;
        let Some(entry) = set.program(map.index).entries().get(index) else { continue };
        let Some(slot) = view.slot(index, entry) else { continue };
        all &= slab.map_settle(MapContext { store, set }, entry, slot, map.fresh, settling).is_ok();
    }
    all
}

#[cfg(test)]
mod exhaustive;
#[cfg(test)]
mod tests;
