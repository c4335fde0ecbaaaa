//! [`Views`]: strings and bytes as Arrow's views, which are 16 bytes each and hold what is short themselves.

use super::numbers::Growth;
use arrow_buffer::Buffer;

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

/// The views of a column, and the buffers that they point into.
#[derive(Clone, Debug)]
pub(super) struct Views {
    views: Vec<u128>,
    /// The strings that were copied.
    data: Vec<u8>,
    /// The buffers of the column, as numbers of blocks; [`NO_BUFFER`] stands for `data`.
    buffers: Vec<u32>,
    /// The place of `data` among them.
    own: u32,
    /// The bytes of strings in blocks.
    borrowed: usize,
}

impl Default for Views {
    fn default() -> Self {
        let (views, data, buffers) = Default::default();
        Self { views, data, buffers, own: NO_BUFFER, borrowed: 0 }
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
        u128::from(u64::from(first) | u64::from(last) << (8 * (len - 4)))
    } else if let [first, .., last] = value {
        let middle = value.get(len / 2).copied().unwrap_or(0);
        let (first, middle, last) = (u32::from(*first), u32::from(middle), u32::from(*last));
        u128::from(first | middle << (8 * (len / 2)) | last << (8 * (len - 1)))
    } else {
        value.first().map_or(0, |&byte| u128::from(byte))
    };
    len as u128 | bits << 32
}

/// The view of a longer string: its length, its first bytes, buffer and offset.
#[inline(always)]
fn long_view(value: &[u8], buffer: u32, offset: usize) -> u128 {
    let prefix = value.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let low = value.len() as u64 | u64::from(prefix) << 32;
    let high = u64::from(buffer) | (offset as u64) << 32;
    u128::from(low) | u128::from(high) << 64
}

impl Views {
    /// The number of values that were [appended](Growth::appended).
    pub(super) fn len(&self) -> usize {
        self.views.len()
    }

    /// Sets the value of a row that was made, if nothing has to be copied or made for it; false if it was not set.
    #[inline(always)]
    pub(super) fn set(&mut self, row: usize, value: &[u8], source: Source) -> bool {
        let Some(to) = self.views.get_mut(row) else { return false };
        if value.len() <= MAX_INLINE {
            *to = inline_view(value);
            return true;
        }
        if let Source::Block { number, address } = source
            && self.buffers.last() == Some(&number)
        {
            self.borrowed += value.len();
            let offset = value.as_ptr().addr().wrapping_sub(address);
            *to = long_view(value, self.buffers.len() as u32 - 1, offset);
            return true;
        }
        false
    }

    /// Sets the value of any row; false if there is no room for it.
    pub(super) fn set_slowly(&mut self, row: usize, value: &[u8], source: Source, rows: Rows<'_>) -> bool {
        if self.views.len() <= row {
            let default = self.default_view(rows);
            rows.growth.make(&mut self.views, row, default);
        }
        if let Source::Block { number, .. } = source
            && value.len() > MAX_INLINE
            && self.buffers.last() != Some(&number)
        {
            self.buffers.push(number);
        }
        if self.set(row, value, source) {
            return true;
        }
        match (self.append(value), self.views.get_mut(row)) {
            (Some(view), Some(to)) => *to = view,
            _ => return false,
        }
        true
    }

    /// The view of what rows hold that are left out.
    fn default_view(&mut self, rows: Rows<'_>) -> u128 {
        match rows.default {
            _ if rows.nullable => 0,
            long if long.len() > MAX_INLINE => self.append(long).unwrap_or(0),
            short => inline_view(short),
        }
    }

    /// Copies a long string; `None` if there is no room for it.
    fn append(&mut self, value: &[u8]) -> Option<u128> {
        if self.data.len() + value.len() > MAX_BUFFER {
            return None;
        }
        if self.own == NO_BUFFER {
            self.own = self.buffers.len() as u32;
            self.buffers.push(NO_BUFFER);
        }
        let offset = self.data.len();
        self.data.extend_from_slice(value);
        Some(long_view(value, self.own, offset))
    }

