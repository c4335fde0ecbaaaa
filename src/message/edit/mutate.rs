//! [`MessageMut`]: a message, or a part of one, to write to.

use super::field_key::{Key, ResolvedField, own_field};
use super::slab_writer::{SlabWriter, TooLarge, is_zero};
use crate::engine::slab::{BodyRef, NIL, RawView, Slab};
use crate::message::dynamic::passthrough::Change;
use crate::message::dynamic::store::Store;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{DynamicMessage, FieldKey, MessageView, Value, ValueRef};
use crate::schema::pool::{DescriptorPool, FieldDescriptor, FieldRef, MessageDescriptor};
use crate::schema::program::{FieldEntry, Program, ProgramSet};
use alloc::vec::Vec;

/// A mutably borrowed message: the root of a [`DynamicMessage`] or a sub-message of it.
///
/// Values that setters replace stay in memory until the `DynamicMessage` is borrowed again, which compacts it where they are more than
/// half of it. So a loop that sets strings many times borrows the message in the loop.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static NODE: MessageTable = MessageTable::new(
///     "pkg.Node",
///     &[
///         FieldTable::new("name", 1, Kind::String),
///         FieldTable::new("children", 2, Kind::Message(|| &NODE)).repeated(),
///     ],
/// );
/// let pool = DescriptorPool::from_tables(&[&NODE])?;
/// let node = pool.message("pkg.Node")?;
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
    /// use tablepb::text;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[
    ///         FieldTable::new("id", 1, Kind::Uint64),
    ///         FieldTable::new("tags", 2, Kind::String).repeated(),
    ///         FieldTable::map("counts", 3, Kind::String, Kind::Int64),
    ///     ],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let mut message = DynamicMessage::new(&log);
    /// message.set_field("id", 5)?;
    /// message.set_field("tags", ["a", "b"])?;
    /// message.set_field("counts", vec![("x", 1), ("y", 2)])?;
    /// assert_eq!(
    ///     text::to_string(&message)?,
    ///     r#"id:5,tags:["a","b"],counts:[{key:"x",value:1},{key:"y",value:2}]"#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_field(&mut self, field: impl FieldKey, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.set(field.key(), value.into())
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

    /// Unsets a field.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `TooLarge` if the allocator fails, which only messages decoded by a pass-through projection need. The
    /// message does not change.
    pub fn clear_field(&mut self, field: impl FieldKey) -> Result<(), SetFieldError> {
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

// Taking values out of a message, and changing the set fields one after the other.

impl<'m> MessageMut<'m> {
    /// Removes a field from the message and returns the value that it had; `None` if the field is not set.
    ///
    /// The value is a copy, as [`ValueRef::try_to_owned`] makes it, so this takes time and memory in its size. What a
    /// pass-through projection has kept as bytes is decoded first. A field that another projection left out is not set.
    ///
    /// # Errors
    /// `NoSuchField` or `ForeignField`; `TooLarge` if the allocator fails; `InvalidMessage` if bytes that were kept do not decode.
    /// The message does not change. For maps and messages kept as bytes a failed allocation can abort, as
    /// [`ValueRef::try_to_owned`] says.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage, Value};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let mut message = DynamicMessage::new(&log);
    /// message.set_field("line", "hi")?;
    /// assert_eq!(message.take_field("line")?, Some(Value::from("hi")));
    /// assert_eq!(message.take_field("line")?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_field(&mut self, field: impl FieldKey) -> Result<Option<Value>, SetFieldError> {
        self.take(field.key())
    }

    pub(in crate::message) fn take(&mut self, key: Key<'_>) -> Result<Option<Value>, SetFieldError> {
        let field = self.resolve(key)?;
        let before = self.prepare(&field, Change::Modify)?;
        let taken = self.as_view().get(field.descriptor.number()).map(ValueRef::try_to_owned).transpose();
        match taken {
            Ok(Some(value)) => {
                self.unset(&field);
                Ok(Some(value))
            }
            Ok(None) => {
                self.undo(&field, before);
                Ok(None)
            }
            Err(_) => {
                self.undo(&field, before);
                Err(field.error(SetFieldErrorKind::TooLarge, None))
            }
        }
    }

    /// Takes all fields that are set out of the message, extensions included, in number order. Unknown fields stay.
    ///
    /// Fields that a projection has left out are not taken.
    ///
    /// # Errors
    /// `TooLarge` if the allocator fails. The message does not change. For maps and messages kept as bytes a failed allocation can
    /// abort, as [`ValueRef::try_to_owned`] says.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let mut message = DynamicMessage::decode(&log, b"\x0a\x02hi\x10\x03")?;
    /// let fields = message.take_fields()?;
    /// assert_eq!(fields.iter().map(|(field, _)| field.name()).collect::<Vec<_>>(), ["line", "level"]);
    /// assert_eq!(message.encoded_len(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_fields(&mut self) -> Result<Vec<(FieldDescriptor, Value)>, SetFieldError> {
        self.take_where(|_| true)
    }

    /// Takes all extensions that are set out of the message, in number order.
    ///
    /// # Errors
    /// As [`take_fields`](Self::take_fields).
    pub fn take_extensions(&mut self) -> Result<Vec<(FieldDescriptor, Value)>, SetFieldError> {
        self.take_where(|field| field.is_extension())
    }

    fn take_where(
        &mut self,
        wanted: impl Fn(FieldRef<'_>) -> bool,
    ) -> Result<Vec<(FieldDescriptor, Value)>, SetFieldError> {
        let no_memory = |field: FieldRef<'_>| {
            SetFieldError::unresolved(SetFieldErrorKind::TooLarge, field.full_name(), "")
        };
        let mut taken = Vec::new();
        for (field, value) in self.as_view().fields().filter(|(field, _)| wanted(*field)) {
            let value = value.try_to_owned().map_err(|_| no_memory(field))?;
            taken.try_reserve(1).map_err(|_| no_memory(field))?;
            taken.push((field.to_owned(), value));
        }
        let Some((first, _)) = taken.first() else { return Ok(taken) };
        // The first one splits a message that was kept as bytes. After that a field that is set is unset without memory.
        let first = self.resolve(Key::Field(first.as_ref()))?;
        self.clear_at(&first)?;
        for (field, _) in &taken[1..] {
            let field = self.resolve(Key::Field(field.as_ref()))?;
            self.unset(&field);
        }
        Ok(taken)
    }

    /// Takes the unknown fields of this message out of it, as they were on the wire; its sub-messages keep theirs.
    /// [`RawFields`](crate::raw::RawFields) reads them, and [`merge`](crate::message::DynamicMessage::merge) adds them to a message.
    ///
    /// # Errors
    /// If the allocator fails, or if a pass-through projection decoded the message, which keeps them among its other bytes
    /// ([`Unselected`](crate::SetFieldErrorKind::Unselected)). The message does not change.
    pub fn take_unknown_fields(&mut self) -> Result<Vec<u8>, SetFieldError> {
        if self.program().keeps_bytes() {
            return Err(SetFieldError::unselected());
        }
        let mut bytes = Vec::new();
        for field in self.as_view().unknown_fields() {
            field.append_to(&mut bytes)?;
        }
        self.clear_unknown_fields()?;
        Ok(bytes)
    }

    /// The fields that are set, one after the other in number order, to be changed; see [`FieldsMut`].
    pub fn fields_mut(&mut self) -> FieldsMut<'_> {
        self.reborrow().into_fields_mut()
    }

    pub(in crate::message) fn into_fields_mut(self) -> FieldsMut<'m> {
        FieldsMut { message: self, position: 0 }
    }
}

