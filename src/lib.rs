//! Protocol Buffers without generated code: a schema is a table, a `const` in Rust or loaded at run time.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod decode;
mod encode;
mod error;
mod message;
mod program;
pub mod record;
mod schema;
mod slab;
pub mod stream;
mod table;
mod typed;
pub mod wire;

pub use decode::DecodeOptions;
pub use encode::EncodeOptions;
pub use error::{
    DecodeError, DecodeErrorKind, DescriptorError, DescriptorErrorKind, EncodeError, EncodeErrorKind,
    FieldPath, PathStep,
};
pub use message::{
    Decoder, DynamicMessage, Fields, ListRef, MapKey, MapKeyRef, MapRef, MessageMut, MessageView, Prepared,
    SetFieldError, SetFieldErrorKind, UnknownField, UnknownFields, Value, ValueRef,
};
pub use record::{PlanError, PlanErrorKind, RecordPlan, RecordWriter};
pub use schema::{
    DescriptorPool, Edition, EnumDescriptor, EnumValueDescriptor, ExtensionDescriptor, FieldDescriptor,
    FieldKind, FieldRef, FileDescriptor, MessageDescriptor, MethodDescriptor, OneofDescriptor,
    ServiceDescriptor,
};
pub use table::{Cardinality, DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax, TableKind};
pub use typed::{DecodeFrom, DecodeOwned, EnumValue, Enumeration, Message, UnknownFieldSet};

#[cfg(feature = "bytes")]
pub use bytes;

/// What the macros expand to; no part of the interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::typed::expansion::*;
}

/// The code of the README compiles and runs.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
mod readme {}
