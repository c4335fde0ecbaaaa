//! The decoding pass of structs: input, memory, stack and error path.

pub(super) mod budget;
pub mod end;
pub mod input;
pub(super) mod memory;
pub(super) mod path_trace;
pub(super) mod stack;
