//! The reading methods of [`DynamicMessage`]: those of its view.

use crate::message::{DynamicMessage, FieldKey, SetFieldError, UnknownFields, ValueRef};
use crate::schema::pool::{ExtensionDescriptor, FieldDescriptor, FieldRef, OneofDescriptor};
use crate::wire::Buffer;
use crate::wire::error::EncodeError;
use crate::wire::options::EncodeOptions;
use alloc::vec::Vec;

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
