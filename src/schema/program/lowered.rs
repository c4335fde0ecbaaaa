//! One message type, lowered: what the loops read.

use super::coding::{NumberForm, WriteKind};
use super::{FieldEntry, FixedLayout, NestedFixedLayout, Room, RoomFull};
use crate::schema::table::Kind;
use crate::wire::TagWord;
use alloc::vec::Vec;

/// Fields per group of a wide body.
pub(crate) const WIDE_GROUP: usize = 32;

/// The table of one-byte tags of a message without fields.
pub(super) const NO_FIELDS: [FieldEntry; 16] = {
    let mut entries = [FieldEntry::none(1); 16];
    entries[0] = FieldEntry::none(0);
    entries
};

/// No field has that number. A program has fewer entries.
pub(super) const NO_POSITION: u16 = u16::MAX;

/// What holds for a whole program, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProgramFlags(u16);

impl ProgramFlags {
    pub(super) const NONE: Self = Self(0);
    /// Properties for which `encode/forward/` has a path of its own.
    const CARE: Self = Self(Self::WIDE.0 | Self::MESSAGE_SET.0 | Self::NUMBERS.0);
    pub(super) const WIDE: Self = Self(1);
    /// The message itself has required fields.
    pub(super) const HAS_REQUIRED: Self = Self(1 << 1);
    /// This message, or one that can be below it, has required fields.
    pub(super) const NEEDS_CHECK: Self = Self(1 << 2);
    /// A field is a map.
    pub(super) const MAPS: Self = Self(1 << 3);
    /// A field is a message, a list of messages or a map.
    pub(super) const PARENT: Self = Self(1 << 4);
    /// Such a field has a body outside the slots of its parent.
    pub(super) const NESTS: Self = Self(1 << 5);
    /// A string or bytes field of this message, or of one that can be below it, can refer to the byte store.
    pub(super) const SPANS: Self = Self(1 << 6);
    /// Lists of this message hold the bodies themselves.
    pub(super) const CONTIGUOUS: Self = Self(1 << 7);
    /// The end of a message writes its lower hasbits, and nothing else.
    pub(super) const PLAIN_END: Self = Self(1 << 8);
    /// There are fields past the end of the table by number.
    pub(super) const MORE_NUMBERS: Self = Self(1 << 9);
    pub(super) const MESSAGE_SET: Self = Self(1 << 10);
    pub(super) const MAP_ENTRY: Self = Self(1 << 11);
    /// Fields need no words outside of the body.
    pub(super) const SELF_CONTAINED: Self = Self(1 << 12);
    /// The field loop decodes all fields, and nothing but hasbits is stored at the end.
    pub(super) const LEAF: Self = Self(1 << 13);
    /// Eight or more fields, and all are singular numbers.
    pub(super) const NUMBERS: Self = Self(1 << 14);
    /// This message, or one that can be below it, has fields besides those of a leaf, lists and messages, or more to store at the end.
    pub(super) const FRAMES: Self = Self(1 << 15);

    #[inline(always)]
    pub(super) const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    pub(super) const fn set(&mut self, flag: Self, on: bool) {
        if on {
            self.0 |= flag.0;
        } else {
            self.0 &= !flag.0;
        }
    }
}

/// One message type, lowered. `build.rs` makes it; nothing changes it after `freeze`.
#[derive(Debug)]
pub(crate) struct Program {
    /// Entries by field number 0..16: those of one-byte tags.
    pub(super) one_byte: [FieldEntry; 16],
    /// All entries, by field number.
    pub(super) entries: Vec<FieldEntry>,
    /// Entries by field number from `by_number_first` on, as long as the table stays linear in the number of fields.
    pub(super) by_number_table: Vec<FieldEntry>,
    pub(super) by_number_first: u32,
    /// Where there are larger numbers: positions of entries by field number from `by_number_first` on, eight times as far;
    /// [`NO_POSITION`] for a number without a field.
    pub(super) positions: Vec<u16>,
    /// The entries as the encoder needs them.
    pub(super) writes: Vec<WriteEntry>,
    /// Field index (position in the spec) of each entry.
    pub(super) fields: Vec<u16>,
    /// Entry index of each field.
    pub(super) entry_of: Vec<u16>,
    /// Hasbits of the members of each oneof; dense programs only.
    pub(super) oneof_masks: Vec<u64>,
    /// Hasbits of the required fields; dense programs only.
    pub(super) required_mask: u64,
    /// Positions of the required fields.
    pub(super) required: Vec<u16>,
    /// The one encoding of a body with all fields, if they are all fixed-width numbers.
    pub(super) fixed: Option<FixedLayout>,
    /// The one encoding of a body with all fields, if they are all messages of fixed shape. At most one: a list, because
    /// the layout is large and rare.
    pub(super) nested_fixed: Vec<NestedFixedLayout>,
    /// Singular fields whose size on the wire does not depend on their value: hasbits, and that size.
    pub(super) constant_sizes: Vec<(u64, u8)>,
    /// Size of a body in words.
    pub(super) words: u32,
    /// How many of them are cleared when a body is made.
    pub(super) cleared: u16,
    pub(super) flags: ProgramFlags,
    /// Index of the message type in the pool.
    pub(super) message: u32,
    /// What the program does with fields that its selection leaves out.
    pub(super) unselected: Unselected,
    /// Index of the program of the same message without a selection.
    pub(super) whole: u32,
}

