//! Prints descriptors as .proto source.
//!
//! Together with its imports, the output compiles to the same descriptors: names, numbers, types, order and options.
//! `definitions.rs` prints messages, fields, extensions and services, `enums.rs` enums and number ranges, `options.rs`
//! options, and `text.rs` their values in text format. Printing recurses over nested messages, at most 32 deep in a
//! pool. It does not recurse over option values, whose depth only their bytes bound.

mod definitions;
mod options;
mod text;

use super::DescriptorPool;
use super::model::features::Edition;
use super::model::symbols::{Scope, Symbol};
use super::model::{DependencyData, FileData, Import, NONE, PoolData};
use alloc::{collections::BTreeMap, format, string::String, vec::Vec};
use core::fmt::{Arguments, Write as _};

/// Whether to print a field: a message, and the position in its list of fields and extensions.
pub(super) type Keep<'k> = dyn Fn(u32, u32) -> bool + 'k;

/// All fields.
pub(super) fn keep_all(_: u32, _: u32) -> bool {
    true
}

/// A file as .proto source.
pub(super) fn file(pool: &DescriptorPool, index: u32) -> String {
    ProtoPrinter::new(pool, index, None).print()
}

/// A file with a message and the definitions that it needs.
pub(super) fn message(pool: &DescriptorPool, index: u32) -> String {
    let wanted = options::Subset::of_message(pool.data(), index);
    let file = pool.data().messages.get(index as usize).map_or(NONE, |m| m.file);
    ProtoPrinter::new(pool, file, Some(wanted)).print()
}

/// A file for records of a message: its definitions, with only those fields and extensions that `keep` accepts, in
/// all messages. The name of the message ends with `suffix`.
pub(super) fn record(pool: &DescriptorPool, index: u32, keep: &Keep<'_>, suffix: &str) -> String {
    let wanted = options::Subset::of_record(pool.data(), index, keep);
    let file = pool.data().messages.get(index as usize).map_or(NONE, |m| m.file);
    let renamed = Some((index, suffix));
    ProtoPrinter { keep, renamed, comments: None, ..ProtoPrinter::new(pool, file, Some(wanted)) }.print()
}

/// A file with an enum and the message around it.
pub(super) fn enumeration(pool: &DescriptorPool, index: u32) -> String {
    let wanted = options::Subset::of_enum(pool.data(), index);
    let file = pool.data().enums.get(index as usize).map_or(NONE, |e| e.file);
    ProtoPrinter::new(pool, file, Some(wanted)).print()
}

/// Source under construction.
struct ProtoPrinter<'a> {
    data: &'a PoolData,
    /// The pool that defines the options messages and their extensions.
    options: DescriptorPool,
    file: u32,
    edition: Edition,
    /// The top-level definitions to print, `None` for all.
    wanted: Option<options::Subset>,
    keep: &'a Keep<'a>,
    /// The message whose name ends with more than it has in the pool.
    renamed: Option<(u32, &'a str)>,
    /// What the source says of the definitions, if that is known.
    comments: Option<text::Comments<'a>>,
    /// The definition that is printed, as `SourceCodeInfo` has it.
    path: Vec<i32>,
    out: String,
    indent: usize,
}

impl<'a> ProtoPrinter<'a> {
    fn new(pool: &'a DescriptorPool, file: u32, wanted: Option<options::Subset>) -> Self {
        let data = pool.data();
        let edition = data.files.get(file as usize).map_or(Edition::Proto3, |f| f.edition);
        let own = pool.find_message("google.protobuf.FileOptions").is_some();
        let options = if own { pool.clone() } else { DescriptorPool::descriptor_proto() };
        Self {
            data,
            options,
            file,
            edition,
            wanted,
            keep: &keep_all,
            renamed: None,
            comments: text::Comments::read(data, file),
            path: Vec::new(),
            out: String::new(),
            indent: 0,
        }
    }

    fn print(mut self) -> String {
        let data = self.data;
        let Some(file) = data.files.get(self.file as usize) else { return self.out };
        self.header(file);
        self.top_level(file);
        if self.wanted.is_none() {
            for (position, service) in (0..).zip(file.services.start..file.services.end) {
                self.within([6, position], |this| this.service(service));
            }
        }
        self.out
    }

