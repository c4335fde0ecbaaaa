//! Messages in a field: a singular one, and those of a list.

use super::numbers::{put_fixed, put_point};
use super::pass::{Pass, room_for_length};
use crate::engine::encode::write::Sized;
use crate::engine::slab::BodyRef;
use crate::schema::program::{Coding, FieldEntry, Program, WriteEntry, WriteKind};
use crate::wire::output::cursor::{CursorRoom, Filled};
use crate::wire::{Bits, CpuCall, Cursor, TagWord, varint_len};

impl<'a> Pass<'a, '_> {
    /// Writes the message of a singular field; false if it does not fit.
    #[inline(always)]
    pub(super) fn child(
        &mut self,
        out: &mut Cursor<'_>,
        entry: &'a FieldEntry,
        field: &WriteEntry,
        slot: u32,
        bits: impl Bits,
    ) -> bool {
        let (words, program, tag) = (self.view.words, self.view.set.program(entry.sub), field.tag);
        let in_place = field.kind == WriteKind::Inline;
        if self.depth >= self.levels {
            let children = DeepChildren { at: slot, left: 1, in_place };
            return out.fill(|room| self.deep_children(room, entry, tag, children)).is_some();
        }
        let base = if in_place { slot } else { words.get(slot) };
        let (header, group) = (words.get64(base), entry.coding == Coding::Group);
        // One comparison of both header words: all fields are set, and there are no unknown ones.
        if let Some(layout) = program.fixed()
            && header == layout.all
            && !group
        {
            return out.fill(|room| put_fixed(room, words, tag, layout, base)).is_some();
        }
        let mut width = room_for_length(self.looks);
        self.depth += 1;
        let fits = self.element(out, (program, base, header), (tag, group), &mut width, bits);
        self.depth -= 1;
        fits
    }

    /// Writes a message with its tag and length; false if it does not fit. `width` bytes are kept free for the length; it becomes what would
    /// have been right.
    #[inline(always)]
    fn element(
        &mut self,
        out: &mut Cursor<'_>,
        (program, base, header): (&'a Program, u32, u64),
        (tag, group): (TagWord, bool),
        width: &mut usize,
        bits: impl Bits,
    ) -> bool {
        if group {
            out.put_tag_word(tag);
            let fits = self.message(out, (program, base), header, bits).is_some();
            out.put_tag_word(tag.next_wire_type());
            return fits;
        }
        out.put_tag_word(tag.and(0));
        // No field is set, and there are no unknown ones: with a call for each, lists of mostly empty messages took twice as long.
        if header == 0 && program.has_plain_end() {
            return !out.is_full();
        }
        if *width > 1 {
            // The message is not longer than what is left: near the end of a buffer that fits exactly, a guess that is too large would
            // not fit.
            *width = (*width).min(varint_len(out.room().saturating_sub(1) as u64));
            out.put_word([0; 8], *width - 1);
        }
        let Some(len) = self.message(out, (program, base), header, bits) else { return false };
        self.close(out, len, width)
    }

    /// As [`element`](Self::element), of a message without messages, some of whose first 32 fields are set and no others, without a call.
    #[inline(always)]
    fn leaf(
        &mut self,
        out: &mut Cursor<'_>,
        (program, base, header): (&'a Program, u32, u64),
        tag: TagWord,
        width: &mut usize,
        bits: impl Bits,
    ) -> bool {
        out.put_tag_word(tag.and(0));
        let (start, set) = (out.room(), u64::from(header as u32));
        self.missing |= program.required_mask() & !set;
        self.fields::<true>(out, (program.writes(), program.entries()), (base, set), bits);
        if out.is_full() {
            return false;
        }
        self.close(out, start - out.room(), width)
    }

    /// Writes the length of a message before it; false if it does not fit.
    #[inline(always)]
    fn close(&mut self, out: &mut Cursor<'_>, len: usize, width: &mut usize) -> bool {
        if *width == 1 && len < 0x80 {
            out.close_short_length(len);
            return true;
        }
        let needed = varint_len(len as u64);
        if needed != *width && !self.may_move(len, out.room()) {
            out.fail();
            return false;
        }
        out.close_any_length(len, *width);
        *width = needed;
        true
    }

    /// Writes the entries of a map in the order of their keys. Out of line: few maps are sorted, and the order takes a register.
    #[inline(never)]
    fn sorted_entries<'w>(
        &mut self,
        room: CursorRoom<'w>,
        entry: &'a FieldEntry,
        tag: TagWord,
        slot: u32,
        bits: impl Bits,
    ) -> Filled<'w> {
        let (words, program) = (self.view.words, self.view.set.program(entry.sub));
        let list = self.view.list(entry, slot);
        // The error is found again, and reported, when the whole message is sized.
        let Some(order) = list.map_order() else { return self.give_up() };
        let (mut out, looks) = (Cursor::of(room), self.looks);
        self.looks = looks / list.len().max(1);
        let mut width = room_for_length(self.looks);
        self.depth += 1;
        for position in order {
            let base = list.message_base(position);
            let header = words.get64(base);
            if !self.element(&mut out, (program, base, header), (tag, false), &mut width, bits) {
                break;
            }
        }
        self.depth -= 1;
        self.looks = looks;
        out.filled()
    }
}

/// The messages of a list. All arguments are in registers.
pub(super) struct EncodeChildren;

