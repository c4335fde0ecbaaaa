//! What text format is printed, and what is accepted.

use crate::wire::options::setters;

/// How a message becomes text, with the defaults of [`new`](Self::new).
///
/// ```
/// use tablepb::text;
/// use tablepb::text::Printer;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("codes", 2, Kind::Int32).repeated()],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let message = DynamicMessage::decode(&log, b"\x0a\x02hi\x12\x02\x01\x02\x18\x07")?;
/// assert_eq!(text::to_string(&message)?, r#"line:"hi",codes:[1,2]"#);
///
/// const ALL: Printer = Printer::new().pretty(true).skip_unknown_fields(false);
/// assert_eq!(ALL.to_string(&message)?, "line: \"hi\"\ncodes: [1, 2]\n3: 7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Printer {
    pub(crate) pretty: bool,
    pub(crate) skip_unknown_fields: bool,
    pub(crate) expand_any: bool,
    pub(crate) skip_default_fields: bool,
    pub(crate) print_message_fields_in_index_order: bool,
}

impl Printer {
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
        /// Bytes that could be a message are printed as one, up to ten levels. Parsers refuse fields by number, or skip them (`Parser::deny_unknown_fields`).
        skip_unknown_fields(yes: bool);
        /// Sets whether a `google.protobuf.Any` is printed as `[type.googleapis.com/pkg.Type]{..}`. Default: true. If the pool does not
        /// have the type, if the bytes are not a whole message of it or nested deeper than parsers go by default, or if there is not the
        /// memory to decode them, `type_url` and `value` are printed in any case.
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
/// use tablepb::text;
/// use tablepb::text::Parser;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let text = r#"line: "hi"  added_later { x: [1, 2] }"#;
/// assert!(text::message_from_str(&log, text).is_err());
///
/// const LENIENT: Parser = Parser::new().deny_unknown_fields(false);
/// let message = LENIENT.message_from_str(&log, text)?;
/// assert_eq!(text::to_string(&message)?, r#"line:"hi""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Parser {
    pub(crate) deny_unknown_fields: bool,
    pub(crate) allow_partial: bool,
    pub(crate) max_depth: u32,
    pub(crate) budget: Option<usize>,
}

impl Parser {
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
}
