//! Names: all that the files define, and what a name means where it stands.

pub(crate) mod resolve;
pub(crate) mod symbols;
