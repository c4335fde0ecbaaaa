//! The field loop: decodes numbers, strings and small messages until something else comes.
//!
//! ```text
//! loop:
//!     window = the bytes at pos                      else break Leave (end of message, or of the store's front)
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
//! - In the front, 24 bytes can be read at `pos` (`window.rs`), so reads inside the window have no bounds checks; at the end they read zeros after
//!   the store. They may cross the end of the message; the next round finds `pos > end`.
//! - The message is dense: at most 64 hasbits, all in one register. A wide message has `Op::Wide` in every entry and is
//!   decoded by the slow path.
//! - `hasbits` and `pos` live in registers and are written back to `OpenMessage` when the loop breaks.
//!
//! The loop has only what most fields of real messages need. Every other kind of field is a call (`slow.rs`): with the
//! entry into sub-messages written out here, flat messages went from 1.05x to 0.89x, because each addition takes
//! registers from all other arms. An iteration ends in a `break` and not in a call for the same reason.

use super::machine::state::{Context, Fault, Machine, Next, OpenMessage};
use super::machine::window::{self, Window, Windows};
use super::{fixed, rare};
use crate::engine::slab::{BodyRef, ByteSpan, Slab, Text};
use crate::schema::program::{FieldEntry, Op};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::{unzigzag32, unzigzag64};

