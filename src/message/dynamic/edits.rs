//! The writing methods of [`DynamicMessage`]: those of its [`MessageMut`].

use crate::message::{
    DynamicMessage, FieldKey, FieldsMut, MapKey, MessageMut, SetFieldError, UnknownFields, Value, ValueRef,
};
use crate::schema::pool::FieldDescriptor;
use crate::wire::Buffer;
use crate::wire::error::EncodeError;
use alloc::vec::Vec;

/// Fields, as on [`MessageMut`].
impl DynamicMessage {
    /// Sets a field; see [`MessageMut::set_field`].
    ///
    /// # Errors
    /// As [`MessageMut::set_field`].
    pub fn set_field(&mut self, field: impl FieldKey, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.as_mut().set_field(field, value)
    }

    /// Unsets a field; see [`MessageMut::clear_field`].
    ///
    /// # Errors
    /// As [`MessageMut::clear_field`].
    pub fn clear_field(&mut self, field: impl FieldKey) -> Result<(), SetFieldError> {
        self.as_mut().clear_field(field)
    }

    /// Takes the value of a field out of the message; see [`MessageMut::take_field`].
    ///
    /// # Errors
    /// As [`MessageMut::take_field`].
    pub fn take_field(&mut self, field: impl FieldKey) -> Result<Option<Value>, SetFieldError> {
        self.as_mut().take_field(field)
    }

    /// Takes all fields that are set out of the message; see [`MessageMut::take_fields`].
    ///
    /// # Errors
    /// As [`MessageMut::take_fields`].
    pub fn take_fields(&mut self) -> Result<Vec<(FieldDescriptor, Value)>, SetFieldError> {
        self.as_mut().take_fields()
    }

    /// The fields that are set, one after the other, to be changed; see [`FieldsMut`].
    pub fn fields_mut(&mut self) -> FieldsMut<'_> {
        self.as_mut().into_fields_mut()
    }

    /// Borrows a sub-message for writing; see [`MessageMut::message_mut`].
    ///
    /// # Errors
    /// As [`MessageMut::message_mut`].
    pub fn message_mut(&mut self, field: impl FieldKey) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_message_mut(field)
    }

    /// Takes the unknown fields out of the message; see [`MessageMut::take_unknown_fields`].
    ///
    /// # Errors
    /// As [`MessageMut::take_unknown_fields`].
    pub fn take_unknown_fields(&mut self) -> Result<Vec<u8>, SetFieldError> {
        self.as_mut().take_unknown_fields()
    }
}

/// Lists, as on [`MessageMut`].
impl DynamicMessage {
    /// Appends to a repeated field; see [`MessageMut::push`].
    ///
    /// # Errors
    /// As [`MessageMut::push`].
    pub fn push(&mut self, field: impl FieldKey, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.as_mut().push(field, value)
    }

    /// Appends values to a repeated field, all or none; see [`MessageMut::extend`].
    ///
    /// # Errors
    /// As [`MessageMut::extend`].
    pub fn extend<V: Into<Value>>(
        &mut self,
        field: impl FieldKey,
        values: impl IntoIterator<Item = V>,
    ) -> Result<(), SetFieldError> {
        self.as_mut().extend(field, values)
    }

    /// Appends an empty message to a repeated field and borrows it for writing; see [`MessageMut::push_message`].
    ///
    /// # Errors
    /// As [`MessageMut::push_message`].
    pub fn push_message(&mut self, field: impl FieldKey) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_push_message(field)
    }

    /// Borrows an element of a repeated message field for writing; see [`MessageMut::element_mut`].
    ///
    /// # Errors
    /// As [`MessageMut::element_mut`].
    pub fn element_mut(
        &mut self,
        field: impl FieldKey,
        index: usize,
    ) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_element_mut(field, index)
    }
}

/// Maps, as on [`MessageMut`].
impl DynamicMessage {
    /// Inserts into a map field; see [`MessageMut::insert`].
    ///
    /// # Errors
    /// As [`MessageMut::insert`].
    pub fn insert(
        &mut self,
        field: impl FieldKey,
        key: impl Into<MapKey>,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        self.as_mut().insert(field, key, value)
    }

