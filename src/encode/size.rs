//! The sizing pass.

use super::sizes::{Sizes, Slot};
use super::traverse::{Frame, Visit};
use super::value::{tag_len, value_size};
use crate::program::{Entry, FixedShape, Program};
use crate::slab::RawView;
use crate::wire::varint_len;

/// Adds up the length of the message being visited.
pub(super) struct Sizer<'z, 's> {
    pub(super) sizes: &'z mut Sizes<'s>,
    pub(super) len: u64,
}

/// A message whose child is being sized: its length so far, and the place of the child's length.
#[derive(Clone, Copy, Default)]
pub(super) struct Sizing {
    len: u64,
    place: Option<Slot>,
}

/// Bytes of a tag, given as a number.
#[inline(always)]
fn len_of(tag: u32) -> u64 {
    if tag < 0x80 { 1 } else { varint_len(tag as u64) as u64 }
}

impl Visit for Sizer<'_, '_> {
    type Open = Sizing;

    #[inline(always)]
    fn at_once(&mut self, program: &Program, bits: u64) -> u64 {
        let mut rest = bits;
        for &(mask, size) in program.constant_sizes() {
            self.len += u64::from((bits & mask).count_ones()) * u64::from(size);
            rest &= !mask;
        }
        rest
    }

    #[inline(always)]
    fn field(&mut self, view: RawView<'_, '_>, entry: &Entry, slot: u32) {
        self.len += value_size(view, entry, slot, self.sizes);
    }

    #[inline(always)]
    fn shaped(&mut self, _: RawView<'_, '_>, entry: &Entry, shape: &FixedShape, _: u32) {
        // The writing pass knows the length as well; it is below 128, one byte.
        self.len += tag_len(entry) + 1 + shape.len as u64;
    }

    #[inline(always)]
    fn enter(&mut self, frame: Frame) -> Sizing {
        let place = match frame {
            Frame::Group { .. } => None,
            _ => Some(self.sizes.begin()),
        };
        let len = core::mem::take(&mut self.len);
        Sizing { len, place }
    }

    #[inline(always)]
    fn leave(&mut self, frame: Frame, open: Sizing) {
        let len = self.len;
        if let Some(place) = open.place {
            self.sizes.end(place, len);
        }
        let around = match frame {
            Frame::Length { tag } => len_of(tag) + varint_len(len) as u64,
            Frame::Group { tag } => 2 * len_of(tag),
            // Four one-byte tags: item, type id, message, end of item.
            Frame::Item { type_id } => 4 + varint_len(type_id as u64) as u64 + varint_len(len) as u64,
        };
        self.len = open.len + around + len;
    }

    #[cold]
    #[inline(never)]
    fn unknown(&mut self, view: RawView<'_, '_>) {
        let size = |span: crate::slab::UnknownSpan| span.len as u64 + span.tag.map_or(0, len_of);
        self.len += view.spans().map(size).sum::<u64>();
    }
}
