//! Work on parts of a message: its fields without a schema, and one field changed among bytes that are copied.
//!
//! | file | |
//! |---|---|
//! | `fields.rs` | [`RawFields`]: the fields of one message, the way to one of them |
//! | `field.rs` | [`RawField`], [`RawValue`]: one field |
//! | `edit.rs` | replace, remove and append on the wire |
//! | `projection.rs` | [`Projection`]: the fields that a decode is for |
//! | `paths.rs` | field paths into a selection |
//! | `error.rs` | [`ProjectionError`]: why a path is refused |
//!
//! Invariant: every offset is one in the outermost input; what is not walked over is not looked at.

mod edit;
mod error;
mod field;
mod fields;
mod paths;
mod projection;

pub use error::{ProjectionError, ProjectionErrorKind};
pub use field::{RawField, RawValue};
pub use fields::{RawFields, RawStep};
pub use projection::Projection;
