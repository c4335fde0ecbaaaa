//! Generates code that reads every field of a message into a checksum, as one would write it by hand:
//! for the structs of prost and buffa, for buffa's views, and for tablepb by resolved field.

use crate::{field_name, real_oneof};
use heck::{ToSnakeCase, ToUpperCamelCase};
use prost_reflect::{DescriptorPool, Kind, MessageDescriptor, OneofDescriptor};
use std::fmt::Write;

/// Whose generated structs are read.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    Prost,
    Owned,
    View,
}

pub fn generate(pool: &DescriptorPool) -> String {
    let mut out = String::new();
    let messages =
        || pool.all_messages().filter(|m| !m.is_map_entry() && m.package_name().starts_with("ratio."));
    for message in messages() {
        read_struct(&mut out, &message, Style::Prost);
        if cfg!(feature = "rivals") {
            read_struct(&mut out, &message, Style::Owned);
            read_struct(&mut out, &message, Style::View);
        }
        read_view(&mut out, &message);
    }
    out += "/// The fields of all messages, resolved once.\npub struct Handles {\n";
    for message in messages() {
        let _ = writeln!(out, "    {}: [FieldDescriptor; {}],", ident(&message), message.fields().len());
    }
    out += "}\n\nimpl Handles {\n    pub fn new(pool: &DescriptorPool) -> Self {\n        Self {\n";
    for message in messages() {
        let numbers: Vec<u32> = message.fields().map(|field| field.number()).collect();
        let _ = writeln!(
            out,
            "            {}: fields(pool, {:?}, {numbers:?}),",
            ident(&message),
            message.full_name()
        );
    }
    out += "        }\n    }\n}\n";
    out
}

/// The message, as one identifier.
fn ident(message: &MessageDescriptor) -> String {
    message.full_name().replace('.', "_").to_snake_case()
}

/// Module path below the package of what is nested in a message, `document::section`.
fn nest(message: Option<MessageDescriptor>) -> String {
    match message {
        Some(m) => format!("{}{}::", nest(m.parent_message()), m.name().to_snake_case()),
        None => String::new(),
    }
}

fn root(message: &MessageDescriptor, style: Style) -> String {
    let package = message.package_name().trim_start_matches("ratio.");
    match style {
        Style::Prost => format!("crate::generated::prost::{package}::"),
        Style::Owned | Style::View => format!("crate::generated::buffa::{package}::"),
    }
}

fn type_path(message: &MessageDescriptor, style: Style) -> String {
    let (root, nest, name) = (root(message, style), nest(message.parent_message()), message.name());
    match style {
        Style::View => format!("{root}__buffa::view::{nest}{name}View<'_>"),
        _ => format!("{root}{nest}{name}"),
    }
}

fn oneof_path(oneof: &OneofDescriptor, style: Style) -> String {
    let message = oneof.parent_message();
    let part = match style {
        Style::Prost => "",
        Style::Owned => "__buffa::oneof::",
        Style::View => "__buffa::view::oneof::",
    };
    let (root, nest) = (root(message, style), nest(Some(message.clone())));
    format!("{root}{part}{nest}{}", oneof.name().to_upper_camel_case())
}

fn read_struct(out: &mut String, message: &MessageDescriptor, style: Style) {
    let path = type_path(message, style);
    let _ = writeln!(out, "impl Read for {path} {{\n    #[inline]\n    fn read(&self, sum: &mut Sum) {{");
    for field in message.fields().filter(|field| real_oneof(field).is_none()) {
        let name = format!("self.{}", field_name(field.name()));
        if field.is_map() {
            let entry = field.kind();
            let entry = entry.as_message().expect("an entry");
            let key = value(&entry.map_entry_key_field().kind(), "(*key)", style);
            let value = value(&entry.map_entry_value_field().kind(), "(*value)", style);
            let _ = writeln!(out, "for (key, value) in {name}.iter() {{ {key}; {value}; }}");
        } else if field.is_list() {
            let value = value(&field.kind(), "(*value)", style);
            let _ = writeln!(out, "for value in {name}.iter() {{ {value}; }}");
        } else if matches!(field.kind(), Kind::Message(_)) {
            let option = if style == Style::Prost { "as_ref" } else { "as_option" };
            let _ = writeln!(out, "if let Some(value) = {name}.{option}() {{ value.read(sum); }}");
        } else if field.supports_presence() && field.cardinality() != prost_reflect::Cardinality::Required {
            let value = value(&field.kind(), "(*value)", style);
            let _ = writeln!(out, "if let Some(value) = &{name} {{ {value}; }}");
        } else {
            let _ = writeln!(out, "{};", value(&field.kind(), &name, style));
        }
    }
    for oneof in message.oneofs().filter(|oneof| !oneof.is_synthetic()) {
        let path = oneof_path(&oneof, style);
        let _ = writeln!(out, "match &self.{} {{\nNone => {{}}", field_name(oneof.name()));
        for field in oneof.fields() {
            let value = value(&field.kind(), "(*value)", style);
            let _ = writeln!(out, "Some({path}::{}(value)) => {value},", field.name().to_upper_camel_case());
        }
        *out += "}\n";
    }
    *out += "    }\n}\n";
}

