//! [`TextLocation`]: where in a text, and in which field, an error is; and what the errors of parsers of text have in common.

use super::DescriptorError;
use super::path::{FieldPath, PathStep};
use super::report::copy_of;
use alloc::borrow::Cow;

/// Where in a text and in a message an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextLocation {
    pub(crate) offset: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: Option<Cow<'static, str>>,
    pub(crate) path: FieldPath,
    /// The name at fault, where it is one.
    pub(crate) found: Option<Cow<'static, str>>,
    /// What is wrong with the schema.
    pub(crate) schema: Option<DescriptorError>,
}

/// The most bytes of a name that an error keeps.
const MAX_NAME: usize = 100;

impl TextLocation {
    /// The place at `offset`, with line and column.
    #[cold]
    pub(crate) fn new(input: &[u8], offset: usize, message: &str, path: FieldPath) -> Self {
        let before = input.get(..offset).unwrap_or(input);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // Bytes that continue a character count for nothing.
        let line_text = before.get(start..).unwrap_or_default();
        let column = 1 + line_text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        Self { offset, line, column, message: copy_of(message), path, found: None, schema: None }
    }

    /// The same, with the name that begins at the place: without the quotes if it has some, and cut where it is long.
    #[cold]
    pub(crate) fn with_name(mut self, input: &[u8]) -> Self {
        let text = input.get(self.offset..).unwrap_or_default();
        let text = text.get(..text.len().min(MAX_NAME + 2)).unwrap_or_default();
        let (from, is_end): (_, fn(u8, u8) -> bool) = match text.first() {
            Some(b'"' | b'\'') => (1, |byte, quote| byte == quote),
            Some(b'[') => (1, |byte, _| byte == b']'),
            _ => (0, |byte, _| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))),
        };
        let quote = text.first().copied().unwrap_or_default();
        let name = text.get(from..).unwrap_or_default();
        let mut escaped = false;
        let end = name.iter().position(|&byte| {
            let end = is_end(byte, quote) && !escaped;
            escaped = byte == b'\\' && !escaped;
            end
        });
        let name = name.get(..end.unwrap_or(name.len()).min(MAX_NAME)).unwrap_or_default();
        let valid = name.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        self.found = if valid.is_empty() { None } else { copy_of(valid) };
        self
    }
}

impl FieldPath {
    /// A copy, as far as there is memory for it.
    pub(crate) fn try_copy(&self) -> Self {
        let mut copy = Self::EMPTY;
        for from in self.steps() {
            copy.push_inner(PathStep::named(from.number(), from.name().unwrap_or_default(), from.index()));
        }
        copy
    }
}

impl PathStep {
    /// A step with a copy of the field's name, if there is memory for it.
    pub(crate) fn named(number: u32, name: &str, index: Option<u32>) -> Self {
        Self::new(number, copy_of(name), index)
    }
}

/// Gives a struct around an [`Opaque`](super::Opaque) kind and [`TextLocation`] all that an error of a parser of text has.
macro_rules! text_error {
    ($error:ident, $kind:ident, named $($named:ident)|+, $example:literal) => {
        $crate::wire::error::opaque_error!($error, $kind);

        impl $error {
            #[cold]
            pub(super) fn new(
                kind: $kind,
                input: &[u8],
                offset: usize,
                message: &str,
                path: $crate::wire::error::FieldPath,
            ) -> Self {
                let mut location = TextLocation::new(input, offset, message, path);
                if matches!(kind, $($kind::$named)|+) {
                    location = location.with_name(input);
                }
                Self(Opaque::new(kind, location))
            }

            /// An error about a message as a whole.
            #[cold]
            pub(crate) fn of(kind: $kind, input: &[u8], message: &str) -> Self {
                Self::new(kind, input, 0, message, $crate::wire::error::FieldPath::EMPTY)
            }

            /// The same, about a field.
            #[cold]
            pub(crate) fn on(mut self, path: &$crate::wire::error::FieldPath) -> Self {
                if let Some(inner) = self.0.get_mut() {
                    inner.path = path.try_copy();
                }
                self
            }

            /// An error about the schema of a struct.
            #[cold]
            pub(crate) fn without_schema(error: $crate::wire::error::DescriptorError, message: &str) -> Self {
                let kind = match error.kind() {
                    $crate::wire::error::DescriptorErrorKind::OutOfMemory => $kind::OutOfMemory,
                    _ => $kind::InvalidSchema,
                };
                let mut location = TextLocation::new(b"", 0, message, $crate::wire::error::FieldPath::EMPTY);
                location.schema = Some(error);
                Self(Opaque::new(kind, location))
            }

            /// Why the tables of a struct are not the schema of a message, if the kind is `InvalidSchema`.
            pub fn descriptor_error(&self) -> Option<&$crate::wire::error::DescriptorError> {
                self.0.get()?.schema.as_ref()
            }

            /// The byte offset of what is at fault, from the start of the input.
            pub fn offset(&self) -> usize {
                self.0.get().map_or(0, |inner| inner.offset)
            }

            /// The line it is in; the first one is 1.
            pub fn line(&self) -> usize {
                self.0.get().map_or(0, |inner| inner.line)
            }

            /// Its place in the line, in characters; the first one is 1.
            pub fn column(&self) -> usize {
                self.0.get().map_or(0, |inner| inner.column)
            }

            /// The fields that lead to the fault; empty for the root message.
            pub fn path(&self) -> &$crate::wire::error::FieldPath {
                self.0.get().map_or(&$crate::wire::error::NOWHERE, |inner| &inner.path)
            }

            /// The name at fault, for a field or an enum value that is not in the schema: as it stands in the text, without quotes,
            /// and at most 100 bytes of it.
            ///
            /// ```
            /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
            ///
            /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
            /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
            #[doc = $example]
            /// assert_eq!(error.found(), Some("lien"));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn found(&self) -> Option<&str> {
                self.0.get()?.found.as_deref()
            }

            /// The full name of the root message type.
            pub fn message_name(&self) -> Option<&str> {
                self.0.get()?.message.as_deref()
            }
        }

        impl core::fmt::Display for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}", self.kind())?;
                if let Some(found) = self.found() {
                    write!(f, " \"{}\"", found.escape_debug())?;
                }
                if self.descriptor_error().is_none() {
                    write!(f, " at line {}, column {}", self.line(), self.column())?;
                }
                $crate::wire::error::in_place(f, self.message_name(), self.path())?;
                $crate::wire::error::show_descriptor_error(f, self.descriptor_error())
            }
        }

        impl core::error::Error for $error {}
    };
}

pub(crate) use text_error;