/// Why the field loop stopped. All numbers are offsets in the store.
#[derive(Clone, Copy)]
pub(super) enum Exit<'p> {
    /// The message has ended, or the windows that the loop reads have.
    Leave,
    /// A sub-message whose content is between these two offsets.
    Enter(&'p FieldEntry, usize, usize),
    /// A field for the slow path: its entry if the tag matches it, the tag, and the length of the tag.
    Slow(Option<&'p FieldEntry>, u32, usize),
    /// A kind of fault, its offset, and the field if it is known.
    Fault(Kind, usize, Option<&'p FieldEntry>),
}

impl<'r> Machine<'r, '_> {
    /// Decodes the store to its end. After a fault, too, the hasbits of all open messages are in the slab.
    pub(super) fn message(&mut self) -> Result<(), Fault> {
        loop {
            let next = match self.fields() {
                Exit::Leave if self.scratch.stack.is_empty() && self.open.end_plainly(self.slab) => {
                    Next::Done
                }
                Exit::Leave => self.leave(),
                Exit::Enter(entry, start, end) => self.enter(entry, start, end),
                Exit::Slow(entry, tag, len) => self.slow_field(entry, tag, len),
                Exit::Fault(kind, offset, entry) => {
                    let entry = entry.map(|entry| self.open.program.position(entry) as u16);
                    self.fault = Fault { kind, offset, entry };
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

    /// Runs the loop over the innermost message.
    #[inline(always)]
    fn fields(&mut self) -> Exit<'r> {
        let depth = self.scratch.stack.len();
        // Field by field: a wide load waits for the recent stores that it spans.
        let OpenMessage { program, pos, end, hasbits, body: BodyRef { program: index, base }, .. } =
            self.open;
        let mut open = OpenMessage::begun(program, BodyRef { program: index, base }, pos, end);
        open.hasbits = hasbits;
        let front = self.context.source.front(end);
        let exit = open.run(&self.context, front, depth, self.slab);
        (self.open.pos, self.open.hasbits) = (open.pos, open.hasbits);
        match exit {
            Exit::Leave if open.pos < end => self.open.end_fields(&self.context, depth, self.slab),
            exit => exit,
        }
    }
}

impl<'r> OpenMessage<'r> {
    /// Ends a message of which nothing but its hasbits has to be stored; false if there is more to do. `leave` does the same for all messages; this
    /// saves the call for the outermost.
    #[inline(always)]
    pub(super) fn end_plainly(&self, slab: &mut Slab) -> bool {
        let plain = self.pos == self.end && self.program.has_plain_end();
        if plain {
            slab.set(self.body.base, self.hasbits as u32);
        }
        plain
    }

    /// Runs the loop until the message ends, or something comes that the loop does not decode. `depth` is that of the message.
    #[inline(always)]
    pub(super) fn fields(&mut self, context: &Context<'r, '_>, depth: usize, slab: &mut Slab) -> Exit<'r> {
        match self.run(context, context.source.front(self.end), depth, slab) {
            Exit::Leave if self.pos < self.end => {
                // A copy, so that `self` stays in registers.
                let mut rest = *self;
                let exit = rest.end_fields(context, depth, slab);
                (self.pos, self.hasbits) = (rest.pos, rest.hasbits);
                exit
            }
            exit => exit,
        }
    }

    /// The same with windows anywhere in the store, for the last bytes of it.
    #[inline(never)]
    fn end_fields(&mut self, context: &Context<'r, '_>, depth: usize, slab: &mut Slab) -> Exit<'r> {
        self.run(context, context.source.end(self.end), depth, slab)
    }

    /// The loop itself. Inlined into its callers for the front, `message` and `leaves`: as a function of its own (before there were `leaves`) it was
    /// 1.10x on flat messages, but 0.89x on logs and 0.86x on events, which call it once per short run of fields. And into `whole`, which small
    /// messages and trees run once and once more after each message in them: by way of `end_fields` they took up to 1.25 times as long.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        context: &Context<'r, '_>,
        windows: impl Windows,
        depth: usize,
        slab: &mut Slab,
    ) -> Exit<'r> {
        let Context { set, source, .. } = *context;
        let Self { program, mut pos, end, mut hasbits, body: BodyRef { base, .. }, .. } = *self;
        let bytes = source.bytes();
        let mut body = slab.body_mut(base);
        let call = loop {
            let Some(head) = windows.at(pos) else { break Exit::Leave };
            // Field numbers up to 15 have a tag of one byte, which indexes a table of 128 entries. All other numbers are
            // looked up.
            let first = head.byte(0, 0);
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
            macro_rules! break_fault {
                ($kind:expr, $pos:expr) => {
                    break Exit::Fault($kind, $pos, Some(entry))
                };
            }
            // The varint of the value; moves `pos` after it. One byte has a branch of its own: without, 0.82x where most numbers have one byte, and
            // 0.93x where each length from one to six is as likely as another.
            macro_rules! varint_or_break {
                () => {{
                    let Some((number, bytes)) = window::varint(head, len) else {
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
                    let Some((bytes, prefix)) = window::length(head, len) else {
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
                Op::Varint32 => store32!(varint_or_break!() as u32),
                Op::Varint64 => store64!(varint_or_break!()),
                Op::Sint32 => store32!(unzigzag32(varint_or_break!() as u32) as u32),
                Op::Sint64 => store64!(unzigzag64(varint_or_break!()) as u64),
                Op::Bool => store32!((varint_or_break!() != 0) as u32),
                Op::ClosedEnum => {
                    let Some((number, bytes)) = window::varint(head, len).filter(|(number, _)| {
                        // In a map entry the last value counts, so a listed one undoes an earlier unlisted one.
                        set.enum_contains(entry.sub, *number as i32) && !program.is_map_entry()
                    }) else {
                        // Not a varint, or a number that the enum does not list.
                        break Exit::Slow(Some(entry), tag, len);
                    };
                    pos += len + bytes;
                    store32!(number as u32);
                }
                Op::Fixed32 => {
                    pos += len + 4;
                    store32!(head.word(len) as u32);
                }
                Op::Fixed64 => {
                    pos += len + 8;
                    store64!(head.word(len));
                }
                Op::String => {
                    let (start, value_end) = span_or_break!();
                    let Some(text) = Text::check(bytes, start, value_end - start) else {
                        break_fault!(Kind::InvalidUtf8, start);
                    };
                    pos = value_end;
                    body.set64(entry.slot, text.pair());
                    mark_set!(start == value_end);
                }
                Op::Bytes => {
                    let (start, value_end) = span_or_break!();
                    pos = value_end;
                    body.set64(entry.slot, ByteSpan::new(start as u64, (value_end - start) as u64).word());
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
                        && context.may_nest(depth)
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
        (self.pos, self.hasbits) = (pos, hasbits);
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
