//! Generates what a user of tablepb writes by hand: plain structs, owned and borrowed, and their listings.

use crate::{field_name, real_oneof};
use heck::ToUpperCamelCase;
use prost_reflect::{
    Cardinality, DescriptorPool, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Syntax,
};
use std::collections::BTreeSet;
use std::fmt::Write;

struct Generator {
    prefix: &'static str,
    borrowed: bool,
    /// Messages that have strings or bytes in them.
    texts: BTreeSet<String>,
}

/// The structs of the packages that begin with a prefix, which own their strings; and others that borrow them, if asked for.
pub fn generate(pool: &DescriptorPool, prefix: &'static str, borrows: bool) -> String {
    let mut out = String::new();
    for borrowed in [false].into_iter().chain(borrows.then_some(true)) {
        let mut generator = Generator { prefix, borrowed, texts: BTreeSet::new() };
        generator.find_texts(pool);
        let _ = writeln!(out, "pub mod {} {{", if borrowed { "borrowed" } else { "owned" });
        for file in pool.files().filter(|file| file.package_name().starts_with(prefix)) {
            let _ = writeln!(out, "pub mod {} {{", file.package_name().trim_start_matches("ratio."));
            for item in pool.all_enums().filter(|item| item.parent_file() == file) {
                enumeration(&mut out, &item);
            }
            for message in pool.all_messages().filter(|m| m.parent_file() == file && !m.is_map_entry()) {
                generator.message(&mut out, &message);
            }
            out += "}\n";
        }
        out += "}\n";
        generator.pairs(&mut out, pool);
    }
    out
}

/// The message and what it is nested in, as one name.
fn name(message: &MessageDescriptor) -> String {
    match message.parent_message() {
        Some(parent) => name(&parent) + message.name(),
        None => message.name().to_owned(),
    }
}

fn enumeration(out: &mut String, item: &EnumDescriptor) {
    let (name, full) = (item.name(), item.full_name());
    let _ = writeln!(out, "#[derive(Clone, Copy)]\npub enum {name} {{");
    for value in item.values() {
        let _ = writeln!(out, "    {} = {},", value.name().to_upper_camel_case(), value.number());
    }
    let _ = writeln!(out, "}}\ntablepb::enumeration! {{ {name} as \"{full}\" {{");
    for value in item.values() {
        let (name, number) = (value.name(), value.number());
        let _ = writeln!(out, "    {} as \"{name}\" = {number},", name.to_upper_camel_case());
    }
    *out += "} }\n";
}

impl Generator {
    fn find_texts(&mut self, pool: &DescriptorPool) {
        loop {
            let before = self.texts.len();
            for message in pool.all_messages() {
                let text = message.fields().any(|field| match field.kind() {
                    Kind::String | Kind::Bytes => true,
                    Kind::Message(inner) => self.texts.contains(inner.full_name()),
                    _ => false,
                });
                if text {
                    self.texts.insert(message.full_name().to_owned());
                }
            }
            if self.texts.len() == before {
                break;
            }
        }
    }

