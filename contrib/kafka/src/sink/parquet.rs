//! [`ParquetFiles`]: a directory of Parquet files.

use super::Sink;
use crate::pipeline::Roll;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::error::Error;
use std::fs::{self, File};
use std::path::PathBuf;

/// A file for each range of offsets, whose name has it: `TOPIC-PARTITION-FIRST-LAST.parquet`.
///
/// A file is written under another name first, and there is all of it or none. The files say which records they have, so that a range that was written and not committed is not
/// written again: each record is in one file.
#[derive(Debug)]
pub struct ParquetFiles {
    directory: PathBuf,
}

impl ParquetFiles {
    /// Files of a directory, which is made.
    ///
    /// # Errors
    /// A directory that cannot be made.
    pub fn new(directory: impl Into<PathBuf>) -> Result<Self, Box<dyn Error>> {
        let directory = directory.into();
        fs::create_dir_all(&directory)?;
        Ok(Self { directory })
    }
}

impl Sink for ParquetFiles {
    fn write(&mut self, topic: &str, roll: &Roll) -> Result<(), Box<dyn Error>> {
        let Roll { partition, first, last, .. } = roll;
        let unfinished =
            self.directory.join(format!("unfinished-{topic}-{partition}-{}", std::process::id()));
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?)).build();
        let mut writer =
            ArrowWriter::try_new(File::create(&unfinished)?, roll.schema.clone(), Some(properties))?;
        for batch in &roll.batches {
            writer.write(batch)?;
        }
        writer.into_inner()?.sync_all()?;
        fs::rename(
            unfinished,
            self.directory.join(format!("{topic}-{partition}-{first:020}-{last:020}.parquet")),
        )?;
        // The name of the file, too.
        File::open(&self.directory)?.sync_all()?;
        Ok(())
    }

    fn next_offset(&self, topic: &str, partition: i32) -> Result<i64, Box<dyn Error>> {
        let prefix = format!("{topic}-{partition}-");
        let mut next = 0;
        for entry in fs::read_dir(&self.directory)? {
            let name = entry?.file_name();
            let range = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(".parquet"));
            // Topics may have names such as `TOPIC-0`, whose files begin in the same way.
            let last = range.and_then(|range| range.split_once('-')?.1.parse::<i64>().ok());
            next = next.max(last.map_or(0, |last| last + 1));
        }
        Ok(next)
    }
}
