//! Messages written forwards, in one pass.
//!
//! ```text
//! fields(message):
//!     for each set field, lowest field number first:
//!         number: tag, value
//!         string: tag, length, bytes
//!         list:   tag, values                                     # ../list.rs
//!         message, or each one of a list:
//!             tag; keep room for the length: one byte, or more if the message looks large
//!             fields(child); its unknown fields
//!             write the length; move the child if the length takes other than that room
//! ```
//!
//! A message of numbers only has a loop of its own, for the processor's sake (`numbers.rs`).
//!
//! Most messages on the wire are shorter than 128 bytes, so the guess is right: nothing moves, and nothing is sized before.
//!
//! A pass gives up on what it cannot write well: wrong guesses that moved more bytes than [`Pass::may_move`] allows; MessageSets;
//! maps in key order at the last level. Errors make it give up too, and are found again. Then the message is sized and written
//! with its sizes. Because a pass recurses, so are sub-messages below [`LEVELS`](pass::LEVELS) levels, each by itself (`children.rs`).
//!
//! Functions and tasks that are not inlined fill the [`CursorRoom`] of a cursor, so its address never escapes and it stays in registers.
//! One loop with its own stack of levels instead of recursion takes 1.2 to 1.35x the instructions: it keeps more alive than
//! there are registers.

mod children;
mod numbers;
mod pass;
#[cfg(test)]
mod tests;

use super::list::put_string;
use crate::engine::slab::{BodyRef, BodyWords, ByteSpan};
use crate::schema::program::{FieldEntry, Program, WriteEntry, WriteKind};
use crate::wire::output::cursor::{CursorRoom, Filled};
use crate::wire::{BestBits, Bits, CpuCall, CpuTask, Cursor, with_best_cpu, zigzag32, zigzag64};
use children::EncodeChildren;
use numbers::{Numbers, Wide, most_are_set, put_list};
use pass::last_field;
pub(super) use pass::{Pass, room_for_length};

