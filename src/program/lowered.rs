//! One message type, lowered.

use super::layout::CONTIGUOUS_WORDS;
use super::{
    Coding, FieldEntry, FixedLayout, LowerError, MessageSpec, NestedFixedLayout, NoRoom, Room, WriteEntry,
};
use crate::error::DescriptorErrorKind;
use alloc::vec::Vec;

/// Fields per group of a wide body.
pub(crate) const WIDE_GROUP: usize = 32;

const MAX_FIELDS: usize = u16::MAX as usize;
const MAX_NUMBER: u32 = (1 << 29) - 1;
/// Of an extension of a MessageSet, which never is a field number on the wire.
const MAX_ITEM: u32 = i32::MAX as u32 - 1;
/// No field of that number.
const NONE: u16 = u16::MAX;

/// No field of a one-byte tag.
const NO_FIELDS: [FieldEntry; 16] = {
    let mut entries = [FieldEntry::none(1); 16];
    entries[0] = FieldEntry::none(0);
    entries
};

/// Where the required fields are among the entries.
pub(super) fn required_positions(entries: &[FieldEntry], room: &mut Room) -> Result<Vec<u16>, NoRoom> {
    let positions = || (0u16..).zip(entries).filter(|(_, entry)| entry.flags.is_required());
    let mut required = Vec::new();
    room.reserve(&mut required, positions().count())?;
    required.extend(positions().map(|(position, _)| position));
    Ok(required)
}

/// One message type, lowered.
#[derive(Debug)]
pub(crate) struct Program {
    /// Entries by field number 0..16, the numbers of one-byte tags.
    pub(super) one_byte: [FieldEntry; 16],
    pub(super) entries: Vec<FieldEntry>,
    /// Entries by field number from `by_number_first` on, as far as that takes memory in the number of fields.
    pub(super) by_number_table: Vec<FieldEntry>,
    pub(super) by_number_first: u32,
    /// There are fields beyond those.
    has_more_numbers: bool,
    /// The entries as the encoder needs them.
    writes: Vec<WriteEntry>,
    /// Field index (position in the spec) of each entry.
    fields: Vec<u16>,
    /// Entry index of each field.
    entry_of: Vec<u16>,
    /// Presence bits of all members of each oneof, for dense programs.
    oneof_masks: Vec<u64>,
    /// Presence bits of the required fields, for dense programs.
    pub(super) required_mask: u64,
    /// Positions of the required fields.
    pub(super) required: Vec<u16>,
    /// Presence bits of lists and maps, for dense programs.
    repeated_mask: u64,
    /// The form of a body with all fields, if they are all fixed-width numbers.
    pub(super) fixed: Option<FixedLayout>,
    /// The form of a body with all fields, if they are all messages of such a form: one or none.
    pub(super) nested_fixed: Vec<NestedFixedLayout>,
    /// Presence bits of singular fields whose size on the wire does not depend on their value, by that size.
    constant_sizes: Vec<(u64, u8)>,
    /// Size of the body in words.
    pub(super) words: u32,
    /// How many of them are cleared to make it.
    pub(super) cleared: u16,
    pub(super) wide: bool,
    pub(super) has_required: bool,
    /// Maps can be in it.
    maps: bool,
    /// Messages can be in it.
    parent: bool,
    /// Messages can be in it, outside of its own slots.
    nests: bool,
    /// Strings and bytes can be in it, or in messages in it.
    spans: bool,
    /// This message, or one reachable from it, has required fields.
    pub(super) needs_check: bool,
    contiguous: bool,
    /// A message ends by writing its lower presence bits, and nothing else is to be done.
    plain_end: bool,
    pub(crate) message_set: bool,
    pub(super) map_entry: bool,
    /// Index of the message type in the list that the programs were made from.
    pub(super) message: u32,
    /// What it leaves out of the message, for programs that were made by a selection.
    pub(super) unselected: Unselected,
    /// The program of the same message that leaves nothing out.
    pub(super) whole: u32,
}

/// What a program does with the fields of its message that are not selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unselected {
    /// There are none.
    Nothing,
    /// They are skipped.
    Dropped,
    /// They are kept: messages that are not empty are verbatim.
    Kept,
}

