//! Rules of compatibility by the names of definitions, as those of buf: [`breaches`] of them between two schemas.
//!
//! [`diff`](crate::diff()) says what a change means for data, by the content of types; a rule asks that something stays, whatever the data. `rule.rs` has
//! the rules, `files.rs`, `types.rs`, `fields.rs` and `services.rs` check them, `places.rs` knows where definitions stand in sources, `../features.rs`
//! what their options mean.

mod fields;
mod files;
mod places;
mod rule;
mod services;
mod types;

pub use rule::{Category, Rule, UnknownRule};

use crate::named::Named;
use alloc::{collections::BTreeSet, string::String, vec::Vec};
use core::fmt;
use places::{At, Place, Places};
use tablepb::DescriptorPool;
use tablepb::schema::FileDescriptor;

/// A rule that a new schema does not keep.
///
/// Displayed as `file:line:column: RULE: message`; without line and column if the schema does not know them
/// ([`SourceBuilder::include_source_info`](crate::SourceBuilder::include_source_info)).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    file: String,
    place: Option<Place>,
    rule: Rule,
    message: String,
}

impl Breach {
    /// The rule.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The name of the file with the definition in the new schema, or with what was around it; of the old one if the file is gone.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line in the file, from 1; 0 if it is not known.
    #[must_use]
    pub fn line(&self) -> usize {
        self.place.map_or(0, |(line, _)| line)
    }

    /// The column of the line, in characters as protoc counts them, from 1; 0 if it is not known.
    #[must_use]
    pub fn column(&self) -> usize {
        self.place.map_or(0, |(_, column)| column)
    }

    /// What has changed, in a sentence without a full stop.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}: {}", self.rule, self.message)
    }
}

/// All rules that the new schema does not keep, by file and place; [`Rule::categories`] says who asks for which.
///
/// Types are the same if they have the same full name, fields and enum values if they have the same number, files if they have the same name.
/// What follows from another change is not listed again: a map entry goes with its field.
///
/// Takes n log n time and memory in the number of definitions, and for each breach a look at the definitions beside it, for its place.
///
/// # Panics
/// Aborts if the allocator fails.
///
/// ```
/// use tablepb_schema::{Category, Rule, SourceBuilder, breaches};
///
/// let pool = |source: &str| SourceBuilder::new().include_source_info(true).source("user.proto", source).build();
/// let old = pool("syntax = \"proto3\";\nmessage User {\n  string name = 1;\n  int64 id = 2;\n}")?;
/// let new = pool("syntax = \"proto3\";\nmessage User {\n  string full_name = 1;\n}")?;
///
/// let found = breaches(&old, &new);
/// let wire: Vec<_> = found.iter().filter(|it| it.rule().categories().any(|of| of == Category::Wire)).collect();
/// assert_eq!(wire.len(), 1);
/// assert_eq!(wire[0].rule(), Rule::FieldNoDeleteUnlessNumberReserved);
/// assert_eq!(
///     wire[0].to_string(),
///     "user.proto:2:1: FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED: field 2 \"id\" of User was deleted and its number is not reserved",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn breaches(old: &DescriptorPool, new: &DescriptorPool) -> Vec<Breach> {
    let (old, new) = (Named::of_pool(old), Named::of_pool(new));
    let packages = new.files.values().map(FileDescriptor::package_name).collect();
    let (places, found) = (Places::default(), Vec::new());
    let mut checker = Checker { old: &old, new: &new, packages, places, found };
    files::check(&mut checker);
    types::check(&mut checker);
    fields::check_extensions(&mut checker);
    services::check(&mut checker);
    checker.found.sort();
    checker.found
}

/// Two schemas, and what was found.
struct Checker<'n> {
    old: &'n Named,
    new: &'n Named,
    /// Those of the new one.
    packages: BTreeSet<&'n str>,
    places: Places,
    found: Vec<Breach>,
}

impl Checker<'_> {
    /// A breach at a definition of the new schema: at the first of its parts that its source has.
    fn add(&mut self, rule: Rule, at: At<'_>, parts: &[&[i32]], message: String) {
        let place = self.places.find(at, parts);
        self.found.push(Breach { file: at.file().name().into(), place, rule, message });
    }

    /// A breach without a place: of a file or a package that is gone, or of a definition that was in no message.
    fn add_gone(&mut self, rule: Rule, file: &FileDescriptor, message: String) {
        self.found.push(Breach { file: file.name().into(), place: None, rule, message });
    }

    /// A breach by a definition that is gone, at the innermost message around it that is still there, in the same file only if
    /// `here`.
    fn add_deleted(
        &mut self,
        rule: Rule,
        file: &FileDescriptor,
        full_name: &str,
        here: bool,
        message: String,
    ) {
        let mut around = full_name;
        while let Some((outer, _)) = around.rsplit_once('.') {
            if let Some(there) = self.new.messages.get(outer)
                && (!here || there.parent_file().name() == file.name())
            {
                return self.add(rule, At::Message(there), &[], message);
            }
            around = outer;
        }
        self.add_gone(rule, file, message);
    }
}
