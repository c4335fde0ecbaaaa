//! [`MessageView`]: a message in somebody's slab.

use super::value_ref::Reader;
use super::{DynamicMessage, ListRef, MapRef, UnknownFields, ValueRef};
use crate::encode::{EncodeOptions, RawEncoder};
use crate::error::{EncodeError, FieldPath};
use crate::program::{Coding, Entry, Scalar};
use crate::schema::{DescriptorPool, FieldDescriptor, FieldRef, MessageDescriptor, OneofDescriptor};
use crate::slab::{NIL, RawList, RawView, SetFields};
use crate::table::{DefaultValue, Kind};
use crate::wire::Buffer;
use alloc::borrow::{Cow, ToOwned};
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
    pool: &'a DescriptorPool,
    pub(super) raw: RawView<'a, 'i>,
}

impl<'a, 'i> MessageView<'a, 'i> {
    #[inline]
    pub(super) fn new(pool: &'a DescriptorPool, raw: RawView<'a, 'i>) -> Self {
        Self { pool, raw }
    }

    #[inline]
    pub(super) fn pool(&self) -> &'a DescriptorPool {
        self.pool
    }

    /// Index of the message type in the pool.
    #[inline(always)]
    pub(super) fn message(&self) -> u32 {
        self.raw.program().message()
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
        Fields { fields: self.raw.set_fields(), view: *self }
    }

    /// The entry of a field, if the field is one of this message.
    #[inline]
    fn entry(&self, field: FieldRef<'_>) -> Option<(usize, &'a Entry)> {
        let program = self.raw.program();
        if field.message_index() != program.message() || field.pool() != self.pool {
            return None;
        }
        program.entry_of(field.index() as usize)
    }

    /// The value of a field at its slot.
    #[inline]
    fn value(&self, entry: &Entry, slot: u32) -> ValueRef<'a, 'i> {
        if entry.flags.is_list() {
            return self.list(entry, Some(self.raw.list(entry, slot)));
        }
        Reader::new(self.pool, entry).singular(self.raw, entry, slot)
    }

    /// A list or map, empty if there is none.
    fn list(&self, entry: &Entry, list: Option<RawList<'a, 'i>>) -> ValueRef<'a, 'i> {
        if !entry.flags.is_map() {
            return ValueRef::List(ListRef::new(Reader::new(self.pool, entry), list));
        }
        let parts = self.raw.set.program(entry.sub).entries();
        let (key, value) = match parts {
            [key, value] => (key.scalar(), Reader::new(self.pool, value)),
            _ => (Scalar::Bytes, Reader { pool: self.pool, scalar: Scalar::Bytes }),
        };
        ValueRef::Map(MapRef::new(key, value, list))
    }

    /// A field that is set.
    #[inline]
    fn get_ref(&self, field: FieldRef<'_>) -> Option<ValueRef<'a, 'i>> {
        let (index, entry) = self.entry(field)?;
        let slot = self.raw.slot(index, entry)?;
        Some(self.value(entry, slot))
    }

    /// The value of a field, if it is set; a field of another message is not.
    ///
    /// As [`get_field`](Self::get_field), and strings live as long as the input.
    #[inline]
    pub fn get(&self, field: &FieldDescriptor) -> Option<ValueRef<'a, 'i>> {
        self.get_ref(field.as_ref()).filter(|value| !value.is_empty_list())
    }

    /// The value of a field; its default if it is not set: zero, empty, an empty message, or what the schema says.
    ///
    /// [`ValueRef::Unselected`] if a projection left the field out: then nobody looked whether it is set.
    ///
    /// A field of another message reads as not set, with zero or empty as its default.
    #[inline]
    pub fn get_field(&self, field: &FieldDescriptor) -> ValueRef<'a, 'a>
    where
        'i: 'a,
    {
        let field = field.as_ref();
        match self.get_ref(field) {
            Some(value) => value,
            None => self.default(field),
        }
    }

    /// Whether the field was decoded, or would have been: false if a [`Projection`](crate::Projection) left it out
    /// and no setter has set it since, and for fields of other messages.
    ///
    /// For a field that was left out, [`get`](Self::get) gives `None`, [`has_field`](Self::has_field) false and
    /// [`get_field`](Self::get_field) [`ValueRef::Unselected`].
    pub fn is_selected(&self, field: &FieldDescriptor) -> bool {
        let entry = self.entry(field.as_ref());
        entry.is_some_and(|(index, entry)| !entry.op.is_skip() || self.raw.slot(index, entry).is_some())
    }

    /// The value of the field of this name, or its default; `None` if the message has no such field.
    pub fn get_field_by_name(&self, name: &str) -> Option<ValueRef<'a, 'a>>
    where
        'i: 'a,
    {
        let field = self.find(|d| d.field_by_name(name).map(|f| f.index()))?;
        Some(self.get_ref(field).unwrap_or_else(|| self.default(field)))
    }

    /// The value of the field or extension of this number, or its default; `None` if there is no such field.
    pub fn get_field_by_number(&self, number: u32) -> Option<ValueRef<'a, 'a>>
    where
        'i: 'a,
    {
        let field = self.find(|d| d.field_by_number(number).map(|f| f.index()))?;
        Some(self.get_ref(field).unwrap_or_else(|| self.default(field)))
    }

    fn find(&self, find: impl FnOnce(&MessageDescriptor) -> Option<u32>) -> Option<FieldRef<'a>> {
        let index = find(&self.descriptor())?;
        Some(self.own(index))
    }

    /// Whether a field is set: written, if it has explicit presence, otherwise not zero or empty.
    #[inline]
    pub fn has_field(&self, field: &FieldDescriptor) -> bool {
        let Some((index, entry)) = self.entry(field.as_ref()) else { return false };
        match self.raw.slot(index, entry) {
            Some(slot) => !entry.flags.is_list() || self.raw.words.list(slot).len > 0,
            None => false,
        }
    }

    /// Whether the field of this name exists and is set.
    pub fn has_field_by_name(&self, name: &str) -> bool {
        self.descriptor().get_field_by_name(name).is_some_and(|field| self.has_field(&field))
    }

    /// The member of a oneof that is set.
    pub fn get_oneof(&self, oneof: &OneofDescriptor) -> Option<(FieldRef<'a>, ValueRef<'a, 'i>)> {
        oneof.fields().find_map(|field| {
            let value = self.get(&field)?;
            Some((self.own(field.as_ref().index()), value))
        })
    }

    /// What an unset field reads as.
    #[inline(never)]
    fn default(&self, field: FieldRef<'_>) -> ValueRef<'a, 'a>
    where
        'i: 'a,
    {
        let nothing = self.raw.at(self.raw.index, NIL);
        let Some((_, entry)) = self.entry(field) else {
            let reader = Reader { pool: self.pool, scalar: Scalar::Bytes };
            return match field.raw_kind() {
                _ if field.is_map() => ValueRef::Map(MapRef::new(Scalar::Bytes, reader, None)),
                _ if field.is_list() => ValueRef::List(ListRef::new(reader, None)),
                Kind::Message(_) => ValueRef::Message(Self::new(self.pool, nothing)),
                _ => zero(field),
            };
        };
        let field = self.own(field.index());
        match (field.explicit_default(), entry.coding) {
            _ if entry.op.is_skip() => ValueRef::Unselected,
            (Some(default), _) => explicit_default(field, default),
            _ if entry.flags.is_list() => self.list(entry, None),
            (None, Coding::Message | Coding::Group) => {
                ValueRef::Message(Self::new(self.pool, nothing.at(entry.sub, NIL)))
            }
            _ => zero(field),
        }
    }

    /// Another message of the same slab.
    pub(super) fn with_raw(&self, raw: RawView<'a, 'i>) -> Self {
        Self { raw, ..*self }
    }

    /// The name of the field of an entry; an extension's full name in brackets.
    pub(super) fn field_name(&self, entry: usize) -> Cow<'a, str> {
        let field = self.own(self.raw.program().field_of(entry) as u32);
        if field.is_extension() { format!("[{}]", field.full_name()).into() } else { field.name().into() }
    }

    /// Name and value of an entry that is set.
    pub(super) fn field_value(
        &self,
        index: usize,
        entry: &Entry,
        slot: u32,
    ) -> (Cow<'a, str>, ValueRef<'a, 'i>) {
        (self.field_name(index), self.value(entry, slot))
    }

    /// A field of this message, borrowed from the pool.
    #[inline]
    fn own(&self, index: u32) -> FieldRef<'a> {
        FieldRef::new(self.pool, self.message(), index)
    }

    /// The unknown fields, in the order they came; none of a message of which a projection selects single fields,
    /// except the numbers that selected closed enums do not list.
    pub fn unknown_fields(&self) -> UnknownFields<'a, 'i> {
        UnknownFields::new(self.raw)
    }

    /// A message of its own, with copies of all strings.
    pub fn to_owned(&self) -> DynamicMessage {
        DynamicMessage::from_view(*self)
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
            return Err(EncodeError::new(crate::EncodeErrorKind::BufferTooSmall));
        }
        buffer.put_slice(&bytes);
        Ok(())
    }

    /// The encoded length in bytes, whether or not the message can be encoded. Takes a walk over the message.
    pub fn encoded_len(&self) -> usize {
        let len = RawEncoder::new(self.raw, EncodeOptions::new()).encoded_len();
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Whether all required fields are set, here and in all sub-messages.
    pub fn is_initialized(&self) -> bool {
        crate::decode::find_missing(self.raw).is_none()
    }

    fn encoder(&self, options: EncodeOptions) -> RawEncoder<'a, 'i> {
        RawEncoder::new(self.raw, options)
    }

    #[cold]
    fn named(&self, mut error: EncodeError) -> EncodeError {
        name_path(self.pool, self.message(), error.path_mut());
        error.in_message(self.descriptor().full_name().to_owned())
    }
}

