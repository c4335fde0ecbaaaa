//! Hostile inputs, memory, depth, and what holds after a failure.

mod depth;
mod failures;
mod limits;
mod memory;
mod memory_maps;
mod paths;
mod pieces;
