//! Differences of schemas: between a listing and a descriptor, two messages, enums, files or pools.
//!
//! `queue.rs` has the pairs of types to compare, `compare.rs` goes through them, `fields.rs` and `enums.rs` compare what is in them, `reserved.rs` knows which
//! numbers and names cannot come back, `difference.rs` has the result.
//!
//! Fields and enum values are the same if they have the same number; one whose number the other schema does not have, if it has the same name. What a change means
//! follows "Updating A Message Type" (<https://protobuf.dev/programming-guides/proto3/#updating>) and the categories `WIRE` and
//! `WIRE_JSON` of buf (<https://buf.build/docs/breaking/rules>). Here the types of message fields are compared by their content,
//! not by their names, and what is safe for some values only is a class of its own, [`Compatibility::Conditional`].

mod compare;
mod difference;
mod enums;
mod fields;
mod queue;
mod reserved;

pub use difference::{Compatibility, Difference, DifferenceKind};

use crate::schema::{DescriptorPool, EnumDescriptor, FileDescriptor, MessageDescriptor};
use crate::table::{EnumTable, MessageTable};
use alloc::collections::BTreeMap;
use alloc::{format, string::String, vec, vec::Vec};
use enums::EnumFacts;
use queue::Comparer;

/// The number of types of two pools, which bounds a comparison.
fn types(a: &DescriptorPool, b: &DescriptorPool) -> usize {
    let count = |pool: &DescriptorPool| pool.all_messages().len() + pool.all_enums().len();
    count(a) + count(b)
}

/// The differences of the messages that `old` and `new` list by name, and those that only one of them has.
struct Named {
    messages: BTreeMap<String, MessageDescriptor>,
    enums: BTreeMap<String, EnumDescriptor>,
}

impl Named {
    /// All types of a file, by their names after `scope`.
    fn add_file(&mut self, file: &FileDescriptor, scope: &str) {
        let name =
            |full: &str| String::from(full.strip_prefix(scope).unwrap_or(full).trim_start_matches('.'));
        self.enums.extend(file.enums().map(|e| (name(e.full_name()), e)));
        let mut todo: Vec<MessageDescriptor> = file.messages().collect();
        while let Some(message) = todo.pop() {
            self.enums.extend(message.child_enums().map(|e| (name(e.full_name()), e)));
            todo.extend(message.child_messages().filter(|m| !m.is_map_entry()));
            self.messages.insert(name(message.full_name()), message);
        }
    }

    fn of_file(file: &FileDescriptor) -> Self {
        let mut this = Self { messages: BTreeMap::new(), enums: BTreeMap::new() };
        this.add_file(file, file.package_name());
        this
    }

    fn of_pool(pool: &DescriptorPool) -> Self {
        let mut this = Self { messages: BTreeMap::new(), enums: BTreeMap::new() };
        pool.files().for_each(|file| this.add_file(&file, ""));
        this
    }

    fn diff(&self, new: &Self, mut comparer: Comparer) -> Vec<Difference> {
        use DifferenceKind::{EnumAdded, EnumRemoved, MessageAdded, MessageRemoved};
        let added = (Compatibility::Compatible, Compatibility::Compatible);
        let removed = (Compatibility::Conditional, Compatibility::Conditional);
        for (name, message) in &self.messages {
            match new.messages.get(name) {
                Some(partner) => comparer.messages(message, partner),
                None => comparer.add(message.full_name(), MessageRemoved, removed, "", ""),
            }
        }
        for (name, enumeration) in &self.enums {
            match new.enums.get(name) {
                Some(partner) => comparer.enums(enumeration, partner),
                None => comparer.add(enumeration.full_name(), EnumRemoved, removed, "", ""),
            }
        }
        for message in new.messages.iter().filter(|(name, _)| !self.messages.contains_key(*name)) {
            comparer.add(message.1.full_name(), MessageAdded, added, "", "");
        }
        for enumeration in new.enums.iter().filter(|(name, _)| !self.enums.contains_key(*name)) {
            comparer.add(enumeration.1.full_name(), EnumAdded, added, "", "");
        }
        comparer.run()
    }
}

