//! Schemas: pools, tables, printed sources.

mod memory;
mod tables;
mod to_proto;
