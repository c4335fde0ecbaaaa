//! Making a program: entries from the spec, then what follows from the layout, then the tables.
//!
//! Only `entries` is ever edited: by the layout, by `set.rs` (fixed shapes, plain maps) and by a selection.
//! [`Program::freeze`] then fills the two tables that hold copies of them, and nothing changes any more.

use super::layout::CONTIGUOUS_WORDS;
use super::lowered::{NO_FIELDS, NO_POSITION, ProgramFlags};
use super::{
    Coding, FieldEntry, FixedLayout, LowerError, MessageSpec, Op, Program, Room, RoomFull, WriteEntry,
    sort_list,
};
use crate::wire::error::DescriptorErrorKind;
use alloc::vec::Vec;

const MAX_FIELDS: usize = u16::MAX as usize;
const MAX_NUMBER: u32 = (1 << 29) - 1;
/// The largest type id in a MessageSet. It is no field number on the wire.
const MAX_TYPE_ID: u32 = i32::MAX as u32 - 1;

/// Positions of the required fields among the entries.
pub(super) fn required_positions(entries: &[FieldEntry], room: &mut Room) -> Result<Vec<u16>, RoomFull> {
    let positions = || (0u16..).zip(entries).filter(|(_, entry)| entry.flags.is_required());
    let mut required = Vec::new();
    room.reserve(&mut required, positions().count())?;
    required.extend(positions().map(|(position, _)| position));
    Ok(required)
}

impl Program {
    /// The entries of a message type in field number order, without layout or tables.
    pub(super) fn new(
        spec: &MessageSpec,
        closed: impl Fn(u32) -> bool + Copy,
        room: &mut Room,
    ) -> Result<Self, LowerError> {
        if spec.fields.len() >= MAX_FIELDS {
            return Err(DescriptorErrorKind::TooMany.into());
        }
        let most = if spec.message_set { MAX_TYPE_ID } else { MAX_NUMBER };
        if spec.fields.iter().any(|f| f.number == 0 || f.number > most) {
            return Err(DescriptorErrorKind::InvalidNumber.into());
        }
        let mut order = room.list(0..spec.fields.len() as u16)?;
        let number = |i: u16| spec.fields[i as usize].number;
        sort_list(&mut order, |&a, &b| (number(a), a) < (number(b), b));
        let mut entries = room
            .list(order.iter().map(|&i| FieldEntry::new(&spec.fields[i as usize], spec.map_entry, closed)))?;
        let oneofs = number_oneofs(spec, &order, &mut entries, room)?;
        let mut entry_of = room.filled(NO_POSITION, order.len())?;
        for (entry, &field) in order.iter().enumerate() {
            entry_of[field as usize] = entry as u16;
        }
        let mut flags = ProgramFlags::NONE;
        let has_required = entries.iter().any(|e| e.flags.is_required());
        flags.set(ProgramFlags::HAS_REQUIRED, has_required);
        flags.set(ProgramFlags::NEEDS_CHECK, has_required);
        flags.set(ProgramFlags::MESSAGE_SET, spec.message_set);
        flags.set(ProgramFlags::MAP_ENTRY, spec.map_entry);
        Ok(Self {
            fields: order,
            entry_of,
            oneof_masks: room.filled(0, oneofs)?,
            flags,
            entries,
            ..Self::EMPTY
        })
    }

    /// A copy to be edited: it must be frozen again.
    pub(super) fn copy(&self, room: &mut Room) -> Result<Self, RoomFull> {
        let mut nested_fixed = Vec::new();
        if let Some(layout) = self.nested_fixed() {
            room.reserve(&mut nested_fixed, 1)?;
            nested_fixed.push(layout.copy(room)?);
        }
        Ok(Self {
            entries: room.copy(&self.entries)?,
            by_number_table: Vec::new(),
            positions: Vec::new(),
            writes: room.copy(&self.writes)?,
            fields: room.copy(&self.fields)?,
            entry_of: room.copy(&self.entry_of)?,
            oneof_masks: room.copy(&self.oneof_masks)?,
            required: room.copy(&self.required)?,
            constant_sizes: room.copy(&self.constant_sizes)?,
            fixed: self.fixed.as_ref().map(|layout| layout.copy(room)).transpose()?,
            nested_fixed,
            ..*self
        })
    }