impl MessageTable {
    /// Where this table, and those it refers to, differ from a descriptor: the table is the old schema, the descriptor the new
    /// one. Extensions are left out, which tables do not have.
    ///
    /// A table that is invalid, which the compiler finds for one listing but not among several, is one difference
    /// ([`InvalidTable`](DifferenceKind::InvalidTable)). Takes n log n time and memory in the number of fields and values of
    /// all types.
    ///
    /// ```
    /// use tablepb::{Compatibility, DescriptorPool, FieldTable, Kind, Message, MessageTable};
    ///
    /// #[derive(Default)]
    /// struct User { id: u64, name: String }
    /// tablepb::message! { User as "pkg.User" { id: uint64 = 1, name: string = 2 } }
    ///
    /// // What a .proto file says now.
    /// static NOW: MessageTable = MessageTable::new(
    ///     "pkg.User",
    ///     &[FieldTable::new("id", 1, Kind::Uint64), FieldTable::new("full_name", 2, Kind::String)],
    /// );
    /// let now = DescriptorPool::from_tables(&[&NOW])?.get_message_by_name("pkg.User").unwrap();
    /// let differences = User::TABLE.diff(&now);
    /// assert_eq!(differences.len(), 1);
    /// assert_eq!(differences[0].to_string(), "pkg.User.name: the name changes from name to full_name (breaks JSON)");
    /// assert_eq!(differences[0].wire(), Compatibility::Compatible);
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    pub fn diff(&'static self, descriptor: &MessageDescriptor) -> Vec<Difference> {
        let pool = DescriptorPool::from_tables(&[self]);
        let message = pool.as_ref().map(|pool| pool.get_message_by_name(self.full_name()));
        match message {
            Ok(Some(message)) => compare_messages(&message, descriptor, false),
            Ok(None) => Vec::new(),
            Err(error) => vec![Difference {
                path: self.full_name().into(),
                kind: DifferenceKind::InvalidTable,
                wire: Compatibility::Breaking,
                json: Compatibility::Breaking,
                old: format!("{error}"),
                new: String::new(),
            }],
        }
    }
}

impl EnumTable {
    /// Where this table differs from a descriptor, see [`MessageTable::diff`].
    ///
    /// ```
    /// use tablepb::{DescriptorPool, EnumTable};
    ///
    /// static LABEL: EnumTable = EnumTable::new("Label", &[("LABEL_OPTIONAL", 1), ("LABEL_LIST", 3)]);
    /// let pool = DescriptorPool::descriptor_proto();
    /// let label = pool.get_enum_by_name("google.protobuf.FieldDescriptorProto.Label").unwrap();
    /// let differences = LABEL.diff(&label);
    /// assert!(differences.iter().any(|d| d.to_string()
    ///     == "Label.LABEL_LIST: the name changes from LABEL_LIST to LABEL_REPEATED (breaks JSON)"));
    /// ```
    pub fn diff(&self, descriptor: &EnumDescriptor) -> Vec<Difference> {
        let mut comparer = Comparer::new(0, false);
        EnumFacts::of_table(self).compare(&EnumFacts::of(descriptor), &mut comparer);
        comparer.found
    }
}

fn compare_messages(old: &MessageDescriptor, new: &MessageDescriptor, extensions: bool) -> Vec<Difference> {
    let mut comparer = Comparer::new(types(old.parent_pool(), new.parent_pool()), extensions);
    comparer.messages(old, new);
    comparer.run()
}

impl MessageDescriptor {
    /// The changes from this message to another, with those of all types that their fields refer to; see
    /// [`MessageTable::diff`]. Extensions in the pools count as fields.
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    ///
    /// let pool = DescriptorPool::descriptor_proto();
    /// let field = pool.get_message_by_name("google.protobuf.FieldDescriptorProto").unwrap();
    /// assert!(field.diff(&field).is_empty());
    /// ```
    pub fn diff(&self, new: &MessageDescriptor) -> Vec<Difference> {
        compare_messages(self, new, true)
    }
}

