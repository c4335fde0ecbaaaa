//! What JSON is printed, and what is accepted.

use crate::wire::options::setters;

/// How a message becomes JSON, with the defaults of [`new`](Self::new), which are those of ProtoJSON.
///
/// ```
/// use tablepb::json;
/// use tablepb::json::Printer;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static USER: MessageTable = MessageTable::new(
///     "pkg.User",
///     &[FieldTable::new("user_id", 1, Kind::Uint64), FieldTable::new("name", 2, Kind::String)],
/// );
/// let user = DescriptorPool::from_tables(&[&USER])?.message("pkg.User")?;
/// let mut message = DynamicMessage::new(&user);
/// message.set_field("user_id", 7u64)?;
/// assert_eq!(json::to_string(&message)?, r#"{"userId":"7"}"#);
///
/// const PLAIN: Printer = Printer::new()
///     .stringify_64_bit_integers(false)
///     .use_proto_field_name(true)
///     .skip_default_fields(false);
/// let mut buffer = Vec::new();
/// PLAIN.append(&mut buffer, &message)?;
/// assert_eq!(buffer, br#"{"user_id":7,"name":""}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Printer {
    pub(crate) stringify_64_bit_integers: bool,
    pub(crate) use_enum_numbers: bool,
    pub(crate) use_proto_field_name: bool,
    pub(crate) skip_default_fields: bool,
    pub(crate) pretty: bool,
}

impl Printer {
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
/// use tablepb::json;
/// use tablepb::json::Parser;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let text = br#"{"line": "hi", "added_later": [1, 2]}"#;
/// assert!(json::message_from_slice(&log, text).is_err());
///
/// const LENIENT: Parser = Parser::new().deny_unknown_fields(false);
/// let message = LENIENT.message_from_slice(&log, text)?;
/// assert_eq!(message.get_field("line")?.as_str(), Some("hi"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Parser {
    pub(crate) deny_unknown_fields: bool,
    pub(crate) allow_duplicate_keys: bool,
    pub(crate) allow_partial: bool,
    pub(crate) max_depth: u32,
    pub(crate) budget: Option<usize>,
}

impl Parser {
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
}
