//! Prints an encoded options message as `name = value` pairs.

use super::ProtoPrinter;
use super::text::{self, OptionItem, OptionValue};
use crate::schema::pool::model::Span;
use crate::schema::pool::model::edition::Edition;
use crate::schema::pool::model::symbols::Scope;
use alloc::{format, string::String, vec, vec::Vec};

/// An option as it is printed.
pub(super) struct PrintedOption {
    pub(super) name: String,
    pub(super) value: String,
    /// Its path in the options message; of one that only the printer adds, empty.
    path: Vec<i32>,
}

impl PrintedOption {
    /// One that the descriptor does not have as an option.
    pub(super) fn added(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), path: Vec::new() }
    }
}

impl ProtoPrinter<'_> {
    /// The options in an encoded options message of this type, in number order. Leaves out unknown fields and
    /// uninterpreted options.
    pub(super) fn options_of(&self, type_name: &str, span: Span, scope: Scope) -> Vec<PrintedOption> {
        let bytes = self.data.bytes(span);
        let mut options = Vec::new();
        let Some(message) = self.options.get_message_by_name(type_name) else { return options };
        if bytes.is_empty() {
            return options;
        }
        for item in text::items(&message, &[bytes]) {
            match item.field.name() {
                "uninterpreted_option" => {}
                "map_entry" if type_name == "google.protobuf.MessageOptions" => {}
                // One by one, since `features = {}` excludes setting further features.
                "features" => options.extend(self.features(&item, scope)),
                _ => {
                    let mut path = vec![item.field.number() as i32];
                    if item.field.is_list() {
                        let last = options.last().filter(|last| last.path.first() == path.first());
                        path.push(last.and_then(|last| last.path.last()).map_or(0, |index| index + 1));
                    }
                    let (name, value) = (self.option_name(&item, scope), text::option_value(item.value));
                    options.push(PrintedOption { name, value, path });
                }
            }
        }
        options
    }

    /// Options for a definition that has more parts than edition 2026 allows.
    ///
    /// protoc does not write the feature that lifts the limit to descriptor sets.
    pub(super) fn lift_limit(&self, options: &mut Vec<PrintedOption>, count: usize, limit: usize) {
        let name = "features.enforce_proto_limits";
        let is_set = || options.iter().any(|option| option.name == name);
        if self.edition >= Edition::Edition2026 && count > limit && !is_set() {
            options.push(PrintedOption::added(name, "LEGACY_NO_EXPLICIT_LIMITS"));
        }
    }

    fn features(&self, features: &OptionItem<'_>, scope: Scope) -> Vec<PrintedOption> {
        let OptionValue::Message(message, payload) = &features.value else { return vec![] };
        let number = features.field.number() as i32;
        let item = |item: OptionItem<'_>| PrintedOption {
            path: vec![number, item.field.number() as i32],
            name: format!("features.{}", self.option_name(&item, scope)),
            value: text::option_value(item.value),
        };
        text::items(message, payload).into_iter().map(item).collect()
    }

    /// `name`, or `(full.name)` for an extension, with a leading dot where an inner scope hides the name.
    fn option_name(&self, item: &OptionItem<'_>, scope: Scope) -> String {
        if !item.field.is_extension() {
            return item.field.name().into();
        }
        let name = item.field.full_name();
        let first = name.split('.').next().unwrap_or(name);
        let dot = if self.data.symbols.is_hidden(&self.data.names, scope, first) { "." } else { "" };
        format!("({dot}{name})")
    }

    /// Statements; `number` is that of the options in the descriptor.
    pub(super) fn option_lines(&mut self, number: i32, options: Vec<PrintedOption>) {
        for PrintedOption { name, value, mut path } in options {
            path.insert(0, number);
            let step = if path.len() > 1 && self.prints_comments() { path.as_slice() } else { &[-1] };
            self.before(step, false);
            self.line(format_args!("option {name} = {value};"));
            self.after(step, false);
        }
    }
}
