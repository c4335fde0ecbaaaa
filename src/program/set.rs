//! Programs and the set that holds them.

use super::layout::{self, CONTIGUOUS_WORDS};
use super::{Bodies, Body, Coding, Entry, EnumSpec, FixedShape, MessageSpec, PartsShape, WriteEntry};
use crate::error::DescriptorErrorKind;
use crate::table::Kind;
use alloc::sync::{Arc, Weak};
use alloc::{vec, vec::Vec};

/// Fields per group of a wide body.
pub(crate) const WIDE_GROUP: usize = 32;

const MAX_FIELDS: usize = u16::MAX as usize;
const MAX_NUMBER: u32 = (1 << 29) - 1;
/// No field of that number.
const NONE: u16 = u16::MAX;

/// No field of a one-byte tag.
const NO_FIELDS: [Entry; 16] = {
    let mut entries = [Entry::none(1); 16];
    entries[0] = Entry::none(0);
    entries
};

/// One message type, lowered.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Entries by field number 0..16, the numbers of one-byte tags.
    pub(super) fast: [Entry; 16],
    pub(super) entries: Vec<Entry>,
    /// Entries by field number from `near_from` on, as far as that takes memory in the number of fields.
    pub(super) near: Vec<Entry>,
    pub(super) near_from: u32,
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
    /// The form of a body with all fields, if they are all fixed-width numbers.
    pub(super) fixed: Option<FixedShape>,
    /// The form of a body with all fields, if they are all messages of such a form.
    pub(super) parts: Option<PartsShape>,
    /// Presence bits of singular fields whose size on the wire does not depend on their value, by that size.
    constant_sizes: Vec<(u64, u8)>,
    /// Size of the body in words.
    pub(super) words: u32,
    pub(super) wide: bool,
    pub(super) has_required: bool,
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
    pub(super) left_out: LeftOut,
    /// The program of the same message that leaves nothing out.
    pub(super) whole: u32,
}

