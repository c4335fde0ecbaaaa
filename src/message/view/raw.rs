//! [`RawMessage`]: a message kept as bytes; and decoding it in place when a setter changes it.

use crate::engine::decode::{self, Job, Scratch};
use crate::engine::encode::try_encode_raw;
use crate::engine::slab::{BodyRef, Full, NIL, RawView, Slab, UnknownSpan, UnknownSpans};
use crate::message::decoder::named;
use crate::message::edit::field_key::ResolvedField;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{Decoder, DynamicMessage, MessageMut, MessageView, Prepared};
use crate::schema::pool::{DescriptorPool, MessageDescriptor};
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeErrorKind};
use crate::wire::options::DecodeOptions;
use crate::wire::{Reader, Tag, push_varint};
use alloc::vec::Vec;
use core::fmt;

/// A message that has not been decoded: its bytes, type, offset in the input and depth limit.
///
/// Lazy fields and fields set to a [`Prepared`] message read as
/// [`ValueRef::Raw`](crate::message::ValueRef::Raw). Nothing in it has been checked. Encoding writes its bytes unchanged. `Copy`.
///
/// If the field occurs more than once on the wire, the message is the concatenation of all occurrences, in wire order, as
/// protobuf merges messages. [`parts`](Self::parts) has each occurrence.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{Decoder, DescriptorPool, DynamicMessage, Prepared, ValueRef};
///
/// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
/// static LOG: MessageTable =
///     MessageTable::new("pkg.Log", &[FieldTable::new("host", 1, Kind::Message(|| &HOST))]);
/// let pool = DescriptorPool::from_tables(&[&LOG])?;
/// let host = pool.message("pkg.Host")?;
/// let web1 = Prepared::new(&DynamicMessage::decode(&host, b"\x0a\x04web1")?)?;
///
/// let mut log = DynamicMessage::new(&pool.message("pkg.Log")?);
/// log.set_field("host", &web1)?;
/// let ValueRef::Raw(raw) = log.get_field("host")? else { panic!() };
/// assert_eq!((raw.descriptor().full_name(), raw.len()), ("pkg.Host", 6));
/// let mut hosts = Decoder::new(&host);
/// let decoded = raw.decode(&mut hosts)?;
/// assert_eq!(decoded.get_field("name")?.as_str(), Some("web1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct RawMessage<'a, 'i> {
    pool: &'a DescriptorPool,
    view: RawView<'a, 'i>,
    depth: u32,
}

impl<'a, 'i> RawMessage<'a, 'i> {
    pub(in crate::message) fn new(pool: &'a DescriptorPool, view: RawView<'a, 'i>, depth: u32) -> Self {
        Self { pool, view, depth }
    }

    /// The message type.
    #[must_use]
    pub fn descriptor(&self) -> MessageDescriptor {
        MessageDescriptor::new(self.pool, self.view.program().message())
    }

    /// The bytes of each occurrence that is not empty, with their offset from the start of the input.
    pub fn parts(&self) -> impl Iterator<Item = (usize, &'i [u8])> + use<'a, 'i> {
        let view = self.view;
        view.spans().map(move |span| (span.offset as usize, view.bytes_at(span.offset, span.len)))
    }

    /// The bytes, if they are in one piece, as they are when the field occurs once; `None` otherwise.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&'i [u8]> {
        let mut parts = self.parts();
        let bytes = parts.next().map_or(&[][..], |(_, bytes)| bytes);
        parts.next().is_none().then_some(bytes)
    }

    /// A copy of the bytes.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        self.parts().for_each(|(_, part)| bytes.extend_from_slice(part));
        bytes
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The offset of the first byte from the start of the input; 0 if the message is empty. In a [`DynamicMessage`] that was
    /// changed after it was decoded, the offset counts from the start of the bytes that the message stores.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.parts().next().map_or(0, |(offset, _)| offset)
    }

    /// How deep messages and groups in this one may nest: what is left of the depth limit of the decode that found it.
    #[must_use]
    pub fn depth_left(&self) -> u32 {
        self.depth
    }

    /// Decodes the message with the memory, options and projection of a decoder. The budget is that of a message of this size.
    /// Strings are borrowed from the input that the raw message lies in.
    ///
    /// The depth limit is the smaller of the decoder's and [`depth_left`](Self::depth_left).
    ///
    /// # Errors
    /// As [`Decoder::decode`], with offsets from the start of that input;
    /// [`WrongMessage`](DecodeErrorKind::WrongMessage) if the decoder is for another type or pool.
    pub fn decode<'d>(&self, decoder: &'d mut Decoder) -> Result<MessageView<'d, 'i>, DecodeError> {
        let message = self.view.program().message();
        if decoder.descriptor().parent_pool() != self.pool || decoder.descriptor().index() != message {
            let error = DecodeError::new(DecodeErrorKind::WrongMessage, self.offset());
            return Err(error.in_message_copied(self.descriptor().full_name()));
        }
        decoder.decode_spans(self.view.store, self.view.spans(), self.depth)
    }

    /// A copy that owns its bytes, unchecked.
    #[must_use]
    pub fn to_owned(&self) -> Prepared {
        Prepared::unchecked(self.descriptor(), self.to_vec())
    }
}

