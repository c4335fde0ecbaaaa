//! [`ProtobufOptions`]: the options of a table.

use datafusion::arrow::datatypes::TimeUnit;
use datafusion::common::config_err;
use datafusion::common::parsers::CompressionTypeVariant;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::error::Result;
use object_store::path::Path;
use std::str::FromStr;
use tablepb_arrow::mapping::{Enums, Options};

/// How files are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// As the name of each file says: `.gz` is gzip, `.zst` is zstd, everything else is not compressed.
    #[default]
    Auto,
    /// No file is compressed, whatever its name.
    Uncompressed,
    /// All files are gzip streams, of one member or more.
    Gzip,
    /// All files are zstd streams, of one frame or more.
    Zstd,
}

impl Compression {
    /// What [`Auto`](Self::Auto) means for a file.
    pub(crate) fn of(self, file: &Path) -> Self {
        match (self, file.extension()) {
            (Self::Auto, Some("gz")) => Self::Gzip,
            (Self::Auto, Some("zst")) => Self::Zstd,
            (Self::Auto, _) => Self::Uncompressed,
            _ => self,
        }
    }

    pub(crate) fn file_type(self) -> FileCompressionType {
        match self {
            Self::Auto | Self::Uncompressed => FileCompressionType::UNCOMPRESSED,
            Self::Gzip => FileCompressionType::GZIP,
            Self::Zstd => FileCompressionType::ZSTD,
        }
    }

    /// What the names of files of a directory match.
    pub(crate) fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::Auto => &["*.binpb", "*.binpb.gz", "*.binpb.zst"],
            Self::Uncompressed => &["*.binpb"],
            Self::Gzip => &["*.binpb.gz"],
            Self::Zstd => &["*.binpb.zst"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Uncompressed => "uncompressed",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// The options of a table: which fields become columns, and how.
///
/// In SQL, they are `OPTIONS` of `CREATE EXTERNAL TABLE`, beside `message`, the full name of the message type, and `descriptors`, the local path of a
/// descriptor set (`protoc --include_imports --descriptor_set_out=PATH`):
///
/// | option | value | default |
/// |---|---|---|
/// | `fields` | paths of fields, with commas between them: `a, b.c` | all fields |
/// | `enums` | `number`, `name`, `dictionary` | `number` |
/// | `well_known` | `true`: timestamps, durations and wrappers as values, not structs | `false` |
/// | `time_unit` | of these values: `second`, `millisecond`, `microsecond`, `nanosecond`, which reach from 1677 to 2262 | `nanosecond` |
/// | `views` | `false`: strings and bytes are `Utf8` and `Binary`, copied; DataFusion 55 looks up keys of maps (`labels['k']`) in these only | `true` |
/// | `recursion` | how often a message type may stand below itself; deeper it is its bytes, unless `fields` names fields in it | 0 |
/// | `max_row_len` | the longest message, in bytes | 67 108 864 |
/// | `compression` | `gzip`, `zstd`, `uncompressed` | as the name of each file says |
///
/// ```
/// use tablepb_datafusion::{Compression, Enums, ProtobufOptions};
///
/// let mut options = ProtobufOptions::new().with_enums(Enums::Name);
/// options.set("compression", "zstd")?;
/// assert_eq!(options, ProtobufOptions::new().with_enums(Enums::Name).with_compression(Compression::Zstd));
/// assert!(options.set("compresion", "zstd").is_err());
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtobufOptions {
    pub(crate) fields: Vec<String>,
    pub(crate) enums: Enums,
    pub(crate) well_known: bool,
    pub(crate) time_unit: TimeUnit,
    pub(crate) views: bool,
    pub(crate) recursion: u32,
    pub(crate) max_row_len: usize,
    pub(crate) compression: Compression,
}

impl Default for ProtobufOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ProtobufOptions {
    /// The defaults, which stand at each option.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            fields: Vec::new(),
            enums: Enums::Number,
            well_known: false,
            time_unit: TimeUnit::Nanosecond,
            views: true,
            recursion: 0,
            max_row_len: 64 << 20,
            compression: Compression::Auto,
        }
    }

