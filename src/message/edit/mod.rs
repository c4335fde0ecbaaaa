//! Changing messages: setters, lists, map entries, and which values fit a field.

pub(super) mod elements;
pub(super) mod entries;
pub(super) mod field_key;
pub(super) mod fit;
pub(super) mod mutate;
pub(super) mod slab_writer;
pub(super) mod value;
