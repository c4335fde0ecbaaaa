//! [`Prepared`]: a message encoded once, to be written into others.

use super::{Decoder, DynamicMessage};
use crate::engine::decode;
use crate::schema::pool::MessageDescriptor;
use crate::schema::table::MessageTable;
use crate::wire::DEFAULT_DEPTH;
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::wire::options::DecodeOptions;
use crate::wire::options::EncodeOptions;
use crate::wire::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::mem::replace;

/// A message encoded once, to be written into any number of others.
///
/// Holds the bytes, the message type and the nesting depth. Required fields and UTF-8 have been checked, except in messages
/// inside it that were never decoded ([`Lazy`](crate::Lazy) members, raw fields); each of those counts as one level. Writing
/// it gives the same bytes as encoding the message in its place, and costs a copy of the bytes. Clones share the bytes.
///
/// | into | by |
/// |---|---|
/// | a struct | a member of type `Option<Prepared<T>>` or `Vec<Prepared<T>>`, or a variant or map value `Prepared<T>`, where the listing says `message T` |
/// | a [`DynamicMessage`] | the setters, which take it as a [`Value`](crate::Value) of a message field |
/// | a record | [`RecordWriter::prepared`](crate::record::RecordWriter::prepared) |
///
/// Dynamic messages and records accept it if the full name of its type is that of the field's type; their schemas are not
/// compared. Encoding checks the depth of the whole message: `DepthExceeded` if it is above the limit.
///
/// [`RawMessage::to_owned`](crate::dynamic::RawMessage::to_owned) makes one that has not been checked; it counts as one level, and so do the bytes of a
/// [`Lazy`](crate::Lazy) member.
///
/// A struct with such a member can be decoded too. The member keeps the bytes of the field unchanged, including unknown
/// fields, after checking them by a decode. Each further occurrence of the field appends its bytes; all bytes are copied and
/// charged to the budget again. Use [`Lazy`](crate::Lazy) to read the member as well.
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
    /// Levels of sub-messages.
    depth: u32,
    /// Whether every required field is set.
    complete: bool,
    message: PhantomData<fn() -> T>,
}

/// The type of a prepared message.
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
        let start = buffer.len();
        self.as_view().append(buffer, options)?;
        match buffer.get(start..) {
            // What is kept as bytes was written without a look at it.
            Some(bytes)
                if self.keeps_bytes()
                    && levels_of(self.descriptor(), bytes, options.depth_limit())?
                        > options.depth_limit() =>
            {
                buffer.truncate(start);
                Err(EncodeError::new(EncodeErrorKind::DepthExceeded))
            }
            _ => Ok(()),
        }
    }

    fn prepared_type(&self) -> Type {
        Type::Descriptor(self.descriptor().clone())
    }
}

impl<T: Prepare> Prepared<T> {
    /// Encodes a message, a few times over: trying depth limits finds its depth.
    ///
    /// # Errors
    ///
    /// As [`encode`](DynamicMessage::encode): `MissingRequired`, `DepthExceeded`, `TooLarge`.
    pub fn new(message: &T) -> Result<Self, EncodeError> {
        let options = EncodeOptions::new();
        let mut bytes = Vec::new();
        message.encode_prepared(&mut bytes, options)?;
        let mut scratch = Vec::new();
        scratch.try_reserve_exact(bytes.len()).map_err(|_| EncodeError::new(EncodeErrorKind::OutOfMemory))?;
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
    /// Takes the bytes of an encoded message after checking that they are a valid message of this type.
    ///
    /// # Errors
    ///
    /// As [`DynamicMessage::decode`].
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, Prepared};
    ///
    /// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
    /// let pool = DescriptorPool::from_tables(&[&HOST])?;
    /// let host = pool.message("pkg.Host")?;
    /// let prepared = Prepared::decode(&host, b"\x0a\x04web1")?;
    /// assert_eq!((prepared.full_name(), prepared.as_bytes()), ("pkg.Host", &b"\x0a\x04web1"[..]));
    /// assert!(Prepared::decode(&host, b"\x0a\x01\xff").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(descriptor: &MessageDescriptor, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::new(descriptor);
        decoder.decode(bytes)?;
        // All tries share one slab, so the budget bounds the memory of all of them.
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

    /// Takes the bytes of a message without checking them.
    pub(crate) fn unchecked(descriptor: MessageDescriptor, bytes: Vec<u8>) -> Self {
        Self::from_parts(bytes.into(), Type::Descriptor(descriptor), 0, true)
    }

    /// The encoded message.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The full name of the message type.
    #[inline]
    #[must_use]
    pub fn full_name(&self) -> &str {
        match &self.of {
            Type::Table(table) => table.full_name(),
            Type::Descriptor(descriptor) => descriptor.full_name(),
        }
    }

    /// The nesting depth: 0 without sub-messages, at most 100.
    #[inline]
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether every required field is set. Only members of decoded structs can be incomplete.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The same message without its Rust type; the name of the message type stays.
    #[must_use]
    pub fn erase(self) -> Prepared {
        Prepared::from_parts(self.bytes, self.of, self.depth, self.complete)
    }
}

/// The levels of sub-messages in an encoded message, as far as it is valid; at most one more than `most`.
///
/// # Errors
/// `OutOfMemory`.
pub(super) fn levels_of(descriptor: &MessageDescriptor, bytes: &[u8], most: u32) -> Result<u32, EncodeError> {
    let levels = decode::levels(descriptor.parent_pool().programs(), descriptor.index(), bytes, most);
    levels.map_err(|_| EncodeError::new(EncodeErrorKind::OutOfMemory))
}

/// The smallest depth limit that is enough for a message that needs at most [`DEFAULT_DEPTH`].
///
/// Doubles the limit from 1 and then searches below: most messages nest a few levels. A try that fails for another reason
/// than the limit, such as memory, ends the search.
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

/// Prepared messages are equal if the names of their types and their bytes are.
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
