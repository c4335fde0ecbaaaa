//! [`Error`]: why reading stopped.

use arrow_schema::{ArrowError, DataType};
use core::fmt;
use tablepb::{DecodeError, ParseError};

/// Why reading stopped: the [kind](Self::kind), and the [row](Self::row) at fault.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    row: u64,
    consumed: usize,
}

/// What is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The message is not valid; the error has the kind, the byte offset in the message and the path of the field.
    Decode(DecodeError),
    /// A [time](crate::mapping::Options::well_known) does not fit its column.
    TimeOutOfRange,
    /// A message that is to be [JSON](crate::mapping::Recursive::Json) has no JSON form.
    NoJson,
    /// The row takes more memory than [`DecodeOptions::budget`](tablepb::DecodeOptions::budget) allows, or is longer than
    /// [`max_row_len`](super::ReaderBuilder::max_row_len).
    BudgetExceeded,
    /// The columns of the batch would take more memory than [`columns_budget`](super::ReaderBuilder::columns_budget) allows. The batch is full, and has the rows
    /// before this one, which is the first of the next batch.
    ColumnsBudget,
    /// A length prefix is not valid. What comes after it has no known start.
    Frame(DecodeError),
    /// The input ends within a row.
    Incomplete,
    /// No schema has this id, or its file has no such message: see [`SchemaStore`](super::SchemaStore).
    UnknownSchema(u32),
    /// The record holds a message of another type.
    ForeignType(String),
    /// A column of this type, which is not one of [those](super::ArrayDecoder) that hold messages.
    NotMessages(DataType),
    /// A column of this type, where one of text is asked for.
    NotText(DataType),
    /// A text is not the JSON of a message; the error has line and column, and the path of the field.
    Json(ParseError),
    /// The source failed.
    Io(std::io::Error),
    /// Arrow refused the columns; the rows of the batch are lost.
    Arrow(ArrowError),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, row: u64) -> Self {
        Self { kind, row, consumed: 0 }
    }

    pub(super) fn after(mut self, consumed: usize) -> Self {
        self.consumed = consumed;
        self
    }

    /// As [`after`](Self::after) a row, if it was taken.
    pub(super) fn after_row(self, consumed: usize) -> Self {
        if self.takes_row() { self.after(consumed) } else { self }
    }

    /// Whether the row at fault was left out, or else is to come again.
    pub(super) fn takes_row(&self) -> bool {
        !matches!(self.kind, ErrorKind::ColumnsBudget)
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The number of the message, from 0, in the order in which the decoder got them; bad ones count.
    #[must_use]
    pub fn row(&self) -> u64 {
        self.row
    }

    /// How many bytes of the input of the call were taken, the bad row included. What comes after them may go to the next call.
    #[must_use]
    pub fn consumed(&self) -> usize {
        self.consumed
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A column as a whole has no row at fault.
        if !matches!(self.kind, ErrorKind::NotMessages(_) | ErrorKind::NotText(_)) {
            write!(f, "row {}: ", self.row)?;
        }
        match &self.kind {
            ErrorKind::Decode(error) => error.fmt(f),
            ErrorKind::TimeOutOfRange => f.write_str("a time does not fit its column"),
            ErrorKind::NoJson => f.write_str("a message has no JSON form"),
            ErrorKind::BudgetExceeded => f.write_str("the row takes more memory than it may"),
            ErrorKind::ColumnsBudget => f.write_str(
                "the columns of the batch would take more memory than they may: select fewer fields, allow less recursion, make smaller batches or raise columns_budget",
            ),
            ErrorKind::Frame(error) => write!(f, "length prefix: {error}"),
            ErrorKind::Incomplete => f.write_str("the input ends within the row"),
            ErrorKind::UnknownSchema(id) => write!(f, "no message type for schema {id}"),
            ErrorKind::ForeignType(name) => write!(f, "a message of another type, {name}"),
            ErrorKind::NotMessages(data_type) => {
                write!(f, "a column of type {data_type}, and not bytes")
            }
            ErrorKind::NotText(data_type) => write!(f, "a column of type {data_type}, and not text"),
            ErrorKind::Json(error) => error.fmt(f),
            ErrorKind::Io(error) => error.fmt(f),
            ErrorKind::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Decode(error) | ErrorKind::Frame(error) => Some(error),
            ErrorKind::Json(error) => Some(error),
            ErrorKind::Io(error) => Some(error),
            ErrorKind::Arrow(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        match error.kind {
            ErrorKind::Arrow(error) => error,
            ErrorKind::Io(source) => Self::IoError(source.to_string(), source),
            _ => Self::ExternalError(Box::new(error)),
        }
    }
}
