//! The writing methods of [`DynamicMessage`]: those of its [`MessageMut`].

use crate::message::{
    CopyError, DynamicMessage, FieldKey, FieldsMut, MapKey, MapKeyRef, MessageMut, SetFieldError,
    UnknownFields, Value, ValueRef,
};
use crate::schema::pool::{ExtensionDescriptor, FieldDescriptor, FieldRef, OneofDescriptor};
use crate::wire::Buffer;
use crate::wire::error::EncodeError;
use crate::wire::options::EncodeOptions;
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

    /// Sets the field with this name; see [`MessageMut::set_field`].
    ///
    /// # Errors
    /// As [`MessageMut::set_field`].
    pub fn set_field_by_name(&mut self, name: &str, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.as_mut().set_field_by_name(name, value)
    }

    /// Sets the field or extension with this number; see [`MessageMut::set_field`].
    ///
    /// # Errors
    /// As [`MessageMut::set_field`].
    pub fn set_field_by_number(&mut self, number: u32, value: impl Into<Value>) -> Result<(), SetFieldError> {
        self.as_mut().set_field_by_number(number, value)
    }

    /// Unsets a field; see [`MessageMut::clear_field`].
    ///
    /// # Panics
    /// As [`MessageMut::clear_field`].
    pub fn clear_field(&mut self, field: impl FieldKey) {
        self.as_mut().clear_field(field);
    }

    /// Unsets the field with this name, if there is one; see [`MessageMut::clear_field`].
    ///
    /// # Panics
    /// As [`MessageMut::clear_field`].
    pub fn clear_field_by_name(&mut self, name: &str) {
        self.as_mut().clear_field(name);
    }

    /// Unsets the field or extension with this number, if there is one; see [`MessageMut::clear_field`].
    ///
    /// # Panics
    /// As [`MessageMut::clear_field`].
    pub fn clear_field_by_number(&mut self, number: u32) {
        self.as_mut().clear_field(number);
    }

    /// Unsets a field; see [`MessageMut::try_clear_field`].
    ///
    /// # Errors
    /// As [`MessageMut::try_clear_field`].
    pub fn try_clear_field(&mut self, field: impl FieldKey) -> Result<(), SetFieldError> {
        self.as_mut().try_clear_field(field)
    }

    /// Takes the value of a field out of the message; see [`MessageMut::take_field`].
    ///
    /// # Errors
    /// As [`MessageMut::take_field`].
    pub fn take_field(&mut self, field: impl FieldKey) -> Result<Option<Value>, SetFieldError> {
        self.as_mut().take_field(field)
    }

    /// Takes the value of the field with this name out of the message; see [`MessageMut::take_field`].
    ///
    /// # Errors
    /// As [`MessageMut::take_field`].
    pub fn take_field_by_name(&mut self, name: &str) -> Result<Option<Value>, SetFieldError> {
        self.as_mut().take_field(name)
    }

    /// Takes the value of the field or extension with this number out of the message; see [`MessageMut::take_field`].
    ///
    /// # Errors
    /// As [`MessageMut::take_field`].
    pub fn take_field_by_number(&mut self, number: u32) -> Result<Option<Value>, SetFieldError> {
        self.as_mut().take_field(number)
    }

    /// Takes all fields that are set out of the message; see [`MessageMut::take_fields`].
    ///
    /// # Errors
    /// As [`MessageMut::take_fields`].
    pub fn take_fields(&mut self) -> Result<Vec<(FieldDescriptor, Value)>, SetFieldError> {
        self.as_mut().take_fields()
    }

    /// Takes all extensions that are set out of the message; see [`MessageMut::take_extensions`].
    ///
    /// # Errors
    /// As [`MessageMut::take_extensions`].
    pub fn take_extensions(&mut self) -> Result<Vec<(FieldDescriptor, Value)>, SetFieldError> {
        self.as_mut().take_extensions()
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
    pub fn take_unknown_fields(&mut self) -> Result<Vec<u8>, CopyError> {
        self.as_mut().take_unknown_fields()
    }

    /// Drops the unknown fields of this message, but not those of its sub-messages; see [`MessageMut::clear_unknown_fields`].
    ///
    /// # Panics
    /// As [`MessageMut::clear_unknown_fields`].
    pub fn clear_unknown_fields(&mut self) {
        self.as_mut().clear_unknown_fields();
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

    /// Replaces an element of a repeated field; see [`MessageMut::set_element`].
    ///
    /// # Errors
    /// As [`MessageMut::set_element`].
    pub fn set_element(
        &mut self,
        field: impl FieldKey,
        index: usize,
        value: impl Into<Value>,
    ) -> Result<(), SetFieldError> {
        self.as_mut().set_element(field, index, value)
    }

    /// Removes an element of a repeated field; see [`MessageMut::remove_element`].
    ///
    /// # Errors
    /// As [`MessageMut::remove_element`].
    pub fn remove_element(&mut self, field: impl FieldKey, index: usize) -> Result<(), SetFieldError> {
        self.as_mut().remove_element(field, index)
    }

    /// Swaps two elements of a repeated field; see [`MessageMut::swap_elements`].
    ///
    /// # Errors
    /// As [`MessageMut::swap_elements`].
    pub fn swap_elements(&mut self, field: impl FieldKey, a: usize, b: usize) -> Result<(), SetFieldError> {
        self.as_mut().swap_elements(field, a, b)
    }

    /// Removes the elements of a repeated field from `len` on; see [`MessageMut::truncate`].
    ///
    /// # Errors
    /// As [`MessageMut::truncate`].
    pub fn truncate(&mut self, field: impl FieldKey, len: usize) -> Result<(), SetFieldError> {
        self.as_mut().truncate(field, len)
    }

    /// Keeps only the elements of a repeated field for which `keep` says so; see [`MessageMut::retain`].
    ///
    /// # Errors
    /// As [`MessageMut::retain`].
    pub fn retain(
        &mut self,
        field: impl FieldKey,
        keep: impl FnMut(ValueRef<'_, '_>) -> bool,
    ) -> Result<(), SetFieldError> {
        self.as_mut().retain(field, keep)
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

    /// Keeps only the entries of a map for which `keep` says so; see [`MessageMut::retain_entries`].
    ///
    /// # Errors
    /// As [`MessageMut::retain_entries`].
    pub fn retain_entries(
        &mut self,
        field: impl FieldKey,
        keep: impl FnMut(MapKeyRef<'_>, ValueRef<'_, '_>) -> bool,
    ) -> Result<(), SetFieldError> {
        self.as_mut().retain_entries(field, keep)
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
    pub fn get(&self, field: impl FieldKey) -> Option<ValueRef<'_, '_>> {
        self.as_view().get(field)
    }

    /// The value of a field, or its default; see [`MessageView::get_field`](crate::message::MessageView::get_field).
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

    /// Whether a field is set; see [`MessageView::has_field`](crate::message::MessageView::has_field).
    #[inline]
    pub fn has_field(&self, field: impl FieldKey) -> bool {
        self.as_view().has_field(field)
    }

    /// The value of a field, or its default, or an error if the message has no such field; see
    /// [`MessageView::try_get_field`](crate::message::MessageView::try_get_field).
    ///
    /// # Errors
    /// As [`MessageView::try_get_field`](crate::message::MessageView::try_get_field).
    pub fn try_get_field(&self, field: impl FieldKey) -> Result<ValueRef<'_, '_>, SetFieldError> {
        self.as_view().try_get_field(field)
    }

    /// Whether a projection selected the field, or a setter has set it; see [`MessageView::is_selected`](crate::message::MessageView::is_selected).
    pub fn is_selected(&self, field: impl FieldKey) -> bool {
        self.as_view().is_selected(field)
    }

    /// Whether a field with this name exists and is set.
    pub fn has_field_by_name(&self, name: &str) -> bool {
        self.as_view().has_field_by_name(name)
    }

    /// Whether a field or extension with this number exists and is set.
    pub fn has_field_by_number(&self, number: u32) -> bool {
        self.as_view().has_field_by_number(number)
    }

    /// The set member of a oneof and its value; see [`MessageView::get_oneof`](crate::message::MessageView::get_oneof).
    pub fn get_oneof(&self, oneof: &OneofDescriptor) -> Option<(FieldRef<'_>, ValueRef<'_, '_>)> {
        self.as_view().get_oneof(oneof)
    }

    /// Whether an extension is set.
    pub fn has_extension(&self, extension: &ExtensionDescriptor) -> bool {
        self.as_view().has_field(extension)
    }

    /// The value of an extension, or its default; see [`MessageView::get_extension`](crate::message::MessageView::get_extension).
    pub fn get_extension(&self, extension: &ExtensionDescriptor) -> ValueRef<'_, '_> {
        self.as_view().get_extension(extension)
    }

    /// The extensions that are set, in field number order.
    pub fn extensions(&self) -> impl Iterator<Item = (FieldRef<'_>, ValueRef<'_, '_>)> {
        self.as_view().extensions()
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

    /// As [`encode`](Self::encode), with options.
    ///
    /// # Errors
    /// As [`MessageView::encode`](crate::message::MessageView::encode).
    pub fn encode_with(&self, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError> {
        self.as_view().encode_with(buffer, options)
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
