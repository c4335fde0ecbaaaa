//! Schemas at run time: pools of descriptors, made of descriptor sets or of const tables.
//!
//! A [`DescriptorPool`] is made in two steps: `build/` names, resolves and checks (`model.rs`) what `read.rs` reads of a
//! set, one definition at a time, and `lower.rs` hands the result to the programs of the loops. Const tables are made
//! a set first (`tables.rs`, `proto.rs`, `write.rs`). Descriptors are a pool and an index. `features.rs` knows the editions;
//! `print/` writes .proto source; `descriptor_proto/` holds the tables by which descriptor sets are read.
//!
//! Invariant: what is in a pool is consistent, so nothing behind it needs to check a schema again.

mod build;
mod descriptor_proto;
mod edition;
mod enumeration;
mod escape;
mod extension;
mod features;
mod field;
mod file;
mod lower;
mod message;
mod model;
mod names;
mod options;
mod path;
mod pool;
mod print;
mod proto;
mod read;
mod service;
mod symbols;
mod tables;
mod write;

pub use edition::Edition;
pub use enumeration::{EnumDescriptor, EnumValueDescriptor};
pub use extension::ExtensionDescriptor;
pub use field::{DescriptorKind, FieldDescriptor, FieldRef};
pub use file::FileDescriptor;
pub use message::{MessageDescriptor, OneofDescriptor};
pub use options::PoolOptions;
pub(crate) use path::components;
pub use pool::DescriptorPool;
pub use service::{MethodDescriptor, ServiceDescriptor};

/// What reading and building a schema gives.
type Result<T, E = crate::error::DescriptorError> = core::result::Result<T, E>;

#[cfg(test)]
mod tests;
