//! Descriptors as Rust source: structs, enums and their listings for [`message!`](crate::message) and
//! [`enumeration!`](crate::enumeration); the way back from [`DescriptorPool::from_tables`].
//!
//! | file | |
//! |---|---|
//! | `options.rs` | [`RustOptions`] |
//! | `needs.rs` | which types are written, and what follows from their members: boxes, lifetimes, traits |
//! | `case.rs`, `names.rs` | identifiers; the tree of modules, and where every type stands |
//! | `members.rs`, `print.rs` | members with their types and listings; the text |

mod case;
mod members;
mod names;
mod needs;
mod options;
mod print;

pub use options::{MapType, OpenEnumType, RustOptions, TextType};

use crate::schema::pool::{DescriptorPool, EnumDescriptor, FileDescriptor, MessageDescriptor};
use alloc::string::String;
use names::Names;
use needs::Needs;

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
    let names = Names::new(pool, &needs, services);
    print::listing(&needs, &names)
}

impl MessageDescriptor {
    /// The message as Rust source, with all types that it needs: structs and their listings for
    /// [`message!`](crate::message). The mirror of [`to_proto`](Self::to_proto).
    ///
    /// The source compiles as it is, formatted as rustfmt leaves it; the structs have the wire format, the JSON and the table of
    /// the message. Types stand in the order of their files and have the names of prost: types nested in `Outer` and the
    /// enums of its oneofs in the module `outer`, packages in modules of their names unless all types are of one package.
    /// Words that Rust keeps are `r#type`, or `self_`; equal names have numbers after them. Messages that contain themselves are in a `Box`.
    ///
    /// What a listing cannot say is a comment in it, or goes unsaid: extensions and MessageSet items (which are unknown fields),
    /// services, aliases of enum values; reserved names and numbers, custom options, and comments of the schema. Strings that are not UTF-8,
    /// which proto2 allows, are errors in Rust.
    ///
    /// Takes time and memory in the size of the pool and of the source. Empty for the entry of a map, which has no struct.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, EnumTable, FieldTable, Kind, MessageTable};
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
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// assert_eq!(
    ///     log.to_rust(),
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
    pub fn to_rust(&self) -> String {
        self.to_rust_with_options(&RustOptions::new())
    }

    /// As [`to_rust`](Self::to_rust), with other types and attributes.
    pub fn to_rust_with_options(&self, options: &RustOptions) -> String {
        source(self.parent_pool(), options, |needs| needs.message(self.clone()), |_| false)
    }
}

impl EnumDescriptor {
    /// The enum as Rust source, with its listing for [`enumeration!`](crate::enumeration); see
    /// [`MessageDescriptor::to_rust`].
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    ///
    /// let pool = DescriptorPool::descriptor_proto();
    /// let label = pool.get_enum_by_name("google.protobuf.FieldDescriptorProto.Label").unwrap();
    /// assert!(label.to_rust().contains("        Optional as \"LABEL_OPTIONAL\" = 1,\n"));
    /// ```
    pub fn to_rust(&self) -> String {
        self.to_rust_with_options(&RustOptions::new())
    }

    /// As [`to_rust`](Self::to_rust), with other types and attributes.
    pub fn to_rust_with_options(&self, options: &RustOptions) -> String {
        source(self.parent_pool(), options, |needs| needs.enumeration(self), |_| false)
    }
}

impl FileDescriptor {
    /// All types of the file as Rust source, with those of other files that they need; see
    /// [`MessageDescriptor::to_rust`].
    ///
    /// ```
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// let source = pool.files().next().unwrap().to_rust();
    /// assert!(source.contains("pub struct Log {\n    pub line: String,\n"));
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    pub fn to_rust(&self) -> String {
        self.to_rust_with_options(&RustOptions::new())
    }

    /// As [`to_rust`](Self::to_rust), with other types and attributes.
    pub fn to_rust_with_options(&self, options: &RustOptions) -> String {
        source(self.parent_pool(), options, |needs| needs.file(self, false), |file| file == self)
    }
}

impl DescriptorPool {
    /// All types of the pool as Rust source, without those that [`wkt`](crate::structs::wkt) has; see
    /// [`MessageDescriptor::to_rust`].
    ///
    /// ```
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("a.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// static USER: MessageTable = MessageTable::new("b.User", &[FieldTable::new("name", 1, Kind::String)]);
    /// let source = DescriptorPool::from_tables(&[&LOG, &USER])?.to_rust();
    /// assert!(source.starts_with("pub mod a {\n    /// `a.Log`.\n"));
    /// assert!(source.contains("\npub mod b {\n    /// `b.User`.\n"));
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    pub fn to_rust(&self) -> String {
        self.to_rust_with_options(&RustOptions::new())
    }

    /// As [`to_rust`](Self::to_rust), with other types and attributes.
    pub fn to_rust_with_options(&self, options: &RustOptions) -> String {
        let roots = |needs: &mut Needs<'_>| self.files().for_each(|file| needs.file(&file, true));
        source(self, options, roots, |_| true)
    }
}
