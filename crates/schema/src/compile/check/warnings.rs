//! What is not wrong and yet worth saying, as protoc says it: imports that nothing refers to, JSON names of proto2 that are the same, reserved names
//! that no definition can have, and options that the edition of the file deprecates.

use super::support::Support;
use super::unused;
use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::names::symbols::Symbols;
use crate::compile::parse::ast::{Ast, Chain, Span, Texts};
use crate::features::message_allows_json;
use crate::json_name::json_name;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use tablepb::schema::FileDescriptor;
use tablepb::{DescriptorPool, FieldDescriptor, MessageDescriptor};

/// An option or a value that is set where it is deprecated: the piece of the source, and where its `feature_support` stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deprecated {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) support: u32,
}

/// What was compiled.
pub(crate) struct Sources<'a> {
    pub(crate) ast: &'a Ast,
    pub(crate) texts: &'a Texts,
    pub(crate) symbols: &'a Symbols,
    pub(crate) pool: &'a DescriptorPool,
    /// The names of the files that were asked for; others are not looked at.
    pub(crate) roots: BTreeSet<&'a str>,
}

/// Adds all warnings.
pub(crate) fn check(sources: &Sources<'_>, deprecated: &[Deprecated], faults: &mut Faults) {
    let Sources { ast, texts, pool, ref roots, .. } = *sources;
    unused::check(ast, texts, pool, roots, faults);
    for found in deprecated.iter().filter(|found| sources.is_asked_for(found.start)) {
        let name = texts.sources.get(found.start as usize..found.end as usize).unwrap_or_default();
        let (edition, why) = Support::deprecation(texts, found.support);
        let detail = format_args!("{name} is deprecated since edition {edition}: {why}");
        faults.add(SourceErrorKind::Deprecated, found.start, found.end, &detail);
    }
    let file_of = |index: u32| ast.files.get(index as usize).map_or("", |file| texts.get(file.name));
    for message in ast.messages.all().iter().filter(|it| roots.contains(file_of(it.file))) {
        sources.reserved_names(message.reserved_names, (message.at, message.name), faults);
    }
    for found in ast.enums.all().iter().filter(|it| roots.contains(file_of(it.file))) {
        sources.reserved_names(found.reserved_names, (found.at, found.name), faults);
    }
    for file in pool.files().filter(|file| roots.contains(file.name())) {
        sources.json_names(&file, faults);
    }
}

impl Sources<'_> {
    /// Whether this place is in one of the files that were asked for.
    fn is_asked_for(&self, at: u32) -> bool {
        let after = self.ast.files.partition_point(|file| file.start <= at);
        let file = self.ast.files.get(after.saturating_sub(1));
        file.is_some_and(|file| self.roots.contains(self.texts.get(file.name)))
    }

    fn reserved_names(&self, names: Chain, around: (u32, Span), faults: &mut Faults) {
        for (_, &name) in self.ast.names.of(names) {
            let text = self.texts.get(name);
            if is_identifier(text) {
                continue;
            }
            // In quotes, unless it has escapes: then it is shown at the definition.
            let (start, end) = match name.in_sources() {
                true => (name.start - 1, name.start + name.len + 1),
                false => (around.0, around.0 + around.1.len),
            };
            faults.add(
                SourceErrorKind::InvalidReservedName,
                start,
                end,
                &format_args!("{text:?} is no identifier"),
            );
        }
    }

    /// The same JSON name for two fields of a message. Where `json_format` allows JSON it is an error, which the pool finds.
    fn json_names(&self, file: &FileDescriptor, faults: &mut Faults) {
        let mut todo: Vec<MessageDescriptor> = file.messages().collect();
        while let Some(message) = todo.pop() {
            todo.extend(message.child_messages());
            let excused = || {
                let name = "deprecated_legacy_json_field_conflicts";
                message.options().get(name).and_then(|it| it.as_bool()) == Some(true)
            };
            if !message_allows_json(&message) && !excused() {
                self.json_names_of(&message, false, faults);
                self.json_names_of(&message, true, faults);
            }
        }
    }

    /// Those that fields have by default, or, if `custom`, those that are given, beside those of the others.
    fn json_names_of(&self, message: &MessageDescriptor, custom: bool, faults: &mut Faults) {
        let mut known: BTreeMap<String, (FieldDescriptor, bool)> = BTreeMap::new();
        for field in message.fields() {
            let default: Vec<u8> = json_name(field.name()).collect();
            let default = String::from_utf8(default).unwrap_or_default();
            let is_custom = custom && field.json_name() != default;
            let name = if is_custom { String::from(field.json_name()) } else { default };
            let Some((first, is_first_custom)) = known.get(&name) else {
                known.insert(name, (field, is_custom));
                continue;
            };
            if custom && !is_custom && !is_first_custom {
                continue;
            }
            let word = |custom: bool| if custom { "custom" } else { "default" };
            let detail = format_args!(
                "the {} JSON name {name:?} of {} is the {} JSON name of {} too",
                word(is_custom),
                field.name(),
                word(*is_first_custom),
                first.name()
            );
            if let Some((at, len)) = self.symbols.place(self.ast, self.texts, field.full_name(), 0) {
                faults.add(SourceErrorKind::JsonNameConflict, at, at + len, &detail);
            }
        }
    }
}

fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}
