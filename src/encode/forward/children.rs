//! The message, or the messages, of one field.

use super::{Pass, Place, room_for_length};
use crate::program::{Coding, FieldEntry, FixedLayout, WriteEntry, WriteKind};
use crate::slab::Words;
use crate::wire::{Bits, CpuTask, Cursor, TagWord, varint_len};

/// The messages of a field, to be written.
pub(super) struct Children<'p, 'f, 'a, 'i, 'b> {
    pub(super) pass: &'p mut Pass<'a, 'i>,
    /// Their parent.
    pub(super) place: Place<'a>,
    pub(super) field: &'f WriteEntry,
    pub(super) entry: &'f FieldEntry,
    pub(super) slot: u32,
    pub(super) out: Cursor<'b>,
}

impl<'b> CpuTask for Children<'_, '_, '_, '_, 'b> {
    type Out = Cursor<'b>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Cursor<'b> {
        let Children { pass, place, field, entry, slot, mut out } = self;
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
        if left > 0 && place.depth >= pass.levels {
            return pass.give_up(out);
        }
        let looks = if left > 1 { place.looks / left } else { place.looks };
        let mut room = room_for_length(looks);
        while left > 0 {
            let base = if in_place { at } else { words.get(at) };
            (at, left) = (at.wrapping_add(stride), left - 1);
            // One comparison of both header words: all fields are set, and there are no unknown ones.
            if let Some(layout) = layout
                && words.get64(base) == layout.all
            {
                put_fixed(&mut out, words, tag, layout, base);
                continue;
            }
            let child = Place { program, base, depth: place.depth + 1, looks };
            let first = if group { tag } else { tag.and(0) };
            out.put_tag_word(first);
            if !group && room > 1 {
                out.put_word([0; 8], room - 1);
            }
            let content = out.written();
            out = pass.message(child, out, bits);
            if out.is_full() {
                break;
            }
            let len = out.written().wrapping_sub(content);
            if group {
                out.put_tag_word(tag.next_wire_type());
            } else if room == 1 && len < 0x80 {
                out.close_short_length(content.wrapping_sub(1), len);
            } else {
                out = pass.long_length(out, content, room);
                // The messages of a list are alike.
                room = varint_len(len as u64);
            }
        }
        out
    }
}

impl Pass<'_, '_> {
    /// Writes a length for which some other number of bytes than one was kept free, or is needed.
    #[cold]
    #[inline(never)]
    fn long_length<'b>(&mut self, mut out: Cursor<'b>, content: usize, room: usize) -> Cursor<'b> {
        let len = out.written().wrapping_sub(content);
        if varint_len(len as u64) != room && !self.may_move(len, out.written()) {
            return self.give_up(out);
        }
        out.close_any_length(content.wrapping_sub(room), room);
        out
    }
}

/// Writes a message of fixed shape with all fields set.
#[inline(always)]
fn put_fixed(out: &mut Cursor<'_>, words: Words<'_>, tag: TagWord, layout: &FixedLayout, base: u32) {
    // At most 32 bytes, so tag and length are one word.
    out.put_tag_word(tag.and(layout.len as u8));
    for field in &layout.fields {
        let (slot, tag) = (base + u32::from(field.slot), TagWord::of_byte(field.tag));
        let (value, len) = if field.eight { (words.get64(slot), 8) } else { (words.get(slot).into(), 4) };
        match out.item() {
            Some(item) => item.put_word(tag, value, len),
            None => {
                out.put_tag_word(tag);
                out.put_word(value.to_le_bytes(), len);
            }
        }
    }
}
