//! Map fields of a [`MessageMut`].

use super::assign::Place;
use super::copy::TooLarge;
use super::error::{SetFieldError, SetFieldErrorKind as Fault};
use super::kept::Change;
use super::mutate::MessageMut;
use super::value_ref::{owned_bytes, owned_str};
use super::{MapKey, Value};
use crate::schema::FieldDescriptor;
use crate::slab::MapContext;

/// A key as the value of the key field.
fn key_value(key: &MapKey) -> Result<Value, TooLarge> {
    Ok(match key {
        MapKey::Bool(v) => Value::Bool(*v),
        MapKey::I32(v) => Value::I32(*v),
        MapKey::I64(v) => Value::I64(*v),
        MapKey::U32(v) => Value::U32(*v),
        MapKey::U64(v) => Value::U64(*v),
        MapKey::String(v) => Value::String(owned_str(v)?),
        MapKey::Bytes(v) => Value::Bytes(owned_bytes(v)?),
    })
}

impl<'m> MessageMut<'m> {
    /// Inserts into a map field, or replaces the value of a key that is there.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field); `InvalidShape` if the field is not a map.
    pub fn insert(
        &mut self,
        field: &FieldDescriptor,
        key: impl Into<MapKey>,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        let (key, value) = (key.into(), value.into());
        let place = match self.place(field) {
            Ok(place) => place,
            Err(error) => return Err(error.with_value(value)),
        };
        let Some(part) = place.map_part(1).filter(|_| place.entry.flags.is_map()) else {
            return Err(place.error(Fault::InvalidShape, Some(value)));
        };
        let value = match place.check_key(&key).and_then(|()| part.check_one(&value)) {
            Ok(()) => place.local(value)?,
            Err(fault) => return Err(place.error(fault, Some(value))),
        };
        let before = match self.prepare(&place, Change::Modify) {
            Ok(before) => before,
            Err(error) => return Err(error.with_value(value)),
        };
        let (program, base) = (self.program(), self.base);
        let slot = self.target().open_list(program, base, place.position);
        match slot.and_then(|slot| self.put(&place, slot, &key, &value)) {
            Ok(()) => Ok(()),
            Err(TooLarge) => {
                self.undo(&place, before);
                Err(place.error(Fault::TooLarge, Some(value)))
            }
        }
    }

    /// Inserts what has been checked into the map at `slot`, which is as before if there is no room.
    pub(super) fn put(
        &mut self,
        place: &Place<'_>,
        slot: u32,
        key: &MapKey,
        value: &Value,
    ) -> Result<(), TooLarge> {
        let len = self.slab.words().list(slot).len;
        let entry = self.map_entry(place, slot, key)?;
        let mut entry = entry.ok_or(TooLarge)?;
        let part = place.map_part(1).ok_or(TooLarge)?;
        let put = entry.assign(&part, value);
        if put.is_err() {
            self.drop_entry(place, slot, len);
        }
        put
    }

    /// Drops the entry that was added last, unless there are only `len` now.
    fn drop_entry(&mut self, place: &Place<'_>, slot: u32, len: u32) {
        if self.slab.words().list(slot).len > len {
            let context = MapContext { store: self.store.as_slice(), set: self.set };
            self.slab.map_remove(context, &place.entry, slot, len);
        }
    }

