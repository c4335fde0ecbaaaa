//! Takes a file apart: indices and names for everything in it, references left for later.

use super::{
    Builder, DescriptorErrorKind as Kind, MAX_COMPONENTS, MAX_FIELDS, MAX_NESTING, PendingMethod, Result,
    Target, too_many,
};
use crate::error::DescriptorError;
use crate::schema::features::Features;
use crate::schema::model::{
    DependencyData, EnumData, EnumValueData, ExtensionRangeData, FileData, Import, MessageData, MethodData,
    NONE, OneofData, ServiceData,
};
use crate::schema::names::{Name, Text, is_identifier};
use crate::schema::proto::{Edition, EnumProto, FileProto, MessageProto, ServiceProto};
use crate::schema::symbols::{Scope, Symbol};
use alloc::{borrow::Cow, format, vec::Vec};

/// What definitions need to know about what is around them.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub(super) file: u32,
    pub(super) edition: Edition,
    /// Index of the enclosing message, or `NONE`.
    pub(super) parent: u32,
    pub(super) scope: Scope,
    /// Full name of the scope.
    pub(super) name: Text,
    pub(super) features: Features,
    /// Messages around, counted.
    depth: usize,
}

impl<'i> Builder<'i> {
    pub(super) fn declare_file(&mut self, file: FileProto<'i>, raw: &[u8]) -> Result<()> {
        if file.name.is_empty() || file.name.contains('\0') {
            return Err(DescriptorError::new(Kind::InvalidName, &*file.name, "not a file name"));
        }
        let index = self.data.files.len() as u32;
        let features = Features::of_file(&file);
        let package = self.data.names.push(&file.package)?;
        let scope = self.declare_package(&file.package, package)?;
        let data = FileData {
            name: self.data.names.push(&file.name)?,
            package,
            edition: file.edition,
            dependencies: self.declare_imports(&file)?,
            messages: Vec::new(),
            enums: Vec::new(),
            extensions: Vec::new(),
            services: Vec::new(),
            proto: self.store(raw)?,
            options: self.store(&file.options.bytes)?,
            deprecated: file.options.deprecated,
        };
        self.data.files.push(data);
        self.files.insert(file.name.clone(), index);
        let root = Around {
            file: index,
            edition: file.edition,
            parent: NONE,
            scope,
            name: package,
            features,
            depth: 0,
        };
        // `messages` is in an order in which parents come first, so their surroundings are known.
        let mut around_messages: Vec<Around> = Vec::with_capacity(file.messages.len());
        let inside = |list: &[Around], parent: Option<u32>| match parent {
            Some(parent) => list.get(parent as usize).copied().unwrap_or(root),
            None => root,
        };
        for message in file.messages {
            let around = inside(&around_messages, message.parent);
            around_messages.push(self.declare_message(around, message)?);
        }
        for enumeration in file.enums {
            self.declare_enum(inside(&around_messages, enumeration.parent), enumeration)?;
        }
        for extension in file.extensions {
            self.declare_extension(inside(&around_messages, extension.parent), extension)?;
        }
        for service in file.services {
            self.declare_service(root, service)?;
        }
        Ok(())
    }

    fn declare_package(&mut self, package: &str, text: Text) -> Result<Scope> {
        let mut scope = Scope::ROOT;
        if package.is_empty() {
            return Ok(scope);
        }
        let mut start = 0;
        for (i, component) in package.split('.').enumerate() {
            if !is_identifier(component) || i + MAX_NESTING >= MAX_COMPONENTS {
                return Err(DescriptorError::new(Kind::InvalidName, package, "not a package name"));
            }
            let end = start + component.len();
            scope = self.symbols.package(scope, component, text.part(start, end));
            start = end + 1;
        }
        Ok(scope)
    }

    fn declare_imports(&mut self, file: &FileProto<'i>) -> Result<Vec<DependencyData>> {
        let mut imports = Vec::with_capacity(file.dependencies.len() + file.option_dependencies.len());
        for name in &file.dependencies {
            imports.push(DependencyData {
                name: self.data.names.push(name)?,
                import: Import::Plain,
                file: NONE,
            });
        }
        let marked = [(&file.public_dependencies, Import::Public), (&file.weak_dependencies, Import::Weak)];
        for (indices, import) in marked {
            for &index in indices {
                match usize::try_from(index).ok().and_then(|i| imports.get_mut(i)) {
                    Some(dependency) => dependency.import = import,
                    None => {
                        let detail = format!("import {index} of {}", imports.len());
                        return Err(DescriptorError::new(Kind::MissingImport, &*file.name, detail));
                    }
                }
            }
        }
        for name in &file.option_dependencies {
            imports.push(DependencyData {
                name: self.data.names.push(name)?,
                import: Import::Option,
                file: NONE,
            });
        }
        Ok(imports)
    }

