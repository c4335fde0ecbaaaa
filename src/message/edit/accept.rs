//! What setters do with a value before they write anything: check it, convert it, and bring its messages to this pool.

use super::fit::{Fit, Misfit};
use super::resolved_field::{Expected, ResolvedField};
use crate::engine::encode::try_encode_raw;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{DynamicMessage, MapKey, Value};
use crate::schema::table::Kind;
use crate::wire::error::text;
use crate::wire::options::DecodeOptions;
use alloc::{string::String, vec::Vec};

impl ResolvedField<'_> {
    /// The error about a value that does not fit.
    #[cold]
    pub(in crate::message) fn refused(&self, misfit: Misfit, value: Option<Value>) -> SetFieldError {
        let expected = text(Expected(self));
        SetFieldError::new(misfit.kind, self.descriptor.full_name(), expected, misfit.found, value)
    }

    /// Checks a value for the whole field, and converts it to what the field holds. On failure the value does not change.
    pub(in crate::message) fn accept(&self, value: &mut Value) -> Result<(), Misfit> {
        if !self.entry.flags.is_list() && !matches!(value, Value::List(_) | Value::Map(_)) {
            return self.accept_element(value);
        }
        let fit = self.check(value)?;
        self.convert_to_pool(value)?;
        if fit == Fit::Converted {
            self.convert(value);
        }
        Ok(())
    }

    /// Checks one value, a singular one or an element, and converts it to what the field holds. On failure the value does not change.
    pub(in crate::message) fn accept_element(&self, value: &mut Value) -> Result<(), Misfit> {
        match self.conversion(value) {
            Ok(conversion) => conversion.apply(value),
            Err(kind) => return Err(Misfit::of(kind, value, "")),
        }
        self.convert_to_pool(value)
    }

    /// Checks an entry of a map, and converts the value to what the map holds. On failure the value does not change.
    pub(in crate::message) fn accept_entry(&self, key: &MapKey, value: &mut Value) -> Result<(), Misfit> {
        self.check_entry(key, value)?.apply(value);
        self.convert_to_pool(value)
    }

    /// Converts the messages in a value to this pool. A message of another pool is encoded and decoded by this pool's type of the
    /// same name; one of a projection is left as it is, for it is written as bytes. Setters call this before they write anything.
    fn convert_to_pool(&self, value: &mut Value) -> Result<(), Misfit> {
        if !self.entry.coding.is_message() {
            return Ok(());
        }
        self.convert_messages(value).map_err(|kind| Misfit { kind, found: String::new() })
    }

    fn convert_messages(&self, value: &mut Value) -> Result<(), SetFieldErrorKind> {
        let field = if self.entry.flags.is_map() { self.map_part(1) } else { Some(*self) };
        let (Some(field), Kind::Message(index)) =
            (field, field.map_or(Kind::Bool, |field| field.descriptor.raw_kind()))
        else {
            return Ok(());
        };
        let pool = field.descriptor.pool();
        let foreign = |value: &Value| match value {
            Value::Message(message) => !message.is_projected() && message.descriptor().parent_pool() != pool,
            _ => false,
        };
        let convert = |value: &Value| match value {
            Value::Message(message) => {
                let invalid = SetFieldErrorKind::InvalidMessage;
                let bytes =
                    try_encode_raw(message.as_view().raw()).map_err(|_| SetFieldErrorKind::TooLarge)?;
                let options = DecodeOptions::new().allow_partial(true).max_depth(u32::MAX).budget(usize::MAX);
                let descriptor = pool.message_at(index).ok_or(invalid)?;
                let own = DynamicMessage::decode_with(&descriptor, &bytes, options).map_err(|_| invalid)?;
                Ok(Value::Message(own))
            }
            _ => Err(SetFieldErrorKind::InvalidType),
        };
        let converted = parts(value).filter(|part| foreign(part)).try_fold(Vec::new(), |mut done, part| {
            done.try_reserve(1).map_err(|_| SetFieldErrorKind::TooLarge)?;
            done.push(convert(part)?);
            Ok(done)
        });
        for (part, own) in parts_mut(value).filter(|part| foreign(part)).zip(converted?) {
            *part = own;
        }
        Ok(())
    }
}

/// The values of a list or map, or the value itself.
fn parts(value: &Value) -> impl Iterator<Item = &Value> {
    let (list, map, one) = match value {
        Value::List(list) => (Some(list), None, None),
        Value::Map(map) => (None, Some(map), None),
        one => (None, None, Some(one)),
    };
    list.into_iter().flatten().chain(map.into_iter().flat_map(|map| map.values())).chain(one)
}

/// As `parts`, mutable.
fn parts_mut(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    let (list, map, one) = match value {
        Value::List(list) => (Some(list), None, None),
        Value::Map(map) => (None, Some(map), None),
        one => (None, None, Some(one)),
    };
    list.into_iter().flatten().chain(map.into_iter().flat_map(|map| map.values_mut())).chain(one)
}
