//! Schemas at run time: pools of descriptors, loaded from descriptor sets or made from const tables.
//!
//! ```
//! use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable};
//!
//! static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("text", 1, Kind::String)]);
//! let pool = DescriptorPool::from_tables(&[&LOG])?;
//! let log = pool.get_message_by_name("pkg.Log").unwrap();
//! assert_eq!(log.get_field_by_name("text").unwrap().kind(), Kind::String);
//! # Ok::<(), tablepb::DescriptorError>(())
//! ```

// How a pool is made: `read/` reads a set, one definition at a time; `build/` names, resolves and checks the definitions
// (`model.rs` has them, `lookup.rs` finds them); `lower.rs` hands them to the programs of the loops. Const tables become a
// set first (`tables.rs`, `proto.rs`, `write.rs`). A descriptor is a pool and an index. `features.rs` knows the editions, `print/` writes .proto source,
// `descriptor_proto.rs` has the set of descriptor.proto.
//
// Invariant: everything in a pool is consistent; no other room checks a schema again.

mod build;
mod descriptor_proto;
mod edition;
mod enumeration;
mod escape;
mod extension;
mod features;
mod field;
mod file;
mod formats;
mod lookup;
mod lower;
mod message;
mod model;
mod names;
mod options;
mod path;
mod pool;
mod pool_builder;
mod print;
mod proto;
mod read;
mod service;
mod symbols;
mod tables;
mod text_names;
mod write;

pub use edition::Edition;
pub use enumeration::{EnumDescriptor, EnumValueDescriptor};
pub use extension::ExtensionDescriptor;
pub use field::{FieldDescriptor, FieldKind, FieldRef};
pub use file::FileDescriptor;
pub(crate) use formats::{FieldFormats, FormatField};
pub use message::{MessageDescriptor, OneofDescriptor};
pub(crate) use model::WellKnown;
pub use options::PoolOptions;
pub(crate) use path::components;
pub use pool::DescriptorPool;
pub use pool_builder::PoolBuilder;
pub use service::{MethodDescriptor, ServiceDescriptor};

pub(crate) use names::is_json_name;
pub(crate) use tables::is_well_known;
pub(crate) use text_names::TextName;

/// The result of reading or building a schema.
type Result<T, E = crate::wire::error::DescriptorError> = core::result::Result<T, E>;

#[cfg(test)]
mod tests;
