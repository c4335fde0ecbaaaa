//! Formats as bytes, for plans that go to other processes.

use super::ProtobufFormat;
use crate::entries::{self, Entry};
use datafusion::common::plan_err;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::{DataFusionError, Result};
use tablepb::{DescriptorPool, Message};

#[derive(Clone, Debug, Default, PartialEq)]
struct Portable {
    message: String,
    descriptors: Vec<u8>,
    options: Vec<Entry>,
    directories: Vec<String>,
}

tablepb::message! {
    Portable as "tablepb.datafusion.Format" {
        message: string = 1,
        descriptors: bytes = 2,
        options: repeated message Entry = 3,
        directories: repeated string = 4,
    }
}

impl ProtobufFormat {
    /// The message type with its descriptor set, and the options, as bytes: for a codec that sends plans to other processes, which need neither files of
    /// descriptors nor the options of the table. The bytes are a protobuf message; later versions read them too.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    /// use tablepb_datafusion::{ProtobufFormat, ProtobufOptions};
    ///
    /// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
    /// let format = ProtobufFormat::new(&log, ProtobufOptions::new().with_max_row_len(1000))?;
    /// let again = ProtobufFormat::from_bytes(&format.to_bytes()?)?;
    /// assert_eq!((again.schema(), again.options()), (format.schema(), format.options()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `External`: the descriptor set is longer than a message may be, 2^31-1 bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let descriptors = self.descriptor.parent_pool().encode_to_vec().map_err(external)?;
        let options = entries::of(&self.options);
        let message = self.descriptor.full_name().to_owned();
        let directories = self.directories.iter().map(|url| url.as_str().to_owned()).collect();
        Portable { message, descriptors, options, directories }.encode_to_vec().map_err(external)
    }

    /// The format that [`to_bytes`](Self::to_bytes) made bytes of. It knows nothing of files, but which directory hides some.
    ///
    /// # Errors
    /// The bytes are not valid, or have an option that this version does not know.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let portable = Portable::decode(bytes).map_err(external)?;
        let pool = DescriptorPool::decode(&portable.descriptors).map_err(external)?;
        let options = entries::options(&portable.options)?;
        match pool.message(&portable.message).ok() {
            Some(descriptor) => {
                let mut format = Self::new(&descriptor, options)?;
                for directory in &portable.directories {
                    format = format.in_directory(&ListingTableUrl::parse(directory)?);
                }
                Ok(format)
            }
            None => plan_err!("the descriptor set has no message type '{}'", portable.message),
        }
    }
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Compression, ProtobufOptions};
    use tablepb_arrow::mapping::{Enums, Options};
    use tablepb_schema::SourceBuilder;

    const SCHEMA: &str = "syntax = 'proto3'; package example; import 'google/protobuf/timestamp.proto';
        enum Level { NONE = 0; HIGH = 2; }
        message Log { string line = 1; Level level = 2; google.protobuf.Timestamp at = 3; Log inner = 4; }";

    fn format() -> ProtobufFormat {
        let pool = SourceBuilder::new().source("log.proto", SCHEMA).build().unwrap();
        let options = ProtobufOptions::new()
            .with_fields(["level", "at", "inner.line"])
            .with_mapping(Options::new().enums(Enums::Name).well_known(true).json([".example.Log", "inner"]))
            .with_compression(Compression::Gzip);
        let format = ProtobufFormat::new(&pool.message("example.Log").unwrap(), options).unwrap();
        format.in_directory(&ListingTableUrl::parse("memory:///logs/of a%20day/").unwrap())
    }

    #[test]
    fn a_format_is_the_same_after_a_journey() {
        let format = format();
        let again = ProtobufFormat::from_bytes(&format.to_bytes().unwrap()).unwrap();
        assert_eq!(again.schema(), format.schema());
        assert_eq!(again.options(), format.options());
        assert_eq!(again.directories, format.directories);
        assert_eq!(again.to_bytes().unwrap(), format.to_bytes().unwrap());
    }

    #[test]
    fn bytes_that_are_cut_off_or_changed_are_errors_or_another_format() {
        let bytes = format().to_bytes().unwrap();
        assert!(ProtobufFormat::from_bytes(&[]).is_err());
        assert!((0..bytes.len() - 1).all(|len| {
            ProtobufFormat::from_bytes(&bytes[..len]).is_err() || Portable::decode(&bytes[..len]).is_ok()
        }));
        let mut other = Portable::decode(&bytes).unwrap();
        other.options.push(Entry { name: "speed".into(), value: "high".into() });
        let error = ProtobufFormat::from_bytes(&other.encode_to_vec().unwrap()).unwrap_err();
        assert!(error.to_string().contains("speed"), "{error}");
    }
}
