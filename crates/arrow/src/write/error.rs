//! Why a batch cannot be written.

use std::fmt;

/// Why a batch, or a schema, cannot be written as messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteErrorKind {
    /// The message type has no field for the column.
    NoSuchField,
    /// Two columns are for one field.
    DuplicateField,
    /// Values of the column's type do not fit the field.
    TypeMismatch,
    /// A required field has no column, or is null in a row.
    MissingRequired,
    /// The columns are nested more than 100 levels deep.
    TooDeep,
    /// The batch has another schema than the writer was built for.
    SchemaMismatch,
    /// An element of a list, or a key or value of a map, is null.
    NullElement,
    /// The lists of the keys and of the values of a map differ in length.
    UnequalLists,
    /// The value is not in the range of the field.
    OutOfRange,
    /// The field must be UTF-8, and the value of a binary column is not.
    InvalidUtf8,
    /// The enum has no value of this name.
    NoSuchValue,
    /// Two members of a oneof are set in one row.
    OneofConflict,
    /// The bytes of a column of messages, or of unknown fields, are not valid fields.
    InvalidMessage,
    /// The text of a column of messages is not the JSON of one.
    InvalidJson,
    /// A message is larger than 2^31-1 bytes.
    TooLarge,
    /// The allocator has no memory.
    OutOfMemory,
}

impl WriteErrorKind {
    fn text(self) -> &'static str {
        match self {
            Self::NoSuchField => "the message type has no such field",
            Self::DuplicateField => "another column is for the same field",
            Self::TypeMismatch => "the type of the column does not fit the field",
            Self::MissingRequired => "a required field is missing",
            Self::TooDeep => "columns are nested too deep",
            Self::SchemaMismatch => "the batch has another schema than the writer was built for",
            Self::NullElement => "an element of a list or map is null",
            Self::UnequalLists => "there are more keys than values, or less",
            Self::OutOfRange => "the value is out of the range of the field",
            Self::InvalidUtf8 => "the value is not UTF-8",
            Self::NoSuchValue => "the enum has no value of this name",
            Self::OneofConflict => "two members of a oneof are set",
            Self::InvalidMessage => "the bytes are not valid fields",
            Self::InvalidJson => "the text is not the JSON of such a message",
            Self::TooLarge => "the message is larger than 2^31-1 bytes",
            Self::OutOfMemory => "out of memory",
        }
    }
}

/// The error of [`WriterBuilder`](super::WriterBuilder) and [`Writer`](super::Writer): what is wrong, in which column, and in which row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError {
    kind: WriteErrorKind,
    column: String,
    row: Option<usize>,
    detail: String,
}

impl WriteError {
    pub(super) fn new(kind: WriteErrorKind, column: &str) -> Self {
        // Without memory the error has no path, and is one all the same.
        let mut path = String::new();
        if path.try_reserve_exact(column.len()).is_ok() {
            path.push_str(column);
        }
        Self { kind, column: path, row: None, detail: String::new() }
    }

    pub(super) fn at_row(self, row: usize) -> Self {
        Self { row: Some(row), ..self }
    }

    pub(super) fn with_detail(self, detail: String) -> Self {
        Self { detail, ..self }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> WriteErrorKind {
        self.kind
    }

    /// The path of the column, with dots between the names: `status.code`. Empty if the error is about the whole message.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The number of the row in its batch, from 0; `None` for errors of a schema.
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        self.row
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.text())?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        if !self.column.is_empty() {
            write!(f, ", column {}", self.column)?;
        }
        self.row.map_or(Ok(()), |row| write!(f, ", row {row}"))
    }
}

impl std::error::Error for WriteError {}

impl From<WriteError> for arrow_schema::ArrowError {
    fn from(error: WriteError) -> Self {
        Self::ExternalError(Box::new(error))
    }
}
