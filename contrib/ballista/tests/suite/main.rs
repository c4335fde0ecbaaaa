//! What queries give whose plans go to other processes, beside the same queries in one.

mod cluster;
mod codecs;
#[allow(dead_code)]
#[path = "../../../datafusion/tests/sql/common.rs"]
mod common;

/// `CREATE EXTERNAL TABLE` over files of a directory.
fn create(files: &common::Files, table: &str, location: &str, options: &str) -> String {
    format!(
        "CREATE OR REPLACE EXTERNAL TABLE {table} STORED AS PROTOBUF LOCATION '{}'
         OPTIONS (message 'example.Log', descriptors '{}', recursion '1'{options})",
        files.path(location).display(),
        files.path("log.set").display()
    )
}
