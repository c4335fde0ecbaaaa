//! Numbers and names that a schema keeps for later: those that nothing may have, and those of extensions.

use super::difference::{Compatibility, DifferenceKind};
use super::queue::Comparer;
use crate::named::Ranges;
use Compatibility::{Compatible, Conditional};
use alloc::collections::BTreeSet;
use alloc::{format, string::String, vec::Vec};
use tablepb::{EnumDescriptor, MessageDescriptor};

/// The reserved numbers and names of a message or enum.
#[derive(Default)]
pub(super) struct Reserved {
    numbers: Ranges,
    names: BTreeSet<String>,
}

impl Reserved {
    pub(super) fn of_message(message: &MessageDescriptor) -> Self {
        Self {
            numbers: Ranges::of_message(message, message.reserved_ranges()),
            names: message.reserved_names().map(String::from).collect(),
        }
    }

    pub(super) fn of_enum(enumeration: &EnumDescriptor) -> Self {
        Self {
            numbers: Ranges::of_enum(enumeration),
            names: enumeration.reserved_names().map(String::from).collect(),
        }
    }

    pub(super) fn has_number(&self, number: i64) -> bool {
        self.numbers.has(number)
    }

    /// The meaning of a removed definition: on the wire by its number, in JSON by its name.
    pub(super) fn verdict(&self, number: i64, name: &str) -> (Compatibility, Compatibility) {
        let of = |kept| if kept { Compatible } else { Conditional };
        (of(self.has_number(number)), of(self.names.contains(name)))
    }

    /// Compares what is reserved in a type with what is in another.
    pub(super) fn compare(&self, new: &Self, (old_path, new_path): (&str, &str), out: &mut Comparer) {
        use DifferenceKind::{ReservedAdded, ReservedRemoved};
        let names = |a: &Self, b: &Self| {
            a.names.difference(&b.names).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
        };
        // What is reserved no longer can be given to another definition: a number on the wire, a name in JSON.
        let removed = [
            (self.numbers.without(&new.numbers), (Conditional, Compatible)),
            (names(self, new), (Compatible, Conditional)),
        ];
        for (text, verdict) in removed.into_iter().filter(|(text, _)| !text.is_empty()) {
            out.add(old_path, ReservedRemoved, verdict, text, "");
        }
        let added = [new.numbers.without(&self.numbers), names(new, self)];
        for text in added.into_iter().filter(|text| !text.is_empty()) {
            out.add(new_path, ReservedAdded, (Compatible, Compatible), "", text);
        }
    }
}

/// Compares the numbers that are left to extensions.
pub(super) fn extension_ranges(old: &MessageDescriptor, new: &MessageDescriptor, out: &mut Comparer) {
    let of = |message: &MessageDescriptor| Ranges::of_message(message, message.extension_ranges());
    let (before, after) = (of(old), of(new));
    let (removed, added) = (before.without(&after), after.without(&before));
    if !removed.is_empty() {
        let kind = DifferenceKind::ExtensionRangeRemoved;
        out.add(old.full_name(), kind, (Conditional, Conditional), removed, "");
    }
    if !added.is_empty() {
        let kind = DifferenceKind::ExtensionRangeAdded;
        out.add(new.full_name(), kind, (Compatible, Compatible), "", added);
    }
}
