//! The symbol table: resolves a name in a scope to a definition.
//!
//! Packages, messages and services are scopes. The table is one list of (scope, name) pairs in sorted order: memory is
//! proportional to the number of definitions, a lookup is one binary search per component of the name, and no choice
//! of names makes it slower. A [`SymbolTable`] has no duplicates: of two definitions of one name, one is found elsewhere, or there is
//! an error.

use super::names::{Names, TextRange};
use crate::schema::program::{Room, RoomFull, sort_key, sort_keys, sort_list};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A scope: package, message or service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::schema::pool) struct Scope(u32);

impl Scope {
    /// The root, outside all packages.
    pub(in crate::schema::pool) const ROOT: Self = Self(0);
}

/// A definition, by kind and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema::pool) enum Symbol {
    Package,
    Message(u32),
    Enum(u32),
    EnumValue { enumeration: u32, value: u32 },
    Field { message: u32, field: u32 },
    Oneof { message: u32, oneof: u32 },
    Extension(u32),
    Service(u32),
    Method { service: u32, method: u32 },
}

impl Symbol {
    /// Whether it has members, as protoc's rule for relative names asks.
    fn is_aggregate(self) -> bool {
        matches!(self, Self::Package | Self::Message(_) | Self::Enum(_) | Self::Service(_))
    }

    fn is_type(self) -> bool {
        matches!(self, Self::Message(_) | Self::Enum(_))
    }
}

#[derive(Clone, Copy, Debug)]
struct SymbolEntry {
    scope: Scope,
    name: TextRange,
    symbol: Symbol,
    /// The scope that this definition opens, or `ROOT`.
    inner: Scope,
}

/// Two definitions of one name.
#[derive(Clone, Copy, Debug)]
pub(in crate::schema::pool) struct Duplicate {
    pub(in crate::schema::pool) first: Symbol,
    pub(in crate::schema::pool) second: Symbol,
}

/// Collects definitions in any order.
#[derive(Debug)]
pub(in crate::schema::pool) struct SymbolBuilder<'i> {
    entries: Vec<SymbolEntry>,
    /// The enclosing scope of each scope.
    outer: Vec<Scope>,
    /// All packages and their parents, sorted; the scope of the first one is 1.
    packages: Vec<(&'i str, TextRange)>,
}

