//! Numbers.

use super::TextStyle;
use crate::formats::numbers::{put_f32, put_f64, put_i64, put_u64};
use crate::schema::pool::FormatField;
use crate::schema::program::{FieldEntry, Scalar};

impl TextStyle<'_, '_> {
    /// A number by its bits.
    pub(super) fn word(&mut self, (names, position): FormatField<'_>, entry: &FieldEntry, word: u64) {
        match entry.scalar() {
            Scalar::Bool if word != 0 => self.out.array(b"true"),
            Scalar::Bool => self.out.array(b"false"),
            Scalar::I32 => put_i64(&mut self.out, i64::from(word as i32)),
            Scalar::I64 => put_i64(&mut self.out, word as i64),
            Scalar::U32 => put_u64(&mut self.out, u64::from(word as u32)),
            Scalar::U64 => put_u64(&mut self.out, word),
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
            Scalar::String | Scalar::Bytes => {}
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
}
