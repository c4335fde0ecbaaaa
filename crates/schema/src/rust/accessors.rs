//! The accessors of prost, as methods: members with presence and their defaults, members of type `i32` as enums, names of enum values.

use super::case::variant;
use super::members::{Member, Members, Origin, default_text};
use super::needs::value_of;
use super::options::{OpenEnumType, TextType};
use alloc::collections::BTreeSet;
use alloc::{format, string::String, vec::Vec};
use tablepb::schema::FieldKind;
use tablepb::table::{DefaultValue, Kind};
use tablepb::{EnumDescriptor, FieldDescriptor};

/// A method: its documentation, its head without `pub` and brace, and its body, the parts of a chain of calls.
pub(super) struct Accessor {
    pub(super) document: String,
    pub(super) head: String,
    pub(super) body: Vec<String>,
    pub(super) deprecated: bool,
}

/// What an accessor would hide: the methods of `Message` and of the traits that types derive.
const HIDDEN: &[&str] = &[
    "as_ref",
    "borrow",
    "borrow_mut",
    "clear",
    "clone",
    "clone_from",
    "clone_into",
    "cmp",
    "decode",
    "decode_buf",
    "decode_length_delimited",
    "decode_shared",
    "default",
    "encode",
    "encode_buf",
    "encode_length_delimited",
    "encode_to_slice",
    "encode_to_vec",
    "encoded_len",
    "eq",
    "fmt",
    "from",
    "hash",
    "into",
    "merge",
    "merge_fields",
    "ne",
    "partial_cmp",
    "to_owned",
    "to_string",
    "try_from",
    "try_into",
    "type_id",
    "unset",
];

impl Members<'_> {
    /// The accessors of a message with these members.
    pub(super) fn accessors(&self, members: &[Member], module: u32) -> Vec<Accessor> {
        let mut used: BTreeSet<String> = HIDDEN.iter().map(|name| (*name).into()).collect();
        let mut all = Vec::new();
        // Readers first, whose names no writer takes.
        for (member, field) in fields(members) {
            if let Some(accessor) = self.reader(member, field, module)
                && used.insert(plain(&member.name).into())
            {
                all.push(accessor);
            }
        }
        for (name, accessor) in
            fields(members).filter_map(|(member, field)| self.writer(member, field, module))
        {
            // A setter may have the name of a member, but not of its reader.
            if used.insert(name) {
                all.push(accessor);
            }
        }
        all
    }

    fn reader(&self, member: &Member, field: &FieldDescriptor, module: u32) -> Option<Accessor> {
        let name = &member.name;
        let optional = field.supports_presence() || field.is_required();
        if field.is_map() || (!optional && self.number_enum(field).is_none()) {
            return None;
        }
        let list = field.is_list();
        let access = format!("self.{name}");
        let (kind, body): (String, Vec<String>) = match field.kind() {
            Kind::Enum(e) if self.number_enum(field).is_some() => {
                let path = self.enum_path(&e, module);
                let from = self.of_crate(module, "tablepb::Enumeration::from_number");
                let or = self.or_default(field, &e, &path);
                match (list, optional) {
                    (true, _) => {
                        let known = format!(".map(|number| {from}(number).unwrap_or_default())");
                        (
                            format!("impl Iterator<Item = {path}> + '_"),
                            [access, ".iter()".into(), ".copied()".into(), known].into(),
                        )
                    }
                    (_, true) => (path, [access, format!(".and_then({from})"), or].into()),
                    _ => (path, [format!("{from}({access})"), or].into()),
                }
            }
            Kind::Enum(e) => {
                let path = self.enum_path(&e, module);
                match (
                    e.is_closed() || self.needs.options().open_enums == OpenEnumType::Listed,
                    field.explicit_default(),
                ) {
                    (true, _) => (path.clone(), [access, self.or_default(field, &e, &path)].into()),
                    (false, None) => (
                        self.value_type(field, field, module),
                        [access, ".unwrap_or_default()".into()].into(),
                    ),
                    (false, Some(_)) => {
                        let value = self.default_variant(field, &e, &path)?;
                        (
                            self.value_type(field, field, module),
                            [access, format!(".unwrap_or({value}.into())")].into(),
                        )
                    }
                }
            }
            Kind::Message(_) => return None,
            Kind::String => {
                let copies = self.needs.options().strings_of(field) == TextType::Borrowed;
                ("&str".into(), text(access, copies, literal(field, "")))
            }
            Kind::Bytes => {
                let copies = self.needs.options().bytes_of(field) == TextType::Borrowed;
                ("&[u8]".into(), text(access, copies, literal(field, "[..]")))
            }
            _ => (self.value_type(field, field, module), [access, or(number(field))].into()),
        };
        let what = if list { "values" } else { "value" };
        let default = if !optional || list { "" } else { ", or its default" };
        Some(Accessor {
            document: format!("The {what} of `{}`{default}.", field.name()),
            head: format!("fn {name}(&self) -> {kind}"),
            body,
            deprecated: field.is_deprecated(),
        })
    }

    /// The name of the method, and the method.
    fn writer(&self, member: &Member, field: &FieldDescriptor, module: u32) -> Option<(String, Accessor)> {
        let e = self.number_enum(field)?;
        let (name, plain) = (&member.name, plain(&member.name));
        let verb = if field.is_list() { "push" } else { "set" };
        let method = format!("{verb}_{plain}");
        let (what, body) = if field.is_list() {
            ("Adds a value to", [format!("self.{name}"), ".push(value as i32);".into()])
        } else if field.supports_presence() || field.is_required() {
            ("Sets", [format!("self.{name} ="), format!(" {}(value as i32);", self.some(module))])
        } else {
            ("Sets", [format!("self.{name} ="), " value as i32;".into()])
        };
        let accessor = Accessor {
            document: format!("{what} `{}`.", field.name()),
            head: format!("fn {method}(&mut self, value: {})", self.enum_path(&e, module)),
            body: body.into(),
            deprecated: field.is_deprecated(),
        };
        Some((method, accessor))
    }

    /// `Some`, as the listing has to write it.
    pub(super) fn some(&self, module: u32) -> String {
        match self.known(module, "Option") {
            option if option == "Option" => "Some".into(),
            option => option + "::Some",
        }
    }

    /// The enum of a member of type `i32`. One whose path was given may have no `Default`, and is read as a number.
    fn number_enum(&self, field: &FieldDescriptor) -> Option<EnumDescriptor> {
        match field.kind() {
            Kind::Enum(e)
                if !e.is_closed()
                    && !field.is_map()
                    && self.needs.has_enum(&e)
                    && self.needs.options().open_enums == OpenEnumType::Number =>
            {
                Some(e)
            }
            _ => None,
        }
    }

    fn or_default(&self, field: &FieldDescriptor, e: &EnumDescriptor, path: &str) -> String {
        or(self.default_variant(field, e, path))
    }

    /// The default of the schema as a variant; `None` for the first one, and for enums that are not of this listing.
    fn default_variant(&self, field: &FieldDescriptor, e: &EnumDescriptor, path: &str) -> Option<String> {
        let Some(DefaultValue::Enum(name)) = field.explicit_default() else { return None };
        let number = e.values().find(|value| value.name() == name)?.number();
        let found = self.enum_variants(e).into_iter().find(|variant| variant.number == number)?;
        (self.needs.has_enum(e)).then(|| format!("{path}::{}", found.name))
    }

    /// The name in Rust of an enum value, before it is made unique.
    pub(super) fn variant_name(&self, enumeration: &EnumDescriptor, value: &str) -> String {
        variant(if self.needs.options().keep_enum_prefix { "" } else { enumeration.name() }, value)
    }
}

