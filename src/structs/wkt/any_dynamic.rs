//! [`Any`] of dynamic messages.

use super::{Any, UnpackError};
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
    /// [`InvalidUrl`](UnpackError::InvalidUrl), [`UnknownType`](UnpackError::UnknownType), or what is wrong with the bytes.
    pub fn unpack(&self, pool: &DescriptorPool) -> Result<DynamicMessage, UnpackError> {
        let name = self.type_name().ok_or(UnpackError::InvalidUrl)?;
        let descriptor = pool.find_message(name).ok_or(UnpackError::UnknownType)?;
        DynamicMessage::decode(&descriptor, &self.value).map_err(UnpackError::Invalid)
    }
}
