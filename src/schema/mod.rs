//! Schemas at run time: pools of descriptors, and what descriptors say.
//!
//! [`DescriptorPool`](crate::DescriptorPool) loads and checks a schema; [`MessageDescriptor`](crate::MessageDescriptor),
//! [`FieldDescriptor`](crate::FieldDescriptor) and [`EnumDescriptor`](crate::EnumDescriptor) are at the root of the crate, the others here.
//!
//! | | |
//! |---|---|
//! | load | [`DescriptorPool::decode`](crate::DescriptorPool::decode), [`PoolBuilder`], [`PoolOptions`] |
//! | find | [`DescriptorPool::message`](crate::DescriptorPool::message), `enumeration`, `extension`, `service`, `file` |
//! | look | [`FieldKind`], [`Edition`], [`FieldRef`], and the descriptors |
//!
//! ```
//! use tablepb::DescriptorPool;
//! use tablepb::schema::FieldKind;
//!
//! // What `protoc --descriptor_set_out` writes for `syntax = "proto3"; message Log { string line = 1; }`.
//! let set = b"\x0a\x24\x0a\x05a.pb.\x22\x13\x0a\x03Log\x12\x0c\x0a\x04line\x18\x01 \x01(\x09b\x06proto3";
//! let pool = DescriptorPool::decode(set)?;
//! let log = pool.message("Log")?;
//! let line = log.field("line").unwrap();
//! assert_eq!((line.number(), line.kind()), (1, FieldKind::String));
//! assert!(pool.message("Lgo").unwrap_err().to_string().contains("Log"));
//! assert!(log.to_proto().contains("string line = 1;"));
//! # Ok::<(), tablepb::DescriptorError>(())
//! ```

#[cfg(feature = "reflect")]
pub(crate) mod pool;
#[cfg(feature = "reflect")]
pub(crate) mod program;
pub(crate) mod table;

#[cfg(feature = "reflect")]
pub use crate::wire::error::DescriptorErrorKind;
#[cfg(feature = "reflect")]
pub use pool::{
    Edition, EnumValueDescriptor, ExtensionDescriptor, FieldKind, FieldRef, FileDescriptor, MethodDescriptor,
    OneofDescriptor, PoolBuilder, PoolOptions, ServiceDescriptor,
};