/// Reads the value at a place.
fn value(kind: &Kind, place: &str, style: Style) -> String {
    match kind {
        Kind::Message(_) => format!("{place}.read(sum)"),
        Kind::String => format!("sum.bytes({place}.as_bytes())"),
        Kind::Bytes => format!("sum.bytes(&{place})"),
        Kind::Float | Kind::Double => format!("sum.add(u64::from({place}.to_bits()))"),
        Kind::Bool => format!("sum.add(u64::from({place}))"),
        Kind::Enum(_) if style != Style::Prost => format!("sum.add({place}.to_i32() as u64)"),
        _ => format!("sum.add({place} as u64)"),
    }
}

fn read_view(out: &mut String, message: &MessageDescriptor) {
    let path = type_path(message, Style::Prost);
    let handles = ident(message);
    let _ = writeln!(
        out,
        "impl ReadByHandle for {path} {{\n    #[inline]\n    fn read_view(view: MessageView, handles: &Handles, sum: &mut Sum) {{\n        let fields = &handles.{handles};"
    );
    for (index, field) in message.fields().enumerate() {
        let (method, read) = if field.is_map() {
            let entry = field.kind();
            let entry = entry.as_message().expect("an entry");
            let value = by_handle(&entry.map_entry_value_field().kind(), "value");
            ("as_map", format!("for (key, value) in value.iter() {{ key.read(sum); {value} }}"))
        } else if field.is_list() {
            ("as_list", by_handle_all(&field.kind()))
        } else {
            let _ = writeln!(
                out,
                "        if let Some(value) = view.get(&fields[{index}]) {{ {} }}",
                by_handle(&field.kind(), "value")
            );
            continue;
        };
        let _ = writeln!(
            out,
            "        if let Some(value) = view.get(&fields[{index}]).and_then(|value| value.{method}()) {{ {read} }}"
        );
    }
    *out += "    }\n}\n";
}

/// Reads a `ListRef` of a known kind: numbers as such, everything else as values.
fn by_handle_all(kind: &Kind) -> String {
    let (number, read) = match kind {
        Kind::Float => ("f32", "u64::from(value.to_bits())"),
        Kind::Double => ("f64", "value.to_bits()"),
        Kind::Bool => ("bool", "u64::from(value)"),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 | Kind::Enum(_) => ("i32", "value as u64"),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => ("i64", "value as u64"),
        Kind::Uint32 | Kind::Fixed32 => ("u32", "value as u64"),
        Kind::Uint64 | Kind::Fixed64 => ("u64", "value"),
        Kind::String | Kind::Bytes | Kind::Message(_) => {
            return format!("for value in value.iter() {{ {} }}", by_handle(kind, "value"));
        }
    };
    format!(
        "if let Some(values) = value.numbers::<{number}>() {{ values.for_each(|value| sum.add({read})) }}"
    )
}

/// Reads a `ValueRef` of a known kind.
fn by_handle(kind: &Kind, place: &str) -> String {
    let (method, read) = match kind {
        Kind::Message(message) => {
            let path = type_path(message, Style::Prost);
            return format!(
                "if let Some(value) = {place}.as_message() {{ <{path} as ReadByHandle>::read_view(value, handles, sum) }}"
            );
        }
        Kind::String => ("as_str", "sum.bytes(value.as_bytes())"),
        Kind::Bytes => ("as_bytes", "sum.bytes(value)"),
        Kind::Float => ("as_f32", "sum.add(u64::from(value.to_bits()))"),
        Kind::Double => ("as_f64", "sum.add(value.to_bits())"),
        Kind::Bool => ("as_bool", "sum.add(u64::from(value))"),
        Kind::Enum(_) => ("as_enum_number", "sum.add(value as u64)"),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => ("as_i32", "sum.add(value as u64)"),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => ("as_i64", "sum.add(value as u64)"),
        Kind::Uint32 | Kind::Fixed32 => ("as_u32", "sum.add(value as u64)"),
        Kind::Uint64 | Kind::Fixed64 => ("as_u64", "sum.add(value as u64)"),
    };
    format!("if let Some(value) = {place}.{method}() {{ {read}; }}")
}
