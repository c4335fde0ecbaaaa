//! [`Prepared`]: a message encoded once.

use super::{Decoder, DynamicMessage};
use crate::decode::DecodeOptions;
use crate::encode::EncodeOptions;
use crate::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::schema::MessageDescriptor;
use crate::table::MessageTable;
use crate::wire::DEFAULT_DEPTH;
use alloc::{sync::Arc, vec::Vec};
use core::fmt;
use core::marker::PhantomData;
use core::mem::replace;

/// A message that was encoded once, to be written into any number of others.
///
/// Holds the bytes, the message type and how deep messages are nested in it; required fields and UTF-8 have been
/// checked, but for messages in it that are bytes themselves and that nobody has decoded
/// ([`Lazy`](crate::Lazy) members, raw fields), which count as one level. What is written cannot be told from the
/// message itself being encoded there, and costs a copy of the bytes. A clone shares them.
///
/// | into | by |
/// |---|---|
/// | a struct | a member of type `Option<Prepared<T>>` or `Vec<Prepared<T>>`, or a variant or map value `Prepared<T>`, where the listing says `message T` |
/// | a [`DynamicMessage`] | the setters, which take it as a [`Value`](crate::Value) of a message field |
/// | a record | [`RecordWriter::prepared`](crate::RecordWriter::prepared) |
///
/// Dynamic messages and records take it if the full name of its type is that of the field's: the names decide, not the
/// schemas behind them. Wherever it is put, the depth of the whole is checked: `DepthExceeded` if it is above the limit.
///
/// One that [`RawMessage::to_owned`](crate::RawMessage::to_owned) makes has not been checked, and counts as one level.
///
/// A struct that has such a member can be decoded as well. The bytes of the field are kept as they are, unknown
/// fields included, and checked by decoding them. A field that occurs again adds its bytes, which are copied each
/// time and count against the budget each time. To read and not only to write, [`Lazy`](crate::Lazy) is the one to take.
///
/// ```
/// use tablepb::{Message, Prepared};
///
/// #[derive(Default)]
/// struct Resource { name: String }
/// #[derive(Default)]
/// struct Metric { resource: Option<Prepared<Resource>>, value: i64 }
///
/// tablepb::message! {
///     Resource as "example.Resource" { name: string = 1 }
///     Metric as "example.Metric" { resource: message Resource = 1, value: int64 = 2 }
/// }
///
/// let resource = Prepared::new(&Resource { name: "web1".into() })?;
/// for value in 1..=3 {
///     let metric = Metric { resource: Some(resource.clone()), value };
///     assert_eq!(metric.encode_to_vec()?, [b"\x0a\x06\x0a\x04web1\x10", &[value as u8][..]].concat());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prepared<T = DynamicMessage> {
    bytes: Arc<[u8]>,
    of: Type,
    /// Levels of messages in the message.
    depth: u32,
    /// Whether every required field is set.
    complete: bool,
    message: PhantomData<fn() -> T>,
}

/// What a prepared message is one of.
#[derive(Clone)]
#[doc(hidden)]
pub enum Type {
    Table(&'static MessageTable),
    Descriptor(MessageDescriptor),
}

/// What can be prepared: [`DynamicMessage`] and every [`Message`](crate::Message).
pub trait Prepare: Sized {
    /// Appends the message.
    #[doc(hidden)]
    fn encode_prepared(&self, buffer: &mut Vec<u8>, options: EncodeOptions) -> Result<(), EncodeError>;

    /// The type of the message.
    #[doc(hidden)]
    fn prepared_type(&self) -> Type;
}

impl Prepare for DynamicMessage {
    fn encode_prepared(&self, buffer: &mut Vec<u8>, options: EncodeOptions) -> Result<(), EncodeError> {
        self.encode_with(buffer, options)
    }

