//! What a schema defines, by name, and the ranges of numbers of its types: what two schemas are compared by.

use alloc::collections::BTreeMap;
use alloc::{format, string::String, vec::Vec};
use core::ops::Range;
use tablepb::schema::{ExtensionDescriptor, FileDescriptor, ServiceDescriptor};
use tablepb::{DescriptorPool, EnumDescriptor, MessageDescriptor};

/// What a schema defines, by name.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) messages: BTreeMap<String, MessageDescriptor>,
    pub(crate) enums: BTreeMap<String, EnumDescriptor>,
    pub(crate) services: BTreeMap<String, ServiceDescriptor>,
    pub(crate) extensions: BTreeMap<String, ExtensionDescriptor>,
    pub(crate) files: BTreeMap<String, FileDescriptor>,
}

impl Named {
    /// All types, services and extensions of a file, by their names after `scope`.
    fn add_file(&mut self, file: &FileDescriptor, scope: &str) {
        let name =
            |full: &str| String::from(full.strip_prefix(scope).unwrap_or(full).trim_start_matches('.'));
        self.enums.extend(file.enums().map(|e| (name(e.full_name()), e)));
        self.services.extend(file.services().map(|s| (name(s.full_name()), s)));
        self.extensions.extend(file.extensions().map(|e| (name(e.full_name()), e)));
        let mut todo: Vec<MessageDescriptor> = file.messages().collect();
        while let Some(message) = todo.pop() {
            self.enums.extend(message.child_enums().map(|e| (name(e.full_name()), e)));
            self.extensions.extend(message.child_extensions().map(|e| (name(e.full_name()), e)));
            todo.extend(message.child_messages().filter(|m| !m.is_map_entry()));
            self.messages.insert(name(message.full_name()), message);
        }
    }

    pub(crate) fn of_file(file: &FileDescriptor) -> Self {
        let mut this = Self::default();
        this.add_file(file, file.package_name());
        // Whatever they are called, these are the ones that are compared.
        this.files.insert(String::new(), file.clone());
        this
    }

    pub(crate) fn of_pool(pool: &DescriptorPool) -> Self {
        let mut this = Self::default();
        for file in pool.files() {
            this.add_file(&file, "");
            this.files.insert(file.name().into(), file);
        }
        this
    }
}

/// First and last number of each range, by the first; ranges do not overlap.
#[derive(Default)]
pub(crate) struct Ranges {
    ranges: BTreeMap<i64, i64>,
    /// The largest number that can be listed, which has the name `max`.
    max: i64,
}

impl Ranges {
    pub(crate) fn of_message(message: &MessageDescriptor, ranges: impl Iterator<Item = Range<u32>>) -> Self {
        let max = if message.is_message_set() { i64::from(i32::MAX) - 1 } else { (1 << 29) - 1 };
        Self { ranges: ranges.map(|r| (i64::from(r.start), i64::from(r.end) - 1)).collect(), max }
    }

    /// What an enum reserves.
    pub(crate) fn of_enum(enumeration: &EnumDescriptor) -> Self {
        let range = |r: core::ops::RangeInclusive<i32>| (i64::from(*r.start()), i64::from(*r.end()));
        Self { ranges: enumeration.reserved_ranges().map(range).collect(), max: i32::MAX.into() }
    }

    pub(crate) fn has(&self, number: i64) -> bool {
        self.ranges.range(..=number).next_back().is_some_and(|(_, &last)| number <= last)
    }

    /// For each range the numbers that `other` has not, if there are any.
    pub(crate) fn lost(&self, other: &Self) -> Vec<String> {
        let one = |(&first, &last)| Self { ranges: BTreeMap::from([(first, last)]), max: self.max };
        let lost = self.ranges.iter().map(|range| one(range).without(other));
        lost.filter(|text| !text.is_empty()).collect()
    }

    /// The numbers that `other` has not, as a .proto file lists them; empty if it has all.
    pub(crate) fn without(&self, other: &Self) -> String {
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
