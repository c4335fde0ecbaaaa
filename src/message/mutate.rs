//! [`MessageMut`]: a message, or a part of one, to write to.

use super::assign::{Place, is_zero};
use super::copy::{Target, TooLarge};
use super::error::{SetFieldError, SetFieldErrorKind as Fault};
use super::kept::Change;
use super::store::Store;
use super::{DynamicMessage, MapKey, MessageView, Prepared, Value};
use crate::program::{Program, ProgramSet};
use crate::schema::{DescriptorPool, FieldDescriptor, MessageDescriptor};
use crate::slab::{MapContext, Nesting, RawView, Slab};
use alloc::string::String;

/// A mutably borrowed message: the root of a [`DynamicMessage`], or a message inside of it.
///
/// ```
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static NODE: MessageTable = MessageTable::new(
///     "pkg.Node",
///     &[
///         FieldTable::new("name", 1, Kind::String),
///         FieldTable::new("children", 2, Kind::Message(|| &NODE)).repeated(),
///     ],
/// );
/// let pool = DescriptorPool::from_tables(&[&NODE])?;
/// let node = pool.get_message_by_name("pkg.Node").unwrap();
/// let (name, children) = (node.get_field(1).unwrap(), node.get_field(2).unwrap());
///
/// let mut root = DynamicMessage::new(&node);
/// let mut child = root.push_message(&children)?;
/// child.set_field(&name, "leaf")?;
/// assert_eq!(root.encode_to_vec()?, b"\x12\x06\x0a\x04leaf");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MessageMut<'m> {
    pub(super) pool: &'m DescriptorPool,
    pub(super) set: &'m ProgramSet,
    pub(super) index: u32,
    pub(super) base: u32,
    pub(super) slab: &'m mut Slab,
    pub(super) store: &'m mut Store,
}

impl<'m> MessageMut<'m> {
    pub(super) fn new(
        pool: &'m DescriptorPool,
        set: &'m ProgramSet,
        (index, base): (u32, u32),
        slab: &'m mut Slab,
        store: &'m mut Store,
    ) -> Self {
        Self { pool, set, index, base, slab, store }
    }

