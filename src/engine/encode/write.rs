//! Messages sized, or written with the sizes of their sub-messages at hand: two passes, and no guess. The visitor that writes.

use super::list::{put_string, write_list};
use super::size::{Lengths, Measurer, Sizer};
use super::traverse::{Framing, Visit, traverse};
use crate::engine::slab::{ByteSpan, RawView};
use crate::schema::program::{FieldEntry, FixedLayout, Program, WriteEntry};
use crate::wire::error::EncodeErrorKind;
use crate::wire::options::EncodeOptions;
use crate::wire::read::message_set::{ITEM, ITEM_END, MESSAGE, TYPE_ID};
use crate::wire::{Cursor, TagWord};

/// Writes each part after the parts that were visited earlier.
pub(super) struct Writer<'b, 'l> {
    pub(super) out: Cursor<'b>,
    pub(super) lengths: &'l Lengths,
    /// How many sub-messages have begun.
    pub(super) next: usize,
}

impl Visit for Writer<'_, '_> {
    #[inline(always)]
    fn take(&mut self) -> Self {
        Self { out: self.out.take(), ..*self }
    }

    #[inline(always)]
    fn constant_sized(&mut self, _: &Program, bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn number(&mut self, field: &WriteEntry, words: u64) {
        self.out.put_tag_word(field.tag);
        match field.form.width {
            4 => self.out.put_fixed32(words as u32),
            8 => self.out.put_fixed64(words),
            _ => self.out.put_varint(field.form.value(words)),
        }
    }

    #[inline(always)]
    fn span(&mut self, view: RawView<'_, '_>, tag: TagWord, span: u64) {
        put_string(&mut self.out, view.store, tag, ByteSpan::from_word(span));
    }

    #[inline(never)]
    fn list(mut self, view: RawView<'_, '_>, entry: &FieldEntry, tag: TagWord, slot: u32) -> Self {
        write_list(&mut self.out, &view, entry, tag, slot);
        self
    }

    #[inline(always)]
    fn fixed_message(&mut self, view: RawView<'_, '_>, tag: TagWord, layout: &FixedLayout, base: u32) {
        // The length is below 128, so tag and length are one store.
        self.out.put_tag_word(tag.and(layout.len as u8));
        for field in &*layout.fields {
            let slot = base + field.slot as u32;
            self.out.put_byte(field.tag);
            if field.eight {
                self.out.put_fixed64(view.words.get64(slot));
            } else {
                self.out.put_fixed32(view.words.get(slot));
            }
        }
    }

    #[inline(always)]
    fn enter(&mut self, framing: Framing) -> u64 {
        // One for each message, also for groups.
        let len = u64::from(self.lengths.get(self.next));
        self.next += 1;
        match framing {
            Framing::Length { tag } => {
                self.out.put_tag_word(tag);
                self.out.put_varint(len);
            }
            Framing::Group { tag } => self.out.put_tag_word(tag),
            Framing::Item { type_id } => {
                self.out.put_byte(ITEM);
                self.out.put_byte(TYPE_ID);
                self.out.put_varint(type_id.into());
                self.out.put_byte(MESSAGE);
                self.out.put_varint(len);
            }
        }
        0
    }

    #[inline(always)]
    fn leave(&mut self, framing: Framing, _: u64) {
        match framing {
            Framing::Length { .. } => {}
            Framing::Group { tag } => self.out.put_tag_word(tag.next_wire_type()),
            Framing::Item { .. } => self.out.put_byte(ITEM_END),
        }
    }

    #[cold]
    #[inline(never)]
    fn unknown(mut self, view: RawView<'_, '_>) -> Self {
        for span in view.spans() {
            if let Some(tag) = span.tag {
                self.out.put_varint(tag.into());
            }
            self.out.put_slice(view.bytes_at(span.offset, span.len));
        }
        self
    }
}

/// The encoded length, and whether a required field may be missing.
///
/// # Errors
/// `DepthExceeded`, `OutOfMemory`.
#[inline(never)]
pub(super) fn size(view: RawView<'_, '_>, options: &EncodeOptions) -> Result<(u64, bool), EncodeErrorKind> {
    let mut sizer = Sizer::default();
    let missing = traverse(view, options, &mut sizer)?;
    Ok((sizer.len, missing))
}

/// The encoded length of a message, and that of each of its sub-messages.
pub(super) struct Sized {
    pub(super) len: u64,
    /// Whether a required field may be missing.
    pub(super) missing: bool,
    lengths: Lengths,
}

impl Sized {
    /// Sizes a message.
    ///
    /// # Errors
    /// `DepthExceeded`, `OutOfMemory`.
    #[inline(never)]
    pub(super) fn new(view: RawView<'_, '_>, options: &EncodeOptions) -> Result<Self, EncodeErrorKind> {
        let mut sized = Self { len: 0, missing: false, lengths: Lengths::new() };
        let mut measurer = Measurer { sizer: Sizer::default(), lengths: Some(&mut sized.lengths) };
        sized.missing = traverse(view, options, &mut measurer)?;
        sized.len = measurer.sizer.len;
        if sized.lengths.out_of_memory { Err(EncodeErrorKind::OutOfMemory) } else { Ok(sized) }
    }

    /// Writes the message. The cursor is full if it does not fit.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline(never)]
    pub(super) fn write<'b>(
        &self,
        view: RawView<'_, '_>,
        options: &EncodeOptions,
        out: Cursor<'b>,
    ) -> Result<Cursor<'b>, EncodeErrorKind> {
        let mut writer = Writer { out, lengths: &self.lengths, next: 0 };
        traverse(view, options, &mut writer)?;
        Ok(writer.out)
    }
}
