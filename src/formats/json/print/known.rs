//! Well-known types that are one value.

use super::JsonStyle;
use crate::formats::json::error::SerializeErrorKind as Kind;
use crate::formats::numbers::{
    MAX_DURATION, MAX_SECONDS, MIN_SECONDS, camel_path, put_duration, put_timestamp,
};
use crate::formats::print::{PrintView, Style};
use crate::schema::pool::{FieldRef, WellKnown};

impl JsonStyle<'_, '_> {
    /// A well-known type that is one value in JSON.
    pub(super) fn well_known<'a, 'i, V: PrintView<'a, 'i>>(
        &mut self,
        view: V,
        known: WellKnown,
    ) -> Result<(), Kind> {
        match known {
            WellKnown::Timestamp => self.timestamp(view.number_of(0), view.number_of(1)),
            WellKnown::Duration => self.duration(view.number_of(0), view.number_of(1)),
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
    fn field_mask<'a, 'i, V: PrintView<'a, 'i>>(&mut self, view: V) -> Result<(), Kind> {
        self.out.byte(b'"');
        if let Some(entry) = view.program().entries().first()
            && let Some(slot) = view.slot(0, entry)
        {
            let paths = view.list(entry, slot);
            for index in 0..V::len(paths) {
                if index > 0 {
                    self.out.byte(b',');
                }
                let (rest, len) = V::text_at(paths, index);
                if !camel_path(&mut self.out, rest.get(..len).unwrap_or(rest)) {
                    return Err(Kind::InvalidFieldMask);
                }
            }
        }
        self.out.byte(b'"');
        Ok(())
    }

    /// A `google.protobuf.Timestamp`.
    fn timestamp(&mut self, seconds: i64, nanos: i64) -> Result<(), Kind> {
        let nanos = u32::try_from(nanos).ok().filter(|&nanos| nanos < 1_000_000_000);
        let range = MIN_SECONDS..=MAX_SECONDS;
        let nanos = nanos.filter(|_| range.contains(&seconds)).ok_or(Kind::OutOfRange)?;
        self.out.byte(b'"');
        put_timestamp(&mut self.out, seconds, nanos);
        self.out.byte(b'"');
        Ok(())
    }

    /// A `google.protobuf.Duration`.
    fn duration(&mut self, seconds: i64, nanos: i64) -> Result<(), Kind> {
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