    pub(super) fn program(&self) -> &'m Program {
        self.set.program(self.index)
    }

    pub(super) fn raw(&self) -> RawView<'_, '_> {
        RawView {
            words: self.slab.words(),
            store: self.store.as_slice(),
            set: self.set,
            index: self.index,
            base: self.base,
        }
    }

    fn target(&mut self) -> Target<'_> {
        Target { set: self.set, slab: self.slab, store: self.store }
    }

    /// Another message of the same slab.
    fn at(&mut self, index: u32, base: u32) -> MessageMut<'_> {
        MessageMut { pool: self.pool, set: self.set, index, base, slab: self.slab, store: self.store }
    }

    /// The same message for a shorter time.
    pub fn reborrow(&mut self) -> MessageMut<'_> {
        self.at(self.index, self.base)
    }

    /// The message to read.
    pub fn as_view(&self) -> MessageView<'_, '_> {
        MessageView::new(self.pool, self.raw())
    }

    /// The message type.
    pub fn descriptor(&self) -> MessageDescriptor {
        self.as_view().descriptor()
    }

    fn place(&self, field: &FieldDescriptor) -> Result<Place<'m>, SetFieldError> {
        let field = field.as_ref();
        let message = self.program().message();
        let found = if field.message_index() == message && field.pool() == self.pool {
            self.program().entry_of(field.index() as usize)
        } else {
            None
        };
        match found {
            Some((position, entry)) => {
                let field = crate::schema::FieldRef::new(self.pool, message, field.index());
                Ok(Place { field, position, entry: *entry, set: self.set })
            }
            None => Err(SetFieldError::new(Fault::NoSuchField, field.full_name(), String::new(), None)),
        }
    }

    /// Sets a field, a list or map as a whole included; of a oneof, unsets the other members.
    ///
    /// Zero and empty values unset a field without explicit presence. A message is copied.
    ///
    /// # Errors
    /// The value is not of the field's kind or the field not of this message; the message is as before, and the
    /// error holds the value.
    pub fn set_field(
        &mut self,
        field: &FieldDescriptor,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        let value = value.into();
        let place = match self.place(field) {
            Ok(place) => place,
            Err(error) => return Err(error.with_value(value)),
        };
        let value = match place.check(&value) {
            Ok(()) => place.local(value)?,
            Err(fault) => return Err(place.error(fault, Some(value))),
        };
        if let Err(error) = self.prepare(&place, Change::Set) {
            return Err(error.with_value(value));
        }
        match self.assign(&place, &value) {
            Ok(()) => Ok(()),
            Err(TooLarge) => Err(place.error(Fault::TooLarge, Some(value))),
        }
    }

    /// Sets the field of this name.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field); `NoSuchField` if there is no field of this name.
    pub fn set_field_by_name(&mut self, name: &str, value: impl Into<Value>) -> Result<(), SetFieldError> {
        match self.descriptor().get_field_by_name(name) {
            Some(field) => self.set_field(&field, value),
            None => Err(SetFieldError::new(Fault::NoSuchField, name, String::new(), Some(value.into()))),
        }
    }

    /// Writes a value that has been checked.
    fn assign(&mut self, place: &Place<'_>, value: &Value) -> Result<(), TooLarge> {
        match value {
            Value::List(elements) => {
                self.unset(place);
                elements.iter().try_for_each(|element| self.append(place, element))
            }
            Value::Map(entries) => {
                self.unset(place);
                entries.iter().try_for_each(|(key, value)| self.put(place, key, value))
            }
            Value::Message(message) => {
                self.unset(place);
                let (program, base) = (self.program(), self.base);
                let body = self.target().open(program, base, place.position, &place.entry)?;
                self.fill(place.entry.sub, body, message)
            }
            Value::Prepared(prepared) => {
                let (program, base) = (self.program(), self.base);
                let mut target = self.target();
                let bytes = target.span(prepared.as_bytes())?;
                target.slab.untouch(program, base, place.position);
                let body = target.open_raw(
                    program,
                    base,
                    place.position,
                    &place.entry,
                    Nesting::known(prepared.depth()),
                )?;
                target.slab.add_verbatim(body, bytes as u32, (bytes >> 32) as u32)?;
                Ok(())
            }
            scalar => {
                self.unset(place);
                if place.entry.flags.is_implicit() && is_zero(scalar) {
                    return Ok(());
                }
                let (program, base) = (self.program(), self.base);
                let (slot, _) = self.slab.touch(program, base, place.position)?;
                self.target().write_scalar(place.entry.coding, slot, scalar)
            }
        }
    }

    /// Copies a message of this pool into an empty body.
    fn fill(&mut self, index: u32, body: u32, message: &DynamicMessage) -> Result<(), TooLarge> {
        self.target().copy(message.as_view().raw, index, body)
    }

    /// Unsets a field; a field of another message is ignored.
    pub fn clear_field(&mut self, field: &FieldDescriptor) {
        if let Ok(place) = self.place(field) {
            // There is room for fewer spans than there are.
            let _ = self.prepare(&place, Change::Clear);
            self.unset(&place);
        }
    }

    fn unset(&mut self, place: &Place<'_>) {
        self.slab.untouch(self.program(), self.base, place.position);
    }

    /// Appends a value to a repeated field.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field); `InvalidShape` if the field is not repeated.
    pub fn push(&mut self, field: &FieldDescriptor, value: impl Into<Value>) -> Result<(), SetFieldError> {
        let value = value.into();
        let place = match self.place(field) {
            Ok(place) => place,
            Err(error) => return Err(error.with_value(value)),
        };
        if !place.entry.flags.is_list() || place.entry.flags.is_map() {
            return Err(place.error(Fault::InvalidShape, Some(value)));
        }
        let value = match place.check_one(&value) {
            Ok(()) => place.local(value)?,
            Err(fault) => return Err(place.error(fault, Some(value))),
        };
        if let Err(error) = self.prepare(&place, Change::Modify) {
            return Err(error.with_value(value));
        }
        match self.append(&place, &value) {
            Ok(()) => Ok(()),
            Err(TooLarge) => Err(place.error(Fault::TooLarge, Some(value))),
        }
    }

    /// Appends a value that has been checked.
    fn append(&mut self, place: &Place<'_>, value: &Value) -> Result<(), TooLarge> {
        let (program, base) = (self.program(), self.base);
        let mut target = self.target();
        let slot = target.open_list(program, base, place.position)?;
        if let Value::Prepared(prepared) = value {
            let bytes = target.span(prepared.as_bytes())?;
            let body = target.push_raw(&place.entry, slot, Nesting::known(prepared.depth()))?;
            target.slab.add_verbatim(body, bytes as u32, (bytes >> 32) as u32)?;
            return Ok(());
        }
        if let Value::Message(message) = value {
            let body = target.push(&place.entry, slot)?;
            return self.fill(place.entry.sub, body, message);
        }
        let coding = place.entry.coding;
        let at = target.slab.list_grow(slot, coding.words(), 1)?;
        let written = target.write_scalar(coding, at, value);
        if written.is_err() {
            let len = self.slab.words().list(slot).len;
            self.slab.list_truncate(slot, len - 1);
        }
        written
    }

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
        if let Err(error) = self.prepare(&place, Change::Modify) {
            return Err(error.with_value(value));
        }
        match self.put(&place, &key, &value) {
            Ok(()) => Ok(()),
            Err(TooLarge) => Err(place.error(Fault::TooLarge, Some(value))),
        }
    }

    /// Inserts what has been checked.
    fn put(&mut self, place: &Place<'_>, key: &MapKey, value: &Value) -> Result<(), TooLarge> {
        let entry = self.map_entry(place, key)?;
        let mut entry = entry.ok_or(TooLarge)?;
        let part = place.map_part(1).ok_or(TooLarge)?;
        entry.assign(&part, value)
    }

    /// The entry of a key, made if it is not there: with its key, and an empty value.
    fn map_entry(&mut self, place: &Place<'_>, key: &MapKey) -> Result<Option<MessageMut<'_>>, TooLarge> {
        let (Some(key_part), Some(value_part)) = (place.map_part(0), place.map_part(1)) else {
            return Ok(None);
        };
        let Some(raw_key) = key.as_ref().raw(key_part.entry.scalar()) else { return Ok(None) };
        let (program, base) = (self.program(), self.base);
        let slot = self.target().open_list(program, base, place.position)?;
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
        let key = match key.clone() {
            MapKey::Bool(v) => Value::Bool(v),
            MapKey::I32(v) => Value::I32(v),
            MapKey::I64(v) => Value::I64(v),
            MapKey::U32(v) => Value::U32(v),
            MapKey::U64(v) => Value::U64(v),
            MapKey::String(v) => Value::String(v),
        };
        let mut target = self.target();
        let body = target.push(&place.entry, slot)?;
        // Room in the store is the only thing that can be missing from here on.
        let (key_slot, _) = target.slab.touch(program, body, key_part.position)?;
        target.slab.set64(key_slot, 0);
        let written = target.write_scalar(key_part.entry.coding, key_slot, &key);
        let (value_slot, _) = target.slab.touch(program, body, value_part.position)?;
        match value_part.entry.coding.words() {
            1 => target.slab.set(value_slot, set.enum_default_of(&value_part.entry)),
            _ => target.slab.set64(value_slot, 0),
        }
        if let Err(full) = written {
            let len = self.slab.words().list(slot).len;
            self.slab.list_truncate(slot, len - 1);
            return Err(full);
        }
        let context = MapContext { store: self.store.as_slice(), set };
        self.slab.map_inserted(context, &place.entry, slot)?;
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
        self.prepare(&place, Change::Modify)?;
        let view = self.raw();
        let Some(slot) = view.slot(place.position, &place.entry) else { return Ok(false) };
        let list = view.list(&place.entry, slot);
        let Some(position) = list.map_find(raw_key) else { return Ok(false) };
        let last = list.len() == 1;
        let context = MapContext { store: self.store.as_slice(), set: self.set };
        self.slab.map_remove(context, &place.entry, slot, position);
        if last {
            self.slab.untouch(self.program(), self.base, place.position);
        }
        Ok(true)
    }

    /// Replaces an element of a repeated field.
    ///
    /// # Errors
    /// As [`push`](Self::push), and `OutOfRange`.
    pub fn set_element(
        &mut self,
        field: &FieldDescriptor,
        index: usize,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        let value = value.into();
        let place = match self.place(field) {
            Ok(place) => place,
            Err(error) => return Err(error.with_value(value)),
        };
        if !place.entry.flags.is_list() || place.entry.flags.is_map() {
            return Err(place.error(Fault::InvalidShape, Some(value)));
        }
        let value = match place.check_one(&value) {
            Ok(()) => place.local(value)?,
            Err(fault) => return Err(place.error(fault, Some(value))),
        };
        if let Err(error) = self.prepare(&place, Change::Modify) {
            return Err(error.with_value(value));
        }
        let list = self.raw().slot(place.position, &place.entry).map(|slot| self.slab.words().list(slot));
        let Some(list) = list.filter(|list| index < list.len as usize) else {
            return Err(place.error(Fault::OutOfRange, Some(value)));
        };
        let written = match &value {
            Value::Prepared(prepared) => self.set_element_raw(&place, index, prepared),
            Value::Message(message) => self
                .element_body(&place, index, true)
                .and_then(|body| self.fill(place.entry.sub, body.ok_or(TooLarge)?, message)),
            scalar => {
                let coding = place.entry.coding;
                let at = list.ptr + index as u32 * coding.words();
                self.target().write_scalar(coding, at, scalar)
            }
        };
        written.map_err(|TooLarge| place.error(Fault::TooLarge, Some(value)))
    }

    /// Removes an element of a repeated field and closes the gap.
    ///
    /// # Errors
    /// `NoSuchField`; `InvalidShape` if the field is not repeated; `OutOfRange`.
    pub fn remove_element(&mut self, field: &FieldDescriptor, index: usize) -> Result<(), SetFieldError> {
        let place = self.place(field)?;
        if !place.entry.flags.is_list() || place.entry.flags.is_map() {
            return Err(place.error(Fault::InvalidShape, None));
        }
        self.prepare(&place, Change::Modify)?;
        let slot = self.raw().slot(place.position, &place.entry);
        let len = slot.map_or(0, |slot| self.slab.words().list(slot).len);
        let (Some(slot), true) = (slot, index < len as usize) else {
            return Err(place.error(Fault::OutOfRange, None));
        };
        let sub = self.set.program(place.entry.sub);
        let coding = place.entry.coding;
        let width = if coding.is_message() { sub.element_words() } else { coding.words() };
        self.slab.list_remove(slot, width, index as u32);
        if len == 1 {
            self.slab.untouch(self.program(), self.base, place.position);
        }
        Ok(())
    }

    /// A sub-message to write to; made and set if the field is not set.
    ///
    /// # Errors
    /// `NoSuchField`; `InvalidShape` if the field is not a singular message.
    pub fn message_mut(&mut self, field: &FieldDescriptor) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_message_mut(field)
    }

    /// As [`message_mut`](Self::message_mut), by value: for going down in a loop.
    ///
    /// # Errors
    /// As [`message_mut`](Self::message_mut).
    pub fn into_message_mut(mut self, field: &FieldDescriptor) -> Result<MessageMut<'m>, SetFieldError> {
        let place = self.place(field)?;
        if !place.entry.coding.is_message() || place.entry.flags.is_list() {
            return Err(place.error(Fault::InvalidShape, None));
        }
        self.prepare(&place, Change::Modify)?;
        let (program, base) = (self.program(), self.base);
        let body = self.target().open(program, base, place.position, &place.entry);
        let body = body.map_err(|TooLarge| place.error(Fault::TooLarge, None))?;
        let slot = self.raw().slot(place.position, &place.entry);
        let base = self.decoded(&place, body, slot)?;
        Ok(MessageMut { index: place.entry.sub, base, ..self })
    }

    /// Appends an empty message to a repeated field and gives it to write to.
    ///
    /// # Errors
    /// `NoSuchField`; `InvalidShape` if the field is not a repeated message.
    pub fn push_message(&mut self, field: &FieldDescriptor) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_push_message(field)
    }

    /// As [`push_message`](Self::push_message), by value.
    ///
    /// # Errors
    /// As [`push_message`](Self::push_message).
    pub fn into_push_message(mut self, field: &FieldDescriptor) -> Result<MessageMut<'m>, SetFieldError> {
        let place = self.place(field)?;
        if !place.entry.coding.is_message() || !place.entry.flags.is_list() || place.entry.flags.is_map() {
            return Err(place.error(Fault::InvalidShape, None));
        }
        self.prepare(&place, Change::Modify)?;
        let (program, base) = (self.program(), self.base);
        let mut target = self.target();
        let slot = target.open_list(program, base, place.position);
        let body = slot.and_then(|slot| target.push(&place.entry, slot));
        let base = body.map_err(|TooLarge| place.error(Fault::TooLarge, None))?;
        Ok(MessageMut { index: place.entry.sub, base, ..self })
    }

    /// An element of a repeated message field to write to.
    ///
    /// # Errors
    /// `NoSuchField`; `InvalidShape` if the field is not a repeated message; `OutOfRange`.
    pub fn element_mut(
        &mut self,
        field: &FieldDescriptor,
        index: usize,
    ) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_element_mut(field, index)
    }

    /// As [`element_mut`](Self::element_mut), by value.
    ///
    /// # Errors
    /// As [`element_mut`](Self::element_mut).
    pub fn into_element_mut(
        mut self,
        field: &FieldDescriptor,
        index: usize,
    ) -> Result<MessageMut<'m>, SetFieldError> {
        let place = self.place(field)?;
        if !place.entry.coding.is_message() || !place.entry.flags.is_list() || place.entry.flags.is_map() {
            return Err(place.error(Fault::InvalidShape, None));
        }
        self.prepare(&place, Change::Modify)?;
        let body = self.element_body(&place, index, false);
        let base = match body {
            Ok(Some(base)) => {
                let at = self.element_at(&place, index as u32);
                self.decoded(&place, base, at)?
            }
            Ok(None) => return Err(place.error(Fault::OutOfRange, None)),
            Err(TooLarge) => return Err(place.error(Fault::TooLarge, None)),
        };
        Ok(MessageMut { index: place.entry.sub, base, ..self })
    }

    /// Where an element is, or is referred to from.
    fn element_at(&self, place: &Place<'_>, index: u32) -> Option<u32> {
        let slot = self.raw().slot(place.position, &place.entry)?;
        let width = self.set.program(place.entry.sub).element_words();
        Some(self.slab.words().list(slot).ptr + index * width)
    }

    /// Replaces an element that is there by bytes.
    fn set_element_raw(
        &mut self,
        place: &Place<'_>,
        index: usize,
        prepared: &Prepared,
    ) -> Result<(), TooLarge> {
        let at = self.element_at(place, index as u32).ok_or(TooLarge)?;
        let in_place = self.set.program(place.entry.sub).is_contiguous();
        let mut target = self.target();
        let bytes = target.span(prepared.as_bytes())?;
        let body = target.raw_at(&place.entry, at, in_place, Nesting::known(prepared.depth()))?;
        target.slab.add_verbatim(body, bytes as u32, (bytes >> 32) as u32)?;
        Ok(())
    }

    /// The body of an element, made if it is the empty message; emptied if `empty`.
    fn element_body(
        &mut self,
        place: &Place<'_>,
        index: usize,
        empty: bool,
    ) -> Result<Option<u32>, TooLarge> {
        let view = self.raw();
        let Some(slot) = view.slot(place.position, &place.entry) else { return Ok(None) };
        let list = view.words.list(slot);
        if index >= list.len as usize {
            return Ok(None);
        }
        let sub = self.set.program(place.entry.sub);
        let at = list.ptr + index as u32 * sub.element_words();
        if sub.is_contiguous() {
            if empty {
                self.slab.clear_body(sub, at);
            }
            return Ok(Some(at));
        }
        let old = self.slab.get(at);
        if old != crate::slab::NIL && !empty {
            return Ok(Some(old));
        }
        let body = self.slab.alloc_body(sub)?;
        self.slab.set(at, body);
        Ok(Some(body))
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
        self.prepare(&place, Change::Modify)?;
        let (entry_index, value_index) = (place.entry.sub, part.entry.sub);
        let entry = match self.map_entry(&place, &key) {
            Ok(Some(entry)) => entry.base,
            _ => return Err(place.error(Fault::TooLarge, None)),
        };
        let program = self.set.program(entry_index);
        let body = self.target().open(program, entry, part.position, &part.entry);
        let body = body.map_err(|TooLarge| place.error(Fault::TooLarge, None))?;
        let slot = self.raw().at(entry_index, entry).slot(part.position, &part.entry);
        let base = self.decoded(&part, body, slot)?;
        Ok(MessageMut { index: value_index, base, ..self })
    }

    /// Copies all of a message of the same type of the same pool into this one, which is empty.
    pub(super) fn copy_from(&mut self, view: MessageView<'_, '_>) -> Result<(), TooLarge> {
        let (index, base) = (self.index, self.base);
        self.target().copy(view.raw, index, base)
    }
}
