//! [`ScanError`]: why a file could not be read.

use core::fmt;
use datafusion::error::DataFusionError;
use object_store::path::Path;
use tablepb::DecodeError;
use tablepb_arrow::ErrorKind;

/// Why a file could not be read: the [file](Self::file), the [row](Self::row), its first [byte](Self::offset) and the [kind](Self::kind).
///
/// A query fails with `DataFusionError::External` that holds it. The session can be used on.
///
/// ```
/// use datafusion::error::DataFusionError;
/// use datafusion::prelude::SessionContext;
/// use std::sync::Arc;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_datafusion::{ProtobufFormat, ProtobufOptions, ScanError, ScanErrorKind};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let directory = tempfile::tempdir()?;
/// // The second message has one byte less than its length says.
/// std::fs::write(directory.path().join("a.binpb"), b"\x04\x0a\x02hi\x04\x0a\x02h")?;
/// let context = SessionContext::new();
/// let format = ProtobufFormat::new(&log, ProtobufOptions::new())?;
/// context.register_table("logs", Arc::new(format.table(&format!("{}/", directory.path().display()))?))?;
///
/// # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
/// let failed = context.sql("SELECT line FROM logs").await?.collect().await.unwrap_err();
/// let DataFusionError::External(error) = failed.find_root() else { return Err(failed.into()) };
/// let error = error.downcast_ref::<ScanError>().unwrap();
/// assert!(error.file().ends_with("/a.binpb"));
/// assert_eq!((error.row(), error.offset()), (1, 5));
/// assert!(matches!(error.kind(), ScanErrorKind::Truncated));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScanError {
    file: String,
    row: u64,
    offset: u64,
    kind: ScanErrorKind,
}

/// What is wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ScanErrorKind {
    /// The message is not valid; the error has the byte offset in the message and the path of the field.
    Decode(DecodeError),
    /// The length before the message is not valid: the file does not hold length-delimited messages, or is damaged here.
    Length(DecodeError),
    /// The message is longer than [`ProtobufOptions::max_row_len`](crate::ProtobufOptions::with_max_row_len), in bytes.
    TooLong(usize),
    /// The file ends within the message.
    Truncated,
    /// The row does not fit its columns: a time out of range, or more memory than a row may take.
    Row(String),
}

impl ScanError {
    pub(crate) fn new(file: &Path, row: u64, offset: u64, kind: ScanErrorKind) -> Self {
        Self { file: file.to_string(), row, offset, kind }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ScanErrorKind {
        &self.kind
    }

    /// The path of the file in its store.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The number of the message in the file, from 0.
    #[must_use]
    pub fn row(&self) -> u64 {
        self.row
    }

    /// Where the length of the message starts, in bytes from the start of the file, or of what it is when it is decompressed.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: row {} at byte {}: ", self.file, self.row, self.offset)?;
        match &self.kind {
            ScanErrorKind::Decode(error) => error.fmt(f),
            ScanErrorKind::Length(error) => {
                write!(f, "no valid length: {error}; the file must hold length-delimited messages")
            }
            ScanErrorKind::TooLong(len) => {
                write!(f, "the message has {len} bytes, more than the option max_row_len allows")
            }
            ScanErrorKind::Truncated => f.write_str("the file ends within the message"),
            ScanErrorKind::Row(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ScanError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ScanErrorKind::Decode(error) | ScanErrorKind::Length(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ScanError> for DataFusionError {
    fn from(error: ScanError) -> Self {
        Self::External(Box::new(error))
    }
}

/// What the reader of columns found wrong with a row.
pub(crate) fn row_error(error: &tablepb_arrow::Error) -> ScanErrorKind {
    match error.kind() {
        ErrorKind::Decode(error) => ScanErrorKind::Decode(error.clone()),
        ErrorKind::TimeOutOfRange => ScanErrorKind::Row("a time does not fit its column".into()),
        ErrorKind::BudgetExceeded => ScanErrorKind::Row("the row takes more memory than it may".into()),
        _ => ScanErrorKind::Row(error.to_string()),
    }
}
