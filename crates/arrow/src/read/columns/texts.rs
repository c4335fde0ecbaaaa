//! [`Texts`]: columns of strings and bytes.

use super::bits::Bits;
use arrow_array::{ArrayRef, BinaryArray, BinaryViewArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// The most bytes that one buffer holds: offsets in Arrow are 32 bits with a sign.
pub(crate) const MAX_BUFFER: usize = i32::MAX as usize;
/// The longest string that a view holds itself.
const MAX_INLINE: usize = 12;
/// No buffer yet.
const NO_BUFFER: u32 = u32::MAX;

/// Where the strings of the message come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// They are copied.
    Copied,
    /// A block that the batch keeps: its number, and the address of its first byte.
    Block { number: u32, address: usize },
}

/// The key of an entry of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key<'t> {
    /// A number, or a short string as a view.
    Word(u128),
    Bytes(&'t [u8]),
}

/// A column of strings or bytes.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    store: Store,
    valid: Bits,
    nullable: bool,
    default: Box<[u8]>,
    hint: usize,
}

#[derive(Clone, Debug)]
enum Store {
    Views {
        views: Vec<u128>,
        /// The strings that were copied.
        data: Vec<u8>,
        /// The buffers of the column, as numbers of blocks; [`NO_BUFFER`] stands for `data`.
        buffers: Vec<u32>,
        /// The place of `data` among them.
        own: u32,
        /// The bytes of strings in blocks.
        borrowed: usize,
    },
    Offsets {
        /// Where each value starts.
        starts: Vec<i32>,
        data: Vec<u8>,
    },
}

impl Store {
    fn new(views: bool) -> Self {
        if views {
            let (views, data, buffers) = Default::default();
            Self::Views { views, data, buffers, own: NO_BUFFER, borrowed: 0 }
        } else {
            Self::Offsets { starts: Vec::new(), data: Vec::new() }
        }
    }
}

/// The view of a string of at most twelve bytes.
#[inline(always)]
fn inline_view(value: &[u8]) -> u128 {
    let len = value.len();
    // Two reads that overlap: a copy of unknown length is a call.
    let bits = if let (Some(first), Some(last)) = (value.first_chunk(), value.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << (8 * (len - 8))
    } else if let (Some(first), Some(last)) = (value.first_chunk(), value.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << (8 * (len - 4))
    } else if let [first, .., last] = value {
        let middle = value.get(len / 2).copied().unwrap_or(0);
        u128::from(*first) | u128::from(middle) << (8 * (len / 2)) | u128::from(*last) << (8 * (len - 1))
    } else {
        value.first().map_or(0, |&byte| u128::from(byte))
    };
    len as u128 | bits << 32
}

/// The view of a longer string: its length, its first bytes, buffer and offset.
#[inline(always)]
fn long_view(value: &[u8], buffer: u32, offset: usize) -> u128 {
    let prefix = value.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    value.len() as u128 | u128::from(prefix) << 32 | u128::from(buffer) << 64 | (offset as u128) << 96
}

impl Texts {
    pub(crate) fn new(views: bool, nullable: bool, default: &[u8], hint: usize) -> Self {
        Self { store: Store::new(views), valid: Bits::default(), nullable, default: default.into(), hint }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.store {
            Store::Views { views, .. } => views.len(),
            Store::Offsets { starts, .. } => starts.len(),
        }
    }