    /// The fields that the table has, by paths as of [`tablepb::partial::Projection`]; all by default, and without paths. Fields that are left out are skipped also in
    /// lists of messages, where a query cannot say which of their fields it needs.
    #[must_use]
    pub fn with_fields(mut self, paths: impl IntoIterator<Item: Into<String>>) -> Self {
        self.fields = paths.into_iter().map(Into::into).collect();
        self
    }

    /// What enums become; numbers by default.
    #[must_use]
    pub const fn with_enums(mut self, enums: Enums) -> Self {
        self.enums = enums;
        self
    }

    /// Whether timestamps, durations and wrappers are values, as [`tablepb_arrow::mapping::Options::well_known`] says; they are structs by default.
    #[must_use]
    pub const fn with_well_known(mut self, well_known: bool) -> Self {
        self.well_known = well_known;
        self
    }

    /// The unit of [well-known](Self::with_well_known) timestamps and durations; nanoseconds by default, which reach from 1677 to 2262. A query of a column fails
    /// at a time that does not fit, such as one that never was set and is the year 1; microseconds hold all that the types allow, the years 1 to 9999. Of coarser units, timestamps are
    /// rounded down and durations towards zero.
    #[must_use]
    pub const fn with_time_unit(mut self, unit: TimeUnit) -> Self {
        self.time_unit = unit;
        self
    }

    /// Whether strings and bytes are `Utf8View` and `BinaryView`, which point into the block that was read; true by default. DataFusion 55 looks up keys of maps
    /// (`labels['k']`) only in `Utf8`, which is copied.
    #[must_use]
    pub const fn with_views(mut self, views: bool) -> Self {
        self.views = views;
        self
    }

    /// How often a message type may stand below itself on one path; 0 by default. What is deeper is a binary column, unless
    /// [`with_fields`](Self::with_fields) names fields in it.
    #[must_use]
    pub const fn with_recursion(mut self, times: u32) -> Self {
        self.recursion = times;
        self
    }

    /// The longest message, in bytes; 64 MiB by default, at most 1 GiB. A query fails at a longer one before it takes memory for it.
    #[must_use]
    pub const fn with_max_row_len(mut self, bytes: usize) -> Self {
        self.max_row_len = if bytes > 1 << 30 { 1 << 30 } else { bytes };
        self
    }

    /// How files are compressed; by default as their names say.
    #[must_use]
    pub const fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets an option by its name in SQL.
    ///
    /// # Errors
    /// `Configuration`: there is no such option, or it does not take the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "fields" => {
                let fields: Vec<_> = value.split(',').map(|path| path.trim().to_owned()).collect();
                if fields.iter().any(String::is_empty) {
                    return config_err!(
                        "the option fields takes paths with commas between them, not '{value}'"
                    );
                }
                self.fields = fields;
            }
            "enums" => {
                self.enums = match value.to_ascii_lowercase().as_str() {
                    "number" => Enums::Number,
                    "name" => Enums::Name,
                    "dictionary" => Enums::Dictionary,
                    _ => {
                        return config_err!(
                            "the option enums is 'number', 'name' or 'dictionary', not '{value}'"
                        );
                    }
                }
            }
            "well_known" => self.well_known = flag(name, value)?,
            "time_unit" => {
                let unit = UNITS.iter().find(|(_, name)| name.eq_ignore_ascii_case(value));
                let Some((unit, _)) = unit else {
                    return config_err!(
                        "the option time_unit is 'second', 'millisecond', 'microsecond' or 'nanosecond', not '{value}'"
                    );
                };
                self.time_unit = *unit;
            }
            "views" => self.views = flag(name, value)?,
            "recursion" => match value.parse() {
                Ok(times) => self.recursion = times,
                Err(_) => return config_err!("the option recursion is a number, not '{value}'"),
            },
            "max_row_len" => match value.parse() {
                Ok(bytes) => *self = std::mem::take(self).with_max_row_len(bytes),
                Err(_) => return config_err!("the option max_row_len is a number of bytes, not '{value}'"),
            },
            "compression" => self.compression = compression(value)?,
            _ => {
                return config_err!(
                    "tables of protobuf files have no option '{name}'; they have message, descriptors, fields, enums, well_known, time_unit, views, recursion, \
                     max_row_len and compression"
                );
            }
        }
        Ok(())
    }

    /// The options that differ from their defaults, as [`set`](Self::set) takes them.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let enums = match self.enums {
            Enums::Number => "number",
            Enums::Name => "name",
            Enums::Dictionary => "dictionary",
        };
        let default = Self::new();
        let entries = [
            (self.fields != default.fields, "fields", self.fields.join(",")),
            (self.enums != default.enums, "enums", enums.to_owned()),
            (self.well_known != default.well_known, "well_known", self.well_known.to_string()),
            (self.time_unit != default.time_unit, "time_unit", unit_name(self.time_unit).to_owned()),
            (self.views != default.views, "views", self.views.to_string()),
            (self.recursion != default.recursion, "recursion", self.recursion.to_string()),
            (self.max_row_len != default.max_row_len, "max_row_len", self.max_row_len.to_string()),
            (self.compression != default.compression, "compression", self.compression.name().to_owned()),
        ];
        entries.into_iter().filter(|(differs, ..)| *differs).map(|(_, name, value)| (name, value)).collect()
    }

    /// How fields become columns.
    pub(crate) fn mapping(&self) -> Options {
        let Self { enums, well_known, views, recursion, .. } = *self;
        Options::new()
            .enums(enums)
            .well_known(well_known)
            .time_unit(self.time_unit)
            .views(views)
            .recursion(recursion)
    }
}

