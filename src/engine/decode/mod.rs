//! Bytes to slab.
//!
//! [`decode`] runs the program of a message type over the end of the byte store and leaves a message in the slab. Parents
//! are on an explicit stack of 48-byte frames; it recurses in small messages only.
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
//! Messages without messages, in a field or a list, and small messages of messages and lists are decoded without a frame (`leaf.rs`). A message of
//! up to 256 bytes is first decoded in that way itself, without the machine ([`decode_fresh`]); the machine decodes what is left.
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

use crate::engine::slab::{BodyRef, MapContext, NIL, RawView, Slab, find_missing};
use crate::schema::program::ProgramSet;
use crate::wire::MAX_LEN;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::options::DecodeOptions;
use leaf::Beyond;
use machine::state::{Context, Machine, OpenMessage, Stack};
use machine::window::Source;

/// Up to this many bytes, [`decode_fresh`] tries to decode a message without the machine: 1.06 to 1.2x at 190 bytes.
const SMALL: usize = 256;

/// A parent of the innermost message, on the stack.
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
    /// The whole byte store: strings of the message may be anywhere in it.
    pub(crate) store: &'i [u8],
    /// The input, a part of the store.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) slab: &'r mut Slab,
    pub(crate) scratch: &'r mut Scratch,
    pub(crate) options: &'r DecodeOptions,
}

/// What a decode leaves beside the slab, also after an error. It is not part of the `Result`, so that a `Result` fits in two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The offset of the body; [`NIL`] without a body.
    pub(crate) base: u32,
    /// A required field may be missing.
    pub(crate) may_miss: bool,
}

impl Outcome {
    pub(crate) const NONE: Self = Self { base: NIL, may_miss: false };
}

/// Merges the input into a message. Required fields are not checked; true if one may be missing.
///
/// # Errors
/// Kind, offset from `start`, and the path as field numbers. What was decoded before the error stays in the message.
pub(crate) fn merge(mut job: Job<'_, '_>, body: BodyRef) -> Result<bool, DecodeError> {
    let mut outcome = Outcome { base: body.base, may_miss: false };
    let hasbits = job.slab.words().hasbits(job.set.program(body.program), body.base);
    let pos = job.start;
    job.decode_from(body.program, pos, hasbits, &mut outcome)?;
    Ok(outcome.may_miss)
}

impl<'r, 'i> Job<'r, 'i> {
    /// A decode of a whole store.
    #[inline(always)]
    pub(crate) fn whole(
        set: &'r ProgramSet,
        store: &'i [u8],
        slab: &'r mut Slab,
        scratch: &'r mut Scratch,
        options: &'r DecodeOptions,
    ) -> Self {
        Self { set, store, start: 0, end: store.len(), slab, scratch, options }
    }

    #[inline(always)]
    fn context(&self) -> Context<'r, 'i> {
        let deepest = self.options.depth_limit() as usize;
        Context { set: self.set, source: Source::new(self.store), options: self.options, deepest }
    }

    /// Decodes what is left of the outermost message from `pos` on. Scalars, not the message: a copy of what was just written is read by wide loads,
    /// which wait for the stores.
    #[inline(never)]
    fn decode_from(
        &mut self,
        index: u32,
        pos: usize,
        hasbits: u64,
        outcome: &mut Outcome,
    ) -> Result<(), DecodeError> {
        let Self { set, store, start, end, .. } = *self;
        let context = self.context();
        let (program, body) = (set.program(index), BodyRef { program: index, base: outcome.base });
        if store.len() > MAX_LEN {
            return Err(DecodeError::new(DecodeErrorKind::TooLarge, MAX_LEN));
        }
        if program.keeps_bytes() && end > start {
            // The program does not decode all fields, so the message keeps its bytes, those of its sub-messages included.
            let kept = self.slab.add_verbatim(body.base, start as u32, (end - start) as u32);
            kept.map_err(|full| DecodeError::new(full.into(), 0))?;
        }
        self.scratch.stack.clear();
        let open = OpenMessage { program, pos, end, hasbits, body, group: 0, from: start };
        let mut machine = Machine::new(context, self.slab, self.scratch, open);
        let error = match machine.message() {
            Ok(()) => None,
            Err(fault) => {
                let error = machine.report(fault, start);
                machine.close_maps(fault.offset);
                Some(error)
            }
        };
        outcome.may_miss = machine.may_miss;
        let settled = match machine.slab.has_maps_to_settle() {
            true => machine.slab.settle_maps(MapContext { store, set }),
            false => Ok(()),
        };
        match (error, settled) {
            (Some(error), _) => Err(error),
            (None, Err(full)) => Err(DecodeError::new(full.into(), end - start)),
            (None, Ok(())) => {
                #[cfg(tablepb_poison)]
                crate::engine::slab::check_strings(RawView { words: machine.slab.words(), store, set, body });
                Ok(())
            }
        }
    }
}

