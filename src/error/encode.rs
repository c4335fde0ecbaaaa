//! Why a message could not be encoded.

use super::opaque::{Opaque, copy_of, error_kind, opaque_error};
use super::path::{NOWHERE, in_place};
use super::{FieldPath, PathStep};
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
        /// The message changed between the sizing and the writing pass.
        SizeMismatch = "the message changed while it was encoded",
        /// A field handle of another plan, or of another message than the one being written.
        ForeignField = "the field handle belongs to another plan or message",
        /// A prepared message of another type than the field.
        WrongMessage = "the prepared message is of another type than the field",
        /// A number that a closed enum does not list.
        UnknownEnumNumber = "the closed enum does not list the number",
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
pub struct EncodeError(Opaque<EncodeErrorKind, EncodeDetail>);

opaque_error!(EncodeError, EncodeErrorKind);

#[derive(Clone, PartialEq, Eq)]
struct EncodeDetail {
    message: Option<Cow<'static, str>>,
    path: FieldPath,
}

impl EncodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: EncodeErrorKind) -> Self {
        Self(Opaque::new(kind, EncodeDetail { message: None, path: FieldPath::EMPTY }))
    }

    /// The fields that lead to the fault; empty for the root message.
    pub fn path(&self) -> &FieldPath {
        self.0.get().map_or(&NOWHERE, |inner| &inner.path)
    }

    /// The full name of the root message type.
    pub fn message_name(&self) -> Option<&str> {
        self.0.get()?.message.as_deref()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn in_message(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.message.get_or_insert_with(|| name.into());
        }
        self
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn in_field(
        mut self,
        number: u32,
        name: Option<Cow<'static, str>>,
        index: Option<u32>,
    ) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.path.push_outer(PathStep::new(number, name, index));
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

    /// The path for editing; `None` if there was no memory for the error.
    pub(crate) fn path_mut(&mut self) -> Option<&mut FieldPath> {
        self.0.get_mut().map(|inner| &mut inner.path)
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind())?;
        in_place(f, self.message_name(), self.path())
    }
}

impl core::error::Error for EncodeError {}
