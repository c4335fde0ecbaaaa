//! Dynamic messages, visitors, and bytes that are skipped.

mod copies;
mod message_sets;
mod visit;
mod visit_content;
mod wire_skip;
