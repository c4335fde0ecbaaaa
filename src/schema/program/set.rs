//! All programs of a schema: lowering, checks, and lookup by index.

#[cfg(test)]
use super::EnumSpec;
use super::lowered::ProgramFlags;
use super::{
    Coding, FieldEntry, FixedLayout, MessageSpec, NestedFixedLayout, Presence, Program, ReadLayout,
    ReadLayouts, Room, RoomFull, Scalar, SpecSource, layout, sort_list,
};
use crate::schema::table::Kind;
use crate::wire::error::DescriptorErrorKind;
use crate::wire::sync::{Arc, Weak};
use alloc::vec::Vec;

/// Why lowering failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LowerError {
    /// The schema is invalid.
    Schema(DescriptorErrorKind),
    /// The room is used up, or the allocator failed.
    RoomFull(RoomFull),
}

impl From<DescriptorErrorKind> for LowerError {
    fn from(kind: DescriptorErrorKind) -> Self {
        Self::Schema(kind)
    }
}

impl From<RoomFull> for LowerError {
    fn from(full: RoomFull) -> Self {
        Self::RoomFull(full)
    }
}

/// All message types of a schema, lowered; a program index is the position in the list given to `new`.
#[derive(Debug, Default)]
pub(crate) struct ProgramSet {
    pub(super) programs: Vec<Program>,
    /// What getters need of each program.
    pub(super) layouts: ReadLayouts,
    /// Shared with the sets of selections. `None` in the default set, which allocates nothing.
    pub(super) enums: Option<Arc<Vec<EnumNumbers>>>,
    /// The set itself, if a selection made it: messages that know only a reference get an `Arc` from it.
    pub(super) shared: Weak<Self>,
}

impl ProgramSet {
    /// Lowers and checks a schema. Takes time and memory in the number of fields.
    ///
    /// # Errors
    /// The kind, and the index of the message at fault: a number out of range or used twice, a reference to a
    /// message or enum that is not in the lists, or too many fields.
    #[cfg(test)]
    pub(crate) fn new(
        messages: &[MessageSpec],
        enums: &[EnumSpec],
    ) -> Result<Self, (DescriptorErrorKind, usize)> {
        Self::of(&(messages, enums), &mut Room::new(usize::MAX)).map_err(|(fault, at)| match fault {
            LowerError::Schema(kind) => (kind, at),
            LowerError::RoomFull(_) => (DescriptorErrorKind::BudgetExceeded, at),
        })
    }

    /// Lowers and checks any source, within this room. Phases: read and check each message, lay out bodies, find fixed shapes,
    /// freeze, spread what holds for messages above.
    pub(crate) fn of<S: SpecSource + ?Sized>(
        source: &S,
        room: &mut Room,
    ) -> Result<Self, (LowerError, usize)> {
        let mut programs = Vec::new();
        let full = |full| (LowerError::RoomFull(full), usize::MAX);
        room.reserve(&mut programs, source.messages()).map_err(full)?;
        let mut spec = MessageSpec::default();
        for i in 0..source.messages() {
            programs.push(program(source, i as u32, &mut spec, room).map_err(|fault| (fault, i))?);
        }
        room.drop_list(spec.fields);
        check_maps(&programs)?;
        lay_out(&mut programs, room).map_err(full)?;
        find_shapes(&mut programs, room).map_err(full)?;
        spread_flags(&mut programs, room).map_err(full)?;
        let layouts = ReadLayouts::new(&programs, room).map_err(full)?;
        let mut enums = Vec::new();
        room.reserve(&mut enums, source.enums()).map_err(full)?;
        for i in 0..source.enums() {
            enums.push(EnumNumbers::new(source, i as u32, room).map_err(full)?);
        }
        Ok(Self { programs, layouts, enums: Some(Arc::new(enums)), shared: Weak::new() })
    }

