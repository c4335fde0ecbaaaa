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
