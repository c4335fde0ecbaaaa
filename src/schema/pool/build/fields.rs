//! Fields and extensions. Types that name a message or enum are resolved later.

use super::declare::Around;
use super::resolve::finish_field;
use super::{Builder, DescriptorErrorKind, FieldSlot, PendingExtension, PendingType, Result};
use crate::schema::pool::model::features::{Features, label, type_code};
use crate::schema::pool::model::names::{Name, TextRange, is_json_name};
use crate::schema::pool::model::symbols::Symbol;
use crate::schema::pool::model::{ExtensionData, FieldData, FieldFlags, IndexRange, NONE};
use crate::schema::pool::read::FieldDef;
use crate::schema::program::sort_indices;
use crate::schema::table::{Cardinality, Kind};

impl<'i> Builder<'i> {
    pub(super) fn declare_field(
        &mut self,
        around: Around,
        proto: &FieldDef<'i>,
        target: FieldSlot,
    ) -> Result<FieldData> {
        let name = self.identifier(around, proto.name, "field")?;
        self.count_field(around, name)?;
        self.note(self.check_options(around, name.full(), &proto.options))?;
        let is_extension = matches!(target, FieldSlot::Extension(_));
        let number = u32::try_from(proto.number).unwrap_or_default();
        if proto.number < 0 {
            let kind = DescriptorErrorKind::InvalidNumber;
            self.keep(self.fail(kind, around.file, name.full(), "negative"))?;
        }
        let repeated = proto.label == label::REPEATED;
        let features = proto.features(around.features, around.edition);
        let (json_name, custom_json) = self.json_name(around, name, proto, is_extension)?;
        let mut data = FieldData {
            json_name,
            name,
            number,
            kind: Kind::Bytes,
            cardinality: if repeated { Cardinality::Repeated } else { Cardinality::Optional },
            flags: FieldFlags::default(),
            oneof: self.oneof_of(around, name, proto, is_extension)?,
            extension: if let FieldSlot::Extension(index) = target { index } else { NONE },
            default: NONE,
            options: self.options(&proto.options)?,
        };
        data.flags.set(FieldFlags::CUSTOM_JSON, custom_json);
        data.flags.set(FieldFlags::DEPRECATED, proto.options.deprecated);
        data.flags.set(FieldFlags::PROTO3_OPTIONAL, proto.proto3_optional);
        self.note(self.check_label(around, &data, proto))?;
        self.declare_type(around, proto, target, data, features)
    }

    fn count_field(&mut self, around: Around, name: Name) -> Result<()> {
        self.fields += 1;
        if self.fields <= self.limits.field_limit() {
            return Ok(());
        }
        Err(self.fail(
            DescriptorErrorKind::TooMany,
            around.file,
            name.full(),
            format_args!("more than {} fields", self.limits.field_limit()),
        ))
    }

