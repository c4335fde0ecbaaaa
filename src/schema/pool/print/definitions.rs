//! Messages, fields, extensions and services.
//!
//! Some nested types of a message have no source of their own: map fields and groups declare them. To keep the order
//! of nested types, such a type is printed by printing the fields up to the one that declares it.

use super::options::PrintedOption;
use super::{Indices, ProtoPrinter};
use crate::schema::pool::model::features::Edition;
use crate::schema::pool::model::names::{TextRange, escape_bytes, escape_str, json_name};
use crate::schema::pool::model::symbols::{Scope, Symbol};
use crate::schema::pool::model::{
    Container, DefaultData, FieldData, FieldFlags, FileData, MessageData, NONE,
};
use crate::schema::table::{Cardinality, Kind};
use crate::wire::Tag;
use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

/// The limits of edition 2026: fields and oneofs of a message, members of a oneof.
const MAX_FIELDS: usize = 1500;
const MAX_ONEOFS: usize = 1000;
const MAX_MEMBERS: usize = 1200;

/// The map field or group that declares a nested type, by position among the fields or extensions.
#[derive(Clone, Copy)]
enum Origin {
    Field(usize),
    Extension(usize),
}

/// The fields, extensions and nested messages of a message or file, and the progress of printing them.
struct Members<'a> {
    scope: Scope,
    /// With its index; `None` for a file.
    message: Option<(u32, &'a MessageData)>,
    messages: Vec<u32>,
    extensions: Vec<u32>,
    next_field: usize,
    next_extension: usize,
    /// Oneofs printed so far.
    oneofs: Indices,
    /// The next field is the first one, or comes after a nested message.
    gap: bool,
}

impl<'a> ProtoPrinter<'a> {
    pub(super) fn top_level(&mut self, file: &'a FileData) {
        let (data, owner) = (self.data, Container::File(self.file));
        for (position, &index) in (0..).zip(data.enums_in(owner)) {
            if self.is_wanted_enum(index) {
                self.gap();
                self.within([5, position], |this| this.enumeration(index));
            }
        }
        let scope = self.scope_of(file);
        let extensions =
            data.extensions_in(owner).iter().copied().filter(|&e| self.is_wanted_extension(e)).collect();
        let messages: Vec<u32> =
            data.messages_in(owner).iter().copied().filter(|&m| self.is_wanted_message(m)).collect();
        let content = Members {
            scope,
            message: None,
            messages,
            extensions,
            next_field: 0,
            next_extension: 0,
            oneofs: Indices::default(),
            gap: true,
        };
        self.content(content);
    }

    /// The scope of the package.
    fn scope_of(&self, file: &FileData) -> Scope {
        let package = self.data.text(file.package);
        self.data.symbols.scope(&self.data.names, package).unwrap_or(Scope::ROOT)
    }

    fn message(&mut self, index: u32) {
        let data = self.data;
        let Some(message) = data.messages.get(index as usize) else { return };
        let visibility = visibility(message.visibility);
        self.gap();
        self.within(self.step_of(index, message), |this| {
            this.before(&[], false);
            let suffix = this.renamed.filter(|renamed| renamed.0 == index).map_or("", |renamed| renamed.1);
            this.open(format_args!("{visibility}message {}{suffix}", data.text(message.name.local())));
            this.after(&[], false);
            this.body(index, message);
            this.close();
        });
    }

    /// The last two numbers of the path of a message.
    fn step_of(&self, index: u32, message: &MessageData) -> [i32; 2] {
        let owner = Container::of(message.file, message.parent);
        let position = self.data.messages_in(owner).binary_search(&index).unwrap_or(usize::MAX);
        [if message.parent == NONE { 4 } else { 3 }, position as i32]
    }

    /// The lines between the braces of a message or group.
    fn body(&mut self, index: u32, message: &'a MessageData) {
        let mut options = self.options_of("google.protobuf.MessageOptions", message.options, message.scope);
        self.lift_limit(&mut options, message.declared as usize, MAX_FIELDS);
        self.lift_limit(&mut options, self.data.oneofs(message).len(), MAX_ONEOFS);
        self.option_lines(7, options);
        self.reserved(message);
        self.extension_ranges(message);
        let (data, owner) = (self.data, Container::Message(index));
        for (position, &enumeration) in (0..).zip(data.enums_in(owner)) {
            self.gap();
            self.within([4, position], |this| this.enumeration(enumeration));
        }
        self.content(Members {
            scope: message.scope,
            message: Some((index, message)),
            messages: data.messages_in(owner).to_vec(),
            extensions: data.extensions_in(owner).to_vec(),
            next_field: 0,
            next_extension: 0,
            oneofs: Indices::default(),
            gap: true,
        });
    }

