//! Reads the options that change the meaning of a definition, from any of the options messages.

use super::fields::{Children, FieldValue, children, each, text};
use crate::schema::pool::Result;
use crate::schema::pool::model::features::{FeatureOverrides, FeatureValue};

/// The extension `pb.enumvalue.json` of `EnumValueOptions`, a message with a string as field 1.
const JSON_VALUE: u32 = 998;

/// The kind of definition that has the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    File,
    Message,
    Field,
    Oneof,
    Enum,
    EnumValue,
    ExtensionRange,
    Service,
    Method,
}

/// Any of the options messages: its location, and the options that change the meaning of a definition.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::schema::pool) struct Options<'i> {
    /// The definition with the options, the field number of the options in it, and the number of their pieces.
    pub(in crate::schema::pool) holder: &'i [u8],
    pub(in crate::schema::pool) number: u32,
    pub(in crate::schema::pool) occurrences: usize,
    pub(in crate::schema::pool) features: FeatureOverrides,
    /// Whether `features` is set.
    pub(in crate::schema::pool) has_features: bool,
    /// Whether a feature has the value 0, which is invalid.
    pub(in crate::schema::pool) unknown_feature: bool,
    pub(in crate::schema::pool) deprecated: bool,
    /// `FieldOptions.packed`.
    pub(in crate::schema::pool) packed: Option<bool>,
    /// `MessageOptions.map_entry`.
    pub(in crate::schema::pool) map_entry: bool,
    /// `MessageOptions.message_set_wire_format`.
    pub(in crate::schema::pool) message_set: bool,
    /// `EnumOptions.allow_alias`.
    pub(in crate::schema::pool) allow_alias: bool,
    /// `deprecated_legacy_json_field_conflicts`.
    pub(in crate::schema::pool) legacy_json: bool,
    /// `FileOptions.java_string_check_utf8`.
    pub(in crate::schema::pool) java_utf8: bool,
    /// `(pb.enumvalue.json).string` of `EnumValueOptions`: the name of the value in JSON.
    pub(in crate::schema::pool) json_value: Option<&'i str>,
}

impl<'i> Options<'i> {
    pub(super) fn read(holder: &'i [u8], number: u32, of: Of) -> Result<Self> {
        let mut this = Self { holder, number, ..Self::default() };
        for piece in this.pieces() {
            this.occurrences += 1;
            each(piece, &mut |number, value| this.option(of, number, value))?;
        }
        Ok(this)
    }

    /// The pieces of the options, which together are one message.
    pub(in crate::schema::pool) fn pieces(&self) -> Children<'i> {
        children(self.holder, self.number)
    }

    fn option(&mut self, of: Of, number: u32, value: FieldValue<'i>) -> Result<()> {
        let (features, deprecated) = match of {
            Of::File => (50, 23),
            Of::Message => (12, 3),
            Of::Field => (21, 3),
            Of::Oneof => (1, 0),
            Of::Enum => (7, 3),
            Of::EnumValue => (2, 1),
            Of::ExtensionRange => (50, 0),
            Of::Service => (34, 33),
            Of::Method => (35, 33),
        };
        match value {
            FieldValue::Bytes(set) if number == features => {
                self.has_features = true;
                each(set, &mut |number, value| self.feature(number, value))?;
            }
            // Messages checked but not used: `UninterpretedOption`, `EditionDefault`, `FeatureSupport`, `Declaration`.
            FieldValue::Bytes(option) if number == 999 => each(option, &mut |number, value| match value {
                FieldValue::Bytes(part) if number == 2 => each(part, &mut |_, _| Ok(())),
                _ => Ok(()),
            })?,
            FieldValue::Bytes(json) if (of, number) == (Of::EnumValue, JSON_VALUE) => {
                each(json, &mut |number, value| match value {
                    FieldValue::Bytes(name) if number == 1 => {
                        self.json_value = Some(text(name)?);
                        Ok(())
                    }
                    _ => Ok(()),
                })?
            }
            FieldValue::Bytes(inner) => {
                if matches!((of, number), (Of::Field, 20 | 22) | (Of::EnumValue, 4) | (Of::ExtensionRange, 2))
                {
                    each(inner, &mut |_, _| Ok(()))?;
                }
            }
            FieldValue::Int(value) => {
                let on = value != 0;
                match (of, number) {
                    _ if number == deprecated => self.deprecated = on,
                    (Of::File, 27) => self.java_utf8 = on,
                    (Of::Message, 1) => self.message_set = on,
                    (Of::Message, 7) => self.map_entry = on,
                    (Of::Message, 11) | (Of::Enum, 6) => self.legacy_json = on,
                    (Of::Field, 2) => self.packed = Some(on),
                    (Of::Enum, 2) => self.allow_alias = on,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// One field of `google.protobuf.FeatureSet`.
    fn feature(&mut self, number: u32, value: FieldValue<'_>) -> Result<()> {
        match value {
            FieldValue::Int(value) => match self.features.set(number, value as i32) {
                FeatureValue::Known => {}
                FeatureValue::Nothing => self.unknown_feature = true,
            },
            // `FeatureSet.VisibilityFeature` has no fields, and extensions are for code generators.
            FieldValue::Bytes(_) => {}
        }
        Ok(())
    }
}
