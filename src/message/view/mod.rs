//! [`MessageView`]: a decoded message, borrowed from the slab that holds it.

pub(super) mod equal;
pub(super) mod list_ref;
pub(super) mod map_ref;
pub(super) mod raw;
pub(super) mod read;
pub(super) mod value_ref;

use super::edit::slab_writer::TooLarge;
use super::{DynamicMessage, Fields, SetFieldError, UnknownFields, ValueRef};
use crate::engine::encode::RawEncoder;
use crate::engine::slab::{BodyRef, RawView, Words};
use crate::schema::pool::{DescriptorPool, FieldRef, MessageDescriptor};
use crate::schema::program::{Access, ProgramSet, ReadLayout};
use crate::schema::table::Kind;
use crate::wire::Buffer;
use crate::wire::error::{EncodeError, FieldPath};
use crate::wire::options::EncodeOptions;
use alloc::vec::Vec;

/// A decoded message, borrowed from a [`Decoder`](super::Decoder) or a
/// [`DynamicMessage`](DynamicMessage::as_view).
///
/// `Copy`, 64 bytes. `'a` is the lifetime of the arena with the fields, `'i` that of the bytes that strings point into. Strings
/// of a decoder's view borrow from its input, so they outlive the decoder. Reading a field takes constant time and never
/// decodes, allocates or panics.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{Decoder, DescriptorPool};
///
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
/// );
/// let pool = DescriptorPool::from_tables(&[&LOG])?;
/// let log = pool.message("pkg.Log")?;
/// let mut decoder = Decoder::new(&log);
/// let view = decoder.decode(b"\x0a\x02hi\x10\x03")?;
/// let line = log.field("line")?;
/// assert_eq!(view.get_field(&line)?.as_str(), Some("hi"));
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
    pub(super) layout: &'a ReadLayout,
    /// Offset of the body.
    pub(super) base: u32,
    /// The first word of the body: hasbits 0..32, if it is dense. Making a view reads the header anyway.
    pub(super) bits: u32,
}

/// The layout of views without a type, such as those of empty lists of a foreign field.
pub(super) static NONE: ReadLayout = ReadLayout::NONE;

impl<'a, 'i> MessageView<'a, 'i> {
    #[inline]
    pub(super) fn new(pool: &'a DescriptorPool, raw: RawView<'a, 'i>) -> Self {
        let RawView { words, store, set, body: BodyRef { program, base } } = raw;
        let layout = set.read_layout(program).unwrap_or(&NONE);
        Self { pool, set, words, store, layout, base, bits: words.get(base) }
    }

    /// The schema-free view that decode and encode use.
    #[inline]
    pub(crate) fn raw(&self) -> RawView<'a, 'i> {
        let Self { set, words, store, layout, base, .. } = *self;
        RawView { words, store, set, body: BodyRef { program: layout.program, base } }
    }

