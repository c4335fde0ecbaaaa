//! [`MessageView`]: a message in somebody's slab.

use super::slab_writer::TooLarge;
use super::{CopyError, DynamicMessage, Fields, UnknownFields, ValueRef};
use crate::encode::{EncodeOptions, RawEncoder};
use crate::error::{EncodeError, FieldPath};
use crate::program::{Access, Body, ProgramSet};
use crate::schema::{DescriptorPool, FieldRef, MessageDescriptor};
use crate::slab::{RawView, Words};
use crate::table::Kind;
use crate::wire::Buffer;
use alloc::borrow::Cow;
use alloc::{format, vec::Vec};

/// A decoded message, borrowed: what a [`Decoder`](super::Decoder) gives, and what
/// [`DynamicMessage::as_view`](DynamicMessage::as_view) is.
///
/// `Copy`, 64 bytes. `'a` is the arena that holds the fields, `'i` the bytes that strings point into; for views of
/// a decoder that is its input, so strings outlive the decoder. Reading a field takes constant time and never
/// decodes, allocates or panics.
///
/// ```
/// use tablepb::{Decoder, DescriptorPool, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
/// );
/// let pool = DescriptorPool::from_tables(&[&LOG])?;
/// let log = pool.get_message_by_name("pkg.Log").unwrap();
/// let mut decoder = Decoder::new(&log);
/// let view = decoder.decode(b"\x0a\x02hi\x10\x03")?;
/// let line = log.get_field_by_name("line").unwrap();
/// assert_eq!(view.get_field(&line).as_str(), Some("hi"));
/// for (field, value) in view.fields() {
///     println!("{} = {value:?}", field.name());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct MessageView<'a, 'i> {
    pub(super) pool: &'a DescriptorPool,
    pub(super) set: &'a ProgramSet,
    pub(super) words: Words<'a>,
    pub(super) store: &'i [u8],
    pub(super) body: &'a Body,
    /// Offset of the body.
    pub(super) base: u32,
    /// Its first word: presence bits 0..32, if it is dense. Whoever makes a view looks at the header anyway.
    pub(super) bits: u32,
}

/// The type of messages that are of none.
pub(super) static NONE: Body = Body::NONE;

impl<'a, 'i> MessageView<'a, 'i> {
    #[inline]
    pub(super) fn new(pool: &'a DescriptorPool, raw: RawView<'a, 'i>) -> Self {
        let RawView { words, store, set, index, base } = raw;
        let body = set.body(index).unwrap_or(&NONE);
        Self { pool, set, words, store, body, base, bits: words.get(base) }
    }

    /// The message as those see it who know programs.
    #[inline]
    pub(crate) fn raw(&self) -> RawView<'a, 'i> {
        let Self { set, words, store, body, base, .. } = *self;
        RawView { words, store, set, index: body.index, base }
    }