/// Raw messages are equal if their types and bytes are.
impl PartialEq for RawMessage<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        let bytes = |raw: &Self| raw.parts().flat_map(|(_, bytes)| bytes.iter().copied());
        self.pool == other.pool
            && self.view.program().message() == other.view.program().message()
            && bytes(self).eq(other.parts().flat_map(|(_, bytes)| bytes.iter().copied()))
    }
}

impl fmt::Debug for RawMessage<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{ {} raw bytes }}", self.descriptor().full_name(), self.len())
    }
}

impl MessageMut<'_> {
    /// The body of a sub-message, which is decoded if it is raw. `at` is the body itself or the word with its offset.
    pub(in crate::message) fn decoded(
        &mut self,
        field: &ResolvedField<'_>,
        body: u32,
        at: Option<u32>,
    ) -> Result<u32, SetFieldError> {
        let Some(depth) = self.slab.words().raw_depth(body) else { return Ok(body) };
        match self.decode_raw(BodyRef::of(&field.entry, body), depth) {
            Ok(new) if at == Some(body) => {
                let words = self.set.program(field.entry.sub).words();
                self.slab.copy_words(new, words as usize, body);
                Ok(body)
            }
            Ok(new) => {
                self.slab.set(at.unwrap_or(NIL), new);
                Ok(new)
            }
            Err(error) => {
                let fault = field.error(SetFieldErrorKind::InvalidMessage, None);
                Err(fault.with_cause(error))
            }
        }
    }

    /// Decodes a raw message into a body of its own.
    fn decode_raw(&mut self, raw: BodyRef, depth: u32) -> Result<u32, DecodeError> {
        let words = self.slab.words();
        let mut program = self.set.program(raw.program);
        let mut index = raw.program;
        if program.is_partial() && !program.keeps_bytes() {
            // A setter gave the message as a whole: a projection that drops fields has no part in it.
            index = program.whole();
            program = self.set.program(index);
        }
        let len: usize = words.spans(raw.base).map(|span| span.len as usize).sum();
        let options = DecodeOptions::new().allow_partial(true).max_depth(depth);
        let held = self.slab.capacity();
        // A copy: decoding moves the slab that holds the spans.
        let mut spans: Vec<UnknownSpan> = Vec::new();
        let reserved = spans.try_reserve_exact(words.spans(raw.base).count()).map_err(|_| Full::NoMemory);
        if reserved.is_ok() {
            spans.extend(words.spans(raw.base));
        }
        self.slab.set_limit(options.budget_for(len).saturating_add(held.saturating_mul(2)));
        let new = reserved.and_then(|()| self.slab.alloc_body(program)).map_err(no_room);
        let result = new.and_then(|base| {
            let to = BodyRef { program: index, base };
            merge_spans(self.set, self.store.as_slice(), self.slab, to, &spans, &options)?;
            Ok(base)
        });
        self.slab.set_limit(usize::MAX);
        let descriptor = MessageDescriptor::new(self.pool, program.message());
        result.map_err(|error| named(&descriptor, error))
    }
}

fn no_room(full: Full) -> DecodeError {
    DecodeError::new(full.into(), 0)
}

/// Merges spans of the store into a message.
pub(in crate::message) fn merge_spans(
    set: &crate::schema::program::ProgramSet,
    store: &[u8],
    slab: &mut Slab,
    to: BodyRef,
    spans: &[UnknownSpan],
    options: &DecodeOptions,
) -> Result<(), DecodeError> {
    let mut scratch = Scratch::new();
    for span in spans {
        let (start, end) = (span.offset as usize, (span.offset + span.len) as usize);
        let job = Job { set, store, start, end, slab: &mut *slab, scratch: &mut scratch, options };
        decode::merge(job, to).map_err(|error| error.moved_by(start))?;
    }
    Ok(())
}

