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
//! Functions and tasks that are not inlined fill the [`Room`] of a cursor, so its address never escapes and it stays in registers.
//! One loop with its own stack of levels instead of recursion takes 1.2 to 1.35x the instructions: it keeps more alive than
//! there are registers.

mod deep;
mod fixed;
mod pass;
#[cfg(test)]
mod tests;

use super::list::{put_string, write_list, write_strings};
use crate::program::{Coding, FieldEntry, Program, WriteEntry, WriteKind};
use crate::slab::{BodyRef, ByteSpan, RawView, SetFields};
use crate::wire::cursor::{Filled, FillRoom, Room};
use crate::wire::{Bits, CpuTask, Cursor, TagWord, varint_len, with_best_cpu, zigzag32, zigzag64};
use deep::DeepChildren;
use fixed::{FixedTask, put_point};
use pass::LastField;
pub(super) use pass::{Pass, room_for_length};

/// A message to be written.
#[derive(Clone, Copy)]
struct Part<'a> {
    program: &'a Program,
    base: u32,
    depth: u32,
    /// How many bytes long it looks.
    looks: u32,
}

impl<'a> Pass<'a, '_> {
    /// Writes a message, given its header words.
    #[inline(always)]
    fn message(&mut self, out: &mut Cursor<'_>, part: Part<'a>, header: u64, bits: impl Bits) {
        if part.program.needs_care() || header >> 32 != 0 {
            out.fill(CarefulTask { pass: self, part, bits });
            return;
        }
        self.dense_message(out, part, header, bits);
    }

    /// Writes the set fields of a message that is not wide.
    #[inline(always)]
    fn dense_message(&mut self, out: &mut Cursor<'_>, part: Part<'a>, header: u64, bits: impl Bits) {
        let program = part.program;
        let mut set = u64::from(header as u32);
        if program.has_high_bits() {
            set |= u64::from(self.view.words.get(part.base + 2)) << 32;
        }
        self.missing |= program.required_mask() & !set;
        self.fields(out, (program.writes(), program.entries()), set, part, bits);
    }

    /// Writes a message that has unknown fields, is wide, or is bytes.
    #[inline(never)]
    fn careful_message<'w>(&mut self, room: Room<'w>, part: Part<'a>, bits: impl Bits) -> Filled<'w> {
        let (words, Part { program, base, depth, .. }) = (self.view.words, part);
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
            return self.unknown(room, base);
        }
        let mut out = Cursor::of(room);
        if program.is_wide() {
            // Only `find_missing` checks them.
            self.missing |= u64::from(program.has_required());
            out.fill(WideTask { pass: self, part, bits });
        } else {
            out.fill(DenseTask { pass: self, part, bits });
        }
        out.fill(UnknownTask { pass: self, base });
        out.filled()
    }

    /// Writes the whole message.
    #[inline(always)]
    fn whole<'w>(&mut self, room: Room<'w>) -> Filled<'w> {
        let RawView { body, store, words, .. } = self.view;
        let program = self.view.program();
        let part = Part { program, base: body.base, depth: 0, looks: store.len() as u32 };
        if program.needs_care() || words.get(body.base + 1) != 0 {
            with_best_cpu(Careful { pass: self, room, part })
        } else {
            with_best_cpu(Fields { pass: self, room, part })
        }
    }
}

/// All of a pass.
pub(in crate::encode) struct WholeTask<'p, 'a, 'i>(pub(in crate::encode) &'p mut Pass<'a, 'i>);

impl FillRoom for WholeTask<'_, '_, '_> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        self.0.whole(room)
    }
}

/// A message for [`Pass::careful_message`].
struct Careful<'p, 'a, 'i, 'w> {
    pass: &'p mut Pass<'a, 'i>,
    room: Room<'w>,
    part: Part<'a>,
}

impl<'w> CpuTask for Careful<'_, '_, '_, 'w> {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Filled<'w> {
        self.pass.careful_message(self.room, self.part, bits)
    }
}

struct CarefulTask<'p, 'a, 'i, B> {
    pass: &'p mut Pass<'a, 'i>,
    part: Part<'a>,
    bits: B,
}

impl<B: Bits> FillRoom for CarefulTask<'_, '_, '_, B> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        self.pass.careful_message(room, self.part, self.bits)
    }
}

struct UnknownTask<'p, 'a, 'i> {
    pass: &'p Pass<'a, 'i>,
    base: u32,
}

impl FillRoom for UnknownTask<'_, '_, '_> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        self.pass.unknown(room, self.base)
    }
}

/// The set fields of a message that is not wide.
struct Fields<'p, 'a, 'i, 'w> {
    pass: &'p mut Pass<'a, 'i>,
    room: Room<'w>,
    part: Part<'a>,
}