    /// Roughly the bytes of a copy, with what readers need for it.
    pub(super) fn weight(&self) -> usize {
        const PER_FIELD: usize = 2 * size_of::<FieldEntry>() + size_of::<WriteEntry>() + 32;
        let table =
            self.by_number_table.len() * size_of::<FieldEntry>() + self.positions.len() * size_of::<u16>();
        size_of::<Self>() + size_of::<super::ReadLayout>() + self.entries.len() * PER_FIELD + table
    }

    /// Gives the message fields faster operations where the sub-message allows them; the slices are indexed by program.
    pub(super) fn refine_ops(&mut self, fixed: &[bool], nested_fixed: &[bool], plain_maps: &[bool]) {
        let is = |programs: &[bool], sub: u32| programs.get(sub as usize).copied().unwrap_or(false);
        for entry in self.entries.iter_mut().filter(|e| e.coding == Coding::Message) {
            if is(fixed, entry.sub) {
                entry.set_fixed();
            }
            if is(nested_fixed, entry.sub) {
                entry.set_nested_fixed();
            }
            if is(plain_maps, entry.sub) {
                entry.set_plain_map();
            }
        }
    }

    /// Finds whether ending a message takes more than writing its lower hasbits.
    pub(super) fn find_plain_end(&mut self) {
        let busy = self.has_required() || self.keeps_bytes();
        let plain = !self.is_wide() && !busy && !self.has_high_bits();
        self.flags.set(ProgramFlags::PLAIN_END, plain);
    }

    /// Derives what follows from the layout: hasbits, masks, sizes, and what the encoder needs.
    pub(super) fn finish_layout(&mut self, room: &mut Room) -> Result<(), RoomFull> {
        for (i, entry) in self.entries.iter_mut().enumerate() {
            entry.bit = (i & 63) as u8;
        }
        let entries = &self.entries;
        // Elements that allocate nothing keep their list at the end of the slab, where it grows in place.
        let leaf =
            entries.iter().all(|e| !e.flags.is_list() && (!e.coding.is_message() || e.flags.is_inline()));
        let small = !self.is_wide() && self.words <= CONTIGUOUS_WORDS;
        self.required = required_positions(entries, room)?;
        self.writes = room.list(entries.iter().map(WriteEntry::new))?;
        let any = |is: fn(&FieldEntry) -> bool| entries.iter().any(is);
        for (flag, on) in [
            (ProgramFlags::SELF_CONTAINED, leaf && !self.is_wide()),
            (ProgramFlags::CONTIGUOUS, small && (leaf || self.is_map_entry())),
            (ProgramFlags::MAPS, any(|e| e.flags.is_map())),
            (
                ProgramFlags::NUMBERS,
                !self.is_wide() && self.writes.len() >= 8 && self.writes.iter().all(|w| w.kind.is_number()),
            ),
            (ProgramFlags::PARENT, any(|e| e.coding.is_message())),
            (ProgramFlags::NESTS, any(|e| e.coding.is_message() && !e.flags.is_inline())),
            (ProgramFlags::SPANS, any(|e| matches!(e.coding, Coding::String | Coding::Bytes))),
        ] {
            self.flags.set(flag, on);
        }
        self.find_plain_end();
        if !self.is_wide() {
            self.fixed = FixedLayout::new(&self.entries, room)?;
            self.find_masks(room)?;
        }
        Ok(())
    }

