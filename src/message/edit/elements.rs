//! Repeated fields of a [`MessageMut`].

use super::field_key::{Key, ResolvedField};
use super::mutate::MessageMut;
use super::slab_writer::TooLarge;
use crate::engine::slab::{BodyRef, MapContext};
use crate::message::dynamic::passthrough::{Change, Undo};
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{FieldKey, MapKeyRef, Value, ValueRef};
use alloc::vec::Vec;

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

// Changing many elements of a repeated field of a `MessageMut`, or entries of a map, at once.

/// A list that is being extended.
struct Extension<'m> {
    field: ResolvedField<'m>,
    before: Undo,
    /// Its length before.
    len: u32,
}

impl MessageMut<'_> {
    /// Appends values to a repeated field: all of them, or none.
    ///
    /// # Errors
    /// As [`push`](Self::push), for the first value that is refused. The message does not change, and the error returns that value.
    ///
    /// # Panics
    /// If the iterator does. The field then keeps the values that came before, and the message is valid.
    ///
    /// ```
    /// use tablepb::text;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage};
    ///
    /// static LOG: MessageTable =
    ///     MessageTable::new("pkg.Log", &[FieldTable::new("sizes", 1, Kind::Uint32).repeated()]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let mut message = DynamicMessage::new(&log);
    /// message.extend("sizes", (1..=4).map(|n| n * 10))?;
    /// assert!(message.extend("sizes", [50, -1]).is_err());
    /// message.as_mut().swap_elements("sizes", 0, 3)?;
    /// message.as_mut().retain("sizes", |size| size.as_u32() != Some(20))?;
    /// assert_eq!(text::to_string(&message)?, "sizes:[40,30,10]");
    /// message.as_mut().truncate("sizes", 1)?;
    /// assert_eq!(text::to_string(&message)?, "sizes:[40]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend<V: Into<Value>>(
        &mut self,
        field: impl FieldKey,
        values: impl IntoIterator<Item = V>,
    ) -> Result<(), SetFieldError> {
        let field = self.resolve_list(field.key())?;
        let before = self.prepare(&field, Change::Modify)?;
        let list = Extension { field, before, len: self.list_len(&field) };
        for value in values {
            let pushed = self.push_to(&list, value.into());
            if pushed.is_err() {
                self.take_back(&list);
                return pushed;
            }
        }
        if self.list_len(&field) == list.len {
            self.undo(&field, before);
        }
        Ok(())
    }

    fn push_to(&mut self, list: &Extension<'_>, mut value: Value) -> Result<(), SetFieldError> {
        let field = &list.field;
        if let Err(misfit) = field.accept_element(&mut value) {
            return Err(field.refused(misfit, Some(value)));
        }
        let (program, base) = (self.program(), self.body.base);
        let slot = self.writer().open_list(program, base, field.position);
        slot.and_then(|slot| self.append(field, slot, &value))
            .map_err(|TooLarge| field.error(SetFieldErrorKind::TooLarge, Some(value)))
    }

    fn take_back(&mut self, list: &Extension<'_>) {
        if let Some(slot) = self.raw().slot(list.field.position, &list.field.entry) {
            self.slab.list_truncate(slot, list.len);
        }
        self.undo(&list.field, list.before);
    }

    /// The length of a list or map.
    fn list_len(&self, field: &ResolvedField<'_>) -> u32 {
        let slot = self.raw().slot(field.position, &field.entry);
        slot.map_or(0, |slot| self.slab.words().list(slot).len)
    }

    /// Removes an element of a repeated field; later elements move up. Takes time in proportion to their number.
    ///
    /// # Errors
    /// As [`swap_elements`](Self::swap_elements).
    pub fn remove_element(&mut self, field: impl FieldKey, index: usize) -> Result<(), SetFieldError> {
        let field = self.resolve_list(field.key())?;
        let before = self.prepare(&field, Change::Modify)?;
        let slot = self.raw().slot(field.position, &field.entry);
        let (Some(slot), true) = (slot, index < self.list_len(&field) as usize) else {
            self.undo(&field, before);
            return Err(field.error(SetFieldErrorKind::OutOfRange, None));
        };
        self.slab.list_remove(slot, field.element_words(), index as u32);
        self.unset_if_empty(&field);
        Ok(())
    }

    /// Swaps two elements of a repeated field.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `InvalidShape` if the field is not repeated; `OutOfRange`. `TooLarge` or `InvalidMessage` only
    /// if a projection has kept the field as bytes. The message does not change.
    pub fn swap_elements(&mut self, field: impl FieldKey, a: usize, b: usize) -> Result<(), SetFieldError> {
        let field = self.resolve_list(field.key())?;
        let before = self.prepare(&field, Change::Modify)?;
        let slot = self.raw().slot(field.position, &field.entry);
        let (Some(slot), true) = (slot, a.max(b) < self.list_len(&field) as usize) else {
            self.undo(&field, before);
            return Err(field.error(SetFieldErrorKind::OutOfRange, None));
        };
        let (ptr, width) = (self.slab.words().list(slot).ptr, field.element_words());
        for word in 0..width {
            let (at_a, at_b) = (ptr + a as u32 * width + word, ptr + b as u32 * width + word);
            let (of_a, of_b) = (self.slab.get(at_a), self.slab.get(at_b));
            self.slab.set(at_a, of_b);
            self.slab.set(at_b, of_a);
        }
        Ok(())
    }

    /// Removes the elements of a repeated field from `len` on. Does nothing if there are not more.
    ///
    /// # Errors
    /// As [`swap_elements`](Self::swap_elements), without `OutOfRange`.
    pub fn truncate(&mut self, field: impl FieldKey, len: usize) -> Result<(), SetFieldError> {
        let field = self.resolve_list(field.key())?;
        let before = self.prepare(&field, Change::Modify)?;
        match self.raw().slot(field.position, &field.entry) {
            Some(slot) if len < self.list_len(&field) as usize => {
                self.slab.list_truncate(slot, len as u32);
                self.unset_if_empty(&field);
            }
            _ => self.undo(&field, before),
        }
        Ok(())
    }

    fn unset_if_empty(&mut self, field: &ResolvedField<'_>) {
        if self.list_len(field) == 0 {
            self.unset(field);
        }
    }

    /// Keeps only the elements of a repeated field for which `keep` says so. Asks for all of them in order, and then removes the
    /// others.
    ///
    /// # Errors
    /// As [`swap_elements`](Self::swap_elements), without `OutOfRange`; `TooLarge` if the allocator fails. The message does not
    /// change.
    pub fn retain(
        &mut self,
        field: impl FieldKey,
        mut keep: impl FnMut(ValueRef<'_, '_>) -> bool,
    ) -> Result<(), SetFieldError> {
        let field = self.resolve_list(field.key())?;
        self.retain_where(field, |value, dropped| {
            let list = value.as_list();
            for (i, element) in list.into_iter().flatten().enumerate() {
                if !keep(element) {
                    dropped.add(i)?;
                }
            }
            Ok(())
        })
    }

    /// Keeps only the entries of a map for which `keep` says so. Asks for all of them in order, and then removes the others.
    ///
    /// # Errors
    /// As [`retain`](Self::retain); `InvalidShape` if the field is not a map.
    ///
    /// ```
    /// use tablepb::text;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage};
    ///
    /// static LOG: MessageTable =
    ///     MessageTable::new("pkg.Log", &[FieldTable::map("counts", 1, Kind::String, Kind::Int32)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let mut message = DynamicMessage::new(&log);
    /// message.set_field("counts", [("a", 1), ("b", 0)])?;
    /// message.as_mut().retain_entries("counts", |key, value| key.as_str() == Some("a") && value.as_i32() != Some(0))?;
    /// assert_eq!(text::to_string(&message)?, r#"counts:[{key:"a",value:1}]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retain_entries(
        &mut self,
        field: impl FieldKey,
        mut keep: impl FnMut(MapKeyRef<'_>, ValueRef<'_, '_>) -> bool,
    ) -> Result<(), SetFieldError> {
        let field = self.resolve_map(field.key())?;
        self.retain_where(field, |value, dropped| {
            let map = value.as_map();
            for (i, (key, value)) in map.into_iter().flatten().enumerate() {
                if !keep(key, value) {
                    dropped.add(i)?;
                }
            }
            Ok(())
        })
    }

    fn retain_where(
        &mut self,
        field: ResolvedField<'_>,
        choose: impl FnOnce(ValueRef<'_, '_>, &mut Dropped) -> Result<(), TooLarge>,
    ) -> Result<(), SetFieldError> {
        let before = self.prepare(&field, Change::Modify)?;
        let mut dropped = Dropped(Vec::new());
        let value = self.as_view().get(field.descriptor.number());
        let chosen = value.map_or(Ok(()), |value| choose(value, &mut dropped));
        let slot = self.raw().slot(field.position, &field.entry);
        let (Some(slot), Ok(()), false) = (slot, chosen, dropped.0.is_empty()) else {
            self.undo(&field, before);
            return chosen.map_err(|TooLarge| field.error(SetFieldErrorKind::TooLarge, None));
        };
        if field.entry.flags.is_map() {
            let context = MapContext { store: self.store.as_slice(), set: self.set };
            self.slab.map_drop(context, &field.entry, slot, &dropped.0);
        } else {
            self.slab.list_drop(slot, field.element_words(), |_, i| dropped.0.get(i as usize).copied());
        }
        self.unset_if_empty(&field);
        Ok(())
    }
}

/// Positions of elements to remove, ascending.
struct Dropped(Vec<u32>);

impl Dropped {
    fn add(&mut self, position: usize) -> Result<(), TooLarge> {
        self.0.try_reserve(1).map_err(|_| TooLarge)?;
        self.0.push(position as u32);
        Ok(())
    }
}