impl Program {
    /// A message without fields.
    pub(super) const EMPTY: Self = Self {
        one_byte: NO_FIELDS,
        entries: Vec::new(),
        by_number_table: Vec::new(),
        by_number_first: 0,
        has_more_numbers: false,
        writes: Vec::new(),
        fields: Vec::new(),
        entry_of: Vec::new(),
        oneof_masks: Vec::new(),
        required_mask: 0,
        required: Vec::new(),
        repeated_mask: 0,
        fixed: None,
        nested_fixed: Vec::new(),
        constant_sizes: Vec::new(),
        words: 2,
        cleared: 2,
        wide: false,
        has_required: false,
        maps: false,
        parent: false,
        nests: false,
        spans: false,
        needs_check: false,
        contiguous: false,
        plain_end: false,
        message_set: false,
        map_entry: false,
        message: u32::MAX,
        unselected: Unselected::Nothing,
        whole: u32::MAX,
    };

    pub(super) fn new(
        spec: &MessageSpec,
        closed: impl Fn(u32) -> bool + Copy,
        room: &mut Room,
    ) -> Result<Self, LowerError> {
        if spec.fields.len() >= MAX_FIELDS {
            return Err(DescriptorErrorKind::TooMany.into());
        }
        let most = if spec.message_set { MAX_ITEM } else { MAX_NUMBER };
        if spec.fields.iter().any(|f| f.number == 0 || f.number > most) {
            return Err(DescriptorErrorKind::InvalidNumber.into());
        }
        let mut order = room.list(0..spec.fields.len() as u16)?;
        order.sort_unstable_by_key(|&i| (spec.fields[i as usize].number, i));
        let mut entries = room
            .list(order.iter().map(|&i| FieldEntry::new(&spec.fields[i as usize], spec.map_entry, closed)))?;
        let mut oneofs: Vec<u32> = Vec::new();
        for oneof in spec.fields.iter().filter_map(|field| field.oneof) {
            if oneofs.last() != Some(&oneof) {
                room.push(&mut oneofs, oneof)?;
            }
        }
        oneofs.sort_unstable();
        oneofs.dedup();
        for (entry, &i) in entries.iter_mut().zip(&order) {
            if let Some(oneof) = spec.fields[i as usize].oneof {
                entry.oneof = 1 + oneofs.partition_point(|&o| o < oneof) as u16;
            }
        }
        let mut entry_of = room.filled(NONE, order.len())?;
        for (entry, &field) in order.iter().enumerate() {
            entry_of[field as usize] = entry as u16;
        }
        let has_required = entries.iter().any(|e| e.flags.is_required());
        let oneof_masks = room.filled(0, oneofs.len())?;
        room.drop_list(oneofs);
        Ok(Self {
            fields: order,
            entry_of,
            oneof_masks,
            has_required,
            needs_check: has_required,
            message_set: spec.message_set,
            map_entry: spec.map_entry,
            entries,
            ..Self::EMPTY
        })
    }

    /// A copy that asks whether there is room.
    pub(super) fn copy(&self, room: &mut Room) -> Result<Self, NoRoom> {
        let mut parts = Vec::new();
        if let Some(shape) = self.nested_fixed() {
            room.reserve(&mut parts, 1)?;
            parts.push(shape.copy(room)?);
        }
        Ok(Self {
            entries: room.copy(&self.entries)?,
            by_number_table: room.copy(&self.by_number_table)?,
            writes: room.copy(&self.writes)?,
            fields: room.copy(&self.fields)?,
            entry_of: room.copy(&self.entry_of)?,
            oneof_masks: room.copy(&self.oneof_masks)?,
            required: room.copy(&self.required)?,
            constant_sizes: room.copy(&self.constant_sizes)?,
            fixed: self.fixed.as_ref().map(|shape| shape.copy(room)).transpose()?,
            nested_fixed: parts,
            ..*self
        })
    }

    /// Bytes that a copy takes, and what readers need beside it; roughly.
    pub(super) fn weight(&self) -> usize {
        const PER_FIELD: usize = 2 * size_of::<FieldEntry>() + size_of::<WriteEntry>() + 32;
        size_of::<Self>()
            + size_of::<super::ReadLayout>()
            + self.entries.len() * PER_FIELD
            + self.by_number_table.len() * 16
    }

    /// Tells the entries of messages of fixed shape from others, and of map entries with plain values.
    pub(super) fn mark(&mut self, shaped: &[bool], parts: &[bool], plain: &[bool]) {
        for table in [&mut self.entries[..], &mut self.by_number_table[..], &mut self.one_byte[..]] {
            for entry in table.iter_mut().filter(|e| e.coding == Coding::Message) {
                if shaped.get(entry.sub as usize).copied().unwrap_or(false) {
                    entry.set_fixed();
                }
                if parts.get(entry.sub as usize).copied().unwrap_or(false) {
                    entry.set_nested_fixed();
                }
                if plain.get(entry.sub as usize).copied().unwrap_or(false) {
                    entry.set_plain_map();
                }
            }
        }
    }

