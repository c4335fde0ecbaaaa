//! [`Views`]: strings and bytes as Arrow's views, which are 16 bytes each and hold what is short themselves.

use super::numbers::{Growth, Spare, size_of};
use super::zeros::Zeros;
use arrow_buffer::{Buffer, ScalarBuffer};
use std::collections::HashMap;

/// The most bytes that one buffer holds: offsets in Arrow are 32 bits with a sign. Unit tests fill smaller ones.
pub(crate) const MAX_BUFFER: usize = if cfg!(test) { 64 << 10 } else { i32::MAX as usize };
/// The longest string that a view holds itself.
const MAX_INLINE: usize = 12;
/// Names of numbers below this are found in a list, others in a map.
const FEW: usize = 256;
/// Which bits of the words of a view are those of the string itself, and which those of its place.
#[derive(Clone, Copy)]
struct Mask {
    low: u64,
    inline: u64,
    place: u64,
}

/// Of each length of an inline string its mask, and after them that of longer strings.
const MASKS: [Mask; MAX_INLINE + 2] = {
    let mut masks = [Mask { low: u64::MAX << 32, inline: 0, place: u64::MAX }; MAX_INLINE + 2];
    let mut len = 0;
    while len <= MAX_INLINE {
        let low = if len < 4 { (1u64 << (8 * len)) - 1 } else { 0xffff_ffff };
        let inline = if len < 5 { 0 } else { u64::MAX >> (8 * (MAX_INLINE - len)) };
        masks[len] = Mask { low: low << 32, inline, place: 0 };
        len += 1;
    }
    masks
};
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
    spare: Spare,
    /// The strings that were copied.
    data: Vec<u8>,
    /// The buffers of the column, as numbers of blocks; [`NO_BUFFER`] stands for `data`.
    buffers: Vec<u32>,
    /// The place of `data` among them.
    own: u32,
    /// The bytes of strings in blocks.
    borrowed: usize,
    /// The views of strings that many rows have, as far as they are in `data`: the default, then others by number; 0 is none.
    shared: Vec<u128>,
    /// Those of numbers from [`FEW`] on: one alone would take a list of all before it.
    rare: HashMap<usize, u128>,
}

