//! Prints an encoded options message as `name = value` pairs.

use super::ProtoPrinter;
use super::text::{self, OptionItem, OptionValue};
use crate::schema::edition::Edition;
use crate::schema::model::Span;
use crate::schema::symbols::Scope;
use alloc::{format, string::String, vec, vec::Vec};

impl ProtoPrinter<'_> {
    /// The options in an encoded options message of this type, in number order. Leaves out unknown fields and
    /// uninterpreted options.
    pub(super) fn options_of(&self, type_name: &str, span: Span, scope: Scope) -> Vec<(String, String)> {
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
                _ => options.push((self.option_name(&item, scope), text::option_value(item.value))),
            }
        }
        options
    }

    /// Options for a definition that has more parts than edition 2026 allows.
    ///
    /// protoc does not write the feature that lifts the limit to descriptor sets.
    pub(super) fn lift_limit(&self, options: &mut Vec<(String, String)>, count: usize, limit: usize) {
        let name = "features.enforce_proto_limits";
        let is_set = || options.iter().any(|(known, _)| known == name);
        if self.edition >= Edition::Edition2026 && count > limit && !is_set() {
            options.push((name.into(), "LEGACY_NO_EXPLICIT_LIMITS".into()));
        }
    }

    fn features(&self, features: &OptionItem<'_>, scope: Scope) -> Vec<(String, String)> {
        let OptionValue::Message(message, payload) = &features.value else { return vec![] };
        let item = |item: OptionItem<'_>| {
            (format!("features.{}", self.option_name(&item, scope)), text::option_value(item.value))
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

    pub(super) fn option_lines(&mut self, options: Vec<(String, String)>) {
        for (name, value) in options {
            self.line(format_args!("option {name} = {value};"));
        }
    }
}
