//! Names: one text arena for a whole pool, and the rules of protobuf identifiers.
//!
//! Every definition keeps its full name as a range of the arena; its own name is the tail of it, so neither costs
//! more than twelve bytes beside the text. The builder charges the arena to a budget in proportion to the input,
//! because a long package name in front of many short names would otherwise multiply it.

use alloc::string::String;

/// A range of the text arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    start: u32,
    end: u32,
}

impl Text {
    /// The bytes `from..to` of this text.
    pub(super) fn part(self, from: usize, to: usize) -> Self {
        let at = |offset: usize| self.end.min(self.start.saturating_add(offset as u32));
        Self { start: at(from), end: at(to) }
    }
}

/// A full name in the text arena, and where its last component starts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Name {
    start: u32,
    local: u32,
    end: u32,
}

impl Name {
    /// The full name as a range.
    pub(super) fn full(self) -> Text {
        Text { start: self.start, end: self.end }
    }

    /// The last component as a range.
    pub(super) fn local(self) -> Text {
        Text { start: self.local, end: self.end }
    }
}

/// The arena has reached its budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamesFull;

/// The text of a pool: names, JSON names and string defaults.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    budget: usize,
}

impl Names {
    /// An arena of at most `budget` bytes (and never more than 2^32-1).
    pub(super) fn with_budget(budget: usize) -> Self {
        Self { text: String::new(), budget: budget.min(u32::MAX as usize) }
    }

    fn room_for(&self, more: usize) -> Result<(), NamesFull> {
        match self.text.len().checked_add(more) {
            Some(len) if len <= self.budget => Ok(()),
            _ => Err(NamesFull),
        }
    }

    /// Adds a text.
    pub(super) fn push(&mut self, text: &str) -> Result<Text, NamesFull> {
        self.room_for(text.len())?;
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Ok(Text { start, end: self.text.len() as u32 })
    }

    /// Adds the full name of `local` inside of `scope`; an empty scope is the root.
    pub(super) fn push_name(&mut self, scope: Text, local: &str) -> Result<Name, NamesFull> {
        let scope_len = (scope.end - scope.start) as usize;
        self.room_for(scope_len.saturating_add(local.len()).saturating_add(1))?;
        let start = self.text.len() as u32;
        if scope_len > 0 {
            self.text.extend_from_within(scope.start as usize..scope.end as usize);
            self.text.push('.');
        }
        let at = self.text.len() as u32;
        self.text.push_str(local);
        Ok(Name { start, local: at, end: self.text.len() as u32 })
    }

    /// The text of a range of this arena; `""` for a range of another one.
    pub(super) fn get(&self, text: Text) -> &str {
        self.text.get(text.start as usize..text.end as usize).unwrap_or("")
    }

    /// Gives back what the arena does not use.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
    }
}

/// Whether `name` is a protobuf identifier: a letter or `_`, then letters, digits and `_`, all ASCII.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The JSON name that protoc gives a field: `_` is dropped and the letter behind it is made a capital,
/// <https://protobuf.dev/programming-guides/json/#field-names>.
pub(super) fn json_name(name: &str) -> String {
    camel(name, false)
}

/// The name that protoc gives the entry message of a map field: `FooBarEntry` for `foo_bar`.
pub(super) fn map_entry_name(field: &str) -> String {
    camel(field, true) + "Entry"
}

fn camel(name: &str, mut capital: bool) -> String {
    let mut out = String::with_capacity(name.len() + 5);
    for c in name.chars() {
        if c == '_' {
            capital = true;
        } else {
            out.push(if capital { c.to_ascii_uppercase() } else { c });
            capital = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_tail_of_its_full_name() {
        let mut names = Names::with_budget(100);
        let package = names.push("a.b").unwrap();
        let name = names.push_name(package, "C").unwrap();
        assert_eq!((names.get(name.full()), names.get(name.local())), ("a.b.C", "C"));
        let root = names.push_name(Text::default(), "D").unwrap();
        assert_eq!((names.get(root.full()), names.get(root.local())), ("D", "D"));
    }

    #[test]
    fn the_budget_is_kept() {
        let mut names = Names::with_budget(7);
        let package = names.push("abc").unwrap();
        assert!(names.push_name(package, "d").is_err());
        assert!(names.push("defg").is_ok());
        assert!(names.push("h").is_err());
    }

    #[test]
    fn identifiers_and_derived_names() {
        assert!(is_identifier("_a9") && is_identifier("A"));
        assert!(!is_identifier("") && !is_identifier("9a") && !is_identifier("a.b") && !is_identifier("é"));
        assert_eq!(json_name("foo_bar__baz_1"), "fooBarBaz1");
        assert_eq!(json_name("FooBar"), "FooBar");
        assert_eq!(map_entry_name("foo_bar"), "FooBarEntry");
        assert_eq!(map_entry_name("fooBar"), "FooBarEntry");
    }
}
