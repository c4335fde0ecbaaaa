//! Fields that leave the loop: map entries, items of MessageSets, unknown fields.

pub(super) mod map_entry;
pub(crate) mod message_set;
pub(crate) mod skip;
pub(super) mod unknown;
