//! Repeated fields of a [`MessageMut`].

use super::Value;
use super::assign::Place;
use super::copy::TooLarge;
use super::error::{SetFieldError, SetFieldErrorKind as Fault};
use super::kept::{Before, Change};
use super::mutate::MessageMut;
use crate::schema::FieldDescriptor;

impl<'m> MessageMut<'m> {
    /// Appends a value to a repeated field.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field); `InvalidShape` if the field is not repeated.
    pub fn push(&mut self, field: &FieldDescriptor, value: impl Into<Value>) -> Result<(), SetFieldError> {
        let (place, value, before) = self.ready_element(field, value.into())?;
        let (program, base) = (self.program(), self.base);
        let slot = self.target().open_list(program, base, place.position);
        match slot.and_then(|slot| self.append(&place, slot, &value)) {
            Ok(()) => Ok(()),
            Err(TooLarge) => {
                self.undo(&place, before);
                Err(place.error(Fault::TooLarge, Some(value)))
            }
        }
    }

    /// Makes a repeated field ready for a value of one of its elements, which is checked.
    fn ready_element(
        &mut self,
        field: &FieldDescriptor,
        value: Value,
    ) -> Result<(Place<'m>, Value, Before), SetFieldError> {
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
        match self.prepare(&place, Change::Modify) {
            Ok(before) => Ok((place, value, before)),
            Err(error) => Err(error.with_value(value)),
        }
    }

    /// Appends a value that has been checked to the list at `slot`, which is as before if there is no room.
    pub(super) fn append(&mut self, place: &Place<'_>, slot: u32, value: &Value) -> Result<(), TooLarge> {
        let len = self.slab.words().list(slot).len;
        let appended = self.append_some(place, slot, value);
        if appended.is_err() {
            self.slab.list_truncate(slot, len);
        }
        appended
    }

    fn append_some(&mut self, place: &Place<'_>, slot: u32, value: &Value) -> Result<(), TooLarge> {
        let mut target = self.target();
        if let Value::Prepared(prepared) = value {
            let body = target.aside_raw(&place.entry, prepared)?;
            return target.push_body(&place.entry, slot, body);
        }
        if let Value::Message(message) = value {
            let body = target.push(&place.entry, slot)?;
            return self.fill(place.entry.sub, body, message);
        }
        let coding = place.entry.coding;
        let words = target.words_of(coding, value)?;
        let at = target.slab.list_grow(slot, coding.words(), 1)?;
        target.slab.set_words(at, coding.words(), words);
        Ok(())
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
        let (place, value, before) = self.ready_element(field, value.into())?;
        let list = self.raw().slot(place.position, &place.entry).map(|slot| self.slab.words().list(slot));
        let Some(list) = list.filter(|list| index < list.len as usize) else {
            self.undo(&place, before);
            return Err(place.error(Fault::OutOfRange, Some(value)));
        };
        let written = match &value {
            Value::Prepared(prepared) => {
                let body = self.target().aside_raw(&place.entry, prepared);
                body.map(|body| self.replace_element(&place, index, body))
            }
            Value::Message(message) => {
                let body = self.target().aside(&place.entry);
                let filled = body.and_then(|body| self.fill(place.entry.sub, body, message).map(|()| body));
                filled.map(|body| self.replace_element(&place, index, body))
            }
            scalar => {
                let coding = place.entry.coding;
                let at = list.ptr + index as u32 * coding.words();
                self.target()
                    .words_of(coding, scalar)
                    .map(|words| self.slab.set_words(at, coding.words(), words))
            }
        };
        written.map_err(|TooLarge| {
            self.undo(&place, before);
            place.error(Fault::TooLarge, Some(value))
        })
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
        let before = self.prepare(&place, Change::Modify)?;
        let slot = self.raw().slot(place.position, &place.entry);
        let len = slot.map_or(0, |slot| self.slab.words().list(slot).len);
        let (Some(slot), true) = (slot, index < len as usize) else {
            self.undo(&place, before);
            return Err(place.error(Fault::OutOfRange, None));
        };
        let sub = self.set.program(place.entry.sub);
        let coding = place.entry.coding;
        let width = if coding.is_message() { sub.element_words() } else { coding.words() };
        self.slab.list_remove(slot, width, index as u32);
        if len == 1 {
            self.slab.mark_unset(self.program(), self.base, place.position);
        }
        Ok(())
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
        let before = self.prepare(&place, Change::Modify)?;
        let (program, base) = (self.program(), self.base);
        let mut target = self.target();
        let slot = target.open_list(program, base, place.position);
        let body = slot.and_then(|slot| target.push(&place.entry, slot));
        let base = body.map_err(|TooLarge| {
            self.undo(&place, before);
            place.error(Fault::TooLarge, None)
        })?;
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
        let before = self.prepare(&place, Change::Modify)?;
        let body = match self.element_body(&place, index) {
            Ok(Some(base)) => {
                let at = self.element_at(&place, index as u32);
                self.decoded(&place, base, at)
            }
            Ok(None) => Err(place.error(Fault::OutOfRange, None)),
            Err(TooLarge) => Err(place.error(Fault::TooLarge, None)),
        };
        if body.is_err() {
            self.undo(&place, before);
        }
        Ok(MessageMut { index: place.entry.sub, base: body?, ..self })
    }

    /// Where an element is, or is referred to from.
    fn element_at(&self, place: &Place<'_>, index: u32) -> Option<u32> {
        let slot = self.raw().slot(place.position, &place.entry)?;
        let width = self.set.program(place.entry.sub).element_words();
        Some(self.slab.words().list(slot).ptr + index * width)
    }

    /// Replaces an element that is there by a message that was made aside.
    fn replace_element(&mut self, place: &Place<'_>, index: usize, body: u32) {
        if let Some(at) = self.element_at(place, index as u32) {
            let in_place = self.set.program(place.entry.sub).is_contiguous();
            self.target().place_body(&place.entry, at, in_place, body);
        }
    }

    /// The body of an element, made if it is the empty message.
    fn element_body(&mut self, place: &Place<'_>, index: usize) -> Result<Option<u32>, TooLarge> {
        let view = self.raw();
        let Some(slot) = view.slot(place.position, &place.entry) else { return Ok(None) };
        let list = view.words.list(slot);
        if index >= list.len as usize {
            return Ok(None);
        }
        let sub = self.set.program(place.entry.sub);
        let at = list.ptr + index as u32 * sub.element_words();
        if sub.is_contiguous() {
            return Ok(Some(at));
        }
        let old = self.slab.get(at);
        if old != crate::slab::NIL {
            return Ok(Some(old));
        }
        let body = self.slab.alloc_body(sub)?;
        self.slab.set(at, body);
        Ok(Some(body))
    }
}
