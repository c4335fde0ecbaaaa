//! Taking values out of a message, and changing the set fields one after the other.

use super::field_key::Key;
use super::mutate::MessageMut;
use crate::message::dynamic::passthrough::Change;
use crate::message::error::{CopyError, SetFieldError, SetFieldErrorKind};
use crate::message::{FieldKey, Value, ValueRef};
use crate::schema::pool::{FieldDescriptor, FieldRef};
use alloc::vec::Vec;

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
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable, Value};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
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
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
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
    /// [`RawFields`](crate::RawFields) reads them, and [`merge`](crate::message::DynamicMessage::merge) adds them to a message.
    ///
    /// # Errors
    /// If the allocator fails, or if a pass-through projection decoded the message, which keeps them among its other bytes
    /// ([`is_unselected`](CopyError::is_unselected)). The message does not change.
    pub fn take_unknown_fields(&mut self) -> Result<Vec<u8>, CopyError> {
        if self.program().keeps_bytes() {
            return Err(CopyError::UNSELECTED);
        }
        let mut bytes = Vec::new();
        for field in self.as_view().unknown_fields() {
            field.append_to(&mut bytes)?;
        }
        self.try_clear_unknown_fields()?;
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
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static USER: MessageTable = MessageTable::new(
///     "pkg.User",
///     &[
///         FieldTable::new("name", 1, Kind::String),
///         FieldTable::new("password", 2, Kind::String),
///         FieldTable::new("age", 3, Kind::Int32),
///     ],
/// );
/// let user = DescriptorPool::from_tables(&[&USER])?.get_message_by_name("pkg.User").unwrap();
/// let mut message = DynamicMessage::parse_text_format(&user, r#"name: "Ann" password: "secret" age: 40"#)?;
/// let mut fields = message.fields_mut();
/// while let Some(mut field) = fields.next_field() {
///     match field.descriptor().name() {
///         "password" => field.clear()?,
///         "age" => field.set(field.value().as_i32().unwrap_or(0) + 1)?,
///         _ => {}
///     }
/// }
/// assert_eq!(message.to_text_format(), r#"name:"Ann",age:41"#);
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

    /// Unsets the field; see [`MessageMut::try_clear_field`].
    ///
    /// # Errors
    /// As [`MessageMut::try_clear_field`].
    pub fn clear(&mut self) -> Result<(), SetFieldError> {
        self.message.try_clear_field(self.field)
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
