//! What the tests share: rows that were written, and records.
#![allow(dead_code, reason = "each test uses a part")]

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;
use chrono::Utc;
use rskafka::record::{Record, RecordAndOffset};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// An empty directory of this name, for one test.
pub fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

pub fn record(offset: i64, value: Option<Vec<u8>>) -> RecordAndOffset {
    RecordAndOffset {
        record: Record { key: None, value, headers: BTreeMap::new(), timestamp: Utc::now() },
        offset,
    }
}

/// A row of a file.
#[derive(Debug, PartialEq)]
pub struct Row {
    pub id: i64,
    pub skus: Vec<String>,
    pub customer: String,
    pub bad: bool,
    /// Partition and offset.
    pub place: (i32, i64),
}

/// All rows of a directory, by partition and offset.
pub fn rows(directory: &Path) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "arrow") {
            for batch in FileReader::try_new(File::open(&path).unwrap(), None).unwrap() {
                let batch = batch.unwrap();
                rows.extend((0..batch.num_rows()).map(|row| row_of(&batch, row)));
            }
        }
    }
    rows.sort_by_key(|row| row.place);
    rows
}

fn row_of(batch: &RecordBatch, row: usize) -> Row {
    let column = |name: &str| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    let lines = column("lines").as_list::<i32>().value(row);
    let skus = lines.as_struct().column_by_name("sku").unwrap().as_string::<i32>();
    Row {
        id: column("id").as_primitive::<Int64Type>().value(row),
        skus: skus.iter().map(|sku| sku.unwrap_or_default().to_owned()).collect(),
        customer: column("customer").as_string::<i32>().value(row).to_owned(),
        bad: column("_error").is_valid(row),
        place: (
            column("partition").as_primitive::<Int32Type>().value(row),
            column("offset").as_primitive::<Int64Type>().value(row),
        ),
    }
}
