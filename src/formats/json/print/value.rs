//! Values: scalars, lists of numbers, and keys.

use super::JsonStyle;
use crate::engine::slab::RawView;
use crate::formats::json::known::{number_of, put_time};
use crate::formats::json::strings;
use crate::formats::numbers::{
    camel_paths, encode_base64, put_element, put_f32, put_f64, put_i64, put_quoted_i64, put_quoted_u64,
    put_short_f32, put_u64,
};
use crate::formats::print::Style;
use crate::schema::pool::{FieldRef, FormatField, WellKnown};
use crate::schema::program::{Coding, FieldEntry, Scalar};
use crate::wire::error::EncodeErrorKind as Kind;
use crate::wire::utf8;

impl<'p> JsonStyle<'p, '_> {
    /// As [`scalar`](Style::scalar), not inlined.
    #[inline(never)]
    pub(super) fn any_scalar(
        &mut self,
        field: FormatField<'p>,
        entry: &FieldEntry,
        view: RawView<'_, '_>,
        slot: u32,
    ) {
        self.scalar(field, entry, view, slot);
    }

    /// A number by its bits.
    #[inline(always)]
    pub(super) fn word(&mut self, field: FormatField<'p>, entry: &FieldEntry, word: u64) {
        match entry.scalar() {
            Scalar::Bool if word != 0 => self.out.array(b"true"),
            Scalar::Bool => self.out.array(b"false"),
            Scalar::I32 => put_i64(&mut self.out, i64::from(word as i32)),
            Scalar::U32 => put_u64(&mut self.out, u64::from(word as u32)),
            Scalar::I64 if self.options.stringify_64_bit_integers => {
                put_quoted_i64(&mut self.out, word as i64);
            }
            Scalar::I64 => put_i64(&mut self.out, word as i64),
            Scalar::U64 if self.options.stringify_64_bit_integers => put_quoted_u64(&mut self.out, word),
            Scalar::U64 => put_u64(&mut self.out, word),
            Scalar::F32 => self.float(f32::from_bits(word as u32)),
            Scalar::F64 => self.double(f64::from_bits(word)),
            Scalar::Enum => self.enumeration(field, word as i32),
            Scalar::String | Scalar::Bytes => {}
        }
    }

    /// Elements of one word, of which there is at least one. Each kind has a loop of its own, and the bracket or comma before an
    /// element is written with it.
    pub(super) fn words(&mut self, field: FormatField<'p>, entry: &FieldEntry, run: &[u32]) {
        let mut before = b'[';
        let mut lead = || core::mem::replace(&mut before, b',');
        match entry.scalar() {
            Scalar::I32 => {
                for &word in run {
                    put_element::<false>(&mut self.out, lead(), (word as i32).into());
                }
            }
            Scalar::U32 => {
                for &word in run {
                    put_element::<false>(&mut self.out, lead(), word.into());
                }
            }
            Scalar::F32 => {
                for &word in run {
                    self.out.byte(lead());
                    self.float(f32::from_bits(word));
                }
            }
            _ => {
                for &word in run {
                    self.out.byte(lead());
                    self.word(field, entry, word.into());
                }
            }
        }
    }

    /// As [`words`](Self::words), of two words.
    pub(super) fn pairs(&mut self, field: FormatField<'p>, entry: &FieldEntry, run: &[u32]) {
        let mut before = b'[';
        let mut lead = || core::mem::replace(&mut before, b',');
        let quoted = self.options.stringify_64_bit_integers;
        let all = run.as_chunks::<2>().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32);
        match entry.scalar() {
            Scalar::I64 if quoted => {
                for word in all {
                    put_element::<true>(&mut self.out, lead(), (word as i64).into());
                }
            }
            Scalar::U64 if quoted => {
                for word in all {
                    put_element::<true>(&mut self.out, lead(), word.into());
                }
            }
            Scalar::F64 => {
                for word in all {
                    self.out.byte(lead());
                    self.double(f64::from_bits(word));
                }
            }
            _ => {
                for word in all {
                    self.out.byte(lead());
                    self.word(field, entry, word);
                }
            }
        }
    }

    /// The first `len` bytes of `rest`.
    #[inline]
    pub(super) fn string(&mut self, entry: &FieldEntry, rest: &[u8], len: usize) {
        let bytes = rest.get(..len).unwrap_or(rest);
        if entry.scalar() == Scalar::Bytes {
            self.out.byte(b'"');
            encode_base64(&mut self.out, bytes);
            self.out.byte(b'"');
        } else if entry.coding != Coding::String && !utf8::is_valid(bytes) {
            // Bytes that were not validated may be anything.
            strings::put_lossy(&mut self.out, bytes);
        } else {
            strings::put(&mut self.out, rest, len);
        }
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
        // `NullValue` is `null` whatever its number, as in C++.
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

    /// The key of a map entry.
    pub(super) fn key_text(&mut self, entry: &FieldEntry, word: u64, rest: &[u8], len: usize) {
        let number = match entry.scalar() {
            Scalar::String | Scalar::Bytes => return self.string(entry, rest, len),
            Scalar::Bool if word != 0 => return self.out.array(b"\"true\""),
            Scalar::Bool => return self.out.array(b"\"false\""),
            Scalar::I32 => i64::from(word as i32),
            Scalar::I64 => word as i64,
            Scalar::U32 => return put_quoted_u64(&mut self.out, u64::from(word as u32)),
            _ => return put_quoted_u64(&mut self.out, word),
        };
        put_quoted_i64(&mut self.out, number);
    }
}

// Well-known types that are one value.

impl JsonStyle<'_, '_> {
    /// A well-known type that is one value in JSON.
    pub(super) fn well_known(&mut self, view: RawView<'_, '_>, known: WellKnown) -> Result<(), Kind> {
        match known {
            WellKnown::Timestamp | WellKnown::Duration => {
                self.time(known, number_of(view, 0), number_of(view, 1))
            }
            WellKnown::FieldMask => self.field_mask(view),
            _ => {
                let program = view.program();
                let Some(entry) = program.entries().first() else { return Ok(()) };
                let names = self.pool.field_formats(program.message());
                match view.slot(0, entry) {
                    Some(slot) => self.any_scalar((names, 0), entry, view, slot),
                    None => {
                        let field = program.field_of(0) as u16;
                        self.default(FieldRef::at(self.pool, program.message(), field, 0), entry);
                    }
                }
                Ok(())
            }
        }
    }

    /// Paths with commas between them.
    fn field_mask(&mut self, view: RawView<'_, '_>) -> Result<(), Kind> {
        let entry = view.program().entries().first();
        let paths = entry.and_then(|entry| Some(view.list(entry, view.slot(0, entry)?)));
        let paths = paths.into_iter().flat_map(|list| (0..list.len()).map(move |index| list.span(index)));
        self.out.byte(b'"');
        if !camel_paths(&mut self.out, paths) {
            return Err(Kind::InvalidFieldMask);
        }
        self.out.byte(b'"');
        Ok(())
    }

    /// A `google.protobuf.Timestamp` or `Duration`.
    pub(crate) fn time(&mut self, known: WellKnown, seconds: i64, nanos: i64) -> Result<(), Kind> {
        self.out.byte(b'"');
        if !put_time(&mut self.out, known, seconds, nanos) {
            return Err(Kind::OutOfRange);
        }
        self.out.byte(b'"');
        Ok(())
    }
}
