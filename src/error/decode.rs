//! Why bytes could not be decoded.

use super::FieldPath;
use super::held::{Held, copy_of};
use super::path::{NOWHERE, in_place};
use alloc::borrow::Cow;
use core::fmt;

/// What is wrong with the bytes given to a decoder.
///
/// One byte, `Copy`. New kinds may be added, so a `match` needs a wildcard arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside a field; more bytes could complete it.
    Incomplete,
    /// A field reaches beyond the end of the message, group or packed run that holds it.
    Overrun,
    /// A varint has more than ten bytes or a value above 2^64-1.
    VarintOverflow,
    /// A tag has more than five bytes or a value above 2^32-1.
    InvalidTag,
    /// The field number is 0, or one that was given above 2^29-1.
    InvalidFieldNumber,
    /// The wire type is 6 or 7.
    InvalidWireType,
    /// A length prefix has more than five bytes or a value above 2^31-1.
    InvalidLength,
    /// An end-group tag that no start-group tag of the same number opened.
    UnexpectedEndGroup,
    /// A packed run of fixed-width values whose length is not a multiple of the width.
    InvalidPacked,
    /// A string that must be UTF-8 is not.
    InvalidUtf8,
    /// Messages or groups are nested deeper than the limit.
    DepthExceeded,
    /// The message would need more memory than the budget of this decode.
    BudgetExceeded,
    /// The input, or what editing would make of it, is longer than 2^31-1 bytes.
    TooLarge,
    /// A required field is not set.
    MissingRequired,
    /// A frame of a delimited stream is longer than its reader accepts.
    FrameTooLarge,
    /// A raw message was given to a decoder of another message type.
    WrongMessage,
    /// The allocator has no memory: for the result, or for an error that says more.
    OutOfMemory,
}

impl DecodeErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::Incomplete => "the input ends inside a field",
            Self::Overrun => "a field reaches beyond the end of the message that holds it",
            Self::VarintOverflow => "a varint is longer than 10 bytes or above 2^64-1",
            Self::InvalidTag => "a tag is longer than 5 bytes or above 2^32-1",
            Self::InvalidFieldNumber => "the field number is 0 or above 2^29-1",
            Self::InvalidWireType => "wire types 6 and 7 do not exist",
            Self::InvalidLength => "a length prefix is longer than 5 bytes or above 2^31-1",
            Self::UnexpectedEndGroup => "an end-group tag has no matching start-group tag",
            Self::InvalidPacked => "a packed run is not a whole number of values long",
            Self::InvalidUtf8 => "a string is not valid UTF-8",
            Self::DepthExceeded => "messages are nested deeper than the limit",
            Self::BudgetExceeded => "the message needs more memory than the decode budget",
            Self::TooLarge => "the message is longer than 2^31-1 bytes",
            Self::MissingRequired => "a required field is not set",
            Self::FrameTooLarge => "a frame is longer than the limit of its reader",
            Self::WrongMessage => "the decoder is for another message type",
            Self::OutOfMemory => "the allocator has no memory",
        }
    }
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Why bytes could not be decoded: kind, byte offset and field path.
///
/// One pointer wide; allocated only when an error is made. If there is no memory for it then, the kind is `OutOfMemory` and
/// nothing else is known.
///
/// ```
/// use tablepb::{wire::Reader, DecodeErrorKind};
///
/// let error = Reader::new(&[0x08, 0xff]).skip_message().unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::Incomplete);
/// assert_eq!(error.offset(), 1);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Held<DecodeInner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct DecodeInner {
    kind: DecodeErrorKind,
    offset: usize,
    message: Option<Cow<'static, str>>,
    path: FieldPath,
}

impl DecodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: DecodeErrorKind, offset: usize) -> Self {
        Self(Held::new(DecodeInner { kind, offset, message: None, path: FieldPath::EMPTY }))
    }

    /// The kind of fault.
    pub fn kind(&self) -> DecodeErrorKind {
        self.0.get().map_or(DecodeErrorKind::OutOfMemory, |inner| inner.kind)
    }

    /// The byte offset, from the start of the input, of the item at fault (a tag, a length, a value).
    pub fn offset(&self) -> usize {
        self.0.get().map_or(0, |inner| inner.offset)
    }

    /// The fields that lead to the fault; empty for the root message or where no schema was at hand.
    pub fn path(&self) -> &FieldPath {
        self.0.get().map_or(&NOWHERE, |inner| &inner.path)
    }

    /// The full name of the root message type, where a schema was at hand.
    pub fn message_name(&self) -> Option<&str> {
        self.0.get()?.message.as_deref()
    }

    /// Moves the offset behind `start` bytes of the input.
    #[cold]
    pub(crate) fn moved_by(mut self, start: usize) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.offset += start;
        }
        self
    }

    /// Names the root message type, unless it has been named.
    #[cold]
    #[inline(never)]
    pub(crate) fn in_message(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.message.get_or_insert_with(|| name.into());
        }
        self
    }

    /// As [`in_message`](Self::in_message), with a copy of the name, if there is memory for it.
    #[cold]
    #[inline(never)]
    pub(crate) fn in_message_copied(self, name: &str) -> Self {
        match copy_of(name) {
            Some(name) => self.in_message(name),
            None => self,
        }
    }

    #[cold]
    pub(crate) fn with_path(mut self, path: FieldPath) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.path = path;
        }
        self
    }

    /// The path, to be changed, if there was memory for the error.
    pub(crate) fn path_mut(&mut self) -> Option<&mut FieldPath> {
        self.0.get_mut().map(|inner| &mut inner.path)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind(), self.offset())?;
        in_place(f, self.message_name(), self.path())
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecodeError({self})")
    }
}

impl core::error::Error for DecodeError {}
