//! [`ProtobufSource`]: how DataFusion scans files.

use crate::filter::{Filter, is_of_files};
use crate::format::ProtobufFormat;
use crate::index::Indexes;
use crate::input::StoredFile;
use crate::options::{Compression, ProtobufOptions};
use crate::projection::paths;
use crate::scan::{self, Columns, Counts};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileGroup, FileGroupPartitioner, FileOpenFuture, FileOpener, FileScanConfig, FileSource,
};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, conjunction};
use datafusion::physical_plan::DisplayFormatType;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};
use object_store::ObjectStore;
use std::fmt;
use std::sync::Arc;
use tablepb_arrow::ReaderBuilder;

/// How DataFusion scans files of a [`ProtobufFormat`]: made by `FileFormat::file_source`.
///
/// Files that are not compressed are split where messages start, so that each partition reads a part. Columns, and fields of structs, that the query
/// does not use are skipped. A limit ends the scan.
#[derive(Clone)]
pub struct ProtobufSource {
    format: ProtobufFormat,
    table_schema: TableSchema,
    projection: SplitProjection,
    /// Which rows are wanted.
    predicate: Option<Arc<dyn PhysicalExpr>>,
    batch_size: usize,
    metrics: ExecutionPlanMetricsSet,
}

impl ProtobufSource {
    pub(crate) fn new(format: ProtobufFormat, table_schema: TableSchema) -> Self {
        Self {
            projection: SplitProjection::unprojected(&table_schema),
            format,
            table_schema,
            predicate: None,
            batch_size: 8192,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// What the files hold.
    #[must_use]
    pub fn format(&self) -> &ProtobufFormat {
        &self.format
    }

    /// The fields that are read, by paths; none if only rows are counted.
    ///
    /// # Errors
    /// None for the projections that DataFusion makes.
    pub fn paths(&self) -> Result<Vec<String>> {
        paths(&self.projection.source, self.table_schema.file_schema(), &self.format.options().fields)
    }

    fn columns(&self, limit: Option<usize>, partition: usize) -> Result<Columns> {
        let schema = self.table_schema.file_schema();
        let names =
            self.projection.file_indices.iter().map(|&index| schema.field(index).name().clone()).collect();
        let batch_size = limit.map_or(self.batch_size, |limit| self.batch_size.min(limit)).max(1);
        let options = self.format.options();
        let paths = self.paths()?;
        let reader = ReaderBuilder::new(self.format.descriptor())
            .options(options.mapping.clone())
            .max_row_len(options.max_row_len)
            .batch_size(batch_size);
        let predicate = self.predicate.as_ref();
        let filter = predicate
            .map(|predicate| Filter::new(predicate, schema, &options.fields, reader.clone()))
            .transpose()?;
        let filter_has_all = filter.as_ref().is_some_and(|filter| filter.has_all(&paths));
        let reader = (!paths.is_empty()).then(|| reader.projection(paths));
        let count = |name| MetricBuilder::new(&self.metrics).counter(name, partition);
        let counts = Counts { bytes: count("bytes_scanned"), refused: count("rows_refused") };
        Ok(Columns { reader, names, batch_size, filter, filter_has_all, counts })
    }
}

impl FileSource for ProtobufSource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let file_schema = self.table_schema.file_schema();
        self.format.check(file_schema)?;
        let opener = Opener {
            columns: self.columns(config.limit, partition)?,
            options: self.format.options().clone(),
            indexes: self.format.indexes().clone(),
            store_url: config.object_store_url.as_str().to_owned(),
            store,
        };
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), file_schema)
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(Self { batch_size, ..self.clone() })
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.table_schema.file_schema(), &merged);
        Ok(Some(Arc::new(Self { projection, ..self.clone() })))
    }

    /// Filters on columns of the files are evaluated here, and the columns of messages that they refuse are not decoded. Their other fields are not checked then.
    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let (mut pushed, mut ours) = (Vec::new(), Vec::new());
        for filter in filters {
            let is_ours = is_of_files(&filter, self.table_schema.file_schema())?;
            pushed.push(if is_ours { PushedDown::Yes } else { PushedDown::No });
            if is_ours {
                ours.push(filter);
            }
        }
        let result = FilterPushdownPropagation::with_parent_pushdown_result(pushed);
        if ours.is_empty() {
            return Ok(result);
        }
        let predicate = Some(conjunction(self.predicate.iter().cloned().chain(ours)));
        Ok(result.with_updated_node(Arc::new(Self { predicate, ..self.clone() })))
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.predicate.clone()
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        "protobuf"
    }

    fn fmt_extra(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.paths().map_err(|_| fmt::Error)?;
        write!(f, ", message={}, fields=[{}]", self.format.descriptor().full_name(), paths.join(", "))?;
        self.predicate.as_ref().map_or(Ok(()), |predicate| write!(f, ", predicate={predicate}"))
    }

    /// As by default, but that compressed files stay whole: no part of one can be read alone.
    fn repartitioned(
        &self,
        target_partitions: usize,
        min_size: usize,
        ordering: Option<LexOrdering>,
        config: &FileScanConfig,
    ) -> Result<Option<FileScanConfig>> {
        let compression = self.format.options().compression;
        let is_compressed =
            |file: &PartitionedFile| compression.of(&file.object_meta.location) != Compression::Uncompressed;
        let partitioner = FileGroupPartitioner::new()
            .with_repartition_file_min_size(min_size)
            .with_preserve_order_within_groups(ordering.is_some());
        let groups = if ordering.is_some() {
            // The files of a group stay together, so that its rows stay in order.
            let (mut whole, plain): (Vec<_>, Vec<_>) =
                config.file_groups.iter().cloned().partition(|group| group.iter().any(is_compressed));
            let partitions = target_partitions.saturating_sub(whole.len());
            partitioner.with_target_partitions(partitions).repartition_file_groups(&plain).map(|split| {
                whole.extend(split);
                whole
            })
        } else {
            let files = config.file_groups.iter().flat_map(|group| group.iter()).cloned();
            let (compressed, plain): (Vec<_>, Vec<_>) = files.partition(is_compressed);
            let split = partitioner
                .with_target_partitions(target_partitions)
                .repartition_file_groups(&[FileGroup::new(plain)]);
            split.map(|groups| with_whole_files(groups, compressed, target_partitions))
        };
        Ok(groups.map(|file_groups| {
            let mut split = config.clone();
            split.file_groups = file_groups;
            split
        }))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let expressions = self.projection.source.iter().map(|projected| &projected.expr);
        datafusion::physical_plan::apply_expression_roots(expressions.chain(&self.predicate), f)
    }
}

