//! Resolves type names to indices.

use super::check::proto3_extends;
use super::declare::{Around, run_from};
use super::{
    Builder, DescriptorErrorKind, FieldSlot, MAX_FIELDS, PendingExtension, PendingMethod, PendingType, Result,
};
use crate::schema::pool::model::features::{Edition, Features, FieldPresence, type_code};
use crate::schema::pool::model::names::{TextRange, is_map_entry_name};
use crate::schema::pool::model::symbols::{Scope, Symbol};
use crate::schema::pool::model::{
    EnumData, EnumValueData, FieldData, FieldFlags, IndexRange, JsonValueData, MessageData, MethodData, NONE,
    ServiceData,
};
use crate::schema::pool::read::{self, EnumDef, MethodDef, children};
use crate::schema::program::sort_indices;
use crate::schema::table::{Cardinality, Kind};
use alloc::vec::Vec;

/// Sets the kind of a field and the properties that follow from kind and features.
pub(super) fn finish_field(field: &mut FieldData, kind: Kind<u32, u32>, features: Features) {
    let repeated = field.cardinality == Cardinality::Repeated;
    let message = matches!(kind, Kind::Message(_));
    let free = field.oneof == NONE && field.extension == NONE;
    field.kind = kind;
    // For an extension this is an error, which `attach` reports.
    if !repeated && field.oneof == NONE && features.field_presence == FieldPresence::LegacyRequired {
        field.cardinality = Cardinality::Required;
    }
    let explicit = message || !free || features.field_presence != FieldPresence::Implicit;
    field.flags.set(FieldFlags::PACKED, repeated && kind.is_packable() && features.packed);
    field.flags.set(FieldFlags::DELIMITED, message && features.delimited);
    field.flags.set(FieldFlags::PRESENCE, !repeated && explicit);
    field.flags.set(FieldFlags::UTF8, matches!(kind, Kind::String) && features.verify_utf8);
}