    fn oneof_of(&self, around: Around, name: Name, proto: &FieldDef<'_>, is_extension: bool) -> Result<u32> {
        let Some(index) = proto.oneof_index else { return Ok(NONE) };
        let invalid = |detail: core::fmt::Arguments<'_>| {
            Err(self.fail(DescriptorErrorKind::InvalidOneof, around.file, name.full(), detail))
        };
        if is_extension || matches!(proto.label, label::REPEATED | label::REQUIRED) {
            return invalid(format_args!("a member of a oneof is singular and not required"));
        }
        let message = self.data.messages.get(around.parent as usize);
        let oneofs = message.map_or(0, |m| self.data.oneofs(m).len());
        match u32::try_from(index) {
            Ok(index) if (index as usize) < oneofs => Ok(index),
            _ => invalid(format_args!("oneof {index} of {oneofs}")),
        }
    }

    /// Lists the members of each oneof of a message.
    pub(super) fn find_members(&mut self, oneofs: IndexRange, fields: &[FieldData]) -> Result<()> {
        let start = self.data.members.len();
        for i in (0..fields.len() as u32).filter(|&i| fields[i as usize].oneof != NONE) {
            self.room.push(&mut self.data.members, i)?;
        }
        let members = self.data.members.get_mut(start..).unwrap_or_default();
        let oneof = |i: u32| (fields[i as usize].oneof, i);
        sort_indices(members, &mut |a, b| oneof(a).cmp(&oneof(b)));
        let mut start = start as u32;
        for same in members.chunk_by(|&a, &b| fields[a as usize].oneof == fields[b as usize].oneof) {
            let end = start + same.len() as u32;
            let at = same.first().map_or(NONE, |&i| oneofs.start.saturating_add(fields[i as usize].oneof));
            if let Some(oneof) = self.data.oneofs.get_mut(at as usize) {
                oneof.fields = IndexRange { start, end };
            }
            start = end;
        }
        Ok(())
    }

    /// Sets the kind of a scalar; queues the field if its type is a message or an enum.
    fn declare_type(
        &mut self,
        around: Around,
        proto: &FieldDef<'i>,
        target: FieldSlot,
        mut data: FieldData,
        features: Features,
    ) -> Result<FieldData> {
        let code = proto.type_code;
        match type_code::scalar(code) {
            Some(kind) if proto.type_name.is_empty() => {
                finish_field(&mut data, kind, features);
                if !around.in_entry {
                    self.note(self.check_features(around.file, &data, proto.options.features))?;
                }
                self.note(self.check_proto3(around.edition, around.file, &data, proto.default.is_some()))?;
                if let Some(text) = proto.default {
                    match self.scalar_default(&data, text, around.file) {
                        Ok(default) => data.default = default,
                        Err(error) => self.keep(error)?,
                    }
                }
                return Ok(data);
            }
            None if !proto.type_name.is_empty()
                && matches!(code, 0 | type_code::GROUP | type_code::MESSAGE | type_code::ENUM) => {}
            _ => {
                return Err(self.fail(
                    DescriptorErrorKind::InvalidField,
                    around.file,
                    data.name.full(),
                    format_args!("type {code} with type name {:?}", proto.type_name),
                ));
            }
        }
        let pending = PendingType {
            target,
            type_code: code,
            type_name: proto.type_name,
            default: proto.default,
            features,
            own: proto.options.features,
            scope: around.scope,
            file: around.file,
        };
        self.room.push(&mut self.types, pending)?;
        Ok(data)
    }

    /// The JSON name, and whether it is another one than the name gives. It shares the text of the field name where the two are equal.
    fn json_name(
        &mut self,
        around: Around,
        name: Name,
        proto: &FieldDef<'_>,
        is_extension: bool,
    ) -> Result<(TextRange, bool)> {
        let given = proto.json_name.filter(|json| !is_json_name(json, proto.name));
        let invalid = |b: &Self, detail| {
            b.keep(b.fail(DescriptorErrorKind::InvalidName, around.file, name.full(), detail))
        };
        match given {
            Some(_) if is_extension => invalid(self, "an extension has no JSON name of its own")?,
            Some(json) if json.contains('\0') => invalid(self, "a NUL in the JSON name")?,
            Some(json) if json.starts_with('[') && json.ends_with(']') => {
                invalid(self, "a JSON name in brackets, which is one of an extension")?;
            }
            _ => {}
        }
        let (names, room) = (&mut self.data.names, &mut self.room);
        let json = match given {
            _ if is_extension => names.push_bracketed(name.full(), room)?,
            Some(json) if json == proto.name => name.local(),
            Some(json) => names.push(json, room)?,
            // What is given is what the name gives.
            None => match proto.json_name.filter(|json| *json != proto.name) {
                Some(json) => names.push(json, room)?,
                None => names.push_json(name.local(), room)?,
            },
        };
        Ok((json, given.is_some()))
    }

    pub(super) fn declare_extension(&mut self, around: Around, proto: FieldDef<'i>) -> Result<()> {
        let index = self.extensions.len() as u32;
        let Some(extendee) = proto.extendee.filter(|name| !name.is_empty()) else {
            return Err(self.fail(
                DescriptorErrorKind::InvalidExtension,
                around.file,
                around.name,
                format_args!("{}: no extendee", proto.name),
            ));
        };
        // The feature rules of map entries do not apply to extensions declared in one.
        let around = Around { in_entry: false, ..around };
        let data = self.declare_field(around, &proto, FieldSlot::Extension(index))?;
        self.symbols.add(around.scope, data.name.local(), Symbol::Extension(index), &mut self.room)?;
        let place = ExtensionData { message: NONE, field: NONE, file: around.file, parent: around.parent };
        self.room.push(&mut self.data.extensions, place)?;
        let pending = PendingExtension { extendee, scope: around.scope, data };
        Ok(self.room.push(&mut self.extensions, pending)?)
    }
}
