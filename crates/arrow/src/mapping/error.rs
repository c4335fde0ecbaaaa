//! [`MappingError`].

use core::fmt;
use tablepb::partial::PathError;

/// Why a message type has no columns under these options and paths: the kind, and the column or path at fault.
#[derive(Clone, Debug)]
pub struct MappingError {
    kind: MappingErrorKind,
    place: String,
}

/// What is wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum MappingErrorKind {
    /// A path names a field that the message does not have.
    NoSuchField,
    /// The pool of the message type has no type of this name.
    NoSuchType,
    /// A path goes on after a field that is not a message.
    NotAMessage,
    /// A struct would have two columns of one name.
    DuplicateName,
    /// More than [`MAX_COLUMNS`](super::MAX_COLUMNS) columns. A projection, or a lower [`recursion`](super::Options::recursion), makes fewer.
    TooManyColumns,
    /// More than [`MAX_NESTING`](super::MAX_NESTING) levels.
    TooDeep,
    /// A message in itself, which [`Recursive::Error`](super::Recursive::Error) forbids.
    RecursiveType,
    /// A oneof with more than 127 members cannot be a union.
    TooManyMembers,
    /// There is no option of this name.
    NoSuchOption,
    /// The option does not take the value; the text says what it takes.
    OptionValue(String),
    /// The library refused the paths.
    Projection(PathError),
}

impl MappingError {
    pub(crate) fn new(kind: MappingErrorKind, place: impl Into<String>) -> Self {
        Self { kind, place: place.into() }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &MappingErrorKind {
        &self.kind
    }

    /// The column or path at fault, names with dots between them; or the name of the option.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.kind {
            MappingErrorKind::NoSuchField => "no such field",
            MappingErrorKind::NoSuchType => "no such message type",
            MappingErrorKind::NotAMessage => "the field is not a message",
            MappingErrorKind::DuplicateName => "two columns of this name",
            MappingErrorKind::TooManyColumns => {
                "too many columns; select some of them or allow less recursion"
            }
            MappingErrorKind::TooDeep => "columns are nested too deep",
            MappingErrorKind::RecursiveType => "the message type is in itself",
            MappingErrorKind::TooManyMembers => "too many members for a union",
            MappingErrorKind::NoSuchOption => "no such option",
            MappingErrorKind::OptionValue(fits) => return write!(f, "the option {} is {fits}", self.place),
            MappingErrorKind::Projection(error) => return error.fmt(f),
        };
        write!(f, "{what}: {}", self.place)
    }
}

impl std::error::Error for MappingError {}

impl From<MappingError> for arrow_schema::ArrowError {
    fn from(error: MappingError) -> Self {
        Self::SchemaError(error.to_string())
    }
}
