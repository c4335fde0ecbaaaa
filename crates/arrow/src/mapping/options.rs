//! [`Options`]: how fields become columns.

use arrow_schema::TimeUnit;

/// What an enum becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enums {
    /// `Int32`: the number.
    #[default]
    Number,
    /// `Utf8View` (or `Utf8`): the name; a number that the enum does not list is its decimal text. Of several names for one number, the
    /// first one in the schema counts.
    Name,
    /// `Dictionary(Int32, Utf8)`: the values are the listed names in the order of the schema, one for each number; numbers that the
    /// enum does not list are added as their decimal text.
    Dictionary,
}

/// What a oneof becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Oneofs {
    /// A nullable column for each member.
    #[default]
    Columns,
    /// One dense union column with the name of the oneof, in the place of its first member. Its first child is `none`, of type `Null` and type
    /// id 0: no member is set. Type ids of members are their field numbers if all of them are at most 127, else
    /// 1, 2, 3 and so on in the order of the file.
    Union,
    /// A nullable column for each member, and before them one with the name of the oneof: the name of the member that is set, or null. It is a `Utf8View` (or `Utf8`), or with
    /// [`Enums::Dictionary`] a `Dictionary(Int32, Utf8)` of the names of the members in the order of the file. A oneof of which a projection selects a part of the members has no such
    /// column. A [`Writer`](crate::Writer) goes by the members and does not read it.
    Named,
}

/// What a map becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Maps {
    /// `Map`: a non-null struct `entries` of `key` and `value`.
    #[default]
    Map,
    /// `List` of a non-null struct `item` of `key` and `value`, for engines without maps.
    Entries,
    /// A non-null struct of two lists, `key` and `value`, as long as each other: keys are a column of their own.
    Lists,
}

/// What a field with presence is that is not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Null.
    #[default]
    Null,
    /// Its default value, of a message a struct of defaults: the columns are not nullable. Nullable are the members of oneofs, and messages that are one value: times, wrappers, JSON,
    /// bytes. A [`Writer`](crate::Writer) sets all other fields with presence then, also those that were not set.
    Default,
}

/// What a message becomes that stands below a message of its own type more often than [`Options::recursion`] allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recursive {
    /// `BinaryView` (or `Binary`), nullable: the encoded message.
    #[default]
    Bytes,
    /// `Utf8View` (or `Utf8`), nullable: the message as ProtoJSON, which functions for JSON read in most query engines. Its unknown fields are left out. A row with a
    /// message that has no JSON form, such as a time out of range or an `Any` of an unknown type, is a bad row. A [`Writer`](crate::Writer) takes such columns.
    Json,
    /// No columns: [`RecursiveType`](super::MappingErrorKind::RecursiveType) names the field.
    Error,
}

