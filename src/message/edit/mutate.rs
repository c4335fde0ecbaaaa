//! [`MessageMut`]: a message, or a part of one, to write to.

use super::field_key::{Key, foreign};
use super::resolved_field::{ResolvedField, own_field};
use super::slab_writer::{SlabWriter, TooLarge, is_zero};
use crate::engine::slab::{BodyRef, NIL, RawView, Slab};
use crate::message::dynamic::passthrough::Change;
use crate::message::dynamic::store::Store;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{DynamicMessage, FieldKey, MessageView, Value};
use crate::schema::pool::{DescriptorPool, MessageDescriptor};
use crate::schema::program::{FieldEntry, Program, ProgramSet};

/// A mutably borrowed message: the root of a [`DynamicMessage`] or a sub-message of it.
///
/// Values that setters replace stay in memory until the `DynamicMessage` is borrowed again, which compacts it where they are more than
/// half of it. So a loop that sets strings many times borrows the message in the loop.
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
    pub(in crate::message) pool: &'m DescriptorPool,
    pub(in crate::message) set: &'m ProgramSet,
    pub(in crate::message) body: BodyRef,
    pub(in crate::message) slab: &'m mut Slab,
    pub(in crate::message) store: &'m mut Store,
}

impl<'m> MessageMut<'m> {
    pub(in crate::message) fn new(
        pool: &'m DescriptorPool,
        set: &'m ProgramSet,
        body: BodyRef,
        slab: &'m mut Slab,
        store: &'m mut Store,
    ) -> Self {
        Self { pool, set, body, slab, store }
    }