    /// Sets the value of a row, which is the last one, or comes after it; false if it does not fit.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, value: &[u8], source: Source) -> bool {
        if self.nullable {
            self.valid.set(row);
        }
        if let Store::Views { views, .. } = &mut self.store
            && value.len() <= MAX_INLINE
            && views.len() == row
            && views.capacity() > row
        {
            views.push(inline_view(value));
            return true;
        }
        self.set_slowly(row, value, source)
    }

    #[inline(never)]
    fn set_slowly(&mut self, row: usize, value: &[u8], source: Source) -> bool {
        self.fill(row);
        let hint = self.hint;
        match &mut self.store {
            Store::Views { views, data, buffers, own, borrowed } => {
                let view = if value.len() <= MAX_INLINE {
                    inline_view(value)
                } else if let Source::Block { number, address } = source {
                    if buffers.last() != Some(&number) {
                        buffers.push(number);
                    }
                    *borrowed += value.len();
                    long_view(value, buffers.len() as u32 - 1, value.as_ptr().addr().wrapping_sub(address))
                } else {
                    match append_long(data, buffers, own, value) {
                        Some(view) => view,
                        None => return false,
                    }
                };
                match views.get_mut(row) {
                    Some(last) => *last = view,
                    None => {
                        if views.capacity() == 0 {
                            views.reserve_exact(hint.max(1));
                        }
                        views.push(view);
                    }
                }
            }
            Store::Offsets { starts, data } => {
                if let Some(&start) = starts.get(row) {
                    data.truncate(start as usize);
                    starts.truncate(row);
                }
                if data.len() + value.len() > MAX_BUFFER {
                    return false;
                }
                if starts.capacity() == 0 {
                    starts.reserve_exact(hint.max(1) + 1);
                }
                starts.push(data.len() as i32);
                data.extend_from_slice(value);
            }
        }
        true
    }

    /// Fills rows with the default.
    fn fill(&mut self, rows: usize) {
        if self.len() >= rows {
            return;
        }
        let nullable = self.nullable;
        match &mut self.store {
            Store::Views { views, data, buffers, own, .. } => {
                let view = match &*self.default {
                    long if long.len() > MAX_INLINE && !nullable => {
                        append_long(data, buffers, own, long).unwrap_or(0)
                    }
                    short if !nullable => inline_view(short),
                    _ => 0,
                };
                if views.capacity() < rows {
                    views.reserve_exact(self.hint.max(rows).max(2 * views.len()) - views.len());
                }
                views.resize(rows, view);
            }
            Store::Offsets { starts, data } => {
                if starts.capacity() < rows {
                    starts.reserve_exact(self.hint.max(rows).max(2 * starts.len()) + 1 - starts.len());
                }
                if nullable || self.default.is_empty() {
                    return starts.resize(rows, data.len() as i32);
                }
                while starts.len() < rows && data.len() + self.default.len() <= MAX_BUFFER {
                    starts.push(data.len() as i32);
                    data.extend_from_slice(&self.default);
                }
                starts.resize(rows, data.len() as i32);
            }
        }
    }

    /// Makes sure that a row has a value: what it has, or the default.
    pub(crate) fn touch(&mut self, row: usize) {
        if self.len() <= row {
            let default = std::mem::take(&mut self.default);
            self.set(row, &default, Source::Copied);
            self.default = default;
        }
    }

    /// What a row holds, for comparisons with others of the column.
    pub(crate) fn key<'t>(&'t self, row: usize, blocks: &'t [Buffer]) -> Key<'t> {
        match &self.store {
            Store::Views { views, data, buffers, .. } => match views.get(row) {
                None => Key::Word(0),
                Some(&view) if view as u32 as usize <= MAX_INLINE => Key::Word(view),
                Some(&view) => Key::Bytes(long_bytes(view, data, buffers, blocks).unwrap_or_default()),
            },
            Store::Offsets { starts, data } => {
                let start = starts.get(row).map_or(data.len(), |&start| start as usize);
                let end = starts.get(row + 1).map_or(data.len(), |&end| end as usize);
                Key::Bytes(data.get(start..end).unwrap_or_default())
            }
        }
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.valid.truncate(rows);
        match &mut self.store {
            // Copies stay in `data` until the batch is finished, unless no view is left.
            Store::Views { views, data, buffers, own, borrowed } => {
                views.truncate(rows);
                if rows == 0 {
                    data.clear();
                    buffers.clear();
                    (*own, *borrowed) = (NO_BUFFER, 0);
                }
            }
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
            Store::Views { borrowed, .. } => *borrowed,
            Store::Offsets { .. } => 0,
        }
    }

    /// Copies the strings that are in blocks.
    pub(crate) fn detach(&mut self, blocks: &[Buffer]) {
        if let Store::Views { views, data, buffers, own, borrowed } = &mut self.store {
            let mut copy = Vec::with_capacity(*borrowed + data.len());
            for view in views.iter_mut() {
                if *view as u32 as usize > MAX_INLINE {
                    let value = long_bytes(*view, data, buffers, blocks).unwrap_or_default();
                    let offset = copy.len();
                    copy.extend_from_slice(value);
                    *view = long_view(value, 0, offset);
                }
            }
            (*data, *buffers, *own, *borrowed) = (copy, vec![NO_BUFFER], 0, 0);
        }
    }

    /// The column with this many rows; an empty one stays.
    ///
    /// # Errors
    /// If Arrow refuses the values.
    pub(crate) fn take(
        &mut self,
        rows: usize,
        blocks: &[Buffer],
        utf8: bool,
    ) -> Result<ArrayRef, ArrowError> {
        self.fill(rows);
        self.hint = rows;
        let nulls = if self.nullable { self.valid.take_nulls(rows) } else { None };
        let is_views = matches!(self.store, Store::Views { .. });
        match std::mem::replace(&mut self.store, Store::new(is_views)) {
            Store::Views { views, data, buffers, .. } => {
                let mut data = Some(data);
                let buffers: Vec<Buffer> = buffers
                    .into_iter()
                    .map(|number| match blocks.get(number as usize) {
                        Some(block) => block.clone(),
                        None => Buffer::from_vec(data.take().unwrap_or_default()),
                    })
                    .collect();
                take_views(views, buffers, nulls, utf8)
            }
            Store::Offsets { mut starts, data } => {
                starts.push(data.len() as i32);
                let offsets = OffsetBuffer::new(starts.into());
                let data = Buffer::from_vec(data);
                Ok(if utf8 {
                    Arc::new(StringArray::try_new(offsets, data, nulls)?)
                } else {
                    Arc::new(BinaryArray::try_new(offsets, data, nulls)?)
                })
            }
        }
    }
}

