//! Why a projection refused a path.

use crate::program::Full;
use alloc::{boxed::Box, string::String};
use core::fmt;

/// What is wrong with a path given to a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProjectionErrorKind {
    /// The message has no such field.
    NoSuchField,
    /// The path goes on behind a field that is not a message.
    NotAMessage,
    /// A `*` that is not the last segment.
    MisplacedWildcard,
    /// A path into a map that does not go on with `value`.
    NotAMapValue,
    /// The paths take too much memory, or an allocation failed: see [`Projection`](super::Projection#memory).
    TooLarge,
    /// A path into a MessageSet, which is decoded as a whole.
    Unsupported,
}

impl ProjectionErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::NoSuchField => "no such field",
            Self::NotAMessage => "the field is not a message",
            Self::MisplacedWildcard => "`*` must be the last segment",
            Self::NotAMapValue => "a path into a map goes on with `value`",
            Self::TooLarge => "the projection takes too much memory",
            Self::Unsupported => "a MessageSet is decoded as a whole",
        }
    }
}

impl fmt::Display for ProjectionErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Why a [`Projection`](super::Projection) refused a path: kind, segment at fault, message type, and the path.
///
/// One pointer wide.
#[derive(Clone, PartialEq, Eq)]
pub struct ProjectionError(Option<Box<Inner>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ProjectionErrorKind,
    segment: String,
    message: String,
    path: String,
}

impl ProjectionError {
    #[cold]
    pub(super) fn new(kind: ProjectionErrorKind, segment: &str, message: &str, path: &str) -> Self {
        Self(Some(Box::new(Inner {
            kind,
            segment: segment.into(),
            message: message.into(),
            path: path.into(),
        })))
    }

    /// There is no room, not even for saying where.
    pub(super) const TOO_LARGE: Self = Self(None);

    /// The kind of fault.
    pub fn kind(&self) -> ProjectionErrorKind {
        self.0.as_ref().map_or(ProjectionErrorKind::TooLarge, |inner| inner.kind)
    }

    /// The segment of the path that is at fault; `""` if it is all of them.
    pub fn segment(&self) -> &str {
        self.0.as_ref().map_or("", |inner| &inner.segment)
    }

    /// The full name of the message type in which the segment was looked for.
    pub fn message_name(&self) -> &str {
        self.0.as_ref().map_or("", |inner| &inner.message)
    }

    /// The path that was given.
    pub fn path(&self) -> &str {
        self.0.as_ref().map_or("", |inner| &inner.path)
    }
}

impl fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(inner) = &self.0 else { return write!(f, "{}", self.kind()) };
        let Inner { kind, segment, message, path } = &**inner;
        write!(f, "{kind}: {segment} in {message}, in the path {path}")
    }
}

impl fmt::Debug for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProjectionError({self})")
    }
}

impl From<Full> for ProjectionError {
    #[cold]
    fn from(_: Full) -> Self {
        Self::TOO_LARGE
    }
}

impl core::error::Error for ProjectionError {}
