//! What the tests share: directories, and the rows of files.
#![allow(dead_code, reason = "each test uses a part")]

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// An empty directory of this name, for one test.
pub fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// A row of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: i64,
    pub skus: Vec<String>,
    pub customer: String,
    pub error: Option<String>,
    /// Partition and offset.
    pub place: (i32, i64),
}

/// All rows of a directory, by partition and offset.
pub fn rows(directory: &Path) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "parquet") {
            let file = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap())
                .unwrap()
                .build()
                .unwrap();
            for batch in file {
                rows.extend(rows_of(&batch.unwrap()));
            }
        }
    }
    rows.sort_by_key(|row| row.place);
    rows
}

pub fn rows_of(batch: &RecordBatch) -> impl Iterator<Item = Row> {
    (0..batch.num_rows()).map(|row| row_of(batch, row))
}

fn row_of(batch: &RecordBatch, row: usize) -> Row {
    let column = |name: &str| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    let lines = column("lines").as_list::<i32>().value(row);
    let skus = lines.as_struct().column_by_name("sku").unwrap().as_string::<i32>();
    let error = batch.column_by_name("_error").map(|errors| errors.as_string::<i32>());
    Row {
        id: column("id").as_primitive::<Int64Type>().value(row),
        skus: skus.iter().map(|sku| sku.unwrap_or_default().to_owned()).collect(),
        customer: column("customer").as_string::<i32>().value(row).to_owned(),
        error: error.filter(|errors| errors.is_valid(row)).map(|errors| errors.value(row).to_owned()),
        place: (
            column("partition").as_primitive::<Int32Type>().value(row),
            column("offset").as_primitive::<Int64Type>().value(row),
        ),
    }
}

/// Checks that the rows are the orders up to this number, each once.
pub fn check(rows: &[Row], count: usize) {
    let mut ids: Vec<_> = rows.iter().filter(|row| row.error.is_none()).map(|row| row.id).collect();
    assert_eq!(ids.len(), count);
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..count as i64));
    for row in rows.iter().filter(|row| row.error.is_none()) {
        let customer = if row.id % 3 == 2 { format!("c{}", row.id % 100) } else { String::new() };
        assert_eq!((&row.customer, row.skus.len()), (&customer, 1), "{row:?}");
    }
}
