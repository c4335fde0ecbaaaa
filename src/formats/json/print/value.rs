//! Values: scalars and keys.

use super::JsonPrinter;
use crate::engine::slab::{ByteSpan, RawView};
use crate::formats::json::strings;
use crate::formats::numbers::{
    encode_base64, put_f32, put_f64, put_i64, put_quoted_i64, put_quoted_u64, put_short_f32, put_u64,
};
use crate::schema::pool::{FieldRef, FormatField};
use crate::schema::program::{Coding, FieldEntry, Scalar};
use crate::wire::utf8;

impl JsonPrinter<'_, '_> {
    /// The scalar at a slot.
    #[inline(never)]
    pub(in crate::formats::json) fn scalar_at(
        &mut self,
        field: FormatField<'_>,
        entry: &FieldEntry,
        view: RawView<'_, '_>,
        slot: u32,
    ) {
        self.scalar(field, entry, view.scalar(entry, slot), view.store);
    }

    /// A scalar by the word or two that a slot has.
    #[inline(always)]
    pub(in crate::formats::json) fn scalar(
        &mut self,
        field: FormatField<'_>,
        entry: &FieldEntry,
        word: u64,
        store: &[u8],
    ) {
        match entry.scalar() {
            Scalar::Bool if word != 0 => self.out.array(b"true"),
            Scalar::Bool => self.out.array(b"false"),
            Scalar::I32 => put_i64(&mut self.out, i64::from(word as i32)),
            Scalar::U32 => put_u64(&mut self.out, word),
            Scalar::I64 if self.options.stringify_64_bit_integers => {
                put_quoted_i64(&mut self.out, word as i64);
            }
            Scalar::I64 => put_i64(&mut self.out, word as i64),
            Scalar::U64 if self.options.stringify_64_bit_integers => put_quoted_u64(&mut self.out, word),
            Scalar::U64 => put_u64(&mut self.out, word),
            Scalar::F32 => self.float(f32::from_bits(word as u32)),
            Scalar::F64 => self.double(f64::from_bits(word)),
            Scalar::Enum => self.enumeration(field, word as i32),
            Scalar::String => self.text(entry.coding, word, store),
            Scalar::Bytes => self.bytes(word, store),
        }
    }

    /// As [`scalar`](Self::scalar), where there is no hurry.
    #[inline(never)]
    pub(in crate::formats::json) fn any_scalar(
        &mut self,
        field: FormatField<'_>,
        entry: &FieldEntry,
        word: u64,
        store: &[u8],
    ) {
        self.scalar(field, entry, word, store);
    }

    /// A string, by its (offset, length).
    #[inline]
    fn text(&mut self, coding: Coding, span: u64, store: &[u8]) {
        let (start, len) = (span as u32 as usize, ByteSpan::from_word(span).len() as usize);
        let rest = store.get(start..).filter(|rest| rest.len() >= len).unwrap_or_default();
        let len = len.min(rest.len());
        // Bytes that were not validated may be anything.
        match rest.get(..len) {
            Some(bytes) if coding != Coding::String && !utf8::is_valid(bytes) => {
                strings::put_lossy(&mut self.out, bytes);
            }
            _ => strings::put(&mut self.out, rest, len),
        }
    }

    fn bytes(&mut self, span: u64, store: &[u8]) {
        let start = span as u32 as usize;
        let bytes = store.get(start..start + ByteSpan::from_word(span).len() as usize).unwrap_or_default();
        self.out.byte(b'"');
        encode_base64(&mut self.out, bytes);
        self.out.byte(b'"');
    }

    #[inline(always)]
    pub(crate) fn float(&mut self, value: f32) {
        if !put_short_f32(&mut self.out, value) {
            self.long_float(value);
        }
    }

    #[inline(never)]
    fn long_float(&mut self, value: f32) {
        if value.is_finite() { put_f32(&mut self.out, value) } else { self.special(value.into()) }
    }

    pub(crate) fn double(&mut self, value: f64) {
        if value.is_finite() { put_f64(&mut self.out, value) } else { self.special(value) }
    }

    #[cold]
    fn special(&mut self, value: f64) {
        if value.is_nan() {
            self.out.array(b"\"NaN\"");
        } else if value > 0.0 {
            self.out.array(b"\"Infinity\"");
        } else {
            self.out.array(b"\"-Infinity\"");
        }
    }

    /// An enum value: its name, if it has one and names are asked for.
    pub(crate) fn enumeration(&mut self, (names, position): FormatField<'_>, number: i32) {
        let enumeration = names.enumeration(position);
        // Whatever the number is, as in C++.
        if names.is_null_value(position) {
            return self.out.array(b"null");
        }
        let name = match self.options.use_enum_numbers {
            true => None,
            false => self.pool.enum_name(enumeration, number),
        };
        if name.is_some()
            && let Some(name) = self.pool.enum_json_name(enumeration, number)
        {
            return strings::put(&mut self.out, name.as_bytes(), name.len());
        }
        match name {
            Some(name) => {
                self.out.byte(b'"');
                self.out.slice(name.as_bytes());
                self.out.byte(b'"');
            }
            None => put_i64(&mut self.out, number.into()),
        }
    }

    /// The scalar of a field that is not set and has no presence.
    pub(crate) fn default(&mut self, field: FieldRef<'_>, entry: &FieldEntry) {
        let word = match entry.scalar() {
            Scalar::Enum => field.default_number() as u32 as u64,
            _ => 0,
        };
        let of = (self.pool.field_formats(field.message_index()), field.position() as usize);
        self.any_scalar(of, entry, word, &[]);
    }

    /// The key of a map entry, which is a string whatever its type.
    pub(in crate::formats::json) fn key_at(&mut self, entry: &FieldEntry, pair: RawView<'_, '_>, slot: u32) {
        self.key(entry, pair.scalar(entry, slot), pair.store);
    }

    /// The key of an entry without one.
    pub(in crate::formats::json) fn default_key(&mut self, entry: &FieldEntry) {
        self.key(entry, 0, &[]);
    }

    fn key(&mut self, entry: &FieldEntry, word: u64, store: &[u8]) {
        let number = match entry.scalar() {
            Scalar::String => return self.text(entry.coding, word, store),
            Scalar::Bool if word != 0 => return self.out.array(b"\"true\""),
            Scalar::Bool => return self.out.array(b"\"false\""),
            Scalar::I32 => i64::from(word as i32),
            Scalar::I64 => word as i64,
            _ => return put_quoted_u64(&mut self.out, word),
        };
        put_quoted_i64(&mut self.out, number);
    }
}
