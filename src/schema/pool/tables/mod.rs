//! Converts const tables to file descriptors, so that all pools are built and checked the same way.
//!
//! `files.rs` invents the files. A file has the syntax of its tables if that syntax can express all of them; otherwise it has
//! edition 2023, with features where a table differs from the defaults.

mod fields;
mod files;
mod reached;

use super::Result;
use super::model::edition::Edition;
use super::model::features::FeatureOverrides;
use super::proto::{EnumProto, EnumValueProto, ExtensionRangeProto, FileProto, MessageProto, OptionsProto};
use super::write;
use crate::schema::program::sort_indices;
use crate::schema::table::{Cardinality, EnumTable, FieldTable, Kind, MessageTable, Syntax};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use alloc::{borrow::Cow, collections::BTreeMap, vec::Vec};
use files::{Contents, Files};
use reached::Reached;

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
            fields::add(reached, table, edition, i, &mut message, &mut entries)?;
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