    pub(super) fn identifier(&mut self, around: Around, name: &str, what: &str) -> Result<Name> {
        if is_identifier(name) {
            return Ok(self.data.names.push_name(around.name, name)?);
        }
        let detail = format!("{what} {name:?}: not an identifier");
        Err(self.fail(Kind::InvalidName, around.file, around.name, detail))
    }

    fn declare_message(&mut self, around: Around, proto: MessageProto<'i>) -> Result<Around> {
        let name = self.identifier(around, &proto.name, "message")?;
        if around.depth >= MAX_NESTING {
            let detail = format!("limit {MAX_NESTING}");
            return Err(self.fail(Kind::TooDeep, around.file, name.full(), detail));
        }
        if proto.fields.len() > MAX_FIELDS {
            let detail = format!("{} fields, limit {MAX_FIELDS}", proto.fields.len());
            return Err(self.fail(Kind::TooMany, around.file, name.full(), detail));
        }
        let index = self.data.messages.len() as u32;
        let scope = self.symbols.add_scope(around.scope, name.local(), Symbol::Message(index));
        let features = around.features.with(proto.options.features);
        let inner =
            Around { parent: index, scope, name: name.full(), features, depth: around.depth + 1, ..around };
        self.siblings(around, |f| &mut f.messages, |m| &mut m.messages, index);
        let data = self.message_data(around, inner, name, &proto)?;
        self.data.messages.push(data);
        for (i, oneof) in proto.oneofs.iter().enumerate() {
            let name = self.identifier(inner, &oneof.name, "oneof")?;
            let symbol = Symbol::Oneof { message: index, oneof: i as u32 };
            self.symbols.add(scope, name.local(), symbol);
            let data = OneofData {
                name,
                options: self.store(&oneof.options.bytes)?,
                fields: Vec::new(),
                synthetic: false,
            };
            self.message_mut(index)?.oneofs.push(data);
        }
        for (i, field) in proto.fields.into_iter().enumerate() {
            let mut around = inner;
            if let Some(oneof) = field.oneof_index.and_then(|o| proto.oneofs.get(usize::try_from(o).ok()?)) {
                around.features = around.features.with(oneof.options.features);
            }
            if !field.extendee.is_empty() {
                let detail = format!("field {} has an extendee", field.name);
                return Err(self.fail(Kind::InvalidExtension, around.file, around.name, detail));
            }
            let target = Target::Field { message: index, field: i as u32 };
            let data = self.declare_field(around, field, target)?;
            self.symbols.add(scope, data.name.local(), Symbol::Field { message: index, field: i as u32 });
            let message = self.message_mut(index)?;
            if let Some(oneof) = message.oneofs.get_mut(data.oneof as usize) {
                oneof.fields.push(i as u32);
            }
            message.fields.push(data);
        }
        Ok(inner)
    }

