//! Why JSON could not be printed or parsed.

use crate::wire::error::{
    DecodeError, DecodeErrorKind, DescriptorError, DescriptorErrorKind, FieldPath, NOWHERE, Opaque, PathStep,
    TextLocation, copy_of, error_kind, in_place, opaque_error, show_descriptor_error, text_error,
};
use alloc::borrow::Cow;
use core::fmt;

error_kind! {
    /// What keeps a message from being printed as JSON.
    pub enum SerializeErrorKind, without memory OutOfMemory {
        /// A `google.protobuf.Timestamp` or `Duration` is beyond the range of its type, or its signs do not agree.
        OutOfRange = "a time or duration is out of range",
        /// A path of a `google.protobuf.FieldMask` would not come back as it is.
        InvalidFieldMask = "a path of a field mask has no form in JSON",
        /// A `google.protobuf.Value` is NaN or infinite.
        NotFinite = "a google.protobuf.Value is not a finite number",
        /// The pool does not have the message type of a `google.protobuf.Any`.
        UnknownType = "the pool does not have the type of a google.protobuf.Any",
        /// The bytes of a `google.protobuf.Any`, or of a field that is kept as bytes, are not a valid message.
        InvalidMessage = "the bytes of a nested message are not valid",
        /// Messages are nested deeper than 100 levels.
        DepthExceeded = "messages are nested deeper than the limit",
        /// The tables of a struct are not the schema of a message: `descriptor_error` says why.
        InvalidSchema = "the tables of the struct are no schema",
        /// The allocator has no memory: for the buffer to grow, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

impl SerializeErrorKind {
    /// Why a message in bytes is not printed: the kinds of one that is decoded, as far as both have them.
    #[cold]
    pub(crate) fn of_bytes(error: &DecodeError) -> Self {
        match error.kind() {
            DecodeErrorKind::DepthExceeded => Self::DepthExceeded,
            DecodeErrorKind::OutOfMemory => Self::OutOfMemory,
            _ => Self::InvalidMessage,
        }
    }
}

error_kind! {
    /// What is wrong with JSON that was given to a parser.
    pub enum DeserializeErrorKind, without memory OutOfMemory {
        /// The input ends inside a value; more bytes could complete it.
        Incomplete = "the input ends inside a value",
        /// A character that JSON does not have there.
        InvalidSyntax = "an unexpected character",
        /// Something follows the value.
        TrailingBytes = "something follows the value",
        /// A string has an escape that does not exist, half of a surrogate pair, or a control character.
        InvalidString = "a string has an invalid escape or a control character",
        /// The input is not UTF-8.
        InvalidUtf8 = "the input is not valid UTF-8",
        /// The value is of a type that the field does not take.
        WrongType = "the field does not take a value of this type",
        /// A number that is no whole number, or text that is no number.
        InvalidNumber = "not a number that the field can hold",
        /// A number beyond the range of the field's type.
        OutOfRange = "a number is out of range",
        /// A string that is not base64.
        InvalidBase64 = "a string is not base64",
        /// The message type does not have this field.
        UnknownField = "the message has no such field",
        /// The enum does not have a value of this name or number.
        UnknownEnumValue = "the enum has no such value",
        /// The key occurs for the second time in its object.
        DuplicateKey = "a key occurs twice",
        /// Two members of one oneof.
        DuplicateOneof = "two members of one oneof are set",
        /// A string that is no `google.protobuf.Timestamp`, or one out of range.
        InvalidTimestamp = "not a timestamp, or out of range",
        /// A string that is no `google.protobuf.Duration`, or one out of range.
        InvalidDuration = "not a duration, or out of range",
        /// A string that is no `google.protobuf.FieldMask`.
        InvalidFieldMask = "not a field mask",
        /// A `google.protobuf.Any` without `@type`, or with a `@type` that is no URL of a message type, or without `value` where its
        /// type asks for that.
        InvalidAny = "\"@type\" or \"value\" of a google.protobuf.Any is missing or invalid",
        /// The pool does not have the message type of a `google.protobuf.Any`.
        UnknownType = "the pool does not have the type of a google.protobuf.Any",
        /// A required field is not set.
        MissingRequired = "a required field is not set",
        /// Values are nested deeper than the limit.
        DepthExceeded = "values are nested deeper than the limit",
        /// The message would need more memory than the budget.
        BudgetExceeded = "the message needs more memory than the budget",
        /// The message would hold more than 2^31-1 bytes of strings.
        TooLarge = "the message is longer than 2^31-1 bytes",
        /// Bytes that the message kept, and that a merge had to decode, are not a valid message.
        InvalidMessage = "the bytes of a nested message are not valid",
        /// The tables of a struct are not the schema of a message: `descriptor_error` says why.
        InvalidSchema = "the tables of the struct are no schema",
        /// The allocator has no memory: for the message, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

/// Where in a message an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    message: Option<Cow<'static, str>>,
    path: FieldPath,
    schema: Option<DescriptorError>,
}

impl Place {
    fn new(message: &str, path: FieldPath) -> Self {
        Self { message: copy_of(message), path, schema: None }
    }
}

/// Why a message could not be printed: kind and field path. The buffer keeps the length it had.
///
/// One pointer wide; if there is no memory for it when it is made, the kind is `OutOfMemory` and nothing else is known.
#[derive(Clone, PartialEq, Eq)]
pub struct SerializeError(Opaque<SerializeErrorKind, Place>);

opaque_error!(SerializeError, SerializeErrorKind);

impl SerializeError {
    #[cold]
    pub(super) fn new(kind: SerializeErrorKind, message: &str, path: FieldPath) -> Self {
        Self(Opaque::new(kind, Place::new(message, path)))
    }

    /// An error about a message as a whole.
    #[cold]
    pub(crate) fn of(kind: SerializeErrorKind, message: &str) -> Self {
        Self::new(kind, message, FieldPath::EMPTY)
    }

    /// The same, about a field.
    #[cold]
    pub(crate) fn on(mut self, path: &FieldPath) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.path = path.try_copy();
        }
        self
    }

    /// An error about the schema of a struct.
    #[cold]
    pub(crate) fn without_schema(error: DescriptorError, message: &str) -> Self {
        let kind = match error.kind() {
            DescriptorErrorKind::OutOfMemory => SerializeErrorKind::OutOfMemory,
            _ => SerializeErrorKind::InvalidSchema,
        };
        let schema = Some(error);
        Self(Opaque::new(kind, Place { schema, ..Place::new(message, FieldPath::EMPTY) }))
    }

    /// Why the tables of a struct are not the schema of a message, for [`SerializeErrorKind::InvalidSchema`].
    #[must_use]
    pub fn descriptor_error(&self) -> Option<&DescriptorError> {
        self.0.get()?.schema.as_ref()
    }

    /// The fields that lead to the fault; empty for the root message.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        self.0.get().map_or(&NOWHERE, |inner| &inner.path)
    }

    /// The full name of the root message type.
    #[must_use]
    pub fn message_name(&self) -> Option<&str> {
        self.0.get()?.message.as_deref()
    }
}

