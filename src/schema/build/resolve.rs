//! Turns names into indices.

use super::{Builder, DescriptorErrorKind as Kind, MAX_FIELDS, PendingType, Result, Target};
use crate::schema::features::{Features, FieldPresence};
use crate::schema::model::{FieldData, FieldFlags, NONE};
use crate::schema::names::{Text, map_entry_name};
use crate::schema::proto::type_code;
use crate::schema::symbols::{Scope, Symbol};
use crate::table::{Cardinality, Kind as FieldKind};
use alloc::{format, string::String};

/// Gives a field its kind and what follows from kind and features together.
pub(super) fn finish_field(field: &mut FieldData, kind: FieldKind<u32, u32>, features: Features) {
    let repeated = field.cardinality == Cardinality::Repeated;
    let message = matches!(kind, FieldKind::Message(_));
    let free = field.oneof == NONE && field.extension == NONE;
    field.kind = kind;
    if !repeated && free && features.field_presence == FieldPresence::LegacyRequired {
        field.cardinality = Cardinality::Required;
    }
    let explicit = message || !free || features.field_presence != FieldPresence::Implicit;
    field.flags.set(FieldFlags::PACKED, repeated && kind.is_packable() && features.packed);
    field.flags.set(FieldFlags::DELIMITED, message && features.delimited);
    field.flags.set(FieldFlags::PRESENCE, !repeated && explicit);
    field.flags.set(FieldFlags::UTF8, matches!(kind, FieldKind::String) && features.verify_utf8);
}

