//! Repeated fields of a [`MessageMut`].

use super::field_key::Key;
use super::mutate::MessageMut;
use super::resolved_field::ResolvedField;
use super::slab_writer::TooLarge;
use crate::engine::slab::BodyRef;
use crate::message::dynamic::passthrough::{Change, Undo};
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{FieldKey, Value};

impl<'m> MessageMut<'m> {
    /// Appends a value to a repeated field.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field); `InvalidShape` if the field is not repeated.
    pub fn push(&mut self, field: impl FieldKey, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.push_value(field.key(), value.into())
    }

    fn push_value(&mut self, key: Key<'_>, mut value: Value) -> Result<(), SetFieldError> {
        let (field, before) = match self.ready_element(key, &mut value) {
            Ok(ready) => ready,
            Err(error) => return Err(error.with_value(value)),
        };
        let (program, base) = (self.program(), self.body.base);
        let slot = self.writer().open_list(program, base, field.position);
        match slot.and_then(|slot| self.append(&field, slot, &value)) {
            Ok(()) => Ok(()),
            Err(TooLarge) => {
                self.undo(&field, before);
                Err(field.error(SetFieldErrorKind::TooLarge, Some(value)))
            }
        }
    }

    /// The field that a key means, which must be a list.
    pub(in crate::message) fn resolve_list(&self, key: Key<'_>) -> Result<ResolvedField<'m>, SetFieldError> {
        let field = self.resolve(key)?;
        match field.entry.flags.is_list() && !field.entry.flags.is_map() {
            true => Ok(field),
            false => Err(field.error(SetFieldErrorKind::InvalidShape, None)),
        }
    }

    /// The field that a key means, which must be a list of messages.
    fn resolve_messages(&self, key: Key<'_>) -> Result<ResolvedField<'m>, SetFieldError> {
        let field = self.resolve_list(key)?;
        match field.entry.coding.is_message() {
            true => Ok(field),
            false => Err(field.error(SetFieldErrorKind::InvalidShape, None)),
        }
    }

    /// Checks the value of an element and makes its repeated field ready to be changed.
    fn ready_element(
        &mut self,
        key: Key<'_>,
        value: &mut Value,
    ) -> Result<(ResolvedField<'m>, Undo), SetFieldError> {
        let field = self.resolve_list(key)?;
        field.accept_element(value).map_err(|misfit| field.refused(misfit, None))?;
        Ok((field, self.prepare(&field, Change::Modify)?))
    }

    /// Appends a checked value to the list at `slot`. On failure the list does not change.
    pub(in crate::message) fn append(
        &mut self,
        field: &ResolvedField<'_>,
        slot: u32,
        value: &Value,
    ) -> Result<(), TooLarge> {
        let len = self.slab.words().list(slot).len;
        let appended = self.append_some(field, slot, value);
        if appended.is_err() {
            self.slab.list_truncate(slot, len);
        }
        appended
    }

    fn append_some(&mut self, field: &ResolvedField<'_>, slot: u32, value: &Value) -> Result<(), TooLarge> {
        let mut writer = self.writer();
        if let Some(body) = writer.detached_bytes(&field.entry, value)? {
            return writer.push_body(&field.entry, slot, body);
        }
        if let Value::Message(message) = value {
            let base = writer.push(&field.entry, slot)?;
            return self.fill(BodyRef::of(&field.entry, base), message);
        }
        let coding = field.entry.coding;
        let words = writer.slot_value(coding, value)?;
        let at = writer.slab.list_grow(slot, coding.words(), 1)?;
        writer.slab.set_words(at, coding.words(), words);
        Ok(())
    }

    /// Replaces an element of a repeated field.
    ///
    /// # Errors
    /// As [`push`](Self::push), and `OutOfRange`.
    pub fn set_element(
        &mut self,
        field: impl FieldKey,
        index: usize,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        self.set_element_value(field.key(), index, value.into())
    }

    fn set_element_value(
        &mut self,
        key: Key<'_>,
        index: usize,
        mut value: Value,
    ) -> Result<(), SetFieldError> {
        let (field, before) = match self.ready_element(key, &mut value) {
            Ok(ready) => ready,
            Err(error) => return Err(error.with_value(value)),
        };
        let list = self.raw().slot(field.position, &field.entry).map(|slot| self.slab.words().list(slot));
        let Some(list) = list.filter(|list| index < list.len as usize) else {
            self.undo(&field, before);
            return Err(field.error(SetFieldErrorKind::OutOfRange, Some(value)));
        };
        let written = match &value {
            Value::Message(_) | Value::Prepared(_) => {
                let body = self.detached(&field.entry, &value);
                body.map(|body| self.replace_element(&field, index, body))
            }
            scalar => {
                let coding = field.entry.coding;
                let at = list.ptr + index as u32 * coding.words();
                self.writer()
                    .slot_value(coding, scalar)
                    .map(|words| self.slab.set_words(at, coding.words(), words))
            }
        };
        written.map_err(|TooLarge| {
            self.undo(&field, before);
            field.error(SetFieldErrorKind::TooLarge, Some(value))
        })
    }

    /// Appends an empty message to a repeated field and borrows it for writing.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `InvalidShape` if the field is not a repeated message; `TooLarge`. The message does not change.
    pub fn push_message(&mut self, field: impl FieldKey) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_push_message(field)
    }

    /// As [`push_message`](Self::push_message), by value.
    ///
    /// # Errors
    /// As [`push_message`](Self::push_message).
    pub fn into_push_message(mut self, field: impl FieldKey) -> Result<MessageMut<'m>, SetFieldError> {
        let field = self.resolve_messages(field.key())?;
        let before = self.prepare(&field, Change::Modify)?;
        let (program, base) = (self.program(), self.body.base);
        let mut writer = self.writer();
        let slot = writer.open_list(program, base, field.position);
        let body = slot.and_then(|slot| writer.push(&field.entry, slot));
        let base = body.map_err(|TooLarge| {
            self.undo(&field, before);
            field.error(SetFieldErrorKind::TooLarge, None)
        })?;
        Ok(MessageMut { body: BodyRef::of(&field.entry, base), ..self })
    }

