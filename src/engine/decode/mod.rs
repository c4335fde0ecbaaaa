//! Bytes to slab.
//!
//! [`decode`] runs the program of a message type over the end of the byte store and leaves a message in the slab. It
//! does not recurse: parents are on an explicit stack of 48-byte frames.
//!
//! ```text
//! decode:
//!     loop:                                   # fields.rs, `Machine::message`
//!         match fields():                     # fields.rs, the field loop: numbers, strings, small messages
//!             Leave -> leave()                # child.rs: the end of a message
//!             Enter -> enter()                # child.rs: the start of a sub-message
//!             Slow  -> slow_field()           # slow.rs: every other field
//!             Fault -> return                 # machine/state.rs makes an error of it
//! ```
//!
//! Messages without messages, in a field or a list, are decoded by a second instance of the field loop, without a frame (`leaf.rs`).
//!
//! Below the loop: `machine/state.rs` has the state that all files share and its frames, `window.rs` and `input.rs` the reads.
//! `lists.rs` (packed runs included) and `fixed.rs` decode the shapes of fields that their names say; `rare.rs` does unknown fields, map
//! entries, MessageSets and what is skipped. `slow.rs` also finds again what a projection skipped, `child.rs` how deep it is nested.
//!
//! Invariant: whatever the input is, and also after an error, the slab holds a valid message. Hasbits say what was
//! written, map keys are unique, and strings that must be UTF-8 are.

pub(crate) mod machine;
pub(crate) mod rare;

mod child;
mod fields;
mod fixed;
mod leaf;
mod lists;
mod slow;

pub(crate) use child::levels;
pub(crate) use lists::same_tag;
pub(crate) use slow::{Undecoded, undecoded};

use crate::engine::slab::{BodyRef, Full, MapContext, NIL, RawView, Slab, find_missing};
use crate::schema::program::{Program, ProgramSet};
use crate::wire::MAX_LEN;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::options::DecodeOptions;
use machine::state::{Machine, Stack};

/// A parent of the innermost message, on the stack. Offsets, no positions, so that it outlives the switch to the padded
/// tail.
#[derive(Clone, Copy, Debug)]
struct ParentFrame {
    /// End of the parent in the store.
    end: u32,
    /// Where the parent continues, 0 for the end of the child. (A MessageSet item ends after its payload.)
    resume: u32,
    /// The parent and its hasbits.
    body: BodyRef,
    hasbits: u64,
    /// The end-group tag that ends the parent, 0 if it ends at `end`.
    group: u32,
    /// Start of the child's tag.
    tag_start: u32,
    /// Position of the field of the child in the program of the parent.
    entry: u16,
    /// The child is a map entry.
    map: bool,
    /// The tag of the child, if it is an element of a list; otherwise not a tag. If the same tag follows the child,
    /// `next_element` appends to the list without a look at the parent.
    repeat_tag: u32,
    /// The slot of that list.
    slot: u32,
}

impl ParentFrame {
    const NONE: Self = Self {
        end: 0,
        resume: 0,
        body: BodyRef::NONE,
        hasbits: 0,
        group: 0,
        tag_start: 0,
        entry: 0,
        map: false,
        repeat_tag: u32::MAX,
        slot: 0,
    };
}

/// The memory of a decode beside slab and store, kept for the next decode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    stack: Stack,
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self { stack: Stack::new() }
    }

    /// Bytes allocated.
    pub(crate) fn capacity(&self) -> usize {
        self.stack.allocated()
    }

    /// Frees the memory.
    pub(crate) fn shrink(&mut self) {
        *self = Self::new();
    }
}

/// The arguments of a decode.
pub(crate) struct Job<'r, 'i> {
    pub(crate) set: &'r ProgramSet,
    /// The byte store; the input is what follows `start`.
    pub(crate) store: &'i [u8],
    pub(crate) start: usize,
    pub(crate) slab: &'r mut Slab,
    pub(crate) scratch: &'r mut Scratch,
    pub(crate) options: &'r DecodeOptions,
}

/// Merges the input into a message. Required fields are not checked; true if one may be missing.
///
/// # Errors
/// Kind, offset from `start`, and the path as field numbers. What was decoded before the error stays in the message.
pub(crate) fn merge(job: Job<'_, '_>, body: BodyRef) -> Result<bool, DecodeError> {
    let program = job.set.program(body.program);
    let hasbits = job.slab.words().hasbits(program, body.base);
    merge_into(job, Root { program, body, hasbits })
}

/// The outermost message and its hasbits.
#[derive(Clone, Copy)]
struct Root<'r> {
    program: &'r Program,
    body: BodyRef,
    hasbits: u64,
}