impl<'w> CpuTask for Fields<'_, '_, '_, 'w> {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Filled<'w> {
        let (mut out, header) = (Cursor::of(self.room), self.pass.view.words.get64(self.part.base));
        self.pass.dense_message(&mut out, self.part, header, bits);
        out.filled()
    }
}

struct DenseTask<'p, 'a, 'i, B> {
    pass: &'p mut Pass<'a, 'i>,
    part: Part<'a>,
    bits: B,
}

impl<B: Bits> FillRoom for DenseTask<'_, '_, '_, B> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        self.bits.call(Fields { pass: self.pass, room, part: self.part })
    }
}

/// The set fields of a wide message.
struct WideFields<'p, 'a, 'i, 'w> {
    pass: &'p mut Pass<'a, 'i>,
    room: Room<'w>,
    part: Part<'a>,
}

impl<'w> CpuTask for WideFields<'_, '_, '_, 'w> {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Filled<'w> {
        let WideFields { pass, room, part } = self;
        let (words, program, mut out) = (pass.view.words, part.program, Cursor::of(room));
        let mut fields = SetFields::new(program, words, part.base);
        while let Some((position, _, base)) = fields.next_of(program, words, part.base) {
            let (Some(write), Some(entries)) =
                (program.writes().get(position), program.entries().get(position..))
            else {
                break;
            };
            // One field at a time, as the first one of a body that begins at its slot.
            let write = WriteEntry { slot: 0, ..*write };
            pass.fields(&mut out, (&[write], entries), 1, Part { base, ..part }, bits);
        }
        out.filled()
    }
}

struct WideTask<'p, 'a, 'i, B> {
    pass: &'p mut Pass<'a, 'i>,
    part: Part<'a>,
    bits: B,
}

impl<B: Bits> FillRoom for WideTask<'_, '_, '_, B> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        self.bits.call(WideFields { pass: self.pass, room, part: self.part })
    }
}

impl<'a> Pass<'a, '_> {
    /// Writes fields of a message: those at the positions of the bits in `set`.
    #[inline(always)]
    fn fields(
        &mut self,
        out: &mut Cursor<'_>,
        (writes, entries): (&[WriteEntry], &'a [FieldEntry]),
        mut set: u64,
        part: Part<'a>,
        bits: impl Bits,
    ) {
        let RawView { words, store, .. } = self.view;
        let body = words.body(part.base);
        while set != 0 {
            let index = set.trailing_zeros() as usize;
            set &= set - 1;
            let Some(field) = writes.get(index) else { break };
            let (tag, slot) = (field.tag, field.slot);
            if field.kind >= WriteKind::List {
                let Some(entry) = entries.get(index) else { break };
                let at = part.base.wrapping_add(slot.into());
                let fits = if field.kind == WriteKind::List {
                    out.fill(ListTask { view: &self.view, entry, tag, slot: at })
                } else if field.kind == WriteKind::Inline
                    && entry.coding != Coding::Group
                    && part.depth < self.levels
                    && let Some(layout) = self.view.set.program(entry.sub).fixed()
                    && body.get64(slot) == layout.all
                {
                    out.fill(FixedTask { words, tag, layout, base: at })
                } else {
                    let (in_place, pass) = (field.kind == WriteKind::Inline, &mut *self);
                    out.fill(ChildrenTask { pass, part, tag, in_place, entry, slot: at, bits })
                };
                if !fits {
                    break;
                }
                continue;
            }
            let Some(item) = out.item() else {
                if !out.fill(LastField { pass: self, field, body }) {
                    break;
                }
                continue;
            };
            // An arm for each kind of number; for those of explicit presence one without branches (`WriteKind::of`). Arms go to the next field
            // themselves: with the cursor returned from a function of its own, flat messages took a fifth more instructions.
            let varint = match field.kind {
                WriteKind::Varint => field.form.value(body.get64_or_32(slot)),
                WriteKind::Int32 => body.get(slot) as i32 as i64 as u64,
                WriteKind::Varint64 => body.get64(slot),
                WriteKind::Sint64 => zigzag64(body.get64(slot) as i64),
                WriteKind::Uint32 => {
                    item.put_varint(bits, tag, body.get(slot).into());
                    continue;
                }
                WriteKind::Sint32 => {
                    item.put_varint(bits, tag, zigzag32(body.get(slot) as i32).into());
                    continue;
                }
                WriteKind::Fixed32 => {
                    item.put_word(tag, body.get(slot).into(), 4);
                    continue;
                }
                WriteKind::Fixed64 => {
                    item.put_word(tag, body.get64(slot), 8);
                    continue;
                }
                _ => {
                    put_string(out, store, tag, ByteSpan::from_word(body.get64(slot)));
                    continue;
                }
            };
            if varint < 1 << 56 {
                item.put_varint(bits, tag, varint);
            } else {
                out.put_tagged_long(tag, varint);
            }
        }
    }
}

