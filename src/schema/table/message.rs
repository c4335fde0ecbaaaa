//! Message, field and enum tables and their const builders.

use super::{Cardinality, Kind};

/// The type of a field in a table: messages and enums are named by a function that returns their table.
pub type TableKind = Kind<fn() -> &'static MessageTable, fn() -> &'static EnumTable>;

/// The language version of a table. It sets the defaults for presence, packing and UTF-8 checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Syntax {
    /// proto2: explicit presence, expanded repeated fields, closed enums.
    Proto2,
    /// proto3 (the default): implicit presence for scalars, packed repeated fields, open enums, strict UTF-8.
    #[default]
    Proto3,
}

/// The default value of a field, as `[default = ...]` gives it; `'static` in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultValue<'a> {
    /// For `bool`.
    Bool(bool),
    /// For the signed integers.
    Int(i64),
    /// For the unsigned integers.
    Uint(u64),
    /// For `float` and `double`.
    Float(f64),
    /// For `string`.
    String(&'a str),
    /// For `bytes`.
    Bytes(&'a [u8]),
    /// For an enum: the name of the value.
    Enum(&'a str),
}

/// One field of a [`MessageTable`].
///
/// Made by [`new`](Self::new) or [`map`](Self::map) and refined by the other `const` methods.
///
/// ```
/// use tablepb::table::{Cardinality, FieldTable, Kind};
///
/// const TAGS: FieldTable = FieldTable::new("tags", 4, Kind::String).repeated();
/// assert_eq!((TAGS.number(), TAGS.cardinality()), (4, Cardinality::Repeated));
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct FieldTable {
    name: &'static str,
    number: u32,
    kind: TableKind,
    map_key: Option<TableKind>,
    cardinality: Cardinality,
    explicit: bool,
    packed: Option<bool>,
    delimited: bool,
    oneof: Option<&'static str>,
    default: Option<DefaultValue<'static>>,
    json_name: Option<&'static str>,
}

impl FieldTable {
    /// A singular field. In proto3 a scalar has implicit presence unless [`optional`](Self::optional) follows.
    ///
    /// Number, name and kind are checked when the table is lowered, not here.
    pub const fn new(name: &'static str, number: u32, kind: TableKind) -> Self {
        Self {
            name,
            number,
            kind,
            map_key: None,
            cardinality: Cardinality::Optional,
            explicit: false,
            packed: None,
            delimited: false,
            oneof: None,
            default: None,
            json_name: None,
        }
    }

    /// A `map<key, value>` field.
    pub const fn map(name: &'static str, number: u32, key: TableKind, value: TableKind) -> Self {
        let mut this = Self::new(name, number, value);
        this.map_key = Some(key);
        this.cardinality = Cardinality::Repeated;
        this
    }

    /// Makes the field `repeated`, packed by the rules of the syntax unless [`packed`](Self::packed) follows.
    pub const fn repeated(mut self) -> Self {
        self.cardinality = Cardinality::Repeated;
        self
    }

    /// Makes the field `required` (proto2).
    pub const fn required(mut self) -> Self {
        self.cardinality = Cardinality::Required;
        self
    }

    /// Gives the field explicit presence, as the keyword `optional` does in proto3.
    pub const fn optional(mut self) -> Self {
        self.explicit = true;
        self
    }

    /// Sets whether a repeated field is encoded packed. Decoding accepts both forms.
    pub const fn packed(mut self, packed: bool) -> Self {
        self.packed = Some(packed);
        self
    }

    /// Encodes a message field between start-group and end-group tags instead of after a length prefix.
    pub const fn delimited(mut self) -> Self {
        self.delimited = true;
        self
    }

    /// Makes the field a member of the oneof of this name.
    pub const fn oneof(mut self, name: &'static str) -> Self {
        self.oneof = Some(name);
        self
    }

    /// Sets the default value (proto2).
    pub const fn default_value(mut self, value: DefaultValue<'static>) -> Self {
        self.default = Some(value);
        self
    }

    /// Sets the JSON name. The default is the name in lowerCamelCase.
    pub const fn json_name(mut self, name: &'static str) -> Self {
        self.json_name = Some(name);
        self
    }

    /// The field name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The field number, 1 to 2^29-1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The kind of a value; for a map, that of its values.
    #[must_use]
    pub const fn kind(&self) -> TableKind {
        self.kind
    }

    /// The kind of the keys of a map, `None` for other fields.
    #[must_use]
    pub const fn map_key(&self) -> Option<TableKind> {
        self.map_key
    }

    /// Optional, required or repeated; maps are repeated.
    #[must_use]
    pub const fn cardinality(&self) -> Cardinality {
        self.cardinality
    }

    /// Whether [`optional`](Self::optional) was called.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        self.explicit
    }

    /// The argument of [`packed`](Self::packed), or `None` for the rule of the syntax.
    #[must_use]
    pub const fn is_packed(&self) -> Option<bool> {
        self.packed
    }

    /// Whether the field is a group on the wire.
    #[must_use]
    pub const fn is_delimited(&self) -> bool {
        self.delimited
    }

    /// The name of the oneof that has the field.
    #[must_use]
    pub const fn oneof_name(&self) -> Option<&'static str> {
        self.oneof
    }

    /// The default value, if one was given.
    #[must_use]
    pub const fn default(&self) -> Option<DefaultValue<'static>> {
        self.default
    }

    /// The JSON name, if one was given.
    #[must_use]
    pub const fn json_name_override(&self) -> Option<&'static str> {
        self.json_name
    }
}

