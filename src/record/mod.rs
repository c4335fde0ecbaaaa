//! Streaming records: fields are appended to the output while the input is parsed, and no message is built.
//!
//! A [`RecordPlan`] is made of a message type and says which of its fields are enabled; it gives typed handles
//! ([`Field`]) for them. [`RecordPlan::record`] starts a record at the end of a buffer, a [`RecordWriter`] appends to
//! it, and [`finish`](RecordWriter::finish) puts the length before it. Records behind each other are a
//! length-delimited stream, which [`stream`](crate::stream) reads, and [`RecordPlan::to_proto`] prints its schema.
//!
//! | call | on a singular field | on a repeated field |
//! |---|---|---|
//! | [`set`](RecordWriter::set) | writes the value, the first time only | appends a value |
//! | [`force_set`](RecordWriter::force_set) | the same for a zero without presence, which `set` leaves out | as `set` |
//! | [`extend`](RecordWriter::extend) | writes the first value | appends all, behind one tag if packed |
//! | [`message`](RecordWriter::message), [`prepared`](RecordWriter::prepared) | writes the message, the first time only | appends a message |
//! | [`insert`](RecordWriter::insert), [`insert_message`](RecordWriter::insert_message) | | appends an entry to a map |
//!
//! A field that is disabled is skipped by all of them, for the cost of a branch.
//!
//! `plan.rs` and `node.rs` are the cold side, made once; `writer.rs` is the hot path, `nested.rs` messages and maps,
//! `repeated.rs` lists; `definition.rs` prints and hashes. Invariant: the buffer holds whole records only.

mod bits;
mod definition;
mod error;
mod field;
pub mod kind;
mod nested;
mod node;
mod plan;
mod raw;
mod repeated;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{PlanError, PlanErrorKind};
pub use field::Field;
pub use plan::RecordPlan;
pub use writer::RecordWriter;