impl<'a> Pass<'a, '_> {
    /// Writes a message, given its header words, and returns its length; `None` if it does not fit.
    #[inline(always)]
    fn message(
        &mut self,
        out: &mut Cursor<'_>,
        (program, base): (&'a Program, u32),
        header: u64,
        bits: impl Bits,
    ) -> Option<usize> {
        if program.needs_care() || header >> 32 != 0 {
            return out.fill(|room| self.careful_message(room, program, base, bits));
        }
        out.fill(|room| bits.call_with::<Body, _, _, _, _, _>(self, room, program, base, header))
    }

    /// Writes a message that has unknown fields, is wide, is bytes, has only numbers, or is a MessageSet.
    #[inline(never)]
    fn careful_message<'w>(
        &mut self,
        room: CursorRoom<'w>,
        program: &'a Program,
        base: u32,
        bits: impl Bits,
    ) -> Filled<'w> {
        let words = self.view.words;
        let header = words.get64(base);
        if program.is_numbers() && header >> 32 == 0 {
            return self.numbers(room, program, (base, header), bits);
        }
        if program.is_message_set() {
            return self.give_up();
        }
        if words.is_verbatim(base) {
            // Sub-messages that were decoded from its bytes may lack required fields.
            self.missing |= u64::from(program.needs_check());
            let levels = self.view.at(BodyRef { base, ..self.view.body }).raw_levels();
            if self.depth + levels > self.options.depth_limit() {
                return self.give_up();
            }
            return self.unknown(room, base);
        }
        let mut out = Cursor::of(room);
        if program.is_wide() {
            // Only `find_missing` checks them.
            self.missing |= u64::from(program.has_required());
            out.fill(|room| bits.call_with::<Wide, _, _, _, _, _>(self, room, program, base, ()));
        } else {
            out.fill(|room| bits.call_with::<Body, _, _, _, _, _>(self, room, program, base, header));
        }
        out.fill(|room| self.unknown(room, base));
        out.filled()
    }

    /// Writes a message of numbers without unknown fields, by whichever way is the better one for what is set.
    #[inline(always)]
    fn numbers<'w>(
        &mut self,
        room: CursorRoom<'w>,
        program: &'a Program,
        (base, header): (u32, u64),
        bits: impl Bits,
    ) -> Filled<'w> {
        let set = self.view.words.hasbits(program, base);
        if most_are_set(program, set) {
            return bits.call_with::<Numbers, _, _, _, _, _>(self, room, program, base, set);
        }
        bits.call_with::<Body, _, _, _, _, _>(self, room, program, base, header)
    }

    /// Writes fields of the message at `base`: those at the positions of the bits in `set`. A `LEAF` has no messages.
    #[inline(always)]
    fn fields<const LEAF: bool>(
        &mut self,
        out: &mut Cursor<'_>,
        (writes, entries): (&[WriteEntry], &'a [FieldEntry]),
        (base, mut set): (u32, u64),
        bits: impl Bits,
    ) {
        let body = self.view.words.body(base);
        while set != 0 {
            set = self.field::<LEAF>(out, (writes, entries), set, (base, body), bits);
            // Two jumps, so that the processor knows more of what was before each of them. Not in debug builds, where each level of messages
            // would have the locals of both on the stack.
            #[cfg(not(debug_assertions))]
            if set != 0 {
                set = self.field::<LEAF>(out, (writes, entries), set, (base, body), bits);
            }
        }
    }

    /// Writes the first field of those in `set`, and returns the others; none of them if it does not fit.
    #[inline(always)]
    fn field<const LEAF: bool>(
        &mut self,
        out: &mut Cursor<'_>,
        (writes, entries): (&[WriteEntry], &'a [FieldEntry]),
        set: u64,
        (base, body): (u32, BodyWords<'a>),
        bits: impl Bits,
    ) -> u64 {
        let (index, rest) = (set.trailing_zeros() as usize, set & (set - 1));
        let Some(field) = writes.get(index) else { return 0 };
        let (tag, slot) = (field.tag, field.slot);
        if field.kind >= WriteKind::List {
            let Some(entry) = entries.get(index) else { return 0 };
            let slot = base.wrapping_add(slot.into());
            let fits = if LEAF || field.kind == WriteKind::List {
                out.fill(|room| put_list(room, &self.view, entry, tag, slot)).is_some()
            } else if entry.flags.is_list() {
                out.fill(|room| bits.call_with::<EncodeChildren, _, _, _, _, _>(self, room, entry, tag, slot))
                    .is_some()
            } else {
                self.child(out, entry, field, slot, bits)
            };
            return if fits { rest } else { 0 };
        }
        let Some(item) = out.item() else {
            return if out.fill(|room| last_field(room, self, field, body)).is_some() { rest } else { 0 };
        };
        // An arm for each kind of number; for those of explicit presence one without branches (`WriteKind::of`).
        let varint = match field.kind {
            WriteKind::Varint => field.form.value(body.get64_or_32(slot)),
            WriteKind::Int32 => body.get(slot) as i32 as i64 as u64,
            WriteKind::Varint64 => body.get64(slot),
            WriteKind::Sint64 => zigzag64(body.get64(slot) as i64),
            WriteKind::Uint32 => {
                item.put_varint(bits, tag, body.get(slot).into());
                return rest;
            }
            WriteKind::Sint32 => {
                item.put_varint(bits, tag, zigzag32(body.get(slot) as i32).into());
                return rest;
            }
            WriteKind::Fixed32 => {
                item.put_word(tag, body.get(slot).into(), 4);
                return rest;
            }
            WriteKind::Fixed64 => {
                item.put_word(tag, body.get64(slot), 8);
                return rest;
            }
            _ => {
                put_string(out, self.view.store, tag, ByteSpan::from_word(body.get64(slot)));
                return rest;
            }
        };
        if varint < 1 << 56 {
            item.put_varint(bits, tag, varint);
        } else {
            out.put_tagged_long(tag, varint);
        }
        rest
    }
}

/// All of a pass: the first message, of the ordinary kind without a call between.
#[inline(always)]
pub(in crate::engine::encode) fn write_whole<'w>(
    pass: &mut Pass<'_, '_>,
    room: CursorRoom<'w>,
) -> Filled<'w> {
    let (program, base) = (pass.view.program(), pass.view.body.base);
    let header = pass.view.words.get64(base);
    if program.is_numbers() && header >> 32 == 0 {
        return pass.numbers(room, program, (base, header), BestBits);
    }
    if program.needs_care() || header >> 32 != 0 {
        return with_best_cpu(CarefulMessage { pass, room });
    }
    BestBits.call_with::<Body, _, _, _, _, _>(pass, room, program, base, header)
}

/// A first message that needs care.
struct CarefulMessage<'p, 'a, 'i, 'w> {
    pass: &'p mut Pass<'a, 'i>,
    room: CursorRoom<'w>,
}

impl<'w> CpuTask for CarefulMessage<'_, '_, '_, 'w> {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Filled<'w> {
        let CarefulMessage { pass, room } = self;
        let (program, base) = (pass.view.program(), pass.view.body.base);
        pass.careful_message(room, program, base, bits)
    }
}

/// The set fields of a message that is not wide. All arguments are in registers.
struct Body;

impl<'a, 'i, 'w> CpuCall<&mut Pass<'a, 'i>, CursorRoom<'w>, &'a Program, u32, u64> for Body {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        pass: &mut Pass<'a, 'i>,
        room: CursorRoom<'w>,
        program: &'a Program,
        base: u32,
        header: u64,
    ) -> Filled<'w> {
        let (mut out, mut set) = (Cursor::of(room), u64::from(header as u32));
        if program.has_high_bits() {
            set |= u64::from(pass.view.words.get(base + 2)) << 32;
        }
        pass.missing |= program.required_mask() & !set;
        pass.fields::<false>(&mut out, (program.writes(), program.entries()), (base, set), bits);
        out.filled()
    }
}