    #[inline]
    pub(crate) fn pool(&self) -> &'a DescriptorPool {
        self.pool
    }

    /// Index of the message type in the pool.
    #[inline(always)]
    pub(super) fn message(&self) -> u32 {
        self.body.message
    }

    /// The message type.
    pub fn descriptor(&self) -> MessageDescriptor {
        MessageDescriptor::new(self.pool, self.message())
    }

    /// The fields that are set, extensions included, in field number order.
    ///
    /// A field with explicit presence is set once it has been written; any other when it is not zero or empty.
    #[inline]
    pub fn fields(&self) -> Fields<'a, 'i> {
        Fields::new(*self)
    }

    /// Another message of the same slab.
    pub(super) fn with_raw(&self, raw: RawView<'a, 'i>) -> Self {
        Self::new(self.pool, raw)
    }

    /// The name of the field at a position in number order; an extension's full name in brackets.
    pub(super) fn field_name(&self, position: usize) -> Cow<'a, str> {
        let field = self.own(self.access(position as u16));
        if field.is_extension() { format!("[{}]", field.full_name()).into() } else { field.name().into() }
    }

    /// Name and value of a field that is set, by position and slot.
    pub(super) fn field_value(&self, position: usize, slot: u32) -> (Cow<'a, str>, ValueRef<'a, 'i>) {
        let value = self.field(self.access(position as u16), slot);
        (self.field_name(position), value.unwrap_or(ValueRef::Bytes(&[])))
    }

    /// A field of this message, borrowed from the pool.
    #[inline(always)]
    pub(super) fn own(&self, access: &Access) -> FieldRef<'a> {
        FieldRef::at(self.pool, self.message(), access.field, access.position)
    }

    /// The field at a position in number order, borrowed from the pool.
    #[inline(always)]
    pub(super) fn own_at(&self, position: u16) -> FieldRef<'a> {
        self.own(self.access(position))
    }

    /// The unknown fields, in the order they came; none of a message of which a projection selects single fields,
    /// except the numbers that selected closed enums do not list.
    pub fn unknown_fields(&self) -> UnknownFields<'a, 'i> {
        UnknownFields::new(self.raw())
    }

    /// A message of its own, with copies of all strings: [`try_to_owned`](Self::try_to_owned) where memory is plenty.
    ///
    /// # Panics
    /// If there is not the memory.
    pub fn to_owned(&self) -> DynamicMessage {
        self.try_to_owned().unwrap_or_else(|error| panic!("{error}"))
    }

    /// A message of its own, equal to this one, with copies of all strings.
    ///
    /// Takes what the message takes in the [`Decoder`](super::Decoder) or [`DynamicMessage`] it is in, as far as it is a
    /// part of that; bytes that a projection passes through are copied once, with all that was read from them.
    ///
    /// # Errors
    /// If there is not the memory.
    pub fn try_to_owned(&self) -> Result<DynamicMessage, CopyError> {
        DynamicMessage::from_view(*self).map_err(|TooLarge| CopyError::new())
    }

    /// Appends the message to a buffer.
    ///
    /// Fields are written in number order, unknown fields behind them; nothing is allocated once the buffer has
    /// room for the message.
    ///
    /// # Errors
    /// [`MissingRequired`](crate::EncodeErrorKind::MissingRequired), [`TooLarge`](crate::EncodeErrorKind::TooLarge)
    /// above 2^31-1 bytes, [`DepthExceeded`](crate::EncodeErrorKind::DepthExceeded) above 100 levels. The buffer
    /// keeps its length.
    pub fn encode(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.encode_with(buffer, EncodeOptions::new())
    }

    /// As [`encode`](Self::encode), with options.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_with(&self, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError> {
        self.encoder(options).append(buffer, false).map(drop).map_err(|e| self.named(e))
    }

    /// Appends the message behind its length, as a varint.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_length_delimited(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.encoder(EncodeOptions::new()).append(buffer, true).map(drop).map_err(|e| self.named(e))
    }

    /// The message as a new `Vec` of just its size.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        self.encoder(EncodeOptions::new()).to_vec().map_err(|e| self.named(e))
    }

    /// Writes the message at the start of a slice and gives the number of bytes.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and [`BufferTooSmall`](crate::EncodeErrorKind::BufferTooSmall).
    pub fn encode_to_slice(&self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        self.encoder(EncodeOptions::new()).to_slice(slice).map_err(|e| self.named(e))
    }

    /// Appends the message to any [`BufMut`](bytes::BufMut), by way of a `Vec`; [`encode`](Self::encode) into
    /// `BytesMut` or `Vec<u8>` writes in place.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and [`BufferTooSmall`](crate::EncodeErrorKind::BufferTooSmall).
    #[cfg(feature = "bytes")]
    pub fn encode_buf(&self, buffer: &mut impl bytes::BufMut) -> Result<(), EncodeError> {
        let bytes = self.encode_to_vec()?;
        if buffer.remaining_mut() < bytes.len() {
            return Err(EncodeError::new(crate::error::EncodeErrorKind::BufferTooSmall));
        }
        buffer.put_slice(&bytes);
        Ok(())
    }

    /// The encoded length in bytes, whether or not the message can be encoded. Takes a walk over the message.
    pub fn encoded_len(&self) -> usize {
        let len = RawEncoder::new(self.raw(), EncodeOptions::new()).encoded_len();
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Whether all required fields are set, here and in all sub-messages. Messages nested in more than eight others take some
    /// memory to look at: without it, false.
    pub fn is_initialized(&self) -> bool {
        matches!(crate::slab::find_missing(self.raw()), Ok(None))
    }

    fn encoder(&self, options: EncodeOptions) -> RawEncoder<'a, 'i> {
        RawEncoder::new(self.raw(), options)
    }

    #[cold]
    fn named(&self, mut error: EncodeError) -> EncodeError {
        if let Some(path) = error.path_mut() {
            name_path(self.pool, self.message(), path);
        }
        error.in_message_copied(self.descriptor().full_name())
    }
}

/// Gives the steps of a path their names.
#[cold]
pub(super) fn name_path(pool: &DescriptorPool, root: u32, path: &mut FieldPath) {
    let mut message = pool.message_at(root);
    for step in path.steps_mut() {
        let Some(current) = message.take() else { return };
        let Some(field) = current.field_by_number(step.number()) else { return };
        step.copy_name(field.name());
        if let Kind::Message(index) = field.raw_kind() {
            message = pool.message_at(index);
        }
    }
}
