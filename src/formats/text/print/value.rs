//! Scalars.

use super::TextPrinter;
use crate::engine::slab::{ByteSpan, RawView};
use crate::formats::numbers::{put_f32, put_f64, put_i64, put_u64};
use crate::formats::text::strings;
use crate::schema::pool::{FieldRef, FormatField};
use crate::schema::program::{FieldEntry, Scalar};

impl TextPrinter<'_, '_> {
    /// A scalar by the word or two that a slot has.
    pub(in crate::formats::text) fn scalar(
        &mut self,
        (names, position): FormatField<'_>,
        entry: &FieldEntry,
        word: u64,
        store: &[u8],
    ) {
        match entry.scalar() {
            Scalar::Bool if word != 0 => self.out.array(b"true"),
            Scalar::Bool => self.out.array(b"false"),
            Scalar::I32 => put_i64(&mut self.out, i64::from(word as i32)),
            Scalar::I64 => put_i64(&mut self.out, word as i64),
            Scalar::U32 | Scalar::U64 => put_u64(&mut self.out, word),
            Scalar::F32 => match f32::from_bits(word as u32) {
                value if value.is_finite() => put_f32(&mut self.out, value),
                value => self.special(value.into()),
            },
            Scalar::F64 => match f64::from_bits(word) {
                value if value.is_finite() => put_f64(&mut self.out, value),
                value => self.special(value),
            },
            Scalar::Enum => match self.pool.enum_name(names.enumeration(position), word as i32) {
                Some(name) => self.out.slice(name.as_bytes()),
                None => put_i64(&mut self.out, i64::from(word as i32)),
            },
            Scalar::String => {
                strings::put_text(&mut self.out, ByteSpan::from_word(word).bytes(store).unwrap_or_default());
            }
            Scalar::Bytes => {
                strings::put_bytes(&mut self.out, ByteSpan::from_word(word).bytes(store).unwrap_or_default());
            }
        }
    }

    fn special(&mut self, value: f64) {
        if value.is_nan() {
            self.out.array(b"nan");
        } else if value > 0.0 {
            self.out.array(b"inf");
        } else {
            self.out.array(b"-inf");
        }
    }

    /// The scalar of a field that is not set and has no presence, or of an entry that lacks its key or value.
    pub(in crate::formats::text) fn default(&mut self, field: FieldRef<'_>, entry: &FieldEntry) {
        let word = match entry.scalar() {
            Scalar::Enum => field.default_number() as u32 as u64,
            _ => 0,
        };
        let of = (self.pool.field_formats(field.message_index()), field.position() as usize);
        self.scalar(of, entry, word, &[]);
    }

    /// A list of scalars.
    pub(in crate::formats::text) fn scalars(
        &mut self,
        field: FormatField<'_>,
        entry: &FieldEntry,
        view: RawView<'_, '_>,
        slot: u32,
    ) {
        let (list, words) = (view.list(entry, slot), entry.coding.words());
        self.out.byte(b'[');
        let run = list.run();
        for (element, at) in (0..list.len()).zip((0..).step_by(words as usize)) {
            if element > 0 {
                self.comma();
            }
            let low: u64 = run.get(at).copied().unwrap_or(0).into();
            let high: u64 = if words == 2 { run.get(at + 1).copied().unwrap_or(0).into() } else { 0 };
            self.scalar(field, entry, low | high << 32, view.store);
        }
        self.out.byte(b']');
    }
}
