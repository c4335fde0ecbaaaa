//! The pairs of types that are to be compared, and the differences that were found.

use super::difference::{Compatibility, Difference, DifferenceKind};
use alloc::collections::BTreeSet;
use alloc::{string::String, vec::Vec};
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// A comparison of two schemas.
#[derive(Default)]
pub(super) struct Comparer {
    pub(super) found: Vec<Difference>,
    pub(super) pairs: Vec<(MessageDescriptor, MessageDescriptor)>,
    pub(super) enum_pairs: Vec<(EnumDescriptor, EnumDescriptor)>,
    /// The pairs that are known, of messages and of enums, by their full names.
    known: BTreeSet<(bool, String, String)>,
    /// The most pairs. Pairs follow from fields, and two schemas of n types can refer to each other in n² pairs.
    limit: usize,
    /// Both schemas are of pools. Tables have no extensions and reserve nothing, so these do not count beside a table.
    pub(super) pools: bool,
}

impl Comparer {
    pub(super) fn new(types: usize, pools: bool) -> Self {
        Self { limit: types.saturating_mul(4), pools, ..Self::default() }
    }

    pub(super) fn add(
        &mut self,
        path: &str,
        kind: DifferenceKind,
        (wire, json): (Compatibility, Compatibility),
        old: impl Into<String>,
        new: impl Into<String>,
    ) {
        self.found.push(Difference { path: path.into(), kind, wire, json, old: old.into(), new: new.into() });
    }

    /// Whether a pair is new, and there is room for it.
    fn is_new(&mut self, enums: bool, old: &str, new: &str) -> bool {
        let pair = (enums, old.into(), new.into());
        if self.known.contains(&pair) {
            return false;
        }
        if self.known.len() >= self.limit {
            self.add(
                old,
                DifferenceKind::NotCompared,
                (Compatibility::Breaking, Compatibility::Breaking),
                "",
                "",
            );
            return false;
        }
        self.known.insert(pair)
    }

    /// A pair of messages, to be compared later.
    pub(super) fn messages(&mut self, old: &MessageDescriptor, new: &MessageDescriptor) {
        if self.is_new(false, old.full_name(), new.full_name()) {
            self.pairs.push((old.clone(), new.clone()));
        }
    }

    /// A pair of enums, to be compared later.
    pub(super) fn enums(&mut self, old: &EnumDescriptor, new: &EnumDescriptor) {
        if self.is_new(true, old.full_name(), new.full_name()) {
            self.enum_pairs.push((old.clone(), new.clone()));
        }
    }

    pub(super) fn fields_of(&self, message: &MessageDescriptor) -> Vec<FieldDescriptor> {
        let mut fields: Vec<FieldDescriptor> = message.fields().collect();
        if self.pools {
            fields.extend(message.extensions().map(|e| e.as_field()));
        }
        fields
    }

    pub(super) fn by_number(&self, message: &MessageDescriptor, number: u32) -> Option<FieldDescriptor> {
        let extension = || message.get_extension(number).filter(|_| self.pools).map(|it| it.as_field());
        message.get_field(number).or_else(extension)
    }
}
