//! Why bytes could not be decoded.

use super::path::{FieldPath, PathStep};
use super::report::{ErrorKind, Report, error_kind, reported_error};
use crate::wire::heap::Cow;
use core::fmt;

error_kind! {
    /// The kind of a [`DecodeError`](crate::DecodeError).
    ///
    /// One byte, `Copy`. New kinds may be added, so a `match` needs a wildcard arm.
    pub enum DecodeErrorKind, without memory OutOfMemory {
        /// The input ends inside a field; more bytes could complete it.
        Incomplete = "the input ends inside a field",
        /// A field reaches beyond the end of the message, group or packed run that holds it.
        Overrun = "a field reaches beyond the end of the message that holds it",
        /// A varint has more than ten bytes or a value above 2^64-1.
        VarintOverflow = "a varint is longer than 10 bytes or above 2^64-1",
        /// A tag has more than five bytes or a value above 2^32-1.
        InvalidTag = "a tag is longer than 5 bytes or above 2^32-1",
        /// The field number is 0, or one that was given above 2^29-1.
        InvalidFieldNumber = "the field number is 0 or above 2^29-1",
        /// The wire type is 6 or 7.
        InvalidWireType = "wire types 6 and 7 do not exist",
        /// A length prefix has more than five bytes or a value above 2^31-1.
        InvalidLength = "a length prefix is longer than 5 bytes or above 2^31-1",
        /// An end-group tag that no start-group tag of the same number opened.
        UnexpectedEndGroup = "an end-group tag has no matching start-group tag",
        /// A packed run of fixed-width values whose length is not a multiple of the width.
        InvalidPacked = "a packed run is not a whole number of values long",
        /// A string that must be UTF-8 is not.
        InvalidUtf8 = "a string is not valid UTF-8",
        /// A value that the type of its member refuses, see [`CustomValue`](crate::CustomValue).
        InvalidValue = "the type of the member has no such value",
        /// A member of fixed capacity has no room for the value, see [`FixedList`](crate::FixedList).
        CapacityExceeded = "the member has no room for the value",
        /// Messages or groups are nested deeper than the limit.
        DepthExceeded = "messages are nested deeper than the limit",
        /// The message would need more memory than the budget of this decode.
        BudgetExceeded = "the message needs more memory than the decode budget",
        /// The input, or what editing would make of it, is longer than 2^31-1 bytes.
        TooLarge = "the message is longer than 2^31-1 bytes",
        /// A required field is not set.
        MissingRequired = "a required field is not set",
        /// A frame of a delimited stream is longer than its reader accepts.
        FrameTooLarge = "a frame is longer than the limit of its reader",
        /// A malformed gRPC or schema-registry header: a flag, a first byte or an index that does not exist.
        InvalidFrame = "the header of the frame is not valid",
        /// A raw message was given to a decoder of another message type.
        WrongMessage = "the decoder is for another message type",
        /// The allocator has no memory: for the result, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

/// Why bytes could not be decoded: kind, byte offset and field path.
///
/// One pointer wide; only making an error allocates. Without memory for the error, the kind is `OutOfMemory` and nothing
/// else is known.
///
/// ```
/// use tablepb::{wire::Reader, DecodeErrorKind};
///
/// let error = Reader::new(&[0x08, 0xff]).skip_message().unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::Incomplete);
/// assert_eq!(error.offset(), 1);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Report);

reported_error!(DecodeError, DecodeErrorKind);

impl DecodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: DecodeErrorKind, offset: usize) -> Self {
        Self(Report::new(kind.number(), offset, None, FieldPath::EMPTY))
    }

    /// An error in a message of this type.
    #[cold]
    #[inline(never)]
    pub(crate) fn at(kind: DecodeErrorKind, offset: usize, path: FieldPath, message: &'static str) -> Self {
        Self(Report::new(kind.number(), offset, Some(message.into()), path))
    }

    /// A frame that begins with a byte other than those of its framing, which `rule` names.
    #[cfg(not(tablepb_no_alloc))]
    #[cold]
    pub(crate) fn first_byte(rule: &'static str, found: u8) -> Self {
        let mut error = Self::new(DecodeErrorKind::InvalidFrame, 0);
        error.0.set_first(rule, found);
        error
    }

    /// The byte offset, from the start of the input, of the item at fault (a tag, a length, a value).
    #[inline]
    #[must_use]
    pub fn offset(&self) -> usize {
        self.0.offset()
    }

    /// The fields that lead to the fault; empty for the root message, and for errors found without a schema.
    #[inline]
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        self.0.path()
    }

    /// Adds `start` to the offset: the number of bytes before these.
    #[cold]
    #[inline]
    pub(crate) fn moved_by(mut self, start: usize) -> Self {
        self.0.move_by(start);
        self
    }
}

