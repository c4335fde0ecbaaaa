//! Streaming records: fields are written to a buffer while the input is parsed, with no message in between.
//!
//! A [`RecordPlan`] is a message type with a set of enabled fields. It resolves names to typed handles ([`Field`]),
//! once. [`RecordPlan::record`] then starts a record at the end of a buffer, a [`RecordWriter`] appends fields to it,
//! and [`finish`](RecordWriter::finish) completes it with a length prefix, or [`finish_unframed`](RecordWriter::finish_unframed) without one. Records one after the other are a
//! length-delimited stream, which [`stream`](crate::stream) reads; [`RecordPlan::to_proto`] prints its schema.
//!
//! | call | singular field | repeated field |
//! |---|---|---|
//! | [`set`](RecordWriter::set) | writes the value, the first time only | appends a value |
//! | [`force_set`](RecordWriter::force_set) | the same, and writes a zero without presence, which `set` omits | as `set` |
//! | [`extend`](RecordWriter::extend) | writes the first value | appends all values, packed ones as one run |
//! | [`message`](RecordWriter::message), [`prepared`](RecordWriter::prepared) | writes the message, the first time only | appends a message |
//! | [`insert`](RecordWriter::insert), [`insert_message`](RecordWriter::insert_message) | | appends an entry to a map |
//!
//! Calls for a disabled field do nothing, for the cost of a branch.
//!
//! ```
//! use tablepb::record::RecordPlan;
//! use tablepb::table::{FieldTable, Kind, MessageTable};
//! use tablepb::{DescriptorPool, stream::frames};
//!
//! static FLOW: MessageTable = MessageTable::new(
//!     "pkg.Flow",
//!     &[FieldTable::new("bytes", 1, Kind::Uint64), FieldTable::new("ports", 2, Kind::Uint32).repeated()],
//! );
//! let plan = RecordPlan::new(&DescriptorPool::from_tables(&[&FLOW])?.message("pkg.Flow")?);
//! let (bytes, ports) = (plan.uint64("bytes")?, plan.uint32("ports")?);
//! let mut buffer = Vec::new();
//! let mut record = plan.record(&mut buffer);
//! record.set(bytes, 64);
//! record.extend(ports, [80, 443]);
//! record.finish()?;
//! assert_eq!(frames(&buffer).next().unwrap()?, b"\x08\x40\x12\x03\x50\xbb\x03");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// How it works. A plan holds the message type and every message type that its fields lead to, as *nodes*, each with
// the set of its disabled fields. A *handle* is two words: in one the tag as on the wire, its length and flags, in the
// other the id of the node and the index of the field. Ids differ between all plans of a process, so one comparison
// tells whether a handle belongs to the message that is being written.
//
// A writer starts every message with a copy of its node's disabled set, the *skip set*, and adds each singular field
// that it writes: one bit answers both whether a field is enabled and whether this is its first value. `set` thus
// checks two things of a handle: that it is of this message and has no flag that needs more work, and that its bit is
// not in the skip set. All else (repeated, packed, oneof, closed enum, beyond 256 bits, foreign) is one cold call.
//
// Bytes go to the spare capacity of the buffer by way of `wire/output/tail/`, which is in the unsafe fence and makes them
// content when the record is finished. Lengths are known at the end only, so the width of a length prefix is guessed:
// the node remembers that of the last message in a relaxed atomic, stored to only when it changes. A wrong guess moves
// the message once.
//
// | file | |
// |---|---|
// | `plan.rs`, `definition.rs` | the cold side: names, nodes, the printed definition and its hash |
// | `field.rs` | handles, the disabled set of a node, the skip set of a message, length prefixes |
// | `kind.rs` | the kinds of handles, and a value in its wire form |
// | `writer.rs` | the hot path: records and singular fields |
// | `nested.rs` | messages, maps, prepared messages |
// | `repeated.rs` | lists |
//
// Invariant: the buffer holds whole records only.

mod definition;
mod field;
pub mod kind;
mod nested;
mod plan;
mod repeated;
#[cfg(test)]
mod tests;
mod writer;

pub use field::Field;
pub use plan::{PlanPath, RecordPlan};
pub use writer::RecordWriter;
