//! The message, or the messages, of one field.

use super::pass::{Pass, room_for_length};
use crate::program::{Coding, FieldEntry, FixedLayout, WriteEntry, WriteKind};
use crate::slab::Words;
use crate::wire::cursor::Item;
use crate::wire::{Bits, CpuTask, Cursor, TagWord, varint_len};

/// The messages of a field, to be written.
pub(super) struct ChildrenTask<'p, 'f, 'a, 'i, 'b> {
    pub(super) pass: &'p mut Pass<'a, 'i, 'b>,
    /// The depth of their parent, and how large it looks.
    pub(super) depth: u32,
    pub(super) looks: u32,
    pub(super) field: &'f WriteEntry,
    pub(super) entry: &'f FieldEntry,
    pub(super) slot: u32,
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
        if left > 0 && depth >= pass.levels {
            return pass.give_up();
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
                }
                continue;
            }
            let first = if group { tag } else { tag.and(0) };
            out.put_tag_word(first);
            if !group && room > 1 {
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

impl Pass<'_, '_, '_> {
    /// Writes a length for which some other number of bytes than one was kept free, or is needed.
    #[cold]
    #[inline(never)]
    fn long_length(&mut self, content: usize, room: usize) {
        let len = self.out.written().wrapping_sub(content);
        if varint_len(len as u64) != room && !self.may_move(len, self.out.written()) {
            return self.give_up();
        }
        self.out.close_any_length(content.wrapping_sub(room), room);
    }
}

/// Writes a point of three or four numbers with one check for room; false if the message is another one.
#[inline(always)]
fn put_point(item: Item<'_, '_>, words: Words<'_>, tag: TagWord, layout: &FixedLayout, base: u32) -> bool {
    if tag.len() != 1 {
        return false;
    }
    match (layout.all_u32, words.run(base + 2, layout.fields.len())) {
        (Some(3), &[x, y, z]) => put_numbers(item, tag, layout, [x, y, z]),
        (Some(4), &[x, y, z, w]) => put_numbers(item, tag, layout, [x, y, z, w]),
        _ => false,
    }
}

#[inline(always)]
fn put_numbers<const N: usize>(
    item: Item<'_, '_>,
    tag: TagWord,
    layout: &FixedLayout,
    values: [u32; N],
) -> bool {
    let Some(fields) = layout.fields.first_chunk::<N>() else { return false };
    let [tag, ..] = tag.at_start();
    item.put_tagged_fixed32s::<N>(
        tag,
        layout.len as u8,
        core::array::from_fn(|i| (fields[i].tag, values[i])),
    );
    true
}

/// Writes the fields one by one, from the words after the header.
#[inline(never)]
fn put_each<'b>(mut out: Cursor<'b>, values: &[u32], tag: TagWord, layout: &FixedLayout) -> Cursor<'b> {
    // At most 32 bytes, so tag and length are one word.
    out.put_tag_word(tag.and(layout.len as u8));
    for field in &layout.fields {
        out.put_byte(field.tag);
        let len = if field.eight { 2 } else { 1 };
        let from = usize::from(field.slot).wrapping_sub(2);
        out.put_words(values.get(from..from.wrapping_add(len)).unwrap_or_default());
    }
    out
}
