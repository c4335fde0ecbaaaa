//! All programs of a schema.

use super::{Bodies, Body, Coding, Entry, EnumSpec, MessageSpec, PartsShape, Program, layout};
use crate::error::DescriptorErrorKind;
use crate::table::Kind;
use alloc::sync::{Arc, Weak};
use alloc::{vec, vec::Vec};

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
        let shaped: Vec<bool> = programs.iter().map(|p| p.fixed.is_some() && p.is_contiguous()).collect();
        let plain_entry = |e: &Entry| !e.coding.is_message() && e.coding != Coding::ClosedEnum;
        let plain: Vec<bool> =
            programs.iter().map(|p| p.is_contiguous() && p.entries.iter().all(plain_entry)).collect();
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
    pub(crate) fn body(&self, index: u32) -> Option<&Body> {
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
