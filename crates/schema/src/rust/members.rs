//! The members of a struct and their lines in its listing.

use super::case::{identifier, snake, upper_camel};
use super::names::{Names, unique};
use super::needs::{Needs, Traits, value_of};
use super::options::{MapType, OpenEnumType, TextType};
use crate::json_name::json_name;
use alloc::collections::BTreeMap;
use alloc::{format, string::String, vec::Vec};
use tablepb::prost_reflect_names::EnumNames;
use tablepb::schema::{Edition, FieldKind, OneofDescriptor};
use tablepb::table::{DefaultValue, Kind};
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// A member of a struct, or a variant of an enum: its name, its type, and its listing.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) listing: Vec<String>,
    pub(super) of: Origin,
}

/// A value of an enum: its names in Rust and in the schema.
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) of_schema: String,
    pub(super) number: i32,
    pub(super) is_alias: bool,
    pub(super) deprecated: bool,
}

/// What a member is for.
pub(super) enum Origin {
    Field(FieldDescriptor),
    Oneof(OneofDescriptor),
    UnknownFields,
}

/// Writes the members of messages.
pub(super) struct Members<'a> {
    pub(super) needs: &'a Needs<'a>,
    pub(super) names: &'a Names,
}

/// Whether the listing of a message says `syntax "proto2"`. In editions it does if it has strings that are not checked for UTF-8, and
/// no field without presence, which proto2 does not have.
pub(super) fn is_proto2(message: &MessageDescriptor) -> bool {
    match message.parent_file().edition() {
        Edition::Proto2 => true,
        Edition::Proto3 => false,
        _ => {
            let unchecked = |f: FieldDescriptor| {
                matches!(value_of(&f).kind(), Kind::String) && !value_of(&f).validates_utf8()
            };
            let implicit = |f: FieldDescriptor| !f.is_list() && !f.is_map() && !f.supports_presence();
            message.fields().any(unchecked) && !message.fields().any(implicit)
        }
    }
}

impl<'a> Members<'a> {
    /// A path that begins with the name of a crate. A type or module of that name beside it would hide the crate.
    pub(super) fn of_crate(&self, module: u32, path: &str) -> String {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let name = if first == "std" && self.needs.options().no_std { "alloc" } else { first };
        let root = if self.names.is_used(module, name) { "::" } else { "" };
        format!("{root}{name}::{rest}")
    }

    /// A type that Rust knows without a path, unless a type beside it has its name.
    pub(super) fn known(&self, module: u32, name: &'static str) -> String {
        let no_std = self.needs.options().no_std;
        let path = match name {
            "String" => "std::string::String",
            "Vec" => "std::vec::Vec",
            "Box" => "std::boxed::Box",
            _ if no_std => "core::option::Option",
            _ => "std::option::Option",
        };
        if (no_std && name != "Option") || self.names.is_used(module, name) {
            self.of_crate(module, path)
        } else {
            name.into()
        }
    }

    pub(super) fn wrapped(&self, module: u32, outer: &'static str, inner: &str) -> String {
        format!("{}<{inner}>", self.known(module, outer))
    }

