//! [`RawField`] and [`RawValue`]: one field of a message without its schema.

use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::read::raw;
use crate::wire::{PackedFixed32, PackedFixed64, PackedVarints, Tag, WireType, unzigzag32, unzigzag64, utf8};
use core::fmt;

/// A value in its wire form, see <https://protobuf.dev/programming-guides/encoding/#structure>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawValue<'v> {
    /// A varint: `int32`, `int64`, `uint32`, `uint64`, `sint32`, `sint64`, `bool` and enums.
    Varint(u64),
    /// Eight bytes: `fixed64`, `sfixed64` and `double`.
    Fixed64(u64),
    /// The bytes after a length prefix: `string`, `bytes`, messages and packed repeated fields.
    LengthDelimited(&'v [u8]),
    /// The fields between the tags of a group, without the end tag.
    Group(&'v [u8]),
    /// Four bytes: `fixed32`, `sfixed32` and `float`.
    Fixed32(u32),
}

impl RawValue<'_> {
    /// The wire type of the value; for a group, [`StartGroup`](WireType::StartGroup).
    #[must_use]
    pub const fn wire_type(self) -> WireType {
        match self {
            Self::Varint(_) => WireType::Varint,
            Self::Fixed64(_) => WireType::Fixed64,
            Self::LengthDelimited(_) => WireType::LengthDelimited,
            Self::Group(_) => WireType::StartGroup,
            Self::Fixed32(_) => WireType::Fixed32,
        }
    }
}

/// One field of a message without its schema: a tag and the bytes of its value. 40 bytes, `Copy`.
///
/// An accessor `as_..` returns `None` if the wire type does not fit. Which type the field has beyond its wire type,
/// only the schema can tell; the accessors convert a value as decoders do for the type that they name.
///
/// ```
/// use tablepb::RawFields;
///
/// let field = RawFields::new(b"\x08\x96\x01").next().unwrap()?;
/// assert_eq!((field.number(), field.bytes()), (1, &b"\x96\x01"[..]));
/// assert_eq!((field.as_u64(), field.as_fixed32()), (Some(150), None));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct RawField<'i> {
    tag: Tag,
    depth_left: u32,
    offset: usize,
    span: &'i [u8],
    /// Bytes of the tag and of the length prefix, if there is one.
    header_len: u8,
    end_tag_len: u8,
}

impl<'i> RawField<'i> {
    /// The field that `span` consists of. Its value, which has been skipped once, starts after `header_len` bytes and
    /// ends before the last `end_tag_len`.
    #[inline]
    pub(super) fn new(
        tag: Tag,
        span: &'i [u8],
        (header_len, end_tag_len): (usize, usize),
        offset: usize,
        depth_left: u32,
    ) -> Self {
        // Tag and length prefix take at most ten bytes, the end tag five.
        Self { tag, depth_left, offset, span, header_len: header_len as u8, end_tag_len: end_tag_len as u8 }
    }

    /// The tag: field number and wire type.
    #[inline]
    #[must_use]
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// The field number, 1 to 536870911.
    #[inline]
    #[must_use]
    pub fn number(&self) -> u32 {
        self.tag.number()
    }

    /// The wire type; never [`EndGroup`](WireType::EndGroup).
    #[inline]
    #[must_use]
    pub fn wire_type(&self) -> WireType {
        self.tag.wire_type()
    }