    fn content(&mut self, mut content: Members<'a>) {
        let (origins, kinds) = self.origins(&content);
        for nested in core::mem::take(&mut content.messages) {
            match origins.get(&nested).and_then(|&at| kinds.get(at as usize)) {
                Some(&Origin::Field(position)) => self.fields_up_to(&mut content, position + 1),
                Some(&Origin::Extension(position)) => self.extensions_up_to(&mut content, position + 1),
                None if self.data.messages.get(nested as usize).is_some_and(|m| m.map_entry) => {}
                None => {
                    self.message(nested);
                    content.gap = true;
                }
            }
        }
        let fields = content.message.map_or(0, |(_, m)| m.declared as usize);
        self.fields_up_to(&mut content, fields);
        let extensions = content.extensions.len();
        self.extensions_up_to(&mut content, extensions);
    }

    /// The origins of nested messages, and the index into that list by message.
    fn origins(&self, content: &Members<'_>) -> (BTreeMap<u32, u32>, Vec<Origin>) {
        let (mut origins, mut kinds) = (BTreeMap::new(), Vec::new());
        let declared = content.message.map_or(&[][..], |(_, m)| &m.fields).iter();
        for (i, field) in declared.enumerate().filter(|(_, f)| f.extension == NONE) {
            if let Kind::Message(index) = field.kind
                && (field.flags.has(FieldFlags::MAP) || self.is_group(content.scope, field))
            {
                origins.insert(index, kinds.len() as u32);
                kinds.push(Origin::Field(i));
            }
        }
        for (i, &extension) in content.extensions.iter().enumerate() {
            if let Some((_, field)) = self.extension(extension)
                && let Kind::Message(index) = field.kind
                && self.is_group(content.scope, field)
            {
                origins.insert(index, kinds.len() as u32);
                kinds.push(Origin::Extension(i));
            }
        }
        (origins, kinds)
    }

    /// Whether a field is printed as a group together with its type: in proto2, if the type is declared in the same
    /// scope and has the name of the field.
    fn is_group(&self, scope: Scope, field: &FieldData) -> bool {
        let Kind::Message(index) = field.kind else { return false };
        let data = self.data;
        let beside = data.messages.get(index as usize).is_some_and(|m| {
            let name = data.text(m.name.local());
            let found = data.symbols.member(&data.names, scope, name);
            found == Some(Symbol::Message(index)) && name.eq_ignore_ascii_case(data.text(field.name.local()))
        });
        self.edition.is_legacy() && field.flags.has(FieldFlags::DELIMITED) && beside
    }

    /// The extendee and the field of an extension.
    fn extension(&self, index: u32) -> Option<(u32, &'a FieldData)> {
        let extension = self.data.extensions.get(index as usize)?;
        let message = self.data.messages.get(extension.message as usize)?;
        Some((extension.message, message.field(extension.field)?))
    }

    fn keeps_extension(&self, index: u32) -> bool {
        let extension = self.data.extensions.get(index as usize);
        extension.is_some_and(|e| (self.keep)(e.message, e.field))
    }

    fn fields_up_to(&mut self, content: &mut Members<'a>, end: usize) {
        let Some((index, message)) = content.message else { return };
        let mut kept = (content.next_field..end).filter(|&at| (self.keep)(index, at as u32));
        if core::mem::take(&mut content.gap) && kept.next().is_some() {
            self.gap();
        }
        while content.next_field < end {
            let Some(field) = message.fields.get(content.next_field) else { return };
            let kept = (self.keep)(index, content.next_field as u32);
            content.next_field += 1;
            if !kept {
                continue;
            }
            match self.data.oneofs(message).get(field.oneof as usize) {
                Some(oneof) if !oneof.synthetic => {
                    if content.oneofs.insert(field.oneof) {
                        self.oneof(index, message, field.oneof);
                    }
                }
                _ => self.field(content.scope, field, false, [2, content.next_field as i32 - 1]),
            }
        }
    }

