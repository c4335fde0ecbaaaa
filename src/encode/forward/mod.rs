//! Messages written forwards, in one pass.
//!
//! ```text
//! fields(message):
//!     for each set field, lowest field number first:
//!         number: tag, value
//!         string: tag, length, bytes
//!         list:   tag, values                                     # list.rs
//!         message, or each one of a list:                         # children.rs
//!             tag; keep room for the length: one byte, or more if the message looks large
//!             fields(child); its unknown fields
//!             write the length; move the child if the length takes other than that room
//! ```
//!
//! Most messages on the wire are shorter than 128 bytes, so the guess is right and nothing moves: neither the message at its end,
//! as after a pass backwards, nor is anything sized before.
//!
//! A pass gives up on what it cannot write well: nesting of more than [`LEVELS`] levels, because it recurses; wrong guesses that
//! moved more bytes than [`Pass::may_move`] allows; MessageSets. Then the message is written backwards.
//!
//! Out-of-line functions and tasks take and return the cursor by value, so its address never escapes and it stays in registers.
//! One loop with its own stack of levels instead of recursion takes 1.2 to 1.35x the instructions: it keeps more alive than
//! there are registers.

mod children;
mod list;

use crate::program::{FieldEntry, Program, WriteEntry, WriteKind};
use crate::slab::{ByteSpan, RawView, SetFields};
use crate::wire::{Bits, CpuTask, Cursor, varint_len, zigzag32, zigzag64};
use children::Children;

#[cfg(test)]
mod tests;

/// Levels of nesting that are written forwards; each takes about 500 bytes of stack.
const LEVELS: u32 = 32;

/// The least number of bytes that a message must look like to be given two bytes for its length. A wrong guess moves the
/// content, so below this it costs next to nothing.
const LOOKS_LARGE: u32 = 1024;

/// A pass over a message, and what it finds out.
pub(super) struct Pass<'a, 'i> {
    view: RawView<'a, 'i>,
    /// Levels that may be entered.
    levels: u32,
    depth_limit: u32,
    /// Not zero if a required field may be missing.
    pub(super) missing: u64,
    /// How many bytes wrong guesses have moved.
    moved: usize,
    /// The message is to be written backwards.
    pub(super) gave_up: bool,
}

/// A message to be written: its type, where it is, and what is known about it.
#[derive(Clone, Copy)]
struct Place<'a> {
    program: &'a Program,
    base: u32,
    depth: u32,
    /// About how many bytes it takes, if it is one of a few that hold the strings of the store.
    looks: u32,
}

impl<'a, 'i> Pass<'a, 'i> {
    #[inline(always)]
    pub(super) fn new(view: RawView<'a, 'i>, depth_limit: u32) -> Self {
        let levels = depth_limit.min(LEVELS);
        Self { view, levels, depth_limit, missing: 0, moved: 0, gave_up: false }
    }

    /// Ends the pass: nothing fits any more.
    #[cold]
    #[inline(never)]
    fn give_up<'b>(&mut self, mut out: Cursor<'b>) -> Cursor<'b> {
        self.gave_up = true;
        out.fail();
        out
    }

    /// Counts a move of `len` bytes; false if there were too many for the bytes written. The moves of a chain of messages
    /// around a large one would be quadratic.
    fn may_move(&mut self, len: usize, written: usize) -> bool {
        self.moved += len;
        self.moved <= 4 * written + 4096
    }

    /// Writes a message.
    #[inline(always)]
    fn message<'b>(&mut self, place: Place<'a>, out: Cursor<'b>, bits: impl Bits) -> Cursor<'b> {
        let Place { program, base, .. } = place;
        if program.needs_care() || self.view.words.get(base + 1) != 0 {
            return self.careful_message(place, out, bits);
        }
        let set = self.view.words.hasbits(program, base);
        let (writes, entries) = (program.writes(), program.entries());
        bits.call(Fields { pass: self, place, writes, entries, set, out })
    }

    /// Writes a message that has required or unknown fields, is wide, or is bytes.
    #[inline(never)]
    fn careful_message<'b>(&mut self, place: Place<'a>, mut out: Cursor<'b>, bits: impl Bits) -> Cursor<'b> {
        let Place { program, base, depth, .. } = place;
        let words = self.view.words;
        if program.is_message_set() {
            return self.give_up(out);
        }
        if words.is_verbatim(base) {
            // Sub-messages that were decoded from its bytes may lack required fields.
            self.missing |= u64::from(program.needs_check());
            let levels = RawView { base, ..self.view }.raw_levels();
            if depth + levels > self.depth_limit {
                return self.give_up(out);
            }
            return self.unknown(out, base);
        }
        let (writes, entries) = (program.writes(), program.entries());
        if program.is_wide() {
            // Only `find_missing` checks them.
            self.missing |= u64::from(program.has_required());
            let mut fields = SetFields::new(program, words, base);
            while let Some((position, _, slot)) = fields.next_of(program, words, base) {
                // One field at a time, from a base at which its entry finds the slot.
                let (Some(writes), Some(entries)) = (writes.get(position..), entries.get(position..)) else {
                    break;
                };
                let base = slot.wrapping_sub(writes.first().map_or(0, |field| field.slot.into()));
                let place = Place { base, ..place };
                out = bits.call(Fields { pass: self, place, writes, entries, set: 1, out });
            }
        } else {
            let set = words.hasbits(program, base);
            self.missing |= program.required_mask() & !set;
            out = bits.call(Fields { pass: self, place, writes, entries, set, out });
        }
        self.unknown(out, base)
    }

    /// Writes the unknown fields of a message, or all bytes of a verbatim one.
    fn unknown<'b>(&self, mut out: Cursor<'b>, base: u32) -> Cursor<'b> {
        let view = RawView { base, ..self.view };
        for span in view.spans() {
            if let Some(tag) = span.tag {
                out.put_varint(tag.into());
            }
            out.put_slice(view.bytes_at(span.offset, span.len));
        }
        out
    }

    /// Writes a number or string where little room is left.
    #[cold]
    #[inline(never)]
    fn last_field<'b>(&self, mut out: Cursor<'b>, field: &WriteEntry, slot: u32) -> Cursor<'b> {
        let words = self.view.words;
        if field.kind == WriteKind::Span {
            let span = ByteSpan::from_word(words.get64(slot));
            out.put_tagged_part(field.tag, self.view.store, span.offset(), span.len() as usize);
            return out;
        }
        out.put_tag_word(field.tag);
        match field.kind {
            WriteKind::Fixed32 => out.put_fixed32(words.get(slot)),
            WriteKind::Fixed64 => out.put_fixed64(words.get64(slot)),
            _ => out.put_varint(field.form.value(words.get64_or_32(slot))),
        }
        out
    }
}

