//! [`Gathered`]: columns of bytes that come in pieces.

use super::bits::Bits;
use super::numbers::size_of;
use super::views::{MAX_BUFFER, view_of};
use super::zeros::Zeros;
use arrow_array::{ArrayRef, BinaryArray, BinaryViewArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// A column of unknown fields, or of messages that are cut off: what comes for one row is put together, if it is no JSON.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    starts: Vec<i32>,
    data: Vec<u8>,
    valid: Bits,
    nullable: bool,
    views: bool,
    json: bool,
    /// The value of a row for which nothing came, which is not null.
    absent: Vec<u8>,
}

impl Gathered {
    pub(crate) fn new(views: bool, nullable: bool, json: bool, absent: Vec<u8>) -> Self {
        Self { views, nullable, json, absent, ..Self::default() }
    }

    /// Whether its values are the JSON of messages.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Appends to a row, which is the last one, or comes after it; false if there is no room.
    pub(crate) fn append(&mut self, row: usize, pieces: [&[u8]; 2]) -> bool {
        let absent = self.absent.len() * row.saturating_sub(self.starts.len());
        if self.data.len() + absent + pieces[0].len() + pieces[1].len() > MAX_BUFFER {
            return false;
        }
        if self.starts.len() <= row {
            self.fill(row);
            self.starts.push(self.data.len() as i32);
        }
        pieces.iter().for_each(|piece| self.data.extend_from_slice(piece));
        if self.nullable {
            self.valid.set(row);
        }
        true
    }

    /// Makes so many rows.
    fn fill(&mut self, rows: usize) {
        if self.absent.is_empty() {
            self.starts.resize(rows.max(self.starts.len()), self.data.len() as i32);
        }
        while self.starts.len() < rows {
            self.starts.push(self.data.len() as i32);
            self.data.extend_from_slice(&self.absent);
        }
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.valid.truncate(rows);
        if let Some(&start) = self.starts.get(rows) {
            self.data.truncate(start as usize);
            self.starts.truncate(rows);
        }
    }

    /// The bytes that it takes in a batch of this many rows: offsets, and then views beside them.
    pub(crate) fn size(&self, rows: usize) -> usize {
        let starts = size_of(&self.starts, rows, true);
        let views = if self.views { 4 * starts } else { 0 };
        views + starts + self.data.capacity() + self.valid.size()
    }

    /// The column with this many rows; an empty one stays.
    ///
    /// # Errors
    /// If Arrow refuses the values.
    pub(crate) fn take(&mut self, rows: usize, zeros: &mut Zeros) -> Result<ArrayRef, ArrowError> {
        let absent = self.absent.len().saturating_mul(rows.saturating_sub(self.starts.len()));
        if absent > 0 {
            if self.data.len().saturating_add(absent) > MAX_BUFFER {
                return Err(ArrowError::OffsetOverflowError(absent));
            }
            self.fill(rows);
        }
        let (mut offsets, data) = (std::mem::take(&mut self.starts), std::mem::take(&mut self.data));
        let nulls = if self.nullable { self.valid.take_nulls(rows, zeros) } else { None };
        if offsets.is_empty() {
            return zeros.array((rows, self.views, self.nullable, self.json), |zeros| match self.views {
                true => self.views(zeros.get(rows), Vec::new(), nulls),
                false => self.bytes(OffsetBuffer::new(zeros.get(rows + 1)), data, nulls),
            });
        }
        offsets.resize(rows + 1, data.len() as i32);
        if !self.views {
            return self.bytes(OffsetBuffer::new(offsets.into()), data, nulls);
        }
        let view = |pair: &[i32]| match *pair {
            [start, end] => {
                let value = data.get(start as usize..end as usize).unwrap_or_default();
                view_of(value, 0, start as usize)
            }
            _ => 0,
        };
        let views = offsets.windows(2).map(view).collect();
        self.views(views, vec![Buffer::from_vec(data)], nulls)
    }

    fn views(
        &self,
        views: ScalarBuffer<u128>,
        data: Vec<Buffer>,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        Ok(match self.json {
            true => Arc::new(StringViewArray::try_new(views, data, nulls)?),
            false => Arc::new(BinaryViewArray::try_new(views, data, nulls)?),
        })
    }

    fn bytes(
        &self,
        offsets: OffsetBuffer<i32>,
        data: Vec<u8>,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        Ok(match self.json {
            true => Arc::new(StringArray::try_new(offsets, data.into(), nulls)?),
            false => Arc::new(BinaryArray::try_new(offsets, data.into(), nulls)?),
        })
    }
}
