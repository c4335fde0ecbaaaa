//! Enums, and the number ranges of messages and enums.

use super::ProtoPrinter;
use super::definitions::{bracketed, visibility};
use super::options::PrintedOption;
use crate::schema::pool::model::MessageData;
use crate::schema::pool::model::escape::escape_str;
use crate::schema::pool::model::names::TextRange;
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
        self.before(&[], false);
        self.open(format_args!("{visibility}enum {}", data.text(enumeration.name.local())));
        self.after(&[], false);
        let mut options =
            self.options_of("google.protobuf.EnumOptions", enumeration.options, enumeration.scope);
        let values = enumeration.values.of(&data.values);
        self.lift_limit(&mut options, values.len(), MAX_VALUES);
        self.option_lines(3, options);
        for (position, value) in (0..).zip(values) {
            let mut options =
                self.options_of("google.protobuf.EnumValueOptions", value.options, enumeration.scope);
            // A file may use the option without the file that defines it: `import option`.
            if let Some(json) = data.json_value(index, position)
                && !options.iter().any(|option| option.name.ends_with("pb.enumvalue.json)"))
            {
                let json = format!("\"{}\"", escape_str(json));
                options.push(PrintedOption::added("(.pb.enumvalue.json).string", json));
            }
            let name = data.text(value.name.local());
            let step = [2, position as i32];
            self.before(&step, false);
            self.line(format_args!("{name} = {}{};", value.number, bracketed(options)));
            self.after(&step, false);
        }
        let ranges = enumeration.reserved_ranges.of(&data.enum_reserved_ranges).iter();
        let ranges = ranges.map(|&(first, last)| range(first.into(), last.into(), last == i32::MAX));
        self.reserved_parts(4, ranges.collect());
        self.reserved_names(5, enumeration.reserved_names.of(&data.reserved_names));
        self.close();
    }

    pub(super) fn reserved(&mut self, message: &MessageData) {
        let data = self.data;
        let ranges = message.reserved_ranges.of(&data.reserved_ranges).iter();
        let ranges = ranges.map(|&(start, end)| range(start.into(), i64::from(end) - 1, end == END));
        self.reserved_parts(9, ranges.collect());
        self.reserved_names(10, message.reserved_names.of(&data.reserved_names));
    }

    /// One statement, or several where there are comments between them.
    fn reserved_parts(&mut self, number: i32, parts: Vec<String>) {
        let mut start = 0;
        while start < parts.len() {
            let step = [number, start as i32];
            let end = (start + 1..parts.len()).find(|&at| self.begins_list(&[number, at as i32]));
            let end = end.unwrap_or(parts.len());
            self.before(&step, true);
            let own = parts.get(start..end).unwrap_or_default();
            self.line(format_args!("reserved {};", super::comma_separated(own)));
            self.after(&step, true);
            start = end;
        }
    }

    /// Strings in proto2 and proto3, identifiers in editions.
    fn reserved_names(&mut self, number: i32, names: &[TextRange]) {
        let legacy = self.edition.is_legacy();
        let name = |&name: &TextRange| {
            let name = self.data.text(name);
            if legacy { format!("\"{}\"", escape_str(name)) } else { name.into() }
        };
        let names = names.iter().map(name).collect();
        self.reserved_parts(number, names);
    }

    pub(super) fn extension_ranges(&mut self, message: &MessageData) {
        let limit = if message.message_set { i32::MAX as u32 } else { END };
        for (position, extensions) in (0..).zip(message.extension_ranges.of(&self.data.extension_ranges)) {
            let type_name = "google.protobuf.ExtensionRangeOptions";
            let options = bracketed(self.options_of(type_name, extensions.options, message.scope));
            let max = extensions.end == limit;
            let range = range(extensions.start.into(), i64::from(extensions.end) - 1, max);
            let step = [5, position];
            self.before(&step, true);
            self.line(format_args!("extensions {range}{options};"));
            self.after(&step, true);
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