    #[inline]
    pub(crate) fn pool(&self) -> &'a DescriptorPool {
        self.pool
    }

    /// Whether this is the message's type.
    #[inline]
    pub(crate) fn is_of(&self, descriptor: &MessageDescriptor) -> bool {
        self.message() == descriptor.index() && self.pool == descriptor.parent_pool()
    }

    /// Index of the message type in the pool.
    #[inline(always)]
    pub(super) fn message(&self) -> u32 {
        self.layout.message
    }

    /// The message type.
    #[must_use]
    pub fn descriptor(&self) -> MessageDescriptor {
        MessageDescriptor::new(self.pool, self.message())
    }

    /// The fields that are set, including extensions, in field number order.
    ///
    /// A field with explicit presence is set once it has been written; any other field is set if it is not zero or empty.
    #[inline]
    #[must_use]
    pub fn fields(&self) -> Fields<'a, 'i> {
        Fields::new(*self)
    }

    /// The extensions that are set, in field number order.
    pub fn extensions(&self) -> impl Iterator<Item = (FieldRef<'a>, ValueRef<'a, 'i>)> + use<'a, 'i> {
        self.fields().filter(|(field, _)| field.is_extension())
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

    /// The unknown fields, in wire order.
    ///
    /// A message of which a projection selects single fields has only one kind of them: the numbers that its selected closed
    /// enums do not list.
    #[must_use]
    pub fn unknown_fields(&self) -> UnknownFields<'a, 'i> {
        UnknownFields::new(self.raw())
    }

    /// Copies the message with its strings; see [`try_to_owned`](Self::try_to_owned).
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn to_owned(&self) -> DynamicMessage {
        self.try_to_owned().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Copies the message with its strings. The copy equals this message.
    ///
    /// The copy takes as much memory as this message takes in its [`Decoder`](super::Decoder) or [`DynamicMessage`], without the
    /// other messages there. Bytes that a projection passes through are copied once, together with what was read from them.
    ///
    /// # Errors
    /// If the allocator fails.
    pub fn try_to_owned(&self) -> Result<DynamicMessage, SetFieldError> {
        DynamicMessage::from_view(*self).map_err(|TooLarge| SetFieldError::TOO_LARGE)
    }

    /// Appends the message to a buffer.
    ///
    /// Writes the fields in number order, then the unknown fields. Allocates nothing if the buffer has room for the
    /// message, except where more than 120 sub-messages are sized before they are written: those of a MessageSet, below 20
    /// levels, and where lengths are hard to guess. These take four bytes each, twice while they grow, freed at the end.
    ///
    /// # Errors
    /// [`MissingRequired`](crate::EncodeErrorKind::MissingRequired), [`TooLarge`](crate::EncodeErrorKind::TooLarge)
    /// above 2^31-1 bytes, [`DepthExceeded`](crate::EncodeErrorKind::DepthExceeded) above 100 levels. The contents of the
    /// buffer do not change.
    pub fn encode(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.append(buffer, EncodeOptions::new())
    }

    /// As [`encode`](Self::encode), with options.
    // Out of line, it took 17 of 329 instructions for two small numbers.
    #[inline(always)]
    pub(crate) fn append(&self, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError> {
        self.encoder(options).append(buffer, false).map(drop).map_err(|e| self.named(e))
    }

    /// As [`encode_buf`](Self::encode_buf), with options, and with room that is made.
    #[cfg(feature = "bytes")]
    pub(crate) fn append_to_buf_mut<B: bytes::BufMut>(
        &self,
        buffer: &mut B,
        options: EncodeOptions,
        reserve: impl FnOnce(&mut B, usize),
    ) -> Result<(), EncodeError> {
        self.encoder(options).append_to_buf_mut(buffer, reserve).map_err(|e| self.named(e))
    }

    /// Appends the message with a length prefix, a varint.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_length_delimited(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        self.encoder(EncodeOptions::new()).append(buffer, true).map(drop).map_err(|e| self.named(e))
    }

    /// Encodes the message to a new `Vec` of exactly its size.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        self.encoder(EncodeOptions::new()).to_vec().map_err(|e| self.named(e))
    }

    /// Writes the message to the start of a slice and returns the number of bytes.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and [`BufferTooSmall`](crate::EncodeErrorKind::BufferTooSmall).
    pub fn encode_to_slice(&self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        self.write_to_slice(slice, EncodeOptions::new())
    }

    pub(crate) fn write_to_slice(
        &self,
        slice: &mut [u8],
        options: EncodeOptions,
    ) -> Result<usize, EncodeError> {
        self.encoder(options).to_slice(slice).map_err(|e| self.named(e))
    }

    /// Appends the message to any [`BufMut`](bytes::BufMut), for callers that are handed one.
    ///
    /// Writes in place if the current chunk of the buffer has room, otherwise through a `Vec`. A `BytesMut` without room grows by
    /// only 64 bytes by itself: call its `reserve` first, or [`encode`](Self::encode), which makes it grow.
    ///
    /// ```
    /// use tablepb::bytes::{BufMut, BytesMut};
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage};
    ///
    /// static PORT: MessageTable = MessageTable::new("pkg.Port", &[FieldTable::new("id", 1, Kind::Uint32)]);
    /// let pool = DescriptorPool::from_tables(&[&PORT])?;
    /// let message = DynamicMessage::decode(&pool.message("pkg.Port")?, b"\x08\x07")?;
    /// let mut buffer = BytesMut::with_capacity(64).limit(3);
    /// message.as_view().encode_buf(&mut buffer)?;
    /// assert!(message.as_view().encode_buf(&mut buffer).is_err(), "one byte of the limit is left");
    /// assert_eq!(buffer.into_inner(), &b"\x08\x07"[..]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and [`BufferTooSmall`](crate::EncodeErrorKind::BufferTooSmall) if the buffer does not take so many
    /// bytes. The buffer then has its old content. A buffer that grows by itself may abort if the allocator fails.
    #[cfg(feature = "bytes")]
    pub fn encode_buf(&self, buffer: &mut impl bytes::BufMut) -> Result<(), EncodeError> {
        self.append_to_buf_mut(buffer, EncodeOptions::new(), |_, _| {})
    }

    /// The encoded length in bytes, even if the message cannot be encoded. Takes time in proportion to the message.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        let len = RawEncoder::new(self.raw(), EncodeOptions::new()).encoded_len();
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Whether all required fields are set, in this message and all sub-messages. Messages nested more than eight deep need a
    /// little memory; returns false if the allocator fails.
    #[must_use]
    pub fn is_initialized(&self) -> bool {
        matches!(crate::engine::slab::find_missing(self.raw()), Ok(None))
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

/// Adds the names of fields to a path.
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
