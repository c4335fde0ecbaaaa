//! A message type, files of it, and sessions that query them.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::{SessionConfig, SessionContext};
use std::path::{Path, PathBuf};
use tablepb::{DescriptorPool, DynamicMessage, MessageDescriptor, stream};
use tablepb_datafusion::{ProtobufFormatFactory, ScanError};
use tablepb_schema::SourceBuilder;
use tempfile::TempDir;

const SCHEMA: &str = "syntax = 'proto3'; package example;
    import 'google/protobuf/timestamp.proto';
    enum Level { NONE = 0; LOW = 1; HIGH = 2; }
    message Part { string name = 1; optional double weight = 2; repeated sint32 sizes = 3; Part inner = 4; }
    message Log {
      uint64 id = 1; string line = 2; Level level = 3; Part part = 4; repeated Part parts = 5;
      map<string, int32> labels = 6; oneof which { int32 number = 7; string text = 8; } bytes raw = 9;
      google.protobuf.Timestamp at = 10;
    }";

pub fn pool() -> DescriptorPool {
    SourceBuilder::new().source("log.proto", SCHEMA).build().unwrap()
}

pub fn log() -> MessageDescriptor {
    pool().message("example.Log").unwrap()
}

/// Message number `id`. Sizes differ from 2 bytes to over a block of the reader; now and then a message has long bytes in a field that few queries want.
pub fn message(id: u64) -> Vec<u8> {
    let line = "x".repeat((id % 23) as usize * (id % 7) as usize);
    let mut text = format!("id: {id} line: '{line}' level: {}", id % 4);
    if id.is_multiple_of(3) {
        text += &format!(
            " part {{ name: 'part {id}' weight: {}.5 sizes: 1 sizes: -{id} inner {{ name: 'inner' }} }}",
            id % 10
        );
    }
    if id.is_multiple_of(5) {
        text += &format!(
            " parts {{ name: 'a{id}' }} parts {{}} labels {{ key: 'k' value: {id} }} number: {}",
            id % 100
        );
    }
    if id % 5 == 1 {
        text += " text: 'a text that is longer than a view holds' at { seconds: 1700000000 nanos: 5 }";
    }
    let mut message = tablepb::text::message_from_str(&log(), &text).unwrap();
    if id % 1009 == 1008 {
        message.set_field("raw", vec![7_u8; 1_300_000]).unwrap();
    }
    message.encode_to_vec().unwrap()
}

/// Length-delimited messages.
pub fn delimited(messages: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        stream::encode_length_delimiter(message.len(), &mut out).unwrap();
        out.extend_from_slice(&message);
    }
    out
}

/// The messages of a file, decoded by the library.
pub fn decoded(file: &[u8]) -> Vec<DynamicMessage> {
    let (mut rest, mut messages) = (file, Vec::new());
    while let Some(frame) = stream::read_frame(&mut rest).unwrap() {
        messages.push(DynamicMessage::decode(&log(), frame).unwrap());
    }
    assert!(rest.is_empty());
    messages
}

/// A directory with a descriptor set and files, and a session.
pub struct Files {
    directory: TempDir,
    pub context: SessionContext,
}

impl Files {
    /// A session that splits files of any size into so many partitions.
    pub fn new(partitions: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("log.set"), pool().encode_to_vec().unwrap()).unwrap();
        let mut config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(100);
        config.options_mut().optimizer.repartition_file_min_size = 1;
        let context = SessionContext::new_with_config(config);
        tablepb_datafusion::register(&context).unwrap();
        Self { directory, context }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// `CREATE EXTERNAL TABLE t` over a file or directory of this one, with more options: `", enums 'name'"`.
    pub async fn create(&self, location: &str, options: &str) -> Result<()> {
        let (location, set) = (self.path(location), self.path("log.set"));
        let sql = format!(
            "CREATE OR REPLACE EXTERNAL TABLE t STORED AS PROTOBUF LOCATION '{}'
             OPTIONS (message 'example.Log', descriptors '{}'{options})",
            shown(&location),
            shown(&set)
        );
        self.context.sql(&sql).await.map(drop)
    }

    /// The rows of a query, each as the texts of its values.
    pub async fn rows(&self, sql: &str) -> Result<Vec<Vec<String>>> {
        rows(&self.context, sql).await
    }
}

/// A session with the message type built in.
pub fn context_with_pool() -> SessionContext {
    let context = SessionContext::new();
    ProtobufFormatFactory::new().with_pool(pool()).register(&context).unwrap();
    context
}

fn shown(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

pub async fn rows(context: &SessionContext, sql: &str) -> Result<Vec<Vec<String>>> {
    let batches = context.sql(sql).await?.collect().await?;
    Ok(batches.iter().flat_map(texts).collect())
}

pub fn texts(batch: &RecordBatch) -> Vec<Vec<String>> {
    let options = FormatOptions::new().with_null("null");
    let columns: Vec<_> =
        batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    (0..batch.num_rows())
        .map(|row| columns.iter().map(|column| column.value(row).to_string()).collect())
        .collect()
}

/// The one number that a query gives.
pub async fn number(context: &SessionContext, sql: &str) -> u64 {
    let rows = rows(context, sql).await.unwrap();
    assert_eq!((rows.len(), rows[0].len()), (1, 1), "{sql}");
    rows[0][0].parse().unwrap()
}

/// What a scan found wrong.
pub fn scan_error(error: &DataFusionError) -> &ScanError {
    match error.find_root() {
        DataFusionError::External(error) => error.downcast_ref().unwrap_or_else(|| panic!("{error}")),
        other => panic!("not an error of a scan: {other}"),
    }
}
