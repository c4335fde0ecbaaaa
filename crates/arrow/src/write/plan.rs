//! Which column of a schema is for which field: resolved once, when the writer is built.

use super::wire::{Cut, Scalar, Tag};
use std::collections::HashMap;
use std::sync::Arc;
use tablepb::MessageDescriptor;

/// A message type and the columns of one struct.
#[derive(Debug)]
pub(super) struct MessagePlan {
    /// From the highest number down, since messages are written from their end.
    pub(super) fields: Vec<FieldPlan>,
    /// The columns of the members of each oneof that has several.
    pub(super) oneofs: Vec<Vec<usize>>,
    /// The column of unknown fields and its path.
    pub(super) unknown: Option<(usize, String)>,
}

/// A field and its column.
#[derive(Debug)]
pub(super) struct FieldPlan {
    pub(super) path: String,
    pub(super) number: u32,
    /// The column in its struct.
    pub(super) column: usize,
    /// The type id, if the column is a union and the field one of its members.
    pub(super) member: Option<i8>,
    /// The index of its oneof, if other columns have members of it.
    pub(super) oneof: Option<usize>,
    pub(super) presence: Presence,
    pub(super) shape: Shape,
}

/// What null and a default value mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// Values are written, null is not.
    Explicit,
    /// The default value is not written either.
    Implicit,
    /// Null is an error.
    Required,
}

/// How many values a field has, and what they are.
#[derive(Debug)]
pub(super) enum Shape {
    One(ValuePlan),
    /// With the tag of a packed run.
    Packed(Tag, ValuePlan),
    List(ValuePlan),
    /// With the tag of an entry, key and value.
    Map(Tag, ValuePlan, ValuePlan),
}

/// A value with its tag.
#[derive(Debug)]
pub(super) struct ValuePlan {
    pub(super) tag: Tag,
    pub(super) item: Item,
}

/// What one value is on the wire.
#[derive(Debug)]
pub(super) enum Item {
    Scalar(Scalar),
    /// An enum whose values come as names.
    Named(Arc<HashMap<String, i32>>),
    /// Bytes, or a string; `true` if it has to be checked for UTF-8.
    Text(bool),
    Message(MessagePlan, Cut),
    /// A message as bytes.
    Bytes(Cut),
    /// A message as ProtoJSON.
    Json(MessageDescriptor, Cut),
    Timestamp(Cut),
    Duration(Cut),
    /// A wrapper: its only field.
    Wrapper(Box<ValuePlan>, Cut),
}