    /// Borrows an element of a repeated message field for writing.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `InvalidShape` if the field is not a repeated message; `OutOfRange`; `InvalidMessage` if the element's
    /// bytes were not decoded yet and are invalid; `TooLarge`. The message does not change.
    pub fn element_mut(
        &mut self,
        field: impl FieldKey,
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
        field: impl FieldKey,
        index: usize,
    ) -> Result<MessageMut<'m>, SetFieldError> {
        let field = self.resolve_messages(field.key())?;
        let before = self.prepare(&field, Change::Modify)?;
        let body = match self.element_body(&field, index) {
            Ok(Some(base)) => {
                let at = self.element_at(&field, index as u32);
                self.decoded(&field, base, at)
            }
            Ok(None) => Err(field.error(SetFieldErrorKind::OutOfRange, None)),
            Err(TooLarge) => Err(field.error(SetFieldErrorKind::TooLarge, None)),
        };
        if body.is_err() {
            self.undo(&field, before);
        }
        Ok(MessageMut { body: BodyRef::of(&field.entry, body?), ..self })
    }

    /// The word where an element's body begins, or the word that holds its offset.
    fn element_at(&self, field: &ResolvedField<'_>, index: u32) -> Option<u32> {
        let slot = self.raw().slot(field.position, &field.entry)?;
        let width = self.set.program(field.entry.sub).element_words();
        Some(self.slab.words().list(slot).ptr + index * width)
    }

    /// Replaces an existing element by a detached message.
    fn replace_element(&mut self, field: &ResolvedField<'_>, index: usize, body: u32) {
        if let Some(at) = self.element_at(field, index as u32) {
            let in_place = self.set.program(field.entry.sub).is_contiguous();
            self.writer().place_body(&field.entry, at, in_place, body);
        }
    }

    /// The body of an element. The shared empty message is replaced by a body of its own.
    fn element_body(&mut self, field: &ResolvedField<'_>, index: usize) -> Result<Option<u32>, TooLarge> {
        let view = self.raw();
        let Some(slot) = view.slot(field.position, &field.entry) else { return Ok(None) };
        let list = view.words.list(slot);
        if index >= list.len as usize {
            return Ok(None);
        }
        let sub = self.set.program(field.entry.sub);
        let at = list.ptr + index as u32 * sub.element_words();
        if sub.is_contiguous() {
            return Ok(Some(at));
        }
        let old = self.slab.get(at);
        if old != crate::engine::slab::NIL {
            return Ok(Some(old));
        }
        let body = self.slab.alloc_body(sub)?;
        self.slab.set(at, body);
        Ok(Some(body))
    }
}