    /// The masks over the hasbits of a dense program.
    fn find_masks(&mut self, room: &mut Room) -> Result<(), RoomFull> {
        for entry in &self.entries {
            let bit = 1u64 << entry.bit;
            if entry.oneof != 0 {
                self.oneof_masks[entry.oneof as usize - 1] |= bit;
            }
            if entry.flags.is_required() {
                self.required_mask |= bit;
            }
            if let Some(size) = entry.constant_size() {
                match self.constant_sizes.iter_mut().find(|(_, s)| *s == size) {
                    Some((mask, _)) => *mask |= bit,
                    None => room.push(&mut self.constant_sizes, (bit, size))?,
                }
            }
        }
        Ok(())
    }

    /// Fills the tables by field number from the entries, which are final now.
    pub(super) fn freeze(&mut self, room: &mut Room) -> Result<(), RoomFull> {
        let first = self.entries.first().map_or(1, |e| e.number());
        let last = self.entries.last().map_or(1, |e| e.number());
        // At most two places per field and 16 more, and eight times as many of two bytes, so that memory is linear in the number
        // of fields. Larger numbers are found by binary search.
        let (all, few) = (last - first + 1, 2 * self.entries.len() as u32 + 16);
        self.by_number_first = first;
        self.flags.set(ProgramFlags::MORE_NUMBERS, all > few);
        let plain = self.has_plain_end() && !self.is_map_entry();
        self.flags.set(ProgramFlags::LEAF, plain && all_in_loop(&self.entries));
        let tree = plain && self.entries.iter().all(|e| in_loop(e) || is_child(e) || e.is_elements());
        self.flags.set(ProgramFlags::FRAMES, !tree);
        self.by_number_table =
            room.list((0..all.min(few)).map(|place| FieldEntry::none(first.saturating_add(place))))?;
        let far = if all > few { all.min(8 * few) } else { 0 };
        self.positions = room.filled(NO_POSITION, far as usize)?;
        self.one_byte = NO_FIELDS;
        for (position, entry) in (0u16..).zip(&self.entries) {
            let number = entry.number();
            if let Some(place) = self.one_byte.get_mut(number as usize) {
                *place = *entry;
            }
            let place = (number - first) as usize;
            if let Some(place) = self.by_number_table.get_mut(place) {
                *place = *entry;
            }
            if let Some(place) = self.positions.get_mut(place) {
                *place = position;
            }
        }
        Ok(())
    }
}

/// Whether the field loop decodes the field.
fn in_loop(entry: &FieldEntry) -> bool {
    entry.op <= Op::FixedMessage || (Op::SkipVarint..=Op::SkipLength).contains(&entry.op)
}

/// Whether the field loop finds the field to be a message, or one of a list.
fn is_child(entry: &FieldEntry) -> bool {
    matches!(entry.op, Op::Message | Op::Inline | Op::ListMessage)
}

/// Whether the field loop decodes all fields but the messages of oneofs that have other members too: they are mostly one of those.
fn all_in_loop(entries: &[FieldEntry]) -> bool {
    entries.iter().all(|e| {
        in_loop(e) || e.oneof != 0 && entries.iter().any(|other| other.oneof == e.oneof && in_loop(other))
    })
}

/// Numbers the oneofs of a message from 1 on in their entries, and returns how many there are.
fn number_oneofs(
    spec: &MessageSpec,
    order: &[u16],
    entries: &mut [FieldEntry],
    room: &mut Room,
) -> Result<usize, RoomFull> {
    let mut oneofs: Vec<u32> = Vec::new();
    for oneof in spec.fields.iter().filter_map(|field| field.oneof) {
        if oneofs.last() != Some(&oneof) {
            room.push(&mut oneofs, oneof)?;
        }
    }
    sort_list(&mut oneofs, |a, b| a < b);
    oneofs.dedup();
    for (entry, &i) in entries.iter_mut().zip(order) {
        if let Some(oneof) = spec.fields[i as usize].oneof {
            entry.oneof = 1 + oneofs.partition_point(|&o| o < oneof) as u16;
        }
    }
    let count = oneofs.len();
    room.drop_list(oneofs);
    Ok(count)
}
