//! Converts const tables to file descriptors, so that all pools are built and checked the same way.
//!
//! A type is nested in the message whose full name is a prefix of its own; without such a message, the prefix is its
//! package. Each package becomes one file; well-known types have the files that protobuf has for them. The file has the syntax of its tables if that syntax can express all of
//! them; otherwise it has edition 2023, with features where a table differs from the defaults.

mod fields;

use super::Result;
use super::edition::Edition;
use super::features::FeatureOverrides;
use super::proto::{EnumProto, EnumValueProto, ExtensionRangeProto, FileProto, MessageProto, OptionsProto};
use super::write;
use crate::error::{DescriptorError, DescriptorErrorKind};
use crate::program::sort_indices;
use crate::table::{Cardinality, EnumTable, FieldTable, Kind, MessageTable, Syntax, TableKind};
use alloc::{borrow::Cow, collections::BTreeMap, string::String, vec::Vec};

/// All tables reachable from the roots, in the order of discovery, and their indices by full name.
///
/// All maps in this file are of the same type: each other type would add 3 000 lines of IR to the build.
#[derive(Default)]
struct Reached {
    messages: Vec<&'static MessageTable>,
    enums: Vec<&'static EnumTable>,
    message_of: BTreeMap<&'static str, u32>,
    enum_of: BTreeMap<&'static str, u32>,
}

/// The definitions of one package, in the order of discovery.
#[derive(Default)]
struct Package {
    messages: Vec<&'static MessageTable>,
    enums: Vec<&'static EnumTable>,
}

/// The files for these tables and all tables that they refer to.
pub(super) fn files(roots: &[&'static MessageTable]) -> Result<Vec<FileProto<'static>>> {
    let reached = Reached::from(roots)?;
    let (mut packages, mut package_of) = (Vec::new(), BTreeMap::new());
    for table in &reached.messages {
        let file = reached.file_of(table.full_name());
        package_mut(&mut packages, &mut package_of, file).messages.push(table);
    }
    for table in &reached.enums {
        let file = reached.file_of(table.full_name());
        package_mut(&mut packages, &mut package_of, file).enums.push(table);
    }
    let sorted = package_of.iter().filter_map(|(name, &at)| Some((*name, packages.get(at as usize)?)));
    sorted.map(|(name, package)| reached.file(name, package)).collect()
}

/// The package of this name; creates it if needed.
fn package_mut<'p>(
    packages: &'p mut Vec<Package>,
    package_of: &mut BTreeMap<&'static str, u32>,
    name: &'static str,
) -> &'p mut Package {
    let at = *package_of.entry(name).or_insert(packages.len() as u32) as usize;
    if at == packages.len() {
        packages.push(Package::default());
    }
    &mut packages[at]
}