/// A list of anything but messages.
struct ListTask<'p, 'a, 'i> {
    view: &'p RawView<'a, 'i>,
    entry: &'p FieldEntry,
    tag: TagWord,
    slot: u32,
}

impl FillRoom for ListTask<'_, '_, '_> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        if matches!(self.entry.coding, Coding::String | Coding::Bytes) {
            return strings(room, self.view, self.tag, self.slot);
        }
        list(room, self.view, self.entry, self.tag, self.slot)
    }
}

#[inline(never)]
fn strings<'w>(room: Room<'w>, view: &RawView<'_, '_>, tag: TagWord, slot: u32) -> Filled<'w> {
    let mut out = Cursor::of(room);
    write_strings(&mut out, view, tag, slot);
    out.filled()
}

#[inline(never)]
fn list<'w>(
    room: Room<'w>,
    view: &RawView<'_, '_>,
    entry: &FieldEntry,
    tag: TagWord,
    slot: u32,
) -> Filled<'w> {
    let mut out = Cursor::of(room);
    write_list(&mut out, view, entry, tag, slot);
    out.filled()
}

struct ChildrenTask<'p, 'a, 'i, B> {
    pass: &'p mut Pass<'a, 'i>,
    /// Their parent.
    part: Part<'a>,
    tag: TagWord,
    /// A single message in the slots of its parent.
    in_place: bool,
    entry: &'p FieldEntry,
    slot: u32,
    bits: B,
}

impl<B: Bits> FillRoom for ChildrenTask<'_, '_, '_, B> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        let ChildrenTask { pass, part: Part { depth, looks, .. }, tag, in_place, entry, slot, bits } = self;
        bits.call(Children { pass, room, depth, looks, tag, in_place, entry, slot })
    }
}

/// The messages of a field. Few members and only scalars: structs inside would be copied as blocks right after their parts were stored, and such
/// loads wait for the stores.
struct Children<'p, 'a, 'i, 'w> {
    pass: &'p mut Pass<'a, 'i>,
    room: Room<'w>,
    depth: u32,
    looks: u32,
    tag: TagWord,
    in_place: bool,
    entry: &'p FieldEntry,
    slot: u32,
}

impl<'w> CpuTask for Children<'_, '_, '_, 'w> {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(self, bits: impl Bits) -> Filled<'w> {
        let Children { pass, room, depth, looks, tag, mut in_place, entry, slot } = self;
        let (words, program) = (pass.view.words, pass.view.set.program(entry.sub));
        let group = entry.coding == Coding::Group;
        let layout = program.fixed().filter(|_| !group);
        // Where the next message is, or its offset; how many are left.
        let (mut at, mut left) = (slot, 1);
        if entry.flags.is_list() {
            let list = words.list(slot);
            (at, left, in_place) = (list.ptr, list.len, program.is_contiguous());
        }
        let stride = program.element_words();
        if left > 0 && (depth >= pass.levels || pass.sorts && entry.flags.is_map()) {
            return pass.deep_children(room, entry, tag, DeepChildren { at, left, in_place, stride, depth });
        }
        let looks = if left > 1 { looks / left } else { looks };
        let mut width = room_for_length(looks);
        let first = if group { tag } else { tag.and(0) };
        let mut out = Cursor::of(room);
        while left > 0 {
            let base = if in_place { at } else { words.get(at) };
            (at, left) = (at.wrapping_add(stride), left - 1);
            let header = words.get64(base);
            // One comparison of both header words: all fields are set, and there are no unknown ones.
            if let Some(layout) = layout
                && header == layout.all
            {
                if !out.item().is_some_and(|item| put_point(item, words, tag, layout, base))
                    && !out.fill(FixedTask { words, tag, layout, base })
                {
                    break;
                }
                continue;
            }
            out.put_tag_word(first);
            if !group && width > 1 {
                // The message is not longer than what is left: near the end of a buffer that fits exactly, a guess that is too
                // large would not fit.
                width = width.min(varint_len(out.room().saturating_sub(1) as u64));
                out.put_word([0; 8], width - 1);
            }
            let content = out.written();
            pass.message(&mut out, Part { program, base, depth: depth + 1, looks }, header, bits);
            if out.is_full() {
                break;
            }
            let len = out.written().wrapping_sub(content);
            if group {
                out.put_tag_word(tag.next_wire_type());
            } else if width == 1 && len < 0x80 {
                out.close_short_length(content.wrapping_sub(1), len);
            } else {
                let needed = varint_len(len as u64);
                if needed != width && !pass.may_move(len, out.room()) {
                    return pass.give_up();
                }
                out.close_any_length(content.wrapping_sub(width), width);
                // The messages of a list are alike.
                width = needed;
            }
        }
        out.filled()
    }
}
