//! Map fields of a [`MessageMut`].

use super::field_key::{Key, ResolvedField};
use super::fit::key_scalar;
use super::mutate::MessageMut;
use super::slab_writer::TooLarge;
use crate::engine::slab::{BodyRef, MapContext};
use crate::message::dynamic::passthrough::Change;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::view::value_ref::{owned_bytes, owned_str};
use crate::message::{FieldKey, MapKey, Value};

/// A checked key as the value of the key field.
fn key_value(part: &ResolvedField<'_>, key: &MapKey) -> Result<Value, TooLarge> {
    match key {
        MapKey::String(v) => Ok(Value::String(owned_str(v)?)),
        MapKey::Bytes(v) => Ok(Value::Bytes(owned_bytes(v)?)),
        scalar => key_scalar(part.descriptor.raw_kind(), scalar).ok_or(TooLarge),
    }
}

impl<'m> MessageMut<'m> {
    /// Inserts an entry into a map field, or replaces the value of an existing key.
    ///
    /// New keys go to the end; the order of the others stays.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field); `InvalidShape` if the field is not a map.
    pub fn insert(
        &mut self,
        field: impl FieldKey,
        key: impl Into<MapKey>,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        self.insert_value(field.key(), &key.into(), value.into())
    }

    fn insert_value(&mut self, field: Key<'_>, key: &MapKey, mut value: Value) -> Result<(), SetFieldError> {
        let field = match self.resolve_map(field) {
            Ok(field) => field,
            Err(error) => return Err(error.with_value(value)),
        };
        if let Err(misfit) = field.accept_entry(key, &mut value) {
            return Err(field.refused(misfit, Some(value)));
        }
        let before = match self.prepare(&field, Change::Modify) {
            Ok(before) => before,
            Err(error) => return Err(error.with_value(value)),
        };
        let (program, base) = (self.program(), self.body.base);
        let slot = self.writer().open_list(program, base, field.position);
        match slot.and_then(|slot| self.put(&field, slot, key, &value)) {
            Ok(()) => Ok(()),
            Err(TooLarge) => {
                self.undo(&field, before);
                Err(field.error(SetFieldErrorKind::TooLarge, Some(value)))
            }
        }
    }

    /// The field that a key means, which must be a map.
    pub(in crate::message) fn resolve_map(&self, key: Key<'_>) -> Result<ResolvedField<'m>, SetFieldError> {
        let field = self.resolve(key)?;
        match field.entry.flags.is_map() {
            true => Ok(field),
            false => Err(field.error(SetFieldErrorKind::InvalidShape, None)),
        }
    }

    /// Inserts a checked key and value into the map at `slot`. On failure the map does not change.
    pub(in crate::message) fn put(
        &mut self,
        field: &ResolvedField<'_>,
        slot: u32,
        key: &MapKey,
        value: &Value,
    ) -> Result<(), TooLarge> {
        let len = self.slab.words().list(slot).len;
        let entry = self.map_entry(field, slot, key)?;
        let mut entry = entry.ok_or(TooLarge)?;
        let part = field.map_part(1).ok_or(TooLarge)?;
        let put = entry.assign(&part, value);
        if put.is_err() {
            self.drop_entry(field, slot, len);
        }
        put
    }

    /// Drops the last entry if the map has more than `len`. Needs no memory: it undoes an insert that ran out of it.
    fn drop_entry(&mut self, field: &ResolvedField<'_>, slot: u32, len: u32) {
        if self.slab.words().list(slot).len > len {
            let context = MapContext { store: self.store.as_slice(), set: self.set };
            self.slab.map_remove(context, &field.entry, slot, len);
        }
    }

    /// The entry of a key. A new entry has its key and a zero or empty value.
    fn map_entry(
        &mut self,
        field: &ResolvedField<'_>,
        slot: u32,
        key: &MapKey,
    ) -> Result<Option<MessageMut<'_>>, TooLarge> {
        let (Some(key_part), Some(value_part)) = (field.map_part(0), field.map_part(1)) else {
            return Ok(None);
        };
        let Some(raw_key) = key.as_ref().raw(key_part.entry.scalar()) else { return Ok(None) };
        let list = self.raw().list(&field.entry, slot);
        let body = match list.map_find(raw_key) {
            Some(position) => list.message(position).body,
            None => BodyRef::of(&field.entry, self.add_entry(field, slot, key, &key_part, &value_part)?),
        };
        Ok(Some(self.at(body)))
    }

