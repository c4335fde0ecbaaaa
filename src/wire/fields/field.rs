//! [`RawField`] and [`RawValue`]: one field of a message without its schema.

use crate::wire::error::{DecodeError, DecodeErrorKind, FieldPath, PathStep};
use crate::wire::read::raw;
use crate::wire::{
    DEFAULT_DEPTH, PackedFixed32, PackedFixed64, PackedVarints, Reader, Tag, WireType, unzigzag32,
    unzigzag64, utf8,
};
use core::fmt;
use core::iter::FusedIterator;

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
/// use tablepb::raw::RawFields;
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

// `RawFields`: the fields of a message without its schema.

/// The fields of a message without its schema, for routers and filters that read or change one field of many.
///
/// An iterator over the fields in wire order. It skips each value, which checks tags, wire types, varints, lengths and
/// that groups match; bytes after a length prefix are not examined until they are read as something. It allocates
/// nothing and does not recurse, except that a skipped group takes four bytes of memory for each level of groups in it
/// beyond the hundredth. Messages can be opened up to 100 levels deep, or as many as [`with_depth`](Self::with_depth)
/// allows.
///
/// A field may occur more than once. The last occurrence of a singular field counts; each occurrence of a repeated field
/// is an element, or a packed run of elements. Decoders merge the occurrences of a singular *message* field, while
/// [`find_last`](Self::find_last) and [`follow`](Self::follow) take the last one. Such fields exist only where encoded
/// messages have been concatenated.
///
/// ```
/// use tablepb::raw::RawFields;
///
/// // message Order { string id = 1; Customer customer = 2; }  message Customer { uint64 number = 3; }
/// let order = b"\x0a\x03a-1\x12\x03\x18\x96\x01";
/// let fields = RawFields::new(order);
/// assert_eq!(fields.follow(&[2, 3])?.and_then(|number| number.as_u64()), Some(150));
///
/// for field in fields {
///     let field = field?;
///     println!("{} {:?}: {:x?}", field.number(), field.wire_type(), field.bytes());
/// }
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawFields<'i> {
    reader: Reader<'i>,
}

/// The remaining fields of the message that a reader reads.
impl<'i> From<Reader<'i>> for RawFields<'i> {
    fn from(reader: Reader<'i>) -> Self {
        Self { reader }
    }
}

impl<'i> RawFields<'i> {
    /// The fields of a message, which can be opened 100 levels deep.
    #[inline]
    #[must_use]
    pub const fn new(message: &'i [u8]) -> Self {
        Self::with_depth(message, DEFAULT_DEPTH)
    }

    /// The fields of a message, which can be opened `levels` levels deep.
    ///
    /// ```
    /// use tablepb::raw::RawFields;
    /// use tablepb::DecodeErrorKind;
    ///
    /// let nested = b"\x0a\x02\x0a\x00";
    /// assert!(RawFields::with_depth(nested, 2).follow(&[1, 1])?.is_some());
    /// let error = RawFields::with_depth(nested, 0).follow(&[1, 1]).unwrap_err();
    /// assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn with_depth(message: &'i [u8], levels: u32) -> Self {
        Self { reader: Reader::with_depth(message, levels) }
    }

    /// The bytes of the remaining fields.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'i [u8] {
        self.reader.rest()
    }

    /// The offset of the next field in the outermost input.
    #[inline]
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.reader.position()
    }

    /// The last occurrence of a field among the remaining ones. Reads all of them.
    ///
    /// # Errors
    ///
    /// The faults that skipping finds: `Incomplete`, `Overrun`, `VarintOverflow`, `InvalidTag`, `InvalidFieldNumber`,
    /// `InvalidWireType`, `InvalidLength`, `UnexpectedEndGroup` and `DepthExceeded`, with the offset in the input;
    /// `OutOfMemory`.
    pub fn find_last(&self, number: u32) -> Result<Option<RawField<'i>>, DecodeError> {
        self.find(RawStep::last(number))
    }

    /// The field at the end of a path of field numbers. Each step is the last occurrence of the field in its message, or
    /// the occurrence that a [`RawStep`] with an index names.
    ///
    /// `None` if the path is empty, if a step does not occur, or if a step on the way is neither a message nor a group.
    /// In each message of the path, reads and thereby checks the fields up to the one that a step with an index names,
    /// or else all fields. Does not merge the occurrences of a message field: a field that only an earlier occurrence
    /// has is not found.
    ///
    /// # Errors
    ///
    /// As [`find_last`](Self::find_last), also if the bytes of a step are no message, with the steps as path.
    pub fn follow<S: Into<RawStep> + Copy>(&self, path: &[S]) -> Result<Option<RawField<'i>>, DecodeError> {
        let Some((last, parents)) = path.split_last() else { return Ok(None) };
        let mut fields = self.clone();
        for (depth, &parent) in parents.iter().enumerate() {
            let fail = |error| in_path(error, path, depth);
            let Some(field) = fields.find(parent.into()).map_err(fail)? else { return Ok(None) };
            let Some(inner) = field.as_message().map_err(fail)? else { return Ok(None) };
            fields = inner;
        }
        fields.find((*last).into()).map_err(|error| in_path(error, path, parents.len()))
    }

    /// The occurrence of a field that a step names.
    pub(super) fn find(&self, step: RawStep) -> Result<Option<RawField<'i>>, DecodeError> {
        self.clone().read_to(step)
    }

    /// Reads up to the occurrence that a step names: to the end, unless the step has an index.
    pub(super) fn read_to(&mut self, step: RawStep) -> Result<Option<RawField<'i>>, DecodeError> {
        let mut found = None;
        let mut before = 0;
        for field in self {
            let field = field?;
            if field.number() != step.number() {
                continue;
            }
            if step.index() == Some(before) {
                return Ok(Some(field));
            }
            before += 1;
            found = Some(field);
        }
        Ok(found.filter(|_| step.index().is_none()))
    }

    /// The next field, or `None` at the end.
    #[inline]
    fn read(&mut self) -> Result<Option<RawField<'i>>, DecodeError> {
        let (rest, offset) = (self.reader.rest(), self.reader.position());
        let Some(tag) = self.reader.next_tag()? else { return Ok(None) };
        let tag_len = self.reader.position() - offset;
        let (value_len, end_tag_len) = match tag.wire_type() {
            WireType::LengthDelimited => (self.reader.read_length_delimited()?.len(), 0),
            WireType::StartGroup => {
                let value_len = self.reader.read_group(tag)?.remaining();
                (value_len, self.reader.position() - offset - tag_len - value_len)
            }
            _ => {
                self.reader.skip_field(tag)?;
                (self.reader.position() - offset - tag_len, 0)
            }
        };
        let span = rest.get(..self.reader.position() - offset).unwrap_or_default();
        let header_len = span.len() - end_tag_len - value_len;
        Ok(Some(RawField::new(tag, span, (header_len, end_tag_len), offset, self.reader.depth_left())))
    }
}

