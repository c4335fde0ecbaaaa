//! Messages that are one value in the JSON mapping, into a serializer.

use super::place::ValuePlace;
use super::{MessageAt, SerializedField, decoder, members, print_members, printed};
use crate::formats::json::SerializeErrorKind as Kind;
use crate::formats::numbers::{
    MAX_DURATION, MAX_SECONDS, MIN_SECONDS, camel_path, put_duration, put_timestamp, type_in_url,
};
use crate::message::{MessageView, ValueRef};
use crate::schema::pool::{FieldRef, WellKnown};
use ::serde::ser::{Error, Serialize, SerializeMap, Serializer};
use alloc::string::String;

const NANOS: i32 = 1_000_000_000;

/// Serializes a message of a well-known type.
pub(super) fn print_known<S: Serializer>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    known: WellKnown,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match known {
        WellKnown::Timestamp => serializer.serialize_str(&timestamp(view, place)?),
        WellKnown::Duration => serializer.serialize_str(&duration(view, place)?),
        WellKnown::FieldMask => serializer.serialize_str(&field_mask(view, place)?),
        WellKnown::Any => any(view, place, serializer),
        WellKnown::Value => value(view, place, serializer),
        // The one field they have, as it is.
        _ => match field(view, place, 1) {
            Some(field) => field.serialize(serializer),
            None => serializer.serialize_unit(),
        },
    }
}

/// A field of this number, whether it is set or not.
fn field<'n, 'a>(
    view: MessageView<'a, 'a>,
    place: &'n ValuePlace<'n>,
    number: u32,
) -> Option<SerializedField<'n, 'a, 'a>> {
    let program = view.raw().program();
    let position = number as usize - 1;
    program.entries().get(position)?;
    let field =
        FieldRef::at(place.pool, program.message(), program.field_of(position) as u16, position as u16);
    let value = view.get_field_by_number(number)?;
    Some(SerializedField { field, value, place: place.field(field, None) })
}

fn numbers(view: MessageView<'_, '_>) -> (i64, i32) {
    let number = |number| view.get_field_by_number(number);
    let seconds = number(1).and_then(ValueRef::as_i64).unwrap_or_default();
    (seconds, number(2).and_then(ValueRef::as_i32).unwrap_or_default())
}

fn timestamp<E: Error>(view: MessageView<'_, '_>, place: &ValuePlace<'_>) -> Result<String, E> {
    let (seconds, nanos) = numbers(view);
    match u32::try_from(nanos) {
        Ok(nanos) if nanos < NANOS as u32 && (MIN_SECONDS..=MAX_SECONDS).contains(&seconds) => {
            printed(place, |out| put_timestamp(out, seconds, nanos))
        }
        _ => Err(place.fail(Kind::OutOfRange)),
    }
}

fn duration<E: Error>(view: MessageView<'_, '_>, place: &ValuePlace<'_>) -> Result<String, E> {
    let (seconds, nanos) = numbers(view);
    let differ = seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0;
    if differ || seconds.unsigned_abs() > MAX_DURATION as u64 || nanos.unsigned_abs() >= NANOS as u32 {
        return Err(place.fail(Kind::OutOfRange));
    }
    printed(place, |out| put_duration(out, seconds, nanos))
}

fn field_mask<E: Error>(view: MessageView<'_, '_>, place: &ValuePlace<'_>) -> Result<String, E> {
    let mut fits = true;
    let paths = view.get_field_by_number(1).and_then(ValueRef::as_list);
    let text = printed(place, |out| {
        for (index, path) in paths.into_iter().flatten().enumerate() {
            if index > 0 {
                out.byte(b',');
            }
            let path = path.as_str().unwrap_or("?");
            fits &= camel_path(out, path.as_bytes());
        }
    })?;
    if fits { Ok(text) } else { Err(place.fail(Kind::InvalidFieldMask)) }
}

/// A `google.protobuf.Value`.
fn value<S: Serializer>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match view.fields().next() {
        None | Some((_, ValueRef::EnumNumber(_))) => serializer.serialize_unit(),
        Some((_, ValueRef::F64(value))) if !value.is_finite() => Err(place.fail(Kind::NotFinite)),
        Some((field, value)) => {
            SerializedField { field, value, place: place.field(field, None) }.serialize(serializer)
        }
    }
}

/// An object with `@type`, and the members of the content or its `value`.
fn any<S: Serializer>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let url = view.get_field_by_number(1).and_then(ValueRef::as_str).unwrap_or_default();
    let bytes = view.get_field_by_number(2).and_then(ValueRef::as_bytes).unwrap_or_default();
    if url.is_empty() && bytes.is_empty() {
        return serializer.serialize_map(Some(0))?.end();
    }
    let descriptor = type_in_url(url.as_bytes()).and_then(|name| place.pool.get_message_by_name(name));
    let descriptor = descriptor.ok_or_else(|| place.fail(Kind::UnknownType))?;
    let mut decoder = decoder(&descriptor, place.depth + 1);
    let content = decoder.decode(bytes).map_err(|error| place.fail(Kind::of_bytes(&error)))?;
    let inner = place.deeper(1);
    if place.pool.well_known(descriptor.index()) != WellKnown::None {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("@type", url)?;
        map.serialize_entry("value", &MessageAt { view: content, place: inner })?;
        return map.end();
    }
    let mut map = serializer.serialize_map(Some(1 + members(content, &inner)))?;
    map.serialize_entry("@type", url)?;
    print_members(content, &inner, &mut map)?;
    map.end()
}
