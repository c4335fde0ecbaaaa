//! Messages into record batches.

mod array;
mod batch;
mod builder;
mod columns;
mod decoder;
mod error;
mod frames;
mod keys;
mod layout;
mod lists;
mod messages;
mod reader;
mod registry;
mod sink;
mod steps;
mod tree;

pub use array::ArrayDecoder;
pub use builder::ReaderBuilder;
pub use decoder::{BadRows, Decoder, ERROR};
pub use error::{Error, ErrorKind};
pub use messages::Messages;
pub use reader::Reader;
pub use registry::SchemaStore;
