//! SQL over files: what queries give, beside the same messages decoded by the library, and what holds after a failure.

mod common;
mod directories;
mod failures;
mod filters;
mod functions;
mod options;
mod queries;
mod sinks;
mod stores;