impl Default for Views {
    fn default() -> Self {
        let (views, spare, data, buffers, shared, rare) = Default::default();
        Self { views, spare, data, buffers, own: NO_BUFFER, borrowed: 0, shared, rare }
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

/// The length of a long string, the number of its buffer and its offset there.
fn place(view: u128) -> (usize, usize, usize) {
    (view as u32 as usize, (view >> 64) as u32 as usize, (view >> 96) as usize)
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

    /// As [`set`](Self::set), for the first `len` bytes of `rest`. No branch depends on `len` where strings are in blocks.
    #[inline(always)]
    pub(super) fn set_prefix(&mut self, row: usize, rest: &[u8], len: usize, source: &Source) -> bool {
        let (Some(to), Some(first)) = (self.views.get_mut(row), rest.first_chunk::<16>()) else {
            return false;
        };
        let word = u128::from_le_bytes(*first);
        let Some(mask) = MASKS.get(len.min(MAX_INLINE + 1)) else { return false };
        let mut high = (word >> 32) as u64 & mask.inline;
        match *source {
            Source::Block { number, address } if self.buffers.last() == Some(&number) => {
                let offset = rest.as_ptr().addr().wrapping_sub(address);
                let place = (self.buffers.len() as u64 - 1) | (offset as u64) << 32;
                high |= place & mask.place;
                self.borrowed += len & mask.place as usize;
            }
            _ if len > MAX_INLINE => return false,
            _ => {}
        }
        let low = (word as u64) << 32 & mask.low | len as u64;
        *to = u128::from(low) | u128::from(high) << 64;
        true
    }

    /// Sets the value of any row; false if there is no room for it.
    pub(super) fn set_slowly(&mut self, row: usize, value: &[u8], source: Source, rows: Rows<'_>) -> bool {
        self.make(row, rows);
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

    /// Makes sure that there is a row.
    fn make(&mut self, row: usize, rows: Rows<'_>) {
        if self.views.len() <= row {
            let default = self.default_view(rows);
            if self.views.capacity() == 0 {
                self.views = self.spare.take();
            }
            rows.growth.make(&mut self.views, row, default);
        }
    }

    /// Sets the value of any row to a string that many rows have, which is copied once; false if there is no room for it.
    #[inline]
    pub(super) fn set_shared(&mut self, row: usize, value: &[u8], number: usize, rows: Rows<'_>) -> bool {
        self.make(row, rows);
        match (self.shared_view(value, number + 1), self.views.get_mut(row)) {
            (Some(view), Some(to)) => *to = view,
            _ => return false,
        }
        true
    }

    /// The view of a string that many rows have.
    #[inline]
    fn shared_view(&mut self, value: &[u8], number: usize) -> Option<u128> {
        if value.len() <= MAX_INLINE {
            return Some(inline_view(value));
        }
        let known = if number < FEW { self.shared.get(number) } else { self.rare.get(&number) };
        if let Some(&view) = known
            && view != 0
        {
            return Some(view);
        }
        let view = self.append(value)?;
        if number >= FEW {
            self.rare.insert(number, view);
            return Some(view);
        }
        if self.shared.len() <= number {
            self.shared.resize(number + 1, 0);
        }
        if let Some(shared) = self.shared.get_mut(number) {
            *shared = view;
        }
        Some(view)
    }

    /// The view of what rows hold that are left out.
    fn default_view(&mut self, rows: Rows<'_>) -> u128 {
        if rows.nullable { 0 } else { self.shared_view(rows.default, 0).unwrap_or(0) }
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
            self.shared.clear();
            self.rare.clear();
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
        // What was copied before stays where it is: many rows may have it in common.
        let mut data = std::mem::take(&mut self.data);
        data.reserve_exact(self.borrowed);
        for view in self.views.iter_mut().filter(|view| **view as u32 as usize > MAX_INLINE) {
            let (len, buffer, offset) = place(*view);
            if buffer == self.own as usize {
                // The only buffer is the first one.
                *view &= !(0xffff_ffff << 64);
                continue;
            }
            let block = self.buffers.get(buffer).and_then(|&number| blocks.get(number as usize));
            let value = block.and_then(|block| block.get(offset..offset + len)).unwrap_or_default();
            *view = long_view(value, 0, data.len());
            data.extend_from_slice(value);
        }
        (self.data, self.buffers) = (data, vec![NO_BUFFER]);
        (self.own, self.borrowed) = (0, 0);
        self.shared.clear();
        self.rare.clear();
    }

    /// The bytes that they and their copies take in a batch of this many rows.
    pub(super) fn size(&self, rows: usize, may_be_zeros: bool) -> usize {
        size_of(&self.views, rows, may_be_zeros) + self.data.capacity()
    }

    /// The bytes of a long view.
    fn bytes<'t>(&'t self, view: u128, blocks: &'t [Buffer]) -> Option<&'t [u8]> {
        let (len, buffer, offset) = place(view);
        let number = *self.buffers.get(buffer)?;
        let bytes = if number == NO_BUFFER { &self.data } else { blocks.get(number as usize)?.as_slice() };
        bytes.get(offset..offset + len)
    }

    /// The views of this many rows, and their buffers; an empty column stays.
    pub(super) fn take(
        &mut self,
        rows: usize,
        blocks: &[Buffer],
        of: Rows<'_>,
        zeros: &mut Zeros,
    ) -> (ScalarBuffer<u128>, Vec<Buffer>) {
        if self.views.is_empty() && (of.nullable || of.default.is_empty()) {
            // Copies of rows that were taken back.
            self.truncate(0);
            self.data = Vec::new();
            return (zeros.get(rows), Vec::new());
        }
        let default = if self.views.len() < rows { self.default_view(of) } else { 0 };
        let Self { mut views, mut spare, data, buffers, .. } = std::mem::take(self);
        let views = ScalarBuffer::new(spare.keep(Growth::take(&mut views, rows, default)), 0, rows);
        self.spare = spare;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_have_the_views_of_their_strings() {
        let bytes: Vec<u8> = (0..96).collect();
        let address = bytes.as_ptr().addr();
        for source in [Source::Copied, Source::Block { number: 3, address }] {
            for start in [0, 1, 7] {
                for len in 0..40 {
                    let mut views = [Views::default(), Views::default()];
                    for views in &mut views {
                        (views.views, views.buffers) = (vec![0; 2], vec![NO_BUFFER, 3]);
                    }
                    let [one, other] = &mut views;
                    let set = one.set(1, &bytes[start..start + len], source);
                    assert_eq!(set, other.set_prefix(1, &bytes[start..], len, &source), "{start} {len}");
                    assert_eq!((&one.views, one.borrowed), (&other.views, other.borrowed), "{start} {len}");
                }
            }
        }
    }

    #[test]
    fn strings_that_rows_have_in_common_are_copied_once() {
        let (common, block) = ([b'c'; 20], Buffer::from_vec(vec![b'b'; 40]));
        let growth = Growth::appended();
        let rows = Rows { growth: &growth, default: &common, nullable: false };
        let mut views = Views::default();
        for row in 0..100 {
            assert!(views.set_shared(row, &[b'n'; 30], 0, rows));
        }
        let source = Source::Block { number: 0, address: block.as_ptr().addr() };
        assert!(views.set_slowly(100, &block[..40], source, rows));
        assert_eq!(views.data.len(), 20 + 30);
        views.detach(std::slice::from_ref(&block));
        assert_eq!(views.data.len(), 20 + 30 + 40);
        let (ours, buffers) = views.take(102, &[], rows, &mut Zeros::default());
        assert_eq!(buffers.len(), 1);
        let value = |row: usize| {
            let (len, _, offset) = place(ours[row]);
            buffers[0][offset..offset + len].to_vec()
        };
        assert_eq!([value(0), value(99)], [[b'n'; 30]; 2]);
        assert_eq!((value(100), value(101)), (vec![b'b'; 40], vec![b'c'; 20]));
    }
}