    /// The entry of a key, made if it is not there: with its key, and an empty value.
    fn map_entry(
        &mut self,
        place: &Place<'_>,
        slot: u32,
        key: &MapKey,
    ) -> Result<Option<MessageMut<'_>>, TooLarge> {
        let (Some(key_part), Some(value_part)) = (place.map_part(0), place.map_part(1)) else {
            return Ok(None);
        };
        let Some(raw_key) = key.as_ref().raw(key_part.entry.scalar()) else { return Ok(None) };
        let list = self.raw().list(&place.entry, slot);
        let body = match list.map_find(raw_key) {
            Some(position) => list.message(position).base,
            None => self.add_entry(place, slot, key, &key_part, &value_part)?,
        };
        let index = place.entry.sub;
        Ok(Some(self.at(index, body)))
    }

    fn add_entry(
        &mut self,
        place: &Place<'_>,
        slot: u32,
        key: &MapKey,
        key_part: &Place<'_>,
        value_part: &Place<'_>,
    ) -> Result<u32, TooLarge> {
        let set = self.set;
        let program = set.program(place.entry.sub);
        let key = key_value(key)?;
        let mut target = self.target();
        let (key_coding, value_coding) = (key_part.entry.coding, value_part.entry.coding);
        let key = target.words_of(key_coding, &key)?;
        let body = target.push(&place.entry, slot)?;
        // Map entries are dense: there is room for both.
        let (key_slot, _) = target.slab.mark_set(program, body, key_part.position)?;
        target.slab.set_words(key_slot, key_coding.words(), key);
        let (value_slot, _) = target.slab.mark_set(program, body, value_part.position)?;
        let value = set.enum_default_of(&value_part.entry).into();
        target.slab.set_words(value_slot, value_coding.words(), value);
        let context = MapContext { store: self.store.as_slice(), set };
        if self.slab.map_inserted(context, &place.entry, slot).is_err() {
            let len = self.slab.words().list(slot).len;
            self.drop_entry(place, slot, len - 1);
            return Err(TooLarge);
        }
        Ok(body)
    }

    /// Removes a key from a map field and says whether it was there.
    ///
    /// # Errors
    /// `NoSuchField`; `InvalidShape` if the field is not a map, `InvalidType` if the key is not of its kind.
    pub fn remove(&mut self, field: &FieldDescriptor, key: impl Into<MapKey>) -> Result<bool, SetFieldError> {
        let key = key.into();
        let place = self.place(field)?;
        let Some(key_part) = place.map_part(0).filter(|_| place.entry.flags.is_map()) else {
            return Err(place.error(Fault::InvalidShape, None));
        };
        let Some(raw_key) = key.as_ref().raw(key_part.entry.scalar()) else {
            return Err(place.error(Fault::InvalidType, None));
        };
        let before = self.prepare(&place, Change::Modify)?;
        let view = self.raw();
        let slot = view.slot(place.position, &place.entry);
        let list = slot.map(|slot| view.list(&place.entry, slot));
        let found = list.and_then(|list| Some((list.map_find(raw_key)?, list.len() == 1)));
        let (Some(slot), Some((position, last))) = (slot, found) else {
            self.undo(&place, before);
            return Ok(false);
        };
        let context = MapContext { store: self.store.as_slice(), set: self.set };
        self.slab.map_remove(context, &place.entry, slot, position);
        if last {
            self.slab.mark_unset(self.program(), self.base, place.position);
        }
        Ok(true)
    }

    /// The message value of a map key to write to, inserted if it is not there.
    ///
    /// # Errors
    /// As [`insert`](Self::insert); `InvalidShape` if the values are not messages.
    pub fn entry_mut(
        &mut self,
        field: &FieldDescriptor,
        key: impl Into<MapKey>,
    ) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_entry_mut(field, key)
    }

    /// As [`entry_mut`](Self::entry_mut), by value.
    ///
    /// # Errors
    /// As [`entry_mut`](Self::entry_mut).
    pub fn into_entry_mut(
        mut self,
        field: &FieldDescriptor,
        key: impl Into<MapKey>,
    ) -> Result<MessageMut<'m>, SetFieldError> {
        let key = key.into();
        let place = self.place(field)?;
        let part = place.map_part(1).filter(|_| place.entry.flags.is_map());
        let Some(part) = part.filter(|part| part.entry.coding.is_message()) else {
            return Err(place.error(Fault::InvalidShape, None));
        };
        if let Err(fault) = place.check_key(&key) {
            return Err(place.error(fault, None));
        }
        let before = self.prepare(&place, Change::Modify)?;
        let opened = self.open_entry(&place, &part, &key);
        if opened.is_err() {
            self.undo(&place, before);
        }
        let base = opened?;
        Ok(MessageMut { index: part.entry.sub, base, ..self })
    }

    /// The message value of a key, made if the key is not there.
    fn open_entry(
        &mut self,
        place: &Place<'_>,
        part: &Place<'_>,
        key: &MapKey,
    ) -> Result<u32, SetFieldError> {
        let too_large = |_| place.error(Fault::TooLarge, None);
        let (program, base) = (self.program(), self.base);
        let map = self.target().open_list(program, base, place.position).map_err(too_large)?;
        let len = self.slab.words().list(map).len;
        let entry = self.map_entry(place, map, key).and_then(|entry| Ok(entry.ok_or(TooLarge)?.base));
        let entry = entry.map_err(too_large)?;
        let program = self.set.program(place.entry.sub);
        let body = self.target().open(program, entry, part.position, &part.entry);
        if body.is_err() {
            self.drop_entry(place, map, len);
        }
        let body = body.map_err(too_large)?;
        let slot = self.raw().at(place.entry.sub, entry).slot(part.position, &part.entry);
        self.decoded(part, body, slot)
    }
}