    /// Removes a key from a map field, and says whether it was there; see [`MessageMut::remove`].
    ///
    /// # Errors
    /// As [`MessageMut::remove`].
    pub fn remove(&mut self, field: impl FieldKey, key: impl Into<MapKey>) -> Result<bool, SetFieldError> {
        self.as_mut().remove(field, key)
    }

    /// Borrows the message value of a map key for writing; see [`MessageMut::entry_mut`].
    ///
    /// # Errors
    /// As [`MessageMut::entry_mut`].
    pub fn entry_mut(
        &mut self,
        field: impl FieldKey,
        key: impl Into<MapKey>,
    ) -> Result<MessageMut<'_>, SetFieldError> {
        self.as_mut().into_entry_mut(field, key)
    }
}

// The reading methods of `DynamicMessage`: those of its view.

/// Reading, as on [`MessageView`](crate::message::MessageView).
impl DynamicMessage {
    /// The fields that are set, in field number order; see [`MessageView::fields`](crate::message::MessageView::fields).
    #[inline]
    pub fn fields(&self) -> crate::message::Fields<'_, '_> {
        self.as_view().fields()
    }

    /// The value of a field, if it is set; see [`MessageView::get`](crate::message::MessageView::get).
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get(&self, field: impl FieldKey) -> Option<ValueRef<'_, '_>> {
        self.as_view().get(field)
    }

    /// Whether a field is set; see [`MessageView::has_field`](crate::message::MessageView::has_field).
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn has_field(&self, field: impl FieldKey) -> bool {
        self.as_view().has_field(field)
    }

    /// The value of a field, or its default, or an error if the message has no such field; see
    /// [`MessageView::get_field`](crate::message::MessageView::get_field).
    ///
    /// # Errors
    /// As [`MessageView::get_field`](crate::message::MessageView::get_field).
    #[inline]
    pub fn get_field(&self, field: impl FieldKey) -> Result<ValueRef<'_, '_>, SetFieldError> {
        self.as_view().get_field(field)
    }

    /// The unknown fields, in wire order.
    pub fn unknown_fields(&self) -> UnknownFields<'_, '_> {
        self.as_view().unknown_fields()
    }

    /// Whether all required fields are set, in this message and all sub-messages.
    pub fn is_initialized(&self) -> bool {
        self.as_view().is_initialized()
    }

    /// Appends the message to a buffer; see [`MessageView::encode`](crate::message::MessageView::encode).
    ///
    /// # Errors
    /// As [`MessageView::encode`](crate::message::MessageView::encode).
    pub fn encode(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.as_view().encode(buffer)
    }

    /// Encodes the message to a new `Vec` of exactly its size.
    ///
    /// # Errors
    /// As [`MessageView::encode`](crate::message::MessageView::encode).
    pub fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        self.as_view().encode_to_vec()
    }

    /// Writes the message to the start of a slice and returns the number of bytes.
    ///
    /// # Errors
    /// As [`MessageView::encode_to_slice`](crate::message::MessageView::encode_to_slice).
    pub fn encode_to_slice(&self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        self.as_view().encode_to_slice(slice)
    }

    /// Appends the message with a length prefix.
    ///
    /// # Errors
    /// As [`MessageView::encode`](crate::message::MessageView::encode).
    pub fn encode_length_delimited(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.as_view().encode_length_delimited(buffer)
    }

    /// Appends the message to any [`BufMut`](bytes::BufMut).
    ///
    /// # Errors
    /// As [`MessageView::encode_buf`](crate::message::MessageView::encode_buf).
    #[cfg(feature = "bytes")]
    pub fn encode_buf(&self, buffer: &mut impl bytes::BufMut) -> Result<(), EncodeError> {
        self.as_view().encode_buf(buffer)
    }

    /// The encoded length in bytes.
    pub fn encoded_len(&self) -> usize {
        self.as_view().encoded_len()
    }
}