/// The whole message of a pass.
pub(super) struct Forward<'p, 'a, 'i, 'b> {
    pub(super) pass: &'p mut Pass<'a, 'i>,
    pub(super) out: Cursor<'b>,
}

impl<'b> CpuTask for Forward<'_, '_, '_, 'b> {
    type Out = Cursor<'b>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Cursor<'b> {
        let RawView { base, store, .. } = self.pass.view;
        let place = Place { program: self.pass.view.program(), base, depth: 0, looks: store.len() as u32 };
        self.pass.message(place, self.out, bits)
    }
}

/// How many bytes to keep free for the length of a message that looks `looks` bytes long.
#[inline(always)]
pub(super) fn room_for_length(looks: u32) -> usize {
    if looks < LOOKS_LARGE { 1 } else { varint_len(looks.into()) }
}

/// Set fields of a message: those of `writes` and `entries` at the positions of the bits in `set`.
struct Fields<'p, 'a, 'i, 'b> {
    pass: &'p mut Pass<'a, 'i>,
    place: Place<'a>,
    writes: &'a [WriteEntry],
    entries: &'a [FieldEntry],
    set: u64,
    out: Cursor<'b>,
}

impl<'b> CpuTask for Fields<'_, '_, '_, 'b> {
    type Out = Cursor<'b>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Cursor<'b> {
        let Fields { pass, place, writes, entries, mut set, mut out } = self;
        let RawView { words, store, .. } = pass.view;
        while set != 0 {
            let index = set.trailing_zeros() as usize;
            set &= set - 1;
            let Some(field) = writes.get(index) else { break };
            let (tag, slot) = (field.tag, place.base.wrapping_add(field.slot.into()));
            if field.kind >= WriteKind::List {
                let Some(entry) = entries.get(index) else { break };
                out = match field.kind {
                    WriteKind::List => list::write_list(out, pass.view, entry, tag, slot),
                    _ => bits.call(Children { pass: &mut *pass, place, field, entry, slot, out }),
                };
                continue;
            }
            let Some(item) = out.item() else {
                out = pass.last_field(out, field, slot);
                continue;
            };
            // An arm for each kind of number, because one branch-free path for all takes twice as long. Arms go to the next field
            // themselves: with the cursor returned from a function of its own, flat messages took a fifth more instructions.
            let varint = match field.kind {
                WriteKind::Int32 => words.get(slot) as i32 as i64 as u64,
                WriteKind::Varint64 => words.get64(slot),
                WriteKind::Sint64 => zigzag64(words.get64(slot) as i64),
                WriteKind::Uint32 => {
                    item.put_varint(bits, tag, words.get(slot).into());
                    continue;
                }
                WriteKind::Sint32 => {
                    item.put_varint(bits, tag, zigzag32(words.get(slot) as i32).into());
                    continue;
                }
                WriteKind::Fixed32 => {
                    item.put_word(tag, words.get(slot).into(), 4);
                    continue;
                }
                WriteKind::Fixed64 => {
                    item.put_word(tag, words.get64(slot), 8);
                    continue;
                }
                _ => {
                    let span = ByteSpan::from_word(words.get64(slot));
                    let (offset, len) = (span.offset(), span.len() as usize);
                    match store.get(offset..).and_then(<[u8]>::first_chunk) {
                        Some(block) if len <= block.len() => item.put_block(tag, block, len),
                        _ => out.put_tagged_part(tag, store, offset, len),
                    }
                    continue;
                }
            };
            if varint < 1 << 56 {
                item.put_varint(bits, tag, varint);
            } else {
                out.put_tagged_long(tag, varint);
            }
        }
        out
    }
}