impl fmt::Display for DecodeError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind(), self.offset())?;
        #[cfg(not(tablepb_no_alloc))]
        self.0.show_first(f)?;
        self.0.show_place(f)
    }
}

impl core::error::Error for DecodeError {}

// Why a message could not be encoded.

error_kind! {
    /// The kind of an [`EncodeError`](crate::EncodeError).
    pub enum EncodeErrorKind, without memory OutOfMemory {
        /// A required field is not set.
        MissingRequired = "a required field is not set",
        /// The encoded message, or one nested in it, would be longer than 2^31-1 bytes.
        TooLarge = "the encoded message is longer than 2^31-1 bytes",
        /// Messages are nested deeper than the limit.
        DepthExceeded = "messages are nested deeper than the limit",
        /// The slice given is shorter than the encoded message.
        BufferTooSmall = "the buffer is shorter than the encoded message",
        /// The message, or the values of an iterator, changed between the sizing and the writing pass.
        SizeMismatch = "the message changed while it was encoded",
        /// A field handle of another plan, or of another message than the one being written.
        ForeignField = "the field handle belongs to another plan or message",
        /// A prepared message of another type than the field.
        WrongMessage = "the prepared message is of another type than the field",
        /// A number that a closed enum does not list.
        UnknownEnumNumber = "the closed enum does not list the number",
        /// The tables of a struct, which JSON and the text format need, are not the schema of a message: `descriptor_error` says why.
        InvalidSchema = "the tables of the struct are no schema",
        /// A `google.protobuf.Timestamp` or `Duration` is beyond the range of its type, or its signs do not agree (JSON).
        OutOfRange = "a time or duration is out of range",
        /// A path of a `google.protobuf.FieldMask` would not come back as it is (JSON).
        InvalidFieldMask = "a path of a field mask has no form in JSON",
        /// A `google.protobuf.Value` is NaN or infinite (JSON).
        NotFinite = "a google.protobuf.Value is not a finite number",
        /// The pool does not have the message type of a `google.protobuf.Any` (JSON).
        UnknownType = "the pool does not have the type of a google.protobuf.Any",
        /// The bytes of a `google.protobuf.Any`, or of a field that is kept as bytes, are not a valid message (JSON).
        InvalidMessage = "the bytes of a nested message are not valid",
        /// A nested message was not written to its end.
        Interrupted = "a nested message was not written to its end",
        /// The allocator has no memory: for the buffer to grow, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

/// Why a message could not be encoded or printed: kind and field path. The output buffer keeps the length it had.
///
/// One pointer wide. Without memory for the error, the kind is `OutOfMemory` and nothing else is known.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodeError(Report);

reported_error!(EncodeError, EncodeErrorKind);

impl EncodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: EncodeErrorKind) -> Self {
        Self(Report::new(kind.number(), 0, None, FieldPath::EMPTY))
    }

    /// An error in a message of this type.
    #[cold]
    #[inline(never)]
    pub(crate) fn at(kind: EncodeErrorKind, path: FieldPath, message: &'static str) -> Self {
        Self(Report::new(kind.number(), 0, Some(message.into()), path))
    }

    /// The fields that lead to the fault; empty for the root message.
    #[inline]
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        self.0.path()
    }

    /// An error about the schema of a struct.
    #[cfg(feature = "reflect")]
    #[cold]
    pub(crate) fn without_schema(error: super::DescriptorError, message: &'static str) -> Self {
        let kind = match error.kind() {
            super::DescriptorErrorKind::OutOfMemory => EncodeErrorKind::OutOfMemory,
            _ => EncodeErrorKind::InvalidSchema,
        };
        let mut this = Self::at(kind, FieldPath::EMPTY, message);
        this.0.set_schema(error);
        this
    }

    /// Why the tables of a struct are not the schema of a message, for [`EncodeErrorKind::InvalidSchema`].
    #[cfg(feature = "reflect")]
    #[must_use]
    pub fn descriptor_error(&self) -> Option<&super::DescriptorError> {
        self.0.schema()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn in_field(
        mut self,
        number: u32,
        name: Option<Cow<'static, str>>,
        index: Option<u32>,
    ) -> Self {
        if let Some(path) = self.0.path_mut() {
            path.push_outer(PathStep::new(number, name, index));
        }
        self
    }
}

impl fmt::Display for EncodeError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind())?;
        self.0.show_place(f)?;
        #[cfg(feature = "reflect")]
        super::descriptor::show(f, self.descriptor_error())?;
        Ok(())
    }
}

impl core::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        #[cfg(feature = "reflect")]
        return self.descriptor_error().map(|error| error as _);
        #[cfg(not(feature = "reflect"))]
        None
    }
}
