//! The fields of a message whose schema is not known, and the way to one of them.

use super::{RawField, RawValue, edit};
use crate::error::DecodeError;
use crate::error::{FieldPath, PathStep};
use crate::wire::{Buffer, DEFAULT_DEPTH, Reader, WireType};
use core::iter::FusedIterator;

/// The fields of a message whose schema is not known, for routers that read one field of many.
///
/// An iterator over the fields in wire order. Each is skipped over and thereby checked: tags, wire types, varints,
/// lengths, and that groups match. What is behind a length is not looked at before it is asked for. Allocates nothing
/// and does not recurse. Up to 100 levels may be opened, or as many as
/// [`with_depth`](Self::with_depth) says; groups deeper than 100 in a group that is skipped take four bytes of memory
/// per level.
///
/// A field may be there more than once: for a singular field the last occurrence counts, for a repeated field
/// each is an element (or a packed run of them), and the occurrences of a singular *message* field are merged by
/// decoders. [`find_last`](Self::find_last) and [`follow`](Self::follow) take the last occurrence alone. Writers
/// split messages only when someone concatenates encoded messages, which is how they are merged on the wire.
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

/// What is left of the message that a reader reads.
impl<'i> From<Reader<'i>> for RawFields<'i> {
    fn from(reader: Reader<'i>) -> Self {
        Self { reader }
    }
}

impl<'i> RawFields<'i> {
    /// The fields of the message that is the whole of `message`, of which 100 levels may be opened.
    #[inline]
    pub const fn new(message: &'i [u8]) -> Self {
        Self::with_depth(message, DEFAULT_DEPTH)
    }

    /// The fields of the message that is the whole of `message`, of which `levels` levels may be opened.
    #[inline]
    pub const fn with_depth(message: &'i [u8], levels: u32) -> Self {
        Self { reader: Reader::with_depth(message, levels) }
    }

