//! Well-known types that are one value.

use super::JsonPrinter;
use crate::engine::slab::RawView;
use crate::formats::json::error::SerializeErrorKind as Kind;
use crate::formats::numbers::{
    MAX_DURATION, MAX_SECONDS, MIN_SECONDS, camel_path, put_duration, put_timestamp,
};
use crate::schema::pool::{FieldRef, WellKnown};
use crate::schema::program::Scalar;

impl JsonPrinter<'_, '_> {
    /// What is in a `google.protobuf.Value`: a message, or a scalar, which is printed. Without anything it is `null`.
    pub(in crate::formats::json) fn value<'a, 'i>(
        &mut self,
        view: RawView<'a, 'i>,
    ) -> Result<Option<RawView<'a, 'i>>, Kind> {
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
    pub(in crate::formats::json) fn well_known(
        &mut self,
        view: RawView<'_, '_>,
        known: WellKnown,
    ) -> Result<(), Kind> {
        let program = view.program();
        let entry = |at: usize| program.entries().get(at).map(|entry| (entry, view.slot(at, entry)));
        let number = |at: usize| match entry(at) {
            Some((entry, Some(slot))) if entry.coding.words() == 2 => view.words.get64(slot) as i64,
            Some((_, Some(slot))) => i64::from(view.words.get(slot) as i32),
            _ => 0,
        };
        match known {
            WellKnown::Timestamp => self.timestamp(number(0), number(1))?,
            WellKnown::Duration => self.duration(number(0), number(1))?,
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

    /// A `google.protobuf.Timestamp`.
    pub(crate) fn timestamp(&mut self, seconds: i64, nanos: i64) -> Result<(), Kind> {
        let nanos = u32::try_from(nanos).ok().filter(|&nanos| nanos < 1_000_000_000);
        let range = MIN_SECONDS..=MAX_SECONDS;
        let nanos = nanos.filter(|_| range.contains(&seconds)).ok_or(Kind::OutOfRange)?;
        self.out.byte(b'"');
        put_timestamp(&mut self.out, seconds, nanos);
        self.out.byte(b'"');
        Ok(())
    }

    /// A `google.protobuf.Duration`.
    pub(crate) fn duration(&mut self, seconds: i64, nanos: i64) -> Result<(), Kind> {
        let range = (-MAX_DURATION..=MAX_DURATION).contains(&seconds) && nanos.unsigned_abs() < 1_000_000_000;
        if !range || (seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0) {
            return Err(Kind::OutOfRange);
        }
        self.out.byte(b'"');
        put_duration(&mut self.out, seconds, nanos as i32);
        self.out.byte(b'"');
        Ok(())
    }
}