/// A message type as a table, identified by its full name.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct MessageTable {
    full_name: &'static str,
    fields: &'static [FieldTable],
    syntax: Syntax,
    extension_ranges: &'static [(u32, u32)],
    message_set: bool,
}

impl MessageTable {
    /// A proto3 message of this full name (package and outer messages included) with these fields, in any order.
    pub const fn new(full_name: &'static str, fields: &'static [FieldTable]) -> Self {
        Self { full_name, fields, syntax: Syntax::Proto3, extension_ranges: &[], message_set: false }
    }

    /// Sets the syntax.
    pub const fn syntax(mut self, syntax: Syntax) -> Self {
        self.syntax = syntax;
        self
    }

    /// Declares number ranges for extensions: first and last number, both included.
    pub const fn extensions(mut self, ranges: &'static [(u32, u32)]) -> Self {
        self.extension_ranges = ranges;
        self
    }

    /// Uses the MessageSet wire format (proto2, extensions of message type only).
    pub const fn message_set(mut self) -> Self {
        self.message_set = true;
        self
    }

    /// The full name, `package.Outer.Name`.
    #[must_use]
    pub const fn full_name(&self) -> &'static str {
        self.full_name
    }

    /// The fields, in the order of the listing.
    pub const fn fields(&self) -> &'static [FieldTable] {
        self.fields
    }

    /// The syntax.
    #[must_use]
    pub const fn syntax_version(&self) -> Syntax {
        self.syntax
    }

    /// The number ranges for extensions, both ends included.
    #[must_use]
    pub const fn extension_ranges(&self) -> &'static [(u32, u32)] {
        self.extension_ranges
    }

    /// Whether the message uses the MessageSet wire format.
    #[must_use]
    pub const fn is_message_set(&self) -> bool {
        self.message_set
    }
}

/// An enum type as a table.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct EnumTable {
    full_name: &'static str,
    values: &'static [(&'static str, i32)],
    closed: bool,
}

impl EnumTable {
    /// An open enum with these values; the first one is the default.
    pub const fn new(full_name: &'static str, values: &'static [(&'static str, i32)]) -> Self {
        Self { full_name, values, closed: false }
    }

    /// Makes the enum closed, as in proto2: decoding keeps numbers that it does not list as unknown fields.
    pub const fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// The full name, `package.Outer.Name`.
    #[must_use]
    pub const fn full_name(&self) -> &'static str {
        self.full_name
    }

    /// Names and numbers, in the order of the listing; several names may share a number.
    #[must_use]
    pub const fn values(&self) -> &'static [(&'static str, i32)] {
        self.values
    }

    /// Whether the enum is closed.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed
    }
}
