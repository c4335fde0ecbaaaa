//! Writes the modules of a listing, formatted as rustfmt leaves them.

use super::accessors::Accessor;
use super::comments::{Comments, documentation, value_name};
use super::members::{Member, Members, Origin, Variant, is_proto2, renamed};
use super::names::{Item, Names};
use super::needs::{Needs, Traits, value_of};
use super::options::Items;
use alloc::{format, string::String, vec, vec::Vec};
use tablepb::schema::OneofDescriptor;
use tablepb::table::Kind;
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// The width that rustfmt allows.
const WIDTH: usize = 100;

/// Source under construction.
struct Printer<'a> {
    members: Members<'a>,
    comments: &'a Comments,
    visibility: &'static str,
    out: String,
    indent: usize,
}

/// How wide a chain of calls may be in one line, as rustfmt has it.
const CHAIN_WIDTH: usize = 60;

/// The source of all types in a module that are needed.
pub(super) fn listing(needs: &Needs<'_>, names: &Names, comments: &Comments, module: u32) -> String {
    let visibility = if needs.options().public { "pub" } else { "pub(crate)" };
    let members = Members { needs, names };
    let mut printer = Printer { members, comments, visibility, out: String::new(), indent: 0 };
    printer.modules(names, module);
    printer.out
}