/// Decodes into an empty slab with a budget in bytes.
///
/// While a slab grows, the old and the new block both count. If the budget runs out, the slab takes all of it at once
/// and the decode starts over. So the largest message does not depend on what the slab held before, and is twice as
/// large as without that.
///
/// # Errors
/// As [`merge`].
#[inline(always)]
pub(crate) fn decode_fresh(
    job: &mut Job<'_, '_>,
    index: u32,
    budget: usize,
    outcome: &mut Outcome,
) -> Result<(), DecodeError> {
    job.slab.clear();
    job.slab.set_limit(slab_share(budget));
    *outcome = Outcome::NONE;
    let program = job.set.program(index);
    // A small message needs no stack and no second try, if there is room for its body.
    if job.end - job.start <= SMALL
        && !program.keeps_bytes()
        && let Some(base) = job.slab.try_body(program)
    {
        let body = BodyRef { program: index, base };
        let mut root = OpenMessage::begun(program, body, job.start, job.end);
        let decoded = root.whole(&job.context().of_trees(0), 0, job.slab);
        outcome.base = base;
        match decoded {
            Beyond::Decoded if root.end_plainly(job.slab) => {
                #[cfg(tablepb_poison)]
                crate::engine::slab::check_strings(RawView {
                    words: job.slab.words(),
                    store: job.store,
                    set: job.set,
                    body,
                });
                return Ok(());
            }
            Beyond::Partly => (outcome.base, _) = (NIL, job.slab.clear()),
            _ => return decode_in_full(job, index, budget, (root.pos, root.hasbits), outcome),
        }
    }
    decode_in_full(job, index, budget, (job.start, 0), outcome)
}

/// As [`decode_fresh`], after that got as far as `begun`, offset and hasbits, if it made a body.
#[inline(never)]
fn decode_in_full(
    job: &mut Job<'_, '_>,
    index: u32,
    budget: usize,
    begun: (usize, u64),
    outcome: &mut Outcome,
) -> Result<(), DecodeError> {
    let (mut pos, mut hasbits) = begun;
    job.scratch.stack.pay_again();
    loop {
        let mut result = Ok(());
        if outcome.base == NIL {
            match job.slab.alloc_body(job.set.program(index)) {
                Ok(base) => outcome.base = base,
                Err(full) => result = Err(DecodeError::new(full.into(), 0)),
            }
        }
        match result.and_then(|()| job.decode_from(index, pos, hasbits, outcome)) {
            Err(error)
                if error.kind() == DecodeErrorKind::BudgetExceeded
                    && start_over(job.slab, job.scratch, budget, &mut outcome.base) =>
            {
                job.scratch.stack.pay_again();
                *outcome = Outcome::NONE;
                (pos, hasbits) = (job.start, 0);
            }
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

/// Decodes the input into an empty slab with a budget in bytes, and checks required fields.
///
/// # Errors
/// As [`merge`], and `MissingRequired`.
#[inline(always)]
pub(crate) fn decode<'a, 'i>(
    job: Job<'a, 'i>,
    index: u32,
    budget: usize,
) -> Result<RawView<'a, 'i>, DecodeError> {
    let (mut job, mut outcome) = (job, Outcome::NONE);
    decode_fresh(&mut job, index, budget, &mut outcome)?;
    let Job { set, store, start, end, slab, options, .. } = job;
    let Outcome { base, may_miss } = outcome;
    let view = RawView { words: slab.words(), store, set, body: BodyRef { program: index, base } };
    if may_miss && !options.allows_partial() {
        check_required(view, end - start)?;
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
        let job = Job::whole(set, input, slab, &mut scratch, options);
        decode(job, index, options.budget_for(input.len()))?.body
    };
    Ok(RawView { words: slab.words(), store: input, set, body })
}

#[cfg(test)]
mod tests;