/// An array of views.
pub(crate) fn take_views(
    mut views: Vec<u128>,
    buffers: Vec<Buffer>,
    nulls: Option<NullBuffer>,
    utf8: bool,
) -> Result<ArrayRef, ArrowError> {
    if views.capacity() - views.len() > views.len() / 8 + 64 {
        views.shrink_to_fit();
    }
    let views = ScalarBuffer::from(views);
    Ok(if utf8 {
        Arc::new(StringViewArray::try_new(views, buffers, nulls)?)
    } else {
        Arc::new(BinaryViewArray::try_new(views, buffers, nulls)?)
    })
}

/// The view of some bytes of a buffer.
pub(crate) fn view_of(value: &[u8], buffer: u32, offset: usize) -> u128 {
    if value.len() <= MAX_INLINE { inline_view(value) } else { long_view(value, buffer, offset) }
}

/// Copies a long string; `None` if there is no room for it.
fn append_long(data: &mut Vec<u8>, buffers: &mut Vec<u32>, own: &mut u32, value: &[u8]) -> Option<u128> {
    if data.len() + value.len() > MAX_BUFFER {
        return None;
    }
    if *own == NO_BUFFER {
        *own = buffers.len() as u32;
        buffers.push(NO_BUFFER);
    }
    let offset = data.len();
    data.extend_from_slice(value);
    Some(long_view(value, *own, offset))
}

/// The bytes of a long view.
fn long_bytes<'t>(view: u128, data: &'t [u8], buffers: &[u32], blocks: &'t [Buffer]) -> Option<&'t [u8]> {
    let (len, buffer, offset) = (view as u32 as usize, (view >> 64) as u32, (view >> 96) as usize);
    let number = *buffers.get(buffer as usize)?;
    let bytes = if number == NO_BUFFER { data } else { blocks.get(number as usize)?.as_slice() };
    bytes.get(offset..offset + len)
}
