//! What to print, and what to accept.

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

    /// Sets whether 64-bit integers are strings, because many readers of JSON take all numbers for doubles. Default: true.
    pub const fn stringify_64_bit_integers(mut self, yes: bool) -> Self {
        self.stringify_64_bit_integers = yes;
        self
    }

    /// Sets whether enum values are printed as numbers. Default: false; numbers without a name are printed as numbers in any
    /// case.
    pub const fn use_enum_numbers(mut self, yes: bool) -> Self {
        self.use_enum_numbers = yes;
        self
    }

    /// Sets whether fields go by their names in the schema (`user_id`) in place of their JSON names (`userId`). Default: false.
    /// Parsers accept both.
    pub const fn use_proto_field_name(mut self, yes: bool) -> Self {
        self.use_proto_field_name = yes;
        self
    }

    /// Sets whether fields without presence are left out when they are zero or empty. Default: true. Fields with presence are
    /// printed only if they are set, whatever this says.
    pub const fn skip_default_fields(mut self, yes: bool) -> Self {
        self.skip_default_fields = yes;
        self
    }

    /// Sets whether every member and element has a line of its own, indented by two spaces per level. Default: false.
    pub const fn pretty(mut self, yes: bool) -> Self {
        self.pretty = yes;
        self
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

    /// Sets whether a member that the message type does not have is an error. Default: true; otherwise it is skipped, and so is
    /// an enum value whose name is not known.
    pub const fn deny_unknown_fields(mut self, yes: bool) -> Self {
        self.deny_unknown_fields = yes;
        self
    }

    /// Sets whether a key may occur more than once in an object; the last one counts then. Default: false. Two members of the
    /// same oneof are an error in any case.
    pub const fn allow_duplicate_keys(mut self, yes: bool) -> Self {
        self.allow_duplicate_keys = yes;
        self
    }

    /// Sets whether required fields may be missing. Default: false. Merging never asks for them.
    pub const fn allow_partial(mut self, yes: bool) -> Self {
        self.allow_partial = yes;
        self
    }

    /// Sets how deep messages may be nested, counted as on the wire: map entries count, and so do the messages that
    /// `google.protobuf.Struct` is made of. The root message is at depth 0.
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// Sets the memory that one call may allocate, in bytes.
    pub const fn budget(mut self, bytes: usize) -> Self {
        self.budget = Some(bytes);
        self
    }

    /// The memory budget for an input of `len` bytes, in bytes.
    #[must_use]
    pub const fn budget_for(&self, len: usize) -> usize {
        match self.budget {
            Some(bytes) => bytes,
            None => (1usize << 20).saturating_add(len.saturating_mul(32)),
        }
    }
}
