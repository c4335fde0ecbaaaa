//! The types of members, and how each is decoded, sized and written.

pub(super) mod custom;
pub(super) mod enumeration;
pub mod field;
pub mod list;
pub(super) mod map;
pub(super) mod nested;
pub mod oneof;
pub(super) mod plain;
pub(super) mod scalar;
pub(super) mod text;
pub(super) mod unknown;
