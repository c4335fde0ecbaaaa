//! [`PhysicalCodec`]: scans in the plans of tasks.

use crate::envelope::{self, Scan, Version, external, misfit};
use crate::recent::{Formats, Functions};
use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::common::config::ConfigOptions;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, HigherOrderUDF, ScalarUDF, WindowUDF};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::physical_expr::proto_decode::PhysicalExprDecodeCtx;
use datafusion::physical_expr_common::physical_expr::proto_encode::PhysicalExprEncodeCtx;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::from_proto::{
    parse_protobuf_file_scan_config, parse_table_schema_from_proto,
};
use datafusion_proto::physical_plan::to_proto::serialize_file_scan_config;
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf::{FileScanExecConf, PhysicalExprNode};
use prost::Message;
use std::sync::Arc;
use tablepb_datafusion::ProtobufSource;

/// Sends scans of protobuf files to executors: message type and options, files and their parts, columns and fields, the limit; another codec sends the rest.
///
/// By default the rest is for Ballista's codec. What a store tells of the version of a file travels too: an executor refuses a file that changed since the query was planned. A codec
/// keeps where messages start in the files that its tasks read.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use datafusion_proto::bytes::{
///     physical_plan_from_bytes_with_extension_codec as read, physical_plan_to_bytes_with_extension_codec as write,
/// };
/// use tablepb_ballista::PhysicalCodec;
/// # let directory = tempfile::tempdir()?;
/// # let pool = tablepb_schema::SourceBuilder::new()
/// #     .source("log.proto", "syntax = 'proto3'; package example; message Log { string line = 1; }").build()?;
/// # std::fs::write(directory.path().join("log.set"), pool.encode_to_vec()?)?;
/// # std::fs::write(directory.path().join("a.binpb"), b"\x04\x0a\x02hi\x04\x0a\x02ho")?;
/// # let create = format!(
/// #     "CREATE EXTERNAL TABLE logs STORED AS PROTOBUF LOCATION '{0}/'
/// #      OPTIONS (message 'example.Log', descriptors '{0}/log.set')",
/// #     directory.path().display()
/// # );
///
/// # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
/// let (here, elsewhere) = (SessionContext::new(), SessionContext::new());
/// tablepb_ballista::register(&here)?;
/// here.sql(&create).await?;
/// let plan = here.sql("SELECT line FROM logs").await?.create_physical_plan().await?;
/// let bytes = write(plan, &PhysicalCodec::default())?;
/// let plan = read(&bytes, &elsewhere.task_ctx(), &PhysicalCodec::default())?;
/// let batches = datafusion::physical_plan::collect(plan, elsewhere.task_ctx()).await?;
/// assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PhysicalCodec {
    rest: Arc<dyn PhysicalExtensionCodec>,
    formats: Formats,
    functions: Functions,
}

impl Default for PhysicalCodec {
    fn default() -> Self {
        Self::new(Arc::new(BallistaPhysicalExtensionCodec::default()))
    }
}

impl PhysicalCodec {
    /// A codec that leaves everything but scans of protobuf files to `rest`.
    #[must_use]
    pub fn new(rest: Arc<dyn PhysicalExtensionCodec>) -> Self {
        Self { rest, formats: Formats::default(), functions: Functions::default() }
    }