impl DynamicMessage {
    /// Decodes everything that the message keeps as bytes: [raw](crate::message::ValueRef::Raw) fields, and the fields that a pass-through
    /// projection did not select. If the projection dropped unselected fields, they now read as unset. Takes time in proportion
    /// to the size of the message, or none if nothing is kept as bytes.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), without the check of required fields; offsets are those of the message as
    /// [`encode`](Self::encode) writes it. `TooLarge` above 2^31-1 bytes. The message does not change.
    pub fn materialize(&mut self) -> Result<(), DecodeError> {
        if !self.keeps_bytes() && !self.is_projected() {
            return Ok(());
        }
        let bytes = try_encode_raw(self.as_view().raw()).map_err(|error| {
            let kind = match error.kind() {
                EncodeErrorKind::OutOfMemory => DecodeErrorKind::OutOfMemory,
                _ => DecodeErrorKind::TooLarge,
            };
            named(self.descriptor(), DecodeError::new(kind, 0))
        })?;
        let options = DecodeOptions::new().allow_partial(true).max_depth(u32::MAX);
        *self = options.decode_dynamic(self.descriptor(), &bytes)?;
        Ok(())
    }
}

// `UnknownFields`: iterator over the unknown fields of a message.

/// The most bytes of a tag.
const MAX_TAG: usize = 5;

/// A field that the schema does not have, or a value that its closed enum does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownField<'i> {
    tag: Tag,
    bytes: &'i [u8],
}

impl<'i> UnknownField<'i> {
    /// The tag: field number and wire type.
    #[must_use]
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// The field number.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.tag.number()
    }

    /// The value as it was on the wire, with its length prefix; of a group, the fields and the end tag.
    #[must_use]
    pub fn value(&self) -> &'i [u8] {
        self.bytes
    }
}

impl UnknownField<'_> {
    /// Appends the field as it was on the wire.
    pub(in crate::message) fn append_to(&self, bytes: &mut Vec<u8>) -> Result<(), SetFieldError> {
        bytes.try_reserve(self.bytes.len() + MAX_TAG).map_err(|_| SetFieldError::TOO_LARGE)?;
        push_varint(bytes, self.tag.get().into());
        bytes.extend_from_slice(self.bytes);
        Ok(())
    }
}

/// Iterator over the unknown fields of a message, in wire order; see
/// [`MessageView::unknown_fields`](crate::message::MessageView::unknown_fields).
#[derive(Clone)]
pub struct UnknownFields<'a, 'i> {
    view: RawView<'a, 'i>,
    spans: UnknownSpans<'a>,
    /// The rest of the current span.
    rest: &'i [u8],
}

/// The fields that are left.
impl fmt::Debug for UnknownFields<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, 'i> UnknownFields<'a, 'i> {
    pub(crate) fn new(view: RawView<'a, 'i>) -> Self {
        // The spans of a message that is or was verbatim are not unknown fields.
        let spans = if view.is_verbatim() || view.program().keeps_bytes() {
            view.at(BodyRef { base: NIL, ..view.body }).spans()
        } else {
            view.spans()
        };
        Self { view, spans, rest: &[] }
    }
}

impl<'i> Iterator for UnknownFields<'_, 'i> {
    type Item = UnknownField<'i>;

    fn next(&mut self) -> Option<UnknownField<'i>> {
        while self.rest.is_empty() {
            let span = self.spans.next()?;
            let bytes = self.view.bytes_at(span.offset, span.len);
            match span.tag {
                Some(bits) => {
                    if let Ok(tag) = Tag::from_bits(bits) {
                        return Some(UnknownField { tag, bytes });
                    }
                }
                None => self.rest = bytes,
            }
        }
        let mut reader = Reader::new(self.rest);
        // A span holds whole fields that the decoder has checked, so nothing fails from here on.
        let tag = reader.read_tag().ok()?;
        let start = reader.position();
        reader.skip_field_at(tag, u32::MAX).ok()?;
        let field = UnknownField { tag, bytes: self.rest.get(start..reader.position())? };
        self.rest = self.rest.get(reader.position()..)?;
        Some(field)
    }
}
