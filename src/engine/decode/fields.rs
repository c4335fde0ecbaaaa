//! The field loop: decodes numbers, strings and small messages until something else comes.
//!
//! ```text
//! loop:
//!     window = 24 bytes at pos                       else break Leave (end of message, or of the store's front part)
//!     (tag, len) = varint in window
//!     entry = program[field number]                  else break Slow (unknown field)
//!     if entry.tag != tag: break Slow                (end of group, other wire type, unpacked list)
//!     match entry.op:
//!         number:   value = varint or fixed at window[len..]; store it in the slot
//!         string:   check bounds and UTF-8;           store (offset, length) in the slot
//!         message:  break Enter(start, end)          (fixed shape: load it here)
//!         _:        break Slow
//!     set the hasbit of the entry; clear those of the other members of its oneof
//!     pos = end of the value
//! ```
//!
//! Preconditions, and what each allows:
//! - A program is checked when it is made: its sub-programs exist, and its slots lie inside the body. The loop does not
//!   check them again.
//! - `pos` is below the limit of the store, so 24 bytes can be read there (`window.rs`). Reads inside the window have no
//!   bounds checks. They may cross the end of the message; the next round finds `pos > end`.
//! - The message is dense: at most 64 hasbits, all in one register. A wide message has `Op::Wide` in every entry and is
//!   decoded by the slow path.
//! - `hasbits` and `pos` live in registers and are written back to `OpenMessage` when the loop breaks.
//!
//! The loop has only what most fields of real messages need. Every other kind of field is a call (`slow.rs`): with the
//! entry into sub-messages written out here, flat messages went from 1.05x to 0.89x, because each addition takes
//! registers from all other arms. An iteration ends in a `break` and not in a call for the same reason.

use super::machine::state::{Fault, Machine, Next, OpenMessage};
use super::machine::window;
use super::{fixed, rare};
use crate::engine::slab::{BodyRef, ByteSpan};
use crate::schema::program::{FieldEntry, Op, Program};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::{unzigzag32, unzigzag64};

/// What the field loop needs of a message, and how far it came.
pub(super) struct Run<'p> {
    pub(super) program: &'p Program,
    /// Position of the next tag.
    pub(super) pos: usize,
    pub(super) end: usize,
    pub(super) hasbits: u64,
    pub(super) base: u32,
    /// How many levels below the innermost open message this one is.
    pub(super) below: usize,
}