impl<'i> SymbolBuilder<'i> {
    /// A builder with these packages, in any order, each with its stored text.
    pub(in crate::schema::pool) fn new(
        names: &[(&'i str, TextRange)],
        room: &mut Room,
    ) -> Result<Self, RoomFull> {
        let mut packages: Vec<(&'i str, TextRange)> = Vec::new();
        for &(name, text) in names {
            let ends = name.match_indices('.').map(|(dot, _)| dot).chain([name.len()]);
            for end in ends.filter(|&end| end > 0) {
                room.push(&mut packages, (name.get(..end).unwrap_or(name), text.part(0, end)))?;
            }
        }
        sort_packages(&mut packages);
        let mut outer = Vec::new();
        room.push(&mut outer, Scope::ROOT)?;
        let mut this = Self { entries: Vec::new(), outer, packages: Vec::new() };
        for &(name, text) in &packages {
            let dot = name.rfind('.');
            let scope = match dot.and_then(|dot| name.get(..dot)) {
                Some(around) => find_package(&packages, around),
                None => Scope::ROOT,
            };
            let start = dot.map_or(0, |dot| dot + 1);
            this.add_scope(scope, text.part(start, name.len()), Symbol::Package, room)?;
        }
        this.packages = packages;
        Ok(this)
    }

    /// Reserves memory for this many definitions and scopes.
    pub(in crate::schema::pool) fn reserve(
        &mut self,
        names: usize,
        scopes: usize,
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        room.reserve(&mut self.entries, names)?;
        room.reserve(&mut self.outer, scopes)
    }

    /// The scope of a package, the root for `""`.
    pub(in crate::schema::pool) fn package(&self, name: &str) -> Scope {
        find_package(&self.packages, name)
    }

    /// The text of the name of a package.
    pub(in crate::schema::pool) fn package_text(&self, name: &str) -> TextRange {
        let found = self.packages.binary_search_by(|package| package.0.cmp(name)).ok();
        found.and_then(|at| self.packages.get(at)).map_or(TextRange::default(), |package| package.1)
    }

    /// Adds a definition without members.
    pub(in crate::schema::pool) fn add(
        &mut self,
        scope: Scope,
        name: TextRange,
        symbol: Symbol,
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        room.push(&mut self.entries, SymbolEntry { scope, name, symbol, inner: Scope::ROOT })
    }

    /// Adds a message or a service and returns its scope.
    pub(in crate::schema::pool) fn add_scope(
        &mut self,
        scope: Scope,
        name: TextRange,
        symbol: Symbol,
        room: &mut Room,
    ) -> Result<Scope, RoomFull> {
        let inner = Scope(self.outer.len() as u32);
        room.push(&mut self.outer, scope)?;
        room.push(&mut self.entries, SymbolEntry { scope, name, symbol, inner })?;
        Ok(inner)
    }

    /// Sorts the definitions. Leaves out those that give way to another one of the same name, and those that have the name of one
    /// before them, which `duplicates` lists, at most `most`.
    pub(in crate::schema::pool) fn build(
        self,
        names: &Names,
        gives_way: &dyn Fn(Symbol) -> bool,
        duplicates: &mut Vec<Duplicate>,
        most: usize,
        room: &mut Room,
    ) -> Result<SymbolTable, RoomFull> {
        room.drop_list(self.packages);
        let unsorted = self.entries;
        let key = |(index, entry): (usize, &SymbolEntry)| {
            sort_key(entry.scope.0, names.get(entry.name).as_bytes(), index as u32)
        };
        let mut keys = room.list(unsorted.iter().enumerate().map(key))?;
        // Of the same scope. Equal names are ordered by their offset in the arena, which is the order of declaration.
        sort_keys(&mut keys, &mut |a, b| match (unsorted.get(a as usize), unsorted.get(b as usize)) {
            (Some(a), Some(b)) => names.get(a.name).cmp(names.get(b.name)).then(a.name.cmp(&b.name)),
            _ => Ordering::Equal,
        });
        let sorted = keys.iter().filter_map(|&key| unsorted.get(key as u32 as usize).copied());
        let mut entries: Vec<SymbolEntry> = Vec::new();
        room.reserve(&mut entries, unsorted.len())?;
        for entry in sorted {
            match entries.last_mut() {
                Some(last) if last.scope == entry.scope && names.get(last.name) == names.get(entry.name) => {
                    if gives_way(last.symbol) {
                        *last = entry;
                    } else if !gives_way(entry.symbol) && duplicates.len() < most {
                        let duplicate = Duplicate { first: last.symbol, second: entry.symbol };
                        room.push(duplicates, duplicate)?;
                    }
                }
                _ => entries.push(entry),
            }
        }
        room.drop_list(keys);
        room.drop_list(unsorted);
        Ok(SymbolTable { entries, outer: self.outer })
    }
}

/// Sorts packages by name and drops duplicates.
pub(in crate::schema::pool) fn sort_packages(packages: &mut Vec<(&str, TextRange)>) {
    sort_list(packages, |a, b| a.0 < b.0);
    packages.dedup_by(|a, b| a.0 == b.0);
}

fn find_package(packages: &[(&str, TextRange)], name: &str) -> Scope {
    let found = packages.binary_search_by(|package| package.0.cmp(name));
    found.map_or(Scope::ROOT, |at| Scope(at as u32 + 1))
}

/// All definitions of a pool, by scope and name.
#[derive(Debug, Default)]
pub(in crate::schema::pool) struct SymbolTable {
    entries: Vec<SymbolEntry>,
    outer: Vec<Scope>,
}

impl SymbolTable {
    fn entry(&self, names: &Names, scope: Scope, name: &str) -> Option<&SymbolEntry> {
        let at = self
            .entries
            .binary_search_by(|e| e.scope.cmp(&scope).then_with(|| names.get(e.name).cmp(name)))
            .ok()?;
        self.entries.get(at)
    }

    /// The definition of this name directly in this scope.
    pub(in crate::schema::pool) fn member(&self, names: &Names, scope: Scope, name: &str) -> Option<Symbol> {
        self.entry(names, scope, name).map(|e| e.symbol)
    }

    /// The definition with this full name.
    pub(in crate::schema::pool) fn absolute(&self, names: &Names, name: &str) -> Option<Symbol> {
        self.walk(names, Scope::ROOT, name).map(|e| e.symbol)
    }

    /// The scope of a package; the root for `""`.
    pub(in crate::schema::pool) fn scope(&self, names: &Names, package: &str) -> Option<Scope> {
        if package.is_empty() {
            return Some(Scope::ROOT);
        }
        self.walk(names, Scope::ROOT, package).map(|e| e.inner)
    }

    /// Whether a lookup of `name` from `scope` finds a definition before it reaches the root.
    pub(in crate::schema::pool) fn is_hidden(&self, names: &Names, mut scope: Scope, name: &str) -> bool {
        while scope != Scope::ROOT {
            if self.entry(names, scope, name).is_some() {
                return true;
            }
            scope = self.outer.get(scope.0 as usize).copied().unwrap_or(Scope::ROOT);
        }
        false
    }

    fn walk(&self, names: &Names, mut scope: Scope, name: &str) -> Option<&SymbolEntry> {
        let mut components = name.split('.').peekable();
        loop {
            let entry = self.entry(names, scope, components.next()?)?;
            if components.peek().is_none() {
                return Some(entry);
            }
            if entry.inner == Scope::ROOT {
                return None;
            }
            scope = entry.inner;
        }
    }

    /// The message or enum that `name` means in `scope`. A name with a leading dot is absolute. For any other name,
    /// the innermost scope that defines its first component decides, as in C++,
    /// <https://protobuf.dev/programming-guides/proto3/#name-resolution>.
    pub(in crate::schema::pool) fn resolve_type(
        &self,
        names: &Names,
        scope: Scope,
        name: &str,
    ) -> Option<Symbol> {
        if let Some(absolute) = name.strip_prefix('.') {
            return self.absolute(names, absolute).filter(|s| s.is_type());
        }
        let (first, rest) = match name.split_once('.') {
            Some((first, rest)) => (first, Some(rest)),
            None => (name, None),
        };
        let mut scope = scope;
        loop {
            if let Some(entry) = self.entry(names, scope, first) {
                match rest {
                    Some(rest) if entry.symbol.is_aggregate() => {
                        let inner = Some(entry.inner).filter(|&i| i != Scope::ROOT)?;
                        return self.walk(names, inner, rest).map(|e| e.symbol).filter(|s| s.is_type());
                    }
                    None if entry.symbol.is_type() => return Some(entry.symbol),
                    _ => {}
                }
            }
            if scope == Scope::ROOT {
                return None;
            }
            scope = self.outer.get(scope.0 as usize).copied().unwrap_or(Scope::ROOT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a.b { message M { message N; enum value V }  message a { message b } }, a { message X }
    fn table(names: &mut Names) -> (SymbolTable, Scope, Scope) {
        let room = &mut Room::new(usize::MAX);
        let mut text = |s: &str| names.push(s, room).unwrap();
        let (ab, just_a) = (text("a.b"), text("a"));
        let (a, b, m, n, v, x) = (text("a"), text("b"), text("M"), text("N"), text("V"), text("X"));
        let room = &mut Room::new(usize::MAX);
        let mut builder = SymbolBuilder::new(&[("a.b", ab), ("a", just_a), ("a.b", ab)], room).unwrap();
        let (pa, pab) = (builder.package("a"), builder.package("a.b"));
        assert_eq!((pa, pab, builder.package("")), (Scope(1), Scope(2), Scope::ROOT));
        let mut scope = |at, name, i| builder.add_scope(at, name, Symbol::Message(i), room).unwrap();
        let sm = scope(pab, m, 0);
        scope(sm, n, 1);
        scope(pa, x, 2);
        let sa = scope(pab, a, 3);
        scope(sa, b, 4);
        builder.add(sm, v, Symbol::EnumValue { enumeration: 0, value: 0 }, room).unwrap();
        (builder.build(names, &|_| false, &mut Vec::new(), 1, room).unwrap(), pab, sm)
    }

    #[test]
    fn absolute_names() {
        let mut names = Names::default();
        let (table, ..) = table(&mut names);
        assert_eq!(table.absolute(&names, "a.b.M.N"), Some(Symbol::Message(1)));
        assert_eq!(table.absolute(&names, "a.b"), Some(Symbol::Package));
        for none in ["", ".", "a.", "a..b", "a.b.M.N.X", "b"] {
            assert_eq!(table.absolute(&names, none), None, "{none}");
        }
    }

    #[test]
    fn relative_names_follow_the_innermost_scope() {
        let mut names = Names::default();
        let (table, pab, sm) = table(&mut names);
        let resolve = |scope, name| table.resolve_type(&names, scope, name);
        assert_eq!(resolve(sm, "N"), Some(Symbol::Message(1)));
        assert_eq!(resolve(sm, "M.N"), Some(Symbol::Message(1)));
        assert_eq!(resolve(sm, "X"), Some(Symbol::Message(2)));
        assert_eq!(resolve(sm, "b.M"), Some(Symbol::Message(0)));
        assert_eq!(resolve(Scope::ROOT, "N"), None);
        assert_eq!(resolve(pab, "a.b"), Some(Symbol::Message(4)));
        assert_eq!(resolve(pab, "a.X"), None, "message a.b.a hides package a");
        assert_eq!(resolve(pab, ".a.X"), Some(Symbol::Message(2)));
        assert_eq!(resolve(sm, "V"), None, "not a type");
        assert_eq!(resolve(sm, "a.b.M.V"), None);
    }

    #[test]
    fn duplicates_are_found() {
        let mut names = Names::default();
        let room = &mut Room::new(usize::MAX);
        let (x, y) = (names.push("x", room).unwrap(), names.push("x", room).unwrap());
        let mut builder = SymbolBuilder::new(&[], room).unwrap();
        builder.add(Scope::ROOT, y, Symbol::Enum(0), room).unwrap();
        builder.add(Scope::ROOT, x, Symbol::Message(0), room).unwrap();
        let mut duplicates = Vec::new();
        builder.build(&names, &|_| false, &mut duplicates, 1, room).unwrap();
        let duplicate = duplicates.remove(0);
        assert_eq!((duplicate.first, duplicate.second), (Symbol::Message(0), Symbol::Enum(0)));
    }
}