impl fmt::Display for SerializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind())?;
        in_place(f, self.message_name(), self.path())?;
        show_descriptor_error(f, self.descriptor_error())
    }
}

impl core::error::Error for SerializeError {}

/// Why JSON could not be parsed: kind, place in the text, and field path.
///
/// One pointer wide; if there is no memory for it when it is made, the kind is `OutOfMemory` and nothing else is known.
///
/// ```
/// use tablepb::json::DeserializeErrorKind;
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable =
///     MessageTable::new("pkg.Log", &[FieldTable::new("counts", 1, Kind::Int32).repeated()]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
/// let error = DynamicMessage::from_json(&log, b"{\n  \"counts\": [1, 2.5]\n}").unwrap_err();
/// assert_eq!(error.kind(), DeserializeErrorKind::InvalidNumber);
/// assert_eq!((error.offset(), error.line(), error.column()), (18, 2, 17));
/// assert_eq!(error.path().to_string(), "counts[1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DeserializeError(Opaque<DeserializeErrorKind, TextLocation>);

text_error!(
    DeserializeError, DeserializeErrorKind, named UnknownField | UnknownEnumValue,
    "let error = DynamicMessage::from_json(&log, b\"{\\\"lien\\\": 1}\").unwrap_err();"
);

/// A step of a path, with a copy of the field's name if there is memory for it.
pub(crate) fn step(number: u32, name: &str, index: Option<u32>) -> PathStep {
    PathStep::named(number, name, index)
}
