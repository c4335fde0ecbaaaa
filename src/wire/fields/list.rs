//! [`RawFields`]: the fields of a message without its schema.

use super::field::{RawField, RawValue};
use super::step::{RawStep, in_path};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{DEFAULT_DEPTH, Reader, WireType};
use core::iter::FusedIterator;

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
/// use tablepb::RawFields;
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
    /// use tablepb::{DecodeErrorKind, RawFields};
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
    /// use tablepb::RawFields;
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
