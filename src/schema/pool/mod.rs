//! Schemas at run time: pools of descriptors, loaded from descriptor sets or made from const tables.
//!
//! ```
//! use tablepb::table::{FieldTable, Kind, MessageTable};
//! use tablepb::DescriptorPool;
//!
//! static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("text", 1, Kind::String)]);
//! let pool = DescriptorPool::from_tables(&[&LOG])?;
//! let log = pool.message("pkg.Log")?;
//! assert_eq!(log.field("text")?.kind(), Kind::String);
//! # Ok::<(), tablepb::DescriptorError>(())
//! ```

// How a pool is made: `read.rs` reads a set, one definition at a time; `build/` names, resolves and checks the definitions
// (`model/` has them and finds them, and knows the editions); `lower.rs` hands them to the programs of the loops. Const tables become a
// set first (`tables/`, `write.rs`). A descriptor is a pool and an index. `print/` writes .proto source, `descriptor.binpb` is the set of
// descriptor.proto.
//
// Invariant: everything in a pool is consistent; no other room checks a schema again.

pub(crate) mod descriptor;

mod build;
mod descriptor_pool;
mod lower;
mod model;
mod nearest;
mod print;
mod read;
mod tables;
mod write;

pub use descriptor::enumeration::{EnumDescriptor, EnumValueDescriptor};
pub use descriptor::field::{ExtensionDescriptor, FieldDescriptor, FieldKind, FieldRef};
pub use descriptor::file::FileDescriptor;
pub use descriptor::file::{MethodDescriptor, ServiceDescriptor};
pub use descriptor::message::{MessageDescriptor, OneofDescriptor};
pub use descriptor::options::PoolOptions;
pub(crate) use descriptor::options::components;
pub use descriptor_pool::{DescriptorPool, PoolBuilder};
pub(crate) use model::WellKnown;
pub use model::features::Edition;
pub(crate) use model::formats::{FieldFormats, FormatField};
pub(crate) use nearest::nearest;

pub(crate) use model::text_names::TextName;

/// The result of reading or building a schema.
type Result<T, E = crate::wire::error::DescriptorError> = core::result::Result<T, E>;

#[cfg(test)]
mod tests;