/// What a program does with fields that are not selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unselected {
    /// All fields are selected.
    Nothing,
    /// It skips them.
    Dropped,
    /// It keeps them: a message that is not empty is verbatim.
    Kept,
}

impl Program {
    /// A message without fields.
    pub(super) const EMPTY: Self = Self {
        one_byte: NO_FIELDS,
        entries: Vec::new(),
        by_number_table: Vec::new(),
        by_number_first: 0,
        positions: Vec::new(),
        writes: Vec::new(),
        fields: Vec::new(),
        entry_of: Vec::new(),
        oneof_masks: Vec::new(),
        required_mask: 0,
        required: Vec::new(),
        fixed: None,
        nested_fixed: Vec::new(),
        constant_sizes: Vec::new(),
        words: 2,
        cleared: 2,
        flags: ProgramFlags::NONE,
        message: u32::MAX,
        unselected: Unselected::Nothing,
        whole: u32::MAX,
    };

    /// The entries, in field number order.
    pub(crate) fn entries(&self) -> &[FieldEntry] {
        &self.entries
    }

    /// The entry of the field number in a one-byte tag. The caller compares tags: the wire type may be another one.
    #[inline(always)]
    pub(crate) fn one_byte(&self, tag: u8) -> &FieldEntry {
        &self.one_byte[(tag & 0x78) as usize >> 3]
    }

    /// Position of an entry of this program.
    #[inline(always)]
    pub(crate) fn position(&self, entry: &FieldEntry) -> usize {
        if self.flags.has(ProgramFlags::WIDE) { entry.slot as usize } else { entry.bit as usize }
    }

    /// Position and entry of a field number.
    #[inline]
    pub(crate) fn by_number(&self, number: u32) -> Option<(usize, &FieldEntry)> {
        let entry = self.find(number).filter(|e| e.number() == number)?;
        Some((self.position(entry), entry))
    }

    /// The entry of a field number. For a number without a field: `None`, or an entry with another tag.
    #[inline(always)]
    pub(crate) fn find(&self, number: u32) -> Option<&FieldEntry> {
        match self.by_number_table.get(number.wrapping_sub(self.by_number_first) as usize) {
            Some(entry) => Some(entry),
            None if self.flags.has(ProgramFlags::MORE_NUMBERS) => self.find_larger(number),
            None => None,
        }
    }

    /// As [`find`](Self::find), for a number after the table. Out of line, because loops need the registers.
    #[inline(never)]
    fn find_larger(&self, number: u32) -> Option<&FieldEntry> {
        match self.positions.get(number.wrapping_sub(self.by_number_first) as usize) {
            Some(&position) => self.entries.get(position as usize),
            None => self.find_by_search(number),
        }
    }

    #[cold]
    #[inline(never)]
    fn find_by_search(&self, number: u32) -> Option<&FieldEntry> {
        let index = self.entries.binary_search_by_key(&number, |e| e.number()).ok()?;
        self.entries.get(index)
    }

    /// Position of the entry's field in the spec.
    #[inline]
    pub(crate) fn field_of(&self, entry: usize) -> usize {
        self.fields.get(entry).map_or(usize::MAX, |&f| f as usize)
    }

    /// Position and entry of the field at this position of the spec.
    #[inline]
    pub(crate) fn entry_of(&self, field: usize) -> Option<(usize, &FieldEntry)> {
        let index = *self.entry_of.get(field)? as usize;
        self.entries.get(index).map(|e| (index, e))
    }