/// Why the field loop stopped. Positions are those of `PaddedStore`.
pub(super) enum Exit<'p> {
    /// The message has ended, or the front part of the store has.
    Leave,
    /// A sub-message whose content is between these two positions.
    Enter(&'p FieldEntry, usize, usize),
    /// A field for the slow path: its entry if the tag matches it, the tag, and the length of the tag.
    Slow(Option<&'p FieldEntry>, u32, usize),
    /// A kind of fault, its position, and the field if it is known.
    Fault(Kind, usize, Option<&'p FieldEntry>),
}

impl<'r> Machine<'r, '_> {
    /// Decodes the store to its end. After a fault, too, the hasbits of all open messages are in the slab.
    pub(super) fn message(&mut self) -> Result<(), Fault> {
        loop {
            let next = match self.fields() {
                Exit::Leave if self.open.pos < self.open.end => {
                    self.enter_tail();
                    Next::Continue
                }
                Exit::Leave if self.scratch.stack.is_empty() && self.end_outermost() => Next::Done,
                Exit::Leave => self.leave(),
                Exit::Enter(entry, start, end) => self.enter(entry, start, end),
                Exit::Slow(entry, tag, len) => self.slow_field(entry, tag, len),
                Exit::Fault(kind, pos, entry) => {
                    let entry = entry.map(|entry| self.open.program.position(entry) as u16);
                    self.fault = Fault { kind, offset: pos + self.source.origin(), entry };
                    Next::Fault
                }
            };
            match next {
                Next::Continue => {}
                Next::Done => return Ok(()),
                Next::Fault => return Err(self.stopped()),
            }
        }
    }

    /// Switches from the front part of the store to the padded tail.
    #[inline(always)]
    fn enter_tail(&mut self) {
        let by = self.source.enter_tail();
        (self.open.pos, self.open.end) = (self.open.pos - by, self.open.end - by);
    }

    /// Ends the outermost message if nothing but its hasbits has to be stored. `leave` does the same for all messages;
    /// this saves the call for those without sub-messages.
    #[inline(always)]
    fn end_outermost(&mut self) -> bool {
        let OpenMessage { program, pos, end, hasbits, body: BodyRef { base, .. }, .. } = self.open;
        let plain = pos == end && program.has_plain_end();
        if plain {
            self.slab.set(base, hasbits as u32);
        }
        plain
    }

    /// Runs the loop over the innermost message.
    #[inline(always)]
    fn fields(&mut self) -> Exit<'r> {
        let OpenMessage { program, pos, end, hasbits, body: BodyRef { base, .. }, .. } = self.open;
        let mut run = Run { program, pos, end, hasbits, base, below: 0 };
        let exit = self.run(&mut run);
        (self.open.pos, self.open.hasbits) = (run.pos, run.hasbits);
        exit
    }

    /// The loop itself. Inlined into its two callers, `message` and `leaf`: as a function of its own (before there was `leaf`) it was 1.10x on flat
    /// messages, but 0.89x on logs and 0.86x on events, which call it once per short run of fields.
    #[inline(always)]
    pub(super) fn run(&mut self, run: &mut Run<'r>) -> Exit<'r> {
        let set = self.set;
        let Run { program, mut pos, end, mut hasbits, base, below } = *run;
        let source = self.source;
        let (bytes, origin) = (source.bytes(), source.origin());
        let windows = source.until(end);
        let mut body = self.slab.body_mut(base);
        let call = loop {
            let Some(head) = windows.at(pos) else { break Exit::Leave };
            // Field numbers up to 15 have a tag of one byte, which indexes a table of 128 entries. All other numbers are
            // looked up.
            let first = head[0];
            let (tag, len, entry) = if first < 0x80 {
                (first as u32, 1, program.one_byte(first))
            } else {
                let Some((tag, len)) = window::long_tag(head) else {
                    break Exit::Fault(Kind::InvalidTag, pos, None);
                };
                match program.find(tag >> 3) {
                    Some(entry) => (tag, len, entry),
                    None => break Exit::Slow(None, tag, len),
                }
            };
            // The only check of the wire type. Numbers that are not in the table have an entry with a tag that cannot
            // occur.
            if entry.tag != tag {
                break Exit::Slow(None, tag, len);
            }
            let value = window::after_tag(head, len);
            macro_rules! break_fault {
                ($kind:expr, $pos:expr) => {
                    break Exit::Fault($kind, $pos, Some(entry))
                };
            }
            // The varint of the value; moves `pos` after it. `wide_varint` has no branch on the length: a mispredicted
            // branch costs more than the 12 cycles that a test for one byte saves (0.9x on flat messages).
            macro_rules! varint_or_break {
                () => {
                    varint_or_break!(varint)
                };
                ($read:ident) => {{
                    let Some((number, bytes)) = window::$read(value) else {
                        break_fault!(Kind::VarintOverflow, pos + len);
                    };
                    pos += len + bytes;
                    number
                }};
            }
            // Sets the hasbit. Where presence is implicit, a zero means that the field is not set; the branch on that is
            // cheaper than 12 instructions of arithmetic for each field (0.96x on flat messages).
            macro_rules! mark_set {
                ($zero:expr) => {{
                    if entry.flags.is_special() {
                        hasbits &= !program.oneof_mask(entry.oneof);
                    }
                    hasbits |= 1u64 << (entry.bit & 63);
                    if $zero && entry.flags.is_implicit() {
                        hasbits = clear_hasbit(hasbits, entry);
                    }
                }};
            }
            macro_rules! store32 {
                ($value:expr) => {{
                    let value: u32 = $value;
                    body.set(entry.slot, value);
                    mark_set!(value == 0);
                }};
            }
            macro_rules! store64 {
                ($value:expr) => {{
                    let value: u64 = $value;
                    body.set64(entry.slot, value);
                    mark_set!(value == 0);
                }};
            }
            // Start and end of a length-delimited value, checked against the end of the message.
            macro_rules! span_or_break {
                () => {{
                    let Some((bytes, prefix)) = window::length(value) else {
                        break_fault!(Kind::InvalidLength, pos + len);
                    };
                    let start = pos + len + prefix;
                    // Length and position are below 2^31, so the sum cannot wrap.
                    if start + bytes > end {
                        break_fault!(Kind::Incomplete, pos + len);
                    }
                    (start, start + bytes)
                }};
            }
            match entry.op {
                Op::Varint32 => store32!(varint_or_break!(wide_varint) as u32),
                Op::Varint64 => store64!(varint_or_break!(wide_varint)),
                Op::Sint32 => store32!(unzigzag32(varint_or_break!(wide_varint) as u32) as u32),
                Op::Sint64 => store64!(unzigzag64(varint_or_break!(wide_varint)) as u64),
                Op::Bool => store32!((varint_or_break!() != 0) as u32),
                Op::ClosedEnum => {
                    let Some((number, bytes)) = window::varint(value)
                        .filter(|(number, _)| set.enum_contains(entry.sub, *number as i32))
                    else {
                        // Not a varint, or a number that the enum does not list.
                        break Exit::Slow(Some(entry), tag, len);
                    };
                    pos += len + bytes;
                    // In a map entry the last value counts, so a listed one undoes an earlier unlisted one.
                    self.entry_unknown = false;
                    store32!(number as u32);
                }
                Op::Fixed32 => {
                    pos += len + 4;
                    store32!(window::word(value) as u32);
                }
                Op::Fixed64 => {
                    pos += len + 8;
                    store64!(window::word(value));
                }
                Op::String => {
                    let (start, value_end) = span_or_break!();
                    let Some(text) = source.text(start, value_end - start) else {
                        break_fault!(Kind::InvalidUtf8, start);
                    };
                    pos = value_end;
                    body.set64(entry.slot, text.pair());
                    mark_set!(start == value_end);
                }
                Op::Bytes => {
                    let (start, value_end) = span_or_break!();
                    pos = value_end;
                    let offset = (start + origin) as u64;
                    body.set64(entry.slot, ByteSpan::new(offset, (value_end - start) as u64).word());
                    mark_set!(start == value_end);
                }
                Op::FixedMessage => {
                    let (start, value_end) = span_or_break!();
                    // The body lies inside the parent's. Loaded here, a point costs neither a frame nor a call; if it
                    // has another form, or is set already, it is entered like any message.
                    let bit = 1u64 << (entry.bit & 63);
                    if let Some(layout) = set.program(entry.sub).fixed()
                        && layout.len >= value_end - start
                        && hasbits & bit == 0
                        && self.scratch.stack.len() + below < self.options.depth_limit() as usize
                        && fixed::load_fixed(layout, body.rest(entry.slot), bytes, start, value_end - start)
                    {
                        hasbits |= bit;
                        pos = value_end;
                    } else {
                        break Exit::Enter(entry, start, value_end);
                    }
                }
                Op::Message | Op::ListMessage | Op::Map | Op::Inline => {
                    let (start, value_end) = span_or_break!();
                    break Exit::Enter(entry, start, value_end);
                }
                Op::SkipVarint => {
                    varint_or_break!();
                }
                Op::SkipFixed32 => pos += len + 4,
                Op::SkipFixed64 => pos += len + 8,
                Op::SkipLength => match rare::skip_lengths(bytes, pos + len, end, tag) {
                    Ok(next) => pos = next,
                    Err((kind, at)) => break_fault!(kind, at),
                },
                _ => break Exit::Slow(Some(entry), tag, len),
            }
        };
        (run.pos, run.hasbits) = (pos, hasbits);
        call
    }
}

/// Clears a hasbit, for a zero in a field with implicit presence. Encoders leave such zeros out, so this is cold; it
/// is out of line so that the compiler makes a branch of it and not arithmetic for every field.
#[cold]
#[inline(never)]
fn clear_hasbit(hasbits: u64, entry: &FieldEntry) -> u64 {
    hasbits & !(1u64 << (entry.bit & 63))
}
