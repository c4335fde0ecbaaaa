//! Protocol Buffers as Arrow record batches, for schemas that are known at run time.
//!
//! [`mapping`] says which columns a message type has.
#![deny(unsafe_code)]

pub mod mapping;