impl Builder<'_> {
    pub(super) fn resolve_types(&mut self) -> Result<()> {
        for pending in core::mem::take(&mut self.types) {
            self.resolve_type(&pending)?;
        }
        Ok(())
    }

    fn resolve_type(&mut self, pending: &PendingType<'_>) -> Result<()> {
        let Some(name) = self.target(pending.target).map(|f| f.name.full()) else { return Ok(()) };
        let symbol = self.lookup(pending.scope, &pending.type_name);
        let kind = match (pending.type_code, symbol) {
            (0 | type_code::MESSAGE | type_code::GROUP, Some(Symbol::Message(m))) => FieldKind::Message(m),
            (0 | type_code::ENUM, Some(Symbol::Enum(e))) => FieldKind::Enum(e),
            (_, found) => return Err(self.unresolved(pending.file, name, &pending.type_name, found)),
        };
        let mut in_entry = false;
        if let Target::Field { message, .. } = pending.target {
            in_entry = self.data.messages.get(message as usize).is_some_and(|m| m.map_entry);
        }
        let Some(field) = self.target_mut(pending.target) else { return Ok(()) };
        finish_field(field, kind, pending.features);
        if in_entry {
            field.flags.set(FieldFlags::DELIMITED, false);
        }
        if let FieldKind::Message(entry) = kind
            && self.data.messages.get(entry as usize).is_some_and(|m| m.map_entry)
        {
            self.link_map(pending, entry, name)?;
        }
        if let Some(text) = &pending.default {
            let Some(field) = self.target(pending.target) else { return Ok(()) };
            let default = self.enum_default(field, text, pending.file)?;
            if let Some(field) = self.target_mut(pending.target) {
                field.default = Some(default);
            }
        }
        Ok(())
    }

    /// A field whose type is a map entry is a map: never a group, and its strings follow its own UTF-8 rule.
    fn link_map(&mut self, pending: &PendingType<'_>, entry: u32, name: Text) -> Result<()> {
        let fits = match pending.target {
            Target::Extension(_) => false,
            Target::Field { message, .. } => {
                let expected = self.target(pending.target).map_or_else(String::new, |field| {
                    let repeated = field.cardinality == Cardinality::Repeated;
                    if repeated { map_entry_name(self.data.text(field.name.local())) } else { String::new() }
                });
                let entry = self.data.messages.get(entry as usize);
                pending.type_code != type_code::GROUP
                    && entry
                        .is_some_and(|e| e.parent == message && self.data.text(e.name.local()) == expected)
            }
        };
        if !fits {
            let detail = "a map entry belongs to one repeated field beside it, and is named after it";
            return Err(self.fail(Kind::InvalidMapEntry, pending.file, name, detail));
        }
        if let Some(field) = self.target_mut(pending.target) {
            field.flags.set(FieldFlags::MAP, true);
            field.flags.set(FieldFlags::DELIMITED, false);
        }
        for field in self.data.messages.get_mut(entry as usize).into_iter().flat_map(|e| &mut e.fields) {
            let string = matches!(field.kind, FieldKind::String);
            field.flags.set(FieldFlags::UTF8, string && pending.features.verify_utf8);
        }
        Ok(())
    }

    fn lookup(&self, scope: Scope, name: &str) -> Option<Symbol> {
        self.data.symbols.resolve_type(&self.data.names, scope, name)
    }

    fn target(&self, target: Target) -> Option<&FieldData> {
        match target {
            Target::Field { message, field } => self.data.messages.get(message as usize)?.field(field),
            Target::Extension(index) => self.extensions.get(index as usize).map(|e| &e.data),
        }
    }

    fn target_mut(&mut self, target: Target) -> Option<&mut FieldData> {
        match target {
            Target::Field { message, field } => {
                self.data.messages.get_mut(message as usize)?.fields.get_mut(field as usize)
            }
            Target::Extension(index) => self.extensions.get_mut(index as usize).map(|e| &mut e.data),
        }
    }

    #[cold]
    fn unresolved(
        &self,
        file: u32,
        name: Text,
        type_name: &str,
        found: Option<Symbol>,
    ) -> crate::error::DescriptorError {
        let detail = match found {
            Some(Symbol::Message(_)) => format!("{type_name:?} is a message"),
            Some(Symbol::Enum(_)) => format!("{type_name:?} is an enum"),
            _ => format!("no type {type_name:?}"),
        };
        self.fail(Kind::UnresolvedType, file, name, detail)
    }

    /// Puts every extension behind the fields of the message it extends.
    pub(super) fn attach_extensions(&mut self) -> Result<()> {
        for (index, mut pending) in core::mem::take(&mut self.extensions).into_iter().enumerate() {
            let name = pending.data.name.full();
            let file = self.data.extensions.get(index).map_or(NONE, |e| e.file);
            let found = self.lookup(pending.scope, &pending.extendee);
            let Some(Symbol::Message(extendee)) = found else {
                return Err(self.unresolved(file, name, &pending.extendee, found));
            };
            let Some(message) = self.data.messages.get(extendee as usize) else { continue };
            let detail = if message.fields.len() >= MAX_FIELDS {
                return Err(self.fail(Kind::TooMany, file, name, format!("limit {MAX_FIELDS}")));
            } else if message.map_entry {
                "a map entry has no extensions"
            } else if message.message_set
                && (pending.data.cardinality == Cardinality::Repeated
                    || !matches!(pending.data.kind, FieldKind::Message(_)))
            {
                "an extension of a MessageSet is an optional message"
            } else {
                ""
            };
            if !detail.is_empty() {
                return Err(self.fail(Kind::InvalidExtension, file, name, detail));
            }
            if message.message_set {
                pending.data.flags.set(FieldFlags::DELIMITED, false);
            }
            let field = message.fields.len() as u32;
            if let Some(place) = self.data.extensions.get_mut(index) {
                (place.message, place.field) = (extendee, field);
            }
            if let Some(message) = self.data.messages.get_mut(extendee as usize) {
                message.fields.push(pending.data);
            }
        }
        Ok(())
    }

    pub(super) fn resolve_methods(&mut self) -> Result<()> {
        for pending in core::mem::take(&mut self.methods) {
            let Some(service) = self.data.services.get(pending.service as usize) else { continue };
            let Some(method) = service.methods.get(pending.method as usize) else { continue };
            let (file, name) = (service.file, method.name.full());
            let message = |type_name: &str| match self.lookup(service.scope, type_name) {
                Some(Symbol::Message(index)) => Ok(index),
                found => Err(self.unresolved(file, name, type_name, found)),
            };
            let (input, output) = (message(&pending.input)?, message(&pending.output)?);
            let service = self.data.services.get_mut(pending.service as usize);
            if let Some(method) = service.and_then(|s| s.methods.get_mut(pending.method as usize)) {
                (method.input, method.output) = (input, output);
            }
        }
        Ok(())
    }
}
