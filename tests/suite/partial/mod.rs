//! Parts of messages: projections, lazy and prepared messages, fields without a schema.

mod kept_bytes;
mod lazy;
mod prepared;
mod projection;
mod projection_rules;
mod raw;
mod raw_fields;
mod value_path;