impl EnumDescriptor {
    /// The changes from this enum to another; see [`MessageTable::diff`].
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    ///
    /// let pool = DescriptorPool::descriptor_proto();
    /// let edition = pool.get_enum_by_name("google.protobuf.Edition").unwrap();
    /// assert!(edition.diff(&edition).is_empty());
    /// ```
    pub fn diff(&self, new: &EnumDescriptor) -> Vec<Difference> {
        let mut comparer = Comparer::new(2, true);
        comparer.enums(self, new);
        comparer.run()
    }
}

impl FileDescriptor {
    /// The changes from this file to another; see [`MessageTable::diff`]. Types are the same if they have the same name after
    /// the package, so `pkg.v1` and `pkg.v2` can be compared.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, DifferenceKind, FieldTable, Kind, MessageTable};
    ///
    /// static V1: MessageTable = MessageTable::new("pkg.v1.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// static V2: MessageTable = MessageTable::new("pkg.v2.Log", &[]);
    /// let (v1, v2) = (DescriptorPool::from_tables(&[&V1])?, DescriptorPool::from_tables(&[&V2])?);
    /// let differences = v1.files().next().unwrap().diff(&v2.files().next().unwrap());
    /// let kinds: Vec<_> = differences.iter().map(|d| d.kind()).collect();
    /// assert_eq!(kinds, [DifferenceKind::TypeRenamed, DifferenceKind::FieldRemoved]);
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    pub fn diff(&self, new: &FileDescriptor) -> Vec<Difference> {
        let comparer = Comparer::new(types(self.parent_pool(), new.parent_pool()), true);
        Named::of_file(self).diff(&Named::of_file(new), comparer)
    }
}

impl DescriptorPool {
    /// The changes from this pool to another, type by type; see [`MessageTable::diff`].
    ///
    /// ```
    /// use tablepb::{DescriptorPool, DifferenceKind};
    ///
    /// let (empty, pool) = (DescriptorPool::new(), DescriptorPool::descriptor_proto());
    /// assert!(pool.diff(&pool).is_empty());
    /// assert!(empty.diff(&pool).iter().all(|d| !d.is_breaking()));
    /// ```
    pub fn diff(&self, new: &DescriptorPool) -> Vec<Difference> {
        Named::of_pool(self).diff(&Named::of_pool(new), Comparer::new(types(self, new), true))
    }
}

/// Asserts that a listing says what a descriptor says: for a test that fails when a `.proto` file changes, or the listing.
///
/// The arguments are anything with a method `diff`: a table and a descriptor, or two descriptors. Any difference counts, compatible ones too.
///
/// # Panics
///
/// If there is a difference, with all of them, one a line.
///
/// ```
/// use tablepb::{DescriptorPool, FieldTable, Kind, Message, MessageTable};
///
/// #[derive(Default)]
/// struct User { id: u64, name: String }
/// tablepb::message! { User as "pkg.User" { id: uint64 = 1, name: string = 2 } }
///
/// // In a test, the pool comes from a descriptor set or from .proto sources.
/// static NOW: MessageTable = MessageTable::new(
///     "pkg.User",
///     &[FieldTable::new("id", 1, Kind::Uint64), FieldTable::new("name", 2, Kind::String)],
/// );
/// let user = DescriptorPool::from_tables(&[&NOW])?.get_message_by_name("pkg.User").unwrap();
/// tablepb::assert_matches!(User::TABLE, user);
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[macro_export]
macro_rules! assert_matches {
    ($old:expr, $new:expr $(,)?) => {
        $crate::listing::assert_no_difference(&$old.diff(&$new))
    };
}

/// Panics with these differences, if there are any.
#[track_caller]
pub fn assert_no_difference(differences: &[Difference]) {
    if !differences.is_empty() {
        let lines: String = differences.iter().map(|difference| format!("\n  {difference}")).collect();
        panic!("the schemas differ:{lines}");
    }
}