    /// Whether some fields are not selected. Then unknown fields are not selected either.
    #[inline(always)]
    pub(crate) fn is_partial(&self) -> bool {
        self.unselected != Unselected::Nothing
    }

    /// Whether messages keep their bytes for the sake of fields that are not selected.
    #[inline(always)]
    pub(crate) fn keeps_bytes(&self) -> bool {
        self.unselected == Unselected::Kept
    }

    /// The program of the same message and the same layout without a selection.
    pub(crate) fn whole(&self) -> u32 {
        self.whole
    }

    /// Index of the message type in the pool.
    #[inline(always)]
    pub(crate) fn message(&self) -> u32 {
        self.message
    }

    /// Whether fields need no words outside of the body: it is dense, and has neither lists nor messages elsewhere.
    pub(crate) fn is_self_contained(&self) -> bool {
        self.flags.has(ProgramFlags::SELF_CONTAINED)
    }

    /// Size of a body in words.
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
        self.flags.has(ProgramFlags::MAPS)
    }

    /// Words to clear when a body is made: the header and the slots of strings.
    #[inline(always)]
    pub(crate) fn cleared(&self) -> u16 {
        self.cleared
    }

    /// Whether bodies store only the fields that are set.
    #[inline]
    pub(crate) fn is_wide(&self) -> bool {
        self.flags.has(ProgramFlags::WIDE)
    }

    /// Whether a dense body has hasbits 32..64, in header word 2.
    #[inline]
    pub(crate) fn has_high_bits(&self) -> bool {
        !self.flags.has(ProgramFlags::WIDE) && self.entries.len() > 32
    }

    /// Whether the end of a message only writes its lower hasbits: the program is dense, has at most 32 fields, none of
    /// them required, and keeps no bytes.
    #[inline(always)]
    pub(crate) fn has_plain_end(&self) -> bool {
        self.flags.has(ProgramFlags::PLAIN_END)
    }

    /// Whether the field loop decodes all fields, but for messages in oneofs, and the end only writes hasbits; no map entry.
    #[inline(always)]
    pub(crate) fn is_leaf(&self) -> bool {
        self.flags.has(ProgramFlags::LEAF)
    }

    /// Whether this message, and all messages below it, have fields that the field loop decodes, lists of strings or numbers, and messages, and no more.
    #[inline(always)]
    pub(crate) fn is_tree(&self) -> bool {
        self.is_leaf() || !self.flags.has(ProgramFlags::FRAMES)
    }

    /// Whether lists of this message hold the bodies themselves.
    #[inline]
    pub(crate) fn is_contiguous(&self) -> bool {
        self.flags.has(ProgramFlags::CONTIGUOUS)
    }

    /// Words per element in a list of this message.
    #[inline]
    pub(crate) fn element_words(&self) -> u32 {
        if self.flags.has(ProgramFlags::CONTIGUOUS) { self.words } else { 1 }
    }

    /// Hasbits of the members of a oneof (1-based, as in `FieldEntry::oneof`); dense programs only.
    #[inline]
    pub(crate) fn oneof_mask(&self, oneof: u16) -> u64 {
        self.oneof_masks.get((oneof as usize).wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// The layout of a body whose fields are all fixed-width numbers.
    #[inline(always)]
    pub(crate) fn fixed(&self) -> Option<&FixedLayout> {
        self.fixed.as_ref()
    }

    /// The layout of a body whose fields are all messages of fixed shape.
    #[inline(always)]
    pub(crate) fn nested_fixed(&self) -> Option<&NestedFixedLayout> {
        self.nested_fixed.first()
    }

    /// Hasbits of singular fields by their constant size on the wire, tag included; dense programs only.
    #[inline(always)]
    pub(crate) fn constant_sizes(&self) -> &[(u64, u8)] {
        &self.constant_sizes
    }

    /// Number of oneofs.
    pub(crate) fn oneofs(&self) -> usize {
        self.oneof_masks.len()
    }

    /// Words of 64 bits with a bit for each field and each oneof: where parsers note what a message has had.
    pub(crate) fn seen_words(&self) -> usize {
        (self.entries.len() + self.oneofs()).div_ceil(64)
    }

    /// Hasbits of the required fields; dense programs only.
    #[inline]
    pub(crate) fn required_mask(&self) -> u64 {
        self.required_mask
    }

    /// Whether the message itself has required fields.
    #[inline]
    pub(crate) fn has_required(&self) -> bool {
        self.flags.has(ProgramFlags::HAS_REQUIRED)
    }

    /// Whether a field is a message, a list of messages or a map.
    #[inline]
    pub(crate) fn is_parent(&self) -> bool {
        self.flags.has(ProgramFlags::PARENT)
    }

    /// Whether a message field has a body outside the slots of its parent.
    #[inline]
    pub(crate) fn nests(&self) -> bool {
        self.flags.has(ProgramFlags::NESTS)
    }

    /// Whether a field of the message, or of one that can be below it, can refer to the byte store; unknown fields always can.
    #[inline]
    pub(crate) fn has_spans(&self) -> bool {
        self.flags.has(ProgramFlags::SPANS)
    }

    /// Whether it has eight or more fields, all of them singular numbers, and is dense.
    #[inline]
    pub(crate) fn is_numbers(&self) -> bool {
        self.flags.has(ProgramFlags::NUMBERS)
    }

    /// Whether a message of this type has a path of its own in the encoder: it is wide, a MessageSet, or has only numbers.
    #[inline(always)]
    pub(crate) fn needs_care(&self) -> bool {
        self.flags.has(ProgramFlags::CARE)
    }

    /// Whether the encoder writes a message of this type by one loop over up to 32 hasbits: it has no messages, and no path of its own.
    #[inline(always)]
    pub(crate) fn is_flat(&self) -> bool {
        !(self.is_parent() || self.needs_care() || self.has_high_bits())
    }

    /// The entries as the encoder needs them.
    #[inline(always)]
    pub(crate) fn writes(&self) -> &[WriteEntry] {
        &self.writes
    }

    /// Whether the message has the wire format of a MessageSet.
    #[inline(always)]
    pub(crate) fn is_message_set(&self) -> bool {
        self.flags.has(ProgramFlags::MESSAGE_SET)
    }

    /// Whether the message is an entry of a map.
    pub(crate) fn is_map_entry(&self) -> bool {
        self.flags.has(ProgramFlags::MAP_ENTRY)
    }

    /// Whether required fields can be missing anywhere below this message.
    pub(crate) fn needs_check(&self) -> bool {
        self.flags.has(ProgramFlags::NEEDS_CHECK)
    }

    /// Groups of 32 places in a wide body. Each field has a place; after the fields, each oneof has one, which says which member is set.
    pub(crate) fn wide_groups(&self) -> u32 {
        (self.entries.len() + self.oneofs()).div_ceil(WIDE_GROUP) as u32
    }
}

// The input of lowering: message and enum types as plain data that refer to each other by index.

/// One message type; its index in the list given to `ProgramSet::new` is its program index.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageSpec {
    /// The fields, in any order; the position of a field in this list is its field index.
    pub fields: Vec<FieldSpec>,
    /// MessageSet wire format.
    pub message_set: bool,
    /// A map entry: field 1 is the key, field 2 the value.
    pub map_entry: bool,
}