    /// The program of this index; a message without fields if there is none.
    #[inline(always)]
    pub(crate) fn program(&self, index: u32) -> &Program {
        static EMPTY: Program = Program::EMPTY;
        self.programs.get(index as usize).unwrap_or(&EMPTY)
    }

    /// This set as an `Arc`, if a selection made it.
    pub(crate) fn share(&self) -> Option<Arc<Self>> {
        self.shared.upgrade()
    }

    /// What getters need of the program of this index.
    #[inline(always)]
    pub(crate) fn read_layout(&self, index: u32) -> Option<&ReadLayout> {
        self.layouts.get(index)
    }

    /// The default of a closed enum field; 0 for all other fields.
    pub(crate) fn enum_default_of(&self, entry: &FieldEntry) -> u32 {
        if entry.coding == Coding::ClosedEnum { self.enum_default(entry.sub) as u32 } else { 0 }
    }

    /// The first number that the enum of this index lists.
    pub(crate) fn enum_default(&self, index: u32) -> i32 {
        self.enum_at(index).map_or(0, |e| e.default)
    }

    /// Whether the closed enum of this index lists the number.
    #[inline]
    pub(crate) fn enum_contains(&self, index: u32, number: i32) -> bool {
        self.enum_at(index).is_none_or(|e| !e.closed || e.contains(number))
    }

    #[inline]
    fn enum_at(&self, index: u32) -> Option<&EnumNumbers> {
        self.enums.as_ref()?.get(index as usize)
    }
}

/// One program without layout. Checks numbers and references.
fn program<S: SpecSource + ?Sized>(
    source: &S,
    index: u32,
    spec: &mut MessageSpec,
    room: &mut Room,
) -> Result<Program, LowerError> {
    source.message(index, spec, room)?;
    let mut program = Program::new(spec, |e| source.is_closed(e), room)?;
    (program.message, program.whole) = (index, index);
    if program.entries.windows(2).any(|pair| matches!(pair, [a, b] if a.number() == b.number())) {
        return Err(DescriptorErrorKind::DuplicateNumber.into());
    }
    for field in &spec.fields {
        let known = match field.kind {
            Kind::Message(m) => (m as usize) < source.messages(),
            Kind::Enum(e) => (e as usize) < source.enums(),
            _ => true,
        };
        if !known {
            return Err(DescriptorErrorKind::UnresolvedType.into());
        }
        if field.presence == Presence::Map && !matches!(field.kind, Kind::Message(_)) {
            return Err(DescriptorErrorKind::InvalidMapEntry.into());
        }
    }
    Ok(program)
}

/// Checks that every map field refers to a map entry type.
fn check_maps(programs: &[Program]) -> Result<(), (LowerError, usize)> {
    let is_entry = |program: &Program| match program.entries.as_slice() {
        [key, value] => {
            let fits = !key.coding.is_message()
                && !matches!(key.scalar(), Scalar::F32 | Scalar::F64 | Scalar::Bytes | Scalar::Enum);
            program.is_map_entry() && (key.number(), value.number()) == (1, 2) && fits
        }
        _ => false,
    };
    for (i, program) in programs.iter().enumerate() {
        let mut maps = program.entries.iter().filter(|e| e.flags.is_map());
        if !maps.all(|e| programs.get(e.sub as usize).is_some_and(is_entry)) {
            return Err((DescriptorErrorKind::InvalidMapEntry.into(), i));
        }
    }
    Ok(())
}

/// Gives every program its layout.
fn lay_out(programs: &mut [Program], room: &mut Room) -> Result<(), RoomFull> {
    let leaves = room.list(programs.iter().map(|p| layout::leaf(&p.entries)))?;
    for program in programs.iter_mut() {
        layout::lay_out(program, &leaves);
        program.finish_layout(room)?;
    }
    room.drop_list(leaves);
    Ok(())
}

