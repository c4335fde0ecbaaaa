//! From record batches back to messages: random schemas and values.

mod columns;
mod failures;
mod library;
#[path = "../common/oracle.rs"]
mod oracle;
mod reader;
mod round_trip;