    fn oneof(&mut self, message_index: u32, message: &'a MessageData, index: u32) {
        let Some(oneof) = self.data.oneofs(message).get(index as usize) else { return };
        let step = [8, index as i32];
        self.before(&step, false);
        self.open(format_args!("oneof {}", self.data.text(oneof.name.local())));
        self.after(&step, false);
        let mut options = self.options_of("google.protobuf.OneofOptions", oneof.options, message.scope);
        self.lift_limit(&mut options, oneof.fields.of(&self.data.members).len(), MAX_MEMBERS);
        self.within(step, |this| this.option_lines(2, options));
        let members = oneof.fields.of(&self.data.members).iter().copied();
        for index in members.filter(|&field| (self.keep)(message_index, field)) {
            if let Some(field) = message.field(index) {
                self.field(message.scope, field, true, [2, index as i32]);
            }
        }
        self.close();
    }

    fn extensions_up_to(&mut self, content: &mut Members<'a>, end: usize) {
        let mut open = None;
        while content.next_extension < end {
            let Some(&index) = content.extensions.get(content.next_extension) else { break };
            content.next_extension += 1;
            let Some((extendee, field)) = self.extension(index).filter(|_| self.keeps_extension(index))
            else {
                continue;
            };
            let step = self.extension_step(content, index);
            if open != Some(extendee) || self.begins_list(&step) {
                if open.is_some() {
                    self.close();
                }
                open = Some(extendee);
                let name = self.type_name(content.scope, Symbol::Message(extendee));
                self.gap();
                self.before(&step, true);
                self.open(format_args!("extend {name}"));
                self.after(&step, true);
            }
            self.field(content.scope, field, false, step);
        }
        if open.is_some() {
            self.close();
        }
    }

    /// The last two numbers of the path of an extension.
    fn extension_step(&self, content: &Members<'_>, index: u32) -> [i32; 2] {
        let (number, owner) = match content.message {
            Some((message, _)) => (6, Container::Message(message)),
            None => (7, Container::File(self.file)),
        };
        let position = self.data.extensions_in(owner).binary_search(&index).unwrap_or(usize::MAX);
        [number, position as i32]
    }

    fn field(&mut self, scope: Scope, field: &'a FieldData, in_oneof: bool, step: [i32; 2]) {
        let name = self.data.text(field.name.local());
        let label = if in_oneof { "" } else { self.label(field) };
        let options = bracketed(self.field_options(scope, field));
        if let Kind::Message(index) = field.kind
            && self.is_group(scope, field)
            && let Some(message) = self.data.messages.get(index as usize)
        {
            let name = self.data.text(message.name.local());
            // The comments of a group are those of its message.
            self.within(self.step_of(index, message), |this| {
                this.before(&[], false);
                this.open(format_args!("{label}group {name} = {}{options}", field.number));
                this.after(&[], false);
                this.body(index, message);
                this.close();
            });
            return;
        }
        let kind = self.kind(scope, field);
        let label = if field.flags.has(FieldFlags::MAP) { "" } else { label };
        self.before(&step, false);
        self.line(format_args!("{label}{kind} {name} = {}{options};", field.number));
        self.after(&step, false);
    }