/// Finds the messages of fixed shape and the plain maps, and freezes each program with the faster operations.
fn find_shapes(programs: &mut [Program], room: &mut Room) -> Result<(), RoomFull> {
    for i in 0..programs.len() {
        let Some(program) = programs.get(i).filter(|p| !p.is_wide()) else { continue };
        let shape_of = |i: u32| -> Option<&FixedLayout> { programs.get(i as usize)?.fixed() };
        if let Some(shape) = NestedFixedLayout::new(&program.entries, shape_of, room)? {
            let mut parts = Vec::new();
            room.reserve(&mut parts, 1)?;
            parts.push(shape);
            programs[i].nested_fixed = parts;
        }
    }
    let plain_entry = |e: &FieldEntry| !e.coding.is_message() && e.coding != Coding::ClosedEnum;
    let fixed = room.list(programs.iter().map(|p| p.fixed.is_some()))?;
    let is_plain = |p: &Program| p.is_contiguous() && p.entries.iter().all(plain_entry);
    let plain_maps = room.list(programs.iter().map(is_plain))?;
    let nested_fixed = room.list(programs.iter().map(|p| !p.nested_fixed.is_empty()))?;
    for program in programs.iter_mut() {
        program.refine_ops(&fixed, &nested_fixed, &plain_maps);
        program.freeze(room)?;
    }
    [fixed, plain_maps, nested_fixed].into_iter().for_each(|list| room.drop_list(list));
    Ok(())
}

/// Spreads from each message to all messages that can hold it what holds for one if it holds for any message below it.
pub(super) fn spread_flags(programs: &mut [Program], room: &mut Room) -> Result<(), RoomFull> {
    let links = |programs: &[Program]| {
        let messages = programs.iter().flat_map(|p| &p.entries).filter(|e| e.coding.is_message());
        messages.count()
    };
    // Pairs (message, message that holds it), sorted by the first.
    let mut holders: Vec<(u32, u32)> = Vec::new();
    room.reserve(&mut holders, links(programs))?;
    for (i, program) in programs.iter().enumerate() {
        let messages = program.entries.iter().filter(|e| e.coding.is_message());
        holders.extend(messages.map(|e| (e.sub, i as u32)));
    }
    sort_list(&mut holders, |a, b| a < b);
    let mut todo: Vec<u32> = Vec::new();
    for flag in [ProgramFlags::NEEDS_CHECK, ProgramFlags::SPANS, ProgramFlags::FRAMES] {
        for i in (0..programs.len()).filter(|&i| programs[i].flags.has(flag)) {
            room.push(&mut todo, i as u32)?;
        }
        while let Some(i) = todo.pop() {
            let from = holders.partition_point(|&(held, _)| held < i);
            for &(_, holder) in holders.iter().skip(from).take_while(|&&(held, _)| held == i) {
                let program = &mut programs[holder as usize];
                if !program.flags.has(flag) {
                    program.flags.set(flag, true);
                    room.push(&mut todo, holder)?;
                }
            }
        }
    }
    room.drop_list(todo);
    room.drop_list(holders);
    Ok(())
}

// The numbers of enums.

/// The numbers of an enum.
#[derive(Debug)]
pub(crate) struct EnumNumbers {
    /// Bit n: number n is listed, for 0..64.
    small: u64,
    /// All numbers, of a closed enum.
    sorted: Vec<i32>,
    /// The first number listed.
    pub(super) default: i32,
    pub(super) closed: bool,
}

impl EnumNumbers {
    pub(super) fn new<S: SpecSource + ?Sized>(
        source: &S,
        index: u32,
        room: &mut Room,
    ) -> Result<Self, RoomFull> {
        let default = source.enum_number(index, 0).unwrap_or(0);
        let closed = source.is_closed(index);
        let mut sorted = Vec::new();
        if closed {
            room.reserve(&mut sorted, source.enum_numbers(index))?;
            sorted.extend((0..source.enum_numbers(index)).filter_map(|at| source.enum_number(index, at)));
            sort_list(&mut sorted, |a, b| a < b);
            sorted.dedup();
        }
        let small = sorted.iter().filter(|n| (0..64).contains(*n)).fold(0, |bits, n| bits | 1 << n);
        Ok(Self { small, sorted, default, closed })
    }