impl Printer<'_> {
    /// All modules, each where its first type stands. The stack has the modules that are open, and their next items.
    fn modules(&mut self, names: &Names, start: u32) {
        let mut stack = vec![(start, 0)];
        while let Some(top) = stack.last_mut() {
            let (module, at) = *top;
            top.1 += 1;
            let Some(item) = names.modules.get(module as usize).and_then(|m| m.items.get(at)) else {
                stack.pop();
                if !stack.is_empty() {
                    self.close("}");
                }
                continue;
            };
            self.gap();
            match item {
                Item::Message(message) => self.message(message, module),
                Item::Enum(enumeration) => self.enumeration(enumeration, module),
                Item::Oneof(oneof) => self.oneof(oneof, module),
                Item::Comment(text) => self.line(&format!("// {text}")),
                Item::Module(inner) => {
                    let name = names.modules.get(*inner as usize).map_or("", |m| &m.name);
                    if self.members.needs.options().accessors {
                        self.line(&format!("/// Types in `{}`.", names.message_of(*inner)));
                    }
                    self.open(&format!("{} mod {name} {{", self.visibility));
                    stack.push((*inner, 0));
                }
            }
        }
    }

    fn message(&mut self, message: &MessageDescriptor, module: u32) {
        let traits = self.members.needs.traits_of(message);
        let lifetime = if traits.has(Traits::BORROWS) { "<'a>" } else { "" };
        let name = self.members.names.message_name(message);
        let title = format!("{name}{lifetime}");
        let members = self.members.of_message(message, module);
        self.document(message.full_name(), true, message.is_deprecated());
        let derives = self.members.derives(traits, true);
        self.attribute(&derives);
        self.attributes(Items::MESSAGE, message.full_name(), None);
        self.deprecated(message.is_deprecated());
        let mentions = message.fields().any(|field| mentions_deprecated(&field));
        self.allow_deprecated(mentions);
        if members.is_empty() {
            self.line(&format!("{} struct {title} {{}}", self.visibility));
        } else {
            self.open_item(&format!("{} struct {title}", self.visibility));
            for member in &members {
                match &member.of {
                    Origin::Field(field) => {
                        self.document(field.full_name(), false, false);
                        self.attributes(Items::FIELD, field.full_name(), None);
                        self.deprecated(field.is_deprecated());
                    }
                    Origin::Oneof(oneof) => {
                        self.document(oneof.full_name(), false, false);
                        self.attributes(Items::FIELD, oneof.full_name(), None);
                    }
                    Origin::UnknownFields if self.members.needs.options().accessors => {
                        self.line("/// Fields that the schema does not have.");
                    }
                    Origin::UnknownFields => {}
                }
                self.member(&format!("{} {}: ", self.visibility, member.name), &member.kind);
            }
            self.close("}");
        }
        self.gap();
        self.message_listing(message, module, &title, &members);
        let accessors = match self.members.needs.options().accessors {
            true => self.members.accessors(&members, module),
            false => Vec::new(),
        };
        if !accessors.is_empty() {
            self.gap();
            self.allow_unused(mentions || message.is_deprecated());
            self.open(&format!("impl{lifetime} {title} {{"));
            for accessor in &accessors {
                self.gap();
                self.accessor(accessor);
            }
            self.close("}");
        }
    }

    fn accessor(&mut self, accessor: &Accessor) {
        self.line(&format!("/// {}", accessor.document));
        self.deprecated(accessor.deprecated);
        let head = format!("{} {} {{", self.visibility, accessor.head);
        if self.fits(&head) {
            self.open(&head);
        } else {
            self.broken_head(&accessor.head);
        }
        self.chain(&accessor.body);
        self.close("}");
    }

    /// A chain of calls, each on its own line if it is too long. The member is a part of the chain, but not one that is an argument.
    fn chain(&mut self, parts: &[String]) {
        let line = parts.concat();
        let is_assignment = line.contains(" = ");
        let is_short = line.trim_end_matches(';').len() <= CHAIN_WIDTH || is_assignment;
        let is_one_call = parts.len() == 2 && !line.starts_with("self.");
        if self.fits(&line) && (is_short || is_one_call) {
            return self.line(&line);
        }
        let [first, rest @ ..] = parts else { return };
        let call = first.split_once('(').filter(|_| is_one_call);
        // The width of arguments counts their parentheses.
        if let Some((function, argument)) = call.filter(|call| call.1.len() + 1 >= CHAIN_WIDTH) {
            self.open(&format!("{function}("));
            self.line(&format!("{},", argument.trim_end_matches(')')));
            self.close(")");
            return rest.iter().for_each(|part| self.line(part));
        }
        self.line(first);
        self.indent += 1;
        rest.iter().for_each(|part| self.line(part.trim_start()));
        self.indent -= 1;
    }

    /// The head of a function with its parameters on lines of their own.
    fn broken_head(&mut self, head: &str) {
        let parts = head.split_once('(').and_then(|(name, rest)| Some((name, rest.rsplit_once(')')?)));
        let Some((name, (parameters, result))) = parts else { return self.open(&format!("{head} {{")) };
        self.open(&format!("{} {name}(", self.visibility));
        parameters.split(", ").for_each(|parameter| self.line(&format!("{parameter},")));
        self.indent -= 1;
        let end = format!("){result}");
        // Here rustfmt counts the indentation twice, and allows four characters more before it gives up on the space.
        let width = 4 * self.indent + end.len();
        if width + 4 * self.indent + 2 <= WIDTH {
            self.open(&format!("{end} {{"));
        } else if width <= WIDTH + 4 {
            self.line(&end);
            self.open("{");
        } else if let Some((before, item)) = end.split_once("<Item = ") {
            self.open(&format!("{before}<"));
            let item = format!("Item = {},", item.trim_end_matches("> + '_"));
            let fits = self.fits(&item);
            self.line(&item);
            self.close(if fits { "> + '_ {" } else { "> + '_{" });
            self.indent += 1;
        } else {
            self.open(&format!("{end}{{"));
        }
    }

    fn message_listing(&mut self, message: &MessageDescriptor, module: u32, title: &str, members: &[Member]) {
        let syntax = if is_proto2(message) { " syntax \"proto2\"" } else { "" };
        let notes = self.members.extension_notes(message);
        let header = self.members.of_crate(module, "tablepb::message! {");
        self.open(&header);
        if self.members.needs.options().has_serde(message.full_name()) {
            self.line("#[serde]");
        }
        let listing = format!("{title} as \"{}\"{syntax}", message.full_name());
        if members.is_empty() && notes.is_empty() {
            self.line(&format!("{listing} {{}}"));
        } else {
            self.open(&format!("{listing} {{"));
            members.iter().flat_map(|member| &member.listing).chain(&notes).for_each(|line| self.line(line));
            self.close("}");
        }
        self.close("}");
    }

    fn oneof(&mut self, oneof: &OneofDescriptor, module: u32) {
        let traits = self.members.oneof_traits(oneof);
        let lifetime = if traits.has(Traits::BORROWS) { "<'a>" } else { "" };
        let name = self.members.names.oneof_name(oneof);
        let title = format!("{} enum {name}{lifetime}", self.visibility);
        self.document(oneof.full_name(), true, false);
        let derives = self.members.derives(traits, false);
        self.attribute(&derives);
        self.attributes(Items::ONEOF, oneof.full_name(), None);
        self.allow_deprecated(oneof.fields().any(|field| mentions_deprecated(&field)));
        self.open_item(&title);
        for (variant, field) in self.members.variants(oneof) {
            let kind = self.members.value_type(&field, &field, module);
            let second = format!("{}.{}", oneof.full_name(), field.name());
            self.document(field.full_name(), false, false);
            self.attributes(Items::FIELD, field.full_name(), Some(&second));
            self.deprecated(field.is_deprecated());
            let line = format!("{variant}({kind}),");
            if self.fits(&line) {
                self.line(&line);
            } else {
                self.open(&format!("{variant}("));
                self.line(&format!("{kind},"));
                self.close("),");
            }
        }
        self.close("}");
    }

    fn enumeration(&mut self, enumeration: &EnumDescriptor, module: u32) {
        let title = self.members.names.enum_name(enumeration);
        let (aliases, variants): (Vec<_>, Vec<_>) =
            self.members.enum_variants(enumeration).into_iter().partition(|variant| variant.is_alias);
        self.document(enumeration.full_name(), true, enumeration.is_deprecated());
        self.attribute("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]");
        self.attributes(Items::ENUM, enumeration.full_name(), None);
        self.deprecated(enumeration.is_deprecated());
        let mentions = variants.iter().any(|variant| variant.deprecated);
        self.allow_deprecated(mentions);
        self.open_item(&format!("{} enum {title}", self.visibility));
        for (i, variant) in variants.iter().enumerate() {
            let path = value_name(enumeration, &variant.of_schema);
            self.document(&path, false, false);
            self.attributes(Items::FIELD, &path, None);
            self.deprecated(variant.deprecated);
            if i == 0 {
                self.line("#[default]");
            }
            let line = format!("{} = {},", variant.name, variant.number);
            if self.fits(&line) {
                self.line(&line);
            } else {
                self.line(&format!("{} =", variant.name));
                self.line(&format!("    {},", variant.number));
            }
        }
        self.close("}");
        self.gap();
        let syntax = if enumeration.is_closed() { " syntax \"proto2\"" } else { "" };
        let header = self.members.of_crate(module, "tablepb::enumeration! {");
        self.open(&header);
        self.open(&format!("{title} as \"{}\"{syntax} {{", enumeration.full_name()));
        for Variant { name, of_schema, number, .. } in &variants {
            let mut names = renamed(name, of_schema);
            for alias in aliases.iter().filter(|alias| alias.number == *number) {
                if names.is_empty() {
                    names = format!(" as \"{of_schema}\"");
                }
                names = format!("{names} | \"{}\"", alias.of_schema);
            }
            self.line(&format!("{name}{names} = {number},"));
        }
        self.close("}");
        self.close("}");
        if self.members.needs.options().accessors {
            self.gap();
            self.allow_unused(mentions || enumeration.is_deprecated());
            self.enum_names(title, &variants, &aliases, module);
        }
    }

    /// `as_str_name` and `from_str_name`.
    fn enum_names(&mut self, title: &str, variants: &[Variant], aliases: &[Variant], module: u32) {
        let option = self.members.known(module, "Option");
        let some = self.members.some(module);
        let none = some.replace("Some", "None");
        self.open(&format!("impl {title} {{"));
        self.line("/// The name of the value in the schema.");
        self.open(&format!("{} fn as_str_name(&self) -> &'static str {{", self.visibility));
        self.open("match self {");
        for variant in variants {
            self.arm(&format!("Self::{}", variant.name), &format!("\"{}\"", variant.of_schema));
        }
        self.close("}");
        self.close("}");
        self.gap();
        self.line("/// The value of this name in the schema.");
        self.open(&format!("{} fn from_str_name(name: &str) -> {option}<Self> {{", self.visibility));
        self.open("match name {");
        for variant in variants.iter().chain(aliases) {
            self.arm(&format!("\"{}\"", variant.of_schema), &format!("{some}(Self::{})", variant.name));
        }
        self.line(&format!("_ => {none},"));
        self.close("}");
        self.close("}");
        self.close("}");
    }

    fn arm(&mut self, pattern: &str, value: &str) {
        let line = format!("{pattern} => {value},");
        if self.fits(&line) {
            self.line(&line);
        } else {
            self.open(&format!("{pattern} => {{"));
            match value.split_once('(') {
                Some((function, argument)) if !self.fits(value) => {
                    self.open(&format!("{function}("));
                    self.line(&format!("{},", argument.trim_end_matches(')')));
                    self.close(")");
                }
                _ => self.line(value),
            }
            self.close("}");
        }
    }

    /// The comment of the schema. A type without one has its full name.
    fn document(&mut self, full_name: &str, is_type: bool, deprecated: bool) {
        let comment =
            self.comments.get(full_name).filter(|_| self.members.needs.options().has_comments(full_name));
        match comment {
            Some(comment) => {
                for text in documentation(comment) {
                    self.line(format!("/// {text}").trim_end());
                }
            }
            None if is_type => {
                let note = if deprecated { ", deprecated." } else { "." };
                self.line(&format!("/// `{full_name}`{note}"));
            }
            None => {}
        }
    }

    /// The attributes that the caller asked for.
    fn attributes(&mut self, items: Items, full_name: &str, second: Option<&str>) {
        for attribute in self.members.needs.options().attributes_of(items, full_name, second) {
            attribute.lines().for_each(|text| self.line(text));
        }
    }

    /// With accessors, which show how the types are to be used.
    fn deprecated(&mut self, deprecated: bool) {
        if deprecated && self.members.needs.options().accessors {
            self.line("#[deprecated]");
        }
    }

    /// Methods that a program may not call, which in a program of its own would be a warning each.
    fn allow_unused(&mut self, deprecated: bool) {
        self.line(if deprecated { "#[allow(dead_code, deprecated)]" } else { "#[allow(dead_code)]" });
    }

    /// An item that mentions what is deprecated, as its author did.
    fn allow_deprecated(&mut self, mentions: bool) {
        if mentions && self.members.needs.options().accessors {
            self.line("#[allow(deprecated)]");
        }
    }

    /// A list of traits, broken where it is too long.
    fn attribute(&mut self, text: &str) {
        // One column less than for other lines.
        if text.is_empty() || self.fits(&format!("{text} ")) {
            if !text.is_empty() {
                self.line(text);
            }
            return;
        }
        let inner = text.trim_start_matches("#[derive(").trim_end_matches(")]");
        self.open("#[derive(");
        let mut line = String::new();
        for name in inner.split(", ") {
            if !line.is_empty() && !self.fits(&format!("{line} {name},")) {
                self.line(&core::mem::take(&mut line));
            }
            let space = if line.is_empty() { "" } else { " " };
            line = format!("{line}{space}{name},");
        }
        self.line(&line);
        self.close(")]");
    }

    /// A member of a struct. A long type stands on the next line, or is broken after `<` if it is too long for that.
    fn member(&mut self, name: &str, kind: &str) {
        let line = format!("{name}{kind},");
        if self.fits(&line) {
            return self.line(&line);
        }
        let alone = format!("    {kind},");
        if self.fits(&alone) {
            self.line(name.trim_end());
            self.line(&alone);
        } else {
            self.broken(name, kind);
        }
    }

    /// A type with each of its arguments on a line. Recurses into arguments that are too long, at most three deep.
    fn broken(&mut self, before: &str, kind: &str) {
        let parts = kind.strip_suffix('>').and_then(|kind| kind.split_once('<'));
        let Some((outer, arguments)) = parts else { return self.line(&format!("{before}{kind},")) };
        self.open(&format!("{before}{outer}<"));
        let (mut depth, mut start) = (0, 0);
        for (at, byte) in arguments.bytes().chain([b',']).enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                b',' if depth == 0 => {
                    let argument = arguments.get(start..at).unwrap_or_default().trim_start();
                    let line = format!("{argument},");
                    if self.fits(&line) {
                        self.line(&line)
                    } else {
                        self.broken("", argument)
                    }
                    start = at + 1;
                }
                _ => {}
            }
        }
        self.close(">,");
    }

    fn fits(&self, line: &str) -> bool {
        4 * self.indent + line.len() <= WIDTH
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    /// The head of an item. The brace of a long one stands on the next line.
    fn open_item(&mut self, head: &str) {
        let line = format!("{head} {{");
        if self.fits(&line) {
            self.open(&line);
        } else {
            self.line(head);
            self.open("{");
        }
    }

    fn close(&mut self, text: &str) {
        self.indent = self.indent.saturating_sub(1);
        self.line(text);
    }

    /// An empty line between items, but not after an opening brace.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("{\n") && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }
}

/// Whether a field is deprecated, or has a type that is.
fn mentions_deprecated(field: &FieldDescriptor) -> bool {
    field.is_deprecated()
        || match value_of(field).kind() {
            Kind::Message(message) => message.is_deprecated(),
            Kind::Enum(enumeration) => enumeration.is_deprecated(),
            _ => false,
        }
}
