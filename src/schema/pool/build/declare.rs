//! The first pass over a file: gives each definition its index and full name. References are resolved later.

use super::files::FileSource;
use super::{Builder, DescriptorErrorKind, FieldSlot, MAX_FIELDS, Result, json, too_many};
use crate::schema::pool::model::features::{Edition, Features};
use crate::schema::pool::model::names::{Name, TextRange, is_identifier};
use crate::schema::pool::model::symbols::{Scope, Symbol};
use crate::schema::pool::model::{
    DependencyData, ExtensionRangeData, FileData, Import, IndexRange, MessageData, NONE, OneofData,
};
use crate::schema::pool::read::{self, Children, FieldDef, FileDef, MessageDef, children};
use alloc::vec::Vec;

/// The context of a definition: its file and the enclosing scope.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub(super) file: u32,
    pub(super) edition: Edition,
    /// Index of the enclosing message, or `NONE`.
    pub(super) parent: u32,
    pub(super) scope: Scope,
    /// Full name of the scope.
    pub(super) name: TextRange,
    pub(super) features: Features,
    /// The enclosing message is a map entry.
    pub(super) in_entry: bool,
}

/// The elements of a list from `start` to its end.
pub(super) fn run_from<T>(start: usize, list: &[T]) -> IndexRange {
    IndexRange { start: start as u32, end: list.len() as u32 }
}

impl<'i> Builder<'i> {
    pub(super) fn declare_file(&mut self, source: &FileSource<'i>) -> Result<()> {
        let bytes = source.bytes;
        let file = FileDef::read(bytes)?;
        let index = self.data.files.len() as u32;
        let (name, package) = self.file_names(&file)?;
        let proto = self.store(bytes)?;
        self.raw = (bytes, proto.start);
        let data = FileData {
            name,
            package,
            edition: file.edition,
            dependencies: self.declare_imports(&file)?,
            services: IndexRange {
                start: self.data.services.len() as u32,
                end: self.data.services.len() as u32,
            },
            proto,
            options: self.options(&file.options)?,
            deprecated: file.options.deprecated,
            of_tables: source.of_tables,
        };
        self.room.push(&mut self.data.files, data)?;
        let root = Around {
            file: index,
            edition: file.edition,
            parent: NONE,
            scope: self.symbols.package(file.package),
            name: package,
            features: file.features(),
            in_entry: false,
        };
        self.note(self.check_options(root, package, &file.options))?;
        self.note(self.check_file(root, &file))?;
        self.declare_extensions(root, bytes, read::file::EXTENSION)?;
        self.declare_messages(root, bytes)?;
        self.declare_enums(root, bytes, read::file::ENUM)?;
        for service in children(bytes, read::file::SERVICE) {
            self.declare_service(root, service)?;
        }
        if let Some(file) = self.data.files.get_mut(index as usize) {
            file.services.end = self.data.services.len() as u32;
        }
        Ok(())
    }

    /// Stores the name of a file. The text of its package is stored already.
    fn file_names(&mut self, file: &FileDef<'i>) -> Result<(TextRange, TextRange)> {
        let name = self.data.names.push(file.name, &mut self.room)?;
        Ok((name, self.symbols.package_text(file.package)))
    }

    fn declare_imports(&mut self, file: &FileDef<'i>) -> Result<IndexRange> {
        let start = self.data.dependencies.len();
        let lists =
            [(read::file::DEPENDENCY, Import::Plain), (read::file::OPTION_DEPENDENCY, Import::Option)];
        let count = lists.iter().map(|(number, _)| children(file.bytes, *number).count()).sum();
        self.room.reserve(&mut self.data.dependencies, count)?;
        for (number, import) in lists {
            for name in children(file.bytes, number) {
                let name = self.data.names.push(read::text(name)?, &mut self.room)?;
                self.room.push(&mut self.data.dependencies, DependencyData { name, import, file: NONE })?;
            }
        }
        let plain = children(file.bytes, read::file::DEPENDENCY).count();
        let marked =
            [(read::file::PUBLIC_DEPENDENCY, Import::Public), (read::file::WEAK_DEPENDENCY, Import::Weak)];
        for (number, import) in marked {
            read::ints(file.bytes, number, &mut |index| {
                let at = usize::try_from(index).ok().filter(|&at| at < plain);
                match at.and_then(|at| self.data.dependencies.get_mut(start + at)) {
                    Some(dependency) => dependency.import = import,
                    None => {
                        return Err(crate::wire::error::DescriptorError::new(
                            DescriptorErrorKind::MissingImport,
                            file.name,
                            format_args!("import {index} of {plain}"),
                        ));
                    }
                }
                Ok(())
            })?;
        }
        Ok(run_from(start, &self.data.dependencies))
    }