/// Gives the steps of a path their names.
#[cold]
pub(super) fn name_path(pool: &DescriptorPool, root: u32, path: &mut FieldPath) {
    let mut message = pool.message_at(root);
    for step in path.steps_mut() {
        let Some(current) = message.take() else { return };
        let Some(field) = current.field_by_number(step.number()) else { return };
        step.set_name(field.name().to_owned());
        if let Kind::Message(index) = field.raw_kind() {
            message = pool.message_at(index);
        }
    }
}

fn explicit_default<'f>(field: FieldRef<'f>, default: DefaultValue<'f>) -> ValueRef<'f, 'f> {
    match (field.raw_kind(), default) {
        (_, DefaultValue::Bool(v)) => ValueRef::Bool(v),
        (Kind::Int64 | Kind::Sint64 | Kind::Sfixed64, DefaultValue::Int(v)) => ValueRef::I64(v),
        (_, DefaultValue::Int(v)) => ValueRef::I32(v as i32),
        (Kind::Uint64 | Kind::Fixed64, DefaultValue::Uint(v)) => ValueRef::U64(v),
        (_, DefaultValue::Uint(v)) => ValueRef::U32(v as u32),
        (Kind::Float, DefaultValue::Float(v)) => ValueRef::F32(v as f32),
        (_, DefaultValue::Float(v)) => ValueRef::F64(v),
        (_, DefaultValue::String(v)) => ValueRef::String(v),
        (_, DefaultValue::Bytes(v)) => ValueRef::Bytes(v),
        (_, DefaultValue::Enum(_)) => ValueRef::EnumNumber(field.default_number()),
    }
}

