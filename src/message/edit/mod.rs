//! Changing messages: setters, lists, map entries, and which values fit a field.

pub(super) mod accept;
pub(super) mod elements;
pub(super) mod entries;
pub(super) mod field_key;
pub(super) mod fit;
pub(super) mod list_edits;
pub(super) mod mutate;
pub(super) mod resolved_field;
pub(super) mod slab_writer;
pub(super) mod take;
pub(super) mod value;
pub(super) mod value_from;
pub(super) mod value_kinds;
