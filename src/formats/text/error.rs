//! Why text could not be parsed.

use crate::wire::error::{Opaque, TextLocation, error_kind, text_error};

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
