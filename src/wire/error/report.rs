//! [`Report`]: what an error of decoding or encoding says. Both have one type for it, so that a program holds its code once.

use super::opaque::{boxed, copy_of};
use super::path::{FieldPath, NOWHERE, in_place};
use alloc::{borrow::Cow, boxed::Box};
use core::fmt;

/// The number of a kind, its place and its path, or nothing if there was no memory for them.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Report(Option<Box<[Detail; 1]>>);

#[derive(Clone, PartialEq, Eq)]
struct Detail {
    kind: u8,
    offset: usize,
    message: Option<Cow<'static, str>>,
    path: FieldPath,
    /// What a frame begins with, and the byte that stands there.
    first: Option<(&'static str, u8)>,
    #[cfg(feature = "reflect")]
    schema: Option<super::DescriptorError>,
}

impl Report {
    #[cold]
    #[inline(never)]
    pub(super) fn new(kind: u8, offset: usize, message: Option<Cow<'static, str>>, path: FieldPath) -> Self {
        Self(boxed(Detail {
            kind,
            offset,
            message,
            path,
            first: None,
            #[cfg(feature = "reflect")]
            schema: None,
        }))
    }

    #[inline]
    fn get(&self) -> Option<&Detail> {
        self.0.as_deref().map(|[detail]| detail)
    }

    #[inline]
    fn get_mut(&mut self) -> Option<&mut Detail> {
        self.0.as_deref_mut().map(|[detail]| detail)
    }

    /// The number of the kind; `None` if there was no memory for the report.
    #[inline]
    pub(super) fn kind(&self) -> Option<u8> {
        self.get().map(|detail| detail.kind)
    }

    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.get().map_or(0, |detail| detail.offset)
    }

    #[inline]
    pub(super) fn path(&self) -> &FieldPath {
        self.get().map_or(&NOWHERE, |detail| &detail.path)
    }

    #[inline]
    pub(super) fn message_name(&self) -> Option<&str> {
        self.get()?.message.as_deref()
    }

    /// What is wrong with the schema.
    #[cfg(feature = "reflect")]
    pub(super) fn schema(&self) -> Option<&super::DescriptorError> {
        self.get()?.schema.as_ref()
    }

    #[cfg(feature = "reflect")]
    #[cold]
    pub(super) fn set_schema(&mut self, error: super::DescriptorError) {
        if let Some(detail) = self.get_mut() {
            detail.schema = Some(error);
        }
    }

    /// Adds `start` to the offset.
    #[inline]
    pub(super) fn move_by(&mut self, start: usize) {
        if let Some(detail) = self.get_mut() {
            detail.offset += start;
        }
    }

    /// Names the root message type, unless it has been named.
    #[cold]
    #[inline(never)]
    pub(super) fn name(&mut self, name: Cow<'static, str>) {
        if let Some(detail) = self.get_mut()
            && detail.message.is_none()
        {
            detail.message = Some(name);
        }
    }

    /// As [`name`](Self::name), with a copy of the name, if there is memory for it.
    #[cold]
    #[inline(never)]
    pub(super) fn copy_name(&mut self, name: &str) {
        if let Some(name) = copy_of(name) {
            self.name(name);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn set_path(&mut self, path: FieldPath) {
        if let Some(old) = self.path_mut() {
            *old = path;
        }
    }

    #[inline]
    pub(super) fn path_mut(&mut self) -> Option<&mut FieldPath> {
        self.get_mut().map(|detail| &mut detail.path)
    }

    /// Notes what a frame begins with, and the byte that stands there.
    #[cold]
    pub(super) fn set_first(&mut self, rule: &'static str, found: u8) {
        if let Some(detail) = self.get_mut() {
            detail.first = Some((rule, found));
        }
    }

    /// `: rule, not found`, if that is known.
    pub(super) fn show_first(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get().and_then(|detail| detail.first) {
            Some((rule, found)) => write!(f, ": {rule}, not {found:#04x}"),
            None => Ok(()),
        }
    }

    /// `, in package.Message: path.to.field`, as far as it is known.
    #[inline]
    pub(super) fn show_place(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_place(f, self.message_name(), self.path())
    }
}

/// Gives a struct around a [`Report`] its kind, what is known of the place, and `Debug`.
macro_rules! reported_error {
    ($error:ident, $kind:ident) => {
        impl $error {
            /// The kind of fault.
            pub fn kind(&self) -> $kind {
                self.0.kind().map_or(
                    $crate::wire::error::ErrorKind::WITHOUT_MEMORY,
                    $crate::wire::error::ErrorKind::of_number,
                )
            }

            /// The full name of the root message type, where a schema was at hand.
            #[inline]
            pub fn message_name(&self) -> Option<&str> {
                self.0.message_name()
            }

            /// Names the root message type, unless it has been named.
            #[cold]
            #[inline]
            pub(crate) fn in_message(mut self, name: &'static str) -> Self {
                self.0.name(name.into());
                self
            }

            /// As [`in_message`](Self::in_message), with a copy of the name, if there is memory for it.
            #[cold]
            #[inline]
            pub(crate) fn in_message_copied(mut self, name: &str) -> Self {
                self.0.copy_name(name);
                self
            }

            #[cold]
            pub(crate) fn with_path(mut self, path: $crate::wire::error::FieldPath) -> Self {
                self.0.set_path(path);
                self
            }

            /// The path for editing; `None` if there was no memory for the error.
            pub(crate) fn path_mut(&mut self) -> Option<&mut $crate::wire::error::FieldPath> {
                self.0.path_mut()
            }
        }

        $crate::wire::error::debug_error!($error);
    };
}

pub(super) use reported_error;
