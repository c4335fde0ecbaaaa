//! Differences of schemas: between a listing and a descriptor, two messages, enums, files or pools.
//!
//! `queue.rs` has the pairs of types to compare, `compare.rs` goes through them, `fields.rs` and `enums.rs` compare what is in them, `services.rs` compares
//! services, `options.rs` options, `reserved.rs` has the numbers and names that are kept for later, `difference.rs` has the result.
//!
//! Fields and enum values are the same if they have the same number; one whose number the other schema does not have, if it has the same name. What a change means
//! follows "Updating A Message Type" (<https://protobuf.dev/programming-guides/proto3/#updating>) and the categories `WIRE` and
//! `WIRE_JSON` of buf (<https://buf.build/docs/breaking/rules>). Here the types of message fields are compared by their content,
//! not by their names (those of methods by their names, as in buf), and what is safe for some values only is a class of its own, [`Compatibility::Conditional`].

mod compare;
mod difference;
mod enums;
mod fields;
mod options;
mod queue;
mod reserved;
mod services;

pub use difference::{Compatibility, Difference, DifferenceKind};
pub(crate) use fields::kind_text;

use crate::named::Named;
use alloc::collections::BTreeMap;
use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use enums::EnumFacts;
use queue::Comparer;
use tablepb::schema::{FileDescriptor, ServiceDescriptor};
use tablepb::table::{EnumTable, MessageTable};
use tablepb::{DescriptorPool, EnumDescriptor, MessageDescriptor};

/// The number of types of two pools, which bounds a comparison.
fn types(a: &DescriptorPool, b: &DescriptorPool) -> usize {
    let count = |pool: &DescriptorPool| pool.all_messages().len() + pool.all_enums().len();
    count(a) + count(b)
}

/// Pairs what is defined under one name in both schemas, and notes what only one of them defines.
fn pair<T>(
    (old, new): (&BTreeMap<String, T>, &BTreeMap<String, T>),
    full_name: impl Fn(&T) -> &str,
    (removed, verdict, added): (DifferenceKind, Compatibility, DifferenceKind),
    out: &mut Comparer,
    mut both: impl FnMut(&mut Comparer, &T, &T),
) {
    for (name, it) in old {
        match new.get(name) {
            Some(partner) => both(out, it, partner),
            None => out.add(full_name(it), removed, (verdict, verdict), "", ""),
        }
    }
    let verdict = (Compatibility::Compatible, Compatibility::Compatible);
    for (_, it) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        out.add(full_name(it), added, verdict, "", "");
    }
}

/// Compares what two schemas define under the same names.
fn diff_named(old: &Named, new: &Named, mut comparer: Comparer) -> Vec<Difference> {
    use Compatibility::{Breaking, Conditional};
    use DifferenceKind::{
        EnumAdded, EnumRemoved, MessageAdded, MessageRemoved, ServiceAdded, ServiceRemoved,
    };
    let out = &mut comparer;
    let messages = (&old.messages, &new.messages);
    let kinds = (MessageRemoved, Conditional, MessageAdded);
    pair(messages, MessageDescriptor::full_name, kinds, out, Comparer::messages);
    let kinds = (EnumRemoved, Conditional, EnumAdded);
    pair((&old.enums, &new.enums), EnumDescriptor::full_name, kinds, out, Comparer::enums);
    let services = (&old.services, &new.services);
    let kinds = (ServiceRemoved, Breaking, ServiceAdded);
    pair(services, ServiceDescriptor::full_name, kinds, out, |out, old, new| {
        services::compare(old, new, out);
    });
    for (name, old) in &old.files {
        if let Some(new) = new.files.get(name) {
            options::compare(name, (old, new), FileDescriptor::options_bytes, FileDescriptor::options, out);
        }
    }
    comparer.run()
}

