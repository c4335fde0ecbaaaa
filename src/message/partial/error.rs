//! Why a projection refused a path.

use crate::schema::program::RoomFull;
use crate::wire::error::{Opaque, error_kind, opaque_error, text};
use alloc::string::String;
use core::fmt;

error_kind! {
    /// What is wrong with a path given to a projection.
    pub enum ProjectionErrorKind, without memory TooLarge {
        /// The message has no such field.
        NoSuchField = "no such field",
        /// The path continues after a field that is not a message.
        NotAMessage = "the field is not a message",
        /// A `*` that is not the last segment.
        MisplacedWildcard = "`*` must be the last segment",
        /// A path goes on after a map with something other than `value`: `labels.name`, where `labels.value.name` is meant. To read
        /// keys, a [`ValuePath`](super::ValuePath) may end in `key`.
        NotAMapValue = "a path into a map goes on with `value`",
        /// The paths take too much memory, or an allocation failed: see [`Projection`](super::Projection#memory).
        TooLarge = "the projection takes too much memory",
        /// A path into a MessageSet, which is decoded as a whole.
        Unsupported = "a MessageSet is decoded as a whole",
        /// A path for reading that the projection does not decode: [`Projection::path`](super::Projection::path).
        Unselected = "the projection does not select the field",
        /// A path for reading through more than eight lists and maps.
        TooManyLists = "the path goes through too many lists and maps",
    }
}

/// Why a [`Projection`](super::Projection) refused a path: kind, segment at fault, message type, and the path.
///
/// One pointer wide.
#[derive(Clone, PartialEq, Eq)]
pub struct ProjectionError(Opaque<ProjectionErrorKind, ProjectionDetail>);

opaque_error!(ProjectionError, ProjectionErrorKind);

#[derive(Clone, PartialEq, Eq)]
struct ProjectionDetail {
    segment: String,
    message: String,
    path: String,
}

impl ProjectionError {
    #[cold]
    pub(super) fn new(kind: ProjectionErrorKind, segment: &str, message: &str, path: &str) -> Self {
        let detail = ProjectionDetail { segment: text(segment), message: text(message), path: text(path) };
        Self(Opaque::new(kind, detail))
    }

    /// There is no room, not even for saying where.
    pub(super) const TOO_LARGE: Self = Self(Opaque::NO_MEMORY);

    /// The segment of the path that is at fault; `""` if it is all of them.
    #[must_use]
    pub fn segment(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.segment)
    }

    /// The full name of the message type in which the segment was looked for.
    #[must_use]
    pub fn message_name(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.message)
    }

    /// The path that was given.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.path)
    }
}

impl fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(inner) = self.0.get() else { return write!(f, "{}", self.kind()) };
        let ProjectionDetail { segment, message, path } = inner;
        write!(f, "{}: {segment} in {message}, in the path {path}", self.kind())
    }
}

impl From<RoomFull> for ProjectionError {
    #[cold]
    fn from(_: RoomFull) -> Self {
        Self::TOO_LARGE
    }
}

impl core::error::Error for ProjectionError {}
