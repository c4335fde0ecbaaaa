//! Enums, and the number ranges of messages and enums.

use super::ProtoPrinter;
use super::definitions::{bracketed, visibility};
use crate::schema::escape::escape_str;
use crate::schema::model::MessageData;
use crate::schema::names::TextRange;
use crate::wire::Tag;
use alloc::{format, string::String, vec::Vec};

/// The most values of an enum in edition 2026.
const MAX_VALUES: usize = 1700;

/// The number after the largest field number.
const END: u32 = Tag::MAX_NUMBER + 1;

impl ProtoPrinter<'_> {
    pub(super) fn enumeration(&mut self, index: u32) {
        let data = self.data;
        let Some(enumeration) = data.enums.get(index as usize) else { return };
        let visibility = visibility(enumeration.visibility);
        self.open(format_args!("{visibility}enum {}", data.text(enumeration.name.local())));
        let mut options =
            self.options_of("google.protobuf.EnumOptions", enumeration.options, enumeration.scope);
        let values = enumeration.values.of(&data.values);
        self.lift_limit(&mut options, values.len(), MAX_VALUES);
        self.option_lines(options);
        for (position, value) in (0..).zip(values) {
            let mut options =
                self.options_of("google.protobuf.EnumValueOptions", value.options, enumeration.scope);
            // A file may use the option without the file that defines it: `import option`.
            if let Some(json) = data.json_value(index, position)
                && !options.iter().any(|(name, _)| name.ends_with("pb.enumvalue.json)"))
            {
                options.push(("(.pb.enumvalue.json).string".into(), format!("\"{}\"", escape_str(json))));
            }
            let name = data.text(value.name.local());
            self.line(format_args!("{name} = {}{};", value.number, bracketed(options)));
        }
        let ranges = enumeration.reserved_ranges.of(&data.enum_reserved_ranges).iter();
        self.reserved_numbers(ranges.map(|&(first, last)| {
            let max = last == i32::MAX;
            range(first.into(), last.into(), max)
        }));
        self.reserved_names(enumeration.reserved_names.of(&data.reserved_names));
        self.close();
    }

    pub(super) fn reserved(&mut self, message: &MessageData) {
        let data = self.data;
        let ranges = message.reserved_ranges.of(&data.reserved_ranges).iter();
        self.reserved_numbers(
            ranges.map(|&(start, end)| range(start.into(), i64::from(end) - 1, end == END)),
        );
        self.reserved_names(message.reserved_names.of(&data.reserved_names));
    }

    fn reserved_numbers(&mut self, ranges: impl Iterator<Item = String>) {
        let ranges: Vec<String> = ranges.collect();
        if !ranges.is_empty() {
            self.line(format_args!("reserved {};", super::comma_separated(&ranges)));
        }
    }

    /// Strings in proto2 and proto3, identifiers in editions.
    fn reserved_names(&mut self, names: &[TextRange]) {
        let legacy = self.edition.is_legacy();
        let name = |&name: &TextRange| {
            let name = self.data.text(name);
            if legacy { format!("\"{}\"", escape_str(name)) } else { name.into() }
        };
        let names: Vec<String> = names.iter().map(name).collect();
        if !names.is_empty() {
            self.line(format_args!("reserved {};", super::comma_separated(&names)));
        }
    }

    pub(super) fn extension_ranges(&mut self, message: &MessageData) {
        let limit = if message.message_set { i32::MAX as u32 } else { END };
        for extensions in message.extension_ranges.of(&self.data.extension_ranges) {
            let type_name = "google.protobuf.ExtensionRangeOptions";
            let options = bracketed(self.options_of(type_name, extensions.options, message.scope));
            let max = extensions.end == limit;
            let range = range(extensions.start.into(), i64::from(extensions.end) - 1, max);
            self.line(format_args!("extensions {range}{options};"));
        }
    }
}

fn range(first: i64, last: i64, max: bool) -> String {
    if max {
        format!("{first} to max")
    } else if first == last {
        format!("{first}")
    } else {
        format!("{first} to {last}")
    }
}