impl Builder<'_> {
    pub(super) fn resolve_types(&mut self) -> Result<()> {
        let types = core::mem::take(&mut self.types);
        for pending in &types {
            let resolved = self.resolve_type(pending);
            self.note(resolved)?;
        }
        // A second loop, because the rules for a map depend on the kind of its values.
        for pending in &types {
            if let Some(field) = self.target(pending.target) {
                self.note(self.check_resolved(pending, field))?;
            }
        }
        self.room.drop_list(types);
        Ok(())
    }

    fn resolve_type(&mut self, pending: &PendingType<'_>) -> Result<()> {
        let Some(name) = self.target(pending.target).map(|f| f.name.full()) else { return Ok(()) };
        let symbol = self.lookup(pending.scope, pending.type_name);
        let kind = match (pending.type_code, symbol) {
            (0 | type_code::MESSAGE | type_code::GROUP, Some(Symbol::Message(m))) => Kind::Message(m),
            (0 | type_code::ENUM, Some(Symbol::Enum(e))) => Kind::Enum(e),
            (_, found) => return Err(self.unresolved(pending.file, name, pending.type_name, found)),
        };
        let mut in_entry = false;
        if let FieldSlot::Field { message, .. } = pending.target {
            in_entry = self.data.messages.get(message as usize).is_some_and(|m| m.map_entry);
        }
        let Some(field) = self.target_mut(pending.target) else { return Ok(()) };
        finish_field(field, kind, pending.features);
        if in_entry {
            field.flags.set(FieldFlags::DELIMITED, false);
        }
        if let Kind::Message(entry) = kind
            && self.data.messages.get(entry as usize).is_some_and(|m| m.map_entry)
        {
            self.link_map(pending, entry, name)?;
        }
        if let Some(text) = pending.default {
            let default = self.enum_default(pending.target, text, pending.file)?;
            if let Some(field) = self.target_mut(pending.target) {
                field.default = default;
            }
        }
        Ok(())
    }

    /// Marks a field of map entry type as a map. A map is never a group, and its UTF-8 rule applies to the strings in
    /// its entries.
    fn link_map(&mut self, pending: &PendingType<'_>, entry: u32, name: TextRange) -> Result<()> {
        let fits = match pending.target {
            FieldSlot::Extension(_) => false,
            FieldSlot::Field { message, .. } => {
                let field = self.target(pending.target);
                let named_after = |entry: &MessageData| {
                    let name = self.data.text(entry.name.local());
                    field.is_some_and(|field| {
                        field.cardinality == Cardinality::Repeated
                            && (is_map_entry_name(name, self.data.text(field.name.local()))
                                || self.data.is_of_tables(pending.file))
                    })
                };
                let entry = self.data.messages.get(entry as usize);
                pending.type_code != type_code::GROUP
                    && entry.is_some_and(|e| e.parent == message && named_after(e))
            }
        };
        if !fits {
            let detail = "a map entry belongs to one repeated field beside it, and is named after it";
            return Err(self.fail(DescriptorErrorKind::InvalidMapEntry, pending.file, name, detail));
        }
        if let Some(field) = self.target_mut(pending.target) {
            field.flags.set(FieldFlags::MAP, true);
            field.flags.set(FieldFlags::DELIMITED, false);
        }
        for field in self.data.messages.get_mut(entry as usize).into_iter().flat_map(|e| &mut e.fields) {
            let string = matches!(field.kind, Kind::String);
            field.flags.set(FieldFlags::UTF8, string && pending.features.verify_utf8);
        }
        Ok(())
    }

    fn lookup(&self, scope: Scope, name: &str) -> Option<Symbol> {
        self.data.symbols.resolve_type(&self.data.names, scope, name)
    }

    pub(super) fn target(&self, target: FieldSlot) -> Option<&FieldData> {
        match target {
            FieldSlot::Field { message, field } => self.data.messages.get(message as usize)?.field(field),
            FieldSlot::Extension(index) => self.extensions.get(index as usize).map(|e| &e.data),
        }
    }

    fn target_mut(&mut self, target: FieldSlot) -> Option<&mut FieldData> {
        match target {
            FieldSlot::Field { message, field } => {
                self.data.messages.get_mut(message as usize)?.fields.get_mut(field as usize)
            }
            FieldSlot::Extension(index) => self.extensions.get_mut(index as usize).map(|e| &mut e.data),
        }
    }

    #[cold]
    fn unresolved(
        &self,
        file: u32,
        name: TextRange,
        type_name: &str,
        found: Option<Symbol>,
    ) -> crate::wire::error::DescriptorError {
        let kind = DescriptorErrorKind::UnresolvedType;
        match found {
            Some(Symbol::Message(_)) => {
                self.fail(kind, file, name, format_args!("{type_name:?} is a message"))
            }
            Some(Symbol::Enum(_)) => self.fail(kind, file, name, format_args!("{type_name:?} is an enum")),
            _ => self.fail(kind, file, name, format_args!("no type {type_name:?}")),
        }
    }

    /// Appends each extension to the fields of its extendee.
    pub(super) fn attach_extensions(&mut self) -> Result<()> {
        let mut extensions = core::mem::take(&mut self.extensions);
        self.make_room_for(&extensions)?;
        for (index, pending) in extensions.drain(..).enumerate() {
            let attached = self.attach(index, pending);
            self.note(attached)?;
        }
        self.room.drop_list(extensions);
        Ok(())
    }

    /// Reserves the field lists for all extensions, so that each list moves at most once.
    fn make_room_for(&mut self, extensions: &[PendingExtension<'_>]) -> Result<()> {
        let mut extendees: Vec<u32> = Vec::new();
        self.room.reserve(&mut extendees, extensions.len())?;
        for pending in extensions {
            if let Some(Symbol::Message(extendee)) = self.lookup(pending.scope, pending.extendee) {
                extendees.push(extendee);
            }
        }
        sort_indices(&mut extendees, &mut |a, b| a.cmp(&b));
        for same in extendees.chunk_by(|a, b| a == b) {
            let message = same.first().and_then(|&m| self.data.messages.get_mut(m as usize));
            if let Some(message) = message {
                self.room.reserve(&mut message.fields, same.len())?;
            }
        }
        self.room.drop_list(extendees);
        Ok(())
    }

    fn attach(&mut self, index: usize, mut pending: PendingExtension<'_>) -> Result<()> {
        let name = pending.data.name.full();
        let file = self.data.extensions.get(index).map_or(NONE, |e| e.file);
        let found = self.lookup(pending.scope, pending.extendee);
        let Some(Symbol::Message(extendee)) = found else {
            return Err(self.unresolved(file, name, pending.extendee, found));
        };
        let Some(message) = self.data.messages.get(extendee as usize) else { return Ok(()) };
        let singular_message = pending.data.cardinality != Cardinality::Repeated
            && matches!(pending.data.kind, Kind::Message(_));
        let full_name = self.data.text(message.name.full());
        let detail = if message.fields.len() >= MAX_FIELDS {
            return Err(self.fail(
                DescriptorErrorKind::TooMany,
                file,
                name,
                format_args!("limit {MAX_FIELDS}"),
            ));
        } else if message.map_entry {
            "a map entry has no extensions"
        } else if message.message_set && !singular_message {
            "an extension of a MessageSet is an optional message"
        } else if self.edition(file) == Edition::Proto3 && !proto3_extends(full_name) {
            "proto3 extends nothing but options"
        } else if pending.data.cardinality == Cardinality::Required {
            "an extension is not required"
        } else {
            ""
        };
        if !detail.is_empty() {
            return Err(self.fail(DescriptorErrorKind::InvalidExtension, file, name, detail));
        }
        if message.message_set {
            pending.data.flags.set(FieldFlags::DELIMITED, false);
        }
        let field = message.fields.len() as u32;
        if let Some(place) = self.data.extensions.get_mut(index) {
            (place.message, place.field) = (extendee, field);
        }
        if let Some(message) = self.data.messages.get_mut(extendee as usize) {
            self.room.push(&mut message.fields, pending.data)?;
        }
        Ok(())
    }

    pub(super) fn resolve_methods(&mut self) -> Result<()> {
        let methods = core::mem::take(&mut self.methods);
        for pending in &methods {
            let Some(service) = self.data.services.get(pending.service as usize) else { continue };
            let Some(method) = service.methods.of(&self.data.methods).get(pending.method as usize) else {
                continue;
            };
            let (file, name) = (service.file, method.name.full());
            let message = |type_name: &str| match self.lookup(service.scope, type_name) {
                Some(Symbol::Message(index)) => Ok(index),
                found => Err(self.unresolved(file, name, type_name, found)),
            };
            let mut found = [NONE; 2];
            for (type_name, found) in [pending.input, pending.output].into_iter().zip(&mut found) {
                match message(type_name) {
                    Ok(index) => *found = index,
                    Err(error) => self.keep(error)?,
                }
            }
            let [input, output] = found;
            let at = (service.methods.start + pending.method) as usize;
            if let Some(method) = self.data.methods.get_mut(at) {
                (method.input, method.output) = (input, output);
            }
        }
        self.room.drop_list(methods);
        Ok(())
    }
}

