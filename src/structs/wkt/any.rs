//! [`Any`].

use super::ConvertError;
use crate::structs::{DecodeOwned, Message};
#[cfg(not(feature = "reflect"))]
use crate::wire::error::EncodeError;
use crate::wire::error::copy_of;
#[cfg(feature = "reflect")]
use crate::{
    message::{DynamicMessage, Prepare, Type},
    schema::pool::DescriptorPool,
    wire::{error::EncodeError, options::EncodeOptions},
};
use alloc::{string::String, vec::Vec};

/// What type URLs begin with.
const PREFIX: &str = "type.googleapis.com/";

/// `google.protobuf.Any`: a message of any type, encoded, with the name of its type.
///
/// ```
/// use tablepb::{DescriptorPool, Message, wkt};
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Ping { id: u64 }
/// tablepb::message! { Ping as "example.Ping" { id: uint64 = 1 } }
///
/// let any = wkt::Any::pack(&Ping { id: 7 })?;
/// assert_eq!(any.type_url, "type.googleapis.com/example.Ping");
/// assert_eq!(any.to_msg::<Ping>()?, Ping { id: 7 });
///
/// // Without the struct: the pool knows the type.
/// let pool = DescriptorPool::from_tables(&[Ping::TABLE])?;
/// let message = any.unpack(&pool)?;
/// assert_eq!(message.get_field("id")?.as_u64(), Some(7));
/// assert_eq!(wkt::Any::pack(&message)?, any);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Any {
    /// A URL whose part after the last slash is the full name of the message type.
    pub type_url: String,
    /// The encoded message.
    pub value: Vec<u8>,
}

crate::message! {
    Any as "google.protobuf.Any" { type_url: string = 1, value: bytes = 2 }
}

impl Any {
    /// Encodes a struct; the type URL begins with `type.googleapis.com/`. With the feature `reflect`, dynamic messages too.
    ///
    /// # Errors
    /// As [`Message::encode`].
    #[cfg(not(feature = "reflect"))]
    pub fn pack(message: &impl Message) -> Result<Self, EncodeError> {
        fn pack<M: Message>(message: &M) -> Result<Any, EncodeError> {
            Ok(Any::of(M::TABLE.full_name(), message.encode_to_vec()?))
        }
        pack(message)
    }

    /// An encoded message of the type with this full name.
    pub(super) fn of(full_name: &str, value: Vec<u8>) -> Self {
        Self { type_url: String::from(PREFIX) + full_name, value }
    }

    /// The full name of the message type: the part of the type URL after the last slash, if there is one.
    #[must_use]
    pub fn type_name(&self) -> Option<&str> {
        let (_, name) = self.type_url.rsplit_once('/')?;
        (!name.is_empty()).then_some(name)
    }

    /// Whether the message is of this type.
    #[must_use]
    pub fn is<M: Message>(&self) -> bool {
        self.type_name() == Some(M::TABLE.full_name())
    }

    /// Decodes the message as a struct.
    ///
    /// # Errors
    /// [`InvalidUrl`](ConvertError::InvalidUrl), [`WrongType`](ConvertError::WrongType), which names both types, or what is wrong with the bytes.
    pub fn to_msg<M: DecodeOwned>(&self) -> Result<M, ConvertError> {
        let name = self.type_name().ok_or(ConvertError::InvalidUrl)?;
        if !self.is::<M>() {
            let found = copy_of(name).unwrap_or_default();
            return Err(ConvertError::WrongType { expected: M::TABLE.full_name(), found });
        }
        M::decode(&self.value).map_err(ConvertError::Invalid)
    }
}

/// Of dynamic messages too.
#[cfg(feature = "reflect")]
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
