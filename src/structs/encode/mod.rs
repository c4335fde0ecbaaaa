//! The two encoding passes of structs: sizes, then bytes.

pub mod calls;
pub(super) mod output;
pub(super) mod size;
pub(super) mod sizes;
pub(super) mod write;