/// Gives each file, the largest first, to the partition that has the least to read.
fn with_whole_files(
    mut groups: Vec<FileGroup>,
    mut files: Vec<PartitionedFile>,
    target_partitions: usize,
) -> Vec<FileGroup> {
    if files.is_empty() {
        return groups;
    }
    groups.resize_with(groups.len().max(target_partitions), FileGroup::default);
    let mut sizes: Vec<u64> =
        groups.iter().map(|group| group.iter().map(PartitionedFile::effective_size).sum()).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.effective_size()));
    for file in files {
        let Some((least, size)) = sizes.iter_mut().enumerate().min_by_key(|(_, size)| **size) else { break };
        *size += file.effective_size();
        groups[least].push(file);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Opens the parts of files that a partition reads.
struct Opener {
    columns: Columns,
    options: ProtobufOptions,
    indexes: Arc<Indexes>,
    store_url: String,
    store: Arc<dyn ObjectStore>,
}

impl FileOpener for Opener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let size = file.object_meta.size;
        let range = match &file.range {
            Some(range) => range.start.max(0) as u64..range.end.max(0) as u64,
            None => 0..size,
        };
        let index = self.indexes.of(&self.store_url, &file.object_meta);
        let stored = StoredFile {
            store: self.store.clone(),
            compression: self.options.compression.of(&file.object_meta.location),
            meta: file.object_meta,
            max_row_len: self.options.max_row_len,
        };
        Ok(Box::pin(scan::open(self.columns.clone(), stored, index, range)))
    }
}