fn fields(members: &[Member]) -> impl Iterator<Item = (&Member, &FieldDescriptor)> {
    members.iter().filter_map(|member| match &member.of {
        Origin::Field(field) => Some((member, field)),
        _ => None,
    })
}

fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// A string or bytes, by reference.
fn text(access: String, copies: bool, default: Option<String>) -> Vec<String> {
    if copies { [access, or(default)].into() } else { [access, ".as_deref()".into(), or(default)].into() }
}

/// The call that ends the reader of a member with presence.
fn or(default: Option<String>) -> String {
    default.map_or(".unwrap_or_default()".into(), |value| format!(".unwrap_or({value})"))
}

/// The default of a string or bytes as a literal, unless it is empty.
fn literal(field: &FieldDescriptor, slice: &str) -> Option<String> {
    let default = field.explicit_default()?;
    let text = default_text(default, &field.kind());
    match text.as_str() {
        "\"\"" | "b\"\"" => None,
        _ if slice.is_empty() => Some(text),
        _ => Some(format!("&{text}{slice}")),
    }
}

/// The default of a number, unless it is zero.
fn number(field: &FieldDescriptor) -> Option<String> {
    let default = field.explicit_default()?;
    let zero = match default {
        DefaultValue::Bool(value) => !value,
        DefaultValue::Int(value) => value == 0,
        DefaultValue::Uint(value) => value == 0,
        DefaultValue::Float(value) => value.to_bits() == 0,
        _ => true,
    };
    let text = default_text(default, &field.kind());
    let is_f32 = matches!(value_of(field).kind(), FieldKind::Float);
    (!zero).then(|| if is_f32 { text.replace("f64::", "f32::") } else { text })
}
