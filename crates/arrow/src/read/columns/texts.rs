//! [`Texts`]: columns of strings and bytes.

use super::bits::Bits;
use super::numbers::{Growth, size_of};
use super::views::{Key, MAX_BUFFER, Rows, Source, Views};
use super::zeros::Zeros;
use crate::fence::arrays;
use arrow_array::{ArrayRef, BinaryArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::ArrowError;
use std::sync::Arc;
use tablepb::wire::utf8;

/// A column of strings or bytes.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    store: Store,
    valid: Bits,
    nullable: bool,
    /// All values came as `str`, and the default is one.
    is_utf8: bool,
    growth: Growth,
    default: Box<[u8]>,
}

/// Whether a value was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextSet {
    Done,
    /// It is no `str`.
    Invalid,
    /// It does not fit.
    Full,
}

#[derive(Clone, Debug)]
enum Store {
    Views(Views),
    Offsets {
        /// Where each value starts.
        starts: Vec<i32>,
        data: Vec<u8>,
    },
}

impl Store {
    fn new(views: bool) -> Self {
        if views {
            Self::Views(Views::default())
        } else {
            Self::Offsets { starts: Vec::new(), data: Vec::new() }
        }
    }
}

impl Texts {
    pub(crate) fn new(views: bool, nullable: bool, default: &[u8], growth: Growth) -> Self {
        let is_utf8 = std::str::from_utf8(default).is_ok();
        Self {
            store: Store::new(views),
            valid: Bits::default(),
            nullable,
            is_utf8,
            growth,
            default: default.into(),
        }
    }

