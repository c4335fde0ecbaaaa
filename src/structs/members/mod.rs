//! The types of members, and how each is decoded, sized and written.

pub(super) mod custom;
pub(super) mod enumeration;
pub mod field;
#[cfg(not(tablepb_no_alloc))]
mod growing_maps;
pub mod list;
#[cfg(any(not(tablepb_no_alloc), feature = "heapless"))]
pub(super) mod map;
pub(super) mod nested;
pub mod oneof;
pub(super) mod plain;
pub(super) mod scalar;
#[cfg(not(tablepb_no_alloc))]
pub(super) mod small_map;
pub(super) mod text;
#[cfg(not(tablepb_no_alloc))]
pub(super) mod unknown;