    fn message_data(
        &mut self,
        around: Around,
        inner: Around,
        name: Name,
        proto: &MessageProto<'i>,
    ) -> Result<MessageData> {
        let negative = |b: &Self, n| {
            Err(b.fail(Kind::InvalidNumber, around.file, name.full(), format!("number {n} in a range")))
        };
        let mut extension_ranges = Vec::with_capacity(proto.extension_ranges.len());
        for range in &proto.extension_ranges {
            let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) else {
                return negative(self, range.start.min(range.end));
            };
            let options = self.store(&range.options.bytes)?;
            extension_ranges.push(ExtensionRangeData { start, end, options });
        }
        let mut reserved_ranges = Vec::with_capacity(proto.reserved_ranges.len());
        for &(start, end) in &proto.reserved_ranges {
            let (Ok(first), Ok(behind)) = (u32::try_from(start), u32::try_from(end)) else {
                return negative(self, start.min(end));
            };
            reserved_ranges.push((first, behind));
        }
        Ok(MessageData {
            name,
            file: around.file,
            parent: around.parent,
            scope: inner.scope,
            fields: Vec::with_capacity(proto.fields.len()),
            declared: proto.fields.len() as u32,
            oneofs: Vec::with_capacity(proto.oneofs.len()),
            messages: Vec::new(),
            enums: Vec::new(),
            extensions: Vec::new(),
            extension_ranges,
            reserved_ranges,
            reserved_names: self.texts(&proto.reserved_names)?,
            options: self.store(&proto.options.bytes)?,
            map_entry: proto.options.map_entry,
            message_set: proto.options.message_set,
            deprecated: proto.options.deprecated,
            visibility: visibility(proto.visibility),
        })
    }

    fn declare_enum(&mut self, around: Around, proto: EnumProto<'i>) -> Result<()> {
        let name = self.identifier(around, &proto.name, "enum")?;
        let index = self.data.enums.len() as u32;
        self.symbols.add(around.scope, name.local(), Symbol::Enum(index));
        self.siblings(around, |f| &mut f.enums, |m| &mut m.enums, index);
        let mut values = Vec::with_capacity(proto.values.len());
        for (i, value) in proto.values.iter().enumerate() {
            let name = self.identifier(around, &value.name, "enum value")?;
            let symbol = Symbol::EnumValue { enumeration: index, value: i as u32 };
            self.symbols.add(around.scope, name.local(), symbol);
            values.push(EnumValueData {
                name,
                number: value.number,
                options: self.store(&value.options.bytes)?,
                deprecated: value.options.deprecated,
            });
        }
        let mut by_number: Vec<u32> = (0..values.len() as u32).collect();
        by_number.sort_by_key(|&i| values.get(i as usize).map(|v| v.number));
        let data = EnumData {
            name,
            file: around.file,
            parent: around.parent,
            scope: around.scope,
            values,
            by_number,
            reserved_ranges: proto.reserved_ranges,
            reserved_names: self.texts(&proto.reserved_names)?,
            options: self.store(&proto.options.bytes)?,
            closed: around.features.with(proto.options.features).closed_enum,
            allow_alias: proto.options.allow_alias,
            deprecated: proto.options.deprecated,
            visibility: visibility(proto.visibility),
        };
        self.data.enums.push(data);
        Ok(())
    }

    fn declare_service(&mut self, around: Around, proto: ServiceProto<'i>) -> Result<()> {
        let name = self.identifier(around, &proto.name, "service")?;
        let index = self.data.services.len() as u32;
        let scope = self.symbols.add_scope(around.scope, name.local(), Symbol::Service(index));
        let inner = Around { scope, name: name.full(), ..around };
        let mut methods = Vec::with_capacity(proto.methods.len());
        for (i, method) in proto.methods.into_iter().enumerate() {
            let name = self.identifier(inner, &method.name, "method")?;
            let symbol = Symbol::Method { service: index, method: i as u32 };
            self.symbols.add(scope, name.local(), symbol);
            methods.push(MethodData {
                name,
                input: NONE,
                output: NONE,
                client_streaming: method.client_streaming,
                server_streaming: method.server_streaming,
                options: self.store(&method.options.bytes)?,
                deprecated: method.options.deprecated,
            });
            let (input, output) = (method.input, method.output);
            self.methods.push(PendingMethod { service: index, method: i as u32, input, output });
        }
        let options = self.store(&proto.options.bytes)?;
        let deprecated = proto.options.deprecated;
        self.data.services.push(ServiceData { name, file: around.file, scope, methods, options, deprecated });
        if let Some(file) = self.data.files.get_mut(around.file as usize) {
            file.services.push(index);
        }
        Ok(())
    }

    /// Enters a definition in the list of the file or message around it.
    pub(super) fn siblings(
        &mut self,
        around: Around,
        of_file: impl FnOnce(&mut FileData) -> &mut Vec<u32>,
        of_message: impl FnOnce(&mut MessageData) -> &mut Vec<u32>,
        index: u32,
    ) {
        if let Some(parent) = self.data.messages.get_mut(around.parent as usize) {
            of_message(parent).push(index);
        } else if let Some(file) = self.data.files.get_mut(around.file as usize) {
            of_file(file).push(index);
        }
    }

    fn message_mut(&mut self, index: u32) -> Result<&mut MessageData> {
        self.data.messages.get_mut(index as usize).ok_or_else(|| too_many("messages"))
    }

    fn texts(&mut self, list: &[Cow<'i, str>]) -> Result<Vec<Text>> {
        list.iter().map(|text| Ok(self.data.names.push(text)?)).collect()
    }
}

fn visibility(value: i32) -> u8 {
    u8::try_from(value).ok().filter(|v| *v <= 2).unwrap_or(0)
}