    /// Finds whether ending a message takes more than writing its presence bits.
    pub(super) fn find_plain_end(&mut self) {
        let busy = self.has_required || self.unselected == Unselected::Kept;
        self.plain_end = !self.wide && !busy && !self.has_high_bits();
    }

    /// Fills in what follows from the layout.
    pub(super) fn finish(&mut self, map_entry: bool, room: &mut Room) -> Result<(), NoRoom> {
        // Elements that allocate nothing keep their list at the end of the slab, where it grows in place.
        let leaf = self
            .entries
            .iter()
            .all(|e| !e.flags.is_list() && (!e.coding.is_message() || e.flags.is_inline()));
        self.contiguous = !self.wide && self.words <= CONTIGUOUS_WORDS && (leaf || map_entry);
        self.find_plain_end();
        if !self.wide {
            self.fixed = FixedLayout::new(&self.entries, room)?;
        }
        self.required = required_positions(&self.entries, room)?;
        let first = self.entries.first().map_or(1, |e| e.number());
        let last = self.entries.last().map_or(1, |e| e.number());
        let places = (last - first + 1).min(2 * self.entries.len() as u32 + 16);
        self.by_number_first = first;
        self.has_more_numbers = places <= last - first;
        self.by_number_table =
            room.list((0..places as usize).map(|at| FieldEntry::none(first + at as u32)))?;
        self.writes = room.list(self.entries.iter().map(WriteEntry::new))?;
        self.maps = self.entries.iter().any(|e| e.flags.is_map());
        self.parent = self.entries.iter().any(|e| e.coding.is_message());
        self.nests = self.entries.iter().any(|e| e.coding.is_message() && !e.flags.is_inline());
        let spans =
            |e: &FieldEntry| e.coding.is_message() || matches!(e.coding, Coding::String | Coding::Bytes);
        self.spans = self.entries.iter().any(spans);
        for (i, entry) in self.entries.iter_mut().enumerate() {
            entry.bit = (i & 63) as u8;
            let number = entry.number();
            let places = [
                self.one_byte.get_mut(number as usize),
                self.by_number_table.get_mut((number - first) as usize),
            ];
            for place in places.into_iter().flatten() {
                *place = *entry;
            }
            if self.wide {
                continue;
            }
            let bit = 1u64 << entry.bit;
            if entry.oneof != 0 {
                self.oneof_masks[entry.oneof as usize - 1] |= bit;
            }
            if entry.flags.is_required() {
                self.required_mask |= bit;
            }
            if entry.flags.is_list() {
                self.repeated_mask |= bit;
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

    /// The entries, in field number order.
    pub(crate) fn entries(&self) -> &[FieldEntry] {
        &self.entries
    }

    /// The entry for a one-byte tag, whose field number is below 16; its tag may be another one.
    #[inline(always)]
    pub(crate) fn one_byte(&self, tag: u8) -> &FieldEntry {
        &self.one_byte[(tag & 0x78) as usize >> 3]
    }

    /// Position of an entry of this program.
    #[inline(always)]
    pub(crate) fn position(&self, entry: &FieldEntry) -> usize {
        if self.wide { entry.slot as usize } else { entry.bit as usize }
    }

    /// The entry of a field number, and its position.
    #[inline]
    pub(crate) fn by_number(&self, number: u32) -> Option<(usize, &FieldEntry)> {
        let entry = self.find(number).filter(|e| e.number() == number)?;
        Some((self.position(entry), entry))
    }

    /// The entry of a field number; for a number without a field, nothing or an entry of another tag.
    #[inline(always)]
    pub(crate) fn find(&self, number: u32) -> Option<&FieldEntry> {
        match self.by_number_table.get(number.wrapping_sub(self.by_number_first) as usize) {
            Some(entry) => Some(entry),
            None if self.has_more_numbers => self.find_by_search(number),
            None => None,
        }
    }

    #[inline(never)]
    fn find_by_search(&self, number: u32) -> Option<&FieldEntry> {
        let index = self.entries.binary_search_by_key(&number, |e| e.number()).ok()?;
        self.entries.get(index)
    }

    /// Position of the entry's field in the spec the program was made from.
    #[inline]
    pub(crate) fn field_of(&self, entry: usize) -> usize {
        self.fields.get(entry).map_or(usize::MAX, |&f| f as usize)
    }

    /// The entry of the field at this position of the spec.
    #[inline]
    pub(crate) fn entry_of(&self, field: usize) -> Option<(usize, &FieldEntry)> {
        let index = *self.entry_of.get(field)? as usize;
        self.entries.get(index).map(|e| (index, e))
    }

    /// Whether there are fields that are not selected; then unknown fields are not either.
    #[inline(always)]
    pub(crate) fn is_partial(&self) -> bool {
        self.unselected != Unselected::Nothing
    }

    /// Whether messages keep their bytes because of fields that are not selected.
    #[inline(always)]
    pub(crate) fn keeps_bytes(&self) -> bool {
        self.unselected == Unselected::Kept
    }

    /// The program of the same message, with the same layout, that leaves nothing out.
    pub(crate) fn whole(&self) -> u32 {
        self.whole
    }

    /// Index of the message type in the pool.
    #[inline(always)]
    pub(crate) fn message(&self) -> u32 {
        self.message
    }

    /// Size of a body, in 4-byte words.
    #[inline]
    pub(crate) fn words(&self) -> u32 {
        self.words
    }

    /// Positions of the required fields, in number order.
    pub(crate) fn required(&self) -> &[u16] {
        &self.required
    }

    /// Whether a field is a map.
    pub(crate) fn has_maps(&self) -> bool {
        self.maps
    }

    /// Words of a body that are cleared to make it: the header and the slots of strings.
    #[inline(always)]
    pub(crate) fn cleared(&self) -> u16 {
        self.cleared
    }

    /// Whether bodies keep only the fields that are set.
    #[inline]
    pub(crate) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Presence bits of lists and maps, of a dense program.
    pub(crate) fn repeated_mask(&self) -> u64 {
        self.repeated_mask
    }

    /// Whether presence bits 32..64 exist, in header word 2 of a dense body.
    #[inline]
    pub(crate) fn has_high_bits(&self) -> bool {
        !self.wide && self.entries.len() > 32
    }

    /// Whether a message ends by writing its lower presence bits: dense, at most 32 fields, none of them required, and no
    /// bytes to be kept.
    #[inline(always)]
    pub(crate) fn has_plain_end(&self) -> bool {
        self.plain_end
    }

    /// Whether lists of this message hold the bodies themselves.
    #[inline]
    pub(crate) fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// Words per element in a list of this message.
    #[inline]
    pub(crate) fn element_words(&self) -> u32 {
        if self.contiguous { self.words } else { 1 }
    }

    /// Presence bits of the members of a oneof (1-based, as in `FieldEntry::oneof`), of a dense program.
    #[inline]
    pub(crate) fn oneof_mask(&self, oneof: u16) -> u64 {
        self.oneof_masks.get((oneof as usize).wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// The form of a body with all fields, if they are all fixed-width numbers.
    #[inline(always)]
    pub(crate) fn fixed(&self) -> Option<&FixedLayout> {
        self.fixed.as_ref()
    }

    /// The form of a body with all fields, if they are all messages of fixed shape.
    #[inline(always)]
    pub(crate) fn nested_fixed(&self) -> Option<&NestedFixedLayout> {
        self.nested_fixed.first()
    }

    /// Presence bits of singular fields with a size of their own on the wire, tag included; of a dense program.
    #[inline(always)]
    pub(crate) fn constant_sizes(&self) -> &[(u64, u8)] {
        &self.constant_sizes
    }

    /// Number of oneofs.
    pub(crate) fn oneofs(&self) -> usize {
        self.oneof_masks.len()
    }

    /// Presence bits of the required fields of a dense program.
    #[inline]
    pub(crate) fn required_mask(&self) -> u64 {
        self.required_mask
    }

    /// Whether the message itself has required fields.
    #[inline]
    pub(crate) fn has_required(&self) -> bool {
        self.has_required
    }

    /// Whether the message can hold other messages.
    #[inline]
    pub(crate) fn is_parent(&self) -> bool {
        self.parent
    }

    /// Whether the message can hold other messages outside of its own slots.
    #[inline]
    pub(crate) fn nests(&self) -> bool {
        self.nests
    }

    /// Whether strings and bytes can be in the message or in messages in it.
    #[inline]
    pub(crate) fn has_spans(&self) -> bool {
        self.spans
    }

    /// The entries as the encoder needs them.
    #[inline(always)]
    pub(crate) fn writes(&self) -> &[WriteEntry] {
        &self.writes
    }

    /// Whether required fields can be missing anywhere below this message.
    pub(crate) fn needs_check(&self) -> bool {
        self.needs_check
    }

    /// Words of the group table of a wide body: bitmap and block offset per 32 places. Each field has a place, and
    /// behind the fields each oneof has one that says which member is set.
    pub(crate) fn wide_table_words(&self) -> u32 {
        ((self.entries.len() + self.oneofs()).div_ceil(WIDE_GROUP) * 2) as u32
    }
}