fn zero<'a, 'i>(field: FieldRef<'_>) -> ValueRef<'a, 'i> {
    match field.raw_kind() {
        Kind::Bool => ValueRef::Bool(false),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => ValueRef::I32(0),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => ValueRef::I64(0),
        Kind::Uint32 | Kind::Fixed32 => ValueRef::U32(0),
        Kind::Uint64 | Kind::Fixed64 => ValueRef::U64(0),
        Kind::Float => ValueRef::F32(0.0),
        Kind::Double => ValueRef::F64(0.0),
        Kind::String => ValueRef::String(""),
        Kind::Bytes | Kind::Message(_) => ValueRef::Bytes(&[]),
        Kind::Enum(_) => ValueRef::EnumNumber(field.default_number()),
    }
}

/// The fields of a message that are set; see [`MessageView::fields`].
#[derive(Clone)]
pub struct Fields<'a, 'i> {
    fields: SetFields,
    view: MessageView<'a, 'i>,
}

impl<'a, 'i> Iterator for Fields<'a, 'i> {
    type Item = (FieldRef<'a>, ValueRef<'a, 'i>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (index, entry, slot) = self.fields.next(self.view.raw)?;
            let position = self.view.raw.program().field_of(index) as u32;
            let field = FieldRef::new(self.view.pool, self.view.message(), position);
            let value = self.view.value(entry, slot);
            if !value.is_empty_list() {
                return Some((field, value));
            }
        }
    }
}
