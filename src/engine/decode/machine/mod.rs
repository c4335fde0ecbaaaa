//! The state of a decode: its input, the stack of open messages, and its faults.

pub(super) mod input;
pub(super) mod state;
pub(crate) mod window;