/// The changes from an old schema to a new one.
///
/// | `old` | `new` | |
/// |---|---|---|
/// | `&DescriptorPool` | `&DescriptorPool` | type by type and service by service |
/// | `&FileDescriptor` | `&FileDescriptor` | types are the same if they have the same name after the package, so `pkg.v1` and `pkg.v2` can be compared |
/// | `&MessageDescriptor` | `&MessageDescriptor` | with all types that their fields refer to; extensions in the pools count as fields |
/// | `&EnumDescriptor` | `&EnumDescriptor` | |
/// | `&ServiceDescriptor` | `&ServiceDescriptor` | with the messages that the methods take and return |
/// | `&'static MessageTable` | `&MessageDescriptor` | with the tables that it refers to; without extensions and what is reserved, which tables do not have |
/// | `&EnumTable` | `&EnumDescriptor` | |
///
/// A table that is invalid, which the compiler finds for one listing but not among several, is one difference
/// ([`InvalidTable`](DifferenceKind::InvalidTable)).
///
/// Options are compared by value, those that are extensions too, and change neither data nor calls.
///
/// Methods of services are the same if they have the same name. What fails a call of a client that has the old service is
/// [`Breaking`](Compatibility::Breaking): a method that is gone, one that takes or returns a message type of another name, and one that streams
/// differently.
///
/// Takes n log n time and memory in the number of fields and values of all types.
///
/// # Panics
/// Aborts if the allocator fails.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, Message};
/// use tablepb_schema::{Compatibility, SourceBuilder, diff};
///
/// #[derive(Default)]
/// struct User { id: u64, name: String }
/// tablepb::message! { User as "pkg.User" { id: uint64 = 1, name: string = 2 } }
///
/// // What a .proto file says now.
/// let source = r#"syntax = "proto3"; package pkg; message User { uint64 id = 1; string full_name = 2; }"#;
/// let pool = SourceBuilder::new().source("user.proto", source).build()?;
/// let differences = diff(User::TABLE, &pool.message("pkg.User")?);
/// assert_eq!(differences.len(), 1);
/// assert_eq!(differences[0].to_string(), "pkg.User.name: the name changes from name to full_name (breaks JSON)");
/// assert_eq!(differences[0].wire(), Compatibility::Compatible);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Services:
///
/// ```
/// use tablepb_schema::{SourceBuilder, diff};
///
/// let pool = |source: &str| SourceBuilder::new().source("s.proto", source).build();
/// let old = pool("message M {} service S { rpc Get(M) returns (M); rpc List(M) returns (stream M); }")?;
/// let new = pool("message M {} service S { rpc List(M) returns (M); }")?;
/// let lines: Vec<String> = diff(&old, &new).iter().map(|it| it.to_string()).collect();
/// assert_eq!(lines, [
///     "S.Get: the method is removed (breaks calls)",
///     "S.List: the streaming changes from server streaming to unary (breaks calls)",
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Files of two packages:
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_schema::{DifferenceKind, diff};
///
/// static V1: MessageTable = MessageTable::new("pkg.v1.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// static V2: MessageTable = MessageTable::new("pkg.v2.Log", &[]);
/// let (v1, v2) = (DescriptorPool::from_tables(&[&V1])?, DescriptorPool::from_tables(&[&V2])?);
/// let differences = diff(&v1.files().next().unwrap(), &v2.files().next().unwrap());
/// let kinds: Vec<_> = differences.iter().map(|d| d.kind()).collect();
/// assert_eq!(kinds, [DifferenceKind::TypeRenamed, DifferenceKind::FieldRemoved]);
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[must_use]
pub fn diff<Old: Comparable<New>, New>(old: Old, new: &New) -> Vec<Difference> {
    old.differences(new)
}

/// Pairs of schemas that [`diff`] compares; its page lists them.
///
/// ```
/// use tablepb::table::EnumTable;
/// use tablepb::DescriptorPool;
/// use tablepb_schema::{Comparable, diff};
///
/// fn is_same<New>(old: impl Comparable<New>, new: &New) -> bool {
///     diff(old, new).is_empty()
/// }
///
/// static LABEL: EnumTable = EnumTable::new("Label", &[("LABEL_OPTIONAL", 1), ("LABEL_LIST", 3)]);
/// let pool = DescriptorPool::descriptor_proto();
/// let label = pool.enumeration("google.protobuf.FieldDescriptorProto.Label").unwrap();
/// assert!(is_same(&pool, &pool) && is_same(&label, &label) && !is_same(&LABEL, &label));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared with `&{New}`",
    note = "two pools, files, messages, enums or services can, and a `&'static MessageTable` or `&EnumTable` and its descriptor"
)]
pub trait Comparable<New> {
    #[doc(hidden)]
    fn differences(self, new: &New) -> Vec<Difference>;
}

