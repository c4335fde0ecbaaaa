//! The visitors that count bytes.

use super::list::list_size;
use super::traverse::{Framing, Visit};
use crate::engine::slab::{ByteSpan, RawView, UnknownSpan};
use crate::schema::program::{FieldEntry, FixedLayout, Program, WriteEntry};
use crate::wire::{TagWord, varint_len};
use alloc::vec::Vec;

/// The length of what has been visited.
#[derive(Clone, Copy, Default)]
pub(super) struct Sizer {
    pub(super) len: u64,
}

impl Visit for Sizer {
    #[inline(always)]
    fn take(&mut self) -> Self {
        *self
    }

    #[inline(always)]
    fn constant_sized(&mut self, program: &Program, bits: u64) -> u64 {
        let mut rest = bits;
        for &(mask, size) in program.constant_sizes() {
            self.len += u64::from((bits & mask).count_ones()) * u64::from(size);
            rest &= !mask;
        }
        rest
    }

    #[inline(always)]
    fn number(&mut self, field: &WriteEntry, words: u64) {
        let value = match field.form.width {
            0 => varint_len(field.form.value(words)),
            width => usize::from(width),
        };
        self.len += (field.tag.len() + value) as u64;
    }

    #[inline(always)]
    fn span(&mut self, _: RawView<'_, '_>, tag: TagWord, span: u64) {
        let len = ByteSpan::from_word(span).len();
        self.len += (tag.len() + varint_len(len)) as u64 + len;
    }

    #[inline(always)]
    fn list(self, view: RawView<'_, '_>, entry: &FieldEntry, tag: TagWord, slot: u32) -> Self {
        Self { len: self.len + list_size(view.list(entry, slot), tag) }
    }

    #[inline(always)]
    fn fixed_message(&mut self, _: RawView<'_, '_>, tag: TagWord, layout: &FixedLayout, _: u32) {
        // The length is below 128, so its prefix is one byte.
        self.len += (tag.len() + 1 + layout.len) as u64;
    }

    #[inline(always)]
    fn enter(&mut self, _: Framing) -> u64 {
        self.len
    }

    #[inline(always)]
    fn leave(&mut self, framing: Framing, open: u64) {
        let len = self.len - open;
        self.len += match framing {
            Framing::Length { tag } => (tag.len() + varint_len(len)) as u64,
            Framing::Group { tag } => 2 * tag.len() as u64,
            // Four tags of one byte: item, type id, message, end of item.
            Framing::Item { type_id } => (4 + varint_len(type_id as u64) + varint_len(len)) as u64,
        };
    }

    #[cold]
    #[inline(never)]
    fn unknown(self, view: RawView<'_, '_>) -> Self {
        let size =
            |span: UnknownSpan| span.len as u64 + span.tag.map_or(0, |tag| varint_len(tag as u64) as u64);
        Self { len: self.len + view.spans().map(size).sum::<u64>() }
    }
}

/// How many lengths need no heap: a chain of messages as deep as the default limit allows has fewer.
const INLINE: usize = 120;

/// The lengths of the sub-messages of a message, in the order in which they begin, modulo 2^32.
pub(super) struct Lengths {
    inline: [u32; INLINE],
    more: Vec<u32>,
    len: usize,
    /// Some of them are missing.
    pub(super) out_of_memory: bool,
}

impl Lengths {
    pub(super) const fn new() -> Self {
        Self { inline: [0; INLINE], more: Vec::new(), len: 0, out_of_memory: false }
    }

    /// The length of the message that was the `index`th to begin.
    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> u32 {
        self.inline.get(index).or_else(|| self.more.get(index.wrapping_sub(INLINE))).copied().unwrap_or(0)
    }

    /// Adds a message that begins where `start` bytes have been counted, and returns its index.
    #[inline(always)]
    fn begin(&mut self, start: u32) -> usize {
        let index = self.len;
        self.len += 1;
        match self.inline.get_mut(index) {
            Some(place) => *place = start,
            None if self.more.try_reserve(1).is_ok() => self.more.push(start),
            None => (self.len, self.out_of_memory) = (index, true),
        }
        index
    }

    /// Keeps the length of a message that ends here, and returns it.
    #[inline(always)]
    fn end(&mut self, index: usize, end: u32) -> u32 {
        let place = self.inline.get_mut(index).or_else(|| self.more.get_mut(index.wrapping_sub(INLINE)));
        place.map_or(0, |place| {
            *place = end.wrapping_sub(*place);
            *place
        })
    }
}

/// A [`Sizer`] that also keeps the length of each sub-message.
pub(super) struct Measurer<'l> {
    pub(super) sizer: Sizer,
    /// `None` only where it was taken from.
    pub(super) lengths: Option<&'l mut Lengths>,
}

impl Visit for Measurer<'_> {
    #[inline(always)]
    fn take(&mut self) -> Self {
        Self { sizer: self.sizer, lengths: self.lengths.take() }
    }

    #[inline(always)]
    fn constant_sized(&mut self, program: &Program, bits: u64) -> u64 {
        self.sizer.constant_sized(program, bits)
    }

    #[inline(always)]
    fn number(&mut self, field: &WriteEntry, words: u64) {
        self.sizer.number(field, words);
    }

    #[inline(always)]
    fn span(&mut self, view: RawView<'_, '_>, tag: TagWord, span: u64) {
        self.sizer.span(view, tag, span);
    }

    #[inline(always)]
    fn list(mut self, view: RawView<'_, '_>, entry: &FieldEntry, tag: TagWord, slot: u32) -> Self {
        self.sizer = self.sizer.list(view, entry, tag, slot);
        self
    }

    #[inline(always)]
    fn fixed_message(&mut self, view: RawView<'_, '_>, tag: TagWord, layout: &FixedLayout, base: u32) {
        self.sizer.fixed_message(view, tag, layout, base);
    }

    /// Returns the index of the message. One of 2^32 bytes has a wrong length, and the whole is too large.
    #[inline(always)]
    fn enter(&mut self, _: Framing) -> u64 {
        self.lengths.as_mut().map_or(0, |lengths| lengths.begin(self.sizer.len as u32)) as u64
    }

    #[inline(always)]
    fn leave(&mut self, framing: Framing, index: u64) {
        if let Some(lengths) = &mut self.lengths {
            let len = lengths.end(index as usize, self.sizer.len as u32);
            self.sizer.leave(framing, self.sizer.len - u64::from(len));
        }
    }

    #[cold]
    #[inline(never)]
    fn unknown(mut self, view: RawView<'_, '_>) -> Self {
        self.sizer = self.sizer.unknown(view);
        self
    }
}
