//! [`Difference`]: one change between two schemas, and what it means for data.

use alloc::string::String;
use core::fmt;

/// The meaning of a change for data that was written with one of the two schemas and is read with the other, and for calls of
/// clients that have the old one to servers that have the new one.
///
/// Ordered: the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compatibility {
    /// All values are read as they were written.
    Compatible,
    /// It depends on the values, or on what is done with the schema later: numbers may be truncated, strings may not be
    /// UTF-8, of several values one is kept, the number of a removed field may be given to another.
    Conditional,
    /// Values are lost or misread, or reading or a call fails.
    Breaking,
}

/// What has changed. [`Difference::wire`] and [`Difference::json`] say what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The tables make no valid pool, for the reason given.
    InvalidTable,
    /// The types refer to each other in too many combinations; this pair was left out.
    NotCompared,
    /// A message is new.
    MessageAdded,
    /// A message is gone.
    MessageRemoved,
    /// An enum is new.
    EnumAdded,
    /// An enum is gone.
    EnumRemoved,
    /// A service is new.
    ServiceAdded,
    /// A service is gone, with its methods.
    ServiceRemoved,
    /// A message or enum has another full name, which data does not show, except in `google.protobuf.Any`.
    TypeRenamed,
    /// A message became a MessageSet, or ceased to be one.
    MessageSetChanged,
    /// A field is new.
    FieldAdded,
    /// A field is gone.
    FieldRemoved,
    /// A field has another number.
    NumberChanged,
    /// A field has another name.
    FieldRenamed,
    /// A field of the same name has another name in JSON.
    JsonNameChanged,
    /// A field has another type.
    TypeChanged,
    /// A message field became a group (`DELIMITED`), or ceased to be one.
    EncodingChanged,
    /// A singular field became repeated, or the other way round.
    CardinalityChanged,
    /// A field became required, or ceased to be.
    RequiredChanged,
    /// A singular field gained or lost presence: zero and unset are told apart, or not.
    PresenceChanged,
    /// A list became packed, or ceased to be.
    PackedChanged,
    /// A string is checked for UTF-8, or no longer.
    Utf8Changed,
    /// A map became a list of messages, or the other way round.
    MapChanged,
    /// A field has another default value.
    DefaultChanged,
    /// A field moved into a oneof, out of one, or into another.
    OneofChanged,
    /// A oneof with the same fields has another name.
    OneofRenamed,
    /// An enum value, or another name of one, is new.
    EnumValueAdded,
    /// An enum value is gone.
    EnumValueRemoved,
    /// An enum value has another number.
    EnumValueRenumbered,
    /// A number of an enum has another name.
    EnumValueRenamed,
    /// An open enum became closed, or the other way round.
    EnumOpennessChanged,
    /// Numbers or names are reserved.
    ReservedAdded,
    /// Numbers or names are no longer reserved, and may be given to other definitions.
    ReservedRemoved,
    /// Numbers of a message are left to extensions.
    ExtensionRangeAdded,
    /// Numbers of a message are no longer left to extensions.
    ExtensionRangeRemoved,
    /// A service has another full name, which is part of the path of each call.
    ServiceRenamed,
    /// A method is new.
    MethodAdded,
    /// A method is gone.
    MethodRemoved,
    /// A method takes another message type: one of another name, apart from the package of the service.
    RequestTypeChanged,
    /// A method returns another message type: one of another name, apart from the package of the service.
    ResponseTypeChanged,
    /// An option has another value, or is set, or no longer: of a file, a message, a field, a oneof, an enum, a value, a service or a method,
    /// custom options included.
    OptionChanged,
    /// A method streams its requests or responses, or no longer does.
    StreamingChanged,
}

/// One change between an old schema and a new one. [`Display`](fmt::Display) is one line.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_schema::{Compatibility, DifferenceKind, diff};
///
/// static OLD: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("level", 1, Kind::Int32)]);
/// static NEW: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("level", 1, Kind::String)]);
/// let new = DescriptorPool::from_tables(&[&NEW])?.message("pkg.Log")?;
/// let differences = diff(&OLD, &new);
/// assert_eq!(differences[0].kind(), DifferenceKind::TypeChanged);
/// assert_eq!(differences[0].wire(), Compatibility::Breaking);
/// assert_eq!(
///     differences[0].to_string(),
///     "pkg.Log.level: the type changes from int32 to string (breaks the wire format)"
/// );
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub(super) path: String,
    pub(super) kind: DifferenceKind,
    pub(super) wire: Compatibility,
    pub(super) json: Compatibility,
    pub(super) old: String,
    pub(super) new: String,
}