// Enums and services: indices and names for everything in them.

impl<'i> Builder<'i> {
    pub(super) fn declare_enum(&mut self, around: Around, bytes: &'i [u8]) -> Result<()> {
        let proto = EnumDef::read(bytes)?;
        let name = self.identifier(around, proto.name, "enum")?;
        self.note(self.check_options(around, name.full(), &proto.options))?;
        let index = self.data.enums.len() as u32;
        self.symbols.add(around.scope, name.local(), Symbol::Enum(index), &mut self.room)?;
        let values = self.declare_values(around, bytes, index)?;
        let start = self.data.enum_reserved_ranges.len();
        for range in
            children(proto.part(read::enumeration::RESERVED_RANGE), read::enumeration::RESERVED_RANGE)
        {
            self.room.push(&mut self.data.enum_reserved_ranges, read::range(range)?)?;
        }
        let data = EnumData {
            name,
            file: around.file,
            parent: around.parent,
            scope: around.scope,
            values,
            reserved_ranges: run_from(start, &self.data.enum_reserved_ranges),
            reserved_names: self
                .texts(proto.part(read::enumeration::RESERVED_NAME), read::enumeration::RESERVED_NAME)?,
            options: self.options(&proto.options)?,
            closed: around.features.with(proto.options.features).closed_enum,
            allow_alias: proto.options.allow_alias,
            deprecated: proto.options.deprecated,
            visibility: proto.visibility,
        };
        Ok(self.room.push(&mut self.data.enums, data)?)
    }

