//! Why text could not be parsed.

use crate::wire::error::{Opaque, TextLocation, error_kind, text_error};
use crate::wire::options::{budget_for, setters};

error_kind! {
    /// What is wrong with text that was given to a parser.
    pub enum ParseErrorKind, without memory OutOfMemory {
        /// The input ends inside a field; more bytes could complete it.
        Incomplete = "the input ends inside a field",
        /// A character that text format does not have there.
        InvalidSyntax = "an unexpected character",
        /// A string has an escape that does not exist or stands for a surrogate, a line break, or NUL.
        InvalidString = "a string has an invalid escape, a line break or NUL",
        /// The bytes of a string field are not UTF-8.
        InvalidUtf8 = "a string is not valid UTF-8",
        /// The value is of a type that the field does not take.
        WrongType = "the field does not take a value of this type",
        /// A number that is not whole, an octal number with other digits, or a number with letters after it.
        InvalidNumber = "not a number that the field can hold",
        /// A number beyond the range of the field's type.
        OutOfRange = "a number is out of range",
        /// The message type does not have this field or extension.
        UnknownField = "the message has no such field",
        /// The enum does not have a value of this name, or it is closed and does not list the number.
        UnknownEnumValue = "the enum has no such value",
        /// A field that is not repeated occurs for the second time in its message.
        DuplicateField = "a field that is not repeated occurs twice",
        /// Two members of one oneof.
        DuplicateOneof = "two members of one oneof are set",
        /// What stands in brackets is neither the name of an extension nor, in a `google.protobuf.Any`, the URL of a type.
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
        /// The tables of a struct are not the schema of a message: `descriptor_error` says why.
        InvalidSchema = "the tables of the struct are no schema",
        /// The allocator has no memory: for the message, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

/// Why text could not be parsed: kind, place in the text, and field path.
///
/// One pointer wide; if there is no memory for it when it is made, the kind is `OutOfMemory` and nothing else is known.
///
/// ```
/// use tablepb::text::ParseErrorKind;
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable =
///     MessageTable::new("pkg.Log", &[FieldTable::new("counts", 1, Kind::Int32).repeated()]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
/// let error = DynamicMessage::parse_text_format(&log, "# two\ncounts: [1, 2.5]").unwrap_err();
/// assert_eq!(error.kind(), ParseErrorKind::InvalidNumber);
/// assert_eq!((error.offset(), error.line(), error.column()), (18, 2, 13));
/// assert_eq!(error.path().to_string(), "counts[1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ParseError(Opaque<ParseErrorKind, TextLocation>);

text_error!(
    ParseError, ParseErrorKind, named UnknownField | UnknownEnumValue,
    "let error = DynamicMessage::parse_text_format(&log, \"lien: 'a'\").unwrap_err();"
);

// What to print, and what to accept.

/// How a message becomes text, with the defaults of [`new`](Self::new).
///
/// ```
/// use tablepb::text::FormatOptions;
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("codes", 2, Kind::Int32).repeated()],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
/// let message = DynamicMessage::decode(&log, b"\x0a\x02hi\x12\x02\x01\x02\x18\x07")?;
/// assert_eq!(message.to_text_format(), r#"line:"hi",codes:[1,2]"#);
///
/// const ALL: FormatOptions = FormatOptions::new().pretty(true).skip_unknown_fields(false);
/// assert_eq!(message.to_text_format_with_options(&ALL), "line: \"hi\"\ncodes: [1, 2]\n3: 7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct FormatOptions {
    pub(super) pretty: bool,
    pub(super) skip_unknown_fields: bool,
    pub(super) expand_any: bool,
    pub(super) skip_default_fields: bool,
    pub(super) print_message_fields_in_index_order: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl FormatOptions {
    /// One line without spaces, no unknown fields, `Any` expanded, only fields that are set, in the order of their numbers.
    pub const fn new() -> Self {
        Self {
            pretty: false,
            skip_unknown_fields: true,
            expand_any: true,
            skip_default_fields: true,
            print_message_fields_in_index_order: false,
        }
    }

    setters! {
        /// Sets whether every field has a line of its own, indented by two spaces per level, up to 64 levels. Default: false.
        pretty(yes: bool);
        /// Sets whether unknown fields are left out. Default: true; otherwise they come after the others of their message, by number.
        /// Bytes that could be a message are printed as one, up to ten levels. Parsers refuse fields by number, or skip them (`ParseOptions::deny_unknown_fields`).
        skip_unknown_fields(yes: bool);
        /// Sets whether a `google.protobuf.Any` is printed as `[type.googleapis.com/pkg.Type]{..}`. Default: true. If the pool does not
        /// have the type, if the bytes are not a whole message of it, or if there is not the memory to decode them, `type_url` and
        /// `value` are printed in any case.
        expand_any(yes: bool);
        /// Sets whether fields without presence are left out when they are zero or empty. Default: true. Fields with presence are
        /// printed only if they are set.
        skip_default_fields(yes: bool);
        /// Sets whether fields come in the order of the schema, extensions last, in place of the order of their numbers. Default:
        /// false.
        print_message_fields_in_index_order(yes: bool);
    }
}

/// What text is accepted, and what parsing it may take, with the defaults of [`new`](Self::new).
///
/// ```
/// use tablepb::text::ParseOptions;
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
/// let text = r#"line: "hi"  added_later { x: [1, 2] }"#;
/// assert!(DynamicMessage::parse_text_format(&log, text).is_err());
///
/// const LENIENT: ParseOptions = ParseOptions::new().deny_unknown_fields(false);
/// let message = DynamicMessage::parse_text_format_with(&log, text, &LENIENT)?;
/// assert_eq!(message.to_text_format(), r#"line:"hi""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct ParseOptions {
    pub(super) deny_unknown_fields: bool,
    pub(super) allow_partial: bool,
    pub(super) max_depth: u32,
    pub(super) budget: Option<usize>,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ParseOptions {
    /// Unknown fields denied, required fields checked, depth 100, a memory budget of 1 MiB + 32 bytes per byte of input.
    pub const fn new() -> Self {
        Self { deny_unknown_fields: true, allow_partial: false, max_depth: 100, budget: None }
    }

    setters! {
        /// Sets whether a field that the message type does not have is an error. Default: true; otherwise it is skipped, and so are
        /// fields by number. Names that the message type reserves are skipped in any case.
        deny_unknown_fields(yes: bool);
        /// Sets whether required fields may be missing, in the content of `Any` too. Default: false. Merging never asks for them.
        allow_partial(yes: bool);
        /// Sets how deep messages may be nested, counted as on the wire: map entries count. The root message is at depth 0.
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
