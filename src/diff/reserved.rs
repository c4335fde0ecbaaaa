//! Numbers and names that a schema keeps from being used again.

use super::difference::Compatibility;
use crate::schema::{EnumDescriptor, MessageDescriptor};
use alloc::collections::BTreeMap;
use alloc::string::String;

/// The reserved numbers and names of a message or enum.
#[derive(Default)]
pub(super) struct Reserved {
    /// First and last number of each range, by the first; ranges do not overlap.
    ranges: BTreeMap<i64, i64>,
    names: BTreeMap<String, i64>,
}

impl Reserved {
    pub(super) fn of_message(message: &MessageDescriptor) -> Self {
        Self {
            ranges: message.reserved_ranges().map(|r| (i64::from(r.start), i64::from(r.end) - 1)).collect(),
            names: message.reserved_names().map(|name| (name.into(), 0)).collect(),
        }
    }

    pub(super) fn of_enum(enumeration: &EnumDescriptor) -> Self {
        let range = |r: core::ops::RangeInclusive<i32>| (i64::from(*r.start()), i64::from(*r.end()));
        Self {
            ranges: enumeration.reserved_ranges().map(range).collect(),
            names: enumeration.reserved_names().map(|name| (name.into(), 0)).collect(),
        }
    }

    pub(super) fn has_number(&self, number: i64) -> bool {
        self.ranges.range(..=number).next_back().is_some_and(|(_, &last)| number <= last)
    }

    /// What it means to remove a definition: on the wire by its number, in JSON by its name.
    pub(super) fn verdict(&self, number: i64, name: &str) -> (Compatibility, Compatibility) {
        let of = |kept| if kept { Compatibility::Compatible } else { Compatibility::Conditional };
        (of(self.has_number(number)), of(self.names.contains_key(name)))
    }
}