    /// The bytes of the fields that are left.
    #[inline]
    pub fn rest(&self) -> &'i [u8] {
        self.reader.rest()
    }

    /// The offset of the next field in the outermost input.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.reader.position()
    }

    /// The last occurrence of a field among those that are left; walks over all of them.
    ///
    /// # Errors
    ///
    /// Those of the walk: `Incomplete`, `Overrun`, `VarintOverflow`, `InvalidTag`, `InvalidFieldNumber`,
    /// `InvalidWireType`, `InvalidLength`, `UnexpectedEndGroup`, `DepthExceeded`; with the offset in the input;
    /// `OutOfMemory`.
    pub fn find_last(&self, number: u32) -> Result<Option<RawField<'i>>, DecodeError> {
        self.find(RawStep::last(number))
    }

    /// The field at the end of a path of field numbers, each the last occurrence in its message or the one that its
    /// [`RawStep`] says.
    ///
    /// Walks over the fields on the levels of the path, and so checks them: up to the one that a step with an index
    /// says, or else all. `None` if a step is not there, is no message or group, or if the path is empty. Parts of a message that
    /// was split are not merged: a field that only an earlier part has is not found.
    ///
    /// # Errors
    ///
    /// Those of [`find_last`](Self::find_last), also if the bytes of a step are no message, with the steps as path.
    pub fn follow<S: Into<RawStep> + Copy>(&self, path: &[S]) -> Result<Option<RawField<'i>>, DecodeError> {
        let Some((last, parents)) = path.split_last() else { return Ok(None) };
        let mut fields = self.clone();
        for (depth, &parent) in parents.iter().enumerate() {
            let message = match fields.find(parent.into()) {
                Ok(Some(field)) => field.as_message(),
                Ok(None) => return Ok(None),
                Err(error) => return Err(at(path, depth, error)),
            };
            match message {
                Ok(Some(inner)) => fields = inner,
                Ok(None) => return Ok(None),
                Err(error) => return Err(at(path, depth, error)),
            }
        }
        fields.find((*last).into()).map_err(|error| at(path, parents.len(), error))
    }

    /// The field that a step says.
    pub(super) fn find(&self, step: RawStep) -> Result<Option<RawField<'i>>, DecodeError> {
        let mut found = None;
        let mut before = 0;
        for field in self.clone() {
            let field = field?;
            if field.number() != step.number {
                continue;
            }
            if step.index == Some(before) {
                return Ok(Some(field));
            }
            before += 1;
            found = Some(field);
        }
        Ok(found.filter(|_| step.index.is_none()))
    }

    /// The fields that come after one of this message.
    pub(super) fn after(&self, field: &RawField<'i>) -> Self {
        let end = field.offset() + field.span().len();
        let rest = self.rest().get(end - self.offset()..).unwrap_or_default();
        Self { reader: Reader::part(rest, end, self.reader.depth_left()) }
    }

    /// Appends the message to `buffer` with another value in the place of one field; true if there is such a field.
    ///
    /// The field is the one that [`follow`](Self::follow) finds; the value may be of another wire type. The lengths of
    /// the messages around it are written anew if they change; all other bytes are copied as they are. If there is no
    /// such field, all bytes are.
    ///
    /// All fields on the levels of the path are walked over, and so checked, also those that come after a field that
    /// was found by its index; no others are, unless they are in a group on such a level. The bytes of a group given as
    /// value are checked too.
    ///
    /// # Errors
    ///
    /// Those of [`find_last`](Self::find_last), with the steps as path; `TooLarge` if a message would have more than
    /// 2^31-1 bytes, `OutOfMemory` if the buffer cannot grow. The buffer stays as it was then.
    ///
    /// ```
    /// use tablepb::{RawFields, RawValue};
    ///
    /// let order = b"\x0a\x03a-1\x12\x03\x18\x96\x01";
    /// let mut changed = Vec::new();
    /// assert!(RawFields::new(order).replace(&[2, 3], RawValue::Varint(7), &mut changed)?);
    /// assert_eq!(changed, b"\x0a\x03a-1\x12\x02\x18\x07");
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn replace<S: Into<RawStep> + Copy>(
        &self,
        path: &[S],
        value: RawValue<'_>,
        buffer: &mut impl Buffer,
    ) -> Result<bool, DecodeError> {
        edit::replace(self, path, value, buffer)
    }

    /// Appends the message to `buffer` without one field; true if there was one.
    ///
    /// A last step that is a number alone removes every occurrence of the field in its message, so that it is not
    /// set; one with an index removes just that occurrence. Otherwise as [`replace`](Self::replace).
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace).
    ///
    /// ```
    /// use tablepb::{RawFields, RawStep};
    ///
    /// let tags = b"\x0a\x01a\x0a\x01b\x0a\x01c";
    /// let mut fewer = Vec::new();
    /// assert!(RawFields::new(tags).remove(&[RawStep::nth(1, 0)], &mut fewer)?);
    /// assert_eq!(fewer, b"\x0a\x01b\x0a\x01c");
    ///
    /// let mut none = Vec::new();
    /// assert!(RawFields::new(&fewer).remove(&[1], &mut none)?);
    /// assert!(none.is_empty());
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn remove<S: Into<RawStep> + Copy>(
        &self,
        path: &[S],
        buffer: &mut impl Buffer,
    ) -> Result<bool, DecodeError> {
        edit::remove(self, path, buffer)
    }

    /// Appends the message to `buffer` with one more field at the end of the message that `parent` leads to; true if
    /// that is there.
    ///
    /// An empty path is the message itself. A singular field takes the value given, because the last occurrence
    /// counts; a repeated one has one more element. Otherwise as [`replace`](Self::replace).
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace); `InvalidFieldNumber` if `number` is 0 or above 536870911.
    ///
    /// ```
    /// use tablepb::{RawFields, RawStep, RawValue};
    ///
    /// let order = b"\x0a\x03a-1";
    /// let mut changed = Vec::new();
    /// let root: [RawStep; 0] = [];
    /// assert!(RawFields::new(order).append(&root, 5, RawValue::LengthDelimited(b"b"), &mut changed)?);
    /// assert_eq!(changed, b"\x0a\x03a-1\x2a\x01b");
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn append<S: Into<RawStep> + Copy>(
        &self,
        parent: &[S],
        number: u32,
        value: RawValue<'_>,
        buffer: &mut impl Buffer,
    ) -> Result<bool, DecodeError> {
        edit::append(self, parent, number, value, buffer)
    }

    /// The next field, or `None` at the end.
    #[inline]
    fn read(&mut self) -> Result<Option<RawField<'i>>, DecodeError> {
        let (rest, offset) = (self.reader.rest(), self.reader.position());
        let Some(tag) = self.reader.next_tag()? else { return Ok(None) };
        let tag_len = self.reader.position() - offset;
        // The bytes of the value, and those behind it.
        let (content, tail) = match tag.wire_type() {
            WireType::LengthDelimited => (self.reader.read_length_delimited()?.len(), 0),
            WireType::StartGroup => {
                let content = self.reader.read_group(tag)?.remaining();
                (content, self.reader.position() - offset - tag_len - content)
            }
            _ => {
                self.reader.skip_field(tag)?;
                (self.reader.position() - offset - tag_len, 0)
            }
        };
        let span = rest.get(..self.reader.position() - offset).unwrap_or_default();
        let around = (span.len() - tail - content, tail);
        Ok(Some(RawField::new(tag, span, around, offset, self.reader.depth_left())))
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

/// One step of a path on the wire: a field number, and which of its occurrences.
///
/// A number alone is the last occurrence; `(number, index)` is the one that `index` others come before. Elements of a packed
/// field are no occurrences of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawStep {
    number: u32,
    index: Option<usize>,
}

impl RawStep {
    /// The last occurrence of a field.
    pub const fn last(number: u32) -> Self {
        Self { number, index: None }
    }

    /// The occurrence that `index` others come before.
    pub const fn nth(number: u32, index: usize) -> Self {
        Self { number, index: Some(index) }
    }

    /// The field number.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Which occurrence, from 0; `None` is the last.
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

/// Says which message an error is in: the one behind the first `depth` steps.
#[cold]
pub(super) fn at<S: Into<RawStep> + Copy>(path: &[S], depth: usize, error: DecodeError) -> DecodeError {
    let mut steps = FieldPath::EMPTY;
    for &step in path.iter().take(depth) {
        let RawStep { number, index } = step.into();
        steps.push_inner(PathStep::new(number, None, index.and_then(|index| u32::try_from(index).ok())));
    }
    error.with_path(steps)
}
