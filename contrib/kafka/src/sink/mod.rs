//! Where rows go.

mod clickhouse;
mod lines;
mod parquet;

pub use clickhouse::ClickHouse;
pub use lines::Lines;
pub use parquet::ParquetFiles;

use crate::pipeline::Roll;
use std::error::Error;

/// Takes ranges of offsets.
pub trait Sink {
    /// Takes the rows of a range of offsets, so that they stay when the program ends. The offsets are committed after that; a range that was taken and not committed may come again,
    /// with other bounds.
    ///
    /// # Errors
    /// The range was not taken, or it is not known whether it was. The caller gives it again.
    fn write(&mut self, topic: &str, roll: &Roll) -> Result<(), Box<dyn Error>>;

    /// The offset after the last record of a partition that it has, if it can tell; 0 if not.
    ///
    /// # Errors
    /// What it has cannot be read.
    fn next_offset(&self, topic: &str, partition: i32) -> Result<i64, Box<dyn Error>> {
        _ = (topic, partition);
        Ok(0)
    }
}