    fn declare_values(&mut self, around: Around, bytes: &'i [u8], index: u32) -> Result<IndexRange> {
        let start = self.data.values.len();
        for (i, value) in children(bytes, read::enumeration::VALUE).enumerate() {
            let (name, number, options) = read::enum_value(value)?;
            let name = self.identifier(around, name, "enum value")?;
            self.note(self.check_options(around, name.full(), &options))?;
            let symbol = Symbol::EnumValue { enumeration: index, value: i as u32 };
            self.symbols.add(around.scope, name.local(), symbol, &mut self.room)?;
            if let Some(json) = options.json_value {
                let name = self.data.names.push(json, &mut self.room)?;
                let data = JsonValueData { enumeration: index, value: i as u32, name };
                self.room.push(&mut self.data.json_values, data)?;
            }
            let deprecated = options.deprecated;
            let data = EnumValueData { name, number, options: self.options(&options)?, deprecated };
            self.room.push(&mut self.data.values, data)?;
        }
        let run = run_from(start, &self.data.values);
        let values = run.of(&self.data.values);
        for i in 0..values.len() as u32 {
            self.room.push(&mut self.data.by_number, i)?;
        }
        let by_number = self.data.by_number.get_mut(start..).unwrap_or_default();
        let number = |i: u32| (values.get(i as usize).map(|v| v.number), i);
        sort_indices(by_number, &mut |a, b| number(a).cmp(&number(b)));
        Ok(run)
    }

    pub(super) fn declare_service(&mut self, around: Around, bytes: &'i [u8]) -> Result<()> {
        let (name, options) = read::service(bytes)?;
        let name = self.identifier(around, name, "service")?;
        self.note(self.check_options(around, name.full(), &options))?;
        let index = self.data.services.len() as u32;
        let symbol = Symbol::Service(index);
        let scope = self.symbols.add_scope(around.scope, name.local(), symbol, &mut self.room)?;
        let inner = Around { scope, name: name.full(), ..around };
        let start = self.data.methods.len();
        for (i, method) in children(bytes, read::METHOD).enumerate() {
            self.declare_method(inner, index, i as u32, method)?;
        }
        let methods = run_from(start, &self.data.methods);
        let deprecated = options.deprecated;
        let options = self.options(&options)?;
        let data = ServiceData { name, file: around.file, scope, methods, options, deprecated };
        Ok(self.room.push(&mut self.data.services, data)?)
    }

    fn declare_method(&mut self, inner: Around, service: u32, at: u32, bytes: &'i [u8]) -> Result<()> {
        let proto = MethodDef::read(bytes)?;
        let name = self.identifier(inner, proto.name, "method")?;
        self.note(self.check_options(inner, name.full(), &proto.options))?;
        let symbol = Symbol::Method { service, method: at };
        self.symbols.add(inner.scope, name.local(), symbol, &mut self.room)?;
        let data = MethodData {
            name,
            input: NONE,
            output: NONE,
            client_streaming: proto.client_streaming,
            server_streaming: proto.server_streaming,
            options: self.options(&proto.options)?,
            deprecated: proto.options.deprecated,
        };
        self.room.push(&mut self.data.methods, data)?;
        let MethodDef { input, output, .. } = proto;
        Ok(self.room.push(&mut self.methods, PendingMethod { service, method: at, input, output })?)
    }
}