impl Reached {
    fn from(roots: &[&'static MessageTable]) -> Result<Self> {
        let mut this = Self::default();
        let mut todo: Vec<&'static MessageTable> = roots.iter().rev().copied().collect();
        while let Some(table) = todo.pop() {
            let next = this.messages.len() as u32;
            let at = *this.message_of.entry(table.full_name()).or_insert(next);
            if let Some(known) = this.messages.get(at as usize) {
                if !same_message(known, table) {
                    return Err(twice(table.full_name()));
                }
                continue;
            }
            this.messages.push(table);
            for field in table.fields().iter().rev() {
                match field.kind() {
                    Kind::Message(inner) => todo.push(inner()),
                    Kind::Enum(inner) => this.add_enum(inner())?,
                    _ => {}
                }
            }
        }
        Ok(this)
    }

    fn add_enum(&mut self, table: &'static EnumTable) -> Result<()> {
        let next = self.enums.len() as u32;
        let at = *self.enum_of.entry(table.full_name()).or_insert(next);
        match self.enums.get(at as usize) {
            None => self.enums.push(table),
            Some(known) if known.values() == table.values() && known.is_closed() == table.is_closed() => {}
            Some(_) => return Err(twice(table.full_name())),
        }
        Ok(())
    }

    /// The name of the message around a type, and the type's own name.
    fn split(&self, full_name: &'static str) -> (Option<&'static str>, &'static str) {
        match full_name.rsplit_once('.') {
            Some((outer, name)) if self.message_of.contains_key(outer) => (Some(outer), name),
            Some((_, name)) => (None, name),
            None => (None, full_name),
        }
    }

    /// What the types of one file have in common: the name of a file of protobuf, or else the package.
    fn file_of(&self, full_name: &'static str) -> &'static str {
        well_known_file(full_name).unwrap_or_else(|| self.package(full_name))
    }

    fn package(&self, full_name: &'static str) -> &'static str {
        let mut name = full_name;
        loop {
            match name.rsplit_once('.') {
                Some((outer, _)) if self.message_of.contains_key(outer) => name = outer,
                Some((package, _)) => return package,
                None => return "",
            }
        }
    }

    fn file(&self, name: &'static str, package: &Package) -> Result<FileProto<'static>> {
        let edition = self.edition(package);
        // Fewer dots first: messages before those nested in them.
        let dots = |i: u32| {
            let table = package.messages.get(i as usize);
            (table.map(|t| t.full_name().bytes().filter(|&b| b == b'.').count()), i)
        };
        let mut order: Vec<u32> = (0..package.messages.len() as u32).collect();
        sort_indices(&mut order, &mut |a, b| dots(a).cmp(&dots(b)));
        let order: Vec<&'static MessageTable> =
            order.into_iter().filter_map(|i| package.messages.get(i as usize).copied()).collect();
        let mut positions: BTreeMap<&str, u32> = BTreeMap::new();
        for (i, table) in (0..).zip(&order) {
            positions.insert(table.full_name(), i);
        }
        let parent = |full_name| {
            let (outer, name) = self.split(full_name);
            (outer.and_then(|o| positions.get(o).copied()), Cow::Borrowed(name))
        };
        let mut messages = Vec::with_capacity(order.len());
        let mut entries = Vec::new();
        for (i, table) in order.iter().enumerate() {
            let (parent, name) = parent(table.full_name());
            let mut message = message(table)?;
            (message.parent, message.name) = (parent, name);
            fields::add(table, edition, i as u32, &mut message, &mut entries)?;
            messages.push(message);
        }
        messages.append(&mut entries);
        let mut enums = Vec::with_capacity(package.enums.len());
        for table in &package.enums {
            let (parent, name) = parent(table.full_name());
            enums.push(EnumProto { parent, name, ..enumeration(table, edition)? });
        }
        Ok(FileProto {
            name: file_name(name).into(),
            package: if is_file_name(name) { "google.protobuf" } else { name }.into(),
            dependencies: self.dependencies(name, package),
            messages,
            enums,
            edition,
        })
    }

    /// The files that a package imports: those of the types of its fields.
    fn dependencies(&self, name: &str, package: &Package) -> Vec<Cow<'static, str>> {
        let kinds = package.messages.iter().flat_map(|m| m.fields()).map(FieldTable::kind);
        let mut packages: BTreeMap<&str, u32> = BTreeMap::new();
        for kind in kinds {
            let package = match kind {
                Kind::Message(table) => self.file_of(table().full_name()),
                Kind::Enum(table) => self.file_of(table().full_name()),
                _ => continue,
            };
            if package != name {
                packages.insert(package, 0);
            }
        }
        packages.keys().map(|package| file_name(package).into()).collect()
    }

    /// proto3 or proto2 if it can express all tables of the package, otherwise edition 2023.
    fn edition(&self, package: &Package) -> Edition {
        let opens = |e: &&EnumTable| !e.is_closed() && e.values().first().is_none_or(|v| v.1 == 0);
        if package.messages.iter().all(|m| is_proto3(m)) && package.enums.iter().all(opens) {
            Edition::Proto3
        } else if package.messages.iter().all(|m| is_proto2(m)) && package.enums.iter().all(|e| e.is_closed())
        {
            Edition::Proto2
        } else {
            Edition::Edition2023
        }
    }
}

fn is_proto3(table: &MessageTable) -> bool {
    table.syntax_version() == Syntax::Proto3
        && table.extension_ranges().is_empty()
        && !table.is_message_set()
        && table
            .fields()
            .iter()
            .all(|f| f.cardinality() != Cardinality::Required && f.default().is_none() && !f.is_delimited())
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

/// Compares two tables of one name by their fields. Types are compared by name: they are functions, whose addresses
/// mean nothing.
fn same_message(a: &MessageTable, b: &MessageTable) -> bool {
    let same_field = |(a, b): (&FieldTable, &FieldTable)| {
        (a.name(), a.number(), a.cardinality()) == (b.name(), b.number(), b.cardinality())
            && type_name(a.kind()) == type_name(b.kind())
    };
    core::ptr::eq(a, b)
        || a.syntax_version() == b.syntax_version()
            && a.fields().len() == b.fields().len()
            && a.fields().iter().zip(b.fields()).all(same_field)
}

fn type_name(kind: TableKind) -> &'static str {
    match kind {
        Kind::Message(table) => table().full_name(),
        Kind::Enum(table) => table().full_name(),
        other => other.name(),
    }
}

#[cold]
fn twice(full_name: &str) -> DescriptorError {
    DescriptorError::new(DescriptorErrorKind::DuplicateName, full_name, "two different tables of this name")
}

/// The file that protobuf has for a well-known type.
fn well_known_file(full_name: &str) -> Option<&'static str> {
    Some(match full_name.strip_prefix("google.protobuf.")? {
        "Any" => "google/protobuf/any.proto",
        "Duration" => "google/protobuf/duration.proto",
        "Empty" => "google/protobuf/empty.proto",
        "FieldMask" => "google/protobuf/field_mask.proto",
        "Struct" | "Value" | "ListValue" | "NullValue" => "google/protobuf/struct.proto",
        "Timestamp" => "google/protobuf/timestamp.proto",
        "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value" | "UInt32Value"
        | "BoolValue" | "StringValue" | "BytesValue" => "google/protobuf/wrappers.proto",
        _ => return None,
    })
}

/// Whether [`wkt`](crate::wkt) has a struct or an enum for the type.
pub(crate) fn is_well_known(full_name: &str) -> bool {
    well_known_file(full_name).is_some()
}

/// Whether this is the name of a file, not of a package.
fn is_file_name(name: &str) -> bool {
    name.contains('/')
}

/// `a/b.proto` for package `a.b`. The file without a package has a `-` in its name, which no package can have.
fn file_name(package: &str) -> String {
    if is_file_name(package) {
        package.into()
    } else if package.is_empty() {
        "no-package.proto".into()
    } else {
        package.replace('.', "/") + ".proto"
    }
}

fn message(table: &MessageTable) -> Result<MessageProto<'static>> {
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
    options.bytes = write::message_options(&options);
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