    /// The number of values that were [appended](Growth::appended).
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.store {
            Store::Views(views) => views.len(),
            Store::Offsets { starts, .. } => starts.len(),
        }
    }

    /// The length of what rows hold that are left out.
    pub(crate) fn default_len(&self) -> usize {
        if self.nullable { 0 } else { self.default.len() }
    }

    /// Sets the value of a row, which is the last one, or comes after it; false if it does not fit.
    #[inline(always)]
    pub(crate) fn set_bytes(&mut self, row: usize, value: &[u8], source: Source) -> bool {
        self.is_utf8 = false;
        self.set(row, value, source)
    }

    /// As [`set_bytes`](Self::set_bytes).
    #[inline(always)]
    pub(crate) fn set_str(&mut self, row: usize, value: &str, source: Source) -> bool {
        self.set(row, value.as_bytes(), source)
    }

    /// Sets the value of a row to the first `len` bytes of `rest`, which are checked to be a `str` if they are `text`.
    #[inline(always)]
    pub(crate) fn set_prefix(
        &mut self,
        row: usize,
        rest: &[u8],
        len: usize,
        source: &Source,
        text: bool,
    ) -> TextSet {
        let value = if text {
            match utf8::from_prefix(rest, len) {
                Some(text) => text.as_bytes(),
                None => return TextSet::Invalid,
            }
        } else {
            self.is_utf8 = false;
            match rest.get(..len) {
                Some(bytes) => bytes,
                None => return TextSet::Invalid,
            }
        };
        if self.nullable {
            self.valid.set(row);
        }
        if let Store::Views(views) = &mut self.store
            && views.set_prefix(row, rest, len, source)
        {
            return TextSet::Done;
        }
        match self.set_slowly(row, value, *source) {
            true => TextSet::Done,
            false => TextSet::Full,
        }
    }

    #[inline(always)]
    fn set(&mut self, row: usize, value: &[u8], source: Source) -> bool {
        if self.nullable {
            self.valid.set(row);
        }
        if let Store::Views(views) = &mut self.store
            && views.set(row, value, source)
        {
            return true;
        }
        self.set_slowly(row, value, source)
    }

    /// Sets the value of a row, which is the last one, or comes after it, to a string that many rows have, by its number. Gives the
    /// bytes that were copied for this row alone; `None` if it does not fit.
    #[inline]
    pub(crate) fn set_shared(&mut self, row: usize, value: &str, number: usize) -> Option<usize> {
        if self.nullable {
            self.valid.set(row);
        }
        let Self { store, growth, default, nullable, .. } = self;
        match store {
            Store::Views(views) => {
                let rows = Rows { growth, default, nullable: *nullable };
                views.set_shared(row, value.as_bytes(), number, rows).then_some(0)
            }
            Store::Offsets { .. } => {
                self.set_slowly(row, value.as_bytes(), Source::Copied).then_some(value.len())
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn set_slowly(&mut self, row: usize, value: &[u8], source: Source) -> bool {
        let Self { store, growth, default, nullable, .. } = self;
        match store {
            Store::Views(views) => {
                let rows = Rows { growth, default, nullable: *nullable };
                return views.set_slowly(row, value, source, rows);
            }
            Store::Offsets { starts, data } => {
                if starts.len() < row {
                    fill(starts, data, row, if *nullable { b"" } else { default });
                }
                if let Some(&start) = starts.get(row) {
                    data.truncate(start as usize);
                    starts.truncate(row);
                }
                if data.len() + value.len() > MAX_BUFFER {
                    return false;
                }
                growth.one_by_one().make(starts, row, data.len() as i32);
                data.extend_from_slice(value);
            }
        }
        true
    }

    /// Makes sure that a row has a value: what it has, or the default.
    pub(crate) fn touch(&mut self, row: usize) {
        if self.len() <= row || self.nullable && !self.valid.get(row) {
            let default = std::mem::take(&mut self.default);
            self.set(row, &default, Source::Copied);
            self.default = default;
        }
    }

    /// What a row holds, for comparisons with others of the column.
    pub(crate) fn key<'t>(&'t self, row: usize, blocks: &'t [Buffer]) -> Key<'t> {
        match &self.store {
            Store::Views(views) => views.key(row, blocks),
            Store::Offsets { starts, data } => {
                let start = starts.get(row).map_or(data.len(), |&start| start as usize);
                let end = starts.get(row + 1).map_or(data.len(), |&end| end as usize);
                Key::Bytes(data.get(start..end).unwrap_or_default())
            }
        }
    }

    /// Whether some rows differ, if that is seen without much ado; false if it is not.
    pub(crate) fn surely_differ(&self, start: usize, end: usize) -> bool {
        match &self.store {
            Store::Views(views) => views.surely_differ(start, end),
            Store::Offsets { .. } => false,
        }
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.valid.truncate(rows);
        match &mut self.store {
            Store::Views(views) => views.truncate(rows),
            Store::Offsets { starts, data } => {
                if let Some(&start) = starts.get(rows) {
                    data.truncate(start as usize);
                    starts.truncate(rows);
                }
            }
        }
    }

    /// The bytes of strings in blocks.
    pub(crate) fn borrowed(&self) -> usize {
        match &self.store {
            Store::Views(views) => views.borrowed(),
            Store::Offsets { .. } => 0,
        }
    }

    /// Copies the strings that are in blocks.
    pub(crate) fn detach(&mut self, blocks: &[Buffer]) {
        if let Store::Views(views) = &mut self.store {
            views.detach(blocks);
        }
    }

    /// The bytes that it takes in a batch of this many rows.
    pub(crate) fn size(&self, rows: usize) -> usize {
        let store = match &self.store {
            Store::Views(views) => views.size(rows, self.default_len() == 0),
            Store::Offsets { starts, data } => {
                // Rows that are left out are filled with the default when the batch is finished.
                let left_out = rows.saturating_sub(starts.len()) * self.default_len();
                size_of(starts, rows, left_out == 0) + data.capacity() + left_out
            }
        };
        store + self.valid.size()
    }

    /// The column with this many rows, as strings or as bytes; an empty one stays.
    ///
    /// # Errors
    /// If Arrow refuses the values.
    #[allow(unsafe_code)]
    pub(crate) fn take(
        &mut self,
        rows: usize,
        blocks: &[Buffer],
        utf8: bool,
        zeros: &mut Zeros,
    ) -> Result<ArrayRef, ArrowError> {
        let nulls = if self.nullable { self.valid.take_nulls(rows, zeros) } else { None };
        let is_utf8 = std::mem::replace(&mut self.is_utf8, std::str::from_utf8(&self.default).is_ok());
        let default: &[u8] = if self.nullable { b"" } else { &self.default };
        match &mut self.store {
            Store::Views(store) => {
                let of = Rows { growth: &self.growth, default, nullable: self.nullable };
                let any = store.len() > 0;
                let (views, buffers) = store.take(rows, blocks, of, zeros);
                if any {
                    self.growth = self.growth.again(rows);
                }
                Ok(match (utf8, is_utf8) {
                    // SAFETY: `Views` made each view of a value and of its place, in copies or in a block, which is at its number
                    // among the blocks of the batch until this is done.
                    (false, _) => Arc::new(unsafe { arrays::binary_views(views, buffers, nulls)? }),
                    // SAFETY: as before, and all values were `str`.
                    (true, true) => Arc::new(unsafe { arrays::string_views(views, buffers, nulls)? }),
                    (true, false) => Arc::new(StringViewArray::try_new(views, buffers, nulls)?),
                })
            }
            Store::Offsets { starts, data } => {
                let (mut starts, mut data) = (std::mem::take(starts), std::mem::take(data));
                let offsets = if starts.is_empty() && default.is_empty() {
                    data.clear();
                    zeros.get(rows + 1)
                } else {
                    fill(&mut starts, &mut data, rows, default);
                    starts.push(data.len() as i32);
                    self.growth = self.growth.again(rows + 1);
                    starts.into()
                };
                let offsets = OffsetBuffer::new(offsets);
                let data = Buffer::from_vec(data);
                Ok(match (utf8, is_utf8) {
                    (false, _) => Arc::new(BinaryArray::try_new(offsets, data, nulls)?),
                    (true, false) => Arc::new(StringArray::try_new(offsets, data, nulls)?),
                    // SAFETY: `data` is one `str` after the other, each of which starts at its offset.
                    (true, true) => Arc::new(unsafe { arrays::strings(offsets, data, nulls)? }),
                })
            }
        }
    }
}

/// Fills rows with a value.
fn fill(starts: &mut Vec<i32>, data: &mut Vec<u8>, rows: usize, value: &[u8]) {
    while !value.is_empty() && starts.len() < rows && data.len() + value.len() <= MAX_BUFFER {
        starts.push(data.len() as i32);
        data.extend_from_slice(value);
    }
    starts.resize(rows, data.len() as i32);
}
