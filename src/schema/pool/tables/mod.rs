//! Converts const tables to file descriptors, so that all pools are built and checked the same way.
//!
//! `files.rs` invents the files. A file has the syntax of its tables if that syntax can express all of them; otherwise it has
//! edition 2023, with features where a table differs from the defaults.

use super::model::features::{Edition, FeatureOverrides, FieldPresence, label, type_code};
use super::model::names::{escape_bytes, map_entry_name};
use super::write::{
    EnumProto, EnumValueProto, ExtensionRangeProto, FieldProto, FileProto, MessageProto, OneofProto,
    OptionsProto,
};
use super::{Result, write};
use crate::schema::program::sort_indices;
use crate::schema::table::{
    Cardinality, DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax, TableKind,
};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, vec::Vec};
use files::{Contents, Files, Reached};

mod files;

/// The files for these tables and all tables that they refer to.
pub(super) fn files(roots: &[&'static MessageTable]) -> Result<Vec<FileProto<'static>>> {
    let reached = Reached::from(roots)?;
    let files = Files::of(&reached);
    (0..files.len()).map(|at| file(&reached, &files, at)).collect()
}

fn file(reached: &Reached, files: &Files<'_>, at: usize) -> Result<FileProto<'static>> {
    let contents = files.contents(at);
    let edition = edition(&contents);
    // Fewer dots first: messages before those nested in them.
    let dots = |i: u32| {
        let message = contents.messages.get(i as usize);
        (message.map(|m| m.0.bytes().filter(|&b| b == b'.').count()), i)
    };
    let mut order: Vec<u32> = (0..contents.messages.len() as u32).collect();
    sort_indices(&mut order, &mut |a, b| dots(a).cmp(&dots(b)));
    let mut positions: BTreeMap<&str, u32> = BTreeMap::new();
    let ordered = || order.iter().filter_map(|&i| contents.messages.get(i as usize));
    for (i, (name, _)) in (0..).zip(ordered()) {
        positions.insert(name, i);
    }
    // The position of the message around a type, and the type's own name.
    let split = |full_name: &'static str| {
        let (outer, name) = full_name.rsplit_once('.').unwrap_or(("", full_name));
        (positions.get(outer).copied(), Cow::Borrowed(name))
    };
    let mut messages = Vec::with_capacity(order.len());
    let mut entries = Vec::new();
    // What each message says about its names in JSON, for those nested in it.
    let mut strict = Vec::with_capacity(order.len());
    for (i, &(name, table)) in (0..).zip(ordered()) {
        let (parent, name) = split(name);
        let around = parent.and_then(|at| strict.get(at as usize).copied()).unwrap_or(true);
        let syntax = table.map(|table| table.syntax_version());
        let own = syntax.map_or(around, |syntax| edition.is_legacy() || syntax == Syntax::Proto3);
        strict.push(own);
        let mut message = message(table, (own != around).then_some(own))?;
        (message.parent, message.name) = (parent, name);
        if let Some(table) = table {
            add_field(reached, table, edition, i, &mut message, &mut entries)?;
        }
        messages.push(message);
    }
    messages.append(&mut entries);
    let mut enums = Vec::with_capacity(contents.enums.len());
    for table in &contents.enums {
        let (parent, name) = split(table.full_name());
        enums.push(EnumProto { parent, name, ..enumeration(table, edition)? });
    }
    Ok(FileProto {
        name: files.name(at).into(),
        package: files.package(at).into(),
        dependencies: files.dependencies(at),
        messages,
        enums,
        edition,
    })
}

/// proto3 or proto2 if it can express all tables of the file, otherwise edition 2023.
fn edition(contents: &Contents) -> Edition {
    let mut messages = contents.messages.iter().filter_map(|m| m.1);
    if messages.clone().all(is_proto3) && contents.enums.iter().all(|e| !e.is_closed()) {
        Edition::Proto3
    } else if messages.all(is_proto2) && contents.enums.iter().all(|e| e.is_closed()) {
        Edition::Proto2
    } else {
        Edition::Edition2023
    }
}

fn is_proto3(table: &MessageTable) -> bool {
    table.syntax_version() == Syntax::Proto3
        && table.extension_ranges().is_empty()
        && !table.is_message_set()
        && table.fields().iter().all(|f| {
            f.cardinality() != Cardinality::Required
                && f.default().is_none()
                && !f.is_delimited()
                && !matches!(f.kind(), Kind::Enum(table) if table().is_closed())
        })
}

fn is_proto2(table: &MessageTable) -> bool {
    table.syntax_version() == Syntax::Proto2
        && table.fields().iter().all(|f| !f.is_delimited() || is_group(table.full_name(), f))
}

/// Whether a delimited field can be a proto2 group: its type is nested in the same message and has the field's name.
fn is_group(message: &str, field: &FieldTable) -> bool {
    let Kind::Message(table) = field.kind() else { return false };
    table().full_name().rsplit_once('.').is_some_and(|(outer, name)| {
        outer == message
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.eq_ignore_ascii_case(field.name())
            && !field.name().contains(|c: char| c.is_ascii_uppercase())
    })
}

/// A message without its name and fields; `strict_json` is the feature that it sets.
fn message(table: Option<&MessageTable>, strict_json: Option<bool>) -> Result<MessageProto<'static>> {
    let Some(table) = table else { return Ok(MessageProto::default()) };
    let mut extension_ranges = Vec::with_capacity(table.extension_ranges().len());
    for &(first, last) in table.extension_ranges() {
        let end = last.checked_add(1).and_then(|end| i32::try_from(end).ok());
        let (Ok(start), Some(end)) = (i32::try_from(first), end) else {
            let detail = format_args!("extensions {first} to {last}");
            return Err(DescriptorError::new(DescriptorErrorKind::InvalidNumber, table.full_name(), detail));
        };
        extension_ranges.push(ExtensionRangeProto { start, end });
    }
    let mut options = OptionsProto { message_set: table.is_message_set(), ..Default::default() };
    options.features.strict_json = strict_json;
    options.bytes = write::message_options(&options)?;
    Ok(MessageProto { extension_ranges, options, ..Default::default() })
}

fn enumeration(table: &'static EnumTable, edition: Edition) -> Result<EnumProto<'static>> {
    let value = |&(name, number): &(&'static str, i32)| EnumValueProto { name: name.into(), number };
    let mut numbers: Vec<u32> = table.values().iter().map(|v| v.1 as u32).collect();
    sort_indices(&mut numbers, &mut |a, b| a.cmp(&b));
    numbers.dedup();
    let mut options =
        OptionsProto { allow_alias: numbers.len() < table.values().len(), ..Default::default() };
    if !edition.is_legacy() && table.is_closed() {
        options.features = FeatureOverrides { closed_enum: Some(true), ..Default::default() };
    }
    options.bytes = write::enum_options(&options)?;
    Ok(EnumProto { values: table.values().iter().map(value).collect(), options, ..Default::default() })
}

// The fields of a table, and the entry messages of its maps.

/// Adds fields and oneofs to `message`, which is at `position` in its file, and its map entries to `entries`.
fn add_field(
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
