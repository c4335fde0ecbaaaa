//! Why a message could not be encoded.

use super::opaque::{ErrorKind, error_kind};
use super::path::{FieldPath, PathStep};
use super::report::{Report, reported_error};
use alloc::borrow::Cow;
use core::fmt;

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
        /// The tables of a struct, which its text format needs, are not the schema of a message: `descriptor_error` says why.
        InvalidSchema = "the tables of the struct are no schema",
        /// A nested message was not written to its end.
        Interrupted = "a nested message was not written to its end",
        /// The allocator has no memory: for the buffer to grow, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

/// Why a message could not be encoded: kind and field path. The output buffer keeps the length it had.
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

impl core::error::Error for EncodeError {}
