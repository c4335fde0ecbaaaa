//! Descriptors as Rust source: structs, enums and their listings for [`message!`](tablepb::message) and
//! [`enumeration!`](tablepb::enumeration); the way back from [`DescriptorPool::from_tables`].
//!
//! | file | |
//! |---|---|
//! | `options.rs` | [`RustOptions`] |
//! | `needs.rs`, `groups.rs` | which types are written, and what follows from their members: boxes, lifetimes, traits |
//! | `case.rs`, `names.rs` | identifiers; the tree of modules, and where every type stands |
//! | `members.rs`, `accessors.rs` | members with their types and listings; the methods of prost |
//! | `paths.rs`, `comments.rs` | settings for a part of the schema; comments as documentation |
//! | `print.rs`, `packages.rs` | the text; a file for each package |

mod accessors;
mod case;
mod comments;
mod groups;
mod members;
mod names;
mod needs;
mod options;
mod packages;
mod paths;
mod print;

pub use case::rust_name;
pub use options::{MapType, OpenEnumType, RustOptions, TextType};
pub use packages::RustPackages;

use alloc::string::String;
use comments::Comments;
use names::{Names, ROOT};
use needs::Needs;
use tablepb::schema::FileDescriptor;
use tablepb::{DescriptorPool, EnumDescriptor, MessageDescriptor};

/// The source of what `roots` asks for; `services` says which files show a comment for each service.
fn source(
    pool: &DescriptorPool,
    options: &RustOptions,
    roots: impl FnOnce(&mut Needs<'_>),
    services: impl Fn(&FileDescriptor) -> bool,
) -> String {
    let mut needs = Needs::new(pool, options);
    roots(&mut needs);
    let needs = needs.complete();
    let names = Names::new(pool, &needs, services, false);
    print::listing(&needs, &names, &Comments::new(pool), ROOT)
}

/// Types as Rust source: structs and enums, and their listings for [`message!`](tablepb::message) and
/// [`enumeration!`](tablepb::enumeration). The mirror of [`to_proto`](MessageDescriptor::to_proto).
///
/// `types` is a message or an enum, with all types that it needs; a file, with those of other files that it needs; or a pool, without
/// the types that [`wkt`](tablepb::wkt) has.
///
/// The source compiles as it is, formatted as rustfmt leaves it; the structs have the wire format, the JSON and the table of
/// the messages. Types stand in the order of their files and have the names of prost: types nested in `Outer` and the
/// enums of its oneofs in the module `outer`, packages in modules of their names unless all types are of one package.
/// Words that Rust keeps are `r#type`, or `self_`; equal names have numbers after them. Messages that contain themselves are in a `Box`.
///
/// What a listing cannot say is a comment in it, or goes unsaid: extensions and MessageSet items (which are unknown fields),
/// services; reserved names and numbers, and custom options. Strings that are not UTF-8,
/// which proto2 allows, are errors in Rust.
///
/// Takes time and memory in the size of the pool and of the source. Empty for the entry of a map, which has no struct.
///
/// # Panics
/// Aborts if the allocator fails.
///
/// ```
/// use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_schema::{RustOptions, to_rust};
///
/// static LEVEL: EnumTable = EnumTable::new("pkg.Log.Level", &[("LEVEL_LOW", 0), ("LEVEL_HIGH", 1)]);
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[
///         FieldTable::new("type", 1, Kind::String),
///         FieldTable::new("level", 2, Kind::Enum(|| &LEVEL)),
///         FieldTable::new("cause", 3, Kind::Message(|| &LOG)),
///     ],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// assert_eq!(
///     to_rust(&log, &RustOptions::new()),
///     r#"/// `pkg.Log`.
/// #[derive(Clone, Debug, Default, PartialEq)]
/// pub struct Log {
///     pub r#type: String,
///     pub level: tablepb::EnumValue<log::Level>,
///     pub cause: Option<Box<Log>>,
///     pub unknown_fields: tablepb::UnknownFieldSet,
/// }
///
/// tablepb::message! {
///     Log as "pkg.Log" {
///         r#type: string = 1,
///         level: enum log::Level = 2,
///         cause: message Log = 3,
///         unknown_fields: unknown_fields,
///     }
/// }
///
/// pub mod log {
///     /// `pkg.Log.Level`.
///     #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
///     pub enum Level {
///         #[default]
///         Low = 0,
///         High = 1,
///     }
///
///     tablepb::enumeration! {
///         Level as "pkg.Log.Level" {
///             Low as "LEVEL_LOW" = 0,
///             High as "LEVEL_HIGH" = 1,
///         }
///     }
/// }
/// "#
/// );
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
///
/// The types of a pool of several packages are in modules:
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_schema::{RustOptions, to_rust};
///
/// static LOG: MessageTable = MessageTable::new("a.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// static USER: MessageTable = MessageTable::new("b.User", &[FieldTable::new("name", 1, Kind::String)]);
/// let source = to_rust(&DescriptorPool::from_tables(&[&LOG, &USER])?, &RustOptions::new());
/// assert!(source.starts_with("pub mod a {\n    /// `a.Log`.\n"));
/// assert!(source.contains("\npub mod b {\n    /// `b.User`.\n"));
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[must_use]
pub fn to_rust<T: RustSource>(types: &T, options: &RustOptions) -> String {
    types.source(options)
}

/// What [`to_rust`] takes: messages, enums, files and pools.
///
/// ```
/// use tablepb::{DescriptorPool, EnumDescriptor};
/// use tablepb_schema::{RustOptions, RustSource, to_rust};
///
/// fn lines(types: &impl RustSource) -> usize {
///     to_rust(types, &RustOptions::new()).lines().count()
/// }
///
/// let pool = DescriptorPool::descriptor_proto();
/// let label = pool.enumeration("google.protobuf.FieldDescriptorProto.Label").unwrap();
/// assert!(lines(&label) < lines(&pool));
/// ```
pub trait RustSource {
    #[doc(hidden)]
    fn source(&self, options: &RustOptions) -> String;
}

impl RustSource for MessageDescriptor {
    fn source(&self, options: &RustOptions) -> String {
        source(self.parent_pool(), options, |needs| needs.message(self.clone()), |_| false)
    }
}

impl RustSource for EnumDescriptor {
    fn source(&self, options: &RustOptions) -> String {
        source(self.parent_pool(), options, |needs| needs.enumeration(self), |_| false)
    }
}

impl RustSource for FileDescriptor {
    fn source(&self, options: &RustOptions) -> String {
        source(self.parent_pool(), options, |needs| needs.file(self, false), |file| file == self)
    }
}

impl RustSource for DescriptorPool {
    fn source(&self, options: &RustOptions) -> String {
        let roots = |needs: &mut Needs<'_>| self.files().for_each(|file| needs.file(&file, true));
        source(self, options, roots, |_| true)
    }
}
