//! Rules of proto2, proto3 and editions for labels, groups, defaults and features, as in C++.

use super::declare::Around;
use super::{Builder, DescriptorErrorKind, FieldSlot, PendingType, Result};
use crate::schema::pool::model::edition::{Edition, label, type_code};
use crate::schema::pool::model::features::{FeatureOverrides, FieldPresence};
use crate::schema::pool::model::names::TextRange;
use crate::schema::pool::model::{FieldData, FieldFlags, NONE};
use crate::schema::pool::read::{self, FieldDef, FileDef, Options, children};
use crate::schema::table::{Cardinality, Kind};

impl Builder<'_> {
    /// Checks file options and imports against the edition.
    pub(super) fn check_file(&self, root: Around, file: &FileDef<'_>) -> Result<()> {
        let invalid =
            |detail| Err(self.fail(DescriptorErrorKind::InvalidOption, root.file, root.name, detail));
        if file.edition < Edition::Edition2024
            && children(file.bytes, read::file::OPTION_DEPENDENCY).next().is_some()
        {
            return invalid("`import option` is of edition 2024");
        }
        if file.edition.is_legacy() {
            return Ok(());
        }
        if root.features.field_presence == FieldPresence::LegacyRequired {
            return invalid("fields cannot be required by default");
        }
        if file.options.java_utf8 {
            return invalid("java_string_check_utf8 is not of editions");
        }
        Ok(())
    }

    /// Checks the options of any definition against the edition.
    pub(super) fn check_options(&self, around: Around, name: TextRange, options: &Options<'_>) -> Result<()> {
        let detail = if options.has_features && around.edition.is_legacy() {
            "features are of editions"
        } else if options.unknown_feature {
            "a feature without a value"
        } else if options.message_set && around.edition == Edition::Proto3 {
            "a MessageSet in proto3"
        } else {
            return Ok(());
        };
        Err(self.fail(DescriptorErrorKind::InvalidOption, around.file, name, detail))
    }

    /// Checks the label of a field, and properties that editions express as features.
    pub(super) fn check_label(&self, around: Around, data: &FieldData, proto: &FieldDef<'_>) -> Result<()> {
        if proto.proto3_optional && around.edition != Edition::Proto3 {
            let detail = "proto3_optional outside of proto3";
            return Err(self.fail(DescriptorErrorKind::InvalidOneof, around.file, data.name.full(), detail));
        }
        let required = proto.label == label::REQUIRED;
        let extension = data.extension != NONE;
        let detail = match around.edition {
            Edition::Proto2 => match () {
                () if required && extension => "an extension is not required",
                () => return Ok(()),
            },
            Edition::Proto3 => match () {
                () if required => "required in proto3",
                () if proto.type_code == type_code::GROUP => "a group in proto3",
                () => return Ok(()),
            },
            _ => match () {
                () if required => "required in an edition, where it is a feature",
                () if proto.type_code == type_code::GROUP => "a group in an edition, where it is a feature",
                () if proto.options.packed.is_some() => "packed in an edition, where it is a feature",
                () => return Ok(()),
            },
        };
        Err(self.fail(DescriptorErrorKind::InvalidField, around.file, data.name.full(), detail))
    }

    /// Checks the features set on a field against its kind. The fields of a map entry are exempt: protoc copies the
    /// features of the map field to them.
    pub(super) fn check_features(&self, file: u32, field: &FieldData, own: FeatureOverrides) -> Result<()> {
        let repeated = field.cardinality == Cardinality::Repeated;
        let is_message = matches!(field.kind, Kind::Message(_));
        let has_strings = match field.kind {
            Kind::Message(entry) if field.flags.has(FieldFlags::MAP) => {
                let fields = self.data.messages.get(entry as usize).map_or(&[][..], |m| &m.fields);
                fields.iter().any(|f| matches!(f.kind, Kind::String))
            }
            kind => matches!(kind, Kind::String),
        };
        let packable = repeated && field.kind.is_packable();
        let map = field.flags.has(FieldFlags::MAP);
        let wrong_presence = match own.field_presence {
            None => None,
            Some(_) if field.oneof != NONE => Some("presence of a member of a oneof"),
            Some(_) if repeated => Some("presence of a repeated field"),
            Some(_) if field.extension != NONE => Some("presence of an extension"),
            Some(FieldPresence::Implicit) if is_message => Some("implicit presence of a message"),
            Some(_) => None,
        };
        let detail = match wrong_presence {
            Some(detail) => detail,
            None if own.packed.is_some() && !repeated => "an encoding for lists",
            None if own.packed == Some(true) && !packable => "packed, which these elements cannot be",
            None if own.verify_utf8.is_some() && !has_strings => "UTF-8 where there are no strings",
            None if own.delimited.is_some() && (!is_message || map) => "an encoding for messages",
            None => return Ok(()),
        };
        Err(self.fail(
            DescriptorErrorKind::InvalidOption,
            file,
            field.name.full(),
            format_args!("a feature: {detail}"),
        ))
    }

    /// Checks that a proto3 field has no default and no closed enum type.
    pub(super) fn check_proto3(
        &self,
        edition: Edition,
        file: u32,
        field: &FieldData,
        has_default: bool,
    ) -> Result<()> {
        let (kind, detail) = match field.kind {
            _ if edition != Edition::Proto3 => return Ok(()),
            _ if has_default => (DescriptorErrorKind::InvalidDefault, "a default value in proto3"),
            Kind::Enum(e) if self.data.enums.get(e as usize).is_some_and(|e| e.closed) => {
                (DescriptorErrorKind::InvalidField, "a closed enum in proto3")
            }
            _ => return Ok(()),
        };
        Err(self.fail(kind, file, field.name.full(), detail))
    }

    /// Checks a field of message or enum type after it is resolved.
    pub(super) fn check_resolved(&self, pending: &PendingType<'_>, field: &FieldData) -> Result<()> {
        let edition = self.edition(pending.file);
        self.check_proto3(edition, pending.file, field, pending.default.is_some())?;
        if edition.is_legacy() {
            return Ok(());
        }
        let in_entry = match pending.target {
            FieldSlot::Field { message, .. } => {
                self.data.messages.get(message as usize).is_some_and(|m| m.map_entry)
            }
            FieldSlot::Extension(_) => false,
        };
        // The fields of a map entry have the features of the map field and are always set.
        if in_entry {
            return Ok(());
        }
        if let Kind::Enum(e) = field.kind
            && field.cardinality == Cardinality::Optional
            && !field.flags.has(FieldFlags::PRESENCE)
            && self.data.enums.get(e as usize).is_some_and(|e| e.closed)
        {
            let detail = "implicit presence with a closed enum";
            return Err(self.fail(
                DescriptorErrorKind::InvalidField,
                pending.file,
                field.name.full(),
                detail,
            ));
        }
        self.check_features(pending.file, field, pending.own)
    }

    pub(super) fn edition(&self, file: u32) -> Edition {
        self.data.files.get(file as usize).map_or(Edition::Proto2, |f| f.edition)
    }
}

/// Whether proto3 can extend a message: only the options messages.
pub(super) fn proto3_extends(full_name: &str) -> bool {
    let options =
        ["File", "Message", "Field", "Enum", "EnumValue", "Service", "Method", "Oneof", "ExtensionRange"];
    let name = full_name.strip_prefix("google.protobuf.").and_then(|name| name.strip_suffix("Options"));
    name.is_some_and(|name| options.contains(&name))
}