impl Difference {
    /// The full name of the message, field, enum, enum value, service or method; in the old schema, unless it is new.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What has changed.
    pub fn kind(&self) -> DifferenceKind {
        self.kind
    }

    /// What the change means for the binary format.
    pub fn wire(&self) -> Compatibility {
        self.wire
    }

    /// What the change means for JSON, read by parsers that ignore unknown names.
    pub fn json(&self) -> Compatibility {
        self.json
    }

    /// Whether the change breaks the binary format.
    pub fn is_breaking(&self) -> bool {
        self.wire == Compatibility::Breaking
    }

    /// What stood in the old schema; empty for what is new.
    pub fn old_value(&self) -> &str {
        &self.old
    }

    /// What stands in the new schema; empty for what is gone.
    pub fn new_value(&self) -> &str {
        &self.new
    }

    /// The sentence about a change: its subject, and whether it has an old and a new value.
    fn words(&self) -> (&'static str, bool) {
        use DifferenceKind::*;
        match self.kind {
            InvalidTable => ("the table is invalid", false),
            NotCompared => ("not compared: the types have too many combinations", false),
            MessageAdded => ("the message is new", false),
            MessageRemoved => ("the message is removed", false),
            EnumAdded => ("the enum is new", false),
            EnumRemoved => ("the enum is removed", false),
            ServiceAdded => ("the service is new", false),
            ServiceRemoved => ("the service is removed", false),
            TypeRenamed | ServiceRenamed => ("the full name changes", true),
            MessageSetChanged => ("the wire format changes", true),
            FieldAdded => ("the field is new", false),
            FieldRemoved => ("the field is removed", false),
            NumberChanged => ("the number changes", true),
            FieldRenamed => ("the name changes", true),
            JsonNameChanged => ("the JSON name changes", true),
            TypeChanged => ("the type changes", true),
            EncodingChanged => ("the message encoding changes", true),
            CardinalityChanged => ("the cardinality changes", true),
            RequiredChanged => ("the label changes", true),
            PresenceChanged => ("presence changes", true),
            PackedChanged => ("the encoding of the list changes", true),
            Utf8Changed => ("the check for UTF-8 changes", true),
            MapChanged => ("the form changes", true),
            DefaultChanged => ("the default changes", true),
            OneofChanged => ("the oneof changes", true),
            OneofRenamed => ("the name of the oneof changes", true),
            EnumValueAdded => ("the value is new", false),
            EnumValueRemoved => ("the value is removed", false),
            EnumValueRenumbered => ("the number changes", true),
            EnumValueRenamed => ("the name changes", true),
            EnumOpennessChanged => ("the enum changes", true),
            ReservedAdded => ("the reservation is new", false),
            ReservedRemoved => ("the reservation is removed", false),
            ExtensionRangeAdded => ("the extension range is new", false),
            ExtensionRangeRemoved => ("the extension range is removed", false),
            MethodAdded => ("the method is new", false),
            MethodRemoved => ("the method is removed", false),
            RequestTypeChanged => ("the request type changes", true),
            ResponseTypeChanged => ("the response type changes", true),
            OptionChanged => ("the option changes", true),
            StreamingChanged => ("the streaming changes", true),
        }
    }

    fn verdict(&self) -> &'static str {
        use DifferenceKind::*;
        match (self.wire, self.json) {
            (Compatibility::Breaking, _)
                if matches!(
                    self.kind,
                    ServiceRemoved
                        | ServiceRenamed
                        | MethodRemoved
                        | RequestTypeChanged
                        | ResponseTypeChanged
                        | StreamingChanged
                ) =>
            {
                "breaks calls"
            }
            (Compatibility::Breaking, _) => "breaks the wire format",
            (Compatibility::Conditional, Compatibility::Breaking) => {
                "breaks JSON; on the wire it depends on the values"
            }
            (Compatibility::Conditional, _) => "depends on the values",
            (Compatibility::Compatible, Compatibility::Breaking) => "breaks JSON",
            (Compatibility::Compatible, Compatibility::Conditional) => "in JSON it depends on the values",
            (Compatibility::Compatible, Compatibility::Compatible) => "compatible",
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, changes) = self.words();
        write!(f, "{}: {words}", self.path)?;
        if changes {
            write!(f, " from {} to {}", self.old, self.new)?;
        } else if !self.old.is_empty() || !self.new.is_empty() {
            write!(f, ": {}{}", self.old, self.new)?;
        }
        write!(f, " ({})", self.verdict())
    }
}