    fn header(&mut self, file: &FileData) {
        let whole = self.wanted.is_none();
        if whole {
            self.before(&[12], false);
        }
        match self.edition {
            Edition::Proto2 | Edition::Proto3 => {
                self.line(format_args!("syntax = \"{}\";", self.edition.syntax()))
            }
            Edition::Edition2023 => self.line(format_args!("edition = \"2023\";")),
            Edition::Edition2024 => self.line(format_args!("edition = \"2024\";")),
            Edition::Edition2026 => self.line(format_args!("edition = \"2026\";")),
            Edition::Unstable => self.line(format_args!("edition = \"UNSTABLE\";")),
        }
        if whole {
            self.after(&[12], false);
        }
        if !self.data.text(file.package).is_empty() {
            self.gap();
            if whole {
                self.before(&[2], false);
            }
            self.line(format_args!("package {};", self.data.text(file.package)));
            if whole {
                self.after(&[2], false);
            }
        }
        let dependencies = file.dependencies.of(&self.data.dependencies);
        if !dependencies.is_empty() {
            self.gap();
        }
        let (mut plain, mut option) = (0, 0);
        for dependency in dependencies {
            let (number, count) =
                if dependency.import == Import::Option { (15, &mut option) } else { (3, &mut plain) };
            let step = [number, *count];
            *count += 1;
            if whole {
                self.before(&step, false);
            }
            self.import(dependency);
            if whole {
                self.after(&step, false);
            }
        }
        let mut options = self.options_of("google.protobuf.FileOptions", file.options, Scope::ROOT);
        if self.edition >= Edition::Edition2024 {
            // protoc does not write these two features to descriptor sets: print the values that allow everything.
            for (name, value) in
                [("enforce_naming_style", "STYLE_LEGACY"), ("default_symbol_visibility", "EXPORT_ALL")]
            {
                let name = format!("features.{name}");
                if !options.iter().any(|option| option.name == name) {
                    options.push(options::PrintedOption::added(name, value));
                }
            }
        }
        if !options.is_empty() {
            self.gap();
        }
        self.option_lines(8, options);
    }

    fn import(&mut self, dependency: &DependencyData) {
        let modifier = match dependency.import {
            Import::Plain => "",
            Import::Public => "public ",
            Import::Weak => "weak ",
            Import::Option => "option ",
        };
        let name = super::model::names::escape_str(self.data.text(dependency.name));
        self.line(format_args!("import {modifier}\"{name}\";"));
    }

    /// A line at the current indentation.
    fn line(&mut self, text: Arguments<'_>) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        // Writing to a `String` cannot fail.
        let _ = self.out.write_fmt(text);
        self.out.push('\n');
    }

    /// An empty line between definitions, but not after an opening brace.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("{\n") && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Prints what is declared at a step below the definition that is printed.
    fn within(&mut self, step: [i32; 2], print: impl FnOnce(&mut Self)) {
        self.path.extend(step);
        print(self);
        self.path.truncate(self.path.len() - 2);
    }

    fn open(&mut self, text: Arguments<'_>) {
        self.line(format_args!("{text} {{"));
        self.indent += 1;
    }

    /// Closes a block; one without content closes on its line.
    fn close(&mut self) {
        self.indent = self.indent.saturating_sub(1);
        if self.out.ends_with("\n\n") {
            self.out.pop();
        }
        if self.out.ends_with("{\n") {
            self.out.pop();
            self.out.push_str("}\n");
        } else {
            self.line(format_args!("}}"));
        }
    }

    /// The shortest name that resolves to a type in `scope`.
    fn type_name(&self, scope: Scope, symbol: Symbol) -> String {
        let name = match symbol {
            Symbol::Message(m) => self.data.messages.get(m as usize).map(|m| m.name),
            Symbol::Enum(e) => self.data.enums.get(e as usize).map(|e| e.name),
            _ => None,
        };
        let Some(full) = name.map(|name| self.data.text(name.full())) else { return String::new() };
        let starts = full.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
        for start in starts {
            let short = full.get(start..).unwrap_or(full);
            if self.data.symbols.resolve_type(&self.data.names, scope, short) == Some(symbol) {
                return self.as_printed(full, start);
            }
        }
        format!(".{}", self.as_printed(full, 0))
    }

    /// What is printed of a full name, from `start`: with the suffix in it if it is the name of the renamed message, or one in it.
    fn as_printed(&self, full: &str, start: usize) -> String {
        let renamed = self.renamed.and_then(|(index, suffix)| {
            let name = self.data.text(self.data.messages.get(index as usize)?.name.full());
            let inner = full.strip_prefix(name).filter(|inner| inner.is_empty() || inner.starts_with('.'))?;
            Some(format!("{}{suffix}{inner}", name.get(start..)?))
        });
        renamed.unwrap_or_else(|| full.get(start..).unwrap_or(full).into())
    }

    fn is_wanted_message(&self, index: u32) -> bool {
        self.wanted.as_ref().is_none_or(|w| w.messages.contains(index))
    }

    fn is_wanted_enum(&self, index: u32) -> bool {
        self.wanted.as_ref().is_none_or(|w| w.enums.contains(index))
    }

    fn is_wanted_extension(&self, index: u32) -> bool {
        self.wanted.as_ref().is_none_or(|w| w.extensions.contains(index))
    }
}

/// Texts with commas between them. `join` would be 1 200 lines for the compiler to optimize.
fn comma_separated(texts: &[String]) -> String {
    let mut all = String::new();
    for (i, text) in texts.iter().enumerate() {
        if i > 0 {
            all.push_str(", ");
        }
        all.push_str(text);
    }
    all
}

/// A set of indices. A map, because this map type is compiled for other code already; a `BTreeSet` adds 3 000 lines
/// of IR.
#[derive(Debug, Default)]
struct Indices(BTreeMap<u32, u32>);

impl Indices {
    /// Whether the index is new.
    fn insert(&mut self, index: u32) -> bool {
        self.0.insert(index, index).is_none()
    }

    fn contains(&self, index: u32) -> bool {
        self.0.contains_key(&index)
    }
}
