//! The types of members, and how each is decoded, sized and written.

pub(super) mod custom;
pub(super) mod enumeration;
pub mod field;
#[cfg(feature = "heapless")]
mod fixed_maps;
#[cfg(feature = "alloc")]
mod growing_maps;
pub mod list;
#[cfg(any(feature = "alloc", feature = "heapless"))]
pub(super) mod map;
pub(super) mod nested;
pub mod oneof;
pub(super) mod plain;
pub(super) mod scalar;
#[cfg(feature = "alloc")]
pub(super) mod small_map;
pub(super) mod text;
#[cfg(feature = "alloc")]
pub(super) mod unknown;
