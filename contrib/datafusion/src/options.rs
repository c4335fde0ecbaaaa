//! [`ProtobufOptions`]: the options of a table.

use datafusion::common::config_err;
use datafusion::common::parsers::CompressionTypeVariant;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::error::Result;
use object_store::path::Path;
use std::str::FromStr;
use tablepb_arrow::mapping::{MappingErrorKind, Options};

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

    /// How the names of files end that are written.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Auto | Self::Uncompressed => "binpb",
            Self::Gzip => "binpb.gz",
            Self::Zstd => "binpb.zst",
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
/// | `preset`, `enums`, `oneofs`, `maps`, `presence`, `well_known`, `time_unit`, `views`, `recursion`, `recursive`, `json`, .. | how fields become columns, as [`Options::set`] says | those of [`Options::new`] |
/// | `max_row_len` | the longest message, in bytes | 67 108 864 |
/// | `compression` | `gzip`, `zstd`, `uncompressed` | as the name of each file says |
///
/// DataFusion 55 looks up keys of maps (`labels['k']`) only without `views`. A query of a time that does not fit nanoseconds, the default, fails, such as one that never was set and is the
/// year 1; `time_unit` `microsecond` holds all that the types allow.
///
/// ```
/// use tablepb_datafusion::{Compression, Enums, Options, ProtobufOptions};
///
/// let mut options = ProtobufOptions::new().with_mapping(Options::portable().enums(Enums::Number));
/// options.set("compression", "zstd")?;
/// options.set("enums", "name")?;
/// assert_eq!(options, ProtobufOptions::new().with_mapping(Options::portable()).with_compression(Compression::Zstd));
/// assert!(options.set("compresion", "zstd").is_err());
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtobufOptions {
    pub(crate) fields: Vec<String>,
    pub(crate) mapping: Options,
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
            mapping: Options::new(),
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

    /// How fields become columns; [`Options::new`] by default. It sets all of these options.
    #[must_use]
    pub fn with_mapping(mut self, mapping: Options) -> Self {
        self.mapping = mapping;
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

    /// Sets an option by its name in SQL. `preset` sets several, so it comes first.
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
            "max_row_len" => match value.parse() {
                Ok(bytes) => *self = std::mem::take(self).with_max_row_len(bytes),
                Err(_) => return config_err!("the option max_row_len is a number of bytes, not '{value}'"),
            },
            "compression" => self.compression = compression(value)?,
            _ => match self.mapping.set(name, value) {
                Ok(()) => {}
                Err(error) if matches!(error.kind(), MappingErrorKind::NoSuchOption) => {
                    return config_err!(
                        "tables of protobuf files have no option '{name}'; they have message, descriptors, fields, preset, enums, oneofs, maps, presence, well_known, time_unit, \
                         views, unknown_fields, extensions, recursion, recursive, json, bytes, max_row_len and compression"
                    );
                }
                Err(error) => return config_err!("{error}"),
            },
        }
        Ok(())
    }

    /// The options that differ from their defaults, as [`set`](Self::set) takes them, in an order that makes the same options again.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let default = Self::new();
        let mut entries = self.mapping.entries();
        let others = [
            (self.fields != default.fields, "fields", self.fields.join(",")),
            (self.max_row_len != default.max_row_len, "max_row_len", self.max_row_len.to_string()),
            (self.compression != default.compression, "compression", self.compression.name().to_owned()),
        ];
        entries.extend(
            others.into_iter().filter(|(differs, ..)| *differs).map(|(_, name, value)| (name, value)),
        );
        entries
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
            .with_mapping(Options::portable().json(["a.c"]))
            .with_max_row_len(77)
            .with_compression(Compression::Uncompressed);
        let mut again = ProtobufOptions::new();
        assert_eq!(again.entries(), []);
        for (name, value) in options.entries() {
            again.set(name, &value).unwrap();
        }
        assert_eq!(again, options);
    }

    #[test]
    fn a_value_that_does_not_fit_changes_nothing_but_names_what_fits() {
        let mut options = ProtobufOptions::new();
        for (name, value, hint) in [
            ("fields", "a,,b", "commas"),
            ("enums", "text", "'dictionary'"),
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
