//! Which file each table goes to.
//!
//! A type is nested in the message whose full name is a prefix of its own; without such a message, the prefix is its
//! package. Each package becomes one file, and well-known types have the files that protobuf has for them.
//!
//! Files do not import each other in a circle. Packages whose types need each other, but not in a circle, have several files: `x.A2` in
//! `x-2.proto` needs `y.B` in `y-1.proto`, which needs `x.A1` in `x.proto`. Types that do need each other are in one file, and
//! what their names do not have in common is messages around them: `p.Tree.Child` and `p.Node` are in package `p`, where `Tree` is a
//! message without fields if no table has it. In a schema of files, that is where they came from.

use crate::schema::pool::Result;
use crate::schema::program::{groups, sort_indices};
use crate::schema::table::{EnumTable, FieldTable, Kind, MessageTable, TableKind};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, vec, vec::Vec};

/// Edges of a graph, per node.
type Edges = Vec<Vec<u32>>;

/// The definitions of one file, in the order of discovery.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) messages: Vec<(&'static str, Option<&'static MessageTable>)>,
    pub(super) enums: Vec<&'static EnumTable>,
}

/// The files for all tables. A type is an index: messages first, then enums.
pub(super) struct Files<'r> {
    reached: &'r Reached,
    /// Messages that no table has, and that types are nested in.
    outer: BTreeMap<&'static str, u32>,
    /// All types, those of one file next to each other.
    order: Vec<u32>,
    /// Per file, the end of its types in `order`.
    ends: Vec<usize>,
    /// Per type.
    file_of: Vec<u32>,
    keys: Vec<(&'static str, u32)>,
}

impl<'r> Files<'r> {
    pub(super) fn of(reached: &'r Reached) -> Self {
        let mut this = Self {
            reached,
            outer: BTreeMap::new(),
            order: Vec::new(),
            ends: Vec::new(),
            file_of: Vec::new(),
            keys: Vec::new(),
        };
        let names = loop {
            let units = this.units();
            let (numbers, names) = number(&units);
            let edges = this.edges(&numbers, names.len());
            let parts = groups(&edges);
            if !this.nest(&names, &parts) {
                break this.places(&numbers, &names, &edges, &parts);
            }
        };
        this.split(&names);
        this
    }

    fn types(&self) -> u32 {
        (self.reached.messages.len() + self.reached.enums.len()) as u32
    }