    fn label(&self, field: &FieldData) -> &'static str {
        match (field.cardinality, self.edition) {
            (Cardinality::Repeated, _) => "repeated ",
            (Cardinality::Required, Edition::Proto2) => "required ",
            (_, Edition::Proto2) => "optional ",
            (_, Edition::Proto3) if field.flags.has(FieldFlags::PROTO3_OPTIONAL) => "optional ",
            _ => "",
        }
    }

    fn kind(&self, scope: Scope, field: &FieldData) -> String {
        match field.kind {
            Kind::Message(entry) if field.flags.has(FieldFlags::MAP) => {
                match self.data.messages.get(entry as usize).map(|m| m.fields.as_slice()) {
                    Some([key, value]) => {
                        format!("map<{}, {}>", self.kind(scope, key), self.kind(scope, value))
                    }
                    _ => String::new(),
                }
            }
            Kind::Message(index) => self.type_name(scope, Symbol::Message(index)),
            Kind::Enum(index) => self.type_name(scope, Symbol::Enum(index)),
            scalar => scalar_name(scalar, self.edition).into(),
        }
    }

    fn field_options(&self, scope: Scope, field: &FieldData) -> Vec<PrintedOption> {
        let mut options = Vec::new();
        if let Some(default) = self.data.default_of(field) {
            options.push(PrintedOption::added("default", self.default(field, default)));
        }
        let (name, json) = (self.data.text(field.name.local()), self.data.text(field.json_name));
        if field.extension == NONE && json != json_name(name) {
            options.push(PrintedOption::added("json_name", format!("\"{}\"", escape_str(json))));
        }
        options.append(&mut self.options_of("google.protobuf.FieldOptions", field.options, scope));
        options
    }

    fn default(&self, field: &FieldData, default: &DefaultData) -> String {
        match *default {
            DefaultData::Bool(value) => format!("{value}"),
            DefaultData::Int(value) => format!("{value}"),
            DefaultData::Uint(value) => format!("{value}"),
            DefaultData::Float(value) if matches!(field.kind, Kind::Float) => {
                super::text::float(value as f32)
            }
            DefaultData::Float(value) => super::text::double(value),
            DefaultData::String(value) => format!("\"{}\"", escape_str(self.data.text(value))),
            DefaultData::Bytes(value) => format!("\"{}\"", escape_bytes(self.data.bytes(value))),
            DefaultData::Enum(value) => {
                let Kind::Enum(index) = field.kind else { return String::new() };
                self.data
                    .values(index)
                    .get(value as usize)
                    .map_or("", |v| self.data.text(v.name.local()))
                    .into()
            }
        }
    }

    pub(super) fn service(&mut self, index: u32) {
        let data = self.data;
        let Some(service) = data.services.get(index as usize) else { return };
        self.gap();
        self.before(&[], false);
        self.open(format_args!("service {}", data.text(service.name.local())));
        self.after(&[], false);
        let options = self.options_of("google.protobuf.ServiceOptions", service.options, service.scope);
        self.option_lines(3, options);
        for (position, method) in (0..).zip(service.methods.of(&data.methods)) {
            let part = |streaming, message| {
                let stream = if streaming { "stream " } else { "" };
                format!("({stream}{})", self.type_name(service.scope, Symbol::Message(message)))
            };
            let input = part(method.client_streaming, method.input);
            let output = part(method.server_streaming, method.output);
            let head = format!("rpc {}{input} returns {output}", data.text(method.name.local()));
            let options = self.options_of("google.protobuf.MethodOptions", method.options, service.scope);
            let step = [2, position];
            self.before(&step, false);
            if options.is_empty() {
                self.line(format_args!("{head};"));
                self.after(&step, false);
            } else {
                self.open(format_args!("{head}"));
                self.after(&step, false);
                self.within(step, |this| this.option_lines(4, options));
                self.close();
            }
        }
        self.close();
    }
}

/// The keyword of a scalar, `string` or `bytes`. Edition UNSTABLE renames integers: `int32` there means fixed width.
fn scalar_name(kind: Kind<u32, u32>, edition: Edition) -> &'static str {
    if edition != Edition::Unstable {
        return kind.name();
    }
    match kind {
        Kind::Sfixed32 => "int32",
        Kind::Sfixed64 => "int64",
        Kind::Fixed32 => "uint32",
        Kind::Fixed64 => "uint64",
        Kind::Int32 => "varint32",
        Kind::Int64 => "varint64",
        Kind::Uint32 => "uvarint32",
        Kind::Uint64 => "uvarint64",
        Kind::Sint32 => "zigzag32",
        Kind::Sint64 => "zigzag64",
        other => other.name(),
    }
}

/// ` [a = 1, b = 2]`, or nothing.
pub(super) fn bracketed(options: Vec<PrintedOption>) -> String {
    if options.is_empty() {
        return String::new();
    }
    let options: Vec<String> =
        options.into_iter().map(|option| format!("{} = {}", option.name, option.value)).collect();
    format!(" [{}]", super::comma_separated(&options))
}

/// `SymbolVisibility` as a keyword.
pub(super) fn visibility(value: u8) -> &'static str {
    match value {
        1 => "local ",
        2 => "export ",
        _ => "",
    }
}

