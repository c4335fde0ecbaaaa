//! The pairs of types that are to be compared, and the differences that were found.

use super::difference::{Compatibility, Difference, DifferenceKind};
use crate::schema::{EnumDescriptor, FieldDescriptor, MessageDescriptor};
use alloc::collections::BTreeMap;
use alloc::{string::String, vec::Vec};

/// A comparison of two schemas.
#[derive(Default)]
pub(super) struct Comparer {
    pub(super) found: Vec<Difference>,
    pub(super) pairs: Vec<(MessageDescriptor, MessageDescriptor)>,
    pub(super) enum_pairs: Vec<(EnumDescriptor, EnumDescriptor)>,
    /// The pairs that are known, of messages and of enums, by their indices.
    known: BTreeMap<(bool, u32, u32), ()>,
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
    fn is_new(&mut self, enums: bool, old: u32, new: u32, path: &str) -> bool {
        if self.known.contains_key(&(enums, old, new)) {
            return false;
        }
        if self.known.len() >= self.limit {
            self.add(
                path,
                DifferenceKind::NotCompared,
                (Compatibility::Breaking, Compatibility::Breaking),
                "",
                "",
            );
            return false;
        }
        self.known.insert((enums, old, new), ());
        true
    }

    /// A pair of messages, to be compared later.
    pub(super) fn messages(&mut self, old: &MessageDescriptor, new: &MessageDescriptor) {
        if self.is_new(false, old.index(), new.index(), old.full_name()) {
            self.pairs.push((old.clone(), new.clone()));
        }
    }

    /// A pair of enums, to be compared later.
    pub(super) fn enums(&mut self, old: &EnumDescriptor, new: &EnumDescriptor) {
        if self.is_new(true, old.index(), new.index(), old.full_name()) {
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
        let field = message.field_by_number(number)?;
        (self.pools || !field.is_extension()).then(|| field.to_owned())
    }
}