    fn lifetime(&self, message: &MessageDescriptor) -> &'static str {
        if self.borrowed && self.texts.contains(message.full_name()) { "<'i>" } else { "" }
    }

    fn message(&self, out: &mut String, message: &MessageDescriptor) {
        let (name, life) = (name(message), self.lifetime(message));
        let oneofs = || message.oneofs().filter(|oneof| !oneof.is_synthetic());
        for oneof in oneofs() {
            let life = if oneof.fields().any(|f| self.value(&f.kind()).contains("'i")) { "<'i>" } else { "" };
            let _ = writeln!(out, "pub enum {name}{}{life} {{", oneof.name().to_upper_camel_case());
            for field in oneof.fields() {
                let variant = field.name().to_upper_camel_case();
                let _ = writeln!(out, "    {variant}({}),", self.value(&field.kind()));
            }
            *out += "}\n";
        }
        let _ = writeln!(out, "#[derive(Default)]\npub struct {name}{life} {{");
        let plain = || message.fields().filter(|field| real_oneof(field).is_none());
        for field in plain() {
            let _ = writeln!(out, "    pub {}: {},", field_name(field.name()), self.member(&field));
        }
        for oneof in oneofs() {
            let life = if oneof.fields().any(|f| self.value(&f.kind()).contains("'i")) { "<'i>" } else { "" };
            let (member, path) = (field_name(oneof.name()), oneof.name().to_upper_camel_case());
            let _ = writeln!(out, "    pub {member}: ::std::option::Option<{name}{path}{life}>,");
        }
        let proto2 = message.parent_file().syntax() == Syntax::Proto2;
        let syntax = if proto2 { " syntax \"proto2\"" } else { "" };
        let full = message.full_name();
        let _ = writeln!(out, "}}\ntablepb::message! {{ {name}{life} as \"{full}\"{syntax} {{");
        for field in plain() {
            let _ = writeln!(out, "    {}: {} = {},", field_name(field.name()), kind(&field), field.number());
        }
        for oneof in oneofs() {
            let (member, path) = (field_name(oneof.name()), oneof.name().to_upper_camel_case());
            let _ = writeln!(out, "    {member}: oneof {name}{path} {{");
            for field in oneof.fields() {
                let variant = field.name().to_upper_camel_case();
                let (name, kind, number) = (field.name(), bare(&field), field.number());
                let _ = writeln!(out, "        {variant} as \"{name}\": {kind} = {number},");
            }
            *out += "    },\n";
        }
        *out += "} }\n";
    }

    /// The Rust type of a member.
    fn member(&self, field: &FieldDescriptor) -> String {
        if field.is_map() {
            let entry = field.kind();
            let entry = entry.as_message().expect("an entry");
            let key = self.value(&entry.map_entry_key_field().kind());
            let value = self.value(&entry.map_entry_value_field().kind());
            // Borrowed structs are beside views that keep the pairs of a map in a list.
            let map = if self.borrowed { "::tablepb::SmallMap" } else { "::std::collections::HashMap" };
            return format!("{map}<{key}, {value}>");
        }
        let value = self.value(&field.kind());
        if field.is_list() {
            format!("::std::vec::Vec<{value}>")
        } else if field.supports_presence() {
            format!("::std::option::Option<{value}>")
        } else {
            value
        }
    }

    /// The Rust type of a value.
    fn value(&self, kind: &Kind) -> String {
        let name = match kind {
            Kind::String if self.borrowed => "&'i str",
            Kind::String => "::std::string::String",
            Kind::Bytes if self.borrowed => "&'i [u8]",
            Kind::Bytes => "::std::vec::Vec<u8>",
            Kind::Double => "f64",
            Kind::Float => "f32",
            Kind::Bool => "bool",
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 | Kind::Enum(_) => "i32",
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => "i64",
            Kind::Uint32 | Kind::Fixed32 => "u32",
            Kind::Uint64 | Kind::Fixed64 => "u64",
            Kind::Message(message) => return name(message) + self.lifetime(message),
        };
        name.to_owned()
    }

    /// Says which structs belong to a message.
    fn pairs(&self, out: &mut String, pool: &DescriptorPool) {
        let roots =
            |m: &MessageDescriptor| m.package_name().starts_with(self.prefix) && m.parent_message().is_none();
        for message in pool.all_messages().filter(roots) {
            let (name, life) = (message.name(), self.lifetime(&message));
            let package = message.package_name().trim_start_matches("ratio.");
            let (of, member) = match self.borrowed {
                false => ("Typed", format!("Owned = owned::{package}::{name}")),
                true => ("Borrows", format!("Borrowed<'i> = borrowed::{package}::{name}{life}")),
            };
            let _ = writeln!(
                out,
                "impl crate::contenders::typed::{of} for super::prost::{package}::{name} {{ type {member}; }}"
            );
        }
    }
}

/// What the listing says of a field.
fn kind(field: &FieldDescriptor) -> String {
    if field.is_map() {
        let entry = field.kind();
        let entry = entry.as_message().expect("an entry");
        let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
        return format!("map<{}, {}>", bare(&key), bare(&value));
    }
    let label = match field.cardinality() {
        Cardinality::Repeated => "repeated ",
        Cardinality::Required => "required ",
        Cardinality::Optional if field.supports_presence() && !matches!(field.kind(), Kind::Message(_)) => {
            "optional "
        }
        Cardinality::Optional => "",
    };
    format!("{label}{}", bare(field))
}

fn bare(field: &FieldDescriptor) -> String {
    match field.kind() {
        Kind::Message(message) if field.is_group() => format!("group {}", name(&message)),
        Kind::Message(message) => format!("message {}", name(&message)),
        Kind::Enum(item) => format!("enum {}", item.name()),
        // The names of scalars are those of the variants, `Sfixed32`.
        kind => format!("{kind:?}").to_lowercase(),
    }
}
