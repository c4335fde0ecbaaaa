//! [`Any`] of dynamic messages.

use super::{Any, ConvertError};
use crate::message::{DynamicMessage, Prepare, Type};
use crate::schema::pool::DescriptorPool;
use crate::wire::error::EncodeError;
use crate::wire::options::EncodeOptions;
use alloc::vec::Vec;

impl Any {
    /// Encodes a struct or a dynamic message; the type URL begins with `type.googleapis.com/`.
    ///
    /// # Errors
    /// As [`Message::encode`](crate::Message::encode).
    pub fn pack(message: &impl Prepare) -> Result<Self, EncodeError> {
        let mut value = Vec::new();
        message.encode_prepared(&mut value, EncodeOptions::new())?;
        Ok(match message.prepared_type() {
            Type::Table(table) => Self::of(table.full_name(), value),
            Type::Descriptor(descriptor) => Self::of(descriptor.full_name(), value),
        })
    }

    /// Decodes the message by the schema that the pool has for it.
    ///
    /// # Errors
    /// [`InvalidUrl`](ConvertError::InvalidUrl), [`UnknownType`](ConvertError::UnknownType), or what is wrong with the bytes.
    pub fn unpack(&self, pool: &DescriptorPool) -> Result<DynamicMessage, ConvertError> {
        let name = self.type_name().ok_or(ConvertError::InvalidUrl)?;
        let descriptor = pool.find_message(name).ok_or(ConvertError::UnknownType)?;
        DynamicMessage::decode(&descriptor, &self.value).map_err(ConvertError::Invalid)
    }
}
