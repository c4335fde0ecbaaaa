//! Prints an encoded options message as `name = value` pairs.

use super::text::{OptionItem, OptionValue};
use super::{Indices, Keep, ProtoPrinter, keep_all, text};
use crate::schema::pool::model::features::Edition;
use crate::schema::pool::model::symbols::Scope;
use crate::schema::pool::model::{Container, FieldFlags, NONE, PoolData, Span};
use crate::schema::table::Kind;
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
        let Some(message) = self.options.find_message(type_name) else { return options };
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

// Finds the definitions of a file that a message or enum needs.

/// Top-level definitions of one file. A type needs the top-level message around it, and that message needs the types of
/// all fields in it.
#[derive(Debug, Default)]
pub(super) struct Subset {
    pub(super) messages: Indices,
    pub(super) enums: Indices,
    pub(super) extensions: Indices,
}

/// A search over a queue of messages.
struct Search<'a> {
    data: &'a PoolData,
    file: u32,
    keep: &'a Keep<'a>,
    /// Whether a message needs its extensions.
    extends: bool,
    wanted: Subset,
    /// Messages whose contents are not visited yet.
    todo: Vec<u32>,
}

impl Subset {
    pub(super) fn of_message(data: &PoolData, index: u32) -> Self {
        let file = data.messages.get(index as usize).map_or(NONE, |m| m.file);
        Search::new(data, file, &keep_all).run(|search| search.message(index))
    }

    /// Includes those extensions of the same file that `keep` accepts.
    pub(super) fn of_record(data: &PoolData, index: u32, keep: &Keep<'_>) -> Self {
        let file = data.messages.get(index as usize).map_or(NONE, |m| m.file);
        let search = Search { extends: true, ..Search::new(data, file, keep) };
        search.run(|search| search.message(index))
    }

    pub(super) fn of_enum(data: &PoolData, index: u32) -> Self {
        let file = data.enums.get(index as usize).map_or(NONE, |e| e.file);
        Search::new(data, file, &keep_all).run(|search| search.enumeration(index))
    }
}

impl<'a> Search<'a> {
    fn new(data: &'a PoolData, file: u32, keep: &'a Keep<'a>) -> Self {
        Self { data, file, keep, extends: false, wanted: Subset::default(), todo: Vec::new() }
    }

    fn run(mut self, start: impl FnOnce(&mut Self)) -> Subset {
        start(&mut self);
        if self.defines_options() {
            let (data, file) = (self.data, self.file);
            let here = data.extensions.iter().enumerate().filter(|(_, e)| e.file == file);
            here.for_each(|(index, _)| self.extension(index as u32));
        }
        while let Some(index) = self.todo.pop() {
            self.content(index);
        }
        self.wanted
    }

    /// Whether the file declares custom options. Any definition may use them, and their values may hold any extension,
    /// so such a file needs all its extensions.
    fn defines_options(&self) -> bool {
        self.data.extensions.iter().filter(|e| e.file == self.file).any(|extension| {
            let extendee = self.data.messages.get(extension.message as usize);
            let name = extendee.map_or("", |m| self.data.text(m.name.full()));
            name.starts_with("google.protobuf.") && name.ends_with("Options")
        })
    }

    /// Adds the top-level message around a message.
    fn message(&mut self, mut index: u32) {
        while let Some(message) = self.data.messages.get(index as usize) {
            if message.file != self.file {
                return;
            }
            if message.parent == NONE {
                if self.wanted.messages.insert(index) {
                    self.todo.push(index);
                }
                return;
            }
            index = message.parent;
        }
    }

    fn enumeration(&mut self, index: u32) {
        let Some(enumeration) = self.data.enums.get(index as usize) else { return };
        if enumeration.parent != NONE {
            self.message(enumeration.parent);
        } else if enumeration.file == self.file {
            self.wanted.enums.insert(index);
        }
    }

    fn extension(&mut self, index: u32) {
        let Some(&extension) = self.data.extensions.get(index as usize) else { return };
        if extension.parent == NONE {
            self.wanted.extensions.insert(index);
        } else {
            self.message(extension.parent);
        }
        self.message(extension.message);
        let message = self.data.messages.get(extension.message as usize);
        if let Some(field) = message.and_then(|m| m.field(extension.field)) {
            self.kind(field.kind);
        }
    }

    fn kind(&mut self, kind: Kind<u32, u32>) {
        match kind {
            Kind::Message(index) => self.message(index),
            Kind::Enum(index) => self.enumeration(index),
            _ => {}
        }
    }

    /// Adds the types of fields and extensions in a message, and queues its nested messages.
    fn content(&mut self, index: u32) {
        let Some(message) = self.data.messages.get(index as usize) else { return };
        let mut dropped_entries = Indices::default();
        for (at, field) in message.fields.iter().take(message.declared as usize).enumerate() {
            match field.kind {
                kind if (self.keep)(index, at as u32) => self.kind(kind),
                Kind::Message(entry) if field.flags.has(FieldFlags::MAP) => {
                    dropped_entries.insert(entry);
                }
                _ => {}
            }
        }
        let owner = Container::Message(index);
        for &extension in self.data.extensions_in(owner) {
            self.extension(extension);
        }
        let extensions = message.fields.iter().enumerate().skip(message.declared as usize);
        for (at, field) in extensions {
            if self.extends && (self.keep)(index, at as u32) {
                self.extension(field.extension);
            }
        }
        let messages = self.data.messages_in(owner);
        self.todo.extend(messages.iter().filter(|&&m| !dropped_entries.contains(m)));
    }
}
