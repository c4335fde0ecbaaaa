//! [`UnknownFields`]: iterator over the unknown fields of a message.

use crate::engine::slab::{BodyRef, NIL, RawView, UnknownSpans};
use crate::message::CopyError;
use crate::wire::{Reader, Tag, push_varint};
use alloc::vec::Vec;

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
    pub(in crate::message) fn append_to(&self, bytes: &mut Vec<u8>) -> Result<(), CopyError> {
        bytes.try_reserve(self.bytes.len() + MAX_TAG).map_err(|_| CopyError::new())?;
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
