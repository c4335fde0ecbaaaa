//! [`PathError`]: why a path into messages was refused.

use crate::schema::program::RoomFull;
use crate::wire::error::{Opaque, error_kind, opaque_error, text};
use alloc::string::String;
use core::fmt;

error_kind! {
    /// The kind of a [`PathError`].
    pub enum PathErrorKind, without memory TooLarge {
        /// The message has no such field; for a [`RecordPlan`](crate::record::RecordPlan), it has no such group of fields either.
        NoSuchField = "no such field",
        /// The path continues after a field that is not a message.
        NotAMessage = "the field is not a message",
        /// A `*` that is not the last segment.
        MisplacedWildcard = "`*` must be the last segment",
        /// A path goes on after a map with something other than `value`: `labels.name`, where `labels.value.name` is meant. To read
        /// keys, a [`ValuePath`](super::ValuePath) may end in `key`.
        NotAMapValue = "a path into a map goes on with `value`",
        /// A path into a MessageSet, which is decoded and written as a whole.
        Unsupported = "a MessageSet has no parts",
        /// A path for reading that the projection does not decode: [`Projection::path`](super::Projection::path).
        Unselected = "the projection does not select the field",
        /// A path for reading through more than eight lists and maps.
        TooManyLists = "the path goes through too many lists and maps",
        /// The field of a plan is of another kind than its handle.
        WrongKind = "the field is of another kind",
        /// A field or a group of a plan already has the name.
        DuplicateName = "a field or group has this name already",
        /// A path with a bracket or a quote that is not closed, or with something after one.
        Malformed = "the path is malformed",
        /// The list has no element with this index.
        OutOfRange = "the index is beyond the end of the list",
        /// The map has no entry with this key.
        NoSuchKey = "the map has no such key",
        /// The field at the end of the path does not take the value.
        InvalidValue = "the field does not take the value",
        /// The paths take too much memory, or an allocation failed: see [`Projection`](super::Projection#memory).
        TooLarge = "the paths take too much memory",
    }
}

/// Why a path was refused, by a [`Projection`](super::Projection), a [`ValuePath`](super::ValuePath), a
/// [`RecordPlan`](crate::record::RecordPlan), a message or a [`FieldMask`](crate::wkt::FieldMask): kind, segment at fault, message type, the path, and a detail.
///
/// One pointer wide.
#[derive(Clone, PartialEq, Eq)]
pub struct PathError(Opaque<PathErrorKind, PathDetail>);

opaque_error!(PathError, PathErrorKind);

#[derive(Clone, PartialEq, Eq)]
struct PathDetail {
    segment: String,
    message: String,
    /// Empty if the segment is all of it.
    path: String,
    detail: String,
}

impl PathError {
    #[cold]
    pub(crate) fn new(kind: PathErrorKind, segment: &str, message: &str, path: &str) -> Self {
        let (segment, message, path) = (text(segment), text(message), text(path));
        Self(Opaque::new(kind, PathDetail { segment, message, path, detail: String::new() }))
    }

    /// The same, with a detail.
    #[cold]
    pub(crate) fn with_detail(mut self, detail: String) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.detail = detail;
        }
        self
    }

    /// There is no room, not even for saying where.
    pub(crate) const TOO_LARGE: Self = Self(Opaque::NO_MEMORY);

    /// The segment of the path that is at fault, of a plan the name; `""` if it is all of them.
    #[must_use]
    pub fn segment(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.segment)
    }

    /// The full name of the message type in which the segment was looked for.
    #[must_use]
    pub fn message_name(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.message)
    }

    /// The path that was given; `""` if the segment is all of it.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.path)
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(inner) = self.0.get() else { return write!(f, "{}", self.kind()) };
        write!(f, "{}: {} in {}", self.kind(), inner.segment, inner.message)?;
        if !inner.path.is_empty() {
            write!(f, ", in the path {}", inner.path)?;
        }
        if inner.detail.is_empty() { Ok(()) } else { write!(f, " ({})", inner.detail) }
    }
}

impl From<RoomFull> for PathError {
    #[cold]
    fn from(_: RoomFull) -> Self {
        Self::TOO_LARGE
    }
}

impl core::error::Error for PathError {}
