//! Numbers and names that a schema keeps for later: those that nothing may have, and those of extensions.

use super::difference::{Compatibility, DifferenceKind};
use super::queue::Comparer;
use Compatibility::{Compatible, Conditional};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::{format, string::String, vec::Vec};
use core::ops::Range;
use tablepb::{EnumDescriptor, MessageDescriptor};

/// First and last number of each range, by the first; ranges do not overlap.
#[derive(Default)]
struct Ranges {
    ranges: BTreeMap<i64, i64>,
    /// The largest number that can be listed, which has the name `max`.
    max: i64,
}

impl Ranges {
    fn of_message(message: &MessageDescriptor, ranges: impl Iterator<Item = Range<u32>>) -> Self {
        let max = if message.is_message_set() { i64::from(i32::MAX) - 1 } else { (1 << 29) - 1 };
        Self { ranges: ranges.map(|r| (i64::from(r.start), i64::from(r.end) - 1)).collect(), max }
    }

    fn has(&self, number: i64) -> bool {
        self.ranges.range(..=number).next_back().is_some_and(|(_, &last)| number <= last)
    }

    /// The numbers that `other` has not, as a .proto file lists them; empty if it has all.
    fn without(&self, other: &Self) -> String {
        let mut rest: Vec<(i64, i64)> = Vec::new();
        let mut add = |first: i64, last: i64| match rest.last_mut() {
            _ if first > last => {}
            // Ranges that touch are one: how a file splits numbers into ranges means nothing.
            Some(before) if before.1 + 1 == first => before.1 = last,
            _ => rest.push((first, last)),
        };
        for (&first, &last) in &self.ranges {
            let begun = other.ranges.range(..=first).next_back().map_or(first, |(&start, _)| start);
            let mut next = first;
            for (&start, &end) in other.ranges.range(begun..=last) {
                add(next, last.min(start - 1));
                next = next.max(end + 1);
            }
            add(next, last);
        }
        let text = |&(first, last): &(i64, i64)| match last {
            _ if first == last => format!("{first}"),
            _ if last == self.max => format!("{first} to max"),
            _ => format!("{first} to {last}"),
        };
        rest.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

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
        let range = |r: core::ops::RangeInclusive<i32>| (i64::from(*r.start()), i64::from(*r.end()));
        Self {
            numbers: Ranges {
                ranges: enumeration.reserved_ranges().map(range).collect(),
                max: i32::MAX.into(),
            },
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