const UNITS: [(TimeUnit, &str); 4] = [
    (TimeUnit::Second, "second"),
    (TimeUnit::Millisecond, "millisecond"),
    (TimeUnit::Microsecond, "microsecond"),
    (TimeUnit::Nanosecond, "nanosecond"),
];

fn unit_name(unit: TimeUnit) -> &'static str {
    UNITS.iter().find(|(known, _)| *known == unit).map_or("nanosecond", |(_, name)| name)
}

fn flag(name: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().parse() {
        Ok(flag) => Ok(flag),
        Err(_) => config_err!("the option {name} is 'true' or 'false', not '{value}'"),
    }
}

/// The names that SQL has for compression in other formats are understood.
fn compression(value: &str) -> Result<Compression> {
    if value.eq_ignore_ascii_case("auto") {
        return Ok(Compression::Auto);
    }
    match CompressionTypeVariant::from_str(value) {
        Ok(CompressionTypeVariant::GZIP) => Ok(Compression::Gzip),
        Ok(CompressionTypeVariant::ZSTD) => Ok(Compression::Zstd),
        Ok(CompressionTypeVariant::UNCOMPRESSED) => Ok(Compression::Uncompressed),
        _ => config_err!("the option compression is 'gzip', 'zstd' or 'uncompressed', not '{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_set_the_options_again() {
        let options = ProtobufOptions::new()
            .with_fields(["a.b", "c"])
            .with_enums(Enums::Dictionary)
            .with_well_known(true)
            .with_time_unit(TimeUnit::Microsecond)
            .with_views(false)
            .with_recursion(2)
            .with_max_row_len(77)
            .with_compression(Compression::Uncompressed);
        let mut again = ProtobufOptions::new();
        assert_eq!(again.entries(), []);
        for (name, value) in options.entries() {
            again.set(name, &value).unwrap();
        }
        assert_eq!(again, options);
        assert_eq!(again.entries().len(), 8);
    }

    #[test]
    fn a_value_that_does_not_fit_changes_nothing_but_names_what_fits() {
        let mut options = ProtobufOptions::new();
        for (name, value, hint) in [
            ("fields", "a,,b", "commas"),
            ("enums", "text", "'dictionary'"),
            ("well_known", "yes", "'true'"),
            ("time_unit", "us", "'microsecond'"),
            ("views", "1", "'true'"),
            ("recursion", "-1", "number"),
            ("max_row_len", "1 MB", "bytes"),
            ("compression", "xz", "'zstd'"),
            ("delimiter", ",", "max_row_len"),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.contains(hint) && error.contains(name), "{error}");
        }
        assert_eq!(options, ProtobufOptions::new());
    }
}