impl Comparable<MessageDescriptor> for &'static MessageTable {
    fn differences(self, new: &MessageDescriptor) -> Vec<Difference> {
        let pool = DescriptorPool::from_tables(&[self]);
        let fault = match pool.and_then(|pool| pool.message(self.full_name())) {
            Ok(message) => return compare_messages(&message, new, false),
            // A comparison that compared nothing must not pass.
            Err(error) => error.to_string(),
        };
        vec![Difference {
            path: self.full_name().into(),
            kind: DifferenceKind::InvalidTable,
            wire: Compatibility::Breaking,
            json: Compatibility::Breaking,
            old: fault,
            new: String::new(),
        }]
    }
}

impl Comparable<EnumDescriptor> for &EnumTable {
    fn differences(self, new: &EnumDescriptor) -> Vec<Difference> {
        let mut comparer = Comparer::new(0, false);
        EnumFacts::of_table(self).compare(&EnumFacts::of(new), &mut comparer);
        comparer.found
    }
}

fn compare_messages(old: &MessageDescriptor, new: &MessageDescriptor, pools: bool) -> Vec<Difference> {
    let mut comparer = Comparer::new(types(old.parent_pool(), new.parent_pool()), pools);
    comparer.messages(old, new);
    comparer.run()
}

impl Comparable<MessageDescriptor> for &MessageDescriptor {
    fn differences(self, new: &MessageDescriptor) -> Vec<Difference> {
        compare_messages(self, new, true)
    }
}

impl Comparable<EnumDescriptor> for &EnumDescriptor {
    fn differences(self, new: &EnumDescriptor) -> Vec<Difference> {
        let mut comparer = Comparer::new(2, true);
        comparer.enums(self, new);
        comparer.run()
    }
}

impl Comparable<ServiceDescriptor> for &ServiceDescriptor {
    fn differences(self, new: &ServiceDescriptor) -> Vec<Difference> {
        let mut comparer = Comparer::new(types(self.parent_pool(), new.parent_pool()), true);
        services::compare(self, new, &mut comparer);
        comparer.run()
    }
}

impl Comparable<FileDescriptor> for &FileDescriptor {
    fn differences(self, new: &FileDescriptor) -> Vec<Difference> {
        let comparer = Comparer::new(types(self.parent_pool(), new.parent_pool()), true);
        diff_named(&Named::of_file(self), &Named::of_file(new), comparer)
    }
}

impl Comparable<DescriptorPool> for &DescriptorPool {
    fn differences(self, new: &DescriptorPool) -> Vec<Difference> {
        diff_named(&Named::of_pool(self), &Named::of_pool(new), Comparer::new(types(self, new), true))
    }
}

/// Asserts that two schemas are the same: for a test that fails when a `.proto` file changes, or the listing.
///
/// Takes what [`diff`] takes. Any difference counts, compatible ones too.
///
/// # Panics
///
/// If there is a difference, with all of them, one a line.
///
/// ```
/// use tablepb::Message;
/// use tablepb_schema::{SourceBuilder, assert_matches};
///
/// #[derive(Default)]
/// struct User { id: u64, name: String }
/// tablepb::message! { User as "pkg.User" { id: uint64 = 1, name: string = 2 } }
///
/// let source = r#"syntax = "proto3"; package pkg; message User { uint64 id = 1; string name = 2; }"#;
/// let pool = SourceBuilder::new().source("user.proto", source).build()?;
/// assert_matches(User::TABLE, &pool.message("pkg.User")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn assert_matches<Old: Comparable<New>, New>(old: Old, new: &New) {
    let differences = diff(old, new);
    if !differences.is_empty() {
        let lines: String = differences.iter().map(|difference| format!("\n  {difference}")).collect();
        panic!("the schemas differ:{lines}");
    }
}
