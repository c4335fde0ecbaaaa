//! Imports that nothing in the file refers to, by the rules of C++.
//!
//! A file counts as used that declares a type or an extension that is named. Not looked at are public imports, and files that import
//! others publicly.

use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::parse::ast::{Ast, ImportKind, Texts};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use tablepb::schema::{FieldKind, FileDescriptor};
use tablepb::{DescriptorPool, DynamicMessage, MessageView, ValueRef};

/// The files that each file refers to.
#[derive(Default)]
struct References(BTreeMap<String, BTreeSet<String>>);

/// Adds a warning for each unused import of these files.
pub(super) fn check(
    ast: &Ast,
    texts: &Texts,
    pool: &DescriptorPool,
    roots: &BTreeSet<&str>,
    faults: &mut Faults,
) {
    let references = References::of(pool);
    for file in &ast.files {
        let name = texts.get(file.name);
        if !roots.contains(name) {
            continue;
        }
        let used = references.0.get(name);
        for (_, import) in ast.imports.of(file.imports) {
            let path = texts.get(import.name);
            let watched = import.kind != ImportKind::Public
                && pool.file(path).is_ok_and(|file| file.public_dependencies().next().is_none());
            if watched && used.is_none_or(|used| !used.contains(path)) {
                let (start, end) = (import.at, import.at + import.name.len + 2);
                faults.add(SourceErrorKind::UnusedImport, start, end, &path);
            }
        }
    }
}

impl References {
    fn of(pool: &DescriptorPool) -> Self {
        let mut all = Self::default();
        for file in pool.files() {
            all.options(&file, file.options_bytes(), || file.options());
        }
        for message in pool.all_messages() {
            let file = message.parent_file();
            all.options(&file, message.options_bytes(), || message.options());
            for field in message.fields() {
                all.kind(&file, &field.kind());
                all.options(&file, field.options_bytes(), || field.options());
            }
            message.oneofs().for_each(|oneof| all.options(&file, oneof.options_bytes(), || oneof.options()));
        }
        for extension in pool.all_extensions() {
            let file = extension.parent_file();
            all.to(&file, &extension.containing_message().parent_file());
            all.kind(&file, &extension.kind());
            all.options(&file, extension.options_bytes(), || extension.options());
        }
        for enumeration in pool.all_enums() {
            let file = enumeration.parent_file();
            all.options(&file, enumeration.options_bytes(), || enumeration.options());
            enumeration
                .values()
                .for_each(|value| all.options(&file, value.options_bytes(), || value.options()));
        }
        for method in pool.services().flat_map(|service| service.methods().collect::<alloc::vec::Vec<_>>()) {
            let file = method.parent_file();
            all.to(&file, &method.input().parent_file());
            all.to(&file, &method.output().parent_file());
            all.options(&file, method.options_bytes(), || method.options());
        }
        pool.services().for_each(|service| {
            all.options(&service.parent_file(), service.options_bytes(), || service.options());
        });
        all
    }

    fn to(&mut self, from: &FileDescriptor, to: &FileDescriptor) {
        self.0.entry(from.name().to_string()).or_default().insert(to.name().to_string());
    }

    fn kind(&mut self, from: &FileDescriptor, kind: &FieldKind) {
        match kind {
            FieldKind::Message(message) => self.to(from, &message.parent_file()),
            FieldKind::Enum(enumeration) => self.to(from, &enumeration.parent_file()),
            _ => {}
        }
    }

    fn options(&mut self, from: &FileDescriptor, bytes: &[u8], options: impl FnOnce() -> DynamicMessage) {
        // Most definitions have none.
        if !bytes.is_empty() {
            self.extensions(from, options().as_view());
        }
    }

    /// The extensions that are set. Recurses as deep as the braces of a source, which are bounded.
    fn extensions(&mut self, from: &FileDescriptor, message: MessageView<'_, '_>) {
        for (field, value) in message.fields() {
            if let Some(extension) = field.as_extension() {
                self.to(from, &extension.parent_file());
            }
            match value {
                ValueRef::Message(inner) => self.extensions(from, inner),
                ValueRef::List(list) => {
                    list.iter()
                        .filter_map(ValueRef::as_message)
                        .for_each(|inner| self.extensions(from, inner));
                }
                _ => {}
            }
        }
    }
}