/// How fields become columns: the options of the [mapping](crate::mapping).
///
/// ```
/// use tablepb_arrow::mapping::{Enums, Options};
///
/// let options = Options::new().enums(Enums::Dictionary).well_known(true);
/// assert_ne!(options, Options::default());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Options {
    pub(crate) views: bool,
    pub(crate) enums: Enums,
    pub(crate) oneofs: Oneofs,
    pub(crate) maps: Maps,
    pub(crate) presence: Presence,
    pub(crate) well_known: bool,
    pub(crate) time_unit: TimeUnit,
    pub(crate) unknown_fields: bool,
    pub(crate) extensions: bool,
    pub(crate) recursion: u32,
    pub(crate) recursive: Recursive,
    /// Messages that have one column: their paths or, after a dot, the names of their types; and what they become.
    pub(crate) whole: Vec<(String, Recursive)>,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// The defaults, which stand at each option.
    pub const fn new() -> Self {
        Self {
            views: true,
            enums: Enums::Number,
            oneofs: Oneofs::Columns,
            maps: Maps::Map,
            presence: Presence::Null,
            well_known: false,
            time_unit: TimeUnit::Nanosecond,
            unknown_fields: false,
            extensions: false,
            recursion: 0,
            recursive: Recursive::Bytes,
            whole: Vec::new(),
        }
    }

    /// The richest types that Arrow has: views, enums as dictionaries, oneofs as unions, native times in nanoseconds, wrappers as nullable values.
    pub const fn arrow() -> Self {
        Self::new().enums(Enums::Dictionary).oneofs(Oneofs::Union).well_known(true)
    }

    /// Types that Parquet, pyarrow, polars, Spark, DuckDB and ClickHouse all read: strings and bytes without views, enums as names, oneofs as columns, native times in
    /// microseconds, which reach from the year 1 to 9999, wrappers as nullable values, and recursive messages as JSON, among them `google.protobuf.Struct` and `google.protobuf.Value`.
    ///
    /// ```
    /// use tablepb_arrow::mapping::{Enums, Options};
    ///
    /// assert_eq!(Options::portable().enums(Enums::Number).views(true).enums(Enums::Name).views(false), Options::portable());
    /// assert_ne!(Options::portable(), Options::new());
    /// ```
    pub fn portable() -> Self {
        let options = Self::new().views(false).enums(Enums::Name).well_known(true);
        let json = [".google.protobuf.Struct", ".google.protobuf.Value", ".google.protobuf.ListValue"];
        options.time_unit(TimeUnit::Microsecond).recursive(Recursive::Json).json(json)
    }

    /// Whether strings and bytes are `Utf8View` and `BinaryView`, which may point into the input, or else `Utf8` and `Binary`,
    /// which are copied. Views by default.
    pub const fn views(mut self, views: bool) -> Self {
        self.views = views;
        self
    }

    /// What enums become; [`Enums::Number`] by default.
    pub const fn enums(mut self, enums: Enums) -> Self {
        self.enums = enums;
        self
    }

    /// What oneofs become; [`Oneofs::Columns`] by default. Oneofs that protoc makes for proto3 `optional` are none.
    pub const fn oneofs(mut self, oneofs: Oneofs) -> Self {
        self.oneofs = oneofs;
        self
    }

    /// What maps become; [`Maps::Map`] by default.
    pub const fn maps(mut self, maps: Maps) -> Self {
        self.maps = maps;
        self
    }

    /// What a field with presence is that is not set; [`Presence::Null`] by default.
    pub const fn presence(mut self, presence: Presence) -> Self {
        self.presence = presence;
        self
    }

    /// Whether `google.protobuf.Timestamp` becomes `Timestamp(unit, "UTC")`, `google.protobuf.Duration` `Duration(unit)`, and wrappers
    /// such as `google.protobuf.Int32Value` the type of what they wrap; they are structs otherwise, as is the default.
    pub const fn well_known(mut self, well_known: bool) -> Self {
        self.well_known = well_known;
        self
    }

    /// The unit of [`well_known`](Self::well_known) times; nanoseconds by default, which reach from 1677 to 2262. A row with
    /// a time that does not fit is a bad row. Of coarser units, timestamps are rounded down, before 1970 too, and durations towards zero, as Google's
    /// `TimeUtil` does: the whole value is, whatever the signs of its seconds and nanoseconds are. A [`Writer`](crate::Writer) rounds nothing.
    pub const fn time_unit(mut self, unit: TimeUnit) -> Self {
        self.time_unit = unit;
        self
    }

    /// Whether each struct ends with a nullable column `_unknown`, of type `BinaryView` (or `Binary`): the fields that the schema does not
    /// have, in their order, as on the wire but for tags, which have their shortest form. False by default. A struct of which a projection selects a part has no such column.
    pub const fn unknown_fields(mut self, unknown_fields: bool) -> Self {
        self.unknown_fields = unknown_fields;
        self
    }

    /// Whether the extensions that the pool of the schema knows are columns after the fields, in the order of their numbers, each with its
    /// full name in brackets as its name. False by default: then they are checked and dropped. An extension that a projection names is a column
    /// in any case.
    pub const fn extensions(mut self, extensions: bool) -> Self {
        self.extensions = extensions;
        self
    }

    /// How often a message type may stand below itself on one path; 0 by default. What is deeper is as [`recursive`](Self::recursive) says,
    /// unless a path of a projection names fields in it.
    ///
    /// Each level has the columns of the level above it once more for each field of the type: eight fields and three levels are 4 681 columns and more.
    pub const fn recursion(mut self, times: u32) -> Self {
        self.recursion = times;
        self
    }

    /// What messages become that stand deeper below their own type than [`recursion`](Self::recursion) allows; [`Recursive::Bytes`] by default.
    pub const fn recursive(mut self, recursive: Recursive) -> Self {
        self.recursive = recursive;
        self
    }

    /// Messages that become one column of ProtoJSON, as [`Recursive::Json`] says, and not columns of their fields: the paths of their fields, names with dots between them.
    /// Of a list or a map, each element or value is one. For messages of which queries want the whole, or whose fields change often. A path of a projection that
    /// names fields in such a message makes columns of these.
    ///
    /// A name that begins with a dot is that of a message type, `.google.protobuf.Any`, and stands for its fields in all messages, lists and maps. Of several names for a message, the last one counts.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    /// use tablepb_arrow::mapping::{Options, schema};
    ///
    /// static SPAN: MessageTable = MessageTable::new(
    ///     "example.Span",
    ///     &[FieldTable::new("scope", 1, Kind::Message(|| &SCOPE)), FieldTable::new("events", 2, Kind::Message(|| &SCOPE)).repeated()],
    /// );
    /// static SCOPE: MessageTable = MessageTable::new("example.Scope", &[FieldTable::new("name", 1, Kind::String)]);
    /// let span = DescriptorPool::from_tables(&[&SPAN])?.message("example.Span")?;
    ///
    /// let columns = schema(&span, &Options::portable().json(["scope", "events"]), &[])?;
    /// assert_eq!(columns.field(0).data_type().to_string(), "Utf8");
    /// assert_eq!(columns.field(1).data_type().to_string(), "List(non-null Utf8)");
    /// assert_eq!(schema(&span, &Options::portable().json([".example.Scope"]), &[])?, columns);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn json(self, paths: impl IntoIterator<Item: Into<String>>) -> Self {
        self.whole(paths, Recursive::Json)
    }

    /// Messages that become one column of their bytes, as [`Recursive::Bytes`] says: their paths or types, as of [`json`](Self::json).
    pub fn bytes(self, paths: impl IntoIterator<Item: Into<String>>) -> Self {
        self.whole(paths, Recursive::Bytes)
    }

    fn whole(mut self, paths: impl IntoIterator<Item: Into<String>>, what: Recursive) -> Self {
        self.whole.extend(paths.into_iter().map(|path| (path.into(), what)));
        self
    }
}
