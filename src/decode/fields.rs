//! The hot loop.
//!
//! Preconditions, and what each buys:
//! - the program was checked when it was made: sub-programs exist, slots lie inside the body;
//! - wherever a tag may begin there is a window of 24 bytes (`window.rs`): reads need no checks of their own, and one
//!   comparison per field finds those that crossed the end of their message;
//! - entries are found by field number; the tag in the entry tells whether it is the right one, and everything else
//!   (unknown fields, other wire types, groups that end) is one cold call;
//! - only what most fields of real messages need is here: numbers, strings, messages, in dense messages. Everything else
//!   is a call (`slow.rs`), so that this function stays small enough for its state to live in registers;
//! - parents wait in frames, which hold what the loop needs to go on with them.

use super::state::{Fault, Machine, Next, OpenMessage};
use super::{fixed, skip, window};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Entry, Op};
use crate::wire::{raw, unzigzag32, unzigzag64};

/// What the inner loop leaves to a call.
enum Exit<'p> {
    /// The end of the message, or of what the source has.
    Leave,
    /// A sub-message between these positions.
    Enter(&'p Entry, usize, usize),
    /// A field with a tag and the length of that; its entry, unless the tag is not the one of the entry.
    Rest(Option<&'p Entry>, u32, usize),
    Fault(Kind, usize, Option<&'p Entry>),
}

impl<'r> Machine<'r, '_> {
    /// Decodes the store to its end. On an error the innermost message's presence
    /// bits and those of its parents are in the slab, as after a success.
    pub(super) fn message(&mut self) -> Result<(), Fault> {
        loop {
            let flow = match self.fields() {
                Exit::Leave if self.open.pos < self.open.end => {
                    self.enter_tail();
                    Next::Continue
                }
                Exit::Leave if self.scratch.stack.is_empty() && self.end_outermost() => Next::Done,
                Exit::Leave => self.leave(),
                Exit::Enter(entry, start, end) => self.enter(entry, start, end),
                Exit::Rest(entry, tag, len) => self.rest(entry, tag, len),
                Exit::Fault(kind, pos, entry) => {
                    let entry = entry.map(|entry| self.open.program.position(entry) as u16);
                    self.fault = Fault { kind, offset: pos + self.source.origin(), entry };
                    Next::Fault
                }
            };
            match flow {
                Next::Continue => {}
                Next::Done => return Ok(()),
                Next::Fault => return Err(self.stopped()),
            }
        }
    }

    /// The loop has come to the end of what it can read of the store, and goes on with the patch.
    #[inline(always)]
    fn enter_tail(&mut self) {
        let by = self.source.enter_tail();
        (self.open.pos, self.open.end) = (self.open.pos - by, self.open.end - by);
    }

    /// Ends the outermost message, if nothing about that is unusual.
    #[inline(always)]
    fn end_outermost(&mut self) -> bool {
        let OpenMessage { program, pos, end, hasbits, base, .. } = self.open;
        let plain = pos == end && program.has_plain_end();
        if plain {
            self.slab.set(base, hasbits as u32);
        }
        plain
    }

    /// Decodes numbers, strings and small messages of fixed shape until something else comes.
    #[inline(always)]
    fn fields(&mut self) -> Exit<'r> {
        let set = self.set;
        let OpenMessage { program, mut pos, end, mut hasbits, base, .. } = self.open;
        let source = self.source;
        let (bytes, origin) = (source.bytes(), source.origin());
        let windows = source.until(end);
        let mut body = self.slab.body_mut(base);
        let call = loop {
            let Some(head) = windows.at(pos) else { break Exit::Leave };
            let first = head[0];
            let (tag, len, entry) = if first < 0x80 {
                (first as u32, 1, program.fast(first))
            } else {
                let (tag, len) = if head[1] < 0x80 {
                    ((first & 0x7f) as u32 | (head[1] as u32) << 7, 2)
                } else {
                    match raw::tag_bits(head, 0) {
                        Ok(read) => read,
                        Err(kind) => break Exit::Fault(kind, pos, None),
                    }
                };
                match program.find(tag >> 3) {
                    Some(entry) => (tag, len, entry),
                    None => break Exit::Rest(None, tag, len),
                }
            };
            if entry.tag != tag {
                break Exit::Rest(None, tag, len);
            }
            let value = window::behind(head, len);
            macro_rules! fault {
                ($kind:expr, $pos:expr) => {
                    break Exit::Fault($kind, $pos, Some(entry))
                };
            }
            // Gives the varint, and goes on behind it; numbers without a branch on their length.
            macro_rules! varint {
                () => {
                    varint!(varint)
                };
                ($read:ident) => {{
                    let Some((number, bytes)) = window::$read(value) else {
                        fault!(Kind::VarintOverflow, pos + len);
                    };
                    pos += len + bytes;
                    number
                }};
            }
            // Marks the field as set; zero means unset where presence is implicit.
            macro_rules! mark {
                ($zero:expr) => {{
                    if entry.flags.is_special() {
                        hasbits &= !program.oneof_mask(entry.oneof);
                    }
                    hasbits |= 1u64 << (entry.bit & 63);
                    if $zero && entry.flags.is_implicit() {
                        hasbits = without(hasbits, entry);
                    }
                }};
            }
            macro_rules! word {
                ($value:expr) => {{
                    let value: u32 = $value;
                    body.set(entry.slot, value);
                    mark!(value == 0);
                }};
            }
            macro_rules! words {
                ($value:expr) => {{
                    let value: u64 = $value;
                    body.set64(entry.slot, value);
                    mark!(value == 0);
                }};
            }
            // Gives the start and the end of a value behind its length.
            macro_rules! span {
                () => {{
                    let (bytes, start) = if value[0] < 0x80 {
                        (value[0] as usize, pos + len + 1)
                    } else if value[1] < 0x80 {
                        ((value[0] & 0x7f) as usize | (value[1] as usize) << 7, pos + len + 2)
                    } else {
                        match raw::length(value, 0) {
                            Ok((bytes, prefix)) => (bytes, pos + len + prefix),
                            Err(kind) => fault!(kind, pos + len),
                        }
                    };
                    // Lengths and positions are below 2^31, so the sum cannot wrap.
                    if start + bytes > end {
                        fault!(Kind::Incomplete, pos + len);
                    }
                    (start, start + bytes)
                }};
            }
            match entry.op {
                Op::Varint32 => word!(varint!(wide_varint) as u32),
                Op::Varint64 => words!(varint!(wide_varint)),
                Op::Sint32 => word!(unzigzag32(varint!(wide_varint) as u32) as u32),
                Op::Sint64 => words!(unzigzag64(varint!(wide_varint)) as u64),
                Op::Bool => word!((varint!() != 0) as u32),
                Op::ClosedEnum => {
                    let Some((number, bytes)) = window::varint(value)
                        .filter(|(number, _)| set.enum_contains(entry.sub, *number as i32))
                    else {
                        break Exit::Rest(Some(entry), tag, len);
                    };
                    pos += len + bytes;
                    self.entry_unknown = false;
                    word!(number as u32);
                }
                Op::Fixed32 => {
                    pos += len + 4;
                    word!(window::word(value) as u32);
                }
                Op::Fixed64 => {
                    pos += len + 8;
                    words!(window::word(value));
                }
                Op::String => {
                    let (start, behind) = span!();
                    let Some(text) = source.text(start, behind - start) else {
                        fault!(Kind::InvalidUtf8, start);
                    };
                    pos = behind;
                    body.set64(entry.slot, text.pair());
                    mark!(start == behind);
                }
                Op::Bytes => {
                    let (start, behind) = span!();
                    pos = behind;
                    let offset = (start + origin) as u64;
                    body.set64(entry.slot, offset | ((behind - start) as u64) << 32);
                    mark!(start == behind);
                }
                Op::Shaped => {
                    let (start, behind) = span!();
                    let bit = 1u64 << (entry.bit & 63);
                    if let Some(layout) = set.program(entry.sub).fixed()
                        && layout.len >= behind - start
                        && hasbits & bit == 0
                        && self.scratch.stack.len() < self.options.depth_limit() as usize
                        && fixed::load_fixed(layout, body.rest(entry.slot), bytes, start, behind - start)
                    {
                        hasbits |= bit;
                        pos = behind;
                    } else {
                        break Exit::Enter(entry, start, behind);
                    }
                }
                Op::Message | Op::ListMessage | Op::Map | Op::Inline => {
                    let (start, behind) = span!();
                    break Exit::Enter(entry, start, behind);
                }
                Op::SkipVarint => {
                    varint!();
                }
                Op::SkipFixed32 => pos += len + 4,
                Op::SkipFixed64 => pos += len + 8,
                Op::SkipLength => match skip::skip_lengths(bytes, pos + len, end, tag) {
                    Ok(next) => pos = next,
                    Err((kind, at)) => fault!(kind, at),
                },
                _ => break Exit::Rest(Some(entry), tag, len),
            }
        };
        (self.open.pos, self.open.hasbits) = (pos, hasbits);
        call
    }
}

/// Zero came for a field with implicit presence; encoders leave it out. Out of line, so that the loop has a branch here and
/// not the arithmetic for both cases.
#[cold]
#[inline(never)]
fn without(hasbits: u64, entry: &Entry) -> u64 {
    hasbits & !(1u64 << (entry.bit & 63))
}
