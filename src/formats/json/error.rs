//! Why JSON could not be printed or parsed.

use crate::wire::error::{
    DecodeError, DecodeErrorKind, DescriptorError, DescriptorErrorKind, FieldPath, NOWHERE, Opaque, PathStep,
    TextLocation, copy_of, error_kind, in_place, opaque_error, show_descriptor_error, text_error,
};
use crate::wire::options::{budget_for, setters};
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

// What to print, and what to accept.

/// How a message becomes JSON, with the defaults of [`new`](Self::new), which are those of ProtoJSON.
///
/// ```
/// use tablepb::json::SerializeOptions;
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static USER: MessageTable = MessageTable::new(
///     "pkg.User",
///     &[FieldTable::new("user_id", 1, Kind::Uint64), FieldTable::new("name", 2, Kind::String)],
/// );
/// let user = DescriptorPool::from_tables(&[&USER])?.get_message_by_name("pkg.User").unwrap();
/// let mut message = DynamicMessage::new(&user);
/// message.set_field_by_name("user_id", 7u64)?;
/// assert_eq!(message.to_json_string()?, r#"{"userId":"7"}"#);
///
/// const PLAIN: SerializeOptions = SerializeOptions::new()
///     .stringify_64_bit_integers(false)
///     .use_proto_field_name(true)
///     .skip_default_fields(false);
/// let mut buffer = Vec::new();
/// message.to_json_with(&mut buffer, &PLAIN)?;
/// assert_eq!(buffer, br#"{"user_id":7,"name":""}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct SerializeOptions {
    pub(crate) stringify_64_bit_integers: bool,
    pub(crate) use_enum_numbers: bool,
    pub(crate) use_proto_field_name: bool,
    pub(crate) skip_default_fields: bool,
    pub(crate) pretty: bool,
}

impl Default for SerializeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl SerializeOptions {
    /// 64-bit integers in quotes, enums by name, fields by their JSON names, only those that are set, on one line.
    pub const fn new() -> Self {
        Self {
            stringify_64_bit_integers: true,
            use_enum_numbers: false,
            use_proto_field_name: false,
            skip_default_fields: true,
            pretty: false,
        }
    }

    setters! {
        /// Sets whether 64-bit integers are strings, because many readers of JSON take all numbers for doubles. Default: true.
        stringify_64_bit_integers(yes: bool);
        /// Sets whether enum values are printed as numbers. Default: false; numbers without a name are printed as numbers in any
        /// case.
        use_enum_numbers(yes: bool);
        /// Sets whether fields go by their names in the schema (`user_id`) in place of their JSON names (`userId`). Default: false.
        /// Parsers accept both.
        use_proto_field_name(yes: bool);
        /// Sets whether fields without presence are left out when they are zero or empty. Default: true. Fields with presence are
        /// printed only if they are set, whatever this says.
        skip_default_fields(yes: bool);
        /// Sets whether every member and element has a line of its own, indented by two spaces per level. Default: false.
        pretty(yes: bool);
    }
}

/// What JSON is accepted, and what parsing it may take, with the defaults of [`new`](Self::new).
///
/// ```
/// use tablepb::json::DeserializeOptions;
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
/// let text = br#"{"line": "hi", "added_later": [1, 2]}"#;
/// assert!(DynamicMessage::from_json(&log, text).is_err());
///
/// const LENIENT: DeserializeOptions = DeserializeOptions::new().deny_unknown_fields(false);
/// let message = DynamicMessage::from_json_with(&log, text, &LENIENT)?;
/// assert_eq!(message.get_field_by_name("line").unwrap().as_str(), Some("hi"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct DeserializeOptions {
    pub(crate) deny_unknown_fields: bool,
    pub(crate) allow_duplicate_keys: bool,
    pub(crate) allow_partial: bool,
    pub(crate) max_depth: u32,
    pub(crate) budget: Option<usize>,
}

impl Default for DeserializeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl DeserializeOptions {
    /// Unknown fields and duplicate keys denied, required fields checked, depth 100, a memory budget of 1 MiB + 32 bytes per
    /// byte of input.
    pub const fn new() -> Self {
        Self {
            deny_unknown_fields: true,
            allow_duplicate_keys: false,
            allow_partial: false,
            max_depth: 100,
            budget: None,
        }
    }

    setters! {
        /// Sets whether a member that the message type does not have is an error. Default: true; otherwise it is skipped, and so is
        /// an enum value whose name is not known.
        deny_unknown_fields(yes: bool);
        /// Sets whether a key may occur more than once in an object; the last one counts then. Default: false. Two members of the
        /// same oneof are an error in any case.
        allow_duplicate_keys(yes: bool);
        /// Sets whether required fields may be missing. Default: false. Merging never asks for them.
        allow_partial(yes: bool);
        /// Sets how deep messages may be nested, counted as on the wire: map entries count, and so do the messages that
        /// `google.protobuf.Struct` is made of. The root message is at depth 0.
        max_depth(levels: u32);
    }

    /// Sets the memory that one call may allocate, in bytes.
    pub const fn budget(mut self, bytes: usize) -> Self {
        self.budget = Some(bytes);
        self
    }

    /// The memory budget for an input of `len` bytes, in bytes.
    #[must_use]
    pub const fn budget_for(&self, len: usize) -> usize {
        budget_for(self.budget, len)
    }
}
