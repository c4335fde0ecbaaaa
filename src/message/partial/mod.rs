//! Working with parts of messages: decoding selected fields, and reading and changing fields without a schema.
//!
//! | file | |
//! |---|---|
//! | `projection.rs` | [`Projection`]: the fields that are decoded; field paths into a selection; why a path was refused |
//! | `at_path.rs` | one value by its path, read, set and cleared |
//! | `value_path.rs` | [`ValuePath`]: a path to read by, the values at its end, and columns of them |
//!
//! Invariant of the raw side: every offset is an offset in the outermost input, and bytes outside the walked levels are
//! not examined.
//!
//! # Projections are programs
//!
//! A projection adds nothing to the decode loop. Its paths become a tree of wanted fields (`schema/program/select/`), and the
//! tree a set of programs of its own: a copy of the message's program for each node, and one copy for each type that
//! is decoded as a whole. Path `spans.name` of a type `Trace` makes three nodes:
//!
//! ```text
//! Trace          skip everything but `spans`           its program for `spans` is the next one
//!   spans        skip everything but `name`
//!     name       decode
//! ```
//!
//! The copies keep the layout of the pool's programs, so that any of them reads, copies and changes the same body.
//! They differ in the operation of an entry (decode, skip by wire type, or keep as bytes) and in the program of a
//! sub-message. A recursive type costs a node for each step of a path; `Projection` bounds their memory.
//!
//! The decode loop skips most unselected fields where it reads tags, a length-delimited one in a few instructions.
//! Groups, members of a oneof with selected members, and lazy fields take the cold exit that unknown fields take. Of a
//! skipped field, only its end is checked. Views and dynamic messages refer to the set of programs that decoded them, and
//! thereby tell an unselected field from an unset one.
//!
//! # What is not decoded stays bytes
//!
//! - A *raw body* in the slab (`slab/verbatim.rs`) is a list of spans of the byte store: lazy fields, prepared messages
//!   that were set, and messages that pass through a projection.
//! - [`Lazy`](crate::Lazy) keeps the occurrences of a field as they were read, with their offsets and the options of the
//!   outer decode. Decoding merges them one by one, so that an error has the offset it would have had, and one occurrence
//!   cannot complete what is cut off in another.
//! - [`Prepared`](crate::Prepared) has been checked as a whole and knows its depth: code that splices it compares the depth with
//!   the levels that are left, and does not look inside.
//! - [`RawFields`] are spans of the input and nothing else.
//!
//! # Passing through
//!
//! A message that passes through a projection is a *verbatim* body with the selected fields decoded beside its bytes. A flag in
//! the block of its unknown fields marks it. Decoding it costs one span; encoding it, unless it was changed, copies the
//! bytes in wire order, whatever fields are set.
//!
//! ```text
//! setter on a verbatim message:
//!     walk over the message's own level once more
//!     keep the selected fields as decoded, and the spans of the unselected ones
//!     drop members of a oneof that a later member overrode       spans are written after the fields
//! setting an unselected field:               drop its spans
//! changing a part of an unselected field:    decode it from its spans, then change it
//! ```
//!
//! The block with the old spans is not written to, so a setter that fails or changes nothing goes back to it.

#[cfg(feature = "reflect")]
mod at_path;
#[cfg(feature = "reflect")]
mod projection;
#[cfg(feature = "reflect")]
mod value_path;

#[cfg(feature = "reflect")]
pub use projection::{PathError, PathErrorKind, Projection};
#[cfg(feature = "reflect")]
pub use value_path::{ValuePath, Values};
