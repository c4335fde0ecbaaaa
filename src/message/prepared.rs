//! [`Prepared`]: a message encoded once.

use super::DynamicMessage;
use crate::error::EncodeError;
use alloc::{string::String, vec::Vec};
use core::fmt;
use core::marker::PhantomData;

/// A message that was encoded once, to be written into any number of others.
///
/// Holds the bytes and the full name of the message type, by which it is checked wherever it is put: a field takes
/// it if that is the name of its type. What is written cannot be told from the message itself being encoded there.
///
/// ```
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable, Prepared};
///
/// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
/// let pool = DescriptorPool::from_tables(&[&HOST])?;
/// let mut host = DynamicMessage::new(&pool.get_message_by_name("pkg.Host").unwrap());
/// host.set_field_by_name("name", "web1")?;
/// let prepared = Prepared::new(&host)?;
/// assert_eq!((prepared.full_name(), prepared.as_bytes()), ("pkg.Host", &b"\x0a\x04web1"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prepared<T = DynamicMessage> {
    bytes: Vec<u8>,
    name: String,
    message: PhantomData<fn() -> T>,
}

impl Prepared {
    /// Encodes a message.
    ///
    /// # Errors
    /// As [`DynamicMessage::encode`].
    pub fn new(message: &DynamicMessage) -> Result<Self, EncodeError> {
        let bytes = message.encode_to_vec()?;
        Ok(Self { bytes, name: message.descriptor().full_name().into(), message: PhantomData })
    }
}

impl<T> Prepared<T> {
    /// Bytes that are taken to be a message of this type.
    pub(crate) fn from_parts(name: String, bytes: Vec<u8>) -> Self {
        Self { bytes, name, message: PhantomData }
    }

    /// The encoded message.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The full name of the message type.
    #[inline]
    pub fn full_name(&self) -> &str {
        &self.name
    }
}

impl<T> Clone for Prepared<T> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), name: self.name.clone(), message: PhantomData }
    }
}

impl<T> PartialEq for Prepared<T> {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.bytes) == (&other.name, &other.bytes)
    }
}

impl<T> Eq for Prepared<T> {}

impl<T> fmt::Debug for Prepared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared({}, {} bytes)", self.name, self.bytes.len())
    }
}
