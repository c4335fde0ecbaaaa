//! Dynamic messages, visitors, and bytes that are skipped.

mod comparisons;
mod converted;
mod copies;
mod cpp_cases;
mod message_sets;
mod options;
mod paths;
mod prost_reflect_names;
mod visit;
mod visit_content;
mod wire_skip;
