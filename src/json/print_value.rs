//! Values: scalars, keys, and well-known types that are one value.

use super::error::SerializeErrorKind as Kind;
use super::print::{JsonPrinter, PrintField};
use super::strings;
use crate::formats::{
    MAX_DURATION, MAX_SECONDS, MIN_SECONDS, camel_path, encode_base64, put_duration, put_f32, put_f64,
    put_i64, put_timestamp, put_u64,
};
use crate::program::{Coding, FieldEntry, Scalar};
use crate::schema::{FieldRef, WellKnown};
use crate::slab::{ByteSpan, RawView};
use crate::wire::utf8;

impl JsonPrinter<'_, '_> {
    /// The scalar at a slot.
    #[inline]
    pub(super) fn scalar_at(
        &mut self,
        field: PrintField<'_>,
        entry: &FieldEntry,
        view: RawView<'_, '_>,
        slot: u32,
    ) {
        let words = entry.coding.words();
        let word = if words == 2 { view.words.get64(slot) } else { view.words.get(slot).into() };
        self.scalar(field, entry, word, view.store);
    }

    /// A scalar by the word or two that a slot has.
    #[inline]
    fn scalar(&mut self, field: PrintField<'_>, entry: &FieldEntry, word: u64, store: &[u8]) {
        match entry.scalar() {
            Scalar::Bool if word != 0 => self.out.array(b"true"),
            Scalar::Bool => self.out.array(b"false"),
            Scalar::I32 => put_i64(&mut self.out, i64::from(word as i32)),
            Scalar::U32 => put_u64(&mut self.out, word),
            Scalar::I64 => self.long(|out| put_i64(out, word as i64)),
            Scalar::U64 => self.long(|out| put_u64(out, word)),
            Scalar::F32 => self.float(f32::from_bits(word as u32)),
            Scalar::F64 => self.double(f64::from_bits(word)),
            Scalar::Enum => self.enumeration(field, word as i32),
            Scalar::String => self.text(entry.coding, word, store),
            Scalar::Bytes => self.bytes(word, store),
        }
    }