    /// The bytes of the value, without tag, length prefix and end tag.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &'i [u8] {
        let end = self.span.len() - usize::from(self.end_tag_len);
        self.span.get(self.header_len.into()..end).unwrap_or_default()
    }

    /// The bytes of the whole field, with its tags. Appending them to another message adds the field to it.
    #[inline]
    #[must_use]
    pub fn span(&self) -> &'i [u8] {
        self.span
    }

    /// The offset of the tag in the input.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The offset of [`bytes`](Self::bytes) in the input.
    #[inline]
    #[must_use]
    pub fn value_offset(&self) -> usize {
        self.offset + usize::from(self.header_len)
    }

    /// The levels of messages that may still be opened in the message of the field.
    pub(super) fn depth_left(&self) -> u32 {
        self.depth_left
    }

    /// The offset of the length prefix, or of the value if there is none.
    pub(super) fn length_offset(&self) -> usize {
        match self.wire_type() {
            WireType::LengthDelimited => {
                self.offset + raw::tag_bits(self.span, 0).map_or(0, |(_, length)| length)
            }
            _ => self.value_offset(),
        }
    }

    /// The value in its wire form.
    #[inline]
    #[must_use]
    pub fn value(&self) -> RawValue<'i> {
        let bytes = self.bytes();
        match self.wire_type() {
            // The bytes were skipped as such a value, so reading it cannot fail.
            WireType::Varint => RawValue::Varint(raw::varint(bytes, 0).map_or(0, |(value, _)| value)),
            WireType::Fixed64 => RawValue::Fixed64(raw::fixed64(bytes, 0).map_or(0, |(value, _)| value)),
            WireType::Fixed32 => RawValue::Fixed32(raw::fixed32(bytes, 0).map_or(0, |(value, _)| value)),
            WireType::LengthDelimited => RawValue::LengthDelimited(bytes),
            WireType::StartGroup | WireType::EndGroup => RawValue::Group(bytes),
        }
    }

    /// A varint as `uint64`; `uint32` is its low 32 bits, `as u32`.
    #[inline]
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.value() {
            RawValue::Varint(value) => Some(value),
            _ => None,
        }
    }

    /// A varint as `int64`; `int32` and enums are its low 32 bits, `as i32`.
    #[inline]
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_u64().map(|value| value as i64)
    }

    /// A varint as `sint32`.
    #[inline]
    #[must_use]
    pub fn as_sint32(&self) -> Option<i32> {
        self.as_u64().map(|value| unzigzag32(value as u32))
    }

    /// A varint as `sint64`.
    #[inline]
    pub fn as_sint64(&self) -> Option<i64> {
        self.as_u64().map(unzigzag64)
    }

    /// A varint as `bool`: true unless it is 0.
    #[inline]
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        self.as_u64().map(|value| value != 0)
    }

    /// Four bytes as `fixed32`; `sfixed32` is the same, `as i32`.
    #[inline]
    #[must_use]
    pub fn as_fixed32(&self) -> Option<u32> {
        match self.value() {
            RawValue::Fixed32(value) => Some(value),
            _ => None,
        }
    }

    /// Eight bytes as `fixed64`; `sfixed64` is the same, `as i64`.
    #[inline]
    #[must_use]
    pub fn as_fixed64(&self) -> Option<u64> {
        match self.value() {
            RawValue::Fixed64(value) => Some(value),
            _ => None,
        }
    }

    /// Four bytes as `float`.
    #[inline]
    pub fn as_f32(&self) -> Option<f32> {
        self.as_fixed32().map(f32::from_bits)
    }

    /// Eight bytes as `double`.
    #[inline]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_fixed64().map(f64::from_bits)
    }

    /// The bytes after a length prefix.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> Option<&'i [u8]> {
        match self.value() {
            RawValue::LengthDelimited(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The bytes after a length prefix as a string.
    ///
    /// # Errors
    ///
    /// `InvalidUtf8` at the start of the string.
    pub fn as_str(&self) -> Result<Option<&'i str>, DecodeError> {
        let Some(bytes) = self.as_bytes() else { return Ok(None) };
        match utf8::from_utf8(bytes) {
            Some(string) => Ok(Some(string)),
            None => Err(DecodeError::new(DecodeErrorKind::InvalidUtf8, self.value_offset())),
        }
    }

    /// The bytes after a length prefix as packed varints; the iterator reports malformed ones.
    #[must_use]
    pub fn as_packed_varints(&self) -> Option<PackedVarints<'i>> {
        self.as_bytes().map(|run| PackedVarints::new(run, self.value_offset()))
    }

    /// The bytes after a length prefix as packed `fixed32`, `sfixed32` or `float`.
    ///
    /// # Errors
    ///
    /// `InvalidPacked` at the start of the run if its length is not a multiple of the size of a value.
    pub fn as_packed_fixed32(&self) -> Result<Option<PackedFixed32<'i>>, DecodeError> {
        self.as_bytes().map(|run| PackedFixed32::new(run).ok_or_else(|| self.invalid_packed())).transpose()
    }

    /// The bytes after a length prefix as packed `fixed64`, `sfixed64` or `double`.
    ///
    /// # Errors
    ///
    /// As [`as_packed_fixed32`](Self::as_packed_fixed32).
    pub fn as_packed_fixed64(&self) -> Result<Option<PackedFixed64<'i>>, DecodeError> {
        self.as_bytes().map(|run| PackedFixed64::new(run).ok_or_else(|| self.invalid_packed())).transpose()
    }

    #[cold]
    fn invalid_packed(&self) -> DecodeError {
        DecodeError::new(DecodeErrorKind::InvalidPacked, self.value_offset())
    }
}

impl fmt::Debug for RawField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawField({} {:?} at {})", self.number(), self.value(), self.offset)
    }
}
