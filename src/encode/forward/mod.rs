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
//! Most messages on the wire are shorter than 128 bytes, so the guess is right and nothing moves: neither the message at its end,
//! as after a pass backwards, nor is anything sized before.
//!
//! A pass gives up on what it cannot write well: wrong guesses that moved more bytes than [`Pass::may_move`] allows; MessageSets;
//! maps in the order of their keys. Then the message is written backwards. Because a pass recurses, so are sub-messages below
//! [`LEVELS`](pass::LEVELS) levels, each by itself (`deep.rs`).
//!
//! Out-of-line functions and tasks take and return the cursor by value, so its address never escapes and it stays in registers.
//! One loop with its own stack of levels instead of recursion takes 1.2 to 1.35x the instructions: it keeps more alive than
//! there are registers.

mod deep;
mod fixed;
mod pass;
#[cfg(test)]
mod tests;

use super::list::write_list;
use crate::program::{Coding, FieldEntry, Program, WriteEntry, WriteKind};
use crate::slab::{BodyRef, ByteSpan, RawView, SetFields};
use crate::wire::{Bits, CpuTask, varint_len, with_best_cpu, zigzag32, zigzag64};
use deep::DeepChildren;
use fixed::{put_each, put_fixed, put_point};
pub(super) use pass::{Pass, room_for_length};

impl<'a> Pass<'a, '_, '_> {
    /// Writes a message, given by its program and body; it looks `looks` bytes long.
    #[inline(always)]
    fn message(&mut self, (program, base): (&'a Program, u32), depth: u32, looks: u32, bits: impl Bits) {
        if program.needs_care() || self.view.words.get(base + 1) != 0 {
            return self.careful_message((program, base), depth, looks, bits);
        }
        self.dense_message((program, base), depth, looks, bits);
    }

    /// Writes the set fields of a message that is not wide.
    #[inline(always)]
    fn dense_message(
        &mut self,
        (program, base): (&'a Program, u32),
        depth: u32,
        looks: u32,
        bits: impl Bits,
    ) {
        let set = self.view.words.hasbits(program, base);
        self.missing |= program.required_mask() & !set;
        self.fields((program.writes(), program.entries()), (base, set), depth, looks, bits);
    }

    /// Writes a message that has unknown fields, is wide, or is bytes.
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
            let levels = self.view.at(BodyRef { base, ..self.view.body }).raw_levels();
            if depth + levels > self.depth_limit {
                return self.give_up();
            }
            return self.unknown(base);
        }
        if program.is_wide() {
            // Only `find_missing` checks them.
            self.missing |= u64::from(program.has_required());
            bits.call(WideTask { pass: self, program, base, depth, looks });
        } else {
            bits.call(FieldsTask { pass: self, program, base, depth, looks });
        }
        self.unknown(base)
    }

    /// Writes the whole message.
    #[inline(always)]
    pub(in crate::encode) fn write(&mut self) {
        let RawView { body, store, words, .. } = self.view;
        let (program, base, looks) = (self.view.program(), body.base, store.len() as u32);
        if program.needs_care() || words.get(base + 1) != 0 {
            with_best_cpu(Careful(self));
        } else {
            with_best_cpu(FieldsTask { pass: self, program, base, depth: 0, looks });
        }
    }
}

/// The whole message of a pass, if it is one for [`Pass::careful_message`].
struct Careful<'p, 'a, 'i, 'b>(&'p mut Pass<'a, 'i, 'b>);

impl CpuTask for Careful<'_, '_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run(self, bits: impl Bits) {
        let RawView { body, store, .. } = self.0.view;
        let program = self.0.view.program();
        self.0.careful_message((program, body.base), 0, store.len() as u32, bits);
    }
}

/// The set fields of a message that is not wide.
///
/// Few members and only scalars, and the cursor is where `pass` is: structs inside, or a cursor that is returned, would be copied as
/// blocks right after their parts were stored, and such loads wait for the stores (a third of the time of a mesh).
struct FieldsTask<'p, 'a, 'i, 'b> {
    pass: &'p mut Pass<'a, 'i, 'b>,
    program: &'a Program,
    base: u32,
    depth: u32,
    looks: u32,
}

impl CpuTask for FieldsTask<'_, '_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run(self, bits: impl Bits) {
        let FieldsTask { pass, program, base, depth, looks } = self;
        pass.dense_message((program, base), depth, looks, bits);
    }
}

/// The set fields of a wide message.
struct WideTask<'p, 'a, 'i, 'b> {
    pass: &'p mut Pass<'a, 'i, 'b>,
    program: &'a Program,
    base: u32,
    depth: u32,
    looks: u32,
}

