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
//! A pass gives up on what it cannot write well: nesting of more than 32 levels, because it recurses; wrong guesses that
//! moved more bytes than [`Pass::may_move`] allows; MessageSets. Then the message is written backwards.
//!
//! Out-of-line functions and tasks take and return the cursor by value, so its address never escapes and it stays in registers.
//! One loop with its own stack of levels instead of recursion takes 1.2 to 1.35x the instructions: it keeps more alive than
//! there are registers.

mod children;
mod list;
mod pass;

use crate::program::{FieldEntry, Program, WriteEntry, WriteKind};
use crate::slab::{ByteSpan, RawView, SetFields};
use crate::wire::{Bits, CpuTask, Cursor, zigzag32, zigzag64};
use children::ChildrenTask;

pub(super) use pass::{Pass, room_for_length};

#[cfg(test)]
mod tests;

impl<'a, 'i, 'b> Pass<'a, 'i, 'b> {
    /// Writes a message, given by its program and body; it looks `looks` bytes long.
    #[inline(always)]
    fn message(&mut self, (program, base): (&'a Program, u32), depth: u32, looks: u32, bits: impl Bits) {
        if program.needs_care() || self.view.words.get(base + 1) != 0 {
            return self.careful_message((program, base), depth, looks, bits);
        }
        let set = self.view.words.hasbits(program, base);
        let (writes, entries) = (program.writes(), program.entries());
        bits.call(FieldsTask { pass: self, base, depth, looks, writes, entries, set });
    }

    /// Writes a message that has required or unknown fields, is wide, or is bytes.
    #[inline(never)]
    fn careful_message(
        &mut self,
        (program, base): (&'a Program, u32),
        depth: u32,
        looks: u32,
        bits: impl Bits,
    ) {
        let words = self.view.words;
        if program.is_message_set() {
            return self.give_up();
        }
        if words.is_verbatim(base) {
            // Sub-messages that were decoded from its bytes may lack required fields.
            self.missing |= u64::from(program.needs_check());
            let levels = RawView { base, ..self.view }.raw_levels();
            if depth + levels > self.depth_limit {
                return self.give_up();
            }
            return self.unknown(base);
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
                bits.call(FieldsTask { pass: self, base, depth, looks, writes, entries, set: 1 });
            }
        } else {
            let set = words.hasbits(program, base);
            self.missing |= program.required_mask() & !set;
            bits.call(FieldsTask { pass: self, base, depth, looks, writes, entries, set });
        }
        self.unknown(base)
    }

    /// Writes the unknown fields of a message, or all bytes of a verbatim one.
    fn unknown(&mut self, base: u32) {
        let view = RawView { base, ..self.view };
        for span in view.spans() {
            if let Some(tag) = span.tag {
                self.out.put_varint(tag.into());
            }
            self.out.put_slice(view.bytes_at(span.offset, span.len));
        }
    }

    /// Writes a number or string where little room is left.
    #[cold]
    #[inline(never)]
    fn last_field(&self, mut out: Cursor<'b>, field: &WriteEntry, slot: u32) -> Cursor<'b> {
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
pub(super) struct Forward<'p, 'a, 'i, 'b>(pub(super) &'p mut Pass<'a, 'i, 'b>);

impl CpuTask for Forward<'_, '_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run(self, bits: impl Bits) {
        let RawView { base, store, .. } = self.0.view;
        let program = self.0.view.program();
        self.0.message((program, base), 0, store.len() as u32, bits);
    }
}

/// Set fields of a message: those of `writes` and `entries` at the positions of the bits in `set`.
///
/// Only scalars, and the cursor is where `pass` is: structs inside, or a cursor that is returned, would be copied as blocks right
/// after their parts were stored, and such loads wait for the stores (a third of the time of a mesh).
struct FieldsTask<'p, 'a, 'i, 'b> {
    pass: &'p mut Pass<'a, 'i, 'b>,
    base: u32,
    depth: u32,
    looks: u32,
    writes: &'a [WriteEntry],
    entries: &'a [FieldEntry],
    set: u64,
}

impl CpuTask for FieldsTask<'_, '_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run(self, bits: impl Bits) {
        let FieldsTask { pass, base, depth, looks, writes, entries, mut set } = self;
        let mut out = pass.out.take();
        let RawView { words, store, .. } = pass.view;
        while set != 0 {
            let index = set.trailing_zeros() as usize;
            set &= set - 1;
            let Some(field) = writes.get(index) else { break };
            let (tag, slot) = (field.tag, base.wrapping_add(field.slot.into()));
            if field.kind >= WriteKind::List {
                let Some(entry) = entries.get(index) else { break };
                if field.kind == WriteKind::List {
                    out = list::write_list(out, pass.view, entry, tag, slot);
                    continue;
                }
                pass.out = out;
                bits.call(ChildrenTask { pass: &mut *pass, depth, looks, field, entry, slot });
                out = pass.out.take();
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
        pass.out = out;
    }
}
