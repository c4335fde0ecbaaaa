//! [`ProtobufFormat`]: what files hold, and [`ProtobufFormatFactory`], which makes it of the options of a table.

mod declared;
mod factory;
mod portable;
mod table;

pub use factory::{ProtobufFormatFactory, register};
pub use table::ProtobufTableFactory;

use crate::index::Indexes;
use crate::nulls;
use crate::options::ProtobufOptions;
use crate::sink;
use crate::source::ProtobufSource;
use async_trait::async_trait;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::stats::Precision;
use datafusion::common::{GetExt, Statistics, plan_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, FileSinkConfig, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use std::sync::Arc;
use tablepb::MessageDescriptor;
use tablepb_arrow::mapping;

/// Files of length-delimited messages of one type, often called `.binpb`: a [`FileFormat`] of DataFusion.
///
/// It keeps where messages start in the files that were read, and how many there are: cheap to clone, and clones share it. A file that changed is read anew.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use std::sync::Arc;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_datafusion::{ProtobufFormat, ProtobufOptions};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let format = ProtobufFormat::new(&log, ProtobufOptions::new())?;
///
/// let directory = tempfile::tempdir()?;
/// let file = directory.path().join("a.binpb");
/// std::fs::write(&file, b"\x04\x0a\x02hi\x04\x0a\x02ho")?;
/// let context = SessionContext::new();
/// context.register_table("logs", Arc::new(format.table(file.to_str().unwrap())?))?;
/// # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
/// assert_eq!(context.sql("SELECT line FROM logs").await?.count().await?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProtobufFormat {
    descriptor: MessageDescriptor,
    options: ProtobufOptions,
    schema: SchemaRef,
    indexes: Arc<Indexes>,
    /// The directories of its table: files in them may be [hidden](table::is_hidden).
    directories: Vec<ListingTableUrl>,
}

impl ProtobufFormat {
    /// Files of messages of this type.
    ///
    /// # Errors
    /// `Plan`: the fields of the options are not in the message, or it has too many columns.
    pub fn new(descriptor: &MessageDescriptor, options: ProtobufOptions) -> Result<Self> {
        let paths: Vec<_> = options.fields.iter().map(String::as_str).collect();
        let schema = match mapping::schema(descriptor, &options.mapping, &paths) {
            Ok(schema) => nulls::schema(&schema),
            Err(error) => return plan_err!("the columns of {}: {error}", descriptor.full_name()),
        };
        Ok(Self {
            descriptor: descriptor.clone(),
            options,
            schema,
            indexes: Arc::default(),
            directories: Vec::new(),
        })
    }

    /// The message type.
    #[must_use]
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &ProtobufOptions {
        &self.options
    }

    /// The columns of the files.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// A table of a file, of a directory (its path ends with a slash) or of a pattern, without SQL.
    ///
    /// In a directory the files are read whose names end with `.binpb`, `.binpb.gz` or `.binpb.zst`, or with the one of them that the option
    /// [`compression`](ProtobufOptions::with_compression) names; without such files the table has no rows. Files whose names, or those of directories in it,
    /// begin with `_` or `.` are left out, as Hive and Spark do; a file or a pattern that names them reads them.
    ///
    /// # Errors
    /// `location` is no path and no URL.
    pub fn table(&self, location: &str) -> Result<ListingTable> {
        let url = ListingTableUrl::parse(location)?;
        let format = self.clone().in_directory(&url);
        let urls = table::files_of(url, self.options.compression)?;
        let options = ListingOptions::new(Arc::new(format)).with_file_extension("");
        let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options);
        ListingTable::try_new(config.with_schema(self.schema.clone()))
    }

    /// The same for a table that has this location too.
    fn in_directory(mut self, location: &ListingTableUrl) -> Self {
        self.directories.extend(Some(location.clone()).filter(table::is_directory));
        self
    }

    /// Whether a table reads a file that was listed for it.
    fn reads(&self, file: &Path) -> bool {
        self.directories.iter().all(|directory| !table::is_hidden(directory, file))
    }

    pub(crate) fn indexes(&self) -> &Arc<Indexes> {
        &self.indexes
    }

    /// Checks that the columns of a table are columns of the message.
    pub(crate) fn check(&self, table: &Schema) -> Result<()> {
        for column in table.fields() {
            let name = self.descriptor.full_name();
            let Some((_, ours)) = self.schema.fields().find(column.name()) else {
                return plan_err!(
                    "the column {} of the table is no field of {name}; without columns, the table has all",
                    column.name()
                );
            };
            if ours.data_type() != column.data_type() {
                return plan_err!(
                    "the column {} of the table has the type {}, the field of {name} the type {}; without columns, the table has the types of the fields",
                    column.name(),
                    column.data_type(),
                    ours.data_type()
                );
            }
        }
        Ok(())
    }

    /// How many rows the files of a scan have, if all of them were read before.
    fn known_rows(&self, config: &FileScanConfig) -> Option<usize> {
        let mut rows = 0_u64;
        for file in config.file_groups.iter().flat_map(|group| group.iter()) {
            let index = self.indexes.of(config.object_store_url.as_str(), &file.object_meta);
            rows = rows.checked_add(index.rows().filter(|_| file.range.is_none())?)?;
        }
        usize::try_from(rows).ok()
    }
}

#[async_trait]
impl FileFormat for ProtobufFormat {
    fn get_ext(&self) -> String {
        "binpb".to_owned()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        Ok(format!("{}{}", self.get_ext(), compression.get_ext()))
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        Some(self.options.compression.file_type())
    }

    /// The columns of the message type, whatever is in the files.
    async fn infer_schema(
        &self,
        _: &dyn Session,
        _: &Arc<dyn ObjectStore>,
        _: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        Ok(self.schema.clone())
    }

    /// Nothing: files have no summary. Rows that a query counted are an estimate for the plans of later ones.
    async fn infer_stats(
        &self,
        _: &dyn Session,
        _: &Arc<dyn ObjectStore>,
        schema: SchemaRef,
        _: &ObjectMeta,
    ) -> Result<Statistics> {
        Ok(Statistics::new_unknown(&schema))
    }

    async fn create_physical_plan(
        &self,
        _: &dyn Session,
        mut config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        for group in &mut config.file_groups {
            if !group.iter().all(|file| self.reads(&file.object_meta.location)) {
                let files = group.iter().filter(|file| self.reads(&file.object_meta.location));
                *group = FileGroup::new(files.cloned().collect());
            }
        }
        let table_schema = config.file_source.table_schema();
        self.check(table_schema.file_schema())?;
        let rows = self.known_rows(&config);
        let mut statistics = Statistics::new_unknown(table_schema.table_schema());
        // Not exact: a plan would then answer `COUNT(*)` by itself, for files that were replaced since they were listed too.
        statistics.num_rows = rows.map_or(Precision::Absent, Precision::Inexact);
        let compression = self.options.compression.file_type();
        let config = FileScanConfigBuilder::from(config)
            .with_file_compression_type(compression)
            .with_statistics(statistics)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }

    /// Writes rows into files: `COPY .. TO` and `INSERT`. Columns find their fields by name; of a table in a directory, each statement adds files.
    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _: &dyn Session,
        config: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        sink::plan(self, input, config, order)
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(ProtobufSource::new(self.clone(), table_schema))
    }
}