    /// All members of a message, in the order of the file. A oneof stands at its first field.
    pub(super) fn of_message(&self, message: &MessageDescriptor, module: u32) -> Vec<Member> {
        let mut used = BTreeMap::new();
        let mut members = Vec::new();
        let mut seen = BTreeMap::new();
        let proto2 = is_proto2(message);
        for field in message.fields() {
            match field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
                None => members.push(self.field(&field, &mut used, module, proto2)),
                Some(oneof) => {
                    if seen.insert(String::from(oneof.full_name()), (false, 0)).is_none() {
                        members.push(self.oneof(&oneof, &mut used, module, proto2));
                    }
                }
            }
        }
        if self.needs.options().unknown_fields {
            let name = unique(&mut used, "unknown_fields".into(), "_");
            let listing = [format!("{name}: unknown_fields,")].into();
            let kind = self.of_crate(module, "tablepb::UnknownFieldSet");
            members.push(Member { name, kind, listing, of: Origin::UnknownFields });
        }
        members
    }

    fn field(
        &self,
        field: &FieldDescriptor,
        used: &mut BTreeMap<String, (bool, u32)>,
        module: u32,
        proto2: bool,
    ) -> Member {
        let name = unique(used, identifier(snake(field.name())), "_");
        let kind = self.member_type(field, module);
        let listing = [self.line(&name, field, module, proto2)].into();
        Member { name, kind, listing, of: Origin::Field(field.clone()) }
    }

    fn oneof(
        &self,
        oneof: &OneofDescriptor,
        used: &mut BTreeMap<String, (bool, u32)>,
        module: u32,
        proto2: bool,
    ) -> Member {
        let name = unique(used, identifier(snake(oneof.name())), "_");
        let path = self.names.oneof_path(module, oneof);
        let lifetime = if self.oneof_traits(oneof).has(Traits::BORROWS) { "<'a>" } else { "" };
        let kind = self.wrapped(module, "Option", &format!("{path}{lifetime}"));
        let mut listing = Vec::new();
        listing.push(format!("{name}{}: oneof {path} {{", renamed(&name, oneof.name())));
        for (variant, field) in self.variants(oneof) {
            listing.push(format!("    {}", self.line(&variant, &field, module, proto2)));
        }
        listing.push("},".into());
        Member { name, kind, listing, of: Origin::Oneof(oneof.clone()) }
    }

    /// The fields of a oneof, with the names of their variants.
    pub(super) fn variants(&self, oneof: &OneofDescriptor) -> Vec<(String, FieldDescriptor)> {
        let mut used = BTreeMap::new();
        let variants =
            oneof.fields().map(|field| (unique(&mut used, identifier(upper_camel(field.name())), ""), field));
        variants.collect()
    }

    /// The values of an enum. A number has one variant; its other names have that one, too.
    pub(super) fn enum_variants(&self, enumeration: &EnumDescriptor) -> Vec<Variant> {
        let (mut used, mut first) = (BTreeMap::new(), BTreeMap::<i32, String>::new());
        let mut variants = Vec::new();
        for value in enumeration.values() {
            let known = first.get(&value.number());
            let is_alias = known.is_some();
            let name = match known {
                Some(name) => name.clone(),
                None => unique(&mut used, self.variant_name(enumeration, value.name()), ""),
            };
            first.entry(value.number()).or_insert_with(|| name.clone());
            let (of_schema, number, deprecated) =
                (value.name().into(), value.number(), value.is_deprecated());
            variants.push(Variant { name, of_schema, number, is_alias, deprecated });
        }
        variants
    }

    pub(super) fn oneof_traits(&self, oneof: &OneofDescriptor) -> Traits {
        oneof.fields().fold(Traits::default(), |all, field| all.with(self.needs.field_traits(&field)))
    }

    /// The line of a field in a listing.
    fn line(&self, name: &str, field: &FieldDescriptor, module: u32, proto2: bool) -> String {
        let label = if field.is_required() {
            "required "
        } else if field.is_list() {
            "repeated "
        } else {
            ""
        };
        let kind = self.listed_kind(field, module);
        let mut options = Vec::new();
        if field.is_list() && field.kind().is_packable() && field.is_packed() == proto2 {
            options.push(format!("packed = {}", field.is_packed()));
        }
        if let Some(default) = field.explicit_default() {
            options.push(format!("default = {}", default_text(default, &field.kind())));
        }
        if !json_name(field.name()).eq(field.json_name().bytes()) {
            options.push(format!("json_name = {:?}", field.json_name()));
        }
        let mut line = format!("{name}{}: {label}{kind} = {}", renamed(name, field.name()), field.number());
        for (i, option) in options.iter().enumerate() {
            line.push_str(if i == 0 { " [" } else { ", " });
            line.push_str(option);
        }
        line.push_str(if options.is_empty() { "," } else { "]," });
        line
    }

    /// The kind of a field in a listing.
    fn listed_kind(&self, field: &FieldDescriptor, module: u32) -> String {
        match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let key = entry.map_entry_key_field().map_or("", |key| key.kind().name());
                format!("map<{key}, {}>", self.listed_kind(&value_of(field), module))
            }
            Kind::Message(message) => {
                let word = if field.is_group() { "group" } else { "message" };
                format!("{word} {}", self.message_path(&message, module))
            }
            Kind::Enum(enumeration) => format!("enum {}", self.enum_path(&enumeration, module)),
            other => other.name().into(),
        }
    }

    pub(super) fn message_path(&self, message: &MessageDescriptor, module: u32) -> String {
        let of_library = |name: &str| self.of_crate(module, &format!("tablepb::wkt::{name}"));
        let elsewhere =
            self.needs.elsewhere(message.full_name(), self.needs.has_message(message), of_library);
        elsewhere.unwrap_or_else(|| self.names.message_path(module, message))
    }

    pub(super) fn enum_path(&self, enumeration: &EnumDescriptor, module: u32) -> String {
        let of_library = |name: &str| self.of_crate(module, &format!("tablepb::wkt::{name}"));
        let elsewhere =
            self.needs.elsewhere(enumeration.full_name(), self.needs.has_enum(enumeration), of_library);
        elsewhere.unwrap_or_else(|| self.names.enum_path(module, enumeration))
    }

    /// The type of a member.
    fn member_type(&self, field: &FieldDescriptor, module: u32) -> String {
        if let Kind::Message(entry) = field.kind()
            && field.is_map()
            && let Some(key) = entry.map_entry_key_field()
        {
            let path = self.of_crate(
                module,
                match self.needs.options().maps_of(field) {
                    MapType::BTreeMap => "std::collections::BTreeMap",
                    MapType::HashMap => "std::collections::HashMap",
                    MapType::SmallMap => "tablepb::SmallMap",
                },
            );
            let (key, value) =
                (self.value_type(&key, field, module), self.value_type(&value_of(field), field, module));
            return format!("{path}<{key}, {value}>");
        }
        let value = self.value_type(field, field, module);
        if field.is_list() {
            self.wrapped(module, "Vec", &value)
        } else if field.supports_presence() || field.is_required() {
            self.wrapped(module, "Option", &value)
        } else {
            value
        }
    }

    /// The type of one value of a field; `owner` is the map, or the field itself.
    pub(super) fn value_type(&self, field: &FieldDescriptor, owner: &FieldDescriptor, module: u32) -> String {
        let options = self.needs.options();
        match field.kind() {
            Kind::Double => "f64".into(),
            Kind::Float => "f32".into(),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => "i32".into(),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => "i64".into(),
            Kind::Uint32 | Kind::Fixed32 => "u32".into(),
            Kind::Uint64 | Kind::Fixed64 => "u64".into(),
            Kind::Bool => "bool".into(),
            Kind::String => match options.strings_of(owner) {
                TextType::Owned => self.known(module, "String"),
                TextType::Shared => self.of_crate(module, "tablepb::bytestring::ByteString"),
                TextType::Borrowed => "&'a str".into(),
                TextType::Cow => self.of_crate(module, "std::borrow::Cow<'a, str>"),
            },
            Kind::Bytes => match options.bytes_of(owner) {
                TextType::Owned => self.wrapped(module, "Vec", "u8"),
                TextType::Borrowed => "&'a [u8]".into(),
                TextType::Cow => self.of_crate(module, "std::borrow::Cow<'a, [u8]>"),
                TextType::Shared => self.of_crate(module, "tablepb::bytes::Bytes"),
            },
            Kind::Enum(enumeration) => {
                let path = self.enum_path(&enumeration, module);
                match options.open_enums {
                    _ if enumeration.is_closed() => path,
                    OpenEnumType::EnumValue => {
                        format!("{}<{path}>", self.of_crate(module, "tablepb::EnumValue"))
                    }
                    OpenEnumType::Number => "i32".into(),
                    OpenEnumType::Listed => path,
                }
            }
            Kind::Message(message) => {
                let mut path = self.message_path(&message, module);
                if self.needs.traits_of(&message).has(Traits::BORROWS) {
                    path.push_str("<'a>");
                }
                if self.needs.is_lazy(field, &message) {
                    format!("{}<{path}>", self.of_crate(module, "tablepb::Lazy"))
                } else if self.needs.is_boxed(field, &message) {
                    self.wrapped(module, "Box", &path)
                } else {
                    path
                }
            }
        }
    }

    /// What a struct, or the enum of a oneof, derives.
    pub(super) fn derives(&self, traits: Traits, default: bool) -> String {
        let mut list: Vec<&str> = self.needs.options().derives.split(',').map(str::trim).collect();
        list.retain(|name| match *name {
            "" | "Default" => false,
            "Eq" => !traits.has(Traits::NO_EQ),
            "Hash" => !traits.has(Traits::NO_HASH),
            _ => true,
        });
        if default {
            // As a reader would write it: after `Clone`, `Copy` and `Debug`.
            let at = list.iter().take_while(|name| matches!(**name, "Clone" | "Copy" | "Debug")).count();
            list.insert(at, "Default");
        }
        match list.is_empty() {
            true => String::new(),
            false => format!("#[derive({})]", list.join(", ")),
        }
    }

    /// The pool has extensions of the message, which have no place in a listing.
    pub(super) fn extension_notes(&self, message: &MessageDescriptor) -> Vec<String> {
        let note = |e: tablepb::schema::ExtensionDescriptor| {
            format!("// The extension {} = {} has no listing.", e.full_name(), e.number())
        };
        let mut notes: Vec<String> = message.extensions().map(note).collect();
        if message.is_message_set() {
            notes.insert(0, "// The items of a MessageSet have no listing.".into());
        }
        notes
    }
}