    fn encode_scan(
        &self,
        config: &FileScanConfig,
        source: &ProtobufSource,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Scan> {
        let files = config.file_groups.iter().flat_map(FileGroup::iter);
        let versions = files.map(|file| Version {
            e_tag: file.object_meta.e_tag.clone(),
            version: file.object_meta.version.clone(),
        });
        let predicate = source
            .filter()
            .map(|predicate| Ok(converter.physical_expr_to_proto(&predicate, self)?.encode_to_vec()));
        let predicate: Option<Result<_>> = predicate;
        Ok(Scan {
            format: source.format().to_bytes()?,
            config: serialize_file_scan_config(config, self, converter)?.encode_to_vec(),
            versions: versions.collect(),
            limit: config.limit.map(|limit| limit as u64),
            predicate: predicate.transpose()?,
        })
    }

    fn decode_scan(
        &self,
        scan: Scan,
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<FileScanConfig> {
        let format = self.formats.get(&scan.format)?;
        let config = FileScanExecConf::decode(scan.config.as_slice()).map_err(external)?;
        let table = parse_table_schema_from_proto(&config)?;
        let context = PhysicalPlanDecodeContext::new(context, self);
        let mut source = format.file_source(table.clone());
        if let Some(predicate) = &scan.predicate {
            let predicate = PhysicalExprNode::decode(predicate.as_slice()).map_err(external)?;
            let predicate = converter.proto_to_physical_expr(&predicate, table.table_schema(), &context)?;
            let pushed = source.try_pushdown_filters(vec![predicate], &ConfigOptions::new())?;
            // Rows that the filter refuses would be rows of the query.
            source = pushed.updated_node.ok_or_else(|| misfit("a filter that is not of files"))?;
        }
        let config = parse_protobuf_file_scan_config(&config, &context, converter, source)?;
        let groups = with_versions(config.file_groups.clone(), scan.versions)?;
        Ok(FileScanConfigBuilder::from(config)
            .with_file_groups(groups)
            // A limit that does not fit an address is none.
            .with_limit(scan.limit.and_then(|limit| usize::try_from(limit).ok()))
            .with_file_compression_type(
                format.compression_type().unwrap_or(FileCompressionType::UNCOMPRESSED),
            )
            .build())
    }
}

fn with_versions(groups: Vec<FileGroup>, versions: Vec<Version>) -> Result<Vec<FileGroup>> {
    if groups.iter().map(FileGroup::len).sum::<usize>() != versions.len() {
        return Err(misfit("files without versions"));
    }
    let mut versions = versions.into_iter();
    let with_version = |group: FileGroup| {
        let files = group.into_inner().into_iter().zip(versions.by_ref()).map(|(mut file, version)| {
            file.object_meta.e_tag = version.e_tag;
            file.object_meta.version = version.version;
            file
        });
        FileGroup::new(files.collect())
    };
    Ok(groups.into_iter().map(with_version).collect())
}

impl PhysicalExtensionCodec for PhysicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match envelope::read::<Scan>(bytes) {
            Some(scan) => Ok(DataSourceExec::from_data_source(self.decode_scan(scan?, context, converter)?)),
            None => self.rest.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        into: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let scan = plan
            .downcast_ref::<DataSourceExec>()
            .and_then(DataSourceExec::downcast_to_file_source::<ProtobufSource>);
        match scan {
            Some((config, source)) => envelope::write(&self.encode_scan(config, source, converter)?, into),
            None => self.rest.try_encode(plan, into, converter),
        }
    }

    fn try_decode_expr(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn PhysicalExpr>],
        context: &PhysicalExprDecodeCtx<'_>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        self.rest.try_decode_expr(bytes, inputs, context)
    }

    fn try_encode_expr(
        &self,
        expression: &Arc<dyn PhysicalExpr>,
        into: &mut Vec<u8>,
        context: &PhysicalExprEncodeCtx<'_>,
    ) -> Result<()> {
        self.rest.try_encode_expr(expression, into, context)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        envelope::read_function(name, bytes, &self.functions)
            .unwrap_or_else(|| self.rest.try_decode_udf(name, bytes))
    }

    fn try_encode_udf(&self, function: &ScalarUDF, into: &mut Vec<u8>) -> Result<()> {
        if envelope::write_function(function, into)? {
            Ok(())
        } else {
            self.rest.try_encode_udf(function, into)
        }
    }

    fn try_decode_higher_order_function(&self, name: &str, bytes: &[u8]) -> Result<Arc<HigherOrderUDF>> {
        self.rest.try_decode_higher_order_function(name, bytes)
    }

    fn try_encode_higher_order_function(&self, function: &HigherOrderUDF, into: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode_higher_order_function(function, into)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.rest.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, function: &AggregateUDF, into: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode_udaf(function, into)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.rest.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, function: &WindowUDF, into: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode_udwf(function, into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::datasource::listing::PartitionedFile;

    #[test]
    fn each_file_has_a_version() {
        let groups =
            || vec![FileGroup::new(vec![]), FileGroup::new(vec![PartitionedFile::new("a.binpb", 7)])];
        let version = Version { e_tag: Some("tag".into()), version: Some("3".into()) };
        let files = with_versions(groups(), vec![version.clone()]).unwrap();
        let meta = &files[1].files()[0].object_meta;
        assert_eq!((meta.e_tag.as_deref(), meta.version.as_deref()), (Some("tag"), Some("3")));
        for versions in [vec![], vec![version.clone(), version]] {
            let error = with_versions(groups(), versions).unwrap_err().to_string();
            assert!(error.contains("this version"), "{error}");
        }
    }
}