/// Ends after the first error.
impl<'i> Iterator for RawFields<'i> {
    type Item = Result<RawField<'i>, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.read() {
            Ok(field) => field.map(Ok),
            Err(error) => {
                self.reader = Reader::new(&[]);
                Some(Err(error))
            }
        }
    }
}

impl FusedIterator for RawFields<'_> {}

impl<'i> RawField<'i> {
    /// The fields of a message or group; `None` for other wire types.
    ///
    /// Bytes after a length prefix may be a message, a string or anything else: reading the fields shows whether they
    /// can be a message.
    ///
    /// # Errors
    ///
    /// `DepthExceeded` if no further level may be opened.
    ///
    /// ```
    /// use tablepb::raw::RawFields;
    ///
    /// let outer = RawFields::new(b"\x0a\x02\x10\x07").next().unwrap()?;
    /// let inner = outer.as_message()?.unwrap().next().unwrap()?;
    /// assert_eq!((inner.number(), inner.as_u64(), inner.offset()), (2, Some(7), 2));
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn as_message(&self) -> Result<Option<RawFields<'i>>, DecodeError> {
        let (RawValue::LengthDelimited(bytes) | RawValue::Group(bytes)) = self.value() else {
            return Ok(None);
        };
        match self.depth_left().checked_sub(1) {
            Some(depth) => Ok(Some(Reader::part(bytes, self.value_offset(), depth).into())),
            None => Err(DecodeError::new(DecodeErrorKind::DepthExceeded, self.offset())),
        }
    }
}

// `RawStep`: one step of a path on the wire.

/// One step of a path on the wire: a field number, and which occurrence of the field.
///
/// A number alone is the last occurrence; `(number, index)` is the one that `index` others precede. The elements of a
/// packed run are no occurrences of their own.
///
/// ```
/// use tablepb::raw::{RawFields, RawStep};
///
/// let tags = RawFields::new(b"\x0a\x01a\x0a\x01b");
/// let first = tags.follow(&[(1, 0)])?.unwrap();
/// let last = tags.follow(&[RawStep::last(1)])?.unwrap();
/// assert_eq!((first.as_str()?, last.as_str()?), (Some("a"), Some("b")));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawStep {
    number: u32,
    index: Option<usize>,
}

impl RawStep {
    /// The last occurrence of a field.
    #[must_use]
    pub const fn last(number: u32) -> Self {
        Self { number, index: None }
    }

    /// The occurrence of a field that `index` others precede.
    #[must_use]
    pub const fn nth(number: u32, index: usize) -> Self {
        Self { number, index: Some(index) }
    }

    /// The field number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Which occurrence, from 0; `None` is the last.
    #[must_use]
    pub const fn index(self) -> Option<usize> {
        self.index
    }
}

impl From<u32> for RawStep {
    fn from(number: u32) -> Self {
        Self::last(number)
    }
}

impl From<(u32, usize)> for RawStep {
    fn from((number, index): (u32, usize)) -> Self {
        Self::nth(number, index)
    }
}

/// Gives an error the path of the message that it is in: the first `depth` steps.
#[cold]
pub(super) fn in_path<S: Into<RawStep> + Copy>(error: DecodeError, path: &[S], depth: usize) -> DecodeError {
    let mut steps = FieldPath::EMPTY;
    for &step in path.iter().take(depth) {
        let RawStep { number, index } = step.into();
        steps.push_inner(PathStep::new(number, None, index.and_then(|index| u32::try_from(index).ok())));
    }
    error.with_path(steps)
}
