//! The reading and writing methods of [`DynamicMessage`]: those of its view and of its [`MessageMut`](super::MessageMut).

use super::{DynamicMessage, MapKey, MessageMut, SetFieldError, UnknownFields, Value, ValueRef};
use crate::error::EncodeError;
use crate::options::EncodeOptions;
use crate::schema::FieldDescriptor;
use crate::wire::Buffer;
use alloc::vec::Vec;

/// Reading, as on [`MessageView`](super::MessageView).
impl DynamicMessage {
    /// The fields that are set, in field number order; see [`MessageView::fields`](super::MessageView::fields).
    #[inline]
    pub fn fields(&self) -> super::Fields<'_, '_> {
        self.as_view().fields()
    }

    /// The value of a field, if it is set; see [`MessageView::get`](super::MessageView::get).
    #[inline]
    pub fn get(&self, field: &FieldDescriptor) -> Option<ValueRef<'_, '_>> {
        self.as_view().get(field)
    }

    /// The value of a field, or its default; see [`MessageView::get_field`](super::MessageView::get_field).
    #[inline]
    pub fn get_field(&self, field: &FieldDescriptor) -> ValueRef<'_, '_> {
        self.as_view().get_field(field)
    }

    /// The value of the field with this name, or its default; `None` if no field has it.
    pub fn get_field_by_name(&self, name: &str) -> Option<ValueRef<'_, '_>> {
        self.as_view().get_field_by_name(name)
    }

    /// The value of the field or extension with this number, or its default; `None` if there is none.
    pub fn get_field_by_number(&self, number: u32) -> Option<ValueRef<'_, '_>> {
        self.as_view().get_field_by_number(number)
    }

    /// Whether a field is set; see [`MessageView::has_field`](super::MessageView::has_field).
    #[inline]
    pub fn has_field(&self, field: &FieldDescriptor) -> bool {
        self.as_view().has_field(field)
    }

    /// Whether a projection selected the field, or a setter has set it; see [`MessageView::is_selected`](super::MessageView::is_selected).
    pub fn is_selected(&self, field: &FieldDescriptor) -> bool {
        self.as_view().is_selected(field)
    }

    /// Whether a field with this name exists and is set.
    pub fn has_field_by_name(&self, name: &str) -> bool {
        self.as_view().has_field_by_name(name)
    }

    /// The unknown fields, in wire order.
    pub fn unknown_fields(&self) -> UnknownFields<'_, '_> {
        self.as_view().unknown_fields()
    }

    /// Whether all required fields are set, in this message and all sub-messages.
    pub fn is_initialized(&self) -> bool {
        self.as_view().is_initialized()
    }

    /// Appends the message to a buffer; see [`MessageView::encode`](super::MessageView::encode).
    ///
    /// # Errors
    /// As [`MessageView::encode`](super::MessageView::encode).
    pub fn encode(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.as_view().encode(buffer)
    }

    /// As [`encode`](Self::encode), with options.
    ///
    /// # Errors
    /// As [`MessageView::encode`](super::MessageView::encode).
    pub fn encode_with(&self, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError> {
        self.as_view().encode_with(buffer, options)
    }

    /// Encodes the message to a new `Vec` of exactly its size.
    ///
    /// # Errors
    /// As [`MessageView::encode`](super::MessageView::encode).
    pub fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        self.as_view().encode_to_vec()
    }

    /// Writes the message to the start of a slice and returns the number of bytes.
    ///
    /// # Errors
    /// As [`MessageView::encode_to_slice`](super::MessageView::encode_to_slice).
    pub fn encode_to_slice(&self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        self.as_view().encode_to_slice(slice)
    }

    /// Appends the message with a length prefix.
    ///
    /// # Errors
    /// As [`MessageView::encode`](super::MessageView::encode).
    pub fn encode_length_delimited(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.as_view().encode_length_delimited(buffer)
    }

    /// Appends the message to any [`BufMut`](bytes::BufMut).
    ///
    /// # Errors
    /// As [`MessageView::encode_buf`](super::MessageView::encode_buf).
    #[cfg(feature = "bytes")]
    pub fn encode_buf(&self, buffer: &mut impl bytes::BufMut) -> Result<(), EncodeError> {
        self.as_view().encode_buf(buffer)
    }

    /// The encoded length in bytes.
    pub fn encoded_len(&self) -> usize {
        self.as_view().encoded_len()
    }
}

/// Writing, as on [`MessageMut`].
impl DynamicMessage {
    /// Sets a field; see [`MessageMut::set_field`].
    ///
    /// # Errors
    /// As [`MessageMut::set_field`].
    pub fn set_field(
        &mut self,
        field: &FieldDescriptor,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        self.as_mut().set_field(field, value)
    }

    /// Sets the field with this name.
    ///
    /// # Errors
    /// As [`MessageMut::set_field`]; `NoSuchField` if no field has this name.
    pub fn set_field_by_name(&mut self, name: &str, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.as_mut().set_field_by_name(name, value)
    }

    /// Unsets a field. Ignores a field of another message type.
    ///
    /// # Panics
    /// If the allocator fails; see [`MessageMut::clear_field`].
    pub fn clear_field(&mut self, field: &FieldDescriptor) {
        self.as_mut().clear_field(field);
    }

    /// Appends to a repeated field; see [`MessageMut::push`].
    ///
    /// # Errors
    /// As [`MessageMut::push`].
    pub fn push(&mut self, field: &FieldDescriptor, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.as_mut().push(field, value)
    }

    /// Inserts into a map field; see [`MessageMut::insert`].
    ///
    /// # Errors
    /// As [`MessageMut::insert`].
    pub fn insert(
        &mut self,
        field: &FieldDescriptor,
        key: impl Into<MapKey>,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        self.as_mut().insert(field, key, value)
    }

    /// Removes a key from a map field; see [`MessageMut::remove`].
    ///
    /// # Errors
    /// As [`MessageMut::remove`].
    pub fn remove(&mut self, field: &FieldDescriptor, key: impl Into<MapKey>) -> Result<bool, SetFieldError> {
        self.as_mut().remove(field, key)
    }

    /// Borrows a sub-message for writing; see [`MessageMut::message_mut`].
    ///
    /// # Errors
    /// As [`MessageMut::message_mut`].
    pub fn message_mut(&mut self, field: &FieldDescriptor) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_message_mut(field)
    }

    /// Appends an empty message to a repeated field and borrows it for writing; see [`MessageMut::push_message`].
    ///
    /// # Errors
    /// As [`MessageMut::push_message`].
    pub fn push_message(&mut self, field: &FieldDescriptor) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_push_message(field)
    }

    /// Borrows an element of a repeated message field for writing; see [`MessageMut::element_mut`].
    ///
    /// # Errors
    /// As [`MessageMut::element_mut`].
    pub fn element_mut(
        &mut self,
        field: &FieldDescriptor,
        index: usize,
    ) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_element_mut(field, index)
    }

    /// Borrows the message value of a map key for writing; see [`MessageMut::entry_mut`].
    ///
    /// # Errors
    /// As [`MessageMut::entry_mut`].
    pub fn entry_mut(
        &mut self,
        field: &FieldDescriptor,
        key: impl Into<MapKey>,
    ) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_entry_mut(field, key)
    }

    /// Drops the unknown fields of this message; its sub-messages keep theirs.
    ///
    /// # Panics
    /// If the allocator fails; see [`MessageMut::clear_unknown_fields`].
    pub fn clear_unknown_fields(&mut self) {
        self.as_mut().clear_unknown_fields();
    }
}