// Enums, and the number ranges of messages and enums.

/// The most values of an enum in edition 2026.
const MAX_VALUES: usize = 1700;

/// The number after the largest field number.
const END: u32 = Tag::MAX_NUMBER + 1;

impl ProtoPrinter<'_> {
    pub(super) fn enumeration(&mut self, index: u32) {
        let data = self.data;
        let Some(enumeration) = data.enums.get(index as usize) else { return };
        let visibility = visibility(enumeration.visibility);
        self.before(&[], false);
        self.open(format_args!("{visibility}enum {}", data.text(enumeration.name.local())));
        self.after(&[], false);
        let mut options =
            self.options_of("google.protobuf.EnumOptions", enumeration.options, enumeration.scope);
        let values = enumeration.values.of(&data.values);
        self.lift_limit(&mut options, values.len(), MAX_VALUES);
        self.option_lines(3, options);
        for (position, value) in (0..).zip(values) {
            let mut options =
                self.options_of("google.protobuf.EnumValueOptions", value.options, enumeration.scope);
            // A file may use the option without the file that defines it: `import option`.
            if let Some(json) = data.json_value(index, position)
                && !options.iter().any(|option| option.name.ends_with("pb.enumvalue.json)"))
            {
                let json = format!("\"{}\"", escape_str(json));
                options.push(PrintedOption::added("(.pb.enumvalue.json).string", json));
            }
            let name = data.text(value.name.local());
            let step = [2, position as i32];
            self.before(&step, false);
            self.line(format_args!("{name} = {}{};", value.number, bracketed(options)));
            self.after(&step, false);
        }
        let ranges = enumeration.reserved_ranges.of(&data.enum_reserved_ranges).iter();
        let ranges = ranges.map(|&(first, last)| range(first.into(), last.into(), last == i32::MAX));
        self.reserved_parts(4, ranges.collect());
        self.reserved_names(5, enumeration.reserved_names.of(&data.reserved_names));
        self.close();
    }

    pub(super) fn reserved(&mut self, message: &MessageData) {
        let data = self.data;
        let ranges = message.reserved_ranges.of(&data.reserved_ranges).iter();
        let ranges = ranges.map(|&(start, end)| range(start.into(), i64::from(end) - 1, end == END));
        self.reserved_parts(9, ranges.collect());
        self.reserved_names(10, message.reserved_names.of(&data.reserved_names));
    }

    /// One statement, or several where there are comments between them.
    fn reserved_parts(&mut self, number: i32, parts: Vec<String>) {
        let mut start = 0;
        while start < parts.len() {
            let step = [number, start as i32];
            let end = (start + 1..parts.len()).find(|&at| self.begins_list(&[number, at as i32]));
            let end = end.unwrap_or(parts.len());
            self.before(&step, true);
            let own = parts.get(start..end).unwrap_or_default();
            self.line(format_args!("reserved {};", super::comma_separated(own)));
            self.after(&step, true);
            start = end;
        }
    }

    /// Strings in proto2 and proto3, identifiers in editions.
    fn reserved_names(&mut self, number: i32, names: &[TextRange]) {
        let legacy = self.edition.is_legacy();
        let name = |&name: &TextRange| {
            let name = self.data.text(name);
            if legacy { format!("\"{}\"", escape_str(name)) } else { name.into() }
        };
        let names = names.iter().map(name).collect();
        self.reserved_parts(number, names);
    }

    pub(super) fn extension_ranges(&mut self, message: &MessageData) {
        let limit = if message.message_set { i32::MAX as u32 } else { END };
        for (position, extensions) in (0..).zip(message.extension_ranges.of(&self.data.extension_ranges)) {
            let type_name = "google.protobuf.ExtensionRangeOptions";
            let options = bracketed(self.options_of(type_name, extensions.options, message.scope));
            let max = extensions.end == limit;
            let range = range(extensions.start.into(), i64::from(extensions.end) - 1, max);
            let step = [5, position];
            self.before(&step, true);
            self.line(format_args!("extensions {range}{options};"));
            self.after(&step, true);
        }
    }
}

fn range(first: i64, last: i64, max: bool) -> String {
    if max {
        format!("{first} to max")
    } else if first == last {
        format!("{first}")
    } else {
        format!("{first} to {last}")
    }
}
