//! Protocol Buffers as Arrow record batches, for schemas that are known at run time.
//!
//! [`mapping`] says which columns a message type has. [`ReaderBuilder`] makes a [`Decoder`], which is fed with messages, an [`ArrayDecoder`] of columns of messages, or a [`Reader`], which reads
//! messages from a source. Values go from the wire into the columns; no message is made in between. [`mod@write`] is the way back.
#![deny(unsafe_code)]

mod evolve;
mod fence;
#[cfg(feature = "ffi")]
pub mod ffi;
mod json;
pub mod mapping;
mod read;
mod texts;
pub mod write;

pub use evolve::{Adapter, Change, ChangeKind};
pub use json::{from_json, to_json};
pub use read::{
    ArrayDecoder, BadRows, Decoder, ERROR, Error, ErrorKind, Messages, Reader, ReaderBuilder, SchemaStore,
};
pub use write::{WriteError, WriteErrorKind, Writer, WriterBuilder};

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