/// The set fields of a message, one after the other, each to be read and changed; see [`MessageMut::fields_mut`].
///
/// It lends the message to one field at a time, so it is no `Iterator`. Fields that are set on the way and have larger numbers come
/// too. Takes a step per field of the type.
///
/// ```
/// use tablepb::text;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static USER: MessageTable = MessageTable::new(
///     "pkg.User",
///     &[
///         FieldTable::new("name", 1, Kind::String),
///         FieldTable::new("password", 2, Kind::String),
///         FieldTable::new("age", 3, Kind::Int32),
///     ],
/// );
/// let user = DescriptorPool::from_tables(&[&USER])?.message("pkg.User")?;
/// let mut message = text::message_from_str(&user, r#"name: "Ann" password: "secret" age: 40"#)?;
/// let mut fields = message.fields_mut();
/// while let Some(mut field) = fields.next_field() {
///     match field.descriptor().name() {
///         "password" => field.clear()?,
///         "age" => field.set(field.value().as_i32().unwrap_or(0) + 1)?,
///         _ => {}
///     }
/// }
/// assert_eq!(text::to_string(&message)?, r#"name:"Ann",age:41"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FieldsMut<'m> {
    message: MessageMut<'m>,
    /// Where the search for the next field begins.
    position: usize,
}

impl<'m> FieldsMut<'m> {
    /// The next field that is set.
    pub fn next_field(&mut self) -> Option<FieldMut<'_>> {
        let (pool, program) = (self.message.pool, self.message.program());
        loop {
            let position = self.position;
            program.entries().get(position)?;
            self.position += 1;
            let field = FieldRef::new(pool, program.message(), program.field_of(position) as u32);
            if self.message.as_view().has_field(field) {
                return Some(FieldMut { message: self.message.reborrow(), field });
            }
        }
    }
}

/// A set field of a message that is lent by [`FieldsMut`].
#[derive(Debug)]
pub struct FieldMut<'m> {
    message: MessageMut<'m>,
    field: FieldRef<'m>,
}

impl<'m> FieldMut<'m> {
    /// The field.
    #[must_use]
    pub fn descriptor(&self) -> FieldRef<'m> {
        self.field
    }

    /// The value; `Unselected` once the field is not set any more.
    #[must_use]
    pub fn value(&self) -> ValueRef<'_, '_> {
        let view = self.message.as_view();
        view.get(self.field).unwrap_or(ValueRef::Unselected)
    }

    /// Sets the field; see [`MessageMut::set_field`].
    ///
    /// # Errors
    /// As [`MessageMut::set_field`].
    pub fn set(&mut self, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.message.set_field(self.field, value)
    }

    /// Unsets the field; see [`MessageMut::clear_field`].
    ///
    /// # Errors
    /// As [`MessageMut::clear_field`].
    pub fn clear(&mut self) -> Result<(), SetFieldError> {
        self.message.clear_field(self.field)
    }

    /// Takes the value out of the message; see [`MessageMut::take_field`].
    ///
    /// # Errors
    /// As [`MessageMut::take_field`].
    pub fn take(&mut self) -> Result<Option<Value>, SetFieldError> {
        self.message.take_field(self.field)
    }

    /// Borrows the message that the field holds; see [`MessageMut::message_mut`].
    ///
    /// # Errors
    /// As [`MessageMut::message_mut`].
    pub fn message_mut(&mut self) -> Result<MessageMut<'_>, SetFieldError> {
        self.message.message_mut(self.field)
    }

    /// The message that has the field, for all else that changes it: `field.parent_mut().push(field, value)`.
    pub fn parent_mut(&mut self) -> MessageMut<'_> {
        self.message.reborrow()
    }
}
