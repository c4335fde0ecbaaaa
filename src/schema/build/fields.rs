//! Fields and extensions: everything but the types of those that refer to messages and enums.

use super::declare::Around;
use super::resolve::finish_field;
use super::{Builder, DescriptorErrorKind as Kind, PendingExtension, PendingType, Result, Target};
use crate::schema::features::Features;
use crate::schema::model::{ExtensionData, FieldData, FieldFlags, NONE};
use crate::schema::names::{Name, Text, json_name};
use crate::schema::proto::{FieldProto, label, type_code};
use crate::schema::symbols::Symbol;
use crate::table::{Cardinality, Kind as FieldKind};
use alloc::{borrow::Cow, format};

impl<'i> Builder<'i> {
    pub(super) fn declare_field(
        &mut self,
        around: Around,
        proto: FieldProto<'i>,
        target: Target,
    ) -> Result<FieldData> {
        let name = self.identifier(around, &proto.name, "field")?;
        let invalid = |b: &Self, kind, detail: &str| Err(b.fail(kind, around.file, name.full(), detail));
        let is_extension = matches!(target, Target::Extension(_));
        let Ok(number) = u32::try_from(proto.number) else {
            return invalid(self, Kind::InvalidNumber, "negative");
        };
        let repeated = proto.label == label::REPEATED;
        let features = around.features.of_field(&proto, around.edition);
        let oneof = match proto.oneof_index {
            None => NONE,
            Some(_) if is_extension || repeated || proto.label == label::REQUIRED => {
                return invalid(self, Kind::InvalidOneof, "a member of a oneof is singular and not required");
            }
            Some(index) => {
                let oneofs = self.data.messages.get(around.parent as usize).map_or(0, |m| m.oneofs.len());
                match u32::try_from(index) {
                    Ok(index) if (index as usize) < oneofs => index,
                    _ => return invalid(self, Kind::InvalidOneof, &format!("oneof {index} of {oneofs}")),
                }
            }
        };
        let mut data = FieldData {
            json_name: self.json_name(name, &proto, is_extension)?,
            name,
            number,
            kind: FieldKind::Bytes,
            cardinality: if repeated { Cardinality::Repeated } else { Cardinality::Optional },
            flags: FieldFlags::default(),
            oneof,
            extension: if let Target::Extension(index) = target { index } else { NONE },
            default: None,
            options: self.store(&proto.options.bytes)?,
        };
        data.flags.set(FieldFlags::DEPRECATED, proto.options.deprecated);
        data.flags.set(FieldFlags::PROTO3_OPTIONAL, proto.proto3_optional);
        self.declare_type(around, proto, target, data, features)
    }

    /// Sets the kind of a scalar; a message or enum waits.
    fn declare_type(
        &mut self,
        around: Around,
        proto: FieldProto<'i>,
        target: Target,
        mut data: FieldData,
        features: Features,
    ) -> Result<FieldData> {
        let code = proto.type_code;
        match type_code::scalar(code) {
            Some(kind) if proto.type_name.is_empty() => {
                finish_field(&mut data, kind, features);
                if let Some(text) = &proto.default {
                    data.default = Some(self.scalar_default(&data, text, around.file)?);
                }
                return Ok(data);
            }
            None if !proto.type_name.is_empty()
                && matches!(code, 0 | type_code::GROUP | type_code::MESSAGE | type_code::ENUM) => {}
            _ => {
                let detail = format!("type {code} with type name {:?}", proto.type_name);
                return Err(self.fail(Kind::InvalidField, around.file, data.name.full(), detail));
            }
        }
        self.types.push(PendingType {
            target,
            type_code: code,
            type_name: proto.type_name,
            default: proto.default,
            features,
            scope: around.scope,
            file: around.file,
        });
        Ok(data)
    }

    fn json_name(&mut self, name: Name, proto: &FieldProto<'i>, is_extension: bool) -> Result<Text> {
        let names = &mut self.data.names;
        let json: Cow<'_, str> = match &proto.json_name {
            _ if is_extension => format!("[{}]", names.get(name.full())).into(),
            Some(json) => Cow::Borrowed(json),
            None => json_name(&proto.name).into(),
        };
        if json == proto.name { Ok(name.local()) } else { Ok(names.push(&json)?) }
    }

    pub(super) fn declare_extension(&mut self, around: Around, mut proto: FieldProto<'i>) -> Result<()> {
        let index = self.extensions.len() as u32;
        let extendee = core::mem::take(&mut proto.extendee);
        if extendee.is_empty() {
            let detail = format!("{}: no extendee", proto.name);
            return Err(self.fail(Kind::InvalidExtension, around.file, around.name, detail));
        }
        let data = self.declare_field(around, proto, Target::Extension(index))?;
        self.symbols.add(around.scope, data.name.local(), Symbol::Extension(index));
        self.siblings(around, |f| &mut f.extensions, |m| &mut m.extensions, index);
        let place = ExtensionData { message: NONE, field: NONE, file: around.file, parent: around.parent };
        self.data.extensions.push(place);
        self.extensions.push(PendingExtension { extendee, scope: around.scope, data });
        Ok(())
    }
}
