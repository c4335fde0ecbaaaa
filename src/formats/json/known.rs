//! Messages of well-known types that are a string in the JSON mapping: times, durations and field masks. JSON and serde ask here.

use crate::engine::slab::{NIL, RawView};
use crate::formats::ParseErrorKind as Kind;
use crate::formats::numbers::{
    TextOut, parse_duration, parse_timestamp, put_duration, put_timestamp, snake_path,
};
use crate::message::{FieldAt, MessageBuilder};
use crate::schema::pool::WellKnown;

/// The field at a position as a number; 0 if it is not set.
pub(crate) fn number_of(view: RawView<'_, '_>, position: usize) -> i64 {
    let Some(entry) = view.program().entries().get(position) else { return 0 };
    match view.slot(position, entry) {
        Some(slot) if entry.coding.words() == 2 => view.words.get64(slot) as i64,
        Some(slot) => i64::from(view.words.get(slot) as i32),
        None => 0,
    }
}

/// Prints a `google.protobuf.Timestamp` or `Duration`; false, and nothing is printed, if it is out of range.
pub(crate) fn put_time(out: &mut TextOut<'_>, known: WellKnown, seconds: i64, nanos: i64) -> bool {
    match known {
        WellKnown::Timestamp => put_timestamp(out, seconds, nanos),
        _ => put_duration(out, seconds, nanos),
    }
}

/// Sets a message to what a string says: a time, a duration, or the paths of a field mask.
///
/// # Errors
/// `InvalidTimestamp`, `InvalidDuration` or `InvalidFieldMask`; or as the builder has them.
pub(crate) fn set_text(
    builder: &mut MessageBuilder<'_>,
    at: FieldAt,
    known: WellKnown,
    text: &[u8],
) -> Result<(), Kind> {
    let (seconds, nanos) = match known {
        WellKnown::Timestamp => {
            let (seconds, nanos) = parse_timestamp(text).ok_or(Kind::InvalidTimestamp)?;
            (seconds, nanos.into())
        }
        WellKnown::Duration => {
            let (seconds, nanos) = parse_duration(text).ok_or(Kind::InvalidDuration)?;
            (seconds, nanos.into())
        }
        _ => return set_field_mask(builder, at, text),
    };
    set_number(builder, at, 0, seconds)?;
    set_number(builder, at, 1, nanos)
}

/// Sets a number of a time.
fn set_number(
    builder: &mut MessageBuilder<'_>,
    at: FieldAt,
    position: usize,
    value: i64,
) -> Result<(), Kind> {
    let (program, at) = (builder.set.program(at.body.program), FieldAt { position, ..at });
    let Some(entry) = program.entries().get(position) else { return Ok(()) };
    let word = if entry.coding.words() == 2 { value as u64 } else { u64::from(value as u32) };
    if word == 0 && entry.flags.is_implicit() {
        builder.unset(at);
        return Ok(());
    }
    Ok(builder.set(at, entry.coding, word)?)
}

/// Appends paths, which are separated by commas.
fn set_field_mask(builder: &mut MessageBuilder<'_>, at: FieldAt, text: &[u8]) -> Result<(), Kind> {
    let program = builder.set.program(at.body.program);
    let Some(entry) = program.entries().first().filter(|_| !text.is_empty()) else { return Ok(()) };
    let mut slot = NIL;
    for path in text.split(|&byte| byte == b',') {
        let mark = builder.mark();
        if path.is_empty() || !snake_path(path, builder.store(2 * path.len())?) {
            return Err(Kind::InvalidFieldMask);
        }
        let span = builder.span(entry.coding, mark).ok_or(Kind::InvalidFieldMask)?;
        builder.push(at, &mut slot, entry.coding, span)?;
    }
    Ok(())
}