/// As [`merge`]. Inlined, because a new message has no hasbits, and the compiler uses that.
#[inline(always)]
fn merge_into(job: Job<'_, '_>, root: Root<'_>) -> Result<bool, DecodeError> {
    let Job { set, store, start, .. } = job;
    if store.len() > MAX_LEN {
        return Err(DecodeError::new(DecodeErrorKind::TooLarge, MAX_LEN));
    }
    if root.program.keeps_bytes() && store.len() > start {
        // The program does not decode all fields, so the message keeps its bytes, those of its sub-messages included.
        let kept = job.slab.add_verbatim(root.body.base, start as u32, (store.len() - start) as u32);
        kept.map_err(|full| DecodeError::new(full.into(), 0))?;
    }
    job.scratch.stack.clear();
    let mut tail = machine::window::PaddedTail::EMPTY;
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
    let settled = match machine.slab.has_maps_to_settle() {
        true => machine.slab.settle_maps(MapContext { store, set }),
        false => Ok(()),
    };
    match (error, settled) {
        (Some(error), _) => Err(error),
        (None, Err(full)) => Err(DecodeError::new(full.into(), store.len() - start)),
        (None, Ok(())) => {
            #[cfg(tablepb_poison)]
            crate::engine::slab::check_strings(RawView {
                words: machine.slab.words(),
                store,
                set,
                body: root.body,
            });
            Ok(may_miss)
        }
    }
}

/// Decodes into an empty slab with a budget in bytes. True if a required field may be missing. `base` receives the
/// offset of the body, also after an error; [`NIL`] if there is no body.
///
/// While a slab grows, the old and the new block both count. If the budget runs out, the slab takes all of it at once
/// and the decode starts over. So the largest message does not depend on what the slab held before, and is twice as
/// large as without that.
///
/// # Errors
/// As [`merge`].
pub(crate) fn decode_fresh(
    job: Job<'_, '_>,
    index: u32,
    budget: usize,
    base: &mut u32,
) -> Result<bool, DecodeError> {
    let Job { set, store, start, slab, scratch, options } = job;
    slab.clear();
    slab.set_limit(slab_share(budget));
    let program = set.program(index);
    loop {
        scratch.stack.pay_again();
        *base = NIL;
        *base = match slab.alloc_body(program) {
            Ok(body) => body,
            Err(Full::Limit) if start_over(slab, scratch, budget, base) => continue,
            Err(full) => return Err(DecodeError::new(full.into(), 0)),
        };
        let job = Job { set, store, start, slab: &mut *slab, scratch: &mut *scratch, options };
        let body = BodyRef { program: index, base: *base };
        match merge_into(job, Root { program, body, hasbits: 0 }) {
            Err(error)
                if error.kind() == DecodeErrorKind::BudgetExceeded
                    && start_over(slab, scratch, budget, base) => {}
            result => return result,
        }
    }
}

/// Empties the slab and gives it all of a budget at once, but for what the stack took. False if it has that already, or if the allocation
/// fails; then there is no body either.
#[cold]
pub(crate) fn start_over(slab: &mut Slab, scratch: &mut Scratch, budget: usize, base: &mut u32) -> bool {
    scratch.shrink();
    match slab.start_over(slab_share(budget)) {
        Ok(has_more) => has_more,
        Err(_) => {
            *base = NIL;
            false
        }
    }
}

/// The part of a budget that a slab may take. The rest is for errors.
pub(crate) const fn slab_share(budget: usize) -> usize {
    budget - budget / 16
}

/// Decodes the whole store into an empty slab with a budget in bytes, and checks required fields.
///
/// # Errors
/// As [`merge`], and `MissingRequired`.
pub(crate) fn decode<'a, 'i>(
    job: Job<'a, 'i>,
    index: u32,
    budget: usize,
) -> Result<RawView<'a, 'i>, DecodeError> {
    let Job { set, store, start, slab, scratch, options } = job;
    let mut base = NIL;
    let may_miss = decode_fresh(Job { set, store, start, slab, scratch, options }, index, budget, &mut base)?;
    let view = RawView { words: slab.words(), store, set, body: BodyRef { program: index, base } };
    if may_miss && !options.allows_partial() {
        check_required(view, store.len() - start)?;
    }
    Ok(view)
}

/// # Errors
/// `MissingRequired` at `end`, where the message ended without the field, and `OutOfMemory`.
pub(crate) fn check_required(view: RawView<'_, '_>, end: usize) -> Result<(), DecodeError> {
    match find_missing(view) {
        Ok(None) => Ok(()),
        Ok(Some(missing)) => {
            Err(DecodeError::new(DecodeErrorKind::MissingRequired, end).with_path(missing.path()))
        }
        Err(_) => Err(DecodeError::new(DecodeErrorKind::OutOfMemory, end)),
    }
}

/// Decodes with a stack of its own, for tests.
///
/// # Errors
/// As [`decode`].
#[cfg(test)]
pub(crate) fn decode_raw<'a, 'i>(
    set: &'a ProgramSet,
    index: u32,
    input: &'i [u8],
    slab: &'a mut Slab,
    options: &DecodeOptions,
) -> Result<RawView<'a, 'i>, DecodeError> {
    let mut scratch = Scratch::new();
    let body = {
        let job = Job { set, store: input, start: 0, slab, scratch: &mut scratch, options };
        decode(job, index, options.budget_for(input.len()))?.body
    };
    Ok(RawView { words: slab.words(), store: input, set, body })
}

#[cfg(test)]
mod exhaustive;
#[cfg(test)]
mod tests;