    fn full_name(&self, at: u32) -> &'static str {
        let (messages, enums) = (&self.reached.messages, &self.reached.enums);
        match messages.get(at as usize) {
            Some(table) => table.full_name(),
            None => enums.get(at as usize - messages.len()).map_or("", |table| table.full_name()),
        }
    }

    /// The types of the fields of a message; an enum has none.
    fn targets(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let fields = self.reached.messages.get(at as usize).map_or(&[][..], |table| table.fields());
        let messages = self.reached.messages.len() as u32;
        fields.iter().filter_map(move |field: &FieldTable| match field.kind() {
            Kind::Message(table) => self.reached.message_of.get(table().full_name()).copied(),
            Kind::Enum(table) => self.reached.enum_of.get(table().full_name()).map(|at| at + messages),
            _ => None,
        })
    }

    fn is_message(&self, name: &str) -> bool {
        self.reached.message_of.contains_key(name) || self.outer.contains_key(name)
    }

    /// What has to be in one file with each type: the name of a file of protobuf, or else of the outermost message around it.
    fn units(&self) -> Vec<&'static str> {
        let unit = |at| {
            let name = self.full_name(at);
            let prefixes = name.match_indices('.').filter_map(|(dot, _)| name.get(..dot));
            match prefixes.into_iter().find(|prefix| self.is_message(prefix)) {
                Some(outermost) => outermost,
                None => well_known_file(name).unwrap_or(name),
            }
        };
        (0..self.types()).map(unit).collect()
    }

    fn edges(&self, numbers: &[u32], count: usize) -> Edges {
        let mut edges = vec![Vec::new(); count];
        for (at, &from) in (0..).zip(numbers) {
            if let Some(list) = edges.get_mut(from as usize) {
                list.extend(self.targets(at).filter_map(|to| numbers.get(to as usize)));
            }
        }
        edges
    }

    /// Puts messages around the units of one part until all have the same package. Whether there were any to put.
    fn nest(&mut self, names: &[&'static str], parts: &[u32]) -> bool {
        let mut packages: Vec<Option<&'static str>> = vec![None; names.len()];
        for (name, &part) in names.iter().zip(parts) {
            if let Some(package) = packages.get_mut(part as usize) {
                *package = Some(package.map_or(package_of(name), |other| common(other, package_of(name))));
            }
        }
        let before = self.outer.len();
        for (name, &part) in names.iter().zip(parts) {
            let package = packages.get(part as usize).copied().flatten().unwrap_or("");
            let mut outer = package_of(name);
            while outer.len() > package.len() {
                self.outer.insert(outer, 0);
                outer = around(outer);
            }
        }
        self.outer.len() > before
    }

    /// The file of each type: the name of a package or a file of protobuf, and a number if the package has several.
    fn places(
        &self,
        numbers: &[u32],
        names: &[&'static str],
        edges: &Edges,
        parts: &[u32],
    ) -> Vec<(&'static str, u32)> {
        // The smallest name for each part.
        let mut keys: Vec<&'static str> = vec![""; names.len()];
        for (name, &part) in names.iter().zip(parts) {
            let name = if is_file_name(name) { name } else { package_of(name) };
            if let Some(key) = keys.get_mut(part as usize)
                && (key.is_empty() || name < *key)
            {
                *key = name;
            }
        }
        let keys: Vec<&'static str> =
            parts.iter().map(|&part| keys.get(part as usize).copied().unwrap_or("")).collect();
        let (packages, distinct) = number(&keys);
        let mut imports = vec![Vec::new(); distinct.len()];
        for (edges, &from) in edges.iter().zip(&packages) {
            if let Some(list) = imports.get_mut(from as usize) {
                list.extend(edges.iter().filter_map(|&to| packages.get(to as usize)));
            }
        }
        let levels = levels(edges, &packages, &groups(&imports));
        let place = |&unit: &u32| {
            let unit = unit as usize;
            (keys.get(unit).copied().unwrap_or(""), levels.get(unit).copied().unwrap_or(0))
        };
        numbers.iter().map(place).collect()
    }

    /// Sorts the types into files.
    fn split(&mut self, places: &[(&'static str, u32)]) {
        let place = |at: u32| (places.get(at as usize), at);
        self.order = (0..self.types()).collect();
        sort_indices(&mut self.order, &mut |a, b| place(a).cmp(&place(b)));
        self.file_of = vec![0; places.len()];
        let mut end = 0;
        for file in self.order.chunk_by(|&a, &b| place(a).0 == place(b).0) {
            for &at in file {
                if let Some(of) = self.file_of.get_mut(at as usize) {
                    *of = self.ends.len() as u32;
                }
            }
            end += file.len();
            self.ends.push(end);
            self.keys.extend(file.first().and_then(|&at| places.get(at as usize)));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn types_of(&self, file: usize) -> &[u32] {
        let start = file.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(file).and_then(|&end| self.order.get(start..end)).unwrap_or(&[])
    }

    pub(super) fn package(&self, file: usize) -> &'static str {
        match self.keys.get(file) {
            Some((key, _)) if is_file_name(key) => WELL_KNOWN_PACKAGE,
            Some((key, _)) => key,
            None => "",
        }
    }

    /// `a/b.proto` for package `a.b`, and `a/b-1.proto` for its second file. The file without a package has a `-` in its name,
    /// which no package can have, and so have packages inside that of the well-known types, whose files have such names.
    pub(super) fn name(&self, file: usize) -> String {
        let &(key, level) = self.keys.get(file).unwrap_or(&("", 0));
        let mut name = if key.is_empty() { "no-package".into() } else { key.replace('.', "/") };
        if is_file_name(key) {
            return key.into();
        }
        if package_of(key).starts_with(WELL_KNOWN_PACKAGE) {
            name.push_str("-types");
        }
        if level > 0 {
            name.push_str(&format!("-{level}"));
        }
        name + ".proto"
    }

    pub(super) fn contents(&self, file: usize) -> Contents {
        let mut contents = Contents::default();
        let mut outer: BTreeMap<&'static str, u32> = BTreeMap::new();
        let (tables, package) = (&self.reached.messages, self.package(file));
        for &at in self.types_of(file) {
            let mut name = around(self.full_name(at));
            while name.len() > package.len() && outer.insert(name, 0).is_none() {
                name = around(name);
            }
            match tables.get(at as usize) {
                Some(&table) => contents.messages.push((table.full_name(), Some(table))),
                None => contents.enums.extend(self.reached.enums.get(at as usize - tables.len())),
            }
        }
        let tables = |name: &&str| self.reached.message_of.contains_key(*name);
        contents.messages.extend(outer.into_keys().filter(|name| !tables(name)).map(|name| (name, None)));
        contents
    }

    /// The names of the files that a file imports: those of the types of its fields.
    pub(super) fn dependencies(&self, file: usize) -> Vec<Cow<'static, str>> {
        let targets = self.types_of(file).iter().flat_map(|&at| self.targets(at));
        let mut files: Vec<u32> = targets.filter_map(|to| self.file_of.get(to as usize).copied()).collect();
        files.retain(|&other| other as usize != file);
        sort_indices(&mut files, &mut |a, b| a.cmp(&b));
        files.dedup();
        files.into_iter().map(|other| self.name(other as usize).into()).collect()
    }
}

/// Per unit, how often a way along its edges changes the package at most, counting packages of a circle only.
fn levels(edges: &Edges, packages: &[u32], circles: &[u32]) -> Vec<u32> {
    let mut levels = vec![0; edges.len()];
    let package = |unit: usize| packages.get(unit).copied().unwrap_or(0);
    let circle = |unit: usize| circles.get(package(unit) as usize);
    let mut changed = true;
    while core::mem::take(&mut changed) {
        for (from, edges) in edges.iter().enumerate() {
            for to in edges.iter().map(|&to| to as usize).filter(|&to| circle(from) == circle(to)) {
                let least =
                    levels.get(to).map_or(0, |&level: &u32| level + u32::from(package(from) != package(to)));
                if let Some(level) = levels.get_mut(from).filter(|level| **level < least) {
                    (*level, changed) = (least, true);
                }
            }
        }
    }
    levels
}

/// A number for each name, equal for equal names, and the names by number.
fn number(names: &[&'static str]) -> (Vec<u32>, Vec<&'static str>) {
    let (mut numbers, mut distinct) = (BTreeMap::new(), Vec::new());
    let number = |name: &&'static str| {
        let number = *numbers.entry(*name).or_insert(distinct.len() as u32);
        if number as usize == distinct.len() {
            distinct.push(*name);
        }
        number
    };
    (names.iter().map(number).collect(), distinct)
}

/// The name around a name; none for a name without a dot.
fn around(name: &'static str) -> &'static str {
    name.rsplit_once('.').map_or("", |(outer, _)| outer)
}

/// The package of a unit.
fn package_of(unit: &'static str) -> &'static str {
    if is_file_name(unit) { WELL_KNOWN_PACKAGE } else { around(unit) }
}

/// The longest name around, or equal to, both.
fn common(mut a: &'static str, b: &str) -> &'static str {
    while a != b && !b.strip_prefix(a).is_some_and(|rest| rest.starts_with('.')) && !a.is_empty() {
        a = around(a);
    }
    a
}

/// Whether this is the name of a file, not of a package or a type.
fn is_file_name(name: &str) -> bool {
    name.contains('/')
}

const WELL_KNOWN_PACKAGE: &str = "google.protobuf";

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

// The tables that a pool is made of.

/// All tables reachable from the roots, in the order of discovery, and their indices by full name.
///
/// All maps in this room are of the same type: each other type would add 3 000 lines of IR to the build.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) messages: Vec<&'static MessageTable>,
    pub(super) enums: Vec<&'static EnumTable>,
    pub(super) message_of: BTreeMap<&'static str, u32>,
    pub(super) enum_of: BTreeMap<&'static str, u32>,
    /// Tables that say the same as one of `messages`, in another place of memory.
    copies: Vec<&'static MessageTable>,
}

impl Reached {
    pub(super) fn from(roots: &[&'static MessageTable]) -> Result<Self> {
        let mut this = Self::default();
        let mut todo: Vec<&'static MessageTable> = roots.iter().rev().copied().collect();
        while let Some(table) = todo.pop() {
            let next = this.messages.len() as u32;
            let at = *this.message_of.entry(table.full_name()).or_insert(next);
            match this.messages.get(at as usize) {
                None => this.messages.push(table),
                Some(known) if core::ptr::eq(*known, table) => continue,
                Some(_) if this.copies.iter().any(|copy| core::ptr::eq(*copy, table)) => continue,
                Some(known) if same_message(known, table) => this.copies.push(table),
                Some(_) => return Err(twice(table.full_name())),
            }
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
}

/// Compares two tables of one name, fields by their text: types are functions, whose addresses mean nothing, and a default that is
/// not a number is equal to itself.
fn same_message(a: &MessageTable, b: &MessageTable) -> bool {
    let same_field = |(a, b): (&FieldTable, &FieldTable)| {
        type_name(a.kind()) == type_name(b.kind()) && format!("{a:?}") == format!("{b:?}")
    };
    (a.syntax_version(), a.is_message_set(), a.extension_ranges())
        == (b.syntax_version(), b.is_message_set(), b.extension_ranges())
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
