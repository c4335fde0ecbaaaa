//! The fields of a table, and the entry messages of its maps.

use super::is_group;
use super::reached::Reached;
use crate::schema::pool::Result;
use crate::schema::pool::model::edition::{Edition, label, type_code};
use crate::schema::pool::model::escape::escape_bytes;
use crate::schema::pool::model::features::{FeatureOverrides, FieldPresence};
use crate::schema::pool::model::names::map_entry_name;
use crate::schema::pool::proto::{FieldProto, MessageProto, OneofProto, OptionsProto};
use crate::schema::pool::write;
use crate::schema::table::{Cardinality, DefaultValue, FieldTable, Kind, MessageTable, Syntax, TableKind};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

/// Adds fields and oneofs to `message`, which is at `position` in its file, and its map entries to `entries`.
pub(super) fn add(
    reached: &Reached,
    table: &'static MessageTable,
    edition: Edition,
    position: u32,
    message: &mut MessageProto<'static>,
    entries: &mut Vec<MessageProto<'static>>,
) -> Result<()> {
    let mut oneofs: BTreeMap<&'static str, u32> = BTreeMap::new();
    let first_entry = entries.len();
    for field in table.fields() {
        let mut proto = self::field(table, field, edition)?;
        if let Some(name) = field.oneof_name() {
            let index = *oneofs.entry(name).or_insert_with(|| {
                message.oneofs.push(OneofProto { name: name.into() });
                message.oneofs.len() as u32 - 1
            });
            proto.oneof_index = Some(index as i32);
        }
        if let Some(key) = field.map_key() {
            let own = entries.get(first_entry..).unwrap_or(&[]);
            let name = free_entry_name(reached, table, field, own);
            entries.push(map_entry(table, field, key, &mut proto, (position, name))?);
        }
        message.fields.push(proto);
    }
    if edition == Edition::Proto3 {
        add_synthetic_oneofs(table, message);
    }
    Ok(())
}

/// Gives each `optional` field of proto3 a oneof of its own, after all other oneofs and with a free name, as protoc does.
fn add_synthetic_oneofs(table: &'static MessageTable, message: &mut MessageProto<'static>) {
    let names = |field: &FieldTable| [Some(field.name()), field.oneof_name()].into_iter().flatten();
    let taken: BTreeMap<&str, u32> = table.fields().iter().flat_map(names).map(|name| (name, 0)).collect();
    for (field, proto) in table.fields().iter().zip(&mut message.fields) {
        if field.is_optional() && proto.oneof_index.is_none() {
            proto.proto3_optional = true;
            proto.oneof_index = Some(message.oneofs.len() as i32);
            let mut name = format!("_{}", field.name());
            while taken.contains_key(name.as_str()) {
                name.insert(0, 'X');
            }
            message.oneofs.push(OneofProto { name: name.into() });
        }
    }
}

fn field(table: &MessageTable, field: &FieldTable, edition: Edition) -> Result<FieldProto<'static>> {
    let fail = |kind, detail: String| {
        Err(DescriptorError::new(kind, &format!("{}.{}", table.full_name(), field.name()), detail))
    };
    let Ok(number) = i32::try_from(field.number()) else {
        return fail(DescriptorErrorKind::InvalidNumber, format!("{}", field.number()));
    };
    if field.is_optional() && field.cardinality() != Cardinality::Optional {
        return fail(DescriptorErrorKind::InvalidField, "both optional and required or repeated".into());
    }
    if field.is_delimited() && (!matches!(field.kind(), Kind::Message(_)) || field.map_key().is_some()) {
        return fail(DescriptorErrorKind::InvalidField, "only a message field can be delimited".into());
    }
    let mut options = OptionsProto::default();
    if edition.is_legacy() {
        options.packed = field.is_packed();
    } else {
        options.features = features(table.syntax_version(), field);
    }
    options.bytes = write::field_options(&options)?;
    let mut proto = FieldProto {
        name: field.name().into(),
        number,
        label: match field.cardinality() {
            Cardinality::Repeated => label::REPEATED,
            Cardinality::Required if edition.is_legacy() => label::REQUIRED,
            _ => label::OPTIONAL,
        },
        json_name: field.json_name_override().map(Into::into),
        options,
        ..Default::default()
    };
    set_type(&mut proto, field.kind());
    if field.is_delimited() && edition.is_legacy() && is_group(table.full_name(), field) {
        proto.type_code = type_code::GROUP;
    }
    if let Some(default) = field.default() {
        match default_text(&field.kind(), default) {
            Some(text) => proto.default = Some(text.into()),
            None => {
                return fail(
                    DescriptorErrorKind::InvalidDefault,
                    format!("{default:?} as {}", field.kind().name()),
                );
            }
        }
    }
    Ok(proto)
}

