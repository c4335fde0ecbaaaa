//! [`Messages`]: the values of a column, by rows.

use super::error::{Error, ErrorKind};
use crate::texts::Texts;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::DataType;

/// The values of a column of bytes, by rows: `Binary`, `LargeBinary`, `BinaryView`, `FixedSizeBinary`, and dictionaries of these.
///
/// ```
/// use arrow_array::BinaryViewArray;
/// use tablepb_arrow::Messages;
///
/// let column = BinaryViewArray::from_iter([Some(b"\x08\x07"), None]);
/// let messages = Messages::new(&column)?;
/// assert_eq!((messages.len(), messages.get(0), messages.get(1)), (2, Some(&b"\x08\x07"[..]), None));
/// # Ok::<(), tablepb_arrow::Error>(())
/// ```
#[derive(Debug)]
pub struct Messages<'a> {
    texts: Texts<'a>,
    /// Of a dictionary the place of each row's message.
    keys: Option<Vec<usize>>,
    nulls: Option<NullBuffer>,
    rows: usize,
}

impl<'a> Messages<'a> {
    /// The values of a column. Of a dictionary, the place of each value is found once.
    ///
    /// # Errors
    /// `NotMessages`: the column is of another type.
    pub fn new(column: &'a dyn Array) -> Result<Self, Error> {
        Self::of(column, false)
            .ok_or_else(|| Error::new(ErrorKind::NotMessages(column.data_type().clone()), 0))
    }

    /// A column of strings.
    pub(crate) fn of_text(column: &'a dyn Array) -> Result<Self, Error> {
        Self::of(column, true).ok_or_else(|| Error::new(ErrorKind::NotText(column.data_type().clone()), 0))
    }

    fn of(column: &'a dyn Array, text: bool) -> Option<Self> {
        let (values, keys) = match column.as_any_dictionary_opt() {
            Some(dictionary) if dictionary.values().is_empty() => (dictionary.values().as_ref(), None),
            Some(dictionary) => (dictionary.values().as_ref(), Some(dictionary.normalized_keys())),
            None => (column, None),
        };
        let is_text = matches!(values.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let texts = Texts::new(values).filter(|_| is_text == text)?;
        Some(Self { texts, keys, nulls: column.logical_nulls(), rows: column.len() })
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The value of a row; `None` if the row is null.
    ///
    /// # Panics
    /// There is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        self.with_buffer(row).map(|(message, _)| message)
    }

    /// The message of a row and the buffer that it is in; `None` if the row is null.
    #[inline]
    pub(crate) fn with_buffer(&self, row: usize) -> Option<(&'a [u8], Option<&'a Buffer>)> {
        if self.is_null(row) {
            return None;
        }
        let at = self.keys.as_ref().map_or(row, |keys| keys[row]);
        Some((self.texts.get(at), self.texts.buffer(at)))
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Which of these rows are not null, if one may be.
    pub(crate) fn valid(&self, rows: std::ops::Range<usize>) -> Option<NullBuffer> {
        self.nulls.as_ref().map(|nulls| nulls.slice(rows.start, rows.len()))
    }

    /// The bytes of all messages.
    pub(crate) fn bytes(&self) -> usize {
        (0..self.rows).filter_map(|row| self.get(row)).map(<[u8]>::len).sum()
    }
}