    pub(in crate::message) fn program(&self) -> &'m Program {
        self.set.program(self.body.program)
    }

    pub(in crate::message) fn raw(&self) -> RawView<'_, '_> {
        RawView { words: self.slab.words(), store: self.store.as_slice(), set: self.set, body: self.body }
    }

    pub(in crate::message) fn writer(&mut self) -> SlabWriter<'_> {
        SlabWriter { set: self.set, slab: self.slab, store: self.store }
    }

    /// Another message of the same slab.
    pub(in crate::message) fn at(&mut self, body: BodyRef) -> MessageMut<'_> {
        MessageMut { pool: self.pool, set: self.set, body, slab: self.slab, store: self.store }
    }

    /// Borrows the same message for a shorter time.
    pub fn reborrow(&mut self) -> MessageMut<'_> {
        self.at(self.body)
    }

    /// Borrows the message for reading.
    #[must_use]
    pub fn as_view(&self) -> MessageView<'_, '_> {
        MessageView::new(self.pool, self.raw())
    }

    /// The message type.
    #[must_use]
    pub fn descriptor(&self) -> MessageDescriptor {
        self.as_view().descriptor()
    }

    /// The field that a key means. Without memory for a body of the root, which [`DynamicMessage::as_mut`] makes, `TooLarge`.
    pub(in crate::message) fn resolve(&self, key: Key<'_>) -> Result<ResolvedField<'m>, SetFieldError> {
        let message = self.program().message();
        let descriptor = own_field(self.pool, message, key)?;
        let Some((position, entry)) = self.program().entry_of(descriptor.index() as usize) else {
            let name = descriptor.full_name();
            return Err(SetFieldError::unresolved(SetFieldErrorKind::NoSuchField, name, ""));
        };
        let field = ResolvedField { descriptor, position, entry: *entry, set: self.set };
        if self.body.base == NIL {
            return Err(field.error(SetFieldErrorKind::TooLarge, None));
        }
        Ok(field)
    }

    /// Sets a field. Lists and maps are replaced as a whole; setting a member of a oneof unsets the others.
    ///
    /// Takes any value that the field holds without loss; see [`Value`](Value#conversions). A zero or empty value unsets a field
    /// without explicit presence. A message is copied.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField` if the field is not of this message ([`FieldKey`]); `InvalidType`, `Lossy`,
    /// `InvalidEnumNumber`, `InvalidEnumName` or `InvalidMessage` if it cannot hold the value; `TooLarge`. The message does not
    /// change, and the error returns the value.
    ///
    /// After `TooLarge` the message validates each string again when it is read, until it is cleared or copied.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[
    ///         FieldTable::new("id", 1, Kind::Uint64),
    ///         FieldTable::new("tags", 2, Kind::String).repeated(),
    ///         FieldTable::map("counts", 3, Kind::String, Kind::Int64),
    ///     ],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let mut message = DynamicMessage::new(&log);
    /// message.set_field("id", 5)?;
    /// message.set_field("tags", ["a", "b"])?;
    /// message.set_field("counts", vec![("x", 1), ("y", 2)])?;
    /// assert_eq!(
    ///     message.to_text_format(),
    ///     r#"id:5,tags:["a","b"],counts:[{key:"x",value:1},{key:"y",value:2}]"#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_field(&mut self, field: impl FieldKey, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.set(field.key(), value.into())
    }

    /// Sets the field with this name.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field).
    pub fn set_field_by_name(&mut self, name: &str, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.set(Key::Name(name), value.into())
    }

    /// Sets the field or extension with this number.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field).
    pub fn set_field_by_number(&mut self, number: u32, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.set(Key::Number(number), value.into())
    }

    fn set(&mut self, key: Key<'_>, mut value: Value) -> Result<(), SetFieldError> {
        let field = match self.resolve(key) {
            Ok(field) => field,
            Err(error) => return Err(error.with_value(value)),
        };
        if let Err(misfit) = field.accept(&mut value) {
            return Err(field.refused(misfit, Some(value)));
        }
        let before = match self.prepare(&field, Change::Set) {
            Ok(before) => before,
            Err(error) => return Err(error.with_value(value)),
        };
        if let Err(TooLarge) = self.assign(&field, &value) {
            self.undo(&field, before);
            return Err(field.error(SetFieldErrorKind::TooLarge, Some(value)));
        }
        Ok(())
    }

    /// Writes a checked value. The value is built detached and attached when it is complete: if memory runs out, the field
    /// keeps its old value.
    pub(in crate::message) fn assign(
        &mut self,
        field: &ResolvedField<'_>,
        value: &Value,
    ) -> Result<(), TooLarge> {
        let (program, base, ResolvedField { position, entry, .. }) = (self.program(), self.body.base, *field);
        match value {
            Value::List(elements) if elements.is_empty() => self.unset(field),
            Value::Map(entries) if entries.is_empty() => self.unset(field),
            Value::List(elements) => {
                let list = self.writer().detached_list()?;
                elements.iter().try_for_each(|element| self.append(field, list, element))?;
                self.writer().attach_list(program, base, position, list)?;
            }
            Value::Map(entries) => {
                let list = self.writer().detached_list()?;
                entries.iter().try_for_each(|(key, value)| self.put(field, list, key, value))?;
                self.writer().attach_list(program, base, position, list)?;
            }
            Value::Message(_) | Value::Prepared(_) => {
                let body = self.detached(&entry, value)?;
                self.writer().attach(program, base, position, &entry, body)?;
            }
            scalar if entry.flags.is_implicit() && is_zero(scalar) => self.unset(field),
            scalar => {
                let words = self.writer().slot_value(entry.coding, scalar)?;
                let (slot, _) = self.slab.mark_set(program, base, position)?;
                self.slab.set_words(slot, entry.coding.words(), words);
            }
        }
        Ok(())
    }

    /// A detached body with the content of a message, or of one that stays bytes.
    pub(in crate::message) fn detached(
        &mut self,
        entry: &FieldEntry,
        value: &Value,
    ) -> Result<u32, TooLarge> {
        if let Some(body) = self.writer().detached_bytes(entry, value)? {
            return Ok(body);
        }
        let body = self.writer().detached_body(entry)?;
        if let Value::Message(message) = value {
            self.fill(BodyRef::of(entry, body), message)?;
        }
        Ok(body)
    }

    /// Copies a message of the same pool into an empty body.
    pub(in crate::message) fn fill(
        &mut self,
        body: BodyRef,
        message: &DynamicMessage,
    ) -> Result<(), TooLarge> {
        self.writer().copy(message.as_view().raw(), body)
    }

    /// Unsets a field. Ignores names and numbers that the message does not have.
    ///
    /// # Panics
    /// If the allocator fails. Only messages decoded by a pass-through projection allocate here;
    /// [`try_clear_field`](Self::try_clear_field) returns an error instead. With debug assertions, if the field is of another
    /// message; see [`FieldKey`](FieldKey#foreign-fields).
    pub fn clear_field(&mut self, field: impl FieldKey) {
        self.clear(field.key());
    }

    fn clear(&mut self, key: Key<'_>) {
        match self.resolve(key) {
            Ok(field) => self.clear_at(&field).unwrap_or_else(|error| panic!("{error}")),
            Err(_) => {
                if let Key::Field(field) = key
                    && own_field(self.pool, self.program().message(), key).is_err()
                {
                    foreign(self.pool, self.program().message(), field.full_name());
                }
            }
        }
    }

    /// Unsets a field.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `TooLarge` if the allocator fails, which only messages decoded by a pass-through projection need. The
    /// message does not change.
    pub fn try_clear_field(&mut self, field: impl FieldKey) -> Result<(), SetFieldError> {
        let field = self.resolve(field.key())?;
        self.clear_at(&field)
    }

    pub(in crate::message) fn unset(&mut self, field: &ResolvedField<'_>) {
        self.slab.mark_unset(self.program(), self.body.base, field.position);
    }

    /// Borrows a sub-message for writing. An unset field is set to an empty message first.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `InvalidShape` if the field is not a singular message; `InvalidMessage` if its bytes were not decoded yet
    /// and are invalid; `TooLarge`. The message does not change.
    pub fn message_mut(&mut self, field: impl FieldKey) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_message_mut(field)
    }

    /// As [`message_mut`](Self::message_mut), by value, so that a loop can descend.
    ///
    /// # Errors
    /// As [`message_mut`](Self::message_mut).
    pub fn into_message_mut(self, field: impl FieldKey) -> Result<MessageMut<'m>, SetFieldError> {
        let field = self.resolve(field.key())?;
        self.message_at(field)
    }

    fn message_at(mut self, field: ResolvedField<'m>) -> Result<MessageMut<'m>, SetFieldError> {
        if !field.entry.coding.is_message() || field.entry.flags.is_list() {
            return Err(field.error(SetFieldErrorKind::InvalidShape, None));
        }
        let before = self.prepare(&field, Change::Modify)?;
        let (program, base) = (self.program(), self.body.base);
        let body = self.writer().open(program, base, field.position, &field.entry);
        let body = body.map_err(|TooLarge| field.error(SetFieldErrorKind::TooLarge, None)).and_then(|body| {
            let slot = self.raw().slot(field.position, &field.entry);
            self.decoded(&field, body, slot)
        });
        if body.is_err() {
            self.undo(&field, before);
        }
        let base = body?;
        Ok(MessageMut { body: BodyRef::of(&field.entry, base), ..self })
    }
}