fn set_type(proto: &mut FieldProto<'static>, kind: TableKind) {
    proto.type_code = type_code::of(&kind);
    proto.type_name = match kind {
        Kind::Message(table) => format!(".{}", table().full_name()).into(),
        Kind::Enum(table) => format!(".{}", table().full_name()).into(),
        _ => "".into(),
    };
}

/// The features of a field that differ from the defaults of edition 2023.
fn features(syntax: Syntax, field: &FieldTable) -> FeatureOverrides {
    let kind = field.kind();
    let repeated = field.cardinality() == Cardinality::Repeated;
    let message = matches!(kind, Kind::Message(_));
    let proto2 = syntax == Syntax::Proto2;
    let mut features = FeatureOverrides::default();
    if field.cardinality() == Cardinality::Required {
        features.field_presence = Some(FieldPresence::LegacyRequired);
    } else if !proto2 && !repeated && !message && !field.is_optional() && field.oneof_name().is_none() {
        features.field_presence = Some(FieldPresence::Implicit);
    }
    let packable = repeated && kind.is_packable() && field.map_key().is_none();
    if packable && !field.is_packed().unwrap_or(!proto2) {
        features.packed = Some(false);
    }
    let is_string = |kind: &TableKind| matches!(kind, Kind::String);
    if proto2 && (is_string(&kind) || field.map_key().as_ref().is_some_and(is_string)) {
        features.verify_utf8 = Some(false);
    }
    if field.is_delimited() {
        features.delimited = Some(true);
    }
    features
}

/// The name of an entry message that nothing else in the message has. Where it is another than protoc's, no set of files could say
/// the same.
fn free_entry_name(
    reached: &Reached,
    table: &MessageTable,
    field: &FieldTable,
    entries: &[MessageProto<'_>],
) -> String {
    let mut name = map_entry_name(field.name());
    let is_taken = |name: &str| {
        let full_name = format!("{}.{name}", table.full_name());
        let (messages, enums) = (&reached.message_of, &reached.enum_of);
        messages.contains_key(full_name.as_str())
            || enums.contains_key(full_name.as_str())
            || entries.iter().any(|entry| entry.name == name)
    };
    while is_taken(&name) {
        name.insert(0, 'X');
    }
    name
}

/// Makes the entry message of a map, as protoc does, and turns the field into a list of entries.
fn map_entry(
    table: &'static MessageTable,
    field: &FieldTable,
    key: TableKind,
    proto: &mut FieldProto<'static>,
    (parent, name): (u32, String),
) -> Result<MessageProto<'static>> {
    let member = |name: &'static str, number, kind| {
        let options = OptionsProto { features: proto.options.features, ..Default::default() };
        let options = OptionsProto { bytes: write::field_options(&options)?, ..options };
        let mut member =
            FieldProto { name: name.into(), number, label: label::OPTIONAL, options, ..Default::default() };
        set_type(&mut member, kind);
        Ok::<_, DescriptorError>(member)
    };
    let fields = Vec::from([member("key", 1, key)?, member("value", 2, field.kind())?]);
    proto.type_code = type_code::MESSAGE;
    proto.type_name = format!(".{}.{name}", table.full_name()).into();
    let mut options = OptionsProto { map_entry: true, ..Default::default() };
    options.bytes = write::message_options(&options)?;
    Ok(MessageProto { parent: Some(parent), name: name.into(), fields, options, ..Default::default() })
}

/// The text of a default in a descriptor, or `None` if the default does not fit the kind.
fn default_text(kind: &TableKind, default: DefaultValue<'_>) -> Option<String> {
    Some(match (kind, default) {
        (Kind::Bool, DefaultValue::Bool(value)) => format!("{value}"),
        (Kind::Float, DefaultValue::Float(value)) => float_text(value, format!("{:?}", value as f32)),
        (Kind::Double, DefaultValue::Float(value)) => float_text(value, format!("{value:?}")),
        (Kind::String, DefaultValue::String(value)) => value.into(),
        (Kind::Bytes, DefaultValue::Bytes(value)) => escape_bytes(value),
        (Kind::Enum(_), DefaultValue::Enum(value)) => value.into(),
        (Kind::Bool | Kind::Float | Kind::Double | Kind::String | Kind::Bytes, _) => return None,
        (Kind::Enum(_) | Kind::Message(_), _) => return None,
        (_, DefaultValue::Int(value)) => format!("{value}"),
        (_, DefaultValue::Uint(value)) => format!("{value}"),
        _ => return None,
    })
}

fn float_text(value: f64, finite: String) -> String {
    if value.is_nan() {
        "nan".into()
    } else if value.is_infinite() {
        if value > 0.0 { "inf".into() } else { "-inf".into() }
    } else {
        finite
    }
}