    pub(super) fn identifier(&mut self, around: Around, name: &str, what: &str) -> Result<Name> {
        if is_identifier(name) {
            return Ok(self.data.names.push_name(around.name, name, &mut self.room)?);
        }
        Err(self.fail(
            DescriptorErrorKind::InvalidName,
            around.file,
            around.name,
            format_args!("{what} {name:?}: not an identifier"),
        ))
    }

    /// Declares all messages of a file with their contents, each before those nested in it.
    fn declare_messages(&mut self, root: Around, file: &'i [u8]) -> Result<()> {
        let mut levels: Vec<(Children<'i>, Around)> = Vec::new();
        self.room.push(&mut levels, (children(file, read::file::MESSAGE), root))?;
        while let Some((messages, around)) = levels.last_mut() {
            let around = *around;
            let Some(bytes) = messages.next() else {
                levels.pop();
                continue;
            };
            if levels.len() > self.limits.depth_limit() {
                return Err(self.fail(
                    DescriptorErrorKind::TooDeep,
                    around.file,
                    around.name,
                    format_args!("limit {}", self.limits.depth_limit()),
                ));
            }
            let proto = MessageDef::read(bytes)?;
            let inner = self.declare_message(around, &proto)?;
            self.declare_enums(inner, proto.part(read::message::ENUM), read::message::ENUM)?;
            self.declare_extensions(inner, proto.part(read::message::EXTENSION), read::message::EXTENSION)?;
            self.room.push(&mut levels, (proto.children(read::message::MESSAGE), inner))?;
        }
        self.room.drop_list(levels);
        Ok(())
    }

    fn declare_enums(&mut self, around: Around, bytes: &'i [u8], number: u32) -> Result<()> {
        children(bytes, number).try_for_each(|bytes| self.declare_enum(around, bytes))
    }

    fn declare_extensions(&mut self, around: Around, bytes: &'i [u8], number: u32) -> Result<()> {
        children(bytes, number).try_for_each(|bytes| self.declare_extension(around, FieldDef::read(bytes)?))
    }

    fn declare_message(&mut self, around: Around, proto: &MessageDef<'i>) -> Result<Around> {
        let name = self.identifier(around, proto.name, "message")?;
        let fields = proto.children(read::message::FIELD).count();
        if fields > MAX_FIELDS {
            return Err(self.fail(
                DescriptorErrorKind::TooMany,
                around.file,
                name.full(),
                format_args!("{fields} fields, limit {MAX_FIELDS}"),
            ));
        }
        if self.data.messages.len() >= self.limits.message_limit() {
            return Err(self.fail(
                DescriptorErrorKind::TooMany,
                around.file,
                name.full(),
                format_args!("more than {} messages", self.limits.message_limit()),
            ));
        }
        self.note(self.check_options(around, name.full(), &proto.options))?;
        let index = self.data.messages.len() as u32;
        let symbol = Symbol::Message(index);
        let scope = self.symbols.add_scope(around.scope, name.local(), symbol, &mut self.room)?;
        let features = around.features.with(proto.options.features);
        let in_entry = proto.options.map_entry;
        let inner = Around { parent: index, scope, name: name.full(), features, in_entry, ..around };
        let data = self.message_data(around, inner, name, proto, fields as u32)?;
        self.room.push(&mut self.data.messages, data)?;
        if let Some(rule) = json::Rule::of(proto.options.legacy_json, features.strict_json) {
            self.room.push(&mut self.json, (index, rule))?;
        }
        self.declare_oneofs(inner, proto.children(read::message::ONEOF))?;
        self.declare_fields(inner, proto.children(read::message::FIELD), fields)?;
        Ok(inner)
    }

    fn declare_oneofs(&mut self, inner: Around, oneofs: Children<'i>) -> Result<()> {
        let start = self.data.oneofs.len();
        self.oneof_features.clear();
        for (i, oneof) in oneofs.enumerate() {
            let (name, options) = read::oneof(oneof)?;
            let name = self.identifier(inner, name, "oneof")?;
            self.note(self.check_options(inner, name.full(), &options))?;
            let symbol = Symbol::Oneof { message: inner.parent, oneof: i as u32 };
            self.symbols.add(inner.scope, name.local(), symbol, &mut self.room)?;
            self.room.push(&mut self.oneof_features, options.features)?;
            let options = self.options(&options)?;
            let data = OneofData { name, options, fields: IndexRange::default(), synthetic: false };
            self.room.push(&mut self.data.oneofs, data)?;
        }
        let oneofs = run_from(start, &self.data.oneofs);
        self.message_mut(inner.parent)?.oneofs = oneofs;
        Ok(())
    }

    fn declare_fields(&mut self, inner: Around, list: Children<'i>, count: usize) -> Result<()> {
        let index = inner.parent;
        let mut fields = Vec::new();
        self.room.reserve(&mut fields, count)?;
        for (i, field) in list.enumerate() {
            let field = FieldDef::read(field)?;
            let mut around = inner;
            let oneof = field.oneof_index.and_then(|at| usize::try_from(at).ok());
            if let Some(&features) = oneof.and_then(|at| self.oneof_features.get(at)) {
                around.features = around.features.with(features);
            }
            if field.extendee.is_some() {
                return Err(self.fail(
                    DescriptorErrorKind::InvalidExtension,
                    around.file,
                    around.name,
                    format_args!("field {} has an extendee", field.name),
                ));
            }
            let target = FieldSlot::Field { message: index, field: i as u32 };
            let data = self.declare_field(around, &field, target)?;
            let symbol = Symbol::Field { message: index, field: i as u32 };
            self.symbols.add(inner.scope, data.name.local(), symbol, &mut self.room)?;
            self.room.push(&mut fields, data)?;
        }
        let oneofs = self.message_mut(index)?.oneofs;
        self.find_members(oneofs, &fields)?;
        self.message_mut(index)?.fields = fields;
        Ok(())
    }

    /// The data of a message, without its fields and nested definitions.
    fn message_data(
        &mut self,
        around: Around,
        inner: Around,
        name: Name,
        proto: &MessageDef<'i>,
        declared: u32,
    ) -> Result<MessageData> {
        let extension_ranges =
            self.extension_ranges(around, name, proto.children(read::message::EXTENSION_RANGE))?;
        let start = self.data.reserved_ranges.len();
        for range in proto.children(read::message::RESERVED_RANGE) {
            match self.positive(around, name, read::range(range)?) {
                Ok(range) => self.room.push(&mut self.data.reserved_ranges, range)?,
                Err(error) => self.keep(error)?,
            }
        }
        Ok(MessageData {
            name,
            file: around.file,
            parent: around.parent,
            scope: inner.scope,
            fields: Vec::new(),
            declared,
            oneofs: IndexRange::default(),
            extension_ranges,
            reserved_ranges: run_from(start, &self.data.reserved_ranges),
            reserved_names: self
                .texts(proto.part(read::message::RESERVED_NAME), read::message::RESERVED_NAME)?,
            options: self.options(&proto.options)?,
            map_entry: proto.options.map_entry,
            message_set: proto.options.message_set,
            deprecated: proto.options.deprecated,
            visibility: proto.visibility,
        })
    }

    fn extension_ranges(&mut self, around: Around, name: Name, ranges: Children<'i>) -> Result<IndexRange> {
        let start = self.data.extension_ranges.len();
        for range in ranges {
            let (first, end) = match self.positive(around, name, read::range(range)?) {
                Ok(range) => range,
                Err(error) => {
                    self.keep(error)?;
                    continue;
                }
            };
            let options = read::range_options(range)?;
            self.note(self.check_options(around, name.full(), &options))?;
            let options = self.options(&options)?;
            let data = ExtensionRangeData { start: first, end, options };
            self.room.push(&mut self.data.extension_ranges, data)?;
        }
        Ok(run_from(start, &self.data.extension_ranges))
    }

    fn positive(&self, around: Around, name: Name, (start, end): (i32, i32)) -> Result<(u32, u32)> {
        match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) => Ok((start, end)),
            _ => Err(self.fail(
                DescriptorErrorKind::InvalidNumber,
                around.file,
                name.full(),
                format_args!("number {} in a range", start.min(end)),
            )),
        }
    }

    pub(super) fn message_mut(&mut self, index: u32) -> Result<&mut MessageData> {
        self.data.messages.get_mut(index as usize).ok_or_else(|| too_many("messages"))
    }

    pub(super) fn texts(&mut self, bytes: &'i [u8], number: u32) -> Result<IndexRange> {
        let start = self.data.reserved_names.len();
        for text in children(bytes, number) {
            let text = self.data.names.push(read::text(text)?, &mut self.room)?;
            self.room.push(&mut self.data.reserved_names, text)?;
        }
        Ok(run_from(start, &self.data.reserved_names))
    }
}