    fn prepared_type(&self) -> Type {
        Type::Descriptor(self.descriptor().clone())
    }
}

impl<T: Prepare> Prepared<T> {
    /// Encodes a message; some times over, because how deep it is, is found by trying.
    ///
    /// # Errors
    ///
    /// As [`encode`](DynamicMessage::encode): `MissingRequired`, `DepthExceeded`, `TooLarge`.
    pub fn new(message: &T) -> Result<Self, EncodeError> {
        let options = EncodeOptions::new();
        let mut bytes = Vec::new();
        message.encode_prepared(&mut bytes, options)?;
        let mut scratch = Vec::with_capacity(bytes.capacity());
        let depth = min_depth_limit(|depth| {
            scratch.clear();
            match message.encode_prepared(&mut scratch, options.max_depth(depth)) {
                Err(error) if error.kind() == EncodeErrorKind::DepthExceeded => Ok(false),
                encoded => encoded.map(|_| true),
            }
        })?;
        Ok(Self::from_parts(bytes.into(), message.prepared_type(), depth, true))
    }
}

impl Prepared {
    /// Takes a message that is encoded already, byte for byte, after checking that it is one of this type.
    ///
    /// # Errors
    ///
    /// As [`DynamicMessage::decode`].
    ///
    /// ```
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, Prepared};
    ///
    /// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
    /// let pool = DescriptorPool::from_tables(&[&HOST])?;
    /// let host = pool.get_message_by_name("pkg.Host").unwrap();
    /// let prepared = Prepared::decode(&host, b"\x0a\x04web1")?;
    /// assert_eq!((prepared.full_name(), prepared.as_bytes()), ("pkg.Host", &b"\x0a\x04web1"[..]));
    /// assert!(Prepared::decode(&host, b"\x0a\x01\xff").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(descriptor: &MessageDescriptor, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::new(descriptor);
        decoder.decode(bytes)?;
        // One slab for all tries: what one takes is what the budget is for.
        let depth = min_depth_limit(|depth| {
            let used = replace(&mut decoder, Decoder::new(descriptor));
            decoder = used.with_options(DecodeOptions::new().max_depth(depth));
            match decoder.decode(bytes) {
                Ok(_) => Ok(true),
                Err(error) if error.kind() == DecodeErrorKind::DepthExceeded => Ok(false),
                Err(error) => Err(error),
            }
        })?;
        drop(decoder);
        Ok(Self::from_parts(bytes.into(), Type::Descriptor(descriptor.clone()), depth, true))
    }
}

impl<T> Prepared<T> {
    pub(crate) fn from_parts(bytes: Arc<[u8]>, of: Type, depth: u32, complete: bool) -> Self {
        Self { bytes, of, depth, complete, message: PhantomData }
    }

    /// Bytes that are taken to be a message of this type, unchecked.
    pub(crate) fn unchecked(descriptor: MessageDescriptor, bytes: Vec<u8>) -> Self {
        Self::from_parts(bytes.into(), Type::Descriptor(descriptor), 0, true)
    }

    /// The encoded message.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The full name of the message type.
    #[inline]
    pub fn full_name(&self) -> &str {
        match &self.of {
            Type::Table(table) => table.full_name(),
            Type::Descriptor(descriptor) => descriptor.full_name(),
        }
    }

    /// How deep messages are nested in the message: 0 if there is none in it, at most 100.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether every required field is set; only a struct that was decoded can have a prepared message of which this
    /// is not true.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The same message, of which only the name of its type is known.
    pub fn erase(self) -> Prepared {
        Prepared::from_parts(self.bytes, self.of, self.depth, self.complete)
    }
}

/// The least depth limit that is enough for a message that is known to need at most [`DEFAULT_DEPTH`].
///
/// Messages are nested a few levels as a rule, so small numbers are tried first. A try that fails for another reason than its
/// limit (no memory) says nothing about the depth, and ends the search.
fn min_depth_limit<E>(mut enough: impl FnMut(u32) -> Result<bool, E>) -> Result<u32, E> {
    let (mut low, mut high) = (0, 1);
    while high < DEFAULT_DEPTH && !enough(high)? {
        low = high + 1;
        high = (2 * high).min(DEFAULT_DEPTH);
    }
    while low < high {
        let middle = low.midpoint(high);
        if enough(middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(high)
}

impl<T> Clone for Prepared<T> {
    fn clone(&self) -> Self {
        Self::from_parts(self.bytes.clone(), self.of.clone(), self.depth, self.complete)
    }
}

/// The same type by name, and the same bytes.
impl<T> PartialEq for Prepared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.full_name() == other.full_name() && self.bytes == other.bytes
    }
}

impl<T> Eq for Prepared<T> {}

impl<T> fmt::Debug for Prepared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared({}, {} bytes)", self.full_name(), self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_is_found() {
        for depth in 0..=DEFAULT_DEPTH {
            let mut tries = 0;
            let found = min_depth_limit(|limit| {
                tries += 1;
                Ok::<_, ()>(limit >= depth)
            });
            assert_eq!(found, Ok(depth));
            assert!(tries <= 13, "{tries} tries for {depth}");
        }
    }
}
