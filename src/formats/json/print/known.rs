//! Well-known types that are one value.

use super::JsonStyle;
use crate::engine::slab::RawView;
use crate::formats::json::error::SerializeErrorKind as Kind;
use crate::formats::numbers::{
    MAX_DURATION, MAX_SECONDS, MIN_SECONDS, camel_path, put_duration, put_timestamp,
};
use crate::formats::print::Style;
use crate::schema::pool::{FieldRef, WellKnown};

impl JsonStyle<'_, '_> {
    /// A well-known type that is one value in JSON.
    pub(super) fn well_known(&mut self, view: RawView<'_, '_>, known: WellKnown) -> Result<(), Kind> {
        match known {
            WellKnown::Timestamp => self.timestamp(number_of(view, 0), number_of(view, 1)),
            WellKnown::Duration => self.duration(number_of(view, 0), number_of(view, 1)),
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
        self.out.byte(b'"');
        if let Some(entry) = view.program().entries().first()
            && let Some(slot) = view.slot(0, entry)
        {
            let paths = view.list(entry, slot);
            for index in 0..paths.len() {
                if index > 0 {
                    self.out.byte(b',');
                }
                if !camel_path(&mut self.out, paths.span(index)) {
                    return Err(Kind::InvalidFieldMask);
                }
            }
        }
        self.out.byte(b'"');
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

/// The field at a position as a number; 0 if it is not set.
fn number_of(view: RawView<'_, '_>, position: usize) -> i64 {
    let Some(entry) = view.program().entries().get(position) else { return 0 };
    match view.slot(position, entry) {
        Some(slot) if entry.coding.words() == 2 => view.words.get64(slot) as i64,
        Some(slot) => i64::from(view.words.get(slot) as i32),
        None => 0,
    }
}
