//! The writing pass.

use super::sizes::Lengths;
use super::traverse::{Frame, Visit};
use super::value::{put_tag, write_value};
use crate::program::{Entry, FixedShape, Program};
use crate::slab::RawView;
use crate::wire::Cursor;

/// MessageSet items: group 1 with `type_id = 2` and `message = 3`, all tags one byte.
const ITEM: u8 = 1 << 3 | 3;
const ITEM_END: u8 = 1 << 3 | 4;
const TYPE_ID: u8 = 2 << 3;
const MESSAGE: u8 = 3 << 3 | 2;

/// Writes forward and takes the lengths as they come.
pub(super) struct Writer<'w, 'b, 's> {
    pub(super) out: &'w mut Cursor<'b>,
    pub(super) lengths: &'w mut Lengths<'s>,
}

/// Puts numbers of four bytes behind their tags, five bytes a field.
#[inline(always)]
fn put_fours<const N: usize>(bytes: &mut [u8; 32], values: [u32; N]) {
    for (i, value) in values.into_iter().enumerate() {
        if let Some(place) = bytes.get_mut(1 + 5 * i..).and_then(|rest| rest.first_chunk_mut::<4>()) {
            *place = value.to_le_bytes();
        }
    }
}

impl Visit for Writer<'_, '_, '_> {
    type Open = ();

    #[inline(always)]
    fn at_once(&mut self, _: &Program, bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn field(&mut self, view: RawView<'_, '_>, entry: &Entry, slot: u32) {
        write_value(view, entry, slot, self.lengths, self.out);
    }

    #[inline(always)]
    fn shaped(&mut self, view: RawView<'_, '_>, entry: &Entry, shape: &FixedShape, base: u32) {
        if entry.tag < 0x80 {
            self.out.put_word([entry.tag as u8, shape.len as u8, 0, 0, 0, 0, 0, 0], 2);
        } else {
            put_tag(self.out, entry.tag);
            self.out.put_byte(shape.len as u8);
        }
        let mut bytes = shape.template();
        match (shape.fours, view.words.run(base + 2, shape.lifts.len())) {
            (Some(3), &[x, y, z]) => put_fours(&mut bytes, [x, y, z]),
            (Some(4), &[x, y, z, w]) => put_fours(&mut bytes, [x, y, z, w]),
            _ => {
                for lift in &shape.lifts {
                    let (from, slot) = (lift.from as usize, base + lift.slot as u32);
                    let value = if lift.eight { view.words.get64(slot) } else { view.words.get(slot) as u64 };
                    let width = if lift.eight { 8 } else { 4 };
                    if let Some(place) = bytes.get_mut(from..from + width) {
                        place.copy_from_slice(&value.to_le_bytes()[..width]);
                    }
                }
            }
        }
        self.out.put_prefix(&bytes, shape.len);
    }

    #[inline(always)]
    fn enter(&mut self, frame: Frame) {
        match frame {
            Frame::Length { tag } => {
                put_tag(self.out, tag);
                self.out.put_varint(self.lengths.take() as u64);
            }
            Frame::Group { tag } => put_tag(self.out, tag),
            Frame::Item { type_id } => {
                self.out.put_byte(ITEM);
                self.out.put_byte(TYPE_ID);
                self.out.put_varint(type_id as u64);
                self.out.put_byte(MESSAGE);
                self.out.put_varint(self.lengths.take() as u64);
            }
        }
    }

    #[inline(always)]
    fn leave(&mut self, frame: Frame, (): ()) {
        match frame {
            Frame::Length { .. } => {}
            Frame::Group { tag } => put_tag(self.out, tag + 1),
            Frame::Item { .. } => self.out.put_byte(ITEM_END),
        }
    }

    #[cold]
    #[inline(never)]
    fn unknown(&mut self, view: RawView<'_, '_>) {
        for span in view.spans() {
            if let Some(tag) = span.tag {
                put_tag(self.out, tag);
            }
            self.out.put_slice(view.bytes_at(span.offset, span.len));
        }
    }
}