    fn add_entry(
        &mut self,
        field: &ResolvedField<'_>,
        slot: u32,
        key: &MapKey,
        key_part: &ResolvedField<'_>,
        value_part: &ResolvedField<'_>,
    ) -> Result<u32, TooLarge> {
        let set = self.set;
        let program = set.program(field.entry.sub);
        let key = key_value(key_part, key)?;
        let mut writer = self.writer();
        let (key_coding, value_coding) = (key_part.entry.coding, value_part.entry.coding);
        let key = writer.slot_value(key_coding, &key)?;
        let body = writer.push(&field.entry, slot)?;
        // Map entries are dense, so setting both fields needs no memory.
        let (key_slot, _) = writer.slab.mark_set(program, body, key_part.position)?;
        writer.slab.set_words(key_slot, key_coding.words(), key);
        let (value_slot, _) = writer.slab.mark_set(program, body, value_part.position)?;
        let value = set.enum_default_of(&value_part.entry).into();
        writer.slab.set_words(value_slot, value_coding.words(), value);
        let context = MapContext { store: self.store.as_slice(), set };
        if self.slab.map_inserted(context, &field.entry, slot).is_err() {
            let len = self.slab.words().list(slot).len;
            self.drop_entry(field, slot, len - 1);
            return Err(TooLarge);
        }
        Ok(body)
    }

    /// Removes a key from a map field. Returns whether the map had the key.
    ///
    /// The other entries keep their order. Takes time in proportion to the size of the map.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `InvalidShape` if the field is not a map; `InvalidType` or `Lossy` if its keys cannot be this
    /// one.
    pub fn remove(&mut self, field: impl FieldKey, key: impl Into<MapKey>) -> Result<bool, SetFieldError> {
        self.remove_key(field.key(), &key.into())
    }

    fn remove_key(&mut self, field: Key<'_>, key: &MapKey) -> Result<bool, SetFieldError> {
        let field = self.resolve_map(field)?;
        let raw_key = field.map_part(0).and_then(|part| key.as_ref().raw(part.entry.scalar()));
        let Some(raw_key) = raw_key else {
            let misfit = field.check_key(key).err();
            return Err(misfit.map_or_else(
                || field.error(SetFieldErrorKind::InvalidType, None),
                |misfit| field.refused(misfit, None),
            ));
        };
        let before = self.prepare(&field, Change::Modify)?;
        let view = self.raw();
        let slot = view.slot(field.position, &field.entry);
        let list = slot.map(|slot| view.list(&field.entry, slot));
        let found = list.and_then(|list| Some((list.map_find(raw_key)?, list.len() == 1)));
        let (Some(slot), Some((position, last))) = (slot, found) else {
            self.undo(&field, before);
            return Ok(false);
        };
        let context = MapContext { store: self.store.as_slice(), set: self.set };
        self.slab.map_remove(context, &field.entry, slot, position);
        if last {
            self.slab.mark_unset(self.program(), self.body.base, field.position);
        }
        Ok(true)
    }

    /// Borrows the message value of a map key for writing. A missing key is inserted with an empty message.
    ///
    /// # Errors
    /// As [`insert`](Self::insert); `InvalidShape` if the values are not messages; `InvalidMessage` if the value's bytes were
    /// not decoded yet and are invalid.
    pub fn entry_mut(
        &mut self,
        field: impl FieldKey,
        key: impl Into<MapKey>,
    ) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_entry_mut(field, key)
    }

    /// As [`entry_mut`](Self::entry_mut), by value.
    ///
    /// # Errors
    /// As [`entry_mut`](Self::entry_mut).
    pub fn into_entry_mut(
        self,
        field: impl FieldKey,
        key: impl Into<MapKey>,
    ) -> Result<MessageMut<'m>, SetFieldError> {
        let field = self.resolve_map(field.key())?;
        self.entry_at(field, &key.into())
    }

    fn entry_at(mut self, field: ResolvedField<'m>, key: &MapKey) -> Result<MessageMut<'m>, SetFieldError> {
        let Some(part) = field.map_part(1).filter(|part| part.entry.coding.is_message()) else {
            return Err(field.error(SetFieldErrorKind::InvalidShape, None));
        };
        if let Err(misfit) = field.check_key(key) {
            return Err(field.refused(misfit, None));
        }
        let before = self.prepare(&field, Change::Modify)?;
        let opened = self.open_entry(&field, &part, key);
        if opened.is_err() {
            self.undo(&field, before);
        }
        let base = opened?;
        Ok(MessageMut { body: BodyRef::of(&part.entry, base), ..self })
    }

    /// The body of a key's message value. A missing key is inserted.
    fn open_entry(
        &mut self,
        field: &ResolvedField<'_>,
        part: &ResolvedField<'_>,
        key: &MapKey,
    ) -> Result<u32, SetFieldError> {
        let too_large = |_| field.error(SetFieldErrorKind::TooLarge, None);
        let (program, base) = (self.program(), self.body.base);
        let map = self.writer().open_list(program, base, field.position).map_err(too_large)?;
        let len = self.slab.words().list(map).len;
        let entry = self.map_entry(field, map, key).and_then(|entry| Ok(entry.ok_or(TooLarge)?.body));
        let entry = entry.map_err(too_large)?;
        let program = self.set.program(field.entry.sub);
        let body = self.writer().open(program, entry.base, part.position, &part.entry);
        if body.is_err() {
            self.drop_entry(field, map, len);
        }
        let body = body.map_err(too_large)?;
        let slot = self.raw().at(entry).slot(part.position, &part.entry);
        self.decoded(part, body, slot)
    }
}
