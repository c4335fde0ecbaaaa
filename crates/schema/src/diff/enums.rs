//! Compares two enums, of pools or of tables.

use super::difference::{Compatibility, DifferenceKind};
use super::queue::Comparer;
use super::reserved::Reserved;
use Compatibility::{Breaking, Compatible, Conditional};
use alloc::collections::BTreeMap;
use alloc::{format, string::String, vec::Vec};
use tablepb::EnumDescriptor;
use tablepb::table::EnumTable;

/// What counts in a comparison.
pub(super) struct EnumFacts {
    full_name: String,
    /// In the order of the file.
    values: Vec<(String, i32)>,
    /// The numbers by name, and the first name of each number.
    numbers: BTreeMap<String, i64>,
    names: BTreeMap<i64, usize>,
    closed: bool,
    reserved: Reserved,
}

impl EnumFacts {
    pub(super) fn of(enumeration: &EnumDescriptor) -> Self {
        let values = enumeration.values().map(|value| (value.name().into(), value.number())).collect();
        let reserved = Reserved::of_enum(enumeration);
        Self::new(enumeration.full_name(), values, enumeration.is_closed(), reserved)
    }

    pub(super) fn of_table(table: &EnumTable) -> Self {
        let values = table.values().iter().map(|&(name, number)| (name.into(), number)).collect();
        Self::new(table.full_name(), values, table.is_closed(), Reserved::default())
    }

    fn new(full_name: &str, values: Vec<(String, i32)>, closed: bool, reserved: Reserved) -> Self {
        let numbers = values.iter().map(|(name, number)| (name.clone(), i64::from(*number))).collect();
        let mut names = BTreeMap::new();
        for (at, (_, number)) in values.iter().enumerate() {
            names.entry(i64::from(*number)).or_insert(at);
        }
        Self { full_name: full_name.into(), values, numbers, names, closed, reserved }
    }

    fn name_of(&self, number: i32) -> Option<&str> {
        let at = self.names.get(&i64::from(number))?;
        self.values.get(*at).map(|value| value.0.as_str())
    }

    /// Compares the old enum with the new one.
    pub(super) fn compare(&self, new: &Self, out: &mut Comparer) {
        if self.full_name != new.full_name {
            let names = (self.full_name.as_str(), new.full_name.as_str());
            out.add(names.0, DifferenceKind::TypeRenamed, (Compatible, Compatible), names.0, names.1);
        }
        if self.closed != new.closed {
            let word = |closed: bool| if closed { "closed" } else { "open" };
            let words = (word(self.closed), word(new.closed));
            let kind = DifferenceKind::EnumOpennessChanged;
            out.add(&self.full_name, kind, (Conditional, Conditional), words.0, words.1);
        }
        if out.pools {
            self.reserved.compare(&new.reserved, (&self.full_name, &new.full_name), out);
        }
        for (name, number) in &self.values {
            let path = format!("{}.{name}", self.full_name);
            match new.numbers.get(name) {
                Some(found) if *found == i64::from(*number) => {}
                Some(found) => {
                    let (old, new) = (format!("{number}"), format!("{found}"));
                    out.add(&path, DifferenceKind::EnumValueRenumbered, (Breaking, Compatible), old, new);
                }
                None => match new.name_of(*number) {
                    Some(other) => {
                        let kind = DifferenceKind::EnumValueRenamed;
                        out.add(&path, kind, (Compatible, Breaking), name.as_str(), other);
                    }
                    None => {
                        let (mut wire, json) = new.reserved.verdict(i64::from(*number), name);
                        if self.closed || new.closed {
                            wire = wire.max(Conditional);
                        }
                        let text = format!("{name} = {number}");
                        out.add(&path, DifferenceKind::EnumValueRemoved, (wire, json), text, "");
                    }
                },
            }
        }
        for (name, number) in new.values.iter().filter(|(name, _)| !self.numbers.contains_key(name)) {
            let renamed = self.name_of(*number).is_some_and(|old| !new.numbers.contains_key(old));
            if !renamed {
                let of_closed = self.closed || new.closed;
                let kept = self.names.contains_key(&i64::from(*number));
                let reused = self.reserved.has_number(i64::from(*number));
                let wire = if !kept && (of_closed || reused) { Conditional } else { Compatible };
                let path = format!("{}.{name}", new.full_name);
                let text = format!("{name} = {number}");
                out.add(&path, DifferenceKind::EnumValueAdded, (wire, Conditional), "", text);
            }
        }
    }
}