    /// Whether the closed enum lists the number.
    #[inline]
    pub(crate) fn contains(&self, number: i32) -> bool {
        if (0..64).contains(&number) {
            self.small >> number & 1 != 0
        } else {
            self.sorted.binary_search(&number).is_ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::program::{FieldSpec, Presence};
    use alloc::vec;

    fn message(fields: Vec<FieldSpec>) -> MessageSpec {
        MessageSpec { fields, ..Default::default() }
    }

    #[test]
    fn entries_are_in_number_order_and_keep_their_field_index() {
        let spec = message(vec![
            FieldSpec::new(1000, Kind::String, Presence::Implicit),
            FieldSpec::new(2, Kind::Int64, Presence::Implicit),
            FieldSpec::new(536_870_911, Kind::Bool, Presence::Explicit),
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
        let point = message((1..=3).map(|n| FieldSpec::new(n, Kind::Float, Presence::Implicit)).collect());
        let line = message(vec![
            FieldSpec::new(1, Kind::Message(0), Presence::Explicit),
            FieldSpec::new(2, Kind::Message(0), Presence::Explicit),
            FieldSpec::new(3, Kind::Message(0), Presence::Repeated),
        ]);
        let wide = message((1..=500).map(|n| FieldSpec::new(n, Kind::Double, Presence::Implicit)).collect());
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
            FieldSpec::new(1, Kind::Int32, Presence::Implicit),
            FieldSpec::new(1, Kind::Int32, Presence::Implicit),
        ]);
        assert_eq!(ProgramSet::new(&[twice], &[]).unwrap_err().0, DescriptorErrorKind::DuplicateNumber);
        for number in [0, 1 << 29] {
            let outside = message(vec![FieldSpec::new(number, Kind::Int32, Presence::Implicit)]);
            assert_eq!(ProgramSet::new(&[outside], &[]).unwrap_err().0, DescriptorErrorKind::InvalidNumber);
        }
        for dangling in [Kind::Message(7), Kind::Message(1), Kind::Enum(0)] {
            let dangling = message(vec![FieldSpec::new(1, dangling, Presence::Explicit)]);
            assert_eq!(ProgramSet::new(&[dangling], &[]).unwrap_err().0, DescriptorErrorKind::UnresolvedType);
        }
        let map = || message(vec![FieldSpec::new(1, Kind::Message(1), Presence::Map)]);
        let pair = |key| {
            message(vec![
                FieldSpec::new(1, key, Presence::Explicit),
                FieldSpec::new(2, Kind::Int32, Presence::Explicit),
            ])
        };
        let entry = |key| MessageSpec { map_entry: true, ..pair(key) };
        ProgramSet::new(&[map(), entry(Kind::Int32)], &[]).unwrap();
        for other in [pair(Kind::Int32), entry(Kind::Double), entry(Kind::Message(0))] {
            let error = ProgramSet::new(&[map(), other], &[]).unwrap_err();
            assert_eq!(error.0, DescriptorErrorKind::InvalidMapEntry);
        }
    }

    #[test]
    fn required_spreads_to_holders_through_cycles() {
        let a = message(vec![FieldSpec::new(1, Kind::Message(1), Presence::Explicit)]);
        let b = message(vec![
            FieldSpec::new(1, Kind::Message(0), Presence::Explicit),
            FieldSpec::new(2, Kind::Int32, Presence::Required),
        ]);
        let c = message(vec![FieldSpec::new(1, Kind::Int32, Presence::Implicit)]);
        let set = ProgramSet::new(&[a, b, c], &[]).unwrap();
        assert!(set.program(0).needs_check() && set.program(1).needs_check());
        assert!(!set.program(2).needs_check());
    }
}