    #[inline]
    fn long(&mut self, put: impl Fn(&mut crate::formats::TextOut<'_>)) {
        let quoted = self.options.stringify_64_bit_integers;
        if quoted {
            self.out.byte(b'"');
        }
        put(&mut self.out);
        if quoted {
            self.out.byte(b'"');
        }
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

    fn float(&mut self, value: f32) {
        if value.is_finite() { put_f32(&mut self.out, value) } else { self.special(value.into()) }
    }

    fn double(&mut self, value: f64) {
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

    fn enumeration(&mut self, (names, position): PrintField<'_>, number: i32) {
        let enumeration = names.enumeration(position);
        let name = match self.options.use_enum_numbers {
            true => None,
            false => self.pool.enum_name(enumeration, number),
        };
        if number == 0 && self.pool.is_null_value(enumeration) {
            return self.out.array(b"null");
        }
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
    pub(super) fn default(&mut self, field: FieldRef<'_>, entry: &FieldEntry) {
        let word = match entry.scalar() {
            Scalar::Enum => field.default_number() as u32 as u64,
            _ => 0,
        };
        let of = (self.pool.field_formats(field.message_index()), field.position() as usize);
        self.scalar(of, entry, word, &[]);
    }

    /// A list of scalars.
    pub(super) fn scalars(
        &mut self,
        field: PrintField<'_>,
        entry: &FieldEntry,
        view: RawView<'_, '_>,
        slot: u32,
    ) {
        let (list, words) = (view.list(entry, slot), entry.coding.words());
        let level = self.level();
        self.out.byte(b'[');
        let run = list.run();
        for (element, at) in (0..list.len()).zip((0..).step_by(words as usize)) {
            if element > 0 {
                self.out.byte(b',');
            }
            if self.options.pretty {
                self.line(level + 1);
            }
            let low: u64 = run.get(at).copied().unwrap_or(0).into();
            let high: u64 = if words == 2 { run.get(at + 1).copied().unwrap_or(0).into() } else { 0 };
            self.scalar(field, entry, low | high << 32, view.store);
        }
        if self.options.pretty && !run.is_empty() {
            self.line(level);
        }
        self.out.byte(b']');
    }

    /// The key of a map entry, which is a string whatever its type.
    pub(super) fn key_at(&mut self, entry: &FieldEntry, pair: RawView<'_, '_>, slot: u32) {
        let word =
            if entry.coding.words() == 2 { pair.words.get64(slot) } else { pair.words.get(slot).into() };
        self.key(entry, word, pair.store);
    }

    /// The key of an entry without one.
    pub(super) fn default_key(&mut self, entry: &FieldEntry) {
        self.key(entry, 0, &[]);
    }

    fn key(&mut self, entry: &FieldEntry, word: u64, store: &[u8]) {
        let number = match entry.scalar() {
            Scalar::String => return self.text(entry.coding, word, store),
            Scalar::Bool if word != 0 => return self.out.array(b"\"true\""),
            Scalar::Bool => return self.out.array(b"\"false\""),
            Scalar::I32 => i64::from(word as i32),
            Scalar::I64 => word as i64,
            _ => {
                self.out.byte(b'"');
                put_u64(&mut self.out, word);
                return self.out.byte(b'"');
            }
        };
        self.out.byte(b'"');
        put_i64(&mut self.out, number);
        self.out.byte(b'"');
    }

    /// What is in a `google.protobuf.Value`: a message, or a scalar, which is printed. Without anything it is `null`.
    pub(super) fn value<'a, 'i>(&mut self, view: RawView<'a, 'i>) -> Result<Option<RawView<'a, 'i>>, Kind> {
        let Some((position, entry, slot)) = view.set_fields().next(view) else {
            self.out.array(b"null");
            return Ok(None);
        };
        if entry.coding.is_message() {
            return Ok(Some(view.child(entry, slot)));
        }
        if entry.scalar() == Scalar::F64 && !f64::from_bits(view.words.get64(slot)).is_finite() {
            return Err(Kind::NotFinite);
        }
        if entry.scalar() == Scalar::Enum {
            self.out.array(b"null");
            return Ok(None);
        }
        let names = self.pool.field_formats(view.program().message());
        self.scalar_at((names, position), entry, view, slot);
        Ok(None)
    }

    /// A well-known type that is one value in JSON.
    pub(super) fn well_known(&mut self, view: RawView<'_, '_>, known: WellKnown) -> Result<(), Kind> {
        let program = view.program();
        let entry = |at: usize| program.entries().get(at).map(|entry| (entry, view.slot(at, entry)));
        let number = |at: usize| match entry(at) {
            Some((entry, Some(slot))) if entry.coding.words() == 2 => view.words.get64(slot) as i64,
            Some((_, Some(slot))) => i64::from(view.words.get(slot) as i32),
            _ => 0,
        };
        match known {
            WellKnown::Timestamp => {
                let (seconds, nanos) = (number(0), number(1));
                let nanos = u32::try_from(nanos).ok().filter(|&nanos| nanos < 1_000_000_000);
                let range = MIN_SECONDS..=MAX_SECONDS;
                let nanos = nanos.filter(|_| range.contains(&seconds)).ok_or(Kind::OutOfRange)?;
                self.out.byte(b'"');
                put_timestamp(&mut self.out, seconds, nanos);
                self.out.byte(b'"');
            }
            WellKnown::Duration => {
                let (seconds, nanos) = (number(0), number(1));
                let range =
                    (-MAX_DURATION..=MAX_DURATION).contains(&seconds) && nanos.unsigned_abs() < 1_000_000_000;
                if !range || (seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0) {
                    return Err(Kind::OutOfRange);
                }
                self.out.byte(b'"');
                put_duration(&mut self.out, seconds, nanos as i32);
                self.out.byte(b'"');
            }
            WellKnown::FieldMask => {
                self.out.byte(b'"');
                if let Some((entry, Some(slot))) = entry(0) {
                    let paths = view.list(entry, slot);
                    for at in 0..paths.len() {
                        if at > 0 {
                            self.out.byte(b',');
                        }
                        if !camel_path(&mut self.out, paths.span(at)) {
                            return Err(Kind::InvalidFieldMask);
                        }
                    }
                }
                self.out.byte(b'"');
            }
            _ => {
                let field = FieldRef::at(self.pool, program.message(), program.field_of(0) as u16, 0);
                match entry(0) {
                    Some((entry, Some(slot))) => {
                        let names = self.pool.field_formats(program.message());
                        self.scalar_at((names, 0), entry, view, slot);
                    }
                    Some((entry, None)) => self.default(field, entry),
                    None => {}
                }
            }
        }
        Ok(())
    }
}