    /// What a row holds, for comparisons with others of the column.
    pub(super) fn key<'t>(&'t self, row: usize, blocks: &'t [Buffer]) -> Key<'t> {
        match self.views.get(row) {
            None => Key::Word(0),
            Some(&view) if view as u32 as usize <= MAX_INLINE => Key::Word(view),
            Some(&view) => Key::Bytes(self.bytes(view, blocks).unwrap_or_default()),
        }
    }

    /// Whether rows differ: true if all but one of them are short and they do.
    pub(super) fn surely_differ(&self, start: usize, end: usize) -> bool {
        let views = self.views.get(start..end).unwrap_or_default();
        if let [a, b] = views {
            return a != b && (*a as u32).min(*b as u32) as usize <= MAX_INLINE;
        }
        let is_long = |view: &&u128| **view as u32 as usize > MAX_INLINE;
        end - start == views.len()
            && views.iter().filter(is_long).count() < 2
            && views.iter().enumerate().all(|(at, view)| !views.iter().take(at).any(|other| other == view))
    }

    /// Copies stay until the batch is finished, unless no view is left.
    pub(super) fn truncate(&mut self, rows: usize) {
        self.views.truncate(rows);
        if rows == 0 {
            self.data.clear();
            self.buffers.clear();
            (self.own, self.borrowed) = (NO_BUFFER, 0);
        }
    }

    /// The bytes of strings in blocks.
    pub(super) fn borrowed(&self) -> usize {
        self.borrowed
    }

    /// Copies the strings that are in blocks.
    pub(super) fn detach(&mut self, blocks: &[Buffer]) {
        if self.borrowed == 0 {
            return;
        }
        let mut copy = Vec::with_capacity(self.borrowed + self.data.len());
        let mut views = std::mem::take(&mut self.views);
        for view in &mut views {
            if *view as u32 as usize > MAX_INLINE {
                let value = self.bytes(*view, blocks).unwrap_or_default();
                let offset = copy.len();
                copy.extend_from_slice(value);
                *view = long_view(value, 0, offset);
            }
        }
        *self = Self { views, data: copy, buffers: vec![NO_BUFFER], own: 0, borrowed: 0 };
    }

    /// The bytes of a long view.
    fn bytes<'t>(&'t self, view: u128, blocks: &'t [Buffer]) -> Option<&'t [u8]> {
        let (len, buffer, offset) = (view as u32 as usize, (view >> 64) as u32, (view >> 96) as usize);
        let number = *self.buffers.get(buffer as usize)?;
        let bytes = if number == NO_BUFFER { &self.data } else { blocks.get(number as usize)?.as_slice() };
        bytes.get(offset..offset + len)
    }

    /// The views of this many rows, and their buffers; an empty column stays.
    pub(super) fn take(&mut self, rows: usize, blocks: &[Buffer], of: Rows<'_>) -> (Vec<u128>, Vec<Buffer>) {
        let default = if self.views.len() < rows { self.default_view(of) } else { 0 };
        let Self { mut views, data, buffers, .. } = std::mem::take(self);
        let views = Growth::take(&mut views, rows, default);
        let mut data = Some(data);
        let buffers = buffers.into_iter().map(|number| match blocks.get(number as usize) {
            Some(block) => block.clone(),
            None => Buffer::from_vec(data.take().unwrap_or_default()),
        });
        (views, buffers.collect())
    }
}

/// What a column says about rows that are left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'t> {
    pub(super) growth: &'t Growth,
    pub(super) default: &'t [u8],
    pub(super) nullable: bool,
}

/// The view of some bytes of a buffer.
pub(super) fn view_of(value: &[u8], buffer: u32, offset: usize) -> u128 {
    if value.len() <= MAX_INLINE { inline_view(value) } else { long_view(value, buffer, offset) }
}