/// What a program does with the fields of its message that are not selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
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
        fast: NO_FIELDS,
        entries: Vec::new(),
        near: Vec::new(),
        near_from: 0,
        writes: Vec::new(),
        fields: Vec::new(),
        entry_of: Vec::new(),
        oneof_masks: Vec::new(),
        required_mask: 0,
        fixed: None,
        parts: None,
        constant_sizes: Vec::new(),
        words: 2,
        wide: false,
        has_required: false,
        nests: false,
        spans: false,
        needs_check: false,
        contiguous: false,
        plain_end: false,
        message_set: false,
        map_entry: false,
        message: u32::MAX,
        left_out: LeftOut::Nothing,
        whole: u32::MAX,
    };

    fn new(spec: &MessageSpec, closed: &[bool]) -> Result<Self, DescriptorErrorKind> {
        if spec.fields.len() >= MAX_FIELDS {
            return Err(DescriptorErrorKind::TooMany);
        }
        if spec.fields.iter().any(|f| f.number == 0 || f.number > MAX_NUMBER) {
            return Err(DescriptorErrorKind::InvalidNumber);
        }
        let mut order: Vec<u16> = (0..spec.fields.len() as u16).collect();
        order.sort_by_key(|&i| spec.fields[i as usize].number);
        let is_closed = |e: u32| closed.get(e as usize).copied().unwrap_or(false);
        let mut entries: Vec<Entry> =
            order.iter().map(|&i| Entry::new(&spec.fields[i as usize], spec.map_entry, is_closed)).collect();
        let mut oneof_ids: Vec<u32> = Vec::new();
        for (entry, &i) in entries.iter_mut().zip(&order) {
            if let Some(oneof) = spec.fields[i as usize].oneof {
                oneof_ids.push(oneof);
                entry.oneof = 1;
            }
        }
        oneof_ids.sort_unstable();
        oneof_ids.dedup();
        for (entry, &i) in entries.iter_mut().zip(&order) {
            if let Some(oneof) = spec.fields[i as usize].oneof {
                entry.oneof = 1 + oneof_ids.partition_point(|&o| o < oneof) as u16;
            }
        }
        let mut entry_of = vec![NONE; order.len()];
        for (entry, &field) in order.iter().enumerate() {
            entry_of[field as usize] = entry as u16;
        }
        let has_required = entries.iter().any(|e| e.flags.is_required());
        Ok(Self {
            fields: order,
            entry_of,
            oneof_masks: vec![0; oneof_ids.len()],
            has_required,
            needs_check: has_required,
            message_set: spec.message_set,
            map_entry: spec.map_entry,
            entries,
            ..Self::EMPTY
        })
    }

    /// Tells the entries of messages of fixed shape from others, and of map entries with plain values.
    fn mark(&mut self, shaped: &[bool], parts: &[bool], plain: &[bool]) {
        for table in [&mut self.entries[..], &mut self.near[..], &mut self.fast[..]] {
            for entry in table.iter_mut().filter(|e| e.coding == Coding::Message) {
                if shaped.get(entry.sub as usize).copied().unwrap_or(false) {
                    entry.set_shaped();
                }
                if parts.get(entry.sub as usize).copied().unwrap_or(false) {
                    entry.set_parts();
                }
                if plain.get(entry.sub as usize).copied().unwrap_or(false) {
                    entry.set_plain_map();
                }
            }
        }
    }

    /// Finds whether ending a message takes more than writing its presence bits.
    pub(super) fn find_plain_end(&mut self) {
        let busy = self.has_required || self.left_out == LeftOut::Kept;
        self.plain_end = !self.wide && !busy && !self.has_high_bits();
    }

    /// Fills in what follows from the layout.
    fn finish(&mut self, map_entry: bool) {
        // Elements that allocate nothing keep their list at the end of the slab, where it grows in place.
        let leaf = self
            .entries
            .iter()
            .all(|e| !e.flags.is_list() && (!e.coding.is_message() || e.flags.is_inline()));
        self.contiguous = !self.wide && self.words <= CONTIGUOUS_WORDS && (leaf || map_entry);
        self.find_plain_end();
        if !self.wide {
            self.fixed = FixedShape::new(&self.entries);
        }
        let first = self.entries.first().map_or(1, |e| e.number());
        let last = self.entries.last().map_or(1, |e| e.number());
        let places = (last - first + 1).min(2 * self.entries.len() as u32 + 16);
        self.near_from = first;
        self.near = (first..first + places).map(Entry::none).collect();
        self.writes = self.entries.iter().map(WriteEntry::new).collect();
        self.nests = self.entries.iter().any(|e| e.coding.is_message() && !e.flags.is_inline());
        let spans = |e: &Entry| e.coding.is_message() || matches!(e.coding, Coding::String | Coding::Bytes);
        self.spans = self.entries.iter().any(spans);
        for (i, entry) in self.entries.iter_mut().enumerate() {
            entry.bit = (i & 63) as u8;
            let number = entry.number();
            let places = [self.fast.get_mut(number as usize), self.near.get_mut((number - first) as usize)];
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
            if let Some(size) = entry.constant_size() {
                match self.constant_sizes.iter_mut().find(|(_, s)| *s == size) {
                    Some((mask, _)) => *mask |= bit,
                    None => self.constant_sizes.push((bit, size)),
                }
            }
        }
    }

    /// The entries, in field number order.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry for a one-byte tag, whose field number is below 16; its tag may be another one.
    #[inline(always)]
    pub(crate) fn fast(&self, tag: u8) -> &Entry {
        &self.fast[(tag >> 3) as usize & 15]
    }

    /// Position of an entry of this program.
    #[inline(always)]
    pub(crate) fn position(&self, entry: &Entry) -> usize {
        if self.wide { entry.slot as usize } else { entry.bit as usize }
    }

    /// The entry of a field number, and its position.
    #[inline]
    pub(crate) fn by_number(&self, number: u32) -> Option<(usize, &Entry)> {
        let entry = self.find(number).filter(|e| e.number() == number)?;
        Some((self.position(entry), entry))
    }

    /// The entry of a field number; for a number without a field, nothing or an entry of another tag.
    #[inline(always)]
    pub(crate) fn find(&self, number: u32) -> Option<&Entry> {
        match self.near.get(number.wrapping_sub(self.near_from) as usize) {
            Some(entry) => Some(entry),
            None => self.find_far(number),
        }
    }

    #[inline(never)]
    fn find_far(&self, number: u32) -> Option<&Entry> {
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
    pub(crate) fn entry_of(&self, field: usize) -> Option<(usize, &Entry)> {
        let index = *self.entry_of.get(field)? as usize;
        self.entries.get(index).map(|e| (index, e))
    }

    /// Whether there are fields that are not selected; then unknown fields are not either.
    #[inline(always)]
    pub(crate) fn is_partial(&self) -> bool {
        self.left_out != LeftOut::Nothing
    }

    /// Whether messages keep their bytes because of fields that are not selected.
    #[inline(always)]
    pub(crate) fn keeps_bytes(&self) -> bool {
        self.left_out == LeftOut::Kept
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

    /// Whether bodies keep only the fields that are set.
    #[inline]
    pub(crate) fn is_wide(&self) -> bool {
        self.wide
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

    /// Presence bits of the members of a oneof (1-based, as in `Entry::oneof`), of a dense program.
    #[inline]
    pub(crate) fn oneof_mask(&self, oneof: u16) -> u64 {
        self.oneof_masks.get((oneof as usize).wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// The form of a body with all fields, if they are all fixed-width numbers.
    #[inline(always)]
    pub(crate) fn fixed(&self) -> Option<&FixedShape> {
        self.fixed.as_ref()
    }

    /// The form of a body with all fields, if they are all messages of fixed shape.
    #[inline(always)]
    pub(crate) fn parts(&self) -> Option<&PartsShape> {
        self.parts.as_ref()
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

/// The numbers of a closed enum.
#[derive(Clone, Debug)]
pub(crate) struct EnumNumbers {
    /// Bit n: number n is listed, for 0..64.
    small: u64,
    sorted: Vec<i32>,
    /// The first number listed.
    default: i32,
    closed: bool,
}

impl EnumNumbers {
    fn new(spec: &EnumSpec) -> Self {
        let mut sorted = spec.numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let small = sorted.iter().filter(|n| (0..64).contains(*n)).fold(0, |bits, n| bits | 1 << n);
        let default = spec.numbers.first().copied().unwrap_or(0);
        Self { small, sorted, default, closed: spec.closed }
    }

    /// Whether the enum lists the number.
    #[inline]
    pub(crate) fn contains(&self, number: i32) -> bool {
        if (0..64).contains(&number) {
            self.small >> number & 1 != 0
        } else {
            self.sorted.binary_search(&number).is_ok()
        }
    }
}

/// All message types of a schema, lowered; a program index is the position in the list given to `new`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramSet {
    pub(super) programs: Vec<Program>,
    /// The same for readers.
    pub(super) bodies: Bodies,
    pub(super) enums: Arc<[EnumNumbers]>,
    /// The set itself, if it was made by a selection: from a reference to it, messages get a share.
    pub(super) shared: Weak<Self>,
}

impl ProgramSet {
    /// Lowers and checks a schema. Takes time and memory in the number of fields.
    ///
    /// # Errors
    /// The kind, and the index of the message at fault: a number out of range or used twice, a reference to a
    /// message or enum that is not in the lists, or too many fields.
    pub(crate) fn new(
        messages: &[MessageSpec],
        enums: &[EnumSpec],
    ) -> Result<Self, (DescriptorErrorKind, usize)> {
        let closed: Vec<bool> = enums.iter().map(|e| e.closed).collect();
        let mut programs = Vec::with_capacity(messages.len());
        for (i, spec) in messages.iter().enumerate() {
            let mut program = Program::new(spec, &closed).map_err(|kind| (kind, i))?;
            (program.message, program.whole) = (i as u32, i as u32);
            check(&program, spec, messages, enums.len()).map_err(|kind| (kind, i))?;
            programs.push(program);
        }
        let leaves: Vec<_> = programs.iter().map(|p| layout::leaf(&p.entries)).collect();
        for (program, spec) in programs.iter_mut().zip(messages) {
            layout::lay_out(program, &leaves, spec.map_entry);
            program.finish(spec.map_entry);
        }
        let parts: Vec<Option<PartsShape>> = programs
            .iter()
            .map(
                |p| if p.wide { None } else { PartsShape::new(&p.entries, |i| programs[i as usize].fixed()) },
            )
            .collect();
        // Bodies of fixed shape are small enough to lie in their list, or in their parent.
        let shaped: Vec<bool> = programs.iter().map(|p| p.fixed.is_some() && p.contiguous).collect();
        let plain_entry = |e: &Entry| !e.coding.is_message() && e.coding != Coding::ClosedEnum;
        let plain: Vec<bool> =
            programs.iter().map(|p| p.contiguous && p.entries.iter().all(plain_entry)).collect();
        let with_parts: Vec<bool> = parts.iter().map(Option::is_some).collect();
        for (program, parts) in programs.iter_mut().zip(parts) {
            program.mark(&shaped, &with_parts, &plain);
            program.parts = parts;
        }
        mark_required(&mut programs);
        let bodies = Bodies::new(&programs);
        let enums = enums.iter().map(EnumNumbers::new).collect();
        Ok(Self { programs, bodies, enums, shared: Weak::new() })
    }

    /// The program of this index. An index that does not exist gives a message without fields.
    #[inline(always)]
    pub(crate) fn program(&self, index: u32) -> &Program {
        static EMPTY: Program = Program::EMPTY;
        self.programs.get(index as usize).unwrap_or(&EMPTY)
    }

    /// A share of this set, if it was made by a selection.
    pub(crate) fn share(&self) -> Option<Arc<Self>> {
        self.shared.upgrade()
    }

    /// The program of this index as readers see it.
    #[inline(always)]
    pub(crate) fn body(&self, index: u32) -> &Body {
        self.bodies.get(index)
    }

    /// What a closed enum field is before a value is written to it; 0 for all other fields.
    pub(crate) fn enum_default_of(&self, entry: &Entry) -> u32 {
        if entry.coding == Coding::ClosedEnum { self.enum_default(entry.sub) as u32 } else { 0 }
    }

    /// The first number that the enum of this index lists.
    pub(crate) fn enum_default(&self, index: u32) -> i32 {
        self.enums.get(index as usize).map_or(0, |e| e.default)
    }

    /// Whether the closed enum of this index lists the number.
    #[inline]
    pub(crate) fn enum_contains(&self, index: u32, number: i32) -> bool {
        self.enums.get(index as usize).is_none_or(|e| !e.closed || e.contains(number))
    }
}

fn check(
    program: &Program,
    spec: &MessageSpec,
    messages: &[MessageSpec],
    enums: usize,
) -> Result<(), DescriptorErrorKind> {
    let mut last = 0;
    for entry in program.entries.iter() {
        if entry.number() == last {
            return Err(DescriptorErrorKind::DuplicateNumber);
        }
        last = entry.number();
    }
    for field in &spec.fields {
        let known = match field.kind {
            Kind::Message(m) => (m as usize) < messages.len(),
            Kind::Enum(e) => (e as usize) < enums,
            _ => true,
        };
        if !known {
            return Err(DescriptorErrorKind::UnresolvedType);
        }
        if field.shape == super::Shape::Map {
            let entry = match field.kind {
                Kind::Message(m) => &messages[m as usize],
                _ => return Err(DescriptorErrorKind::InvalidMapEntry),
            };
            let numbers: Vec<u32> = entry.fields.iter().map(|f| f.number).collect();
            if !entry.map_entry || numbers != [1, 2] || !entry.fields[0].kind.is_map_key() {
                return Err(DescriptorErrorKind::InvalidMapEntry);
            }
        }
    }
    Ok(())
}

/// Spreads "has required fields" from each message to all that can hold it.
pub(super) fn mark_required(programs: &mut [Program]) {
    let mut holders: Vec<Vec<u32>> = vec![Vec::new(); programs.len()];
    for (i, program) in programs.iter().enumerate() {
        for entry in program.entries.iter().filter(|e| e.coding.is_message()) {
            holders[entry.sub as usize].push(i as u32);
        }
    }
    let mut todo: Vec<u32> =
        (0..programs.len() as u32).filter(|&i| programs[i as usize].needs_check).collect();
    while let Some(i) = todo.pop() {
        for &holder in &holders[i as usize] {
            let program = &mut programs[holder as usize];
            if !program.needs_check {
                program.needs_check = true;
                todo.push(holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{FieldSpec, Shape};

    fn message(fields: Vec<FieldSpec>) -> MessageSpec {
        MessageSpec { fields, ..Default::default() }
    }

    #[test]
    fn entries_are_in_number_order_and_keep_their_field_index() {
        let spec = message(vec![
            FieldSpec::new(1000, Kind::String, Shape::Implicit),
            FieldSpec::new(2, Kind::Int64, Shape::Implicit),
            FieldSpec::new(536_870_911, Kind::Bool, Shape::Explicit),
        ]);
        let set = ProgramSet::new(&[spec], &[]).unwrap();
        let program = set.program(0);
        assert_eq!(program.by_number(2).unwrap().0, 0);
        assert_eq!(program.by_number(1000).unwrap().0, 1);
        assert_eq!(program.by_number(536_870_911).unwrap().0, 2);
        assert!(program.by_number(3).is_none());
        assert_eq!((program.field_of(0), program.field_of(1)), (1, 0));
        assert_eq!(program.entry_of(0).unwrap().0, 1);
    }

    #[test]
    fn small_messages_are_inlined_and_wide_types_are_wide() {
        let point = message((1..=3).map(|n| FieldSpec::new(n, Kind::Float, Shape::Implicit)).collect());
        let line = message(vec![
            FieldSpec::new(1, Kind::Message(0), Shape::Explicit),
            FieldSpec::new(2, Kind::Message(0), Shape::Explicit),
            FieldSpec::new(3, Kind::Message(0), Shape::Repeated),
        ]);
        let wide = message((1..=500).map(|n| FieldSpec::new(n, Kind::Double, Shape::Implicit)).collect());
        let set = ProgramSet::new(&[point, line, wide], &[]).unwrap();
        assert_eq!(set.program(0).words(), 5);
        assert!(set.program(0).is_contiguous());
        assert_eq!(set.program(1).words(), 2 + 5 + 5 + 2);
        assert!(set.program(1).entries()[0].flags.is_inline());
        assert!(set.program(2).is_wide());
        assert_eq!(set.program(2).words(), 3);
    }

    #[test]
    fn bad_specs_are_refused() {
        let twice = message(vec![
            FieldSpec::new(1, Kind::Int32, Shape::Implicit),
            FieldSpec::new(1, Kind::Int32, Shape::Implicit),
        ]);
        assert_eq!(ProgramSet::new(&[twice], &[]).unwrap_err().0, DescriptorErrorKind::DuplicateNumber);
        let zero = message(vec![FieldSpec::new(0, Kind::Int32, Shape::Implicit)]);
        assert_eq!(ProgramSet::new(&[zero], &[]).unwrap_err().0, DescriptorErrorKind::InvalidNumber);
        let dangling = message(vec![FieldSpec::new(1, Kind::Message(7), Shape::Explicit)]);
        assert_eq!(ProgramSet::new(&[dangling], &[]).unwrap_err().0, DescriptorErrorKind::UnresolvedType);
    }

    #[test]
    fn required_spreads_to_holders_through_cycles() {
        let a = message(vec![FieldSpec::new(1, Kind::Message(1), Shape::Explicit)]);
        let b = message(vec![
            FieldSpec::new(1, Kind::Message(0), Shape::Explicit),
            FieldSpec::new(2, Kind::Int32, Shape::Required),
        ]);
        let c = message(vec![FieldSpec::new(1, Kind::Int32, Shape::Implicit)]);
        let set = ProgramSet::new(&[a, b, c], &[]).unwrap();
        assert!(set.program(0).needs_check() && set.program(1).needs_check());
        assert!(!set.program(2).needs_check());
    }
}
