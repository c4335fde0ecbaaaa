//! The tree of names: which definition a name means in which scope.
//!
//! Packages, messages and services are scopes. The table is one sorted list of (scope, name) pairs, so it takes
//! memory in the number of definitions, a lookup compares only the components of the name that is looked for, and
//! chosen names cannot make it slow. A [`SymbolTable`] exists only without duplicates.

use super::names::{Names, Text};
use alloc::{boxed::Box, collections::BTreeMap, vec, vec::Vec};

/// A scope: package, message or service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Scope(u32);

impl Scope {
    /// The scope outside of all packages.
    pub(super) const ROOT: Self = Self(0);
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
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
    /// Whether names can be looked up inside of it; the rule protoc resolves relative names by.
    fn is_aggregate(self) -> bool {
        matches!(self, Self::Package | Self::Message(_) | Self::Enum(_) | Self::Service(_))
    }

    fn is_type(self) -> bool {
        matches!(self, Self::Message(_) | Self::Enum(_))
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    scope: Scope,
    name: Text,
    symbol: Symbol,
    /// The scope that this definition opens, or `ROOT`.
    inner: Scope,
}

/// Two definitions of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duplicate {
    pub(super) first: Symbol,
    pub(super) second: Symbol,
}

/// Collects definitions in any order.
#[derive(Debug)]
pub(super) struct SymbolBuilder {
    entries: Vec<Entry>,
    /// The enclosing scope of each scope.
    outer: Vec<Scope>,
    packages: BTreeMap<(Scope, Box<str>), Scope>,
}

impl SymbolBuilder {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), outer: vec![Scope::ROOT], packages: BTreeMap::new() }
    }

    /// Adds a definition that holds no others.
    pub(super) fn add(&mut self, scope: Scope, name: Text, symbol: Symbol) {
        self.entries.push(Entry { scope, name, symbol, inner: Scope::ROOT });
    }

    /// Adds a message or a service, and gives its scope.
    pub(super) fn add_scope(&mut self, scope: Scope, name: Text, symbol: Symbol) -> Scope {
        let inner = Scope(self.outer.len() as u32);
        self.outer.push(scope);
        self.entries.push(Entry { scope, name, symbol, inner });
        inner
    }

    /// The scope of one component of a package name, added if it is new.
    pub(super) fn package(&mut self, scope: Scope, component: &str, name: Text) -> Scope {
        if let Some(&inner) = self.packages.get(&(scope, Box::from(component))) {
            return inner;
        }
        let inner = self.add_scope(scope, name, Symbol::Package);
        self.packages.insert((scope, component.into()), inner);
        inner
    }

    /// Sorts the definitions.
    ///
    /// # Errors
    /// The first two definitions that have the same name.
    pub(super) fn build(mut self, names: &Names) -> Result<SymbolTable, Duplicate> {
        self.entries
            .sort_by(|a, b| a.scope.cmp(&b.scope).then_with(|| names.get(a.name).cmp(names.get(b.name))));
        for pair in self.entries.windows(2) {
            if let [a, b] = pair
                && a.scope == b.scope
                && names.get(a.name) == names.get(b.name)
            {
                return Err(Duplicate { first: a.symbol, second: b.symbol });
            }
        }
        Ok(SymbolTable { entries: self.entries, outer: self.outer })
    }
}

/// All definitions of a pool, by scope and name.
#[derive(Debug, Default)]
pub(super) struct SymbolTable {
    entries: Vec<Entry>,
    outer: Vec<Scope>,
}

impl SymbolTable {
    fn entry(&self, names: &Names, scope: Scope, name: &str) -> Option<&Entry> {
        let at = self
            .entries
            .binary_search_by(|e| e.scope.cmp(&scope).then_with(|| names.get(e.name).cmp(name)))
            .ok()?;
        self.entries.get(at)
    }

    /// The definition of this name directly in this scope.
    pub(super) fn member(&self, names: &Names, scope: Scope, name: &str) -> Option<Symbol> {
        self.entry(names, scope, name).map(|e| e.symbol)
    }

    /// The definition of a dotted name, from the outside.
    pub(super) fn absolute(&self, names: &Names, name: &str) -> Option<Symbol> {
        self.walk(names, Scope::ROOT, name).map(|e| e.symbol)
    }

    /// The scope of a package; the root for `""`.
    pub(super) fn scope(&self, names: &Names, package: &str) -> Option<Scope> {
        if package.is_empty() {
            return Some(Scope::ROOT);
        }
        self.walk(names, Scope::ROOT, package).map(|e| e.inner)
    }

    /// Whether `name`, looked up inside of `scope`, is found before the outermost scope is reached.
    pub(super) fn is_hidden(&self, names: &Names, mut scope: Scope, name: &str) -> bool {
        while scope != Scope::ROOT {
            if self.entry(names, scope, name).is_some() {
                return true;
            }
            scope = self.outer.get(scope.0 as usize).copied().unwrap_or(Scope::ROOT);
        }
        false
    }

    fn walk(&self, names: &Names, mut scope: Scope, name: &str) -> Option<&Entry> {
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

    /// The message or enum that `name` means inside of `scope`: absolute with a leading dot, otherwise the
    /// innermost scope that knows its first component decides, as in C++,
    /// <https://protobuf.dev/programming-guides/proto3/#name-resolution>.
    pub(super) fn resolve_type(&self, names: &Names, scope: Scope, name: &str) -> Option<Symbol> {
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
        let mut builder = SymbolBuilder::new();
        let mut text = |s: &str| names.push(s).unwrap();
        let (a, b, m, n, v, x) = (text("a"), text("b"), text("M"), text("N"), text("V"), text("X"));
        let pa = builder.package(Scope::ROOT, "a", a);
        let pab = builder.package(pa, "b", b);
        assert_eq!(builder.package(Scope::ROOT, "a", a), pa);
        let sm = builder.add_scope(pab, m, Symbol::Message(0));
        builder.add_scope(sm, n, Symbol::Message(1));
        builder.add(sm, v, Symbol::EnumValue { enumeration: 0, value: 0 });
        builder.add_scope(pa, x, Symbol::Message(2));
        let sa = builder.add_scope(pab, a, Symbol::Message(3));
        builder.add_scope(sa, b, Symbol::Message(4));
        (builder.build(names).unwrap(), pab, sm)
    }

    #[test]
    fn absolute_names() {
        let mut names = Names::with_budget(1000);
        let (table, ..) = table(&mut names);
        assert_eq!(table.absolute(&names, "a.b.M.N"), Some(Symbol::Message(1)));
        assert_eq!(table.absolute(&names, "a.b"), Some(Symbol::Package));
        for none in ["", ".", "a.", "a..b", "a.b.M.N.X", "b"] {
            assert_eq!(table.absolute(&names, none), None, "{none}");
        }
    }

    #[test]
    fn relative_names_follow_the_innermost_scope() {
        let mut names = Names::with_budget(1000);
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
        let mut names = Names::with_budget(1000);
        let (x, y) = (names.push("x").unwrap(), names.push("x").unwrap());
        let mut builder = SymbolBuilder::new();
        builder.add(Scope::ROOT, x, Symbol::Message(0));
        builder.add(Scope::ROOT, y, Symbol::Enum(0));
        let duplicate = builder.build(&names).unwrap_err();
        assert_eq!((duplicate.first, duplicate.second), (Symbol::Message(0), Symbol::Enum(0)));
    }
}
