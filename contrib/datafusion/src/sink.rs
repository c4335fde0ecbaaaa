//! [`ProtobufSink`]: rows into files of messages.

use crate::format::ProtobufFormat;
use crate::options::Compression;
use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{not_impl_err, plan_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use datafusion_datasource::display::FileGroupDisplay;
use datafusion_datasource::write::demux::DemuxedStreamReceiver;
use datafusion_datasource::write::orchestration::spawn_writer_tasks_and_join;
use datafusion_datasource::write::{BatchSerializer, get_writer_schema};
use flate2::write::GzEncoder;
use object_store::ObjectStore;
use object_store::path::Path;
use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tablepb::MessageDescriptor;
use tablepb_arrow::{WriteError, Writer, WriterBuilder};

/// A plan that writes rows into files of messages. Columns find their fields by name.
pub(crate) fn plan(
    format: &ProtobufFormat,
    input: Arc<dyn ExecutionPlan>,
    mut config: FileSinkConfig,
    order: Option<LexRequirement>,
) -> Result<Arc<dyn ExecutionPlan>> {
    if config.insert_op != InsertOp::Append {
        return not_impl_err!("files of messages are added to a table, and not replaced");
    }
    // One file has the name that the statement says, files in a directory are named here.
    let one = config.table_paths.first().filter(|url| !url.is_collection()).map(|url| url.prefix().clone());
    let named = Path::from(format!("x.{}", config.file_extension));
    let compression = match format.options().compression.of(one.as_ref().unwrap_or(&named)) {
        Compression::Auto => Compression::Uncompressed,
        known => known,
    };
    if one.is_none() {
        config.file_extension = compression.ending().to_owned();
    }
    let columns = get_writer_schema(&config);
    if let Err(error) = writer(format.descriptor(), &columns) {
        return plan_err!("rows as messages of {}: {error}", format.descriptor().full_name());
    }
    let sink = ProtobufSink { descriptor: format.descriptor().clone(), compression, config };
    Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), order)))
}

fn writer(descriptor: &MessageDescriptor, columns: &Schema) -> Result<Writer, WriteError> {
    WriterBuilder::new(descriptor).build(&Arc::new(columns.clone()))
}

/// Files of messages that are written.
#[derive(Debug)]
struct ProtobufSink {
    descriptor: MessageDescriptor,
    compression: Compression,
    config: FileSinkConfig,
}

impl DisplayAs for ProtobufSink {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProtobufSink(message={}, file_groups=", self.descriptor.full_name())?;
        FileGroupDisplay(&self.config.file_group).fmt_as(form, f)?;
        f.write_str(")")
    }
}

#[async_trait]
impl FileSink for ProtobufSink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    async fn spawn_writer_tasks_and_join(
        &self,
        context: &Arc<TaskContext>,
        demux_task: SpawnedTask<Result<()>>,
        files: DemuxedStreamReceiver,
        store: Arc<dyn ObjectStore>,
    ) -> Result<u64> {
        let (descriptor, compression) = (self.descriptor.clone(), self.compression);
        let serializer = Arc::new(Serializer { descriptor, compression, idle: Mutex::default() });
        // The serializer compresses: DataFusion's own way has bzip2 and xz in it.
        let plain = FileCompressionType::UNCOMPRESSED;
        spawn_writer_tasks_and_join(context, serializer, plain, None, store, demux_task, files).await
    }
}

#[async_trait]
impl DataSink for ProtobufSink {
    fn schema(&self) -> &SchemaRef {
        self.config.output_schema()
    }

    async fn write_all(&self, data: SendableRecordBatchStream, context: &Arc<TaskContext>) -> Result<u64> {
        FileSink::write_all(self, data, context).await
    }
}

/// Batches as length-delimited messages, of each batch a member of gzip or a frame of zstd.
struct Serializer {
    descriptor: MessageDescriptor,
    compression: Compression,
    /// Writers that no task uses, all for the same columns.
    idle: Mutex<Vec<Writer>>,
}

impl BatchSerializer for Serializer {
    fn serialize(&self, batch: RecordBatch, _: bool) -> Result<bytes::Bytes> {
        let external = |error: WriteError| DataFusionError::External(Box::new(error));
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut writer =
            idle.map_or_else(|| writer(&self.descriptor, &batch.schema()), Ok).map_err(external)?;
        let mut messages = Vec::new();
        writer.write(&batch, &mut messages).map_err(external)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(writer);
        Ok(match self.compression {
            Compression::Gzip => {
                let mut encoder =
                    GzEncoder::new(Vec::with_capacity(messages.len() / 2), flate2::Compression::default());
                encoder.write_all(&messages)?;
                encoder.finish()?.into()
            }
            Compression::Zstd => zstd::encode_all(&messages[..], zstd::DEFAULT_COMPRESSION_LEVEL)?.into(),
            Compression::Auto | Compression::Uncompressed => messages.into(),
        })
    }
}