/// ` as "name"`, if the name in Rust is another one.
pub(super) fn renamed(rust: &str, name: &str) -> String {
    if rust.strip_prefix("r#").unwrap_or(rust) == name { String::new() } else { format!(" as \"{name}\"") }
}

/// A default as an expression of Rust; an enum value by its name in the schema.
pub(super) fn default_text(default: DefaultValue<'_>, kind: &FieldKind) -> String {
    match default {
        DefaultValue::Bool(value) => format!("{value}"),
        DefaultValue::Int(value) => format!("{value}"),
        DefaultValue::Uint(value) => format!("{value}"),
        DefaultValue::Float(value) if value.is_nan() => "f64::NAN".into(),
        DefaultValue::Float(f64::INFINITY) => "f64::INFINITY".into(),
        DefaultValue::Float(f64::NEG_INFINITY) => "f64::NEG_INFINITY".into(),
        DefaultValue::Float(value) if matches!(kind, Kind::Float) => format!("{:?}", value as f32),
        DefaultValue::Float(value) => format!("{value:?}"),
        DefaultValue::String(value) => format!("{value:?}"),
        DefaultValue::Bytes(value) => format!("b\"{}\"", value.escape_ascii()),
        // A number is listed by its first name only.
        DefaultValue::Enum(name) => {
            let value = kind.as_enum().and_then(|e| e.get_value(e.get_value_by_name(name)?.number()));
            match value.as_ref().map_or(name, |value| value.name()) {
                word @ ("self" | "Self" | "super" | "crate" | "true" | "false") => word.into(),
                other => identifier(other.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tablepb::DescriptorPool;
    use tablepb::table::{DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax};

    static E: EnumTable = EnumTable::new("p.E", &[("A", 1), ("type", 2), ("B", 1), ("C", 2)]).closed();
    static M: MessageTable = MessageTable::new(
        "p.M",
        &[
            FieldTable::new("b", 1, Kind::Enum(|| &E)).default_value(DefaultValue::Enum("B")),
            FieldTable::new("c", 2, Kind::Enum(|| &E)).default_value(DefaultValue::Enum("C")),
        ],
    )
    .syntax(Syntax::Proto2);

    /// The listing of the enum has no aliases.
    #[test]
    fn a_default_that_is_an_alias_has_the_name_that_is_listed() {
        let source = crate::to_rust(&DescriptorPool::from_tables(&[&M]).unwrap(), &crate::RustOptions::new());
        assert!(source.contains("b: enum E = 1 [default = A],"), "{source}");
        assert!(source.contains("c: enum E = 2 [default = r#type],"), "{source}");
    }
}
