//! [`ParseError`]: why text, JSON or text format, could not be parsed.

use crate::wire::Full;
use crate::wire::error::{
    DecodeError, DecodeErrorKind, DescriptorError, DescriptorErrorKind, FieldPath, NOWHERE, Opaque, copy_of,
    error_kind, in_place, opaque_error, show_descriptor_error,
};
use alloc::borrow::Cow;
use core::fmt;

error_kind! {
    /// The kind of a [`ParseError`](crate::ParseError).
    pub enum ParseErrorKind, without memory OutOfMemory {
        /// The input ends inside a value; more bytes could complete it.
        Incomplete = "the input ends inside a value",
        /// A character that the format does not have there.
        InvalidSyntax = "an unexpected character",
        /// Something follows the value (JSON).
        TrailingBytes = "something follows the value",
        /// A string has an escape that does not exist, or half of a surrogate pair, a control character or a line break.
        InvalidString = "a string has an invalid escape or a control character",
        /// The input, or the bytes of a string field, are not UTF-8.
        InvalidUtf8 = "a string is not valid UTF-8",
        /// The value is of a type that the field does not take.
        WrongType = "the field does not take a value of this type",
        /// A number that is not whole, text that is no number, or a number with letters after it.
        InvalidNumber = "not a number that the field can hold",
        /// A number beyond the range of the field's type.
        OutOfRange = "a number is out of range",
        /// A string that is not base64 (JSON).
        InvalidBase64 = "a string is not base64",
        /// The message type does not have this field or extension.
        UnknownField = "the message has no such field",
        /// The enum does not have a value of this name, or it is closed and does not list the number.
        UnknownEnumValue = "the enum has no such value",
        /// The key occurs for the second time in its object (JSON).
        DuplicateKey = "a key occurs twice",
        /// A field that is not repeated occurs for the second time in its message (text format).
        DuplicateField = "a field that is not repeated occurs twice",
        /// Two members of one oneof.
        DuplicateOneof = "two members of one oneof are set",
        /// A string that is no `google.protobuf.Timestamp`, or one out of range (JSON).
        InvalidTimestamp = "not a timestamp, or out of range",
        /// A string that is no `google.protobuf.Duration`, or one out of range (JSON).
        InvalidDuration = "not a duration, or out of range",
        /// A string that is no `google.protobuf.FieldMask` (JSON).
        InvalidFieldMask = "not a field mask",
        /// A `google.protobuf.Any` without `@type`, or with a `@type` that is no URL of a message type, or without `value` where its
        /// type asks for that (JSON).
        InvalidAny = "\"@type\" or \"value\" of a google.protobuf.Any is missing or invalid",
        /// What stands in brackets is neither the name of an extension nor, in a `google.protobuf.Any`, the URL of a type (text format).
        InvalidName = "no valid name or URL in brackets",
        /// The pool does not have the message type of a `google.protobuf.Any`.
        UnknownType = "the pool does not have the type of a google.protobuf.Any",
        /// A required field is not set.
        MissingRequired = "a required field is not set",
        /// Messages are nested deeper than the limit.
        DepthExceeded = "messages are nested deeper than the limit",
        /// The message would need more memory than the budget.
        BudgetExceeded = "the message needs more memory than the budget",
        /// The message would hold more than 2^31-1 bytes of strings.
        TooLarge = "the message is longer than 2^31-1 bytes",
        /// Bytes that the message kept, and that a merge had to decode, are not a valid message.
        InvalidMessage = "the bytes of a nested message are not valid",
        /// A value that the type of its member refuses, see [`CustomValue`](crate::CustomValue). The place is the path, without an offset.
        InvalidValue = "the type of the member has no such value",
        /// A member of fixed capacity has no room for the value, see [`FixedList`](crate::FixedList). The place is the path, without an offset.
        CapacityExceeded = "the member has no room for the value",
        /// The tables of a struct are not the schema of a message: `descriptor_error` says why.
        InvalidSchema = "the tables of the struct are no schema",
        /// The allocator has no memory: for the message, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

impl From<Full> for ParseErrorKind {
    fn from(full: Full) -> Self {
        match full {
            Full::Limit => Self::BudgetExceeded,
            Full::NoMemory => Self::OutOfMemory,
            Full::TooLarge => Self::TooLarge,
        }
    }
}

/// Where in a text and in a message an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TextLocation {
    offset: usize,
    line: usize,
    column: usize,
    message: Option<Cow<'static, str>>,
    path: FieldPath,
    /// The name at fault, where it is one.
    found: Option<Cow<'static, str>>,
    /// What is wrong with the schema.
    schema: Option<DescriptorError>,
}

/// The most bytes of a name that an error keeps.
const MAX_NAME: usize = 100;

impl TextLocation {
    /// The place at `offset`, with line and column.
    #[cold]
    fn new(input: &[u8], offset: usize, message: &str, path: FieldPath) -> Self {
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
    fn with_name(mut self, input: &[u8]) -> Self {
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

/// Why JSON or text format could not be parsed: kind, place in the text, and field path.
///
/// One pointer wide; if there is no memory for it when it is made, the kind is `OutOfMemory` and nothing else is known.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, ParseErrorKind, text};
///
/// static LOG: MessageTable =
///     MessageTable::new("pkg.Log", &[FieldTable::new("counts", 1, Kind::Int32).repeated()]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let error = text::message_from_str(&log, "# two\ncounts: [1, 2.5]").unwrap_err();
/// assert_eq!(error.kind(), ParseErrorKind::InvalidNumber);
/// assert_eq!((error.offset(), error.line(), error.column()), (18, 2, 13));
/// assert_eq!(error.path().to_string(), "counts[1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ParseError(Opaque<ParseErrorKind, TextLocation>);

opaque_error!(ParseError, ParseErrorKind);

impl ParseError {
    #[cold]
    pub(super) fn new(
        kind: ParseErrorKind,
        input: &[u8],
        offset: usize,
        message: &str,
        path: FieldPath,
    ) -> Self {
        let mut location = TextLocation::new(input, offset, message, path);
        if matches!(kind, ParseErrorKind::UnknownField | ParseErrorKind::UnknownEnumValue) {
            location = location.with_name(input);
        }
        Self(Opaque::new(kind, location))
    }

    /// An error about a message as a whole.
    #[cold]
    pub(crate) fn of(kind: ParseErrorKind, input: &[u8], message: &str) -> Self {
        Self::new(kind, input, 0, message, FieldPath::EMPTY)
    }

    /// An error about what was parsed, and is no message.
    #[cold]
    pub(crate) fn of_bytes(error: &DecodeError, input: &[u8], message: &str) -> Self {
        let kind = match error.kind() {
            DecodeErrorKind::BudgetExceeded => ParseErrorKind::BudgetExceeded,
            DecodeErrorKind::OutOfMemory => ParseErrorKind::OutOfMemory,
            DecodeErrorKind::DepthExceeded => ParseErrorKind::DepthExceeded,
            DecodeErrorKind::TooLarge => ParseErrorKind::TooLarge,
            // Text format takes any bytes for a string of proto2, a `String` does not.
            DecodeErrorKind::InvalidUtf8 => ParseErrorKind::InvalidUtf8,
            DecodeErrorKind::InvalidValue => ParseErrorKind::InvalidValue,
            DecodeErrorKind::CapacityExceeded => ParseErrorKind::CapacityExceeded,
            _ => ParseErrorKind::InvalidMessage,
        };
        Self::new(kind, input, 0, message, error.path().try_copy())
    }

    /// An error about the schema of a struct.
    #[cold]
    pub(crate) fn without_schema(error: DescriptorError, message: &str) -> Self {
        let kind = match error.kind() {
            DescriptorErrorKind::OutOfMemory => ParseErrorKind::OutOfMemory,
            _ => ParseErrorKind::InvalidSchema,
        };
        let location = TextLocation::new(b"", 0, message, FieldPath::EMPTY);
        Self(Opaque::new(kind, TextLocation { schema: Some(error), ..location }))
    }

    /// Why the tables of a struct are not the schema of a message, if the kind is `InvalidSchema`.
    #[must_use]
    pub fn descriptor_error(&self) -> Option<&DescriptorError> {
        self.0.get()?.schema.as_ref()
    }

    /// The byte offset of what is at fault, from the start of the input.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.0.get().map_or(0, |inner| inner.offset)
    }

    /// The line it is in; the first one is 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.get().map_or(0, |inner| inner.line)
    }

    /// Its place in the line, in characters; the first one is 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.get().map_or(0, |inner| inner.column)
    }

    /// The fields that lead to the fault; empty for the root message.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        self.0.get().map_or(&NOWHERE, |inner| &inner.path)
    }

    /// The name at fault, for a field or an enum value that is not in the schema: as it stands in the text, without quotes,
    /// and at most 100 bytes of it.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, text};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let error = text::message_from_str(&log, "lien: 'a'").unwrap_err();
    /// assert_eq!(error.found(), Some("lien"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.0.get()?.found.as_deref()
    }

    /// The full name of the root message type.
    #[must_use]
    pub fn message_name(&self) -> Option<&str> {
        self.0.get()?.message.as_deref()
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind())?;
        if let Some(found) = self.found() {
            write!(f, " \"{}\"", found.escape_debug())?;
        }
        if self.descriptor_error().is_none() {
            write!(f, " at line {}, column {}", self.line(), self.column())?;
        }
        in_place(f, self.message_name(), self.path())?;
        show_descriptor_error(f, self.descriptor_error())
    }
}

impl core::error::Error for ParseError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.descriptor_error().map(|error| error as _)
    }
}
