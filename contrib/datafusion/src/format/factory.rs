//! [`ProtobufFormatFactory`]: formats of the options of `CREATE EXTERNAL TABLE`.

use super::{ProtobufFormat, ProtobufTableFactory};
use crate::options::ProtobufOptions;
use datafusion::catalog::Session;
use datafusion::common::{GetExt, config_datafusion_err, config_err};
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use std::collections::HashMap;
use std::sync::Arc;
use tablepb::DescriptorPool;
use tablepb::table::MessageTable;

/// The word after `STORED AS`.
const NAME: &str = "PROTOBUF";
const WITHOUT_MESSAGE: &str = "a table of protobuf files needs the options message, a full name, and descriptors, the path of a descriptor set";

const EMPTY_NAME: &str = "tablepb.Empty";
static EMPTY: MessageTable = MessageTable::new(EMPTY_NAME, &[]);

/// Makes `CREATE EXTERNAL TABLE .. STORED AS PROTOBUF` known to a session, with descriptor sets that tables name by their paths.
///
/// # Errors
/// None, as long as the session has no other format of this name.
pub fn register(context: &SessionContext) -> Result<()> {
    ProtobufFormatFactory::new().register(context)
}

/// Makes a [`ProtobufFormat`] of the options of `CREATE EXTERNAL TABLE`: those of [`ProtobufOptions`], `message` and `descriptors`.
///
/// With a [pool](Self::with_pool), tables need no `descriptors`, and statements cannot make the program read other files than tables.
#[derive(Debug, Default)]
pub struct ProtobufFormatFactory {
    pool: Option<DescriptorPool>,
}

impl ProtobufFormatFactory {
    /// Tables name the path of their descriptor set.
    #[must_use]
    pub fn new() -> Self {
        Self { pool: None }
    }

    /// Tables have message types of this pool, and no option `descriptors`.
    ///
    /// ```
    /// use datafusion::prelude::SessionContext;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    /// use tablepb_datafusion::ProtobufFormatFactory;
    ///
    /// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let directory = tempfile::tempdir()?;
    /// std::fs::write(directory.path().join("a.binpb"), b"\x04\x0a\x02hi")?;
    /// let create = format!(
    ///     "CREATE EXTERNAL TABLE logs STORED AS PROTOBUF LOCATION '{}/' OPTIONS (message 'example.Log')",
    ///     directory.path().display()
    /// );
    /// let context = SessionContext::new();
    /// ProtobufFormatFactory::new().with_pool(DescriptorPool::from_tables(&[&LOG])?).register(&context)?;
    ///
    /// # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
    /// context.sql(&create).await?;
    /// assert_eq!(context.sql("SELECT line FROM logs").await?.count().await?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_pool(mut self, pool: DescriptorPool) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Makes `CREATE EXTERNAL TABLE .. STORED AS PROTOBUF` known to a session.
    ///
    /// # Errors
    /// The session has another format of this name.
    pub fn register(self, context: &SessionContext) -> Result<()> {
        let state = context.state_ref();
        let mut state = state.write();
        state.register_file_format(Arc::new(self), false)?;
        state.table_factories_mut().insert(NAME.to_owned(), Arc::new(ProtobufTableFactory::new()));
        Ok(())
    }

    fn pool(&self, descriptors: Option<&str>) -> Result<DescriptorPool> {
        match (&self.pool, descriptors) {
            (Some(pool), None) => Ok(pool.clone()),
            (Some(_), Some(_)) => {
                config_err!("this session has its message types already: leave out the option descriptors")
            }
            (None, None) => config_err!("{WITHOUT_MESSAGE}"),
            (None, Some(path)) => {
                let set = std::fs::read(path)
                    .map_err(|error| config_datafusion_err!("the option descriptors: {path}: {error}"))?;
                DescriptorPool::decode(&set).map_err(|error| {
                    config_datafusion_err!(
                        "the option descriptors: {path}: {error}; protoc makes a descriptor set with --include_imports --descriptor_set_out"
                    )
                })
            }
        }
    }
}

impl GetExt for ProtobufFormatFactory {
    fn get_ext(&self) -> String {
        NAME.to_lowercase()
    }
}

impl FileFormatFactory for ProtobufFormatFactory {
    fn create(&self, _: &dyn Session, entries: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        let mut options = ProtobufOptions::new();
        let (mut message, mut descriptors) = (None, None);
        let mut entries: Vec<_> = entries
            .iter()
            .map(|(name, value)| (name.strip_prefix("format.").unwrap_or(name), value))
            .collect();
        // It sets what others change.
        entries.sort_by_key(|(name, _)| *name != "preset");
        for (name, value) in entries {
            match name {
                "message" => message = Some(value),
                "descriptors" => descriptors = Some(value.as_str()),
                name => options.set(name, value)?,
            }
        }
        let Some(message) = message else { return config_err!("{WITHOUT_MESSAGE}") };
        let Some(descriptor) = self.pool(descriptors)?.message(message).ok() else {
            return config_err!(
                "the option message: the descriptor set has no message type '{message}'; a full name begins with the package"
            );
        };
        Ok(Arc::new(ProtobufFormat::new(&descriptor, options)?))
    }

    /// Without options the messages are of no known type: a table without columns, of which rows can be counted.
    fn default(&self) -> Arc<dyn FileFormat> {
        let empty =
            DescriptorPool::from_tables(&[&EMPTY]).ok().and_then(|pool| pool.message(EMPTY_NAME).ok());
        let format = empty.and_then(|empty| ProtobufFormat::new(&empty, ProtobufOptions::new()).ok());
        Arc::new(format.expect("a message type without fields is valid"))
    }
}
