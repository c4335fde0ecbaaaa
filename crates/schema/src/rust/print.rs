//! Writes the modules of a listing, formatted as rustfmt leaves them.

use super::case::variant;
use super::members::{Member, Members, is_proto2, renamed};
use super::names::{Item, Names, ROOT, unique};
use super::needs::{Needs, Traits};
use alloc::collections::BTreeMap;
use alloc::{format, string::String, vec, vec::Vec};
use tablepb::schema::OneofDescriptor;
use tablepb::{EnumDescriptor, MessageDescriptor};

/// The width that rustfmt allows.
const WIDTH: usize = 100;

/// Source under construction.
struct Printer<'a> {
    members: Members<'a>,
    visibility: &'static str,
    out: String,
    indent: usize,
}

/// The source of all types that are needed.
pub(super) fn listing(needs: &Needs<'_>, names: &Names) -> String {
    let visibility = if needs.options().public { "pub" } else { "pub(crate)" };
    let members = Members::new(needs, names);
    let mut printer = Printer { members, visibility, out: String::new(), indent: 0 };
    printer.modules(names);
    printer.out
}

impl Printer<'_> {
    /// All modules, each where its first type stands. The stack has the modules that are open, and their next items.
    fn modules(&mut self, names: &Names) {
        let mut stack = vec![(ROOT, 0)];
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
                Item::Enum(enumeration) => self.enumeration(enumeration),
                Item::Oneof(oneof) => self.oneof(oneof, module),
                Item::Comment(text) => self.line(&format!("// {text}")),
                Item::Module(inner) => {
                    let name = names.modules.get(*inner as usize).map_or("", |m| &m.name);
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
        self.document(message.full_name(), message.is_deprecated());
        let derives = self.members.derives(traits, true);
        self.attribute(&derives);
        if members.is_empty() {
            self.line(&format!("{} struct {title} {{}}", self.visibility));
        } else {
            self.open(&format!("{} struct {title} {{", self.visibility));
            for member in &members {
                self.member(&format!("{} {}: ", self.visibility, member.name), &member.kind);
            }
            self.close("}");
        }
        self.gap();
        self.message_listing(message, &title, &members);
    }

    fn message_listing(&mut self, message: &MessageDescriptor, title: &str, members: &[Member]) {
        let syntax = if is_proto2(message) { " syntax \"proto2\"" } else { "" };
        let notes = self.members.extension_notes(message);
        let header = self.members.of_crate("tablepb::message! {");
        self.open(&header);
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
        let title = format!("{} enum {name}{lifetime} {{", self.visibility);
        self.document(oneof.full_name(), false);
        let derives = self.members.derives(traits, false);
        self.attribute(&derives);
        self.open(&title);
        for (variant, field) in self.members.variants(oneof) {
            let kind = self.members.value_type(&field, module);
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

    fn enumeration(&mut self, enumeration: &EnumDescriptor) {
        let title = self.members.names.enum_name(enumeration);
        // A number has one variant; its other names have none.
        let (mut used, mut first) = (BTreeMap::new(), BTreeMap::new());
        let mut variants: Vec<(String, String, i32)> = Vec::new();
        let mut aliases = Vec::new();
        for value in enumeration.values() {
            if first.insert(value.number() as u32, ()).is_some() {
                aliases.push(format!("// The alias {} = {} has no listing.", value.name(), value.number()));
                continue;
            }
            let name = unique(&mut used, variant(enumeration.name(), value.name()), "");
            variants.push((name, value.name().into(), value.number()));
        }
        self.document(enumeration.full_name(), enumeration.is_deprecated());
        self.line("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]");
        self.open(&format!("{} enum {title} {{", self.visibility));
        for (i, (name, _, number)) in variants.iter().enumerate() {
            if i == 0 {
                self.line("#[default]");
            }
            self.line(&format!("{name} = {number},"));
        }
        self.close("}");
        self.gap();
        let syntax = if enumeration.is_closed() { " syntax \"proto2\"" } else { "" };
        let header = self.members.of_crate("tablepb::enumeration! {");
        self.open(&header);
        self.open(&format!("{title} as \"{}\"{syntax} {{", enumeration.full_name()));
        for (name, of_schema, number) in &variants {
            self.line(&format!("{name}{} = {number},", renamed(name, of_schema)));
        }
        aliases.iter().for_each(|line| self.line(line));
        self.close("}");
        self.close("}");
    }

    fn document(&mut self, full_name: &str, deprecated: bool) {
        self.line(&format!("/// `{full_name}`{}", if deprecated { ", deprecated." } else { "." }));
    }

    /// A list of traits, broken where it is too long.
    fn attribute(&mut self, text: &str) {
        if text.is_empty() || self.fits(text) {
            if !text.is_empty() {
                self.line(text);
            }
            return;
        }
        let inner = text.trim_start_matches("#[derive(").trim_end_matches(")]");
        self.open("#[derive(");
        inner.split(", ").for_each(|name| self.line(&format!("{name},")));
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