/// One field.
#[derive(Clone, Debug)]
pub(crate) struct FieldSpec {
    /// 1 to 2^29-1, unique in its message.
    pub number: u32,
    /// The kind, with program and enum indices; of a map field, `Message` with the index of the entry type.
    pub kind: Kind<u32, u32>,
    /// Presence and cardinality.
    pub presence: Presence,
    /// Encoded packed (repeated scalars only).
    pub packed: bool,
    /// A group on the wire (message fields only).
    pub delimited: bool,
    /// Strings must be UTF-8.
    pub utf8: bool,
    /// Index of the oneof, if the field is a member of one that is not synthetic.
    pub oneof: Option<u32>,
}

#[cfg(test)]
impl FieldSpec {
    /// A field of this number, kind and shape; packed if repeated and packable, UTF-8 checked, no oneof.
    pub(crate) fn new(number: u32, kind: Kind<u32, u32>, presence: Presence) -> Self {
        let packed = matches!(presence, Presence::Repeated) && kind.is_packable();
        Self { number, kind, presence, packed, delimited: false, utf8: true, oneof: None }
    }
}

/// Presence and cardinality of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Singular, set when its value is not zero or empty.
    Implicit,
    /// Singular, set when it was written; all message fields and oneof members.
    Explicit,
    /// As `Explicit`, and an error when it is not set.
    Required,
    /// A list.
    Repeated,
    /// A list of map entries with unique keys.
    Map,
}