impl CpuTask for WideTask<'_, '_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run(self, bits: impl Bits) {
        let WideTask { pass, program, base, depth, looks } = self;
        let words = pass.view.words;
        let mut fields = SetFields::new(program, words, base);
        while let Some((position, _, slot)) = fields.next_of(program, words, base) {
            // One field at a time, from a base at which its entry finds the slot.
            let (Some(writes), Some(entries)) =
                (program.writes().get(position..), program.entries().get(position..))
            else {
                break;
            };
            let base = slot.wrapping_sub(writes.first().map_or(0, |field| field.slot.into()));
            pass.fields((writes, entries), (base, 1), depth, looks, bits);
        }
    }
}

impl<'a> Pass<'a, '_, '_> {
    /// Writes set fields of the message at `base`: those at the positions of the bits in `set`.
    #[inline(always)]
    fn fields(
        &mut self,
        (writes, entries): (&'a [WriteEntry], &'a [FieldEntry]),
        (base, mut set): (u32, u64),
        depth: u32,
        looks: u32,
        bits: impl Bits,
    ) {
        let pass = self;
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
                    out = write_list(out, pass.view, entry, tag, slot);
                    continue;
                }
                if field.kind == WriteKind::Inline
                    && entry.coding != Coding::Group
                    && depth < pass.levels
                    && let Some(layout) = pass.view.set.program(entry.sub).fixed()
                    && words.get64(slot) == layout.all
                {
                    out = put_fixed(out, words, tag, layout, slot);
                    if out.is_full() {
                        break;
                    }
                    continue;
                }
                pass.out = out;
                bits.call(ChildrenTask { pass: &mut *pass, depth, looks, field, entry, slot });
                out = pass.out.take();
                if out.is_full() {
                    break;
                }
                continue;
            }
            let Some(item) = out.item() else {
                out = pass.last_field(out, field, slot);
                if out.is_full() {
                    break;
                }
                continue;
            };
            // An arm for each kind of number; for those of explicit presence one without branches (`WriteKind::of`). Arms go to the next field
            // themselves: with the cursor returned from a function of its own, flat messages took a fifth more instructions.
            let varint = match field.kind {
                WriteKind::Varint => field.form.value(words.get64_or_32(slot)),
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

/// The messages of a field, to be written.
struct ChildrenTask<'p, 'f, 'a, 'i, 'b> {
    pass: &'p mut Pass<'a, 'i, 'b>,
    /// The depth of their parent, and how large it looks.
    depth: u32,
    looks: u32,
    field: &'f WriteEntry,
    entry: &'f FieldEntry,
    slot: u32,
}

impl CpuTask for ChildrenTask<'_, '_, '_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run(self, bits: impl Bits) {
        let ChildrenTask { pass, depth, looks, field, entry, slot } = self;
        let (words, program, tag) = (pass.view.words, pass.view.set.program(entry.sub), field.tag);
        let group = entry.coding == Coding::Group;
        let layout = program.fixed().filter(|_| !group);
        // Where the next message is, or its offset; how far the one after it; how many are left.
        let (mut at, mut left, mut in_place) = (slot, 1, field.kind == WriteKind::Inline);
        if entry.flags.is_list() {
            let list = words.list(slot);
            (at, left, in_place) = (list.ptr, list.len, program.is_contiguous());
        }
        let stride = program.element_words();
        if left > 0 && (depth >= pass.levels || pass.sorts && entry.flags.is_map()) {
            return pass.deep_children(entry, tag, DeepChildren { at, left, in_place, stride, depth });
        }
        let looks = if left > 1 { looks / left } else { looks };
        let mut room = room_for_length(looks);
        let mut out = pass.out.take();
        while left > 0 {
            let base = if in_place { at } else { words.get(at) };
            (at, left) = (at.wrapping_add(stride), left - 1);
            // One comparison of both header words: all fields are set, and there are no unknown ones.
            if let Some(layout) = layout
                && words.get64(base) == layout.all
            {
                if !out.item().is_some_and(|item| put_point(item, words, tag, layout, base)) {
                    out = put_each(out, words.part(base + 2, 2 * layout.fields.len()), tag, layout);
                    if out.is_full() {
                        break;
                    }
                }
                continue;
            }
            let first = if group { tag } else { tag.and(0) };
            out.put_tag_word(first);
            if !group && room > 1 {
                // The message is not longer than what is left: near the end of a buffer that fits exactly, a guess that is too
                // large would not fit.
                room = room.min(varint_len(out.room().saturating_sub(1) as u64));
                out.put_word([0; 8], room - 1);
            }
            let content = out.written();
            pass.out = out;
            pass.message((program, base), depth + 1, looks, bits);
            out = pass.out.take();
            if out.is_full() {
                break;
            }
            let len = out.written().wrapping_sub(content);
            if group {
                out.put_tag_word(tag.next_wire_type());
            } else if room == 1 && len < 0x80 {
                out.close_short_length(content.wrapping_sub(1), len);
            } else {
                pass.out = out;
                pass.long_length(content, room);
                out = pass.out.take();
                // The messages of a list are alike.
                room = varint_len(len as u64);
            }
        }
        pass.out = out;
    }
}
