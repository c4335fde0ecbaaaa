//! Descriptors: a pool and an index each.

pub(super) mod enumeration;
pub(super) mod field;
pub(super) mod file;
pub(super) mod message;
pub(super) mod options;
pub(super) mod service;