/// One enum type.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnumSpec {
    /// Numbers that are not listed become unknown fields.
    pub closed: bool,
    /// All numbers; the first one is the default.
    pub numbers: Vec<i32>,
}

/// A schema to lower: messages and enums by index.
pub(crate) trait SpecSource {
    /// How many messages there are.
    fn messages(&self) -> usize;
    /// Overwrites `spec` with the description of a message.
    fn message(&self, index: u32, spec: &mut MessageSpec, room: &mut Room) -> Result<(), RoomFull>;
    /// How many enums there are.
    fn enums(&self) -> usize;
    /// Whether the enum is closed: numbers that it does not list become unknown fields.
    fn is_closed(&self, index: u32) -> bool;
    /// How many numbers an enum lists.
    fn enum_numbers(&self, index: u32) -> usize;
    /// The number at this place of the list.
    fn enum_number(&self, index: u32, at: usize) -> Option<i32>;
}

impl SpecSource for (&[MessageSpec], &[EnumSpec]) {
    fn messages(&self) -> usize {
        self.0.len()
    }

    fn message(&self, index: u32, spec: &mut MessageSpec, room: &mut Room) -> Result<(), RoomFull> {
        let Some(message) = self.0.get(index as usize) else { return Ok(()) };
        (spec.message_set, spec.map_entry) = (message.message_set, message.map_entry);
        spec.fields.clear();
        room.reserve(&mut spec.fields, message.fields.len())?;
        spec.fields.extend_from_slice(&message.fields);
        Ok(())
    }

    fn enums(&self) -> usize {
        self.1.len()
    }

    fn is_closed(&self, index: u32) -> bool {
        self.1.get(index as usize).is_some_and(|e| e.closed)
    }

    fn enum_numbers(&self, index: u32) -> usize {
        self.1.get(index as usize).map_or(0, |e| e.numbers.len())
    }

    fn enum_number(&self, index: u32, at: usize) -> Option<i32> {
        self.1.get(index as usize)?.numbers.get(at).copied()
    }
}

// What the encoder needs of a field.

/// One field, 16 bytes. Varints differ by data, not by branches: the order of field kinds is what a processor predicts worst
/// in an encoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteEntry {
    pub(crate) tag: TagWord,
    pub(crate) form: NumberForm,
    /// First word of the value relative to the body; dense programs only.
    pub(crate) slot: u16,
    pub(crate) kind: WriteKind,
}

impl WriteEntry {
    pub(super) fn new(entry: &FieldEntry) -> Self {
        let flags = entry.flags;
        let explicit = !flags.is_implicit() && !flags.is_required();
        let kind = WriteKind::of(entry.coding, (flags.is_list(), flags.is_inline(), explicit));
        Self { tag: TagWord::new(entry.tag), form: NumberForm::of(entry.coding), slot: entry.slot, kind }
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use alloc::vec::Vec;

    #[test]
    fn every_number_finds_its_field_wherever_the_tables_end() {
        let all: Vec<u32> = (1..=30).map(|i| i * i).chain([5_000, 536_870_911]).collect();
        for (first, numbers) in
            [(1, &all[..1]), (1, &all[..10]), (1, &all[..30]), (1, &all), (900, &all[29..])]
        {
            let field = |&number: &u32| FieldSpec::new(number, Kind::Int32, Presence::Explicit);
            let spec = MessageSpec { fields: numbers.iter().map(field).collect(), ..Default::default() };
            let set = ProgramSet::new(&[spec], &[]).unwrap();
            let program = set.program(0);
            assert_eq!(program.by_number_first, first);
            // Both tables stay linear in the number of fields.
            let few = 2 * numbers.len() + 16;
            assert!(program.by_number_table.len() <= few && program.positions.len() <= 8 * few);
            for number in (1..6_000).chain(536_870_900..536_870_912) {
                let expected = numbers.binary_search(&number).ok();
                let found = program.by_number(number).map(|(position, entry)| (position, entry.number()));
                assert_eq!(found, expected.map(|position| (position, number)));
            }
        }
    }
}

#[cfg(test)]
mod write_tests {
    use super::*;

    #[test]
    fn an_entry_is_sixteen_bytes() {
        assert_eq!(size_of::<WriteEntry>(), 16);
    }
}
