//! [`MessageMut`]: a message, or a part of one, to write to.

use super::error::{SetFieldError, SetFieldErrorKind};
use super::passthrough::Change;
use super::resolved_field::ResolvedField;
use super::slab_writer::{SlabWriter, TooLarge, is_zero};
use super::store::Store;
use super::{DynamicMessage, MessageView, Value};
use crate::program::{Program, ProgramSet};
use crate::schema::{DescriptorPool, FieldDescriptor, FieldRef, MessageDescriptor};
use crate::slab::{BodyRef, NIL, RawView, Slab};
use alloc::string::String;

/// A mutably borrowed message: the root of a [`DynamicMessage`] or a sub-message of it.
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
    pub(super) body: BodyRef,
    pub(super) slab: &'m mut Slab,
    pub(super) store: &'m mut Store,
}

impl<'m> MessageMut<'m> {
    pub(super) fn new(
        pool: &'m DescriptorPool,
        set: &'m ProgramSet,
        body: BodyRef,
        slab: &'m mut Slab,
        store: &'m mut Store,
    ) -> Self {
        Self { pool, set, body, slab, store }
    }

    pub(super) fn program(&self) -> &'m Program {
        self.set.program(self.body.program)
    }

    pub(super) fn raw(&self) -> RawView<'_, '_> {
        RawView { words: self.slab.words(), store: self.store.as_slice(), set: self.set, body: self.body }
    }

    pub(super) fn writer(&mut self) -> SlabWriter<'_> {
        SlabWriter { set: self.set, slab: self.slab, store: self.store }
    }

    /// Another message of the same slab.
    pub(super) fn at(&mut self, body: BodyRef) -> MessageMut<'_> {
        MessageMut { pool: self.pool, set: self.set, body, slab: self.slab, store: self.store }
    }

    /// Borrows the same message for a shorter time.
    pub fn reborrow(&mut self) -> MessageMut<'_> {
        self.at(self.body)
    }

    /// Borrows the message for reading.
    pub fn as_view(&self) -> MessageView<'_, '_> {
        MessageView::new(self.pool, self.raw())
    }

    /// The message type.
    pub fn descriptor(&self) -> MessageDescriptor {
        self.as_view().descriptor()
    }

    pub(super) fn resolve(&self, field: &FieldDescriptor) -> Result<ResolvedField<'m>, SetFieldError> {
        let field = field.as_ref();
        let message = self.program().message();
        let found = if field.message_index() == message && field.pool() == self.pool {
            self.program().entry_of(field.index() as usize)
        } else {
            None
        };
        match found {
            Some((position, entry)) => {
                let descriptor = FieldRef::new(self.pool, message, field.index());
                let field = ResolvedField { descriptor, position, entry: *entry, set: self.set };
                // A root without a body: `as_mut` had no memory for one.
                if self.body.base == NIL {
                    Err(field.error(SetFieldErrorKind::TooLarge, None))
                } else {
                    Ok(field)
                }
            }
            None => Err(SetFieldError::new(
                SetFieldErrorKind::NoSuchField,
                field.full_name(),
                String::new(),
                None,
            )),
        }
    }

    /// Sets a field. Lists and maps are replaced as a whole; setting a member of a oneof unsets the others.
    ///
    /// A zero or empty value unsets a field without explicit presence. A message is copied.
    ///
    /// # Errors
    /// `NoSuchField` if the field belongs to another message type or pool; `InvalidType`, `InvalidEnumNumber` or
    /// `InvalidMessage` if it cannot hold the value; `TooLarge`. The message does not change, and the error returns the value.
    ///
    /// After `TooLarge` the message validates each string again when it is read, until it is cleared or copied.
    pub fn set_field(
        &mut self,
        field: &FieldDescriptor,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        let value = value.into();
        let field = match self.resolve(field) {
            Ok(field) => field,
            Err(error) => return Err(error.with_value(value)),
        };
        let value = match field.check(&value) {
            Ok(()) => field.convert_to_pool(value)?,
            Err(fault) => return Err(field.error(fault, Some(value))),
        };
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

    /// Sets the field with this name.
    ///
    /// # Errors
    /// As [`set_field`](Self::set_field); `NoSuchField` if no field has this name.
    pub fn set_field_by_name(&mut self, name: &str, value: impl Into<Value>) -> Result<(), SetFieldError> {
        match self.descriptor().get_field_by_name(name) {
            Some(field) => self.set_field(&field, value),
            None => Err(SetFieldError::new(
                SetFieldErrorKind::NoSuchField,
                name,
                String::new(),
                Some(value.into()),
            )),
        }
    }

    /// Writes a checked value. The value is built detached and attached when it is complete: if memory runs out, the field
    /// keeps its old value.
    pub(super) fn assign(&mut self, field: &ResolvedField<'_>, value: &Value) -> Result<(), TooLarge> {
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
            Value::Message(message) => {
                let detached = self.writer().detached_body(&entry)?;
                self.fill(BodyRef::of(&entry, detached), message)?;
                self.writer().attach(program, base, position, &entry, detached)?;
            }
            Value::Prepared(prepared) => {
                let body = self.writer().detached_raw(&entry, prepared)?;
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

    /// Copies a message of the same pool into an empty body.
    pub(super) fn fill(&mut self, body: BodyRef, message: &DynamicMessage) -> Result<(), TooLarge> {
        self.writer().copy(message.as_view().raw(), body)
    }

    /// Unsets a field. Ignores a field of another message type.
    ///
    /// # Panics
    /// If the allocator fails. Only messages decoded by a pass-through projection allocate here;
    /// [`try_clear_field`](Self::try_clear_field) returns an error instead.
    pub fn clear_field(&mut self, field: &FieldDescriptor) {
        if let Ok(field) = self.resolve(field) {
            self.clear_at(&field).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// Unsets a field.
    ///
    /// # Errors
    /// `NoSuchField`; `TooLarge` if the allocator fails, which only messages decoded by a pass-through projection need. The
    /// message does not change.
    pub fn try_clear_field(&mut self, field: &FieldDescriptor) -> Result<(), SetFieldError> {
        let field = self.resolve(field)?;
        self.clear_at(&field)
    }

    pub(super) fn unset(&mut self, field: &ResolvedField<'_>) {
        self.slab.mark_unset(self.program(), self.body.base, field.position);
    }

    /// Borrows a sub-message for writing. An unset field is set to an empty message first.
    ///
    /// # Errors
    /// `NoSuchField`; `InvalidShape` if the field is not a singular message; `InvalidMessage` if its bytes were not decoded yet
    /// and are invalid; `TooLarge`. The message does not change.
    pub fn message_mut(&mut self, field: &FieldDescriptor) -> Result<MessageMut<'_>, SetFieldError> {
        self.reborrow().into_message_mut(field)
    }

    /// As [`message_mut`](Self::message_mut), by value, so that a loop can descend.
    ///
    /// # Errors
    /// As [`message_mut`](Self::message_mut).
    pub fn into_message_mut(mut self, field: &FieldDescriptor) -> Result<MessageMut<'m>, SetFieldError> {
        let field = self.resolve(field)?;
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
