//! From record batches back to messages: random schemas and values.

mod library;
#[path = "../common/oracle.rs"]
mod oracle;
mod round_trip;