impl<'a, 'i, 'w> CpuCall<&mut Pass<'a, 'i>, CursorRoom<'w>, &'a FieldEntry, TagWord, u32> for EncodeChildren {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        pass: &mut Pass<'a, 'i>,
        room: CursorRoom<'w>,
        entry: &'a FieldEntry,
        tag: TagWord,
        slot: u32,
    ) -> Filled<'w> {
        let (words, program) = (pass.view.words, pass.view.set.program(entry.sub));
        let (list, in_place) = (words.list(slot), program.is_contiguous());
        // Where the next message is, or its offset; how many are left.
        let (mut at, mut left) = (list.ptr, list.len);
        if pass.depth >= pass.levels {
            return pass.deep_children(room, entry, tag, DeepChildren { at, left, in_place });
        }
        if pass.options.is_deterministic() && entry.flags.is_map() {
            return pass.sorted_entries(room, entry, tag, slot, bits);
        }
        let group = entry.coding == Coding::Group;
        let layout = program.fixed().filter(|_| !group);
        if layout.is_none() && !group && program.is_flat() {
            return bits.call_with::<EncodeLeaves, _, _, _, _, _>(pass, room, entry, tag, slot);
        }
        let (mut out, looks) = (Cursor::of(room), pass.looks);
        if left > 1 {
            pass.looks = looks / left;
        }
        let (mut width, stride) = (room_for_length(pass.looks), program.element_words());
        pass.depth += 1;
        while left > 0 {
            let base = if in_place { at } else { words.get(at) };
            (at, left) = (at.wrapping_add(stride), left - 1);
            let header = words.get64(base);
            // As for a singular message.
            if let Some(layout) = layout
                && header == layout.all
            {
                if !out.item().is_some_and(|item| put_point(item, words, tag, layout, base))
                    && out.fill(|room| put_fixed(room, words, tag, layout, base)).is_none()
                {
                    break;
                }
                continue;
            }
            // The messages of a list are alike, so the width of one is a guess for the next one.
            if !pass.element(&mut out, (program, base, header), (tag, group), &mut width, bits) {
                break;
            }
        }
        pass.depth -= 1;
        pass.looks = looks;
        out.filled()
    }
}

/// As [`EncodeChildren`], of messages without messages that have no fixed shape: with a call for each, they took a third more
/// instructions. A function of its own, since what recurses should need little stack.
// One loop for both, with a closure for what differs, takes 10 to 15 % more instructions.
struct EncodeLeaves;

impl<'a, 'i, 'w> CpuCall<&mut Pass<'a, 'i>, CursorRoom<'w>, &'a FieldEntry, TagWord, u32> for EncodeLeaves {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        pass: &mut Pass<'a, 'i>,
        room: CursorRoom<'w>,
        entry: &'a FieldEntry,
        tag: TagWord,
        slot: u32,
    ) -> Filled<'w> {
        let (words, program) = (pass.view.words, pass.view.set.program(entry.sub));
        let (list, in_place, stride) = (words.list(slot), program.is_contiguous(), program.element_words());
        let (mut out, mut at, looks) = (Cursor::of(room), list.ptr, pass.looks);
        pass.looks = looks / list.len.max(1);
        let mut width = room_for_length(pass.looks);
        pass.depth += 1;
        for _ in 0..list.len {
            let base = if in_place { at } else { words.get(at) };
            at = at.wrapping_add(stride);
            let header = words.get64(base);
            let fits = match header >> 32 == 0 && header != 0 && width == 1 {
                true => pass.leaf(&mut out, (program, base, header), tag, &mut width, bits),
                false => pass.element(&mut out, (program, base, header), (tag, false), &mut width, bits),
            };
            if !fits {
                break;
            }
        }
        pass.depth -= 1;
        pass.looks = looks;
        out.filled()
    }
}

// Sub-messages that are too deep for recursion.

/// The messages of a field.
pub(super) struct DeepChildren {
    /// Where the first one is if they are `in_place`, else where its offset is.
    pub(super) at: u32,
    pub(super) left: u32,
    pub(super) in_place: bool,
}

impl Pass<'_, '_> {
    /// Sizes each message, and writes it then: every message is visited twice, however deep it is.
    #[cold]
    #[inline(never)]
    pub(super) fn deep_children<'w>(
        &mut self,
        room: CursorRoom<'w>,
        entry: &FieldEntry,
        tag: TagWord,
        children: DeepChildren,
    ) -> Filled<'w> {
        let DeepChildren { mut at, left, in_place } = children;
        if left == 0 {
            return Cursor::of(room).filled();
        }
        let stride = self.view.set.program(entry.sub).element_words();
        // Errors are found again, and reported, when the whole message is sized.
        let Some(max_depth) = self.options.depth_limit().checked_sub(self.depth + 1) else {
            return self.give_up();
        };
        if self.options.is_deterministic() && entry.flags.is_map() {
            return self.give_up();
        }
        let options = self.options.allow_partial(true).max_depth(max_depth);
        let mut out = Cursor::of(room);
        for _ in 0..left {
            let base = if in_place { at } else { self.view.words.get(at) };
            at = at.wrapping_add(stride);
            let view = self.view.at(BodyRef::of(entry, base));
            let Ok(sized) = Sized::new(view, &options) else { return self.give_up() };
            let group = entry.coding == Coding::Group;
            out.put_tag_word(tag);
            if !group {
                out.put_varint(sized.len);
            }
            self.missing |= u64::from(sized.missing);
            let Ok(written) = sized.write(view, &options, out) else { return self.give_up() };
            out = written;
            if group {
                out.put_tag_word(tag.next_wire_type());
            }
            if out.is_full() {
                return None;
            }
        }
        out.filled()
    }
}
